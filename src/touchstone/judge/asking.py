"""Which items to give to people next: a table with the probability of each, which keeps the estimate unbiased."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa

from touchstone.base.codes import Code
from touchstone.base.errors import Faults, TouchstoneError
from touchstone.base.ids import Ids, Policy, join_ids
from touchstone.base.notes import warning
from touchstone.base.ragged import Bools, Floats, Ints
from touchstone.base.signature import Signature, content_digest
from touchstone.base.spelling import setting
from touchstone.base.tables import Column, Table, counted
from touchstone.io.annotations import ITEM
from touchstone.io.reading import read_rows
from touchstone.io.schema import Field, Schema
from touchstone.judge.paired import Paired
from touchstone.judge.probabilities import PROBABILITY, checked_probabilities
from touchstone.judge.strata import strata_codes
from touchstone.show.finding import Finding, Statement, kind_rows
from touchstone.stats.sampling import draw_next, residual_sizes

Strategy = Literal["uniform", "stratified", "uncertain"]

EARLIER = "earlier"
"""The strategy of an item that people have judged already: it is in the table for its new probability."""

BELOW, ABOVE = 4, 3.3
"""Standard deviations from the number of items beyond which probabilities are those of another draw; below it, items
that people left out are another reason."""

SCHEMA = Schema(ITEM, Field(PROBABILITY), Field("strategy"), chosen=False)
"""The table of `ask_next`."""

SCORE_GROUPS = 10
"""Strata of the judge's scores where no field is given."""


@dataclass(frozen=True, eq=False, repr=False)
class NextItems(Finding):
    """The items for people next: a *table* with the columns item, probability and strategy.

    The *chosen* new items come first, in random order; the items that people have judged follow.
    """

    table: pa.Table
    chosen: int
    signature: Signature
    notes: Sequence[str] = ()

    def statement(self) -> Statement:
        """Return the items with their probabilities."""
        columns = [Column("item"), Column("probability", "right"), Column("strategy")]
        rows = self.table.to_pylist()
        tables = [Table(columns, [list(row.values()) for row in rows])]
        title = f"{counted(self.chosen, 'item')} for people to score next"
        return Statement(title, tables, kind_rows("item", rows), notes=self.notes, signature=self.signature)


def ask_next(
    paired: Paired, n: int, strategy: Strategy = "uniform", *, strata: str | None = None, seed: int = 0
) -> NextItems:
    """Choose *n* more items for people: a table with the columns item, probability and strategy.

    The chosen items come first, in random order, then the items that people have judged, whose probabilities change
    with the sample. Every system is to be judged on the chosen items.

    Parameters
    ----------
    paired
        Human and judge scores so far.
    n
        How many items to choose.
    strategy
        ``uniform``: all items alike. ``stratified``: the same share of each stratum. ``uncertain``: with greater
        probability where people probably differ from the judge, as far as the judged items can tell.
    strata
        The field whose values are strata; by default tenths of the judge's scores.
    seed
        The seed of the draw.

    Examples
    --------
    >>> import touchstone
    >>> judge = [{"system": "a", "item": str(item), "score": item / 4} for item in range(1, 5)]
    >>> [paired] = touchstone.paired_tables([{"system": "a", "item": "1", "score": 1.0}], judge)
    >>> ask_next(paired, 1).table.column("probability").to_pylist()
    [0.5, 0.5]
    """
    human, judge = paired.grid(paired.human_values), paired.grid(paired.judge_values)
    judged = _judged(paired)
    if strata is not None and strategy != "stratified":
        hint = f"use {setting('strata')} with {setting('strategy', 'stratified')}"
        raise TouchstoneError(f"the strategy {strategy} has no strata", code=Code.OPTION_UNUSED, hint=hint)
    sample = draw_next(
        n,
        judged,
        earlier=None if paired.probability is None else paired.by_item(paired.probability),
        sizes=residual_sizes(human, judge) if strategy == "uncertain" else None,
        strata=_strata(paired, judge, strata) if strategy == "stratified" else None,
        seed=seed,
    )
    rows = np.concatenate([sample.chosen, np.flatnonzero(judged)])
    strategies = [strategy] * n + [EARLIER] * int(judged.sum())
    items = [paired.items[row] for row in rows]
    table = pa.table({"item": items, PROBABILITY: sample.probability[rows], "strategy": strategies})
    draw = f"{n} {strategy}, strata {strata or 'none'}, seed {seed}"
    return NextItems(table, n, {**paired.signature, "next": draw}, paired.notes)


