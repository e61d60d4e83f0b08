# ruff: noqa: ARG002 (a task is given all that any task may need)
"""Substitutes for a word in its sentence: up to three, as in the English lexical substitution task of 2007."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import numpy as np

from touchstone.annotate.refusals import Problem
from touchstone.annotate.tasks.common import (
    Body,
    Form,
    adjudicated,
    as_table,
    by_author,
    by_item,
    checked_settings,
    file_names,
    has_keys,
    people,
    source_of,
    text_of,
)
from touchstone.annotate.tasks.protocol import (
    Agreed,
    Figure,
    Given,
    Imported,
    NewItem,
    OutFile,
    Settings,
    Subject,
    Upload,
)
from touchstone.core.errors import Fault, TouchstoneError
from touchstone.core.gold import Gold
from touchstone.core.ragged import Floats
from touchstone.io.jsonl import Json, format_objects, parse_objects
from touchstone.stats.agreement import Agreement, Frame, agreements, krippendorff_alpha
from touchstone.tasks.lexsub.formats import els07, jsonl
from touchstone.tasks.lexsub.formats.writing import gold_as_els07
from touchstone.tasks.lexsub.keys import key
from touchstone.tasks.lexsub.model import POS_NAMES, Sentence

MOST = 3
"""Substitutes that one person may give (McCarthy and Navigli 2007, section 3)."""

LONGEST = 100
FIELDS = ("target", "pos", "left", "head", "right")


class Lexsub(Form):
    """Up to three substitutes, or the word that there is none."""

    name = "lexsub"

    def settings(self, given: Settings) -> dict[str, Json]:
        """There is nothing to set."""
        return checked_settings(given, {})

    def read(
        self,
        files: Sequence[Upload],
        settings: Settings,
        *,
        known: bool,
        beside: Mapping[str, Json],
    ) -> Imported:
        """Read sentences: ELS07's XML, with a .gold beside it where answers are *known*, or JSONL."""
        golds = [_gold(file) for file in files if file.name.endswith(".gold")]
        answers = {name: weights for gold in golds for name, weights in gold.items()}
        items = [
            item for file in files if not file.name.endswith(".gold") for item in _items(file, answers, known=known)
        ]
        if not items:
            hint = "give the sentences: .xml or .jsonl; a .gold file holds none"
            raise TouchstoneError("no sentence in these files", hint=hint)
        return Imported(items)

    def view(self, item: Subject) -> Json:
        """Show the sentence around its target."""
        return item.payload

    def blank(self, item: Subject) -> Json:
        """No substitute yet."""
        return {"substitutes": [], "none": False}

    def problems(
        self,
        item: Subject,
        body: Json,
        before: Json,
        *,
        done: bool,
        allowed: Sequence[Json] = (),
    ) -> list[Problem]:
        """At most three different words, none of them the target; done needs one, or the word that there is none."""
        if not has_keys(body, ("substitutes", "none")):
            return [Problem("", "an answer has substitutes and none")]
        given = cast("Body", body)["substitutes"]
        none = cast("Body", body)["none"]
        if not isinstance(none, bool) or not isinstance(given, list):
            return [Problem("", "substitutes must be a list, none true or false")]
        target = cast("dict[str, str]", item.payload)["target"]
        wrong = _word_problems(given, target)
        if none and given:
            wrong.append(Problem("none", "there are substitutes, so it cannot be that there are none"))
        if done and not (none or given):
            wrong.append(Problem("substitutes", "give at least one substitute, or say that there is none"))
        return wrong

    def same(self, item: Subject, one: Json, other: Json) -> bool:
        """Say whether both gave the same words, in whatever order."""
        return _keys(one) == _keys(other)

    def compare(self, item: Subject, known: Json, body: Json) -> float:
        """credit(A) / optimum(number of A): 1 where nobody could have given better words."""
        gold = Gold(cast("dict[str, float]", known))
        given = _keys(body)
        return gold.credit(given) / gold.optimum(len(given)) if given else 0.0

    def feedback(self, item: Subject, known: Json, body: Json) -> Json:
        """Tell the words that people gave, with how many gave them, and the credit of these."""
        return {"known": known, "credit": self.compare(item, known, body)}

    def agreement(self, answers: Sequence[Given]) -> Agreed:
        """Return alpha over the sets of words, and the mean overlap of two people's sets."""
        units = [[_keys(one.body) for one in given] for given in by_item(people(answers))]
        if not any(len(unit) > 1 for unit in units):
            return Agreed(notes=["no item has the substitutes of two people"])
        alphas = [krippendorff_alpha(units, distance, unit="item") for distance in ("masi", "jaccard")]
        return Agreed([Figure("substitutes", one) for one in (*alphas, _pairwise(units))])

    def export(self, items: Sequence[Subject], answers: Sequence[Given], settings: Settings) -> Iterator[OutFile]:
        """Yield gold for ``touchstone lexsub score``, and each annotator's answers as a system's."""
        said = people(answers)
        gold = [_gold_record(given[0].item, _counted(given)) for given in by_item(said)]
        yield from _gold_files("gold", gold)
        apart = by_author(said)
        names = file_names(apart)
        for author, given in apart.items():
            answered = (_run_record(one) for one in given if _words(one.body))
            yield OutFile(f"annotators/{names[author]}.jsonl", format_objects(answered).encode())
        heads = ["id", "target", "pos", "annotator", "substitutes", "none", "unsure", "comment", "seconds"]
        yield OutFile("answers.csv", as_table([heads, *map(_row, said)]))
        judged = [_gold_record(last.item, _judged(last, given)) for last, given in adjudicated(answers)]
        if judged:
            yield from _gold_files("adjudicated", judged)


