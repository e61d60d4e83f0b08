"""The annotator model finds the figures of Dawid and Skene (1979) and says who needs another look."""

import numpy as np
import pytest

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.stats.annotators import dawid_skene

# Dawid and Skene (1979), Table 1: the classes that five anaesthetists gave to 45 patients, the first of them thrice.
ANAESTHETISTS = (1, 1, 1, 2, 3, 4, 5)
TABLE = """
1111111 3334334 1122122 2223121 2223222 2223322 1222111 3333433 2222223 2322223 4444444 2223343 1111111 2223212 1211111
1112111 1111111 1111111 2222221 2221322 2222222 2222221 2223222 2212222 1111111 1111111 2322222 1111111 1111111 1121121
1111111 3333233 1111111 2222222 2223232 4334343 2212232 2323233 3333432 1111111 1111111 1212111 2322222 1211111 2222222
"""
ANSWERS = [
    (patient, anaesthetist, answer)
    for patient, row in enumerate(TABLE.split(), 1)
    for anaesthetist, answer in zip(ANAESTHETISTS, row, strict=True)
]


@pytest.fixture(scope="module")
def paper():
    return dawid_skene(ANSWERS, shrinkage=0)


def _in_order(model, values):
    places = [model.labels.index(label) for label in "1234"]
    return values[places] if values.ndim == 1 else values[np.ix_(places, places)]


def test_prevalence_is_that_of_the_paper(paper):
    assert _in_order(paper, paper.prevalence).round(2).tolist() == [0.40, 0.42, 0.11, 0.07]  # the paper's Table 2


def test_error_rates_equal_those_of_an_independent_program(paper):
    # crowd-kit 1.4.2, DawidSkene(n_iter=500, tol=1e-9), rounded to two decimals; EM converges slowly here.
    first = [[0.89, 0.11, 0, 0], [0.07, 0.88, 0.05, 0], [0, 0.34, 0.66, 0], [0, 0, 0.56, 0.44]]
    second = [[0.83, 0.17, 0, 0], [0.05, 0.63, 0.32, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    assert _in_order(paper, paper.errors[1]) == pytest.approx(np.array(first), abs=0.01)
    assert _in_order(paper, paper.errors[2]) == pytest.approx(np.array(second), abs=0.01)


def test_an_annotator_who_guesses_is_named_and_nobody_else():
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 3, 200)
    people = {"ann": 0.9, "bob": 0.9, "cem": 0.9, "dee": 1 / 3}
    answers = [
        (item, name, int(label if rng.random() < accuracy else (label + rng.integers(1, 3)) % 3))
        for item, label in enumerate(truth)
        for name, accuracy in people.items()
    ]
    model = dawid_skene(answers)
    assert {name for name, person in model.reliability.items() if person.below_others} == {"dee"}
    assert np.mean([model.label(item)[0] == label for item, label in enumerate(truth)]) > 0.95


def test_two_people_cannot_say_which_of_them_is_wrong():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 100)
    guesses = rng.integers(0, 2, 100)
    answers = [(item, who, int(rows[item])) for who, rows in (("ann", truth), ("bob", guesses)) for item in range(100)]
    assert not any(person.below_others for person in dawid_skene(answers).reliability.values())


@pytest.mark.parametrize("rest", [[], [("cem", "dee")]])
def test_of_two_people_none_is_below_the_other_even_if_one_always_says_the_same(rest):
    answers = [(item, who, "y") for item in range(24) for who in ("ann", "bob")]
    answers = [(item, who, "n" if who == "bob" and item % 4 else label) for item, who, label in answers]
    answers += [(item, who, "ny"[item % 2]) for pair in rest for item in range(24, 48) for who in pair]
    reliability = dawid_skene(answers).reliability
    assert len(reliability) == 2 + 2 * len(rest)
    assert not any(person.below_others or person.comparable for person in reliability.values())


def test_people_are_compared_through_those_between_them():
    pairs = [("ann", "bob"), ("bob", "cem"), ("cem", "dee"), ("dee", "eve")]
    answers = [(30 * n + i, who, "ny"[i % 2]) for n, pair in enumerate(pairs) for i in range(30) for who in pair]
    answers = [(item, who, "ny"[item % 3 == 0] if who == "ann" else label) for item, who, label in answers]
    reliability = dawid_skene(answers).reliability
    assert all(person.comparable for person in reliability.values())
    marked = {name for name, person in reliability.items() if person.below_others}
    assert "ann" in marked
    assert not marked & {"cem", "dee", "eve"}


def test_who_shares_no_item_with_anybody_has_no_reliability():
    answers = [(1, "ann", "y"), (1, "bob", "y"), (2, "ann", "n"), (2, "bob", "n"), (3, "cem", "y")]
    model = dawid_skene(answers)
    assert set(model.reliability) == {"ann", "bob"}
    assert model.label(3)[0] == "y"


def test_one_label_everywhere_is_certain():
    model = dawid_skene([(item, who, "y") for item in range(5) for who in "ab"])
    assert model.label(0) == ("y", 1.0)
    assert [person.accuracy for person in model.reliability.values()] == [1.0, 1.0]


def test_no_answers_give_a_sentence():
    with pytest.raises(TouchstoneError) as error:
        dawid_skene([])
    assert error.value.code == Code.EMPTY


def _marked(accuracies, seed, runs=150):
    """Return how often each of five annotators is marked in simulated projects of 100 items with 3 answers each."""
    rng = np.random.default_rng(seed)
    marked = np.zeros(len(accuracies))
    for _ in range(runs):
        answers = []
        for item, label in enumerate(rng.integers(0, 3, 100)):
            for who in rng.choice(len(accuracies), 3, replace=False):
                right = rng.random() < accuracies[who]
                answers.append((item, int(who), int(label if right else (label + rng.integers(1, 3)) % 3)))
        for who, person in dawid_skene(answers).reliability.items():
            marked[who] += person.below_others
    return marked / runs


def test_equally_good_annotators_are_seldom_marked_and_a_poor_one_often():
    assert _marked([0.85] * 5, seed=1).mean() <= 0.01
    poor, *others = _marked([0.6, 0.85, 0.85, 0.85, 0.85], seed=2)
    assert 0.5 < poor < 0.8
    assert max(others) <= 0.02
