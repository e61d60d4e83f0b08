"""A peer read against a pyramid: spans matched, repeated, unmatched; content that matches nothing."""

from dataclasses import replace

import pytest

from touchstone.annotate.pyramid.document import blinded
from touchstone.annotate.pyramid.figures import peer_figures


def note(editor, document, uid):
    return editor.call("operations", "repeatNote", document, uid)


def test_a_new_peer_lists_every_unit_heaviest_first_and_zero_last(peer):
    assert [(one.uid, one.label) for one in peer.units] == [
        ("1", "(4) apples"),
        ("2", "(2) bread"),
        ("3", "(2) cider"),
        ("4", "(1) dates"),
        ("5", "(1) eggs"),
        ("0", "All non-matching SCUs go here"),
    ]


def test_a_span_is_matched_and_a_second_match_says_that_it_is_a_repeat(editor, peer, word):
    assert note(editor, peer, "2") is None
    once = editor.add_contributor(peer, "2", [word("bread")])
    assert note(editor, once, "2") == "unit 2 is expressed already: this counts as a repeat and earns nothing"
    twice = editor.add_contributor(once, "2", [word("bread", 12)])
    assert [mark.id for mark in twice.units[1].contributors] == ["c1", "c2"]
    assert (peer_figures(twice)["count"], peer_figures(twice)["repeats"]) == (1, 1)


def test_content_that_matches_nothing_goes_to_zero_and_repeats_nothing(editor, peer, word):
    after = editor.add_contributor(editor.add_contributor(peer, "0", [word("fog")]), "0", [word("more")])
    assert note(editor, after, "0") is None
    assert (peer_figures(after)["unmatched"], peer_figures(after)["count"]) == (2, 0)


def test_a_match_is_taken_back_without_losing_the_span(editor, peer, word):
    after = editor.unassign(editor.add_contributor(peer, "2", [word("bread")]), ["c1"])
    assert after.units[1].contributors == ()
    assert after.unassigned[0].spans == (word("bread"),)
    assert peer_figures(after)["count"] == 0
    assert editor.move_contributor(after, "c1", "3").units[2].contributors[0].id == "c1"


def test_an_entry_that_a_file_left_out_is_made_when_it_is_needed(editor, peer, word):
    short = replace(peer, units=peer.units[:1])
    assert editor.add_contributor(short, "3", [word("bread")]).units[-1].label == "(2) cider"
    assert editor.comment_unit(short, "0", "none?").units[-1].uid == "0"


def test_a_unit_that_the_pyramid_does_not_have_is_refused(editor, refused, peer, word):
    with pytest.raises(refused, match="there is no unit 9"):
        editor.add_contributor(peer, "9", [word("bread")])


def test_a_span_counts_in_the_peer_and_may_cross_lines_and_emoji(editor, peer, word):
    start, end = word("bread\nmore")[0], word("😀")[1]
    made = editor.add_contributor(peer, "2", [(start, end)])
    assert made.units[1].contributors[0].label == "bread\nmore bread 😀"


def test_the_name_of_the_system_is_not_shown(peer):
    hidden = blinded(peer.material)
    assert (hidden.peer, hidden.annotator, hidden.lines) == ("", "", peer.material.lines)
