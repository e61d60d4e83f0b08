# ruff: noqa: ARG002 (a task is given all that any task may need)
"""The three-question verification of sentence pairs (Glockner et al. 2018, section 3.2).

Do both sentences describe the same event? Does the second add information? Is it wrong or ungrammatical?
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

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
from touchstone.core.errors import TouchstoneError
from touchstone.io.jsonl import Json, format_objects
from touchstone.io.text import Source
from touchstone.tasks.nli import agreement
from touchstone.tasks.nli.formats.answers import Answer
from touchstone.tasks.nli.formats.fields import read_pair
from touchstone.tasks.nli.formats.pairs import read_jsonl, read_tsv
from touchstone.tasks.nli.formats.writing import pair_object
from touchstone.tasks.nli.model import Label, Pair, PairSet, majority

QUESTIONS = ("q1", "q2", "q3")
KNOWN: dict[str, Body] = {
    "contradiction": {"q1": False, "q2": None, "q3": False},
    "neutral": {"q1": True, "q2": True, "q3": False},
    "entailment": {"q1": True, "q2": False, "q3": False},
}
"""The answers that amount to each label."""


class Nli(Form):
    """Three yes-or-no questions about each pair."""

    name = "nli"

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
        """Read files of pairs; with *known*, the gold label of each gives the right answers."""
        items = [item for file in files for item in _items(file, known)]
        return Imported(items)

    def view(self, item: Subject) -> Json:
        """Show the two sentences."""
        return item.payload

    def blank(self, item: Subject) -> Json:
        """Three open questions."""
        return dict.fromkeys(QUESTIONS)

    def problems(
        self,
        item: Subject,
        body: Json,
        before: Json,
        *,
        done: bool,
        allowed: Sequence[Json] = (),
    ) -> list[Problem]:
        """Each answer is yes, no or open; done needs q1 and q3, and q2 where the event is the same."""
        if not has_keys(body, QUESTIONS):
            return [Problem("", "an answer has q1, q2 and q3")]
        given = cast("Body", body)
        wrong = [Problem(q, f"{q} must be true, false or null") for q in QUESTIONS if not _is_answer(given[q])]
        if given["q1"] is False and given["q2"] is not None:
            wrong.append(Problem("q2", "q2 stays open where the sentences are about different events"))
        if wrong or not done:
            return wrong
        needed = QUESTIONS if given["q1"] else ("q1", "q3")
        return [Problem(q, f"{q} has no answer") for q in needed if given[q] is None]

    def same(self, item: Subject, one: Json, other: Json) -> bool:
        """Say whether both answered every question alike."""
        return one == other

    def compare(self, item: Subject, known: Json, body: Json) -> float:
        """1 for the known label and the known verdict on its grammar, else 0."""
        first, second = (_answer(item, "", cast("Body", one)) for one in (known, body))
        return float((first.label, first.ungrammatical) == (second.label, second.ungrammatical))

    def feedback(self, item: Subject, known: Json, body: Json) -> Json:
        """Whether the answer is right, and the labels that both amount to."""
        labels = [_answer(item, "", cast("Body", one)).label for one in (known, body)]
        return {"right": self.compare(item, known, body) == 1, "known_label": labels[0], "label": labels[1]}

    def agreement(self, answers: Sequence[Given]) -> Agreed:
        """Return kappa, raw agreement, AC1 and human performance over the pairs that two people answered."""
        pairs = [_labelled(given) for given in by_item(people(answers))]
        try:
            found = agreement(PairSet(Source("this project", ""), pairs, range(1, len(pairs) + 1)))
        except TouchstoneError as error:
            return Agreed(notes=[str(error).split("\n")[0]])
        return Agreed([Figure("label", one) for one in found.overall.values()], found.notes)

    def export(self, items: Sequence[Subject], answers: Sequence[Given], settings: Settings) -> Iterator[OutFile]:
        """Yield pairs and answers for ``touchstone nli verify``; adjudicated pairs for ``touchstone nli score``."""
        yield OutFile("pairs.jsonl", format_objects(map(_record, items)).encode())
        said = people(answers)
        yield OutFile("answers.jsonl", format_objects(map(_row, said)).encode())
        heads = ["pair", "annotator", *QUESTIONS, "unsure", "comment", "seconds"]
        rows = [[row[head] for head in heads] for row in map(_row, said)]
        yield OutFile("answers.csv", as_table([heads, *rows]))
        apart = by_author(said)
        names = file_names(apart)
        for author, given in apart.items():
            yield OutFile(f"annotators/{names[author]}.jsonl", format_objects(map(_row, given)).encode())
        judged = adjudicated(answers)
        if judged:
            records = (_adjudicated(last, given) for last, given in judged)
            yield OutFile("adjudicated.jsonl", format_objects(records).encode())


def _items(file: Upload, known: bool) -> Iterator[NewItem]:
    text, source = text_of(file), source_of(file)
    pairs = read_jsonl(text, source) if text.lstrip().startswith("{") else read_tsv(text, source)
    for pair, line in zip(pairs.pairs, pairs.lines, strict=True):
        if known and pair.gold is None:
            hint = "a test is made from pairs with a gold label"
            raise TouchstoneError("a pair without a gold label", file=file.name, line=line, value=pair.id, hint=hint)
        payload: Json = {"premise": pair.premise, "hypothesis": pair.hypothesis}
        hidden: Json = {"pair": pair_object(pair, "touchstone")}
        yield NewItem(pair.id, "pair", payload, hidden, dict(KNOWN[pair.gold]) if known and pair.gold else None)


def _is_answer(value: Json) -> bool:
    return value is None or isinstance(value, bool)


def _answer(item: Subject, annotator: str, body: Body) -> Answer:
    adds = body["q2"] if body["q1"] else None
    return Answer(item.key, annotator, bool(body["q1"]), None if adds is None else bool(adds), bool(body["q3"]))


def _labelled(given: Sequence[Given]) -> Pair:
    pair = _pair(given[0].item)
    labels: tuple[Label, ...] = tuple(_answer(one.item, one.author, cast("Body", one.body)).label for one in given)
    return replace(pair, annotators=labels, gold=majority(labels))


def _pair(item: Subject) -> Pair:
    return read_pair(_record(item), item.key)


def _record(item: Subject) -> dict[str, Json]:
    return cast("dict[str, dict[str, Json]]", item.hidden)["pair"]


def _row(given: Given) -> dict[str, Json]:
    body = cast("Body", given.body)
    return {
        "pair": given.item.key,
        "annotator": given.author,
        **{question: body[question] for question in QUESTIONS},
        "unsure": given.unsure,
        "comment": given.comment,
        "seconds": round(given.seconds, 1),
    }


def _adjudicated(last: Given, given: Sequence[Given]) -> dict[str, Json]:
    """Return a pair with the labels that people gave it, and the adjudicated one as its gold."""
    label = _answer(last.item, last.author, cast("Body", last.body)).label
    pair = _labelled(given) if given else _pair(last.item)
    return pair_object(replace(pair, gold=label), "touchstone")
