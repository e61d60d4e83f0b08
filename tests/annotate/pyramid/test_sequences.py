"""Whatever is done in the browser, in whatever order: nothing is lost, no rule is broken, and everything can be undone.

The steps run in the browser's own modules; the server accepts every state that they lead to.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from touchstone.annotate.pyramid.constraints import check_save, new_violations, violations
from touchstone.annotate.pyramid.document import Document, to_pyramid
from touchstone.annotate.pyramid.exchange import imported
from touchstone.annotate.pyramid.json_form import document_json, read_document
from touchstone.annotate.pyramid.review import outcome, read_change


def spans(draw, document):
    length = len(document.text)
    starts = draw(st.lists(st.integers(0, length - 2), min_size=1, max_size=2))
    return [(start, draw(st.integers(start + 1, min(start + 30, length)))) for start in starts]


def uid(draw, document):
    return draw(st.sampled_from([unit.uid for unit in document.units] or ["1"]))


def mark(draw, document):
    return draw(st.sampled_from([one.id for one in document.marks] or ["c1"]))


def index(draw):
    return draw(st.integers(0, 2))


def chosen(draw, document):
    ids = draw(st.lists(st.sampled_from([one.id for one in document.marks] or ["c1"]), max_size=3, unique=True))
    return {one: draw(st.sampled_from([None, [0], [1], [0, 1], []])) for one in ids}


SHARED: dict[str, Callable[..., Document]] = {
    "add_contributor": lambda e, d, doc: e.add_contributor(doc, uid(d, doc), spans(d, doc)),
    "add_part": lambda e, d, doc: e.add_part(doc, mark(d, doc), spans(d, doc)[0]),
    "comment_unit": lambda e, d, doc: e.comment_unit(doc, uid(d, doc), d(st.sampled_from([None, "", "why", "a\nb"]))),
    "comment_contributor": lambda e, d, doc: e.comment_contributor(doc, mark(d, doc), d(st.sampled_from([None, "so"]))),
    "move_contributor": lambda e, d, doc: e.move_contributor(doc, mark(d, doc), uid(d, doc)),
    "join_contributors": lambda e, d, doc: e.join_contributors(doc, mark(d, doc), mark(d, doc)),
    "move_part_to_unit": lambda e, d, doc: e.move_part_to_unit(doc, mark(d, doc), index(d), uid(d, doc)),
    "move_part_to_contributor": lambda e, d, doc: e.move_part_to_contributor(doc, mark(d, doc), index(d), mark(d, doc)),
    "unassign": lambda e, d, doc: e.unassign(doc, [mark(d, doc), mark(d, doc)]),
    "unassign_part": lambda e, d, doc: e.unassign_part(doc, mark(d, doc), index(d)),
    "discard": lambda e, d, doc: e.discard(doc, mark(d, doc)),
}
UNITS: dict[str, Callable[..., Document]] = {
    "new_unit": lambda e, d, doc: e.new_unit(doc, spans(d, doc), d(st.sampled_from([None, "named"]))),
    "rename_unit": lambda e, d, doc: e.rename_unit(doc, uid(d, doc), d(st.text("ab \n", min_size=1, max_size=3))),
    "merge": lambda e, d, doc: e.merge(doc, uid(d, doc), uid(d, doc)),
    "merge_and_join": lambda e, d, doc: e.merge_and_join(doc, uid(d, doc), uid(d, doc)),
    "split": lambda e, d, doc: e.split(doc, uid(d, doc), chosen(d, doc)),
    "delete_unit": lambda e, d, doc: e.delete_unit(doc, uid(d, doc)),
    "move_unit": lambda e, d, doc: e.move_unit(doc, uid(d, doc), d(st.integers(0, 6))),
    "imported": lambda e, d, doc: imported(doc, to_pyramid(doc)),
}
MAKE = {"add_contributor", "add_part", "new_unit"}
ABSORB = {"join_contributors", "move_part_to_contributor", "merge_and_join", "discard", "imported"}


@pytest.fixture(scope="session")
def run(editor, refused, build):
    """Give a function that takes some steps from a document, checks each, and returns the states."""

    def taken(draw, document, steps):
        name = draw(st.sampled_from(sorted(steps)))
        try:
            return name, steps[name](editor, draw, document)
        except refused:
            return "refused", document

    def states(data, start, steps, most):
        states, allowed = [start], [start]
        for _ in range(data.draw(st.integers(1, most))):
            name, after = taken(data.draw, states[-1], steps)
            check_step(name, states[-1], after)
            states.append(after)
            allowed += [after] if name == "imported" else []
        check_document(editor, build, states[-2], states[-1], name)
        assert new_violations(states[-1], allowed) == []
        return states

    return states


def places(document):
    return {span for one in document.marks for span in one.spans}


def check_step(name, before, after):
    lost = places(before) - places(after)
    new = places(after) - places(before)
    if name == "discard":
        assert len(before.unassigned) == len(after.unassigned) + 1
    elif name == "imported":
        assert lost <= {span for one in before.unassigned for span in one.spans}
    else:
        assert not lost
    assert not new or name in MAKE
    if name not in ABSORB:
        assert {one.id for one in before.marks} <= {one.id for one in after.marks}
    assert name == "imported" or new_violations(after, [before]) == []
    assert (after.next_unit, after.next_mark) >= (before.next_unit, before.next_mark)


def accept_save(stored, value, allowed=()):
    """Give the document in the JSON *value*, after the check of a save."""
    after = read_document(value, stored)
    check_save(stored, after, allowed)
    return after


def check_document(editor, build, before, after, name):
    value = json.loads(json.dumps(document_json(after)))
    assert read_document(value, after) == after
    assert accept_save(before, value, [after] if name == "imported" else []) == after
    change, back = (
        editor.call("changes", "changeBetween", *pair, name, "") for pair in ((before, after), (after, before))
    )
    assert change == build.change(before, after, name)
    assert work(changed(editor, change, before)) == work(after)
    assert work(changed(editor, back, after)) == work(before)


def changed(editor, change, document):
    """Return a document after a change; what the server checks has the same content and numbers."""
    after = read_document(editor.call("changes", "apply", change, document), document)
    assert in_any_order(outcome(read_change(change), document)) == in_any_order(after)
    return after


def in_any_order(document):
    lists = (sorted(map(repr, items)) for items in work(document))
    return *lists, document.next_unit, document.next_mark


def work(document):
    return document.units, document.unassigned


QUICK = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@QUICK
@given(st.data())
def test_a_pyramid_keeps_its_spans_and_rules_whatever_is_done(run, document, data):
    states = run(data, document, SHARED | UNITS, 12)
    assert violations(states[-1]) == []


@QUICK
@given(st.data())
def test_a_broken_import_is_never_broken_further(run, broken, data):
    run(data, broken, SHARED | UNITS, 8)


@QUICK
@given(st.data())
def test_a_peer_keeps_its_spans_whatever_is_done(run, peer, data):
    run(data, peer, SHARED, 12)


@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.data())
def test_all_of_it_can_be_undone_and_done_again(run, editor, document, data):
    states = run(data, document, SHARED | UNITS, 8)
    last = states[-1]
    there = last
    for state, after in reversed(list(pairwise(states))):
        there = changed(editor, editor.call("changes", "changeBetween", after, state, "", ""), there)
        assert work(there) == work(state)
        restored = read_document(editor.call("document", "restored", state, last), state)
        assert work(restored) == work(state)
        assert accept_save(last, document_json(restored)) == restored
    for before, state in pairwise(states):
        there = changed(editor, editor.call("changes", "changeBetween", before, state, "", ""), there)
    assert work(there) == work(last)


def test_undoing_over_an_import_that_breaks_rules_needs_the_import_among_the_allowed(editor, document, broken):
    lines = document.material
    after = imported(document, replace(lines, units=to_pyramid(broken).units))
    assert accept_save(document, document_json(after), [after]) == after
    back = read_document(editor.call("document", "restored", document, after), document)
    assert work(accept_save(after, document_json(back))) == work(document)
