"""Mistakes that spreadsheets and scripts make in tables of scores: columns that are no systems, ids in other forms."""

from tests.misuse.harness import Call, Mistake, by_name, check
from tests.misuse.test_items import MEANS, QUOTED, SCORES, SHUFFLED, TWIN, WIDE, N, alone, long, one, two, wide

WIDE_TWIN = one(wide(), MEANS, WIDE)
SKIP = "items compare old=a.csv new=b.csv -m value --missing skip"


def joined(new, right=None):
    """Give a comparison of numbered items that leaves out those that one of two tables lacks."""
    return Call(SKIP, {"a.csv": alone("old", item=str), "b.csv": new}, right).command_only()


def column(name, of, right=None):
    """Give a wide table with one more column."""
    return one(wide(more={name: of}), right, WIDE)


def texts(system, name, order=range(N)):
    """Give the table of a system whose rows are numbered, with a text in each row."""
    rows = (f"{place},{QUOTED[k]},{SCORES[system][k]}" for place, k in enumerate(order))
    return "\n".join([f"item,{name},value", *rows]) + "\n"


def exchanged():
    """Give a long table whose header has the names of systems and items the wrong way round."""
    return long().replace("system,item", "item,system")


def gate(margin, right=None):
    """Give a gate with a margin."""
    words = f"items compare s.csv -m value --fail-if-worse new --margin {margin}"
    return Call(words, {"s.csv": long()}, right).command_only()


NUMBERED = joined(alone("new", item=str), MEANS)
FIELDS = {
    "diff": lambda k: round(SCORES["new"][k] - SCORES["old"][k], 2),
    "seed": lambda k: 1,
    "fold": lambda k: k % 5,
    "weight": lambda k: 1 + k % 3,
    "label": lambda k: k % 2,
    "promptIdx": lambda k: k // 10,
    "new_std": lambda k: 0.1 + k / 1000,
}
COMPUTED = {
    "ours": ("highest", lambda k: max(SCORES["old"][k], SCORES["new"][k])),
    "ensemble": ("mean", lambda k: (SCORES["old"][k] + SCORES["new"][k]) / 2),
    "change": ("difference", lambda k: round(SCORES["new"][k] - SCORES["old"][k], 4)),
    "points": ("sum", lambda k: round(SCORES["new"][k] + SCORES["old"][k], 4)),
}

INDEX = ("new", "Unnamed: 0")
NO_INDEX = {**MEANS, INDEX: None}
INDEXED = "\n".join(f"{'Unnamed: 0' if row == 0 else row - 1},{line}" for row, line in enumerate(long().splitlines()))
INDEXED = one(INDEXED, NO_INDEX, "items score s.csv")


def thousands(cell, right=None):
    """Give counts, one of them as *cell*."""
    table = long(lambda name, k, score: cell if (name, k) == ("new", 3) else 100 + round(score * 800))
    return one(table, right).command_only()


def commas(cell, right=None):
    """Give a table with semicolons and decimal commas, with *cell* in four places."""
    table = long(lambda name, k, score: cell if k in (3, 9) else f"{score:.2f}".replace(".", "#"))
    return one(table.replace(",", ";").replace("#", ","), right).command_only()


def whole(name, at_3):
    """Give the mean of the counts of a system."""
    return sum(at_3 if (name, k) == ("new", 3) else 100 + round(SCORES[name][k] * 800) for k in range(N)) / N


THOUSANDS = thousands("1200", {(name, "value"): whole(name, 1200) for name in SCORES})
HALVES = {
    (name, "value"): sum(0.5 if k in (3, 9) else score for k, score in enumerate(own)) / N
    for name, own in SCORES.items()
}

RECALL = one(
    long().replace("value", "recall"), {("old", "recall"): MEANS["old", "value"]}, "items compare s.csv -m recall"
)

MISTAKES = [
    *(
        Mistake(f"{name}-is-no-system", column(name, of), WIDE_TWIN, f"warning.*{name}: is counted as a system")
        for name, of in FIELDS.items()
    ),
    *(
        Mistake(f"a-column-is-the-{what}-of-others", column(name, of), WIDE_TWIN, f"{name}: its value is the {what}")
        for name, (what, of) in COMPUTED.items()
    ),
    Mistake("the-index-of-pandas-is-no-measure", INDEXED, one(long(), NO_INDEX, "items score s.csv"), "Unnamed"),
    Mistake(
        "tables-put-together-with-their-headers",
        one(long(systems=("old",)) + long(systems=("new",)), None),
        TWIN,
        "the header again",
    ),
    Mistake("points-between-thousands", thousands("1.200"), THOUSANDS, "may have a point between thousands"),
    Mistake("points-between-thousands-beside-commas", commas("1.200", None), commas("0#50", HALVES), "number"),
    Mistake("systems-and-items-exchanged", one(exchanged(), None), TWIN, "40 systems have values for 2 items"),
    Mistake(
        "ids-with-a-decimal-part-in-one-file",
        joined(alone("new", item="{}.0".format)),
        NUMBERED,
        "40 ids have another form",
    ),
    Mistake(
        "ids-with-zeros-in-one-file",
        joined(alone("new", item="{:03}".format)),
        NUMBERED,
        "40 ids have another form",
    ),
    Mistake(
        "items-numbered-from-0-and-from-1",
        joined(alone("new", item=lambda k: str(k + 1))),
        NUMBERED,
        "numbered from 0 to 39 and those of new from 1 to 40",
    ),
    *(
        Mistake(
            f"numbered-rows-with-the-{name}-of-other-items",
            two(texts("old", name), texts("new", name, SHUFFLED), None),
            two(texts("old", name), texts("new", name)),
            f"{name} has the same texts for old and new, but beside other items",
        )
        for name in ("text", "answer", "document_title")
    ),
    Mistake("a-margin-in-percent", gate(5), gate(0.2, MEANS), "margin of 5, a system with the worst value"),
    Mistake("a-margin-above-every-loss", gate(0.5), gate(0.2, MEANS), "margin of 0.5, a system with the worst value"),
    *(
        Mistake(
            f"{name}-is-ranked-as-if-more-were-better",
            one(long().replace("value", name), None, f"items compare s.csv -m {name}"),
            one(
                long().replace("value", "recall"),
                {("old", "recall"): MEANS["old", "value"]},
                "items compare s.csv -m recall",
            ),
            f"{name}: higher is better; if lower is better, say so",
        )
        for name in ("penalty", "response_time", "false_positives", "levenshtein", "kl_divergence", "cost_usd")
    ),
]


@by_name(MISTAKES)
def test_mistakes_that_spreadsheets_and_scripts_make_are_caught(mistake, route, tmp_path, monkeypatch):
    check(mistake, route, tmp_path, monkeypatch)
