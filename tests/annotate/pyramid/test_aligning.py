"""Two documents of the same texts: what agrees is taken at once, the rest is decided by taking one side or both."""

from collections import Counter
from dataclasses import replace
from random import Random
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from touchstone import TouchstoneError
from touchstone.annotate.pyramid.aligning import _overlap, align
from touchstone.annotate.pyramid.constraints import new_violations, violations
from touchstone.annotate.pyramid.deciding import OTHER_SIDE_EMPTY, TWO_UNITS
from touchstone.annotate.pyramid.document import LARGEST
from touchstone.annotate.pyramid.exchange import document_of, file_text
from touchstone.annotate.pyramid.json_form import document_json, read_document
from touchstone.base.codes import Code
from touchstone.pyramid import read

from .perturbing import ALL_STEPS, PEER_STEPS, PYRAMID_STEPS, perturbed


def throughout(alignment, choice):
    """Return the document that takes one side in every decision."""
    return alignment.resolved({decision.key: choice for decision in alignment.decisions})


def only(alignment):
    """Return the one decision of an alignment."""
    (decision,) = alignment.decisions
    return decision


def spans(document):
    return [sorted(mark.spans for mark in unit.contributors) for unit in document.units if unit.contributors]


# One change at a time.


def test_what_is_the_same_is_taken_at_once_whatever_its_number_and_place(document):
    other = replace(document, units=tuple(replace(unit, uid=f"x{unit.uid}") for unit in reversed(document.units)))
    alignment = align(document, other)
    assert (alignment.taken, alignment.decisions) == (5, ())
    assert alignment.resolved({}).units == document.units


def test_a_unit_that_one_side_split_is_one_decision_of_one_against_two(build, document, at):
    apples = document.units[0]
    halves = (
        replace(apples, contributors=apples.contributors[:2]),
        replace(apples, contributors=apples.contributors[2:]),
    )
    other = replace(document, units=(halves[0], replace(halves[1], uid="6"), *document.units[1:]), next_unit=7)
    decision = only(align(document, other))
    assert (decision.kind, len(decision.left), len(decision.right)) == ("split", 1, 2)
    assert (decision.both, decision.reason) == (None, TWO_UNITS)
    assert only(align(other, document)).kind == "merged"


def test_moved_boundaries_can_be_joined(build, document, at):
    bread, after = at("A", "bread"), at("A", "cider")
    other = build.add_part(document, "c5", (bread[1], after[0] + 3))
    decision = only(align(document, other))
    assert decision.kind == "bounds"
    (joined,) = decision.both
    assert joined.spans[0] == ((bread[0], after[0] + 3),)
    assert joined.unit.contributors[0].parts[0].label == "bread cid"


def test_a_unit_of_one_side_only_is_taken_or_left_out(build, document):
    other = build.delete_unit(document, "3")
    alignment = align(document, replace(other, unassigned=()))
    decision = only(alignment)
    assert (decision.kind, decision.both, decision.reason) == ("missing", None, OTHER_SIDE_EMPTY)
    assert throughout(alignment, "left").units == document.units
    assert spans(throughout(alignment, "right")) == spans(other)


def test_a_contributor_in_another_unit_is_one_decision_about_both_units(build, document):
    other = build.move_contributor(document, "c9", "3")
    decision = only(align(document, replace(other, units=tuple(unit for unit in other.units if unit.contributors))))
    assert decision.kind == "merged"
    other = build.move_contributor(document, "c6", "4")
    decision = only(align(document, other))
    assert (decision.kind, len(decision.left), len(decision.right)) == ("moved", 2, 2)
    assert decision.reason == TWO_UNITS


def test_another_label_alone_is_a_decision_about_the_label_and_comes_last(build, document):
    other = build.rename_unit(build.delete_unit(document, "5"), "1", "fruit")
    assert [decision.kind for decision in align(document, other).decisions] == ["missing", "label"]


