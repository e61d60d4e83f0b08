"""Explain shows one item as the paper would: rank, frequency, cumulative frequency, and how near a miss came."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from touchstone import TouchstoneError, lexsub
from touchstone.core.resampling import Resampling

GOLD = """happy.a 1 :: glad 3;merry 3;sunny 2;jovial 1;cheerful 1;
run.v 2 :: hurry 3;
run.v 3 :: pn 4;
run.v 4 :: go 1;
"""
SENTENCES = """<corpus><lexelt item="happy.a"><instance id="1"><context>A <head>happy</head> child laughed
.</context></instance></lexelt></corpus>"""
PAPER = "happy.a 1 ::: sunny;cheerful;merry;jovial;glad;x;y;z;v\nrun.v 2 ::: hurried;run;Hurries;slow\n"
"""The paper's first ranked example, in section 6."""


@pytest.fixture
def gold(tmp_path):
    (tmp_path / "g.gold").write_text(GOLD)
    (tmp_path / "g.xml").write_text(SENTENCES)
    return lexsub.read_gold(tmp_path / "g.gold", source=tmp_path / "g.xml")


@pytest.fixture
def run_of(tmp_path):
    def read(text, name="s.oot"):
        (tmp_path / name).write_text(text)
        return lexsub.read_run(tmp_path / name)

    return read


def explain(gold, run, item):
    """Return one item of a run, rank by rank."""
    (ranked,) = lexsub.explain(gold, run, item=item).drawing
    return ranked


def test_the_table_is_the_papers_rank_by_rank(gold, run_of):
    found = explain(gold, run_of(PAPER), "1")
    assert [rank.rank for rank in found.ranks] == list(range(1, 11))
    assert [rank.answer for rank in found.ranks] == ["sunny", "cheerful", "merry", "jovial", "glad", *"xyzv", None]
    assert [rank.weight for rank in found.ranks] == [2, 1, 3, 1, 3, 0, 0, 0, 0, 0]
    assert [rank.credit for rank in found.ranks] == [2, 3, 6, 7, 10, 10, 10, 10, 10, 10]
    assert [rank.optimum for rank in found.ranks] == [3, 6, 8, 9, 10, 10, 10, 10, 10, 10]
    assert found.values["rank@10"] == pytest.approx(313 / 360)


def test_a_list_longer_than_ten_is_shown_whole(gold, run_of):
    found = explain(gold, run_of("happy.a 1 ::: " + ";".join("abcdefghijkl") + "\n"), "1")
    assert len(found.ranks) == len(found.answered) == 12


def test_an_answer_is_shown_as_it_was_written_and_a_repetition_has_no_rank(gold, run_of):
    found = explain(gold, run_of("happy.a 1 ::: Glad;GLAD;merry\n"), "1")
    assert [rank.answer for rank in found.answered] == ["Glad", "merry"]
    assert [rank.credit for rank in found.answered] == [3, 6]


def test_misses_say_how_near_they_came(gold, run_of):
    first, second, third, fourth = explain(gold, run_of(PAPER), "2").answered
    assert "inflection" in first.note
    assert '"hurry"' in first.note
    assert "target" in second.note
    assert "inflection" in third.note
    assert fourth.note == ""


def test_a_hit_needs_no_note(gold, run_of):
    assert all(rank.note == "" for rank in explain(gold, run_of(PAPER), "1").answered if rank.weight)


def test_an_unanswered_item_has_ten_empty_ranks(gold, run_of):
    found = explain(gold, run_of("run.v 2 ::: hurry\n"), "1")
    assert found.answered == []
    assert [rank.credit for rank in found.ranks] == [0] * 10
    assert set(found.values.values()) == {0}


def test_split_gold_entries_are_one(tmp_path, run_of):
    (tmp_path / "g.gold").write_text("plot.n 801 :: garden 2;yard 2;garden  1;\n")
    found = explain(lexsub.read_gold(tmp_path / "g.gold"), run_of("plot.n 801 ::: Garden\n"), "801")
    assert (found.answered[0].weight, found.answered[0].optimum) == (3, 3)
    gold_table = found.gold_table().to_text()
    assert gold_table.count("garden") == 2, "once as an entry and once as the mode"
    assert "3" in gold_table


def test_an_unknown_item_is_refused_with_the_nearest(gold, run_of):
    with pytest.raises(TouchstoneError, match='no such item: "1l"; nearest valid id "1"'):
        explain(gold, run_of(PAPER), "1l")


