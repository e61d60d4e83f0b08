"""Read the lists of substitutions, the shipped ones and the user's own, and refuse what is wrong with file and line."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, nearest
from touchstone.base.files import Source
from touchstone.base.spelling import setting
from touchstone.io.text import lines, read_text
from touchstone.systems.challenge.checking import check_lexicon
from touchstone.systems.challenge.conditions import Frame
from touchstone.systems.challenge.lexicon import (
    COUNTABLE,
    PHRASE,
    POS,
    Entry,
    Group,
    Lexicon,
    Member,
    Origin,
    Proposal,
    Substitution,
)

SHIPPED = Path(__file__).with_name("lists")
SUFFIX = ".tsv"

REVIEWED = "reviewed"
PROPOSED = (REVIEWED, "from_sense", "to_sense", "path", "times", "example")
"""The columns that a list of pairs has in addition where WordNet proposed it."""
_FRAME = ("before", "after", "without", "when")
_SHAPES: Mapping[str, tuple[str, ...]] = {
    "word": ("group", "word", "pos", "countable", "fixed", *_FRAME),
    "from": ("from", "to", "relation", "pos", "both_ways", "countable", "fixed", "determiner", *_FRAME, *PROPOSED),
    "class": ("class", "words"),
    "phrase": ("phrase",),
}
"""The columns of each shape of list, by the column that tells it."""
_REQUIRED = {"word": ("group",), "from": ("to", "relation", "pos"), "class": ("words",), "phrase": ()}
_RELATIONS = {"synonym": "synonym", "kind_of": "hypernym", "antonym": "antonym", "excludes": "co_hyponym"}
_REPEATED = ("pos", "countable", "fixed", *_FRAME)
"""Cells of a group that hold for its later rows too where these leave them empty."""
_NONE = "-"
_ABSENT = "none"

Row = Mapping[str, str]


class Classes:
    """The words of each class, and the frames that were written with them: one object for the same cells."""

    def __init__(self, words: Mapping[str, frozenset[str]]) -> None:
        self._words = words
        self._frames: dict[tuple[str, str, str], Frame] = {}

    def frame(self, before: str, after: str, without: str) -> Frame:
        """Return the frame that three cells write."""
        cells = before, after, without
        if cells not in self._frames:
            self._frames[cells] = Frame.parse(*cells, self._words)
        return self._frames[cells]


@dataclass(frozen=True)
class _List:
    """One file: its shape, its rows with their origins, and whether WordNet *proposed* them to a reviewer."""

    source: Source
    shape: str
    rows: tuple[tuple[Origin, Row], ...]
    proposed: bool


def read_lexicon(*paths: str | Path, shipped: bool = True, unreviewed: bool = False) -> Lexicon:
    """Return the lexicon of the shipped lists and of the user's own.

    Parameters
    ----------
    paths
        Lists, or folders of lists; a list with the name of a shipped one takes its place.
    shipped
        Whether the shipped lists are read at all. The shipped classes and phrases always are.
    unreviewed
        Whether proposed lines that nobody has reviewed are used; those that a reviewer refused never are.
    """
    user_lists = _user_lists(paths)
    shipped_lists = {file.stem: file for file in _files(SHIPPED)}
    if not shipped:
        shipped_lists = {name: file for name, file in shipped_lists.items() if name in ("classes", "phrases")}
    unreplaced = {name: file for name, file in shipped_lists.items() if name not in user_lists}
    lists = [_read_list(file) for by_name in (unreplaced, user_lists) for _, file in sorted(by_name.items())]
    classes = _classes(list_file for list_file in lists if list_file.shape == "class")
    lexicon = Lexicon(
        tuple(pair for list_file in lists for pair in _pairs(list_file, classes, unreviewed=unreviewed)),
        tuple(group for list_file in lists for group in _groups(list_file, classes)),
        tuple(phrase for list_file in lists for phrase in _phrases(list_file)),
        tuple(list_file.source for list_file in lists),
    )
    check_lexicon(lexicon)
    return lexicon


def _user_lists(paths: Iterable[str | Path]) -> dict[str, Path]:
    """Return the user's lists by name."""
    user_lists: dict[str, Path] = {}
    for file in (file for path in paths for file in _files(Path(path))):
        if user_lists.setdefault(file.stem, file).resolve() != file.resolve():
            hint = f"the other one is {user_lists[file.stem]}; rename one of them"
            raise TouchstoneError("two lists with the same name", file=str(file), code=Code.DUPLICATE_NAME, hint=hint)
    return user_lists


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(path.glob(f"*{SUFFIX}"))
    if not files:
        hint = f"put lists with the suffix {SUFFIX} into it; docs/nli_lists.md describes them"
        raise TouchstoneError("no list in this folder", file=str(path), code=Code.EMPTY, hint=hint)
    return files


