# ruff: noqa: ARG002 (the methods of `Task` get everything that any task may need)
"""Substitutes for a word in its sentence: up to three, as in the English lexical substitution task of 2007."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, cast

from touchstone.annotate.refusals import Problem, visible
from touchstone.annotate.tasks import base
from touchstone.annotate.tasks.base import Answers, Imported, Object, OutputFile, Settings, Subject, Upload
from touchstone.annotate.tasks.deciding import ADJUDICATED, GoldExport, Work, provenance
from touchstone.annotate.tasks.reading import as_paths, left_out
from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.core.gold import Gold
from touchstone.io.jsonl import Json, format_objects, parse_objects
from touchstone.people.coefficients import coefficients_of
from touchstone.people.finding import AnnotatorAgreement, GroupAgreement
from touchstone.people.ratings import Ratings
from touchstone.show.finding import Finding, Statement
from touchstone.tasks.lexsub import formats
from touchstone.tasks.lexsub.formats import jsonl
from touchstone.tasks.lexsub.formats.writing import gold_as_els07
from touchstone.tasks.lexsub.model import POS_NAMES, Context, key

MOST = 3
"""Substitutes that one person may give (McCarthy and Navigli 2007, section 3)."""

LONGEST = 100
FIELDS = ("target", "pos", "left", "head", "right")
Weights = Mapping[str, float]

TITLE = "Agreement of the annotators"

WORDLESS = "nobody gave a substitute"


class LexsubTask(base.Task):
    """Up to three substitutes, or the statement that there is none."""

    name = "lexsub"
    document_suffixes: ClassVar[Sequence[str]] = (".xml", ".gold", ".best", ".oot", ".mw")

    def read(
        self, files: Sequence[Upload], settings: Settings, with_correct: bool, present: Mapping[str, Json]
    ) -> Imported:
        """Read sentences and gold in any format of ``touchstone lexsub score``, and sentences without gold."""
        golds: dict[str, Weights] = {}
        records: dict[str, tuple[str, Object]] = {}
        runs: list[str] = []
        faults: list[Fault] = []
        with as_paths(files) as paths:
            for file, path in zip(files, paths, strict=True):
                if _is_run(file, path):
                    runs.append(file.name)
                    continue
                for record in _records(file) if _is_sentence_jsonl(file) else _sentences(path, golds):
                    first = records.setdefault(str(record["id"]), (file.name, record))
                    same = file.name != first[0] and _payload(first[1]) == _payload(record)
                    if first[1] is not record and not same:
                        again = str(record["id"])
                        faults.append(
                            Fault("duplicate item id", file.name, value=again, kind="id", code=Code.DUPLICATE_ID)
                        )
        if faults:
            raise TouchstoneError.of(faults, "give new items unique ids")
        if not records:
            hint = (
                "give the sentences: .xml, or .jsonl with id, target, pos, left, head and right; a .gold file has none"
            )
            raise TouchstoneError("no sentence in these files", code=Code.EMPTY, hint=hint)
        items = [_item(file, record, golds, with_correct) for file, record in records.values()]
        return Imported(items, left_out(runs, "answers of systems"))

    def blank(self, item: Subject) -> Json:
        """Return no substitutes."""
        return {"substitutes": [], "none": False}

    def problems(self, item: Subject, body: Json, done: bool, earlier: Sequence[Json]) -> list[Problem]:
        """Check that there are at most three different words, none of them the target; a finished answer needs one."""
        if not base.has_keys(body, ("substitutes", "none")):
            return [Problem("", "an answer has substitutes and none")]
        words, none = (cast("Object", body)[name] for name in ("substitutes", "none"))
        if not isinstance(none, bool) or not isinstance(words, list):
            return [Problem("", "substitutes must be a list, none true or false")]
        wrong = _word_problems(words, cast("dict[str, str]", item.payload)["target"])
        if none and words:
            wrong.append(Problem("none", "there are substitutes, so none cannot be true"))
        if done and not (none or words):
            wrong.append(Problem("substitutes", "give at least one substitute, or say that there is none"))
        return wrong

    def same(self, item: Subject, first: Json, second: Json) -> bool:
        """Return whether both have the same words, in any order."""
        return _keys(first) == _keys(second)

    def distance(self, item: Subject, first: Json, second: Json) -> float:
        """Return the share of the words of two people that only one of them gave."""
        first_words, second_words = set(_keys(first)), set(_keys(second))
        return len(first_words ^ second_words) / len(first_words | second_words) if first_words | second_words else 0.0

    def compare(self, item: Subject, correct: Json, body: Json) -> float:
        """Return credit(A) / optimum(|A|) for the substitutes A: 1 if no better words were possible."""
        gold, words = Gold(cast("dict[str, float]", correct)), _keys(body)
        return gold.credit(words) / gold.optimum(len(words)) if words else 0.0

    def agreement(self, answers: Answers) -> Finding:
        """Return alpha over the sets of words, and the mean overlap of two people's sets."""
        units = [[_keys(answer.body) for answer in group] for group in base.by_item(base.independent(answers))]
        if not any(len(unit) > 1 for unit in units):
            return Statement(TITLE, notes=["no item has the substitutes of two people"])
        ratings = Ratings.of(units, unit="item")
        by_masi = coefficients_of(replace(ratings, distance="masi"), ["alpha"])
        names = {"alpha": "alpha", "pairwise overlap": "overlap"}
        by_jaccard = coefficients_of(replace(ratings, distance="jaccard"), names)
        about = {"judgement": "substitutes"}
        return AnnotatorAgreement(TITLE, [GroupAgreement(about, each) for each in (by_masi, by_jaccard)], signature={})

    def labels(self, answers: Answers) -> dict[str, list[base.Labelled]]:
        """Return, for each word that anybody gave for an item, who gave it."""
        rows: list[base.Labelled] = []
        for group in base.by_item(answers):
            words = dict.fromkeys(word for answer in group for word in sorted(_keys(answer.body)))
            rows += [
                ((answer.item.key, word), answer.author, "given" if word in _keys(answer.body) else "not given")
                for word in words
                for answer in group
            ]
        return {"substitutes": rows}

    def gold(self, works: Sequence[Work], settings: Settings) -> GoldExport:
        """Return ``gold.jsonl``: how many people gave each word; of adjudicated items only the adjudicated words."""
        gold, records = GoldExport(), list[Object]()
        for work in works:
            last, independent = work.adjudicated, work.independent
            weights = _adjudicated_weights(last, independent) if last else _counts(independent)
            reason = work.open_reason or (None if weights else WORDLESS)
            if reason:
                gold.left_out[reason] += 1
                continue
            how = ADJUDICATED if last else "counted"
            gold.decided[how] += 1
            sentence = cast("Object", work.item.payload)
            records.append({"id": work.item.key, **sentence, "gold": dict(weights), **provenance(how, independent)})
        gold.files.extend(_gold_files(records))
        return gold

    def export(self, items: Sequence[Subject], answers: Answers, settings: Settings) -> Iterator[OutputFile]:
        """Yield the answers of each annotator as a system's, and all of them as a table."""
        independent = base.independent(answers)
        for author, name, author_answers in base.by_author(independent):
            runs: Iterator[Object] = (
                {"id": answer.item.key, "system": author, "answers": [*words]}
                for answer in author_answers
                if (words := _words(answer.body))
            )
            yield OutputFile(f"annotators/{name}.jsonl", format_objects(runs).encode())
        columns = ["id", "target", "pos", "annotator", "substitutes", "none", "unsure", "comment", "seconds"]
        yield OutputFile("answers.csv", base.as_records(list(map(_row, independent)), columns))


