r"""Where the model summaries of a pyramid begin: the headers between them.

A header is a line of hyphens, a line such as ``D0601.M.250.A.A``, and a line of hyphens. A file may bring a regular
expression of its own for it. That is code from a stranger, which may run for years; so it is carried but never run.
The three that DUC 2006 used are known by heart, and where a file has another one the header above is looked for.
"""

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise

from touchstone.tasks.pyramid.model import Summary

WITHOUT_HYPHENS = frozenset(
    {
        r"[-]*\nD[0-9]*\.M\.250\.[A-Z]\.[A-Z]\n[-]*\n",
        r"[-]*\n(\s*)D[0-9]*\.M\.250\.[A-Z]\.[A-Z]\n[-]*\n",
        r"[-]*\n D[0-9]*\.M\.250\.[A-Z]\.[A-Z]\n[-]*\n",
        r"[-]*\n D[0-9]*-[A-Z]\.M\.100\.[A-Z]\.[A-Z]\n[-]*\n",
    }
)
"""Expressions of DUC 2006 and 2007 that also find a header whose hyphens are missing."""

DEFAULT = r"\-+\n\s*\S+\.M\.[0-9]+\.[A-Za-z]\.\S+\s*\n\-+\n"
"""The header above as an expression, for other tools that open a file made here."""

_LETTERS = r"\-+\n\s*\S+\.M\.[0-9]+\.[A-Za-z]\.[A-Za-z]+\s*\n\-+\n"
"""The one that was in our files as long as their summaries had letters instead of names."""

HEADER_EXPRESSIONS = WITHOUT_HYPHENS | {DEFAULT, _LETTERS, r"\-+\nD[0-9]+\.M\.250\.[A-Z]\.[A-Z]\n\-+\n"}
"""All expressions of DUC 2006, and our own."""

_ID = re.compile(r"\s*(\S+\.M\.[0-9]+\.[A-Z]\.[\w-]+)\s*", re.IGNORECASE)
_LIKE_A_HEADER = re.compile(r"^\s*\S+\.M\.[0-9]+\.\S*", re.IGNORECASE)


def lines_like_headers(lines: Sequence[str]) -> int:
    """Return how many lines begin as the id of a summary does, ruled or not.

    >>> lines_like_headers(["--", "S1.M.9.A.A", "--", "Cats sleep.", "S1.M.9.A.B extra"])
    2
    """
    return sum(_LIKE_A_HEADER.match(line) is not None for line in lines)


def find_summaries(lines: Sequence[str], header: str | None = None) -> tuple[Summary, ...]:
    """Return the summaries that the headers in *lines* set apart: each from the end of its header to the next one.

    >>> find_summaries(["--", "S1.M.9.A.A", "--", "Cats sleep.", "", "--", "S1.M.9.A.B", "--", "Dogs bark."])
    (Summary(id='S1.M.9.A.A', start=17, end=30), Summary(id='S1.M.9.A.B', start=47, end=57))
    """
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    ids = [(line_index, match[1]) for line_index, line in enumerate(lines) if (match := _ID.fullmatch(line))]
    headers = [(line_index, name) for line_index, name in ids if _ruled(lines, line_index, header in WITHOUT_HYPHENS)]
    begins = [_hyphens_before(lines, starts, line_index) for line_index, _ in headers]
    edges = pairwise([*begins, max(starts[-1] - 1, 0)])
    spans = zip(headers, edges, strict=True)
    return tuple(Summary(name, starts[line_index + 2], end) for (line_index, name), (_, end) in spans)


def _ruled(lines: Sequence[str], line_index: int, without_hyphens: bool) -> bool:
    """Return whether the line at *line_index* is between lines of hyphens; *without_hyphens* asks for no text below."""
    if not 0 < line_index < len(lines) - 1:
        return False
    before, after = lines[line_index - 1].strip(), lines[line_index + 1].strip()
    if without_hyphens:
        return not after.strip("-")
    return bool(before and after) and not before.strip("-") and not after.strip("-")


def _hyphens_before(lines: Sequence[str], starts: Sequence[int], line_index: int) -> int:
    """Return where the header of the id at *line_index* begins: with the hyphens that end the line above it."""
    return starts[line_index - 1] + len(lines[line_index - 1].rstrip("-"))
