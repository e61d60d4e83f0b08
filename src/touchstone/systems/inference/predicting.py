"""Labels of a trained model: a run that ``touchstone nli score`` reads, with the probability of each label."""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from touchstone import __version__
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import Source, read_bytes
from touchstone.base.signature import content_digest
from touchstone.io.jsonl import format_objects
from touchstone.io.text import read_text
from touchstone.io.writing import write_text
from touchstone.systems.inference.batches import Batcher
from touchstone.systems.inference.checkpoint import (
    LOG,
    WEIGHTS,
    load_weights,
    read_config,
    read_tensors,
    read_vocabulary,
)
from touchstone.systems.inference.optimising import make_optimiser
from touchstone.systems.inference.predictions import DECIMALS, Predictions
from touchstone.systems.inference.registry import build
from touchstone.systems.inference.relations import cached_relations
from touchstone.systems.inference.settings import Settings
from touchstone.systems.inference.texts import Texts, all_tokens, check_sentences, read_pieces, read_texts
from touchstone.systems.inference.training import State, chosen_device, probabilities, train_epoch
from touchstone.systems.inference.vocabulary import UNKNOWN, Matrix, Vocabulary, read_vectors
from touchstone.tasks.nli.formats import read_run
from touchstone.tasks.nli.model import GoldSet, Pair, Run


def run_labels(
    folder: str | Path, gold: GoldSet, name: str, *, vectors: str | Path | None = None, device: str = "auto"
) -> Run:
    """Return the labels of a trained model for a set: those kept in its folder from an earlier call, or new ones.

    Parameters
    ----------
    folder
        The folder of the run; it need not have its weights where the labels are kept.
    gold, vectors, device
        As in `Labeller`.
    name
        The name of the run.
    """
    folder = Path(folder)
    path = folder / _labels_name(folder, gold, vectors is not None)
    if not path.exists():
        predictions = Labeller(folder, device=device).predict(gold, vectors=vectors)
        write_text(path, format_objects(predictions.objects()))
    return read_run(path, name=name)


def _labels_name(folder: Path, gold: GoldSet, with_vectors: bool) -> str:
    """Return the name of the file with the labels of a set, which the set and the best epoch of the run decide."""
    texts = {"premise": [pair.premise for pair in gold.pairs], "hypothesis": [pair.hypothesis for pair in gold.pairs]}
    return f"labels-{content_digest(id=gold.ids, run=[*run_state(folder), with_vectors], **texts).strip('#')}.jsonl"


def run_state(folder: Path) -> list[str]:
    """Return what tells the weights of a run from others: its configuration and, since it may go on, its epochs."""
    return [read_config(folder).digest, read_text(folder / LOG)[0]]


def same_settings(folders: Sequence[str | Path]) -> None:
    """Refuse runs that differ in more than their seeds: they are not the runs of one model."""
    first, *others = folders
    for other in others:
        differing = [
            setting for setting in read_config(Path(first)).differences(read_config(Path(other))) if setting != "seed"
        ]
        if differing:
            what = f"not a run of the same model as {first}: it has another {', '.join(differing)}"
            hint = "give it a name of its own: NAME=FOLDER"
            raise TouchstoneError(what, file=str(other), code=Code.MISMATCH, hint=hint)


@dataclass(frozen=True)
class Labelling:
    """A picklable description of labelling: what a worker makes of pairs of sentences.

    Parameters
    ----------
    folder, device, vectors
        As in `Labeller` and its `predict`.
    """

    folder: Path
    device: str = "auto"
    vectors: Path | None = None

    def check(self, gold: GoldSet) -> None:
        """Refuse, before work, pairs without sentences and a folder without a model."""
        check_sentences(gold)
        _opened(self)

    @property
    def signature(self) -> list[str]:
        """What labels depend on beside the sentences."""
        vectors = "" if self.vectors is None else read_bytes(self.vectors)[1].digest
        return [__version__, read_config(self.folder).digest, read_bytes(self.folder / WEIGHTS)[1].digest, vectors]

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
        """Return the probabilities of the labels of each pair, and how many tokens there are and are unknown."""
        source = Source("the pairs", "")
        listed = [Pair(str(number), *sentences) for number, sentences in enumerate(pairs, 1)]
        gold = GoldSet(source, listed, range(1, len(listed) + 1))
        predictions = _opened(self).predict(gold, vectors=self.vectors)
        return {
            "shares": predictions.probabilities.tolist(),
            "tokens": predictions.tokens,
            "unknown": predictions.unknown,
        }

    def joined(self, ids: list[str], parts: Iterable[Mapping[str, Any]]) -> Predictions:
        """Return the labels of all pairs from those of the pieces, in order."""
        part_list = list(parts)
        shares = np.array([row for part in part_list for row in part["shares"]])
        return Predictions(ids, shares, *(sum(part[name] for part in part_list) for name in ("tokens", "unknown")))