def _other_draw(probabilities: Floats, items: int) -> list[str]:
    """Return a warning where the inverse probabilities of the asked items do not add up to the number of items.

    >>> _other_draw(np.full(60, 0.25), 240), len(_other_draw(np.full(60, 0.1), 240))
    ([], 1)
    >>> len(_other_draw(np.repeat([0.9, 0.1], 35), 240))
    1
    """
    # The estimate of the number of items by Horvitz and Thompson (1952), and its spread in independent draws.
    total = float((1 / probabilities).sum())
    deviation = float(np.sqrt(((1 - probabilities) / probabilities**2).sum()))
    limit = ABOVE * np.sqrt(items / total) if total > items else BELOW  # that of a draw from so many items
    if abs(total - items) <= max(limit * deviation, 0.1 * items):
        return []
    what = f"the probabilities of the asked items stand for {total:,.0f} items, and there are {items:,}"
    return [warning(f"{what}: they may be of another draw")]


def with_probabilities(paired: Paired, asked: object) -> Paired:
    """Return human and judge scores with the probabilities of a table that `ask_next` made.

    Parameters
    ----------
    paired
        The scores.
    asked
        The table or its file. Items that people have not judged after all are passed over, with a note.
    """
    rows, faults = read_rows(asked, SCHEMA, name="the asked items"), Faults()
    rows.require(ITEM.role, PROBABILITY)
    faults.add(rows.faults)
    with faults.collect():
        ids = rows.table.ids(rows.columns[ITEM.role])
    with faults.collect():
        values = np.array(rows.table.numbers(rows.columns[PROBABILITY]))
    faults.check()
    item_rows = join_ids(paired.items, ids, Policy("skip")).check().rows
    checked_probabilities([(ids, values)])
    judged = _judged(paired)
    probability = np.where(judged & (item_rows >= 0), values[item_rows], np.nan)
    lacking = np.flatnonzero(judged & ~np.isfinite(probability))
    if len(lacking):
        raise TouchstoneError(
            f"{len(lacking):,} human items have no probability, the first of them",
            file=rows.file,
            value=paired.items[lacking[0]],
            code=Code.MISSING_ID,
            hint="give the table of the latest draw, which has the earlier items too",
        )
    silent = np.count_nonzero(~judged & (item_rows >= 0))
    notes = [
        f"asked items without a human score, which are treated as missing at random (of {len(values):,}): {silent:,}"
    ]
    notes = notes if silent else []
    notes += _other_draw(values, len(paired.items))
    if paired.probability is not None:
        notes.append(f"the probabilities of {rows.file} count, not those of the human table")
    digest = content_digest(item=ids.ids, probability=values)
    return replace(
        paired,
        probability=probability[paired.item],
        signature={**paired.signature, "asked": f"{Path(rows.file).name}{digest}"},
        notes=[*paired.notes, *notes],
    )


def drawn_items(path: str | Path) -> Ids:
    """Return the items that a table of `ask_next` asks people for, with their lines; without the earlier ones."""
    rows = read_rows(path, SCHEMA)
    rows.require(ITEM.role)
    rows.check()
    ids = rows.table.ids(rows.columns[ITEM.role])
    is_new = [strategy != EARLIER for strategy in rows.values("strategy")]
    return Ids(ids.file, list(compress(ids.ids, is_new)), list(compress(ids.lines, is_new)))


def _judged(paired: Paired) -> Bools:
    """Return which items people have judged, for any system."""
    return np.asarray(np.isfinite(paired.grid(paired.human[:, 0])).any(axis=1))


def _strata(paired: Paired, judge: Floats, field: str | None) -> Ints:
    if field is None:
        scores = np.where(np.isfinite(judge), judge, np.nanmean(judge)).mean(axis=1)
        # By rank, so that all groups have the same size however the scores are spread.
        ranks = np.argsort(np.argsort(scores, kind="stable"), kind="stable")
        return np.asarray(ranks * SCORE_GROUPS // len(scores))
    return paired.by_item(strata_codes(paired, field)[0])