def _items(file: Upload, golds: Mapping[str, Mapping[str, float]], *, known: bool) -> Iterator[NewItem]:
    if file.name.endswith(".xml"):
        records = [_sentence(one) for one in els07.read_sentences(file.content, source_of(file))]
    else:
        records = _records(file)
    for record in records:
        name = str(record["id"])
        gold = golds.get(name) or cast("Mapping[str, float]", record.get("gold") or {})
        if known and not gold:
            hint = "a test is made from items with gold: give a .gold file too"
            raise TouchstoneError("an item without known answers", file=file.name, value=name, hint=hint)
        payload: Json = {field: record.get(field) for field in FIELDS}
        hidden: Json = {"gold": dict(gold)} if gold else None
        yield NewItem(name, "word", payload, hidden, _by_key(gold) if known else None)


def _sentence(one: Sentence) -> dict[str, Json]:
    context = one.context
    where: dict[str, Json] = {"left": context.left, "head": context.head, "right": context.right}
    return {"id": one.id, "target": one.target, "pos": one.pos, **where}


def _records(file: Upload) -> list[dict[str, Json]]:
    """Read JSONL: an id, a target and its sentence to a line, with gold or without."""
    faults: list[Fault] = []
    found: list[dict[str, Json]] = []
    for line, record in parse_objects(text_of(file), file=file.name, faults=faults):
        wrong = _record_problem(record)
        if wrong:
            faults.append(Fault(wrong, file.name, line))
        else:
            found.append(record)
    if faults:
        raise TouchstoneError.of(faults)
    return found


def _record_problem(record: Mapping[str, Json]) -> str | None:
    if not str(record.get("id") or "").strip() or not isinstance(record.get("id"), str | int):
        return 'an item needs an "id"'
    if not isinstance(record.get("target"), str) or not record["target"]:
        return 'an item needs a "target"'
    if not isinstance(record.get("head"), str) or not record["head"]:
        return 'an item needs its sentence: "left", "head" and "right"'
    if any(not isinstance(record.get(field), str | None) for field in FIELDS):
        return f"{', '.join(FIELDS)} must be strings"
    if record.get("pos") not in (None, *POS_NAMES):
        return f'"pos" must be one of {", ".join(POS_NAMES)}, or null'
    gold = record.get("gold")
    if gold is not None and not (isinstance(gold, dict) and all(_is_weight(weight) for weight in gold.values())):
        return '"gold" must be an object of answers and positive weights'
    return None


