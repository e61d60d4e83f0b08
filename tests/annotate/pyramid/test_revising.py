"""A pyramid that changes after peers were read: what it touches is said, and nothing is rewritten unasked."""

from dataclasses import replace

import pytest

from touchstone.annotate.pyramid.document import to_pyramid
from touchstone.annotate.pyramid.json_form import document_json, read_document
from touchstone.annotate.pyramid.revising import pyramid_changes, rebased, touched_by


@pytest.fixture
def read(build, peer, word):
    """The peer, with unit 2 matched twice, 4 once, and one thing that matches nothing."""
    document = peer
    for uid in ("2", "2", "4", "0"):
        document = build.add_contributor(document, uid, [word("bread")])
    return document


def test_the_same_pyramid_touches_nothing(read, document):
    assert touched_by(read, to_pyramid(document)) == []
    reordered = replace(to_pyramid(document), units=to_pyramid(document).units[::-1])
    assert touched_by(read, reordered) == []


def test_every_change_is_said(build, document, at):
    after = build.new_unit(
        build.merge(build.rename_unit(build.unassign(document, ["c1"]), "2", "Loaves"), "5", "4"), [at("A", "figs")]
    )
    assert [one.sentence for one in pyramid_changes(to_pyramid(document), to_pyramid(after))] == [
        'unit 1 "apples" weighs 3 instead of 4',
        'unit 2 "bread" is now called "Loaves"',
        'unit 4 "dates" is gone, its words are in unit 5',
        'unit 5 "eggs" weighs 2 instead of 1',
        'unit 6 "figs" is new',
    ]


def test_a_peer_is_told_what_touches_it_and_its_score(build, read, document, at):
    after = build.new_unit(build.delete_unit(document, "4"), [at("A", "figs")])
    assert touched_by(read, to_pyramid(after)) == [
        'unit 4 "dates" is gone; the peer expresses it once',
        'unit 6 "figs" is new: check whether the peer expresses it',
        "the modified score would be 0.2500 instead of 0.3750",
    ]


def test_a_change_of_units_that_a_peer_does_not_express_touches_only_its_score(build, read, document):
    assert touched_by(read, to_pyramid(build.rename_unit(document, "5", "Yolks"))) == []
    assert touched_by(read, to_pyramid(build.unassign(document, ["c1", "c2"]))) == [
        "the modified score would be 0.7500 instead of 0.3750"
    ]


def test_to_report_changes_nothing(build, read, document):
    before = document_json(read)
    touched_by(read, to_pyramid(build.delete_unit(document, "4")))
    assert document_json(read) == before


def test_rebasing_keeps_matches_and_puts_those_of_lost_units_aside(build, read, document, at):
    new = to_pyramid(
        build.new_unit(build.delete_unit(build.rename_unit(document, "2", "Loaves"), "4"), [at("A", "figs")])
    )
    after = rebased(read, new)
    assert [(one.uid, one.label, len(one.contributors)) for one in after.units] == [
        ("1", "(4) apples", 0),
        ("2", "(2) Loaves", 2),
        ("3", "(2) cider", 0),
        ("5", "(1) eggs", 0),
        ("0", "All non-matching SCUs go here", 1),
        ("6", "(1) figs", 0),
    ]
    assert [mark.id for mark in after.unassigned] == ["c3"]
    assert {mark.id for mark in after.marks} == {mark.id for mark in read.marks}
    assert read_document(document_json(after), after) == after
