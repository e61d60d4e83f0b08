"""The data of the pyramid method: model summaries, content units with weights, and annotated peers.

A `Pyramid` is the gold of one document set; an `Annotation` is one peer summary, read against it by one annotator.
Both keep the content of their files in its order: problems are reported, never repaired.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import Source
from touchstone.base.spelling import setting
from touchstone.core.gold import Gold
from touchstone.io.jsonl import Json

NO_UNIT = "0"
"""The uid under which an annotation lists what matches no unit of the pyramid."""

AUTOMATIC, PROBABILITY = "automatic", "probability"
"""The attribute that marks an annotation as a machine's, with its signature, and that of a unit's probability."""


@dataclass(frozen=True)
class Stray:
    """An element of a file that this format does not know, at its place among its parent's children."""

    at: int
    tag: str
    attributes: Mapping[str, str]
    text: str
    children: tuple["Stray", ...] = ()


@dataclass(frozen=True)
class Extra:
    """What a file holds beyond this format, carried so that writing loses nothing."""

    attributes: Mapping[str, str] = field(default_factory=dict)
    elements: tuple[Stray, ...] = ()
    keys: Mapping[str, Json] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.attributes or self.elements or self.keys)


NOTHING = Extra()


@dataclass(frozen=True)
class Part:
    """A span ``[start, end)`` of a text, in code points, and the words that its file gives for it."""

    label: str
    start: int
    end: int
    extra: Extra = field(default=NOTHING, repr=False)


@dataclass(frozen=True)
class Contributor:
    """One expression of a unit in one summary; its parts need not touch, and are kept in the file's order."""

    label: str
    parts: tuple[Part, ...]
    comment: str | None = None
    extra: Extra = field(default=NOTHING, repr=False)

    @property
    def in_order(self) -> tuple[Part, ...]:
        """The parts as the text has them."""
        return tuple(sorted(self.parts, key=lambda part: (part.start, part.end)))


@dataclass(frozen=True)
class Unit:
    """A content unit (SCU): a statement, and the places that express it.

    In a pyramid the places are in the model summaries, and their number is the unit's weight. In an annotation they
    are in the peer, and there may be none.
    """

    uid: str
    label: str
    contributors: tuple[Contributor, ...]
    comment: str | None = None
    extra: Extra = field(default=NOTHING, repr=False)

    @property
    def weight(self) -> int:
        """How many contributors the unit has, counted as they are stored."""
        return len(self.contributors)


@dataclass(frozen=True)
class Summary:
    """A model summary: the span of the pyramid's text that holds it, without its header."""

    id: str
    start: int
    end: int


@dataclass(frozen=True)
class Pyramid:
    """The content units of a document set, and the model summaries that they were found in.

    *models* is the number of summaries where it is given; by default the summaries are counted.

    Examples
    --------
    >>> cats = Contributor("Cats sleep", (Part("Cats sleep", 21, 31),))
    >>> lines = ("---", "S1.M.100.A.A", "---", "Cats sleep.")
    >>> pyramid = Pyramid("S1", lines, (Summary("S1.M.100.A.A", 21, 32),), (Unit("1", "Cats sleep", (cats,)),))
    >>> pyramid.text[21:31], pyramid.n, pyramid.total, pyramid.average
    ('Cats sleep', 1, 1, 1)
    """

    set: str
    lines: tuple[str, ...]
    summaries: tuple[Summary, ...]
    units: tuple[Unit, ...]
    header: str | None = None
    models: int | None = None
    extra: Extra = field(default=NOTHING, repr=False)
    source: Source | None = field(default=None, compare=False, repr=False)

    @cached_property
    def text(self) -> str:
        """The text that the offsets of the parts count in."""
        return "\n".join(self.lines)

    @cached_property
    def by_uid(self) -> dict[str, Unit]:
        """The units by their uids."""
        return {unit.uid: unit for unit in self.units}

    @cached_property
    def gold(self) -> Gold:
        """The units as human answers: each uid weighs as many as the models that express it."""
        return Gold({unit.uid: unit.weight for unit in self.units})

    @cached_property
    def tiers(self) -> dict[int, tuple[Unit, ...]]:
        """The units of each weight, heaviest first; weights that no unit has are left out."""
        weights = sorted({unit.weight for unit in self.units}, reverse=True)
        return {weight: tuple(u for u in self.units if u.weight == weight) for weight in weights}

    @property
    def n(self) -> int:
        """The number of model summaries; never assumed."""
        if self.models is not None:
            return self.models
        if not self.summaries:
            what = f"no model summary was found in the pyramid of {self.set or 'this file'}"
            hint = f"say how many there are with {setting('models', 'N')}"
            raise TouchstoneError(what, code=Code.OPTION_NEEDED, hint=hint)
        return len(self.summaries)

    @property
    def total(self) -> int:
        """S, the sum of all weights."""
        return sum(unit.weight for unit in self.units)

    @property
    def average(self) -> int:
        """X, the mean number of units in a model summary: S/n rounded half up, in integers."""
        return average_units(self.total, self.n)

    @property
    def mean_weight(self) -> float:
        """S over the number of units."""
        return self.total / len(self.units)

    def summary_at(self, offset: int) -> Summary | None:
        """Return the summary that holds the code point at *offset*; None in a header, or outside the text."""
        index = bisect_right(self.summaries, offset, key=lambda summary: summary.start) - 1
        if index < 0 or offset >= self.summaries[index].end:
            return None
        return self.summaries[index]


