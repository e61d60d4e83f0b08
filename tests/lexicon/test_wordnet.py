"""What the embedded WordNet holds, and what it answers to anything a person may type."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.lexicon import Lexicon, Relation, wordnet
from touchstone.lexicon.container import open_container
from touchstone.lexicon.opening import EMBEDDED, EMBEDDED_FILE
from touchstone.lexicon.tables import Numbers

LEXICON = wordnet()

# wnstats(7WN), the manual page of WordNet 3.0: unique strings, synsets, word-sense pairs.
PUBLISHED = {
    "n": (117_798, 82_115, 146_312),
    "v": (11_529, 13_767, 25_047),
    "a": (21_479, 18_156, 30_002),
    "r": (4_481, 3_621, 5_580),
}
# The same page: words with one sense, words with several.
PUBLISHED_POLYSEMY = {"n": (101_863, 15_935), "v": (6_277, 5_252), "a": (16_503, 4_976), "r": (3_748, 733)}
ODD_WORDS = [
    "",
    " ",
    "_",
    "__ _",
    "\n",
    "\x00",
    "a" * 10_000,
    "dog " * 5_000,
    "\ud800",
    "日本語",
    "-",
    "'",
    "%",
    "xyzzy",
]


@pytest.mark.parametrize("pos", "nvar")
def test_counts_are_the_published_ones(pos):
    rows = LEXICON.synsets(np.arange(LEXICON.lemma_count), pos)
    synsets = int((LEXICON.synset_pos == "nvar".index(pos)).sum())
    assert ((rows.sizes > 0).sum(), synsets, rows.sizes.sum()) == PUBLISHED[pos]
    assert ((rows.sizes == 1).sum(), (rows.sizes > 1).sum()) == PUBLISHED_POLYSEMY[pos]


def test_totals_are_the_published_ones():
    strings, synsets, pairs = (sum(column) for column in zip(*PUBLISHED.values(), strict=True))
    assert (strings, synsets, pairs) == (155_287, 117_659, 206_941)
    assert LEXICON.synset_count == synsets
    assert len(LEXICON.senses.values) == pairs


@pytest.mark.parametrize("form", ODD_WORDS)
def test_a_word_that_is_none_has_empty_answers(form):
    word = LEXICON.word(form)
    assert not word
    assert form not in LEXICON
    assert word.synsets() == word.synonyms() == word.antonyms() == word.co_hyponyms() == word.counts() == ()
    assert word.hypernyms() == word.hyponyms() == word.opposites() == {}
    assert LEXICON.lemmas(form) == LEXICON.lemmas(form, "v") == ()
    assert LEXICON.path(form, "dog") == LEXICON.path("dog", form) == ()
    assert LEXICON.common_hypernyms(form, "dog") == ()
    assert LEXICON.lemma_ids([form, "dog"]).tolist() == [-1, LEXICON.lemma_id("dog")]
    assert LEXICON.synset_ids([form]).sizes.tolist() == [0]


@pytest.mark.parametrize("form", ["hot dog", "Hot_Dog", " HOT  dog", "hot_dog\n"])
def test_case_blanks_and_underscores_do_not_matter(form):
    assert LEXICON.word(form) == LEXICON.word("hot dog")
    assert LEXICON.word(form).text == "hot dog"


def test_words_keep_their_spelling():
    assert LEXICON.synset("02084071-n").words == ("dog", "domestic dog", "Canis familiaris")
    assert LEXICON.synset("02084071-n").lemmas == ("dog", "domestic dog", "canis familiaris")


def test_two_spellings_of_one_lemma_in_a_synset_are_two_words_and_one_lemma():
    earth = LEXICON.synset("09270894-n")
    assert earth.words == ("Earth", "earth", "world", "globe")
    assert earth.lemmas == ("earth", "world", "globe")


def test_an_adjective_knows_where_it_may_stand():
    asleep = LEXICON.synset("asleep.a.01")
    assert LEXICON.marker(asleep.word_ids[0]) == "p"


@pytest.mark.parametrize("name", ["", "dog", "dog.n.08", "dog.n.00", "dog.x.01", "00000000-n", "2084071", "dog.n.1x"])
def test_a_synset_that_is_none_gets_a_sentence(name):
    with pytest.raises(TouchstoneError) as refused:
        LEXICON.synset(name)
    assert refused.value.code == Code.UNKNOWN_NAME


def test_every_synset_is_found_by_its_name_and_by_its_key():
    for number in range(0, LEXICON.synset_count, 997):
        word = LEXICON.spelling(int(LEXICON.words.offsets[number]))
        synset = next(synset for synset in LEXICON.word(word).synsets() if synset.id == number)
        assert LEXICON.synset(synset.name) == LEXICON.synset(synset.key) == synset


def test_an_unknown_part_of_speech_gets_a_sentence():
    with pytest.raises(TouchstoneError) as refused:
        LEXICON.word("dog").synsets("noun")
    assert refused.value.code == Code.UNKNOWN_NAME
    with pytest.raises(TouchstoneError) as refused:
        LEXICON.base_form("dogs", "NN")
    assert refused.value.code == Code.UNKNOWN_NAME


def test_instance_hypernyms_are_apart():
    rome = LEXICON.synset("rome.n.01")
    assert rome.related(Relation.HYPERNYM) == ()
    assert rome.hypernyms(instances=False) == ()
    assert "national_capital.n.01" in {synset.name for synset in rome.hypernyms()}


def test_derivations_pertainyms_entailments_also_sees_and_verb_groups_are_found():
    assert LEXICON.word("decide").related_words(Relation.DERIVATION) == ("decisive", "decision", "deciding")
    assert LEXICON.word("quickly").related_words(Relation.PERTAINYM) == ("quick",)
    assert LEXICON.word("nuclear").related_words(Relation.PERTAINYM)[0] == "nucleus"
    assert LEXICON.word("snore").related(Relation.ENTAILMENT) == (LEXICON.synset("sleep.v.01"),)
    assert LEXICON.synset("hot.a.01") in LEXICON.word("warm").related(Relation.ALSO_SEE)
    assert LEXICON.synset("drink.v.02") in LEXICON.synset("drink.v.05").related(Relation.VERB_GROUP)


def test_a_satellite_and_its_head_have_the_same_cluster():
    head = LEXICON.synset("wet.a.01")
    assert not head.satellite
    for satellite in head.related(Relation.SIMILAR):
        assert satellite.satellite
        assert set(satellite.cluster()) == set(head.cluster())


def test_co_hyponyms_share_a_parent_and_are_not_the_word():
    dog = LEXICON.word("dog")
    parents = {parent for synset in dog.synsets() for parent in synset.hypernyms()}
    sisters = dog.co_hyponyms()
    assert all(parents & set(sister.hypernyms()) for sister in sisters)
    assert not set(sisters) & set(dog.synsets())
    assert "wolf.n.01" in {sister.name for sister in sisters}


def test_common_hypernyms_stay_within_the_edges_on_each_side():
    met = LEXICON.common_hypernyms("dog", "cat", 2)
    assert {(one.from_first, one.from_second) for one in met} == {(2, 2)}
    assert LEXICON.common_hypernyms("dog", "cat", 1) == ()
    assert LEXICON.common_hypernyms("dog", "canine")[0].from_second == 0


def test_hypernyms_that_run_in_a_circle_end_and_have_a_depth():
    inhibit, restrain = LEXICON.synset("inhibit.v.04"), LEXICON.synset("restrain.v.01")
    assert inhibit.ancestors() == {restrain: 1, inhibit: 2}
    assert {inhibit.depth, restrain.depth} == {0, 1}


def test_every_depth_is_one_more_than_the_least_above_it():
    rng = np.random.default_rng(0)
    for number in rng.integers(0, LEXICON.synset_count, 300).tolist():
        synset = LEXICON.synset(f"{LEXICON.synset_numbers[number]:08}-{LEXICON.pos(number)}")
        above = [parent.depth for parent in synset.hypernyms()]
        assert synset.depth == (1 + min(above) if above else 0)


def test_nothing_in_it_can_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        LEXICON.senses.values[0] = 1


def some_forms():
    """Return lemmas of one word and of several, the same with capitals and underscores, and what is no lemma."""
    lemmas = [LEXICON.lemma(number) for number in range(0, LEXICON.lemma_count, 60)]
    return [*lemmas, *(lemma.title().replace(" ", "_") for lemma in lemmas), *(f"{lemma}q" for lemma in lemmas)]


def test_single_look_ups_answer_as_those_in_bulk_before_and_after_the_words_are_kept():
    lexicon, forms = Lexicon(open_container(EMBEDDED_FILE), EMBEDDED), some_forms()
    assert len(forms) > 2 * Numbers.FEW
    expected = LEXICON.lemma_ids(forms).tolist()
    for _ in range(2):
        assert [lexicon.lemma_id(form) for form in forms] == expected
        assert [lexicon.listed(form, "n") for form in forms] == [
            bool(row) for row in (LEXICON.synsets(np.array(expected), "n").sizes > 0).tolist()
        ]


def test_threads_may_share_single_look_ups():
    lexicon, forms = Lexicon(open_container(EMBEDDED_FILE), EMBEDDED), some_forms()
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda start: [lexicon.lemma_id(form) for form in forms[start::2]], [0, 1] * 8))
    expected = LEXICON.lemma_ids(forms).tolist()
    assert found == [expected[start::2] for start in [0, 1] * 8]


def test_what_single_look_ups_keep_is_bounded(monkeypatch):
    monkeypatch.setattr(Numbers, "MOST", 10)
    lexicon = Lexicon(open_container(EMBEDDED_FILE), EMBEDDED)
    assert lexicon.lemma_id("dog" * 50) == -1
    assert [lexicon.lemma_id(str(number)) for number in range(100)] == LEXICON.lemma_ids(
        list(map(str, range(100)))
    ).tolist()
    assert len(lexicon._numbers) == 10
    assert "dog" * 50 not in lexicon._numbers
