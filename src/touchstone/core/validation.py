"""The result of `Task.validate`: the problems of each input, under its name, with one verdict for each."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, fault_lines, no_such_system, visible
from touchstone.base.ids import Policy
from touchstone.base.notes import is_warning, warning
from touchstone.core.doubts import Doubt
from touchstone.core.inputs import GoldSet, InputReader, Inputs, Run, names_of_files
from touchstone.io.runs import RunFiles
from touchstone.show.finding import Finding, Statement, kind_rows

if TYPE_CHECKING:
    from touchstone.core.task import Task

T = TypeVar("T")


@dataclass
class Check:
    """The problems of one input: faults stop a scoring, warnings do not; *facts* say what was read.

    *system* is the name of the system whose run it is, or None for the gold and for what concerns all inputs.
    *title* stands in the verdict where the input could not be read.
    """

    system: str | None
    title: str
    faults: list[Fault] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether nothing in this input stops a scoring."""
        return not self.faults

    def attempt(self, action: Callable[[], T]) -> T | None:
        """Return what *action* gives; else keep its faults and hint, and return what was read in spite of them.

        Parameters
        ----------
        action
            Reads, joins or checks the input.
        """
        try:
            return action()
        except TouchstoneError as error:
            self.faults += error.faults
            self.hints += [error.hint] if error.hint and error.hint not in self.hints else []
            return cast("T | None", error.readable)

    def doubt(self, doubt: Doubt) -> None:
        """Keep a doubt: a fault where next to nothing of a run matches, else a warning.

        Parameters
        ----------
        doubt
            What is unlikely about the run.
        """
        if doubt.stops:
            self.faults.append(Fault(doubt.what, code=Code.MISMATCH))
            self.hints.append(doubt.cause)
        else:
            self.warnings.append(str(doubt))

    def describe(self, read: GoldSet | Run) -> None:
        """Keep what was read, and how.

        Parameters
        ----------
        read
            Gold or a run.
        """
        self.facts += [str(read), *read.remarks]

    def lines(self) -> Iterator[str]:
        """Yield the verdict, then each distinct fault, the hints and the warnings."""
        first, *more = self.facts or [self.title]
        if self.faults or self.facts:
            yield f"{'ok' if self.ok else 'error'}: {first}"
        yield from (f"   {line}" for line in fault_lines(self.faults))
        yield from (f"      {visible(line)}" for hint in self.hints for line in hint.split("\n"))
        yield from (f"   {fact}" for fact in more)
        yield from (warning(text) for text in self.warnings)

    def rows(self) -> list[dict[str, object]]:
        """Return the verdict on the input, then each fault, for machines."""
        about = {"system": self.system}
        messages = {"hints": list(self.hints), "warnings": list(self.warnings), "facts": list(self.facts)}
        names = ("code", "what", "file", "line", "value", "near")
        faults = (
            {**about, **{name: getattr(fault, name) for name in names}, "message": str(fault)} for fault in self.faults
        )
        return [{"kind": "input", **about, "ok": self.ok, **messages}, *kind_rows("fault", faults)]


