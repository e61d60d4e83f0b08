"""Figures and report of a meta-evaluation: names that can be read, and markup that cannot be smuggled in."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tasks.mt.judging import Entry, collect

from touchstone.base.errors import TouchstoneError
from touchstone.base.files import Source
from touchstone.core.measures import Measure
from touchstone.core.resampling import Resampling
from touchstone.core.results import Results, SystemRecords
from touchstone.show.clouds import Cloud, Dot, clouds, label_offsets
from touchstone.show.figures import similarity
from touchstone.show.page import render
from touchstone.stats import mean, mean_records
from touchstone.tasks.mt.judges.metaeval import meta
from touchstone.tasks.mt.judges.metaeval.levels import Settings

NAMES = ("<b>x</b>", "y & z", "$w$", "plain")


@pytest.fixture(scope="module")
def found():
    random = np.random.default_rng(0)
    entries = [
        Entry((group, str(row)), group, str(row), "J", name, float(rank), 2)
        for group in ("cs-en", "de-en")
        for row in range(1, 9)
        for rank, name in enumerate(NAMES, 1)
    ]
    values = np.array([0.9, 0.7, 0.4, 0.2]) + 0.2 * random.random((8, 4))
    systems = [
        SystemRecords(name, {m: mean_records(s * values[:, place]) for m, s in (("one", 1), ("ter", -1))}, pa.table({}))
        for place, name in enumerate(NAMES)
    ]
    measures = [Measure("one", mean_records, mean), Measure("ter", mean_records, mean, lower_is_better=True)]
    known = pa.table({"id": [str(row) for row in range(1, 9)]})
    results = Results("mt", measures, systems, known, {"touchstone": "0"})
    human = collect("rank", "rank", Source("j.csv", "0"), entries)
    return meta(
        human, {"cs-en": results, "de-en": results}, Settings(resampling=Resampling(draws=20, cluster="segment"))
    )


def test_the_report_has_judges_systems_metrics_and_tests(found):
    page = found.page()
    assert [section.title for section in page.sections] == [
        *("Metrics and judges", "Systems", "Metrics among themselves", "Tests")
    ]
    html = render(page)
    assert "one against judges" in html
    assert "ter, lower is better" in html
    assert "<b>x</b>" not in html
    assert html.count("&lt;b&gt;x&lt;/b&gt;") >= 3


def test_every_system_is_named_in_every_panel(found):
    svg = clouds([Cloud("cs-en", [Dot(name, n, n, n - 1, n + 1) for n, name in enumerate(NAMES)])], "bleu", "wins")
    texts = [text.text for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert set(NAMES) <= set(texts)


def overlap(one, other):
    return min(one[2], other[2]) > max(one[0], other[0]) and min(one[3], other[3]) > max(one[1], other[1])


@given(st.lists(st.tuples(st.floats(60, 800), st.floats(30, 400)), min_size=1, max_size=14, unique=True))
def test_labels_stay_in_the_panel_and_rarely_cover_each_other(points):
    names = [f"system-{place}" for place in range(len(points))]
    boxes = [
        offset.box(point, 6.9 * len(name))
        for offset, point, name in zip(label_offsets(names, points, (0, 0, 860, 430)), points, names, strict=True)
    ]
    assert all(box[0] >= -1 and box[2] <= 861 and box[1] >= -1 and box[3] <= 431 for box in boxes)
    covered = sum(overlap(a, b) for n, a in enumerate(boxes) for b in boxes[:n])
    assert covered == 0


def test_a_heat_map_shows_a_missing_value_as_missing():
    svg = similarity(["a", "b"], np.array([[1.0, np.nan], [np.nan, 1.0]]))
    assert svg.count(">–<") == 2


def test_a_heat_map_needs_a_square():
    with pytest.raises(TouchstoneError, match="need a square of values"):
        similarity(["a", "b"], np.ones((2, 3)))


def across(svg):
    return float(ElementTree.fromstring(svg).get("viewBox").split()[2])


def test_a_heat_map_is_as_wide_as_its_names_and_cells():
    few, many = (similarity([f"metric {n}" for n in range(size)], np.ones((size, size))) for size in (3, 12))
    assert across(few) < 450
    assert across(many) == 900
    assert across(few.narrow()) <= 340


def test_heat_maps_side_by_side_have_one_scale_of_colours(found):
    low, high = np.array([[1.0, 0.2], [0.2, 1.0]]), np.array([[1.0, 0.8], [0.8, 1.0]])
    fills = [set(re.findall('fill="(#[0-9a-f]{6})"', similarity(["a", "b"], one, least=0.2))) for one in (low, high)]
    assert similarity(["a", "b"], high, least=0.2) != similarity(["a", "b"], high)
    assert similarity(["a", "b"], low, least=0.2) == similarity(["a", "b"], low)
    assert fills[0] != fills[1]
    (section,) = (one for one in found.page().sections if one.anchor == "metrics")
    assert [len(block.figures) for block in section.blocks] == [2]


def test_the_metric_that_agrees_best_is_drawn_first(found):
    criterion = found.criteria[0]
    worse = [replace(one, value=-1.0) if one.measure == "one" else one for one in criterion.agreements]
    page = replace(found, criteria=[replace(criterion, agreements=worse)]).page()
    drawn, folded = next(one for one in page.sections if one.anchor == "systems").blocks[:2]
    assert "ter against judges" in drawn.svg
    assert folded.summary == "Under one"
