"""The lists of substitutions: what ships is consistent, and what a user writes is read strictly."""

import re
from itertools import combinations
from pathlib import Path

import pytest

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.lexicon import wordnet
from touchstone.systems.challenge.checking import exclusions
from touchstone.systems.challenge.conditions import Context
from touchstone.systems.challenge.lexicon import Entry, Lexicon
from touchstone.systems.challenge.reading import SHIPPED, read_lexicon
from touchstone.text import Sentence, english

PAPER = {
    *("antonyms", "cardinals", "nationalities", "drinks", "colours", "ordinals", "countries", "rooms"),
    *("materials", "vegetables", "instruments", "planets", "synonyms"),
}
"""The categories of Glockner, Shwartz and Goldberg (2018); `colours` is spelt otherwise there."""

WORDNET_POS = {"noun": "n", "name": "n", "verb": "v", "adj": "a", "adv": "r"}

NOT_IN_WORDNET = {"biker", "breakdance", "coworker", "hoodie", "mic", "shirtless", "smartphone", "wetsuit"}
"""Everyday words that WordNet 3.0 does not have."""

EXCEPTIONS = {
    ("castle", "house"): "WordNet has the castle as a mansion and so a house; nobody calls a castle a house",
    ("actor", "actress"): "WordNet's actor may be a woman; beside actress it is read as a man",
    ("cowboy", "cowgirl"): "WordNet has the cowgirl as a cowboy; people do not",
    ("policeman", "policewoman"): "WordNet has policeman for any officer; people read a man",
    ("waiter", "waitress"): "WordNet has waiter for either sex; beside waitress it is read as a man",
}
"""Words that exclude each other in the lists and of which WordNet says in their first senses that they do not."""


@pytest.fixture(scope="module")
def shipped() -> Lexicon:
    return read_lexicon()


def entries(lexicon: Lexicon) -> set[Entry]:
    pairs = {entry for pair in lexicon.pairs for entry in (pair.source, pair.target)}
    return pairs | {member.entry for group in lexicon.groups for member in group.members}


def parsed(text: str) -> Sentence:
    return next(english().parse([text], split=False))


def replaced(lexicon: Lexicon, text: str) -> dict[str, set[str]]:
    """Return what the lists would put in the place of each entry of a sentence."""
    sentence = parsed(text)
    found: dict[str, set[str]] = {}
    for match in lexicon.matches(sentence):
        context = Context.of(sentence, match.start, match.end)
        allowed = {
            s.target.text
            for s in match.substitutions
            if not any(frame.refusal(context, s.source.pos) for frame in s.frames)
        }
        found.setdefault(" ".join(sentence.forms[match.start : match.end]), set()).update(allowed)
    return found


