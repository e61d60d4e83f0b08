"""Gold and runs, joined by id: identity before arithmetic.

An unknown, repeated or missing id is refused with its file, its line and the nearest valid id, unless the user chose
another policy. Neither side is ever cut to the length of the other.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import lgamma, log
from typing import Literal, get_args

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import SHOWN, Fault, Faults, TouchstoneError, nearest, refuse, visible
from touchstone.base.notes import Note, count_note, warning
from touchstone.base.ragged import Bools, Ints
from touchstone.base.spelling import setting

COMPARED = 1_000_000
"""Ids compared to find the nearest valid one: about three seconds."""

LEAST, FEW, MANY = 0.02, 5, 100
"""The share of items with an answer below which a run may belong to another test set; items from which none is a doubt,
and from which so few are."""

CUT = log(10_000)
"""The logarithm of the sets of as many items from which it is no chance that those without an answer are the last."""

DROPPED = "rows whose id occurs before, which are dropped"
"""What the code of a note on repeated ids ends with."""

Missing = Literal["error", "zero", "skip"]
Unknown = Literal["error", "ignore"]
Duplicates = Literal["error", "first"]


@dataclass(frozen=True)
class Policy:
    """What happens to ids that do not match one to one.

    Parameters
    ----------
    missing
        Items without an answer in a run: report an error, score them 0, or leave them out for that run. If None, the
        task decides.
    unknown
        Ids of a run that are not in the gold: report an error, or ignore them.
    duplicates
        Ids that occur twice in a run: report an error, or keep the first.
    """

    missing: Missing | None = None
    unknown: Unknown = "error"
    duplicates: Duplicates = "error"

    def __post_init__(self) -> None:
        kinds = {
            "missing": (None, *get_args(Missing)),
            "unknown": get_args(Unknown),
            "duplicates": get_args(Duplicates),
        }
        for name, known in kinds.items():
            value = getattr(self, name)
            if value not in known:
                hint = f"choose one of: {', '.join(one for one in known if one)}"
                what = f"no such policy for {name} items"
                raise TouchstoneError(what, value=str(value), code=Code.BAD_VALUE, hint=hint)

    def __str__(self) -> str:
        return f"missing {self.missing or 'error'}, unknown {self.unknown}, duplicates {self.duplicates}"


STRICT = Policy()


@dataclass(frozen=True)
class Ids:
    """The ids of a file in order, each with its line number (or key path)."""

    file: str
    ids: Sequence[str]
    lines: Sequence[int | str]

    @cached_property
    def first(self) -> dict[str, int]:
        """The first row of each id."""
        return dict(zip(reversed(self.ids), range(len(self.ids) - 1, -1, -1), strict=True))

    def repeated(self) -> list[Fault]:
        """Return a fault for each id that occurs a second time.

        >>> print(*Ids("a.oot", ["1", "2", "1"], [1, 2, 3]).repeated())
        a.oot:3: duplicate id (first seen on line 1): "1"
        """
        if len(self.first) == len(self.ids):
            return []
        faults = []
        for row, (name, line) in enumerate(zip(self.ids, self.lines, strict=True)):
            if self.first[name] != row:
                what = f"duplicate id (first seen on {_place(self.lines[self.first[name]])})"
                faults.append(Fault(what, self.file, line, name, kind="id", code=Code.DUPLICATE_ID))
        return faults

    def dropped(self, strangers: Collection[str] = ()) -> list[Note]:
        """Return a sentence on the rows that are dropped where the first row of an id is kept; none if ids differ.

        Parameters
        ----------
        strangers
            Ids that do not count.

        >>> Ids("a.oot", ["1", "2", "1", "1"], [1, 2, 3, 4]).dropped()
        ['rows whose id occurs before, which are dropped (of 4): 2 (50.0%)']
        """
        if len(self.first) == len(self.ids):
            return []
        rows = sum(name not in strangers for name in self.ids)
        dropped = rows - sum(name not in strangers for name in self.first)
        return [count_note(DROPPED, dropped, rows, share=True)] if dropped else []

    def rows(self) -> dict[str, int]:
        """Return the row of each id; refuse duplicate ids."""
        refuse(self.repeated(), self.copies() or "remove one of them")
        return self.first

    def copies(self) -> str | None:
        """Return a hint where every id occurs equally often, as where a table holds several systems; else None.

        >>> Ids("a.csv", ["1", "2", "1", "2"], [2, 3, 4, 5]).copies()
        'every id occurs 2 times: for 2 systems, give each a file, or name them in a column system where a task has it'
        """
        times, left = divmod(len(self.ids), max(1, len(self.first)))
        if left or times < 2 or len(self.first) < 2 or set(Counter(self.ids).values()) != {times}:
            return None
        way = "give each a file, or name them in a column system where a task has it"
        return f"every id occurs {times} times: for {times} systems, {way}"


@dataclass(frozen=True)
class IdJoin:
    """The outcome of joining the ids of a run with those of the gold.

    *rows* has, for each id of the gold, the row of the run with the same id, or -1. *faults* are the reasons to refuse
    the run under the policy, and *hints* the ways out. *ignored* counts the ids that the gold does not have. *absent*
    names those that the run does not answer. *repeated* says how many rows of a known id are dropped, because the
    id occurs before. *respelt* has the absent ids that the run has in another form, each with that form.
    """

    rows: Ints
    missing: Missing
    faults: tuple[Fault, ...] = ()
    hints: tuple[str, ...] = ()
    ignored: int = 0
    absent: Sequence[str] = ()
    repeated: Sequence[Note] = ()
    respelt: Sequence[tuple[str, str]] = ()

    @property
    def counted(self) -> Bools:
        """Whether each item counts for this run: it has an answer, or a missing one scores 0."""
        return np.asarray((self.rows >= 0) | (self.missing == "zero"))

    def note(self, system: str, what: str = "items without an answer") -> list[str]:
        """Return the notes that count missing items, ignored ids and dropped rows; none where there are none."""
        items, absent = len(self.rows), len(self.absent)
        answered = items - absent
        doubts: list[tuple[str, str]] = []
        if self.respelt:
            doubts.append((respelling(self.respelt), "write the ids of an item in one form"))
        cut = self.missing == "zero" and min(answered, absent) > 1 and self._is_cut
        if cut and _sets(items, absent) >= CUT:
            doubts.append((f"the last {absent:,} items have no answer", "the run may have been cut off"))
        if items >= (MANY if answered else FEW) and answered < LEAST * items:
            what_answered = f"{answered:,} of {items:,} items have an answer"
            doubts.append((what_answered, "the run may belong to another test set"))
        outcome = "score 0" if self.missing == "zero" else "are left out"
        missing = count_note(f"{system}: {what}, which {outcome}", absent, items, self.absent)
        strange = count_note(f"{system}: ids that the gold does not have, which are ignored", self.ignored)
        return [
            *(Note(warning(f"{system}: {doubt}; {cause}"), f"{system}: {cause}") for doubt, cause in doubts),
            *([missing] if absent else []),
            *([strange] if self.ignored else []),
            *(dropped.about(system) for dropped in self.repeated),
        ]

    @property
    def _is_cut(self) -> bool:
        """Whether every item has an answer up to some place in the gold, and none after it."""
        return not np.any(self.rows[len(self.rows) - len(self.absent) :] >= 0)

    def check(self, faults: Sequence[Fault] = (), hints: Sequence[str] = ()) -> "IdJoin":
        """Return this join, or raise all faults, those of the task among them.

        Parameters
        ----------
        faults, hints
            What the task found wrong with the run, beyond its ids.
        """
        refuse([*faults, *self.faults], "; ".join([*self.hints, *hints]) or None)
        return self


def join_ids(
    gold: Sequence[str],
    run: Ids,
    policy: Policy = STRICT,
    *,
    scored: Ints | None = None,
    known: Collection[str] = (),
    answered: Bools | None = None,
    missing: str = "no answer to this item",
) -> IdJoin:
    """Join the ids of a *run* with those of the *gold*.

    Parameters
    ----------
    gold
        All ids of the gold.
    run
        The ids of the run, with the lines they are on.
    policy
        What to do with missing, unknown and duplicate ids.
    scored
        The rows of the gold that are scored; the join has a row for each of them. All by default.
    known
        Ids of items that exist but have no gold: a run may answer them.
    answered
        Which rows of the run hold an answer; the items of other rows are missing. All rows by default.
    missing
        What a fault says of an item without an answer.

    Examples
    --------
    >>> join_ids(["301", "302"], Ids("a.oot", ["302"], [1]), Policy("zero")).rows.tolist()
    [-1, 0]
    >>> print(join_ids(["301", "302"], Ids("a.oot", ["301", "3O2"], [6, 7]), Policy("skip")).faults[0])
    a.oot:7: unknown item: "3O2"; nearest valid id "302"
    """
    strangers = run.first.keys() - set(gold) - set(known)
    scored_ids = gold if scored is None else [gold[row] for row in scored.tolist()]
    rows = _rows_of(scored_ids, run, answered)
    absent = [name for name, row in zip(scored_ids, rows.tolist(), strict=True) if row < 0]
    respelt = _respelt(absent, run)
    problems = Faults()
    problems.add(*_refused_strangers(strangers, gold, run, policy))
    if policy.duplicates == "error":
        first = setting("duplicates", "first")
        keep = f"remove one of two lines with the same id, or keep the first with {first}"
        problems.add(run.repeated(), run.copies() or keep)
    if policy.missing in (None, "error"):
        problems.add(*_refused_missing(absent, len(scored_ids), run.file, missing))
        problems.hints |= {f"{respelling(respelt)}: write the ids of an item in one form": None} if respelt else {}
    return IdJoin(
        rows,
        missing=policy.missing or "error",
        faults=tuple(problems.faults),
        hints=tuple(problems.hints),
        ignored=len(strangers),
        absent=absent,
        repeated=run.dropped(strangers) if policy.duplicates == "first" else (),
        respelt=respelt,
    )


def _rows_of(items: Sequence[str], run: Ids, answered: Bools | None) -> Ints:
    """Return the row of each item in a run; -1 where there is none, or where it holds no answer."""
    rows = np.array([run.first.get(name, -1) for name in items], np.int64)
    return rows if answered is None or not len(answered) else np.where(answered[rows], rows, -1)


def _refused_missing(absent: Sequence[str], items: int, file: str, what: str) -> tuple[list[Fault], str]:
    """Return a fault for each item without an answer, and what to do."""
    choices = f"score them 0 with {setting('missing', 'zero')}, or leave them out with {setting('missing', 'skip')}"
    faults = [Fault(what, file, value=name, kind="id", code=Code.MISSING_ID) for name in absent]
    return faults, f"{len(absent):,} of {items:,} items have none; {choices}"


def _refused_strangers(
    strangers: Collection[str], gold: Sequence[str], run: Ids, policy: Policy
) -> tuple[list[Fault], str | None]:
    """Return what is wrong with the ids that the gold does not have, and what to do: all of them, or that none fits."""
    if not strangers:
        return [], None
    if policy.unknown == "error":
        items = f"the gold has {len(gold):,} item{'s' * (len(gold) != 1)} and runs must use their ids"
        return _unknown(strangers, gold, run), f"{items}; ignore unknown ones with {setting('unknown', 'ignore')}"
    alien = len(strangers) == len(run.first)
    fewest = {"skip": 1, "zero": FEW}.get(str(policy.missing))  # ids from which nothing in common is a mistake
    if not alien or not fewest or len(run.first) < fewest:
        return [], None
    hint = f"the first id here is {next(iter(run.ids))!r}, and in the gold {next(iter(gold), '')!r}"
    return [Fault("none of its ids is in the gold", run.file, code=Code.UNKNOWN_ID)], hint


def _sets(items: int, chosen: int) -> float:
    """Return the logarithm of the number of sets of so many items."""
    return lgamma(items + 1) - lgamma(chosen + 1) - lgamma(items - chosen + 1)


def _respelt(absent: Sequence[str], run: Ids) -> list[tuple[str, str]]:
    """Return the absent ids that a run has in another form, each with that form; none for a very large run.

    >>> _respelt(["q07", "8.0", "9"], Ids("a.csv", ["Q7", "8"], [1, 2]))
    [('q07', 'Q7'), ('8.0', '8')]
    """
    if not absent or len(run.first) > COMPARED:
        return []
    forms = {plain_form(name): name for name in run.first}
    lacking = (name for name in absent if name not in run.first)
    return [(name, forms[plain]) for name in lacking if (plain := plain_form(name)) in forms]


def respelling(pairs: Sequence[tuple[str, str]]) -> str:
    """Return how many ids have another form in a run, with an example.

    >>> respelling([("q07", "Q7")])
    "1 id has another form here: 'Q7' is hardly another item than 'q07'"
    """
    (name, form), count = pairs[0], len(pairs)
    which = "1 id has" if count == 1 else f"{count:,} ids have"
    example = f"{visible(form)!r} is hardly another item than {visible(name)!r}"
    return f"{which} another form here: {example}"


def _unknown(strangers: Collection[str], gold: Sequence[str], run: Ids) -> list[Fault]:
    rows = [row for row, name in enumerate(run.ids) if name in strangers]
    suggested = min(SHOWN, max(1, COMPARED // max(1, len(gold))))
    forms = {plain_form(name): name for name in reversed(gold)}
    # The nearest id is only looked for where the fault is printed: every comparison with a large gold takes seconds.
    faults = []
    for count, row in enumerate(rows):
        name = run.ids[row]
        form = forms.get(plain_form(name))
        what = "unknown item" if form is None else "unknown item: its id has another form in the gold"
        near = form or (nearest(name, gold) if count < suggested else None)
        faults.append(Fault(what, run.file, run.lines[row], name, near, "id", Code.UNKNOWN_ID))
    return faults


def plain_form(name: str) -> str:
    """Return an id without what tools change in passing: case, blanks, quotes, leading zeros, a decimal part of zero.

    >>> {plain_form(name) for name in ("Ex 7", "ex_07", "ex-7", '"ex7"', "ex7.0")}
    {'ex7'}
    """
    plain = re.sub(r"[\s_\"'-]+", "", name.casefold())
    return re.sub(r"(?<!\d)0+(?=\d)", "", re.sub(r"\.0+$", "", plain))


def _place(line: int | str) -> str:
    return f"line {line}" if isinstance(line, int) else line
