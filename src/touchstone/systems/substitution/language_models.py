"""N-gram language models, and the sentence with a candidate in place as such a model sees it.

Models are the one of the package, ARPA and KenLM files, read by `kenlm`, and Sphinx files, read by `pocketsphinx`.

Features: ``lm.left`` is ln p of the candidate's words after the words before them, ``lm.right`` that of the words after
the candidate, as far as its n-grams reach; ``lm.word`` is ln p of the candidate's words alone, which tells how much of
the rest is mere frequency; ``lm.frame`` is how much worse than the target it goes with a preposition, a pronoun or
*that* after it. A word that the model does not know has its frequency in English instead of a floor.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property, lru_cache
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import read_bytes
from touchstone.base.ragged import Floats, Ragged
from touchstone.base.spelling import setting
from touchstone.io.text import read_text
from touchstone.systems.substitution.targets import Target
from touchstone.systems.substitution.words import log_frequency
from touchstone.text.inflection import inflected
from touchstone.text.ngrams import BEGIN, END, ngrams

Gram = tuple[str, ...]

_FRAME_WORDS = (
    "to at of in on for with from into about over after against between as that what whether how if me him her us "
    "them you "
    "it myself himself herself themselves up out off down away back around through"
)
FRAME_WORDS = frozenset(_FRAME_WORDS.split())
"""Words whose place after a verb, a noun or an adjective shows what the word governs."""

_KENLM_MAGIC = b"mmap lm http://kheafield.com/code"
_SPHINX_MAGIC = b"Trie Language Model"
_SPHINX_LOG_BASE = log(1.0001)
_SPHINX_UNKNOWN = -100_000_000
"""Sphinx gives an unknown word a logarithm of about -537 million, which must never be added to others."""
_DAMAGED = "the file is damaged or not in ARPA form; make or fetch it again"
_SECTION = re.compile(r"\\([0-9]{1,2})-grams:")
_KENLM_PREAMBLE = re.compile(r"\A(?:.*Exception(?: because `.*?')?\. |.*?\()", re.DOTALL)


def _how_to_get() -> str:
    without = setting("ngrams", python="model=…")
    return f"pip install 'touchstone-nlp[systems]' brings it; without {without} the model of the package is used"


class LanguageModel(Protocol):
    """Probabilities of words after others."""

    @property
    def signature(self) -> str:
        """The name and digest of its file: the same signature, the same probabilities."""

    @property
    def order(self) -> int:
        """The length of its longest n-grams."""

    def score(self, grams: Sequence[Sequence[str]]) -> Floats:
        """Return ln p(last word | the words before it) of each gram; nan where the last word is unknown.

        An unknown word among those before carries no information: the model backs off past it.
        """


@cache
def open_model(path: str | Path | None) -> LanguageModel:
    """Open a language model; a path is opened once per process.

    Parameters
    ----------
    path
        An ARPA file (also ``.gz``), a KenLM binary or a Sphinx binary, recognised by its first bytes. None opens the
        model that comes with the package.
    """
    if path is None:
        return ngrams()
    try:
        with Path(path).open("rb") as file:
            start = file.read(64)
    except FileNotFoundError:
        raise TouchstoneError("no such language model", file=str(path), code=Code.NO_FILE, hint=_how_to_get()) from None
    except OSError as error:
        what = f"cannot be read ({(error.strerror or '').lower()})"
        raise TouchstoneError(what, file=str(path), code=Code.UNREADABLE) from None
    if start.startswith(_SPHINX_MAGIC):
        return SphinxModel(Path(path))
    return KenlmModel(Path(path), binary=start.startswith(_KENLM_MAGIC))


class _FileModel:
    """What all models that are read from a file share."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def signature(self) -> str:
        """The name and digest of the file."""
        return str(read_bytes(self._path)[1])


