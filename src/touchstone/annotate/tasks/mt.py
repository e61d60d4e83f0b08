# ruff: noqa: ARG002 (a task is given all that any task may need)
"""What people think of translations: adequacy and fluency of one, or a ranking of several; the systems stay unnamed."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import cast

from touchstone.annotate.refusals import Problem
from touchstone.annotate.tasks.common import (
    Body,
    Form,
    as_table,
    by_author,
    by_item,
    checked_settings,
    file_names,
    has_keys,
    people,
)
from touchstone.annotate.tasks.mt_reading import (
    BEST,
    RANKING,
    RATINGS,
    SCALES,
    Row,
    ranking_items,
    rating_items,
    read_rows,
    shuffled,
)
from touchstone.annotate.tasks.protocol import (
    Agreed,
    Figure,
    Given,
    Imported,
    OutFile,
    Settings,
    Subject,
    Upload,
)
from touchstone.io.jsonl import Json
from touchstone.stats.agreement import krippendorff_alpha


class Mt(Form):
    """Ratings of one translation, or a ranking of up to five."""

    name = "mt"

    def settings(self, given: Settings) -> dict[str, Json]:
        """*judgement* says what is asked; *at_once* how many translations a ranking has."""
        return checked_settings(given, {"judgement": (RATINGS, RANKING), "at_once": (5, 4, 3, 2)})

    def read(
        self,
        files: Sequence[Upload],
        settings: Settings,
        *,
        known: bool,
        beside: Mapping[str, Json],
    ) -> Imported:
        """Read a table or JSONL: segment, system, hypothesis, references, and the source where it is to be shown."""
        rows = read_rows(files)
        if settings["judgement"] == RANKING:
            items = list(ranking_items(rows, cast("int", settings["at_once"]), known=known))
        else:
            items = list(rating_items(rows, known=known))
        return Imported(sorted(items, key=lambda item: shuffled(item.key)))

    def view(self, item: Subject) -> Json:
        """Show the translations under letters, with the references."""
        return item.payload

    def blank(self, item: Subject) -> Json:
        """No judgement yet."""
        return {"ranks": {}} if _is_ranking(item) else dict.fromkeys(SCALES)

    def problems(
        self,
        item: Subject,
        body: Json,
        before: Json,
        *,
        done: bool,
        allowed: Sequence[Json] = (),
    ) -> list[Problem]:
        """Whole numbers on each scale, or a rank for each letter; done needs them all."""
        return _rank_problems(item, body, done) if _is_ranking(item) else _rating_problems(body, done)

    def same(self, item: Subject, one: Json, other: Json) -> bool:
        """Say whether both gave the same numbers, or put the translations in the same order."""
        return self.compare(item, one, other) == 1

    def compare(self, item: Subject, known: Json, body: Json) -> float:
        """Ratings: 1 less the mean distance over the scale's length. Ranking: the share of pairs ordered alike."""
        if _is_ranking(item):
            first, second = (_orders(item, cast("Body", one)) for one in (known, body))
            return sum(first[pair] == second.get(pair) for pair in first) / len(first)
        one, other = cast("dict[str, int]", known), cast("dict[str, int]", body)
        return 1 - sum(abs(one[scale] - other[scale]) for scale in SCALES) / (len(SCALES) * (BEST - 1))

    def feedback(self, item: Subject, known: Json, body: Json) -> Json:
        """Tell the known judgement, and how near this one comes."""
        return {"known": known, "credit": self.compare(item, known, body)}

    def agreement(self, answers: Sequence[Given]) -> Agreed:
        """Return alpha for each scale by squared distance, or over which of two translations is better."""
        given = by_item(people(answers))
        units: dict[str, list[list[Json]]] = {}
        for one in given:
            if _is_ranking(one[0].item):
                orders = [_orders(answer.item, cast("Body", answer.body)) for answer in one]
                units.setdefault("better of two", []).extend([order[pair] for order in orders] for pair in orders[0])
                continue
            for scale in SCALES:
                units.setdefault(scale, []).append([cast("Body", answer.body)[scale] for answer in one])
        figures = [
            Figure(what, krippendorff_alpha(rows, "nominal" if what not in SCALES else "interval", unit="judgement"))
            for what, rows in units.items()
            if any(len(row) > 1 for row in rows)
        ]
        return Agreed(figures, [] if figures else ["no item has the judgements of two people"])

    def export(self, items: Sequence[Subject], answers: Sequence[Given], settings: Settings) -> Iterator[OutFile]:
        """Yield judgements for ``touchstone mt meta``: ratings as TSV, rankings in the long form as CSV."""
        said = people(answers)
        ranking = settings["judgement"] == RANKING
        yield _out("rankings" if ranking else "ratings", said, ranking)
        apart = by_author(said)
        names = file_names(apart)
        for author, given in apart.items():
            yield _out(f"judges/{names[author]}", given, ranking)
        judged = [answer for answer in answers if answer.kind == "adjudicated"]
        if judged:
            yield _out("adjudicated", judged, ranking)
        notes = [["segment", "system", "judge", "unsure", "comment", "seconds"]]
        yield OutFile("notes.csv", as_table([*notes, *(row for one in said for row in _notes(one))]))


