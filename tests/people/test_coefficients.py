"""The registry of coefficients: each against its definition or another package, its interval, and what it refuses."""

import math
from itertools import combinations

import numpy as np
import pytest
from nltk.metrics.agreement import AnnotationTask
from statsmodels.stats.inter_rater import cohens_kappa

import touchstone
from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.core.resampling import Resampling
from touchstone.people.coefficients import COEFFICIENTS, coefficients_of
from touchstone.people.ratings import Ratings

FEW = Resampling(draws=20)


def value(ratings, name):
    return coefficients_of(ratings, [name], FEW)[name].value


def noisy(items=40, annotators=3, labels=5, seed=0):
    """Numbers from 1 that annotators gave items, near the truth."""
    random = np.random.default_rng(seed)
    truth = random.integers(1, labels + 1, (items, 1))
    return np.clip(truth + random.integers(-1, 2, (items, annotators)), 1, labels)


def rated(table, **how):
    names = "abcdefgh"[: len(table[0])]
    rows = [[None if math.isnan(x) else float(x) for x in row] for row in table]
    return Ratings.of(rows, list(names), distance="interval", **how)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_weighted_kappas_are_those_of_statsmodels(weights):
    pairs = noisy(200, 2)
    table = np.zeros((5, 5))
    np.add.at(table, (pairs[:, 0] - 1, pairs[:, 1] - 1), 1)
    expected = cohens_kappa(table, wt=weights).kappa
    assert value(rated(pairs), f"cohen_{weights}") == pytest.approx(expected, abs=1e-12)


def test_labels_in_an_order_are_weighted_by_their_places():
    words = dict(enumerate(("bad", "poor", "fair", "good", "fine"), 1))
    table = noisy(50, 2)
    named = {who: [words[x] for x in table[:, n].tolist()] for n, who in enumerate("ab")}
    found = touchstone.agreement(named, order=list(words.values()), coefficients=["cohen_linear", "f1.good"])
    assert found.coefficients["cohen_linear"].value == pytest.approx(value(rated(table), "cohen_linear"))
    assert found.coefficients["f1.good"].value == pytest.approx(value(rated(table), "f1.4"))


def test_the_weighted_kappa_of_more_annotators_is_the_mean_over_their_pairs():
    table = noisy(annotators=4)
    pairs = [value(rated(table[:, [a, b]]), "cohen_quadratic") for a, b in combinations(range(4), 2)]
    assert value(rated(table), "cohen_quadratic") == pytest.approx(np.mean(pairs))


def mean_squares(table):
    """MSR, MSC, MSW and MSE as sums over all cells."""
    n, k = len(table), len(table[0])
    grand = sum(map(sum, table)) / (n * k)
    rows = [sum(row) / k for row in table]
    columns = [sum(row[j] for row in table) / n for j in range(k)]
    cells = [(i, j) for i in range(n) for j in range(k)]
    msr = k * sum((mean - grand) ** 2 for mean in rows) / (n - 1)
    msc = n * sum((mean - grand) ** 2 for mean in columns) / (k - 1)
    msw = sum((table[i][j] - rows[i]) ** 2 for i, j in cells) / (n * (k - 1))
    mse = sum((table[i][j] - rows[i] - columns[j] + grand) ** 2 for i, j in cells) / ((n - 1) * (k - 1))
    return n, k, msr, msc, msw, mse


@pytest.mark.parametrize("seed", range(3))
def test_intraclass_correlations_are_what_their_formulas_say(seed):
    table = noisy(annotators=4, seed=seed).tolist()
    n, k, msr, msc, msw, mse = mean_squares(table)
    expected = {
        "icc1": (msr - msw) / (msr + (k - 1) * msw),
        "icc2": (msr - mse) / (msr + (k - 1) * mse + k * (msc - mse) / n),
        "icc3": (msr - mse) / (msr + (k - 1) * mse),
        "icc1k": (msr - msw) / msr,
        "icc2k": (msr - mse) / (msr + (msc - mse) / n),
        "icc3k": (msr - mse) / msr,
    }
    assert {name: value(rated(table), name) for name in expected} == pytest.approx(expected)
    shifted = rated([[x + 1e6 for x in row] for row in table])
    assert {name: value(shifted, name) for name in expected} == pytest.approx(expected)


def test_items_that_an_annotator_left_out_count_in_icc1_of_the_others_alone():
    table = noisy(annotators=3).astype(float)
    table[:5, 0] = np.nan
    found = coefficients_of(rated(table), ["icc1", "icc2"], FEW)
    whole = rated(table[5:])
    for name in ("icc1", "icc2"):
        assert (found[name].units, found[name].left_out) == (35, 5)
        assert found[name].value == pytest.approx(value(whole, name))


def test_an_annotator_who_gives_higher_numbers_lowers_icc2_and_not_icc3():
    table = noisy(annotators=2)
    lenient = table + np.array([0, 3])
    assert value(rated(lenient), "icc3") == pytest.approx(value(rated(table), "icc3"))
    assert value(rated(lenient), "icc2") < value(rated(table), "icc2") - 0.2


