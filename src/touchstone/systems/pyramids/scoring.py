"""Peers that nobody annotated, scored: a pyramid and texts become automatic annotations and their scores."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from touchstone import __version__
from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, nearest
from touchstone.base.signature import content_digest
from touchstone.base.tables import Cell, Column, Table, counted, number
from touchstone.core.scoring import Progress
from touchstone.io.writing import make_folder
from touchstone.lexicon import wordnet
from touchstone.show.finding import Finding, Statement
from touchstone.systems.pyramids.matcher import ANNOTATOR, Matcher, PreparedPyramid
from touchstone.systems.pyramids.units import NOTE
from touchstone.systems.pyramids.views import parse_summary, words
from touchstone.tasks.pyramid.formats import UNKNOWN, identity_of, read_all, write
from touchstone.tasks.pyramid.formats.plain import read_texts
from touchstone.tasks.pyramid.joining import natural, unit_counts
from touchstone.tasks.pyramid.measures import MODIFIED, SOFT, modified, soft
from touchstone.tasks.pyramid.model import Annotation, Pyramid, unpadded

LEAST_IN_WORDNET = 0.6
"""The share of words in WordNet below which a text may not be English: summaries of DUC 2006 have .8 and more."""

FEWEST_WORDS = 10
"""Words from which the language of a text is judged."""


@dataclass(frozen=True)
class Peer:
    """A summary to be matched: its document set, the name of its system, its text and its file, if it has one."""

    set: str
    name: str
    text: str
    file: str = ""


WARNING = "A machine made these scores, and nobody has read the summaries: annotate some of them to see what the \
scores are worth on your data (touchstone pyramid estimate joins both)."


@dataclass(frozen=True, eq=False, repr=False)
class AutomaticScores(Finding):
    """Automatic annotations of some peers, and what to know about them."""

    annotations: Sequence[Annotation]
    signature: Mapping[str, str]
    notes: Sequence[str] = ()

    @cached_property
    def means(self) -> dict[str, tuple[float, float]]:
        """The mean soft and the mean hard score of each peer, the highest first."""
        scores: dict[str, list[tuple[float, float]]] = {}
        for annotation in self.annotations:
            counts = unit_counts(annotation)
            scores.setdefault(annotation.peer, []).append((soft(counts), modified(counts)))
        means = {peer: tuple(np.mean(values, axis=0).tolist()) for peer, values in scores.items()}
        return dict(sorted(means.items(), key=lambda item: -item[1][0]))

    def table(self) -> Table:
        """Return the soft and the hard score of each peer, and the number of units that it probably expresses."""
        rows: list[list[Cell]] = []
        for annotation in self.annotations:
            counts = unit_counts(annotation)
            sizes = len(annotation.counts), len(annotation.pyramid.units)
            rows.append([annotation.set, annotation.peer, soft(counts), modified(counts), *sizes])
        heads = (SOFT, f"{MODIFIED} (hard)", "units expressed", "units")
        columns = [Column("set"), Column("peer"), *(Column(head, "right") for head in heads)]
        return Table(columns, rows, "Automatic scores")

    def sentences(self) -> list[str]:
        """Return which peer has the highest mean score, and that a machine made the scores."""
        best, (value, _) = next(iter(self.means.items()))
        rank_and_value = (
            f"highest of {counted(len(self.means), 'peer')}: {number(value)}" if len(self.means) > 1 else number(value)
        )
        return [f"Peer {best} scores {rank_and_value} of {SOFT}.", WARNING]

    def statement(self) -> Statement:
        """Return the scores, and each unit's probability, decision and support; the report marks the support."""
        from touchstone.systems.pyramids.report import scores_sections

        sets = {annotation.set for annotation in self.annotations}
        return Statement(
            "Automatic pyramid scores",
            [self.table()],
            [row for annotation in self.annotations for row in _rows(annotation)],
            self.sentences(),
            self.notes,
            self.signature,
            subtitle=f"{counted(len(self.annotations), 'summary')}, {counted(len(sets), 'document set')}",
            sections=lambda: scores_sections(self),
        )

    def write(self, folder: Path, form: str) -> list[Path]:
        """Write each annotation into *folder*, as .pan or .json, and return the files."""
        make_folder(folder)
        files = []
        for annotation in self.annotations:
            length = len(annotation.text.split())
            name = f"{ANNOTATOR}.{_slug(annotation.set)}.M.{length}.A.{_slug(annotation.peer)}.{form}"
            write(folder / name, annotation)
            files.append(folder / name)
        return files


