"""Mistakes with pairs of sentences and their labels."""

import json
import random

from tests.misuse.harness import Call, Mistake, by_name, check

LABELS = ("entailment", "neutral", "contradiction")
N = 60
RIGHT = 45
"""Labels of the run that agree with the gold: accuracy .75."""


def pairs(offset=0):
    """Give the gold as rows: id, premise, hypothesis, label; other sentences with an offset."""
    words = ["boats", "trees", "lamps", "clocks", "gates", "roads", "bells", "walls", "drums", "kites"]
    return [
        {
            "id": f"p{k:02}",
            "premise": f"{k + offset + 2} {words[(k + offset) % 10]} stood near the old mill.",
            "hypothesis": f"The mill had {words[(k * 7 + offset) % 10]} beside it, {k + offset + 2} of them.",
            "label": LABELS[k % 3],
        }
        for k in range(N)
    ]


GOLD = pairs()
PREDICTED = [LABELS[(k % 3 + (k >= RIGHT)) % 3] for k in range(N)]


def table(rows, names=None, separator=","):
    """Give rows as CSV, each text in quotes."""
    names = names or list(rows[0])
    lines = [separator.join(names)]
    lines += [separator.join(f'"{row[name]}"' for name in names) for row in rows]
    return "\n".join(lines) + "\n"


