"""Mistakes with a few human scores, many scores of a judge, and the labels of several annotators."""

import random

from tests.misuse.harness import Call, Mistake, by_name, check

N = 200
LABELLED = sorted(random.Random(8).sample(range(N), 60))
TRUTH = random.Random(1)
QUALITY = [TRUTH.choice([1, 2, 3, 4, 5]) for _ in range(N)]
NOISE = random.Random(2)
JUDGED = [round(min(5, max(1, q * 0.7 + 1.2 + NOISE.gauss(0, 0.7))), 2) for q in QUALITY]


def human(chosen=None, score=lambda k: QUALITY[k], system="a", item="q{:03}".format, extra=()):
    """Give the human scores of the chosen items."""
    rows = [f"{system},{item(k)},{score(k)}" for k in (LABELLED if chosen is None else chosen)]
    return "\n".join(["system,item,rating", *rows, *extra]) + "\n"


def judge(score=lambda k: JUDGED[k], system="a", item="q{:03}".format, items=range(N), extra=()):
    """Give the judge's scores."""
    return "\n".join(["system,item,rating", *(f"{system},{item(k)},{score(k)}" for k in items), *extra]) + "\n"


def mean(chosen):
    """Give the mean human score of the chosen items, as a result."""
    return {("a", "human"): sum(QUALITY[k] for k in chosen) / len(chosen)}


ESTIMATE = "items estimate human.csv judge.csv -m rating"


def estimate(people=None, machine=None, right=None, words=ESTIMATE, python=None):
    """Give the call on two tables."""
    return Call(
        words,
        {"human.csv": people or human(), "judge.csv": machine or judge()},
        right,
        {} if python is None else python,
    )


TWIN = estimate(right=mean(LABELLED))
LOWEST = sorted(range(N), key=JUDGED.__getitem__)[:60]
HIGHEST = sorted(range(N), key=JUDGED.__getitem__)[-60:]
FIRST = [k for k in range(N) if JUDGED[k] > 3][:60]

