"""Pairs as the models read them: tokens as numbers, and the labels that count as right."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Bools, Floats, Ragged
from touchstone.base.signature import content_digest
from touchstone.neural.pieces import WordPieces
from touchstone.systems.inference.tokens import as_written, tokenise
from touchstone.tasks.nli.labels import LABELS
from touchstone.tasks.nli.model import GoldSet, Pair

Numbers = npt.NDArray[np.int32]

RIGHT = {label: np.array([label == column for column in LABELS]) for label in LABELS} | {
    "not_entailment": np.array([column != "entailment" for column in LABELS])
}
"""Which of the three labels count as right for a gold label: in sets with two labels, two are not entailment."""

MARKS = ("[UNK]", "[CLS]", "[SEP]")
"""What an encoder has for an unknown word, for the begin of a text and for the end of a sentence.

In a model they are the rows that `touchstone.systems.inference.vocabulary` calls unknown, begin and end.
"""


@dataclass(frozen=True, eq=False)
class Texts:
    """Pairs of sentences as numbers of *forms*, the different tokens; form 0 is empty and fills gaps.

    *right* has a row for each pair and a column for each of `LABELS`: whether it is right, or a teacher's probability.
    """

    forms: Sequence[str]
    premise: Ragged[np.int32]
    hypothesis: Ragged[np.int32]
    right: Bools | Floats

    def __len__(self) -> int:
        return len(self.premise)

    @cached_property
    def digest(self) -> str:
        """The digest of all tokens and labels."""
        sizes = [*self.premise.sizes.tolist(), *self.hypothesis.sizes.tolist()]
        words = np.concatenate([self.premise.values, self.hypothesis.values])
        return content_digest(forms=self.forms, sizes=sizes, words=words, right=self.right)

    def take(self, rows: npt.NDArray[np.int64]) -> "Texts":
        """Return the pairs of these rows, over the same forms."""
        return Texts(self.forms, self.premise.take(rows), self.hypothesis.take(rows), self.right[rows])


def read_texts(pairs: Sequence[Pair], words_with_vectors: Collection[str]) -> Texts:
    """Return pairs as numbers; each different sentence is split once.

    Parameters
    ----------
    pairs
        Pairs with sentences. Those without a gold label have no right label.
    words_with_vectors
        The words with vectors: a token with hyphens that is not among them is split at these.

    Examples
    --------
    >>> texts = read_texts([Pair("1", "A jet-black dog", "A dog.", "entailment")], {"jet", "black", "dog"})
    >>> texts.forms, texts.hypothesis.values.tolist()
    (['', 'a', 'jet', 'black', 'dog', '.'], [1, 4, 5])
    """
    numbers: dict[str, int] = {"": 0}

    def number(sentence: str) -> list[int]:
        tokens = split_hyphens(tokenise(sentence), words_with_vectors)
        return [numbers.setdefault(token, len(numbers)) for token in tokens]

    premise, hypothesis = numbered(pairs, number)
    return Texts(list(numbers), premise, hypothesis, right_of(pairs))


def read_pieces(pairs: Sequence[Pair], encoder_pieces: Sequence[str]) -> Texts:
    """Return pairs as numbers of the pieces of words that an encoder knows.

    >>> texts = read_pieces([Pair("1", "Dogs!", "A cat", "neutral")], ["dog", "##s", "a", "!"])
    >>> texts.premise.values.tolist(), [texts.forms[row] for row in texts.hypothesis.values]
    ([4, 5, 7], ['a', '[UNK]'])
    """
    forms = ["", *MARKS, *encoder_pieces]
    pieces = WordPieces(forms)
    premise, hypothesis = numbered(pairs, lambda sentence: pieces.encode(as_written(sentence))[0])
    return Texts(forms, premise, hypothesis, right_of(pairs))


def numbered(pairs: Sequence[Pair], number: Callable[[str], list[int]]) -> tuple[Ragged[np.int32], Ragged[np.int32]]:
    """Return premises and hypotheses as numbers; each different sentence is split once."""
    split = cache(number)
    premise, hypothesis = (
        Ragged.of(map(split, side), np.int32)
        for side in ([pair.premise for pair in pairs], [pair.hypothesis for pair in pairs])
    )
    return premise, hypothesis


def right_of(pairs: Sequence[Pair]) -> Bools:
    """Return which labels count as right for each pair; none for a pair without a gold label."""
    nothing = np.zeros(len(LABELS), bool)
    return np.array([RIGHT[pair.gold] if pair.gold else nothing for pair in pairs]).reshape(len(pairs), len(LABELS))


def split_hyphens(tokens: Iterable[str], unsplit: Collection[str]) -> list[str]:
    """Return tokens, those with hyphens that are not among the *unsplit* words split at these.

    >>> split_hyphens(["t-shirt", "lime-green", "-"], {"t-shirt"})
    ['t-shirt', 'lime', 'green', '-']
    """
    # A hyphen at an end of a token joins nothing.
    split = (token.split("-") if "-" in token.strip("-") and token not in unsplit else [token] for token in tokens)
    return [part for parts in split for part in parts if part]


def all_tokens(pairs: Iterable[Pair]) -> list[str]:
    """Return the different tokens of pairs, and the parts of those with hyphens: the words to find vectors for."""
    sentences = dict.fromkeys(text for pair in pairs for text in (pair.premise, pair.hypothesis))
    tokens = dict.fromkeys(token for sentence in sentences for token in tokenise(sentence))
    return list(tokens | dict.fromkeys(part for token in tokens if "-" in token for part in token.split("-") if part))


def labelled(gold: GoldSet) -> list[Pair]:
    """Return the pairs with a gold label, which must have sentences and be at least one."""
    pairs = [gold.pairs[row] for row in gold.scored.tolist()]
    if not pairs:
        raise TouchstoneError("no pair has a gold label", file=gold.source.name, code=Code.TOO_FEW)
    check_sentences(gold)
    return pairs


def check_sentences(gold: GoldSet) -> None:
    """Refuse a set that has labels alone."""
    for pair, line in zip(gold.pairs, gold.lines, strict=True):
        if not (pair.premise and pair.hypothesis):
            hint = "a model reads a premise and a hypothesis; give a file that has both"
            what = "a pair without sentences"
            raise TouchstoneError(what, file=gold.source.name, line=line, value=pair.id, code=Code.BAD_CELL, hint=hint)
