"""The commands of the pyramid method, as a user types them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import touchstone
from touchstone import TouchstoneError, pyramid
from touchstone.cli.groups import task_group

app = task_group("pyramid")

DEMO = Path(touchstone.__file__).parent / "examples" / "pyramid"
PEERS = [str(path) for path in sorted(DEMO.glob("*.pan"))]


def run(*arguments, code: int = 0):
    result = CliRunner().invoke(app, list(map(str, arguments)))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def test_score_prints_values_and_a_signature():
    output = run("score", *PEERS).stdout
    assert "pyramid.modified" in output
    assert "0.923" in output
    assert " | pyramid | " in output


def test_score_takes_a_folder_and_writes_items_report_and_json(tmp_path):
    items, report = tmp_path / "items.csv", tmp_path / "report.html"
    output = run("score", DEMO, "--items", items, "--report", report, "--json", "--by", "set").stdout
    rows = json.loads(output)["rows"]
    assert {row["system"] for row in rows} == {"heron", "magpie", "sparrow"}
    assert {row["group"] for row in rows} == {"T01", None}
    assert len(items.read_text().splitlines()) == 4
    assert "<svg" in report.read_text()


def test_compare_shows_pairs():
    assert "heron – magpie" in run("compare", *PEERS).stdout


def test_explain_shows_the_units_and_writes_its_views(tmp_path):
    html, svg = tmp_path / "view.html", tmp_path / "view.svg"
    output = run("explain", PEERS[1], "--report", html, "--svg", svg).stdout
    assert "X = 36 / 4 rounded half up = 9, optimum(X) = 26" in output
    assert "<mark" in html.read_text()
    assert svg.read_text().startswith("<svg")


def test_explain_shows_a_document_set_in_all_peers(tmp_path):
    found = json.loads(run("explain", DEMO, "--item", "T01", "--json").stdout)
    rows = [row for row in found["rows"] if row["kind"] == "table"]
    assert [row["peer"] for row in rows[:3]] == ["heron", "magpie", "sparrow"]
    svg = tmp_path / "set.svg"
    assert "set T01, peer heron" in run("explain", DEMO, "--item", "T01", "--svg", svg).stdout
    assert "The bridge at Harrow Ford is closed, 2 times" in svg.read_text()
    with pytest.raises(TouchstoneError, match="no such document set"):
        run("explain", DEMO, "--item", "T02")


def test_validate_lists_everything_and_strict_makes_warnings_count(tmp_path):
    assert run("validate", DEMO / "T01.pyr", *PEERS).stdout.count("ok: ") == 4
    assert {row["kind"] for row in json.loads(run("validate", *PEERS, "--json").stdout)["rows"]} == {"input"}
    text = (DEMO / "T01.pyr").read_text()
    start, end = text.index(" <startDocumentRegEx>"), text.index(" <text>")
    bare = tmp_path / "bare.pyr"
    bare.write_text(text[:start] + text[end:])
    assert "warning: " in run("validate", bare).stdout
    run("validate", bare, "--strict", code=2)
    bare.write_text("<pyramid>")
    assert "error: " in run("validate", bare, code=2).stdout


def test_convert_there_and_back_loses_nothing(tmp_path):
    middle, back = tmp_path / "T01.json", tmp_path / "T01.pyr"
    run("convert", DEMO / "T01.pyr", middle)
    run("convert", middle, back)
    assert back.read_bytes() == (DEMO / "T01.pyr").read_bytes()


def test_describe_shows_pyramids_and_their_units_by_weight():
    output = run("describe", DEMO / "T01.pyr").stdout
    assert "Units by weight" in output
    assert "2.118" in output
    assert "| T01 | 4 | 17 |" in run("describe", DEMO, "--format", "markdown").stdout
    rows = json.loads(run("describe", PEERS[0], PEERS[1], "--json").stdout)["rows"]
    assert [row["set"] for row in rows if row["kind"] == "pyramid"] == ["T01"]


def test_table_joins_ratings(tmp_path):
    ratings, out = tmp_path / "quality.csv", tmp_path / "table.csv"
    ratings.write_text("setid,peerid,content\nT01,heron,5\nT01,magpie,3\n")
    result = run("table", *PEERS, "--ratings", ratings, "-o", out)
    head, *rows = out.read_text().splitlines()
    assert head.replace('"', "") == "setid,peerid,annotator,score,original,nscu,nrep,precision,content"
    assert len(rows) == 3
    assert "1 of 3 rows have no ratings" in result.stderr
    assert "sparrow" in run("table", *PEERS).stdout
    assert [row["peerid"] for row in json.loads(run("table", DEMO, "--json").stdout)["rows"]] == [
        "heron",
        "magpie",
        "sparrow",
    ]


def test_presence_is_scored_compared_and_converted(tmp_path):
    folder = tmp_path / "clean"
    (folder / "labels").mkdir(parents=True)
    (folder / "ids.txt").write_text("d1\nd2")
    (folder / "SCUs.txt").write_text("Cats sleep.\tDogs bark.\nBirds sing.")
    (folder / "labels" / "one.label").write_text("1\t0\n1")
    (folder / "labels" / "two.label").write_text("0\t0\n1")
    report, lines = tmp_path / "r.html", tmp_path / "x.jsonl"
    assert "0.750" in run("score", folder, "--report", report).stdout
    run("convert", folder, lines)
    assert len(lines.read_text().splitlines()) == 6
    assert "0.750" in run("score", lines).stdout
    with pytest.raises(TouchstoneError, match="cannot be scored together"):
        run("score", lines, *PEERS)


def test_inputs_that_cannot_be_scored_are_refused(tmp_path):
    with pytest.raises(TouchstoneError, match="no run to score"):
        run("score", DEMO / "T01.pyr")
    with pytest.raises(TouchstoneError, match=r"no \.pan, \.json or \.pyr file"):
        run("score", tmp_path)
    with pytest.raises(TouchstoneError, match="no table format"):
        run("table", *PEERS, "-o", tmp_path / "x.xls")


def test_names_of_later_years_are_understood(tmp_path):
    """2007 and TAC: no annotator in the name, a set with a letter, no suffix."""
    text = min(DEMO.glob("*.pan")).read_text("utf-8")
    (tmp_path / "D0703-A.M.100.C.12").write_text(text, "utf-8")
    (tmp_path / "D0704-A.M.100.C.12.pan").write_text(text, "utf-8")
    items = pyramid.read_gold(tmp_path).annotations
    assert [(one.set, one.peer, one.annotator) for one in items] == [("D0703-A", "12", ""), ("D0704-A", "12", "")]
