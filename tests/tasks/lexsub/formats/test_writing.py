"""What is written in another form reads as it did before."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tasks.lexsub.helpers import PLAIN, refusal, weights, written

from touchstone import lexsub

SWORDS = {
    "contexts": {"c:0": {"context": "He was\ta bright boy.\n"}},
    "targets": {"t:0": {"context_id": "c:0", "target": "bright", "offset": 9, "pos": "ADJ"}},
    "substitutes": {"s:0": {"target_id": "t:0", "substitute": "clever"}},
    "substitute_labels": {"s:0": ["TRUE", "TRUE", "FALSE"]},
}
COINCO = """<document><sent><tokens><token id="1" wordform="dog" lemma="dog" posMASC="NN">
<substitutions><subst lemma="hound" freq="2"/></substitutions></token></tokens></sent></document>"""


ANSWER_TEXT = (
    st.text("abcdxyz'- é", min_size=1, max_size=8).map(str.strip).filter(lambda a: a.strip("-' ") and a != "pn")
)
WEIGHT = st.integers(1, 9) | st.sampled_from([0.5, 1.25, 1 / 3])
GOLD_RECORDS = st.lists(
    st.tuples(
        st.sampled_from(["bright", "run"]), st.sampled_from("navr"), st.dictionaries(ANSWER_TEXT, WEIGHT, min_size=1)
    ),
    min_size=1,
    max_size=5,
)


@given(GOLD_RECORDS)
def test_gold_survives_the_way_to_els07_and_back(tmp_path_factory, records):
    folder = tmp_path_factory.mktemp("convert")
    rows = [{"id": str(n), "target": t, "pos": p, "gold": g} for n, (t, p, g) in enumerate(records, 1)]
    first = written(folder, "g.jsonl", "\n".join(map(json.dumps, rows)))
    lexsub.convert(first, folder / "g.gold", min_responses=0)
    gold, again = lexsub.read_gold(first, min_responses=0), lexsub.read_gold(folder / "g.gold", min_responses=0)
    assert list(gold.ids) == list(again.ids)
    for name in gold.ids:
        assert (gold[name].target, gold[name].pos) == (again[name].target, again[name].pos)
        assert weights(again, name) == pytest.approx(weights(gold, name), rel=1e-12)


def test_els07_gold_and_its_jsonl_score_alike(tmp_path, gold_of, run_of):
    gold = gold_of("plot.n 1 :: garden 2;yard 2;garden  1;pn 1;\nplot.n 2 :: BSE 2;x 1;\nplot.n 3 :: y 1;\n")
    said = lexsub.convert(tmp_path / "g.gold", tmp_path / "g.jsonl")
    assert "2 items" in said
    assert "3" in said.split(";")[1]
    run = run_of("plot.n 1 ::: yard;Garden\nplot.n 2 ::: bse\n")
    names = ["R", "rank@10", "gap", "els07.oot_mode.R", "P(k=mean)"]
    again = lexsub.read_gold(tmp_path / "g.jsonl")
    for a, b in zip(
        lexsub.score(gold, run, names, resampling=PLAIN).rows,
        lexsub.score(again, run, names, resampling=PLAIN).rows,
        strict=True,
    ):
        assert (a.measure, a.value, a.n) == (b.measure, b.value, b.n)


def test_a_context_survives_in_jsonl(tmp_path):
    written(tmp_path, "dev.json", json.dumps(SWORDS))
    lexsub.convert(tmp_path / "dev.json", tmp_path / "g.jsonl")
    before, after = lexsub.read_gold(tmp_path / "dev.json"), lexsub.read_gold(tmp_path / "g.jsonl")
    assert before["t:0"] == after["t:0"]


def test_only_substitutes_of_enough_people_are_converted(tmp_path):
    source = written(tmp_path, "dev.json", json.dumps(SWORDS))
    said = refusal(lexsub.convert, source, tmp_path / "g.jsonl", min_weight=3)
    assert "no item with enough human answers" in said


def test_coinco_becomes_jsonl(tmp_path):
    written(tmp_path, "coinco.xml", COINCO)
    lexsub.convert(tmp_path / "coinco.xml", tmp_path / "g.jsonl")
    assert weights(lexsub.read_gold(tmp_path / "g.jsonl"), "1") == {"hound": 2}


def test_answers_survive_the_way_to_jsonl_and_back(tmp_path, run_of):
    run_of("bright.a 1 ::: clever;quick-witted\nbright.a 2 :::\nrun.v 3 ::: x\n")
    lexsub.convert(tmp_path / "s.oot", tmp_path / "s.jsonl")
    lexsub.convert(tmp_path / "s.jsonl", tmp_path / "again.oot")
    assert (tmp_path / "again.oot").read_text() == "bright.a 1 ::: clever;quick-witted\nbright.a 2 :::\nrun.v 3 ::: x\n"
    assert lexsub.read_run(tmp_path / "s.jsonl").answers("1") == ("clever", "quick-witted")


def test_the_best_view_is_written_with_its_separator(tmp_path, run_of):
    run_of("a.n 1 ::: x;y\n")
    lexsub.convert(tmp_path / "s.oot", tmp_path / "s.best")
    assert (tmp_path / "s.best").read_text() == "a.n 1 :: x\n"


def test_boundary_and_best_guess_survive_in_jsonl(tmp_path):
    record = {"id": "1", "system": "mine", "answers": ["y", "x", "z"], "cut": 2, "best": ["x"]}
    written(tmp_path, "r.jsonl", json.dumps(record))
    lexsub.convert(tmp_path / "r.jsonl", tmp_path / "again.jsonl")
    again = json.loads((tmp_path / "again.jsonl").read_text())
    assert {key: again[key] for key in record} == record


@pytest.mark.parametrize("answers", [["gold"], ["substitute_labels", "gold"]])
def test_an_answer_that_is_the_word_gold_does_not_make_a_file_gold(tmp_path, answers):
    written(tmp_path, "r.jsonl", json.dumps({"id": "1", "target": "t", "pos": "n", "answers": answers}))
    lexsub.convert(tmp_path / "r.jsonl", tmp_path / "r.oot")
    assert lexsub.read_run(tmp_path / "r.oot").answers("1") == tuple(answers)


@pytest.mark.parametrize(
    "record",
    [
        {"id": "1", "target": "t", "gold": {"a;b": 2}},
        {"id": "1", "target": "t", "gold": {"a\nb": 2}},
        {"id": "1\n2", "target": "t", "gold": {"a": 2}},
        {"id": "1 2", "target": "t", "gold": {"a": 2}},
        {"id": "1", "target": "two words", "gold": {"a": 2}},
        {"id": "1", "target": "e.g.", "pos": "r", "gold": {"a": 2}},
        {"id": "1", "target": "t", "gold": {"pn": 2, "x": 2}},
    ],
    ids=["semicolon", "line", "line in id", "blank in id", "blank in target", "dots", "pn"],
)
def test_what_els07_cannot_say_is_refused_and_nothing_written(tmp_path, record):
    written(tmp_path, "g.jsonl", json.dumps(record))
    assert refusal(lexsub.convert, tmp_path / "g.jsonl", tmp_path / "g.gold")
    assert not (tmp_path / "g.gold").exists()


def test_a_light_weight_is_written_so_that_it_can_be_read(tmp_path):
    written(tmp_path, "g.jsonl", '{"id": "1", "target": "t", "pos": "n", "gold": {"a": 2, "b": 1e-7}}')
    lexsub.convert(tmp_path / "g.jsonl", tmp_path / "g.gold")
    assert weights(lexsub.read_gold(tmp_path / "g.gold"), "1") == {"a": 2, "b": 1e-7}


@pytest.mark.parametrize(
    ("given", "out"), [("g.gold", "g.oot"), ("s.oot", "s.gold"), ("s.oot", "s.xml"), ("g.gold", "g")]
)
def test_a_form_that_does_not_fit_is_refused_and_nothing_written(tmp_path, gold_of, run_of, given, out):
    gold_of("a.n 1 :: x 2;\n")
    run_of("a.n 1 ::: x\n")
    assert ".jsonl" in refusal(lexsub.convert, tmp_path / given, tmp_path / out)
    assert not (tmp_path / out).exists()
