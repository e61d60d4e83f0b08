"""Views of pyramids: what they show, and that nothing of a file becomes markup."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

import touchstone
from touchstone.core.report.results import scores_page
from touchstone.pyramid import TASK, Contributor, GoldSet, Part, Unit, explain, explain_summary, read, score
from touchstone.show.page import render
from touchstone.tasks.pyramid.report import draw, highlighted, sets_table, shade, tiers_svg

DEMO = Path(touchstone.__file__).parent / "examples" / "pyramid"
EVIL = '<script>alert("x")</script>&\x1b'


@pytest.fixture
def magpie():
    return read(DEMO / "eve.T01.M.60.A.magpie.pan")


@pytest.fixture
def evil(magpie):
    """The same, every word of it turned against the page."""
    unit = magpie.pyramid.units[0]
    bad = Unit(unit.uid, EVIL, (Contributor(EVIL, (Part(EVIL, 0, 5),), EVIL),) * 4, EVIL)
    units = (bad, *magpie.pyramid.units[1:])
    entries = tuple(
        replace(one, label=EVIL, contributors=(Contributor(EVIL, (Part(EVIL, 0, 9),)),)) if one.uid == unit.uid else one
        for one in magpie.units
    )
    pyramid = replace(magpie.pyramid, units=units, set=EVIL)
    return replace(magpie, lines=(EVIL, EVIL), pyramid=pyramid, units=entries, peer=EVIL, set=EVIL, annotator=EVIL)


def test_every_unit_is_marked_in_the_colour_of_its_weight_and_numbered(magpie):
    html = highlighted(explain_summary(magpie))
    heaviest = shade(4, 4)
    assert (
        f'<mark style="background:{heaviest};color:inherit" title="1: (4) The bridge at Harrow Ford is closed">' in html
    )
    assert ">Harrow Ford&#x27;s bridge is closed</mark><sup" in html
    assert 'title="matches no unit">The mayor was born in Elmsby</mark>' in html


def test_the_highlighted_text_is_the_summary(magpie):
    (body,) = ElementTree.fromstring(f"<x>{highlighted(explain_summary(magpie)).replace('&nbsp;', ' ')}</x>").findall(
        "div"
    )
    for sup in body.findall("sup"):
        sup.text = ""
    assert "".join(body.itertext()) == magpie.text


def test_the_pyramid_has_a_box_for_each_unit_and_a_row_for_each_tier(magpie):
    svg = tiers_svg(magpie.pyramid)
    root = ElementTree.fromstring(svg)
    boxes = root.findall(".//{*}rect")
    assert len(boxes) == 17
    rows = sorted({float(box.get("y")) for box in boxes})
    assert [sum(float(box.get("y")) == row for box in boxes) for row in rows] == [2, 4, 5, 6]


def test_only_the_units_of_the_peer_are_coloured(magpie):
    svg = tiers_svg(magpie.pyramid, magpie.counts)
    coloured = [box for box in ElementTree.fromstring(svg).findall(".//{*}rect") if box.get("fill") != "#ffffff"]
    assert len(coloured) == 4
    assert "(4) The bridge at Harrow Ford is closed, 2 times" in svg


def test_a_wide_tier_is_broken_into_rows_that_stay_inside_the_sheet(magpie):
    unit = magpie.pyramid.units[-1]
    many = tuple(replace(unit, uid=str(number)) for number in range(100))
    boxes = ElementTree.fromstring(tiers_svg(replace(magpie.pyramid, units=many))).findall(".//{*}rect")
    rows = {box.get("y") for box in boxes}
    assert (len(boxes), len(rows)) == (100, 4)
    assert all(0 < float(box.get("x")) < 900 - float(box.get("width")) for box in boxes)


def test_an_empty_tier_between_others_is_drawn_as_empty(magpie):
    svg = tiers_svg(replace(magpie.pyramid, units=tuple(u for u in magpie.pyramid.units if u.weight != 3)))
    assert "weight 3</text>" in svg
    assert "0 units</text>" in svg


def page(things):
    inputs = TASK.read(GoldSet(things))
    return render(scores_page(score(inputs)))


def test_nothing_of_a_file_becomes_markup(evil):
    explained = explain(GoldSet([evil]))
    for html in (
        highlighted(explain_summary(evil)),
        draw(explained.drawing),
        render(explained.page()),
        page([evil]),
    ):
        assert "<script" not in html
        assert "\x1b" not in html
    ElementTree.fromstring(tiers_svg(evil.pyramid))


def test_the_report_has_peers_sets_pyramids_weights_and_summaries():
    html = page([read(path) for path in sorted(DEMO.glob("*.pan"))])
    for anchor in ("ranking", "items", "sets", "pyramids", "weights", "summaries", "details"):
        assert f'<section id="{anchor}">' in html
    assert html.count("<svg") >= 5


def test_the_page_of_a_set_shows_each_of_a_few_summaries(magpie):
    heron = read(DEMO / "eve.T01.M.60.A.heron.pan")
    html = render(explain(GoldSet([heron, magpie])).page())
    assert html.count('<div class="summary"') == 2


def test_the_page_of_a_set_with_many_summaries_shows_its_pyramid(magpie):
    many = [replace(magpie, peer=str(number), source=None) for number in range(5)]
    html = render(explain(GoldSet(many)).page())
    assert '<div class="summary"' not in html
    assert "5 times" in html


def test_document_sets_stand_hardest_first(magpie):
    heron = read(DEMO / "eve.T01.M.60.A.heron.pan")
    rows = sets_table([replace(heron, set="easy"), replace(magpie, set="hard")]).rows
    assert [row[:2] for row in rows] == [["hard", 12 / 26], ["easy", 24 / 26]]