def listed(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.tsv").write_text(text.replace("|", "\t"), "utf-8")
    return folder


def refusal(folder: Path, **files: str) -> TouchstoneError:
    with pytest.raises(TouchstoneError) as caught:
        read_lexicon(listed(folder, **files), shipped=False)
    return caught.value


# What ships


def test_the_shipped_lists_have_the_promised_size(shipped):
    entailed = {(s.source.key, s.target.key) for s in shipped.pairs if s.label == "entailment"}
    members = {member.entry.key for group in shipped.groups for member in group.members}
    assert len(entailed) >= 600
    assert len(shipped.groups) >= 60
    assert len(members) >= 500


def test_every_category_of_the_paper_has_a_list(shipped):
    assert set(shipped.lists) >= PAPER


def test_every_group_says_when_its_words_exclude_each_other(shipped):
    assert all(group.when for group in shipped.groups)


def test_no_two_words_are_both_entailed_and_excluded(shipped):
    above: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for pair in shipped.pairs:
        if pair.label == "entailment":
            above.setdefault(pair.source.key, set()).add(pair.target.key)
    excluded = set(exclusions(shipped))
    for word in above:
        reached, waiting = {word}, [word]
        while waiting:
            new = above.get(waiting.pop(), set()) - reached
            reached |= new
            waiting += new
        assert not excluded.intersection(map(frozenset, combinations(reached, 2)))


def test_every_single_word_is_in_wordnet_or_fixed(shipped):
    known = wordnet()
    words = {entry.text for entry in entries(shipped) if len(entry.words) == 1 and not entry.fixed}
    words = {word for word in words if not word.isdigit()}
    prepositions = {entry.text for entry in entries(shipped) if entry.pos == "prep"}
    unknown = {word for word in words if not any(known.word(lemma).synsets() for lemma in (word, *known.lemmas(word)))}
    assert unknown - prepositions == NOT_IN_WORDNET


def test_wordnet_holds_no_excluded_words_for_synonyms_or_kinds_without_a_reason(shipped):
    known, found = wordnet(), set()
    for substitution in exclusions(shipped).values():
        pair = (substitution.source, substitution.target)
        if any(entry.pos not in WORDNET_POS for entry in pair):
            continue
        one, other = (known.word(entry.text).synsets(WORDNET_POS[entry.pos])[:1] for entry in pair)
        if one and other and (one == other or one[0] in other[0].ancestors() or other[0] in one[0].ancestors()):
            found.add(tuple(sorted(entry.text for entry in pair)))
    assert found == set(EXCEPTIONS)


def test_each_shipped_list_can_be_read_alone(shipped):
    for path in SHIPPED.glob("*.tsv"):
        if path.stem not in ("classes", "phrases"):
            alone = read_lexicon(path, shipped=False)
            assert alone.lists == (path.stem,)
            assert len(alone.pairs) == len(shipped.only([path.stem]).pairs)


# What is found in a sentence


def test_the_longest_entry_wins(shipped):
    found = replaced(shipped, "A man plays an electric guitar.")
    assert "guitar" in found["electric guitar"]
    assert "guitar" not in found


def test_nothing_inside_a_phrase_is_replaced(shipped):
    assert "hot" not in replaced(shipped, "A man walks past a hot tub.")


def test_nouns_inside_a_longer_verb_are_replaced(shipped):
    found = replaced(shipped, "A man is playing the guitar.")
    assert found["playing the guitar"] == {"play guitar"}
    assert {"instrument", "violin"} <= found["guitar"]


def test_any_form_of_an_entry_is_found(shipped):
    assert "run" in replaced(shipped, "Two boys were sprinting.")["sprinting"]
    assert "fire engine" in replaced(shipped, "We saw two fire trucks.")["fire trucks"]


def test_a_noun_in_a_compound_is_not_replaced(shipped):
    assert not replaced(shipped, "She painted the dog house.").get("dog")
    assert "cat" in replaced(shipped, "She painted the dog.")["dog"]


def test_colours_are_replaced_before_things_only(shipped):
    assert "blue" in replaced(shipped, "He bought a red car.")["red"]
    assert not replaced(shipped, "He won the red vote.").get("red")


def test_a_word_that_forms_an_adjective_with_the_next_is_left_alone(shipped):
    assert not replaced(shipped, "She wears a camel colored coat.").get("camel")
    assert replaced(shipped, "She rides a camel.")["camel"]


def test_the_prepositions_of_a_verb_count_as_standing_after_it(shipped):
    assert "sleep" in replaced(shipped, "A man walks in the sun.")["walks"]
    assert "sleep" not in replaced(shipped, "A man walks in the sun to his office.")["walks"]


def test_words_with_a_hyphen_are_left_alone(shipped):
    assert not replaced(shipped, "A sad-looking man sits on a bench.").get("sad")


def test_an_adjective_that_clashes_refuses_a_replacement(shipped):
    assert "girl" in replaced(shipped, "A tall man waits.")["man"]
    assert "girl" not in replaced(shipped, "An elderly man waits.")["man"]
    assert "person" in replaced(shipped, "An elderly man waits.")["man"]


def test_a_pronoun_anywhere_refuses_a_change_of_sex(shipped):
    assert "woman" in replaced(shipped, "A man walks with a dog.")["man"]
    assert "woman" not in replaced(shipped, "A man walks with his dog.")["man"]


def test_a_verb_that_needs_an_object_is_refused_without_one(shipped):
    assert "pull" in replaced(shipped, "A man pushes a cart.")["pushes"]
    assert "pull" not in replaced(shipped, "The men push hard.")["push"]


def test_number_is_respected(shipped):
    assert "people" in replaced(shipped, "The men wait.")["men"]
    assert "person" not in replaced(shipped, "The men wait.")["men"]


def test_a_preposition_without_its_noun_is_left_alone(shipped):
    assert not replaced(shipped, "The car drove by.").get("by")


def test_an_entry_may_change_its_determiner(shipped):
    guitar = [s for s in shipped.substitutions("guitar", "noun") if s.target.text == "instrument"]
    assert [s.determiners for s in guitar] == [(("the", "a"), ("", "a"))]


def test_labels_follow_from_relations(shipped):
    found = {s.target.text: (s.relation, s.label) for s in shipped.substitutions("dog")}
    assert found["animal"] == ("hypernym", "entailment")
    assert found["cat"] == ("co_hyponym", "contradiction")


# A user's own lists

PAIRS = "from|to|relation|pos|both_ways|countable\n"
BEFORE = "group|word|pos|when|before\n"


def test_a_list_of_ones_own_is_added(tmp_path):
    path = listed(tmp_path, dogs=PAIRS + "whippet|dog|kind_of|noun||count\n") / "dogs.tsv"
    assert [s.target.text for s in read_lexicon(path).substitutions("whippet")] == ["dog"]
    assert read_lexicon(path).substitutions("couch")


def test_a_list_with_a_shipped_name_takes_its_place(tmp_path):
    folder = listed(
        tmp_path, drinks="group|word|pos|countable|when\nmilks|oat milk|noun|mass|one cup\nmilks|soy milk\n"
    )
    lexicon = read_lexicon(folder)
    assert [group.name for group in lexicon.only(["drinks"]).groups] == ["milks"]


def test_the_shipped_lists_can_be_left_out(tmp_path):
    listed(tmp_path, dogs=PAIRS + "whippet|dog|kind_of|noun||count\n")
    lexicon = read_lexicon(tmp_path, shipped=False)
    assert (lexicon.lists, len(lexicon.pairs), len(lexicon.groups)) == (("dogs",), 1, 0)


def test_later_lines_of_a_group_repeat_its_first_line_unless_a_dash_clears_a_cell(tmp_path):
    text = "group|word|pos|countable|before|when\nmats|metal|noun|mass|!old|one thing\nmats|wooden|adj|-\n"
    (group,) = read_lexicon(listed(tmp_path, mats=text), shipped=False).groups
    assert [(m.entry.pos, m.entry.countable) for m in group.members] == [("noun", "mass"), ("adj", "")]
    assert group.members[0].frame == group.members[1].frame


def test_lines_with_a_hash_are_comments_and_cells_at_the_end_may_be_left_out(tmp_path):
    text = "# my dogs\n" + PAIRS + "whippet|dog|kind_of|noun\n# that is all\n"
    assert len(read_lexicon(listed(tmp_path, dogs=text), shipped=False).pairs) == 1


def test_the_lists_of_the_guide_can_be_read(tmp_path):
    page = (Path(__file__).parents[3] / "docs" / "nli_lists.md").read_text("utf-8")
    group, pairs, proposals = re.findall(r"^```\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    lexicon = read_lexicon(listed(tmp_path, seats=group, mine=pairs, proposals=proposals), shipped=False)
    assert [len(group.members) for group in lexicon.groups] == [3]
    assert len(lexicon.pairs) == 5 + 3 + 1


def test_an_empty_folder_is_refused(tmp_path):
    assert refusal(tmp_path).code == Code.EMPTY


@pytest.mark.parametrize(
    ("text", "code", "line", "value", "near"),
    [
        ("from|to|relatoin\na|b|synonym\n", Code.UNKNOWN_NAME, 1, "relatoin", "relation"),
        ("frm|to\na|b\n", Code.NO_COLUMN, 1, None, "from"),
        ("from|to|pos\na|b|noun\n", Code.NO_COLUMN, 1, "relation", None),
        (PAIRS, Code.EMPTY, None, None, None),
        (PAIRS + "a|b|synonym|noun||count|x\n", Code.BAD_CELL, 2, None, None),
        (PAIRS + "a|b|synonym|nuon\n", Code.BAD_CELL, 2, "nuon", "noun"),
        (PAIRS + "a|b|kindof|noun\n", Code.BAD_CELL, 2, "kindof", "kind_of"),
        (PAIRS + "a|b|synonym|noun|maybe\n", Code.BAD_CELL, 2, "maybe", None),
        (PAIRS + "a|b|synonym|noun||cuont\n", Code.BAD_CELL, 2, "cuont", "count"),
        (PAIRS + "|b|synonym|noun\n", Code.BAD_CELL, 2, None, None),
        (PAIRS + "Dog|animal|kind_of|noun\n", Code.BAD_CELL, 2, "Dog", None),
        (PAIRS + "a|b|synonym|noun\na|b|synonym|noun\n", Code.DUPLICATE_NAME, 3, "a > b", None),
        (PAIRS + "a|b|synonym|noun|yes\nb|a|synonym|noun\n", Code.DUPLICATE_NAME, 3, "b > a", None),
        (PAIRS + "a|a|synonym|noun\n", Code.BAD_CELL, 2, "a > a", None),
        (PAIRS + "a|b|kind_of|noun\nb|c|kind_of|noun\nc|a|kind_of|noun\n", Code.MISMATCH, 2, "a > b > c > a", None),
        (PAIRS + "a|b|kind_of|noun\na|b|antonym|noun\n", Code.DUPLICATE_NAME, 3, "a > b", None),
        ("group|word|pos|when\ng|a|noun|x\n", Code.TOO_FEW, 2, "g", None),
        ("group|word|pos|when\ng|a|noun|x\ng|a\n", Code.DUPLICATE_NAME, 3, "a", None),
        ("group|word|pos|when\ng|a|noun|\ng|b\n", Code.BAD_CELL, 2, "g", None),
        ("group|word|pos|when\n|a|noun|x\n", Code.BAD_CELL, 2, "a", None),
        ("group|word|pos|when\ng|a|noun|x\ng|b\nh|c|noun|x\nh|d\ng|e\n", Code.DUPLICATE_NAME, 6, "g", None),
        (BEFORE + "g|a|noun|x|!@aeg\ng|b\n", Code.UNKNOWN_NAME, 2, "@aeg", "@age"),
        (BEFORE + "g|a|noun|x|NUON\ng|b\n", Code.UNKNOWN_NAME, 2, "NUON", "NOUN"),
        ("from|to|relation|pos|determiner\na|b|synonym|noun|the-a\n", Code.BAD_CELL, 2, "the-a", None),
    ],
)
def test_a_bad_list_is_refused_with_its_place(tmp_path, text, code, line, value, near):
    fault = refusal(tmp_path, own=text).faults[0]
    assert (fault.code, fault.line, fault.value, fault.near) == (code, line, value, near)
    assert fault.file == str(tmp_path / "own.tsv")


def test_a_duplicate_pair_names_the_first(tmp_path):
    text = PAIRS + "a|b|synonym|noun\na|b|synonym|noun\n"
    assert "(first in own.tsv:2)" in str(refusal(tmp_path, own=text)).replace(f"{tmp_path}/", "")


def test_words_that_exclude_each_other_cannot_be_entailed_by_one_word(tmp_path):
    pairs = PAIRS + "a|b|kind_of|noun\nb|c|synonym|noun\na|d|kind_of|noun\n"
    group = "group|word|pos|when\ng|c|noun|x\ng|d\n"
    [fault] = refusal(tmp_path, pairs=pairs, groups=group).faults
    assert (fault.code, fault.file, fault.value) == (Code.MISMATCH, str(tmp_path / "groups.tsv"), "c, d")
    assert "'a' entails both (a > b > c and a > d)" in fault.what


def test_an_unknown_list_is_refused_with_the_nearest(shipped):
    with pytest.raises(TouchstoneError, match='nearest valid name "drinks"'):
        shipped.only(["drink"])


def test_the_signature_changes_with_the_lists(tmp_path):
    listed(tmp_path, dogs=PAIRS + "whippet|dog|kind_of|noun||count\n")
    assert read_lexicon().signature != read_lexicon(tmp_path).signature
    assert read_lexicon().signature == read_lexicon().signature
