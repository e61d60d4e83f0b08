"""Gold and a run are joined by id; a scoring is a small picklable description that maps joined runs to records."""

import json
import multiprocessing
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from touchstone import TouchstoneError, lexsub
from touchstone.base.files import Source
from touchstone.base.ids import Policy
from touchstone.core.resampling import Resampling
from touchstone.tasks.lexsub.formats import jsonl

NAMES = (
    *("els07.best.P", "els07.oot_mode.R", "best", "P(k=mean)", "R", "F(k=1)", "rank@10", "gap", "gap.nomwe"),
    "mrr",
)
SCORING = lexsub.TASK.scoring(NAMES)
ZERO = Policy("zero")

WORDS = st.sampled_from(["glad", "Glad", "merry", "jovial", "well-off", "well off", "in high spirits", "wrong", "x"])
ITEMS = st.lists(
    st.tuples(
        st.dictionaries(WORDS, st.integers(1, 4), min_size=1),
        st.lists(WORDS, max_size=6),
        st.lists(WORDS, max_size=6),
        st.integers(0, 6),
    ),
    min_size=1,
    max_size=8,
)


def inputs(items):
    """Return gold and run of items: human answers, best guess, ranked list, and the boundary of the list."""
    source = Source("items.jsonl", "")
    golds = [{"id": str(n), "target": "happy", "pos": "a", "gold": gold} for n, (gold, *_) in enumerate(items)]
    runs = [
        {"id": str(n), "best": best, "answers": ranked, "cut": min(cut, len(ranked))}
        for n, (_, best, ranked, cut) in enumerate(items)
    ]
    gold, run = ("\n".join(map(json.dumps, records)) for records in (golds, runs))
    return jsonl.read_gold(gold, source), jsonl.read_run(run, source)


def joined(items, rows=None):
    return lexsub.join(*inputs(items), ZERO, lexsub.Options(), None if rows is None else np.array(rows, np.int64))


def records(some):
    """The records of every item of a joined run, by measure."""
    return {name: found.tolist() for name, found in SCORING([some])[0].items()}


HAPPY = [
    ({"glad": 3, "merry": 2, "cheerful": 1, "jovial": 1}, ["glad"], ["glad", "cheerful"], 2),
    ({"glad": 1}, [], [], 0),
    ({"well-off": 2, "Well off": 1, "rich": 1}, ["RICH"], ["rich", "well_off", "Rich"], 1),
]


def test_facts_describe_the_gold_and_the_answers_of_each_item():
    first, second, third = joined(HAPPY).facts.to_pylist()
    assert [first[name] for name in ("W", "m", "mode", "attempted")] == [7, 3, "glad", True]
    assert [first[name] for name in ("n_best", "n_ranked", "n_set")] == [1, 2, 2]
    assert (second["W"], second["attempted"], second["n_ranked"]) == (1, False, 0)
    assert [third[name] for name in ("W", "m", "mode", "n_ranked", "n_set", "repeated")] == [4, 3, "well-off", 2, 1, 1]


def test_a_record_holds_the_sums_of_its_measure_and_whether_the_item_counts():
    found = records(joined(HAPPY))
    assert list(found) == list(NAMES)
    assert found["R"] == [[4 / 7, 1], [0, 1], [1 / 4, 1]]
    assert found["els07.best.P"][1] == [0, 0]
    assert found["F(k=1)"][2] == [1, 1 / 4, 1]


def test_a_scoring_is_its_description():
    assert lexsub.TASK.scoring(["R"]) == lexsub.TASK.scoring(["R"])
    assert lexsub.TASK.scoring(["R"]) != lexsub.TASK.scoring(["best"])
    assert hash(lexsub.TASK.scoring(["R"])) == hash(lexsub.TASK.scoring(["R"]))


def test_a_scoring_is_small_and_survives_a_pickle():
    pickled = pickle.dumps(SCORING)
    assert len(pickled) < 1000
    assert pickle.loads(pickled) == SCORING


def test_a_scoring_gives_the_same_records_in_another_process():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        [[there]] = pool.map(SCORING, [[joined(HAPPY)]])
    assert {name: found.tolist() for name, found in there.items()} == records(joined(HAPPY))


