"""Scoring of translations: policies, processes, signatures; under measures made for the purpose."""

import ast
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import numpy as np
import pytest

import touchstone
from touchstone import mt
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import Source
from touchstone.base.ids import Policy
from touchstone.base.workers import processes
from touchstone.core import scoring as core_scoring
from touchstone.core.matching import Matcher
from touchstone.core.measures import Measure
from touchstone.core.resampling import Resampling
from touchstone.mt import GoldSet, Run, Texts
from touchstone.stats.records import mean, mean_records

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


def gold_set(*columns: list[str | None], **fields) -> GoldSet:
    ids = tuple(str(n) for n in range(1, len(columns[0]) + 1))
    return GoldSet(tuple(map(Texts, columns)), ids, (Source("ref.en", "0"),), **fields)


def system(name: str, *texts: str | None) -> Run:
    return Run(name, Texts(texts), Source(name, name))


def value(results, name: str) -> float:
    return results.row(name, results.measures[0].name).value


def test_a_matcher_of_ones_own_is_the_mean_over_segments_of_f(own):
    gold = gold_set(["the cat sat", "a dog"])
    found = mt.score(gold, system("x", "the cat", "a dog"), [own(WORDS)], resampling=NONE)
    # segment 1: m 2, s 2, r 3, alpha .9: 2 / (.9 * 3 + .1 * 2) = 2 / 2.9; segment 2: 1
    assert value(found, "x") == pytest.approx((2 / 2.9 + 1) / 2)
    assert found.items.to_arrow().column(f"{found.measures[0].name}.P").to_pylist() == [1, 1]


def test_alpha_is_a_parameter_of_a_matcher(own):
    name = own(WORDS)
    gold, mine = gold_set(["the cat sat"]), system("x", "the cat")
    assert value(mt.score(gold, mine, [f"{name}(alpha=1)"], resampling=NONE), "x") == pytest.approx(2 / 3)
    assert value(mt.score(gold, mine, [f"{name}(alpha=0)"], resampling=NONE), "x") == 1
    for wrong in (f"{name}(alpha=2)", f"{name}(alpha=x)"):
        with pytest.raises(TouchstoneError) as refused:
            mt.score(gold, mine, [wrong])
        assert refused.value.code == Code.BAD_VALUE
    with pytest.raises(TouchstoneError, match="wrong parameters of a measure"):
        mt.score(gold, mine, [f"{name}(beta=2)"])


def test_several_references_of_a_matcher_are_averaged_and_absent_ones_left_out(own):
    gold = gold_set(["a b", "a b"], ["a c", None])
    found = mt.score(gold, system("x", "a b", "a b"), [own(WORDS)], resampling=NONE)
    assert found.measures[0].values(found.systems[0].records[found.measures[0].name]).tolist() == [0.75, 1.0]


def test_a_function_of_ones_own_is_a_measure(own):
    name = own(
        "from touchstone.mt import Own\n"
        "metric = Own(lambda hypothesis, references: abs(len(hypothesis) - len(references[0])), lower_is_better=True)\n"
    )
    gold = gold_set(["abcd", "ab"])
    found = mt.score(gold, [system("far", "a", "a"), system("near", "abc", "ab")], [name], resampling=NONE)
    assert (value(found, "far"), value(found, "near")) == (2, 0.5)
    assert found.table().rows[0][1] == "near"


def test_a_whole_measure_of_ones_own_is_found_by_its_path(own):
    name = own(
        "import numpy as np\n"
        "from touchstone.core.measures import Measure\n"
        "from touchstone.stats.records import mean, mean_records\n"
        "metric = Measure('any', lambda joined: mean_records(np.ones(len(joined))), mean)\n"
    )
    found = mt.score(gold_set(["a"]), system("x", "b"), [name], resampling=NONE)
    assert found.measures[0].name == name
    assert f"{name}: {name.partition(':')[0]}.py#" in found.signature["metrics"]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("metric = 3\n", "a int is not a measure"),
        ("1 / 0\n", "its module fails when it is imported"),
        ("metrics = 3\n", "no 'metric' in"),
    ],
)
def test_what_is_no_measure_is_refused_with_a_sentence(own, source, said):
    with pytest.raises(TouchstoneError, match=said):
        mt.score(gold_set(["a"]), system("x", "b"), [own(source)])


def test_a_module_that_is_not_there_is_refused():
    with pytest.raises(TouchstoneError, match="no module 'no_such_module'"):
        mt.MEASURES.find("no_such_module:metric")


