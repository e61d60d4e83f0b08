"""What kind of fault an error is about: codes that stay the same when its sentence is worded anew."""

from enum import StrEnum


class Code(StrEnum):
    """The kinds of faults; tests and programs read these, people read the sentences.

    >>> Code.UNKNOWN_ID.value
    'unknown-id'
    """

    INVALID = "invalid"
    """A fault of no other kind."""

    # Files and what is in them.
    NO_FILE = "no-file"
    """A file or folder is not there, or is of the wrong kind."""
    UNREADABLE = "unreadable"
    """The content is damaged, incomplete, or not of the format that its name or its beginning promises."""
    EMPTY = "empty"
    """There is nothing to read: no rows, no items, no systems."""
    ENCODING = "encoding"
    """A text is not in the encoding that was named."""
    UNKNOWN_FORMAT = "unknown-format"
    """A suffix or a kind of object that is not read or written."""
    TOO_LARGE = "too-large"
    """An input is larger than what can be held or is safe to open."""
    CANNOT_WRITE = "cannot-write"
    """An output cannot be written, or would replace something that is read."""

    # Tables.
    NO_COLUMN = "no-column"
    """A column or key that is needed or named does not exist."""
    DUPLICATE_COLUMN = "duplicate-column"
    """A column occurs twice, or one column has two roles."""
    AMBIGUOUS = "ambiguous"
    """An input can be read in several ways; the hint names the option for each."""
    BAD_CELL = "bad-cell"
    """A cell, line or field does not hold what it should."""
    NOT_FINITE = "not-finite"
    """A number is nan or infinite."""
    OUT_OF_RANGE = "out-of-range"
    """A number is outside the range of its measure or option."""

    # Ids and names.
    UNKNOWN_ID = "unknown-id"
    """A run or another input has an id that the gold does not have."""
    DUPLICATE_ID = "duplicate-id"
    """An id occurs twice where it may occur once."""
    MISSING_ID = "missing-id"
    """An item has no answer, or a row has no id."""
    MISMATCH = "mismatch"
    """Two inputs that belong together contradict each other: their texts, order, number of rows or sets of items."""
    UNKNOWN_NAME = "unknown-name"
    """No system, measure, field, choice or option has this name."""
    DUPLICATE_NAME = "duplicate-name"
    """Two systems, files or other things have the same name."""

    # Options and arguments.
    OPTION_NEEDED = "option-needed"
    """An option or argument must be given."""
    OPTION_UNUSED = "option-unused"
    """An option would do nothing here, or contradicts another one."""
    BAD_VALUE = "bad-value"
    """The value of an option or argument cannot be used."""

    # What the data support.
    TOO_FEW = "too-few"
    """Too few items, systems, clusters, annotators or labels for what was asked."""
    UNSUPPORTED = "unsupported"
    """The data or the measure do not allow what was asked."""

    # The machine.
    MISSING_EXTRA = "missing-extra"
    """A package is not installed; the hint has the command."""
    DATABASE = "database"
    """The database cannot be used, or its state does not allow the action."""
    FAILED = "failed"
    """Work stopped: a worker died, a part failed, a limit was reached."""
