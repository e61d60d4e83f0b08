"""Gold and one run joined by id, with the three views of the run's answers: what the measures look at.

Missing views are derived, and the signature says how: the best guess is the first of the ranked list, the ranked list
is the list of best guesses, and the set is the part of the ranked list that the system considers good.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import pyarrow as pa

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.files import Source, read_bytes
from touchstone.base.ids import IdJoin, Policy, join_ids
from touchstone.base.notes import count_notes, count_warnings
from touchstone.base.ragged import Bools, Floats, Interner, Ints, StringLists
from touchstone.base.spelling import setting
from touchstone.core import inputs
from touchstone.core.gold import Earned
from touchstone.io.texts import contradictions
from touchstone.tasks.lexsub import official, swords
from touchstone.tasks.lexsub.about import Options
from touchstone.tasks.lexsub.model import OOT, Answers, GoldSet, Run, key
from touchstone.tasks.lexsub.preparing import base_forms, inside_pool, read_pool

View = Literal["best", "ranked", "set"]
Compat = Literal["none", "els07", "both"]

FEW_THEMSELVES = 5
"""Answers that are the target itself from which they may be a mistake, where they are half of all."""

OFFICIAL_VIEWS = {"best": ("best", official.score_best), "oot": ("ranked", official.score_oot)}
"""Rows of the official scorer, each with the view of a run and the function that scores its file."""


@dataclass(frozen=True, eq=False)
class Joined(inputs.Joined):
    """Gold and one run: for each item of *rows* (rows of the gold), what the answers of each view earn.

    *best* is the best guess of the system, *ranked* its ranked list, *set* the answers that it considers
    good. *lists* has the ranked answers as they were written, *bounds* how many of each list belong to the set.
    """

    gold: GoldSet
    run: Run
    rows: Ints
    best: Earned
    ranked: Earned
    set: Earned
    ids: Mapping[str, IdJoin]
    """How the ids of each file were joined."""
    has_blank: Bools
    """For each key, whether it is several words: `gap.nomwe` leaves those out."""
    repeated: Ints
    """How many answers to each item repeat another of their list."""
    lists: StringLists
    bounds: Ints
    compat: Compat = "none"
    outside: int = 0
    """How many ranked answers are dropped because they are not in the pool."""
    part_of: "tuple[Joined, slice] | None" = None
    """The joined run that this is a part of, and which items of it."""

    def part(self, rows: slice) -> "Joined":
        """Return the same of some neighbouring items."""
        return replace(
            self,
            rows=self.rows[rows],
            **{view: getattr(self, view).part(rows) for view in ("best", "ranked", "set")},
            ids={view: replace(ids, rows=ids.rows[rows]) for view, ids in self.ids.items()},
            repeated=self.repeated[rows],
            lists=StringLists(self.lists.words, self.lists.codes.part(rows)),
            bounds=self.bounds[rows],
            part_of=(self, rows),
        )

    def counted(self, view: View) -> Bools:
        """Return whether each item counts under measures of a *view*: it is kept, and answered or scored 0."""
        return self.gold.kept[self.rows] & self.joined_ids(view).counted

    def joined_ids(self, view: View) -> IdJoin:
        """Return how the ids were joined in the file that gives a *view*."""
        return self.ids.get("best" if view == "best" else "ranked") or next(iter(self.ids.values()))

    @cached_property
    def shares(self) -> swords.Shares:
        """The judgements of people on the ranked answers, by the rules of SWORDS."""
        return swords.shares(self.gold, self.rows, self.lists)

    @cached_property
    def facts(self) -> pa.Table:
        """Weights and mode of each item's gold, and how many answers each view has."""
        golds = self.ranked.golds
        blocks = list(golds.answers.blocks())
        if len(blocks) > 1:
            return pa.concat_tables([self.part(rows).facts for rows in blocks])
        return pa.table(
            {
                "W": golds.optimum(),
                "m": golds.optimum(1),
                "mode": pa.array(self._modes(), pa.string()),
                "n_best": self.best.size,
                "n_ranked": self.ranked.size,
                "n_set": self.set.size,
                "attempted": self.best.attempted | self.ranked.attempted,
                "repeated": self.repeated,
            }
        )

    @property
    def notes(self) -> list[str]:
        """Facts about the run, with counts; none of them stops a scoring."""
        counts = {
            "empty answers, which are dropped": self.run.empty_answers,
            "answers outside the pool, which are dropped": self.outside,
        }
        if self.repeated.any():
            hint = f"{setting('compat', 'both')} shows what they would earn"
            counts[f"repeated answers, which are dropped ({hint})"] = int(self.repeated.sum())
        of_files = [note for view, ids in self.ids.items() for note in _file_notes(self, view, ids)]
        return [*of_files, *count_notes(self.run.name, counts)]

    @cached_property
    def official(self) -> Mapping[str, Floats]:
        """The records of each ``els07`` measure by the official rules, computed from the files themselves."""
        if self.gold.official is None:
            hint = f"ask for them with {setting('compat', 'els07')} or both"
            raise TouchstoneError("official figures are not computed", code=Code.OPTION_NEEDED, hint=hint)
        records: dict[str, Floats] = {}
        for view, (run_view, score) in OFFICIAL_VIEWS.items():
            answers = self.run.given.get(run_view)
            if answers is None:
                continue
            scores = score(self.gold.official, _official_text(answers.source, answers.form), file=answers.source.name)
            row_of = {name: row for row, name in enumerate(scores.ids)}
            rows = np.array([row_of.get(self.gold.ids[row], -1) for row in self.rows.tolist()])
            for name, sums, counts in (
                (f"els07.{view}.P", scores.credit, scores.attempted),
                (f"els07.{view}.R", scores.credit, np.ones(len(row_of))),
                (f"els07.{view}_mode.P", scores.mode_hit, scores.mode_attempted),
                (f"els07.{view}_mode.R", scores.mode_hit, scores.has_mode),
            ):
                records[name] = np.where(rows[:, None] >= 0, np.column_stack([sums, counts])[rows], 0.0)
        return records

    def official_record(self, name: str) -> Floats:
        """Return the records of an ``els07`` measure by the official rules; refuse a view that no file gives."""
        if self.part_of is not None:
            joined, rows = self.part_of
            return joined.official_record(name)[rows]
        if name not in self.official:
            hint = "give the system's file of that kind: '::' for best, ':::' for oot"
            raise TouchstoneError(f"{self.run.name} has no answers for {name}", code=Code.UNSUPPORTED, hint=hint)
        return self.official[name]

    def _modes(self) -> list[str | None]:
        """Return the mode of each item as it was first written in the gold, None if it has none."""
        keys, spellings = self.gold.keys.codes.take(self.rows), self.gold.answers.codes.take(self.rows)
        here = np.flatnonzero(keys.values == self.ranked.golds.mode[keys.row])[::-1]
        first = np.full(len(self.rows), -1)
        first[keys.row[here]] = spellings.values[here]
        words = [*self.gold.answers.words, None]
        return [words[code] for code in first.tolist()]