def test_a_measure_that_fails_says_on_which_segment(own):
    name = own(
        "from touchstone.mt import Own\nmetric = Own(lambda hypothesis, references: 1 / (len(hypothesis) - 1))\n"
    )
    with pytest.raises(TouchstoneError, match=r"fails on segment 2 \(ZeroDivisionError"):
        mt.score(gold_set(["a", "b"]), system("x", "aa", "b"), [name])


def test_a_value_that_is_no_number_does_not_count_silently(own):
    name = own("from touchstone.mt import Own\nmetric = Own(lambda hypothesis, references: float('nan'))\n")
    with pytest.raises(TouchstoneError) as refused:
        mt.score(gold_set(["a"]), system("x", "aa"), [name])
    assert refused.value.code == Code.NOT_FINITE


def test_a_value_outside_the_range_that_was_declared_is_refused(own):
    name = own("from touchstone.mt import Own\nmetric = Own(lambda h, rs: float(len(h)), range=(1, 2))\n")
    found = mt.score(gold_set(["a", "b"]), system("x", "aa", "b"), [name], resampling=NONE)
    assert (value(found, "x"), tuple(found.measures[0].range)) == (1.5, (1, 2))
    assert value(mt.score(gold_set(["a", "b"]), system("x", "aa", " "), [name], resampling=NONE), "x") == 1.5
    with pytest.raises(TouchstoneError) as refused:
        mt.score(gold_set(["a", "b"]), system("x", "aa", "bbb"), [name])
    assert refused.value.code == Code.OUT_OF_RANGE


def test_an_empty_translation_counts_scores_0_and_is_said(own):
    found = mt.score(gold_set(["a", "b"]), system("x", "a", " "), [own(WORDS)], resampling=NONE)
    assert value(found, "x") == 0.5
    assert found.systems[0].facts.column("flag").to_pylist() == [None, "empty"]
    assert "x: empty translations, which score 0 (of 2): 1" in found.notes


def test_a_missing_translation_is_refused_scores_0_or_is_left_out(own):
    name, gold, mine = own(WORDS), gold_set(["a", "b"]), system("x", "a", None)
    with pytest.raises(TouchstoneError, match=r"'x' has no translation of this segment: \"2\""):
        mt.score(gold, mine, [name])
    for policy, expected, n in (("zero", 0.5, 2), ("skip", 1.0, 1)):
        found = mt.score(gold, mine, [name], policy=Policy(policy), resampling=NONE)
        row = found.row("x", found.measures[0].name)
        assert (row.value, row.n) == (expected, n)
        assert found.systems[0].facts.column("flag").to_pylist() == [None, "missing"]
        assert any("segments without a translation" in note for note in found.notes)


def test_missing_translations_are_counted(own):
    gold = gold_set(["a"] * 9)
    with pytest.raises(TouchstoneError, match="9 of 9 items have none") as caught:
        mt.score(gold, system("x", *[None] * 9), [own(WORDS)])
    assert len(caught.value.faults) == 9


def test_groups_have_values_of_their_own(own):
    gold = gold_set(["a", "b"], groups=("de", "cs"))
    found = mt.score(gold, system("x", "a", "c"), [own(WORDS)], by="group", resampling=NONE)
    assert {row.group: row.value for row in found.rows} == {"de": 1, "cs": 0, None: 0.5}


def test_processes_give_the_same_records_in_the_same_order(own):
    rng = np.random.default_rng(3)
    gold = gold_set([" ".join(rng.choice(list("abcdef"), 5)) for _ in range(30)])
    systems = [system(f"s{n}", *(" ".join(rng.choice(list("abcdef"), 5)) for _ in range(30))) for n in range(6)]
    told: list[tuple[int, int]] = []
    name = own(WORDS)
    one = mt.score(gold, systems, [name], resampling=NONE, jobs=1)
    three = mt.score(gold, systems, [name], resampling=NONE, jobs=3, progress=lambda *step: told.append(step))
    for a, b in zip(one.systems, three.systems, strict=True):
        assert a.system == b.system
        assert np.array_equal(a.records[name], b.records[name])
    assert told == [(60, 180), (120, 180), (180, 180)]  # items of all systems


def test_a_fault_in_a_process_is_the_same_sentence_with_the_number_of_the_segment(own):
    name = own(
        "from touchstone.mt import Own\nmetric = Own(lambda hypothesis, references: 1 / (len(hypothesis) - 1))\n"
    )
    with pytest.raises(TouchstoneError, match=r"fails on segment 4 \(ZeroDivisionError"):
        mt.score(gold_set(["a"] * 4), system("x", "aa", "aa", "aa", "b"), [name], jobs=2)