def average_units(total: int, models: int) -> int:
    """Return X = total/models rounded half up; Python's own ``round`` would give 2 for 2.5.

    >>> average_units(10, 4), average_units(9, 4)
    (3, 2)
    """
    # total / models rounded half up, in whole numbers: round() takes halves to the even number.
    average = (2 * total + models) // (2 * models)
    if not average:
        what = f"a pyramid of total weight {total:,} from {models:,} models is too small to be scored against"
        raise TouchstoneError(what, code=Code.TOO_FEW)
    return average


@dataclass(frozen=True)
class Annotation:
    """A peer summary with the units that one annotator marked in it; (set, peer, annotator) is its identity.

    *units* are the entries of the file in its order: each unit of the pyramid, expressed or not, and under uid 0 what
    matches none. Their labels carry the weight as "(4) "; the weight that counts is the pyramid's.
    """

    set: str
    peer: str
    annotator: str
    lines: tuple[str, ...]
    pyramid: Pyramid
    units: tuple[Unit, ...]
    extra: Extra = field(default=NOTHING, repr=False)
    file_extra: Extra = field(default=NOTHING, repr=False)
    source: Source | None = field(default=None, compare=False, repr=False)

    @cached_property
    def text(self) -> str:
        """The peer summary, which the offsets of the entries count in."""
        return "\n".join(self.lines)

    @property
    def file(self) -> str | None:
        """The name of the file that it was read from."""
        return self.source.name if self.source else None

    @property
    def system(self) -> str:
        """The name of the peer without leading zeros: 01 and 1 are the same peer."""
        return unpadded(self.peer)

    @property
    def automatic(self) -> str | None:
        """The signature of the machine that made the annotation; None if a person did."""
        return self.extra.attributes.get(AUTOMATIC)

    @cached_property
    def probabilities(self) -> dict[str, float]:
        """The probability of each unit, uid 0 left out, where a machine gave them."""
        texts = {unit.uid: unit.extra.attributes.get(PROBABILITY) for unit in self.units if unit.uid != NO_UNIT}
        return {uid: _share(text, uid, self.file) for uid, text in texts.items() if text is not None}

    def unmarked(self) -> "Annotation":
        """Return the annotation without the marks of a machine, as a person's own."""
        units = [replace(unit, extra=_without(unit.extra, PROBABILITY)) for unit in self.units]
        return replace(self, units=tuple(units), extra=_without(self.extra, AUTOMATIC))

    @cached_property
    def counts(self) -> Counter[str]:
        """How often the peer expresses each unit that it expresses, uid 0 left out."""
        return Counter({uid: times for uid, times in self._times.items() if uid != NO_UNIT and times})

    @property
    def repeats(self) -> int:
        """r, the contributors beyond the first of each unit."""
        return self.counts.total() - len(self.counts)

    @property
    def unmatched(self) -> int:
        """z, the contributors under uid 0."""
        return self._times[NO_UNIT]

    @cached_property
    def _times(self) -> Counter[str]:
        times: Counter[str] = Counter()
        for unit in self.units:
            times[unit.uid] += len(unit.contributors)
        return times


def _share(text: str, uid: str, file: str | None) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        what = f"the probability of unit {uid} is no number from 0 to 1"
        raise TouchstoneError(what, file=file, value=text, code=Code.OUT_OF_RANGE)
    return value


def _without(extra: Extra, name: str) -> Extra:
    return replace(extra, attributes={key: value for key, value in extra.attributes.items() if key != name})


def unpadded(peer: str) -> str:
    """Return a peer's id without leading zeros, where it is all digits; a file name may have them and a table not.

    >>> unpadded("08"), unpadded("00"), unpadded("A08")
    ('8', '0', 'A08')
    """
    return (peer.lstrip("0") or "0") if peer.isascii() and peer.isdigit() else peer
