"""Partner review: accept, comment, propose; the author decides, and both versions stay.

Reviews are made by the browser's modules and checked by the server; what the server must refuse is forged here.
"""

import pytest

from touchstone import TouchstoneError
from touchstone.annotate.pyramid.constraints import RefusalError
from touchstone.annotate.pyramid.json_form import read_document
from touchstone.annotate.pyramid.review import check_proposals, check_review, read_review
from touchstone.base.codes import Code

EMPTY = {"proposals": [], "decisions": {}}


def proposal(key, about, verdict, comment="", change=None):
    return {"key": key, "about": about, "verdict": verdict, "comment": comment, "change": change}


@pytest.fixture
def review(build, document):
    """Unit 1 accepted, a question about 2, and two proposals."""
    moved = build.change(document, build.unassign(document, ["c5"]))
    renamed = build.change(document, build.rename_unit(document, "5", "Eggs are laid"))
    proposals = [
        proposal("p1", "1", "accept"),
        proposal("p2", "2", "comment", "one statement?"),
        proposal("p3", "2", "change", "without the first", moved),
        proposal("p4", "5", "change", "", renamed),
    ]
    return {"proposals": proposals, "decisions": {}}


@pytest.fixture
def step(editor):
    """Give a function of the browser's review module: a new review, from a review and arguments."""
    return lambda name, *given: editor.call("review", name, *given)


def decided(review, key, taken, reply=""):
    return {**review, "decisions": {**review["decisions"], key: {"taken": taken, "reply": reply}}}


def with_proposal(review, *more):
    return {**review, "proposals": [*review["proposals"], *more]}


def test_a_review_made_in_the_browser_is_accepted_by_the_server(editor, step, document):
    made = step("remark", step("accept", EMPTY, "1"), "2", "one statement?")
    made = step("propose", made, document, editor.split(document, "2", {"c5": None}), "two statements")
    made = step("propose", made, document, editor.rename_unit(document, "5", "Eggs are laid"), "")
    assert [(one["key"], one["about"], one["verdict"]) for one in made["proposals"]] == [
        ("p1", "1", "accept"),
        ("p2", "2", "comment"),
        ("p3", "2", "change"),
        ("p4", "5", "change"),
    ]
    open_units = editor.call("review", "unreviewed", document, made, material=document)
    assert [unit["uid"] for unit in open_units] == ["3", "4"]
    check_review(read_review(made), read_review(EMPTY), by_author=False)
    check_proposals(document, read_review(made))
    after = made
    for key, taken, reply in (("p3", True, ""), ("p2", None, "yes")):
        after = step("decide", after, key, taken, reply)
    check_review(read_review(after), read_review(made), by_author=True)


def test_taking_a_proposal_in_the_browser_makes_a_new_version(editor, document, review):
    after = read_document(editor.call("review", "take", document, review["proposals"][2], material=document), document)
    assert [mark.id for mark in after.unassigned] == ["c5"]
    both = editor.call("review", "take", after, review["proposals"][3], material=document)
    assert both["units"][-1]["label"] == "Eggs are laid"


def test_a_proposal_whose_unit_the_author_changed_is_refused(editor, refused, build, document, review):
    changed = build.rename_unit(document, "5", "Yolks")
    with pytest.raises(RefusalError, match="unit 5 has changed since"):
        check_proposals(changed, read_review(review))
    with pytest.raises(refused, match="unit 5 has changed since"):
        editor.call("review", "take", changed, review["proposals"][3], material=document)


def test_a_proposal_cannot_bring_a_rule_to_break(build, document):
    change = build.change(document, build.merge(document, "5", "4"))
    forged = change["units"]["items"]["5"][1]
    forged["contributors"].append({**forged["contributors"][0], "id": "c99"})
    with pytest.raises(RefusalError) as caught:
        check_proposals(document, read_review({**EMPTY, "proposals": [proposal("p1", "5", "change", "", change)]}))
    assert caught.value.rule == "C2"


