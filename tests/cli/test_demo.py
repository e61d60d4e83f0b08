"""The stories of the demonstration are true of its data: what it says that numbers mean is in the numbers."""

import re

import pytest
from click.testing import CliRunner

from touchstone import items, lexsub, mt, nli, plot, pyramid, write_report
from touchstone.cli import app
from touchstone.cli.demo import EXAMPLES, STORIES, WIDTH


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """Run the demonstration: its folder and what it prints."""
    folder = tmp_path_factory.mktemp("demo")
    done = CliRunner().invoke(app, ["demo", "--out", str(folder / "reports")])
    assert done.exit_code == 0, done.output
    return folder / "reports", done.output


def test_every_task_has_a_story_with_its_report(told):
    folder, printed = told
    for word in ("asked", "came out", "means", "report"):
        assert printed.count(f"\n  {word} ") == len(STORIES)
    for name in STORIES:
        assert f"{folder / name}.html" in printed
        assert '<p class="verdict">' in (folder / f"{name}.html").read_text("utf-8")
        assert all(f">{measure}<" in (folder / f"{name}.html").read_text("utf-8") for measure in STORIES[name].measures)
    assert (folder / "mt-meta.html").exists()


def test_the_reports_need_no_network(told):
    """The only addresses in a report are names of XML namespaces."""
    for report in told[0].glob("*.html"):
        html = report.read_text("utf-8")
        addresses = set(re.findall(r"https?://[^\s\"'<>)]+", html))
        assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
        assert "<svg" in html
        assert not re.search(r"<(iframe|object|embed|link|img)\b|<script [^>]*src", html)


def unlabelled(html):
    """Return the drawings that say nothing to those who cannot see them, though they are not hidden from them."""
    opened = re.findall(r"<svg\b[^>]*>", html)
    assert opened
    labelled = re.compile(r'role="img" .*aria-label="\s*[^\s"]')
    return [svg for svg in opened if not labelled.search(svg) and 'aria-hidden="true"' not in svg]


def test_every_drawing_of_a_report_has_a_text_for_those_who_cannot_see_it(told):
    for report in told[0].glob("*.html"):
        assert unlabelled(report.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "explain",
    [
        lambda folder: lexsub.explain(folder / "lexsub/demo.gold", folder / "lexsub/careful.oot", item="3"),
        lambda folder: mt.explain(folder / "mt/refA.en", folder / "mt/de-en/heron", item="3", measure="maxsim(n+d)"),
        lambda folder: nli.explain(folder / "nli/gold.jsonl", folder / "nli/careful.jsonl", item="d09"),
        lambda folder: pyramid.explain(folder / "pyramid/eve.T01.M.60.A.magpie.pan"),
    ],
    ids=["lexsub", "mt", "nli", "pyramid"],
)
def test_every_drawing_of_an_item_has_a_text_for_those_who_cannot_see_it(explain, tmp_path):
    explanation = explain(EXAMPLES)
    write_report(explanation, tmp_path / "item.html")
    assert unlabelled((tmp_path / "item.html").read_text("utf-8")) == []
    assert unlabelled(plot(explanation)._repr_svg_()) == []


def test_the_text_of_a_pair_names_the_path_in_the_lexicon():
    explanation = nli.explain(EXAMPLES / "nli/gold.jsonl", EXAMPLES / "nli/careful.jsonl", item="d09")
    svg = plot(explanation)._repr_svg_()
    assert "; path in WordNet: violin.n.01 – bowed_stringed_instrument.n.01 – " in svg
    assert svg.count("<svg") == 1


def test_lines_fit_a_terminal(told):
    folder, printed = told
    lines = [line for line in printed.split("\n") if str(folder) not in line and str(EXAMPLES) not in line]
    assert max(len(line) for line in lines) <= WIDTH + 10


def test_measures_disagree_in_the_story_of_substitution(told):
    assert "R puts eager first" in told[1]
    files = [EXAMPLES / "lexsub" / name for name in STORIES["lexsub"].runs]
    results = lexsub.score(EXAMPLES / "lexsub" / "demo.gold", files, ["R", "rank@10"])
    assert results.row("eager", "R").value > results.row("careful", "R").value
    assert results.row("eager", "rank@10").value < results.row("frequent", "rank@10").value
    assert set(results.systems[1].facts.column("n_ranked").to_pylist()) == {10}


def test_judges_and_metrics_disagree_about_the_paraphrases(told):
    assert "Judges put starling at place 2 of 5" in " ".join(told[1].split())
    folder = EXAMPLES / "mt"
    results = mt.score(folder / "refA.en", [folder / "de-en", folder / "starling"], ["bleu", "chrf"])
    bleu, chrf = ({row.system: row.value for row in results.rows if row.measure == name} for name in ("bleu", "chrf"))
    assert min(bleu, key=bleu.get) == "starling"
    # The order of the words of magpie costs it far more under bleu than under chrf.
    assert bleu["magpie"] / bleu["heron"] < 0.4
    assert chrf["magpie"] / chrf["heron"] > 0.7


def test_sparrow_has_nearly_as_many_units_as_magpie_but_light_ones():
    results = pyramid.score(EXAMPLES / "pyramid", measures=["scu.count", "scu.mean_weight", "pyramid.modified"])
    assert results.row("magpie", "scu.count").value - results.row("sparrow", "scu.count").value == 1
    assert results.row("sparrow", "scu.mean_weight").value == 1
    assert results.row("sparrow", "pyramid.modified").value < results.row("magpie", "pyramid.modified").value / 2


def test_overlap_finds_all_entailments_and_few_contradictions():
    folder = EXAMPLES / "nli"
    results = nli.score(folder / "gold.jsonl", [folder / "overlap.jsonl", folder / "careful.jsonl"])
    assert results.row("overlap", "recall.entailment").value == 1
    assert results.row("overlap", "recall.contradiction").value < 1 / 3


def test_plover_takes_less_than_half_the_time_of_osprey():
    results = items.score(EXAMPLES / "items" / "scores.csv", lower_is_better=("seconds",))
    assert results.row("plover", "seconds").value < results.row("osprey", "seconds").value / 2
    assert results.row("wagtail", "seconds").value < results.row("plover", "seconds").value
    assert results.row("wagtail", "correct").value < 1 / 2
