"""Gold and runs as ELS07 lines or as JSONL, and runs as results of SWORDS."""

import json
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, refuse
from touchstone.io.jsonl import Json, format_objects
from touchstone.tasks.lexsub.formats.els07 import PROPER_NAME
from touchstone.tasks.lexsub.model import GoldSet, Item, Run, key


def gold_as_jsonl(gold: GoldSet) -> str:
    """Return the kept items as JSONL."""
    return format_objects(map(_gold_object, gold.scored_items))


def gold_as_els07(gold: GoldSet) -> str:
    """Return the kept items as ``word.pos ID :: sub N;sub N;``."""
    rows = (
        (item.target, item.pos, item.id, "".join(map(_entry, weights, weights.values())), tuple(weights))
        for item in gold.scored_items
        for weights in [item.gold.weights]
    )
    return _els07(rows, "::", gold.source.name, PROPER_NAME)


def run_as_jsonl(run: Run) -> str:
    """Return a run as JSONL, with its boundary and its best guesses where it has them."""
    return format_objects(_run_objects(run))


def run_as_swords(run: Run) -> str:
    """Return a run as a results file of SWORDS: base forms, each with a score that falls with its rank."""
    lists = run.lists
    substitutes = {
        name: [[answer, len(lists.lists[row]) - rank] for rank, answer in enumerate(lists.lists[row])]
        for row, name in enumerate(lists.ids)
    }
    return json.dumps({"substitutes_lemmatized": True, "substitutes": substitutes}, ensure_ascii=False) + "\n"


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
            what = "a record without a target"
            raise TouchstoneError(what, file=answers.source.name, value=name, code=Code.UNSUPPORTED, hint=hint)
        answers_of_line = answers.lists[row] if run.best or view == "ranked" else answers.lists[row][:1]
        rows.append((target, answers.pos[row], name, ";".join(answers_of_line), answers_of_line))
    return _els07(rows, "::" if view == "best" else ":::", answers.source.name)


def _entry(answer: str, weight: float) -> str:
    return f"{answer} {Decimal(repr(weight)).normalize():f};"


def _gold_object(item: Item) -> dict[str, Json]:
    record: dict[str, Json] = {"id": item.id, "target": item.target, "pos": item.pos}
    record |= vars(item.context) if item.context else {}
    return {**record, "gold": {answer: int(w) if w == int(w) else w for answer, w in item.gold.weights.items()}}


def _run_objects(run: Run) -> Iterator[dict[str, Json]]:
    lists = run.lists
    best = {name: run.best.lists[row] for row, name in enumerate(run.best.ids)} if run.best and run.ranked else {}
    for row, name in enumerate(lists.ids):
        record: dict[str, Json] = {"id": name, "system": run.name}
        if lists.targets[row] is not None:
            record |= {"target": lists.targets[row], "pos": lists.pos[row]}
        record["answers"] = list(lists.lists[row])
        if lists.cuts[row] >= 0:
            record["cut"] = int(lists.cuts[row])
        if name in best:
            record["best"] = list(best[name])
        yield record


def _els07(
    rows: Iterable[tuple[str, str | None, str, str, Sequence[str]]],
    separator: str,
    file: str,
    reserved: str | None = None,
) -> str:
    """Return rows of target, part of speech, id, text and answers as lines; refuse what the format cannot hold.

    The key *reserved* means something else in such a file and cannot be written.
    """
    written, faults = [], []
    for target, pos, name, text, answers in rows:
        wrong = [part for part in (target, name) if not part or any(c.isspace() or c in ".;" for c in part)]
        wrong += [part for part in answers if any(c in part for c in ";\n\r") or key(part) == reserved]
        faults += [Fault("an ELS07 line cannot hold this", file, name, part, code=Code.CANNOT_WRITE) for part in wrong]
        word = f"{target}.{pos}" if pos else target
        written.append(f"{word} {name} {separator} {text}".rstrip() + "\n")
    refuse(faults, "write .jsonl instead")
    return "".join(written)
