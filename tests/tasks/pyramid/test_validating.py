"""What is odd is listed, kept, and does not stop a scoring."""

from dataclasses import replace

import pytest

from touchstone.pyramid import Contributor, Part, problems, read, score, validate, write
from touchstone.tasks.pyramid.validating import remarks


def rules(thing) -> list[str]:
    return [problem.rule for problem in problems(thing)]


def with_first(pyramid, *contributors):
    return replace(pyramid, units=(replace(pyramid.units[0], contributors=contributors), *pyramid.units[1:]))


def test_a_sound_pyramid_and_a_sound_annotation_have_no_problems(pyramid, annotated):
    assert problems(pyramid) == problems(annotated("abcde0")) == []


def test_c1_a_weight_above_the_number_of_models(pyramid):
    first = pyramid.units[0].contributors
    assert rules(with_first(pyramid, *first, first[0])) == ["C1", "C2", "double"]


def test_c2_two_contributors_from_one_summary(pyramid):
    first, *_ = pyramid.units[0].contributors
    found = problems(with_first(pyramid, first, first))
    assert [str(problem) for problem in found] == [
        "uid a: C2: contributors 1 and 2 are both from the summary S1.M.9.A.A",
        "uid a, contributor 2: double: the same spans as contributor 1; both count",
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
        (Part("apples", 24, 18), "ends before it starts; the words are at [19, 25)"),
        (Part("apples", 18, 24), 'holds " apple", not "apples"; the words are at [19, 25)'),
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
    (warning,) = validate([other / "T01.pyr", peer]).warnings
    assert "copy: its pyramid differs from T01.pyr" in warning
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


def test_an_annotation_whose_model_summaries_are_of_another_set_is_reported(annotated):
    (problem,) = problems(annotated("a", document_set="S2"))
    assert str(problem) == "set: the file is of the set S2, its model summaries are of S1"


@pytest.mark.parametrize("name", ["s1", "S-1"])
def test_names_of_sets_may_differ_in_case_and_punctuation(annotated, name):
    assert problems(annotated("a", document_set=name)) == []


def test_a_misfiled_annotation_is_told_when_it_is_scored_and_validated(demo, tmp_path):
    misfiled = tmp_path / "eve.T02.M.60.A.heron.pan"
    misfiled.write_bytes((demo / "eve.T01.M.60.A.heron.pan").read_bytes())
    (warning,) = validate([misfiled]).warnings
    assert warning == f"{misfiled}: set: the file is of the set T02, its model summaries are of T01"
    assert warning in score(misfiled).notes


def test_files_with_the_same_content_under_two_peers_are_reported(demo, tmp_path):
    original, copy = demo / "eve.T01.M.60.A.heron.pan", tmp_path / "eve.T01.M.60.A.osprey.pan"
    copy.write_bytes(original.read_bytes())
    (warning,) = validate([original, copy]).warnings
    assert warning == (
        f"{copy} has the same content as {original}: set T01, peer osprey is a copy of set T01, peer heron"
    )
    assert warning in score([original, copy]).notes


def test_a_part_twice_in_a_contributor_is_reported(pyramid):
    first, *others = pyramid.units[0].contributors
    (problem,) = problems(with_first(pyramid, Contributor("apples", first.parts * 2), *others))
    assert str(problem) == "uid a, contributor 1: double: the part [19, 25) occurs 2 times"


def test_two_contributors_of_a_peer_with_the_same_spans_are_reported(annotated):
    peer = annotated("b")
    bread = peer.units[1]
    units = (peer.units[0], replace(bread, contributors=bread.contributors * 2), *peer.units[2:])
    (problem,) = problems(replace(peer, units=units))
    assert str(problem) == "peer, uid b, contributor 2: double: the same spans as contributor 1; both count"


def test_a_pyramid_alone_can_be_validated(demo):
    found = validate(demo / "T01.pyr")
    assert (found.faults, found.facts) == ([], ["1 file, 1 document set, 17 content units, 0 annotations"])
