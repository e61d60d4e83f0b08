"""What a verb takes after it: read from the dependency tree, compared with the frames of WordNet."""

import pytest

from touchstone.lexsub import Substituter
from touchstone.systems.substitution.frames import construction, lacks
from touchstone.systems.substitution.targets import MarkedText, find_span, find_targets


def target(text, word):
    [found] = find_targets([MarkedText(text, find_span(text, word))])
    return found


@pytest.mark.parametrize(
    ("text", "word", "letter"),
    [
        ("The cat hid under the bed.", "hid", "n"),
        ("Her cooking has improved a lot this year.", "improved", "n"),
        ("She hid the letter.", "hid", "o"),
        ("The doctor told him to drink less.", "told", "t"),
        ("He refused to lend me his bicycle.", "refused", "i"),
        ("He said that the shop was closed.", "said", "c"),
        ("The letter was hidden by her.", "hidden", None),  # passive: the object is the subject
        ("A long letter arrived.", "letter", None),  # no verb
    ],
)
def test_the_construction_of_a_verb_is_read_from_the_tree(text, word, letter):
    assert construction(target(text, word)) == letter


def test_a_verb_lacks_a_construction_that_wordnet_lists_for_the_target_but_not_for_it():
    hid = target("The cat hid under the bed.", "hid")
    assert lacks(hid, "conceal", "n")
    assert not lacks(hid, "crouch", "n")
    assert not lacks(hid, "zzyzx", "n")  # WordNet does not know it
    assert not lacks(hid, "conceal", None)
    assert not lacks(hid, "conceal", "c")  # nor does it list the target so


def test_a_verb_with_a_wrong_construction_loses_score_and_one_with_the_right_one_does_not():
    system = Substituter()
    without, with_object = (
        {of.word: of.reasons["frame.verb"] for of in system.suggest(text, "hid")}
        for text in ("The cat hid under the bed.", "She hid the letter.")
    )
    assert without["conceal"] < 0 == with_object["conceal"]
