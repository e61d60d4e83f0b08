"""Arrow columns of strings that repeat themselves."""

from collections.abc import Sequence

import pyarrow as pa


def strings(values: Sequence[str | None]) -> pa.Array:
    """Return a column of strings that repeat themselves, each distinct one held once."""
    return pa.array(values, pa.string()).dictionary_encode()
