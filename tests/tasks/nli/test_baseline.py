"""What a lexicon says of two words: relations, the words of an edit, and the way that decided."""

import pytest

from touchstone.lexicon import wordnet
from touchstone.nli import DEFAULT, LITERAL, STRIPPED, Pair, lexical_rules, wordnet_baseline
from touchstone.tasks.nli.edits import find_edit
from touchstone.tasks.nli.numbers import Number, parse_number
from touchstone.tasks.nli.words import Dictionary


@pytest.fixture
def decided(gold_of):
    def decide(premise, hypothesis, engine=wordnet_baseline, **options):
        return engine(gold_of([Pair("1", premise, hypothesis)]), **options).decisions[0]

    return decide


@pytest.mark.parametrize(
    ("replaced", "replacement", "label", "rule"),
    [
        ("sad", "glad", "contradiction", "antonym"),
        ("child", "kid", "entailment", "synonym"),
        ("violin", "instrument", "entailment", "hypernym"),
        ("wine", "champagne", "neutral", "hyponym"),
        ("saxophone", "clarinet", "contradiction", "co_hyponym"),
        ("Japan", "China", "contradiction", "co_hyponym"),
        ("xyzzy", "plugh", "other", "no relation"),
    ],
)
def test_the_relation_of_the_words_decides_as_the_paper_says(decided, replaced, replacement, label, rule):
    found = decided(f"It is {replaced} here.", f"It is {replacement} here.")
    assert (found.label, found.rule) == (label, rule)


def test_saxophone_and_electric_guitar_share_no_hypernym_within_three_edges(decided):
    assert decided("The man is holding a saxophone", "The man is holding an electric guitar").label == "other"


def test_indirect_antonyms_count_in_the_default_reading_only(decided):
    sentences = "a humid land", "an arid land"
    assert decided(*sentences).rule == "antonym"
    assert decided(*sentences, reading=LITERAL).label == "other"


def test_an_equal_pair_has_no_word_to_look_up(decided):
    for engine in (wordnet_baseline, lexical_rules):
        found = decided("A dog runs.", "A dog runs.", engine)
        assert (found.label, found.rule, found.path) == ("other", "no difference", "")


def words(reading, premise, hypothesis):
    edit = find_edit(Pair("1", premise, hypothesis), hyphens=reading.hyphens)
    return Dictionary(wordnet(), reading).words(edit)


def test_a_collocation_is_taken_as_a_whole():
    assert words(DEFAULT, "in the living room", "in the dining room") == ("living room", "dining room")


def test_a_phrase_loses_its_prepositions_where_wordnet_does_not_have_it():
    assert words(DEFAULT, "near the lake", "far away from the lake") == ("near", "far")
    assert words(DEFAULT, "he is close to it", "he is far from it") == ("close to", "far")
    assert words(STRIPPED, "he is close to it", "he is far from it") == ("close", "far")
    assert words(LITERAL, "near the lake", "far away from the lake") == ("near", "far away from")


def test_the_way_is_that_of_the_relation_that_decided(decided):
    found = decided("a wet coat", "a parched coat")
    assert [(str(step.synset), step.relation.label if step.relation else None) for step in found.way] == [
        ("wet.a.01", None),
        ("dry.a.01", "antonym"),
        ("adust.a.01", "similar"),
    ]
    assert found.path == "wet.a.01 –antonym→ dry.a.01 –similar→ adust.a.01"


def test_a_way_to_a_hyponym_leads_down(decided):
    found = decided("a glass of wine", "a glass of champagne")
    assert [step.relation.label for step in found.way[1:]] == ["hyponym"] * (len(found.way) - 1)


def test_predictions_come_with_words_rule_and_path(gold_of):
    pairs = gold_of([Pair("1", "a red hat", "a green hat")])
    assert list(wordnet_baseline(pairs).objects()) == [
        {
            "id": "1",
            "label": "contradiction",
            "replaced": "red",
            "replacement": "green",
            "rule": "co_hyponym",
            "path": "red.n.01 –hypernym→ chromatic_color.n.01 –hyponym→ green.n.01",
        }
    ]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("seven", Number(7, False)),
        ("7", Number(7, False)),
        ("seventh", Number(7, True)),
        ("7th", Number(7, True)),
        ("twelfth", Number(12, True)),
        ("fortieth", Number(40, True)),
        ("ninth", Number(9, True)),
        ("hundredth", Number(100, True)),
        ("twenty - one", Number(21, False)),
        ("two thousand three hundred and fifth", Number(2305, True)),
        ("a", None),
        ("seven dogs", None),
        ("-", None),
        ("", None),
    ],
)
def test_numbers_are_read_in_words_and_figures(text, number):
    assert parse_number(text.split()) == number


@pytest.mark.parametrize(
    ("premise", "hypothesis", "label", "rule"),
    [
        ("the seventh car", "the 7th car", "entailment", "numbers"),
        ("the seventh car", "the 8th car", "contradiction", "numbers"),
        ("five cars", "5 cars", "entailment", "numbers"),
        ("five cars", "fifth cars", "contradiction", "numbers"),
        ("nobody sits", "everybody sits", "contradiction", "negation"),
        ("nobody sits", "no one sits", "entailment", "negation"),
        ("he does not sit", "he does sit", "contradiction", "negation"),
        ("sits in front of it", "sits behind it", "contradiction", "excluding phrases"),
        ("a sad girl", "a glad girl", "contradiction", "antonym"),
    ],
)
def test_lexical_rules_know_numbers_and_negation(decided, premise, hypothesis, label, rule):
    found = decided(premise, hypothesis, lexical_rules)
    assert (found.label, found.rule) == (label, rule)


def test_clusters_of_adjectives_decide_where_wordnet_links_no_words(decided):
    found = decided("a happy girl", "a joyful girl", lexical_rules)
    assert (found.label, found.rule) == ("entailment", "shared_cluster")
    assert found.way[0].synset.pos == found.way[-1].synset.pos == "a"


def test_deep_hypernyms_and_backing_off_are_options(decided):
    sentences = "a saxophone", "an electric guitar"
    assert decided(*sentences, lexical_rules).label == "other"
    wide = decided(*sentences, lexical_rules, ancestors=True)
    assert (wide.label, "musical_instrument.n.01" in wide.path) == ("contradiction", True)
    assert decided("xyzzy", "plugh", lexical_rules, back_off=True).rule == "back-off"
