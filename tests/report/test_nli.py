"""The report of an inference challenge set."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

import touchstone
from touchstone.core.resampling import Resampling
from touchstone.io.text import Source
from touchstone.report.nli import nli_page, pair_figure
from touchstone.report.page import render
from touchstone.tasks import nli

DEMO = Path(touchstone.__file__).parent / "examples" / "nli"
FEW = Resampling(draws=20, cluster="premise")


@pytest.fixture(scope="module")
def page():
    pairs, runs = nli.read_pairs(DEMO / "gold.jsonl"), nli.read_runs([DEMO / "overlap.jsonl", DEMO / "careful.jsonl"])
    return nli_page(nli.score(pairs, runs, resampling=FEW), pairs, runs)


def test_the_report_has_scores_categories_comparison_readers_and_pairs(page):
    assert [section.title for section in page.sections] == [
        *("Summary", "By category", "Comparison", "Readers", "Pairs", "Measures", "Notes")
    ]
    html = render(page)
    assert "below the majority class: overlap" in html
    assert "McNemar" in html


def test_a_set_without_categories_and_readers_has_no_such_sections():
    pairs = nli.PairSet(Source("a", "0"), [nli.Pair("1", "a red hat", "a blue hat", "contradiction")], [1])
    run = nli.Run("x", Source("x", "1"), ["1"], ["neutral"], [1])
    found = nli_page(nli.score(pairs, run, resampling=FEW), pairs, [run])
    assert [section.title for section in found.sections] == ["Summary", "Comparison", "Pairs", "Measures", "Notes"]


def explained(premise, hypothesis):
    pairs = nli.PairSet(Source("a", "0"), [nli.Pair("1", premise, hypothesis, "neutral")], [1])
    return nli.explain(pairs, [], "1")


@pytest.mark.parametrize(
    ("premise", "hypothesis"),
    [
        ("<b>a & b</b>", "a < b"),
        ("same", "same"),
        ("not " + "word " * 60, "word " * 60),
        ("a red hat", "a blue hat"),
    ],
)
def test_the_drawing_of_a_pair_is_well_formed_whatever_the_sentences_hold(premise, hypothesis):
    root = ElementTree.fromstring(pair_figure(explained(premise, hypothesis)))
    assert root.tag.endswith("svg")
    said = " ".join("".join(root.itertext()).split())
    assert all(word in said for word in (*premise.split()[:3], *hypothesis.split()[:3]))
