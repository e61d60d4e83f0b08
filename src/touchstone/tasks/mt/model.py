"""Translations beside their references: texts that remember what was once worked out of them."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar, cast

import numpy as np

from touchstone.core.matching import Matching
from touchstone.core.measures import Measure, Measures
from touchstone.core.ragged import Bools, Floats
from touchstone.io.text import Source
from touchstone.text import Analyser, Sentence, english

Made = TypeVar("Made")

_NO_WORDS = Sentence("", (), (), (), (), ())


@dataclass(frozen=True)
class Role:
    """An argument of a predicate: the type of role (A0, AM-TMP), the predicate's lemma, the words of the argument.

    *head* is the lemma of the argument's head. *places* are the words in the sentence, and *at* is the head among
    them, where that is known.
    """

    type: str
    predicate: str
    words: tuple[str, ...]
    head: str
    places: tuple[int, ...] = ()
    at: int = 0


class Texts:
    """The segments of one file in order; None where a reference is absent.

    Whatever a metric works out of the texts alone (tokens, tags, trees, counts) it asks for through `once`: a reference
    is analysed once for all systems, and what belongs to a system goes with it. *roles* are those that a file gives
    for each segment, in the place of those that are derived from the trees.

    >>> texts = Texts(["a b", "c"])
    >>> texts.once("words", lambda given: [text.split() for text in given.present])
    [['a', 'b'], ['c']]
    """

    def __init__(
        self,
        segments: Sequence[str | None],
        analyser: Analyser | None = None,
        source: Source | None = None,
        roles: Sequence[tuple[Role, ...]] | None = None,
    ) -> None:
        self.segments = tuple(segments)
        self.source = source
        self.roles = roles
        self._analyser = analyser
        self._made: dict[Hashable, object] = {}

    def __len__(self) -> int:
        return len(self.segments)

    def __getitem__(self, place: int) -> str | None:
        return self.segments[place]

    def __iter__(self) -> Iterator[str | None]:
        return iter(self.segments)

    @property
    def present(self) -> tuple[str, ...]:
        """The segments, an absent one as an empty text: what is worked out of it is never looked at."""
        return tuple(text or "" for text in self.segments)

    @property
    def analyser(self) -> Analyser:
        """What analyses these texts: given analyses, or the embedded analyser."""
        return self._analyser or english()

    def once(self, name: Hashable, make: "Callable[[Texts], Made]") -> Made:
        """Return what *make* gives for these texts, made at the first asking and kept under *name*."""
        if name not in self._made:
            self._made[name] = make(self)
        return cast("Made", self._made[name])

    def afresh(self) -> "Texts":
        """Return the same segments with nothing worked out of them yet; a missing one as an empty text."""
        return Texts(self.present, self._analyser, self.source, self.roles)

    def only(self, place: int) -> "Texts":
        """Return the segment at *place* alone."""
        return Texts((self.segments[place],), self._analyser, self.source, self.roles and self.roles[place : place + 1])

    def tagged(self) -> list[Sentence]:
        """Return the analysed segments: tokens, tags and lemmas."""
        return self.once("tagged", lambda texts: texts._analysed(texts.analyser.tag))

    def parsed(self) -> list[Sentence]:
        """Return the analysed segments with their trees."""
        return self.once("parsed", lambda texts: texts._analysed(texts.analyser.parse))

    def _analysed(self, analyse: Callable[[Sequence[str]], Iterator[Sentence]]) -> list[Sentence]:
        """Return the sentence of each segment; one without words is not asked for, as given analyses have none."""
        found = analyse([text for text in self.segments if text and not text.isspace()])
        return [next(found) if text and not text.isspace() else _NO_WORDS for text in self.segments]


@dataclass(frozen=True, eq=False)
class Compared:
    """The translations of one system beside the references: what the measures of translation look at.

    *counted* says which segments count: a missing translation may be left out. An empty translation counts, and
    scores 0. Every segment that counts has at least one reference, unless empty ones were allowed.
    """

    hypotheses: Texts
    references: tuple[Texts, ...]
    counted: Bools = field(default_factory=lambda: np.empty(0, np.bool_))

    def __post_init__(self) -> None:
        if len(self.counted) != len(self.hypotheses):
            object.__setattr__(self, "counted", np.ones(len(self.hypotheses), np.bool_))

    def __len__(self) -> int:
        return len(self.hypotheses)


MEASURES: Measures[Compared] = Measures("mt")
"""The metrics by name; each module of a family adds its own."""

MtMeasure = Measure[Compared]


@dataclass(frozen=True)
class Layer:
    """One matching behind a score: the items of both sides as they are shown, their links, and what these earn.

    *left_places* and *right_places* give, for each item, the tokens that it covers.
    """

    name: str
    left: tuple[str, ...]
    right: tuple[str, ...]
    matching: Matching
    precision: float
    recall: float
    f: float
    left_places: tuple[tuple[int, ...], ...] = ()
    right_places: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class Explanation:
    """The score of one segment against one reference: words of both sides, layer by layer the links behind it."""

    measure: str
    system: str
    segment: str
    hypothesis: tuple[str, ...]
    reference: tuple[str, ...]
    layers: tuple[Layer, ...]
    value: float
    notes: tuple[str, ...] = ()


Explainer = Callable[[str, Compared, int], Explanation]
"""Explains a measure, by its canonical name, on one segment of what is compared: against its first reference."""

EXPLAINERS: dict[str, Explainer] = {}
"""What can be explained, by family of measures; the module of a family adds its own."""

Notes = Callable[[str, Floats], tuple[str, ...]]
"""Says of a measure, by its canonical name and its records of one system, what a reader must know beside the value."""

NOTES: dict[str, Notes] = {}
"""What is to be said beside the values, by family of measures; the module of a family adds its own."""
