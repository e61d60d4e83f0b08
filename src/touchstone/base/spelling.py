"""Settings that messages name: flags on the command line, keywords in Python.

A message is made where it is read: commands run inside `as_flags`, all else is Python.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import TypeVar

Piece = TypeVar("Piece")
Outcome = TypeVar("Outcome")

_FLAGS: ContextVar[bool] = ContextVar("flags", default=False)

MAPPINGS = ("column", "label", "range", "value")
"""Settings that map a name to another, such as a role to a column."""

KEYWORDS = {"measure": "measures", "annotator-column": "annotators", "engine": "name"}
"""Keywords that are other words than the flag."""

LISTS = ("measure", "annotator-column", "ref", "texts", "lower-is-better", "system-column", "order", "factors")
"""Settings that may have several values."""

NUMBERS = ("at", "difference", "draws", "jobs", "min-responses", "models", "rate", "seed")
"""Settings whose value is a number."""

GROUPS = {
    **dict.fromkeys(("missing", "unknown", "duplicates"), "policy=touchstone.Policy({})"),
    **dict.fromkeys(("cluster", "draws", "seed"), "resampling=touchstone.Resampling({})"),
    **dict.fromkeys(("engine",), "engine=touchstone.base.workers.Engine({})"),
}
"""Settings that belong to an object, and how it is given."""


@contextmanager
def as_flags() -> Iterator[None]:
    """Let messages name settings as the command line has them."""
    token = _FLAGS.set(True)
    try:
        yield
    finally:
        _FLAGS.reset(token)


def uses_flags() -> bool:
    """Return whether messages name settings as the command line has them."""
    return _FLAGS.get()


def in_spelling(flags: bool, work: Callable[[Piece], Outcome], piece: Piece) -> Outcome:
    """Return what *work* makes of a piece, in another process too, with messages for a command or for Python."""
    with as_flags() if flags else nullcontext():
        return work(piece)


def setting(name: str, *values: str, python: str | None = None) -> str:
    """Return a setting with its values as the user writes it.

    Parameters
    ----------
    name
        The flag without hyphens in front.
    values
        Its values, such as ``id=NAME``; without any the message names the setting alone. ``True`` is that of a switch.
    python
        What is written in Python instead, where no keyword is like the flag.

    Examples
    --------
    >>> setting("missing", "skip"), setting("column", "id=NAME", "label=NAME"), setting("by", "FIELD")
    ('policy=touchstone.Policy(missing="skip")', 'column={"id": "NAME", "label": "NAME"}', 'by="FIELD"')
    >>> with as_flags():
    ...     setting("column", "id=NAME", "label=NAME"), setting("allow-empty-ref", "True")
    ('--column id=NAME --column label=NAME', '--allow-empty-ref')
    """
    if _FLAGS.get():
        flag_values = [value for value in values if value != "True"]
        return " ".join(f"--{name} {value}" for value in flag_values) or f"--{name}"
    if python is not None:
        return python
    keyword = KEYWORDS.get(name, name).replace("-", "_")
    if name in MAPPINGS:
        pairs = ", ".join(f"{_quoted(key)}: {_quoted(value)}" for key, _, value in (v.partition("=") for v in values))
        return f"{keyword}={{{pairs or '…'}}}"
    if name in LISTS:
        return f"{keyword}=[{', '.join(map(_quoted, values)) or '…'}]"
    written = str if name in NUMBERS or values == ("True",) else _quoted
    value = written(values[0]) if values else "…"
    return GROUPS.get(name, "{}").format(f"{keyword}={value}")


def _quoted(text: str) -> str:
    return f'"{text}"'
