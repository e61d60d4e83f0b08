"""Scoring of translations: policies, processes, signatures; under measures made for the purpose."""

import sys
from itertools import count
from pathlib import Path

import numpy as np
import pytest

import touchstone
from touchstone.core.errors import TouchstoneError
from touchstone.core.matching import Matcher
from touchstone.core.measures import Measure
from touchstone.core.resampling import Resampling
from touchstone.io.text import Source
from touchstone.stats.records import mean, mean_records
from touchstone.tasks import mt
from touchstone.tasks.mt import Policy, References, System, Texts
from touchstone.tasks.mt.scorer import Scorer

DEMO = Path(touchstone.__file__).parent / "examples" / "mt"
NONE = Resampling("none")
_numbers = count()


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Give the name of a measure that is an object of a module beside the user."""
    monkeypatch.chdir(tmp_path)

    def made(source: str) -> str:
        name = f"own_measure_{next(_numbers)}"
        (tmp_path / f"{name}.py").write_text(source)
        return f"{name}:metric"

    return made


WORDS = "from touchstone.core.matching import Matcher\nmetric = Matcher(items=str.split, stages={'same': str})\n"


def references(*columns: list[str | None], groups=None) -> References:
    ids = tuple(str(n) for n in range(1, len(columns[0]) + 1))
    return References(tuple(map(Texts, columns)), ids, (Source("ref.en", "0"),), groups=groups)


def system(name: str, *texts: str | None) -> System:
    return System(name, Texts(texts), Source(name, name))


def value(results, name: str) -> float:
    return results.row(name, results.measures[0].name).value


def test_a_matcher_of_ones_own_is_the_mean_over_segments_of_f(own):
    gold = references(["the cat sat", "a dog"])
    found = mt.score(gold, system("x", "the cat", "a dog"), [own(WORDS)], resampling=NONE)
    # segment 1: m 2, s 2, r 3, alpha .9: 2 / (.9 * 3 + .1 * 2) = 2 / 2.9; segment 2: 1
    assert value(found, "x") == pytest.approx((2 / 2.9 + 1) / 2)
    assert found.items.to_arrow().column(f"{found.measures[0].name}.P").to_pylist() == [1, 1]


def test_alpha_is_a_parameter_of_a_matcher(own):
    name = own(WORDS)
    gold, mine = references(["the cat sat"]), system("x", "the cat")
    assert value(mt.score(gold, mine, [f"{name}(alpha=1)"], resampling=NONE), "x") == pytest.approx(2 / 3)
    assert value(mt.score(gold, mine, [f"{name}(alpha=0)"], resampling=NONE), "x") == 1
    for wrong in (f"{name}(alpha=2)", f"{name}(alpha=x)"):
        with pytest.raises(TouchstoneError, match="alpha must be a number from 0 to 1"):
            mt.score(gold, mine, [wrong])
    with pytest.raises(TouchstoneError, match="wrong parameters of a measure"):
        mt.score(gold, mine, [f"{name}(beta=2)"])


def test_several_references_of_a_matcher_are_averaged_and_absent_ones_left_out(own):
    gold = references(["a b", "a b"], ["a c", None])
    found = mt.score(gold, system("x", "a b", "a b"), [own(WORDS)], resampling=NONE)
    assert found.measures[0].values(found.systems[0].records[found.measures[0].name]).tolist() == [0.75, 1.0]


def test_a_function_of_ones_own_is_a_measure(own):
    name = own(
        "from touchstone.tasks.mt import Own\n"
        "metric = Own(lambda hypothesis, references: abs(len(hypothesis) - len(references[0])), lower_is_better=True)\n"
    )
    gold = references(["abcd", "ab"])
    found = mt.score(gold, [system("far", "a", "a"), system("near", "abc", "ab")], [name], resampling=NONE)
    assert (value(found, "far"), value(found, "near")) == (2, 0.5)
    assert found.table().rows[0][1] == "near"


def test_a_whole_measure_of_ones_own_is_found_by_its_path(own):
    name = own(
        "import numpy as np\n"
        "from touchstone.core.measures import Measure\n"
        "from touchstone.stats.records import mean, mean_records\n"
        "metric = Measure('any', lambda compared: mean_records(np.ones(len(compared))), mean)\n"
    )
    found = mt.score(references(["a"]), system("x", "b"), [name], resampling=NONE)
    assert found.measures[0].name == name
    assert f"{name}: {name.partition(':')[0]}.py#" in found.signature["metrics"]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("metric = 3\n", "a int is no measure"),
        ("1 / 0\n", "its module fails when it is imported"),
        ("metrics = 3\n", "no 'metric' in"),
    ],
)
def test_what_is_no_measure_is_refused_with_a_sentence(own, source, said):
    with pytest.raises(TouchstoneError, match=said):
        mt.score(references(["a"]), system("x", "b"), [own(source)])


def test_a_module_that_is_not_there_is_refused():
    with pytest.raises(TouchstoneError, match="no module 'no_such_module'"):
        mt.MEASURES.find("no_such_module:metric")


def test_a_measure_that_fails_says_on_which_segment(own):
    name = own(
        "from touchstone.tasks.mt import Own\nmetric = Own(lambda hypothesis, references: 1 / (len(hypothesis) - 1))\n"
    )
    with pytest.raises(TouchstoneError, match=r"fails on segment 2 \(ZeroDivisionError"):
        mt.score(references(["a", "b"]), system("x", "aa", "b"), [name])


def test_a_value_that_is_no_number_does_not_count_silently(own):
    name = own("from touchstone.tasks.mt import Own\nmetric = Own(lambda hypothesis, references: float('nan'))\n")
    with pytest.raises(TouchstoneError, match="no finite number"):
        mt.score(references(["a"]), system("x", "aa"), [name])


def test_an_empty_translation_counts_scores_0_and_is_said(own):
    found = mt.score(references(["a", "b"]), system("x", "a", " "), [own(WORDS)], resampling=NONE)
    assert value(found, "x") == 0.5
    assert found.systems[0].facts.column("flag").to_pylist() == [None, "empty"]
    assert "x: empty translations, which score 0 (of 2): 1" in found.notes


def test_a_missing_translation_is_refused_scores_0_or_is_left_out(own):
    name, gold, mine = own(WORDS), references(["a", "b"]), system("x", "a", None)
    with pytest.raises(TouchstoneError, match=r"'x' has no translation of this segment: \"2\""):
        mt.score(gold, mine, [name])
    for policy, expected, n in (("zero", 0.5, 2), ("skip", 1.0, 1)):
        found = mt.score(gold, mine, [name], policy=Policy(policy), resampling=NONE)
        row = found.row("x", found.measures[0].name)
        assert (row.value, row.n) == (expected, n)
        assert found.systems[0].facts.column("flag").to_pylist() == [None, "missing"]
        assert any("segments without a translation" in note for note in found.notes)


def test_at_most_five_missing_translations_are_listed(own):
    gold = references(["a"] * 9)
    with pytest.raises(TouchstoneError) as caught:
        mt.score(gold, system("x", *[None] * 9), [own(WORDS)])
    assert len(caught.value.faults) == 5
    assert "9 of 9 segments have none" in str(caught.value)


def test_groups_have_values_of_their_own(own):
    gold = references(["a", "b"], groups=("de", "cs"))
    found = mt.score(gold, system("x", "a", "c"), [own(WORDS)], by="group", resampling=NONE)
    assert {row.group: row.value for row in found.rows} == {"de": 1, "cs": 0, None: 0.5}


def test_processes_give_the_same_records_in_the_same_order(own):
    rng = np.random.default_rng(3)
    gold = references([" ".join(rng.choice(list("abcdef"), 5)) for _ in range(30)])
    systems = [system(f"s{n}", *(" ".join(rng.choice(list("abcdef"), 5)) for _ in range(30))) for n in range(6)]
    told: list[tuple[int, str]] = []
    name = own(WORDS)
    one = mt.score(gold, systems, [name], resampling=NONE, jobs=1)
    three = mt.score(gold, systems, [name], resampling=NONE, jobs=3, progress=lambda *step: told.append(step))
    for a, b in zip(one.systems, three.systems, strict=True):
        assert a.system == b.system
        assert np.array_equal(a.records[name], b.records[name])
    assert [done for done, _ in told] == [1, 2, 3, 4, 5, 6]
    assert {last for _, last in told} == {s.name for s in systems}


def test_a_fault_in_a_process_is_the_same_sentence(own):
    gold = references(["a"])
    with pytest.raises(TouchstoneError, match="'late' has no translation"):
        mt.score(gold, [system("ok", "a"), system("fine", "a"), system("late", None)], [own(WORDS)], jobs=2)


def test_a_process_that_dies_is_said(own):
    name = own(
        "import os\nfrom touchstone.tasks.mt import Own\n"
        "metric = Own(lambda hypothesis, references: os._exit(1) if hypothesis == 'die' else 1.0)\n"
    )
    with pytest.raises(TouchstoneError, match="ended early"):
        mt.score(references(["a"]), [system("x", "a"), system("y", "die"), system("z", "die")], [name], jobs=2)


def test_references_are_analysed_once_for_all_systems_and_systems_are_forgotten(monkeypatch):
    seen: list[str] = []
    matcher = Matcher(items=lambda text: seen.append(text) or text.split(), stages={"same": str})
    module = type(sys)("own_counting")
    module.metric = matcher
    monkeypatch.setitem(sys.modules, "own_counting", module)
    gold, systems = references(["the one"]), [system(name, name) for name in ("x", "y", "z")]
    mt.score(gold, systems, ["own_counting:metric"], resampling=NONE, jobs=1)
    assert sorted(seen) == ["the one", "x", "y", "z"]
    mt.score(gold, systems[0], ["own_counting:metric"], resampling=NONE)
    assert seen.count("the one") == 1
    assert seen.count("x") == 2


def test_the_same_inputs_have_the_same_signature_and_other_rules_another(own):
    name, gold, mine = own(WORDS), references(["a"]), system("x", "a")
    first, second = (mt.score(gold, mine, [name], resampling=NONE).signature for _ in range(2))
    assert first == second
    assert first["reading"] == "utf-8, entities decoded once, white space collapsed"
    assert first["items"] == "1 segments, 1 reference"
    other = mt.score(gold, mine, [name], resampling=NONE, policy=Policy("zero")).signature
    assert other["policy"] != first["policy"]


def test_measures_for_english_are_refused_for_other_languages():
    with pytest.raises(TouchstoneError, match="this measure knows English, not 'de'"):
        mt.score(references(["a"]), system("x", "a"), ["meteor(classic)"], lang="de")


def test_names_of_systems_are_distinct_and_there_is_one(own):
    with pytest.raises(TouchstoneError, match="two systems have the same name"):
        mt.score(references(["a"]), [system("x", "a"), system("x", "b")], [own(WORDS)])
    with pytest.raises(TouchstoneError, match="no system to score"):
        mt.score(references(["a"]), [], [own(WORDS)])


def test_texts_of_another_set_are_refused(own):
    with pytest.raises(TouchstoneError, match="2 translations of 1 segments"):
        mt.score(references(["a"]), system("x", "a", "b"), [own(WORDS)])


def test_a_measure_without_a_record_for_every_segment_is_refused(monkeypatch):
    short = Measure("half", lambda compared: mean_records(np.ones(1)), mean)
    monkeypatch.setitem(mt.MEASURES._families, "half", lambda: short)
    with pytest.raises(TouchstoneError, match="no finite record for every segment"):
        Scorer(("half",))(mt.Compared(Texts(["a", "b"]), (Texts(["a", "b"]),)))


def test_the_example_ranks_its_systems_as_it_says(own):
    gold, systems = mt.read_translations([DEMO / "de-en"], [DEMO / "refA.en", DEMO / "refB.en"])
    results = mt.score(gold, systems, [own(WORDS)], resampling=NONE)
    order = sorted((s.name for s in systems), key=lambda name: -value(results, name))
    assert order == ["kestrel", "heron", "magpie", "sparrow"]
