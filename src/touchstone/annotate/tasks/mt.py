# ruff: noqa: ARG002 (the methods of `Task` get everything that any task may need)
"""Judgements of translations: adequacy and fluency of one, or a ranking of several; the systems are not named."""

import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import PurePosixPath
from typing import ClassVar, cast

from touchstone.annotate.refusals import Problem
from touchstone.annotate.tasks import base
from touchstone.annotate.tasks.base import Answers, Imported, Object, OutputFile, Settings, Subject, Upload
from touchstone.annotate.tasks.deciding import ADJUDICATED, GoldExport, Work
from touchstone.annotate.tasks.mt_files import is_text, read_translations, segment_id
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.io.jsonl import Json, format_objects
from touchstone.people.coefficients import coefficients_of
from touchstone.people.finding import AnnotatorAgreement, GroupAgreement
from touchstone.people.ratings import Ratings
from touchstone.show.finding import Finding

RATINGS, RANKING = "ratings", "ranking"
SCALES = ("adequacy", "fluency")
BEST = 5
"""The top of both scales, as in the judgements of the ACL-07 workshop."""

LABELS = "ABCDE"


class MtTask(base.Task):
    """Ratings of one translation, or a ranking of up to five."""

    name = "mt"
    allowed_settings: ClassVar[Mapping[str, Sequence[Json]]] = {
        "judgement": (RATINGS, RANKING),
        "at_once": (5, 4, 3, 2),
    }

    def read(
        self, files: Sequence[Upload], settings: Settings, with_correct: bool, present: Mapping[str, Json]
    ) -> Imported:
        """Read tables or plain texts (see `read_translations`); the source is shown if it is there."""
        rows, notes = read_translations(files)
        if settings["judgement"] == RANKING:
            items = list(_ranking_items(rows, cast("int", settings["at_once"]), with_correct))
        else:
            items = list(_rating_items(rows, with_correct))
        return Imported(sorted(items, key=lambda item: _shuffled(item.key)), notes)

    def is_data(self, name: PurePosixPath) -> bool:
        """Return whether a file in a folder may be a table, or plain text with one segment per line."""
        return super().is_data(name) or is_text(name)

    def blank(self, item: Subject) -> Json:
        """Return no judgement."""
        return {"ranks": {}} if _is_ranking(item) else dict.fromkeys(SCALES)

    def problems(self, item: Subject, body: Json, done: bool, earlier: Sequence[Json]) -> list[Problem]:
        """Check for whole numbers on each scale, or a rank for each letter; a finished answer needs all of them."""
        return _rank_problems(item, body, done) if _is_ranking(item) else _rating_problems(body, done)

    def same(self, item: Subject, first: Json, second: Json) -> bool:
        """Return whether both have the same numbers, or the same order of the translations."""
        return self.compare(item, first, second) == 1

    def distance(self, item: Subject, first: Json, second: Json) -> float:
        """Return the mean distance over the length of the scale, or the share of pairs in another order."""
        return 1 - self.compare(item, first, second)

    def compare(self, item: Subject, correct: Json, body: Json) -> float:
        """Return 1 minus the mean distance over the length of the scale, or the share of pairs in the same order."""
        if _is_ranking(item):
            expected, submitted = (_orders(item, side) for side in (correct, body))
            return sum(expected[pair] == submitted.get(pair) for pair in expected) / len(expected)
        first, second = cast("dict[str, int]", correct), cast("dict[str, int]", body)
        return 1 - sum(abs(first[scale] - second[scale]) for scale in SCALES) / (len(SCALES) * (BEST - 1))

    def agreement(self, answers: Answers) -> Finding:
        """Return alpha for each scale by squared distance, or over which of two translations is better."""
        units: dict[str, list[list[Json]]] = {}
        for group in base.by_item(base.independent(answers)):
            if _is_ranking(group[0].item):
                orders = [_orders(answer.item, answer.body) for answer in group]
                units.setdefault("better of two", []).extend([order[pair] for order in orders] for pair in orders[0])
                continue
            for scale in SCALES:
                units.setdefault(scale, []).append([answer.fields[scale] for answer in group])
        groups = []
        for name, rows in units.items():
            if any(len(row) > 1 for row in rows):
                ratings = Ratings.of(rows, distance="interval" if name in SCALES else "nominal", unit="judgement")
                groups.append(GroupAgreement({"judgement": name}, coefficients_of(ratings, ["alpha"])))
        notes = [] if groups else ["no item has the judgements of two people"]
        return AnnotatorAgreement("Agreement of the annotators", groups, signature={}, notes=notes)

    def labels(self, answers: Answers) -> dict[str, list[base.Labelled]]:
        """Return the numbers on each scale, or which of two translations is better."""
        labels: dict[str, list[base.Labelled]] = {}
        for answer in answers:
            name, author = answer.item.key, answer.author
            if _is_ranking(answer.item):
                orders = _orders(answer.item, answer.body).items()
                rows: list[base.Labelled] = [((name, *pair), author, "<=>"[order + 1]) for pair, order in orders]
                labels.setdefault("order", []).extend(rows)
            else:
                for scale in SCALES:
                    labels.setdefault(scale, []).append(((name,), author, str(answer.fields[scale])))
        return labels

    def gold(self, works: Sequence[Work], settings: Settings) -> GoldExport:
        """Return ``gold.jsonl``, the references for ``touchstone mt score``, and the judgements for ``mt meta``.

        The judgements are those of all judges, or the adjudicated one alone.
        """
        gold = GoldExport()
        references = _references([work.item for work in works])
        if references:
            gold.files.append(OutputFile("gold.jsonl", format_objects(references).encode()))
        judged: list[base.FinishedAnswer] = []
        for work in works:
            if work.open_reason:
                gold.left_out[work.open_reason] += 1
                continue
            last = work.adjudicated
            gold.decided[ADJUDICATED if last else "counted"] += 1
            judged += [last] if last else work.independent
        if judged:
            ranking = settings["judgement"] == RANKING
            gold.files.append(_table("gold-rankings" if ranking else "gold-ratings", judged, ranking))
        return gold

    def export(self, items: Sequence[Subject], answers: Answers, settings: Settings) -> Iterator[OutputFile]:
        """Yield judgements for ``touchstone mt meta``: ratings as TSV, rankings with one rank per row as CSV."""
        independent = base.independent(answers)
        ranking = settings["judgement"] == RANKING
        yield _table("rankings" if ranking else "ratings", independent, ranking)
        for _, name, author_answers in base.by_author(independent):
            yield _table(f"judges/{name}", author_answers, ranking)
        notes = [
            {"segment": _hidden(answer)["segment"], "system": system, "judge": answer.author, **answer.remarks}
            for answer in independent
            for system in _systems(answer.item).values()
        ]
        columns = ["segment", "system", "judge", "unsure", "comment", "seconds"]
        yield OutputFile("notes.csv", base.as_records(notes, columns))


