"""What the application asks of a task: to read files into items, to check answers, to compare and to export them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from touchstone.annotate.refusals import Problem
from touchstone.io.jsonl import Json
from touchstone.stats.agreement import Agreement

Settings = Mapping[str, Json]


@dataclass(frozen=True)
class Upload:
    """A file that somebody gave; its name may hold folders."""

    name: str
    content: bytes


@dataclass(frozen=True)
class NewAnswer:
    """An answer that came with an imported file, and who gave it."""

    author: str
    body: Json
    done: bool = True
    comment: str = ""


@dataclass(frozen=True)
class NewItem:
    """An item of an imported file: *payload* may be shown, *hidden* and *known* may not.

    *attachment* is what it shares with other items. With *start*, whoever annotates it begins with the first of
    *answers*.
    """

    key: str
    kind: str
    payload: Json
    hidden: Json = None
    known: Json = None
    attachment: Json = None
    answers: tuple[NewAnswer, ...] = ()
    start: bool = False


@dataclass(frozen=True)
class Imported:
    """What files hold; *notes* say what is odd in them."""

    items: Sequence[NewItem]
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Subject:
    """An item as a task sees it; two with the same *identity* hold the same, so that a task may remember them."""

    key: str
    kind: str
    payload: Json
    hidden: Json = None
    attachment: Json = None
    identity: str | None = None


@dataclass(frozen=True)
class Given:
    """An answer as figures and exports see it; *kind* is annotation, imported or adjudicated."""

    item: Subject
    author: str
    kind: str
    body: Json
    unsure: bool = False
    comment: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Figure:
    """A coefficient of agreement, and what it is about."""

    about: str
    agreement: Agreement


@dataclass(frozen=True)
class Agreed:
    """How far people agree."""

    figures: Sequence[Figure] = ()
    notes: Sequence[str] = field(default=())


@dataclass(frozen=True)
class OutFile:
    """A file to be written, its path relative to the folder of the export."""

    path: str
    content: bytes


class Task(Protocol):
    """A task, in the application's words."""

    @property
    def name(self) -> str:
        """What projects call it."""

    def settings(self, given: Settings) -> dict[str, Json]:
        """Return the settings of a project, checked, with defaults where none is given."""

    def read(self, files: Sequence[Upload], settings: Settings, *, known: bool, beside: Mapping[str, Json]) -> Imported:
        """Return the items of *files*; with *known*, each with the answer that counts as right.

        *beside* is what the project has already that items could be attached to.
        """

    def view(self, item: Subject) -> Json:
        """Return what an annotator is shown."""

    def blank(self, item: Subject) -> Json:
        """Return the body of an answer that nobody has begun."""

    def problems(
        self, item: Subject, body: Json, before: Json, *, done: bool, allowed: Sequence[Json] = ()
    ) -> list[Problem]:
        """Return why *body* cannot be saved after *before*, or not be called *done*.

        What *allowed* bodies break may be broken: an undo goes back to one, or a file brought it.
        """

    def derived(self, item: Subject, body: Json) -> Json:
        """Return what follows from a body and is shown beside it."""

    def same(self, item: Subject, one: Json, other: Json) -> bool:
        """Say whether two people answered alike."""

    def compare(self, item: Subject, known: Json, body: Json) -> float:
        """Return how near *body* comes to the *known* answer, from 0 to 1."""

    def feedback(self, item: Subject, known: Json, body: Json) -> Json:
        """Return what somebody who learns is told about their answer."""

    def agreement(self, answers: Sequence[Given]) -> Agreed:
        """Return how far the annotators agree."""

    def export(self, items: Sequence[Subject], answers: Sequence[Given], settings: Settings) -> Iterator[OutFile]:
        """Yield the files that Touchstone's commands read: every annotator apart, and what was adjudicated."""

    def read_body(self, item: Subject, before: Json, file: Upload) -> tuple[Json, list[str]]:
        """Return the body that a file holds, to follow *before*, and what is odd in it."""

    def write_body(self, item: Subject, body: Json, form: str, author: str, *, blind: bool) -> OutFile:
        """Return a body as a file of its own; *blind*, the file tells nothing that an annotator must not know."""

    def review_problems(
        self, item: Subject, reviewed: Json, body: Json, before: Json, *, by_author: bool
    ) -> list[Problem]:
        """Return why a review of a *reviewed* body cannot be saved, by its reviewer or by the author of that body."""

    def changes(self, item: Subject, new: Json, body: Json) -> list[str]:
        """Return what a *new* attachment in place of the item's touches in *body*."""

    def attachment(self, item: Subject, body: Json) -> Json:
        """Return a finished body as the attachment of other items."""

    def rebased(self, item: Subject, new: Json, body: Json) -> Json:
        """Return *body*, made against the attachment of *item*, set on a *new* one; nothing of it is lost."""
