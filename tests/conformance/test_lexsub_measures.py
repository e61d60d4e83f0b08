"""The worked examples of Jabbari, Hepple and Guthrie (2010) and of the ELS07 task description, as exact fractions."""

from fractions import Fraction

import pytest

from touchstone import Gold, lexsub
from touchstone.core.resampling import Resampling

# The paper's running example; X, Y, Z, V and W' are wrong.
GOLD = Gold({"G": 3, "M": 3, "S": 2, "J": 1, "Ch": 1})

# answers: measure -> value; "els07.best" and "oot" are the items' credit, the same for P and R
EXACT = {
    "M": {"els07.best": "3/10", "best": "1", "best1": "1"},
    "S": {"els07.best": "1/5", "best": "2/3", "best1": "2/3"},
    "S X": {"els07.best": "1/10", "best": "1/3", "best1": "2/3"},
    "X S": {"els07.best": "1/10", "best": "1/3", "best1": "0"},
    "G M S J Ch": {"P(k=1)": "1", "R": "1", "F(k=1)": "1"},
    "G M S J Ch X Y Z V W'": {
        "P(k=1)": "2/3",
        "P(k=mean)": "1/2",
        "R": "1",
        "F(k=1)": "4/5",
        "P.set": "1/2",
        "R.set": "1",
    },
    "G S J X Y": {
        "P(k=1)": "3/4",
        "P(k=mean)": "3/5",
        "R": "3/5",
        "F(k=1)": "2/3",
        "P.set": "3/5",
        "R.set": "3/5",
    },
    "S Ch M J G X Y Z V": {"rank@10": "313/360", "gap": "111/155", "mrr": "1"},
    "X Y S Ch M Z J V G": {"rank@10": "311/600", "gap": "851/2325", "p@3": "1/3", "mrr": "1/3"},
    "X Y Z V W' G M S J Ch": {"rank@10": "9/25", "gap": "366/1085", "r@10": "1", "mrr": "1/6"},
    "X Y Z V W' G S J Ch": {"rank@10": "7/25", "gap": "691/3255", "oot": "7/10", "r@10": "4/5"},
    "M G S Ch J X Y Z V W'": {"rank@10": "1", "gap": "1"},
    "G M X Y": {
        "rank@10": "421/600",
        "oot": "3/5",
        "P(k=1)": "3/4",
        "P(k=mean)": "3/5",
        "P.set": "1/2",
        "R.set": "2/5",
        "gap": "72/155",
    },
    "X Y G M": {"rank@10": "557/1200", "oot": "3/5", "gap": "6/31", "p@3": "1/3"},
    "G": {"rank@10": "481/1200", "gap": "36/155", "oot": "3/10", "p@3": "1/3", "r@10": "1/5"},
}
CELLS = [(answers, name, value) for answers, row in EXACT.items() for name, value in row.items()]

# answers: what the paper prints, to two decimals; it truncates 2/3 to 0.66
PRINTED = [
    *[("M", "els07.best", 0.3), ("M", "best", 1), ("S", "els07.best", 0.2), ("S", "best", 0.66), ("S X", "best", 0.33)],
    *[("G M S J Ch", "P(k=1)", 1), ("G M S J Ch", "R", 1)],
    *[("G M S J Ch X Y Z V W'", "P(k=1)", 0.66), ("G M S J Ch X Y Z V W'", "R", 1)],
    *[("G S J X Y", "P(k=1)", 0.75), ("G S J X Y", "R", 0.6)],
    *[("S Ch M J G X Y Z V", "rank@10", 0.87), ("X Y S Ch M Z J V G", "rank@10", 0.52)],
    *[("X Y Z V W' G M S J Ch", "rank@10", 0.36), ("X Y Z V W' G S J Ch", "rank@10", 0.28)],
    ("M G S Ch J X Y Z V W'", "rank@10", 1),
]


def exact(name: str, gold: Gold, answers: str) -> Fraction:
    """Return a value as the fraction that it is: the nearest with a denominator that these examples can have."""
    names = {"els07.best": ["els07.best.P", "els07.best.R"], "oot": ["els07.oot.P", "els07.oot.R"]}.get(name, [name])
    values = {lexsub.value(one, gold, answers.split()) for one in names}
    (value,) = values
    fraction = Fraction(value).limit_denominator(5000)
    assert abs(fraction - Fraction(value)) < 1e-15
    return fraction


@pytest.mark.parametrize(("answers", "name", "value"), CELLS)
def test_every_worked_example_comes_out_as_its_fraction(answers, name, value):
    assert exact(name, GOLD, answers) == Fraction(value)


@pytest.mark.parametrize(("answers", "name", "printed"), PRINTED)
def test_the_paper_prints_these_figures_cut_or_rounded_to_two_decimals(answers, name, printed):
    hundredths = exact(name, GOLD, answers) * 100
    assert round(printed * 100) in (int(hundredths), round(hundredths))


def test_the_example_has_ten_responses_three_for_the_heaviest_and_no_mode():
    assert (GOLD.optimum(), GOLD.optimum(1), GOLD.mode) == (10, 3, None)


def test_right_answers_first_rank_above_right_answers_last_though_recall_is_one():
    assert exact("rank@10", GOLD, "G M X Y") > exact("rank@10", GOLD, "X Y G M")
    assert exact("oot", GOLD, "G M X Y") == exact("oot", GOLD, "X Y G M") == exact("R", GOLD, "X Y G M")


HAPPY = Gold({"glad": 3, "merry": 2, "cheerful": 1, "jovial": 1})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("els07.best", "2/7"), ("oot", "4/7"), ("best", "2/3"), ("rank@10", "97/150"), ("gap", "20/37")],
        *[("els07.best_mode.R", "1"), ("els07.best_mode.P", "1"), ("els07.oot_mode.R", "1")],
    ],
)
def test_the_example_of_the_task_description(name, value):
    """McCarthy and Navigli (2007) print .286 for best."""
    assert exact(name, HAPPY, "glad cheerful") == Fraction(value)


def test_gap_of_a_list_that_finds_the_second_third_and_the_first_fourth():
    assert exact("gap", Gold({"a": 3, "b": 2, "c": 1, "d": 1}), "x y b a") == Fraction(23, 111)


REAL = {
    "303": {
        "P(k=1)": "5/13",
        "P(k=mean)": "5/19",
        "R": "5/7",
        "F(k=1)": "1/2",
        "rank@10": "709/1050",
        "gap": "4/9",
    },
    "302": {"rank@10": "1/12", "gap": "1/36", "gap.nomwe": "1/30", "F(k=1)": "1/8"},
}


@pytest.fixture(scope="module")
def items(data):
    """The scores of each item of a real system, its lemmatised answers in two files."""
    folder = data("ls07")
    paths = [folder / "runs" / f"WordTune_lemmatized_test.{view}" for view in ("best", "oot")]
    names = sorted({name for row in REAL.values() for name in row})
    plain = Resampling("none")
    results = lexsub.score(lexsub.read_gold(folder / "test.gold"), lexsub.read_run(*paths), names, resampling=plain)
    return {row["id"]: row for row in results.items.to_arrow().to_pylist()}


@pytest.mark.parametrize(("item", "name", "value"), [(i, n, v) for i, row in REAL.items() for n, v in row.items()])
def test_two_real_items_come_out_as_their_fractions(items, item, name, value):
    found = items[item][name]
    assert found == pytest.approx(float(Fraction(value)), abs=1e-15)
    assert Fraction(found).limit_denominator(5000) == Fraction(value)
