"""Word vectors: an array file with its list of words, or GloVe's text; looked for where users keep them.

Vectors are compared without what all of them share: the mean and the three directions of greatest variance are
taken out (Mu and Viswanath 2018, "All-but-the-Top").
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from touchstone.core.errors import TouchstoneError
from touchstone.io.text import read_text

Matrix = npt.NDArray[np.float32]

WORDS = "vocab.txt"
"""The list of words that stands beside an array, a word to a row."""

VARIABLE = "TOUCHSTONE_VECTORS"

_COMMON = 50_000
"""The first rows, the commonest words in every published file, tell what all vectors share."""
_FEWEST = 1_000
"""Words below which what is shared cannot be told from what they say, and nothing is taken out."""
_SHARED_DIRECTIONS = 3
_DIRECTIONS_A_WIDTH = 30
"""At most one direction in so many: short vectors cannot spare three."""
_MOST_REMEMBERED = 1 << 16

HOW_TO_GET = (
    f"give --vectors FILE, set {VARIABLE}, or put the file into the folder that docs/lexsub_systems.md names: a text "
    f"file as GloVe's (glove.6B.100d.txt), or an .npy array with {WORDS} beside it; --corpus TEXT counts vectors from "
    "a text of yours"
)


class Vectors:
    """Unit vectors of words and phrases, with what all words share taken out.

    >>> few = Vectors(["hot", "cold"], np.array([[1, 0], [0, 1]], np.float32), "made up")
    >>> "hot" in few, "tepid" in few, few.of("tepid").tolist()
    (True, False, [0.0, 0.0])
    """

    def __init__(self, words: Sequence[str], rows: npt.NDArray[np.floating], signature: str) -> None:
        self.signature = signature
        self._rows = rows
        self._places = {word: place for place, word in reversed(list(enumerate(words)))}
        self._mean, self._shared = _shared(rows[:_COMMON])
        self._known: dict[str, Matrix] = {}

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return int(self._rows.shape[1])

    def __contains__(self, word: object) -> bool:
        return word in self._places

    def of(self, phrase: str) -> Matrix:
        """Return the unit vector of a word, or of the words of a phrase together; zeros where none is known."""
        found = self._known.get(phrase)
        if found is None:
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            found = self._known[phrase] = self._vector(phrase)
        return found

    def stacked(self, phrases: Sequence[str]) -> Matrix:
        """Return the vectors of several phrases, a row for each."""
        return np.stack([self.of(phrase) for phrase in phrases]) if phrases else np.zeros((0, self.width), np.float32)

    def _vector(self, phrase: str) -> Matrix:
        parts = [phrase] if phrase in self._places else phrase.replace("-", " ").split()
        places = [self._places[part] for part in parts if part in self._places]
        if not places:
            return np.zeros(self.width, np.float32)
        rows = unit(np.asarray(self._rows[places], np.float32)) - self._mean
        shared = np.asarray(rows @ self._shared @ self._shared.T, np.float32)
        return unit(np.asarray(unit(rows - shared).sum(0), np.float32))


def unit(rows: Matrix) -> Matrix:
    """Return vectors of length one; zeros stay zeros.

    >>> unit(np.array([[3, 4], [0, 0]], np.float32)).round(1).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    sizes = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.where(sizes > 0, sizes, 1), np.float32)


def find_vectors(path: str | Path | None) -> Path:
    """Return the file of vectors: *path*, or what the environment names, or what is in the user's data folder."""
    named = path or os.environ.get(VARIABLE)
    if named:
        return _file_in(Path(named)) if Path(named).is_dir() else Path(named)
    folder = data_folder() / "vectors"
    if folder.is_dir():
        return _file_in(folder)
    raise TouchstoneError("no word vectors were found, and this system compares words by them", hint=HOW_TO_GET)


def data_folder() -> Path:
    """Return where a user's data for this package lies."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "touchstone"


def read_vectors(path: str | Path) -> Vectors:
    """Read vectors: ``.npy`` is an array whose rows are named by `WORDS` beside it, any other file is text."""
    return _from_array(Path(path)) if Path(path).suffix == ".npy" else _from_text(path)


def _shared(rows: npt.NDArray[np.floating]) -> tuple[Matrix, Matrix]:
    """Return the mean of unit vectors and the directions in which they vary most."""
    units = unit(np.asarray(rows, np.float32))
    mean = np.asarray(units.mean(0) if len(units) >= _FEWEST else np.zeros(units.shape[1]), np.float32)
    count = min(_SHARED_DIRECTIONS, units.shape[1] // _DIRECTIONS_A_WIDTH) if len(units) >= _FEWEST else 0
    centred = units - mean
    directions = np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :count]
    return mean, np.asarray(directions, np.float32)


def _file_in(folder: Path) -> Path:
    files = sorted(path for path in folder.iterdir() if path.suffix == ".npy" or path.name.startswith("glove"))
    if len(files) != 1:
        raise TouchstoneError(f"{len(files)} files of vectors in this folder", file=str(folder), hint="name the file")
    return files[0]


def _from_array(path: Path) -> Vectors:
    try:
        rows = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise TouchstoneError("no such file", file=str(path), hint=HOW_TO_GET) from None
    except (OSError, ValueError, EOFError) as error:
        raise TouchstoneError(
            f"not a whole array file ({str(error).splitlines()[0].lower()})", file=str(path)
        ) from None
    text, source = read_text(path.with_name(WORDS))
    words = text.removesuffix("\n").split("\n")
    if rows.ndim != 2 or len(rows) != len(words) or not np.issubdtype(rows.dtype, np.floating):
        found = f"{rows.dtype} array of {' x '.join(f'{n:,}' for n in rows.shape)} for {len(words):,} words"
        raise TouchstoneError(found, file=str(path), hint=f"{WORDS} beside the array must have a word for each row")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    return Vectors([word.removesuffix("\r") for word in words], rows, f"{path.name}#{digest} {source}")


def _from_text(path: str | Path) -> Vectors:
    if not Path(path).exists():
        raise TouchstoneError("no such file", file=str(path), hint=HOW_TO_GET)
    text, source = read_text(path)
    rows: dict[str, Matrix] = {}
    width: int | None = None
    for number, line in enumerate(text.split("\n"), 1):
        word, _, rest = line.rstrip().partition(" ")
        if not rest:
            continue
        row = _numbers(rest, source.name, number)
        if number == 1 and len(row) == 1:  # word2vec's first line says how many vectors there are
            continue
        width = width or len(row)
        if len(row) != width:
            what = f"{len(row)} numbers, where others have {width}"
            raise TouchstoneError(what, file=source.name, line=number, value=word)
        rows.setdefault(word, row)
    return from_rows(rows, str(source))


def from_rows(rows: Mapping[str, Matrix], signature: str) -> Vectors:
    """Return vectors by word as one value."""
    if not rows:
        raise TouchstoneError("no vector in it", file=signature)
    return Vectors(list(rows), np.stack(list(rows.values())), signature)


def _numbers(text: str, file: str, line: int) -> Matrix:
    try:
        row = np.array(text.split(), np.float32)
    except ValueError:
        what = "not a word and its numbers, apart by blanks"
        raise TouchstoneError(what, file=file, line=line, value=text) from None
    if not np.isfinite(row).all():
        raise TouchstoneError("a number that is not finite", file=file, line=line, value=text)
    return row