def _rows(annotation: Annotation) -> Iterator[dict[str, object]]:
    """Yield the row of a peer, then those of its units."""
    counts = unit_counts(annotation)
    about = {"set": annotation.set, "peer": annotation.peer}
    scores = {SOFT: soft(counts), MODIFIED: modified(counts)}
    sizes = {"expressed": len(annotation.counts), "units": len(annotation.pyramid.units)}
    yield {"kind": "peer", **about, "automatic": annotation.automatic, **scores, **sizes}
    for unit in annotation.units:
        yield {
            "kind": "unit",
            **about,
            "uid": unit.uid,
            "weight": annotation.pyramid.by_uid[unit.uid].weight,
            "label": annotation.pyramid.by_uid[unit.uid].label,
            "probability": annotation.probabilities[unit.uid],
            "present": bool(unit.contributors),
            "support": [[part.start, part.end] for contributor in unit.contributors for part in contributor.parts],
        }


def _slug(name: str) -> str:
    """Return a name for the part of a file's name: without dots and separators."""
    return re.sub(r"[^\w-]+", "-", name) or "x"


def read_peers(paths: Sequence[str | Path], models: int | None = None) -> tuple[list[Pyramid], list[Peer]]:
    """Read pyramids and peers: texts, folders of texts, or annotations whose text alone is taken.

    The name of a text tells its document set and peer, as ``D0631.M.250.A.10.txt`` does; any other name is that of a
    peer of the only pyramid.

    Parameters
    ----------
    paths
        Pyramids and peers.
    models
        The number of model summaries of each pyramid; by default their headers are counted.
    """
    text_paths = [
        path for path in map(Path, paths) if path.suffix == ".txt" or (path.is_dir() and any(path.glob("*.txt")))
    ]
    things = read_all([path for path in map(Path, paths) if path not in text_paths], models=models)
    pyramids = [thing for thing in things if isinstance(thing, Pyramid)]
    annotations = [thing for thing in things if isinstance(thing, Annotation)]
    if not pyramids and annotations:
        pyramids = list({annotation.set: annotation.pyramid for annotation in annotations}.values())
    if not pyramids:
        hint = "give a .pyr file first, then the texts of peers"
        raise TouchstoneError("there is no pyramid", code=Code.EMPTY, hint=hint)
    peers = [
        Peer(annotation.set, annotation.peer, annotation.text, annotation.file or "") for annotation in annotations
    ]
    peers += [_peer(name, text, pyramids) for name, text in read_texts(text_paths).items()]
    return pyramids, peers


def _peer(name: str, text: str, pyramids: Sequence[Pyramid]) -> Peer:
    identity = identity_of(name)
    if identity != UNKNOWN:
        return Peer(identity[0], identity[1], text, name)
    if len(pyramids) == 1:
        return Peer(pyramids[0].set, Path(name).stem, text, name)
    hint = "name it SET.M.250.A.PEER.txt, or give the peers of one pyramid at a time"
    what = "the name of a peer does not tell its document set"
    raise TouchstoneError(what, file=name, code=Code.AMBIGUOUS, hint=hint)


def score_peers(
    pyramids: Sequence[Pyramid],
    peers: Sequence[Peer],
    matcher: Matcher,
    progress: Progress = lambda done, total: None,  # noqa: ARG005
) -> AutomaticScores:
    """Annotate peers automatically.

    Parameters
    ----------
    pyramids
        The pyramids, one for each document set.
    peers
        The summaries; of the same set and peer the first counts.
    matcher
        Gives the probabilities.
    progress
        Told how many peers are done.
    """
    by_set = _by_set(pyramids)
    # Reversed, so that of summaries with one name the first stays.
    distinct = {(peer.set, unpadded(peer.name)): peer for peer in reversed(peers)}
    ordered = sorted(distinct.values(), key=lambda peer: (natural(peer.set), natural(unpadded(peer.name))))
    _check(ordered, by_set)
    prepared: dict[str, PreparedPyramid] = {}
    annotations = []
    for done, peer in enumerate(ordered):
        progress(done, len(ordered))
        prepared_pyramid = prepared.setdefault(peer.set, prepared.get(peer.set) or matcher.prepare(by_set[peer.set]))
        annotations.append(prepared_pyramid.annotate(peer.text, peer.name, prepared_pyramid.match(peer.text)))
    notes = [*_remarks(ordered), *_silent(prepared.values()), *_drafts(pyramids)]
    doubles = len(peers) - len(distinct)
    notes += [f"summaries that were given twice, by set and peer, and count once: {doubles:,}"] if doubles else []
    signature = {
        "touchstone": __version__,
        "task": "pyramid auto",
        "gold": content_digest(pyramid=[_content(by_set[name]) for name in sorted(prepared)]),
        "systems": content_digest(peer=[[peer.set, peer.name, peer.text] for peer in ordered]),
        "auto": matcher.signature,
        "items": f"{counted(len(prepared), 'document set')}, {counted(len(ordered), 'summary')}",
    }
    return AutomaticScores(annotations, signature, notes)


