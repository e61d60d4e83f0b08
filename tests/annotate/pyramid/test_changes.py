"""A change as a value: it applies if what it replaces is still the same, whatever else has changed."""

from copy import deepcopy
from dataclasses import replace

import pytest

from touchstone import TouchstoneError
from touchstone.annotate.pyramid.json_form import read_document
from touchstone.annotate.pyramid.review import read_change


@pytest.fixture
def apply(editor):
    """Give a function that applies a change to a document, in the browser."""
    return lambda change, document: read_document(editor.call("changes", "apply", change, document), document)


def uids(document):
    return [unit.uid for unit in document.units]


def unit(document, uid):
    return next(unit for unit in document.units if unit.uid == uid)


def moved(document, uid, place):
    """Return a document with a unit at another place of the list."""
    others = [one for one in document.units if one.uid != uid]
    return replace(document, units=(*others[:place], unit(document, uid), *others[place:]))


def split(document, uid, mark_id):
    """Return a document with a contributor of a unit in a new unit right after it."""
    (mark,) = (mark for mark in unit(document, uid).contributors if mark.id == mark_id)
    place = uids(document).index(uid)
    rest = tuple(one for one in document.units[place].contributors if one.id != mark_id)
    new = replace(document.units[place], uid=str(document.next_unit), label=mark.label, contributors=(mark,))
    units = (*document.units[:place], replace(document.units[place], contributors=rest), new)
    return replace(document, units=(*units, *document.units[place + 1 :]), next_unit=document.next_unit + 1)


def test_the_browser_describes_a_change_by_what_differs(editor, document):
    value = editor.call("changes", "changeBetween", document, editor.rename_unit(document, "2", "Loaves"), "rename", "")
    assert list(value["units"]["items"]) == ["2"]
    before, after = value["units"]["items"]["2"]
    assert (before["label"], after["label"], value["units"]["order"]) == ("bread", "Loaves", None)
    assert value["unassigned"] == {"items": {}, "order": None}


def test_nothing_changed_is_no_change(build, document):
    assert not read_change(build.change(document, document))
    assert read_change(build.change(document, moved(document, "5", 0)))


def test_a_change_applies_to_a_document_that_went_on_elsewhere(build, apply, document, at):
    went_on = build.new_unit(build.rename_unit(moved(document, "1", 2), "5", "yolks"), [at("A", "figs")])
    after = apply(build.change(document, split(document, "1", "c1")), went_on)
    assert uids(after) == ["2", "3", "1", "7", "4", "5", "6"]
    assert unit(after, "5").label == "yolks"
    assert [mark.id for mark in unit(after, "7").contributors] == ["c1"]


def test_a_change_of_what_has_changed_since_is_refused(build, apply, refused, document):
    merged = build.change(document, build.merge(document, "5", "4"))
    with pytest.raises(refused, match="unit 4 has changed since"):
        apply(merged, build.rename_unit(document, "4", "Dates"))
    with pytest.raises(refused, match="unit 5 has changed since"):
        apply(merged, build.delete_unit(document, "5"))


def test_ids_that_were_used_meanwhile_are_replaced(build, apply, document, at):
    proposed = build.new_unit(document, [at("A", "figs")], "figs")
    own = build.new_unit(document, [at("B", "grapes")], "grapes")
    after = apply(build.change(document, proposed), own)
    assert [(one.uid, one.label) for one in after.units[5:]] == [("7", "figs"), ("6", "grapes")]
    assert {one.contributors[0].id for one in after.units[5:]} == {"c11", "c12"}
    assert (after.next_unit, after.next_mark) == (8, 13)


def test_the_opposite_change_restores_a_deleted_unit(build, apply, document):
    deleted = build.delete_unit(document, "5")
    after = apply(build.change(deleted, document), deleted)
    assert (after.units, after.unassigned) == (document.units, document.unassigned)


def test_a_uid_listed_twice_is_told_apart(build, apply, peer):
    twice = replace(peer, units=(*peer.units, peer.units[0]))
    after = replace(twice, units=(*twice.units[:-1], replace(twice.units[-1], comment="again")))
    again = build.change(twice, after)
    assert list(again["units"]["items"]) == ["1#2"]
    assert apply(again, twice) == after


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (("units", "order"), [["1"]]),
        (("units", "items", "5"), [None]),
        (("units", "items", "5", 0), {"uid": "5"}),
        (("unassigned", "items"), []),
        (("said",), "x" * 2_001),
    ],
)
def test_a_change_from_a_stranger_is_read_strictly(build, document, path, wrong):
    value = deepcopy(build.change(document, build.delete_unit(document, "5")))
    read_change(value)
    inner = value
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = wrong
    with pytest.raises(TouchstoneError):
        read_change(value)
