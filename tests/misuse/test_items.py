"""Mistakes with tables of scores."""

import math
import random

from tests.misuse.harness import Call, Mistake, by_name, check

N = 40
WORDS = ["boats", "trees", "lamps", "clocks", "gates", "roads", "bells", "walls"]
SCORES = {
    "old": [round((k * 7 % 11) / 10 * 0.9, 2) for k in range(N)],
    "new": [round((k * 5 % 13) / 12 * 0.8 + 0.1, 2) for k in range(N)],
}
MEANS = {(name, "value"): sum(scores) / N for name, scores in SCORES.items()}


def question(k):
    """Give the text of an item."""
    return f"How many {WORDS[k % 8]} stand in street {k}?"


def long(of=lambda name, k, score: score, item=lambda k: f"q{k:02}", systems=("old", "new"), extra=()):
    """Give a table with a row for each system and item; *of* changes a cell, *item* makes an id, *extra* are rows."""
    lines = ["system,item,value"]
    lines += [f"{name},{item(k)},{of(name, k, SCORES[name][k])}" for name in systems for k in range(N)]
    return "\n".join([*lines, *extra]) + "\n"


def wide(names=("old", "new"), item=lambda k: f"q{k:02}", order=range(N), more=None, head="item"):
    """Give a table with a column for each system; *more* makes further columns, *head* names the first."""
    more = more or {}
    lines = [",".join([head, *names, *more])]
    for k in order:
        cells = [item(k), *(SCORES[name][k] for name in names), *(make(k) for make in more.values())]
        lines.append(",".join(map(str, cells)))
    return "\n".join(lines) + "\n"


def alone(name, head="item", item=lambda k: f"q{k:02}", order=range(N), of=lambda k, score: score):
    """Give the table of one system: items and their values."""
    rows = [f"{item(k)},{of(k, SCORES[name][k])}" if head else str(of(k, SCORES[name][k])) for k in order]
    return "\n".join([f"{head},value" if head else "value", *rows]) + "\n"


def one(table, right=MEANS, words="items score s.csv -m value", python=None, **more):
    """Give the call on one table."""
    return Call(words, {"s.csv": table} | more, right, {} if python is None else python)


def two(old, new, right=MEANS, words="items compare old=a.csv new=b.csv -m value"):
    """Give a comparison of two tables."""
    return Call(words, {"a.csv": old, "b.csv": new}, right)


def columns(table, words, right=None):
    """Give a call on named columns of a table, which exists as a command only."""
    return Call(words, {"w.csv": table}, right, None)


TWIN = one(long())
WIDE = "items score s.csv"
SHUFFLED = random.Random(4).sample(range(N), N)
BY_COLUMN = "items compare old=w.csv:old new=w.csv:new"
BY_COLUMN_RIGHT = columns(wide(), BY_COLUMN, MEANS)
PAIR = two(alone("old"), alone("new"))
FAILED = [k for k in range(N) if SCORES["new"][k] < 0.4]


RANDOM = random.Random(20)
HARD = [min(1, max(0, RANDOM.gauss(0.62, 0.2))) for _ in range(N)]
ALIKE = {
    "old": [round(score, 2) for score in HARD],
    "new": [round(min(1, max(0, 0.6 * score + 0.3 + RANDOM.gauss(0, 0.1))), 2) for score in HARD],
}
"""Scores of systems for which the same items are hard."""


def alike(change=lambda name, k, score: score, right=True, scale=lambda score: score):
    """Give the table of such scores on a *scale*, after a *change* of some; *right* is whether its means are."""
    scores = {name: [scale(score) for score in own] for name, own in ALIKE.items()}
    table = long(lambda name, k, _: change(name, k, scores[name][k]))
    return one(table, {(name, "value"): sum(own) / N for name, own in scores.items()} if right else None)


def of_new(changed):
    """Give a change of the scores of one system."""
    return lambda name, k, score: changed(score) if name == "new" else score


def hit(score):
    """Give a score as 1 or 0."""
    return int(score > 0.6)


def rating(score):
    """Give a score as a rating from 1 to 5."""
    return 1 + round(4 * score)


def half_rating(score):
    """Give a score as a rating from 1 to 5, or between two of them."""
    return 1 + round(8 * score) / 2


def percentage(score):
    """Give a score as a whole percentage."""
    return round(100 * score)