ANSWERS = st.lists(st.sampled_from(["glad", "Merry", "sunny", "x", "y", "glad"]), max_size=5)


@given(ANSWERS, ANSWERS, st.integers(0, 5), st.sampled_from(["best", "oot", "pair", "jsonl", "cut"]))
@settings(max_examples=60)
def test_explain_says_the_values_that_score_gives(tmp_path_factory, best, ranked, cut, form):
    """One item, one truth: best guess, list and boundary are those that the scoring takes."""
    folder = tmp_path_factory.mktemp("explain")
    (folder / "g.gold").write_text(GOLD)
    (folder / "s.best").write_text(f"happy.a 1 :: {';'.join(best)}\n")
    (folder / "s.oot").write_text(f"happy.a 1 ::: {';'.join(ranked)}\n")
    record = {"id": "1", "answers": ranked} | ({"cut": min(cut, len(ranked))} if form == "cut" else {"best": best})
    (folder / "s.jsonl").write_text(json.dumps(record))
    names = {"best": ["s.best"], "oot": ["s.oot"], "pair": ["s.best", "s.oot"]}.get(form, ["s.jsonl"])
    gold, run = lexsub.read_gold(folder / "g.gold"), lexsub.read_run(*(folder / name for name in names))
    explained = explain(gold, run, "1").values
    (item,) = [
        row
        for row in lexsub.score(gold, run, list(explained), resampling=Resampling("none")).items.to_arrow().to_pylist()
        if row["id"] == "1"
    ]
    assert explained == pytest.approx({name: item[name] for name in explained})


# --- through the command line ----------------------------------------------------------------------------------------


@pytest.fixture
def explained(touchstone, tmp_path, gold):
    def explain(*arguments, answers=PAPER):
        (tmp_path / "s.oot").write_text(answers)
        return touchstone("lexsub", "explain", tmp_path / "g.gold", tmp_path / "s.oot", *arguments)

    return explain


def test_the_command_shows_sentence_gold_table_and_values(explained, tmp_path):
    code, out, _ = explained("--item", "1", "--source", tmp_path / "g.xml")
    assert code == 0
    assert "A [happy] child laughed" in out
    assert "happy.a" in out
    assert "W = 10, m = 3, mode = none" in out
    for word in ("rank", "freq", "cum.freq", "0.667", "rank@10", "0.869"):
        assert word in out


def test_the_command_draws_the_item(explained, tmp_path):
    code, _, err = explained("--item", "1", "--svg", tmp_path / "item.svg")
    assert code == 0, err
    drawn = (tmp_path / "item.svg").read_text()
    assert drawn.lstrip().startswith("<")
    assert "<svg" in drawn
    assert "sunny" in drawn
    assert "<script" not in drawn


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_the_command_writes_other_forms_of_tables(explained, form):
    code, out, _ = explained("--item", "1", "--format", form)
    assert code == 0
    assert {"markdown": "| rank |", "latex": r"\begin{tabular}"}[form] in out


def test_an_item_that_nobody_answered_in_the_gold_is_explained_or_refused_but_never_a_crash(explained):
    """Item 3 has only `pn`: W is 0 after it is dropped, and there is no share of nothing."""
    code, _, err = explained("--item", "3")
    assert code in (0, 2)
    assert "Traceback" not in err


def test_an_item_left_out_of_the_scoring_is_said_to_be(explained):
    _, out, err = explained("--item", "4")
    assert "too few" in out + err or "left out" in out + err


def test_an_unknown_item_gives_a_sentence_and_exit_code_2(explained):
    code, out, err = explained("--item", "1l")
    assert (code, out) == (2, "")
    assert 'nearest valid id "1"' in err


@pytest.mark.parametrize(
    ("more", "said"),
    [("happy.a 1 ::: glad\n", "first seen"), ("run.v 99 ::: x\n", "unknown item"), ("walk.v 4 ::: go\n", "walk")],
    ids=["id twice", "unknown id", "other lemma"],
)
def test_files_that_cannot_be_scored_are_not_explained_either(explained, more, said):
    """Identity before arithmetic: explain takes the same inputs and refuses the same faults."""
    code, _, err = explained("--item", "1", answers=PAPER + more)
    assert code == 2
    assert said in err
