"""How well other words fit the place of a word in a text: how probable they make it, how near they are in meaning."""

from collections.abc import Sequence
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

_CONTEXT = 400
"""Characters kept on either side of the place: some hundred pieces, more than most sentences have."""

Rows = NDArray[np.float32]


@dataclass(frozen=True)
class Place:
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


def fits(places: Sequence[Place], causal: "Causal", encoder: "Encoder", *, tokens: int = 4096) -> list[Rows]:
    """Return the `FITS` of the forms of each place, one row per form.

    Parameters
    ----------
    places
        Words in their texts, with the forms that may replace them.
    causal, encoder
        The networks.
    tokens
        About how many pieces are computed together.
    """
    in_place = _tails([_in_place(place, form) for place in places for form in place.forms], causal, tokens)
    named = _tails([_named(place, name) for place in places for name in place.names], causal, tokens)
    rows = np.stack([in_place, named, _cosines(places, encoder, tokens)], axis=1)
    ends = np.cumsum([len(place.forms) for place in places])
    return np.split(rows, ends[:-1]) if len(ends) else []


def _in_place(place: Place, form: str) -> tuple[str, str]:
    left, right = place.near
    kept = left.rstrip()
    return kept, f"{left[len(kept) :]}{form}{right}"


def _named(place: Place, name: str) -> tuple[str, str]:
    left, right = place.near
    return CUE.format(text=f"{left}{place.word}{right}", word=place.word), f'{name}"'


def _tails(texts: Sequence[tuple[str, str]], causal: "Causal", tokens: int) -> Rows:
    """Return the log probability of the second part of each text after the first."""
    cut = [(causal.encode(head), causal.encode(tail)) for head, tail in texts]
    sequences = [[causal.start, *head, *tail] for head, tail in cut]
    found = np.zeros(len(texts), np.float32)
    for number, row in causal.log_probabilities(sequences, tokens=tokens):
        found[number] = row[len(cut[number][0]) :].sum()
    return found


def _cosines(places: Sequence[Place], encoder: "Encoder", tokens: int) -> Rows:
    """Return the cosine of each form in the text with the word that is there."""
    texts = [(*place.near, form) for place in places for form in (place.word, *place.forms)]
    units = np.zeros((len(texts), encoder.width), np.float32)
    for number, encoded in encoder.encode([f"{left}{form}{right}" for left, right, form in texts], tokens=tokens):
        left, _, form = texts[number]
        units[number] = encoded.span(len(left), len(left) + len(form))
    ends = np.cumsum([1 + len(place.forms) for place in places])
    cosines = [rows[1:] @ rows[0] for rows in np.split(units, ends[:-1])] if places else []
    return np.concatenate([np.zeros(0, np.float32), *cosines])
