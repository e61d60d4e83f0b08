"""Gold and answers, written as ELS07 lines or as JSONL."""

from collections.abc import Iterator

import numpy as np

from touchstone.errors import Fault, TouchstoneError
from touchstone.io.jsonl import Json, format_objects
from touchstone.tasks.lexsub.model import Answers, GoldSet, Run


def gold_as_jsonl(gold: GoldSet) -> str:
    """Return the kept items as JSONL."""
    return format_objects(_gold_objects(gold))


def gold_as_els07(gold: GoldSet) -> str:
    """Return the kept items as ``word.pos ID :: sub N;sub N;``."""
    rows = []
    for item in (gold[gold.ids[row]] for row in np.flatnonzero(gold.kept).tolist()):
        entries = "".join(f"{answer} {weight:.15g};" for answer, weight in item.gold.weights.items())
        rows.append((f"{_word(item.target, item.pos)} {item.id}", " :: ", entries, list(item.gold.weights)))
    return _els07(rows, gold.source.name)


def answers_as_jsonl(run: Run) -> str:
    """Return a run as JSONL, with its boundary and its best guesses where it has them."""
    return format_objects(_answer_objects(run))


def answers_as_els07(run: Run, view: str) -> str:
    """Return one view of a run as an ELS07 file: ``::`` for best, ``:::`` for ranked."""
    answers = (run.best or run.ranked) if view == "best" else (run.ranked or run.best)
    assert answers is not None
    rows = []
    for row, name in enumerate(answers.ids):
        target = answers.targets[row]
        if target is None:
            hint = 'ELS07 lines begin with the target: add "target" and "pos" to the records'
            raise TouchstoneError("a record without a target", file=answers.source.name, value=name, hint=hint)
        given = answers.lists[row] if run.best or view == "ranked" else answers.lists[row][:1]
        separator = " :: " if view == "best" else " ::: "
        rows.append((f"{_word(target, answers.pos[row])} {name}", separator, ";".join(given), list(given)))
    return _els07(rows, answers.source.name)


def _gold_objects(gold: GoldSet) -> Iterator[dict[str, Json]]:
    for item in (gold[gold.ids[row]] for row in np.flatnonzero(gold.kept).tolist()):
        whole: dict[str, Json] = {"id": item.id, "target": item.target, "pos": item.pos}
        if item.context:
            whole |= {"left": item.context.left, "head": item.context.head, "right": item.context.right}
        weights = {answer: int(w) if w == int(w) else w for answer, w in item.gold.weights.items()}
        yield {**whole, "gold": dict(weights)}


def _answer_objects(run: Run) -> Iterator[dict[str, Json]]:
    lists = run.ranked or run.best
    assert lists is not None
    best = _by_id(run.best) if run.best and run.ranked else {}
    for row, name in enumerate(lists.ids):
        whole: dict[str, Json] = {"id": name, "system": run.system}
        if lists.targets[row] is not None:
            whole |= {"target": lists.targets[row], "pos": lists.pos[row]}
        whole["answers"] = list(lists.lists[row])
        if lists.cuts[row] >= 0:
            whole["cut"] = int(lists.cuts[row])
        if name in best:
            whole["best"] = list(best[name])
        yield whole


def _by_id(answers: Answers) -> dict[str, tuple[str, ...]]:
    return {name: answers.lists[row] for row, name in enumerate(answers.ids)}


def _word(target: str, pos: str | None) -> str:
    return f"{target}.{pos}" if pos else target


def _els07(rows: list[tuple[str, str, str, list[str]]], file: str) -> str:
    """Return the lines; refuse what the format cannot say."""
    faults = [
        Fault("ELS07 files cannot hold this answer or word", file, head, part)
        for head, _, _, answers in rows
        for part in [head.rpartition(" ")[0], *answers]
        if any(c in part for c in ";\n\r") or (part == head.rpartition(" ")[0] and any(c.isspace() for c in part))
    ]
    if faults:
        raise TouchstoneError.of(faults, "write .jsonl instead")
    return "".join(f"{head}{separator}{rest}".rstrip() + "\n" for head, separator, rest, _ in rows)
