"""Metrics against judges, as a user types it: small files, every option, and bad input in a sentence."""

import json

import pytest
from click.testing import CliRunner

from touchstone import TouchstoneError
from touchstone.cli.groups import task_group

app = task_group("mt")

REFERENCE = ["the cat sat on the mat", "they bought a new house", "he reads the paper every morning"]
SYSTEMS = {
    "good": ["the cat sat on a mat", "they bought a new house", "he reads a paper every morning"],
    "fair": ["a cat on the mat", "they purchased the house", "he reads paper"],
    "poor": ["mat mat mat", "house they", "morning reading it does"],
}
HEADER = "srclang,trglang,srcIndex,judgeId,system1Id,system2Id,system3Id,system1rank,system2rank,system3rank\n"


@pytest.fixture
def folder(tmp_path):
    for pair in ("cs-en", "de-en"):
        (tmp_path / pair).mkdir()
        for name, lines in SYSTEMS.items():
            (tmp_path / pair / name).write_text("\n".join(lines) + "\n")
    (tmp_path / "ref.en").write_text("\n".join(REFERENCE) + "\n")
    rows = [
        f"{language},English,{line},{judge},good,fair,poor,{ranks}\n"
        for language in ("Czech", "German")
        for line in (1, 2, 3)
        for judge, ranks in (("J1", "1,2,3"), ("J2", "1,1,2"))
    ]
    (tmp_path / "rankings.csv").write_text(HEADER + "".join(rows))
    scores = "".join(
        f"{line}\t{name}\tJ1\t{5 - place}\t{4 - place}\tcs-en\n"
        for line in (1, 2, 3)
        for place, name in enumerate(SYSTEMS)
    )
    (tmp_path / "scores.tsv").write_text("segment\tsystem\tjudge\tadequacy\tfluency\tgroup\n" + scores)
    return tmp_path


def run(*arguments):
    result = CliRunner().invoke(app, list(map(str, arguments)))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result


def meta(folder, *more, pairs=("cs-en", "de-en"), human="rankings.csv"):
    return run(
        "meta", folder / human, *(folder / pair for pair in pairs), "--ref", folder / "ref.en", "--draws", 50, *more
    )


def test_meta_prints_a_table_for_systems_one_for_segments_and_tests(folder):
    said = meta(folder, "--measure", "bleu", "--measure", "chrf").stdout
    for words in (
        "System level, rank: Spearman",
        "Segment level, rank: tau",
        "Tests between metrics, rank",
        "| mt meta |",
    ):
        assert words in said
    assert "cs-en" in said
    assert "average" in said
    signature = json.loads(meta(folder, "--measure", "chrf", "--json").stdout)["signature"]
    assert signature["intervals"].startswith("95% percentile bootstrap over segments, 50 draws, seed 0")


def test_meta_json_has_agreements_tests_and_systems(folder):
    found = json.loads(meta(folder, "-m", "chrf", "-m", "bleu", "--json").stdout)
    assert {row["kind"] for row in found["rows"]} == {"agreement", "test", "system", "perm_both", "cluster"}
    agreements = [row for row in found["rows"] if row["kind"] == "agreement"]
    (row,) = [r for r in agreements if (r["measure"], r["statistic"], r["group"]) == ("chrf", "spearman", "cs-en")]
    assert row["value"] == pytest.approx(1)
    assert set(row) == {"kind", "measure", "statistic", "criterion", "group", "value", "low", "high", "n", "reason"}
    assert [row["system"] for row in found["rows"] if row["kind"] == "system"][:3] == ["good", "fair", "poor"]


def test_the_report_is_one_file_with_scatter_and_heat_map(folder):
    report = folder / "meta.html"
    meta(folder, "-m", "chrf", "-m", "bleu", "--report", report)
    html = report.read_text()
    assert "chrf against judges" in html
    assert "Metric against metric: segments" in html
    assert html.count("<svg") == 2 * 5  # each for a wide and for a narrow window


def test_rules_are_said_where_they_are_chosen(folder):
    rules = ["-m", "chrf", "--ties", "skip", "--segments", "all", "--calibrate", "split"]
    said = meta(folder, *rules).stdout
    assert "ties of the metric are left out: (C - D)/(C + D)" in said
    assert "each system scored on all segments" in said
    signature = json.loads(meta(folder, *rules, "--json").stdout)["signature"]
    assert (signature["segments"], signature["calibrate"]) == ("all", "split")


@pytest.mark.parametrize(("form", "mark"), [("markdown", "| metric |"), ("latex", r"\begin{tabular}")])
def test_tables_come_as_markdown_and_latex(folder, form, mark):
    assert mark in meta(folder, "-m", "chrf", "--format", form).stdout


def test_scores_of_judges_are_criteria_side_by_side(folder):
    said = meta(folder, "-m", "chrf", pairs=("cs-en",), human="scores.tsv").stdout
    assert "Spearman under each criterion" in said
    assert "adequacy: correlation with the scores of translations" in said


def test_agreement_prints_inter_and_intra(folder):
    said = run("agreement", folder / "rankings.csv", "--draws", 50).stdout
    assert "inter" in said
    assert "intra" in said
    found = json.loads(run("agreement", folder / "rankings.csv", "--draws", 50, "--json").stdout)
    (row,) = [r for r in found["rows"] if (r["among"], r["group"], r["measure"]) == ("inter", "cs-en", "raw_agreement")]
    assert row["value"] == pytest.approx(2 / 3)


