"""Gold and runs of lexical substitution: sentences with a target word, and what people and systems would put there.

A file becomes one of two columnar values: a `GoldSet` (items with weighted human answers) or a `Run` (the answers of a
system). Both give single items for reading: ``gold["301"]``. Two answers are the same where their `key` is: spelling is
not the task, so case, hyphens, apostrophes and blanks do not make them different.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, no_such_item
from touchstone.base.files import Source
from touchstone.base.ids import Ids
from touchstone.base.notes import count_note
from touchstone.base.ragged import Bools, Ints, Ragged, StringLists
from touchstone.base.signature import DIGEST_DIGITS, content_digest
from touchstone.base.spelling import setting
from touchstone.base.tables import counted
from touchstone.core import inputs
from touchstone.core.gold import Gold, Golds
from touchstone.io.texts import Texts
from touchstone.tasks.lexsub.official import OfficialItem

POS_NAMES = {"n": "nouns", "a": "adj", "v": "verb", "r": "adv"}
"""Parts of speech in the order and under the names of the paper's tables."""

OOT = 10
"""How many answers ELS07's "out of ten" and the paper's rank look at."""

NO_CUT = -1
"""The cut of a list whose system gave no boundary."""

KEY_RULES = "nfc+case+apostrophe+hyphen+blank+non"
"""The rules of `key`, as signatures name them."""

_APOSTROPHES = dict.fromkeys(map(ord, "'\u2018\u2019\u02bc"))
_BLANKS = dict.fromkeys(map(ord, "_-\u2010\u2011\u2012\u2013"), " ")
_FOLDS = _APOSTROPHES | _BLANKS
_NON = re.compile(r"\Anon (?=.)")


def key(answer: str) -> str:
    """Return the form under which *answer* is compared.

    >>> key("Non-Captive"), key("well_to-do"), key("o\u2019clock"), key("  garden   path ")
    ('noncaptive', 'well to do', 'oclock', 'garden path')
    """
    # Most answers are plain words in small letters, which none of the rules changes.
    if answer.isascii() and answer.isalpha() and answer.islower():
        return answer
    # Folding of case can take composed letters apart, so the result is composed again.
    spaced = " ".join(unicodedata.normalize("NFC", answer).casefold().translate(_FOLDS).split())
    return unicodedata.normalize("NFC", _NON.sub("non", spaced))


def lemma_of(target: str | None) -> str | None:
    """Return a target without its part of speech, None if there is none.

    >>> lemma_of("bright.a")
    'bright'
    """
    return target.partition(".")[0] if target else None


@dataclass(frozen=True)
class Context:
    """A sentence around its target: the text left of the head, the head, and the text right of it."""

    left: str
    head: str
    right: str

    def __str__(self) -> str:
        return f"{self.left} [{self.head}] {self.right}".strip()


@dataclass(frozen=True)
class Sentence:
    """A sentence with a target to substitute."""

    id: str
    target: str
    pos: str | None
    context: Context


@dataclass(frozen=True)
class Item:
    """One item for reading."""

    id: str
    target: str
    pos: str | None
    context: Context | None
    gold: Gold

    @property
    def word(self) -> str:
        """The target with its part of speech, as ELS07 files write it; empty where the target is not known."""
        return f"{self.target}.{self.pos}" if self.target and self.pos else self.target


@dataclass(frozen=True, eq=False)
class Judgements:
    """A pool of substitutes for each item, every one labelled by people, accepted or not."""

    substitutes: StringLists
    labels: Ints
    """For each substitute, how many labels accept it and how many there are."""

    @property
    def content(self) -> dict[str, Sequence[object] | Ints]:
        """What the numbers depend on, by name."""
        words, codes = _by_first_sight(self.substitutes)
        return {"pool words": words, "pool sizes": codes.sizes, "pool": codes.values, "labels": self.labels.ravel()}


