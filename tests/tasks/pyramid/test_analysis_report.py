"""The reports of the analysis, of agreement and of power: what is drawn, and that no name becomes markup."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

import touchstone
from touchstone.pyramid import ScoreTable, agree, analyse, power_of, read_gold, reading
from touchstone.show.figures import Estimate
from touchstone.show.page import render
from touchstone.stats.intervals import percentile
from touchstone.stats.power import PowerCurve
from touchstone.tasks.pyramid.figures import difficulty, grouped_levels, power_line, two_scores

DEMO = Path(touchstone.__file__).parent / "examples" / "pyramid"
EVIL = "<script>alert(1)</script>"


def table(*peers):
    cells = list(product(("D1", "D2", "D3", "D4"), range(len(peers))))
    scores = [0.1 * int(one[1]) + 0.05 * peer + 0.004 * (7 * row % 5) for row, (one, peer) in enumerate(cells)]
    return ScoreTable.of(
        {"setid": [one for one, _ in cells], "peerid": [peers[peer] for _, peer in cells], "score": scores}
    )


def texts(svg):
    return ["".join(node.itertext()) for node in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_every_letter_stands_beside_every_level_that_has_it():
    levels = [Estimate(name, value, value - 0.1, value + 0.1) for name, value in (("x", 0.4), ("y", 0.3), ("z", 0.1))]
    found = texts(grouped_levels(levels, ["a", "ab1", "b1"], "Peers"))
    assert (found.count("a"), found.count("b1"), found.count("groups")) == (2, 2, 1)
    assert {"x", "y", "z", "0.400", "Peers"} <= set(found)


def test_document_sets_come_from_hard_to_easy():
    means = [Estimate("easy", 0.5, 0.4, 0.6), Estimate("hard", 0.1, 0.0, 0.2)]
    found = texts(difficulty({"easy": [0.4, 0.6], "hard": [0.1]}, means))
    assert found.index("hard") < found.index("easy")


def test_the_curve_says_how_many_sets_are_enough_and_what_is_extrapolated():
    curve = PowerCurve(0.1, percentile(np.ones(9)), 4, np.arange(2, 9), np.linspace(0.1, 0.9, 7), 7, 0.7, 0.05, 50)
    found = texts(power_line(curve, "Power"))
    assert "7 sets" in found
    assert {"from the data", "extrapolated", "document sets; there are 4"} <= set(found)
    never = power_line(replace(curve, n_items=8, target=0.95, enough=None), "Power")
    assert "0.95 is not reached" in never
    assert "extrapolated" not in texts(never)


def test_summaries_with_the_same_two_scores_are_named_in_one_line():
    found = texts(two_scores(["x", "y", "z"], [0.1, 0.1, 0.3], [0.2, 0.2, 0.3], ("ann", "bob")))
    assert {"x, y", "z", "ann", "bob"} <= set(found)


def test_the_report_of_an_analysis_has_the_papers_tables_and_two_plots():
    page = render(analyse(table("1", "2", "3"), baseline="1").page())
    for said in ("Analysis of variance, type II", "who is above whom", "Peers within groups", "above the baseline 1"):
        assert said in page
    assert page.count("<svg") == 2 * 2  # each for a wide and for a narrow window


def test_the_report_of_power_has_the_curve_of_two_peers_and_none_of_all():
    assert render(power_of(table("1", "2", "3"), ("1", "3"), draws=50).page()).count("<svg") == 2
    whole = power_of(table("1", "2", "3"), draws=50)
    assert "<svg" not in render(whole.page())


def test_the_report_of_agreement_begins_with_the_scores():
    made = read_gold(DEMO).annotations
    page = agree(reading("ann", made), reading("bob", made)).page()
    assert [section.title for section in page.sections] == ["Scores", "Content units"]
    assert "<svg" in render(page)


def test_no_name_becomes_markup():
    given = table(EVIL, "2", "3")
    for finding in (analyse(given, baseline=EVIL), power_of(given, (EVIL, "2"), draws=50)):
        assert "<script>" not in render(finding.page())
        assert "&lt;script&gt;" in render(finding.page())


def test_the_report_has_the_mixed_model_and_the_warning_beside_the_means():
    given = table("1", "2", "3")
    # A rating that is worth .2 and that peer 3 has more often.
    high = [
        peer == "3" or one == "D1" for one, peer in zip(given.columns["setid"], given.columns["peerid"], strict=True)
    ]
    scores = [score + 0.2 * here for score, here in zip(given.columns["score"], high, strict=True)]
    rated = ScoreTable.of(given.columns | {"score": scores, "content": [str(here) for here in high]})
    analysis = analyse(rated, "score", ["setid", "peerid", "content"], random=["setid"])
    page = analysis.page()
    assert "Mixed model" in [section.title for section in page.sections]
    text = render(page)
    assert analysis.warnings
    assert all(warning in text for warning in analysis.warnings)
    assert "Raw, least-squares and mixed-model means" in text
    assert "components of variance, score ~ peerid + content + (1 | setid)" in text
