"""C1-C3 on the whole of every span: what breaks them, what an import may keep broken, and what is new."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.annotate.pyramid.constraints import RefusalError, check_step, new_violations, touched, violations
from touchstone.annotate.pyramid.document import PyramidDocument, to_pyramid, with_units
from touchstone.pyramid import read_pyramid
from touchstone.tasks.pyramid.headers import find_summaries
from touchstone.tasks.pyramid.model import Part, Summary


def rules(document):
    return Counter(one.rule for one in violations(document))


def refused(rule, step, before, *given):
    """Return the refusal of the state that an unchecked step leads to."""
    with pytest.raises(RefusalError) as caught:
        check_step(before, step(before, *given))
    assert caught.value.rule == rule
    return caught.value


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=4), st.lists(st.integers(0, 40), max_size=8)
)
def test_a_part_touches_exactly_the_summaries_that_it_has_a_character_in(spans, edges):
    edges = sorted(edges)[: len(edges) // 2 * 2]
    summaries = [Summary(str(n), *pair) for n, pair in enumerate(zip(edges[::2], edges[1::2], strict=True))]
    parts = [Part("", *span) for span in spans]
    characters = {offset for start, end in spans for offset in range(start, end)}
    expected = [n for n, one in enumerate(summaries) if characters & set(range(one.start, one.end))]
    assert list(touched(parts, summaries)) == expected


def test_a_clean_pyramid_breaks_nothing(document):
    assert violations(document) == []


def test_a_span_over_two_summaries_is_refused_though_it_starts_in_one(build, blank, at):
    span = at("A", "figs")[0], at("B", "apples")[1]
    refused("C3", build.new_unit, blank, [span])


def test_a_span_that_ends_in_a_header_is_refused(build, blank, at):
    start, end = at("A", "figs")
    error = refused("C3", build.new_unit, blank, [(start, end + 3)])
    assert error.faults[0].what == "a contributor would reach into the header of a summary"
    refused("C3", build.new_unit, blank, [(0, 3)])
    check_step(blank, build.new_unit(blank, [(start, end + 1)]))


def test_an_added_part_is_held_to_the_rules_too(build, document, at):
    refused("C3", build.add_part, document, "c1", at("B", "grapes"))
    aside = build.unassign(document, ["c1"])
    refused("C3", build.add_part, aside, "c1", at("B", "grapes"))


def test_a_new_contributor_from_a_summary_that_the_unit_has_is_refused(build, document, at):
    refused("C2", build.add_contributor, document, "2", [at("A", "figs")])
    assert build.add_contributor(document, "2", [at("C", "cider")]).units[1].weight == 3


def test_the_rules_hold_without_a_header_expression(build, blank, at):
    lines = blank.material.lines
    bare = PyramidDocument(replace(blank.material, header=None, summaries=find_summaries(lines, None)))
    made = build.new_unit(bare, [at("A", "figs")])
    refused("C2", build.add_contributor, made, "1", [at("A", "bread")])
    refused("C3", build.add_part, made, "c1", at("B", "dates"))


def test_without_summaries_only_the_number_of_models_is_known(build, blank, at):
    bare = PyramidDocument(replace(blank.material, summaries=(), models=2))
    made = build.add_contributor(build.new_unit(bare, [at("A", "figs")]), "1", [at("A", "bread")])
    error = refused("C1", build.add_contributor, made, "1", [at("C", "cider")])
    assert error.faults[0].what == "unit 1 would have 3 contributors, but there are 2 model summaries"


def test_everything_that_an_import_breaks_is_listed(broken):
    assert rules(broken) == {"C1": 1, "C2": 3, "C3": 3, "span": 2, "parts": 1}
    assert {one.uid for one in violations(broken)} == {"1", "x y"}


def test_what_an_import_breaks_does_not_block_other_work(build, broken, at):
    after = build.rename_unit(build.rename_unit(broken, "x y", "mended"), "1", "look")
    after = build.new_unit(after, [at("A", "figs")])
    assert new_violations(after, [broken]) == []


def test_an_import_may_not_be_broken_further(build, broken, at):
    refused("C2", build.add_contributor, broken, "1", [at("A", "figs")])
    over = next(mark.id for mark in broken.marks if mark.label == "both")
    refused("C3", build.add_part, broken, over, at("C", "cider"))
    refused("C2", build.move_contributor, broken, "c1", "2")


def test_a_crowd_may_shrink_and_move_but_not_grow(build, broken):
    one = broken.units[0].contributors
    smaller = build.unassign(broken, [one[0].id])
    assert [v.marks for v in violations(smaller) if v.rule == "C2" and v.uid == "1"] == [
        frozenset(mark.id for mark in one[4:]),
        frozenset({one[1].id, one[5].id}),
    ]
    assert new_violations(smaller, [broken]) == []
    refused("C2", build.move_contributor, smaller, one[4].id, "2")


def test_a_merge_takes_an_old_fault_along_but_makes_no_new_one(build, broken):
    refused("C2", build.merge, broken, "1", "x y")
    aside = build.unassign(broken, [mark.id for mark in broken.units[0].contributors])
    assert new_violations(build.merge(aside, "1", "x y"), [broken]) == []


def test_a_mended_fault_is_new_when_it_comes_back_unless_the_file_is_among_the_allowed(build, broken):
    mended = build.unassign(broken, [broken.units[0].contributors[4].id, broken.units[0].contributors[5].id])
    back = replace(broken)
    assert {one.rule for one in new_violations(back, [mended])} == {"C1", "C2"}
    assert new_violations(back, [mended, broken]) == []


def test_the_one_contributor_of_2006_over_two_summaries_is_found_and_kept(data):
    (path,) = (data("duc2006") / "pyr").glob("*D0631*")
    document = with_units(read_pyramid(path))
    found = [(one.rule, one.uid) for one in violations(document)]
    assert found == [("C3", "237")]
    assert to_pyramid(document).by_uid["237"].weight == 3


def test_no_other_pyramid_of_2006_breaks_a_rule(data):
    paths = sorted((data("duc2006") / "pyr").iterdir())
    broken = {path.name for path in paths if violations(with_units(read_pyramid(path)))}
    assert len(paths) == 20
    assert len(broken) == 1