def stray(value, places=(3,), scale=lambda score: score):
    """Give the call with another value in some *places*, and the right one."""
    return alike(lambda name, k, score: value if name == "new" and k in places else score, False, scale), alike(
        scale=scale
    )


LIKE = alike()


def annotated(ben=lambda score: score, right=True):
    """Give the ratings of two annotators, those of one of them changed."""
    ratings = {name: [rating(score) for score in own] for name, own in ALIKE.items()}
    others = {
        name: [max(1, min(5, own[k] + (k % 4 == 0) - (k % 5 == 0))) for k in range(N)] for name, own in ratings.items()
    }
    rows = [
        f"{name},q{k:02},ana,{own[k]}\n{name},q{k:02},ben,{ben(others[name][k])}"
        for name, own in ratings.items()
        for k in range(N)
    ]
    means = {(name, "value"): (sum(own) + sum(others[name])) / N / 2 for name, own in ratings.items()}
    return one("\n".join(["system,item,annotator,value", *rows]) + "\n", means if right else None)


def titled(cells):
    """Give a table with a title before, and a comment after the values."""
    rows = [f"{name},q{k:02},{cells(k, score)}" for name, own in ALIKE.items() for k, score in enumerate(own)]
    return "\n".join(["system,item,title,value,tokens,comment", *rows]) + "\n"


def flag(name, k, score):
    """Give a score as right or wrong."""
    return score > 0.5


RIGHT_SHARES = {(name, "value"): sum(score > 0.5 for score in scores) / N for name, scores in SCORES.items()}


def texts(yes, no):
    """Give a table with right and wrong in words."""
    return long(lambda name, k, score: yes if score > 0.5 else no)


QUOTED = [f'"{question(k)}"' for k in range(N)]


def prompts(name, order=range(N)):
    """Give one system's values beside the questions, without ids."""
    return "\n".join(["prompt,value", *(f"{QUOTED[k]},{SCORES[name][k]}" for k in order)]) + "\n"


