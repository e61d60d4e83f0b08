"""Mistakes with content units and the peers that express them."""

import random

from tests.misuse.harness import Call, Mistake, by_name, check

SETS = 6
UNITS = 10
WEIGHTS = [4, 4, 3, 3, 2, 2, 2, 1, 1, 1]
MODELS = 4
PEERS = {
    "good": lambda s, u: int((u + s) % 4 != 0),
    "fair": lambda s, u: int((u * 3 + s) % 3 == 0),
    "poor": lambda s, u: int(u >= 7 and (u + s) % 2 == 0),
}


def modified(peer, present=None):
    """Return the score: the weight expressed over the most that the average number of units of a model can weigh."""
    size = int(sum(WEIGHTS) / MODELS + 0.5)
    most = sum(sorted(WEIGHTS, reverse=True)[:size])
    present = present or PEERS[peer]
    return sum(sum(WEIGHTS[u] for u in range(UNITS) if present(s, u)) / most for s in range(SETS)) / SETS


RIGHT = {(peer, "pyramid.modified"): modified(peer) for peer in PEERS}


def table(
    cell=lambda s, peer, u: PEERS[peer](s, u),
    weight=lambda s, u: WEIGHTS[u],
    name=lambda peer, s: peer,
    models=lambda s: MODELS,
    docset="D{:02}".format,
    unit="u{}".format,
    head="set,peer,unit,present,weight,models",
    peers=tuple(PEERS),
    extra=(),
):
    """Give presence with a row for each set, peer and unit."""
    rows = [
        f"{docset(s)},{name(peer, s)},{unit(u)},{cell(s, peer, u)},{weight(s, u)},{models(s)}"
        for s in range(SETS)
        for peer in peers
        for u in range(UNITS)
    ]
    return "\n".join([head, *rows, *extra]) + "\n"


def score(text, right=RIGHT, words="pyramid score units.csv -m pyramid.modified", python=None):
    """Give the call on one table."""
    return Call(words, {"units.csv": text}, right, {} if python is None else python)


TWIN = score(table())


def without(line):
    """Give the table without the rows that begin so."""
    return "\n".join(row for row in table().splitlines() if not row.startswith(line)) + "\n"


def decided(s, peer, u):
    """Give a decision in no order."""
    return int(random.Random(f"{peer} {s} {u}").random() < 0.4)


MANY = {"peers": tuple(f"p{k}" for k in range(5)), "cell": decided}
MANY_RIGHT = {
    (peer, "pyramid.modified"): modified(peer, lambda s, u, peer=peer: decided(s, peer, u)) for peer in MANY["peers"]
}