def jsonl(rows):
    """Give rows as JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def shuffled(rows, seed=3):
    """Give the rows in another order."""
    return random.Random(seed).sample(list(rows), len(rows))


def answers(**columns):
    """Give the run as rows with an id and a label; *columns* make a cell from the number of its row."""
    rows = [{"id": pair["id"], "label": label} for pair, label in zip(GOLD, PREDICTED, strict=True)]
    return [row | {name: value(k) for name, value in columns.items()} for k, row in enumerate(rows)]


def with_texts(rows=GOLD):
    """Give predictions beside the sentences, without ids."""
    return [
        {"premise": pair["premise"], "hypothesis": pair["hypothesis"], "pred": label}
        for pair, label in zip(rows, PREDICTED, strict=True)
    ]


GOLD_CSV = table(GOLD)
NO_IDS = table(GOLD, ["premise", "hypothesis", "label"])
RUN_CSV = table(answers())
SCORE = "nli score gold.csv run.csv -m accuracy"
ACCURACY = {("run", "accuracy"): RIGHT / N}


def score(run, gold=GOLD_CSV, words=SCORE, right=ACCURACY, python=None, name="run.csv", **more):
    """Give the usual call with another run or gold."""
    files = {"gold.csv": gold, name: run} | more
    return Call(words.replace("run.csv", name), files, right, {} if python is None else python)


TWIN = score(RUN_CSV)
NAMED = ["id", "premise", "hypothesis", "pred"]


def beside(rows):
    """Give predictions beside sentences, with ids."""
    return table([row | {"pred": label} for row, label in zip(rows, PREDICTED, strict=True)], NAMED)


def renamed(of):
    """Give the run with other labels, from a function of a label."""
    return table([row | {"label": of(row["label"])} for row in answers()])


def numbered(rows, of):
    """Give rows with other ids, from a function of the number of a row."""
    return table([row | {"id": of(k)} for k, row in enumerate(rows)])


LINES = "".join(label + "\n" for label in PREDICTED)
TEXT = "nli score gold.csv run.txt -m accuracy"


def text(run, gold=NO_IDS, right=ACCURACY):
    """Give the call with a label per line."""
    return Call(TEXT, {"gold.csv": gold, "run.txt": run}, right)


def probabilities(of):
    """Give a run with probabilities, from a function of the number of a row."""
    return jsonl([{"id": pair["id"], "probabilities": of(k)} for k, pair in enumerate(GOLD)])


def sharp(k, high=0.8, low=0.1):
    """Give most of the probability to the predicted label."""
    return {label: high if label == PREDICTED[k] else low for label in LABELS}


PROBABLE = "nli score gold.csv run.jsonl -m accuracy"


def probable(of, right=ACCURACY):
    """Give the call with a run of probabilities."""
    return Call(PROBABLE, {"gold.csv": GOLD_CSV, "run.jsonl": probabilities(of)}, right)


REPEATED = [*GOLD[:50], *({**GOLD[k], "id": f"p{50 + k}", "label": GOLD[50 + k]["label"]} for k in range(10))]
"""Ten pairs occur twice, with another label."""

TWO_SYSTEMS = "nli compare gold.csv a=a.csv b=b.csv -m accuracy"


def two(a, b, right=None, words=TWO_SYSTEMS):
    """Give a comparison of two runs."""
    return Call(words, {"gold.csv": GOLD_CSV, "a.csv": a, "b.csv": b}, right)


OTHER_RUN = table([row | {"label": LABELS[(k + (k % 2)) % 3]} for k, row in enumerate(answers())])

LONG_GOLD = [random.Random(k).choice(LABELS) for k in range(2 * N)]
LONG_RUN = [label if k % 5 else LABELS[k % 3] for k, label in enumerate(LONG_GOLD)]
LONG_ACCURACY = {("run", "accuracy"): sum(a == b for a, b in zip(LONG_GOLD, LONG_RUN, strict=True)) / (2 * N)}


def long(order, right=None):
    """Give the call with a label per line, of twice as many pairs; *order* changes that of the last half."""
    rows = [
        row | {"premise": f"{k} {row['premise']}", "label": label}
        for k, (row, label) in enumerate(zip(pairs() * 2, LONG_GOLD, strict=True))
    ]
    run = "".join(label + "\n" for label in [*LONG_RUN[:N], *order(LONG_RUN[N:])])
    return text(run, table(rows, ["premise", "hypothesis", "label"]), right)


def certain(high, low):
    """Give the call of calibration with probabilities."""
    files = {"gold.csv": GOLD_CSV, "run.jsonl": probabilities(lambda k: sharp(k, high, low))}
    return Call("nli score gold.csv run.jsonl -m ece", files, {("run", "ece(bins=10)"): 0.05} if high < 1 else None)


def voted(label):
    """Give the gold with the labels of three annotators, of whom two agree with it."""
    return table([
        row | {"label": label(k), "label1": row["label"], "label2": row["label"], "label3": LABELS[k % 2]}
        for k, row in enumerate(GOLD)
    ])  # fmt: skip


MISTAKES = [
    Mistake(
        "predictions-with-sentences-in-another-order",
        score(table(shuffled(with_texts())), NO_IDS),
        score(table(with_texts()), NO_IDS),
        "order|text",
    ),
    Mistake(
        "json-predictions-with-sentences-in-another-order",
        score(jsonl(shuffled(with_texts())), NO_IDS, name="run.jsonl"),
        score(jsonl(with_texts()), NO_IDS, name="run.jsonl"),
        "order|text",
    ),
    Mistake(
        "label-column-without-ids-in-another-order",
        score(table(shuffled(answers()), ["label"]), NO_IDS, right=None),
        score(table(shuffled(answers()))),
        "order|no ids|without ids",
    ),
    Mistake(
        "one-label-is-lost",
        text("".join(LINES.splitlines(keepends=True)[1:]), right=None),
        text(LINES),
        "59|60|lines|labels|no prediction",
    ),
    Mistake("a-header-is-read-as-a-label", text("label\n" + LINES), text(LINES), "61|header|label"),
    Mistake("lines-are-doubled", text(LINES + LINES, right=None), text(LINES), "120"),
    Mistake(
        "a-blank-line-shifts-the-labels",
        text("\n" + "".join(LINES.splitlines(keepends=True)[:-1])),
        text(LINES),
        "empty|blank|59|no prediction",
    ),
    Mistake(
        "ids-of-another-set-with-the-same-numbers",
        score(beside(pairs(500)), right=None),
        score(beside(GOLD)),
        "premise|sentence|text",
    ),
    Mistake("unknown-ids", score(RUN_CSV.replace('"p', '"q'), right=None), TWIN, "unknown|not in the gold|no item"),
    Mistake(
        "rows-are-repeated", score(RUN_CSV + RUN_CSV.partition("\n")[2], right=None), TWIN, "duplicate|twice|repeated"
    ),
    Mistake(
        "a-repeated-id-has-another-label",
        score(
            RUN_CSV + '"p00","neutral"\n', right=None, words=SCORE + " --duplicates first", python={"policy": "first"}
        ),
        score(RUN_CSV, words=SCORE + " --duplicates first", python={"policy": "first"}),
        "duplicate|repeated|occur",
        chosen=True,
    ),
    Mistake("blanks-after-labels", score(RUN_CSV.replace('"\n', ' "\n')), TWIN, "blank|space"),
    Mistake("blanks-after-ids", score(RUN_CSV.replace('","', ' ","')), TWIN, "blank|space|unknown"),
    Mistake(
        "leading-zeros-lost-in-ids",
        score(numbered(answers(), str), numbered(GOLD, "{:02}".format)),
        score(numbered(answers(), "{:02}".format), numbered(GOLD, "{:02}".format)),
        "unknown|nearest",
    ),
    Mistake(
        "a-spreadsheet-made-dates-of-ids",
        score(numbered(answers(), "{}-Jan".format), numbered(GOLD, "1-{}".format), right=None),
        score(numbered(answers(), "1-{}".format), numbered(GOLD, "1-{}".format)),
        "unknown",
    ),
    Mistake("capitals-in-ids", score(RUN_CSV.replace('"p', '"P')), TWIN, "unknown|nearest"),
    Mistake("the-run-is-the-gold", score(GOLD_CSV, right=None), TWIN, "gold"),
    Mistake(
        "the-run-repeats-the-gold-label-beside-its-own",
        score(
            table([row | {"label": GOLD[k]["label"], "bert": PREDICTED[k]} for k, row in enumerate(answers())]),
            right=None,
        ),
        score(
            table(
                [row | {"gold": GOLD[k]["label"], "pred": PREDICTED[k]} for k, row in enumerate(answers())],
                ["id", "gold", "pred"],
            )
        ),
        "gold",
    ),
    Mistake(
        "one-file-for-two-systems",
        two(RUN_CSV, RUN_CSV),
        two(RUN_CSV, OTHER_RUN, {("a", "accuracy"): 0.75}),
        "same|equal|identical",
    ),
    Mistake(
        "gold-and-run-are-swapped",
        Call("nli score run.csv gold.csv -m accuracy", TWIN.files),
        TWIN,
        "premise|hypothesis|gold first",
    ),
    Mistake(
        "labels-are-single-letters",
        score(renamed(lambda label: label[0].upper())),
        TWIN,
        "label",
    ),
    Mistake("labels-in-capitals", score(renamed(str.upper)), TWIN, "label"),
    Mistake(
        "labels-are-numbers-of-an-unknown-order",
        score(renamed(("contradiction", "entailment", "neutral").index)),
        TWIN,
        "0, 1|number|order|label",
    ),
    Mistake(
        "labels-of-two-classes",
        score(renamed(lambda label: label if label == "entailment" else "not_entailment"), right=None),
        TWIN,
        "label|not_entailment",
    ),
    Mistake(
        "a-misspelt-label", score(RUN_CSV.replace("contradiction", "contradicton"), right=None), TWIN, "contradict"
    ),
    Mistake(
        "labels-are-true-and-false", score(renamed(lambda label: label == "entailment"), right=None), TWIN, "label"
    ),
    Mistake(
        "probabilities-are-nan",
        probable(lambda k: sharp(k) | {"entailment": float("nan")}, None),
        probable(sharp),
        "nan|finite|number",
    ),
    Mistake(
        "a-probability-is-infinite",
        probable(lambda k: sharp(k) | {"neutral": float("inf")}, None),
        probable(sharp),
        "inf|finite|number",
    ),
    Mistake(
        "probabilities-are-negative",
        probable(lambda k: sharp(k) | {"entailment": -0.4}, None),
        probable(sharp),
        "negative|probabilit|-0.4|between",
    ),
    Mistake(
        "probabilities-lack-a-label",
        probable(lambda k: {label: p for label, p in sharp(k).items() if label != PREDICTED[k]}, None),
        probable(sharp),
        "label|lack|missing|sum",
    ),
    Mistake(
        "probabilities-are-a-list",
        probable(lambda k: list(sharp(k).values())),
        probable(sharp),
        "list|order|name|label|probabilit",
    ),
    Mistake(
        "probabilities-are-percentages",
        probable(lambda k: sharp(k, 80.0, 10.0)),
        probable(sharp),
        "sum|percent|between|probabilit",
    ),
    Mistake(
        "an-empty-label",
        score(RUN_CSV.replace('"p07","neutral"', '"p07",""'), right=None),
        TWIN,
        "empty|missing|p07|without",
        chosen=True,
    ),
    Mistake(
        "a-label-is-na",
        score(RUN_CSV.replace('"p07","neutral"', '"p07",nan'), right=None),
        TWIN,
        "empty|missing|p07|nan",
    ),
    Mistake(
        "the-label-column-has-another-name", score(RUN_CSV.replace("id,label", "id,prdction")), TWIN, "column|prdction"
    ),
    Mistake(
        "a-column-that-there-is-not",
        Call("nli score gold.csv run.csv:bert -m accuracy", TWIN.files, None, None),
        Call("nli score gold.csv run.csv:label -m accuracy", TWIN.files, {("label", "accuracy"): 0.75}, None),
        "bert",
    ),
    Mistake(
        "premise-and-hypothesis-are-swapped",
        score(
            table([row | {"premise": row["hypothesis"], "hypothesis": row["premise"]} for row in with_texts()]),
            NO_IDS,
            right=None,
        ),
        score(table(with_texts()), NO_IDS),
        "premise|hypothesis|text",
    ),
    Mistake("half-of-the-run", score(table(answers()[:30]), right=None), TWIN, "missing|without"),
    Mistake(
        "half-of-the-run-is-skipped",
        score(table(answers()[:30]), right=None, words=SCORE + " --missing skip", python={"policy": "skip"}),
        score(RUN_CSV, words=SCORE + " --missing skip", python={"policy": "skip"}),
        "30|without an answer",
    ),
    Mistake(
        "items-that-the-gold-lacks-are-ignored",
        score(RUN_CSV + '"x1","neutral"\n', right=None, words=SCORE + " --unknown ignore", python={"policy": "ignore"}),
        score(RUN_CSV, words=SCORE + " --unknown ignore", python={"policy": "ignore"}),
        "ignore",
        chosen=True,
    ),
    Mistake("a-byte-order-mark", score("\ufeff" + RUN_CSV), TWIN, "id"),
    Mistake("semicolons-between-cells", score(table(answers(), separator=";")), TWIN, "column|;|separat"),
    Mistake(
        "gold-labels-are-missing",
        score(
            RUN_CSV, table([row | {"label": row["label"] if k % 2 else "-"} for k, row in enumerate(GOLD)]), right=None
        ),
        TWIN,
        "gold|label",
    ),
    Mistake(
        "equal-pairs-in-another-order",
        score(table(shuffled(with_texts(REPEATED))), table(REPEATED, ["premise", "hypothesis", "label"]), right=None),
        score(table(with_texts()), NO_IDS),
        "repeat|twice|occur|order",
        chosen=True,
    ),
    Mistake("a-measure-of-another-task", Call(SCORE.replace("accuracy", "bleu"), TWIN.files), TWIN, "bleu"),
    Mistake(
        "predictions-are-for-a-part-of-the-set",
        score(table(with_texts()[:40]), NO_IDS, right=None),
        score(table(with_texts()), NO_IDS),
        "40|20|missing|without",
    ),
    Mistake(
        "all-predictions-are-the-same",
        score(renamed(lambda _: "entailment"), right={("run", "accuracy"): 1 / 3}),
        TWIN,
        "majority",
    ),
    Mistake(
        "labels-are-rotated",
        score(renamed(lambda label: LABELS[(LABELS.index(label) + 1) % 3]), right=None),
        TWIN,
        "chance|label|order",
    ),
    Mistake(
        "lines-of-labels-in-another-order",
        text("".join(shuffled(LINES.splitlines(keepends=True))), right=None),
        text(LINES),
        "no more than by chance; its rows may be in another order",
    ),
    Mistake(
        "lines-of-labels-are-sorted",
        text("".join(sorted(LINES.splitlines(keepends=True))), right=None),
        text(LINES),
        "no more than by chance; its rows may be in another order",
    ),
    Mistake(
        "another-test-set-with-the-same-ids",
        score(numbered(shuffled(answers()), str), numbered(GOLD, str), right=None),
        score(numbered(answers(), str), numbered(GOLD, str)),
        "another test set with the same ids",
    ),
    Mistake(
        "labels-of-a-model-without-names",
        score(renamed(lambda label: f"LABEL_{LABELS.index(label)}"), right=None),
        TWIN,
        "unknown label.*LABEL_0",
    ),
    Mistake(
        "logits-for-probabilities",
        probable(lambda k: {label: 2.3 if label == PREDICTED[k] else -1.1 for label in LABELS}, None),
        probable(sharp),
        "number from 0 to 1",
    ),
    Mistake(
        "a-label-that-is-not-the-most-probable-one",
        Call(
            PROBABLE,
            {
                "gold.csv": GOLD_CSV,
                "run.jsonl": jsonl(
                    [{"id": pair["id"], "label": "neutral", "probabilities": sharp(k)} for k, pair in enumerate(GOLD)]
                ),
            },
        ),
        probable(sharp),
        "the label is neutral, but the most probable one is",
    ),
    Mistake(
        "answers-in-sentences",
        score(renamed(lambda label: f"The answer is {label}."), right=None),
        TWIN,
        "unknown label",
    ),
    Mistake(
        "ids-sorted-as-texts",
        score(
            table([{"id": name, "label": PREDICTED[k]} for k, name in enumerate(sorted(map(str, range(N))))]),
            numbered(GOLD, str),
            right=None,
        ),
        score(numbered(answers(), str), numbered(GOLD, str)),
        "in the order of numbers, not of texts",
    ),
    Mistake("the-last-half-in-another-order", long(shuffled), long(list, LONG_ACCURACY), "last 60 labels.*chance"),
    Mistake("probabilities-are-0-and-1", certain(1.0, 0.0), certain(0.8, 0.1), "probabilities are all 0 or 1"),
    Mistake(
        "gold-labels-of-the-next-pair-beside-annotators",
        score(RUN_CSV, voted(lambda k: GOLD[(k + 1) % N]["label"]), right=None),
        score(RUN_CSV, voted(lambda k: GOLD[k]["label"])),
        "the gold: 60 of 60 gold labels are not the majority",
    ),
]


@by_name(MISTAKES)
def test_mistakes_with_pairs_are_caught(mistake, route, tmp_path, monkeypatch):
    check(mistake, route, tmp_path, monkeypatch)
