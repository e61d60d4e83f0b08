"""Tables of people's scores: several people may score one output, and columns may say more of it, such as its length.

A table with a column ``annotator`` has a row for each answer. The scores of an output are the means over its answers.
One table may hold both sides: a column of people's scores, and a column of the judge's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from pathlib import Path

from touchstone.base.errors import TouchstoneError
from touchstone.base.signature import plain_value
from touchstone.base.spelling import setting
from touchstone.core.results import RECORD
from touchstone.io.annotations import ANNOTATOR
from touchstone.io.cells import is_empty, listed
from touchstone.io.runs import run_files
from touchstone.io.tables import TableFile
from touchstone.judge.pairing_checks import PROBABILITY, checked_probabilities
from touchstone.judge.pairing_measures import split_name
from touchstone.tasks.items import ITEM, ROLES, SYSTEM, Options, average
from touchstone.tasks.items.texts import worth
from touchstone.tasks.items.tools import ToolTable, read_files

Place = tuple[str, str]
"""A system and an item."""


@dataclass(frozen=True, eq=False)
class OutputTable:
    """The input of `touchstone.items.read`: a file, or the table with the means over people; and what single rows say.

    Parameters
    ----------
    given
        The file, or the table with a row for each output.
    answers
        By column of scores, the answers to each output; without a column of systems each column is a system.
    fields
        By column, what the table says of each output.
    empty
        By column of scores, how many answers are empty.
    wide
        Whether each column is a system.
    """

    given: Path | TableFile
    answers: Mapping[str, Mapping[Place, Sequence[float]]] = field(default_factory=dict)
    fields: Mapping[str, Mapping[Place, str]] = field(default_factory=dict)
    empty: Mapping[str, int] = field(default_factory=dict)
    wide: bool = False

    def answers_to(self, measure: str) -> Mapping[Place, Sequence[float]]:
        """Return the answers to each output under a measure."""
        if self.wide:
            return {place: given for of in self.answers.values() for place, given in of.items()}
        return self.answers.get(measure, {})

    def notes(self, measure: str) -> list[str]:
        """Return a note on empty answers of people under a measure."""
        empty = sum(self.empty.values()) if self.wide else self.empty.get(measure, 0)
        return [f"answers of people without a score ({measure}), which are left out: {empty:,}"] if empty else []


BOTH = "human=judge"
"""The columns of people and of the judge in a table that has both, by default."""


def read_sides(path: Path, options: Options, measures: Sequence[str]) -> tuple[OutputTable, OutputTable]:
    """Read a table with a column of people's scores, empty where nobody scored, and one of the judge's.

    Parameters
    ----------
    path
        The table.
    options
        The options of the task.
    measures
        The columns of both sides, each as ``HUMAN=JUDGE``.
    """
    file = _single_table(path, options)
    if file is None:
        raise TouchstoneError("is no single table", file=str(path), hint=f"{ALONE} {setting('measure', 'HUMAN=JUDGE')}")
    people, judge = ([_column(file, name) for name in names] for names in zip(*map(split_name, measures), strict=True))
    same = next((name for name in people if name in judge), None)
    if same is not None:
        what = "people and the judge have the same column"
        raise TouchstoneError(
            what, file=file.source.name, value=same, hint=f"{ALONE} {setting('measure', 'HUMAN=JUDGE')}"
        )
    if SYSTEM.name not in file.roles(ROLES, plain_options(options).column):
        file = replace(file, columns={SYSTEM.name: [file.source.stem] * len(file), **file.columns})
    scored = [row for row in range(len(file)) if any(not is_empty(file.columns[name][row]) for name in people)]
    if not scored:
        hint = "for a first draw with --next, give an empty file for people before this one"
        raise TouchstoneError("people scored nothing", file=file.source.name, value=", ".join(people), hint=hint)
    human = {name: [cells[row] for row in scored] for name, cells in file.columns.items() if name not in judge}
    machine = {name: cells for name, cells in file.columns.items() if name not in people}
    sides = replace(file, columns=human, lines=[file.lines[row] for row in scored]), replace(file, columns=machine)
    return read_outputs(sides[0], options), read_outputs(sides[1], options)


ALONE = "give the judge's table after people's, or name two columns of one table with"


def _column(file: TableFile, name: str) -> str:
    column = file.name(name, required=False)
    if column is None:
        hint = f"{ALONE} {setting('measure', 'HUMAN=JUDGE')}; the columns are {listed(file.columns)}"
        raise TouchstoneError(f"there is no judge: no column {name!r}", file=file.source.name, hint=hint)
    return column


def _single_table(path: Path, options: Options) -> TableFile | None:
    runs = run_files([str(path)])
    if runs[0].column is not None:
        way = setting("measure", "HUMAN=JUDGE")
        hint = f"leave out :{runs[0].column}; name the columns of people and of the judge with {way}"
        raise TouchstoneError(
            "no single column can be read here", file=str(runs[0].path), value=runs[0].column, hint=hint
        )
    files = read_files(runs, options.encoding, ROLES)
    return None if len(files) != 1 or isinstance(files[0][1], ToolTable) else files[0][1]


def read_outputs(path: Path | TableFile, options: Options) -> OutputTable:
    """Read the scores of outputs, and average those of several people; refuse two answers of one person.

    Parameters
    ----------
    path
        A table, or whatever the task reads; only a single table may have a column of annotators.
    options
        The options of the task.
    """
    file = path if isinstance(path, TableFile) else _single_table(path, options)
    if file is None:
        return OutputTable(path)
    file = replace(file, worth=worth(options.value))
    columns = file.roles(ROLES, plain_options(options).column)
    system, item = columns.get(SYSTEM.name), columns.get(ITEM.name)
    person = file.roles([ANNOTATOR], list(filter(_of_annotators, options.column))).get(ANNOTATOR.name)
    if item is None:
        return OutputTable(file)
    skipped = (system, item, person, PROBABILITY)
    kept = [name for name in file.columns if name not in skipped and not name.startswith(RECORD)]
    items, systems = file.ids(item).ids, file.ids(system).ids if system else [""] * len(file)
    places = list(zip(systems, items, strict=True))
    rows: dict[Place, list[int]] = {}
    for row, place in enumerate(places):
        rows.setdefault(place, []).append(row)
    if person is not None:
        if PROBABILITY in file.columns:
            checked_probabilities([(file.ids(item), file.numbers(PROBABILITY))])  # a mean would hide what differs
        for name in kept:
            if file.odd_cell(name) is not None:
                file.numbers(name)  # refuses the cells that are no numbers, with their lines
    numbers = {name: file.numbers(name) for name in kept if file.is_numeric(name)}
    texts = {name: file.texts(name) for name in kept}
    keys = [name for name in (system, item) if name]
    merged = average(file, keys, person, list(numbers)) if person else file
    fields = {name: _facts(rows, texts[name], numbers.get(name)) for name in kept} if system else {}
    answers = {name: _answers(rows, numbers[name], None if system else name) for name in numbers} if person else {}
    empty = {name: sum(map(isnan, numbers[name])) for name in numbers} if person else {}
    return OutputTable(merged, answers, fields, empty, wide=system is None)


def plain_options(options: Options) -> Options:
    """Return the options without the column of annotators, which other tables do not have."""
    return replace(options, column=tuple(text for text in options.column if not _of_annotators(text)))


def _of_annotators(choice: object) -> bool:
    return str(choice).startswith(f"{ANNOTATOR.name}=")


def output_fields(human: OutputTable, judge: OutputTable) -> dict[str, Mapping[Place, str]]:
    """Return what both tables say of outputs; a column of either in which they differ is a score, and is left out."""
    shared = human.fields.keys() & judge.fields.keys()
    differing = {
        name
        for name in shared
        if any(
            plain_value(judge.fields[name].get(place, cell)) != plain_value(cell)
            for place, cell in human.fields[name].items()
        )
    }
    return {name: of for name, of in {**judge.fields, **human.fields}.items() if name not in differing}


def _answers(
    rows: Mapping[Place, Sequence[int]], numbers: Sequence[float], system: str | None
) -> dict[Place, list[float]]:
    """Return the answers to each output; *system* is its name where the column is a system."""
    given = {
        (system or place[0], place[1]): [numbers[row] for row in own if not isnan(numbers[row])]
        for place, own in rows.items()
    }
    return {place: own for place, own in given.items() if own}


def _facts(
    rows: Mapping[Place, Sequence[int]], texts: Sequence[str | None], numbers: Sequence[float] | None
) -> dict[Place, str]:
    """Return what a column says of each output: the mean of its numbers, or the text that its rows share."""
    facts = {}
    for place, own in rows.items():
        values = {texts[row] for row in own} - {None}
        if len(values) == 1:
            [cell] = values
            facts[place] = str(cell)
        elif values and numbers is not None:
            facts[place] = repr(_mean([numbers[row] for row in own]))
    return facts


def _mean(values: Sequence[float]) -> float | None:
    known = [value for value in values if not isnan(value)]
    return sum(known) / len(known) if known else None
