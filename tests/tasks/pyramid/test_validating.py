"""What is odd is listed, kept, and does not stop a scoring."""

from dataclasses import replace

import pytest

from touchstone.tasks.pyramid import Contributor, Part, problems, read, validate, write
from touchstone.tasks.pyramid.validating import remarks


def rules(thing) -> list[str]:
    return [problem.rule for problem in problems(thing)]


def with_first(pyramid, *contributors):
    return replace(pyramid, units=(replace(pyramid.units[0], contributors=contributors), *pyramid.units[1:]))


def test_a_sound_pyramid_and_a_sound_annotation_have_no_problems(pyramid, annotated):
    assert problems(pyramid) == problems(annotated("abcde0")) == []


def test_c1_a_weight_above_the_number_of_models(pyramid):
    first = pyramid.units[0].contributors
    assert rules(with_first(pyramid, *first, first[0])) == ["C1", "C2"]


def test_c2_two_contributors_from_one_summary(pyramid):
    first, *_ = pyramid.units[0].contributors
    found = problems(with_first(pyramid, first, first))
    assert [str(problem) for problem in found] == [
        "uid a: C2: contributors 1 and 2 are both from the summary S1.M.9.A.A"
    ]


def test_c3_a_contributor_with_parts_in_two_summaries(pyramid):
    a, b, *_ = pyramid.units[0].contributors
    assert rules(with_first(pyramid, Contributor("x", (*a.parts, *b.parts)))) == ["C3"]


def test_c3_a_part_that_reaches_into_the_next_summary(pyramid):
    a, b, *_ = pyramid.units[0].contributors
    start, end = a.parts[0].start, b.parts[0].end
    assert rules(with_first(pyramid, Contributor("x", (Part(pyramid.text[start:end], start, end),)))) == ["C3"]


def test_a_unit_without_contributors_weighs_nothing_and_says_so(pyramid):
    assert rules(with_first(pyramid)) == ["weight"]


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (Part("apples", 24, 18), "ends before it starts; the words stand at [19, 25)"),
        (Part("apples", 18, 24), 'holds " apple", not "apples"; the words stand at [19, 25)'),
        (Part("apples", -5, 1), "reaches outside the text"),
        (Part("apples", 10**9, 10**9 + 6), "reaches outside the text"),
        (Part("pears", 19, 24), 'holds "apple", not "pears"'),
    ],
)
def test_a_span_that_is_not_where_it_says_is_reported_with_the_nearest_place(pyramid, part, said):
    (problem,) = problems(with_first(pyramid, Contributor("apples", (part,))))
    assert problem.rule == "offsets"
    assert said in problem.sentence


def test_a_newline_that_a_label_lacks_makes_no_difference(pyramid):
    start = pyramid.summaries[0].start - 4
    text = pyramid.text[start : start + 10]
    assert "\n" in text
    part = Part(text.replace("\n", ""), start, start + 10)
    assert rules(with_first(pyramid, Contributor("x", (part,)))) == []


def test_missing_and_unknown_header_expressions_are_reported_with_what_was_found(pyramid):
    (missing,) = problems(replace(pyramid, header=None))
    (unknown,) = problems(replace(pyramid, header="(-+)+"))
    assert (missing.rule, unknown.rule) == ("header", "header")
    assert "4 model summaries by the default header" in missing.sentence
    assert rules(replace(pyramid, summaries=(), header=None)) == ["header", "models"]


def test_entries_that_are_missing_double_or_mislabelled_are_reported(annotated):
    peer = annotated("b")
    first, *others = peer.units
    assert rules(replace(peer, units=tuple(others))) == ["entry"]
    assert rules(replace(peer, units=(first, *peer.units))) == ["entry"]
    assert rules(replace(peer, units=(replace(first, label="(3) apples"), *others))) == ["label"]
    assert rules(replace(peer, units=(replace(first, contributors=(Contributor("x", ()),)), *others))) == ["parts"]


def test_a_copy_that_differs_from_the_pyramid_beside_it_is_reported_but_not_its_order(demo, tmp_path):
    pyramid = read(demo / "T01.pyr")
    other, shuffled = tmp_path / "other", tmp_path / "shuffled"
    for folder, units in ((other, pyramid.units[1:]), (shuffled, pyramid.units[::-1])):
        folder.mkdir()
        write(folder / "T01.pyr", replace(pyramid, units=units))
    peer = demo / "eve.T01.M.60.A.heron.pan"
    assert [problem.rule for problem in validate([other / "T01.pyr", peer]).warnings] == ["copy"]
    assert validate([shuffled / "T01.pyr", peer]).warnings == []


def test_the_same_annotation_in_two_files_is_a_fault(demo, tmp_path):
    copy = tmp_path / "eve.T01.M.60.A.heron.pan"
    copy.write_bytes((demo / copy.name).read_bytes())
    (fault,) = validate([demo / copy.name, copy]).faults
    assert fault.value == str(demo / copy.name)


def test_remarks_count_each_kind_and_show_its_first_case(pyramid):
    (remark,) = remarks([replace(pyramid, header=None)] * 3)
    assert "3 times" in remark


def test_the_bundled_example_has_no_problems(demo):
    found = validate(sorted(demo.glob("*.p[ay]*")))
    assert (found.faults, found.warnings, len(found.facts)) == ([], [], 4)
