"""The scorer is a small picklable description that maps a record batch to a record batch, wherever it runs."""

import multiprocessing
import pickle
import subprocess
import sys
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from touchstone import __version__
from touchstone.tasks.lexsub.scorer import Scorer

MEASURES = (
    "els07.best.P",
    "els07.oot_mode.R",
    "best",
    "P(k=mean)",
    "R",
    "F(k=1)",
    "rank@10",
    "gap",
    "gap.nomwe",
    "mrr",
)
SCORER = Scorer(MEASURES)

WORDS = st.sampled_from(["glad", "Glad", "merry", "jovial", "well-off", "well off", "in high spirits", "wrong", "x"])
ITEMS = st.lists(
    st.tuples(st.dictionaries(WORDS, st.integers(1, 4), min_size=1), *[st.lists(WORDS, max_size=6)] * 3),
    min_size=1,
    max_size=8,
)


def batch_of(items) -> pa.RecordBatch:
    """The columns that pairing gives: id, target, pos, gold, weight and the three views."""
    golds, bests, rankeds, sets = zip(*items, strict=True)
    strings, n = pa.list_(pa.string()), len(items)
    return pa.RecordBatch.from_pydict(
        {
            "id": pa.array([str(row) for row in range(n)]),
            "target": pa.array(["happy"] * n),
            "pos": pa.array(["a"] * n),
            "gold": pa.array([list(gold) for gold in golds], strings),
            "weight": pa.array([list(map(float, gold.values())) for gold in golds], pa.list_(pa.float64())),
            "best": pa.array(bests, strings),
            "ranked": pa.array(rankeds, strings),
            "set": pa.array(sets, strings),
        }
    )


HAPPY = batch_of(
    [
        ({"glad": 3, "merry": 2, "cheerful": 1, "jovial": 1}, ["glad"], ["glad", "cheerful"], ["glad", "cheerful"]),
        ({"glad": 1}, [], [], []),
        ({"well-off": 2, "Well off": 1, "rich": 1}, ["RICH"], ["rich", "well_off", "Rich"], ["rich"]),
    ]
)


def rows(batch: pa.RecordBatch) -> list[dict]:
    return batch.to_pylist()


def test_a_batch_of_items_becomes_a_batch_of_records():
    out = SCORER(HAPPY)
    assert isinstance(out, pa.RecordBatch)
    first, second, third = rows(out)
    assert [first[name] for name in ("id", "W", "m", "mode", "attempted")] == ["0", 7, 3, "glad", True]
    assert [first[name] for name in ("n_best", "n_ranked", "n_set")] == [1, 2, 2]
    assert (second["W"], second["attempted"], second["n_ranked"]) == (1, False, 0)
    assert [third[name] for name in ("W", "m", "mode", "n_ranked", "n_set")] == [4, 3, "well-off", 2, 1]
    assert set(MEASURES) <= set(out.schema.names)


def test_a_record_holds_the_sums_of_its_measure_and_whether_the_item_counts():
    first, second, third = rows(SCORER(HAPPY))
    assert first["R"] == [4 / 7, 1]
    assert second["R"] == [0, 1]
    assert second["els07.best.P"] == [0, 0]
    assert third["R"] == [1 / 4, 1]
    assert third["F(k=1)"] == [1, 1 / 4, 1]


def test_a_scorer_is_its_description():
    assert Scorer(("R",)) == Scorer(("R",))
    assert Scorer(("R",)) != Scorer(("best",))
    assert hash(Scorer(("R",))) == hash(Scorer(("R",)))
    assert (SCORER.name, SCORER.version) == ("lexsub", __version__)


def test_a_scorer_is_small_and_comes_back_from_a_pickle():
    pickled = pickle.dumps(SCORER)
    assert len(pickled) < 1000
    again = pickle.loads(pickled)
    assert again == SCORER
    assert again(HAPPY).equals(SCORER(HAPPY))


def test_a_scorer_scores_in_another_process_what_it_scores_here():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        (there,) = pool.map(SCORER, [HAPPY])
    assert there.equals(SCORER(HAPPY))


def test_a_process_that_has_imported_nothing_of_it_can_unpickle_and_run_it(tmp_path):
    with pa.OSFile(str(tmp_path / "batch"), "wb") as file, pa.ipc.new_file(file, HAPPY.schema) as writer:
        writer.write_batch(HAPPY)
    (tmp_path / "scorer").write_bytes(pickle.dumps(SCORER))
    program = (
        "import pickle, sys, pyarrow as pa\n"
        "scorer = pickle.load(open(sys.argv[1] + '/scorer', 'rb'))\n"
        "batch = pa.ipc.open_file(sys.argv[1] + '/batch').get_batch(0)\n"
        "print(scorer(batch).column('R').flatten().to_pylist())"
    )
    done = subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str([4 / 7, 1.0, 0.0, 1.0, 1 / 4, 1.0])


@given(ITEMS, st.data())
@settings(max_examples=40)
def test_records_are_the_same_to_the_last_bit_however_the_batch_is_cut(items, data):
    batch = batch_of(items)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(items)), max_size=3)) | {0, len(items)})
    parts = [SCORER(batch.slice(a, b - a)) for a, b in pairwise(cuts)]
    assert [row for part in parts for row in rows(part)] == rows(SCORER(batch))


@given(ITEMS, st.randoms())
@settings(max_examples=40)
def test_records_do_not_depend_on_the_order_of_the_items(items, chance):
    order = chance.sample(range(len(items)), len(items))
    straight, shuffled = rows(SCORER(batch_of(items))), rows(SCORER(batch_of([items[row] for row in order])))
    for place, row in enumerate(order):
        assert {**shuffled[place], "id": ""} == {**straight[row], "id": ""}


@given(ITEMS)
@settings(max_examples=40)
def test_dictionary_encoded_columns_score_as_plain_ones(items):
    batch = batch_of(items)
    columns = {name: batch.column(name) for name in batch.schema.names}
    for view in ("gold", "best", "ranked", "set"):
        plain = batch.column(view)
        columns[view] = pa.ListArray.from_arrays(plain.offsets, plain.values.dictionary_encode())
    assert rows(SCORER(pa.RecordBatch.from_pydict(columns))) == rows(SCORER(batch))


def test_a_batch_without_items_gives_one_without_records():
    out = SCORER(HAPPY.slice(0, 0))
    assert out.num_rows == 0
    assert out.schema.names == SCORER(HAPPY).schema.names


def test_an_unknown_measure_is_refused_with_a_sentence():
    with pytest.raises(ValueError, match='"rnk@10"'):
        Scorer(("rnk@10",))(HAPPY)
