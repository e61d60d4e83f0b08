"""Notes beside a result. A warning is a note which says that the numbers may not be what the user meant.

A warning is a text that begins with `WARNING`: it stays one in JSON, in shards and in reports. Commands print warnings
before notes, also with ``--quiet``; Python issues a `TouchstoneWarning` for each; reports show them on top.
"""

import warnings
from collections.abc import Iterable

WARNING = "warning: "
"""How a warning begins."""


class TouchstoneWarning(UserWarning):
    """The numbers may not be what you meant; the text names the cause and what to do."""


def warning(text: str) -> str:
    """Return a note that is a warning.

    >>> warning("a and b give the same answers")
    'warning: a and b give the same answers'
    """
    return text if is_warning(text) else f"{WARNING}{text}"


def is_warning(note: str) -> bool:
    """Whether a note is a warning."""
    return note.startswith(WARNING)


def warnings_of(notes: Iterable[str]) -> list[str]:
    """Return the warnings among notes, each once and without the word.

    >>> warnings_of(["ids are numbers", warning("no answer is in the gold")])
    ['no answer is in the gold']
    """
    return [note.removeprefix(WARNING) for note in dict.fromkeys(notes) if is_warning(note)]


def labelled(notes: Iterable[str]) -> list[str]:
    """Return notes as lines to print: warnings first, each line with its kind.

    >>> labelled(["ids are numbers", warning("no answer is in the gold")])
    ['warning: no answer is in the gold', 'note: ids are numbers']
    """
    notes = list(notes)
    return [*filter(is_warning, notes), *(f"note: {note}" for note in notes if not is_warning(note))]


def announce(notes: Iterable[str], *, depth: int = 2) -> None:
    """Issue the warnings among notes to a Python user.

    Parameters
    ----------
    notes
        The notes of a result.
    depth
        How many calls above this function the user's line is.
    """
    for text in warnings_of(notes):
        warnings.warn(text, TouchstoneWarning, stacklevel=depth + 1)
