"""How well words fit a text in place of one of its words: how probable they make it, how near they are in meaning."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from touchstone.neural.causal import Causal
    from touchstone.neural.encoder import Encoder

FITS = ("sentence", "named", "meaning")
"""The numbers of each form: log P(form, rest of the text | text before) and log P(name | cue) by a language model, and
the cosine of the form in the text and the word in the text by an encoder."""

CUE = '{text}\nIn this sentence, "{word}" means "'
"""What a language model is shown to make it name a word; a closing quotation mark ends the name."""

_CONTEXT = 200
"""Characters that the language model reads on either side of the place: some fifty pieces, a long sentence."""
_AFTER = 5
"""Pieces after a form whose probability counts: further ones depend little on it and take time."""
_NEAR = 60
"""Characters that the encoder reads on either side."""

Rows = NDArray[np.float32]


@dataclass(frozen=True)
class Cloze:
    """A word in a text, and what may replace it: *forms* as they would appear, *names* as dictionaries list them."""

    left: str
    word: str
    right: str
    forms: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def near(self) -> tuple[str, str]:
        """The text before and after the word, as far as it is looked at."""
        return self.left[-_CONTEXT:].lstrip(), self.right[:_CONTEXT].rstrip()


def fits(cloze: Cloze, causal: "Causal", encoder: "Encoder") -> Rows:
    """Return the `FITS` of the forms of a word, one row per form.

    The text is read once: what the language model says about a form in the text and about its name both use it.

    Parameters
    ----------
    cloze
        A word in its text, with the forms that may replace it.
    causal, encoder
        The networks.
    """
    left, right = cloze.near
    before = left.rstrip()
    gap, head = left[len(before) :], causal.encode(before)
    # The cue follows the text, so that one reading serves both: the forms in the text, and the names after it.
    cue = causal.encode(CUE.format(text=f"{gap}{cloze.word}{right}", word=cloze.word))
    read = causal.read([*head, *cue])
    after = causal.encode(right)[:_AFTER]
    in_context = causal.continuations(
        read.up_to(1 + len(head)), [[*causal.encode(gap + form), *after] for form in cloze.forms]
    )
    named = causal.continuations(read, [causal.encode(f'{name}"') for name in cloze.names])
    columns = [[float(row.sum()) for row in rows] for rows in (in_context, named)]
    return np.column_stack([*columns, _cosines(cloze, encoder)]).astype(np.float32)


def _cosines(cloze: Cloze, encoder: "Encoder") -> Rows:
    """Return the cosine of each form in the text with the word that is there."""
    left, right = cloze.left[-_NEAR:], cloze.right[:_NEAR]
    forms = (cloze.word, *cloze.forms)
    units = np.zeros((len(forms), encoder.width), np.float32)
    for number, encoded in encoder.encode([f"{left}{form}{right}" for form in forms]):
        units[number] = encoded.span(len(left), len(left) + len(forms[number]))
    return np.asarray(units[1:] @ units[0], np.float32)
