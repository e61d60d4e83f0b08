# ruff: noqa: ARG002 (the methods of `Task` get everything that any task may need)
"""The three-question verification of sentence pairs (Glockner et al. 2018, section 3.2).

Do both sentences describe the same event? Does the second add information? Is it wrong or ungrammatical?
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import ClassVar, cast

from touchstone.annotate.refusals import Problem
from touchstone.annotate.tasks import base
from touchstone.annotate.tasks.base import Answers, Imported, Object, OutputFile, Settings, Subject, Upload
from touchstone.annotate.tasks.deciding import (
    ADJUDICATED,
    AGREED,
    DIFFERENT,
    MAJORITY,
    SINGLE,
    GoldExport,
    Work,
    provenance,
)
from touchstone.annotate.tasks.reading import as_paths, left_out
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import Source
from touchstone.io.formats import TEXT_SUFFIXES
from touchstone.io.jsonl import Json, format_objects
from touchstone.io.reading import read_rows
from touchstone.show.finding import Finding, Statement
from touchstone.tasks.nli.annotator_agreement import agreement
from touchstone.tasks.nli.formats.answers import Answer
from touchstone.tasks.nli.formats.pairs import GOLD, SENTENCES, parse_gold, parse_pair
from touchstone.tasks.nli.formats.records import PARALLEL
from touchstone.tasks.nli.formats.writing import pair_object
from touchstone.tasks.nli.model import GoldSet, Pair, majority

QUESTIONS = ("q1", "q2", "q3")
ANSWERS_BY_LABEL: dict[str, Object] = {
    "contradiction": {"q1": False, "q2": None, "q3": False},
    "neutral": {"q1": True, "q2": True, "q3": False},
    "entailment": {"q1": True, "q2": False, "q3": False},
}
"""The answers that amount to each label."""

UNGRAMMATICAL = "called wrong or ungrammatical"


class NliTask(base.Task):
    """Three yes-or-no questions about each pair."""

    name = "nli"
    document_suffixes: ClassVar[Sequence[str]] = TEXT_SUFFIXES[1:]

    def is_data(self, name: PurePosixPath) -> bool:
        """Return whether a file in a folder may be a table, or one of three parallel files ``s1.X s2.X labels.X``."""
        return super().is_data(name) or name.name.split(".")[0] in PARALLEL

    def read(
        self, files: Sequence[Upload], settings: Settings, with_correct: bool, present: Mapping[str, Json]
    ) -> Imported:
        """Read files of pairs; if *with_correct*, the gold label of each pair gives the correct answers."""
        items: dict[str, base.NewItem] = {}
        again: list[base.NewItem] = []
        repeated, others = 0, list[str]()
        with as_paths(files) as paths:
            for file, path in zip(files, paths, strict=True):
                pairs = _pairs(path, numbered=len(files) > 1)
                if pairs is None:
                    others.append(file.name)
                for item in _items(file.name, pairs, with_correct) if pairs else ():
                    first = items.setdefault(item.key, item)
                    if first is item:
                        continue
                    if first.payload == item.payload:
                        repeated += 1
                        items[item.key] = first if first.correct or not item.correct else item
                    else:
                        again.append(item)
        if not items:
            hint = "give pairs with a premise and a hypothesis"
            raise TouchstoneError("no pair of sentences in these files", file=files[0].name, code=Code.EMPTY, hint=hint)
        notes = left_out(others, "no pairs of sentences")
        notes += [f"{repeated:,} pairs are in more than one file, with the same sentences"] if repeated else []
        return Imported([*items.values(), *again], notes)

    def blank(self, item: Subject) -> Json:
        """Return three open questions."""
        return dict.fromkeys(QUESTIONS)

    def problems(self, item: Subject, body: Json, done: bool, earlier: Sequence[Json]) -> list[Problem]:
        """Check that each answer is yes, no or open; if *done*, q1 and q3 are needed, and q2 for the same event."""
        if not base.has_keys(body, QUESTIONS):
            return [Problem("", "an answer has q1, q2 and q3")]
        fields = cast("Object", body)
        invalid = [question for question in QUESTIONS if not isinstance(fields[question], bool | None)]
        wrong = [Problem(question, f"{question} must be true, false or null") for question in invalid]
        if fields["q1"] is False and fields["q2"] is not None:
            wrong.append(Problem("q2", "q2 stays open if the sentences are about different events"))
        if wrong or not done:
            return wrong
        needed = QUESTIONS if fields["q1"] else ("q1", "q3")
        return [Problem(question, f"{question} has no answer") for question in needed if fields[question] is None]

    def same(self, item: Subject, first: Json, second: Json) -> bool:
        """Return whether every question has the same answer in both."""
        return first == second

    def compare(self, item: Subject, correct: Json, body: Json) -> float:
        """Return 1 for the known label and the known verdict on grammar, otherwise 0."""
        answers = [_answer(item, "", side) for side in (correct, body)]
        return float(len({(answer.label, answer.ungrammatical) for answer in answers}) == 1)

    def feedback(self, item: Subject, correct: Json, body: Json) -> Json:
        """Return whether the answer is correct, and the labels that both amount to."""
        correct_label, label = (_answer(item, "", side).label for side in (correct, body))
        return {"right": self.compare(item, correct, body) == 1, "known_label": correct_label, "label": label}

    def agreement(self, answers: Answers) -> Finding:
        """Return kappa, raw agreement, AC1 and human performance over the pairs that two people answered."""
        pairs = [_labelled(group) for group in base.by_item(base.independent(answers))]
        try:
            finding = agreement(GoldSet(Source("this project", ""), pairs, range(1, len(pairs) + 1)))
        except TouchstoneError as error:
            return Statement("Agreement of the annotators", notes=[str(error).split("\n")[0]])
        return replace(finding, groups=[replace(group, about={"judgement": "label"}) for group in finding.groups])

    def labels(self, answers: Answers) -> dict[str, list[base.Labelled]]:
        """Return the label that the answers to the three questions amount to."""
        return {
            "label": [
                ((answer.item.key,), answer.author, _answer(answer.item, "", answer.body).label) for answer in answers
            ]
        }

    def gold(self, works: Sequence[Work], settings: Settings) -> GoldExport:
        """Return ``gold.jsonl``: the pairs that most people gave the same label, or that were adjudicated.

        As in ``touchstone nli verify``, a pair that anybody calls wrong or ungrammatical is discarded, and so is one
        without a majority; but all people who have the pair decide, not always three.
        """
        gold, records = GoldExport(), []
        for work in works:
            how, pair = _decided(work)
            if pair is None:
                gold.left_out[how] += 1
            else:
                gold.decided[how] += 1
                records.append({**pair_object(pair, "touchstone"), **provenance(how, work.independent)})
        if records:
            gold.files.append(OutputFile("gold.jsonl", format_objects(records).encode()))
        return gold

    def export(self, items: Sequence[Subject], answers: Answers, settings: Settings) -> Iterator[OutputFile]:
        """Yield pairs and answers for ``touchstone nli verify``."""
        yield OutputFile("pairs.jsonl", format_objects(map(_record, items)).encode())
        independent = base.independent(answers)
        rows = [_row(answer) for answer in independent]
        yield OutputFile("answers.jsonl", format_objects(rows).encode())
        columns = ["pair", "annotator", *QUESTIONS, "unsure", "comment", "seconds"]
        yield OutputFile("answers.csv", base.as_records(rows, columns))
        for _, name, author_answers in base.by_author(independent):
            yield OutputFile(f"annotators/{name}.jsonl", format_objects(map(_row, author_answers)).encode())


def _pairs(path: Path, *, numbered: bool) -> GoldSet | None:
    """Return the pairs in a file, or in three parallel files by the first; None if it has no sentences.

    Parameters
    ----------
    path
        The file.
    numbered
        Whether pairs without ids are numbered under the name of their file, as ``dev:1``, since there are other files.
    """
    part = path.name.split(".")[0]
    if part in PARALLEL[1:] and path.with_name(path.name.replace(part, PARALLEL[0], 1)).exists():
        return GoldSet(Source(path.name, ""), (), ())
    rows = read_rows(path, GOLD, name=path.name)
    if not rows.columns.keys() & {*SENTENCES} and (path.suffix in TEXT_SUFFIXES or not rows.faults):
        return None
    gold = parse_gold(rows, all_fields=True)
    if not numbered or "id" in rows.columns:
        return gold
    return replace(gold, pairs=[replace(pair, id=f"{rows.stem}:{pair.id}") for pair in gold.pairs])


def _items(file: str, pairs: GoldSet, with_correct: bool) -> Iterator[base.NewItem]:
    for pair, line in zip(pairs.pairs, pairs.lines, strict=True):
        if with_correct and pair.gold is None:
            hint = "a test is made from pairs with a gold label"
            raise TouchstoneError(
                "a pair without a gold label", file=file, line=line, value=pair.id, code=Code.MISSING_ID, hint=hint
            )
        payload: Json = {"premise": pair.premise, "hypothesis": pair.hypothesis}
        hidden: Json = {"pair": pair_object(pair, "touchstone")}
        yield base.NewItem(
            pair.id, "pair", payload, hidden, dict(ANSWERS_BY_LABEL[pair.gold]) if with_correct and pair.gold else None
        )


def _answer(item: Subject, annotator: str, body: Json) -> Answer:
    fields = cast("Object", body)
    adds = fields["q2"] if fields["q1"] else None
    return Answer(item.key, annotator, bool(fields["q1"]), None if adds is None else bool(adds), bool(fields["q3"]))


def _labelled(answers: Answers) -> Pair:
    labels = tuple(_answer(answer.item, answer.author, answer.body).label for answer in answers)
    return replace(_pair(answers[0].item), annotators=labels, gold=majority(labels))


def _pair(item: Subject) -> Pair:
    return parse_pair(_record(item))


def _record(item: Subject) -> Object:
    return cast("dict[str, Object]", item.hidden)["pair"]


def _row(answer: base.FinishedAnswer) -> Object:
    questions = {question: answer.fields[question] for question in QUESTIONS}
    return {"pair": answer.item.key, "annotator": answer.author, **questions, **answer.remarks}


def _decided(work: Work) -> tuple[str, Pair | None]:
    """Return how a pair was decided and the labelled pair, or the reason why it has no label and None."""
    last = work.adjudicated
    if work.open_reason:
        return work.open_reason, None
    standing = [_answer(answer.item, answer.author, answer.body) for answer in ([last] if last else work.independent)]
    if any(answer.ungrammatical for answer in standing):
        return UNGRAMMATICAL, None
    pair = _labelled(work.independent) if work.independent else _pair(work.item)
    if last:
        return ADJUDICATED, replace(pair, gold=standing[0].label)
    if pair.gold is None:
        return DIFFERENT, None
    agreed = AGREED if len(set(pair.annotators)) == 1 else MAJORITY
    return SINGLE if len(standing) == 1 else agreed, pair