def test_tune_names_what_was_tried_and_left_out(folder):
    given = [folder / "rankings.csv", folder / "cs-en", "--ref", folder / "ref.en"]
    said = run("tune", *given, "--tuned", "maxsim", "--folds", 3, "--draws", 50).stdout
    assert "209 settings tried in each fold" in said
    assert "held out" in said


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (("good,fair", "godd,fair"), 'unknown system in 1 judgement: "godd"; nearest valid name "good"'),
        (("English,3,J2", "English,4,J2"), 'unknown segment in 3 judgements: "4"'),
        (("1,2,3\n", "1,2,0\n"), 'a rank must be a whole number from 1, or -1 for a blank: "0"'),
    ],
)
def test_bad_judgements_are_refused_with_their_line(folder, change, wanted):
    path = folder / "rankings.csv"
    path.write_text(path.read_text().replace(*change, 1))
    with pytest.raises(TouchstoneError) as caught:
        meta(folder, "-m", "chrf", "--report", folder / "meta.html")
    assert wanted in str(caught.value)
    assert "rankings.csv:" in str(caught.value)
    assert not (folder / "meta.html").exists()


@pytest.mark.parametrize("command", ["meta", "tune", "agreement"])
def test_a_column_named_behind_a_file_of_judgements_is_refused(folder, command):
    sides = () if command == "agreement" else (folder / "cs-en", folder / "de-en", "--ref", folder / "ref.en")
    with pytest.raises(TouchstoneError, match=r"scores\.tsv:fluency: no such file"):
        run(command, f"{folder / 'scores.tsv'}:fluency", *sides, "--draws", 50)


def test_two_systems_are_too_few(folder):
    (folder / "cs-en" / "poor").unlink()
    path = folder / "rankings.csv"
    path.write_text(path.read_text().replace("fair,poor", "fair,").replace(",3\n", ",\n").replace("1,1,2\n", "1,1,\n"))
    with pytest.raises(TouchstoneError, match="2 judged systems are too few to correlate"):
        meta(folder, "-m", "chrf", pairs=("cs-en",))


def test_a_report_does_not_write_over_an_input(folder):
    (folder / "documents.html").write_text("a\na\nb\n")
    with pytest.raises(TouchstoneError, match="this output is also an input"):
        meta(folder, "-m", "chrf", "--documents", folder / "documents.html", "--report", folder / "documents.html")
    with pytest.raises(TouchstoneError, match="a report is an HTML page"):
        meta(folder, "-m", "chrf", "--report", folder / "rankings.csv")


def test_two_pairs_of_one_name_are_refused_and_pairs_can_be_named(folder):
    (folder / "more").mkdir()
    (folder / "cs-en").rename(folder / "more" / "de-en")
    with pytest.raises(TouchstoneError, match="two language pairs have the same name"):
        meta(folder, "-m", "chrf", pairs=("de-en", "more/de-en"))
    more = f"cs-en={folder / 'more' / 'de-en'}"
    assert "cs-en" in meta(folder, more, "-m", "chrf", pairs=("de-en",)).stdout


def test_several_files_of_judgements_are_criteria_side_by_side(folder):
    given = ("--judgements", folder / "scores.tsv", "-m", "chrf")
    assert "Spearman under each criterion" in meta(folder, *given, pairs=("cs-en",)).stdout


def test_a_table_holds_the_references_of_its_pair(folder):
    rows = [
        f"{line}\t{name}\t{text}\t{REFERENCE[line - 1]}"
        for name, texts in SYSTEMS.items()
        for line, text in enumerate(texts, 1)
    ]
    (folder / "cs-en.tsv").write_text("segment\tsystem\thypothesis\treference\n" + "\n".join(rows) + "\n")
    given = ("meta", folder / "rankings.csv", folder / "cs-en.tsv", "-m", "chrf", "--draws", 50)
    assert "System level, rank: Spearman" in run(*given).stdout


def test_tables_go_to_a_file(folder):
    meta(folder, "-m", "chrf", "-o", folder / "tables.txt")
    assert "System level, rank: Spearman" in (folder / "tables.txt").read_text()


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_draws_without_a_pair_have_no_value_and_no_warning(folder):
    """A draw that repeats a segment with one score has no pair of translations to be right about."""
    rows = [f"{line}\t{name}\tJ1\t{line}\n" for line, name in enumerate(SYSTEMS, 1)]
    (folder / "few.tsv").write_text("segment\tsystem\tjudge\tadequacy\n" + "".join(rows))
    assert "acc_eq pooled" in meta(folder, "-m", "chrf", pairs=("cs-en",), human="few.tsv").stdout


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_scores_of_systems_beside_a_metric_make_no_warning(folder):
    scores = "".join(f"{name}\t{place}\n" for place, name in enumerate(SYSTEMS))
    (folder / "own.tsv").write_text("system\tscore\n" + scores)
    given = ("-m", "chrf", "--scores", f"own={folder / 'own.tsv'}")
    assert "own" in meta(folder, *given, pairs=("cs-en",), human="scores.tsv").stdout