def function(k):
    """Give the name of a function as the id of an item; some are those of summaries."""
    return {3: "max", 8: "sum", 11: "median", 20: "std", 25: "min"}.get(k, WORDS[k % 8] + "abcde"[k // 8])


MISTAKES = [
    Mistake(
        "a-column-that-there-is-not",
        columns(wide(), "items compare old=w.csv:old new=w.csv:nwe"),
        BY_COLUMN_RIGHT,
        "nwe",
    ),
    Mistake("two-columns-of-one-table", columns(wide(), BY_COLUMN, MEANS), BY_COLUMN_RIGHT, "column"),
    Mistake(
        "a-bad-system-in-a-named-column",
        columns(
            wide(more={"new2": lambda k: 0}),
            "items compare old=w.csv:old new2=w.csv:new2 --fail-if-worse new2",
            {("new2", "value"): 0.0},
        ),
        columns(wide(), BY_COLUMN + " --fail-if-worse new", MEANS),
        "worse|fail",
    ),
    Mistake(
        "one-column-for-both-sides-of-a-gate",
        columns(wide(), "items compare old=w.csv:old new=w.csv:old --fail-if-worse new"),
        columns(wide(), BY_COLUMN + " --fail-if-worse new", MEANS),
        "equal|same|identical",
    ),
    Mistake("one-file-for-two-systems", two(alone("old"), alone("old"), None), PAIR, "equal|same|identical"),
    Mistake(
        "percent-and-fraction",
        one(long(lambda name, k, score: score * 100 if name == "new" else score), None),
        TWIN,
        "scale|100|percent",
    ),
    Mistake(
        "percent-and-fraction-in-two-files",
        two(alone("old"), alone("new", of=lambda k, score: score * 100), None),
        PAIR,
        "scale|100|percent",
    ),
    Mistake(
        "decimal-commas", one(long(lambda name, k, score: f'"{score:.2f}"'.replace(".", ","))), TWIN, "comma|number|,"
    ),
    Mistake("percent-signs", one(long(lambda name, k, score: f"{score * 100:.0f}%"), None), TWIN, "%|number"),
    Mistake(
        "an-error-message-among-numbers",
        one(long(lambda name, k, score: "timeout" if (name, k) == ("new", 3) else score), None),
        TWIN,
        "timeout",
    ),
    Mistake(
        "an-empty-cell",
        one(long(lambda name, k, score: "" if (name, k) == ("new", 3) else score), None),
        TWIN,
        "empty|missing|without|no value",
    ),
    Mistake(
        "a-cell-is-nan",
        one(long(lambda name, k, score: "NaN" if (name, k) == ("new", 3) else score), None),
        TWIN,
        "nan|empty|missing|without|no value",
    ),
    Mistake(
        "a-cell-is-infinite",
        one(long(lambda name, k, score: "inf" if (name, k) == ("new", 3) else score), None),
        TWIN,
        "inf|finite",
    ),
    Mistake(
        "minus-one-stands-for-missing", one(long(lambda name, k, score: -1 if k in (3, 9) else score), None), TWIN, "-1"
    ),
    Mistake(
        "a-row-with-the-mean",
        one(long(extra=[f"{name},mean,{sum(SCORES[name]) / N}" for name in SCORES]), None),
        TWIN,
        "mean",
    ),
    Mistake("rows-are-repeated", one(long(extra=long().splitlines()[1:])), TWIN, "twice|duplicate|repeat|times"),
    Mistake(
        "five-epochs-of-which-the-first-is-kept",
        one(
            long(extra=[f"{name},q{k:02},0.0" for _ in range(4) for name in SCORES for k in range(N)]),
            None,
            "items score s.csv -m value --duplicates first",
            {"policy": "first"},
        ),
        one(long(), MEANS, "items score s.csv -m value --duplicates first", {"policy": "first"}),
        "320|160|twice|repeat|duplicate",
        chosen=True,
    ),
    Mistake(
        "a-system-lacks-items",
        one("\n".join(long().splitlines()[:-5]) + "\n", None),
        TWIN,
        "missing|without|lack|no value",
    ),
    Mistake(
        "failures-are-skipped",
        one(
            "\n".join(
                line for line in long().splitlines() if line not in {f"new,q{k:02},{SCORES['new'][k]}" for k in FAILED}
            )
            + "\n",
            None,
            "items score s.csv -m value --missing skip",
            {"policy": "skip"},
        ),
        one(long(), MEANS, "items score s.csv -m value --missing skip", {"policy": "skip"}),
        f"{len(FAILED)}",
        chosen=True,
    ),
    Mistake(
        "a-blank-after-a-systems-name",
        one(long().replace("new,q00", "new ,q00"), MEANS),
        TWIN,
        "blank|'new '|missing|lack",
    ),
    Mistake("capitals-in-a-systems-name", one(long().replace("new,q00", "New,q00"), MEANS), TWIN, "New|missing|lack"),
    Mistake(
        "leading-zeros-lost-in-one-file",
        two(alone("old", item="{:02}".format), alone("new", item=str)),
        two(alone("old", item="{:02}".format), alone("new", item="{:02}".format)),
        "unknown|missing|0|lack",
    ),
    Mistake(
        "files-of-two-test-sets",
        two(alone("old"), alone("new", item="r{:02}".format), None),
        PAIR,
        "missing|lack|no item|in common|without",
    ),
    Mistake(
        "files-of-two-test-sets-that-overlap",
        two(alone("old"), alone("new", item=lambda k: f"q{k + 20:02}"), None),
        PAIR,
        "missing|lack|without",
    ),
    Mistake(
        "a-spreadsheet-made-dates-of-ids",
        two(alone("old", item="1-{}".format), alone("new", item="{}-Jan".format), None),
        two(alone("old", item="1-{}".format), alone("new", item="1-{}".format)),
        "missing|lack|without|common",
    ),
    Mistake("rows-in-another-order", two(alone("old"), alone("new", order=SHUFFLED)), PAIR, "order"),
    Mistake(
        "rows-in-another-order-without-ids",
        two(alone("old", head=""), alone("new", head="", order=SHUFFLED), None),
        PAIR,
        "order|id|item",
    ),
    Mistake(
        "questions-in-another-order-without-ids",
        two(prompts("old"), prompts("new", SHUFFLED)),
        two(prompts("old"), prompts("new")),
        "order|prompt|id",
    ),
    Mistake(
        "the-row-number-of-a-spreadsheet-is-no-system",
        one(wide(more={"Unnamed: 0": lambda k: k}), MEANS, WIDE),
        one(wide(), MEANS, WIDE),
        "Unnamed|column",
    ),
    Mistake(
        "a-number-of-tokens-is-no-system",
        one(wide(more={"tokens": lambda k: 20 + k}), None, WIDE),
        one(wide(), MEANS, WIDE),
        "tokens",
    ),
    Mistake(
        "a-years-column-is-no-system",
        one(wide(more={"year": lambda k: 2000 + k % 20}), None, WIDE),
        one(wide(), MEANS, WIDE),
        "year",
    ),
    Mistake("the-header-is-missing", one("\n".join(long().splitlines()[1:]) + "\n", None), TWIN, "header|column"),
    Mistake(
        "two-columns-of-one-name",
        one(wide().replace("item,old,new", "item,old,old"), None, WIDE),
        one(wide(), MEANS, WIDE),
        "old|twice|column",
    ),
    Mistake(
        "yes-and-no-in-words",
        one(texts("yes", "no"), RIGHT_SHARES),
        one(long(lambda name, k, score: int(score > 0.5)), RIGHT_SHARES),
        "yes|number",
    ),
    Mistake(
        "pass-and-fail-in-words",
        one(texts("pass", "fail"), RIGHT_SHARES),
        one(long(lambda name, k, score: int(score > 0.5)), RIGHT_SHARES),
        "pass|number",
    ),
    Mistake(
        "true-and-false",
        one(texts("True", "False"), RIGHT_SHARES),
        one(long(lambda name, k, score: int(score > 0.5)), RIGHT_SHARES),
        "true|number",
    ),
    Mistake(
        "good-and-bad-in-words",
        one(texts("good", "bad"), None),
        one(long(lambda name, k, score: int(score > 0.5)), RIGHT_SHARES),
        "good|text|number",
    ),
    Mistake(
        "numbers-and-words-are-mixed",
        one(
            long(lambda name, k, score: ("pass" if score > 0.5 else "fail") if name == "new" else int(score > 0.5)),
            RIGHT_SHARES,
        ),
        one(long(lambda name, k, score: int(score > 0.5)), RIGHT_SHARES),
        "pass|fail|number",
    ),
    Mistake("all-values-are-equal", one(long(lambda name, k, score: 0.5), None), TWIN, "for all|default"),
    Mistake("an-unknown-measure", one(long(), None, "items score s.csv -m valeu"), TWIN, "valeu"),
    Mistake(
        "an-unknown-system-in-a-gate",
        one(long(), None, "items compare s.csv -m value --fail-if-worse nwe").command_only(),
        one(long(), MEANS, "items compare s.csv -m value"),
        "nwe",
    ),
    Mistake(
        "semicolons-and-decimal-commas",
        one(long().replace(".", "#").replace(",", ";").replace("#", ",")),
        TWIN,
        "column|;|separat|number",
    ),
    Mistake("a-byte-order-mark", one("\ufeff" + long()), TWIN, "column"),
    Mistake("blanks-after-commas", one(long().replace(",", ", ")), TWIN, "blank|column"),
    Mistake(
        "thousands-with-a-comma",
        one(long(lambda name, k, score: '"1,200"' if (name, k) == ("new", 3) else score), None),
        TWIN,
        "1,200",
    ),
    Mistake(
        "fractions-as-text",
        one(long(lambda name, k, score: "3/4" if (name, k) == ("new", 3) else score), None),
        TWIN,
        "3/4",
    ),
    Mistake(
        "errors-are-ranked-as-if-more-were-better",
        one(long().replace("value", "error_rate"), None, "items compare s.csv -m error_rate"),
        one(
            long().replace("value", "accuracy"),
            {("old", "accuracy"): MEANS["old", "value"]},
            "items compare s.csv -m accuracy",
        ),
        "lower|higher",
    ),
    Mistake(
        "documents-are-shared-by-items",
        one(long().replace("item,value", "item,value,document").replace("0\n", "0,d1\n"), None),
        TWIN,
        "document|cells|column",
        chosen=True,
    ),
    Mistake(
        "ratings-beside-fractions",
        one(long(lambda name, k, score: round(1 + 4 * score) if name == "new" else score), None),
        TWIN,
        "same scale",
    ),
    Mistake(
        "marks-out-of-ten-beside-fractions",
        one(long(lambda name, k, score: round(10 * score, 1) if name == "new" else score), None),
        TWIN,
        "same scale",
    ),
    Mistake(
        "one-percentage-among-fractions",
        one(long(lambda name, k, score: 87 if (name, k) == ("new", 4) else score), None),
        TWIN,
        "is 87 for 1 of 40 items",
    ),
    Mistake(
        "999-is-no-value",
        one(long(lambda name, k, score: 999 if (name, k) == ("new", 4) else score), None),
        TWIN,
        "is 999 for 1 of 40 items",
    ),
    Mistake(
        "a-rating-typed-twice",
        one(long(lambda name, k, score: 55 if (name, k) == ("new", 4) else 1 + k % 5), None),
        one(long(lambda name, k, score: 1 + k % 5), {("old", "value"): 3.0, ("new", "value"): 3.0}),
        "is 55 for 1 of 40 items",
    ),
    Mistake(
        "a-few-minus-ones-beside-right-and-wrong",
        one(long(lambda name, k, score: -1 if k % 20 == 0 else k % 2), None),
        one(long(lambda name, k, score: k % 4 // 2 - (k % 4 == 1)), {("old", "value"): 0.25}),
        "-1 means that there is no value",
    ),
    Mistake(
        "a-grand-total-below-the-table",
        one(wide() + f"Grand total:,{sum(SCORES['old'])},{sum(SCORES['new'])}\n", None, WIDE),
        one(wide(), MEANS, WIDE),
        "looks like a summary",
    ),
    Mistake(
        "the-mean-of-systems-is-no-system",
        one(wide(more={"mean": lambda k: (SCORES["old"][k] + SCORES["new"][k]) / 2}), None, WIDE),
        one(wide(), MEANS, WIDE),
        "mean: is counted as a system, but looks like a summary",
    ),
    Mistake("a-date-among-ratings", *stray(45780, (3, 9), half_rating), "is 45780 for 2 of 40"),
    Mistake("a-rating-without-its-point", *stray(44, (5,), half_rating), "is 44 for 1 of 40"),
    Mistake("999-among-percentages", *stray(999, range(0, N, 8), percentage), "is 999 for 5 of 40"),
    Mistake("a-fraction-without-its-point", *stray(7), "is 7 for 1 of 40"),
    Mistake(
        "empty-ratings-are-filled-with-0",
        alike(lambda name, k, score: 0 if name == "new" and k % 6 == 0 else score, False, rating),
        alike(scale=rating),
        "is 0 for 7 of 40 items",
    ),
    Mistake("0-for-a-few-ratings", *stray(0, (4, 8, 15), rating), "is 0 for 3 of 40 items"),
    Mistake(
        "one-file-lost-its-decimal-commas",
        two(
            alone("old", of=lambda k, score: 100 * score),
            alone("new", of=lambda k, score: f"{100 * score:.1f}".replace(".", "")),
            None,
        ),
        two(
            alone("old", of=lambda k, score: 100 * score),
            alone("new", of=lambda k, score: round(100 * score, 1)),
            {("new", "value"): 100 * MEANS["new", "value"]},
        ),
        "same scale",
    ),
    Mistake(
        "one-system-twice-and-once-rounded",
        two(alone("old", of=lambda k, score: f"{score + (k % 3 - 1) * 0.001:.3f}"), alone("old"), None),
        PAIR,
        "new: its value is that of old, rounded",
    ),
    Mistake("one-system-is-negated", alike(of_new(lambda score: -score), False), LIKE, "higher is better"),
    Mistake(
        "logarithms-beside-scores",
        alike(of_new(lambda score: round(math.log(max(score, 0.01)), 3)), False),
        LIKE,
        "higher is better",
    ),
    Mistake(
        "percentages-beside-ratings",
        alike(of_new(lambda score: 20 * score), False, rating),
        alike(scale=rating),
        "same scale",
    ),
    Mistake(
        "1-and-2-beside-0-and-1", alike(of_new(lambda score: score + 1), False, hit), alike(scale=hit), "same scale"
    ),
    Mistake(
        "hundredths-beside-fractions", alike(of_new(lambda score: round(score / 100, 4)), False), LIKE, "same scale"
    ),
    Mistake(
        "high-percentages-beside-low-fractions",
        alike(lambda name, k, score: 80 + 20 * score if name == "new" else round(0.3 * score, 2), False),
        LIKE,
        "same scale",
    ),
    Mistake("one-minus-the-score", alike(of_new(lambda score: round(1 - score, 2)), False), LIKE, "goes against that"),
    Mistake(
        "one-minus-hits", alike(of_new(lambda score: 1 - score), False, hit), alike(scale=hit), "goes against that"
    ),
    Mistake(
        "the-mean-in-every-row",
        alike(lambda name, k, score: round(sum(ALIKE[name]) / N, 4), False),
        LIKE,
        "is the same for all 40 items",
    ),
    Mistake(
        "a-column-called-max-has-the-highest-scores",
        one(wide(more={"max": lambda k: max(SCORES["old"][k], SCORES["new"][k])}), None, WIDE),
        one(
            wide(more={"max": lambda k: SCORES["new"][k - 5]}), MEANS | {("max", "value"): MEANS["new", "value"]}, WIDE
        ),
        "max: is counted as a system, but looks like a summary",
    ),
    Mistake("row-numbers-as-scores", alike(lambda name, k, score: k + 1, False), LIKE, "row numbers and ranks"),
    Mistake(
        "ranks-of-the-items-as-scores",
        alike(lambda name, k, score: 1 + sorted(range(N), key=lambda j: ALIKE[name][j]).index(k), False),
        LIKE,
        "row numbers and ranks",
    ),
    Mistake(
        "running-sums-as-scores",
        alike(lambda name, k, score: round(sum(ALIKE[name][: k + 1]), 2), False),
        LIKE,
        "running sums",
    ),
    Mistake(
        "missing-values-are-filled-with-the-one-before",
        alike(lambda name, k, score: ALIKE[name][14] if name == "new" and 14 <= k < 28 else score, False),
        LIKE,
        "for 14 items in a row",
    ),
    Mistake(
        "one-column-is-sorted-by-itself",
        one(long(lambda name, k, score: sorted(ALIKE[name])[k] if name == "new" else ALIKE[name][k]), None),
        LIKE,
        "sorted by itself",
    ),
    Mistake(
        "epochs-in-the-ids",
        one(
            "\n".join(
                [
                    "system,item,value",
                    *(
                        f"{name},q{k:02}_run{run},{ALIKE[name][k]}"
                        for name in ALIKE
                        for k in range(N)
                        for run in (1, 2)
                    ),
                ]
            ),
            None,
        ),
        LIKE,
        "40 in several runs",
    ),
    Mistake("one-annotator-in-percent", annotated(lambda score: 20 * score, False), annotated(), "on one scale"),
    Mistake("one-annotator-upside-down", annotated(lambda score: 6 - score, False), annotated(), "ends of a scale"),
    Mistake("one-annotator-counts-from-0", annotated(lambda score: score - 1, False), annotated(), "the same scale"),
    Mistake(
        "a-comma-without-quotes",
        one(
            titled(lambda k, score: f"Street {k}, 4,{score},12" if k in (5, 17, 30) else f"Street {k},{score},12,"),
            None,
        ).command_only(),
        one(titled(lambda k, score: f"Street {k},{score},12,"), LIKE.right),
        "put text with a comma in double quotes",
    ),
    Mistake(
        "an-open-quote-swallows-rows",
        one(
            titled(lambda k, score: {10: '"Stop', 20: 'Go"'}.get(k, "Street") + f",{score},12,fine"), None
        ).command_only(),
        one(titled(lambda k, score: f"Street {k},{score},12,fine"), LIKE.right),
        "a quote opens here",
    ),
    Mistake(
        "all-items-twice-under-other-ids",
        one(long(lambda name, k, score: ALIKE[name][k % 20], systems=("old", "new")), None),
        LIKE,
        "come 2 times",
    ),
    *(
        Mistake(
            f"{name}-is-ranked-as-if-more-were-better",
            one(long().replace("value", name), None, f"items compare s.csv -m {name}"),
            one(
                long().replace("value", "accuracy"),
                {("old", "accuracy"): MEANS["old", "value"]},
                "items compare s.csv -m accuracy",
            ),
            f"{name}: higher is better; if lower is better, say so",
        )
        for name in ("nll", "brier", "errorRate", "hallucination_rate", "bits_per_byte", "tokens_used")
    ),
    *(
        Mistake(
            f"a-row-{name.replace(' ', '-')}",
            one(long(extra=[f"{system},{name},{sum(SCORES[system]) / N:.4f}" for system in SCORES]), None),
            TWIN,
            "looks like a summary",
        )
        for name in ("Accuracy:", "Durchschnitt", "Mittelwert", "media", "all_tasks", "math (avg)", "score")
    ),
    Mistake(
        "a-mean-below-functions",
        one(long(item=function, extra=[f"{system},mean,{sum(SCORES[system]) / N:.3f}" for system in SCORES]), None),
        one(long(item=function)),
        "looks like a summary",
    ),
]


@by_name(MISTAKES)
def test_mistakes_with_tables_of_scores_are_caught(mistake, route, tmp_path, monkeypatch):
    check(mistake, route, tmp_path, monkeypatch)
