"""What the analyser sees of a word: its row in the vocabulary, hashed affixes and its shape.

All of it depends on the word type alone, so it is computed once for each type.
"""

import re
from typing import NamedTuple
from zlib import crc32


class Affix(NamedTuple):
    """A part of the word that is hashed into a table of *rows*; *size* letters, negative from the end."""

    name: str
    size: int
    rows: int
    width: int


AFFIXES = (
    Affix("prefix1", 1, 512, 16),
    Affix("prefix2", 2, 2048, 32),
    Affix("prefix3", 3, 4096, 32),
    Affix("suffix1", -1, 512, 16),
    Affix("suffix2", -2, 2048, 32),
    Affix("suffix3", -3, 4096, 32),
    Affix("suffix4", -4, 8192, 32),
    Affix("shape", 0, 1024, 32),
)

_AFFIX_SLICES = [slice(affix.size) if affix.size > 0 else slice(affix.size, None) for affix in AFFIXES if affix.size]
"""Where the letters of each affix are in a word."""
_TABLES = [(crc32(f"{affix.name} ".encode()), affix.rows) for affix in AFFIXES]
"""Where the hash of a part begins, after the name of its table, and the rows of that table."""

LONGEST = 64
"""Letters of a word that count: no English word is longer, and hostile ones must cost no more."""

# Quotes and brackets as the Penn Treebank writes them.
_ESCAPES = {"``": '"', "''": '"', "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_MARKS = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "‘": "'", "`": "'", "…": "..."})
_RUNS = re.compile(r"(.)\1{2,}", re.DOTALL)


def normalised(form: str) -> str:
    """Return *form* with one spelling for each mark and bracket, cut at `LONGEST` letters.

    >>> normalised("``"), normalised("n’t"), normalised("-LRB-")
    ('"', "n't", '(')
    """
    short = form[:LONGEST]
    return _ESCAPES.get(short) or short.translate(_MARKS)


def shape(form: str) -> str:
    """Return the shape of a word: X, x and d for letters and digits, runs cut at two.

    >>> shape("McDonald"), shape("15-year"), shape("2008")
    ('XxXxx', 'dd-xx', 'dd')
    """
    if form.isalpha() and form[1:].islower():  # most words
        return ("X" if form[0].isupper() else "x") + "x" * min(len(form) - 1, 1 + form[0].isupper())
    letters = ["X" if c.isupper() else "x" if c.isalpha() else "d" if c.isdigit() else c for c in form]
    return _RUNS.sub(r"\1\1", "".join(letters))


def buckets(form: str) -> tuple[int, ...]:
    """Return the row of each of `AFFIXES` for a `normalised` form."""
    lowered = form.lower()
    if lowered.isascii():  # parts of the letters are parts of the bytes
        encoded = lowered.encode()
        parts = [encoded[affix_slice] for affix_slice in _AFFIX_SLICES]
    else:
        parts = [lowered[affix_slice].encode("utf-8", "surrogatepass") for affix_slice in _AFFIX_SLICES]
    parts.append(shape(form).encode("utf-8", "surrogatepass"))
    return tuple([crc32(part, start) % rows for part, (start, rows) in zip(parts, _TABLES, strict=True)])


def vocabulary_keys(form: str) -> tuple[str, ...]:
    """Return what to look up in the vocabulary for a `normalised` form, the best first.

    A compound that is not listed is looked up by its last part: in "oil-rich" it is the part that inflects.

    >>> vocabulary_keys("Oil-rich")
    ('oil-rich', 'rich')
    """
    lowered = form.lower()
    head = lowered.rpartition("-")[2]
    return (lowered, head) if head and head != lowered else (lowered,)
