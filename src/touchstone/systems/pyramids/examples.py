"""Summaries whose content units people have decided on: what a matcher is trained on, and evaluated on."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Floats
from touchstone.core.scoring import Progress
from touchstone.io.text import read_text
from touchstone.systems.pyramids.encoding import Network
from touchstone.systems.pyramids.features import StatedUnits
from touchstone.tasks.pyramid.decisions import Decision
from touchstone.tasks.pyramid.formats import read_all
from touchstone.tasks.pyramid.joining import unit_counts
from touchstone.tasks.pyramid.measures import modified
from touchstone.tasks.pyramid.model import NO_UNIT, Annotation, Pyramid, Unit
from touchstone.tasks.pyramid.presence import is_presence, read_presence

TAGS = re.compile("</?t>")
"""Marks of sentences in the references of REALSumm."""


@dataclass(frozen=True, eq=False)
class DecidedSet:
    """A document set: its content units, and some peers with the units that people found in each.

    Parameters
    ----------
    set
        The name of the document set.
    statements
        For each unit, the texts that state it.
    credit
        For each unit, what it adds to the score of a summary: its weight over the optimum.
    peers, texts
        The names of the peers, and their summaries.
    present
        Peers by units: 1 where the summary expresses the unit, 0 where not.
    targets
        The share of readers who found the unit; *present* where there was one reader.
    models
        The model summaries, where they are known.
    encoder
        A network that adds features.
    """

    set: str
    statements: Sequence[Sequence[str]]
    credit: Floats
    peers: Sequence[str]
    texts: Sequence[str]
    present: Floats
    targets: Floats
    models: Sequence[str] = ()
    encoder: Network | None = None

    @cached_property
    def rows(self) -> Floats:
        """The features of each decision: peers by units by features."""
        units = StatedUnits(self.statements, self.encoder)
        return np.array([units.features(text) for text in self.texts])

    @property
    def scores(self) -> Floats:
        """The score of each peer by people."""
        return self.present @ self.credit


def compute_rows(sets: Sequence[DecidedSet], progress: Progress) -> None:
    """Compute the features of all sets, which are kept; *progress* is told how many are done."""
    for done, decided in enumerate(sets):
        progress(done, len(sets))
        _ = decided.rows


def statements(unit: Unit) -> list[str]:
    """Return the texts that state a unit: its label, and the words of each contributor."""
    return [unit.label, *(" ".join(part.label for part in contributor.in_order) for contributor in unit.contributors)]


def content_units(pyramid: Pyramid) -> list[Unit]:
    """Return the units of a pyramid; what matches none is no unit."""
    return [unit for unit in pyramid.units if unit.uid != NO_UNIT]


def unit_credit(pyramid: Pyramid) -> Floats:
    """Return what each unit adds to the modified score: its weight over the optimum of X units."""
    weights = np.array([unit.weight for unit in content_units(pyramid)], np.float64)
    return weights / pyramid.gold.optimum(pyramid.average)


def read_decided(paths: Sequence[str | Path]) -> tuple[list[DecidedSet], list[str]]:
    """Read annotated peers (.pan, .json, folders), or a tidy folder with decisions and summaries; return notes too."""
    if len(paths) == 1 and is_presence(paths[0]):
        return _from_presence(Path(paths[0])), []
    annotations = [thing for thing in read_all(paths) if isinstance(thing, Annotation)]
    return from_annotations(annotations)


def from_annotations(annotations: Sequence[Annotation]) -> tuple[list[DecidedSet], list[str]]:
    """Return the document sets of annotations; of several annotators of a summary the first by name counts."""
    first: dict[tuple[str, str], Annotation] = {}
    total = 0
    machine = [annotation for annotation in annotations if annotation.automatic is not None]
    if machine:
        hint = "a matcher learns from people and is judged by people: give their annotations"
        raise TouchstoneError("an automatic annotation", file=machine[0].file, code=Code.UNSUPPORTED, hint=hint)
    for annotation in sorted(annotations, key=lambda annotation: annotation.annotator):
        total += 1
        first.setdefault((annotation.set, annotation.system), annotation)
    groups: dict[tuple[str, tuple[str, ...]], list[Annotation]] = {}
    for annotation in first.values():
        # Annotations of one document set may be of several pyramids: only those over the same units go together.
        uids = sorted(unit.uid for unit in content_units(annotation.pyramid))
        groups.setdefault((annotation.set, tuple(uids)), []).append(annotation)
    left_out = total - len(first)
    notes = [f"summaries have several annotators, of whom the first by name counts: {left_out:,} left out"]
    return [_decided(group) for _, group in sorted(groups.items())], notes if left_out else []


def _decided(group: Sequence[Annotation]) -> DecidedSet:
    pyramid = group[0].pyramid
    units = content_units(pyramid)
    present = np.array([[float(unit.uid in annotation.counts) for unit in units] for annotation in group])
    for annotation in group:
        _ = modified(unit_counts(annotation))  # refuses what cannot be scored, by its file
    return DecidedSet(
        group[0].set,
        [statements(unit) for unit in units],
        unit_credit(pyramid),
        [annotation.system for annotation in group],
        [annotation.text for annotation in group],
        present,
        present,
        [pyramid.text[summary.start : summary.end] for summary in pyramid.summaries],
    )


def _from_presence(folder: Path) -> list[DecidedSet]:
    """Read a tidy folder of presence: decisions, ``summaries/SYSTEM.summary``, and references.txt where it is there."""
    if not (folder / "summaries").is_dir():
        hint = "a tidy folder has summaries/SYSTEM.summary beside labels/; or give annotations (.pan)"
        raise TouchstoneError("presence without the texts of summaries", file=str(folder), code=Code.NO_FILE, hint=hint)
    ids = read_text(folder / "ids.txt")[0].split()
    references = _lines(folder / "references.txt", len(ids)) if (folder / "references.txt").is_file() else None
    decisions: dict[str, dict[str, list[Decision]]] = {}
    for decision in _with_votes(folder):
        decisions.setdefault(decision.item, {}).setdefault(decision.system, []).append(decision)
    texts = {
        system: _lines(folder / "summaries" / f"{system}.summary", len(ids))
        for system in sorted({system for systems in decisions.values() for system in systems})
    }
    sets = []
    for line, item in enumerate(ids):
        systems = decisions[item]
        units = next(iter(systems.values()))
        present = np.array([[float(decision.present) for decision in row] for row in systems.values()])
        votes = np.array(
            [[np.mean(decision.votes or [decision.present]) for decision in row] for row in systems.values()]
        )
        summaries = [texts[system][line] for system in systems]
        models = [TAGS.sub(" ", references[line])] if references else []
        shares = np.full(len(units), 1 / len(units))
        labels = [[decision.label] for decision in units]
        sets.append(DecidedSet(item, labels, shares, list(systems), summaries, present, votes, models))
    return sets


def _with_votes(folder: Path) -> Sequence[Decision]:
    """Return the decisions of a tidy folder, with the votes of the files beside it where they are there."""
    decisions = read_presence(folder).decisions
    files = sorted(folder.parent.glob("annotations/*/*.csv"))
    if not files:
        return decisions
    votes = {(decision.item, decision.system, decision.scu): decision for decision in read_presence(*files).decisions}
    return [votes.get((decision.item, decision.system, decision.scu), decision) for decision in decisions]


def _lines(path: Path, count: int) -> list[str]:
    lines = read_text(path)[0].split("\n")
    lines = lines[:-1] if lines and not lines[-1] else lines
    if len(lines) != count:
        raise TouchstoneError(f"{len(lines):,} lines, where ids.txt has {count:,}", file=str(path), code=Code.MISMATCH)
    return lines
