"""Gold and runs as ELS07 lines or as JSONL."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from touchstone.core.errors import Fault, TouchstoneError
from touchstone.io.jsonl import Json, format_objects
from touchstone.tasks.lexsub.formats.els07 import PROPER_NAME
from touchstone.tasks.lexsub.keys import key
from touchstone.tasks.lexsub.model import GoldSet, Item, Run


def gold_as_jsonl(gold: GoldSet) -> str:
    """Return the kept items as JSONL."""
    return format_objects(map(_gold_object, gold.kept_items))


def gold_as_els07(gold: GoldSet) -> str:
    """Return the kept items as ``word.pos ID :: sub N;sub N;``."""
    rows = []
    for item in gold.kept_items:
        entries = "".join(
            f"{answer} {Decimal(repr(weight)).normalize():f};" for answer, weight in item.gold.weights.items()
        )
        rows.append(_Line(item.target, item.pos, item.id, "::", entries, tuple(item.gold.weights), (PROPER_NAME,)))
    return _els07(rows, gold.source.name)


def run_as_jsonl(run: Run) -> str:
    """Return a run as JSONL, with its boundary and its best guesses where it has them."""
    return format_objects(_run_objects(run))


def run_as_els07(run: Run, view: str) -> str:
    """Return a run as an ELS07 file.

    Parameters
    ----------
    run
        The answers of a system.
    view
        ``best`` writes best guesses (``::``), ``ranked`` ranked lists (``:::``).
    """
    answers = run.best if view == "best" and run.best else run.lists
    rows = []
    for row, name in enumerate(answers.ids):
        target = answers.targets[row]
        if target is None:
            hint = 'ELS07 lines begin with the target: add "target" and "pos" to the records'
            raise TouchstoneError("a record without a target", file=answers.source.name, value=name, hint=hint)
        given = answers.lists[row] if run.best or view == "ranked" else answers.lists[row][:1]
        separator = "::" if view == "best" else ":::"
        rows.append(_Line(target, answers.pos[row], name, separator, ";".join(given), given))
    return _els07(rows, answers.source.name)


def _gold_object(item: Item) -> dict[str, Json]:
    whole: dict[str, Json] = {"id": item.id, "target": item.target, "pos": item.pos}
    whole |= vars(item.context) if item.context else {}
    return {**whole, "gold": {answer: int(w) if w == int(w) else w for answer, w in item.gold.weights.items()}}


def _run_objects(run: Run) -> Iterator[dict[str, Json]]:
    lists = run.lists
    best = {name: run.best.lists[row] for row, name in enumerate(run.best.ids)} if run.best and run.ranked else {}
    for row, name in enumerate(lists.ids):
        whole: dict[str, Json] = {"id": name, "system": run.name}
        if lists.targets[row] is not None:
            whole |= {"target": lists.targets[row], "pos": lists.pos[row]}
        whole["answers"] = list(lists.lists[row])
        if lists.cuts[row] >= 0:
            whole["cut"] = int(lists.cuts[row])
        if name in best:
            whole["best"] = list(best[name])
        yield whole


@dataclass(frozen=True)
class _Line:
    """A line of an ELS07 file; *reserved* keys mean something else there and cannot be written."""

    target: str
    pos: str | None
    id: str
    separator: str
    rest: str
    answers: tuple[str, ...]
    reserved: tuple[str, ...] = ()

    @property
    def head(self) -> str:
        word = f"{self.target}.{self.pos}" if self.pos else self.target
        return f"{word} {self.id} {self.separator} "


def _els07(rows: list[_Line], file: str) -> str:
    """Return the lines; refuse what the format cannot hold."""
    faults = [
        Fault("an ELS07 line cannot hold this", file, line.id, part)
        for line in rows
        for part in [
            *(part for part in (line.target, line.id) if not part or any(c.isspace() or c in ".;" for c in part)),
            *(part for part in line.answers if any(c in part for c in ";\n\r") or key(part) in line.reserved),
        ]
    ]
    if faults:
        raise TouchstoneError.of(faults, "write .jsonl instead")
    return "".join(f"{line.head}{line.rest}".rstrip() + "\n" for line in rows)