def _text(path: Path) -> tuple[str, Source]:
    """Return the text of a list; the option of an encoding is for premises alone."""
    try:
        return read_text(path)
    except TouchstoneError as error:
        ways = {
            "is empty": "give a header line and a line per entry",
            "no such file": "give a list or a folder of lists",
        }
        fault = error.faults[0]
        raise TouchstoneError.of(error.faults, ways.get(fault.what, "lists are text in UTF-8")) from None


def _read_list(path: Path) -> _List:
    """Return the rows of a file as mappings from column to cell; lines that start with ``#`` are comments."""
    text, source = _text(path)
    rows = [(number, line.split("\t")) for number, line in lines(text) if not line.startswith("#")]
    if len(rows) < 2:
        hint = "give a header line and a line per entry"
        raise TouchstoneError("no entry in this list", file=source.name, code=Code.EMPTY, hint=hint)
    (header_line, header), *body = rows
    columns = [cell.strip() for cell in header]
    shape = _shape(columns, source.name, header_line)
    faults = [
        Fault(f"{len(cells)} cells, and the header has {len(columns)}", source.name, number, code=Code.BAD_CELL)
        for number, cells in body
        if len(cells) > len(columns)
    ]
    if faults:
        raise TouchstoneError.of(faults, "separate cells with one tab; cells at the end of a line may be left out")
    name = path.stem
    return _List(
        source,
        shape,
        tuple(
            (Origin(name, source.name, number), dict.fromkeys(_SHAPES[shape], "") | _row(columns, cells))
            for number, cells in body
        ),
        REVIEWED in columns,
    )


