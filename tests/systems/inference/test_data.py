"""From text to numbers: tokens, vocabulary, relations, batches."""

import re

import numpy as np
import pytest
from benchmarks.nli_neural import is_held_out
from hypothesis import given
from hypothesis import strategies as st
from tests.systems.inference.made_up import write_vectors

from touchstone import TouchstoneError, nli
from touchstone.base.codes import Code
from touchstone.lexicon import wordnet
from touchstone.systems.inference.relations import cached_relations, meeting_forms, relation_table
from touchstone.systems.inference.settings import DEFAULTS, settings_of
from touchstone.systems.inference.texts import all_tokens, read_texts
from touchstone.systems.inference.tokens import tokenise
from touchstone.systems.inference.vocabulary import BEGIN, END, UNKNOWN, make_vocabulary, read_vectors
from touchstone.tasks.nli.model import Pair
from touchstone.text.vectors import WordVectors


@pytest.mark.parametrize(
    ("raw", "penn"),
    [
        ("He doesn't want hair.", "He does n't want hair ."),
        ("The boys' dog's here", "The boys ' dog 's here"),
        ('He said "I can\'t, I cannot!"', "He said `` I ca n't , I can not ! ''"),
        ("A man (old) shouts…", "A man -LRB- old -RRB- shouts …"),
        ("The clock shows 53:11 and $5", "The clock shows 53 : 11 and $ 5"),
        ("It’s “good”", "It 's `` good ''"),
    ],
)
def test_raw_and_treebank_text_have_the_same_tokens(raw, penn):
    assert tokenise(raw) == tokenise(penn)


def test_raw_and_treebank_text_of_snli_have_the_same_tokens(data):
    raw, penn = nli.read_gold(data("snli") / "dev_annotators.jsonl"), nli.read_gold(data("snli") / "s1.dev")
    letters = {re.sub(r"\W", "", text.lower()): text for p in penn.pairs for text in (p.premise, p.hypothesis)}
    both = [
        (text, letters[key])
        for p in raw.pairs
        for text in (p.premise, p.hypothesis)
        if (key := re.sub(r"\W", "", text.lower())) in letters
    ]
    # Where the letters are the same, 4 sentences differ in their last full stop: other sentences, not other tokens.
    differing = [pair for pair in both if tokenise(pair[0]) != tokenise(pair[1])]
    assert len(both) > 2_500
    assert len(differing) == 4
    assert all(
        tokenise(f"{a} .".replace(". .", "."))[:-1] == tokenise(f"{b} .".replace(". .", "."))[:-1] for a, b in differing
    )


@given(st.text(max_size=60))
def test_every_text_has_tokens_without_blanks(text):
    tokens = tokenise(text)
    assert all(token and not re.search(r"\s", token) for token in tokens)
    assert bool(tokens) == bool(text.strip())


def test_figures_become_the_words_that_vectors_have():
    assert tokenise("7 7th 21 the 42nd 0") == ["seven", "seventh", "twenty-one", "the", "forty-second", "zero"]
    assert tokenise("A 7-year-old") == ["a", "seven-year-old"]
    assert tokenise("100 2.5 1,000 1/2 b2b 3d") == ["100", "2.5", "1,000", "1", "/", "2", "b2b", "3d"]


def test_words_with_vectors_and_frequent_words_have_rows_and_others_are_unknown():
    texts = read_texts([Pair("1", "a dog", "a zyx dog"), Pair("2", "a", "b")], {"dog"})
    vocabulary = make_vocabulary(texts, WordVectors(["dog", "cat"], np.ones((2, 3)), "made up"))
    assert list(vocabulary.own) == ["a"]  # three times and without a vector; zyx and b once each
    assert vocabulary.trained == END + 1 + 1
    assert vocabulary.rows(["", "a", "dog", "cat", "zyx"]).tolist() == [0, END + 1, END + 2, END + 3, UNKNOWN]
    assert UNKNOWN < BEGIN < END


def test_new_words_take_their_vectors_from_the_file_of_the_model_alone():
    vocabulary = make_vocabulary(read_texts([Pair("1", "a", "a")], ()), WordVectors(["dog"], np.ones((1, 2)), "file#1"))
    more, rows = vocabulary.with_more(WordVectors(["dog", "cow"], np.array([[1, 1], [2, 3]]), "file#1"))
    assert (list(more.known), rows.tolist()) == (["dog", "cow"], [[2, 3]])
    renamed, _ = vocabulary.with_more(WordVectors(["cow"], np.ones((1, 2)), "renamed#1"))
    assert list(renamed.known) == ["dog", "cow"]
    with pytest.raises(TouchstoneError, match=r"(?s)not the word vectors of the model.*trained with file#1"):
        vocabulary.with_more(WordVectors(["cow"], np.ones((1, 3)), "other#2"))


def test_a_word_with_hyphens_is_split_where_no_vector_has_it_whole():
    pairs = [Pair("1", "a t-shirt", "a lime-green -- shirt")]
    assert set(all_tokens(pairs)) >= {"t-shirt", "t", "shirt", "lime-green", "lime", "green", "--"}
    assert read_texts(pairs, {"t-shirt"}).forms == ["", "a", "t-shirt", "lime", "green", "--", "shirt"]


