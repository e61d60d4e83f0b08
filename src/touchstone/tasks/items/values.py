"""Values in tables of scores: the numbers that texts stand for, and the ranges that the user declares for columns."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, nearest, refuse
from touchstone.base.ranges import Range
from touchstone.base.spelling import setting
from touchstone.io.cells import listed, parse_number
from touchstone.io.tables import TableFile

VERDICTS: Mapping[str, float] = {
    **dict.fromkeys(("pass", "passed", "yes"), 1.0),
    **dict.fromkeys(("fail", "failed", "no"), 0.0),
}
"""What people write for right and wrong; true and false are numbers in every table."""

MOST_LABELS = 10
"""Different texts up to which a column may hold scores in words; more are answers or names."""


def worth(choices: Iterable[str]) -> dict[str, float]:
    """Return the numbers that texts stand for: those that the user chose, and the usual verdicts.

    Parameters
    ----------
    choices
        Each as ``TEXT=NUMBER``.

    Examples
    --------
    >>> worth(["good=1", "no=-1"])["good"], worth(["no=-1"])["no"], worth([])["no"]
    (1.0, -1.0, 0.0)
    """
    return {**VERDICTS, **chosen_values(choices)}


def chosen_values(choices: Iterable[str]) -> dict[str, float]:
    """Return the numbers that the user chose for texts; refuse what is not of the form ``TEXT=NUMBER``.

    Parameters
    ----------
    choices
        Each as ``TEXT=NUMBER``.
    """
    chosen = {}
    for choice in choices:
        text, equals, number = str(choice).rpartition("=")
        value = parse_number(number)
        if not (equals and text.strip()) or value is None or value != value:
            hint = f"such as {setting('value', 'good=1', 'bad=0')}"
            raise TouchstoneError("not of the form TEXT=NUMBER", value=str(choice), code=Code.BAD_VALUE, hint=hint)
        chosen[text.strip().casefold()] = value
    return chosen


def holds_any(file: TableFile, column: str, texts: Collection[str]) -> bool:
    """Return whether a cell of a column is one of some texts, whatever their case.

    Parameters
    ----------
    file, column
        The table, and the column.
    texts
        The texts in small letters.
    """
    return bool(texts) and any(str(cell).strip().casefold() in texts for cell in file.columns[column])


def labels_of(file: TableFile, column: str) -> list[str]:
    """Return the different texts of a column if they are so few that they may be scores in words, else none."""
    texts = [text for text in file.texts(column) if text is not None]
    distinct = sorted(set(texts))
    return distinct if 2 * len(distinct) <= len(texts) and len(distinct) <= MOST_LABELS else []


def mapping_hint(labels: Sequence[str]) -> str:
    """Return how to give texts values.

    >>> mapping_hint(["bad", "good"])
    'give each text a value: value={"bad": "NUMBER", "good": "NUMBER"}'
    """
    return f"give each text a value: {setting('value', *(f'{text}=NUMBER' for text in labels))}"


def unscored(file: TableFile, columns: Iterable[str]) -> list[str]:
    """Return a note on each column whose texts may be scores in words and are not scored.

    Parameters
    ----------
    file
        The table.
    columns
        Columns that hold texts which differ between systems.
    """
    named = {column: labels for column in columns if (labels := labels_of(file, column))}
    return [
        f"{file.source.stem}: {column} holds texts ({listed(labels)}) and is not scored; to score it, "
        f"{mapping_hint(labels)}"
        for column, labels in named.items()
    ]


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
            hint = f"such as {setting('range', 'rating=1:5')}"
            raise TouchstoneError("not of the form NAME=LOW:HIGH", value=str(choice), code=Code.BAD_VALUE, hint=hint)
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
        Fault(f"{name} is outside its range of {range_}", file.source.name, line, f"{value:g}", code=Code.OUT_OF_RANGE)
        for name, range_ in columns.items()
        for line, cell in zip(file.lines, file.columns[name], strict=True)
        if (value := file.number(cell)) is not None and value == value and value not in range_
    ]
    refuse(faults, f"correct the values, or the range: {setting('range', 'NAME=LOW:HIGH')}")


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
            what, hint = "a range for a column of scores that there is not", f"columns: {', '.join(columns)}"
            raise TouchstoneError(what, value=name, near=nearest(name, columns), code=Code.UNKNOWN_NAME, hint=hint)
