# ruff: noqa: ARG002 (the methods of `Task` get everything that any task may need)
"""The interface between the application and a task: reading files into items, checking, comparing, exporting answers.

`Task` implements what is common to the tasks whose answers are small forms; the pyramid task overrides the rest.
"""

import csv
import hashlib
import io
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, ClassVar, TypeVar, cast

from touchstone.annotate.refusals import Problem
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.files import Source
from touchstone.io.formats import suffix_of, table_suffixes
from touchstone.io.jsonl import Json
from touchstone.io.text import decode
from touchstone.show.finding import Finding

if TYPE_CHECKING:
    from touchstone.annotate.tasks.deciding import GoldExport, Work

Object = dict[str, Json]
Settings = Mapping[str, Json]
Key = TypeVar("Key")
Value = TypeVar("Value")

LONGEST_NAME = 64
"""Bytes in a part of a file name: the file of a peer is named after three things, and 255 bytes are the usual limit."""


@dataclass(frozen=True)
class Upload:
    """An uploaded file; its *name* may contain folders."""

    name: str
    content: bytes

    @property
    def source(self) -> Source:
        """The name and the hash of the file, for error messages and signatures."""
        return Source(self.name, hashlib.sha256(self.content).hexdigest())

    @property
    def text(self) -> str:
        """The content as strictly decoded UTF-8."""
        return decode(self.content, self.name)


@dataclass(frozen=True)
class NewAnswer:
    """An answer that came with an imported file, and its author."""

    author: str
    body: Json


@dataclass(frozen=True)
class NewItem:
    """An item of an imported file: annotators may see *payload*, but neither *hidden* nor *correct*.

    Parameters
    ----------
    key, kind
        Identify the item in its project.
    payload
        What annotators are shown.
    hidden
        What only managers may know, such as the name of a system.
    correct
        The correct answer of a test or training item.
    attachment
        What the item shares with other items, such as the pyramid of a peer.
    answers
        The answers that the file contains.
    start
        Whether annotators begin with the first of *answers* instead of an empty answer.
    """

    key: str
    kind: str
    payload: Json
    hidden: Json = None
    correct: Json = None
    attachment: Json = None
    answers: tuple[NewAnswer, ...] = ()
    start: bool = False


@dataclass(frozen=True)
class Imported:
    """The items of some files, and *notes* on what is unusual in the files."""

    items: Sequence[NewItem]
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Subject:
    """An item as its task sees it.

    Items with the same *identity* are equal, and so are attachments with the same *attachment_digest*, so that a task
    may cache what it reads from them.
    """

    key: str
    kind: str
    payload: Json
    hidden: Json = None
    attachment: Json = None
    identity: str | None = None
    attachment_digest: str | None = None


@dataclass(frozen=True)
class FinishedAnswer:
    """An answer for figures and exports.

    *kind* is annotation, imported or adjudicated; annotators begin with a *starting* one, which theirs replace.
    *helped*: the author saw what the machine partner proposed.
    """

    item: Subject
    author: str
    kind: str
    body: Json
    unsure: bool = False
    comment: str = ""
    seconds: float = 0.0
    starting: bool = False
    helped: bool = False
    memo: dict[str, object] = field(default_factory=dict, compare=False, repr=False)
    """What a task has made of the body, for the next file or figure."""

    @property
    def fields(self) -> Object:
        """The body, which is an object in every task."""
        return cast("Object", self.body)

    @property
    def remarks(self) -> Object:
        """What the annotator added to the answer, and how long it took."""
        return {"unsure": self.unsure, "comment": self.comment, "seconds": round(self.seconds, 1)}


Answers = Sequence[FinishedAnswer]
Labelled = tuple[tuple[str, ...], str, str]
"""What was labelled (the key of the item, and perhaps what of it), by whom, and the label."""


@dataclass(frozen=True)
class OutputFile:
    """A file of an export, its path relative to the folder of the export."""

    path: str
    content: bytes


