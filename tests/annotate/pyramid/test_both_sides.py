"""What the browser and the server both know gives the same on both sides: rules, refusals and figures.

The browser needs them at once, while somebody works, also without a connection; the server has the last word on every
save. The rules and their sentences are one table, `rules.js`; each side finds the facts that they are about.
"""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from touchstone.annotate.pyramid.constraints import RefusalError, check_step, touched, violations
from touchstone.annotate.pyramid.figures import peer_figures, pyramid_figures
from touchstone.annotate.pyramid.rules import CHECKS
from touchstone.tasks.pyramid.model import Part

SAME = settings(max_examples=60, deadline=None)


def edited(build, data, document):
    """Return a document after random edits that no rule was asked about."""
    for _ in range(data.draw(st.integers(1, 5))):
        start = data.draw(st.integers(0, len(document.text) - 1))
        span = (start, data.draw(st.integers(start + 1, min(len(document.text), start + 60))))
        kind = data.draw(st.sampled_from(["unit", "contributor", "part", "move", "unassign"]))
        uid = data.draw(st.sampled_from([unit.uid for unit in document.units] or ["none"]))
        mark = data.draw(st.sampled_from([one.id for one in document.marks] or ["none"]))
        if kind == "unit" or "none" in (uid, mark):
            document = build.new_unit(document, [span], "x")
        elif kind == "contributor":
            document = build.add_contributor(document, uid, [span])
        elif kind == "part":
            document = build.add_part(document, mark, span)
        elif kind == "move":
            document = build.move_contributor(document, mark, uid)
        else:
            document = build.unassign(document, [mark])
    return document


def in_the_browser(editor, document):
    """Return the rules that the browser says a document breaks."""
    listed = editor.call("constraints", "violations", document, material=document)
    return [(violation["rule"], violation["uid"], violation["reason"], violation["hint"]) for violation in listed]


def on_the_server(document):
    return [(violation.rule, violation.uid, violation.reason, violation.hint) for violation in violations(document)]


def test_both_find_every_rule_of_the_table(editor, broken):
    assert in_the_browser(editor, broken) == on_the_server(broken)
    for rule in (rule for rules in CHECKS.values() for rule in rules):
        sentence = re.sub(r"\\{\w+\\}", ".*", re.escape(rule.reason))
        assert any(name == rule.rule and re.fullmatch(sentence, reason) for name, _, reason, _ in on_the_server(broken))


@SAME
@given(st.data())
def test_both_find_the_same_broken_rules(build, editor, document, data):
    after = edited(build, data, document)
    assert in_the_browser(editor, after) == on_the_server(after)


@SAME
@given(st.data())
def test_both_refuse_a_step_for_the_same_reason_or_let_it_pass(build, editor, refused, document, data):
    before = edited(build, data, document)
    after = edited(build, data, before)
    here = there = None
    try:
        check_step(before, after)
    except RefusalError as error:
        here = (error.rule, error.faults[0].what, error.hint)
    try:
        editor.call("constraints", "guarded", before, after, material=before)
    except refused as error:
        there = (error.rule, error.reason, error.hint)
    assert there == here


@SAME
@given(st.data())
def test_both_show_the_same_figures_of_a_pyramid(build, editor, document, data):
    after = edited(build, data, document)
    there = editor.call("figures", "pyramidFigures", after, material=after)
    here = pyramid_figures(after)
    assert there.pop("meanWeight") == pytest.approx(here["mean_weight"])
    assert there.pop("covered") == pytest.approx(here["covered"])
    assert there == {name: here[name] for name in there}


@SAME
@given(uids=st.lists(st.sampled_from("012345"), max_size=6))
def test_both_give_a_peer_the_same_scores(build, editor, peer, word, uids):
    document = peer
    for uid in uids:
        document = build.add_contributor(document, uid, [word("bread")])
    there = editor.call("figures", "peerFigures", document, material=document)
    here = peer_figures(document)
    same = set(there) & set(here)
    assert len(same) >= 10
    assert {name: there[name] for name in same} == {name: here[name] for name in same}


@SAME
@given(st.data())
def test_both_say_alike_which_summaries_a_span_touches(editor, document, data):
    start = data.draw(st.integers(0, len(document.text)))
    end = data.draw(st.integers(0, len(document.text)))
    summaries = [{"id": one.id, "start": one.start, "end": one.end} for one in document.summaries]
    there = editor.call("document", "touched", [{"start": start, "end": end}], summaries)
    assert tuple(there) == touched([Part("", start, end)], document.summaries)