def test_equal_numbers_have_no_icc_but_a_reason():
    found = coefficients_of(rated([[0.3, 0.3]] * 9), ["icc1", "icc2"], FEW)
    assert {one.reason for one in found.values()} == {"the numbers of all items are the same"}


def test_ac1_of_any_number_of_labels_is_what_its_formula_says():
    """Gwet (2008): P over items with two labels, the shares of labels over all items."""
    rows = ["aab", "ab", "bbbb", "a", "aac", "cc"]
    agreed = [sum(x == y for x, y in combinations(row, 2)) / math.comb(len(row), 2) for row in rows if len(row) > 1]
    shares = [sum(row.count(label) / len(row) for row in rows) / len(rows) for label in "abc"]
    p, chance = sum(agreed) / len(agreed), sum(share * (1 - share) for share in shares) / 2
    assert value(Ratings.of(map(list, rows)), "ac1") == pytest.approx((p - chance) / (1 - chance))


def test_scotts_pi_of_two_annotators_is_that_of_nltk():
    rows = noisy(60, 2).tolist()
    entries = [(who, str(n), x) for n, row in enumerate(rows) for who, x in zip("ab", row, strict=True)]
    assert value(Ratings.of(rows), "scott") == pytest.approx(AnnotationTask(entries).pi())


def test_the_overlap_of_sets_is_the_mean_over_their_pairs():
    rows = [[{1, 2}, {2, 3}, {2}], [set(), set()], [{1}]]
    assert value(Ratings.of(rows), "overlap") == pytest.approx(((1 / 3 + 1 / 2 + 1 / 2) / 3 + 1) / 2)


def test_labels_of_one_annotator_are_compared_with_each_other_or_with_those_of_others():
    """Ana gave item 0 x, x and y, Ben x; item 1 has y of Ana and x of Ben."""
    entries = np.array([(0, 0, 0), (0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 1), (1, 1, 0)]).T
    ratings = Ratings(*entries, ["x", "y"], range(2), ["ana", "ben"])
    alone = Ratings(*entries, ["x", "y"], range(2), ["ana", "ben"], same_annotator=True)
    assert value(ratings, "raw_agreement") == (2 + 0) / (3 + 1)
    assert value(alone, "raw_agreement") == 1 / 3
    assert ratings.first_labels().rows == [["x", "x"], ["y", "x"]]
    assert ratings.repeated().rows == [["x", "x"]]


NUMBERS = noisy(60, 3, labels=3, seed=4)


@pytest.mark.parametrize("name", [name for name in COEFFICIENTS if name != "overlap"])
def test_the_interval_of_every_coefficient_is_that_of_resampled_items(name):
    """Slow and plain: draw items, compute the coefficient anew."""
    called = f"{name}.2" if COEFFICIENTS[name].suits == "one label" else name
    found = coefficients_of(rated(NUMBERS), [called])[called].interval
    random = np.random.default_rng(1)
    plain = [
        coefficients_of(rated(NUMBERS[random.integers(0, 60, 60)]), [called], Resampling(draws=1))[called].value
        for _ in range(200)
    ]
    ends = tuple(np.quantile(plain, [0.025, 0.975]))
    assert (found.low, found.high) == pytest.approx(ends, abs=0.2 * (found.high - found.low))


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_every_coefficient_explains_itself_in_a_module_of_its_own_and_in_the_docs(name):
    summary = COEFFICIENTS[name].function.__doc__.partition("\n")[0]
    assert summary.endswith((".", ":", ").", ")"))
    page = touchstone.__path__[0] + "/../../docs/reference/agreement.md"
    with open(page, encoding="utf-8") as lines:  # noqa: PTH123
        assert f"| `{name}`" in lines.read()


@pytest.mark.parametrize(
    ("names", "code", "value"),
    [
        (["ac2"], Code.UNKNOWN_NAME, "ac2"),
        (["icc2"], Code.BAD_CELL, "yes"),
        (["overlap"], Code.BAD_CELL, "yes"),
        (["f1"], Code.OPTION_NEEDED, "f1"),
        (["cohen.maybe"], Code.UNKNOWN_NAME, "maybe"),
    ],
)
def test_a_coefficient_that_does_not_suit_the_labels_is_refused(names, code, value):
    labels = {"ana": ["yes", "no", "no", "yes"], "ben": ["yes", "no", "yes", "yes"]}
    with pytest.raises(TouchstoneError) as error:
        touchstone.agreement(labels, coefficients=names)
    assert (error.value.code, error.value.faults[0].value) == (code, value)


def test_labels_without_annotators_have_no_coefficient_of_annotators():
    with pytest.raises(TouchstoneError) as error:
        value(Ratings.of([["a", "b"], ["a", "a"]]), "cohen")
    assert error.value.code == Code.UNSUPPORTED
