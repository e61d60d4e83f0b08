"""Ranges that the user declares for columns of scores, such as ratings from 1 to 5."""

from collections.abc import Collection, Iterable, Mapping

from touchstone.base.errors import Fault, TouchstoneError, nearest
from touchstone.base.ranges import Range
from touchstone.base.spelling import setting
from touchstone.io.cells import parse_number
from touchstone.io.tables import TableFile


def declared_ranges(choices: Iterable[str]) -> dict[str, Range]:
    """Return the range of each column that has one; refuse what is not of the form ``NAME=LOW:HIGH``.

    Parameters
    ----------
    choices
        Each as ``NAME=LOW:HIGH``; a pair of Python, ``NAME=(LOW, HIGH)``, is the same.

    Examples
    --------
    >>> declared_ranges(["rating=1:5"]) == declared_ranges(["rating=(1, 5)"]) == {"rating": Range(1, 5)}
    True
    """
    ranges = {}
    for choice in choices:
        name, equals, ends = str(choice).rpartition("=")
        low, high = (parse_number(text) for text in ends.strip("()[] ").replace(",", ":").partition(":")[::2])
        if not (equals and name.strip()) or low is None or high is None or not low < high:
            raise TouchstoneError("not of the form NAME=LOW:HIGH", value=str(choice),
                                  hint=f"such as {setting('range', 'rating=1:5')}")  # fmt: skip
        ranges[name.strip()] = Range(low, high)
    return ranges


def require_range(file: TableFile, columns: Mapping[str, Range]) -> None:
    """Refuse values of columns that are outside their ranges, all at once; empty cells and texts are not values.

    Parameters
    ----------
    file
        A table of scores.
    columns
        The range of each column.
    """
    faults = [
        Fault(f"{name} is outside its range of {range_}", file.source.name, line, f"{value:g}")
        for name, range_ in columns.items()
        for line, cell in zip(file.lines, file.columns[name], strict=True)
        if (value := file.number(cell)) is not None and value == value and value not in range_
    ]
    if faults:
        raise TouchstoneError.of(faults, f"correct the values, or the range: {setting('range', 'NAME=LOW:HIGH')}")


def require_columns(ranges: Iterable[str], columns: Collection[str]) -> None:
    """Refuse a range of a column that there is not.

    Parameters
    ----------
    ranges
        The names of the columns that have a range.
    columns
        The names of all columns of scores.
    """
    for name in ranges:
        if name not in columns:
            raise TouchstoneError("a range for a column of scores that there is not", value=name,
                                  near=nearest(name, columns), hint=f"columns: {', '.join(columns)}")  # fmt: skip
