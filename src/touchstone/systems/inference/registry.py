"""The models by name."""

from torch import nn

from touchstone.systems.inference.cross_encoder import CrossEncoder
from touchstone.systems.inference.decomposable_attention import DecomposableAttention
from touchstone.systems.inference.esim import Esim
from touchstone.systems.inference.kim import Kim
from touchstone.systems.inference.residual_encoder import ResidualEncoder
from touchstone.systems.inference.settings import Settings
from touchstone.systems.inference.vocabulary import Matrix

MODELS: dict[str, type[nn.Module]] = {
    "decomposable_attention": DecomposableAttention,
    "esim": Esim,
    "residual_encoder": ResidualEncoder,
    "kim": Kim,
    "kim_instances": Kim,
    "cross_encoder": CrossEncoder,
}
"""Each takes settings, the number of trained rows before the vectors, and the vectors."""


def build(settings: Settings, trained: int, vectors: Matrix) -> nn.Module:
    """Return the model that *settings* name, with its first weights."""
    return MODELS[settings.model](settings, trained, vectors)
