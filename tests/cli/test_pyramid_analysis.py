"""The commands of the pyramid analysis, as a user types them; bad input gets a sentence and exit code 2."""

import json
import shutil
import sys
from pathlib import Path

import pytest

import touchstone
from touchstone.cli import main

DEMO = Path(touchstone.__file__).parent / "examples" / "pyramid"

TABLE = """setid,peerid,score,content
D1,1,0.10,1
D1,2,0.22,2
D1,3,0.31,3
D2,1,0.21,1
D2,2,0.30,2
D2,3,0.43,2
D3,1,0.33,3
D3,2,0.41,2
D3,3,0.52,3
D4,1,0.38,1
D4,2,0.51,3
D4,3,0.63,3
"""


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command line as it is typed; give its exit code, output and remarks."""

    def typed(*arguments):
        monkeypatch.setattr(sys, "argv", ["touchstone", "pyramid", *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as leaving:
            code = leaving.code or 0
        return code, *capsys.readouterr()

    return typed


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    return path


@pytest.fixture
def two(tmp_path):
    """Two folders with the bundled annotations, as of two people."""
    for name in ("ann", "bob"):
        (tmp_path / name).mkdir()
        for path in DEMO.glob("*.pan"):
            shutil.copy(path, tmp_path / name)
    return tmp_path / "ann", tmp_path / "bob"


def factors(found):
    return [row["factor"] for row in found["rows"] if row["kind"] == "effect"]


def test_analyse_shows_tables_sentences_and_a_signature(run, table, tmp_path):
    report = tmp_path / "analysis.html"
    code, output, remarks = run("analyse", table, "--factors", "setid,peerid", "--baseline", "1", "--report", report)
    assert code == 0
    assert "Analysis of variance, type II: score ~ setid + peerid" in output
    assert "2 of 2 peers are significantly above the baseline 1." in output
    assert " | pyramid analysis | " in output
    assert f"the report is in {report}" in remarks
    assert report.read_text().count("<svg") == 2 * 2  # each for a wide and for a narrow window


def test_analyse_without_factors_takes_set_and_peer(run, table):
    _, output, _ = run("analyse", table, "--json")
    assert factors(json.loads(output)) == ["setid", "peerid"]


def test_analyse_names_its_test_and_its_type(run, table):
    _, output, _ = run("analyse", table, "--test", "lsd", "--type", "I", "--means", "least-squares")
    assert "Fisher LSD" in output
    assert "type I:" in output
    assert "least-squares means" in output


def test_analyse_compares_two_evaluations(run, table, tmp_path):
    later = tmp_path / "later.csv"
    later.write_text(TABLE.replace("D4", "D5"))
    _, output, _ = run("analyse", table, "--beside", later, "--baseline", "1")
    assert "Evaluations by the differences between peers that they show" in output
    assert "later" in output


def test_analyse_fits_a_mixed_model_of_random_sets(run, table, tmp_path):
    report = tmp_path / "analysis.html"
    _, output, _ = run("analyse", table, "--random", "setid", "--report", report)
    assert "Mixed model: components of variance, score ~ peerid + (1 | setid)" in output
    assert "Shares of the variance in score ~ peerid + (1 | setid): setid" in output
    assert "Mixed model" in report.read_text()


def test_analyse_and_table_take_ratings_of_nist(run, table, tmp_path):
    overall = tmp_path / "2006_overall.table"
    overall.write_text(
        "heading\n"
        + "".join(f"D{one} M A {peer} {1 + (one + peer) % 2}\n" for one in range(1, 5) for peer in (1, 2, 3))
    )
    found = json.loads(run("analyse", table, "--ratings", overall, "--factors", "setid,peerid,overall", "--json")[1])
    assert factors(found) == ["setid", "peerid", "overall"]
    rows = json.loads(run("table", DEMO, "--ratings", overall, "--json")[1])["rows"]
    assert {row["overall"] for row in rows} == {None}


def test_what_table_writes_analyse_reads(run, tmp_path):
    out = tmp_path / "table.parquet"
    assert run("table", DEMO, "-o", out)[0] == 0
    code, _, remarks = run("analyse", out)
    assert code == 2
    assert "a factor has one level in all rows" in remarks  # the example has one document set


def test_agreement_shows_coefficients_and_scores(run, two, tmp_path):
    report = tmp_path / "agreement.html"
    code, output, _ = run("agreement", *two, "--draws", "50", "--report", report)
    assert code == 0
    assert "decision (51)" in output
    assert "Do the two give the same scores? 3 summaries" in output
    assert "<svg" in report.read_text()
    rows = json.loads(run("agreement", *two, "--draws", "50", "--json")[1])["rows"]
    assert {row["value"] for row in rows if row.get("measure") == "kappa"} == {1.0}


def test_agreement_compares_pyramids(run):
    code, output, remarks = run("agreement", DEMO / "T01.pyr", DEMO / "T01.pyr", "--draws", "50")
    assert code == 0
    assert "Two pyramids of the same models" in output
    assert "is not known" in remarks


def test_agreement_of_votes_needs_one_file(run, tmp_path):
    votes = tmp_path / "votes.jsonl"
    rows = [
        {"item": "d", "system": "s", "scu": str(n), "label": "x", "present": True, "votes": [1, 1, n % 2]}
        for n in range(4)
    ]
    votes.write_text("".join(json.dumps(row) + "\n" for row in rows))
    _, output, _ = run("agreement", votes, "--draws", "50")
    assert "decision (4)" in output


def test_tables_of_two_people_are_their_votes(run, tmp_path):
    for person, present in (("anna", 1), ("ben", 0)):
        rows = [f"d,s,{unit},{present if unit == 3 else unit % 2}\n" for unit in range(4)]
        (tmp_path / f"{person}.csv").write_text("document,system,unit,present\n" + "".join(rows))
    _, output, _ = run("agreement", tmp_path / "anna.csv", tmp_path / "ben.csv", "--draws", "50")
    [raw] = [line for line in output.splitlines() if "raw_agreement" in line]
    assert "decision (4)" in output
    assert "0.750" in raw  # three of four decisions


def test_power_shows_curve_and_subsets(run, table, tmp_path):
    report = tmp_path / "power.html"
    code, output, _ = run("power", table, "--peers", "01,3", "--draws", "200", "--report", report)
    assert code == 0
    assert "Peers 1 and 3: power, paired t" in output
    assert "Subsets of setid" in output
    assert report.read_text().count("<svg") == 2
    rows = json.loads(run("power", table, "--json", "--draws", "200")[1])["rows"]
    assert {row["kind"] for row in rows} == {"wanted_pair", "differing_pair", "subset_size"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["analyse", "absent.csv"], "absent.csv: no such file"),
        (["analyse", "TABLE", "--dependent", "scroe"], 'unknown column: "scroe"; nearest valid name "score"'),
        (["analyse", "TABLE", "--factors", "setid,contnet"], 'unknown column: "contnet"; nearest valid name "content"'),
        (["analyse", "TABLE", "--alpha", "2"], "alpha 2.0 is not between 0 and 1"),
        (["analyse", "TABLE", "--baseline", "7"], 'no such level: "7"'),
        (["analyse", "TABLE", "--factors", "setid,setid"], "column named twice"),
        (["analyse", "TABLE", "--beside", "absent.csv"], "absent.csv: no such file"),
        (["analyse", "TABLE", "--report", "absent/x.html"], "cannot be written"),
        (["analyse", "TABLE", "--random", "topic"], 'unknown column: "topic"'),
        (["analyse", "TABLE", "--factors", "setid,peerid", "--random", "score"], "column named twice"),
        (["analyse", "TABLE", "--ratings", "absent.table"], "absent.table: no such file"),
        (["analyse", "TABLE", "--ratings", "TABLE.table"], "table.table: no line of document set"),
        (["analyse", "DEMO"], "make a table of annotations first: touchstone pyramid table"),
        (["agreement", "DEMO"], "1 inputs are not two people"),
        (["agreement", "DEMO", "absent"], "absent: no such file"),
        (["agreement", "DEMO", "TABLE"], "table.csv"),
        (["power", "TABLE", "--peers", "1"], "two peers are needed"),
        (["power", "TABLE", "--peers", "1,9"], 'no such peer: "9"'),
        (["power", "TABLE", "--peers", "1,1"], "does not differ from itself"),
        (["power", "TABLE", "--peers", "1,2", "--target", "1.5"], "power 1.5 is not between 0 and 1"),
    ],
)
def test_bad_input_gets_a_sentence_and_exit_code_2(run, table, arguments, sentence):
    places = {"TABLE": table, "DEMO": DEMO, "TABLE.table": table.with_suffix(".table")}
    places["TABLE.table"].write_text(TABLE)
    code, _, remarks = run(*(places.get(argument, argument) for argument in arguments))
    assert (code, "Traceback" in remarks) == (2, False)
    assert "error: " in remarks
    assert sentence in remarks


@pytest.mark.parametrize(
    "text", ["", "setid,peerid\n", "a,b\n1,2\n", "setid,peerid,score\nD1,1\n", "\x00\xff", 'x,"y\n']
)
@pytest.mark.parametrize("command", [["analyse"], ["power", "--peers", "1,2"]])
def test_files_that_are_no_tables_of_scores_are_refused(run, tmp_path, text, command):
    path = tmp_path / "bad.csv"
    path.write_bytes(text.encode("latin-1"))
    code, _, remarks = run(command[0], path, *command[1:])
    assert code == 2
    assert remarks.startswith("error: ")
