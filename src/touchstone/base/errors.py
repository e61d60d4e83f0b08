"""What goes wrong, said in a sentence: what, where, what is near, what to do.

The command line prints these and exits with 2; library users catch `TouchstoneError` and read its fields.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from math import inf

from touchstone.base.codes import Code

DISTURBING = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")

LONGEST_NUMBER = 4000
"""Digits of a number that are read: Python refuses to convert a text of more than 4,300."""

SHOWN = 20
"""How many faults of one input are printed; the rest are counted."""


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong in an input, and where.

    >>> print(Fault("unknown item", file="a.oot", line=14, value="bright.a 5", near="bright.a 50", kind="id"))
    a.oot:14: unknown item: "bright.a 5"; nearest valid id "bright.a 50"
    """

    what: str
    file: str | None = None
    line: int | str | None = None
    value: str | None = None
    near: str | None = None
    kind: str = "name"
    """What *value* and *near* are: an id, a name, a file."""
    code: Code = Code.INVALID
    """The kind of the fault, which does not change with its wording."""

    def __str__(self) -> str:
        location = ":".join(visible(str(part)) for part in (self.file, self.line) if part is not None)
        message = f"{location}: {self.what}" if location else self.what
        if self.value is not None:
            message += f': "{_shortened(self.value)}"'
        return f'{message}; nearest valid {self.kind} "{_shortened(self.near)}"' if self.near is not None else message


class TouchstoneError(ValueError):
    """An invalid input or argument: its faults, and a hint that says what to do.

    Examples
    --------
    >>> raise TouchstoneError("no items", file="empty.gold", hint="give a gold file with at least one line")
    Traceback (most recent call last):
    touchstone.base.errors.TouchstoneError: empty.gold: no items
       give a gold file with at least one line
    """

    def __init__(
        self,
        what: str,
        *,
        file: str | None = None,
        line: int | str | None = None,
        value: str | None = None,
        near: str | None = None,
        kind: str = "name",
        code: Code = Code.INVALID,
        hint: str | None = None,
    ) -> None:
        self.faults: tuple[Fault, ...] = (Fault(what, file, line, value, near, kind, code),)
        self.hint = hint
        self.readable: object = None
        """What was read in spite of the faults, where ``validate`` can look for further ones in it."""
        super().__init__(what)

    @property
    def code(self) -> Code:
        """The kind of the first fault."""
        return self.faults[0].code

    @property
    def codes(self) -> set[Code]:
        """The kinds of all faults."""
        return {fault.code for fault in self.faults}

    @classmethod
    def of(cls, faults: Sequence[Fault], hint: str | None = None) -> "TouchstoneError":
        """Return one error with all *faults* of an input, in the order of their lines."""
        ordered = sorted(faults, key=lambda fault: fault.line if isinstance(fault.line, int) else inf)
        error = cls(ordered[0].what, hint=hint)
        error.faults = tuple(ordered)
        return error

    def __str__(self) -> str:
        lines = fault_lines(self.faults)
        if len(lines) > SHOWN:
            lines[SHOWN:] = [f"… and {len(lines) - SHOWN:,} more"]
        if self.hint:
            lines.append("   " + "\n".join(map(visible, self.hint.split("\n"))))
        return "\n".join(lines)

    def __reduce__(self) -> tuple[object, ...]:
        return TouchstoneError.of, (self.faults, self.hint)


def refuse(faults: Sequence[Fault], hint: str | None = None) -> None:
    """Raise one error with all faults; none if there are no faults."""
    if faults:
        raise TouchstoneError.of(faults, hint)


class Faults:
    """Collects what is wrong with an input, so that it is refused once, with all of it.

    Examples
    --------
    >>> faults = Faults()
    >>> with faults.collect():
    ...     raise TouchstoneError("no id", file="a.csv", line=3, hint="every row needs an id")
    >>> faults.add([Fault("no number", "a.csv", 2)], "leave the cell empty")
    >>> print(faults.error())
    a.csv:2: no number
    a.csv:3: no id
       every row needs an id; leave the cell empty
    """

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.hints: dict[str, None] = {}

    def __bool__(self) -> bool:
        return bool(self.faults)

    def add(self, faults: Iterable[Fault], hint: str | None = None) -> None:
        """Add faults, and what to do about them."""
        before = len(self.faults)
        self.faults += faults
        if hint and len(self.faults) > before:
            self.hints[hint] = None

    @contextmanager
    def collect(self) -> Iterator[None]:
        """Add the faults of an error instead of raising it."""
        try:
            yield
        except TouchstoneError as error:
            self.add(error.faults, error.hint)

    def error(self, hint: str | None = None) -> TouchstoneError:
        """Return one error with all faults; *hint* takes the place of no hints."""
        return TouchstoneError.of(self.faults, "; ".join(self.hints) or hint)

    def check(self, hint: str | None = None) -> None:
        """Raise an error with all faults if there are any."""
        refuse(self.faults, "; ".join(self.hints) or hint)


