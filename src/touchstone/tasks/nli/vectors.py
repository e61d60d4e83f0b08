"""Word vectors, of which only the wanted ones are read: an array with a list of words beside it, or GloVe's text."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from touchstone.core.errors import TouchstoneError
from touchstone.io.text import STDIN, Source, read_text

Vectors = Mapping[str, npt.NDArray[np.float32]]

WORDS = "vocab.txt"
"""The list of words that stands beside an array, a word to a row."""


def read_vectors(path: str | Path, wanted: Iterable[str]) -> tuple[Vectors, str]:
    """Return the vectors of the *wanted* words that a file has, and what to call it in a signature.

    ``.npy`` is an array whose rows are named by `WORDS` in the same folder; any other file is text, a word and its
    numbers to a line, apart by blanks.
    """
    asked = set(wanted)
    found, name = _from_array(Path(path), asked) if Path(path).suffix == ".npy" else _from_text(path, asked)
    if asked and not found:
        raise TouchstoneError(f"has no vector for any of {len(asked):,} words", file=str(path))
    return found, name


def cosine(a: npt.NDArray[np.float32], b: npt.NDArray[np.float32]) -> float:
    """Return the cosine of two vectors; nan where one of them is all zeros.

    >>> cosine(np.array([1, 0], np.float32), np.array([1, 0], np.float32))
    1.0
    """
    sizes = float(np.linalg.norm(a)) * float(np.linalg.norm(b))
    return float(a @ b) / sizes if sizes else float("nan")


def _from_array(path: Path, wanted: set[str]) -> tuple[Vectors, str]:
    text, source = read_text(path.with_name(WORDS))
    words = text.removesuffix("\n").split("\n")
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise TouchstoneError("no such file", file=str(path)) from None
    except (OSError, ValueError, EOFError) as error:
        raise TouchstoneError(f"not an array file ({str(error).splitlines()[0].lower()})", file=str(path)) from None
    if array.ndim != 2 or len(array) != len(words) or not np.issubdtype(array.dtype, np.floating):
        hint = f"{WORDS} beside the array must have a word for each row of it"
        found = f"{array.dtype} array of {' x '.join(f'{n:,}' for n in array.shape)} for {len(words):,} words"
        raise TouchstoneError(found, file=str(path), hint=hint)
    found_at = {word: row for row, word in enumerate(words) if word in wanted}
    return {word: np.asarray(array[row], np.float32) for word, row in found_at.items()}, f"{path.name}+{source}"


def _from_text(path: str | Path, wanted: set[str]) -> tuple[Vectors, str]:
    if str(path) == STDIN:
        raise TouchstoneError("vectors are read from a file, not from standard input")
    text, source = read_text(path)
    found: dict[str, npt.NDArray[np.float32]] = {}
    width: int | None = None
    for number, line in enumerate(text.split("\n"), 1):
        word, _, rest = line.partition(" ")
        if word in wanted and rest:
            found[word] = _numbers(rest, source, number)
            width = width or len(found[word])
            if len(found[word]) != width:
                what = f"{len(found[word])} numbers, where others have {width}"
                raise TouchstoneError(what, file=source.name, line=number, value=word)
    return found, str(source)


def _numbers(text: str, source: Source, line: int) -> npt.NDArray[np.float32]:
    try:
        return np.array([float(part) for part in text.split()], np.float32)
    except ValueError:
        what = "not a word and its numbers, apart by blanks"
        raise TouchstoneError(what, file=source.name, line=line, value=text) from None