def _content(pyramid: Pyramid) -> list[object]:
    """Return what automatic scores depend on in a pyramid: its summaries, and its units with their expressions."""
    units = [
        [
            unit.uid,
            unit.label,
            [
                [contributor.label, [[p.label, p.start, p.end] for p in contributor.in_order]]
                for contributor in unit.contributors
            ],
        ]
        for unit in pyramid.units
    ]
    return [pyramid.set, pyramid.n, list(pyramid.lines), units]


def _drafts(pyramids: Sequence[Pyramid]) -> list[str]:
    """Return a note on pyramids whose units are all as `draft` proposed them."""
    drafts = [
        pyramid.set for pyramid in pyramids if pyramid.units and all(unit.comment == NOTE for unit in pyramid.units)
    ]
    corrected = "their units are all automatic, and nobody has corrected them; scores depend on the draft"
    return [f"drafts of pyramids ({', '.join(drafts)}): {corrected}"] if drafts else []


def _by_set(pyramids: Sequence[Pyramid]) -> dict[str, Pyramid]:
    by_set = {pyramid.set: pyramid for pyramid in pyramids}
    if len(by_set) < len(pyramids):
        hint = "give one pyramid for each set"
        raise TouchstoneError("two pyramids of one document set", code=Code.DUPLICATE_NAME, hint=hint)
    for pyramid in pyramids:
        _ = pyramid.gold.optimum(pyramid.average)  # refuses a pyramid that is too small, or has no model
    return by_set


def _check(peers: Sequence[Peer], by_set: Mapping[str, Pyramid]) -> None:
    if not peers:
        hint = "give the texts of peers (.txt) after the pyramid"
        raise TouchstoneError("there is no peer", code=Code.EMPTY, hint=hint)
    faults = [
        Fault(
            "no pyramid of this document set",
            peer.file,
            value=peer.set,
            near=nearest(peer.set, list(by_set)),
            code=Code.UNKNOWN_NAME,
        )
        for peer in peers
        if peer.set not in by_set
    ]
    if faults:
        raise TouchstoneError.of(faults, "give its .pyr file too")


def _remarks(peers: Sequence[Peer]) -> Iterator[str]:
    """Yield notes on summaries that are empty, or do not look like English."""
    empty = [peer for peer in peers if not peer.text.strip()]
    if empty:
        yield f"empty summaries, which express nothing: {_listed(empty)}"
    foreign = [peer for peer in peers if peer.text.strip() and not looks_english(peer.text)]
    if foreign:
        yield f"summaries that do not look like English, whose scores mean nothing: {_listed(foreign)}"


def _listed(peers: Sequence[Peer]) -> str:
    examples = ", ".join(peer.file or peer.name for peer in peers[:3])
    return f"{examples}{' and others' * (len(peers) > 3)} ({len(peers):,})"


def looks_english(text: str) -> bool:
    """Return whether most of the words of a text that are no names are in WordNet; a few words are always enough.

    >>> looks_english("The court fined the firm five million dollars after a long trial in the old town hall.")
    True
    >>> looks_english("Das Gericht hat die Firma nach einem langen Verfahren zu einer hohen Strafe verurteilt.")
    False
    """
    lemmas = [word for sentence in parse_summary(text) for word in words(sentence) if word.isalpha()]
    if len(lemmas) < FEWEST_WORDS:
        return text.isascii() or len(lemmas) > 0
    return bool((wordnet().lemma_ids(lemmas) >= 0).mean() >= LEAST_IN_WORDNET)


def _silent(prepared: Iterable[PreparedPyramid]) -> Iterator[str]:
    """Yield a note on units without text."""
    silent = sum(int(pyramid.stated.silent.sum()) for pyramid in prepared)
    if silent:
        yield f"content units without any text, which no summary can be found to express: {silent:,}"
