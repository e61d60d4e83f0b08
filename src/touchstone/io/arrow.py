"""Ragged arrays and string lists as Arrow columns, and back."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from touchstone.core.ragged import Floats, Ragged, StringLists


def from_strings(lists: StringLists) -> pa.ListArray:
    """Return lists of strings as an Arrow column that holds each distinct string once."""
    codes = pa.array(lists.codes.values.astype(np.int32))
    strings = pa.DictionaryArray.from_arrays(codes, pa.array(lists.words, pa.string()))
    return pa.ListArray.from_arrays(pa.array(lists.codes.offsets.astype(np.int32)), strings)


def to_strings(column: pa.Array) -> StringLists:
    """Return an Arrow column of lists of strings, dictionary-encoded or not, as string lists.

    >>> to_strings(pa.array([["glad", "merry"], None])).words
    ('glad', 'merry')
    """
    strings = column.flatten()
    if not pa.types.is_dictionary(strings.type):
        strings = strings.dictionary_encode()
    sizes = column.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    codes = strings.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return StringLists(tuple(strings.dictionary.to_pylist()), Ragged.from_sizes(sizes, codes))


def from_floats(rows: Ragged[np.float64]) -> pa.ListArray:
    """Return rows of numbers as an Arrow column."""
    return pa.ListArray.from_arrays(pa.array(rows.offsets.astype(np.int32)), pa.array(rows.values))


def to_floats(column: pa.Array) -> Ragged[np.float64]:
    """Return an Arrow column of lists of numbers as rows."""
    sizes = column.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    return Ragged.from_sizes(sizes, column.flatten().to_numpy(zero_copy_only=False).astype(np.float64))


def from_records(records: Floats) -> pa.FixedSizeListArray:
    """Return the records of a measure, a fixed number of numbers for each item, as an Arrow column."""
    return pa.FixedSizeListArray.from_arrays(pa.array(records.ravel()), records.shape[1])


def to_records(column: pa.Array) -> Floats:
    """Return an Arrow column of records as a matrix, an item to a row."""
    numbers: Floats = column.flatten().to_numpy(zero_copy_only=False)
    return numbers.reshape(-1, column.type.list_size)


def strings(values: Sequence[str | None]) -> pa.Array:
    """Return a column of strings that repeat themselves, each distinct one held once."""
    return pa.array(values, pa.string()).dictionary_encode()
