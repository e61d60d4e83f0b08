"""What systems read beside their configuration: opened when a feature needs it, named in the signature."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.lexicon import wordnet
from touchstone.systems.substitution.features import VERBS, Features
from touchstone.systems.substitution.frames import frames_signature
from touchstone.systems.substitution.language_models import LanguageModel, open_model
from touchstone.systems.substitution.neural import Fitter, Networks
from touchstone.systems.substitution.rings import shipped_rings
from touchstone.systems.substitution.thesaurus import Thesaurus, read_thesaurus
from touchstone.systems.substitution.vectors import Vectors, count_vectors, find_vectors, read_vectors, shipped_vectors
from touchstone.text import english
from touchstone.text.meanings import meanings


@dataclass(frozen=True)
class Resources:
    """Files of the user; where one is missing, what is found or installed is used."""

    vectors_file: str | Path | None = None
    """Word vectors: see `touchstone.text.vectors`."""
    corpus_file: str | Path | None = None
    """A text to count vectors from, in place of a file of vectors."""
    model_file: str | Path | None = None
    """A language model: see `language_models`."""
    thesaurus_file: str | Path | None = None
    """Further candidates: see `thesaurus`."""
    fitter: Fitter | None = None
    """What reads sentences with candidates in place; by default networks whose weights are installed."""

    def __post_init__(self) -> None:
        if self.vectors_file and self.corpus_file:
            what = "vectors are read from a file or counted from a text, not both"
            raise TouchstoneError(what, code=Code.OPTION_UNUSED)

    @cached_property
    def vectors(self) -> Vectors:
        """The word vectors: of the user's file or text, otherwise those that come with the package."""
        if self.corpus_file:
            return _count(str(self.corpus_file))
        path = find_vectors(self.vectors_file)
        return _read(str(path)) if path else _shipped()

    @cached_property
    def model(self) -> LanguageModel:
        """The language model."""
        return open_model(self.model_file)

    @cached_property
    def thesaurus(self) -> Thesaurus | None:
        """The user's thesaurus, if there is one."""
        return read_thesaurus(self.thesaurus_file) if self.thesaurus_file else None

    @cached_property
    def networks(self) -> Fitter:
        """The networks that read sentences with candidates in place."""
        return self.fitter or Networks()

    def features(self, names: Iterable[str]) -> Features:
        """Return what makes the named features; only what they need is opened."""
        feature_names = tuple(names)
        vectors = self.vectors if _any(feature_names, "bow.") else None
        model = self.model if _any(feature_names, "lm.") else None
        return Features(feature_names, vectors, model)

    def signature(self, names: Iterable[str]) -> str:
        """Return the resources behind the named features, with their digests."""
        feature_names = tuple(names)
        parts = [str(wordnet().signature), english().signature]
        parts += [f"vectors {self.vectors.signature}"] if _any(feature_names, "bow.") else []
        if _any(feature_names, "lm."):
            parts += [f"model {self.model.signature}"]
        parts += [f"meanings {meanings().signature}"] if "word.meaning" in feature_names else []
        parts += [f"rings {shipped_rings().signature}"]
        parts += [f"frames {frames_signature()}"] if VERBS in feature_names else []
        parts += [f"thesaurus {self.thesaurus.source}"] if self.thesaurus else []
        return ", ".join(parts)


def _any(names: Iterable[str], prefix: str) -> bool:
    return any(name.startswith(prefix) for name in names)


_read, _count, _shipped = cache(read_vectors), cache(count_vectors), cache(shipped_vectors)
"""The same file is read once in a process."""
