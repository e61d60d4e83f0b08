"""SemEval-2007 task 10 through the command line: the official figures, and Touchstone's own beside them.

Official figures: output of the task's scorer (Perl, 17,656 bytes, MD5 b13bef50…). Default figures: computed once
by a separate implementation of the same specification.
"""

import json
import re
import sys
from collections import Counter
from xml.etree import ElementTree

import pytest

from touchstone import lexsub
from touchstone.cli import main
from touchstone.core.resampling import Resampling
from touchstone.tasks.lexsub.official import read_gold as read_official_gold

# file, total, attempted, P, R, with a mode, attempted, mode P, mode R, then by default P, R, mode P, mode R
ROWS = [
    ("WordTune_raw_test.best", 1696, 1656, 15.32, 14.96, 1230, 1199, 26.19, 25.53, 15.34, 14.98, 26.12, 25.47),
    ("WordTune_raw_test.oot", 1696, 1656, 36.96, 36.09, 1230, 1199, 51.88, 50.57, 37.04, 36.17, 51.66, 50.36),
    ("WordTune_lemmatized_test.best", 1696, 1656, 18.30, 17.87, 1230, 1199, 30.78, 30.00, 18.34, 17.91, 30.78, 30.01),
    ("WordTune_lemmatized_test.oot", 1696, 1656, 46.14, 45.05, 1230, 1199, 64.05, 62.44, 46.26, 45.16, 63.98, 62.37),
    ("goldtop_test.best", 1696, 1696, 45.76, 45.76, 1230, 1230, 100.00, 100.00, 45.84, 45.84, 99.76, 99.76),
    ("goldtop_test.oot", 1696, 1696, 99.98, 99.98, 1230, 1230, 100.00, 100.00, 100.00, 100.00, 100.00, 100.00),
    ("goldtop_trial.best", 295, 295, 46.00, 46.00, 203, 203, 97.04, 97.04, 45.94, 45.94, 100.00, 100.00),
    ("goldtop_trial.oot", 295, 295, 99.80, 99.80, 203, 203, 97.04, 97.04, 100.00, 100.00, 100.00, 100.00),
    ("BL_trial.best", 295, 294, 7.49, 7.47, 203, 203, 9.85, 9.85, 7.36, 7.33, 9.85, 9.85),
]
BY_FILE = pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])


@pytest.fixture
def score(data, monkeypatch, capsys):
    """Score a file of the task through the command line and give what it prints."""

    def run(file, *options):
        folder = data("ls07")
        gold = folder / ("trial.gold" if "trial" in str(file) else "test.gold")
        command = ["touchstone", "lexsub", "score", gold, folder / "runs" / file, *options, "--intervals", "none"]
        monkeypatch.setattr(sys, "argv", [str(part) for part in command])
        with pytest.raises(SystemExit) as left:
            main()
        out, err = capsys.readouterr()
        assert not left.value.code, err
        return out

    return run


def figures(out, file, suffix=""):
    """Return total, attempted, P, R and the same for the mode from JSON, values in percent to two decimals."""
    view = file.rpartition(".")[2]
    rows = {row["measure"]: row for row in json.loads(out)["rows"]}
    found = []
    for kind in (view, f"{view}_mode"):
        p, r = rows[f"els07.{kind}.P{suffix}"], rows[f"els07.{kind}.R{suffix}"]
        found += [r["n"], p["n"], *(float(f"{int(x['value'] * 10000 + 0.5) / 100:.2f}") for x in (p, r))]
    return found


@BY_FILE
def test_official_figures_in_json(score, row):
    file, *official = row[:9]
    assert figures(score(file, "--compat", "els07", "--json"), file) == official


@BY_FILE
def test_official_figures_in_the_style_of_the_task(score, row):
    """Percent, two decimals, zero padded, in the order of the official scorer."""
    file, *official = row[:9]
    out = score(file, "--compat", "els07", "--style", "els07")
    system, _, view = file.rpartition(".")
    (line,) = [line for line in out.splitlines() if line.startswith(f"{system} ")]
    expected = [f"{figure:.2f}" if isinstance(figure, float) else f"{figure}" for figure in official]
    assert line.split() == [system, view, *expected]


