"""What a measure is: a name, a record for each item, and a fold of records into a value.

A record holds the sufficient statistics of one item as numbers that may be added. The value of an item is the
fold of its own record, the value of a set of items the fold of their sum. So intervals, groups and tests need no
second pass over the text. The last number of a record is 1 if the item counts and 0 if it does not.
"""

import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import Generic, TypeVar

import numpy as np

from touchstone.errors import TouchstoneError, nearest
from touchstone.ragged import Floats
from touchstone.stats.records import Fold

Matched = TypeVar("Matched")
"""What the measures of a task look at: the answers of a system beside the gold."""


@dataclass(frozen=True)
class Measure(Generic[Matched]):
    """A measure under its canonical name, such as ``P(k=1)`` or ``rank@10``."""

    name: str
    record: Callable[[Matched], Floats] = field(repr=False)
    fold: Fold = field(repr=False)
    summary: str = field(default="", repr=False)
    empty: float = field(default=np.nan, repr=False)
    """The value of a set of items of which none counts."""

    def values(self, records: Floats) -> Floats:
        """Return the value of each item from its record; nan where the item does not count."""
        return self.fold(records)


def harmonic_mean(sums: Floats) -> Floats:
    """Fold (P, R, counts) into 2PR/(P + R) of the two averages; 0 if both are 0.

    >>> harmonic_mean(np.array([0.5, 1.0, 1.0])).item() == 2 / 3
    True
    """
    precision, recall = ratio(sums[..., 0], sums[..., 2]), ratio(sums[..., 1], sums[..., 2])
    both = precision + recall
    return np.where(both == 0, 0.0, ratio(2 * precision * recall, both))


def ratio(above: Floats, below: Floats) -> Floats:
    """Return ``above / below``, nan where *below* is 0."""
    quotient = np.full(np.broadcast(above, below).shape, np.nan)
    np.divide(above, below, out=quotient, where=below != 0)
    return quotient


Make = Callable[..., Measure[Matched]]


class Measures(Generic[Matched]):
    """The measures of a task by name.

    A name is looked up as ``family``, ``family@10`` or ``family(k=1)``: the family is a function from its
    parameters, given as strings, to a `Measure`. Other packages add families under the entry point group
    ``touchstone.measures.TASK``; an entry point loads such a function.
    """

    def __init__(self, task: str) -> None:
        self.task = task
        self._families: dict[str, Make[Matched]] = {}
        self._examples: dict[str, str] = {}
        self._plugins_seen = False

    def add(self, family: str, make: Make[Matched], example: str | None = None) -> None:
        """Let *make* answer to the name *family*; *example* is a whole name of it, for help and suggestions."""
        self._families[family] = make
        self._examples[family] = example or family

    @property
    def names(self) -> Iterable[str]:
        """A name of each family, as examples."""
        self._see_plugins()
        return self._examples.values()

    def find(self, name: str) -> Measure[Matched]:
        """Return the measure of that *name*; refuse unknown ones with the nearest known."""
        self._see_plugins()
        spoken = re.fullmatch(r"\s*([^@()\s]+)(?:(@)(\w+))?(?:\(([^()]*)\))?\s*", name)
        family = f"{spoken[1]}{spoken[2] or ''}" if spoken else name
        make = self._families.get(family)
        if spoken is None or make is None:
            near = nearest(name, self._examples.values())
            near = near or next((example for example in self._examples.values() if example.startswith(name)), None)
            raise TouchstoneError("unknown measure", value=name, near=near, hint=f"known: {', '.join(self.names)}")
        measure = _made(make, name, [spoken[3]] if spoken[3] else [], spoken[4] or "")
        if not measure.name.startswith(family):
            raise TouchstoneError(f"a measure registered as {family!r} gives itself another name", value=measure.name)
        return measure

    def find_all(self, names: Iterable[str]) -> tuple[Measure[Matched], ...]:
        """Return the measures of all *names*, each once."""
        return tuple({measure.name: measure for measure in map(self.find, names)}.values())

    def _see_plugins(self) -> None:
        if self._plugins_seen:
            return
        self._plugins_seen = True
        for point in entry_points(group=f"touchstone.measures.{self.task}"):
            whose = f"the package {point.dist.name if point.dist else point.module!r}"
            if point.name in self._families:
                raise TouchstoneError(f"{whose} brings a measure under a name that is taken", value=point.name)
            try:
                self.add(point.name, point.load())
            except Exception as error:  # whatever a foreign module does when it is imported
                hint = "mend or uninstall it"
                raise TouchstoneError(
                    f"{whose} brings a measure that fails ({error})", value=point.name, hint=hint
                ) from error


def _made(make: Make[Matched], name: str, positional: list[str], arguments: str) -> Measure[Matched]:
    """Call *make* with the parameters as they stand in a measure's name."""
    keywords: dict[str, str] = {}
    for argument in filter(None, (part.strip() for part in arguments.split(","))):
        key, equals, value = (part.strip() for part in argument.partition("="))
        if key in keywords:
            raise TouchstoneError("a parameter of a measure is given twice", value=name)
        if equals:
            keywords[key] = value
        else:
            positional = [*positional, argument]
    try:
        bound = inspect.signature(make).bind(*positional, **keywords)
    except TypeError as error:
        raise TouchstoneError(f"wrong parameters of a measure ({error})", value=name) from None
    return make(*bound.args, **bound.kwargs)


def whole_number(text: str, what: str, most: int = 1000) -> int:
    """Return *text* as a whole number from 1 to *most*, or refuse it.

    >>> whole_number("10", "depth")
    10
    """
    if not re.fullmatch(r"[1-9][0-9]{0,8}", text, re.ASCII) or int(text) > most:
        raise TouchstoneError(f"{what} must be a whole number from 1 to {most:,}", value=text)
    return int(text)