def _rating_items(rows: Sequence[Object], with_correct: bool) -> Iterator[base.NewItem]:
    for row in rows:
        answer: Json = {scale: _correct_judgement(row[scale], scale) for scale in SCALES} if with_correct else None
        yield _item(f"{segment_id(row)} {row['system']}", [row], RATINGS, answer)


def _ranking_items(rows: Sequence[Object], group_size: int, with_correct: bool) -> Iterator[base.NewItem]:
    """Yield the translations of each segment in groups of *group_size*, drawn by a hash: any two systems meet."""
    for segment, members in base.grouped(rows, segment_id).items():
        drawn = sorted(members, key=lambda row: _shuffled(f"{segment} {row['system']}"))
        if len(drawn) < 2:
            raise TouchstoneError("a ranking needs two translations of a segment", value=segment, code=Code.TOO_FEW)
        # As few groups as possible, nearly equal in size; one translation cannot be ranked, so it gets a second one.
        groups = -(-len(drawn) // group_size)
        for number in range(groups):
            chosen = drawn[number::groups]
            chosen = chosen if len(chosen) > 1 else [*chosen, drawn[number - 1]]
            answer: Json = None
            if with_correct:
                answer = {"ranks": {LABELS[i]: _correct_judgement(row["rank"], "rank") for i, row in enumerate(chosen)}}
            yield _item(f"{segment} #{number + 1}", chosen, RANKING, answer, number + 1)


def _item(key: str, rows: Sequence[Object], judgement: str, correct: Json, ballot: int = 1) -> base.NewItem:
    hypotheses: list[Json] = [{"label": LABELS[i], "text": row["hypothesis"]} for i, row in enumerate(rows)]
    payload: Object = {"judgement": judgement, "source": rows[0]["source"], "references": rows[0]["references"]}
    systems: Json = {LABELS[i]: row["system"] for i, row in enumerate(rows)}
    hidden: Json = {"segment": rows[0]["segment"], "group": rows[0]["group"], "ballot": ballot, "systems": systems}
    return base.NewItem(key, judgement, {**payload, "hypotheses": hypotheses}, hidden, correct)


def _shuffled(key: str) -> str:
    """Return a sort key that reveals nothing about the system and is the same on every import."""
    return hashlib.sha256(key.encode()).hexdigest()


def _correct_judgement(value: Json, name: str) -> int:
    text = str(value).strip()
    if not text.isdecimal() or not 1 <= int(text) <= BEST:
        hint = f"a test is made from known judgements: give {name} from 1 to {BEST}"
        raise TouchstoneError(f"no known {name}", value=text, code=Code.BAD_CELL, hint=hint)
    return int(text)


def _is_ranking(item: Subject) -> bool:
    return cast("Object", item.payload)["judgement"] == RANKING


def _is_number(value: Json, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most


def _rating_problems(body: Json, done: bool) -> list[Problem]:
    if not base.has_keys(body, SCALES):
        return [Problem("", "an answer has adequacy and fluency")]
    ratings = cast("Object", body)
    return [
        Problem(scale, f"{scale} is a whole number from 1 to {BEST}")
        for scale in SCALES
        if not (_is_number(ratings[scale], BEST) or (ratings[scale] is None and not done))
    ]


def _rank_problems(item: Subject, body: Json, done: bool) -> list[Problem]:
    letters = list(_systems(item))
    ranks = cast("Object", body)["ranks"] if base.has_keys(body, ("ranks",)) else None
    if not isinstance(ranks, dict) or not set(ranks) <= set(letters):
        return [Problem("ranks", f"an answer ranks {', '.join(letters)}")]
    wrong = [
        Problem(f"ranks.{letter}", f"a rank is a whole number from 1 to {len(letters)}")
        for letter, rank in ranks.items()
        if not _is_number(rank, len(letters))
    ]
    missing = [Problem(f"ranks.{letter}", f"{letter} has no rank") for letter in letters if letter not in ranks]
    return wrong + (missing if done else [])


def _orders(item: Subject, body: Json) -> dict[tuple[str, str], int]:
    """Return for each two systems which is better: -1 the first, 1 the second, 0 neither."""
    systems = _systems(item)
    ranks = {systems[letter]: rank for letter, rank in cast("dict[str, dict[str, int]]", body)["ranks"].items()}
    return {(a, b): (ranks[a] > ranks[b]) - (ranks[a] < ranks[b]) for a, b in combinations(sorted(ranks), 2)}


def _systems(item: Subject) -> dict[str, str]:
    """Return the systems behind the letters of an item."""
    return cast("dict[str, dict[str, str]]", item.hidden)["systems"]


def _hidden(answer: base.FinishedAnswer) -> Object:
    return cast("Object", answer.item.hidden)


def _references(items: Sequence[Subject]) -> list[Object]:
    """Return each segment that has references, once, in the order in which the segments were read."""
    segments: dict[tuple[Json, Json], Object] = {}
    for item in items:
        hidden, payload = cast("Object", item.hidden), cast("Object", item.payload)
        if payload["references"]:
            record = {"segment": hidden["segment"], "group": hidden["group"], **payload}
            names = ("segment", "group", "source", "references")
            present = {name: record[name] for name in names if record[name] is not None}
            segments.setdefault((hidden["group"], hidden["segment"]), present)
    return sorted(segments.values(), key=lambda record: _numbered(str(record["segment"])))


def _numbered(segment: str) -> tuple[int, str]:
    """Return a sort key that puts numbers in their order, before names."""
    return (int(segment), "") if segment.isdecimal() else (sys.maxsize, segment)


def _table(stem: str, answers: Answers, ranking: bool) -> OutputFile:
    """Return judgements as a table; a ballot is one sheet on which a judge ranked systems for one segment."""
    group = ["group"] if any(_hidden(answer)["group"] for answer in answers) else []
    rows = [row for answer in answers for row in _judgements(answer, ranking)]
    if ranking:
        columns = ["segment", "judge", "system", "rank", "ballot", *group]
        return OutputFile(f"{stem}.csv", base.as_records(rows, columns))
    return OutputFile(f"{stem}.tsv", base.as_records(rows, ["segment", "system", "judge", *SCALES, *group], "\t"))


def _judgements(answer: base.FinishedAnswer, ranking: bool) -> Iterator[Object]:
    hidden, systems = _hidden(answer), _systems(answer.item)
    row: Object = {**hidden, "group": hidden["group"] or "", "judge": answer.author}
    if not ranking:
        yield {**row, "system": systems["A"], **answer.fields}
        return
    for letter, rank in sorted(cast("dict[str, int]", answer.fields["ranks"]).items()):
        yield {**row, "system": systems[letter], "rank": rank}
