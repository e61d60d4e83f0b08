"""KIM (Chen et al. 2018): ESIM that knows how a lexicon relates the words of the two sentences.

    e_ij = a_i . b_j + lambda [r(x_i, y_j) is not zero]             attention, with lambda 0 in the published program
    k_i = sum_j alpha_ij r(x_i, y_j)                                knowledge of a token
    m_i = [ReLU(W [a_i ; a'_i ; a_i - a'_i ; a_i * a'_i ; k_i]) ; k_i]

The optional pooling by knowledge of the paper is off in the published program and is not here.
"""

import torch
from torch import Tensor

from touchstone.systems.inference.batches import Batch
from touchstone.systems.inference.esim import Esim, enhance
from touchstone.systems.inference.layers import soft_align
from touchstone.systems.inference.relations import RELATIONS
from touchstone.systems.inference.settings import Settings
from touchstone.systems.inference.vocabulary import Matrix

EXCHANGED = [1, 0, 2, 3, 4]
"""r(y, x) from r(x, y): hypernyms and hyponyms change places, the others are symmetric."""


class Kim(Esim):
    """The model; which hypernyms count is up to the table of relations that the batches have."""

    def __init__(self, settings: Settings, trained: int, vectors: Matrix) -> None:
        super().__init__(settings, trained, vectors, knowledge=len(RELATIONS))
        self.relation_weight = settings.relation_weight

    def forward(self, batch: Batch) -> Tensor:
        """Return a number for each label, the higher the likelier."""
        p, h, r = batch.premise, batch.hypothesis, batch.relations
        assert r is not None  # the batches of this model have relations
        a, b = self.encode(batch)
        e = a @ b.transpose(1, 2) + self.relation_weight * r.any(-1)
        aligned, other, alpha, beta = soft_align(e, a, b, p.mask, h.mask)
        k_a = torch.einsum("bij,bijr->bir", alpha, r)
        k_b = torch.einsum("bji,bijr->bjr", beta, r)[..., EXCHANGED]
        m_a, m_b = (
            torch.cat([self.project(torch.cat([enhance(x, x_aligned), k], dim=-1)), k], dim=-1)
            for x, x_aligned, k in ((a, aligned, k_a), (b, other, k_b))
        )
        return self.classify(m_a, m_b, batch)
