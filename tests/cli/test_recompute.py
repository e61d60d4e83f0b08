"""A result carries the command that made it, and `touchstone recompute` makes it again: the same, or what changed."""

import io
import json
import shutil
import sys
from pathlib import Path

import pytest

import touchstone
from touchstone.cli import app, main
from touchstone.cli.calling import OUTPUTS, find_command, options_of, repeatable, without_outputs
from touchstone.cli.recomputed import compare_results

ROOT = app
EXAMPLES = Path(touchstone.__file__).parent / "examples"
SCORE = ["nli", "score", "gold.jsonl", "careful.jsonl", "--measure", "accuracy"]

TABLE = "setid,peerid,score\nD1,1,0.10\nD1,2,0.22\nD2,1,0.21\nD2,2,0.30\nD3,1,0.33\nD3,2,0.47\nD4,1,0.38\nD4,2,0.51\n"

PRESENCE = [
    "set,peer,unit,weight,models,present",
    *(f"S{s},{p},{u},1,3,{(s + p * u) % 2}" for s in range(6) for p in (1, 2) for u in range(4)),
]

COMMANDS = [
    "lexsub score demo.gold careful.oot --source demo.xml",
    "lexsub compare demo.gold careful.oot eager.oot --measure rank@10",
    "mt score refA.en de-en --ref refB.en --measure bleu",
    "mt compare refA.en a=de-en/heron b=de-en/magpie --measure bleu",
    "mt meta rankings.csv de-en --ref refA.en --measure bleu",
    "mt agreement rankings.csv",
    "mt tune rankings.csv de-en --ref refA.en --folds 2",
    "pyramid score {pans}",
    "pyramid compare {pans}",
    "pyramid analyse table.csv",
    "pyramid agreement {pan} {pan}",
    "pyramid power table.csv --peers 1,2 --draws 50 --subsets 5",
    "nli score gold.jsonl careful.jsonl --by category",
    "nli compare gold.jsonl careful.jsonl overlap.jsonl",
    "nli breakdown gold.jsonl careful.jsonl --train pairs.jsonl",
    "nli agreement gold.jsonl",
    "nli verify pairs.jsonl answers.jsonl",
    "nli baseline gold.jsonl",
    "nli audit gold.jsonl",
    "items score scores.csv --lower-is-better seconds",
    "items compare scores.csv",
    "items judge human.csv judge.csv",
    "items plan human.csv judge.csv --between osprey plover",
    "items agreement labels.csv",
    "lexsub estimate demo.gold careful.oot --judge demo.gold",
    "lexsub judge demo.gold careful.oot eager.oot --judge demo.gold",
    "lexsub plan demo.gold careful.oot --judge demo.gold --width 0.1",
    "mt judge refA.en de-en --judge refB.en --measure chrf --allow-empty-ref",
    "mt plan refA.en de-en --judge refA.en --measure chrf --width 2",
    "pyramid judge presence.csv --judge presence.csv",
    "pyramid plan presence.csv --judge presence.csv --width 0.2",
    "nli judge human.jsonl careful.jsonl overlap.jsonl --judge judge.jsonl",
    "nli plan human.jsonl careful.jsonl --judge judge.jsonl --width 0.1",
    "mt estimate refA.en de-en --judge refA.en --measure bleu",
    "pyramid estimate presence.csv --judge presence.csv",
    "nli estimate gold.jsonl overlap.jsonl careful.jsonl --judge gold.jsonl",
    "items estimate scores.csv scores.csv --measure correct",
]


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run the program in the test's folder; give its exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def typed(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "argv", ["touchstone", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = 0
        try:
            main()
        except SystemExit as leaving:
            code = leaving.code or 0
        return code, *capsys.readouterr()

    return typed


@pytest.fixture
def nli(tmp_path):
    shutil.copytree(EXAMPLES / "nli", tmp_path, dirs_exist_ok=True)
    return tmp_path


