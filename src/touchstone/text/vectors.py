"""Word vectors read from files: an array with its list of words beside it, or text as GloVe and word2vec write it."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, needs
from touchstone.base.files import STDIN, read_bytes
from touchstone.io.text import read_text

Matrix = npt.NDArray[np.float32]

VOCABULARY = "vocab.txt"
"""The list of words beside an array, one word per row."""

_ROWS_PER_CHECK = 1 << 14


class WordVectors(NamedTuple):
    """Words, a row of numbers for each, and the name and digest of the files that they came from."""

    words: Sequence[str]
    rows: npt.NDArray[np.floating]
    signature: str


def read_word_vectors(
    path: str | Path, words: Collection[str] | None = None, *, hint: str | None = None
) -> WordVectors:
    """Read word vectors; numbers that are not finite, rows of another width and repeated words are refused.

    Parameters
    ----------
    path
        An ``.npy`` array, or a ``.safetensors`` file with one array, whose rows are named by `VOCABULARY` in the same
        folder. Any other file is UTF-8 text with a word and its numbers per line, separated by blanks; a first line of
        two numbers (word2vec) is skipped.
    words
        The words to read; all by default. Only their numbers are read and checked.
    hint
        How to get vectors, for the message when the file does not exist.
    """
    if str(path) == STDIN:
        raise TouchstoneError("word vectors are read from a file, not from standard input", code=Code.UNSUPPORTED)
    if not Path(path).exists():
        raise TouchstoneError("no such file", file=str(path), code=Code.NO_FILE, hint=hint)
    keep = None if words is None else frozenset(words)
    vectors = _read_array(Path(path), keep) if Path(path).suffix in _ARRAYS else _read_text(path, keep)
    if not len(vectors.words) and (keep is None or keep):
        of_words = "" if keep is None else f" of any of the {len(keep):,} words"
        raise TouchstoneError(f"no vector{of_words} in this file", file=str(path), code=Code.EMPTY)
    return vectors


def _load_npy(path: Path) -> npt.NDArray[np.floating]:
    array: npt.NDArray[np.floating] = np.load(path, mmap_mode="r", allow_pickle=False)
    return array


def _load_safetensors(path: Path) -> npt.NDArray[np.floating]:
    with needs("neural"):
        from safetensors import SafetensorError, safe_open
    try:
        with safe_open(path, "np") as file:
            names = list(file.keys())
            if len(names) != 1:
                raise ValueError(f"{len(names)} arrays, where one is expected")
            array: npt.NDArray[np.floating] = file.get_tensor(names[0])
            return array
    except (SafetensorError, TypeError) as error:  # a number format that NumPy does not have is a TypeError
        raise ValueError(str(error)) from None


_ARRAYS = {".npy": _load_npy, ".safetensors": _load_safetensors}
"""How arrays are read, by the suffix of their file."""


def _read_array(path: Path, keep: frozenset[str] | None) -> WordVectors:
    try:
        array = _ARRAYS[path.suffix](path)
    except TouchstoneError:  # a package is not installed
        raise
    except (OSError, ValueError, EOFError) as error:
        reason = str(error).splitlines()[0].lower()
        raise TouchstoneError(f"not a complete array file ({reason})", file=str(path), code=Code.UNREADABLE) from None
    text, source = read_text(path.with_name(VOCABULARY))
    words = [word.removesuffix("\r") for word in text.removesuffix("\n").split("\n")]
    if array.ndim != 2 or len(array) != len(words) or not np.issubdtype(array.dtype, np.floating):
        shape = " x ".join(f"{n:,}" for n in array.shape)
        what = f"{array.dtype} array of {shape} for {len(words):,} words"
        hint = f"{VOCABULARY} beside the array must have one word per row of the array"
        raise TouchstoneError(what, file=str(path), code=Code.MISMATCH, hint=hint)
    lines: dict[str, int] = {}
    for number, word in enumerate(words, 1):
        if keep is None or word in keep:
            _add_line(lines, word, number, source.name)
    row_numbers = np.fromiter(lines.values(), np.int64) - 1
    rows = array if keep is None else np.asarray(array[row_numbers])
    for start in range(0, len(rows), _ROWS_PER_CHECK):
        infinite = np.flatnonzero(~np.isfinite(rows[start : start + _ROWS_PER_CHECK]).all(1))
        if len(infinite):
            row = int(row_numbers[start + infinite[0]])
            what = f"row {row + 1:,} has a number that is not finite"
            hint = "remove the word from the array and from its list, or make the file again"
            raise TouchstoneError(what, file=str(path), value=words[row], code=Code.NOT_FINITE, hint=hint)
    return WordVectors(list(lines), rows, f"{read_bytes(path)[1]} {source}")


def _read_text(path: str | Path, keep: frozenset[str] | None) -> WordVectors:
    text, source = read_text(path)
    lines: dict[str, int] = {}
    rows: list[Matrix] = []
    for number, line in enumerate(text.split("\n"), 1):
        word, _, numbers = line.rstrip().partition(" ")
        if not numbers or (keep is not None and word not in keep):
            continue
        row = _parse_row(numbers, source.name, number)
        if number == 1 and len(row) == 1:  # word2vec's first line: the number of words and of columns
            continue
        if rows and len(row) != len(rows[0]):
            what = f"{len(row)} numbers, where others have {len(rows[0])}"
            raise TouchstoneError(what, file=source.name, line=number, value=word, code=Code.BAD_CELL, hint=_BAD_LINE)
        _add_line(lines, word, number, source.name)
        rows.append(row)
    return WordVectors(list(lines), np.stack(rows) if rows else np.zeros((0, 0), np.float32), str(source))


_BAD_LINE = "each line needs a word and the same number of finite numbers, separated by blanks; correct or remove it"


def _add_line(lines: dict[str, int], word: str, number: int, file: str) -> None:
    if lines.setdefault(word, number) != number:
        what = f"duplicate word (first seen on line {lines[word]:,})"
        hint = "keep one vector per word"
        raise TouchstoneError(what, file=file, line=number, value=word, code=Code.DUPLICATE_NAME, hint=hint)


def _parse_row(numbers: str, file: str, line: int) -> Matrix:
    try:
        row = np.array(numbers.split(), np.float32)
    except ValueError:
        what = "not a word and its numbers, separated by blanks"
        raise TouchstoneError(what, file=file, line=line, value=numbers, code=Code.BAD_CELL, hint=_BAD_LINE) from None
    if not np.isfinite(row).all():
        what = "a number that is not finite"
        raise TouchstoneError(what, file=file, line=line, value=numbers, code=Code.NOT_FINITE, hint=_BAD_LINE)
    return row