ESTIMATES = [
    Mistake("people-scored-the-judges-lowest", estimate(human(LOWEST)), TWIN, "random|differ"),
    Mistake("people-scored-the-judges-highest", estimate(human(HIGHEST)), TWIN, "random|differ"),
    Mistake("people-scored-what-the-judge-passed", estimate(human(FIRST)), TWIN, "random|differ"),
    Mistake(
        "human-and-judge-are-exchanged",
        Call("items estimate judge.csv human.csv -m rating", TWIN.files),
        TWIN,
        "judge|human|without",
    ),
    Mistake("the-judge-is-the-human-table", estimate(machine=human(range(N))), TWIN, "same|equal|identical"),
    Mistake(
        "the-judge-is-reversed", estimate(machine=judge(lambda k: round(6 - JUDGED[k], 2))), TWIN, "fall|sign|revers"
    ),
    Mistake(
        "the-judge-has-another-scale",
        estimate(machine=judge(lambda k: JUDGED[k] * 20)),
        TWIN,
        "scale|curve",
        chosen=True,
    ),
    Mistake(
        "the-judge-scored-other-items",
        estimate(machine=judge(item="r{:03}".format)),
        TWIN,
        "q\\d|no score|without|unknown",
    ),
    Mistake("the-judge-scored-another-system", estimate(machine=judge(system="b")), TWIN, "system|a"),
    Mistake("leading-zeros-lost-in-ids", estimate(human(item=str)), TWIN, "unknown|no score|without|judge"),
    Mistake(
        "a-human-score-of-nan",
        estimate(human(score=lambda k: "nan" if k == LABELLED[0] else QUALITY[k])),
        TWIN,
        "nan|empty|without",
        chosen=True,
    ),
    Mistake(
        "a-human-score-in-words",
        estimate(human(score=lambda k: "good" if k == LABELLED[0] else QUALITY[k])),
        TWIN,
        "good",
    ),
    Mistake(
        "human-rows-are-repeated",
        estimate(human(extra=human().splitlines()[1:])),
        TWIN,
        "twice|duplicate|repeat|annotat",
    ),
    Mistake(
        "judge-rows-are-repeated",
        estimate(machine=judge(extra=judge().splitlines()[1:])),
        TWIN,
        "twice|duplicate|repeat",
    ),
    Mistake(
        "a-score-out-of-range",
        estimate(human(score=lambda k: 55 if k == LABELLED[0] else QUALITY[k])),
        TWIN,
        "55|range|scale",
    ),
    Mistake(
        "the-judge-gives-one-score",
        estimate(machine=judge(lambda k: 3)),
        TWIN,
        "equal|same|vary|constant|useless",
        chosen=True,
    ),
    Mistake("two-human-scores", estimate(human(LABELLED[:2])), TWIN, "2|few", chosen=True),
    Mistake("a-measure-that-there-is-not", estimate(words=ESTIMATE.replace("rating", "ratnig")), TWIN, "ratnig"),
    Mistake(
        "a-judge-column-that-there-is-not",
        Call("items estimate human.csv judge.csv:gpt -m rating", TWIN.files, None, None),
        TWIN,
        "gpt",
    ),
    Mistake(
        "what-people-did-not-score-is-0",
        estimate(human(range(N), lambda k: QUALITY[k] if k in LABELLED else 0)),
        TWIN,
        "0 stand for no score",
    ),
    Mistake(
        "what-people-did-not-score-is-minus-1",
        estimate(human(range(N), lambda k: QUALITY[k] if k in LABELLED else -1)),
        TWIN,
        "-1",
    ),
    Mistake(
        "what-people-did-not-score-is-the-judges-score",
        estimate(human(range(N), lambda k: QUALITY[k] if k in LABELLED else JUDGED[k])),
        TWIN,
        "are those of the judge",
    ),
    Mistake(
        "what-people-did-not-score-is-their-mean",
        estimate(human(range(N), lambda k: QUALITY[k] if k in LABELLED else 3.043)),
        TWIN,
        "scores are 3.043",
    ),
    Mistake(
        "the-judge-gives-0-where-it-failed",
        estimate(machine=judge(lambda k: 0 if k % 20 == 3 else JUDGED[k])),
        TWIN,
        "judge's 200 scores are 0",
    ),
    Mistake(
        "people-scored-everything", estimate(human(range(N)), right=mean(range(N))), TWIN, "all|every|no items|only"
    ),
]

OTHER = random.Random(12)
OTHER_QUALITY = [OTHER.choice([1, 2, 3, 4, 5]) for _ in range(N)]
SHUFFLED = random.Random(4).sample(range(N), N)


def judge_two(first="a", second="b", scores=lambda k: JUDGED[k], item=str):
    """Give the call that assesses the judge's scores of two systems."""
    noise = random.Random(5)
    others = [round(min(5, max(1, q * 0.7 + 1.2 + noise.gauss(0, 0.7))), 2) for q in OTHER_QUALITY]
    people = human(range(N), item=str, extra=[f"b,{k},{OTHER_QUALITY[k]}" for k in range(N)])
    rows = [f"{first},{item(k)},{scores(k)}" for k in range(N)] + [f"{second},{k},{others[k]}" for k in range(N)]
    machine = "\n".join(["system,item,rating", *rows]) + "\n"
    return Call("items judge human.csv judge.csv -m rating", {"human.csv": people, "judge.csv": machine}, {}, None)


def plan(width):
    """Give the call that plans an interval of a width."""
    return Call(f"items plan human.csv judge.csv -m rating --width {width}", TWIN.files, {}, None)


def titled(answer):
    """Give the judge's scores after the texts of answers, and before an empty column of comments."""
    rows = [f"a,q{k:03},{answer(k)},{JUDGED[k]},12{'' if ', ' in answer(k) else ','}" for k in range(N)]
    return "\n".join(["system,item,output,rating,tokens,comment", *rows]) + "\n"


