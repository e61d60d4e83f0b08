"""Texts in tables of scores: which are values, and what is said of those that are not."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from touchstone.base.errors import TouchstoneError
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
            raise TouchstoneError("not of the form TEXT=NUMBER", value=str(choice), hint=hint)
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
