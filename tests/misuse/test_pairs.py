"""Mistakes with pairs whose labels follow no pattern: rows shifted in part, ties, exchanged files, annotators."""

import random
from dataclasses import replace

from tests.misuse.harness import Call, Mistake, by_name, check
from tests.misuse.test_nli import GOLD, LABELS, table

DRAWN = random.Random(11)
N = len(GOLD)
LABEL = [DRAWN.choice(LABELS) for _ in range(N)]
PREDICTED = [label if DRAWN.random() < 0.75 else DRAWN.choice(LABELS) for label in LABEL]
RIGHT = {("run", "accuracy"): sum(map(str.__eq__, LABEL, PREDICTED)) / N}
PAIRS = [{**pair, "label": label} for pair, label in zip(GOLD, LABEL, strict=True)]
NUMBERED = [{**pair, "id": str(k)} for k, pair in enumerate(PAIRS)]

SCORE = "nli score gold.csv run.csv -m accuracy"


def score(rows, right=RIGHT, gold=PAIRS, words=SCORE):
    """Give a call on two tables."""
    return Call(words, {"gold.csv": table(gold), "run.csv": table(rows)}, right)


def numbered(labels=PREDICTED):
    """Give predictions with the number of their row as id."""
    return [{"id": str(k), "label": label} for k, label in enumerate(labels)]


def lines(labels, right=None):
    """Give the call on one label per line."""
    gold = table(PAIRS, ["premise", "hypothesis", "label"])
    return Call(
        "nli score gold.csv run.txt -m accuracy", {"gold.csv": gold, "run.txt": "\n".join(labels) + "\n"}, right
    )


LINES = lines(PREDICTED, RIGHT)


def probable(of, right=RIGHT):
    """Give a run with a column of probabilities for each label, from a function of the predicted label and another."""
    shares = [[of(predicted, label) for label in LABELS] for predicted in PREDICTED]
    return score([{"id": PAIRS[k]["id"], **dict(zip(LABELS, row, strict=True))} for k, row in enumerate(shares)], right)


SHARP = probable(lambda predicted, label: 0.8 if predicted == label else 0.1)

NOT_ENTAILED = [pair | ({} if pair["label"] == "entailment" else {"label": "neutral"}) for pair in PAIRS]
"""Gold in which neutral means all that is not entailment, as in MED."""


RUN = [{"id": pair["id"], "label": label} for pair, label in zip(PAIRS, PREDICTED, strict=True)]
ENTAILED = [label == "entailment" for label in LABEL]
TWO_RIGHT = sum(entailed == (label == "entailment") for entailed, label in zip(ENTAILED, PREDICTED, strict=True))

ANNOTATORS = ("ana", "ben", "eva")
GIVEN = [[label if DRAWN.random() < 0.8 else DRAWN.choice(LABELS) for _ in ANNOTATORS] for label in LABEL]
RAW = {("", "raw_agreement"): sum(len(row) - len(set(row)) + (len(set(row)) == 1) for row in GIVEN) / (3 * N)}
"""The share of equal labels: 3 of 3 pairs of annotators where all agree, 1 of 3 where two do."""


def annotations(of=lambda k, name, label: label, who=lambda k, name: name, item="p{:02}".format, extra=()):
    """Give a row for each label of an annotator."""
    rows = [
        f"{item(k) if name != 'eva' else item(k).swapcase()},{who(k, name)},{of(k, name, GIVEN[k][place])}"
        for k in range(N)
        for place, name in enumerate(ANNOTATORS)
    ]
    return "\n".join(["pair,annotator,label", *rows, *extra]) + "\n"


def agreement(right=None, **changes):
    """Give the agreement of three annotators; *changes* are those of `annotations`."""
    changes = {"item": "{:02}".format} | changes
    return Call("nli agreement labels.csv", {"labels.csv": annotations(**changes)}, right)


ANSWERS = {"contradiction": "no,,no", "neutral": "yes,yes,no", "entailment": "yes,no,no"}


def verify(of=lambda k, name: GIVEN[k][ANNOTATORS.index(name)], who=lambda k, name: name, right=None):
    """Give answers to the three questions, which amount to the labels."""
    rows = [f"p{k:02},{who(k, name)},{ANSWERS[of(k, name)]}" for k in range(N) for name in ANNOTATORS]
    files = {
        "pairs.csv": table(PAIRS, ["id", "premise", "hypothesis"]),
        "answers.csv": "\n".join(["pair,annotator,q1,q2,q3", *rows]) + "\n",
    }
    return Call("nli verify pairs.csv answers.csv", files, right)


