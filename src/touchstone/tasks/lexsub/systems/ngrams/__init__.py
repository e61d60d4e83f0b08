"""N-gram language models: ARPA files, KenLM files, and the trigrams that the package `pocketsphinx` brings."""

from touchstone.tasks.lexsub.systems.ngrams.model import LanguageModel, open_model

__all__ = ["LanguageModel", "open_model"]