def clustered_plan(document):
    """Give the call that plans with clusters, where *document* gives that of an item."""
    files = {
        name: "".join(f"{row},{document(int(row[3:6])) if n else 'doc'}\n" for n, row in enumerate(rows.splitlines()))
        for name, rows in TWIN.files.items()
    }
    return Call("items plan human.csv judge.csv -m rating --width 0.5 --cluster doc", files, {}, None)


def _second(k):
    """Give the rating of a second annotator, who sometimes differs."""
    return max(1, min(5, QUALITY[k] + (k % 4 == 0) - (k % 5 == 0)))


def _mean_of_two(k):
    return (QUALITY[k] + _second(k)) / 2


def annotated_scores(moved):
    """Give the ratings of two annotators, those of the second *moved* by some points."""
    rows = [f"a,q{k:03},ana,{QUALITY[k]}\na,q{k:03},ben,{_second(k) + moved}" for k in LABELLED]
    return "\n".join(["system,item,annotator,rating", *rows]) + "\n"


def asked(probability):
    """Give the call with the probabilities of a draw; those of several take turns."""
    several = probability if isinstance(probability, tuple) else (probability,)
    rows = "".join(f"q{k:03},{several[n % len(several)]}\n" for n, k in enumerate(LABELLED))
    return Call(f"{ESTIMATE} --asked asked.csv", {**TWIN.files, "asked.csv": f"item,probability\n{rows}"}, {}, None)


ASSESSED = [
    Mistake("two-systems-are-exchanged", judge_two("b", "a"), judge_two(), "go with the judge's of the other one"),
    Mistake(
        "the-rows-of-the-judge-are-shifted",
        Call(
            ESTIMATE,
            {"human.csv": human(range(N), item=str), "judge.csv": judge(lambda k: JUDGED[(k + 1) % N], item=str)},
            None,
            None,
        ),
        Call(ESTIMATE, {"human.csv": human(range(N), item=str), "judge.csv": judge(item=str)}, mean(range(N)), None),
        "shifted",
    ),
    Mistake(
        "the-judges-items-are-numbered-after-a-shuffle",
        Call(ESTIMATE, {"human.csv": human(item=str), "judge.csv": judge(lambda k: JUDGED[SHUFFLED[k]], item=str)}),
        Call(ESTIMATE, {"human.csv": human(item=str), "judge.csv": judge(item=str)}, mean(LABELLED)),
        "other outputs with the same ids",
    ),
    Mistake("a-plan-in-percent", plan(10), plan(0.5), "larger than the range of human scores, 1 to 5"),
    Mistake("probabilities-of-another-draw", asked(0.1), asked(0.3), "of another draw"),
    Mistake(
        "probabilities-of-an-uneven-draw", asked((0.9, 0.1)), asked((0.4, 0.25)), "stand for 333 items.*of another draw"
    ),
    Mistake(
        "a-plan-with-merged-cells-of-clusters",
        clustered_plan(lambda k: f"d{k // 5}" if k % 5 == 0 else ""),
        clustered_plan(lambda k: f"d{k // 5}"),
        "160 of 200 items have no doc.*merged cells",
    ),
    Mistake(
        "a-comma-without-quotes-in-the-judges-table",
        estimate(machine=titled(lambda k: f"answer {k}, 2" if k % 20 == 3 else f"answer {k}")),
        estimate(machine=titled(lambda k: f"answer {k}"), right=mean(LABELLED)),
        "rows may be shifted",
    ),
    Mistake(
        "one-annotator-counts-from-0",
        estimate(annotated_scores(-1)),
        estimate(annotated_scores(0), right={("a", "human"): sum(map(_mean_of_two, LABELLED)) / len(LABELLED)}),
        "the labels of ben are from 0 to 4",
    ),
]

LABELS = random.Random(3)
TRUE = [LABELS.choice(["yes", "no"]) for _ in range(60)]
ANNOTATORS = {
    name: [label if LABELS.random() < 0.85 else {"yes": "no", "no": "yes"}[label] for label in TRUE]
    for name in ("ana", "ben", "eva")
}