@lru_cache(maxsize=1)
def _opened(work: Labelling) -> "Labeller":
    """Return the model, which a worker opens once."""
    return Labeller(work.folder, device=work.device)


class Labeller:
    """A trained model, read from the folder of its run.

    Parameters
    ----------
    folder
        What `touchstone.systems.inference.training.train` wrote.
    device
        ``cpu``, ``cuda``, or ``auto`` for a GPU where there is one.
    """

    def __init__(self, folder: str | Path, *, device: str = "auto") -> None:
        folder = Path(folder)
        self.config = read_config(folder)
        self.settings: Settings = self.config.settings
        self.vocabulary: Vocabulary = read_vocabulary(folder, self.config)
        self.device = chosen_device(device)
        tensors, _ = read_tensors(folder / WEIGHTS, self.config)
        empty = np.zeros((len(self.vocabulary.known), self.vocabulary.width), np.float32)
        self.model: nn.Module = build(self.settings, self.vocabulary.trained, empty)
        load_weights(self.model, tensors, folder / WEIGHTS)
        self.model.to(self.device)

    def predict(self, gold: GoldSet, *, vectors: str | Path | None = None) -> Predictions:
        """Label the pairs of a set.

        Parameters
        ----------
        gold
            The pairs; their labels are not looked at.
        vectors
            The vectors that the model was trained with: words that are new to it take theirs from there. Without them,
            all such words are one unknown word. A cross-encoder has no use for them.
        """
        check_sentences(gold)
        if vectors and not self.settings.reads_pieces:
            return self.extended(gold.pairs, vectors).predict(gold)
        texts = self._texts(gold.pairs)
        probability = probabilities(self.model, self._batcher(texts))
        tokens = np.concatenate([texts.premise.values, texts.hypothesis.values])
        unknown = int(np.count_nonzero(self.vocabulary.rows(texts.forms)[tokens] == UNKNOWN))
        return Predictions(gold.ids, probability.round(DECIMALS), len(tokens), unknown)

    def extended(self, pairs: Sequence[Pair], vectors: str | Path) -> "Labeller":
        """Return the model with further words of the file of its vectors: those of the pairs.

        A cross-encoder, which reads pieces of words, stays as it is.
        """
        if self.settings.reads_pieces:
            return self
        vocabulary, rows = self.vocabulary.with_more(read_vectors(vectors, all_tokens(pairs)))
        current_vectors: Matrix = self.model.words.vectors.weight.detach().cpu().numpy()
        model = build(self.settings, vocabulary.trained, np.concatenate([current_vectors, rows]))
        # The vectors of words are in the new model already, the known ones before the new ones.
        weights = {name: weight for name, weight in self.model.state_dict().items() if name != "words.vectors.weight"}
        with torch.no_grad():
            model.load_state_dict(weights, strict=False)
        return self._with(model.to(self.device), vocabulary)

    def tuned(self, pairs: Sequence[Pair], epochs: int, rate: float, batch: int) -> "Labeller":
        """Return the model after some epochs over labelled pairs; this one stays as it is."""
        settings = replace(self.settings, optimiser="adam", halved="never", warmup=0.0, rate=rate, batch=batch)
        model = deepcopy(self.model)
        optimiser, state = make_optimiser(model, settings), State(rate)
        batcher = self._batcher(self._texts(pairs))
        for _ in range(epochs):
            loss = train_epoch(model, optimiser, batcher, settings, state)
            state.add(settings, loss, 0.0, 0.0)
        return self._with(model, self.vocabulary)

    def _with(self, model: nn.Module, vocabulary: Vocabulary) -> "Labeller":
        other = copy(self)
        other.model, other.vocabulary = model, vocabulary
        return other

    def _texts(self, pairs: Sequence[Pair]) -> Texts:
        words = self.vocabulary.known
        return read_pieces(pairs, words) if self.settings.reads_pieces else read_texts(pairs, frozenset(words))

    def _batcher(self, texts: Texts) -> Batcher:
        table = cached_relations([texts], instances=self.settings.instances) if self.settings.uses_relations else None
        return Batcher(texts, self.vocabulary.rows(texts.forms), self.settings, self.device, table)
