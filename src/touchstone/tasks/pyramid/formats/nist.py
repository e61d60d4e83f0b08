"""Tables of scores and ratings as NIST distributes them with the data of DUC.

A table of scores (``2006_modified_scores.txt``) has tabs and no header; the number of its columns tells the year. A
table of ratings (``content.table``, ``overall.table``, ``linguistic_quality.table``) has blanks: some lines of text,
then lines of document set, two letters, summariser, the number of the question where there are several, and rating.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, Faults, TouchstoneError, refuse
from touchstone.base.files import Source
from touchstone.io.cells import parse_number
from touchstone.io.formats import suffix_of
from touchstone.io.reading import read_table
from touchstone.io.tables import TableFile
from touchstone.io.text import lines, read_text
from touchstone.tasks.pyramid.model import unpadded

_SUMMARY = ("setid", "peerid")
_UNITS = ("score", "nscu", "nrep")
_PEOPLE = ("annotator", "creator")
_QUESTIONS = ("l1", "l2", "l3", "l4", "l5")

LAYOUTS = {
    15: (*_SUMMARY, "original", *_UNITS, *_PEOPLE, *_QUESTIONS, "responsiveness", "editing"),
    13: (*_SUMMARY, *_UNITS, *_PEOPLE, *_QUESTIONS, "content"),
    11: (*_SUMMARY, *_UNITS, *_QUESTIONS, "content"),
}
"""The columns of the tables of scores of DUC 2005, 2006 and 2007, by their number; ``score`` is the modified score."""

SUFFIX = ".table"

_SET = re.compile(r"D[0-9]\S*", re.IGNORECASE)

_ROW = re.compile(r"\s*(D[0-9]\S*)\s+\S+\s+\S+\s+(\S+)((?:\s+\S+){1,2})\s*", re.IGNORECASE)

_YEAR = re.compile(r"[0-9]{4}[_-]")


def read_nist(path: str | Path) -> TableFile:
    """Read a table of scores or ratings: NIST's own, or any other with a header.

    Parameters
    ----------
    path
        A file; the suffix ``.table`` tells a table of ratings of NIST, a first row of data its table of scores.
    """
    if suffix_of(path) == SUFFIX:
        text, source = read_text(path)
        return parse_ratings(text, source)
    table = read_table(path, headless=lambda first: score_columns(first, str(path)))
    if tuple(table.columns) in LAYOUTS.values():
        faults = Faults()
        for name in table.columns:
            with faults.collect():
                if name in _SUMMARY:
                    table.ids(name)
                elif name not in (*_PEOPLE, "editing"):
                    table.numbers(name)
        faults.check()
    return table


def score_columns(first: Sequence[str], file: str | None = None) -> Sequence[str] | None:
    """Return the names of the columns of a table of scores without a header; None if *first* is a header.

    Parameters
    ----------
    first
        The cells of the first row; an empty one at the end is a tab at the end of the line.
    file
        The name of the file, for the sentence that refuses a row of data of no known layout.

    Examples
    --------
    >>> score_columns(["D0701", "8", "0.2", "5", "0", "4", "3", "2", "1", "5", "4"])[2:5]
    ('score', 'nscu', 'nrep')
    >>> score_columns(["setid", "peerid", "score"])
    """
    width = len(first) - (not first[-1])
    figures = first[2:5]
    if not (_SET.fullmatch(first[0]) or width in LAYOUTS) or len(figures) < 3:
        return None
    if not all(figures) or any(parse_number(cell) is None for cell in figures):
        return None
    names = LAYOUTS.get(width)
    if names is None:
        what = f"a table without a header that has {width} columns, and no known table of NIST has so many"
        hint = "write a first line with the names of the columns, among them setid, peerid and score"
        raise TouchstoneError(what, file=file, line=1, code=Code.NO_COLUMN, hint=hint)
    return (*names, "") if width < len(first) else names


def parse_ratings(text: str, source: Source) -> TableFile:
    """Return a table of ratings with a row for each summary; refuse lines below the first rating that are none.

    Parameters
    ----------
    text
        The lines of the file. Those above the first rating are a heading.
    source
        The file, whose name without the year is the name of the rating; questions are called l1, l2, ….
    """
    ratings: dict[tuple[str, str], dict[str, str]] = {}
    first: dict[tuple[str, str], int] = {}
    faults: list[Fault] = []
    name = _YEAR.sub("", source.stem, count=1)
    widths: set[int] = set()
    for line, written in lines(text):
        match = _ROW.fullmatch(written)
        if match is None:
            if first:
                what = "not a line of set, two letters, summariser and rating"
                faults.append(Fault(what, source.name, line, written, code=Code.BAD_CELL))
            continue
        summary, cells = (match[1], unpadded(match[2])), match[3].split()
        widths.add(len(cells))
        # Tables of linguistic quality have the number of a question before the rating, those of content have none.
        question = f"l{cells[0]}" if len(cells) == 2 else name
        faults += [
            Fault("a question or rating is not a whole number", source.name, line, cell, code=Code.BAD_CELL)
            for cell in cells
            if not (cell.isascii() and cell.isdigit())
        ]
        earlier = ratings.setdefault(summary, {}).setdefault(question, cells[-1])
        if earlier != cells[-1]:
            what = f"set {summary[0]}, summariser {summary[1]} has another rating on line {first[summary]} or below"
            faults.append(Fault(what, source.name, line, cells[-1], code=Code.DUPLICATE_ID))
        first.setdefault(summary, line)
    if not first:
        what = "no line of document set, two letters, summariser and rating"
        faults.append(Fault(what, source.name, code=Code.EMPTY))
    if len(widths) > 1:
        what = "some lines have the number of a question and some have none"
        faults.append(Fault(what, source.name, code=Code.UNREADABLE))
    refuse(faults, "give NIST's file as it is, or a table with the columns setid and peerid")
    names = sorted({question for answers in ratings.values() for question in answers})
    columns: dict[str, list[object]] = {
        "setid": [summary[0] for summary in ratings],
        "peerid": [summary[1] for summary in ratings],
        **{question: [answers.get(question) for answers in ratings.values()] for question in names},
    }
    return TableFile(source, columns, [first[summary] for summary in ratings])