def raw(of=lambda label: label):
    """Give the share of pairs of annotators that agree, as a result."""
    names = list(ANNOTATORS)
    pairs = [(a, b) for n, a in enumerate(names) for b in names[n + 1 :]]
    equal = sum(of(x) == of(y) for a, b in pairs for x, y in zip(ANNOTATORS[a], ANNOTATORS[b], strict=True))
    return {("", "raw_agreement"): equal / (60 * len(pairs))}


def labels(of=lambda name, k, label: label, name=lambda name: name, item="q{:02}".format, extra=()):
    """Give a table with a row for each label."""
    rows = [
        f"{item(k)},{name(who)},{of(who, k, label)}"
        for who, given in ANNOTATORS.items()
        for k, label in enumerate(given)
    ]
    return "\n".join(["item,annotator,label", *rows, *extra]) + "\n"


def wide(more=None):
    """Give a table with a column for each annotator."""
    more = more or {}
    head = ",".join(["item", *ANNOTATORS, *more])
    rows = [
        ",".join([f"q{k:02}", *(ANNOTATORS[who][k] for who in ANNOTATORS), *(str(of(k)) for of in more.values())])
        for k in range(60)
    ]
    return "\n".join([head, *rows]) + "\n"


def agreement(table, right=None, words="items agreement labels.csv", python=None):
    """Give the call on a table of labels."""
    return Call(words, {"labels.csv": table}, right, {} if python is None else python)


AGREED = agreement(labels(), raw())
WIDE = agreement(wide(), raw())
GRADES = {"yes": 4, "no": 2}


def rating(label, k):
    """Give a rating from 1 to 5 for a label; equal labels of an item are equal ratings."""
    return 2 - k % 2 if label == "no" else 4 + k % 2


