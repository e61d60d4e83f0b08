"""Characters that an export can contain: what XML 1.0 forbids is refused on input rather than on export."""

from touchstone.io.jsonl import Json
from touchstone.tasks.pyramid.formats.checking import FORBIDDEN


def is_writable(value: Json) -> bool:
    r"""Return whether every string in a JSON value, including keys, can be written to any file.

    >>> is_writable({"label": ["cats", "tab\t"]}), is_writable({"nul\0": 1})
    (True, False)
    """
    if isinstance(value, str):
        return FORBIDDEN.search(value) is None
    if isinstance(value, dict):
        return all(is_writable(name) and is_writable(inner) for name, inner in value.items())
    return all(map(is_writable, value)) if isinstance(value, list) else True
