"""The models by name."""

from torch import nn

from touchstone.tasks.nli.models.cross_encoder import CrossEncoder
from touchstone.tasks.nli.models.decomposable_attention import DecomposableAttention
from touchstone.tasks.nli.models.esim import Esim
from touchstone.tasks.nli.models.kim import Kim
from touchstone.tasks.nli.models.residual_encoder import ResidualEncoder
from touchstone.tasks.nli.models.settings import Settings
from touchstone.tasks.nli.models.vocabulary import Matrix

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
