"""A change as a value: it applies where what it replaces still stands, beside whatever else went on."""

from dataclasses import replace

import pytest

from touchstone import TouchstoneError
from touchstone.annotate.pyramid import (
    RefusalError,
    apply,
    change_between,
    change_json,
    delete_unit,
    invert,
    merge,
    move_unit,
    new_unit,
    read_change,
    rename_unit,
    split,
)


def uids(document):
    return [unit.uid for unit in document.units]


def test_a_change_holds_only_what_differs(document):
    value = change_json(change_between(document, rename_unit(document, "2", "Loaves"), "rename", "renamed unit 2"))
    assert list(value["units"]["items"]) == ["2"]
    before, after = value["units"]["items"]["2"]
    assert (before["label"], after["label"], value["units"]["order"]) == ("bread", "Loaves", None)
    assert value["unassigned"] == {"items": {}, "order": None}


def test_nothing_changed_is_no_change(document):
    assert not change_between(document, document, "", "")
    assert change_between(document, move_unit(document, "5", 0), "", "")


def test_a_change_applies_to_a_document_that_went_on_elsewhere(document, at):
    change = change_between(document, split(document, "1", {"c1": None}), "split", "")
    went_on = new_unit(rename_unit(move_unit(document, "1", 2), "5", "yolks"), [at("A", "figs")])
    after = apply(change, went_on)
    assert uids(after) == ["2", "3", "1", "7", "4", "5", "6"]
    assert after.units[after.places["5"]].label == "yolks"
    assert [mark.id for mark in after.units[after.places["7"]].contributors] == ["c1"]


def test_a_change_of_what_has_changed_since_is_refused(document):
    change = change_between(document, merge(document, "5", "4"), "merge", "")
    with pytest.raises(RefusalError, match="unit 4 has changed since"):
        apply(change, rename_unit(document, "4", "Dates"))
    with pytest.raises(RefusalError, match="unit 5 has changed since"):
        apply(change, delete_unit(document, "5"))


def test_ids_that_were_given_meanwhile_are_given_anew(document, at):
    proposed = new_unit(document, [at("A", "figs")], "figs")
    own = new_unit(document, [at("B", "grapes")], "grapes")
    after = apply(change_between(document, proposed, "new", ""), own)
    assert [(unit.uid, unit.label) for unit in after.units[5:]] == [("7", "figs"), ("6", "grapes")]
    assert {unit.contributors[0].id for unit in after.units[5:]} == {"c11", "c12"}
    assert (after.next_unit, after.next_mark) == (8, 13)


def test_an_undone_change_says_so(document):
    change = invert(change_between(document, delete_unit(document, "5"), "delete", "deleted unit 5"))
    assert change.said == "undid: deleted unit 5"
    after = apply(change, delete_unit(document, "5"))
    assert (after.units, after.unassigned) == (document.units, document.unassigned)


def test_a_uid_listed_twice_is_told_apart(peer):
    twice = replace(peer, units=(*peer.units, peer.units[0]))
    after = replace(twice, units=(*twice.units[:-1], replace(twice.units[-1], comment="again")))
    change = change_between(twice, after, "comment", "")
    assert list(change.units.items) == ["1#2"]
    assert apply(change, twice) == after


def test_a_change_from_a_stranger_is_read_strictly(document):
    value = change_json(change_between(document, delete_unit(document, "5"), "delete", "deleted"))
    for path, wrong in (
        (("units", "order"), [["1"]]),
        (("units", "items", "5"), [None]),
        (("units", "items", "5", 0), {"uid": "5"}),
        (("unassigned", "items"), []),
        (("said",), "x" * 2_001),
    ):
        inner = copy = read_write(value)
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = wrong
        with pytest.raises(TouchstoneError):
            read_change(copy)


def read_write(value):
    return change_json(read_change(value))