AGREED, VERIFIED = agreement(RAW), verify(right={})
EXCHANGED = {"entailment": "contradiction", "contradiction": "entailment", "neutral": "neutral"}

MISTAKES = [
    Mistake("a-line-is-lost-in-the-middle", lines([*PREDICTED[:30], *PREDICTED[31:], "neutral"]), LINES, "lost"),
    Mistake("a-line-is-doubled-in-the-middle", lines([*PREDICTED[:20], *PREDICTED[19:-1]]), LINES, "doubled"),
    Mistake("the-first-half-is-shifted", lines([PREDICTED[0], *PREDICTED[:29], *PREDICTED[30:]]), LINES, "shifts"),
    Mistake(
        "rows-are-numbered-after-one-was-lost",
        score(numbered([*PREDICTED[:30], *PREDICTED[31:], "neutral"]), None, NUMBERED),
        score(numbered(), gold=NUMBERED),
        "lost",
    ),
    Mistake("probabilities-are-all-equal", probable(lambda *_: 1 / 3, None), SHARP, "several labels are the most prob"),
    Mistake(
        "two-labels-are-equally-probable",
        probable(lambda predicted, label: 0.5 if predicted == label or LABELS.index(predicted) == 0 else 0.0, None),
        SHARP,
        "several labels are the most prob|sum to",
    ),
    Mistake(
        "recall-with-the-gold-as-a-run",
        Call(
            "nli score model.csv dev.csv -m recall.entailment",
            {"model.csv": table(numbered()), "dev.csv": table(NUMBERED)},
        ),
        Call(
            "nli score dev.csv model.csv -m recall.entailment",
            {"model.csv": table(numbered()), "dev.csv": table(NUMBERED)},
            {
                ("model", "recall.entailment"): sum(
                    label == given == "entailment" for label, given in zip(LABEL, PREDICTED, strict=True)
                )
                / LABEL.count("entailment")
            },
        ),
        "give the gold first",
    ),
    Mistake(
        "neutral-means-all-that-is-not-entailment",
        score(RUN, None, NOT_ENTAILED),
        replace(
            score(RUN, {("run", "accuracy"): TWO_RIGHT / N}, NOT_ENTAILED, SCORE + " --labels two"),
            python={"labels": "two"},
        ),
        "which the gold never has.*two",
    ),
    Mistake(
        "an-annotator-exchanges-labels",
        agreement(of=lambda k, name, label: EXCHANGED[label] if name == "eva" else label),
        AGREED,
        "eva agrees with the others by a kappa",
    ),
    Mistake(
        "rows-of-an-annotator-are-shifted",
        agreement(of=lambda k, name, label: GIVEN[(k + 1) % N][2] if name == "eva" else label),
        AGREED,
        "eva agrees with the others by a kappa.*order",
    ),
    Mistake(
        "labels-of-one-annotator-twice",
        agreement(of=lambda k, name, label: GIVEN[k][1] if name == "eva" else label),
        AGREED,
        "ben and eva gave equal labels",
    ),
    Mistake(
        "an-annotator-has-two-names",
        agreement(RAW, who=lambda k, name: "Eva" if name == "eva" and k % 2 else name),
        AGREED,
        "'Eva' never label the same item",
    ),
    Mistake(
        "pairs-have-other-ids-for-an-annotator",
        agreement(item="p{:02}".format),
        AGREED,
        "60 items have ids in two forms",
    ),
    Mistake(
        "the-gold-is-an-annotator",
        agreement(extra=[f"{k:02},gold,{label}" for k, label in enumerate(LABEL)]),
        AGREED,
        "'gold' counts as an annotator",
    ),
    Mistake(
        "answers-of-one-person-under-three-names",
        verify(lambda k, name: GIVEN[k][0]),
        VERIFIED,
        "gave equal labels",
    ),
    Mistake(
        "answers-of-a-person-under-two-names",
        verify(who=lambda k, name: "Eva" if name == "eva" and k % 2 else name),
        VERIFIED,
        "never label the same item",
    ),
    Mistake(
        "answers-of-a-person-are-shifted",
        verify(lambda k, name: GIVEN[(k + (name == "eva")) % N][ANNOTATORS.index(name)]),
        VERIFIED,
        "eva agrees with the others by a kappa",
    ),
]


@by_name(MISTAKES)
def test_more_mistakes_with_pairs_are_caught(mistake, route, tmp_path, monkeypatch):
    check(mistake, route, tmp_path, monkeypatch)