def _row(columns: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    return dict(zip(columns, (cell.strip() for cell in cells), strict=False))


def _shape(columns: Sequence[str], file: str, line: int) -> str:
    """Return the column that tells which shape a list has; refuse unknown, repeated and missing columns."""
    shape = next((name for name in _SHAPES if name in columns), None)
    if shape is None:
        near = next((near for column in columns if (near := nearest(column, _SHAPES))), None)
        hint = "a list of groups has a column 'word', one of pairs 'from', one of classes 'class', of phrases 'phrase'"
        what = "no column tells what this list is"
        raise TouchstoneError(what, file=file, line=line, near=near, code=Code.NO_COLUMN, hint=hint)
    allowed = _SHAPES[shape]
    faults = [
        Fault("unknown column", file, line, column, nearest(column, allowed), "column", code=Code.UNKNOWN_NAME)
        for column in columns
        if column not in allowed
    ]
    faults += [
        Fault("column twice", file, line, name, code=Code.DUPLICATE_COLUMN)
        for name in allowed
        if columns.count(name) > 1
    ]
    faults += [
        Fault("no column", file, line, name, code=Code.NO_COLUMN) for name in _REQUIRED[shape] if name not in columns
    ]
    if faults:
        raise TouchstoneError.of(faults, f"the columns are {', '.join(allowed)}")
    return shape


def _classes(lists: Iterable[_List]) -> Classes:
    words_by_class: dict[str, frozenset[str]] = {}
    for origin, row in (row for list_file in lists for row in list_file.rows):
        if row["class"] in words_by_class:
            raise _error(
                origin, Code.DUPLICATE_NAME, "duplicate class", row["class"], "give all words of a class on one line"
            )
        words_by_class[row["class"]] = frozenset(row["words"].lower().split())
    return Classes(words_by_class)


def _pairs(list_file: _List, classes: Classes, *, unreviewed: bool) -> Iterator[Substitution]:
    """Yield the substitutions of a list of pairs, one for each direction."""
    if list_file.shape != "from":
        return
    for origin, row in _approved(list_file, unreviewed=unreviewed):
        pos, fixed = _choice(origin, row, "pos", POS), _flag(origin, row, "fixed")
        relation = _RELATIONS[_choice(origin, row, "relation", tuple(_RELATIONS))]
        # "count>mass": the first for the word, the second for its replacement.
        countable = row["countable"].split(">") if ">" in row["countable"] else [row["countable"]] * 2
        for value in countable:
            _require_choice(origin, "countable", value, COUNTABLE)
        source = _entry(origin, row["from"], pos, countable[0], fixed=fixed)
        target = _entry(origin, row["to"], pos, countable[-1], fixed=fixed)
        frame, determiners = _frame(origin, row, classes), _determiners(origin, row)
        proposal = Proposal(row[REVIEWED] == "yes", (row["from_sense"], row["to_sense"]), row["path"])
        pair = Substitution(
            source,
            target,
            relation,
            (frame,),
            origin,
            when=row["when"],
            determiners=determiners,
            proposal=proposal if list_file.proposed else None,
        )
        yield pair
        if _flag(origin, row, "both_ways"):
            yield replace(pair, source=target, target=source, determiners=())


def _approved(list_file: _List, *, unreviewed: bool) -> Iterator[tuple[Origin, Row]]:
    """Yield the lines of a list that may be used: all, unless WordNet proposed it and they have to be reviewed."""
    if not list_file.proposed:
        yield from list_file.rows
        return
    accepted = ("yes", "") if unreviewed else ("yes",)
    rows = [line for line in list_file.rows if _choice(*line, REVIEWED, ("yes", "no", "")) in accepted]
    if not rows:
        hint = f"write yes in the column reviewed of the lines to use, or add {setting('unreviewed', 'True')}"
        what = "no line of this list is reviewed and approved"
        raise TouchstoneError(what, file=list_file.source.name, code=Code.EMPTY, hint=hint)
    yield from rows


def _groups(list_file: _List, classes: Classes) -> Iterator[Group]:
    if list_file.shape != "word":
        return
    first_lines: dict[str, int] = {}
    # Neighbouring lines alone: a name that comes back later is a fault, not more of the group.
    for name, rows in groupby(list_file.rows, key=lambda row: row[1]["group"]):
        members = list(rows)
        first_origin, first = members[0]
        if not name:
            raise _error(
                first_origin, Code.BAD_CELL, "no group", first["word"], "every line needs the name of its group"
            )
        if name in first_lines:
            hint = f"the lines of a group stand together; it starts on line {first_lines[name]}"
            raise _error(first_origin, Code.DUPLICATE_NAME, "group in two places", name, hint)
        if not first["when"]:
            hint = "its first line says in the column 'when' of what its words exclude each other"
            raise _error(first_origin, Code.BAD_CELL, "group that does not say when", name, hint)
        if len(members) < 2:
            raise _error(first_origin, Code.TOO_FEW, "group of one word", name, "a group has at least two words")
        first_lines[name] = first_origin.line
        yield Group(name, first["when"], tuple(_member(origin, row, first, classes) for origin, row in members))


def _member(origin: Origin, row: Row, first: Row, classes: Classes) -> Member:
    full = dict(row)
    for column in _REPEATED:
        full[column] = "" if row[column] == _NONE else row[column] or first[column]
    pos = _choice(origin, full, "pos", POS)
    _require_choice(origin, "countable", full["countable"], COUNTABLE)
    entry = _entry(origin, row["word"], pos, full["countable"], fixed=_flag(origin, full, "fixed"))
    return Member(entry, _frame(origin, full, classes), origin)


def _phrases(list_file: _List) -> Iterator[Entry]:
    if list_file.shape == "phrase":
        yield from (Entry.parse(row["phrase"], PHRASE, fixed=True) for _, row in list_file.rows)


def _entry(origin: Origin, text: str, pos: str, countable: str, *, fixed: bool) -> Entry:
    if not text:
        raise _error(origin, Code.BAD_CELL, "no word", None, "fill the cell, or remove the line")
    if text != text.lower() and pos != "name" and not fixed:
        hint = "write it in lower case, or mark it: pos name, or fixed yes"
        raise _error(origin, Code.BAD_CELL, "capital letter in a word that is no name", text, hint)
    return Entry.parse(text, pos, countable, fixed=fixed)


def _frame(origin: Origin, row: Row, classes: Classes) -> Frame:
    try:
        return classes.frame(row["before"], row["after"], row["without"])
    except TouchstoneError as error:
        fault = error.faults[0]
        hint = "define classes in classes.tsv; parts of speech are in docs/nli_lists.md"
        raise TouchstoneError.of([replace(fault, file=origin.file, line=origin.line)], hint) from None


def _determiners(origin: Origin, row: Row) -> tuple[tuple[str, str], ...]:
    """Return what each determiner becomes: ``the>a none>a`` has two changes."""
    changes = [tuple(item.split(">")) for item in row["determiner"].split()]
    if any(len(change) != 2 or "" in change for change in changes):
        hint = "write old>new, for example the>a, or none>a where there is none"
        raise _error(origin, Code.BAD_CELL, "unknown change of a determiner", row["determiner"], hint)
    return tuple(("" if old == _ABSENT else old, "" if new == _ABSENT else new) for old, new in changes)


def _flag(origin: Origin, row: Row, column: str) -> bool:
    return _choice(origin, row, column, ("", "yes", "no")) == "yes"


def _choice(origin: Origin, row: Row, column: str, choices: Sequence[str]) -> str:
    return _require_choice(origin, column, row[column], choices)


def _require_choice(origin: Origin, column: str, value: str, choices: Sequence[str]) -> str:
    if value not in choices:
        hint = f"{column} is one of {', '.join(name or '(empty)' for name in choices)}"
        raise _error(origin, Code.BAD_CELL, f"unknown {column}", value, hint, nearest(value, choices))
    return value


def _error(
    origin: Origin, code: Code, what: str, value: str | None, hint: str, near: str | None = None
) -> TouchstoneError:
    return TouchstoneError(what, file=origin.file, line=origin.line, value=value, near=near, code=code, hint=hint)