MISTAKES = [
    Mistake("presence-is-counted", score(table(lambda s, peer, u: 2 * PEERS[peer](s, u))), TWIN, "0|1|2"),
    Mistake("presence-in-words", score(table(lambda s, peer, u: "yes" if PEERS[peer](s, u) else "no")), TWIN, "yes"),
    Mistake(
        "presence-is-a-probability",
        score(table(lambda s, peer, u: 0.8 if PEERS[peer](s, u) else 0.1), None),
        TWIN,
        "0.8|0.1|probab",
    ),
    Mistake(
        "presence-is-empty",
        score(table(lambda s, peer, u: "" if (s, u) == (1, 1) else PEERS[peer](s, u)), None),
        TWIN,
        "empty|present|missing|without",
    ),
    Mistake(
        "presence-is-nan",
        score(table(lambda s, peer, u: "nan" if (s, u) == (1, 1) else PEERS[peer](s, u)), None),
        TWIN,
        "nan|empty|present|missing|without",
    ),
    Mistake(
        "a-weight-is-nan", score(table(weight=lambda s, u: "nan" if u == 1 else WEIGHTS[u]), None), TWIN, "nan|weight"
    ),
    Mistake("a-weight-is-zero", score(table(weight=lambda s, u: 0 if u == 1 else WEIGHTS[u]), None), TWIN, "weight|0"),
    Mistake(
        "a-weight-is-negative", score(table(weight=lambda s, u: -2 if u == 1 else WEIGHTS[u]), None), TWIN, "weight|-2"
    ),
    Mistake(
        "a-weight-above-the-number-of-models",
        score(table(weight=lambda s, u: 9 if u == 1 else WEIGHTS[u]), None),
        TWIN,
        "weight|models|9",
    ),
    Mistake(
        "weights-of-a-unit-differ-between-peers",
        score(table().replace("D01,good,u1,1,4,4", "D01,good,u1,1,2,4"), None),
        TWIN,
        "weight|u1",
    ),
    Mistake(
        "models-differ-within-a-set",
        score(table().replace("D01,good,u1,1,4,4", "D01,good,u1,1,4,5"), None),
        TWIN,
        "models|D01",
    ),
    Mistake(
        "models-are-missing",
        score(table(head="set,peer,unit,present,weight,annotators"), None),
        TWIN,
        "models|annotators",
    ),
    Mistake("rows-are-repeated", score(table(extra=table().splitlines()[1:])), TWIN, "also on"),
    Mistake("a-peer-lacks-a-set", score(without("D03,fair"), None), TWIN, "D03|missing|without|lack"),
    Mistake("a-peer-lacks-units-of-a-set", score(without("D03,fair,u1"), None), TWIN, "u1|unit|missing|without|lack"),
    Mistake(
        "a-blank-after-a-peers-name",
        score(table(name=lambda peer, s: f"{peer} " if s == 2 else peer)),
        TWIN,
        "blank|missing|without|lack",
    ),
    Mistake(
        "capitals-in-a-peers-name",
        score(table(name=lambda peer, s: peer.title() if s == 2 else peer), None),
        TWIN,
        "Good|missing|without|lack",
    ),
    Mistake(
        "the-set-column-is-missing",
        score(table(head="number,peer,unit,present,weight,models"), None),
        TWIN,
        "set|twice|repeat|already|number",
    ),
    Mistake(
        "the-unit-column-is-missing",
        score(table(head="set,peer,thing,present,weight,models"), None),
        TWIN,
        "unit|thing",
    ),
    Mistake(
        "the-present-column-is-missing",
        score(table(head="set,peer,unit,there,weight,models"), None),
        TWIN,
        "present|there",
    ),
    Mistake("an-unknown-measure", score(table(), None, "pyramid score units.csv -m pyramid.modifed"), TWIN, "modifed"),
    Mistake(
        "one-peer-twice-under-two-names",
        Call(
            "pyramid compare units.csv -m pyramid.modified",
            {"units.csv": table(lambda s, peer, u: PEERS["good"](s, u))},
        ),
        Call("pyramid compare units.csv -m pyramid.modified", {"units.csv": table()}, RIGHT),
        "same|equal|identical",
    ),
    Mistake(
        "a-peer-expresses-nothing",
        score(
            table(lambda s, peer, u: 0 if peer == "poor" else PEERS[peer](s, u)),
            RIGHT | {("poor", "pyramid.modified"): 0.0},
        ),
        TWIN,
        "poor",
    ),
    Mistake(
        "a-peer-is-a-text",
        Call(
            "pyramid score units.csv peer.txt -m pyramid.modified",
            {"units.csv": table(), "peer.txt": "A bridge is closed.\n"},
            None,
            None,
        ),
        TWIN,
        "auto|annotation",
    ),
    Mistake(
        "a-column-that-there-is-not",
        Call("pyramid score units.csv:good2 -m pyramid.modified", {"units.csv": table()}, None, None),
        TWIN,
        "good2|column|no such file",
    ),
    Mistake(
        "the-row-number-of-a-spreadsheet",
        score("\n".join(f"{k - 1 if k else ''},{line}" for k, line in enumerate(table().splitlines())) + "\n"),
        TWIN,
        "Unnamed|column",
    ),
    Mistake(
        "all-units-are-present",
        score(table(lambda s, peer, u: peer == "poor" or PEERS[peer](s, u)), None),
        TWIN,
        "poor: expresses all of 60 content units",
    ),
    Mistake(
        "weights-are-all-one",
        score(table(weight=lambda s, u: 1), None),
        TWIN,
        "weights or the number of model summaries",
    ),
    Mistake(
        "the-number-of-models-of-all-sets",
        score(table(models=lambda s: MODELS * SETS), None),
        TWIN,
        "weights or the number of model summaries",
    ),
    Mistake(
        "weights-are-percentages",
        score(table(weight=lambda s, u: WEIGHTS[u] * 25), None),
        TWIN,
        "content unit of weight 100 from 4 model summaries",
    ),
    Mistake("weights-are-shares", score(table(weight=lambda s, u: WEIGHTS[u] / 4), None), TWIN, "not a whole number"),
    Mistake(
        "units-of-one-peer-have-other-names",
        score(table().replace(",poor,u", ",poor,U"), None),
        TWIN,
        "different content units",
    ),
    Mistake(
        "only-units-that-are-present",
        score("\n".join(row for row in table().splitlines() if row.split(",")[3] != "0") + "\n", None),
        TWIN,
        "decide on every unit",
    ),
    Mistake("a-total-below-the-table", score(table(extra=["Total,good,u0,1,4,4"]), None), TWIN, "Total"),
    Mistake(
        "a-set-copied-under-another-name",
        score(
            table(**MANY, extra=[row.replace("D02", "D99") for row in table(**MANY).splitlines() if "D02" in row]), None
        ),
        score(table(**MANY), MANY_RIGHT),
        "decisions of set D99 are those of set D02",
    ),
    Mistake(
        "a-peer-is-the-average",
        score(table().replace(",fair,", ",average,"), None),
        TWIN,
        "average: is scored as a peer, but looks like a summary",
    ),
]


@by_name(MISTAKES)
def test_mistakes_with_content_units_are_caught(mistake, route, tmp_path, monkeypatch):
    check(mistake, route, tmp_path, monkeypatch)
