"""The commands of translation, as a user types them."""

import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import touchstone
from touchstone import TouchstoneError, mt
from touchstone.cli.groups import task_group

app = task_group("mt")

DEMO = Path(touchstone.__file__).parent / "examples" / "mt"
REF = (DEMO / "refA.en",)


def run(*arguments, code: int = 0):
    result = CliRunner().invoke(app, list(map(str, arguments)))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


@pytest.fixture
def beside(tmp_path, monkeypatch):
    """Work in a folder with the example's files, each system as NAME.en."""
    monkeypatch.chdir(tmp_path)
    for name in ("refA.en", "refB.en"):
        shutil.copy(DEMO / name, tmp_path)
    (tmp_path / "sys").mkdir()
    for path in (DEMO / "de-en").iterdir():
        shutil.copy(path, tmp_path / "sys" / f"{path.name}.en")
    return tmp_path


def test_score_takes_a_reference_systems_and_measures_and_writes_a_report(beside):
    result = run(
        *("score", "refA.en", "sys/kestrel.en", "sys/heron.en"),
        *("--measure", "maxsim(n)", "--measure", "bleu", "--measure", "meteor(classic)", "--report", "report.html"),
    )
    lines = [line.split() for line in result.stdout.split("\n")]
    for measure in ("maxsim(n)", "bleu", "meteor(classic)"):
        assert any(line[:2] == [measure, "kestrel"] for line in lines)
    assert " | mt | " in result.stdout
    assert "<svg" in (beside / "report.html").read_text()


def test_score_takes_several_references_and_writes_items(beside):
    systems = sorted((beside / "sys").glob("*.en"))
    run("score", "refA.en", *systems, "--ref", "refB.en", "--measure", "maxsim(n+d)", "--items", "i.parquet")
    table = pq.read_table("i.parquet")
    assert table.num_rows == 4 * 12
    assert {"system", "id", "flag", "maxsim(n+d)"} <= set(table.column_names)
    assert set(table.column("system").to_pylist()) == {"heron", "kestrel", "magpie", "sparrow"}


def test_explain_draws_the_alignment(beside):
    result = run("explain", "refA.en", "sys/heron.en", "--item", 3, "-m", "maxsim(n)", "--svg", "alignment.svg")
    assert "heron: maxsim(n) 0." in result.stdout
    assert "conductor" in (beside / "alignment.svg").read_text()


def test_a_folder_of_systems_is_a_set_of_systems_and_notes_go_to_standard_error():
    result = run("score", *REF, DEMO / "de-en", "--ref", DEMO / "refB.en", "-m", "chrf", "--draws", 50)
    assert "sparrow: lines with entities, which were decoded: 1" in result.stderr
    assert "sparrow: empty translations, which score 0 (of 12): 1" in result.stderr


def test_json_has_a_row_for_each_system_and_measure():
    found = json.loads(run("score", *REF, DEMO / "de-en", "-m", "chrf", "-m", "ter", "--json").stdout)
    assert set(found["rows"][0]) == {"kind", "system", "measure", "group", "value", "low", "high", "n"}
    assert len(found["rows"]) == 8
    assert "chrf" in found["signature"]["metrics"]


def test_compare_puts_the_lowest_first_where_lower_is_better():
    found = json.loads(run("compare", *REF, DEMO / "de-en", "-m", "ter", "--json").stdout)
    values = [row["value"] for row in found["rows"] if row["kind"] == "value"]
    assert values == sorted(values)
    worst = [row for row in found["rows"] if row["kind"] == "pair"][-1]
    assert worst["b"] == "sparrow"
    assert worst["difference"] < 0
    assert worst["wins"] > worst["losses"]


def test_systems_can_be_named():
    result = run("score", *REF, f"mine={DEMO / 'de-en' / 'heron'}", "-m", "chrf", "--json")
    assert {row["system"] for row in json.loads(result.stdout)["rows"]} == {"mine"}
    with pytest.raises(TouchstoneError, match="not of the form NAME=FILE"):
        run("score", *REF, "mine=", "-m", "chrf")