def prepare(gold: GoldSet, options: Options) -> GoldSet:
    """Return the gold with its items by the official rules, where the options ask for official figures."""
    if options.compat == "none":
        return gold
    if options.lemmatize or options.pool:
        what = "the official rules take the answers as they are: without lemmatize and without a pool"
        raise TouchstoneError(what, code=Code.OPTION_UNUSED)
    text = _official_text(gold.source, gold.form)
    return replace(gold, official=official.read_gold(text, file=gold.source.name))


def _official_text(source: Source, form: str) -> str:
    if form != "els07":
        what = "the official rules are for ELS07 files"
        raise TouchstoneError(what, file=source.name, value=form, code=Code.UNSUPPORTED)
    if source.path is None:
        what = "the official rules need a file, not standard input"
        raise TouchstoneError(what, file=source.name, code=Code.UNSUPPORTED)
    # Byte for character, carriage returns and all: the official scorer knows no encodings.
    return read_bytes(source.path)[0].decode("latin-1")


def join(gold: GoldSet, run: Run, policy: Policy, options: Options, rows: Ints | None = None) -> Joined:
    """Join a run with the gold by id, and weigh the answers of each view.

    Parameters
    ----------
    gold, run
        What was read.
    policy
        What to do with missing, unknown and duplicate ids.
    options
        What is done to answers before they are scored.
    rows
        The rows of the gold to join; those that are scored by default.

    Examples
    --------
    >>> from touchstone import lexsub
    >>> from touchstone.base.ids import Policy
    >>> gold = lexsub.read_gold({"1": {"glad": 3, "merry": 1}, "2": {"smart": 2}})
    >>> run = lexsub.read_run({"1": ["glad", "sunny"]}, name="mine")
    >>> joined = lexsub.join(gold, run, Policy(missing="zero"), lexsub.Options())
    >>> joined.ranked.credit().tolist(), joined.notes
    ([3.0, 0.0], ['mine: items without an answer, which score 0 (of 2): 1 (id 2)'])
    """
    rows = gold.scored if rows is None else rows
    ids = {view: _join_file(gold, answers, rows, policy) for view, answers in run.given.items()}
    faults = [fault for file in ids.values() for fault in file.faults]
    if faults:
        hints = dict.fromkeys(hint for file in ids.values() for hint in file.hints)
        raise TouchstoneError.of(faults, "; ".join(hints) or None)
    views = _views(run, ids)
    lists = {view: _prepared(some, gold, rows, options) for view, some in views.items()}
    # The words of the gold keep their numbers, so that answers and gold are compared as integers.
    interner = Interner((word, number) for number, word in enumerate(gold.keys.words))
    keys = {view: some.map(key).numbered(interner) for view, some in lists.items()}
    golds = gold.golds.take(rows)
    earned = {view: Earned.by(golds, codes.distinct()) for view, codes in keys.items()}
    repeated = [keys[view].sizes - earned[view].size for view in ("best", "ranked")]
    return Joined(
        gold,
        run,
        rows,
        best=earned["best"],
        ranked=earned["ranked"],
        set=earned.get("set", earned["ranked"]),
        ids=ids,
        has_blank=np.array([" " in word for word in interner], np.bool_),
        repeated=np.maximum(*repeated),
        lists=lists["ranked"],
        bounds=lists.get("set", lists["ranked"]).codes.sizes,
        compat=options.compat,
        outside=int((views["ranked"].codes.sizes - lists["ranked"].codes.sizes).sum()) if options.pool else 0,
    )


