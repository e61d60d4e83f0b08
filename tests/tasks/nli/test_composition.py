"""What a set is made of, and whether its hypotheses give the labels away."""

import pytest

from touchstone import nli
from touchstone.base.files import Source
from touchstone.tasks.nli.composition import Composition, labelled
from touchstone.tasks.nli.hypothesis_only import hypothesis_only, telling_words
from touchstone.tasks.nli.model import GoldSet, Pair


def pair(number, premise, hypothesis, intended=None, gold=None, relation=None, words=None):
    origin = dict(zip(("from", "to"), words, strict=True)) if words else None
    rest = {"intended": intended} if intended else {}
    return Pair(str(number), premise, hypothesis, gold, relation=relation, provenance=origin, rest=rest, category="x")


MADE = [
    pair(1, "A dog runs.", "An animal runs.", "entailment", relation="hypernym", words=("dog", "animal")),
    pair(2, "A dog runs.", "A cat runs.", "contradiction", relation="co_hyponym", words=("dog", "cat")),
    pair(3, "Dogs run.", "Animals run.", "entailment", relation="hypernym", words=("dog", "animal")),
]


def gold_set(pairs):
    return GoldSet(Source("made.jsonl", ""), pairs, range(1, len(pairs) + 1))


def test_pairs_are_counted_by_relation_label_premise_and_words():
    table = Composition(MADE).relations_table()
    assert [column.header for column in table.columns][2:4] == ["contradiction", "entailment"]
    assert table.rows == [["hypernym", 2, 0, 2, 2, 1], ["co_hyponym", 1, 1, 0, 1, 1], ["all", 3, 1, 2, 2, 2]]
    assert Composition(MADE).lists_table().rows[0] == ["x", 3, 1, 2, 2, 2]


def test_the_most_frequent_word_pairs_come_first():
    assert Composition(MADE).words_table().rows[0] == ["dog", "animal", 2, "66.7%"]


def test_premises_are_counted_by_the_number_of_their_pairs():
    assert Composition(MADE).premises_table().rows == [["1", 1, 1], ["2", 1, 2], ["all", 2, 3]]


def test_words_of_a_pair_that_names_no_entries_are_those_of_the_edit():
    assert Composition([pair(1, "He holds a saxophone.", "He holds a guitar.")]).words == {("saxophone", "guitar"): 1}


def test_gold_labels_are_compared_with_the_intended_ones():
    table = Composition([pair(1, "a", "b", "entailment", "entailment"), pair(2, "c", "d", "entailment", "neutral")])
    assert table.intended_table().rows == [["entailment", 0, 1, 1]]
    assert "1 of 2 pairs (50.0%)" in table.intended_table().notes[0]


def telling(n=40):
    """Return pairs in which a word of the hypothesis tells the label."""
    words = {"entailment": "big", "contradiction": "red"}
    labels = ["entailment", "contradiction"] * (n // 2)
    return [pair(i, f"premise {i}", f"A {words[label]} thing", label) for i, label in enumerate(labels)]


def test_a_word_that_tells_the_label_gives_it_away():
    pairs = labelled(gold_set(telling()))
    run = hypothesis_only(pairs)
    assert run.labels == [one.gold for one in pairs.pairs]
    # z = (1 - 1/2) / sqrt(1/4 / 20) = sqrt(20)
    assert telling_words(pairs).rows[0] == ["contradiction", "red", 20, "100%", f"{20**0.5:.1f}"]


def test_nothing_is_learnt_from_pairs_of_the_same_premise():
    labels = ["entailment"] * 3 + ["contradiction"]
    pairs = [pair(f"{i}{n}", f"p {i}", f"w{i}", labels[i % 4]) for i in range(100) for n in range(2)]
    assert set(hypothesis_only(labelled(gold_set(pairs))).labels) == {"entailment"}


def test_hypotheses_that_occur_with_both_labels_give_nothing_away():
    labels = ["entailment", "contradiction"]
    pairs = [pair(f"{i}{label}", f"p {i}", "A thing", label) for i in range(50) for label in labels]
    results = nli.score(labelled(gold_set(pairs)), hypothesis_only(labelled(gold_set(pairs))))
    value = next(row.value for row in results.rows if (row.system, row.measure) == ("hypothesis_only", "accuracy"))
    assert value == pytest.approx(1 / 2)
