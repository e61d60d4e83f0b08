"""Drops between two sets: the paper's arithmetic, seeds as one model, and the claim that a model loses least."""

import numpy as np
import pytest
import scipy.stats

from touchstone import nli
from touchstone.systems.inference.drops import NEW_WORDS, NO_NEW_WORDS

# Models of these tests are no better than chance on purpose.
pytestmark = pytest.mark.filterwarnings("ignore:.*(by chance|the gold never has):touchstone.TouchstoneWarning")


def gold_of(name, count, labels, shared=2):
    """Return pairs of which *shared* have the same premise."""
    rows = [
        {
            "id": f"{name}{n}",
            "premise": f"{name} premise {n // shared} with a dog",
            "hypothesis": f"{name} premise {n // shared} with a {'cat' if n % 4 else 'wug'}",
            "gold": labels[n % len(labels)],
            "category": ("animals", "wugs")[n % 4 == 0],
        }
        for n in range(count)
    ]
    return nli.read_gold(rows)


@pytest.fixture
def golds():
    labels = ("contradiction", "entailment", "neutral")
    return gold_of("o", 60, labels), gold_of("c", 80, ("contradiction",) * 3 + ("entailment",))


def run_of(gold, name, wrong):
    """Return a run that is wrong on the first *wrong* pairs."""
    others = {"contradiction": "entailment", "entailment": "neutral", "neutral": "contradiction"}
    labels = [others[pair.gold] if place < wrong else pair.gold for place, pair in enumerate(gold.pairs)]
    return nli.read_run(
        [{"id": pair.id, "label": label} for pair, label in zip(gold.pairs, labels, strict=True)], name=name
    )


def runs_of(golds, name, *wrong):
    return [
        (run_of(golds[0], f"{name}-{n}", old), run_of(golds[1], f"{name}-{n}", new))
        for n, (old, new) in enumerate(wrong, 1)
    ]


def test_a_model_is_the_mean_of_its_runs_and_its_drop_the_difference_of_the_means(golds):
    found = nli.drop(*golds, {"weak": runs_of(golds, "weak", (6, 40), (12, 20))})
    assert found.original.row("weak", "accuracy").value == pytest.approx((54 / 60 + 48 / 60) / 2)
    assert found.challenge.row("weak", "accuracy").value == pytest.approx((40 / 80 + 60 / 80) / 2)
    assert found.both.row("weak", "drop").value == pytest.approx((40 + 60) / 160 - (54 + 48) / 120)
    mean, span = found.runs_table().rows[2:]
    assert mean[3] == pytest.approx(100 / 160)
    assert span[3] == "0.500 to 0.750"


@pytest.mark.parametrize("shared", [(1, 2), (2, 1), (1, 1)])
def test_one_of_the_sets_may_have_a_premise_of_its_own_for_each_pair(golds, shared):
    labels = ("contradiction", "entailment", "neutral")
    golds = gold_of("o", 60, labels, shared[0]), gold_of("c", 80, ("contradiction",) * 3 + ("entailment",), shared[1])
    found = nli.drop(*golds, {name: runs_of(golds, name, (6, n)) for name, n in (("a", 20), ("b", 40))})
    assert found.both.row("a", "drop").value == pytest.approx(60 / 80 - 54 / 60)
    assert found.both.resampling.cluster == (None if shared == (1, 1) else "premise")
    assert found.tables()


def test_the_label_that_is_commonest_on_the_challenge_set_stands_beside_the_models(golds):
    found = nli.drop(*golds, {"weak": runs_of(golds, "weak", (6, 40))})
    assert found.constant == "always contradiction"
    assert found.both.row(found.constant, "drop").value == pytest.approx(60 / 80 - 20 / 60)


def test_the_interval_of_a_drop_is_that_of_two_independent_samples_of_premises(golds):
    found = nli.drop(*golds, {"weak": runs_of(golds, "weak", (6, 40))})
    row = found.both.row("weak", "drop")
    errors = []
    for gold, wrong in zip(golds, (6, 40), strict=True):
        means = np.array([place < wrong for place in range(len(gold))]).reshape(-1, 2).mean(1)
        errors.append(means.var(ddof=1) / len(means))
    expected = 2 * 1.9944 * np.sqrt(sum(errors))  # t of 69 degrees of freedom: 70 premises
    assert row.high - row.low == pytest.approx(expected, rel=0.03)


@pytest.mark.filterwarnings("ignore:.*labels are right:touchstone.TouchstoneWarning")
def test_a_model_that_loses_least_is_named_with_tests_against_the_others(golds):
    weak = runs_of(golds, "weak", (6, 60), (6, 58), (6, 56))
    models = {"weak": weak, "strong": runs_of(golds, "strong", (6, 8), (6, 10), (6, 12))}
    first, second, third, last = nli.drop(*golds, models).least_loss()
    assert first == "strong loses least: better than weak (+0.600)."
    assert second == "Its accuracy on the challenge set: better than weak (+0.600)."
    assert third.startswith("Its macro-F1 on the challenge set: better than weak (+")
    assert "below 0.05 over premises and over seeds" in last


def test_one_label_too_often_is_no_way_to_win(golds):
    always = [
        tuple(
            nli.read_run([{"id": pair.id, "label": "contradiction"} for pair in gold.pairs], name="blunt-1")
            for gold in golds
        )
    ]
    models = {"fair": runs_of(golds, "fair", (6, 20)), "blunt": always}
    sentences = nli.drop(*golds, models).least_loss()
    assert sentences[0].startswith("blunt loses least")
    assert sentences[2].startswith("Its macro-F1 on the challenge set: worse than fair (-")


def test_pairs_with_words_that_training_lacks_are_apart(golds):
    training = nli.read_gold([{"id": "1", "premise": "a dog", "hypothesis": "a cat", "gold": "contradiction"}])
    found = nli.drop(*golds, {"weak": runs_of(golds, "weak", (6, 40))}, training=[training])
    groups = {one.by: one for one in found.groups}
    assert list(groups) == ["category", "frequency", "words"]
    assert groups["words"].row("weak", "accuracy", NEW_WORDS).n == 20
    assert groups["words"].row("weak", "accuracy", NO_NEW_WORDS).n == 60


@pytest.mark.filterwarnings("ignore:.*labels are right:touchstone.TouchstoneWarning")
def test_tests_over_seeds_are_welchs_and_stand_beside_those_over_premises(golds):
    models = {"weak": runs_of(golds, "weak", (6, 60), (6, 20)), "strong": runs_of(golds, "strong", (6, 8), (6, 10))}
    found = nli.drop(*golds, models)
    (row,) = found.seeds_table().rows
    weak, strong = np.array([20, 60]) / 80, np.array([72, 70]) / 80
    expected = scipy.stats.ttest_ind(weak, strong, equal_var=False)
    assert row[1] == f"{weak.mean() - strong.mean():+.3f}"
    assert row[3] == f"{expected.pvalue:.4f}"
    assert expected.pvalue > 0.05
    assert found.least_loss()[1] == "Its accuracy on the challenge set: no clear difference to weak (+0.387)."


def test_a_single_model_is_not_compared(golds):
    found = nli.drop(*golds, {"weak": runs_of(golds, "weak", (6, 40))})
    assert found.least_loss() == []
    assert found.comparisons == []