def test_a_contributor_that_one_side_alone_has_can_be_joined_to_the_unit(build, document, at):
    other = build.add_contributor(document, "4", [at("A", "figs")])
    decision = only(align(document, other))
    assert (decision.kind, len(decision.both[0].unit.contributors)) == ("contributors", 2)


def test_both_is_not_offered_where_it_would_break_a_rule(build, document, at):
    over = build.add_part(document, "c9", at("C", "cider"))
    assert [violation.rule for violation in violations(over)] == ["C3"]
    wide = build.add_part(document, "c9", at("D", "eggs"))
    decision = next(one for one in align(over, wide).decisions if one.left and one.right)
    assert decision.both is None
    assert "summary" in decision.reason or "summaries" in decision.reason


def test_a_choice_that_is_not_offered_is_refused(build, document):
    alignment = align(document, build.delete_unit(document, "3"))
    with pytest.raises(TouchstoneError) as caught:
        alignment.resolved({only(alignment).key: "both"})
    assert caught.value.code == Code.BAD_VALUE


def test_documents_over_other_texts_are_not_compared(document, peer):
    with pytest.raises(TouchstoneError) as caught:
        align(document, peer)
    assert caught.value.code == Code.MISMATCH


def test_the_words_of_a_peer_in_another_unit_are_one_decision_and_both_units_may_have_them(build, peer, word):
    left = build.add_contributor(peer, "2", [word("bread")])
    right = build.add_contributor(peer, "3", [word("bread")])
    alignment = align(left, right)
    decision = only(alignment)
    assert (decision.kind, [piece.key for piece in decision.both]) == ("unit", ["2", "3"])
    assert spans(throughout(alignment, "both")) == [[(word("bread"),)]] * 2
    assert spans(throughout(alignment, "right")) == spans(right)


def test_a_word_of_a_peer_that_one_side_marked_twice_is_not_joined_to_itself(build, peer, word):
    left = build.add_contributor(peer, "2", [word("bread\nmore bread")])
    right = build.add_contributor(build.add_contributor(peer, "2", [word("bread")]), "2", [word("bread", 12)])
    decision = only(align(left, right))
    assert decision.kind == "split"
    assert [piece.spans for piece in decision.both] == [((word("bread\nmore bread"),),)]
    assert only(align(right, left)).reason == "the same words would be in a unit twice"


def test_a_comment_on_an_entry_of_a_peer_is_decided_and_an_empty_entry_is_not(build, peer, word):
    left = build.add_contributor(peer, "2", [word("bread")])
    noted = build.changed(left, "2", lambda unit: replace(unit, comment="really?"))
    decision = only(align(left, replace(noted, units=noted.units[:3])))
    assert (decision.kind, decision.right[0].unit.comment) == ("label", "really?")


# Whatever two people did.


def pairs(document, steps, seed):
    """Return two perturbations of a document, and their alignment."""
    random = Random(seed)
    one, other = (perturbed(document, random, steps, share) for share in (random.random(), 2 * random.random()))
    return one, other, align(one, other), random


def check(one, other, alignment, random, form):
    """Check what holds of every alignment."""
    assert throughout(alignment, "left").units == one.units
    assert throughout(alignment, "left").unassigned == one.unassigned
    if alignment.decisions:
        assert file_text(throughout(alignment, "right"), form) == file_text(other, form)
    decided = [piece for decision in alignment.decisions for piece in decision.left]
    assert len({piece.position for piece in (*alignment.agreed, *decided)}) == len(alignment.agreed) + len(decided)
    assert len({decision.key for decision in alignment.decisions}) == len(alignment.decisions)
    for _ in range(3):
        choices = {
            decision.key: random.choice(["left", "right", *(["both"] if decision.both else [])])
            for decision in alignment.decisions
            if random.random() < 0.9
        }
        mixed = alignment.resolved(choices)
        assert not new_violations(mixed, [alignment.left, alignment.right])
        assert read_document(document_json(mixed), mixed) == mixed


@pytest.fixture(scope="module")
def example(demo):
    return document_of(read(demo / "T01.pyr"))


