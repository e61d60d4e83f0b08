"""What a table holds for a task: its fields, the columns they are in, and what the cells of each row say.

A task declares its fields once, in a `Schema`. `touchstone.io.reading.read_rows` reads any file or Python object by it
and returns `Rows`: the column of every field, whatever its name, and the faults of the cells that cannot be used, each
with its line, so that all are reported together.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NoReturn, TypeVar

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, nearest, refuse
from touchstone.base.spelling import setting
from touchstone.io.cells import cell_text, is_empty, listed
from touchstone.io.tables import Headless, TableFile

T = TypeVar("T")

MAX_CACHED = 10_000
"""Distinct cells of a column whose values are held, so that each is parsed once."""

Layout = Callable[[Path, str], TableFile | None]
"""Reads a table that is spread over several files, of which one is named; None if the files are not laid out so.

The second argument is the encoding of the files.
"""


class Problem(Exception):  # noqa: N818 (it never leaves the readers: `Rows` turns it into a Fault with its line)
    """A cell that cannot be used: what is wrong, its value, and the nearest valid one.

    *further* problems of the same cell come with the first.
    """

    def __init__(
        self,
        what: str,
        value: object = None,
        near: str | None = None,
        kind: str = "name",
        further: "Sequence[Problem]" = (),
        code: Code = Code.BAD_CELL,
    ) -> None:
        super().__init__(what)
        self.what, self.near, self.kind, self.further, self.code = what, near, kind, further, code
        self.value = None if value is None else str(value)

    def faults(self, file: str, line: int | str | None) -> list[Fault]:
        """Return the faults of the cell, with its place."""
        return [
            Fault(problem.what, file, line, problem.value, problem.near, problem.kind, problem.code)
            for problem in (self, *self.further)
        ]


def text(cell: object) -> str | None:
    """Return a cell as text without surrounding blanks; None if it is empty.

    >>> text(" a "), text(3.0), text("")
    ('a', '3', None)
    """
    return None if is_empty(cell) else cell_text(cell)


@dataclass(frozen=True)
class Field:
    """What a row of a table says in one of its columns.

    Parameters
    ----------
    role
        The name of the field where users choose its column.
    aliases
        What such columns are called, in any case, the likeliest first; the role by default. A field without aliases
        has a column only where the user chooses one.
    parse
        Returns what a cell says; raises `Problem` where it cannot be used.
    empty
        What a row says where the table has no such column, or the cell cannot be used.
    required
        Whether `Rows.require` refuses a table without such a column.
    columns
        Whether a table has one such column or *many*, which are told apart by a number, such as ref1 and ref2.
    """

    role: str
    aliases: tuple[str, ...] | None = None
    parse: Callable[[Any], Any] = text
    empty: Any = None
    required: bool = False
    columns: Literal["one", "many"] = "one"

    @property
    def names(self) -> tuple[str, ...]:
        """What its columns are called."""
        return (self.role,) if self.aliases is None else self.aliases

    def number(self, name: str) -> int | None:
        """Return the number in the name of a column of the field, 0 if it has none; None for any other column.

        >>> references = Field("reference", ("reference", "ref"), columns="many")
        >>> references.number("Ref_2"), references.number("reference"), references.number("refusal")
        (2, 0, None)
        """
        lowered = name.strip().lower()
        stem = re.sub(r"[ _-]?[0-9]+$", "", lowered) if self.columns == "many" else lowered
        if stem not in map(str.lower, self.names):
            return None
        return int(re.sub("[^0-9]", "", lowered[len(stem) :]) or 0)


class Schema:
    """The fields of one kind of table, and how such tables are written.

    Parameters
    ----------
    fields
        The fields. Where two have an alias in common, both may have the same column.
    value
        The column of a list of values, or of a mapping from ids to values.
    headless
        Recognises text files without a header.
    layouts
        Read tables that are spread over several files.
    elsewhere
        Roles of other tables that are read with the same choices: a choice for them that this table has no column for
        is passed over.
    own
        Names of columns, in small letters, that are so usual that `Rows.remarks` passes them over.
    chosen
        Whether users can choose the columns of such tables.

    Examples
    --------
    >>> from touchstone.io.reading import read_rows
    >>> schema = Schema(Field("id", ("id", "uid")), Field("label", ("label", "gold"), parse=str.upper))
    >>> rows = read_rows([{"uid": 1, "gold": "yes"}, {"uid": 2, "gold": "no"}], schema)
    >>> rows.values("id"), rows.values("label")
    (['1', '2'], ['YES', 'NO'])
    """

    def __init__(
        self,
        *fields: Field,
        value: str = "value",
        headless: Headless | None = None,
        layouts: Sequence[Layout] = (),
        elsewhere: Iterable[str] = (),
        unremarked: Iterable[str] = (),
        chosen: bool = True,
    ) -> None:
        self.fields, self.chosen = fields, chosen
        self.value, self.headless, self.layouts = value, headless, tuple(layouts)
        self.elsewhere, self.unremarked = tuple(elsewhere), frozenset(unremarked)
        self._by_role = {schema_field.role: schema_field for schema_field in fields}

    def __getitem__(self, role: str) -> Field:
        return self._by_role[role]

    def has(self, name: str) -> bool:
        """Return whether a column of this name is one of a field."""
        return any(schema_field.number(name) is not None for schema_field in self.fields)

    def places(self, header: Sequence[str]) -> dict[str, int]:
        """Return the place of the column of each field in a header, for rows that are read one after the other.

        >>> Schema(Field("segment", ("segment", "sid")), Field("system")).places(["SYSTEM", "SID"])
        {'segment': 1, 'system': 0}
        """
        lowered = [name.lower() for name in header]
        column_names = {
            schema_field.role: next((name for name in schema_field.names if name.lower() in lowered), None)
            for schema_field in self.fields
        }
        return {role: lowered.index(name.lower()) for role, name in column_names.items() if name is not None}

    def only(self, *roles: str) -> "Schema":
        """Return the schema of some fields for any table; a choice that names no column of it is passed over."""
        return Schema(
            *(self[role] for role in roles), elsewhere=(*self.elsewhere, *self._by_role), unremarked=self.unremarked
        )

    def bind(self, table: TableFile, chosen: Sequence[str] = (), faults: Iterable[Fault] = ()) -> "Rows":
        """Return the rows of a table, with the column of each field.

        Parameters
        ----------
        table
            The table.
        chosen
            The user's own choices of columns, ``ROLE=NAME``. One that names no column of the table is refused unless
            another choice or a usual column takes its place.
        faults
            Those of rows that could not be read.
        """
        columns = {
            schema_field.role: next(iter(_recognised_columns(schema_field, table)), None)
            for schema_field in self.fields
        }
        roles = [*columns, *self.elsewhere]
        parts = [str(choice).partition("=") for choice in chosen]
        for choice, (role, equals, _) in zip(chosen, parts, strict=True):
            if not equals or role not in roles:
                hint = f"give ROLE=NAME, where ROLE is one of {', '.join(dict.fromkeys(roles))}"
                near = nearest(role, roles)
                raise TouchstoneError("no such role", value=str(choice), near=near, code=Code.UNKNOWN_NAME, hint=hint)
        chosen_columns: dict[str, list[str]] = {}
        for role, _, name in parts:
            column = table.name(name, required=False)
            if role in columns and column is not None:
                chosen_columns.setdefault(role, []).append(column)
        # The same choices are given for gold and runs: one that names no column here is refused only if it is needed.
        for role, _, name in parts:
            if role in columns and role not in chosen_columns and role not in self.elsewhere and columns[role] is None:
                table.name(name)  # refuses it
        columns |= {role: names[0 if self[role].columns == "many" else -1] for role, names in chosen_columns.items()}
        present_columns = {role: column for role, column in columns.items() if column is not None}
        return Rows(table, self, present_columns, list(faults), tuple(map(str, chosen)), chosen_columns)


def _recognised_columns(field: Field, table: TableFile) -> list[str]:
    """Return the columns of a field that have a usual name: the likeliest, or many in the order of their numbers."""
    if field.columns == "one":
        name = table.name(*field.names, required=False)
        return [] if name is None else [name]
    numbers = {name: number for name in table.columns if (number := field.number(name)) is not None}
    return sorted(numbers, key=lambda name: numbers[name])


@dataclass(eq=False)
class Rows:
    """The rows of a table, read by a schema.

    *columns* has the column of each field that the table has; a task adds what it recognises by content. *faults*
    takes what is wrong with single rows. *chosen* has the user's own choices, *chosen_columns* the columns that they
    name here.
    """

    table: TableFile
    schema: Schema
    columns: dict[str, str]
    faults: list[Fault] = field(default_factory=list)
    chosen: Sequence[str] = ()
    chosen_columns: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.table)

    @property
    def file(self) -> str:
        """The name of the file, for messages."""
        return self.table.source.name

    @property
    def stem(self) -> str:
        """What notes call the file."""
        return self.table.source.stem

    @property
    def further(self) -> list[str]:
        """The columns that no field has."""
        return [name for name in self.table.columns if name not in self.columns.values()]

    def several(self, role: str) -> list[str]:
        """Return the columns of a field that has many: those that the user chose, else all in the order of numbers.

        Two columns with the same number are refused: which of them comes first cannot be seen.
        """
        schema_field = self.schema[role]
        names = list(dict.fromkeys(self.chosen_columns.get(role, ()))) or _recognised_columns(schema_field, self.table)
        numbers = [] if role in self.chosen_columns else [schema_field.number(name) for name in names]
        twice = next((number for number in numbers if numbers.count(number) > 1), None)
        if twice is not None:
            self.refuse_several(role, [name for name in names if schema_field.number(name) == twice])
        return names

    def refuse_several(self, role: str, names: Sequence[str]) -> NoReturn:
        """Refuse a table in which several columns may be that of a field."""
        what = f"several columns may be the {role}: {', '.join(names)}"
        hint = f"choose one with {setting('column', f'{role}=NAME')}"
        raise TouchstoneError(what, file=self.file, code=Code.AMBIGUOUS, hint=hint)

    def cells(self, role: str) -> list[Any]:
        """Return the cells of a field as the file has them; None where it has no such column."""
        column = self.columns.get(role)
        return [None] * len(self) if column is None else self.table.columns[column]

    def values(self, role: str, parse: Callable[[Any], Any] | None = None) -> list[Any]:
        """Return what each row says in a field.

        Parameters
        ----------
        role
            The field.
        parse
            Takes the place of the field's own `parse`, such as one that knows what the labels of this file mean.
        """
        schema_field = self.schema[role]
        column = self.columns.get(role)
        return (
            [schema_field.empty] * len(self)
            if column is None
            else self.column(column, parse or schema_field.parse, schema_field.empty)
        )

    def column(self, name: str, parse: Callable[[Any], T], empty: T) -> list[T]:
        """Return what *parse* makes of each cell of a column; texts and lists of texts that repeat are parsed once.

        Parameters
        ----------
        name
            The column.
        parse
            Raises `Problem` where a cell cannot be used, which becomes a fault of its row.
        empty
            The value of a cell that cannot be used.
        """
        parsed: dict[object, T] = {}
        values: list[T] = []
        for row, cell in enumerate(self.table.columns[name]):
            # Exact types: 1 and True are equal as keys of a dictionary, and would share what was parsed first.
            key = cell if type(cell) is str else tuple(map(str, cell)) if type(cell) is list else None
            if key is not None and key in parsed:
                values.append(parsed[key])
                continue
            try:
                value = parse(cell)
            except Problem as problem:
                self.note(problem, row)
                value = empty
            else:
                if key is not None and len(parsed) < MAX_CACHED:
                    parsed[key] = value
            values.append(value)
        return values

    def attempt(self, row: int, parse: Callable[..., T], *arguments: object) -> T | None:
        """Return what *parse* makes of something in a row; None where that is a fault."""
        try:
            return parse(*arguments)
        except Problem as problem:
            self.note(problem, row)
            return None

    def note(self, problem: Problem, row: int) -> None:
        """Note what is wrong with a cell of a row."""
        self.faults += problem.faults(self.file, self.table.lines[row])

    def fault(self, what: str, row: int, value: str | None = None, code: Code = Code.BAD_CELL) -> None:
        """Note what is wrong with a row."""
        self.faults.append(self.table.fault(what, row, value, code=code))

    def check(self, hint: str | None = None) -> None:
        """Refuse the table with all its faults."""
        refuse(self.faults, hint)

    def require(self, *roles: str) -> None:
        """Refuse a table that lacks a field of these *roles*, or a required one; say how its column is chosen."""
        required_roles = [
            *roles,
            *(
                schema_field.role
                for schema_field in self.schema.fields
                if schema_field.required and schema_field.role not in roles
            ),
        ]
        missing = [role for role in required_roles if role not in self.columns]
        if missing:
            *first, last = map(repr, missing)
            what = f"no columns {', '.join(first)} and {last}" if first else f"no column {last}"
            hint = f"the columns are {listed(self.table.columns)}"
            if self.schema.chosen:
                choice = setting("column", *(f"{name}=NAME" for name in missing))
                hint += f"; choose {'them' if first else 'one'} with {choice}"
            near = None if first else nearest(missing[0], self.table.columns)
            raise TouchstoneError(what, file=self.file, near=near, code=Code.NO_COLUMN, hint=hint)

    def remarks(self, *passed_over: str) -> list[str]:
        """Return a sentence on the columns that have other than the usual names, in a list; none where all have them.

        Parameters
        ----------
        passed_over
            Roles that need no remark.
        """
        unremarked_names = {
            schema_field.role: {schema_field.role, *schema_field.names[:1], *self.schema.unremarked}
            for schema_field in self.schema.fields
        }
        unusual = [
            f"{role} is the column {name}"
            for role, name in self.columns.items()
            if role not in passed_over and name.lower() not in unremarked_names.get(role, {role})
        ]
        return [f"{self.stem}: {', '.join(unusual)}"] if unusual else []
