"""Pyramids and annotations as people look at them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.core.gold import Gold
from touchstone.pyramid import Unit
from touchstone.tasks.pyramid.headers import DEFAULT, HEADER_EXPRESSIONS, WITHOUT_HYPHENS, find_summaries
from touchstone.tasks.pyramid.model import average_units, unpadded


def test_the_weights_total_and_tiers_are_those_of_the_worked_example(pyramid):
    assert pyramid.gold.weights == {"a": 4, "b": 2, "c": 2, "d": 1, "e": 1}
    assert (pyramid.n, pyramid.total, pyramid.average, pyramid.mean_weight) == (4, 10, 3, 2.0)
    assert {weight: len(tier) for weight, tier in pyramid.tiers.items()} == {4: 1, 2: 2, 1: 2}


def test_the_average_is_rounded_half_up_and_never_to_even():
    assert [average_units(total, 4) for total in (9, 10, 11, 14)] == [2, 3, 3, 4]
    assert round(10 / 4) == 2


def test_a_pyramid_whose_average_is_nothing_is_refused():
    with pytest.raises(TouchstoneError) as error:
        average_units(1, 4)
    assert error.value.code == Code.TOO_FEW


def test_the_number_of_models_is_never_assumed(pyramid):
    with pytest.raises(TouchstoneError) as error:
        _ = replace(pyramid, summaries=()).n
    assert error.value.code == Code.OPTION_NEEDED
    assert replace(pyramid, summaries=(), models=7).n == 7


def test_a_summary_is_found_by_any_code_point_in_it_and_none_in_a_header(pyramid):
    first, second = pyramid.summaries[:2]
    assert pyramid.summary_at(first.start) is first
    assert pyramid.summary_at(first.end - 1) is first
    assert pyramid.summary_at(second.start) is second
    assert pyramid.summary_at(first.end) is None
    assert pyramid.summary_at(0) is None
    assert pyramid.summary_at(10**6) is None


def test_repeats_and_what_matches_nothing_are_counted_apart(annotated):
    peer = annotated("bbd00")
    assert (peer.counts, peer.repeats, peer.unmatched) == ({"b": 2, "d": 1}, 1, 2)


def test_an_entry_without_contributors_is_not_expressed(annotated):
    assert "a" not in annotated("b").counts


def test_a_unit_listed_twice_counts_its_contributors_together(annotated):
    peer = annotated("b")
    entry = next(unit for unit in peer.units if unit.uid == "b")
    twice = replace(peer, units=(*peer.units, Unit("b", entry.label, entry.contributors)))
    assert (twice.counts, twice.repeats) == ({"b": 2}, 1)


def test_parts_are_shown_in_the_order_of_the_text_and_kept_in_that_of_the_file(pyramid):
    (first, *_), (second, *_) = pyramid.units[0].contributors[0].parts, pyramid.units[1].contributors[0].parts
    contributor = replace(pyramid.units[0].contributors[0], parts=(second, first))
    assert contributor.in_order == (first, second)
    assert contributor.parts == (second, first)


@pytest.mark.parametrize(("raw", "id_"), [("08", "8"), ("8", "8"), ("000", "0"), ("A08", "A08"), ("٠٨", "٠٨")])
def test_only_all_digit_ids_lose_their_leading_zeros(raw, id_):
    assert unpadded(raw) == id_


def test_summaries_run_from_the_end_of_one_header_to_the_start_of_the_next():
    lines = ["#2", "", "--", "D1.M.250.A.A", "--", "one", "", "--", "D1.M.250.A.B", "--", "two"]
    text = "\n".join(lines)
    first, second = find_summaries(lines)
    assert (first.id, second.id) == ("D1.M.250.A.A", "D1.M.250.A.B")
    assert text[first.start : first.end] == "one\n\n"
    assert text[second.start : second.end] == "two"


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [""],
        ["D1.M.250.A.A"],
        ["--", "D1.M.250.A.A"],
        ["", "D1.M.250.A.A", "", "text"],
        ["--", "D1.M.x.A.A", "--", "text"],
        ["--", "D1.M.250.AB.A", "--", "text"],
    ],
)
def test_what_is_no_header_sets_no_summary_apart(lines):
    assert find_summaries(lines) == ()


def test_a_known_expression_that_allows_it_finds_headers_without_hyphens():
    lines = ["", "D1.M.250.A.A", "", "text"]
    assert [len(find_summaries(lines, header)) for header in sorted(WITHOUT_HYPHENS)] == [1] * len(WITHOUT_HYPHENS)
    assert find_summaries(lines, DEFAULT) == ()
    assert DEFAULT in HEADER_EXPRESSIONS


@given(st.lists(st.text(max_size=20), max_size=8), st.sampled_from([None, *HEADER_EXPRESSIONS, "(-+)+\n D"]))
def test_any_lines_give_summaries_that_follow_each_other_inside_the_text(lines, header):
    lines = [line if place % 3 else "--" for place, line in enumerate(lines)]
    length = len("\n".join(lines))
    edges = [edge for one in find_summaries(lines, header) for edge in (one.start, one.end)]
    assert edges == sorted(edges)
    assert all(0 <= edge <= length for edge in edges)


def tier_formula(weights: list[int], x: int) -> int:
    """Max(X) as the method prints it: all tiers above j, and X less their units of weight j."""
    size = {i: sum(weight == i for weight in weights) for i in range(max(weights) + 1)}
    fitting = [i for i in size if sum(size[t] for t in size if t >= i) >= x]
    if not fitting:
        return sum(weights)
    j = max(fitting)
    above = sum(size[i] for i in size if i > j)
    return sum(i * size[i] for i in size if i > j) + j * (x - above)


def test_the_tier_formula_is_the_optimum_on_20000_random_pyramids():
    import random

    draw = random.Random(0)
    for _ in range(20_000):
        weights = [draw.randint(0, 7) for _ in range(draw.randint(1, 20))]
        x = draw.randint(0, 25)
        assert Gold({str(i): w for i, w in enumerate(weights)}).optimum(x) == tier_formula(weights, x)
