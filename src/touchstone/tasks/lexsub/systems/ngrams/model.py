"""What a language model is here, and which reader a file belongs to."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Protocol

from touchstone.core.errors import TouchstoneError
from touchstone.core.ragged import Floats

BEGIN, END = "<s>", "</s>"
"""The words that stand for the ends of a sentence in every such model."""

HOW_TO_GET = "pip install 'touchstone[lm]' brings an English trigram model; or give --model FILE, an ARPA or KenLM file"


class LanguageModel(Protocol):
    """Probabilities of words after others."""

    @property
    def signature(self) -> str:
        """Its name and digest: the same signature, the same probabilities."""

    @property
    def order(self) -> int:
        """The length of its longest n-grams."""

    def score(self, grams: Sequence[Sequence[str]]) -> Floats:
        """Return ln p(last word | the words before it) of each gram; nan where it does not know the last word.

        Words before that it does not know tell it nothing: it backs off past them.
        """


def open_model(path: str | Path | None) -> LanguageModel:
    """Open a language model, told by its first bytes; without a path the one that comes with `pocketsphinx`."""
    return _opened(None if path is None else str(path))


@cache
def _opened(path: str | None) -> LanguageModel:
    from touchstone.tasks.lexsub.systems.ngrams import arpa, kenlm_files, sphinx

    if path is None:
        return sphinx.SphinxModel(sphinx.installed_model())
    try:
        with Path(path).open("rb") as file:
            start = file.read(64)
    except FileNotFoundError:
        raise TouchstoneError("no such language model", file=path, hint=HOW_TO_GET) from None
    except OSError as error:
        raise TouchstoneError(f"cannot be read ({(error.strerror or '').lower()})", file=path) from None
    if start.startswith(kenlm_files.MAGIC):
        return kenlm_files.KenlmModel(Path(path))
    if start.startswith(sphinx.MAGIC):
        return sphinx.SphinxModel(Path(path))
    return arpa.read_arpa(path)
