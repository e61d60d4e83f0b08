"""The report of automatic scores: one order of peers, labels that can be read, nothing of a file as markup."""

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

import touchstone
from touchstone.show.page import Figure, Fold, Html, render
from touchstone.systems.pyramids import Matcher, read_peers, score_peers
from touchstone.systems.pyramids.report import probabilities_figure

DEMO = Path(touchstone.__file__).parent / "examples" / "pyramid"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def scores():
    """Scores of three peers, in the order of the alphabet: heron, magpie, sparrow."""
    return score_peers(*read_peers([DEMO / "T01.pyr", *sorted(DEMO.glob("*.pan"))]), Matcher())


def across(svg):
    return float(ElementTree.fromstring(svg).get("viewBox").split()[2])


def texts(svg):
    return [one.text for one in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_the_figure_is_as_wide_as_its_labels_and_columns(scores):
    few = probabilities_figure(scores.annotations)
    many = probabilities_figure([replace(scores.annotations[0], peer=f"peer {n}") for n in range(40)])
    assert across(few) < 600
    assert across(few) < across(many) <= 900
    assert across(few.narrow()) <= 340
    assert across(many.narrow()) <= 340


def test_labels_are_whole_where_there_is_room_and_lose_their_end_where_there_is_none(scores):
    labels = [f"({unit.weight}) {unit.label}" for unit in scores.annotations[0].pyramid.units]
    drawn = probabilities_figure(scores.annotations)
    assert set(labels) <= set(texts(drawn))
    short = [text for text in texts(drawn.narrow()) if text.endswith("…")]
    assert short
    assert all(any(label.startswith(text[:-1]) for label in labels) for text in short)


def test_peers_have_one_order_the_highest_first(scores):
    mixed = replace(scores, annotations=[scores.annotations[place] for place in (2, 0, 1)])
    overview, unit_map = mixed.page().sections
    panels = next(block.html for block in overview.blocks if isinstance(block, Html))
    table = next(block for block in overview.blocks if isinstance(block, Fold)).blocks[0].table
    figure = next(block.svg for block in unit_map.blocks if isinstance(block, Figure))
    order = ["heron", "magpie", "sparrow"]
    assert re.findall('<th scope="row" title="([a-z]+)">', panels) == order * 2
    assert [row[1] for row in table.rows] == order
    assert [text for text in texts(figure) if text in order] == order
    assert [block.summary.split()[1][:-1] for block in unit_map.blocks if isinstance(block, Fold)] == order


def test_many_summaries_are_folded_together(scores):
    many = replace(scores, annotations=[replace(scores.annotations[0], peer=f"p{n}") for n in range(8)])
    (fold,) = (block for block in many.page().sections[1].blocks if isinstance(block, Fold))
    assert fold.summary == "8 summaries"
    assert len(fold.blocks) == 8


def test_names_of_peers_stay_text(scores):
    html = render(replace(scores, annotations=[replace(scores.annotations[0], peer="<b>x</b>")]).page())
    assert "<b>x</b>" not in html
