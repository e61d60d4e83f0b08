"""Notes beside a result. A warning is a note which says that the numbers may not be what the user meant.

A note that counts something is a `Note`: its count is data, so that those of several shards can be added. A warning is
a text that begins with `WARNING`: it stays one in JSON, in shards and in reports. Commands print warnings before
notes, also where these are not wanted; Python issues a `TouchstoneWarning` for each; reports show them on top.
"""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from touchstone.base.errors import visible

WARNING = "warning: "
"""How a warning begins."""


LISTED = 10
"""Example ids that a note lists."""


class Note(str):
    """A sentence beside a result, and what it says as data; `count_note` makes one.

    Parameters
    ----------
    text
        The sentence.
    code
        What it is about, without its numbers: notes of one code can be added.
    n, of, ids
        How many things it counts, of how many, and the first of their ids; None and empty where it counts none.
    share
        Whether the sentence also has the count as a share.
    """

    code: str
    n: int | None
    of: int | None
    ids: tuple[str, ...]
    share: bool

    def __new__(  # noqa: D102 (the class says it)
        cls,
        text: str,
        code: str = "",
        n: int | None = None,
        of: int | None = None,
        ids: Sequence[str] = (),
        share: bool = False,
    ) -> "Note":
        note = super().__new__(cls, text)
        note.__dict__.update(code=code or text, n=n, of=of, ids=tuple(ids[:LISTED]), share=share)
        return note

    def to_dict(self) -> dict[str, Any]:
        """Return the note as names and values that JSON can hold; ``Note(**values)`` is the same note."""
        return {"text": str(self), **vars(self)}

    @classmethod
    def of_text(cls, text: str) -> "Note":
        """Return a sentence as a note; a note as it is."""
        return text if isinstance(text, Note) else cls(text)

    def about(self, name: str) -> "Note":
        """Return the note with the *name* of what it is about in front."""
        values: Mapping[str, Any] = vars(self)
        return Note(**{**values, "text": f"{name}: {self}", "code": f"{name}: {self.code}"})


def find_note(notes: Iterable[str], code: str) -> str | None:
    """Return the first note of a code; None if there is none.

    >>> find_note(["one", Note("b: 2 of 3 are empty", "empty")], "empty")
    'b: 2 of 3 are empty'
    """
    return next((note for note in notes if Note.of_text(note).code == code), None)


def count_note(what: str, count: int, of: int | None = None, ids: Sequence[str] = (), *, share: bool = False) -> Note:
    """Return a note that counts something.

    Parameters
    ----------
    what, count
        What is counted, and how often it occurs.
    of
        The number of all items, if it is shown; with *share* that of the rows.
    ids
        The ids of what is counted, of which the first are shown.
    share
        Whether to show the share of *of* too.

    Examples
    --------
    >>> count_note("mine: items without an answer, which score 0", 2, of=7, ids=["3", "5"])
    'mine: items without an answer, which score 0 (of 7): 2 (ids 3, 5)'
    """
    id_list = ", ".join(map(visible, ids[:LISTED]))
    more = f" and {count - LISTED:,} more" if count > LISTED else ""
    examples = f" (id{'s' * (count > 1)} {id_list}{more})" if ids else ""
    part = f" ({count / of:.1%})" if share and of else ""
    total = "" if of is None else f" (of {of:,})"
    return Note(f"{what}{total}: {count:,}{part}{examples}", what, count, of, ids, share)


def count_notes(name: str, counts: Mapping[str, int]) -> list[Note]:
    """Return a note for each thing that occurs at least once.

    Parameters
    ----------
    name
        What the counts are about, such as a system.
    counts
        How often each thing occurs.

    Examples
    --------
    >>> count_notes("mine", {"empty answers, which are dropped": 3, "repeated answers": 0})
    ['mine: empty answers, which are dropped: 3']
    """
    return [count_note(f"{name}: {what}", count) for what, count in counts.items() if count]


def count_warnings(name: str, counts: Mapping[str, int]) -> list[Note]:
    """Return the notes of `count_notes` as warnings, which shards add too.

    >>> count_warnings("mine", {"repeated answers": 2})
    ['warning: mine: repeated answers: 2']
    """
    return count_notes(f"{WARNING}{name}", counts)


def add_notes(shards: Sequence[Sequence[str]], items: int) -> list[str]:
    """Return the notes of shards as notes on all items: counts are added.

    A note that counts nothing and that not all shards have says how many have it. It stays a warning.

    Parameters
    ----------
    shards
        The notes of each shard.
    items
        How many items there are.

    Examples
    --------
    >>> one, other = count_note("empty", 2, of=10, ids=["a", "b"]), count_note("empty", 1, of=10, ids=["k"])
    >>> add_notes([[one, "read as text"], [other]], 20)
    ['empty (of 20): 3 (ids a, b, k)', 'in 1 of 2 shards: read as text']
    """
    alike: dict[str, list[str]] = {}
    for note in (note for notes in shards for note in dict.fromkeys(notes)):
        alike.setdefault(note.code if isinstance(note, Note) else note, []).append(note)
    return [_added(notes, len(shards), items) for notes in alike.values()]


def _added(notes: Sequence[str], shards: int, items: int) -> str:
    """Return one note for those of one code."""
    if shards == 1:
        return notes[0]
    counts = [note for note in notes if isinstance(note, Note) and note.n is not None]
    if counts:
        first, ids = counts[0], [name for note in counts for name in note.ids]
        total = sum(note.n or 0 for note in counts)
        rows = sum(note.of or 0 for note in counts) if len(counts) == shards else None  # rows, as there may be more
        of = None if first.of is None else rows if first.share else items
        return count_note(first.code, total, of, ids, share=first.share)
    same = len(set(notes)) == 1
    if same and len(notes) == shards:
        return notes[0]
    text = f"in {len(notes):,} of {shards:,} shards{'' if same else ', such as'}: {notes[0].removeprefix(WARNING)}"
    return warning(text) if is_warning(notes[0]) else text


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
