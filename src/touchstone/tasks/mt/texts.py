"""The texts of one file, and whatever measures compute from them alone: tokens, trees, roles."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar, cast

import numpy as np

from touchstone.base.files import Source
from touchstone.base.ragged import Bools, Ragged, StringLists
from touchstone.text import Analyser, English, Sentence, Stored, english
from touchstone.text.cache import cached_columns
from touchstone.text.sentence import Columns

T = TypeVar("T")

_NO_WORDS = Sentence("", (), (), (), (), ())


@dataclass(frozen=True)
class Role:
    """An argument of a predicate.

    Parameters
    ----------
    type
        The type of role, such as A0 or AM-TMP.
    predicate, words, head
        The lemma of the predicate, the words of the argument, and the lemma of its head.
    places, at
        Where the words are in the sentence, and which of them is the head; empty where that is unknown.
    """

    type: str
    predicate: str
    words: tuple[str, ...]
    head: str
    places: tuple[int, ...] = ()
    at: int = 0


class GivenAnalyses(Protocol):
    """Analyses of any texts, found by what the texts say."""

    @property
    def source(self) -> Source:
        """The file of the analyses."""
        ...

    def of(self, segments: Sequence[str | None], file: str) -> Analyser:
        """Return the analyses of *segments*; refuse segments that have none."""
        ...


class Texts:
    """The segments of one file in order, and whatever measures compute from them alone.

    A measure asks for such a thing (tokens, trees, counts) through `once`, so that it is computed once for all
    measures, and for a reference once for all systems that are scored together.

    Parameters
    ----------
    segments
        The texts; None if a reference is absent or a translation missing.
    analyser
        What analyses the texts; the embedded analyser by default.
    source
        The file that they are from.
    roles
        The semantic roles of each segment, where a file gives them.
    first
        The number of the first segment, for messages.

    Examples
    --------
    >>> texts = Texts(["a b", "c"])
    >>> texts.once("words", lambda texts: [text.split() for text in texts.present])
    [['a', 'b'], ['c']]
    """

    def __init__(
        self,
        segments: Sequence[str | None],
        analyser: Analyser | None = None,
        source: Source | None = None,
        roles: Sequence[tuple[Role, ...]] | None = None,
        first: int = 1,
    ) -> None:
        self.segments = tuple(segments)
        self.source = source
        self.roles = roles
        self.first = first
        self._analyser = analyser
        self._made: dict[Hashable, object] = {}

    def __len__(self) -> int:
        return len(self.segments)

    def __getitem__(self, row: int) -> str | None:
        return self.segments[row]

    def __iter__(self) -> Iterator[str | None]:
        return iter(self.segments)

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_made": {}}  # cheaper to compute in another process than to send there

    @property
    def present(self) -> tuple[str, ...]:
        """The segments, an absent one as an empty text."""
        return tuple(text or "" for text in self.segments)

    @property
    def given(self) -> Bools:
        """Which segments are present."""
        return np.array([text is not None for text in self.segments], np.bool_)

    @property
    def analyser(self) -> Analyser:
        """What analyses these texts: given analyses, or the embedded analyser."""
        return self._analyser or english()

    def once(self, name: Hashable, make: "Callable[[Texts], T]") -> T:
        """Return what *make* gives for these texts, computed at the first call and kept under *name*."""
        if name not in self._made:
            self._made[name] = make(self)
        return cast("T", self._made[name])

    def cut(self, rows: slice) -> "Texts":
        """Return some of the segments, with their analyses and roles, and nothing computed yet."""
        segments = self.segments[rows]
        analyser = self._analyser
        if isinstance(analyser, Stored):
            analyser = analyser.only(filter(None, segments))
        roles = None if self.roles is None else self.roles[rows]
        return Texts(segments, analyser, self.source, roles, self.first + (rows.start or 0))

    def placed(self, rows: Sequence[int | None]) -> "Texts":
        """Return the segments at some places in that order, None if there is no place; nothing computed yet."""
        segments = [None if row is None else self.segments[row] for row in rows]
        roles = None if self.roles is None else [() if row is None else self.roles[row] for row in rows]
        return Texts(segments, self._analyser, self.source, roles)

    def filled(self) -> "Texts":
        """Return the same texts, with an empty one instead of each that is missing, and nothing computed yet."""
        return Texts(self.present, self._analyser, self.source, self.roles, self.first)

    def only(self, row: int) -> "Texts":
        """Return the segment at *row* alone."""
        return self.cut(slice(row, row + 1))

    def tagged(self) -> list[Sentence]:
        """Return the analysed segments: tokens, tags and lemmas."""
        return self.once("tagged", lambda texts: texts._analysed(partial(texts.analyser.tag, split=False)))

    def parsed(self) -> list[Sentence]:
        """Return the analysed segments with their trees."""
        return self.once("parsed", lambda texts: texts._parsed())

    def columns(self, *, parsed: bool = False) -> Columns:
        """Return the analysed segments as columns, without an object for each; with their trees if *parsed*.

        What the embedded analyser gives is kept on disk (see `touchstone.text.cache`).
        """
        return self.once(("columns", parsed), lambda texts: texts._columns(parsed))

    def _columns(self, parsed: bool) -> Columns:
        if isinstance(self.analyser, English):
            return cached_columns(self.analyser, self.present, parsed=parsed)
        sentences = self.parsed() if parsed else self.tagged()
        forms, tags = (StringLists.of(getattr(sentence, name) for sentence in sentences) for name in ("forms", "tags"))
        if not parsed:
            return Columns(forms, tags)
        heads = Ragged.of((sentence.heads for sentence in sentences), np.int64)
        return Columns(forms, tags, heads, StringLists.of(sentence.relations for sentence in sentences))

    def _parsed(self) -> list[Sentence]:
        """Return the parsed segments; those of the embedded analyser from its columns, so that none is parsed twice."""
        if isinstance(self.analyser, English):
            return self.analyser.sentences(self.present, self.columns(parsed=True))
        return self._analysed(partial(self.analyser.parse, split=False))

    def _analysed(self, analyse: Callable[[Sequence[str]], Iterator[Sentence]]) -> list[Sentence]:
        """Return the sentence of each segment; blank ones are not asked for, as given analyses lack them."""
        sentences = analyse([text for text in self.segments if text and not text.isspace()])
        return [next(sentences) if text and not text.isspace() else _NO_WORDS for text in self.segments]


def trees_of(columns: Columns) -> tuple[Ragged[np.int64], StringLists]:
    """Return the heads and the relations of parsed columns."""
    if columns.heads is None or columns.relations is None:
        raise ValueError("these columns are not parsed")
    return columns.heads, columns.relations