@pytest.fixture(scope="module")
def annotated(demo):
    return document_of(read(min(demo.glob("*.pan"))))


@settings(max_examples=150)
@given(seed=st.integers(0, 2**32))
def test_any_choices_between_two_pyramids_keep_the_rules_and_one_side_throughout_is_that_side(example, seed):
    one, other, alignment, random = pairs(example, ALL_STEPS, seed)
    check(one, other, alignment, random, "pyr")
    assert sum(len(decision.right) for decision in alignment.decisions) + alignment.taken == len(other.units)


@settings(max_examples=150)
@given(seed=st.integers(0, 2**32))
def test_any_choices_between_two_peers_keep_the_rules_and_one_side_throughout_is_that_side(annotated, seed):
    one, other, alignment, random = pairs(annotated, PEER_STEPS, seed)
    check(one, other, alignment, random, "pan")
    right = sum(len(piece.unit.contributors) for decision in alignment.decisions for piece in decision.right)
    assert right + alignment.taken == sum(1 for _ in other.marks)


# The real files of DUC 2006.


def test_a_real_pyramid_against_its_perturbation_leaves_a_fifth_of_its_units_to_decide(data, record_property):
    units = decisions = agreed = 0
    slowest = 0.0
    kinds: Counter[str] = Counter()
    for seed, path in enumerate(sorted((data("duc2006") / "pyr").iterdir())):
        document = document_of(read(path))
        other = perturbed(document, Random(seed), PYRAMID_STEPS)
        begun = process_time()
        alignment = align(document, other)
        slowest = max(slowest, process_time() - begun)
        assert file_text(throughout(alignment, "left"), "pyr") == file_text(document, "pyr")
        assert file_text(throughout(alignment, "right"), "pyr") == file_text(other, "pyr")
        units, agreed, decisions = (
            units + len(document.units),
            agreed + alignment.taken,
            decisions + len(alignment.decisions),
        )
        kinds.update(decision.kind for decision in alignment.decisions)
    record_property(
        "said", f"{units} units: {agreed} agreed, {decisions} decisions {dict(kinds)}; {slowest:.2f} s at most"
    )
    assert (units, agreed, decisions) == (1594, 1204, 329)
    assert slowest < 60  # below 1 s on an idle core


def test_the_two_annotations_of_each_peer_of_d0631(data, record_property):
    folder = data("duc2006") / "pan"
    counts: Counter[str] = Counter()
    for path in sorted(folder.glob("114.D0631.*")):
        first, second = document_of(read(path)), document_of(read(folder / path.name.replace("114.", "115.", 1)))
        alignment = align(first, second)
        assert file_text(throughout(alignment, "left"), "pan") == file_text(first, "pan")
        assert file_text(throughout(alignment, "right"), "pan") == file_text(second, "pan")
        counts.update(decision.kind for decision in alignment.decisions)
        sides = [sum(1 for _ in document.marks) for document in (first, second)]
        counts.update(
            peers=1, left=sides[0], right=sides[1], agreed=alignment.taken, decisions=len(alignment.decisions)
        )
    record_property("said", f"{dict(counts)}")
    assert [counts[name] for name in ("peers", "left", "right", "agreed", "decisions")] == [22, 406, 380, 96, 346]
    assert (counts["bounds"], counts["missing"], counts["unit"]) == (215, 105, 19)


def test_the_overlap_of_long_labels_is_that_of_their_words_and_takes_seconds():
    small = [{"a"}, {"a", "b", "c"}, {"d"}]
    expected = [[2 * len(one & other) / (len(one) + len(other)) for other in small[1:]] for one in small]
    assert _overlap(small, small[1:]).tolist() == expected
    long = [{f"word{number % 5_000}" for number in range(start, start + 300)} for start in range(LARGEST)]
    began = process_time()
    assert _overlap(long, long).shape == (LARGEST, LARGEST)
    assert process_time() - began < 10, "one pair of labels after the other"
