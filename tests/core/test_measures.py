"""Measures are found by name: canonical, with parameters, and open to other packages."""

import json
import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import touchstone
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ranges import Range
from touchstone.core.measures import Measure, Measures, harmonic_mean, ratio, whole_number
from touchstone.core.registry import find_task
from touchstone.core.resampling import Resampling
from touchstone.lexsub import ELS07, MEASURES, PAPER
from touchstone.stats.records import mean

SPECIFIED = [
    *ELS07,
    *("best", "best1", "P(k=1)", "P(k=mean)", "P(k=2.5)", "R", "F(k=1)", "F(k=mean)", "rank@10"),
    *("P.set", "R.set", "gap", "gap.nomwe", "p@1", "p@3", "r@10", "mrr"),
]


@pytest.mark.parametrize("name", SPECIFIED)
def test_every_measure_of_the_specification_is_found_under_its_own_name(name):
    assert MEASURES.find(name).name == name


def test_the_paper_and_the_task_have_their_measures():
    assert PAPER == ("best", "best1", "P(k=1)", "R", "F(k=1)", "rank@10")
    assert (
        tuple(f"els07.{row}.{which}" for row in ("best", "best_mode", "oot", "oot_mode") for which in ("P", "R"))
        == ELS07
    )


@pytest.mark.parametrize(
    ("said", "canonical"),
    [
        ("P", "P(k=1)"),
        ("F", "F(k=1)"),
        ("P(1)", "P(k=1)"),
        ("P()", "P(k=1)"),
        ("P(k=1.0)", "P(k=1)"),
        ("P( k = mean )", "P(k=mean)"),
        ("F(k=0.50)", "F(k=0.5)"),
        (" rank@10 ", "rank@10"),
    ],
)
def test_a_measure_has_one_name_however_it_is_asked_for(said, canonical):
    assert MEASURES.find(said).name == canonical


@given(st.decimals(0, 10**8, places=8))
def test_a_canonical_name_leads_back_to_the_same_measure_with_the_same_k(k):
    """A name is an identity: what it says is what was computed."""
    name = MEASURES.find(f"P(k={k})").name
    assert MEASURES.find(name).name == name
    assert float(name.removeprefix("P(k=").removesuffix(")")) == float(k)


def test_asking_twice_gives_a_measure_once():
    assert [measure.name for measure in MEASURES.find_all(["P", "R", "P(k=1)", "P(1)"])] == ["P(k=1)", "R"]


@pytest.mark.parametrize(
    ("unknown", "near"),
    [
        ("rank@1O", "rank@10"),
        ("rnk@10", "rank@10"),
        ("gap.nomw", "gap.nomwe"),
        ("mmr", "mrr"),
    ],
)
def test_an_unknown_measure_is_refused_with_the_nearest_name(unknown, near):
    with pytest.raises(TouchstoneError, match=r"unknown measure|whole number") as caught:
        MEASURES.find(unknown)
    assert (caught.value.faults[0].near or near) == near
    if "unknown measure" in str(caught.value):
        assert f'"{unknown}"' in str(caught.value)
        assert f'"{near}"' in str(caught.value)


@pytest.mark.parametrize(
    ("asked", "name"),
    [("Best1", "best1"), ("Rank@10", "rank@10"), ("els07.oot.p", "els07.oot.P"), ("GAP.NoMWE", "gap.nomwe")],
)
def test_a_measure_is_found_whatever_its_case(asked, name):
    assert MEASURES.find(asked).name == name


def test_names_that_differ_in_case_only_are_not_confused():
    assert MEASURES.find("R").name == "R"
    with pytest.raises(TouchstoneError):
        MEASURES.find("R@5")  # r@5 is another measure


@pytest.mark.parametrize("unknown", ["rank", "rank@", "p", "p@", "r@", "best2", "mr", "gap.", "P(k=1", "PP"])
def test_a_name_that_is_offered_is_a_name_that_works(unknown):
    with pytest.raises(TouchstoneError) as caught:
        MEASURES.find(unknown)
    near = caught.value.faults[0].near
    assert near != unknown
    if near is not None:
        assert MEASURES.find(near)


@pytest.mark.parametrize("unknown", ["zzzzzzzzzz", "", " ", "P(k=(1))", "@10", "()"])
def test_a_name_near_none_is_refused_with_the_known_ones(unknown):
    with pytest.raises(TouchstoneError) as caught:
        MEASURES.find(unknown)
    assert caught.value.code == Code.UNKNOWN_NAME
    assert "rank@10" in str(caught.value)


