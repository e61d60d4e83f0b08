"""Labels by polarity on MED (Yanaka et al. 2019, "Can neural networks understand monotonicity reasoning?").

The rules were written from the literature and from sentences of our own; errors were looked at on the first half alone.
MED has two labels: what is not entailed is neutral.
"""

import csv
from collections import Counter
from hashlib import sha256

import pytest

from touchstone.systems.challenge.polarity import judge_pairs

# half, kind of pair, class: right, wrong, refused
FIGURES = {
    ("first", "lexical", "upward"): (243, 11, 100),
    ("first", "lexical", "downward"): (125, 13, 118),
    ("first", "lexical", "non"): (1, 1, 93),
    ("first", "other", "upward"): (336, 18, 174),
    ("first", "other", "downward"): (1102, 53, 278),
    ("first", "other", "non"): (2, 1, 58),
    ("second", "lexical", "upward"): (275, 12, 102),
    ("second", "lexical", "downward"): (111, 20, 90),
    ("second", "lexical", "non"): (1, 3, 83),
    ("second", "other", "upward"): (370, 10, 167),
    ("second", "other", "downward"): (990, 63, 309),
    ("second", "other", "non"): (5, 4, 40),
}


def half(premise: str) -> str:
    """Return the half of a premise, by a hash, so that pairs of one premise stay together."""
    return ("first", "second")[sha256(premise.encode()).digest()[0] % 2]


def direction(genre: str) -> str:
    return next(name for name in ("upward", "downward", "non") if f"{name}_monotone" in genre)


@pytest.fixture(scope="module")
def judged(data):
    """Give each row of the set with its judgement."""
    with (data("med") / "MED.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    judgements = judge_pairs((row["sentence1"], row["sentence2"]) for row in rows)
    return list(zip(rows, judgements, strict=True))


@pytest.fixture(scope="module")
def figures(judged):
    counts: dict[tuple[str, str, str], Counter[str]] = {}
    for row, judgement in judged:
        kind = "lexical" if "lexical_knowledge" in row["genre"] else "other"
        right = (judgement.label == "entailment") == (row["gold_label"] == "entailment")
        outcome = "refused" if judgement.label is None else "right" if right else "wrong"
        counts.setdefault((half(row["sentence1"]), kind, direction(row["genre"])), Counter())[outcome] += 1
    return {key: (count["right"], count["wrong"], count["refused"]) for key, count in counts.items()}


def test_each_half_and_class_has_the_figures_of_the_documentation(figures):
    assert figures == FIGURES


@pytest.mark.parametrize("part", ["first", "second"])
def test_lexical_pairs_in_monotone_places_reach_90_percent_with_60_percent_answered(figures, part):
    right, wrong, refused = map(
        sum, zip(figures[part, "lexical", "upward"], figures[part, "lexical", "downward"], strict=True)
    )
    assert right / (right + wrong) >= 0.90
    assert (right + wrong) / (right + wrong + refused) >= 0.60


@pytest.mark.parametrize("part", ["first", "second"])
def test_nine_of_ten_lexical_pairs_in_non_monotone_places_are_refused(figures, part):
    counts = figures[part, "lexical", "non"]
    assert counts[2] / sum(counts) >= 0.90


def test_the_polarity_is_that_of_the_set_in_807_of_810_answered_lexical_pairs(judged):
    agreed = [
        judgement.position.polarity == direction(row["genre"])
        for row, judgement in judged
        if "lexical_knowledge" in row["genre"] and "non_monotone" not in row["genre"] and judgement.label
    ]
    assert (sum(agreed), len(agreed)) == (807, 810)
