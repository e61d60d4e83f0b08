"""The report on a judge: every part has its figure, and names from files stay text."""

import numpy as np

from touchstone.judge.assessing import assess
from touchstone.judge.pairing import paired_tables
from touchstone.judge.report import bias_figure, calibration_figure, judging_page
from touchstone.show.page import render


def found(systems=("<b>x</b>", "y & z"), items=30):
    random = np.random.default_rng(0)
    rows = [
        {"system": system, "item": str(item), "kind": "<i>a</i>" if item % 2 else "b", "score": random.normal()}
        for system in systems
        for item in range(items)
    ]
    judge = [{**row, "score": row["score"] + random.normal()} for row in rows]
    [paired] = paired_tables(rows, judge)
    return assess(paired)


def test_the_report_has_a_section_for_every_part():
    page = judging_page(found())
    assert [section.title for section in page.sections] == [
        *("In short", "Agreement", "Bias", "Calibration", "Pairs that people score differently", "Ranking", "Notes")
    ]


def test_names_from_files_are_text():
    html = render(judging_page(found()))
    assert "<b>x</b>" not in html
    assert "<i>a</i>" not in html
    assert "&lt;b&gt;x&lt;/b&gt;" in html
    assert "y &amp; z" in html


def test_figures_name_the_levels_and_the_axes():
    judging = found()
    assert ">kind: b<" in bias_figure(judging)
    assert ">people, mean of the bin<" in calibration_figure(judging)


def test_the_report_on_one_system_has_no_ranking():
    page = judging_page(found(systems=("x",)))
    assert [section.title for section in page.sections][1:4] == ["Agreement", "Bias", "Calibration"]
    assert "ranking" not in [section.anchor for section in page.sections]
    assert "<svg" in render(page)
