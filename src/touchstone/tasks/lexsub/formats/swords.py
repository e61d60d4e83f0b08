"""SWORDS (Lee et al. 2021): a JSON file of contexts, targets, substitutes and their labels.

The weight of a substitute is the number of TRUE and TRUE_IMPLICIT labels; one without any was a candidate, not gold,
and stays in the pool of its target. Results are ``{"substitutes_lemmatized": bool, "substitutes": {target_id: [[answer,
score], ...]}}``.
"""

from math import isfinite

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, refuse
from touchstone.base.files import Source
from touchstone.base.ragged import Ragged, StringLists
from touchstone.io.jsonl import Json, parse_json
from touchstone.tasks.lexsub.model import NO_CUT, Answers, Context, GoldSet, Judgements, Run, key

POS = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}
YES = {"TRUE", "TRUE_IMPLICIT"}
UNSURE = "UNSURE"

PARTS = ("contexts", "targets", "substitutes", "substitute_labels")
NO_OBJECT = "must be an object, as in a SWORDS file"


def read_gold(text: str, source: Source, min_responses: float | None = None, min_weight: float = 1) -> GoldSet:
    """Read targets with the substitutes that at least *min_weight* people accepted."""
    document = _object(parse_json(text, file=source.name), source, "$")
    faults: list[Fault] = []
    parts = {name: _part(document, name, source, faults) for name in PARTS}
    refuse(faults)
    contexts = _contexts(parts, source, faults)
    labels = _labels(parts, source, faults)
    # A substitute that nobody accepted is no answer of the gold, whatever the least number is.
    least = max(1, min_weight)
    golds = {
        name: {substitute: float(yes) for substitute, (yes, _) in pool.items() if yes >= least and key(substitute)}
        for name, pool in labels.items()
    }
    targets = {name: target if isinstance(target, dict) else {} for name, target in parts["targets"].items()}
    gold = GoldSet(
        source,
        ids=list(targets),
        targets=[str(target.get("target")) for target in targets.values()],
        pos=[POS.get(str(target.get("pos"))) for target in targets.values()],
        answers=StringLists.of(golds[name] for name in targets),
        weights=Ragged.of(golds[name].values() for name in targets),
        lines=[f"targets.{name}" for name in targets],
        form="swords",
        least=min_responses,
        contexts=[contexts.get(name) for name in targets],
        judgements=Judgements(
            StringLists.of(labels[name] for name in targets),
            np.array([counts for name in targets for counts in labels[name].values()], np.int64).reshape(-1, 2),
        ),
    )
    return gold.checked(faults)


def read_run(text: str, source: Source) -> Run:
    """Read results: lists by falling score, equal scores in file order."""
    document = _object(parse_json(text, file=source.name), source, "$")
    lists: dict[str, list[str]] = {}
    empties = 0
    faults: list[Fault] = []
    for name, pairs in _object(document.get("substitutes"), source, "substitutes").items():
        scored = _scored(pairs)
        if scored is None:
            what = "not a list of [answer, score] pairs"
            faults.append(Fault(what, source.name, f"substitutes.{name}", code=Code.BAD_CELL))
        ranked = sorted(scored or (), key=lambda pair: -pair[1])
        lists[name] = [answer for answer, _ in ranked if key(answer)]
        empties += len(ranked) - len(lists[name])
    n = len(lists)
    places = [f"substitutes.{name}" for name in lists]
    unknown = [None] * n
    columns = (places, unknown, unknown, StringLists.of(lists.values()), np.full(n, NO_CUT))
    answers = Answers(source, list(lists), *columns, form="swords", faults=tuple(faults))
    return Run(source.stem, (source,), None, answers, empties)


def _contexts(parts: dict[str, dict[str, Json]], source: Source, faults: list[Fault]) -> dict[str, Context]:
    contexts = {}
    for name, value in parts["targets"].items():
        target = value if isinstance(value, dict) else {}
        sentence = parts["contexts"].get(str(target.get("context_id")))
        text = sentence.get("context") if isinstance(sentence, dict) else None
        word, offset = target.get("target"), target.get("offset")
        if not (isinstance(text, str) and isinstance(word, str) and isinstance(offset, int)):
            what = "a target needs its context, target and offset"
            faults.append(Fault(what, source.name, f"targets.{name}", code=Code.BAD_CELL))
        elif offset < 0 or text[offset : offset + len(word)] != word:
            what = "the target is not at its offset"
            faults.append(Fault(what, source.name, f"targets.{name}.offset", word, code=Code.MISMATCH))
        else:
            contexts[name] = Context(text[:offset].strip(), word, text[offset + len(word) :].strip())
    return contexts


def _labels(
    parts: dict[str, dict[str, Json]], source: Source, faults: list[Fault]
) -> dict[str, dict[str, tuple[int, int]]]:
    """Return, for each target, how many labels accept each substitute and how many there are; UNSURE is none."""
    counts: dict[str, dict[str, tuple[int, int]]] = {name: {} for name in parts["targets"]}
    for name, value in parts["substitutes"].items():
        entry = value if isinstance(value, dict) else {}
        substitute, target = entry.get("substitute"), str(entry.get("target_id"))
        labels = parts["substitute_labels"].get(name)
        if target not in counts or not isinstance(substitute, str) or not isinstance(labels, list):
            what = "a substitute needs a known target_id, a text and labels"
            faults.append(Fault(what, source.name, f"substitutes.{name}", target, code=Code.BAD_CELL))
            continue
        yes = sum(isinstance(label, str) and label in YES for label in labels)
        before = counts[target].get(substitute, (0, 0))
        counts[target][substitute] = before[0] + yes, before[1] + sum(label != UNSURE for label in labels)
    return counts


def _object(value: Json, source: Source, path: str) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise TouchstoneError(NO_OBJECT, file=source.name, line=path, code=Code.UNREADABLE)
    return value


def _part(document: dict[str, Json], name: str, source: Source, faults: list[Fault]) -> dict[str, Json]:
    """Return a part of the file, empty where it is missing or no object, which becomes a fault."""
    part = document.get(name)
    if isinstance(part, dict):
        return part
    faults.append(Fault(NO_OBJECT, source.name, name, code=Code.UNREADABLE))
    return {}


def _scored(pairs: Json) -> list[tuple[str, float]] | None:
    if not isinstance(pairs, list):
        return None
    scored = []
    for pair in pairs:
        match pair:
            case [str(answer), int(score) | float(score)] if isfinite(score):
                scored.append((answer, float(score)))
            case _:
                return None
    return scored