def _is_ranking(item: Subject) -> bool:
    return cast("Body", item.payload)["judgement"] == RANKING


def _letters(item: Subject) -> list[str]:
    return [one["label"] for one in cast("list[dict[str, str]]", cast("Body", item.payload)["hypotheses"])]


def _is_mark(value: Json, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most


def _rating_problems(body: Json, done: bool) -> list[Problem]:
    if not has_keys(body, SCALES):
        return [Problem("", "an answer has adequacy and fluency")]
    given = cast("Body", body)
    return [
        Problem(scale, f"{scale} is a whole number from 1 to {BEST}")
        for scale in SCALES
        if not (_is_mark(given[scale], BEST) or (given[scale] is None and not done))
    ]


def _rank_problems(item: Subject, body: Json, done: bool) -> list[Problem]:
    letters = _letters(item)
    ranks = cast("Body", body)["ranks"] if has_keys(body, ("ranks",)) else None
    if not isinstance(ranks, dict) or not set(ranks) <= set(letters):
        return [Problem("ranks", f"an answer ranks {', '.join(letters)}")]
    wrong = [
        Problem(f"ranks.{letter}", f"a rank is a whole number from 1 to {len(letters)}")
        for letter, rank in ranks.items()
        if not _is_mark(rank, len(letters))
    ]
    missing = [Problem(f"ranks.{letter}", f"{letter} has no rank") for letter in letters if letter not in ranks]
    return wrong + (missing if done else [])


def _orders(item: Subject, body: Body) -> dict[tuple[str, str], int]:
    """Return for each two systems which is better: -1 the first, 1 the second, 0 neither."""
    systems = cast("dict[str, str]", cast("Body", item.hidden)["systems"])
    ranks = {systems[letter]: rank for letter, rank in cast("dict[str, int]", body["ranks"]).items()}
    return {(a, b): (ranks[a] > ranks[b]) - (ranks[a] < ranks[b]) for a, b in combinations(sorted(ranks), 2)}


def _out(stem: str, answers: Sequence[Given], ranking: bool) -> OutFile:
    """Return judgements as a table; a ballot parts the sheets on which one judge ranked systems of one segment."""
    groups = ["group"] if any(_hidden(one)["group"] for one in answers) else []
    if ranking:
        heads = ["segment", "judge", "system", "rank", "ballot", *groups]
        rows = [[row[head] for head in heads] for answer in answers for row in _ranked(answer)]
        return OutFile(f"{stem}.csv", as_table([heads, *rows]))
    heads = ["segment", "system", "judge", *SCALES, *groups]
    rows = [[_rated(answer)[head] for head in heads] for answer in answers]
    return OutFile(f"{stem}.tsv", as_table([heads, *rows], "\t"))


def _hidden(answer: Given) -> Row:
    return cast("Row", answer.item.hidden)


def _systems(answer: Given) -> dict[str, str]:
    return cast("dict[str, str]", _hidden(answer)["systems"])


def _rated(answer: Given) -> Row:
    where = {"segment": _hidden(answer)["segment"], "group": _hidden(answer)["group"] or ""}
    return {**where, "system": _systems(answer)["A"], "judge": answer.author, **cast("Body", answer.body)}


def _ranked(answer: Given) -> Iterator[Row]:
    hidden = _hidden(answer)
    same: Row = {"segment": hidden["segment"], "group": hidden["group"] or "", "ballot": hidden["ballot"]}
    for letter, rank in sorted(cast("dict[str, int]", cast("Body", answer.body)["ranks"]).items()):
        yield {**same, "judge": answer.author, "system": _systems(answer)[letter], "rank": rank}


def _notes(answer: Given) -> list[list[Json]]:
    said: list[Json] = [answer.author, answer.unsure, answer.comment, round(answer.seconds, 1)]
    return [[_hidden(answer)["segment"], system, *said] for system in _systems(answer).values()]