@pytest.mark.filterwarnings("ignore:x. equals the reference:touchstone.TouchstoneWarning")
def test_a_table_needs_no_reference_and_has_groups(tmp_path):
    path = tmp_path / "set.tsv"
    rows = [
        f"{n}\t{s}\t{'a cat' if s == 'x' else 'a dog'}\ta cat\t{'de' if n < 3 else 'cs'}"
        for s in "xy"
        for n in range(5)
    ]
    path.write_text("segment\tsystem\thypothesis\treference\tgroup\n" + "\n".join(rows) + "\n")
    found = json.loads(run("score", path, "-m", "chrf", "--by", "group", "--json").stdout)["rows"]
    assert {(row["system"], row["group"]): row["n"] for row in found if row["system"] == "x"} == {
        ("x", "de"): 3,
        ("x", "cs"): 2,
        ("x", None): 5,
    }


def test_a_metric_of_ones_own_in_ten_lines_goes_everywhere(beside):
    (beside / "letters_metric.py").write_text(
        "from touchstone.core.matching import Matcher, pairwise\n"
        "shared = pairwise(lambda a, b: len(set(a) & set(b)) / len(set(a) | set(b)))\n"
        "letters = Matcher(items=str.split, stages={'same': str.lower}, similarity=shared)\n"
    )
    name = "letters_metric:letters"
    assert name in run("score", "refA.en", "sys", "-m", name, "--draws", 20).stdout
    assert name in run("compare", "refA.en", "sys", "-m", name).stdout
    assert "similar" in run("explain", "refA.en", "sys/heron.en", "--item", 1, "-m", name).stdout


def test_inline_analyses_are_read_where_asked(tmp_path):
    ref, mine = tmp_path / "ref.txt", tmp_path / "mine.txt"
    ref.write_text("the/DT automobile/NN stop/VBD\n")
    mine.write_text("the/DT car/NN stop/VBD\n")
    found = json.loads(run("score", ref, mine, "--texts", "analysed", "-m", "maxsim(n)", "--json").stdout)
    assert found["rows"][0]["value"] == pytest.approx(65 / 72)  # toy case 2 of the specification


def test_validate_lists_faults_and_exits_with_2(tmp_path):
    ref, short = tmp_path / "ref.en", tmp_path / "short.en"
    ref.write_text("a\nb\n")
    short.write_text("a\n")
    assert "1 lines where the references have 2" in run("validate", ref, short, code=2).stdout
    assert "ok: kestrel: 12 translations" in run("validate", *REF, DEMO / "de-en", "--ref", DEMO / "refB.en").stdout


def test_bad_requests_leave_nothing_behind(beside):
    for arguments, said in (
        (("score", "refA.en", "sys", "-m", "blue", "--report", "r.html"), "unknown measure"),
        (("score", "refA.en", "sys", "-m", "chrf", "--items", "i.xls"), "no table format has this suffix"),
        (("score", "refA.en", "sys", "-o", "refA.en"), "this output is also an input"),
        (("score", "refA.en", "sys", "--ref", "refB.en", "-o", "refB.en"), "this output is also an input"),
        (("score", "refA.en", "sys", "--report", "refA.en"), "a report is an HTML page"),
        (("score", "refA.en", "sys", "-m", "maxsim(n)", "--lang", "de"), "is for English, not 'de'"),
        (("explain", "refA.en", "sys", "--item", "99", "--svg", "a.svg"), "unknown segment"),
    ):
        with pytest.raises(TouchstoneError, match=said):
            run(*arguments)
    assert sorted(path.name for path in beside.iterdir()) == ["refA.en", "refB.en", "sys"]


def test_the_help_says_how_systems_are_named():
    text = " ".join(run("score", "--help").stdout.split())
    assert "a system has the name of its file" in text
    assert "Example: touchstone mt score ref.en kestrel=a.txt heron=b.txt" in text


def test_a_reference_given_twice_is_refused(tmp_path):
    (tmp_path / "ref.en").write_text("a cat\n")
    (tmp_path / "mine.en").write_text("a cat\n")
    with pytest.raises(TouchstoneError, match="this reference is given twice"):
        mt.score(tmp_path / "ref.en", tmp_path / "mine.en", ref=(tmp_path / "ref.en",))
