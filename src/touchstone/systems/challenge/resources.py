"""The optional files of a user, and the filters and proposals that they serve."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.spelling import setting
from touchstone.systems.challenge.bigrams import BIGRAM_SCORE, read_bigrams
from touchstone.systems.challenge.filters import Compounds, Filter, KnownWords, Senses, read_vocabulary
from touchstone.systems.challenge.lexicon import Lexicon
from touchstone.systems.challenge.proposing import Proposer
from touchstone.systems.challenge.senses import Glosses, SenseVectors, Vectors, read_glosses


@dataclass(frozen=True)
class Resources:
    """Files that restrict what is generated or proposed; each is read once.

    Parameters
    ----------
    vectors, vocabulary
        Word vectors, and training words; each token of a replacement has to be in those that are given.
    senses
        Whether the context has to fit the sense of a replaced word, by the vectors.
    glosses
        A folder of Princeton's dictionary files, whose glosses describe senses better.
    bigrams, bigram_score
        A table of bigrams, or ``wordsegment``, and the least score of a replacement in it.
    """

    vectors: str | Path | None = None
    vocabulary: str | Path | None = None
    senses: bool = False
    glosses: str | Path | None = None
    bigrams: str | Path | None = None
    bigram_score: float = BIGRAM_SCORE

    def filters(self) -> tuple[Filter, ...]:
        """Return the filters that these files make possible."""
        if self.senses and self.vectors is None:
            hint = f"give {setting('vectors', 'FILE')}"
            raise TouchstoneError("the sense by context needs word vectors", code=Code.OPTION_NEEDED, hint=hint)
        filters: list[Filter] = [Compounds()]
        words, source = (None, "") if self.vocabulary is None else read_vocabulary(self.vocabulary)
        if words is not None or self._vectors is not None:
            filters.append(KnownWords(words, self._vectors, source))
        if self.senses and self._vectors is not None:
            filters.append(Senses(SenseVectors(self._vectors, self._glosses)))
        if self.bigrams is not None:
            filters.append(read_bigrams(self.bigrams, self.bigram_score))
        return tuple(filters)

    def proposer(self, lexicon: Lexicon, relations: Iterable[str]) -> Proposer:
        """Return what proposes substitutions in these *relations* for words that a *lexicon* does not cover."""
        return Proposer(lexicon, frozenset(relations), self._vectors, self._glosses)

    @cached_property
    def _vectors(self) -> Vectors | None:
        return None if self.vectors is None else Vectors.read(self.vectors)

    @cached_property
    def _glosses(self) -> Glosses:
        return {} if self.glosses is None else read_glosses(self.glosses)