@dataclass(frozen=True, eq=False)
class GoldSet(inputs.FileGold):
    """Items and their human answers, as read from a file; items with too few answers are listed in a note."""

    source: Source
    ids: Sequence[str]
    targets: Sequence[str]
    """The target of each item; all are empty where the data do not say them."""
    pos: Sequence[str | None]
    answers: StringLists
    weights: Ragged[np.float64]
    lines: Sequence[int | str]
    contexts: Sequence[Context | None] = ()
    form: str = "els07"
    known: frozenset[str] = frozenset()
    """Ids of sentences that exist, with gold or without: a system may answer them."""
    official: Mapping[str, OfficialItem] | None = None
    """The items by the rules of the official scorer, where its figures are asked for."""
    remarks: Sequence[str] = ()
    """How a table was read."""
    judgements: Judgements | None = None
    """The labelled pool of each item, where the data have one."""
    complete: bool = True
    """Whether every item of the file was read; where one was not, ``validate`` cannot tell which ids are unknown."""
    least: float | None = None
    """The least summed weight of an item that is scored; 1 by default."""

    def checked(self, faults: Sequence[Fault] = ()) -> "GoldSet":
        """Return the gold set; raise all *faults* of its file, and those of repeated ids.

        What could be read goes with the error, so that ``validate`` can check the ids of runs.
        """
        file, faults = self.source.name, [*faults, *Ids(self.source.name, self.ids, self.lines).repeated()]
        if faults:
            error = TouchstoneError.of(faults)
        elif not self.ids:
            error = TouchstoneError(
                "has no item", file=file, code=Code.EMPTY, hint="give a file with at least one item"
            )
        elif not self.kept.any():
            least = f"{1 if self.least is None else self.least:g}"
            hint = f"an item is kept if its weights sum to at least {least}; lower it with {setting('min-responses')}"
            error = TouchstoneError("no item with enough human answers", file=file, code=Code.TOO_FEW, hint=hint)
        else:
            return self
        error.readable = self
        raise error

    @cached_property
    def kept(self) -> Bools:
        """Which items have enough human answers to be scored."""
        return np.asarray(self.weights.sums() >= (1 if self.least is None else self.least))

    def __len__(self) -> int:
        return int(self.kept.sum())

    def __getitem__(self, id: str) -> Item:  # noqa: A002 (the name of the field)
        row = self.rows.get(id)
        if row is None:
            raise no_such_item(id, self.ids, file=self.source.name)
        begin, end = self.weights.offsets[row : row + 2]
        spellings: dict[str, str] = {}
        weights: dict[str, float] = {}
        for answer, weight in zip(self.answers[row], self.weights.values[begin:end].tolist(), strict=True):
            # Spellings that are compared alike are one answer, shown as the file has it first.
            first = spellings.setdefault(key(answer), answer)
            weights[first] = weights.get(first, 0) + weight
        context = self.contexts[row] if self.contexts else None
        return Item(self.ids[row], self.targets[row], self.pos[row], context, Gold(weights))

    @property
    def scored_items(self) -> list[Item]:
        """The items with enough human answers to be scored."""
        return [self[self.ids[row]] for row in np.flatnonzero(self.kept).tolist()]

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each id; of two with one id, which only ``validate`` meets, the first."""
        return {name: row for row, name in reversed([*enumerate(self.ids)])}

    @property
    def excluded(self) -> list[str]:
        """The ids of items with too few human answers to be scored."""
        return [self.ids[row] for row in np.flatnonzero(~self.kept).tolist()]

    @cached_property
    def scored(self) -> Ints:
        """The rows that are scored: those kept, those labelled, and those that the official scorer keeps."""
        official = self.official or {}
        labelled = self.judgements.substitutes.codes.sizes > 0 if self.judgements else False
        return np.flatnonzero(self.kept | labelled | np.array([name in official for name in self.ids], np.bool_))

    @cached_property
    def items(self) -> pa.Table:
        """The id, target and part of speech of each scored item; no targets where the data do not say them."""
        rows = self.scored.tolist()
        columns = {"id": self.ids, "target": self.targets, "pos": self.pos}
        columns = columns if any(self.targets) else {"id": self.ids, "pos": self.pos}
        return pa.table({name: pa.array([of[row] for row in rows], pa.string()) for name, of in columns.items()})

    @cached_property
    def keys(self) -> StringLists:
        """The matching keys of the human answers; equal answers to an item have the same number."""
        return self.answers.map(key)

    @cached_property
    def golds(self) -> Golds:
        """The human answers to every item by the numbers of their keys; the weights of equal answers are added."""
        return Golds.merged(self.keys.codes, self.weights)

    @cached_property
    def digest(self) -> str:
        """The digest of all that numbers depend on, whatever file or object held it."""
        words, codes = _by_first_sight(self.answers)
        golds = Golds.merged(codes, self.weights)
        return content_digest(
            id=self.ids,
            target=[target or None for target in self.targets],
            pos=self.pos,
            kept=self.kept,
            words=words,
            sizes=golds.answers.sizes,
            answers=golds.answers.values,
            weights=golds.weights.values,
            **({} if self.judgements is None else self.judgements.content),
        )

    @cached_property
    def texts(self) -> Texts:
        """The sentence of each item, and its target where it is known."""
        contexts = self.contexts or [None] * len(self.ids)
        sentences = [
            " ".join(filter(None, (context.left, context.head, context.right))) if context else None
            for context in contexts
        ]
        return {"sentence": sentences, **({"target": list(map(lemma_of, self.targets))} if any(self.targets) else {})}

    @property
    def signature(self) -> dict[str, str]:
        """The digest of the items, how many are scored, and how answers are compared.

        Official figures depend on every byte of the file, so with them its own digest is added.
        """
        official = {} if self.official is None else {"official gold": f"#{self.source.digest[:DIGEST_DIGITS]}"}
        size = f"{len(self)} kept, {len(self.ids) - len(self)} excluded"
        return {"gold": self.digest, "items": size, "keys": KEY_RULES, **official}

    @property
    def notes(self) -> list[str]:
        """The items that are left out, with their number."""
        what = f"{self.source.stem}: items left out for too few human answers"
        return [count_note(what, len(self.excluded), ids=self.excluded)] if self.excluded else []

    def __str__(self) -> str:
        return f"{_with_digest(self.source)}: {len(self):,} items kept, {len(self.ids) - len(self):,} excluded"

    def __repr__(self) -> str:
        return f"<GoldSet {self}>"


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers in one file of a run: a list for each id."""

    source: Source
    ids: Sequence[str]
    lines: Sequence[int | str]
    targets: Sequence[str | None]
    pos: Sequence[str | None]
    lists: StringLists
    cuts: Ints
    """How many answers of each list the system considers good; -1 if it gave no boundary."""
    form: str = "els07"
    faults: tuple[Fault, ...] = ()
    """What could not be read; scoring refuses it, together with the faults of the ids."""
    sentences: Sequence[str | None] = ()
    """The sentence beside each list, where the file has them: it must be that of the gold."""

    @cached_property
    def ids_with_lines(self) -> Ids:
        """The ids with their lines in the file."""
        return Ids(self.source.name, self.ids, self.lines)


