"""A cross-encoder: a pre-trained transformer of the BERT kind reads both sentences as one text (Devlin et al. 2019).

    x = [CLS] premise [SEP] hypothesis [SEP]; each piece is the sum of its word, its place and its sentence
    x = norm(x + attention(x)); x = norm(x + W_2 gelu(W_1 x))      in each layer
    y = W tanh(W_p x_CLS)

`touchstone.systems.inference.labelling` computes the same with NumPy alone; names of weights are the same there.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout, gelu, scaled_dot_product_attention

from touchstone.systems.inference.batches import Batch
from touchstone.systems.inference.layers import Words, initialise
from touchstone.systems.inference.settings import Settings
from touchstone.systems.inference.vocabulary import BEGIN, Matrix

EPSILON = 1e-12
"""Added to a variance before it divides, as in BERT."""


def position_count(longest: int) -> int:
    """Return how many positions a pair can fill: two sentences with a mark after each, and one before them."""
    return 1 + 2 * (longest + 1)


class CrossEncoder(nn.Module):
    """The model; its width is that of the vectors of words."""

    def __init__(self, settings: Settings, trained: int, vectors: Matrix) -> None:
        super().__init__()
        width, self.rate = vectors.shape[1], settings.dropout
        self.places = nn.Embedding(position_count(settings.longest), width)
        self.kinds = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, EPSILON)
        self.layers = nn.ModuleList(Layer(settings, width) for _ in range(settings.layers))
        self.pooler = nn.Linear(width, width)
        self.classifier = nn.Linear(width, 3)
        initialise(self)
        # The same for every seed, so that weights of several seeds can be averaged.
        nn.init.normal_(self.classifier.weight, std=0.02, generator=torch.Generator().manual_seed(0))
        self.words = Words(trained, vectors, tuned=settings.tuned)

    def forward(self, batch: Batch) -> Tensor:
        """Return a number for each label, the higher the likelier."""
        p, h = batch.premise, batch.hypothesis
        first = p.ids.new_full((len(p.ids), 1), BEGIN)
        present = torch.cat([torch.ones_like(first, dtype=torch.bool), p.mask, h.mask], dim=1)
        # The premise may be padded in the middle of the text: a place counts the pieces before it.
        positions = (present.cumsum(1) - 1).clamp(min=0)
        kind = (torch.arange(present.shape[1], device=first.device) > p.ids.shape[1]).long()
        x = self.words(torch.cat([first, p.ids, h.ids], dim=1)) + self.places(positions) + self.kinds(kind)
        x = dropout(self.norm(x), self.rate, self.training)
        for layer in self.layers:
            x = layer(x, present[:, None, None, :])
        return self.classifier(dropout(self.pooler(x[:, 0]).tanh(), self.rate, self.training))


class Layer(nn.Module):
    """Attention to all pieces, then two layers for each piece."""

    def __init__(self, settings: Settings, width: int) -> None:
        super().__init__()
        self.heads, self.rate = settings.heads, settings.dropout
        self.attention = nn.Linear(width, 3 * width)  # queries, keys and values
        self.mixed = nn.Linear(width, width)
        self.norm_1 = nn.LayerNorm(width, EPSILON)
        self.inner = nn.Linear(width, settings.inner)
        self.outer = nn.Linear(settings.inner, width)
        self.norm_2 = nn.LayerNorm(width, EPSILON)

    def forward(self, x: Tensor, present: Tensor) -> Tensor:
        """Return the next state of each piece; those that are not *present* are not seen by the others."""
        queries, keys, values = self.attention(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        rate = self.rate if self.training else 0.0
        attended = scaled_dot_product_attention(queries, keys, values, attn_mask=present, dropout_p=rate)
        x = self.norm_1(x + dropout(self.mixed(attended.transpose(1, 2).flatten(2)), self.rate, self.training))
        return self.norm_2(x + dropout(self.outer(gelu(self.inner(x))), self.rate, self.training))
