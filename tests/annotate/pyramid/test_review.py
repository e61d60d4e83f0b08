"""Partner review: accept, comment, propose; the author decides, and both versions stay."""

import json

import pytest

from touchstone import TouchstoneError
from touchstone.annotate.pyramid import (
    RefusalError,
    Review,
    check_proposals,
    check_review,
    match_span,
    merge,
    read_review,
    rename_unit,
    review_json,
    split,
    take,
    unreviewed,
)
from touchstone.annotate.pyramid.review import accept, decide, propose, remark, withdraw


@pytest.fixture
def review(document) -> Review:
    """Unit 1 accepted, a question about 2, and two proposals."""
    made = remark(accept(Review(), document, "1"), document, "2", "one statement?")
    made = propose(made, document, split(document, "2", {"c5": None}), "2", "two statements")
    return propose(made, document, rename_unit(document, "5", "Eggs are laid"), "5")


def test_every_item_gets_a_verdict_and_the_rest_are_still_open(document, review):
    assert [(one.key, one.about, one.verdict) for one in review.proposals] == [
        ("p1", "1", "accept"),
        ("p2", "2", "comment"),
        ("p3", "2", "change"),
        ("p4", "5", "change"),
    ]
    assert unreviewed(document, review) == ["3", "4"]
    check_proposals(document, review)


def test_a_review_comes_back_from_json_as_it_was(review):
    decided = decide(decide(review, "p3", True), "p2", None, "yes")
    assert read_review(json.loads(json.dumps(review_json(decided)))) == decided


def test_taking_a_proposal_makes_a_new_version_and_leaves_the_old_one(document, review):
    after = take(document, review.proposals[2])
    assert [unit.uid for unit in after.units] == ["1", "2", "6", "3", "4", "5"]
    assert [unit.uid for unit in document.units] == ["1", "2", "3", "4", "5"]
    both = take(after, review.proposals[3])
    assert both.units[-1].label == "Eggs are laid"


def test_a_proposal_whose_unit_the_author_changed_is_refused(document, review):
    with pytest.raises(RefusalError, match="unit 5 has changed since"):
        take(rename_unit(document, "5", "Yolks"), review.proposals[3])
    with pytest.raises(RefusalError, match="has no change to take"):
        take(document, review.proposals[0])


def test_a_proposal_cannot_bring_a_rule_to_break(document, at):
    free = merge(document, "5", "4")
    review = propose(Review(), document, free, "5")
    value = review_json(review)
    gone = value["proposals"][0]["change"]["units"]["items"]["5"][1]
    gone["contributors"].append({**gone["contributors"][0], "id": "c99"})
    with pytest.raises(RefusalError) as caught:
        check_proposals(document, read_review(value))
    assert caught.value.rule == "C2"


def test_a_forged_proposal_that_renames_or_doubles_something_is_refused(document, review):
    value = review_json(review)
    after = value["proposals"][3]["change"]["units"]["items"]["5"][1]
    after["uid"] = "1"
    with pytest.raises(TouchstoneError, match="stands under the key of another"):
        read_review(value)
    after["uid"] = "5"
    after["contributors"] *= 2
    with pytest.raises(TouchstoneError, match="stands twice"):
        check_proposals(document, read_review(value))


def test_to_accept_is_to_say_nothing_else(document, review):
    again = accept(review, document, "2")
    assert [one.about for one in again.proposals] == ["1", "5", "2"]
    said = remark(again, document, "2", "after all")
    assert [one.verdict for one in said.proposals if one.about == "2"] == ["comment"]
    assert [one.key for one in withdraw(review, "p2").proposals] == ["p1", "p3", "p4"]


def test_a_comment_needs_words_and_a_change_something_to_change(document):
    for step in (
        lambda: remark(Review(), document, "2", " "),
        lambda: propose(Review(), document, document, "2"),
        lambda: accept(Review(), document, "77"),
        lambda: withdraw(Review(), "p1"),
    ):
        with pytest.raises(RefusalError):
            step()


def test_only_the_author_decides_and_only_the_reviewer_proposes(document, review):
    decided = decide(review, "p4", False, "no")
    check_review(decided, review, by_author=True)
    check_review(accept(review, document, "3"), review, by_author=False)
    with pytest.raises(RefusalError, match="the author decides, not the reviewer"):
        check_review(decided, review, by_author=False)
    with pytest.raises(RefusalError, match="cannot change them"):
        check_review(accept(review, document, "3"), review, by_author=True)


def test_a_change_is_taken_or_not_and_a_comment_is_replied_to(review):
    with pytest.raises(RefusalError):
        decide(review, "p2", True)
    with pytest.raises(RefusalError):
        decide(review, "p3", None)
    with pytest.raises(RefusalError, match="there is no proposal p9"):
        decide(review, "p9", None)


def test_of_a_peer_only_what_it_expresses_is_reviewed(peer, word):
    assert unreviewed(peer, Review()) == []
    assert unreviewed(match_span(peer, "2", [word("bread")]), Review()) == ["2"]


ACCEPTED = {"key": "p1", "about": "", "verdict": "accept", "comment": "", "change": None}


@pytest.mark.parametrize(
    "wrong",
    [
        {"proposals": []},
        {"proposals": [], "decisions": {"p1": {"taken": None, "reply": ""}}},
        {"proposals": [{"key": "1", "about": "", "verdict": "accept", "comment": "", "change": None}], "decisions": {}},
        {"proposals": [{"key": "p1", "about": "", "verdict": "ok", "comment": "", "change": None}], "decisions": {}},
        {
            "proposals": [{"key": "p1", "about": "", "verdict": "accept", "comment": "", "change": None}] * 2,
            "decisions": {},
        },
    ],
)
def test_a_review_from_a_stranger_is_read_strictly(wrong):
    with pytest.raises(TouchstoneError):
        read_review(wrong)