def literal_relations(x: str, y: str, *, instances: bool) -> list[float]:
    """r(x, y) as the paper says it, with one word and one sense after another."""
    lexicon = wordnet()

    def senses(word):
        return {synset for lemma in lexicon.lemmas(word) for synset in lexicon.word(lemma).synsets()}

    def parents(synset):
        return {*synset.hypernyms(instances=instances)}

    def edges_up(bottom, top):
        level, edges = bottom, 0
        while level and edges < 7:
            level, edges = {above for synset in level for above in parents(synset)}, edges + 1
            if level & top:
                return 1 - edges / 8
        return 0.0

    first, second = senses(x), senses(y)
    if x == y:
        return [0.0, 0.0, 0.0, 0.0, float(bool(first))]
    siblings = any(one != two and parents(one) & parents(two) for one in first for two in second)
    antonyms = any(b in lexicon.word(a).antonyms() for a in lexicon.lemmas(x) for b in lexicon.lemmas(y))
    return [
        edges_up(first, second),
        edges_up(second, first),
        float(siblings),
        float(antonyms),
        float(bool(first & second)),
    ]


WORDS = (
    *("dog", "dogs", "cat", "animal", "entity", "wet", "dry", "couch", "sofa", "mars", "planet", "venus", "france"),
    *("italy", "country", "man", "woman", "first", "second", "hot", "cold", "the", "in", "running", "xyzzy", "guitar"),
    *("instrument", "red", "blue", "color", "leaves", "tree"),
)


@pytest.mark.parametrize("instances", [False, True])
def test_relations_are_those_that_one_looks_up_sense_by_sense(instances):
    table = relation_table(WORDS, instances=instances)
    for first, x in enumerate(WORDS):
        for second, y in enumerate(WORDS):
            assert table.relation(first, second) == literal_relations(x, y, instances=instances), (x, y)


def test_only_instance_links_relate_planets_and_countries_of_the_challenge_set(data):
    """The specification counts 0 of 60 and 0 of 613 pairs without instance links, 50 and 411 with them."""
    gold = nli.read_gold(data("breaking_nli") / "dataset.jsonl")
    edits = {
        category: [nli.find_edit(pair) for pair in gold.pairs if pair.category == category]
        for category in ("planets", "countries")
    }
    words = sorted({word for some in edits.values() for edit in some for word in (*edit.replaced, *edit.replacement)})
    place = {word: number for number, word in enumerate(words)}
    for instances, expected in ((False, [0, 0]), (True, [50, 411])):
        table = relation_table(words, instances=instances)
        related = [
            sum(any(any(table.relation(place[a], place[b])) for a in e.replaced for b in e.replacement) for e in some)
            for some in edits.values()
        ]
        assert related == expected


def test_forms_that_meet_are_those_of_both_sides_of_a_pair():
    texts = read_texts([Pair("1", "a b", "c a"), Pair("2", "c", "b")], ())
    size, (a, b, c) = len(texts.forms), (1, 2, 3)
    expected = [a * size + a, a * size + c, b * size + a, b * size + c, c * size + b]
    assert meeting_forms([texts]).tolist() == expected


def test_cached_relations_are_read_again_and_damage_is_no_fault(tmp_path, monkeypatch):
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path))
    texts = [read_texts([Pair("1", "a dog and a cat", "an animal")], ())]
    first = cached_relations(texts, instances=False)
    [file] = (tmp_path / "relations").iterdir()
    again = cached_relations(texts, instances=False)
    assert (again.keys.tolist(), again.features.tolist()) == (first.keys.tolist(), first.features.tolist())
    file.write_bytes(b"damaged")
    assert cached_relations(texts, instances=False).keys.tolist() == first.keys.tolist()
    dog, animal = texts[0].forms.index("dog"), texts[0].forms.index("animal")
    assert first.relation(dog, animal) == [1 - 2 / 8, 0, 0, 0, 0]
    assert first.relation(animal, dog) == [0] * 5  # dog is in no hypothesis


def test_vectors_without_any_of_the_words_are_refused(tmp_path):
    with pytest.raises(TouchstoneError, match="no vector of any of the 1 words"):
        read_vectors(write_vectors(tmp_path / "v.txt"), ["xyzzy"])


def test_a_weight_of_relations_belongs_to_models_that_have_them():
    assert settings_of("kim", relation_weight=5.0).relation_weight == 5
    with pytest.raises(TouchstoneError) as error:
        settings_of("esim", relation_weight=5.0)
    assert error.value.code == Code.OPTION_UNUSED
    assert settings_of("kim_instances").instances is True
    assert DEFAULTS["kim"].instances is False


def test_the_hold_out_of_the_reduced_training_set_has_the_pairs_that_the_specification_counts(data):
    premises = [p.premise for p in nli.read_gold(data("snli") / "s1.dev").pairs if is_held_out(p.premise)]
    assert (len(premises), len({premise.strip() for premise in premises})) == (1_114, 377)