def fault_lines(faults: Iterable[Fault]) -> list[str]:
    """Return a line for each distinct fault; the same fault with the same value is counted, and has its first line.

    Faults at places with names, such as keys of a file, are all listed.

    >>> print(*fault_lines([Fault("unknown label", "a.csv", line, "entails") for line in (2, 5, 9)]))
    a.csv:2: unknown label: "entails" (3 times, first on line 2)
    """
    same: dict[tuple[object, ...], list[Fault]] = {}
    for fault in faults:
        named = fault.line if isinstance(fault.line, str) else None
        same.setdefault((fault.what, fault.file, named, fault.value, fault.near, fault.kind), []).append(fault)
    return [
        str(first) if not others else f"{first} ({len(others) + 1:,} times{_first_line(first.line)})"
        for first, *others in same.values()
    ]


def _first_line(line: int | str | None) -> str:
    return f", first on line {line:,}" if isinstance(line, int) else ""


class PartialError(TouchstoneError):
    """Work of which some parts failed, each with a sentence, and the others are done."""

    def __init__(self, failures: Mapping[str, str]) -> None:
        super().__init__(f"parts that failed: {len(failures):,}")
        self.failures = dict(failures)

    def __str__(self) -> str:
        lines = [text if text.startswith(part) else f"{part}: {text}" for part, text in self.failures.items()]
        more = [f"… and {len(lines) - SHOWN:,} more"] if len(lines) > SHOWN else []
        done = f"parts that failed: {len(lines):,}; the others are done: run the same command again for the rest"
        return "\n".join([*lines[:SHOWN], *more, done])


def check_installed(package: str) -> None:
    """Refuse to make data frames of a *package* that is not installed."""
    if find_spec(package) is None:
        hint = f"pip install {package}, or use to_arrow()"
        raise TouchstoneError(f"{package} is not installed", code=Code.MISSING_EXTRA, hint=hint)


def missing(package: str, extra: str) -> TouchstoneError:
    """Return the error of a *package* that is not installed and that the extra named *extra* installs.

    >>> print(missing("ray", "ray"))
    this needs ray, which is not installed
       pip install 'touchstone-nlp[ray]'
    """
    hint = f"pip install 'touchstone-nlp[{extra}]'"
    return TouchstoneError(f"this needs {package}, which is not installed", code=Code.MISSING_EXTRA, hint=hint)


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Name the extra that installs a package, where an import inside this block does not find it.

    >>> with needs("ray"):
    ...     import ray_of_tomorrow
    Traceback (most recent call last):
    touchstone.base.errors.TouchstoneError: this needs ray_of_tomorrow, which is not installed
       pip install 'touchstone-nlp[ray]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise missing(str(error.name), extra) from None


def nearest(value: str, valid: Iterable[str], within: int = 2) -> str | None:
    """Return the *valid* name with the smallest edit distance to *value*, the first of equals.

    None if every name is more than *within* edits away. Another number is never near: 999 is no misspelling of 99999.

    >>> nearest("rank@1O", ["best1", "rank@10"])
    'rank@10'
    """
    best, best_distance = None, within + 1
    number = int(value) if value.isdecimal() and len(value) < LONGEST_NUMBER else None
    for name in valid:
        if number is not None and name.isdecimal() and (len(name) >= LONGEST_NUMBER or int(name) != number):
            continue
        distance = edit_distance(value, name, below=best_distance)
        if distance < best_distance:
            best, best_distance = name, distance
    return best


def no_such_item(
    item: str, ids: Sequence[str], *, what: str = "no such item", plural: str = "items", file: str | None = None
) -> TouchstoneError:
    """Return the error of an *item* that is none of the *ids*: the nearest of them, how many there are, and which.

    >>> print(no_such_item("99999", ["1", "2", "3"]))
    no such item: "99999"
       there are 3 items, from '1' to '3'
    """
    there = f"there are {len(ids):,} {plural}, from {ids[0]!r} to {ids[-1]!r}" if ids else f"there are no {plural}"
    hint = there if len(ids) != 1 else f"the only {plural.removesuffix('s')} is {ids[0]!r}"
    return TouchstoneError(
        what, file=file, value=item, near=nearest(item, ids), kind="id", code=Code.UNKNOWN_ID, hint=hint
    )