def test_a_process_that_has_imported_nothing_can_unpickle_and_run_a_scoring(tmp_path):
    (tmp_path / "work").write_bytes(pickle.dumps((SCORING, [joined(HAPPY)])))
    program = (
        "import pickle, sys\n"
        "scoring, joined = pickle.load(open(sys.argv[1], 'rb'))\n"
        "print(scoring(joined)[0]['R'].ravel().tolist())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "work"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str([4 / 7, 1.0, 0.0, 1.0, 1 / 4, 1.0])


@given(ITEMS, st.data())
@settings(max_examples=40)
def test_the_record_of_an_item_is_the_same_to_the_last_bit_whatever_items_are_beside_it(items, data):
    rows = data.draw(st.permutations(range(len(items))))[: data.draw(st.integers(1, len(items)))]
    whole, part = joined(items), joined(items, rows)
    assert records(part) == {name: [found[row] for row in rows] for name, found in records(whole).items()}
    facts = whole.facts.to_pylist()
    assert part.facts.to_pylist() == [facts[row] for row in rows]


@given(ITEMS, st.randoms())
@settings(max_examples=40)
def test_records_do_not_depend_on_the_order_of_the_items(items, chance):
    order = chance.sample(range(len(items)), len(items))
    straight, shuffled = records(joined(items)), records(joined([items[row] for row in order]))
    assert shuffled == {name: [found[row] for row in order] for name, found in straight.items()}


def test_no_items_give_no_records():
    empty = joined(HAPPY, [])
    assert all(found == [] for found in records(empty).values())
    assert empty.facts.column_names == joined(HAPPY).facts.column_names


def test_an_unknown_measure_is_refused_with_a_sentence():
    with pytest.raises(TouchstoneError, match='"rnk@10"'):
        lexsub.TASK.scoring(["rnk@10"])


# --- missing answers -------------------------------------------------------------------------------------------------


def scored(policy, names=("R", "best1"), files=None):
    gold, run = files or inputs(HAPPY)
    results = lexsub.score(gold, run, names, policy=policy, resampling=Resampling("none"))
    return {row.measure: (row.value, row.n) for row in results.rows}, results


def test_an_item_without_an_answer_scores_zero_unless_the_user_chose_otherwise():
    usual, results = scored(Policy())
    assert usual == scored(ZERO)[0] == {"R": ((4 / 7 + 0 + 1 / 4) / 3, 3), "best1": ((1 + 0 + 1 / 3) / 3, 3)}
    assert any("without an answer, which score 0 (of 3): 1" in note for note in results.notes)
    skipped, results = scored(Policy("skip"))
    assert skipped == {"R": ((4 / 7 + 1 / 4) / 2, 2), "best1": ((1 + 1 / 3) / 2, 2)}
    assert any("without an answer, which are left out (of 3): 1" in note for note in results.notes)
    with pytest.raises(TouchstoneError, match="no answer to this item"):
        scored(Policy("error"))


def test_each_view_leaves_out_the_items_that_its_own_file_does_not_answer(tmp_path):
    (tmp_path / "g.gold").write_text("w.n 1 :: a 2;\nw.n 2 :: b 2;\n")
    (tmp_path / "s.best").write_text("w.n 1 :: a\n")
    (tmp_path / "s.oot").write_text("w.n 1 ::: a\nw.n 2 ::: x\n")
    files = lexsub.read_gold(tmp_path / "g.gold"), lexsub.read_runs([tmp_path / "s.best", tmp_path / "s.oot"])
    values, results = scored(Policy("skip"), files=files)
    assert values == {"R": (1 / 2, 2), "best1": (1, 1)}
    assert [note for note in results.notes if "left out" in note] == [
        "s (best): items without an answer, which are left out (of 2): 1 (id 2)"
    ]


# --- official figures ------------------------------------------------------------------------------------------------


def test_official_figures_are_not_computed_unless_they_are_asked_for(tmp_path):
    (tmp_path / "g.gold").write_text("w.n 1 :: a 2;bc 1;\n")
    (tmp_path / "s.oot").write_text("w.n 1 ::: bc\n")
    files = tmp_path / "g.gold", tmp_path / "s.oot"
    with pytest.raises(TouchstoneError, match='compat="els07"'):
        lexsub.score(*files, ["els07.oot.P@official"])
    with pytest.raises(TouchstoneError, match='"other"'):
        lexsub.score(*files, ["els07.oot.P@other"])
    with pytest.raises(TouchstoneError, match=r'unknown value of compat: "elso7"; nearest valid name "els07"'):
        lexsub.score(*files, compat="elso7")
    both = lexsub.score(*files, ["els07.oot.R"], compat="both", resampling=Resampling("none"))
    assert {row.measure: row.value for row in both.rows} == {"els07.oot.R": 1 / 3, "els07.oot.R@official": 1}


def test_items_that_only_the_official_scorer_keeps_count_for_its_figures_alone(tmp_path):
    """Two responses of weight 1/2 are too few for us; the official scorer counts fields, and reads no fraction."""
    (tmp_path / "g.gold").write_text("w.n 1 :: ab 2;cd 1;\nw.n 2 :: ab 1;pn 3;cd 1;\nw.n 3 :: xy 1;zz 1;\n")
    (tmp_path / "s.oot").write_text("w.n 1 ::: ab\nw.n 2 ::: ab\nw.n 3 ::: xy\n")
    results = lexsub.score(
        tmp_path / "g.gold",
        tmp_path / "s.oot",
        ["els07.oot.R"],
        compat="both",
        min_responses=3,
        resampling=Resampling("none"),
    )
    assert {row.measure: row.n for row in results.rows} == {"els07.oot.R": 1, "els07.oot.R@official": 3}
    assert len(results) == 3
