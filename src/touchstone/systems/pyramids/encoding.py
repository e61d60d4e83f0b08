"""Features by a network: an encoder, which makes vectors of texts, or a reader of statements.

An encoder tells how near the words and the meaning of a unit and of a summary are. Every piece of a statement is
compared with the pieces of each sentence of the summary; its best cosine is its recall, and the pieces weigh as words
do in `features`. Vectors of whole texts are means of their pieces, compared as they are and after the mean statement of
the pyramid is taken away, which leaves what tells its units apart.

A reader says how probable it is that a summary supports a statement, as log odds.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, Union, runtime_checkable

import numpy as np

from touchstone.base.ragged import Floats, Ints
from touchstone.systems.pyramids.views import CONTENT, POWERS, STEM, WINDOWS, row_shares, windows
from touchstone.text import Sentence

if TYPE_CHECKING:
    from touchstone.neural.encoder import Encoder

FLOOR = 1e-3
"""The weight of a piece that belongs to no content word: it counts where there are no others."""

NAMES = (
    *(f"vector, {window}" for window in WINDOWS),
    *(f"centred vector, {window}" for window in WINDOWS),
    *(f"pieces, {window}{power}" for power in POWERS for window in WINDOWS),
)


@runtime_checkable
class StatementReader(Protocol):
    """What `touchstone.neural.claims.ClaimReader` is."""

    def log_odds(self, text: str, statements: Sequence[str]) -> Floats: ...  # noqa: D102


Network = Union["Encoder", StatementReader]


def network_names(network: Network | None) -> tuple[str, ...]:
    """Return the names of the features that a network adds."""
    if network is None:
        return ()
    return ("claim",) if isinstance(network, StatementReader) else NAMES


def network_columns(
    network: Network, sentences: Sequence[Sentence], unit: Ints, units: int
) -> "ReadStatements | EncodedStatements":
    """Return analysed statements, of which each states one of some units, as a network knows them."""
    if isinstance(network, StatementReader):
        return ReadStatements(network, sentences)
    return EncodedStatements(network, sentences, unit, units)


class ReadStatements:
    """The statements of a pyramid, read after a summary."""

    def __init__(self, reader: StatementReader, sentences: Sequence[Sentence]) -> None:
        self._reader = reader
        self._statements = [sentence.text for sentence in sentences]

    def columns(self, sentences: Sequence[Sentence]) -> list[Floats]:
        """Return the log odds of each statement."""
        if not sentences or not self._statements:
            return [np.zeros(len(self._statements))]
        return [self._reader.log_odds(" ".join(sentence.text for sentence in sentences), self._statements)]


class EncodedStatements:
    """The statements of a pyramid as vectors.

    Parameters
    ----------
    encoder
        Makes vectors of texts.
    sentences, unit
        The analysed statements, and the number of the unit that each states.
    units
        How many units there are.
    """

    def __init__(self, encoder: "Encoder", sentences: Sequence[Sentence], unit: Ints, units: int) -> None:
        self._encoder = encoder
        self._vector_cache: dict[str, tuple[Floats, Floats]] = {}
        self._starts: dict[str, tuple[int, ...]] = {}
        encoded = self._vectors([sentence.text for sentence in sentences])
        weights = _piece_weights(sentences, [self._starts[sentence.text] for sentence in sentences], unit, units)
        self.pieces = np.concatenate([np.zeros((0, encoder.width)), *(pieces for pieces, _ in encoded)])
        row = np.repeat(np.arange(len(encoded)), [len(pieces) for pieces, _ in encoded])
        column, shape = np.arange(len(row)), (len(encoded), len(row))
        self._weights = [row_shares(weights**power, row, column, shape) for power in POWERS.values()]
        self.vectors = _unit(np.array([total for _, total in encoded]).reshape(len(encoded), encoder.width))
        self._mean = self.vectors.mean(axis=0) if len(encoded) else np.zeros(encoder.width)

    def _vectors(self, texts: Sequence[str]) -> list[tuple[Floats, Floats]]:
        """Return the unit vectors of the pieces of each text, and the sum of its pieces; each text is encoded once."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vector_cache]
        for index, encoded in self._encoder.encode(new):
            pieces = np.asarray(encoded.pieces, np.float64)
            self._vector_cache[new[index]] = _unit(pieces), pieces.sum(axis=0)
            self._starts[new[index]] = encoded.starts
        return [self._vector_cache[text] for text in texts]

    def columns(self, sentences: Sequence[Sentence]) -> list[Floats]:
        """Return a column for each of the `NAMES`, a row for each statement."""
        if not sentences:
            return [np.zeros(len(self.vectors))] * len(NAMES)
        encoded = self._vectors([sentence.text for sentence in sentences])
        sums = np.array([total for _, total in encoded])
        two = sums[:-1] + sums[1:] if len(sums) > 1 else sums
        texts = [_unit(part) for part in (sums, two, sums.sum(axis=0, keepdims=True))]
        centred = _unit(self.vectors - self._mean)
        # A sentence without any piece has the least cosine there is.
        best = np.array([(self.pieces @ pieces.T).max(axis=1, initial=-1.0) for pieces, _ in encoded])
        return [
            *((self.vectors @ part.T).max(axis=1) for part in texts),
            *((centred @ _unit(part - self._mean).T).max(axis=1) for part in texts),
            *(np.asarray(weights @ part.T).max(axis=1) for weights in self._weights for part in windows(best)),
        ]


def _unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9))


def _piece_weights(sentences: Sequence[Sentence], starts: Sequence[Sequence[int]], unit: Ints, units: int) -> Floats:
    """Return the weight of each piece: log(1 + n / df) of the stem of its content word."""
    having: dict[str, set[int]] = {}
    for sentence, number in zip(sentences, unit.tolist(), strict=True):
        for lemma in sentence.lemmas:
            having.setdefault(lemma.lower()[:STEM], set()).add(number)
    weights = []
    for sentence, piece_starts in zip(sentences, starts, strict=True):
        words = np.searchsorted(sentence.starts, piece_starts, side="right") - 1
        weights += [
            float(np.log1p(units / len(having[sentence.lemmas[word].lower()[:STEM]])))
            if sentence.upos[word] in CONTENT
            else FLOOR
            for word in np.maximum(words, 0)
        ]
    return np.array(weights)
