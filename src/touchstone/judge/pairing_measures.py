"""Which measures of people and of a judge belong together."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from touchstone.base.errors import TouchstoneError
from touchstone.base.spelling import setting
from touchstone.core.measures import Measure
from touchstone.core.results import Results
from touchstone.core.task import Inputs, Task
from touchstone.judge.pairing_checks import PROBABILITY


def split_name(name: str) -> tuple[str, str]:
    """Return the names of a measure on both sides, from ``HUMAN=JUDGE`` or one name; ``P(k=1)`` is one name.

    >>> split_name("rating=score"), split_name("P(k=1)")
    (('rating', 'score'), ('P(k=1)', 'P(k=1)'))
    """
    human, *judge = re.split(r"=(?![^()]*\))", name, maxsplit=1)
    return human, judge[0] if judge else human


def usual_pairs(task: Task[Any, Any, Any], judge: Inputs[Any, Any]) -> Sequence[str]:
    """Return the measures that are paired where none is asked for."""
    return task.judged(judge.gold) if task.judged else task.compared


def same_names(people: Results, judge: Inputs[Any, Any]) -> list[str]:
    """Return the columns that people's and the judge's tables share, also constant ones; refuse what is no number."""
    names = [measure.name for measure in people.measures if measure.name != PROBABILITY]
    for file in getattr(judge.gold, "files", ()):
        for name in names:
            if name in file.columns and file.odd_cell(name) is not None:
                file.numbers(name)
    return [name for name in names if all(name in getattr(run, "columns", ()) for run in judge.runs)]


def judging_task(task: Task[Any, Any, Any]) -> Task[Any, Any, Any]:
    """Return a task whose tables may hold the item values of any metric, such as chrF: a judge's scores are averaged.

    Elsewhere such a column is refused, because the metric of a whole set is not the mean over its items.
    """
    strict = task.select
    if strict is None or task.read_run is not None:
        return task

    def select(names: Sequence[str], inputs: Inputs[Any, Any]) -> Sequence[str]:
        columns = [set(getattr(run, "columns", ())) for run in inputs.runs]
        shared = [name for name in getattr(inputs.runs[0], "columns", ()) if all(name in own for own in columns)]
        try:
            return list(strict(names, inputs))
        except TouchstoneError:
            if names and set(names) <= set(shared):
                return names
            if not names and len(shared) == 1:
                return shared
            raise

    return replace(task, select=select)


def measure_pairs(
    task: Task[Any, Any, Any], human: Results, judge: Results, asked: Sequence[Sequence[str]]
) -> list[tuple[Measure[Any], Measure[Any]]]:
    """Return the measures that belong together: those asked for, those of the same name, or the only ones."""
    if asked:
        sides = [(_found(task, human, own), _found(task, judge, other)) for own, other in asked]
        return [pair for own, other in sides for pair in zip(own, other, strict=True)]
    human = replace(human, measures=[measure for measure in human.measures if measure.name != PROBABILITY])
    known = {measure.name: measure for measure in judge.measures}
    shared = [(measure, known[measure.name]) for measure in human.measures if measure.name in known]
    if not shared and len(human.measures) == len(judge.measures) == 1:
        return [(human.measures[0], judge.measures[0])]
    if not shared:
        names = [", ".join(measure.name for measure in side.measures) for side in (human, judge)]
        raise TouchstoneError(
            "people and judge have no measure in common",
            hint=f"choose one of each with {setting('measure', 'HUMAN=JUDGE')}; human: {names[0]}; judge: {names[1]}",
        )
    return shared


def _found(task: Task[Any, Any, Any], results: Results, name: str) -> list[Measure[Any]]:
    """Return the measures of that name: several where it is the name of a group."""
    scored = [measure.name for measure in results.measures]
    named = [measure.name for measure in task.measures.find_all([name]) if measure.name in scored]
    return [results.measure(one) for one in named or [name]]