def change_label(path: Path):
    """Change the third label of a run from what it is to another."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[2] = {"id": rows[2]["id"], "label": "neutral" if rows[2]["label"] != "neutral" else "entailment"}
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def stored(path: Path, **changes):
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


@pytest.mark.parametrize("text", COMMANDS)
def test_every_command_that_prints_a_signature_is_made_again_to_the_same_values(text, run, tmp_path):
    task = text.split()[0]
    shutil.copytree(EXAMPLES / task, tmp_path, dirs_exist_ok=True)
    (tmp_path / "table.csv").write_text(TABLE)
    (tmp_path / "presence.csv").write_text("\n".join(PRESENCE))
    pans = sorted(path.name for path in tmp_path.glob("*.pan"))
    words = text.format(pans=" ".join(pans), pan=next(iter(pans), "")).split()
    code, out, err = run(*words, "--json", "-o", "result.json")
    assert (code, out) == (0, ""), err
    assert json.loads((tmp_path / "result.json").read_text())["command"] == [*words, "--json"]
    code, out, err = run("recompute", "result.json")
    assert code == 0, out + err
    assert out.startswith("the same: ")


def test_the_commands_above_are_all_that_can_be_made_again():
    assert {tuple(text.split()[:2]) for text in COMMANDS} == {
        (t, v) for t, verbs in repeatable().items() for v in verbs
    }


def test_options_that_take_a_file_to_write_are_known():
    """An option of a repeatable command whose help says that it writes or draws is one of OUTPUTS."""
    for task, verbs in repeatable().items():
        for verb in verbs:
            for flag, option in options_of(find_command(ROOT, task, verb)).items():
                if flag.startswith("--") and (option.help or "").startswith(("Write", "Draw the")):
                    assert flag in OUTPUTS


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("-o out.json", ""),
        ("-oout.json -q", "-q"),
        ("-qo out.json", "-q"),
        ("-qoout.json", "-q"),
        ("--out=a --report b --items=c.csv", ""),
        ("--measure -o --by x", "--measure -o --by x"),  # the value of --measure, as click reads it
        ("-maccuracy -o f", "-maccuracy"),
        ("-- -o f", "-- -o f"),
    ],
)
def test_a_stored_command_has_no_outputs(given, kept):
    command = find_command(ROOT, "nli", "score")
    words = ["nli", "score", "g", "r"]
    assert without_outputs(command, [*words, *given.split()]) == [*words, *kept.split()]


def test_what_changed_is_named_input_first_then_values_with_their_difference(run, nli):
    run(*SCORE, "--json", "-o", "result.json")
    change_label(nli / "careful.jsonl")
    code, out, _ = run("recompute", "result.json")
    assert code == 1
    lines = out.splitlines()
    assert lines[0].split() == ["signature", "old", "new"]
    assert lines[2].startswith("system careful")
    value = next(line.split() for line in lines if line.startswith("accuracy careful, value"))
    assert float(value[-1]) == pytest.approx(-1 / 38, abs=1e-6)  # 31 and 30 of 38 pairs
    assert lines[-1].startswith("not the same: system careful changed, and ")


def test_the_differences_are_json_too(run, nli):
    run(*SCORE, "--json", "-o", "result.json")
    change_label(nli / "careful.jsonl")
    code, out, _ = run("recompute", "result.json", "--json")
    data = json.loads(out)
    assert code == 1
    assert data["verdict"]["passed"] is False
    rows = {kind: [row for row in data["rows"] if row["kind"] == kind] for kind in ("result", "part", "value")}
    assert rows["result"][0]["same"] is False
    assert [part["name"] for part in rows["part"]] == ["system careful"]
    assert rows["value"][0]["difference"] == pytest.approx(-1 / 38)


def test_a_changed_number_of_the_result_is_found_though_the_inputs_are_the_same(run, nli):
    run(*SCORE, "--json", "-o", "result.json")
    data = json.loads((nli / "result.json").read_text())
    data["rows"][0]["value"] += 0.001
    stored(nli / "result.json", rows=data["rows"])
    code, out, _ = run("recompute", "result.json")
    assert code == 1
    assert "not the same: nothing of the signature changed, and 1 of " in out


def test_inputs_are_looked_for_beside_the_result(run, nli, monkeypatch, tmp_path_factory):
    run(*SCORE, "--json", "-o", "result.json")
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    code, out, _ = run("recompute", nli / "result.json")
    assert (code, out[:10]) == (0, "the same: ")


def test_another_version_is_said_and_compared_all_the_same(run, nli):
    run(*SCORE, "--json", "-o", "result.json")
    signature = json.loads((nli / "result.json").read_text())["signature"]
    stored(nli / "result.json", signature=signature | {"touchstone": "0.0.1"})
    code, out, err = run("recompute", "result.json")
    assert code == 0
    assert "the result was made by touchstone 0.0.1; this is" in err
    assert out.startswith("the same: ")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("no json", "result.json:1: not JSON at column 1"),
        ("[1, 2]", "is not a result"),
        ('{"results": []}', "is not a result"),
        ('{"signature": {"task": "nli"}}', "does not say which command produced it"),
        ('{"signature": {}, "command": ["nli", 3]}', "does not say which command produced it"),
    ],
)
def test_what_is_no_result_gets_a_sentence(content, said, run, tmp_path):
    (tmp_path / "result.json").write_text(content)
    code, out, err = run("recompute", "result.json")
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["nli", "convert", "gold.jsonl", "stolen.csv"], "not run from a file"),
        (["annotate", "serve"], "not run from a file"),
        (["lexsub", "train", "a", "b", "-o", "c"], "not run from a file"),
        (["recompute", "result.json"], "not run from a file"),
        ([], "not run from a file"),
        ([*SCORE, "--json", "--items", "stolen.csv"], "writes files"),
        ([*SCORE, "--json", "-qostolen.csv"], "writes files"),
        ([*SCORE, "--json", "--measure", "evil:thing"], "names Python code"),
        ([*SCORE, "--json", "--nonsense"], "cannot be read (No such option"),
        (SCORE, "prints no JSON"),
        (["nli", "score", "gold.jsonl", "gone.jsonl", "--json"], 'missing: "gone.jsonl"'),
        (["nli", "score", "-", "careful.jsonl", "--json"], "standard input"),
        (["nli", "score", "gold.jsonl", "mine=-", "--json"], "standard input"),
    ],
)
def test_a_command_that_does_more_than_print_numbers_is_refused(command, said, run, nli):
    (nli / "evil.py").write_text("from pathlib import Path\nPath('stolen.csv').write_text('x')\nthing = 1\n")
    (nli / "result.json").write_text(json.dumps({"signature": {"task": "nli"}, "command": command}))
    before = sorted(nli.iterdir())
    code, out, err = run("recompute", "result.json")
    assert (code, out) == (2, "")
    assert said in err
    assert sorted(nli.iterdir()) == before


def test_a_result_from_standard_input_says_that_it_cannot_be_made_again(run, nli):
    run("nli", "score", "-", "careful.jsonl", "--json", "-o", "result.json", stdin=(nli / "gold.jsonl").read_bytes())
    code, _, err = run("recompute", "result.json")
    assert code == 2
    assert "was computed from standard input" in err


def test_of_several_systems_the_one_that_changed_is_named(run, nli):
    run("nli", "score", "gold.jsonl", "overlap.jsonl", "careful.jsonl", "--json", "-o", "result.json")
    change_label(nli / "careful.jsonl")
    code, out, _ = run("recompute", "result.json")
    assert code == 1
    assert out.splitlines()[2].startswith("systems (careful)")


def test_numbers_are_the_same_up_to_a_billionth():
    def result(value):
        row = {"kind": "value", "system": "a", "measure": "f", "value": value, "n": 10**12}
        return {"signature": {}, "rows": [row]}

    assert compare_results(result(0.5), result(0.5 + 1e-12)).same
    assert not compare_results(result(0.5), result(0.5 + 1e-7)).same
    assert not compare_results(result(0.5), result(None)).same


def test_the_order_of_systems_does_not_matter():
    values = (("a", 0.1), ("b", 0.2))
    rows = [{"kind": "value", "system": name, "measure": "f", "value": value} for name, value in values]
    assert compare_results({"signature": {}, "rows": rows}, {"signature": {}, "rows": rows[::-1]}).same


def test_values_are_named_by_what_their_row_is_about():
    about = {"kind": "ranking", "measure": "f", "by": "people", "system": "a"}
    changed = compare_results(
        {"signature": {}, "rows": [{**about, "value": 0.1}, {**about, "by": "judge", "value": 0.1}]},
        {"signature": {}, "rows": [{**about, "value": 0.1}, {**about, "by": "judge", "value": 0.2}]},
    )
    assert [value.name for value in changed.values] == ["ranking f judge a, value"]