class KenlmModel(_FileModel):
    """A model that the package `kenlm` opens.

    Parameters
    ----------
    path
        The file.
    binary
        Whether it is a KenLM binary; otherwise it is an ARPA file.
    """

    def __init__(self, path: Path, *, binary: bool) -> None:
        super().__init__(path)
        try:
            import kenlm
        except ImportError:
            what = "reading this file needs kenlm"
            raise TouchstoneError(what, file=str(path), code=Code.MISSING_EXTRA, hint=_how_to_get()) from None
        config = kenlm.Config()
        config.show_progress, config.arpa_complain = False, kenlm.ARPALoadComplain.NONE
        self._state = kenlm.State
        if not binary:
            self._model = _load_arpa(path, lambda file: kenlm.Model(file, config))
            return
        try:
            self._model = kenlm.Model(str(path), config)
        except (OSError, RuntimeError):
            hint = "build it again with build_binary, or give the ARPA file"
            what = "not a whole KenLM file of this version"
            raise TouchstoneError(what, file=str(path), code=Code.UNREADABLE, hint=hint) from None

    @property
    def order(self) -> int:
        """The length of its longest n-grams."""
        return int(self._model.order)

    def score(self, grams: Sequence[Sequence[str]]) -> Floats:
        """Return ln p(last | before) of each gram, nan where the last word is unknown."""
        # KenLM has logarithms to the base 10.
        return np.array([self._score(gram) for gram in grams], np.float64) * log(10)

    def _score(self, gram: Sequence[str]) -> float:
        if gram[-1] not in self._model:
            return float("nan")
        state, after = self._state(), self._state()
        begins = gram[0] == BEGIN and len(gram) > 1
        (self._model.BeginSentenceWrite if begins else self._model.NullContextWrite)(state)
        value = 0.0
        for word in gram[1:] if begins else gram:
            value = self._model.BaseScore(state, word, after)
            # KenLM reads the state before a word from one object and writes that after it into the other.
            state, after = after, state
        return value


def _load_arpa(path: Path, load: Callable[[str], Any]) -> Any:  # noqa: ANN401 (kenlm has no types)
    """Return an ARPA file as KenLM loads it; KenLM wants tabs between the fields, which many files write as blanks."""
    text, source = read_text(path)
    tabbed = "".join(f"{line}\n" for line in _with_tabs(text, source.name))
    with TemporaryDirectory() as folder:
        copy = Path(folder, "model.arpa")
        copy.write_text(tabbed, encoding="utf-8", newline="\n")
        try:
            return load(str(copy))
        except (OSError, RuntimeError) as error:
            reason, _, byte = _KENLM_PREAMBLE.sub("", str(error)).removesuffix(")").rpartition(" Byte: ")
            # The byte is the first after the line, but the first of a number that cannot be parsed.
            end = int(byte) - (not reason.startswith("Could not parse")) if byte.isdigit() else 0
    line = tabbed.encode().count(b"\n", 0, end) + 1 if end else None
    what = f"not an ARPA file that KenLM can read ({reason})"
    raise TouchstoneError(what, file=source.name, line=line, code=Code.UNREADABLE, hint=_DAMAGED)


def _with_tabs(text: str, file: str) -> Iterator[str]:
    """Yield the lines of an ARPA file with tabs around each n-gram; refuse one listed twice, which KenLM accepts."""
    length, grams = 0, set[str]()
    for number, line in enumerate(text.split("\n"), 1):
        fields = line.split()
        section = _SECTION.fullmatch(line.strip())
        if section:
            length, grams = int(section[1]), set()
        if not length or not fields or line.startswith("\\"):
            yield line.strip()
            continue
        gram = " ".join(fields[1 : length + 1])
        if len(fields) - 1 not in (length, length + 1):
            what = f"not a probability and {length} words"
            raise TouchstoneError(what, file=file, line=number, value=line, code=Code.BAD_CELL, hint=_DAMAGED)
        if gram in grams:
            what = f"a {length}-gram that is listed twice"
            raise TouchstoneError(what, file=file, line=number, value=gram, code=Code.DUPLICATE_NAME, hint=_DAMAGED)
        grams.add(gram)
        yield "\t".join([fields[0], gram, *fields[length + 1 :]])