@dataclass(frozen=True, eq=False)
class Run(inputs.Run):
    """What a system answered: a best guess, a ranked list, or both, each from its own file or record."""

    name: str
    sources: tuple[Source, ...]
    best: Answers | None = None
    ranked: Answers | None = None
    empty_answers: int = 0
    """Empty answers in the files, which were dropped."""
    remarks: Sequence[str] = ()
    """How a table was read."""
    by_bytes: bool = False
    """Whether figures depend on every byte of the files, as those of the official scorer do."""

    @property
    def given(self) -> dict[str, Answers]:
        """The answers of each view that the files give."""
        views = {"best": self.best, "ranked": self.ranked}
        return {view: answers for view, answers in views.items() if answers is not None}

    @property
    def lists(self) -> Answers:
        """The ranked lists, or the best guesses where there are no ranked lists."""
        answers = self.ranked or self.best
        assert answers is not None
        return answers

    @property
    def has_boundary(self) -> bool:
        """Whether the system gives a boundary for any list."""
        return bool((self.lists.cuts >= 0).any())

    @cached_property
    def signature(self) -> str:
        """The digest of the answers, and how each view was computed; with official figures the digests of the files."""
        digest = content_digest(
            **{f"{view} {name}": values for view, some in self.given.items() for name, values in _content(some).items()}
        )
        files = "".join(f" + file #{source.digest[:DIGEST_DIGITS]}" for source in self.sources) if self.by_bytes else ""
        best = "given" if self.best is not None else "first of ranked"
        ranked = "given" if self.ranked is not None else "the best list"
        views = f"best {best}, ranked {ranked}, set {_boundary(self.lists.cuts)}"
        return f"{digest}{files} ({views})"

    @property
    def faults(self) -> list[Fault]:
        """What could not be read of the files."""
        return [fault for answers in self.given.values() for fault in answers.faults]

    def answers(self, id: str, view: str = "ranked") -> tuple[str, ...]:  # noqa: A002 (the name of the field)
        """Return the answers to one item, best first.

        Parameters
        ----------
        id
            The id of the item; an item that the run does not answer has no answers.
        view
            ``ranked`` or ``best``; where the run lacks it, the answers are those of the other.
        """
        answers = self.best if view == "best" and self.best else self.lists
        row = answers.ids_with_lines.first.get(id)
        return () if row is None else answers.lists[row]

    def __str__(self) -> str:
        sources = " + ".join(map(_with_digest, self.sources))
        return f"{self.name}: answers to {counted(len(self.lists.ids), 'item')} ({sources})"

    def __repr__(self) -> str:
        return f"<Run {self}>"


def _with_digest(source: Source) -> str:
    """Return a file with its digest; a Python object has a name alone."""
    return str(source) if source.digest else source.name


def _content(answers: Answers) -> dict[str, Sequence[object] | Ints]:
    """Return what the numbers depend on in one view of a run, by name."""
    words, codes = _by_first_sight(answers.lists)
    return {"id": answers.ids, "words": words, "sizes": codes.sizes, "answers": codes.values, "cuts": answers.cuts}


def _by_first_sight(lists: StringLists) -> tuple[list[str], Ragged[np.int64]]:
    """Return the distinct strings in order of first sight and the lists by their numbers: equal for equal lists."""
    same = lists.map(str)
    codes = same.codes.values
    first = np.full(len(same.words), len(codes))
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # the last that is written stays: the first place of each
    order = np.argsort(first, kind="stable")
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    used = int((first < len(codes)).sum())
    return [same.words[code] for code in order[:used].tolist()], Ragged(same.codes.offsets, number[codes])


def _boundary(cuts: Ints) -> str:
    """Return how many answers of its lists a system considers good, in words."""
    if not (cuts >= 0).any():
        return "whole ranked list, no boundary"
    return "cut of ranked" if (cuts >= 0).all() else "cut of ranked, or the whole list where no boundary is given"