def _is_weight(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf")


def _gold(file: Upload) -> dict[str, dict[str, float]]:
    gold = els07.read_gold(text_of(file), source_of(file), None)
    return {name: dict(gold[name].gold.weights) for name in gold.ids}


def _by_key(gold: Mapping[str, float]) -> dict[str, Json]:
    weights: Counter[str] = Counter()
    for word, weight in gold.items():
        weights[key(word)] += weight  # type: ignore[assignment]
    return dict(weights)


def _word_problems(given: Sequence[Json], target: str) -> list[Problem]:
    wrong = [] if len(given) <= MOST else [Problem("substitutes", f"at most {MOST} substitutes")]
    seen = {key(target)}
    for place, word in enumerate(given):
        where = f"substitutes.{place}"
        if not isinstance(word, str) or not key(word) or len(word) > LONGEST or "\n" in word:
            wrong.append(Problem(where, f"a substitute is a word or a phrase of at most {LONGEST} characters"))
        elif ";" in word:
            wrong.append(Problem(where, "give one substitute in each field; none has a semicolon"))
        elif key(word) in seen:
            again = "the word itself is no substitute" if key(word) == key(target) else "this word stands here twice"
            wrong.append(Problem(where, again))
        else:
            seen.add(key(word))
    return wrong


def _words(body: Json) -> list[Json]:
    return [" ".join(str(word).split()) for word in cast("list[str]", cast("Body", body)["substitutes"])]


def _keys(body: Json) -> frozenset[str]:
    return frozenset(key(str(word)) for word in _words(body))


def _counted(given: Sequence[Given]) -> dict[str, int]:
    """Return each word with how many people gave it, in the spelling of the first."""
    spelt: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for one in given:
        for word in map(str, _words(one.body)):
            counts[spelt.setdefault(key(word), word)] += 1
    return dict(counts.most_common())


def _judged(last: Given, given: Sequence[Given]) -> dict[str, int]:
    """Return the adjudicated words, each weighing as many as the people who had given it, but at least 1."""
    counts = {key(word): count for word, count in _counted(given).items()}
    return {str(word): max(1, counts.get(key(str(word)), 0)) for word in _words(last.body)}


def _run_record(given: Given) -> dict[str, Json]:
    return {"id": given.item.key, "system": given.author, "answers": _words(given.body)}


def _gold_record(item: Subject, weights: Mapping[str, int]) -> dict[str, Json]:
    return {"id": item.key, **cast("dict[str, Json]", item.payload), "gold": dict(weights)}


def _gold_files(name: str, records: Sequence[dict[str, Json]]) -> Iterator[OutFile]:
    """Yield the items that have gold as JSONL, and as ELS07 lines where these can say it."""
    kept = [record for record in records if record["gold"]]
    if not kept:
        return
    text = format_objects(kept)
    yield OutFile(f"{name}.jsonl", text.encode())
    file = Upload(f"{name}.jsonl", text.encode())
    try:
        lines = gold_as_els07(jsonl.read_gold(text, source_of(file)))
    except TouchstoneError:
        return  # a target or a word that the lines of 2007 have no place for: the JSONL has it
    yield OutFile(f"{name}.gold", lines.encode())


def _row(given: Given) -> list[Json]:
    payload = cast("dict[str, Json]", given.item.payload)
    words = ";".join(map(str, _words(given.body)))
    none = cast("Body", given.body)["none"]
    head: list[Json] = [given.item.key, payload["target"], payload["pos"], given.author, words, none]
    return [*head, given.unsure, given.comment, round(given.seconds, 1)]


def _pairwise(units: Sequence[Sequence[frozenset[str]]]) -> Agreement:
    """Return the mean over items of the mean overlap |A∩B| / |A∪B| of two people's words."""
    kept = np.array([len(unit) > 1 for unit in units], np.bool_)
    records = np.array([[_overlap(unit), 1.0] for unit in units if len(unit) > 1])
    frame = Frame("jaccard", "item", kept, sum(len(unit) for unit in units if len(unit) > 1))
    reasons = {"pairwise overlap": "no item has the words of two people"}
    found = agreements(records, _mean, reasons, frame, clusters=None, draws=1000, seed=0, level=0.95)
    return found["pairwise overlap"]


def _mean(sums: Floats) -> Floats:
    return np.asarray(sums[..., :1] / sums[..., 1:])


def _overlap(unit: Sequence[frozenset[str]]) -> float:
    pairs = [(a, b) for place, a in enumerate(unit) for b in unit[place + 1 :]]
    return sum(len(a & b) / len(a | b) if a | b else 1.0 for a, b in pairs) / len(pairs)
