"""Figures show what they are given, alike every time, and stand in a page without disturbing it."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.show.colours import PALETTE
from touchstone.show.figures import Estimate, RankedList, bars, cumulative_lists, intervals, matrix
from touchstone.show.svg import WIDTH, Svg, elided, framed

NAN = float("nan")
HOSTILE = "</text><script>alert('1')</script>\"'&$a_{$ \u202e\x00\x1b\ud800 ]]>"
SVG = "{http://www.w3.org/2000/svg}"


def estimates(names, groups=("best1",)):
    return [Estimate(n, 0.1 * (i + 1), 0.1 * i, 0.1 * (i + 2), g) for g in groups for i, n in enumerate(names)]


def cumulative(optimal, earned, labels, title=""):
    return cumulative_lists([RankedList(optimal, earned, labels)], title)


def all_figures(name="bow", other="lm"):
    return {
        "intervals": intervals(estimates([name, other], [other, name]), name, name),
        "bars": bars(estimates([name, other], [other, name]), name),
        "cumulative": cumulative([3, 6, 8], [2, 3, 6], [name, other], name),
        "matrix": matrix([name, other], [[0, 0.1], [-0.1, 0]], [[False, True], [True, False]], name),
    }


KINDS = list(all_figures())


def texts(svg):
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def placed(svg):
    """Return (x, y) of each text by what it says."""
    root = ElementTree.fromstring(svg)
    return {t.text: (float(t.get("x")), float(t.get("y"))) for t in root.iter(f"{SVG}text") if t.get("x")}


def dots(svg):
    """Return (x, y) of every dot, in the order drawn."""
    circles = ElementTree.fromstring(svg).iter(f"{SVG}circle")
    return [(float(c.get("cx")), float(c.get("cy"))) for c in circles if c.get("fill") == PALETTE[0]]


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_input_gives_the_same_bytes(kind):
    assert all_figures()[kind] == all_figures()[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_stands_alone_as_xml_and_says_what_it_is(kind):
    svg = all_figures()[kind]
    root = ElementTree.fromstring(svg)
    assert svg.startswith("<svg ")
    assert root.get("role") == "img"
    assert root.get("aria-label", "").startswith("bow: ")
    assert float(root.get("width")) <= WIDTH
    assert svg == svg.__html__() == svg._repr_svg_()


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_brings_no_style_sheet_date_or_link_out(kind):
    svg = all_figures()[kind]
    tags = {element.tag.removeprefix(SVG) for element in ElementTree.fromstring(svg).iter()}
    assert tags <= {"svg", "path", "circle", "text", "rect"}
    assert set(re.findall(r"https?://[^\"]+", svg)) <= {SVG[1:-1]}


@pytest.mark.parametrize("kind", KINDS)
def test_figures_in_one_page_share_no_id(kind):
    assert all(element.get("id") is None for element in ElementTree.fromstring(all_figures()[kind]).iter())


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_names_stay_text(kind):
    figure = all_figures(HOSTILE, "$\\frac")[kind]
    assert "script" not in {element.tag.removeprefix(SVG) for element in ElementTree.fromstring(figure).iter()}
    assert any("</text>" in text for text in texts(figure))
    assert "<script" not in figure
    figure.encode("utf-8")


@pytest.mark.parametrize("kind", KINDS)
def test_names_in_any_script_are_kept_as_text(kind):
    assert any("日本語" in text for text in texts(all_figures("日本語", "العربية")[kind]))


def test_intervals_put_dots_where_the_values_are_in_the_order_given():
    svg = intervals(estimates(["c", "a", "b"]))
    (x1, y1), (x2, y2), (x3, y3) = dots(svg)
    assert x2 - x1 == pytest.approx(x3 - x2, abs=0.01)
    assert x1 < x2
    assert y1 < y2 < y3
    names = placed(svg)
    assert names["c"][1] < names["a"][1] < names["b"][1]


def test_intervals_have_a_panel_for_each_group_and_the_names_once_in_a_row_of_panels():
    shown = texts(intervals(estimates(["bow", "lm"], ["g1", "g2", "g3", "g4"])))
    assert {"g1", "g2", "g3", "g4"} <= set(shown)
    assert shown.count("bow") == 2  # three panels abreast, then one
    assert shown.count("0.100") == 4


def test_an_absent_value_is_written_as_a_dash_and_draws_no_dot():
    rows = [Estimate("a", 0.5, 0.4, 0.6), Estimate("b", None), Estimate("c", NAN, 0.1, 0.2), Estimate("d", 0.3)]
    svg = intervals(rows)
    assert len(dots(svg)) == 2
    assert texts(svg).count("–") == 2
    assert texts(bars(rows)).count("–") == 2


@pytest.mark.parametrize("draw", [intervals, bars])
def test_scores_that_are_all_absent_or_infinite_still_give_a_figure(draw):
    svg = draw([Estimate("a", None), Estimate("b", float("inf"), -float("inf"), NAN)])
    assert texts(svg).count("–") == 2


def test_thirty_systems_do_not_write_over_each_other_and_long_names_are_elided():
    names = [f"system-{i}" for i in range(29)] + ["x" * 60]
    svg = intervals(estimates(names))
    heights = sorted(placed(svg)[elided(name)][1] for name in names)
    assert np.diff(heights).min() > 14  # letters are 12 high
    assert max(map(len, texts(svg))) <= 30


def test_numbers_below_narrow_panels_do_not_write_over_each_other():
    panels = {"Spearman": (1.0, 0.8, 1.0), "tau": (0.937, 0.844, 1.0), "acc_eq": (0.917, 0.833, 0.986)}
    svg = intervals([Estimate("chrf", *ends, group) for group, ends in panels.items()])
    written = [t for t in ElementTree.fromstring(svg).iter(f"{SVG}text") if t.get("text-anchor") == "middle"]
    numbers = sorted((float(t.get("x")), 3.3 * len(t.text)) for t in written if re.fullmatch(r"[\d.]+", t.text))
    assert len(numbers) >= 6
    assert all(right - left > half + other + 4 for (left, half), (right, other) in pairwise(numbers))


def test_bars_give_every_system_its_colour_in_every_group():
    svg = bars(estimates(["bow", "lm"], ["noun", "verb", "adverb"]))
    for colour in PALETTE[:2]:
        assert svg.count(f'fill="{colour}"') == 3 + 1  # and one in the legend
    assert {"bow", "lm", "noun", "verb", "adverb"} <= set(texts(svg))


def test_where_colours_run_out_bars_become_intervals():
    many = estimates([f"s{i}" for i in range(8)], ["noun", "verb"])
    assert bars(many, "T") == intervals(many, "T")


def test_where_groups_are_many_they_stand_down_the_side():
    svg = bars(estimates(["bow", "lm"], [f"d{i}" for i in range(13)]))
    heights = [placed(svg)[f"d{i}"][1] for i in range(13)]
    assert heights == sorted(heights)
    assert len(dots(svg)) == 26


def test_two_scores_for_one_place_are_refused():
    with pytest.raises(TouchstoneError) as error:
        bars([Estimate("bow", 0.5, group="noun"), Estimate("bow", 0.6, group="noun")])
    assert error.value.code == Code.DUPLICATE_NAME
    assert error.value.faults[0].value == "bow"


def test_the_ranked_list_shows_the_papers_cumulative_table():
    optimal, earned = np.cumsum([3, 3, 2, 1, 1]), np.cumsum([2, 1, 3, 1, 3])
    shown = texts(cumulative(optimal, earned, ["sunny", "cheerful", "merry", "jovial", "glad"]))
    assert [text for text in shown if " / " in text] == ["2 / 3", "3 / 6", "6 / 8", "7 / 9", "10 / 10"]
    assert [re.sub(r"\s+", " ", text) for text in shown if text.startswith("sunny")] == ["sunny 1"]


def test_a_list_shorter_than_the_ranks_shows_dashes():
    shown = [re.sub(r"\s+", " ", text) for text in texts(cumulative([1, 2, 2.5], [1, 1, 1], ["glad"]))]
    assert {"glad 1", "– 2", "– 3", "1 / 2.5"} <= set(shown)


def test_the_matrix_writes_signed_differences_and_bold_where_significant():
    svg = matrix(["a", "b", "c"], [[0, 0.25, NAN], [-0.25, 0, 1e-9], [NAN, -1e-9, 0]], np.eye(3, k=1) > 0)
    written = {t.text: t.get("font-weight") for t in ElementTree.fromstring(svg).iter(f"{SVG}text")}
    assert {"+0.250", "−0.250", "0.000"} <= set(written)
    assert written["+0.250"] == "700"
    assert written["−0.250"] is None


def test_a_matrix_of_few_systems_is_as_wide_as_its_names_and_cells():
    few = matrix(["a", "b", "c"], np.ones((3, 3)), np.eye(3) > 0)
    many = matrix([f"a system {n}" for n in range(16)], np.ones((16, 16)), np.eye(16) > 0)
    assert [float(ElementTree.fromstring(one).get("viewBox").split()[2]) for one in (few, many)] == [
        pytest.approx(3 * 96 + 7 + 50, abs=1),
        900,
    ]


def test_a_matrix_of_thirty_is_written_short_enough_for_its_cells():
    scores = np.linspace(0.6, 0.02, 30)
    svg = matrix([f"system-{i}" for i in range(30)], scores[:, None] - scores, np.ones((30, 30), bool))
    cells = [text for text in texts(svg) if re.fullmatch(r"−?\.\d\d", text)]
    assert len(cells) == 30 * 29
    assert float(ElementTree.fromstring(svg).get("height")) < 1000


@pytest.mark.parametrize(
    ("draw", "code", "value"),
    [
        (lambda: intervals([]), Code.EMPTY, None),
        (lambda: bars([]), Code.EMPTY, None),
        (lambda: cumulative([1], [1, 2], []), Code.MISMATCH, None),
        (lambda: cumulative([], [], []), Code.MISMATCH, None),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw, code, value):
    with pytest.raises(TouchstoneError) as error:
        draw()
    assert (error.value.code, error.value.faults[0].value) == (code, value)


def test_one_system_alone_is_drawn():
    assert "+" not in "".join(texts(matrix(["a"], [[0.0]], [[False]])))
    assert len(dots(intervals([Estimate("a", 0.5, 0.5, 0.5)]))) == 1


@pytest.mark.parametrize("label", ["", " ", "\n"])
def test_a_figure_without_a_text_for_those_who_cannot_see_it_is_refused(label):
    with pytest.raises(TouchstoneError) as error:
        framed("<path/>", 8, 8, label)
    assert error.value.code == Code.OPTION_NEEDED


@pytest.mark.parametrize(
    "drawn", ["<svg></svg>", '<svg aria-label="a dot"></svg>', '<svg role="img"><title>x</title></svg>']
)
def test_an_svg_without_a_label_is_no_figure(drawn):
    with pytest.raises(TouchstoneError) as error:
        Svg(drawn)
    assert error.value.code == Code.OPTION_NEEDED