def test_a_process_that_dies_is_said(own):
    name = own(
        "import os\nfrom touchstone.mt import Own\n"
        "metric = Own(lambda hypothesis, references: os._exit(1) if hypothesis == 'die' else 1.0)\n"
    )
    with pytest.raises(TouchstoneError, match="ended early"):
        mt.score(gold_set(["a", "b"]), [system("x", "a", "die"), system("y", "die", "a")], [name], jobs=2)


def test_references_are_analysed_once_for_all_systems_and_nothing_is_kept(monkeypatch):
    seen: list[str] = []
    matcher = Matcher(items=lambda text: seen.append(text) or text.split(), stages={"same": str})
    module = type(sys)("own_counting")
    module.metric = matcher
    monkeypatch.setitem(sys.modules, "own_counting", module)
    gold, systems = gold_set(["the one"]), [system(name, name) for name in ("x", "y", "z")]
    mt.score(gold, systems, ["own_counting:metric"], resampling=NONE, jobs=1)
    assert sorted(seen) == ["the one", "x", "y", "z"]
    mt.score(gold, systems[0], ["own_counting:metric"], resampling=NONE)
    assert sorted(seen) == ["the one", "the one", "x", "x", "y", "z"]


def test_the_same_inputs_have_the_same_signature_and_other_rules_another(own):
    name, gold, mine = own(WORDS), gold_set(["a"]), system("x", "a")
    first, second = (mt.score(gold, mine, [name], resampling=NONE).signature for _ in range(2))
    assert first == second
    assert first["reading"] == "entities decoded once, white space collapsed"
    assert first["items"] == "1 segments, 1 reference"
    other = mt.score(gold, mine, [name], resampling=NONE, policy=Policy("zero")).signature
    assert other["policy"] != first["policy"]


def test_measures_for_english_are_refused_for_other_languages():
    with pytest.raises(TouchstoneError) as refused:
        mt.score(gold_set(["a"]), system("x", "a"), ["meteor(classic)"], lang="de")
    assert refused.value.code == Code.UNSUPPORTED


def test_names_of_systems_are_distinct_and_there_is_one(own):
    with pytest.raises(TouchstoneError, match="two systems have the same name"):
        mt.score(gold_set(["a"]), [system("x", "a"), system("x", "b")], [own(WORDS)])
    with pytest.raises(TouchstoneError, match="no run to score"):
        mt.score(gold_set(["a"]), [], [own(WORDS)])


def test_texts_of_another_set_are_refused(own):
    with pytest.raises(TouchstoneError) as refused:
        mt.score(gold_set(["a"]), system("x", "a", "b"), [own(WORDS)])
    assert refused.value.code == Code.MISMATCH


def test_a_measure_without_a_record_for_every_segment_is_refused(monkeypatch):
    short = Measure("half", lambda joined: mean_records(np.ones(1)), mean)
    monkeypatch.setitem(mt.MEASURES._families, "half", lambda: short)
    with pytest.raises(TouchstoneError, match="no record for every item"):
        mt.score(gold_set(["a", "b"]), system("x", "a", "b"), ["half"])


def test_the_example_ranks_its_systems_as_it_says(own):
    results = mt.score([DEMO / "refA.en", DEMO / "refB.en"], DEMO / "de-en", [own(WORDS)], resampling=NONE)
    order = sorted((s.system for s in results.systems), key=lambda name: -value(results, name))
    assert order == ["kestrel", "heron", "magpie", "sparrow"]


SENTENCES = [
    "The cat sat on the mat .",
    "They bought a new house in the old town .",
    "He reads the paper every morning .",
    "Nobody had seen the missing car .",
]
RIVALS = {
    "near": [
        "A cat sat on the mat .",
        "They bought a house in the town .",
        "He reads a paper daily .",
        "No one saw it .",
    ],
    "far": ["Mats .", "It was purchased by them .", "The morning paper was read by him .", "The automobile had gone ."],
}


def everything(results):
    """Return all that a scoring gives: every record of every system, and the signature."""
    records = {(s.system, name): rows.tolist() for s in results.systems for name, rows in s.records.items()}
    return records, dict(results.signature)


