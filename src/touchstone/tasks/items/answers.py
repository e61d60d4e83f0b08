"""Tables of people's scores beside those of a judge: several people may score one output, and columns say more of it.

A table with a column ``annotator`` has a row for each answer. The scores of an output are the means over its answers.
One table may hold both sides: a column of people's scores, and a column of the judge's.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ids import STRICT, Policy
from touchstone.base.options import build_options
from touchstone.base.signature import number_or_text
from touchstone.base.spelling import setting
from touchstone.core.resampling import Resampling
from touchstone.core.results import RECORD
from touchstone.io.annotations import ANNOTATOR, SYSTEM
from touchstone.io.cells import is_empty, listed
from touchstone.io.objects import table_of
from touchstone.io.runs import run_files
from touchstone.io.tables import TableFile
from touchstone.judge.paired import OutputKey, Paired
from touchstone.judge.pairing import Details, pair, split_name
from touchstone.judge.probabilities import PROBABILITY, checked_probabilities
from touchstone.tasks.items.about import Options
from touchstone.tasks.items.averaging import annotator_doubts, average
from touchstone.tasks.items.logs import ToolTable
from touchstone.tasks.items.model import SCHEMA, VALUE
from touchstone.tasks.items.objects import named_files, rows_of
from touchstone.tasks.items.task import TASK
from touchstone.tasks.items.tools import read_files
from touchstone.tasks.items.values import declared_ranges, require_columns, require_range, worth

BOTH = "human=judge"
"""The columns of people and of the judge in a table that has both, by default."""


class JudgedTables(NamedTuple):
    """What to read on either side, the options and the measures to read it with, and what single rows say."""

    human: Any
    judge: Any
    options: Options
    measures: Sequence[str]
    details: Details


@dataclass(frozen=True, eq=False)
class OutputTable:
    """What `touchstone.items.score` reads, with the means over people; and what single rows say.

    Parameters
    ----------
    scores
        The table with a row for each output; what is no single table is as it was given.
    answers
        By measure, the answers to each output; without a column of systems each column is a system.
    facts
        By column, what the table says of each output.
    empty
        By measure, how many answers are empty.
    wide
        Whether each column is a system.
    doubts
        By measure, the warnings about the people who answered.
    """

    scores: Any
    answers: Mapping[str, Mapping[OutputKey, Sequence[float]]] = field(default_factory=dict)
    facts: Mapping[str, Mapping[OutputKey, str]] = field(default_factory=dict)
    empty: Mapping[str, int] = field(default_factory=dict)
    wide: bool = False
    doubts: Mapping[str, Sequence[str]] = field(default_factory=dict)


def paired_tables(
    human: object,
    judge: object = None,
    measures: Iterable[str] = (),
    *,
    resampling: Resampling = Resampling(),  # noqa: B008 (immutable)
    policy: Policy = STRICT,
    **options: object,
) -> list[Paired]:
    """Read human scores of some items and a judge's scores of all, and join them: a table for each measure.

    Parameters
    ----------
    human, judge
        Files or Python objects: tables with columns for the system, the item, and the score under each measure. With a
        column of annotators, people's table has a row for each answer. Without *judge* the first table has both sides,
        in the columns human and judge or those that *measures* name.
    measures
        Names of measures; ``HUMAN=JUDGE`` where a measure has another name on the judge's side. By default those that
        both sides score, or the only one of each side.
    resampling
        The level of intervals, and the field of items that belong together.
    policy
        What happens to ids that do not match: ``unknown`` is about human items that the judge lacks.
    options
        The options of the task ``items``, by name.

    Examples
    --------
    >>> human = [{"system": "a", "item": "1", "rating": 1.0}, {"system": "a", "item": "2", "rating": 0.0}]
    >>> judge = [{"system": "a", "item": str(item), "score": item / 4} for item in range(1, 5)]
    >>> [paired] = paired_tables(human, judge)
    >>> paired.measure.name, paired.human_values.tolist(), paired.judge_values.tolist()
    ('rating', [1.0, 0.0, nan, nan], [0.25, 0.5, 0.75, 1.0])
    """
    tables = read_sides(human, judge, build_options(Options, options), tuple(measures))
    people, machine = (TASK.read(side, **vars(tables.options)) for side in (tables.human, tables.judge))
    return pair(TASK, people, machine, tables.measures, details=tables.details, resampling=resampling, policy=policy)


def read_sides(human: Any, judge: Any, options: Options, measures: Sequence[str]) -> JudgedTables:  # noqa: ANN401
    """Return the scores of people and of a judge from two tables, or from one that has both.

    Parameters
    ----------
    human, judge
        The tables, files or objects; None for the judge where people's table has both sides.
    options
        The options of the task.
    measures
        The columns of both sides; in one table each is ``HUMAN=JUDGE``.
    """
    if judge is None:
        measures = measures or (BOTH,)
        human, judge = _split_sides(human, options, measures)
        people, machine = read_outputs(human, options), read_outputs(judge, options)
    else:
        people, machine = read_outputs(human, options), read_outputs(judge, options)
        _refuse_both(people, machine, judge)
    details = Details(people.answers, output_facts(people, machine), people.empty, people.doubts)
    options = replace(without_annotators(options), range=_shared_ranges(options, people.scores, machine.scores))
    return JudgedTables(people.scores, machine.scores, options, measures, details)


def _shared_ranges(options: Options, human: Any, judge: Any) -> tuple[str, ...]:  # noqa: ANN401 (files or objects)
    """Return the ranges of columns that both sides have; refuse those of a column that neither has."""
    sides = [side.columns for side in (human, judge) if isinstance(side, TableFile)]
    if len(sides) < 2:
        return options.range
    require_columns(declared_ranges(options.range), {**sides[0], **sides[1]})
    return tuple(
        declaration
        for declaration in options.range
        if all(declared_ranges([declaration]).keys() <= side.keys() for side in sides)
    )


def _refuse_both(people: OutputTable, machine: OutputTable, judge: object) -> None:
    """Refuse two tables that each hold the scores of people and of the judge: one of them is enough."""
    sides = (people, machine)
    if all(side.wide and {"human", "judge"} <= getattr(side.scores, "columns", {}).keys() for side in sides):
        name = str(judge) if isinstance(judge, str | Path) else "the judge's table"
        hint = f"one table is enough, with an empty human score where people gave none: give {name} alone"
        raise TouchstoneError("both tables have the columns human and judge", file=name, code=Code.AMBIGUOUS, hint=hint)


def _split_sides(table: Any, options: Options, measures: Sequence[str]) -> tuple[TableFile, TableFile]:  # noqa: ANN401
    """Return both sides of a table with a column of people's scores, empty where nobody scored, and of the judge's."""
    file = _single_table(table, options)
    if file is None:
        hint = f"{ALONE} {setting('measure', 'HUMAN=JUDGE')}"
        raise TouchstoneError("is no single table", file=str(table), code=Code.UNSUPPORTED, hint=hint)
    people, judge = ([_column(file, name) for name in names] for names in zip(*map(split_name, measures), strict=True))
    same = next((name for name in people if name in judge), None)
    if same is not None:
        what = "people and the judge have the same column"
        hint = f"{ALONE} {setting('measure', 'HUMAN=JUDGE')}"
        raise TouchstoneError(what, file=file.source.name, value=same, code=Code.DUPLICATE_COLUMN, hint=hint)
    if SYSTEM.role not in SCHEMA.bind(file, without_annotators(options).column).columns:
        file = replace(file, columns={SYSTEM.role: [file.source.stem] * len(file), **file.columns})
    scored = [row for row in range(len(file)) if any(not is_empty(file.columns[name][row]) for name in people)]
    if not scored:
        hint = "for a first draw of items, give an empty file for people before this one"
        what = "people scored nothing"
        raise TouchstoneError(what, file=file.source.name, value=", ".join(people), code=Code.EMPTY, hint=hint)
    human = {name: [cells[row] for row in scored] for name, cells in file.columns.items() if name not in judge}
    machine = {name: cells for name, cells in file.columns.items() if name not in people}
    lines = [file.lines[row] for row in scored]
    return replace(file, columns=human, lines=lines), replace(file, columns=machine)


ALONE = "give the judge's table after people's, or name two columns of one table with"


def _column(file: TableFile, name: str) -> str:
    column = file.name(name, required=False)
    if column is None:
        hint = f"{ALONE} {setting('measure', 'HUMAN=JUDGE')}; the columns are {listed(file.columns)}"
        what = f"there is no judge: no column {name!r}"
        raise TouchstoneError(what, file=file.source.name, code=Code.NO_COLUMN, hint=hint)
    return column


def _single_table(table: Any, options: Options) -> TableFile | None:  # noqa: ANN401 (a file or an object)
    """Return a file or an object as one table; None if it is more than that, or if the order of rows has to join it."""
    if isinstance(table, TableFile):
        return table
    if not isinstance(table, str | Path):
        remarks: list[str] = []
        listed = isinstance(table, list | tuple) and all(isinstance(entry, str | Path) for entry in table)
        several = listed or named_files(table)
        file = None if several else table_of(rows_of(table, remarks), roles=SCHEMA.fields)
        return None if remarks else file
    runs = run_files([str(table)])
    if runs[0].column is not None:
        way = setting("measure", "HUMAN=JUDGE")
        hint = f"leave out :{runs[0].column}; name the columns of people and of the judge with {way}"
        what = "no single column can be read here"
        raise TouchstoneError(what, file=str(runs[0].path), value=runs[0].column, code=Code.OPTION_UNUSED, hint=hint)
    (_, rows), *others = read_files(runs, SCHEMA, without_annotators(options))
    if others or isinstance(rows.table, ToolTable):
        return None
    rows.check()
    return rows.table


def read_outputs(table: Any, options: Options) -> OutputTable:  # noqa: ANN401 (a file or an object)
    """Read the scores of outputs, and average those of several people; refuse two answers of one person.

    Parameters
    ----------
    table
        A table, or whatever the task reads; only a single table may have a column of annotators.
    options
        The options of the task.
    """
    file = _single_table(table, options)
    if file is None:
        return OutputTable(table)
    file = replace(file, worth=worth(options.value))
    require_range(
        file, {name: bounds for name, bounds in declared_ranges(options.range).items() if name in file.columns}
    )
    columns = SCHEMA.bind(file, options.column).columns
    system, item, person = (columns.get(field.role) for field in SCHEMA.fields)
    if item is None:
        return OutputTable(file)
    skipped = (system, item, person, PROBABILITY)
    fact_columns = [name for name in file.columns if name not in skipped and not name.startswith(RECORD)]
    items, systems = file.ids(item).ids, file.ids(system).ids if system else [""] * len(file)
    rows: dict[OutputKey, list[int]] = {}
    for row, output in enumerate(zip(systems, items, strict=True)):
        rows.setdefault(output, []).append(row)
    if person is not None:
        if PROBABILITY in file.columns:
            checked_probabilities([(file.ids(item), file.numbers(PROBABILITY))])  # a mean would hide what differs
        for name in fact_columns:
            if file.odd_cell(name) is not None:
                file.numbers(name)  # refuses the cells that are no numbers, with their lines
    numbers = {name: file.numbers(name) for name in fact_columns if file.is_numeric(name)}
    texts = {name: file.texts(name) for name in fact_columns}
    facts = {name: _facts(rows, texts[name], numbers.get(name)) for name in fact_columns} if system else {}
    if person is None:
        return OutputTable(file, facts=facts, wide=system is None)
    keys = [name for name in (system, item) if name]
    merged = average(file, keys, person, list(numbers))
    doubts = {name: annotator_doubts(file, keys, person, name) for name in numbers}
    empty = {name: sum(map(isnan, cells)) for name, cells in numbers.items()}
    answers = {name: _answers(rows, cells, None if system else name) for name, cells in numbers.items()}
    if system is None:  # each column is a system, and all of them are scores under one measure
        answers = {VALUE: {output: scores for of in answers.values() for output, scores in of.items()}}
        empty = {VALUE: sum(empty.values())}
        doubts = {VALUE: list(dict.fromkeys(text for of in doubts.values() for text in of))}
    return OutputTable(merged, answers, facts, empty, wide=system is None, doubts=doubts)


def without_annotators(options: Options) -> Options:
    """Return the options without the column of annotators, which other tables do not have."""
    prefix = f"{ANNOTATOR.role}="
    return replace(options, column=tuple(text for text in options.column if not str(text).startswith(prefix)))


def output_facts(human: OutputTable, judge: OutputTable) -> dict[str, Mapping[OutputKey, str]]:
    """Return what both tables say of outputs; a column of either in which they differ is a score, and is left out.

    Parameters
    ----------
    human, judge
        The two tables.
    """
    shared = human.facts.keys() & judge.facts.keys()
    differing = {
        name
        for name in shared
        if any(
            number_or_text(judge.facts[name].get(output, cell)) != number_or_text(cell)
            for output, cell in human.facts[name].items()
        )
    }
    return {name: of for name, of in {**judge.facts, **human.facts}.items() if name not in differing}


def _answers(
    rows: Mapping[OutputKey, Sequence[int]], numbers: Sequence[float], system: str | None
) -> dict[OutputKey, list[float]]:
    """Return the answers to each output; *system* is its name where the column is a system."""
    scores_by_output = {
        (system or output[0], output[1]): [numbers[row] for row in output_rows if not isnan(numbers[row])]
        for output, output_rows in rows.items()
    }
    return {output: scores for output, scores in scores_by_output.items() if scores}


def _facts(
    rows: Mapping[OutputKey, Sequence[int]], texts: Sequence[str | None], numbers: Sequence[float] | None
) -> dict[OutputKey, str]:
    """Return what a column says of each output: the mean of its numbers, or the text that its rows share."""
    facts = {}
    for output, output_rows in rows.items():
        values = {texts[row] for row in output_rows} - {None}
        if len(values) == 1:
            [cell] = values
            facts[output] = str(cell)
        elif values and numbers is not None:
            facts[output] = repr(_mean([numbers[row] for row in output_rows]))
    return facts


def _mean(values: Sequence[float]) -> float | None:
    numbers = [value for value in values if not isnan(value)]
    return sum(numbers) / len(numbers) if numbers else None