class Task(ABC):
    """What people annotate. The default methods are those of a form: no attachments, reviews or files of one answer."""

    name: ClassVar[str]
    allowed_settings: ClassVar[Mapping[str, Sequence[Json]]] = {}
    """The allowed values of each setting; the first is the default."""

    document_suffixes: ClassVar[Sequence[str]] = ()
    """The suffixes of data files in a folder beside those of tables; what else is there is left out."""

    def is_data(self, name: PurePosixPath) -> bool:
        """Return whether a file in a folder may be data, by its name without ``.gz``."""
        return suffix_of(name.name) in (*table_suffixes(), *self.document_suffixes)

    def settings(self, chosen: Settings) -> Object:
        """Return the settings of a project, checked, with defaults for those not *chosen*."""
        allowed = self.allowed_settings
        for name, value in chosen.items():
            if name not in allowed:
                near = nearest(name, allowed)
                raise TouchstoneError(
                    "this task has no such setting", value=name, near=near, kind="setting", code=Code.UNKNOWN_NAME
                )
            if value not in allowed[name]:
                hint = f"use one of {', '.join(map(str, allowed[name]))}"
                raise TouchstoneError(
                    f"the setting {name} cannot have this value", value=str(value), code=Code.BAD_VALUE, hint=hint
                )
        return {name: chosen.get(name, values[0]) for name, values in allowed.items()}

    @abstractmethod
    def read(
        self, files: Sequence[Upload], settings: Settings, with_correct: bool, present: Mapping[str, Json]
    ) -> Imported:
        """Return the items in *files*.

        Parameters
        ----------
        files
            The uploaded files.
        settings
            The settings of the project.
        with_correct
            Whether every item must have a correct answer, as tests and training items do.
        present
            What the project already has that new items can be attached to, by key.
        """

    def view(self, item: Subject) -> Json:
        """Return what annotators are shown of *item*."""
        return item.payload

    @abstractmethod
    def blank(self, item: Subject) -> Json:
        """Return the body of an answer before anything is entered."""

    @abstractmethod
    def problems(self, item: Subject, body: Json, done: bool, earlier: Sequence[Json]) -> list[Problem]:
        """Return why *body* cannot be saved.

        Parameters
        ----------
        item
            The item that the answer is about.
        body
            The body to be saved.
        done
            Whether the answer is to be saved as finished.
        earlier
            The stored body, then further bodies whose violations are tolerated (an undo, an imported file).
        """

    def derived(self, item: Subject, body: Json) -> Json:
        """Return what is computed from *body* and shown beside it."""
        return {}

    @abstractmethod
    def same(self, item: Subject, first: Json, second: Json) -> bool:
        """Return whether two bodies are the same answer."""

    @abstractmethod
    def compare(self, item: Subject, correct: Json, body: Json) -> float:
        """Return how close *body* is to the *correct* answer, from 0 to 1."""

    def distance(self, item: Subject, first: Json, second: Json) -> float:
        """Return how far two answers are from each other, from 0 to 1."""
        return float(not self.same(item, first, second))

    def align(self, item: Subject, left: Json, right: Json) -> Object:
        """Return what two bodies agree on and what is left to decide, if answers are adjudicated in parts.

        *left* and *right* in the result are the bodies as the result may have them, *body* is what is agreed, and
        *agreement* has figures.
        """
        raise TouchstoneError("answers of this task are adjudicated as a whole", code=Code.UNSUPPORTED)

    def feedback(self, item: Subject, correct: Json, body: Json) -> Json:
        """Return what the author of a training answer is told about it."""
        return {"known": correct, "credit": self.compare(item, correct, body)}

    @abstractmethod
    def agreement(self, answers: Answers) -> Finding:
        """Return how well the annotators agree: rows of the kind "coefficient", each with its judgement."""

    @abstractmethod
    def labels(self, answers: Answers) -> dict[str, list[Labelled]]:
        """Return the answers as labels, for the model of annotators: for each question, (item, annotator, label).

        Parameters
        ----------
        answers
            The answers that people gave on their own.
        """

    @abstractmethod
    def gold(self, works: Sequence["Work"], settings: Settings) -> "GoldExport":
        """Return the gold as files that ``touchstone TASK score`` takes, with what is not in it and why."""

    @abstractmethod
    def export(self, items: Sequence[Subject], answers: Answers, settings: Settings) -> Iterator[OutputFile]:
        """Yield files for Touchstone's commands: the items, and the answers of each annotator."""

    def proposals(self, item: Subject) -> list[Json]:
        """Return what a machine partner proposes for *item*."""
        return []

    def score(self, item: Subject, body: Json) -> float | None:
        """Return the score that *body* gives to the system behind *item*, where an answer gives one."""
        return None

    def read_body(self, item: Subject, before: Json, file: Upload) -> tuple[Json, list[str]]:
        """Return the body in *file*, which replaces the body *before*, and notes on what is unusual in it."""
        raise TouchstoneError(
            "an answer of this task cannot be read from a file", file=file.name, code=Code.UNSUPPORTED
        )

    def write_body(self, item: Subject, body: Json, form: str, author: str, blind: bool) -> OutputFile:
        """Return *body* as a file in the format *form*; if *blind*, without what annotators must not know."""
        raise TouchstoneError(
            "an answer of this task has no file of its own", code=Code.UNSUPPORTED, hint="export the project"
        )

    def review_problems(
        self, item: Subject, reviewed: Json, body: Json, before: Json, by_author: bool
    ) -> list[Problem]:
        """Return why a review cannot be saved.

        Parameters
        ----------
        item
            The item that the reviewed answer is about.
        reviewed
            The body of the reviewed answer.
        body, before
            The review to be saved, and the review as it is stored.
        by_author
            Whether the author of the reviewed answer saves it, rather than the reviewer.
        """
        return [Problem("", "answers of this task are adjudicated, not reviewed")]

    def attachment(self, item: Subject, body: Json) -> Json:
        """Return a finished body as the attachment of other items."""
        raise TouchstoneError("answers of this task are not attached to anything", code=Code.UNSUPPORTED)

    def waits_for(self, item: Subject) -> str | None:
        """Return what must be there before *item* can be annotated, in words; None if it can be."""
        return None

    def changes(self, item: Subject, new: Json, body: Json) -> list[str]:
        """Return what replacing the attachment of *item* by *new* would change in *body*."""
        return []

    def rebased(self, item: Subject, new: Json, body: Json) -> Json:
        """Return *body* converted from the attachment of *item* to the *new* one."""
        return body