@pytest.mark.parametrize(
    "bad",
    [
        "P(k=-1)",
        "P(k=many)",
        "P(k=)",
        "P(k=inf)",
        "P(k=nan)",
        "P(k=1,2)",
        "P(j=1)",
        "P(k=1,k=2)",
        "P(1,k=1)",
        "best1(k=1)",
        "rank@0",
        "rank@-1",
        "rank@ten",
        "rank@1.5",
        "rank@10(k=3)",
        "p@0",
        "r@x",
        "gap@10",
        "R@5",
        "rank@99999999999999999999",
    ],
)
def test_bad_parameters_are_refused_with_a_sentence(bad):
    with pytest.raises(TouchstoneError):
        MEASURES.find(bad)


@given(st.text(max_size=12) | st.text("P@(k=1),F rank.0", max_size=12))
def test_no_name_whatever_raises_anything_but_a_sentence(name):
    try:
        found = MEASURES.find(name)
    except TouchstoneError:
        return
    assert MEASURES.find(found.name).name == found.name


def test_a_task_can_have_measures_of_its_own_with_parameters():
    measures: Measures[np.ndarray] = Measures("somewhere")

    def above(limit: str = "0") -> Measure[np.ndarray]:
        return Measure(f"above(limit={limit})", lambda x: np.stack([x > float(limit), np.ones(len(x))], 1), mean)

    measures.add("above", above, "above(limit=1)")
    found = measures.find("above(limit=2)")
    records = found.record(np.array([1.0, 2.0, 3.0]))
    assert found.values(records).tolist() == [0, 0, 1]
    assert float(found.fold(records.sum(axis=0))) == pytest.approx(1 / 3)
    assert list(measures.names) == ["above(limit=1)"]
    with pytest.raises(TouchstoneError) as error:
        measures.find("abov(limit=1)")
    fault = error.value.faults[0]
    assert (fault.code, fault.near) == (Code.UNKNOWN_NAME, "above(limit=1)")


def test_the_harmonic_mean_is_of_the_two_averages_and_zero_where_both_are():
    """P 1 and 0, R 1/2 and 1/2: F of the averages 1/2 and 1/2 is 1/2; the mean of F would be 1/3."""
    records = np.array([[1.0, 0.5, 1.0], [0.0, 0.5, 1.0]])
    assert harmonic_mean(records.sum(axis=0)).item() == 1 / 2
    assert harmonic_mean(records).tolist() == [2 / 3, 0.0]
    assert harmonic_mean(np.array([0.0, 0.0, 3.0])).item() == 0
    assert math.isnan(harmonic_mean(np.zeros(3)).item()) or harmonic_mean(np.zeros(3)).item() == 0


def test_a_ratio_by_zero_is_nan_without_a_warning():
    found = ratio(np.array([1.0, 0.0, 2.0]), np.array([2.0, 0.0, 0.0]))
    assert found[0] == 0.5
    assert np.isnan(found[1:]).all()


@pytest.mark.parametrize("text", ["0", "-1", "1001", "1.0", "", "ten", "１", "1e3", " 1"])
def test_only_a_whole_number_from_one_is_a_depth(text):
    with pytest.raises(TouchstoneError) as error:
        whole_number(text, "the depth")
    assert error.value.code == Code.BAD_VALUE


# A measure of another package, as that package would write it.
PLUGIN = '''
import numpy as np
from touchstone.lexsub import average


def longest(least: str = "2"):
    """Make the measure: 1 if the list has at least so many answers."""
    return average(f"longest(least={least})", "ranked", lambda earned: (earned.size >= int(least)).astype(np.float64))
'''


@pytest.fixture
def plugged(tmp_path):
    """Run a scoring in a process of its own that sees another package's entry points."""

    def run(entry_points: str, *arguments: str, module: str = PLUGIN) -> subprocess.CompletedProcess[str]:
        folder = tmp_path / "site"
        info = folder / "measuring-1.0.dist-info"
        info.mkdir(parents=True)
        (folder / "measuring.py").write_text(module)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: measuring\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[touchstone.measures.lexsub]\n{entry_points}\n")
        gold, answers = tmp_path / "g.gold", tmp_path / "s.oot"
        gold.write_text("glad.a 1 :: merry 2;\nglad.a 2 :: merry 2;\nglad.a 3 :: merry 2;\nglad.a 4 :: merry 2;\n")
        answers.write_text("glad.a 1 ::: a;b;c\nglad.a 2 ::: a;b\nglad.a 3 ::: a\n")
        program = "from touchstone.cli import main; main()"
        command = [sys.executable, "-c", program, "lexsub", "score", str(gold), str(answers), *arguments]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])}
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=600)

    return run


