"""Mistakes with clusters, groups and the direction of measures in tables of scores."""

import random

from tests.misuse.harness import Call, Mistake, by_name, check

N = 60
CHANCE = random.Random(11)
RIGHT = {name: [int(CHANCE.random() < share) for _ in range(N)] for name, share in (("old", 0.6), ("new", 0.75))}
MEANS = {(name, "accuracy"): sum(values) / N for name, values in RIGHT.items()}


def table(document=lambda k: f"d{k // 5:02}", domain=lambda k: ("math", "law")[k % 2], name="accuracy"):
    """Give a table with a document and a domain of each item."""
    rows = [f"{s},q{k:02},{document(k)},{domain(k)},{RIGHT[s][k]}" for s in RIGHT for k in range(N)]
    return "\n".join([f"system,item,document,domain,{name}", *rows]) + "\n"


def score(content, words="", right=MEANS):
    """Give the call that scores the table by command."""
    return Call(f"items score s.csv -m accuracy {words}".strip(), {"s.csv": content}, right, None)


CLUSTERED = score(table(), "--cluster document")

GROUPS = [
    Mistake(
        "merged-cells-in-the-column-of-clusters",
        score(table(document=lambda k: "" if k % 5 else f"d{k // 5:02}"), "--cluster document"),
        CLUSTERED,
        "48 of 60 items have no document",
    ),
    Mistake(
        "groups-in-two-spellings",
        score(table(domain=lambda k: ("math", "law", "Math", "law ")[k % 4]), "--by domain --cluster item"),
        score(table(), "--by domain --cluster item"),
        "differ only in case or blanks: 'math' and 'Math'",
    ),
    Mistake(
        "lower-accuracy-is-better",
        score(table(), "--lower-is-better accuracy --cluster document"),
        CLUSTERED,
        "the name says that higher is better",
    ),
]


@by_name(GROUPS)
def test_mistakes_with_groups_and_directions_are_caught(mistake, route, tmp_path, monkeypatch):
    check(mistake, route, tmp_path, monkeypatch)
