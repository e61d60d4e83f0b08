"""Labels of a trained model: a run that ``touchstone nli score`` reads, with the probability of each label."""

from pathlib import Path

import numpy as np
import torch
from torch import nn

from touchstone.tasks.nli.model import GoldSet
from touchstone.tasks.nli.models.batches import Batcher
from touchstone.tasks.nli.models.checkpoint import WEIGHTS, load_weights, read_config, read_tensors, read_vocabulary
from touchstone.tasks.nli.models.registry import build
from touchstone.tasks.nli.models.relations import kept_relations
from touchstone.tasks.nli.models.settings import Settings
from touchstone.tasks.nli.models.texts import all_tokens, check_sentences, read_pieces, read_texts
from touchstone.tasks.nli.models.training import chosen_device, probabilities
from touchstone.tasks.nli.models.vocabulary import UNKNOWN, Matrix, Vocabulary, read_vectors
from touchstone.tasks.nli.predictions import DECIMALS, Predictions


class Labeller:
    """A trained model, read from the folder of its run.

    Parameters
    ----------
    folder
        What `touchstone.tasks.nli.models.training.train` wrote.
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
        if self.settings.reads_pieces:
            vectors = None
        vocabulary, model = self._with_vectors(gold, vectors) if vectors else (self.vocabulary, self.model)
        known = vocabulary.known
        texts = (
            read_pieces(gold.pairs, known) if self.settings.reads_pieces else read_texts(gold.pairs, frozenset(known))
        )
        rows = vocabulary.rows(texts.forms)
        table = kept_relations([texts], instances=self.settings.instances) if self.settings.uses_relations else None
        found = probabilities(model, Batcher(texts, rows, self.settings, self.device, table))
        tokens = np.concatenate([texts.premise.values, texts.hypothesis.values])
        unknown = int(np.count_nonzero(rows[tokens] == UNKNOWN))
        return Predictions(gold.ids, found.round(DECIMALS), len(tokens), unknown)

    def _with_vectors(self, gold: GoldSet, vectors: str | Path) -> tuple[Vocabulary, nn.Module]:
        """Return the vocabulary and the model with further words of the file of vectors."""
        more = read_vectors(vectors, all_tokens(gold.pairs))
        vocabulary, rows = self.vocabulary.with_more(more)
        known: Matrix = self.model.words.vectors.weight.detach().cpu().numpy()
        model = build(self.settings, vocabulary.trained, np.concatenate([known, rows]))
        weights = {name: one for name, one in self.model.state_dict().items() if name != "words.vectors.weight"}
        with torch.no_grad():
            model.load_state_dict(weights, strict=False)
        return vocabulary, model.to(self.device)
