"""The report of an inference challenge set."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

import touchstone
from touchstone import nli
from touchstone.base.files import Source
from touchstone.base.ids import Policy
from touchstone.core.report.results import scores_page
from touchstone.core.resampling import Resampling
from touchstone.show.page import render
from touchstone.tasks.nli.report import breakdown_page, draw

DEMO = Path(touchstone.__file__).parent / "examples" / "nli"
FEW = Resampling(draws=20)


def report(gold, runs):
    inputs = nli.TASK.read(gold, runs)
    return scores_page(nli.score(inputs, resampling=FEW))


@pytest.fixture(scope="module")
def page():
    return report(DEMO / "gold.jsonl", [DEMO / "overlap.jsonl", DEMO / "careful.jsonl"])


def test_the_report_has_scores_categories_comparison_readers_and_pairs(page):
    assert [section.title for section in page.sections] == [
        *("Ranking", "Differences", "By category", "By item"),
        *("Confusion", "Annotators", "Calibration", "Pairs", "Details", "Notes"),
    ]
    html = render(page)
    assert "overlap: accuracy 0.553 is below that of the majority class, 0.605" in html
    assert "McNemar" in html


def test_a_breakdown_has_the_order_of_the_ranking():
    """The run of careful comes second, and its accuracy is higher."""
    inputs = nli.TASK.read(DEMO / "gold.jsonl", [DEMO / "overlap.jsonl", DEMO / "careful.jsonl"])
    results = nli.score(inputs, resampling=FEW)
    bins = nli.frequency_bins(inputs.gold, [nli.read_gold(DEMO / "pairs.jsonl")])
    html = render(breakdown_page(results, [nli.breakdown(results, bins)]))
    assert "careful − overlap by frequency" in html
    assert "overlap − careful" not in html


def test_a_set_without_categories_and_readers_has_no_such_sections():
    pairs = nli.GoldSet(Source("a", "0"), [nli.Pair("1", "a red hat", "a blue hat", "contradiction")], [1])
    run = nli.Run("x", Source("x", "1"), ["1"], ["neutral"], [1])
    assert [section.title for section in report(pairs, run).sections] == [
        *("Ranking", "Differences", "By item", "Confusion", "Pairs", "Details", "Notes")
    ]


def test_the_confusion_counts_labels_by_gold_label_without_the_majority_class(page):
    (section,) = [section for section in page.sections if section.title == "Confusion"]
    table = section.blocks[0].table
    assert [column.header for column in table.columns] == ["system", "gold", *nli.LABELS]
    assert [list(row) for row in table.rows[3:]] == [
        ["overlap", "contradiction", 7, 16, 0],
        ["", "entailment", 0, 12, 0],
        ["", "neutral", 0, 1, 2],
    ]
    assert [row[0] for row in table.rows] == ["careful", "", "", "overlap", "", ""]


def test_labels_that_are_none_of_the_three_have_columns_where_they_occur():
    pairs = [nli.Pair(name, f"p {name}", "h", "neutral") for name in "12"]
    gold = nli.GoldSet(Source("a", "0"), pairs, [1, 2])
    inputs = nli.TASK.read(gold, nli.Run("x", Source("x", "1"), ["1"], ["other"], [1]))
    found = scores_page(nli.score(inputs, resampling=FEW, policy=Policy("zero")))
    (table,) = [section.blocks[0].table for section in found.sections if section.title == "Confusion"]
    assert [column.header for column in table.columns][-2:] == ["other", "no prediction"]
    assert list(table.rows[-1]) == ["", "neutral", 0, 0, 0, 1, 1]


def explained(premise, hypothesis):
    pairs = nli.GoldSet(Source("a", "0"), [nli.Pair("1", premise, hypothesis, "neutral")], [1])
    return nli.explain_pair(pairs, [], "1")


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
    root = ElementTree.fromstring(draw(explained(premise, hypothesis)))
    assert root.tag.endswith("svg")
    said = " ".join("".join(root.itertext()).split())
    assert all(word in said for word in (*premise.split()[:3], *hypothesis.split()[:3]))
