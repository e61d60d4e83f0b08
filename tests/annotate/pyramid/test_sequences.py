"""Whatever is done, in whatever order: nothing is lost, nothing is broken anew, and everything can be undone."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from touchstone.annotate import pyramid as p
from touchstone.annotate.pyramid.saving import read_like

Step = Callable[..., p.Document]


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


SHARED: dict[str, Callable[..., p.Document]] = {
    "add_contributor": lambda d, doc: p.add_contributor(doc, uid(d, doc), spans(d, doc)),
    "add_part": lambda d, doc: p.add_part(doc, mark(d, doc), spans(d, doc)[0]),
    "comment_unit": lambda d, doc: p.comment_unit(doc, uid(d, doc), d(st.sampled_from([None, "", "why", "a\nb"]))),
    "comment_contributor": lambda d, doc: p.comment_contributor(doc, mark(d, doc), d(st.sampled_from([None, "so"]))),
    "move_contributor": lambda d, doc: p.move_contributor(doc, mark(d, doc), uid(d, doc)),
    "join_contributors": lambda d, doc: p.join_contributors(doc, mark(d, doc), mark(d, doc)),
    "move_part_to_unit": lambda d, doc: p.move_part_to_unit(doc, mark(d, doc), index(d), uid(d, doc)),
    "move_part_to_contributor": lambda d, doc: p.move_part_to_contributor(doc, mark(d, doc), index(d), mark(d, doc)),
    "unassign": lambda d, doc: p.unassign(doc, [mark(d, doc), mark(d, doc)]),
    "unassign_part": lambda d, doc: p.unassign_part(doc, mark(d, doc), index(d)),
    "discard": lambda d, doc: p.discard(doc, mark(d, doc)),
}
UNITS: dict[str, Callable[..., p.Document]] = {
    "new_unit": lambda d, doc: p.new_unit(doc, spans(d, doc), d(st.sampled_from([None, "named"]))),
    "rename_unit": lambda d, doc: p.rename_unit(doc, uid(d, doc), d(st.text("ab \n", min_size=1, max_size=3))),
    "merge": lambda d, doc: p.merge(doc, uid(d, doc), uid(d, doc)),
    "merge_and_join": lambda d, doc: p.merge_and_join(doc, uid(d, doc), uid(d, doc)),
    "split": lambda d, doc: p.split(doc, uid(d, doc), chosen(d, doc)),
    "delete_unit": lambda d, doc: p.delete_unit(doc, uid(d, doc)),
    "move_unit": lambda d, doc: p.move_unit(doc, uid(d, doc), d(st.integers(0, 6))),
    "imported": lambda d, doc: p.imported(doc, p.to_pyramid(doc)),
}
MAKE = {"add_contributor", "add_part", "new_unit"}
ABSORB = {"join_contributors", "move_part_to_contributor", "merge_and_join", "discard", "imported"}


def taken(draw, document, steps):
    """Return the name of a step and the document after it; a refused one changes nothing."""
    name = draw(st.sampled_from(sorted(steps)))
    try:
        return name, steps[name](draw, document)
    except p.RefusalError:
        return "refused", document


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
        assert before.by_id.keys() <= after.by_id.keys()
    assert name == "imported" or p.new_violations(after, [before]) == []
    assert (after.next_unit, after.next_mark) >= (before.next_unit, before.next_mark)


def check_document(before, after, name):
    value = json.loads(json.dumps(p.document_json(after)))
    assert read_like(after, value) == after
    assert p.accept_save(before, value, [after] if name == "imported" else []) == after
    change = p.change_between(before, after, name, name)
    assert p.read_change(json.loads(json.dumps(p.change_json(change)))) == change
    assert work(p.apply(change, before)) == work(after)
    assert work(p.apply(p.invert(change), after)) == work(before)


def work(document):
    return document.units, document.unassigned


def run(data, start, steps, most):
    states, allowed = [start], [start]
    for _ in range(data.draw(st.integers(1, most))):
        name, after = taken(data.draw, states[-1], steps)
        check_step(name, states[-1], after)
        states.append(after)
        allowed += [after] if name == "imported" else []
    check_document(states[-2], states[-1], name)
    assert p.new_violations(states[-1], allowed) == []
    return states


QUICK = settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@QUICK
@given(st.data())
def test_a_pyramid_keeps_its_spans_and_rules_whatever_is_done(document, data):
    states = run(data, document, SHARED | UNITS, 12)
    assert p.violations(states[-1]) == []


@QUICK
@given(st.data())
def test_a_broken_import_is_never_broken_further(broken, data):
    run(data, broken, SHARED | UNITS, 8)


@QUICK
@given(st.data())
def test_a_peer_keeps_its_spans_whatever_is_done(peer, data):
    run(data, peer, SHARED, 12)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.data())
def test_all_of_it_can_be_undone_and_done_again(document, data):
    states = run(data, document, SHARED | UNITS, 8)
    changes = [p.change_between(one, other, "", "") for one, other in pairwise(states)]
    there = states[-1]
    for change, state in zip(reversed(changes), reversed(states[:-1]), strict=True):
        there = p.apply(p.invert(change), there)
        assert work(there) == work(state)
        restored = p.restored(state, states[-1])
        assert work(restored) == work(state)
        assert p.accept_save(states[-1], p.document_json(restored)) == restored
    for change in changes:
        there = p.apply(change, there)
    assert work(there) == work(states[-1])


def test_undoing_over_an_import_that_breaks_rules_needs_the_import_among_the_allowed(document, broken):
    lines = document.material
    after = p.imported(document, replace(lines, units=p.to_pyramid(broken).units))
    assert p.accept_save(document, p.document_json(after), [after]) == after
    back = p.restored(document, after)
    assert work(p.accept_save(after, p.document_json(back))) == work(document)
