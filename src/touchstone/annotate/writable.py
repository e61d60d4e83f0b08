"""Characters that an export can contain: what XML 1.0 forbids is refused on input rather than on export."""

import re

from touchstone.io.jsonl import Json

_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def is_writable(value: Json) -> bool:
    r"""Return whether every string in a JSON value, including keys, can be written to any file.

    >>> is_writable({"label": ["cats", "tab\t"]}), is_writable({"nul\0": 1})
    (True, False)
    """
    if isinstance(value, str):
        return _UNWRITABLE.search(value) is None
    if isinstance(value, dict):
        return all(is_writable(name) and is_writable(inner) for name, inner in value.items())
    return all(map(is_writable, value)) if isinstance(value, list) else True