def no_such_system(name: str, systems: Sequence[str], what: str = "no such system") -> TouchstoneError:
    """Return the error of a *name* that none of the *systems* has: the closest of them, and all.

    Names of systems are long and differ in their ends, so up to half of the characters may differ.

    >>> print(no_such_system("bert-large", ["bert", "esim"]))
    no such system: "bert-large"
       the systems are bert, esim
    >>> print(no_such_system("esim-v2", ["bert", "esim"]))
    no such system: "esim-v2"; nearest valid name "esim"
       the systems are bert, esim
    """
    hint = f"the systems are {', '.join(dict.fromkeys(systems))}"
    return TouchstoneError(what, value=name, near=closest(name, systems), code=Code.UNKNOWN_NAME, hint=hint)


def incomplete(kind: str, file: str, hint: str | None = None) -> TouchstoneError:
    """Return the error of a file that ends early, or is damaged.

    >>> print(incomplete("gzip file", "a.csv.gz"))
    a.csv.gz: is not a complete gzip file
    """
    return TouchstoneError(f"is not a complete {kind}", file=file, code=Code.UNREADABLE, hint=hint)


def unknown_name(
    what: str, name: str, names: Iterable[str], *, file: str | None = None, hint: str | None = None
) -> TouchstoneError:
    """Return the error of a *name* that is none of the *names*: the nearest of them, and all if there is no *hint*.

    >>> print(unknown_name("unknown test", "bootstrip", ["permutation", "bootstrap"]))
    unknown test: "bootstrip"; nearest valid name "bootstrap"
       known: permutation, bootstrap
    """
    valid = list(names)
    hint = hint or (f"known: {', '.join(valid)}" if valid else None)
    return TouchstoneError(what, file=file, value=name, near=nearest(name, valid), code=Code.UNKNOWN_NAME, hint=hint)


def refuse_repeated(
    names: Iterable[str], what: str = "two systems have the same name", hint: str | None = None
) -> None:
    """Refuse names of which two are equal.

    >>> refuse_repeated(["a", "b", "a"], hint="give them different names: NAME=FILE")
    Traceback (most recent call last):
    touchstone.base.errors.TouchstoneError: two systems have the same name: "a"
       give them different names: NAME=FILE
    """
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise TouchstoneError(what, value=twice, code=Code.DUPLICATE_NAME, hint=hint)


def closest(name: str, systems: Iterable[str]) -> str | None:
    """Return the system with the nearest name; None if more than half of the characters differ."""
    return nearest(name, systems, within=max(2, len(name) // 2))


def edit_distance(a: str, b: str, below: int) -> int:
    """Return the Levenshtein distance of *a* and *b*, or *below* as soon as it cannot be less.

    >>> edit_distance("sitting", "kitten", below=9), edit_distance("sitting", "kitten", below=2)
    (3, 2)
    """
    if abs(len(a) - len(b)) >= below:
        return below
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        previous, row = row, [i]
        for j, right in enumerate(b, 1):
            row.append(min(previous[j] + 1, row[-1] + 1, previous[j - 1] + (left != right)))
        if min(row) >= below:
            return below
    return min(row[-1], below)


def _shortened(value: str, limit: int = 80) -> str:
    """Return *value* with its control characters visible, cut where it would flood a terminal."""
    return visible(value) if len(value) <= limit else f"{visible(value[:limit])}…"


def visible(text: str) -> str:
    r"""Return *text* on one line, with the characters that could disturb its surroundings written out.

    These are controls (a terminal obeys them, XML forbids them), the marks that turn the direction of the text
    around them, and what no encoding can write. Line breaks and tabs become spaces.

    >>> print(visible("red \x1b[31m\u202eabc\nnext"))
    red \x1b[31m\u202eabc next
    """
    return "".join(_visible(char) for char in text) if DISTURBING.search(text) else text


def _visible(char: str) -> str:
    if not DISTURBING.match(char):
        return char
    if char.isspace() and unicodedata.category(char) != "Cf":
        return " "
    return char.encode("unicode_escape").decode("ascii")
