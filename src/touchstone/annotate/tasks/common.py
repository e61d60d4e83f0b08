# ruff: noqa: ARG002 (a task is given all that any task may need)
"""What the tasks with forms have in common: reading uploads, checking bodies, naming files."""

import csv
import hashlib
import io
import re
from collections.abc import Iterable, Mapping, Sequence

from touchstone.annotate.refusals import Problem
from touchstone.annotate.tasks.protocol import Given, OutFile, Settings, Subject, Upload
from touchstone.core.errors import TouchstoneError, nearest
from touchstone.io.jsonl import Json
from touchstone.io.text import Source, decode

Body = dict[str, Json]

LONGEST_NAME = 64
"""Bytes: a file of a peer is named after three things, and no file system takes more than 255."""


class Form:
    """A task whose answers are small forms: no attachments, no files of one answer, no reviews."""

    def derived(self, item: Subject, body: Json) -> Json:
        """Nothing follows from a form."""
        return {}

    def read_body(self, item: Subject, before: Json, file: Upload) -> tuple[Json, list[str]]:
        """Refuse: a form is filled in by hand."""
        raise TouchstoneError("an answer of this task cannot be read from a file", file=file.name)

    def write_body(self, item: Subject, body: Json, form: str, author: str, *, blind: bool) -> OutFile:
        """Refuse: a form goes out with the whole project."""
        raise TouchstoneError("an answer of this task has no file of its own", hint="export the project")

    def review_problems(
        self,
        item: Subject,
        reviewed: Json,
        body: Json,
        before: Json,
        *,
        by_author: bool,
    ) -> list[Problem]:
        """Refuse: forms are adjudicated, not reviewed."""
        return [Problem("", "answers of this task are adjudicated, not reviewed")]

    def attachment(self, item: Subject, body: Json) -> Json:
        """Refuse: no item hangs on another's answer."""
        raise TouchstoneError("answers of this task are not attached to anything")

    def rebased(self, item: Subject, new: Json, body: Json) -> Json:
        """Nothing is attached to a form."""
        return body

    def changes(self, item: Subject, new: Json, body: Json) -> list[str]:
        """Nothing is attached to a form."""
        return []


def source_of(file: Upload) -> Source:
    """Return where an upload came from, for messages."""
    return Source(file.name, hashlib.sha256(file.content).hexdigest())


def text_of(file: Upload) -> str:
    """Return the text of an upload, strictly decoded."""
    return decode(file.content, file.name)


def checked_settings(given: Settings, known: Mapping[str, Sequence[Json]]) -> dict[str, Json]:
    """Return the settings of a task: for each name its allowed values, of which the first is the default."""
    for name in given:
        if name not in known:
            near = nearest(name, known)
            raise TouchstoneError("this task has no such setting", value=name, near=near, kind="setting")
    for name, value in given.items():
        if value not in known[name]:
            hint = f"use one of {', '.join(map(str, known[name]))}"
            raise TouchstoneError(f"the setting {name} cannot have this value", value=str(value), hint=hint)
    return {name: given.get(name, values[0]) for name, values in known.items()}


def has_keys(body: Json, keys: Sequence[str]) -> bool:
    """Say whether a body is an object with these keys and no others."""
    return isinstance(body, dict) and set(body) == set(keys)


def by_author(answers: Iterable[Given]) -> dict[str, list[Given]]:
    """Return the answers of each author, authors in the order of their names."""
    found: dict[str, list[Given]] = {}
    for answer in answers:
        found.setdefault(answer.author, []).append(answer)
    return dict(sorted(found.items()))


def adjudicated(answers: Iterable[Given]) -> list[tuple[Given, list[Given]]]:
    """Return each adjudicated answer, and what people had answered about its item."""
    return [(last, people(given)) for given in by_item(answers) for last in given if last.kind == "adjudicated"]


def by_item(answers: Iterable[Given]) -> list[list[Given]]:
    """Return the answers to each item, items in their order."""
    found: dict[tuple[str, str], list[Given]] = {}
    for answer in answers:
        found.setdefault((answer.item.kind, answer.item.key), []).append(answer)
    return list(found.values())


def people(answers: Iterable[Given]) -> list[Given]:
    """Return what people answered, each for themselves: neither adjudicated nor reviewed."""
    return [answer for answer in answers if answer.kind in ("annotation", "imported")]


def file_names(names: Iterable[str]) -> dict[str, str]:
    """Return for each name one that is safe for a file, and no other's.

    >>> file_names(["Ann Lee", "../ann lee", "Ω"])
    {'Ann Lee': 'Ann-Lee', '../ann lee': 'ann-lee-2', 'Ω': 'Ω'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        safe = re.sub(r"[^\w.]+", "-", name).strip("-.").encode()[:LONGEST_NAME]
        plain = safe.decode(errors="ignore") or "nobody"
        unique, number = plain, 1
        while unique.casefold() in taken:
            number += 1
            unique = f"{plain}-{number}"
        taken.add(unique.casefold())
        found[name] = unique
    return found


def as_table(rows: Iterable[Sequence[Json]], delimiter: str = ",") -> bytes:
    """Return rows as CSV, or as TSV in which tabs and line ends inside cells became blanks."""
    out = io.StringIO(newline="")
    if delimiter == ",":
        csv.writer(out, lineterminator="\n").writerows(rows)
    else:
        for row in rows:
            out.write(delimiter.join(" ".join(str(cell).split()) for cell in row) + "\n")
    return out.getvalue().encode()