@BY_FILE
def test_default_figures(score, row):
    file = row[0]
    total, attempted, p, r, _, _, mode_p, mode_r = figures(score(file, "-m", "els07", "--json"), file)
    assert (total, attempted) == (row[1], row[2])
    assert [p, r, mode_p, mode_r] == list(row[9:])


@BY_FILE
def test_both_stand_side_by_side_when_asked(score, row):
    file = row[0]
    names = [f"els07.{file.rpartition('.')[2]}{mode}.{which}" for mode in ("", "_mode") for which in "PR"]
    out = score(file, "--compat", "both", "--json", *(part for name in names for part in ("-m", name)))
    assert figures(out, file, "@official") == list(row[1:9])
    ours = figures(out, file)
    assert [ours[place] for place in (2, 3, 6, 7)] == list(row[9:])


# The pair of WordTune_lemmatized_test files, by the default rules; (value, n)
DEFAULT = {
    "best": (0.3582, 1696),
    "best1": (0.3582, 1696),
    "P(k=1)": (0.3059, 1696),
    "P(k=mean)": (0.2280, 1696),
    "R": (0.4516, 1696),
    "F(k=1)": (0.3647, 1696),
    "P.set": (0.2087, 1696),
    "R.set": (0.3931, 1696),
    "rank@10": (0.4059, 1696),
    "gap": (0.2670, 1696),
    "gap.nomwe": (0.2922, 1681),
    "p@1": (0.4316, 1696),
    "p@3": (0.3007, 1696),
    "r@10": (0.3931, 1696),
    "mrr": (0.5472, 1696),
}
BY_POS = {
    "rank@10": {"n": 0.3581, "a": 0.3898, "v": 0.3980, "r": 0.5221},
    "F(k=1)": {"n": 0.3192, "a": 0.3645, "v": 0.3499, "r": 0.4616},
}
KEPT = {"n": 494, "a": 464, "v": 440, "r": 298}


@pytest.fixture(scope="module")
def pair(data):
    folder = data("ls07")
    paths = [folder / "runs" / f"WordTune_lemmatized_test.{view}" for view in ("best", "oot")]
    gold = lexsub.read_gold(folder / "test.gold")
    return lexsub.score(gold, lexsub.read_runs(paths), list(DEFAULT), by="pos", resampling=Resampling("none"))


@pytest.mark.parametrize("name", DEFAULT)
def test_every_measure_of_the_lemmatised_system(pair, name):
    row = pair.row("WordTune_lemmatized_test", name)
    assert (round(row.value, 4), row.n) == DEFAULT[name]


@pytest.mark.parametrize("name", BY_POS)
def test_measures_by_part_of_speech(pair, name):
    rows = [row for row in pair.rows if row.measure == name and row.group]
    assert [row.group for row in rows] == list("navr")
    assert {row.group: round(row.value, 4) for row in rows} == BY_POS[name]
    assert {row.group: row.n for row in rows} == KEPT


def test_the_mean_of_each_items_f_is_not_f(pair):
    """.3501 against .3647."""
    assert round(float(pair.items.to_pandas()["F(k=1)"].mean()), 4) == 0.3501


def test_a_real_system_may_be_lemmatised_here(score):
    """Lemmatising the raw file finds more than the raw file, and is not the file that was cut to ten afterwards."""
    raw, lemmatized = (
        json.loads(score("WordTune_raw_test.oot", *options, "-m", "els07.oot.R", "--json"))["rows"][0]["value"]
        for options in ((), ("--lemmatize",))
    )
    assert round(raw, 4) == 0.3617
    assert raw + 0.05 < lemmatized
    assert round(lemmatized, 4) != 0.4516


def test_pn_among_the_golds_own_answers_is_wrong(score):
    """The file repeats the gold with its `pn`: P(k=1) is .9978, not 1."""
    (row,) = json.loads(score("goldtop_test.oot", "-m", "P(k=1)", "--json"))["rows"]
    assert round(row["value"], 4) == 0.9978


