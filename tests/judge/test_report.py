"""The report on a judge: every part has its figure, and names from files stay text."""

import numpy as np

from touchstone.judge.assessing import assess
from touchstone.show.page import render
from touchstone.tasks.items.answers import paired_tables


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
    judging = found()
    titles = [check.statement().title for check in judging.checks.values()]
    assert [section.title for section in judging.page().sections] == ["In short", *titles, "Notes"]
    assert {"Agreement", "Bias", "Calibration", "Pairs that people score differently", "Ranking"} <= set(titles)


def test_names_from_files_are_text():
    html = render(found().page())
    assert "<b>x</b>" not in html
    assert "<i>a</i>" not in html
    assert "&lt;b&gt;x&lt;/b&gt;" in html
    assert "y &amp; z" in html


def test_figures_name_the_levels_and_the_axes():
    judging = found()
    assert ">kind: b<" in judging.checks["bias"].figure()
    assert ">people, mean of the bin<" in judging.checks["calibration"].figure()


def test_the_report_on_one_system_has_no_ranking():
    page = found(systems=("x",)).page()
    assert {"Agreement", "Bias", "Calibration"} <= {section.title for section in page.sections}
    assert "ranking" not in [section.anchor for section in page.sections]
    assert "<svg" in render(page)


def test_the_levels_of_a_field_are_ruled_off_and_named_once():
    table = found().checks["bias"].statement().tables[0]
    names = [row[0] for row in table.rows]
    assert names == ["", "system", "", "kind", ""]
    assert table.rules == {1, 3}