AGREEMENTS = [
    Mistake("labels-are-repeated", agreement(labels(extra=labels().splitlines()[1:])), AGREED, "second row"),
    Mistake(
        "an-annotator-in-capitals",
        agreement(labels(name=lambda name: name).replace("q00,ana", "q00,Ana")),
        AGREED,
        "Ana|annotator",
    ),
    Mistake(
        "labels-in-capitals",
        agreement(labels(lambda name, k, label: label.upper() if name == "ana" else label)),
        AGREED,
        "label|YES|share",
    ),
    Mistake(
        "labels-with-blanks",
        agreement(labels(lambda name, k, label: f"{label} " if name == "ana" else label), raw()),
        AGREED,
        "blank|label",
    ),
    Mistake(
        "one-annotator",
        agreement("\n".join(line for line in labels().splitlines() if "ben" not in line and "eva" not in line) + "\n"),
        AGREED,
        "one annotator|annotator|two",
    ),
    Mistake(
        "annotators-labelled-different-items",
        agreement(
            "item,annotator,label\n" + "".join(f"q{k:02},{('ana', 'ben')[k % 2]},{TRUE[k]}\n" for k in range(60))
        ),
        AGREED,
        "two|item|both|share",
    ),
    Mistake("a-column-of-times-is-no-annotator", agreement(wide({"seconds": lambda k: 20 + k})), WIDE, "seconds"),
    Mistake(
        "a-column-of-notes-is-no-annotator", agreement(wide({"comment": lambda k: f"remark {k}"})), WIDE, "comment"
    ),
    Mistake(
        "a-copied-column", agreement(wide({"copy": lambda k: ANNOTATORS["ana"][k]})), WIDE, "copy|same|equal|identical"
    ),
    Mistake(
        "grades-are-not-names",
        agreement(labels(lambda name, k, label: GRADES[label] + (k % 2)), raw()),
        AGREED,
        "interval|nominal|distance",
    ),
    Mistake(
        "an-empty-label",
        agreement(labels(lambda name, k, label: "" if (name, k) == ("ana", 3) else label)),
        AGREED,
        "empty|no label|missing|without",
        chosen=True,
    ),
    Mistake(
        "the-label-column-is-missing",
        agreement(labels().replace("annotator,label", "annotator,lable"), raw()),
        AGREED,
        "label|lable",
    ),
    Mistake(
        "an-unknown-order",
        agreement(labels(), words="items agreement labels.csv --distance ordinal", python={"distance": "ordinal"}),
        AGREED,
        "order",
    ),
    Mistake(
        "zeros-lost-in-the-ids-of-one-annotator",
        agreement(
            "\n".join(line.replace("q0", "q") if ",eva," in line else line for line in labels().splitlines()) + "\n"
        ),
        AGREED,
        "ids in two forms.*'q00' and 'q0'",
    ),
    Mistake(
        "one-annotator-labelled-another-set",
        agreement(
            "\n".join(line.replace("q", "r") if ",eva," in line else line for line in labels().splitlines()) + "\n"
        ),
        AGREED,
        "nobody else labelled any of the 60 items of eva",
    ),
    Mistake(
        "labels-of-one-annotator-in-another-order",
        agreement(labels(lambda name, k, label: ANNOTATORS[name][(k * 7 + 3) % 60] if name == "eva" else label)),
        AGREED,
        "eva agrees with the others by a kappa of 0.*rows may be in another order",
    ),
    Mistake(
        "one-annotator-exchanged-the-labels",
        agreement(labels(lambda name, k, label: {"yes": "no", "no": "yes"}[label] if name == "eva" else label)),
        AGREED,
        "eva agrees with the others by a kappa of -0.*may be exchanged",
    ),
    Mistake(
        "one-annotator-rates-upside-down",
        agreement(labels(lambda name, k, label: 6 - rating(label, k) if name == "eva" else rating(label, k))),
        agreement(labels(lambda name, k, label: rating(label, k)), raw()),
        "eva agrees with the others by a correlation of -0.*may be exchanged",
    ),
    Mistake(
        "one-annotator-writes-single-letters",
        agreement(labels(lambda name, k, label: label[0] if name == "eva" else label)),
        AGREED,
        "nobody else uses a label of eva \\('n' and 'y'\\)",
    ),
    Mistake(
        "one-annotator-rates-in-percent",
        agreement(labels(lambda name, k, label: rating(label, k) * (20 if name == "eva" else 1))),
        agreement(labels(lambda name, k, label: rating(label, k)), raw()),
        "nobody else uses a label of eva",
    ),
    Mistake(
        "one-person-under-two-names",
        agreement(labels(extra=[line.replace(",ana,", ",anna,") for line in labels().splitlines() if ",ana," in line])),
        AGREED,
        "ana and anna gave equal labels to all 60 items",
    ),
    Mistake(
        "not-available-is-a-label",
        agreement(labels(lambda name, k, label: "n/a" if (name, k) == ("ana", 3) else label)),
        AGREED,
        "n/a' counts as a label|empty label",
        chosen=True,
    ),
    Mistake(
        "99-is-no-rating",
        agreement(labels(lambda name, k, label: 99 if k % 10 == 0 else rating(label, k))),
        agreement(labels(lambda name, k, label: rating(label, k)), raw()),
        "'99' counts as a label, 18 times",
    ),
    Mistake(
        "ratings-with-decimal-commas",
        agreement(labels(lambda name, k, label: f'"{rating(label, k)},5"')),
        agreement(labels(lambda name, k, label: f"{rating(label, k)}.5"), raw()),
        "decimal commas",
    ),
    Mistake(
        "the-majority-is-no-annotator",
        agreement(wide({"majority": lambda k: TRUE[k]})),
        WIDE,
        "'majority' counts as an annotator",
    ),
]


@by_name(ESTIMATES)
def test_mistakes_with_human_and_machine_scores_are_caught(mistake, route, tmp_path, monkeypatch):
    check(mistake, route, tmp_path, monkeypatch)


@by_name(AGREEMENTS)
def test_mistakes_with_labels_of_annotators_are_caught(mistake, route, tmp_path, monkeypatch):
    check(mistake, route, tmp_path, monkeypatch)


@by_name(ASSESSED)
def test_mistakes_with_the_outputs_of_a_judge_are_caught(mistake, route, tmp_path, monkeypatch):
    check(mistake, route, tmp_path, monkeypatch)
