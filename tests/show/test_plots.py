"""Plots of HTML put things where their numbers are, and keep text text."""

import re

import numpy as np
import pytest

from touchstone.show.plots import Axis, Cross, Dot, Panel, cross_tables, panel_grid, shared_axes, sorted_curve

HOSTILE = "</td><script>alert(1)</script>\"'&"


def test_a_value_stands_at_its_share_of_the_axis():
    axis = Axis(0.0, 2.0)
    assert [axis.at(value) for value in (0.0, 0.5, 2.0)] == ["0.00%", "25.00%", "100.00%"]


def test_an_axis_shows_every_value_and_zero_where_asked():
    axis = Axis.of([0.4, 0.6], zero=True)
    assert axis.low < 0
    assert axis.high > 0.6
    assert 0.0 in axis.ticks
    assert Axis.of([0.4, 0.6]).low > 0.3


@pytest.mark.parametrize("values", [[], [float("nan")], [5.0], [0.0, 0.0], [-1e-9, 1e-9], [1e6, 3e6]])
def test_any_values_give_an_axis_with_room_and_few_labels(values):
    axis = Axis.of(values)
    assert axis.low < axis.high
    assert len(axis.ticks) <= 8


def test_numbers_have_one_form_on_an_axis():
    assert Axis.of([0.1, 0.9]).text(0.0625) == "0.063"
    assert Axis.of([10, 90]).text(61.607) == "61.6"
    axis = Axis.of([-1, 1])
    assert [axis.text(value, signed=True) for value in (0.5, -0.5, 0.0)] == ["+0.500", "−0.500", "0.000"]
    assert axis.text(None) == axis.text(float("nan")) == "–"


def test_measures_share_an_axis_where_each_uses_enough_of_it():
    shares, other, hundred, close, far = shared_axes([[0.1, 0.9], [0.5, 0.8], [10, 60], [20, 80], [51, 54]])
    assert shares is other
    assert hundred is close
    assert far is not hundred
    assert shares is not hundred


def test_rows_carry_name_value_interval_and_cells_as_text():
    rows = [Dot("a", 0.5, 0.4, 0.6, ["letters"]), Dot(HOSTILE, float("nan"), cells=[HOSTILE])]
    html = panel_grid([Panel(HOSTILE, rows, Axis(0, 1), ["letters"])])
    assert 'cx="50.00%"' in html
    assert 'x1="40.00%" x2="60.00%"' in html
    assert 'aria-label="0.500, interval 0.400 to 0.600"' in html
    assert html.count("<circle") == 1
    assert "<script" not in html
    assert html.count("&lt;script&gt;") >= 3


def test_open_dots_and_rules_mark_what_is_not_significant_and_where_clusters_begin():
    html = panel_grid([Panel("m", [Dot("a", 0.5), Dot("b", 0.4, strong=False, rule=True)], Axis(0, 1))])
    assert html.count('class="dot open"') == 1
    assert html.count('<tr class="rule">') == 1


def test_the_curve_of_items_counts_wins_and_losses_and_stays_small():
    gaps = np.random.default_rng(0).normal(size=100_000)
    svg = sorted_curve(gaps)
    assert len(svg) < 6_000
    assert f"{(gaps > 0).sum():,} items better, {(gaps < 0).sum():,} worse, 0 equal" in svg
    assert sorted_curve(np.array([np.nan])) == ""


def test_a_cross_table_has_both_right_each_alone_and_neither():
    html = cross_tables([Cross("a", "b", 45, 14, 12, 1)])
    assert re.findall(r'<td class="(\w+)"[^>]*>(\d+)</td>', html) == [
        *(("same", "45"), ("first", "14"), ("second", "12"), ("same", "1"))
    ]


def test_names_break_where_their_parts_meet():
    html = cross_tables([Cross("mockllm/heron", "a_b-c", 1, 2, 3, 4)])
    assert "mockllm/<wbr>heron right" in html
    assert "a_<wbr>b-<wbr>c<br>right" in html


def test_the_column_of_dots_is_named_only_for_those_who_hear_the_page():
    assert '<span class="aside">plot</span>' in panel_grid([Panel("m", [Dot("a", 0.5)], Axis(0, 1))])


def test_panels_side_by_side_all_have_a_row_of_headings_where_one_has_several():
    ranked = Panel("f", [Dot("a", 0.5, cells=["1", "a"])], Axis(0, 1), ["rank", "letters"])
    other = Panel("n", [Dot("a", 0.5)], Axis(0, 1))
    assert panel_grid([ranked, other]).count('class="quiet headed"') == 2
    assert panel_grid([other]).count('class="quiet headed"') == 0