def test_a_forged_proposal_that_renames_or_doubles_something_is_refused(document, review):
    after = review["proposals"][3]["change"]["units"]["items"]["5"][1]
    after["uid"] = "1"
    with pytest.raises(TouchstoneError) as caught:
        read_review(review)
    assert caught.value.code == Code.MISMATCH
    after["uid"] = "5"
    after["contributors"] *= 2
    with pytest.raises(TouchstoneError) as caught:
        check_proposals(document, read_review(review))
    assert caught.value.code == Code.DUPLICATE_ID


def test_to_accept_is_to_say_nothing_else(step, document, review):
    again = step("accept", review, "2")
    assert [one["about"] for one in again["proposals"]] == ["1", "5", "2"]
    remarked = step("remark", again, "2", "after all")
    assert [one["verdict"] for one in remarked["proposals"] if one["about"] == "2"] == ["comment"]
    assert [one["key"] for one in step("withdraw", review, "p2")["proposals"]] == ["p1", "p3", "p4"]
    both = with_proposal(review, proposal("p5", "2", "accept"))
    with pytest.raises(RefusalError, match="unit 2 is accepted"):
        check_proposals(document, read_review(both))


def test_the_browser_wants_words_in_a_comment_and_a_change_in_a_proposal(step, refused, document):
    with pytest.raises(refused, match="needs words"):
        step("remark", EMPTY, "2", " ")
    with pytest.raises(refused, match="nothing was changed yet"):
        step("propose", EMPTY, document, document, "")


def test_the_server_wants_known_units_words_in_comments_and_changes_in_changes(build, document):
    nothing = build.change(document, document)
    renamed = build.change(document, build.rename_unit(document, "5", "x"))
    for wrong in (
        proposal("p1", "2", "comment", " "),
        proposal("p1", "2", "change"),
        proposal("p1", "2", "change", "", nothing),
        proposal("p1", "5", "comment", "so", renamed),
        proposal("p1", "77", "accept"),
    ):
        with pytest.raises(RefusalError):
            check_proposals(document, read_review({**EMPTY, "proposals": [wrong]}))


def test_only_the_author_decides_and_only_the_reviewer_proposes(review):
    before = read_review(review)
    answered = read_review(decided(review, "p4", False, "no"))
    more = read_review(with_proposal(review, proposal("p5", "3", "accept")))
    check_review(answered, before, by_author=True)
    check_review(more, before, by_author=False)
    with pytest.raises(RefusalError, match="the author decides, not the reviewer"):
        check_review(answered, before, by_author=False)
    with pytest.raises(RefusalError, match="cannot change them"):
        check_review(more, before, by_author=True)


def test_a_change_is_taken_or_not_and_a_comment_is_replied_to(review):
    for key, taken in (("p2", True), ("p3", None)):
        with pytest.raises(RefusalError, match="only a change can be taken"):
            check_review(read_review(decided(review, key, taken)), read_review(review), by_author=True)
    with pytest.raises(TouchstoneError) as caught:
        read_review(decided(review, "p9", None))
    assert caught.value.code == Code.BAD_CELL


def test_of_a_peer_only_what_it_expresses_is_reviewed(editor, build, peer, word):
    matched = build.add_contributor(peer, "2", [word("bread")])
    uids = [
        [unit["uid"] for unit in editor.call("review", "unreviewed", one, EMPTY, material=peer)]
        for one in (peer, matched)
    ]
    assert uids == [[], ["2"]]


@pytest.mark.parametrize(
    "wrong",
    [
        {"proposals": []},
        {"proposals": [], "decisions": {"p1": {"taken": None, "reply": ""}}},
        {"proposals": [proposal("1", "", "accept")], "decisions": {}},
        {"proposals": [proposal("p1", "", "ok")], "decisions": {}},
        {"proposals": [proposal("p1", "", "accept")] * 2, "decisions": {}},
    ],
)
def test_a_review_from_a_stranger_is_read_strictly(wrong):
    with pytest.raises(TouchstoneError):
        read_review(wrong)
