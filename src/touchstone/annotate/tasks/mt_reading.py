"""Files of translations into items: one translation to be rated, or a handful to be ranked."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence

from touchstone.annotate.tasks.common import text_of
from touchstone.annotate.tasks.protocol import NewItem, Upload
from touchstone.core.errors import Fault, TouchstoneError
from touchstone.io.jsonl import Json, parse_objects
from touchstone.io.text import lines

RATINGS, RANKING = "ratings", "ranking"
SCALES = ("adequacy", "fluency")
BEST = 5
"""The top of both scales, as in the ACL-07 workshop's judgements."""

LABELS = "ABCDE"

Row = dict[str, Json]


def read_rows(files: Sequence[Upload]) -> list[Row]:
    """Return the translations of files, each with what is known of it."""
    faults: list[Fault] = []
    found: dict[tuple[str, str], Row] = {}
    for file in files:
        text = text_of(file)
        read = parse_objects if text.lstrip().startswith("{") else _table
        for line, record in read(text, file=file.name, faults=faults):
            row = _row(record)
            wrong = _row_problem(row)
            key = (_place(row), str(row["system"]))
            if wrong is None and key in found:
                wrong = "this segment of this system stands here twice"
            if wrong:
                faults.append(Fault(wrong, file.name, line))
            else:
                found[key] = row
    if faults:
        raise TouchstoneError.of(faults, "columns: segment, system, hypothesis, reference, perhaps source")
    return list(found.values())


def _table(text: str, *, file: str, faults: list[Fault]) -> Iterator[tuple[int, Row]]:
    rows = lines(text)
    header = [name.strip() for name in next(rows)[1].split("\t")]
    for number, line in rows:
        cells = line.split("\t")
        if len(cells) == len(header):
            yield number, dict(zip(header, cells, strict=True))
        else:
            faults.append(Fault(f"{len(cells)} fields under {len(header)} columns", file, number))


def _row(record: Mapping[str, Json]) -> Row:
    listed = record.get("references")
    references = listed if isinstance(listed, list) else [v for k, v in record.items() if k.startswith("reference")]
    names = ("segment", "system", "hypothesis", "source", "group", *SCALES, "rank")
    row: Row = {name: record.get(name) for name in names}
    row["segment"] = str(row["segment"]) if isinstance(row["segment"], int | str) else None
    return row | {"references": [one for one in references if isinstance(one, str) and one.strip()]}


def _row_problem(row: Row) -> str | None:
    for name in ("segment", "system", "hypothesis"):
        if not isinstance(row[name], str) or not (str(row[name]).strip() or name == "hypothesis"):
            return f'a translation needs "{name}"'
    if not isinstance(row["source"], str | None) or not isinstance(row["group"], str | None):
        return "source and group must be strings"
    return None if row["references"] or row["source"] else "a translation needs a reference or a source beside it"


def rating_items(rows: Sequence[Row], *, known: bool) -> Iterator[NewItem]:
    """Yield each translation as an item of its own."""
    for row in rows:
        answer: Json = {scale: _whole(row[scale], scale) for scale in SCALES} if known else None
        yield _item(f"{_place(row)} {row['system']}", [row], RATINGS, answer)


def ranking_items(rows: Sequence[Row], at_once: int, *, known: bool) -> Iterator[NewItem]:
    """Yield the translations of each segment in handfuls, drawn by a hash so that any two systems meet somewhere."""
    segments: dict[str, list[Row]] = {}
    for row in rows:
        segments.setdefault(_place(row), []).append(row)
    for segment, members in segments.items():
        drawn = sorted(members, key=lambda row: shuffled(f"{segment} {row['system']}"))
        if len(drawn) < 2:
            raise TouchstoneError("a ranking needs two translations of a segment", value=segment)
        handfuls = -(-len(drawn) // at_once)
        for number in range(handfuls):
            chosen = drawn[number::handfuls]
            chosen = chosen if len(chosen) > 1 else [*chosen, drawn[number - 1]]
            ranks: Json = {LABELS[i]: _whole(row["rank"], "rank") for i, row in enumerate(chosen)} if known else None
            answer: Json = {"ranks": ranks} if known else None
            yield _item(f"{segment} #{number + 1}", chosen, RANKING, answer, number + 1)


def _place(row: Row) -> str:
    """Return what tells a segment from others: the languages may have one of the same number each."""
    return " ".join(str(part) for part in (row["group"], row["segment"]) if part)


def _item(key: str, rows: Sequence[Row], judgement: str, known: Json, ballot: int = 1) -> NewItem:
    shown: list[Json] = [{"label": LABELS[i], "text": row["hypothesis"]} for i, row in enumerate(rows)]
    payload: Row = {"judgement": judgement, "source": rows[0]["source"], "references": rows[0]["references"]}
    hidden: Json = {
        "segment": rows[0]["segment"],
        "group": rows[0]["group"],
        "ballot": ballot,
        "systems": {LABELS[i]: row["system"] for i, row in enumerate(rows)},
    }
    return NewItem(key, judgement, {**payload, "hypotheses": shown}, hidden, known)


def shuffled(key: str) -> str:
    """Return where an item comes in an order that tells nothing of its system, and is the same each time."""
    return hashlib.sha256(key.encode()).hexdigest()


def _whole(value: Json, name: str) -> int:
    text = str(value).strip()
    if not text.isdecimal() or not 1 <= int(text) <= BEST:
        hint = f"a test is made from judgements that are known: give {name} from 1 to {BEST}"
        raise TouchstoneError(f"no known {name}", value=text, hint=hint)
    return int(text)