def _is_sentence_jsonl(file: Upload) -> bool:
    """Return whether a file is JSONL with sentences, whose gold need not be there."""
    first = file.content.lstrip()[:1]
    return first == b"{" and not file.name.endswith(".json") and b'"head"' in file.content[:100_000]


def _is_run(file: Upload, path: Path) -> bool:
    return not _is_sentence_jsonl(file) and formats.file_kind(path) == "run"


def _sentences(path: Path, golds: dict[str, Weights]) -> Iterator[Object]:
    """Yield the sentences in a file, and add its gold to *golds*."""
    if formats.file_kind(path) == "sentences":
        for sentence in formats.read_sentences(path).values():
            yield _sentence(sentence.id, sentence.target, sentence.pos, sentence.context)
        return
    gold = formats.read_gold(path, min_responses=0)
    for name in gold.ids:
        item = gold[name]
        golds[name] = item.gold.weights
        if item.context is not None:
            yield _sentence(name, item.target, item.pos, item.context)


def _sentence(name: str, target: str, pos: str | None, context: Context) -> Object:
    parts: Object = {"left": context.left, "head": context.head, "right": context.right}
    return {"id": name, "target": target, "pos": pos, **parts}


def _payload(record: Object) -> Object:
    return {field: record.get(field) for field in FIELDS}


