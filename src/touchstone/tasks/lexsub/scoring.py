"""Scoring of lexical substitution, from what was read to results."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import numpy as np
import pyarrow as pa

from touchstone import __version__
from touchstone.core.errors import SHOWN, TouchstoneError
from touchstone.core.measures import Measure
from touchstone.core.ragged import Floats, Ints
from touchstone.core.resampling import Resampling
from touchstone.core.results import Results, SystemRecords
from touchstone.io import arrow
from touchstone.lexicon import wordnet
from touchstone.tasks.lexsub import compat as official
from touchstone.tasks.lexsub.answers import Pool
from touchstone.tasks.lexsub.compat import Compat
from touchstone.tasks.lexsub.keys import KEY_RULES
from touchstone.tasks.lexsub.measures import ELS07, MEASURES, PAPER, Views, find_measures
from touchstone.tasks.lexsub.model import POS_NAMES, GoldSet, Run
from touchstone.tasks.lexsub.pairing import STRICT, Policy, pair
from touchstone.tasks.lexsub.scorer import Scorer

AT_A_TIME = 1 << 18
"""Items scored at a time: memory is bounded by this, not by the file."""


def score(
    gold: GoldSet,
    runs: Run | Sequence[Run],
    measures: Iterable[str] = (),
    *,
    by: str | None = None,
    compat: Compat = "none",
    resampling: Resampling = Resampling(),  # noqa: B008 (immutable)
    policy: Policy = STRICT,
    lemmatize: bool = False,
    pool: Pool | None = None,
) -> Results:
    """Score runs against the gold: records of every item under each measure, folded into values with intervals.

    *measures* are names such as ``rank@10``, or ``paper`` and ``els07`` for all of a kind; by default the paper's, and
    under ``compat`` the ``els07`` rows of the views that the runs give.
    """
    runs = [runs] if isinstance(runs, Run) else list(runs)
    _check_names(runs)
    if compat not in get_args(Compat):
        raise TouchstoneError("unknown rules", value=compat, hint=f"known: {', '.join(get_args(Compat))}")
    if compat != "none" and (lemmatize or pool):
        raise TouchstoneError("the official rules take the answers as they are: without lemmatising and without a pool")
    wanted = find_measures(measures or _default(runs, compat))
    work = _Scoring(gold, tuple(measure.name for measure in wanted), compat, policy, lemmatize, pool)
    scored = [work.run(run) for run in runs]
    asked, resampling = resampling, resampling.affordable(len(work.items))
    fewer = [f"{resampling.draws:,} draws instead of {asked.draws:,}: there are many items"]
    return Results(
        task="lexsub",
        measures=work.measures,
        systems=[system for system, _ in scored],
        items_known=work.items_known(),
        signature=_signature(work, runs, resampling),
        resampling=resampling,
        by=by,
        group_names=POS_NAMES if by == "pos" else {},
        notes=list(
            dict.fromkeys(
                [
                    *_notes_on_gold(gold),
                    *(note for _, notes in scored for note in notes),
                    *(fewer if resampling.draws < asked.draws else []),
                ]
            )
        ),
    )


@dataclass(frozen=True)
class _Scoring:
    """One way of scoring against one gold, run after run."""

    gold: GoldSet
    names: tuple[str, ...]
    compat: Compat
    policy: Policy
    lemmatize: bool
    pool: Pool | None

    @cached_property
    def official_gold(self) -> Mapping[str, official.OfficialItem]:
        return {} if self.compat == "none" else official.read_official_gold(self.gold)

    @cached_property
    def items(self) -> Ints:
        """The rows of the gold that are scored: those kept by our rules or by the official ones."""
        return np.flatnonzero(self.gold.kept | official.officially_kept(self.gold, self.official_gold))

    @property
    def ours(self) -> tuple[str, ...]:
        return tuple(name for name in self.names if self.compat != "els07" or not name.startswith(official.PREFIX))

    @property
    def theirs(self) -> tuple[str, ...]:
        return tuple(name for name in self.names if self.compat != "none" and name.startswith(official.PREFIX))

    @property
    def measures(self) -> list[Measure[Views]]:
        return [*MEASURES.find_all(self.ours), *(official.official_measure(name, self.compat) for name in self.theirs)]

    def run(self, run: Run) -> tuple[SystemRecords, list[str]]:
        """Return the records of one run, and what is worth knowing of it."""
        batch, notes = pair(self.gold, run, self.items, self.policy)
        scorer = Scorer(self.ours, self.lemmatize, self.pool)
        parts = [scorer(batch.slice(at, AT_A_TIME)) for at in range(0, len(batch), AT_A_TIME)]
        out = pa.Table.from_batches(parts).combine_chunks()
        kept = self.gold.kept[self.items][:, None]
        records = {name: np.where(kept, arrow.to_records(out.column(name).chunk(0)), 0.0) for name in self.ours}
        records |= self._official_records(run, batch.column("id").to_pylist()) if self.theirs else {}
        facts = pa.table({name: out.column(name) for name in out.schema.names if name not in ("id", *self.ours)})
        return SystemRecords(run.system, records, facts), [*notes, *self._notes(run, facts)]

    def items_known(self) -> pa.Table:
        """Return what is known of each item whatever the system."""
        rows = self.items.tolist()
        return pa.table(
            {
                "id": pa.array([self.gold.ids[row] for row in rows], pa.string()),
                "target": arrow.strings([self.gold.targets[row] for row in rows]),
                "pos": arrow.strings([self.gold.pos[row] for row in rows]),
            }
        )

    def _notes(self, run: Run, facts: pa.Table) -> list[str]:
        notes = []
        repeated = int(facts.column("repeated").to_numpy().sum())
        if repeated:
            said = (
                "answers that repeat another of their list, and are dropped (--compat both shows what they would earn)"
            )
            notes.append(f"{run.system}: {said}: {repeated:,}")
        asked = any(re.match(r"[PRF]\b", name) for name in self.ours)
        if asked and "no boundary" in run.derivation["set"]:
            notes.append(f"{run.system}: no boundary was drawn, so P, R and F take whole lists")
        return notes

    def _official_records(self, run: Run, ids: Sequence[str]) -> dict[str, Floats]:
        found = official.official_records(self.official_gold, run)
        missing = [name for name in self.theirs if name not in found]
        if missing:
            hint = "give the system's file of that kind: '::' for best, ':::' for oot"
            raise TouchstoneError(f"{run.system} has no answers for {missing[0]}", hint=hint)
        return {
            official.official_measure(name, self.compat).name: official.spread(ids, self.official_gold, found[name])
            for name in self.theirs
        }


def _default(runs: Sequence[Run], compat: Compat) -> Sequence[str]:
    """Return the measures of a scoring that names none."""
    if compat == "none":
        return PAPER
    given = [view for view in ("best", "oot") if all((run.best if view == "best" else run.ranked) for run in runs)]
    if not given:
        raise TouchstoneError(
            "no kind of answers is given by all systems",
            hint="give every system its '::' file, or every one its ':::' file",
        )
    return [name for name in ELS07 if name.split(".")[1].removesuffix("_mode") in given]


def _check_names(runs: Sequence[Run]) -> None:
    if not runs:
        raise TouchstoneError("no system to score", hint="give at least one file of answers")
    names = [run.system for run in runs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise TouchstoneError("two systems have the same name", value=twice, hint="rename one of the files")


def _notes_on_gold(gold: GoldSet) -> list[str]:
    left_out = gold.excluded
    if not left_out:
        return []
    named = ", ".join(left_out[:SHOWN]) + (", …" if len(left_out) > SHOWN else "")
    return [f"{gold.source.stem}: {len(left_out):,} items left out for too few human answers: {named}"]


def _signature(work: _Scoring, runs: Sequence[Run], resampling: Resampling) -> dict[str, str]:
    """Return all that the figures depend on: the same signature means the same numbers."""
    gold = work.gold
    return {
        "touchstone": __version__,
        "task": "lexsub",
        "gold": str(gold.source),
        "items": f"{len(gold)} kept, {len(gold.excluded)} excluded",
        "reading": f"min responses {gold.min_responses:g}, min weight {gold.min_weight:g}",
        "systems": "; ".join(map(_described, runs)),
        "measures": ", ".join(MEASURES.signed(measure.name) for measure in work.measures),
        "keys": KEY_RULES,
        "compat": work.compat,
        "lemmatize": str(wordnet().signature) if work.lemmatize else "no",
        "pool": str(work.pool.source) if work.pool else "none",
        "policy": f"unknown {work.policy.unknown}, duplicates {work.policy.duplicates}",
        "intervals": f"{resampling}; numpy {np.__version__}",
    }


def _described(run: Run) -> str:
    views = ", ".join(f"{view} {how}" for view, how in run.derivation.items())
    return f"{run.system}: {' + '.join(map(str, run.sources))} ({views})"
