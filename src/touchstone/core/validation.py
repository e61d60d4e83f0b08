"""The result of `Task.validate`: the problems of each input, under its name, with one verdict for each."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar, cast

from touchstone.base.errors import Fault, TouchstoneError, fault_lines, no_such_system, visible
from touchstone.base.notes import is_warning, warning
from touchstone.core.doubts import Doubt
from touchstone.show.finding import Finding, Statement, kind_rows

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
            self.faults.append(Fault(doubt.what))
            self.hints.append(doubt.cause)
        else:
            self.warnings.append(str(doubt))

    def describe(self, read: object) -> None:
        """Keep what was read, and how.

        Parameters
        ----------
        read
            Gold or a run.
        """
        self.facts += [str(read), *getattr(read, "remarks", ())]

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
        said = {"hints": list(self.hints), "warnings": list(self.warnings), "facts": list(self.facts)}
        names = ("what", "file", "line", "value", "near")
        faults = (
            {**about, **{name: getattr(fault, name) for name in names}, "message": str(fault)} for fault in self.faults
        )
        return [{"kind": "input", **about, "ok": self.ok, **said}, *kind_rows("fault", faults)]


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
        known = [one.system for one in self.checks if one.system is not None]
        if system not in known:
            raise no_such_system(system, known)
        return next(one for one in self.checks if one.system == system)

    @property
    def faults(self) -> list[Fault]:
        """The faults of all inputs."""
        return [fault for one in self.checks for fault in one.faults]

    @property
    def hints(self) -> list[str]:
        """The ways out, each once."""
        return list(dict.fromkeys(hint for one in self.checks for hint in one.hints))

    @property
    def warnings(self) -> list[str]:
        """The warnings about all inputs, each once."""
        return list(dict.fromkeys(text for one in self.checks for text in one.warnings))

    @property
    def facts(self) -> list[str]:
        """What was read."""
        return [fact for one in self.checks for fact in one.facts]

    def statement(self) -> Statement:
        """Return the verdict on each input, with its problems below."""
        lines: list[str] = []
        for line in (line for one in self.checks for line in one.lines()):
            lines += [line] if line not in lines or not is_warning(line) else []
        rows = [row for one in self.checks if one.facts or one.faults for row in one.rows()]
        return Statement("Validation", rows=rows, sentences=lines, notes=[warning(text) for text in self.warnings])