class SphinxModel(_FileModel):
    """A binary model of CMU Sphinx, in the file *path*."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        try:
            from pocketsphinx import NGramModel
        except ImportError:
            what = "reading this file needs pocketsphinx"
            raise TouchstoneError(what, file=str(path), code=Code.MISSING_EXTRA, hint=_how_to_get()) from None
        try:
            self._model = NGramModel.readfile(str(path))
        except (ValueError, RuntimeError):
            what = "not a whole language model of CMU Sphinx"
            raise TouchstoneError(what, file=str(path), code=Code.UNREADABLE) from None

    @property
    def order(self) -> int:
        """The length of its longest n-grams."""
        return int(self._model.size())

    def score(self, grams: Sequence[Sequence[str]]) -> Floats:
        """Return ln p(last | before) of each gram, nan where the last word is unknown."""
        # The package takes words most recent first and counts in logarithms to the base 1.0001.
        values = np.array([self._model.prob(list(gram[::-1])) for gram in grams], np.float64)
        return np.where(values > _SPHINX_UNKNOWN, values * _SPHINX_LOG_BASE, np.nan)


class SentenceScores:
    """Scores candidates in their sentences by one language model."""

    def __init__(self, model: LanguageModel) -> None:
        self.model = model
        self._word = lru_cache(maxsize=1 << 17)(lambda word: self._scored([(word,)])[0])
        self._forms = lru_cache(maxsize=1 << 17)(self._split)
        self._pair = lru_cache(maxsize=1 << 17)(lambda first, second: self._scored([(first, second)])[0])

    def features(self, target: Target, phrases: Sequence[str]) -> dict[str, Floats]:
        """Return the features of each candidate for *target*."""
        reach = self.model.order - 1
        before, after = target.words(reach)
        # The marks of begin and end are context only where the model can see that far.
        left = [BEGIN, *before] if len(before) < reach else before
        right = [*after, END] if len(after) < reach else after
        words = [self._forms(phrase, target.tag) for phrase in phrases]
        grams = [_grams(with_article(left, forms[0]), forms, right, reach) for forms in words]
        flat = np.array(self._scored([gram for row in grams for gram in row]))
        scores = Ragged.from_sizes(np.array([len(row) for row in grams], np.int64), flat)
        word_counts = np.array([len(forms) for forms in words], np.int64)[scores.row]
        at_left = scores.position < word_counts
        return {
            "lm.left": scores.keep(at_left).sums(),
            "lm.right": scores.keep(~at_left).sums(),
            "lm.word": np.array([sum(map(self._word, forms)) for forms in words]),
            "lm.frame": self._frame(target, after, words),
        }

    def _frame(self, target: Target, after: Sequence[str], words: Sequence[Gram]) -> Floats:
        """Return how much less each candidate goes with the word after it than the target does; 0 where it is no frame.

        *tell him* and *look at* are frames, which *say* and *appear* do not have. A candidate that the model does not
        know has 0 too: the model backs off past it, so the word after it has the probability that it has alone.
        """
        if not after or after[0] not in FRAME_WORDS:
            return np.zeros(len(words))
        target_pair, alone = self._pair(target.words_of_target[-1], after[0]), self._word(after[0])
        pairs = np.array([self._pair(forms[-1], after[0]) for forms in words])
        return np.where(pairs == alone, 0.0, np.minimum(pairs - target_pair, 0))

    def _scored(self, grams: Sequence[Gram]) -> list[float]:
        scores = self.model.score(grams)
        for index in np.flatnonzero(np.isnan(scores)).tolist():
            scores[index] = log_frequency(grams[index][-1])
        values: list[float] = scores.tolist()
        return values

    def _split(self, phrase: str, tag: str) -> Gram:
        """Return the words of a candidate in the form of the target, split at hyphens that the model does not know."""
        words = inflected(phrase, tag).split()
        split = [[word] if "-" not in word or self._in_vocabulary(word) else word.split("-") for word in words]
        return tuple(part for parts in split for part in parts if part) or (phrase,)

    def _in_vocabulary(self, word: str) -> bool:
        return not np.isnan(self.model.score([(word,)])[0])


def with_article(left: list[str], word: str) -> list[str]:
    """Return the words on the left with *a* or *an* as the next word needs it.

    >>> with_article(["was", "a"], "intelligent"), with_article(["an"], "quick")
    (['was', 'an'], ['a'])
    """
    if left and left[-1] in ("a", "an"):
        return [*left[:-1], "an" if word[:1] in "aeiou" else "a"]
    return left


def _grams(left: list[str], words: Gram, right: list[str], reach: int) -> list[Gram]:
    """Return each word of a candidate and of what follows it, with the words before it that a model can see."""
    sequence = (*left, *words, *right)
    return [sequence[max(0, last - reach) : last + 1] for last in range(len(left), len(sequence))]