def has_keys(body: Json, keys: Sequence[str]) -> bool:
    """Return whether *body* is an object with exactly these keys."""
    return isinstance(body, dict) and set(body) == set(keys)


def grouped(values: Iterable[Value], key: Callable[[Value], Key]) -> dict[Key, list[Value]]:
    """Return the values with each key, keys in the order of their first values.

    >>> grouped(["ant", "bee", "ape"], lambda name: name[0])
    {'a': ['ant', 'ape'], 'b': ['bee']}
    """
    groups: dict[Key, list[Value]] = {}
    for value in values:
        groups.setdefault(key(value), []).append(value)
    return groups


def by_author(answers: Iterable[FinishedAnswer]) -> list[tuple[str, str, list[FinishedAnswer]]]:
    """Return each author, a file name for them and their answers, sorted by author."""
    groups = grouped(answers, lambda answer: answer.author)
    names = file_names(sorted(groups))
    return [(author, name, groups[author]) for author, name in names.items()]


def by_item(answers: Iterable[FinishedAnswer]) -> list[list[FinishedAnswer]]:
    """Return the answers to each item, in the order of the items."""
    return list(grouped(answers, lambda answer: (answer.item.kind, answer.item.key)).values())


def independent(answers: Iterable[FinishedAnswer]) -> list[FinishedAnswer]:
    """Return the answers that people gave on their own, without the adjudicated ones."""
    return [answer for answer in answers if answer.kind in ("annotation", "imported")]


def file_names(names: Iterable[str]) -> dict[str, str]:
    """Return a distinct, safe file name for each of *names*.

    >>> file_names(["Ann Lee", "../ann lee", "Ω"])
    {'Ann Lee': 'Ann-Lee', '../ann lee': 'ann-lee-2', 'Ω': 'Ω'}
    """
    safe: dict[str, str] = {}
    for name in names:
        encoded = re.sub(r"[^\w.]+", "-", name).strip("-.").encode()[:LONGEST_NAME]
        safe[name] = unused(encoded.decode(errors="ignore") or "nobody", {other.casefold() for other in safe.values()})
    return safe


def unused(name: str, taken: set[str]) -> str:
    """Return *name*, followed by a number if it is *taken*, whatever its case.

    >>> unused("Ann", {"ann", "ann-2"})
    'Ann-3'
    """
    candidate, number = name, 1
    while candidate.casefold() in taken:
        number += 1
        candidate = f"{name}-{number}"
    return candidate


def as_table(rows: Iterable[Sequence[Json]], delimiter: str = ",") -> bytes:
    r"""Return *rows* as CSV, or as TSV with tabs and line ends inside cells replaced by spaces.

    A text that a spreadsheet would take for a formula gets an apostrophe before it.

    >>> as_table([["Ann", "=1+1", "-3", "- no"]])
    b"Ann,'=1+1,-3,'- no\n"
    """
    out = io.StringIO(newline="")
    harmless = ([_harmless(cell) for cell in row] for row in rows)
    if delimiter == ",":
        csv.writer(out, lineterminator="\n").writerows(harmless)
    else:
        for row in harmless:
            out.write(delimiter.join(" ".join(str(cell).split()) for cell in row) + "\n")
    return out.getvalue().encode()


def _harmless(cell: Json) -> Json:
    if not isinstance(cell, str) or not cell.lstrip().startswith(("=", "+", "-", "@")):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def as_records(records: Sequence[Mapping[str, Json]], columns: Sequence[str], delimiter: str = ",") -> bytes:
    """Return *records* as a table (see `as_table`) with a header line of *columns*."""
    return as_table([columns, *([record[column] for column in columns] for record in records)], delimiter)