@dataclass(repr=False)
class Validation(Finding):
    """The problems of some inputs: those of the gold, of the run of each system, and what concerns all inputs.

    It is true if nothing prevents a scoring, as *ok* is.

    Examples
    --------
    >>> from touchstone import nli
    >>> problems = nli.validate({"1": "neutral"}, {"good": {"1": "neutral"}, "bad": {"2": "neutral"}})
    >>> problems.of("good").ok, [fault.what for fault in problems.of("bad").faults]
    (True, ['unknown item', 'no prediction for this pair'])
    """

    checks: list[Check] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether the inputs have no fault; they may have warnings."""
        return not self.faults

    def __bool__(self) -> bool:
        return self.ok

    def check(self, system: str | None, title: str) -> Check:
        """Add a check without problems, and return it.

        Parameters
        ----------
        system
            The name of the system; None for the gold.
        title
            The verdict's words where the input cannot be read.
        """
        self.checks.append(Check(system, title))
        return self.checks[-1]

    def of(self, system: str) -> Check:
        """Return the problems of one system's run.

        Parameters
        ----------
        system
            The name of the system.
        """
        systems = [check.system for check in self.checks if check.system is not None]
        if system not in systems:
            raise no_such_system(system, systems)
        return next(check for check in self.checks if check.system == system)

    @property
    def faults(self) -> list[Fault]:
        """The faults of all inputs."""
        return [fault for check in self.checks for fault in check.faults]

    @property
    def hints(self) -> list[str]:
        """The ways out, each once."""
        return list(dict.fromkeys(hint for check in self.checks for hint in check.hints))

    @property
    def warnings(self) -> list[str]:
        """The warnings about all inputs, each once."""
        return list(dict.fromkeys(text for check in self.checks for text in check.warnings))

    @property
    def facts(self) -> list[str]:
        """What was read."""
        return [fact for check in self.checks for fact in check.facts]

    def statement(self) -> Statement:
        """Return the verdict on each input, with its problems below."""
        lines: list[str] = []
        for line in (line for check in self.checks for line in check.lines()):
            lines += [line] if line not in lines or not is_warning(line) else []
        rows = [row for check in self.checks if check.facts or check.faults for row in check.rows()]
        return Statement("Validation", rows=rows, sentences=lines, notes=[warning(text) for text in self.warnings])


def validate_inputs(
    task: "Task[Any, Any, Any]", gold: object, systems: object, policy: Policy, options: object
) -> Validation:
    """Return every problem of the inputs of a task; `Task.validate` explains the parameters."""
    reader, validation = InputReader(task, options), Validation()
    gold, systems = reader.columns_as_runs(gold, systems)
    of_gold = validation.check(None, f"{names_of_files(reader.sources(gold), 'the gold')}: not read")
    gold_set = of_gold.attempt(partial(reader.gold, gold))
    gold_set = _readable(reader, gold) if gold_set is None else gold_set  # gold without a kept item is still gold
    if gold_set is None:
        return validation
    of_gold.describe(gold_set)
    gold_complete = of_gold.ok  # else only ids can be checked: values that could not be read are missing
    of_all = Check(None, "the inputs")
    read = [(run, validation.check(run.name, run.name)) for run in gold_set.runs]
    listed, notes = reader.without_excluded(reader.listed(systems), gold_set)
    for each in listed:
        check = validation.check(each.name, each.name)
        run: Run | None
        if isinstance(each, RunFiles):
            check.title = f"{each.name} ({names_of_files(each.paths, 'an object')}): not read"
            run = check.attempt(partial(reader.run, each, gold_set))
        else:
            run = each
        read += [(run, check)] if run is not None else []
    inputs = Inputs(gold_set, [run for run, _ in read], options)
    # Gold alone may be validated, and where no run could be read each has its own fault.
    of_all.attempt(partial(reader.require_runs if inputs.runs and gold_complete else reader.check_columns, inputs))
    matched = []
    for run, check in read:
        check.describe(run)
        joined = check.attempt(partial(task.join, gold_set, run, task.settled(policy), options))
        if joined is not None and gold_complete:
            check.attempt(partial(_score, task, inputs, joined))
            check.warnings += joined.notes
            matched.append((run, joined))
    for doubt in task.doubts(inputs, matched):
        next((check for run, check in read if doubt.system == run.name), of_all).doubt(doubt)
    if gold_complete:
        of_gold.warnings += gold_set.notes
        of_all.warnings += [*notes, *reader.doubts(listed, inputs), *task.warnings(inputs)]
    validation.checks.append(of_all)
    return validation


def _score(task: "Task[Any, Any, Any]", inputs: Inputs[Any, Any], joined: object) -> None:
    """Refuse what only a scoring under the usual measures would find in a joined run; slow measures are not tried."""
    if task.block is None:
        for measure in task.measures.find_all(task.chosen((), inputs)):
            if measure.joint is None:
                measure.item_records(joined)


def _readable(reader: InputReader, gold: object) -> GoldSet | None:
    """Return the gold of those files that can be read alone, so that their problems are found too."""
    gold_check = Check(None, "gold")  # what is wrong with the other files is told already
    paths = reader.sources(gold)
    readable_paths = [
        path for path in paths[1:] and paths if gold_check.attempt(partial(reader.gold, path)) is not None
    ]
    return gold_check.attempt(partial(reader.gold, readable_paths)) if readable_paths else None
