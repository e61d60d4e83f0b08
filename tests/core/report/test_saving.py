"""Reports and paper kits from Python are those of the command line; what has none is refused in a sentence."""

import pytest
from click.testing import CliRunner

import touchstone
from touchstone import TouchstoneError, lexsub, mt
from touchstone.base.codes import Code
from touchstone.cli.groups import task_group

app = task_group("mt")

REFERENCE = ["The cat sat on the mat .", "It rained all day ."] * 4
RUNS = {"a": ["A cat sat on a mat .", "It rained all day ."] * 4, "b": ["A cat .", "It rains ."] * 4}


@pytest.fixture(scope="module")
def results():
    return mt.score(REFERENCE, RUNS, ["chrf"])


def test_the_report_of_results_has_their_ranking_and_their_texts(results, tmp_path):
    touchstone.write_report(results, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "<title>Translation" in page
    assert "A cat sat on a mat ." in page


def test_only_measures_that_were_compared_have_columns_of_ranks(tmp_path):
    both = mt.score(REFERENCE, RUNS, ["chrf", "bleu"])
    for compared in (["chrf"], ["chrf", "bleu"]):
        touchstone.write_report([touchstone.compare(both, name) for name in compared], tmp_path / "report.html")
        page = (tmp_path / "report.html").read_text("utf-8")
        ranking = page[page.index('id="ranking"') : page.index('id="differences"')]
        assert ranking.count('<table class="panel">') == 2
        assert ranking.count(">rank</th>") == ranking.count(">letters</th>") == len(compared)


def test_the_report_is_that_of_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, texts in {"ref": REFERENCE, **RUNS}.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{text}\n" for text in texts), "utf-8")
    assert (
        CliRunner().invoke(app, ["score", "ref.txt", "a.txt", "b.txt", "-m", "chrf", "--report", "r.html"]).exit_code
        == 0
    )
    touchstone.write_report(mt.score("ref.txt", ["a.txt", "b.txt"], ["chrf"]), "python.html")
    assert (tmp_path / "python.html").read_text("utf-8") == (tmp_path / "r.html").read_text("utf-8")


def test_comparisons_have_a_report_and_a_paper_kit(results, tmp_path):
    comparison = touchstone.compare(results)
    touchstone.write_report([comparison], tmp_path / "report.html")
    touchstone.write_paper(comparison, tmp_path / "paper")
    assert "chrF" in (tmp_path / "paper" / "table.tex").read_text("utf-8")


def test_an_explanation_is_drawn_and_has_a_report(tmp_path):
    explanation = mt.explain(REFERENCE[:1], {"a": RUNS["a"][:1]}, measure="maxsim(n)")
    assert touchstone.plot(explanation)._repr_svg_().startswith("<svg")
    touchstone.write_report(explanation, tmp_path / "item.html")
    assert "<svg" in (tmp_path / "item.html").read_text("utf-8")


def test_estimates_and_judges_have_a_report(tmp_path):
    judge = [{"system": s, "item": i, "score": (i * (7 + j)) % 10} for j, s in enumerate("ab") for i in range(90)]
    human = [{**row, "score": row["score"] + row["item"] % 2} for row in judge if row["item"] < 30]
    [paired] = touchstone.paired_tables(human, judge)
    for found in (touchstone.estimate(paired), touchstone.assess(paired)):
        touchstone.write_report(found, tmp_path / "report.html")
        assert "<svg" in (tmp_path / "report.html").read_text("utf-8")


def test_results_put_together_from_several_scorings_have_no_report(tmp_path):
    gold = {"1": {"glad": 3}, "2": {"big": 2}}
    parts = [lexsub.score(gold, {name: {"1": ["glad"], "2": [name]}}, ["R"]) for name in ("big", "huge")]
    with pytest.raises(TouchstoneError) as error:
        touchstone.write_report(touchstone.compare(parts), tmp_path / "report.html")
    assert error.value.code == Code.UNSUPPORTED


@pytest.mark.parametrize("shown", [3, [], None, "results"])
def test_what_has_no_report_paper_or_figure_is_refused(shown, tmp_path):
    for write in (touchstone.write_report, touchstone.write_paper):
        with pytest.raises(TouchstoneError) as error:
            write(shown, tmp_path / "out")
        assert error.value.code == Code.BAD_VALUE
    with pytest.raises(TouchstoneError) as error:
        touchstone.plot(shown)
    assert error.value.code == Code.BAD_VALUE


def test_what_holds_many_numbers_prints_as_a_line():
    judge = [{"system": "a", "item": i, "score": i % 499} for i in range(500)]
    human = [{**row, "score": row["score"] + row["item"] % 20} for row in judge[::10]]
    [paired] = touchstone.paired_tables(human, judge)
    for one in (paired, mt.read_gold([REFERENCE * 100])):
        assert len(repr(one)) < 200


@pytest.mark.parametrize("name", ["fig.pdf", "fig.png", "fig.PNG", "fig.html", "fig.svgz", "fig"])
def test_a_figure_is_saved_to_svg_only(results, name, tmp_path):
    with pytest.raises(TouchstoneError) as refused:
        touchstone.plot(results).save(tmp_path / name)
    assert refused.value.code == Code.UNKNOWN_FORMAT
    assert "rsvg-convert" in str(refused.value)
    assert not any(tmp_path.iterdir())


def test_a_figure_is_saved_to_svg(results, tmp_path):
    for name in ("fig.svg", "fig.SVG"):
        touchstone.plot(results).save(tmp_path / name)
        assert (tmp_path / name).read_text("utf-8").startswith("<svg")


@pytest.mark.parametrize("name", ["page.pdf", "page.png", "page.svg", "page.docx", "page.txt", "page.xlsx"])
def test_a_report_is_written_to_html_only(results, name, tmp_path):
    with pytest.raises(TouchstoneError) as refused:
        touchstone.write_report(results, tmp_path / name)
    assert refused.value.code == Code.UNKNOWN_FORMAT
    assert "print" in str(refused.value)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["paper.pdf", "paper.tex", "paper.zip"])
def test_a_paper_kit_is_a_folder(results, name, tmp_path):
    with pytest.raises(TouchstoneError) as error:
        touchstone.write_paper(touchstone.compare(results), tmp_path / name)
    assert error.value.code == Code.UNKNOWN_FORMAT
    assert not any(tmp_path.iterdir())
    touchstone.write_paper(touchstone.compare(results), tmp_path / "paper-v1.2")
    assert (tmp_path / "paper-v1.2" / "table.tex").is_file()


def test_a_report_of_several_comparisons_has_their_groups_and_their_gates(tmp_path):
    scored = mt.score(REFERENCE, RUNS, ["chrf", "ter"])
    comparisons = [touchstone.compare(scored, name) for name in ("chrf", "ter")]
    gates = [touchstone.gate(one, "a") for one in comparisons]
    touchstone.write_report(comparisons, tmp_path / "report.html", gates=gates)
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "Gate PASSED: chrf: a is not significantly worse than b" in page
    assert "Differences of ter" in page


def test_what_does_not_belong_to_one_report_is_refused(results, tmp_path):
    comparison = touchstone.compare(results)
    with pytest.raises(TouchstoneError) as error:
        touchstone.write_report([comparison, results], tmp_path / "report.html")
    assert error.value.code == Code.BAD_VALUE
    with pytest.raises(TouchstoneError, match="have no report of their own"):
        touchstone.write_report(results, tmp_path / "report.html", gates=touchstone.gate(comparison, "a"))
    assert not any(tmp_path.iterdir())