def _item(file: str, record: Object, golds: Mapping[str, Weights], with_correct: bool) -> base.NewItem:
    name = str(record["id"])
    gold = golds.get(name) or cast("Weights", record.get("gold") or {})
    if with_correct and not gold:
        hint = "a test is made from items with gold: give a .gold file too"
        raise TouchstoneError("an item without known answers", file=file, value=name, code=Code.MISSING_ID, hint=hint)
    weights: Counter[str] = Counter()
    for word, weight in gold.items():
        weights[key(word)] += weight  # type: ignore[assignment]
    hidden: Json = {"gold": dict(gold)} if gold else None
    return base.NewItem(name, "word", _payload(record), hidden, dict(weights) if with_correct else None)


def _records(file: Upload) -> list[Object]:
    """Read JSONL: one item per line with id, target and sentence, and perhaps gold."""
    faults: list[Fault] = []
    records = list(parse_objects(file.text, file=file.name, faults=faults))
    faults += [
        Fault(wrong, file.name, line, code=Code.BAD_CELL)
        for line, record in records
        if (wrong := _record_problem(record))
    ]
    if faults:
        raise TouchstoneError.of(faults)
    return [record for _, record in records]


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
    if gold is not None and not (isinstance(gold, dict) and all(map(_is_weight, gold.values()))):
        return '"gold" must be an object of answers and positive weights'
    return None


def _is_weight(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf")


def _word_problems(words: Sequence[Json], target: str) -> list[Problem]:
    wrong = [] if len(words) <= MOST else [Problem("substitutes", f"at most {MOST} substitutes")]
    taken = {key(target)}
    for index, entered in enumerate(words):
        where = f"substitutes.{index}"
        word = visible(entered) if isinstance(entered, str) else entered
        if not isinstance(word, str) or not key(word) or len(str(entered)) > LONGEST or "\n" in word:
            wrong.append(Problem(where, f"a substitute is a word or a phrase of at most {LONGEST} characters"))
        elif ";" in word:
            wrong.append(Problem(where, "give one substitute per field, without semicolons"))
        elif key(word) in taken:
            same = "the word itself is not a substitute" if key(word) == key(target) else "duplicate substitute"
            wrong.append(Problem(where, same))
        else:
            taken.add(key(word))
    return wrong


def _words(body: Json) -> list[str]:
    """Return the substitutes of an answer without invisible characters, which earlier versions took for words."""
    words = (" ".join(visible(word).split()) for word in cast("dict[str, list[str]]", body)["substitutes"])
    return [word for word in words if word]


def _keys(body: Json) -> frozenset[str]:
    return frozenset(map(key, _words(body)))


def _counts(answers: Answers) -> dict[str, int]:
    """Return how many people gave each word, in the spelling of the first."""
    spelling: dict[str, str] = {}
    words = [word for answer in answers for word in _words(answer.body)]
    return dict(Counter(spelling.setdefault(key(word), word) for word in words).most_common())


def _adjudicated_weights(last: base.FinishedAnswer, answers: Answers) -> dict[str, int]:
    """Return the weights of the adjudicated words: how many people had given each, but at least 1."""
    counts = {key(word): count for word, count in _counts(answers).items()}
    return {word: max(1, counts.get(key(word), 0)) for word in _words(last.body)}


def _gold_files(records: Sequence[Object]) -> Iterator[OutputFile]:
    """Yield the gold as JSONL, and as ELS07 lines if these can represent it."""
    if not records:
        return
    file = Upload("gold.jsonl", format_objects(records).encode())
    yield OutputFile(file.name, file.content)
    try:
        lines = gold_as_els07(jsonl.read_gold(file.text, file.source))
    except TouchstoneError:
        return  # The 2007 format cannot hold some target or word; the JSONL file has it.
    yield OutputFile("gold.gold", lines.encode())


def _row(answer: base.FinishedAnswer) -> Object:
    payload = cast("Object", answer.item.payload)
    row: Object = {"id": answer.item.key, "target": payload["target"], "pos": payload["pos"]}
    words: Object = {"substitutes": ";".join(_words(answer.body)), "none": answer.fields["none"]}
    return {**row, "annotator": answer.author, **words, **answer.remarks}
