"""The commands of inference challenge sets, as a user types them."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

import touchstone
from touchstone import TouchstoneError, nli
from touchstone.cli.groups import task_group
from touchstone.tasks.nli.formats.writing import format_pairs

app = task_group("nli")

DEMO = Path(touchstone.__file__).parent / "examples" / "nli"
GOLD, SYSTEMS = DEMO / "gold.jsonl", (DEMO / "overlap.jsonl", DEMO / "careful.jsonl")


def run(*arguments, code: int = 0):
    result = CliRunner().invoke(app, list(map(str, arguments)))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def test_verify_makes_the_gold_of_the_example_from_its_answers(tmp_path):
    out, discards = tmp_path / "gold.jsonl", tmp_path / "discards.jsonl"
    said = run("verify", DEMO / "pairs.jsonl", DEMO / "answers.jsonl", "--kept", out, "--discards", discards).stdout
    kept = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [pair.pop("kept_of") for pair in kept] == [40] * 38
    assert kept == [json.loads(line) for line in GOLD.read_text("utf-8").splitlines()]
    assert len(discards.read_text().splitlines()) == 41 - 38
    assert "human_leave_one_out" in said


def test_agreement_prints_tables_or_json():
    assert "human performance" in run("agreement", GOLD, "--by", "category").stdout
    found = json.loads(run("agreement", GOLD, "--json").stdout)
    assert {row["measure"] for row in found["rows"] if row["kind"] == "coefficient"} >= {"kappa", "ac1", "human"}


def test_score_prints_the_majority_class_and_a_signature_and_writes_files(tmp_path):
    items, report = tmp_path / "items.csv", tmp_path / "report.html"
    result = run("score", GOLD, *SYSTEMS, "--by", "category", "--items", items, "--report", report, "--draws", 50)
    assert "majority_class" in result.stdout
    assert " | nli | " in result.stdout
    assert "overlap: accuracy 0.553 is below that of the majority class, 0.605" in result.stderr
    assert len(items.read_text().splitlines()) == 3 * 38 + 1
    assert "<svg" in report.read_text()


def test_score_json_has_a_row_for_each_system_measure_and_group():
    found = json.loads(run("score", GOLD, *SYSTEMS, "--by", "category", "--json", "--draws", 50).stdout)
    assert "jackknife t over premises" in found["signature"]["intervals"]
    rows = found["rows"]
    rows = [row for row in rows if row["kind"] == "value"]
    assert set(rows[0]) == {"kind", "system", "measure", "group", "value", "low", "high", "n"}
    (row,) = [r for r in rows if (r["system"], r["measure"], r["group"]) == ("overlap", "accuracy", None)]
    assert row["value"] == 21 / 38


def test_systems_are_named_by_their_arguments():
    named = [f"x={SYSTEMS[0]}", f"y={SYSTEMS[1]}"]
    rows = json.loads(run("score", GOLD, *named, "--json", "--intervals", "none").stdout)["rows"]
    assert list(dict.fromkeys(row["system"] for row in rows)) == ["x", "y", nli.MAJORITY]


def test_compare_shows_mcnemar_beside_the_test_by_premise():
    assert "McNemar p" in run("compare", GOLD, *SYSTEMS).stdout
    found = json.loads(run("compare", GOLD, *SYSTEMS, "--json").stdout)
    discordant = [row for row in found["rows"] if row["kind"] == "table"]
    assert {row["pair"].split(" – ")[0] for row in discordant} == {"careful", "overlap"}
    both = json.loads(run("compare", GOLD, *SYSTEMS, "--json", "-m", "accuracy", "-m", "macro_f1").stdout)
    assert [row["measure"] for row in both["rows"] if row["kind"] == "leader"] == ["accuracy", "macro_f1"]


def test_breakdown_bins_by_vectors_and_training(tmp_path):
    vectors = tmp_path / "glove.txt"
    vectors.write_text("old 1 0\nyoung 0.9 0.1\n")
    items, report = tmp_path / "items.jsonl", tmp_path / "report.html"
    asked = ("--vectors", vectors, "--train", GOLD, "--draws", 20)
    said = run("breakdown", GOLD, *SYSTEMS, *asked, "--items", items, "--report", report).stdout
    assert "accuracy/similarity" in said
    assert "accuracy/frequency" in said
    assert "no contradictions in:" in said
    first = json.loads(items.read_text().splitlines()[0])
    assert {"cosine", "training_count"} <= set(first)
    assert "By frequency" in report.read_text()
    assert json.loads(run("breakdown", GOLD, *SYSTEMS, *asked, "--json").stdout)["rows"]


def test_breakdown_by_nothing_is_refused():
    with pytest.raises(TouchstoneError, match="nothing to group the pairs by"):
        run("breakdown", GOLD, *SYSTEMS)


def test_baseline_writes_predictions_that_can_be_scored(tmp_path):
    out = tmp_path / "default.jsonl"
    said = run("baseline", GOLD, "--reading", "default", "--predictions", out).stdout
    assert "wordnet_default" in said
    assert "co_hyponym" in out.read_text()
    assert "default" in run("score", GOLD, out).stdout


def test_baseline_can_be_the_lexical_rules_and_only_single_edits():
    said = run("baseline", GOLD, "--rules", "--ancestors", "--back-off", "--single-edits").stdout
    assert "lexical_rules" in said
    with pytest.raises(TouchstoneError, match="belong to the lexical rules"):
        run("baseline", GOLD, "--back-off")


def test_audit_looks_at_edits_words_and_other_files():
    said = run("audit", GOLD, "--train", GOLD, "--other", DEMO / "pairs.jsonl").stdout
    assert "always contradiction is right in 60.53% of the pairs with gold" in said
    assert "identical pairs" in said


def test_compare_shows_and_tests_groups_with_by(tmp_path):
    report = tmp_path / "report.html"
    said = run("compare", GOLD, *SYSTEMS, "-m", "accuracy", "--by", "category", "--report", report).stdout
    assert "accuracy by category" in said
    assert "p adjusted over 7 pairs of 7 groups by Holm" in said
    assert "macro_f1" not in said
    assert "accuracy by category" in report.read_text()
    rows = json.loads(run("compare", GOLD, *SYSTEMS, "-m", "accuracy", "--by", "category", "--json").stdout)["rows"]
    groups, pairs = ([row for row in rows if row["kind"] == kind] for kind in ("group", "pair"))
    assert {row["by"] for row in groups} == {"category"}
    assert (len(groups), len([row for row in pairs if row["group"] is None])) == (7, 1)


def test_explain_draws_the_way(tmp_path):
    svg = tmp_path / "pair.svg"
    said = run("explain", GOLD, *SYSTEMS, "--item", "d09", "--svg", svg).stdout
    assert "An old man plays the [violin] under the bridge." in said
    assert "musical_instrument.n.01" in said
    assert svg.read_text().startswith("<svg")


def test_validate_checks_the_ids_of_runs_behind_a_wrong_gold_label(tmp_path):
    (tmp_path / "gold.csv").write_text("id,label\n1,entailmnt\n2,neutral\n3,neutral\n")
    (tmp_path / "run.csv").write_text("id,label\n1,neutral\n2,netral\n9,neutral\n")
    found = json.loads(run("validate", tmp_path / "gold.csv", tmp_path / "run.csv", "--json", code=2).stdout)
    faults = [row for row in found["rows"] if row["kind"] == "fault"]
    assert [(Path(one["file"]).name, one["line"], one["value"], one["code"]) for one in faults] == [
        ("gold.csv", 2, "entailmnt", "bad-cell"),
        ("run.csv", 3, "netral", "bad-cell"),
        ("run.csv", 4, "9", "unknown-id"),
        ("run.csv", None, "3", "missing-id"),
    ]
    assert found["warnings"] == []


def test_validate_exits_with_2_where_something_stops_a_scoring(tmp_path):
    assert run("validate", GOLD, *SYSTEMS).stdout.count("ok: ") == 3
    bad = tmp_path / "bad.tsv"
    bad.write_text("id\tlabel\nd01\tmaybe\n")
    assert "error: " in run("validate", GOLD, bad, code=2).stdout


def test_convert_there_and_back_loses_nothing(tmp_path):
    run("convert", GOLD, tmp_path / "a.jsonl", "--names", "snli")
    run("convert", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "--names", "touchstone")
    assert (tmp_path / "b.jsonl").read_bytes() == GOLD.read_bytes()


def test_the_example_is_what_its_readme_says():
    pairs, runs = nli.read_gold(GOLD), nli.read_runs(SYSTEMS)
    results = nli.score(pairs, runs)
    assert (len(nli.read_gold(DEMO / "pairs.jsonl")), len(pairs), pairs.premises) == (41, 38, 10)
    assert results.row("overlap", "recall.entailment").value == 1
    assert results.row("overlap", "recall.contradiction").value < 1 / 3
    assert format_pairs(pairs.pairs, "touchstone") == GOLD.read_text()
    assert len((DEMO / "README.md").read_text().splitlines()) == 3


@pytest.mark.parametrize(
    "command",
    [
        ("verify", "pairs.jsonl", "answers.jsonl", "--kept", "pairs.jsonl"),
        ("verify", "pairs.jsonl", "answers.jsonl", "--kept", "x.jsonl", "--discards", "x.jsonl"),
        ("baseline", "gold.jsonl", "--predictions", "gold.jsonl"),
        ("breakdown", "gold.jsonl", "x=careful.jsonl", "--train", "pairs.jsonl", "--items", "careful.jsonl"),
        ("explain", "gold.svg", "careful.jsonl", "--item", "d01", "--svg", "gold.svg"),
        ("compare", "gold.jsonl", "careful.html", "--report", "careful.html"),
        ("convert", "gold.jsonl", "gold.jsonl"),
    ],
)
def test_no_output_takes_the_place_of_an_input(command, tmp_path, monkeypatch):
    shutil.copytree(DEMO, tmp_path, dirs_exist_ok=True)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.chdir(tmp_path)
    assert "also an" in str(CliRunner().invoke(app, list(command)).exception)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("option", [["--json"], ["--format", "markdown"]])
@pytest.mark.parametrize("command", ["generate", "propose"])
def test_tables_about_a_list_on_standard_output_are_refused(command, option):
    with pytest.raises(TouchstoneError, match=f"^{' '.join(option)} needs a file for the"):
        run(command, DEMO / "pairs.jsonl", *option)
