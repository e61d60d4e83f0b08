"""The gate of the server: what may follow a stored document, whatever a browser sends."""

import pytest

from touchstone import TouchstoneError
from touchstone.annotate.pyramid.constraints import RefusalError, check_save
from touchstone.annotate.pyramid.exchange import document_of
from touchstone.annotate.pyramid.json_form import document_json, read_document
from touchstone.base.codes import Code
from touchstone.pyramid import read


def accept_save(stored, value, allowed=()):
    """Give the document in the JSON *value*, after the check of a save."""
    after = read_document(value, stored)
    check_save(stored, after, allowed)
    return after


def test_a_save_without_a_new_fault_is_accepted(build, document, at):
    after = build.new_unit(document, [at("A", "figs")])
    assert accept_save(document, document_json(after)) == after


def test_rules_are_checked_although_the_browser_did_not(document):
    value = document_json(document)
    value["units"][0]["contributors"].append({**value["units"][1]["contributors"].pop(), "id": "c5"})
    value["units"][1]["contributors"] = []
    with pytest.raises(RefusalError) as caught:
        accept_save(document, value)
    assert caught.value.rule == "C2"
    assert {fault.what for fault in caught.value.faults} == {
        "unit 1 would have two contributors from the summary S1.M.9.A.B",
        "unit 1 would have 5 contributors, but there are 4 model summaries",
    }


def test_words_that_are_not_at_their_span_are_refused(document):
    value = document_json(document)
    value["units"][0]["contributors"][0]["parts"][0]["start"] += 1
    with pytest.raises(RefusalError, match='holds "pples", not "apples"'):
        accept_save(document, value)


def test_numbers_may_not_go_back(document):
    value = document_json(document)
    value["next"]["contributor"] += 1
    ahead = accept_save(document, value)
    with pytest.raises(TouchstoneError) as caught:
        accept_save(ahead, document_json(document))
    assert caught.value.code == Code.OUT_OF_RANGE


def test_a_body_of_the_other_kind_is_refused(document, peer):
    with pytest.raises(TouchstoneError) as caught:
        accept_save(peer, document_json(document))
    assert caught.value.code == Code.UNKNOWN_FORMAT


def test_going_back_to_an_imported_fault_is_allowed_where_the_import_is_named(build, broken):
    crowd = [mark.id for mark in broken.units[0].contributors[4:]]
    mended = build.unassign(broken, crowd)
    with pytest.raises(RefusalError):
        accept_save(mended, document_json(broken))
    assert accept_save(mended, document_json(broken), [broken]) == broken


def test_a_peer_is_checked_by_its_text_alone(build, peer, word):
    once = build.add_contributor(peer, "1", [word("apples")])
    twice = build.add_contributor(once, "1", [word("apples")])
    assert accept_save(once, document_json(twice)) == twice
    value = document_json(once)
    value["units"][0]["contributors"][0]["parts"][0]["end"] = 9_000
    with pytest.raises(RefusalError, match="is no span of this text of 37 characters"):
        accept_save(peer, value)


def test_the_bundled_example_is_accepted_as_it_is(demo):
    for path in sorted(demo.glob("*.p??")):
        one = document_of(read(path))
        assert accept_save(one, document_json(one)) == one


def test_a_contributor_may_not_be_smuggled_over_a_rule_under_an_old_id(build, broken):
    over = next(mark for mark in broken.marks if mark.label == "both")
    value = document_json(build.move_contributor(broken, over.id, "5"))
    held = next(c for unit in value["units"] for c in unit["contributors"] if c["id"] == over.id)
    summary = broken.summaries[2]
    words = broken.text[summary.start : summary.start + 6]
    held["parts"].append({"label": words, "start": summary.start, "end": summary.start + 6})
    with pytest.raises(RefusalError, match=r"S1\.M\.9\.A\.A, S1\.M\.9\.A\.B, S1\.M\.9\.A\.C"):
        accept_save(broken, value)