@pytest.mark.parametrize(
    ("name", "instances", "targets", "lines", "kept"),
    [("test", 1710, 171, 1703, KEPT), ("trial", 300, 34, 300, {"n": 68, "a": 90, "v": 87, "r": 50})],
)
def test_sentences_and_gold_have_the_counts_of_the_task(data, name, instances, targets, lines, kept):
    folder = data("ls07")
    sentences = lexsub.read_sentences(folder / f"{name}.xml")
    gold = lexsub.read_gold(folder / f"{name}.gold")
    items = {lexelt.get("item") for lexelt in ElementTree.parse(folder / f"{name}.xml").getroot().iter("lexelt")}
    assert (len(sentences), len(items)) == (instances, targets)
    assert len(gold.ids) == lines
    assert len(gold) == sum(kept.values())
    excluded = set(gold.excluded)
    assert Counter(pos for id_, pos in zip(gold.ids, gold.pos, strict=True) if id_ not in excluded) == kept


def test_the_34_targets_of_trial_are_30_words(data):
    sentences = lexsub.read_sentences(data("ls07") / "trial.xml")
    assert len({sentence.target for sentence in sentences.values()}) == 30


def test_seven_test_sentences_have_no_gold(data):
    folder = data("ls07")
    gold = lexsub.read_gold(folder / "test.gold")
    without = set(lexsub.read_sentences(folder / "test.xml")) - set(gold.ids)
    assert without == {"567", "773", "794", "804", "1298", "1886", "1937"}


def test_a_run_over_all_sentences_needs_their_source(data, tmp_path, score):
    """A system that answers all 1710 instances answers the seven ids without gold too."""
    folder = data("ls07")
    sentences = lexsub.read_sentences(folder / "test.xml")
    run = tmp_path / "all.oot"
    run.write_text("".join(f"{s.target}.{s.pos} {s.id} ::: thing\n" for s in sentences.values()))
    (row,) = json.loads(score(run, "-m", "R", "--json", "--source", folder / "test.xml"))["rows"]
    assert row["n"] == 1696
    json.loads(score(run, "-m", "R", "--json", "--unknown", "ignore"))


def test_every_sentence_has_its_head_and_no_escape_is_left(data):
    for name in ("test", "trial"):
        for sentence in lexsub.read_sentences(data("ls07") / f"{name}.xml").values():
            assert sentence.context.head
            assert "&gt" not in str(sentence.context)
            assert "&amp" not in str(sentence.context)


def test_typing_slips_change_the_mode_of_seven_items(data):
    """Merged entries give 1233 modes, 1230 officially: five items gain one, two lose theirs."""
    path = data("ls07") / "test.gold"
    official = {name for name, item in read_official_gold(path.read_bytes().decode("latin-1")).items() if item.mode}
    gold = lexsub.read_gold(path)
    plain = Resampling("none")
    top = lexsub.read_run(path.parent / "runs" / "goldtop_test.best")
    results = lexsub.score(gold, top, ["els07.best_mode.R"], resampling=plain)
    ours = {row["id"] for row in results.items.to_arrow().to_pylist() if row["mode"] is not None}
    assert (len(ours), len(official)) == (1233, 1230)
    assert ours - official == {"980", "1221", "1281", "1422", "1910"}
    assert official - ours == {"1452", "1631"}


def test_pn_stands_in_twenty_items_and_is_an_answer_of_none(data):
    """17 items of test, 3 of trial."""
    found = []
    for name in ("test", "trial"):
        path = data("ls07") / f"{name}.gold"
        found.append(len(re.findall(r"^.*(?:::|;)\s*pn \d.*$", path.read_text(), re.MULTILINE)))
        gold = lexsub.read_gold(path, min_responses=0)
        assert not any("pn" in gold[item].gold.weights for item in gold.ids)
    assert found == [17, 3]


def test_six_lines_of_the_baseline_have_another_part_of_speech(data):
    folder = data("ls07")
    gold = lexsub.read_gold(folder / "trial.gold")
    run = lexsub.read_run(folder / "runs" / "BL_trial.best")
    notes = lexsub.score(gold, run, ["best"], resampling=Resampling("none")).notes
    assert any("part of speech" in note and note.endswith(" 6") for note in notes)


def test_an_answer_that_is_the_target_counts_where_people_gave_it(data):
    assert lexsub.read_gold(data("ls07") / "test.gold")["1081"].gold.weights["solid"] > 0
