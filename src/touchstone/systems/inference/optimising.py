"""What training minimises, and by which steps."""

import torch
from torch import Tensor, nn

from touchstone.systems.inference.settings import Settings


def make_optimiser(model: nn.Module, settings: Settings) -> torch.optim.Optimizer:
    """Return the optimiser of the weights that are trained."""
    trained = {name: weight for name, weight in model.named_parameters() if weight.requires_grad}
    weights, fused = list(trained.values()), next(iter(trained.values())).is_cuda
    if settings.optimiser == "adagrad":
        return torch.optim.Adagrad(weights, lr=settings.rate)
    if settings.optimiser == "adam":
        return torch.optim.Adam(weights, lr=settings.rate, fused=fused)
    # Weights of layers decay; a word that never occurs stays as it was, so that its row can be left out and put back.
    groups = [
        {
            "params": [weight for name, weight in trained.items() if _decays(name, weight) is decays],
            "weight_decay": decay,
        }
        for decays, decay in ((True, settings.decay), (False, 0.0))
    ]
    return torch.optim.AdamW(groups, lr=settings.rate, fused=fused)


def _decays(name: str, weight: Tensor) -> bool:
    return name.startswith("layers.") and weight.ndim > 1


def rate_share(done: float, warmup: float) -> float:
    """Return which share of the rate a step has, after a share *done* of all steps.

    >>> [rate_share(done, warmup=0.2) for done in (0.0, 0.1, 0.2, 0.6, 1.0)]
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    return min(done / warmup, (1 - done) / (1 - warmup)) if warmup else 1.0


def negative_log_likelihood(scores: Tensor, right: Tensor, smoothing: float = 0.0) -> Tensor:
    """Return the mean of - log of the probability of the labels that are right: of one, or of two taken together.

    A share *smoothing* of it is the mean over all labels. Where *right* has the probabilities of a teacher, it is the
    mean cross-entropy with them.
    """
    logs = scores.log_softmax(1)
    if right.is_floating_point():
        return -(right * logs).sum(1).mean()
    loss = -logs.masked_fill(~right, -torch.inf).logsumexp(1).mean()
    return (1 - smoothing) * loss - smoothing * logs.mean() if smoothing else loss
