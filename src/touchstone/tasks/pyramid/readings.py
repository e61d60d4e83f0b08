"""What one person made of some summaries, and whether two people give the same summaries the same scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, refuse
from touchstone.base.tables import Cell, Column, Table, counted, number
from touchstone.core.resampling import Resampling, interval_heading, interval_text
from touchstone.show.finding import Finding, Statement, kind_rows
from touchstone.stats.correlation import Correlation, CorrelationName, correlate
from touchstone.tasks.pyramid.formats import read_all
from touchstone.tasks.pyramid.joining import UnitCounts, digest
from touchstone.tasks.pyramid.measures import modified
from touchstone.tasks.pyramid.model import Annotation, Pyramid

Pairs = Sequence[tuple[UnitCounts, UnitCounts]]
"""Summaries, each as the first and the second person read it."""

NAMES: tuple[CorrelationName, ...] = ("pearson", "spearman", "kendall")

SUMMARY = "peer summary"
"""What an item is called where two annotators scored it."""

FEWEST = 3
"""Two points always lie on a line."""


@dataclass(frozen=True)
class Reading:
    """What one person made: annotations of peers, by set and peer, and pyramids, by set."""

    name: str
    annotations: Mapping[tuple[str, str], Annotation]
    pyramids: Mapping[str, Pyramid]

    def __str__(self) -> str:
        sources = [annotation.source for annotation in self.annotations.values()]
        sources += [pyramid.source for pyramid in self.pyramids.values()]
        return f"{self.name}#{digest(source.digest for source in sources if source)}"


def read_reading(path: str | Path, *, models: int | None = None) -> Reading:
    """Read what one person made.

    Parameters
    ----------
    path
        A file, or a folder of .pan, .json and .pyr files.
    models
        The number of model summaries; by default the headers in the files are counted.

    Examples
    --------
    >>> import touchstone
    >>> read_reading(Path(touchstone.__file__).parent / "examples" / "pyramid").annotations.keys()
    dict_keys([('T01', 'heron'), ('T01', 'magpie'), ('T01', 'sparrow')])
    """
    return reading(Path(path).name, read_all([path], models=models))


def reading(name: str, things: Sequence[Annotation | Pyramid]) -> Reading:
    """Return *things* as the work of one person; refuse the same peer twice.

    Parameters
    ----------
    name
        The name of the person.
    things
        Annotations and pyramids.

    Examples
    --------
    >>> import touchstone
    >>> folder = Path(touchstone.__file__).parent / "examples" / "pyramid"
    >>> reading("eve", read_all([folder])).pyramids.keys()
    dict_keys(['T01'])
    """
    annotations: dict[tuple[str, str], Annotation] = {}
    pyramids: dict[str, Pyramid] = {}
    faults = []
    for thing in things:
        if isinstance(thing, Pyramid):
            pyramids[thing.set] = thing
            continue
        key = (thing.set, thing.system)
        if key in annotations or not (thing.set and thing.peer):
            what = f"set {thing.set or '?'}, peer {thing.system or '?'}: also annotated in another file"
            faults.append(Fault(what, thing.file, code=Code.DUPLICATE_ID))
        annotations[key] = thing
        pyramids.setdefault(thing.set, thing.pyramid)
    refuse(faults, "give each annotator a folder, and name files annotator.set.M.250.selector.peer.pan")
    return Reading(name, annotations, pyramids)


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Finding):
    """What two annotators score the same summaries: their modified scores, and how these go together."""

    annotators: tuple[str, str]
    names: tuple[str, ...]
    first: tuple[float, ...]
    second: tuple[float, ...]
    correlations: tuple[Correlation, ...]

    @property
    def gaps(self) -> list[float]:
        """How far apart the two scores of each summary are."""
        return [abs(a - b) for a, b in zip(self.first, self.second, strict=True)]

    def table(self) -> Table:
        """Return the correlations, the mean of each annotator, and the summary on which they are farthest apart."""
        widest = int(np.argmax(self.gaps))
        rows: list[list[Cell]] = [
            [correlation.name, correlation.value, interval_text(correlation.interval.low, correlation.interval.high)]
            for correlation in self.correlations
        ]
        rows += [
            [f"mean, {self.annotators[0]}", number(float(np.mean(self.first)), 4), ""],
            [f"mean, {self.annotators[1]}", number(float(np.mean(self.second)), 4), ""],
            [f"largest gap ({self.names[widest]})", number(self.gaps[widest], 4), ""],
        ]
        columns = (
            Column("pyramid.modified"),
            Column("value", "right"),
            Column(interval_heading(self.correlations[0].interval.level), "right"),
        )
        notes = [f"{correlation.name}: {correlation.note}" for correlation in self.correlations if correlation.note]
        return Table(
            columns, rows, f"Do the two give the same scores? {counted(len(self.names), 'summary')}", notes, rules={3}
        )

    def statement(self) -> Statement:
        """Return the correlations, and the two scores of each summary."""
        correlations: list[dict[str, object]] = [
            {
                "judgement": "modified score",
                "measure": correlation.name,
                "unit": SUMMARY,
                "value": correlation.value,
                "low": correlation.interval.low,
                "high": correlation.interval.high,
                "n": correlation.n,
                "compared": 2 * correlation.n,
                "left_out": correlation.left_out,
                "reason": correlation.reason,
            }
            for correlation in self.correlations
        ]
        scores = [
            {"summary": name, "first": first, "second": second}
            for name, first, second in zip(self.names, self.first, self.second, strict=True)
        ]
        return Statement(
            "Scores", [self.table()], [*kind_rows("coefficient", correlations), *kind_rows("score", scores)]
        )


def score_agreement(pairs: Pairs, annotators: tuple[str, str], resampling: Resampling) -> Scores:
    """Return the modified scores that two annotators give the same summaries, and their correlations."""
    first, second = (tuple(map(modified, side)) for side in zip(*pairs, strict=True))
    several = len({peer.set for peer, _ in pairs}) > 1
    names = tuple(f"{peer.set}, {peer.system}" if several else peer.system for peer, _ in pairs)
    draws, seed, level = resampling.draws, resampling.seed, resampling.level
    correlations = tuple(correlate(first, second, name, draws=draws, seed=seed, level=level) for name in NAMES)
    return Scores(annotators, names, first, second, correlations)