def test_another_package_adds_a_measure_through_an_entry_point(plugged):
    done = plugged(
        "longest = measuring:longest", "-m", "longest", "-m", "longest(least=3)", "--json", "--intervals", "none"
    )
    assert done.returncode == 0, done.stderr
    whole = json.loads(done.stdout)
    values = {row["measure"]: row["value"] for row in whole["rows"]}
    assert values == {"longest(least=2)": 2 / 4, "longest(least=3)": 1 / 4}
    assert "longest(least=3)" in whole["signature"]["measures"]


def test_a_misspelt_measure_of_another_package_is_suggested_too(plugged):
    done = plugged("longest = measuring:longest", "-m", "longst")
    assert done.returncode == 2
    assert '"longest"' in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("entry", "module"),
    [
        ("longest = measuring:absent", PLUGIN),
        ("longest = measuring:longest", "import no_such_module_anywhere"),
        ("longest = measuring:longest", "longest = 3"),
    ],
    ids=["no such name", "does not import", "no function"],
)
def test_a_broken_package_is_named_in_a_sentence(plugged, entry, module):
    done = plugged(entry, "-m", "longest", module=module)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "longest" in done.stderr


def test_another_package_cannot_change_what_an_existing_name_means(plugged):
    """The same signature means the same number: R stays the paper's R (0 here), or the clash is refused."""
    other_r = PLUGIN + '\n\ndef other():\n    return average("R", "ranked", lambda earned: np.ones(len(earned.size)))\n'
    done = plugged("R = measuring:other", "-m", "R", "--json", "--intervals", "none", module=other_r)
    assert "Traceback" not in done.stderr
    if done.returncode == 0:
        (row,) = json.loads(done.stdout)["rows"]
        assert (row["measure"], row["value"]) == ("R", 0)
    else:
        assert done.returncode == 2
        assert "R" in done.stderr


def test_a_measure_is_a_mean_where_its_fold_and_its_items_say_so():
    def record(joined):
        return np.ones((len(joined), 2))

    assert Measure("m", record, mean).is_mean
    assert not Measure("m", record, harmonic_mean).is_mean
    assert not Measure("m", record, mean, item_values=mean).is_mean


EXAMPLES = Path(touchstone.__file__).parent / "examples"
EXAMPLE_INPUTS = {
    "lexsub": ("lexsub/demo.gold", ["lexsub/careful.best", "lexsub/careful.oot", "lexsub/eager.oot"]),
    "mt": ("mt/refA.en", ["mt/de-en"]),
    "nli": ("nli/gold.jsonl", ["nli/careful.jsonl", "nli/overlap.jsonl"]),
    "pyramid": ("pyramid", []),
}


@pytest.mark.parametrize("task", EXAMPLE_INPUTS)
def test_values_of_items_and_of_sets_are_in_the_declared_range(task):
    gold, runs = EXAMPLE_INPUTS[task]
    measures = find_task(task).measures
    undeclared = [name for name in measures.names if measures.find(name).range == Range()]
    assert undeclared == []
    scored = 0
    for name in measures.names:
        try:
            results = find_task(task).score(
                EXAMPLES / gold, [str(EXAMPLES / run) for run in runs], [name], resampling=Resampling("none")
            )
        except TouchstoneError:  # probabilities, labels or a table of paraphrases that the examples lack
            continue
        scored += 1
        for measure in results.measures:
            values = [row.value for row in results.rows if row.measure == measure.name and not math.isnan(row.value)]
            for system in results.systems:
                of_items = measure.values(system.records[measure.name])
                values += of_items[np.isfinite(of_items)].tolist()
            low, high = measure.range.low - 1e-9, measure.range.high + 1e-9  # BLEU of a copy is 100.00000000000004
            assert [value for value in values if not low <= value <= high] == []
    assert scored > len(measures.names) / 3


def test_a_range_has_its_ends_and_a_name():
    assert (0 in Range(0, 1), 1.0 in Range(0, 1), 1.5 in Range(0, 1), math.nan in Range()) == (True, True, False, False)
    assert [str(Range(*ends)) for ends in ((1, 5), (0, math.inf), (-math.inf, 0), ())] == [
        "1–5", "0 and more", "up to 0", "any number",
    ]  # fmt: skip


def test_a_measure_is_shown_by_its_name():
    best1 = MEASURES.find("best1")
    assert repr(replace(best1, lower_is_better=True)) == repr(best1)
    assert "best1" in repr(best1)


def test_higher_is_better_unless_a_measure_says_otherwise():
    assert not Measure("length", lambda joined: joined, mean).lower_is_better