def one_of_many(number: int, measures: tuple[str, ...]):
    """Score texts that depend on *number*: each call has numbers of its own."""
    turn = number % len(SENTENCES)
    gold = gold_set([*SENTENCES[turn:], *SENTENCES[:turn]])
    runs = [system(f"{name} {number}", *texts[number % 3 :], *texts[: number % 3]) for name, texts in RIVALS.items()]
    return mt.score(gold, runs, measures, resampling=NONE)


def test_400_scorings_in_8_threads_give_each_caller_its_own_numbers(own):
    words = own(WORDS)
    calls = [(n, ("chrf", words) if n % 10 else ("maxsim(n)", "meteor(classic)", words)) for n in range(400)]
    serial = [everything(one_of_many(*call)) for call in calls]
    with ThreadPoolExecutor(8) as pool:
        together = [everything(results) for results in pool.map(lambda call: one_of_many(*call), calls)]
    assert together == serial
    assert len({str(records) for records, _ in serial}) == 400


FIRST_USE = """
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from touchstone import mt
from touchstone.core.resampling import Resampling

ready = Barrier(8)


def score(_):
    ready.wait()
    results = mt.score("ref.en", ["a.en"], sys.argv[1:], resampling=Resampling("none"))
    return [(row.measure, row.value) for row in results.rows]


with ThreadPoolExecutor(8) as pool:
    values = list(pool.map(score, range(8)))
assert values == [values[0]] * 8, values
print(values[0])
"""

SPAWNING = """
import multiprocessing

from touchstone import mt
from touchstone.core.resampling import Resampling

if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    told = []
    results = mt.score(
        "ref.en", ["a.en"], ["chrf", "mine:metric"], resampling=Resampling("none"), jobs=2,
        progress=lambda done, total: told.append((done, total)),
    )
    assert told == [(2, 4), (4, 4)], told
    print([(row.measure, row.value) for row in results.rows])
"""


@pytest.fixture
def script(tmp_path, monkeypatch):
    """Run a script in a folder with a reference, a translation and a metric of the user's own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ref.en").write_text("\n".join(SENTENCES) + "\n")
    (tmp_path / "a.en").write_text("\n".join(RIVALS["near"]) + "\n")
    (tmp_path / "mine.py").write_text(WORDS)
    monkeypatch.delitem(sys.modules, "mine", raising=False)  # another test's

    def run(source: str, *measures: str) -> list[tuple[str, float]]:
        (tmp_path / "script.py").write_text(source)
        done = subprocess.run(
            [sys.executable, "script.py", *measures], check=False, capture_output=True, text=True, env=os.environ
        )
        assert done.returncode == 0, done.stderr
        return ast.literal_eval(done.stdout)

    return run


def test_threads_that_are_the_first_to_use_a_measure_agree(script):
    measures = ("maxsim(n)", "meteor(classic)", "chrf")
    expected = mt.score("ref.en", "a.en", measures, resampling=NONE)
    assert script(FIRST_USE, *measures) == [(row.measure, row.value) for row in expected.rows]


def test_processes_that_are_spawned_give_the_same_numbers(script):
    expected = mt.score("ref.en", "a.en", ["chrf", "mine:metric"], resampling=NONE)
    assert script(SPAWNING) == [(row.measure, row.value) for row in expected.rows]


def test_a_machine_without_fork_and_affinity_scores_too(own, monkeypatch):
    gold, mine, name = gold_set(SENTENCES), system("near", *RIVALS["near"]), own(WORDS)
    expected = everything(mt.score(gold, mine, [name, "chrf"], resampling=NONE))
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(processes, "get_all_start_methods", lambda: ["spawn"])
    monkeypatch.setattr(processes, "get_start_method", lambda allow_none: None)
    monkeypatch.setattr(core_scoring, "LARGE", 1)
    assert everything(mt.score(gold, mine, [name, "chrf"], resampling=NONE)) == expected
    assert everything(mt.score(gold, mine, [name, "chrf"], resampling=NONE, jobs=2)) == expected


@pytest.mark.parametrize("block", [1, 3, 4])
def test_values_do_not_depend_on_blocks(block):
    gold = gold_set(SENTENCES, [None, *SENTENCES[1:]])
    runs = [system(name, *texts) for name, texts in RIVALS.items()]
    names = ["maxsim(n+d)", "meteor(classic)", "paraeval.R", "sr_overlap", "blend", "bleu", "bleu(v11b)", "chrf", "ter"]
    tasks = (type("Blocks", (type(mt.TASK),), {"block": size})() for size in (1000, block))
    whole, parts = (task.score(gold, runs, names, resampling=NONE) for task in tasks)
    assert everything(parts) == everything(whole)