def _join_file(gold: GoldSet, answers: Answers, rows: Ints, policy: Policy) -> IdJoin:
    """Join the ids of one file; the faults are all that is wrong with the file."""
    answered = answers.lists.codes.sizes > 0
    # Where lines of the gold could not be read, nobody knows which ids are unknown: all of the run are taken as known.
    gold_ids = gold.known if gold.complete else {*gold.known, *answers.ids}
    ids = join_ids(gold.ids, answers.ids_with_lines, policy, scored=rows, known=gold_ids, answered=answered)
    others = [
        Fault(
            f"item {name} has the target '{gold.targets[item]}', not this one",
            answers.source.name,
            answers.lines[row],
            answers.targets[row],
            code=Code.MISMATCH,
        )
        for name, row in answers.ids_with_lines.first.items()
        if (item := gold.rows.get(name)) is not None
        and gold.targets[item]
        and answers.targets[row] not in (None, gold.targets[item])
    ]
    hints = ["answers under another word may belong to another gold file"] if others else []
    if answers.sentences:
        names = [gold.ids[row] for row in rows.tolist()]
        gold_texts = {role: [texts[row] for row in rows.tolist()] for role, texts in gold.texts.items()}
        run_texts = {"sentence": answers.sentences}
        wrong, ways = contradictions(names, gold_texts, run_texts, ids.rows, answers.source.name, answers.lines)
        others, hints = [*others, *wrong], [*hints, *ways]
    return replace(ids, faults=(*answers.faults, *ids.faults, *others), hints=(*ids.hints, *hints))


def _views(run: Run, ids: Mapping[str, IdJoin]) -> dict[View, StringLists]:
    """Return the answers of each view; no set where that is the whole ranked list."""
    rows = (ids.get("ranked") or ids["best"]).rows
    ranked = run.lists.lists.take(rows)
    # A system without best guesses is taken to guess the first answer of its list.
    best = run.best.lists.take(ids["best"].rows) if run.best else ranked.first(1)
    views: dict[View, StringLists] = {"best": best, "ranked": ranked}
    if run.has_boundary:
        cuts = np.where(rows < 0, -1, run.lists.cuts[rows])
        views["set"] = ranked.first(np.where(cuts < 0, ranked.codes.sizes, cuts))
    return views


def _prepared(lists: StringLists, gold: GoldSet, rows: Ints, options: Options) -> StringLists:
    """Return answers as they are scored: as base forms, or without those outside the pool, where that is asked for."""
    if options.lemmatize:
        lists = base_forms(lists, [gold.pos[row] or "" for row in rows.tolist()])
    if options.pool:
        if not any(gold.targets):
            raise TouchstoneError("a pool needs the targets of the items", file=gold.source.name, code=Code.UNSUPPORTED)
        words = [f"{gold.targets[row]}.{gold.pos[row]}" for row in rows.tolist()]
        lists = inside_pool(lists, words, read_pool(options.pool, options.encoding))
    return lists


def _file_notes(joined: Joined, view: str, ids: IdJoin) -> list[str]:
    """Return facts about one file of a run, with counts."""
    gold, answers, lists = joined.gold, joined.run.given[view], joined.best if view == "best" else joined.ranked
    name = f"{joined.run.name} ({view})" if len(joined.ids) > 1 else joined.run.name
    items = np.array([gold.rows.get(id_, -1) for id_ in answers.ids], np.int64)
    keys = answers.lists.map(key)
    number = {word: code for code, word in enumerate(keys.words)}
    targets = np.array([*(number.get(key(target), -1) for target in gold.targets), -1])[items]
    counts = {
        "lines whose part of speech differs from the gold": sum(
            pos not in (None, gold.pos[item])
            for pos, item in zip(answers.pos, items.tolist(), strict=True)
            if item >= 0
        ),
        "answered items that are left out for too few human answers": int((~gold.kept[items[items >= 0]]).sum()),
        f"lists with more than {OOT} answers, of which oot, rank@{OOT} and r@{OOT} use the first {OOT}": int(
            (lists.size > OOT).sum()
        ),
    }
    themselves = int((keys.codes.values == np.repeat(targets, keys.codes.sizes)).sum())
    count_answers = count_warnings if themselves > max(FEW_THEMSELVES, len(items) / 2) else count_notes
    return [
        *ids.note(name),
        *count_notes(name, counts),
        *count_answers(name, {"answers that are the target itself": themselves}),
    ]
