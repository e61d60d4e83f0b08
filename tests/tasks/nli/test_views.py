"""Breakdowns, audits, explanations and validation: a set seen from other sides."""

import numpy as np
import pytest

from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.core.resampling import Resampling
from touchstone.nli import (
    Breakdowns,
    Pair,
    audit,
    breakdown,
    breakdown_table,
    explain,
    explain_pair,
    frequency_bins,
    score,
    similarity_bins,
    validate,
)

QUICK = Resampling("none")


@pytest.fixture
def pairs(gold_of):
    texts = [
        ("a red hat", "a blue hat", "contradiction"),
        ("a red hat", "a xyzzy hat", "contradiction"),
        ("a guitar", "an electric harp", "contradiction"),
        ("a red hat", "a scarlet hat", "neutral"),
    ]
    return gold_of([Pair(str(n), a, b, gold, category="c") for n, (a, b, gold) in enumerate(texts)])


@pytest.fixture
def vectors(tmp_path):
    (tmp_path / "vocab.txt").write_text("red\nblue\n")
    np.save(tmp_path / "v.npy", np.array([[1, 0], [1, 1]], np.float16))
    return tmp_path / "v.npy"


def test_contradictions_are_binned_by_the_cosine_of_their_words(pairs, vectors):
    bins = similarity_bins(pairs, vectors)
    assert bins.bins == ["0.7–0.8", "no vector", "several words"]
    assert bins.values[0] == pytest.approx(2**-0.5)
    assert bins.values[1:] == [None, None]


def test_vectors_may_be_text(pairs, tmp_path):
    path = tmp_path / "glove.txt"
    path.write_text("red 1 0\nblue 0.5 0.5\nother x\n")
    assert similarity_bins(pairs, path).bins[0] == "0.7–0.8"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("glove.txt", "red 1 0\nblue 1\n", "1 numbers, where others have 2"),
        ("glove.txt", "red 1 x\n", "not a word and its numbers"),
        ("glove.txt", "red 1 nan\nblue 1 0\n", "a number that is not finite"),
        ("glove.txt", "green 1 0\n", "no vector of any of the 3 words in this file"),
        ("v.npy", "not an array", "not a complete array file"),
    ],
)
def test_broken_vectors_are_refused(pairs, tmp_path, name, text, said):
    (tmp_path / "vocab.txt").write_text("red\n")
    (tmp_path / name).write_text(text)
    with pytest.raises(TouchstoneError, match=said):
        similarity_bins(pairs, tmp_path / name)


def test_an_array_must_have_a_row_for_each_word(pairs, tmp_path):
    (tmp_path / "vocab.txt").write_text("red\nblue\ngreen\n")
    np.save(tmp_path / "v.npy", np.ones((2, 2)))
    with pytest.raises(TouchstoneError, match="float64 array of 2 x 2 for 3 words"):
        similarity_bins(pairs, tmp_path / "v.npy")


def test_training_counts_are_pairs_with_both_words_in_their_places(pairs, gold_of):
    training = gold_of(
        [
            Pair("1", "red red", "blue blue", "contradiction"),
            Pair("2", "blue", "red", "contradiction"),
            Pair("3", "red", "blue", "neutral"),
        ]
    )
    bins = frequency_bins(pairs, [training])
    assert (bins.bins, bins.values) == (["1–4", "0", "several words"], [1, 0, None])


def test_a_breakdown_is_over_contradictions_and_names_empty_bins(pairs, run_of, vectors, gold_of):
    labels = dict.fromkeys(pairs.ids, "contradiction") | {"1": "neutral"}
    results = score(pairs, run_of(labels), resampling=QUICK)
    by_cosine = breakdown(results, similarity_bins(pairs, vectors))
    by_count = breakdown(results, frequency_bins(pairs, [gold_of([Pair("1", "a", "b", "neutral")])]))
    assert by_cosine.row("mine", "accuracy/similarity").value == 2 / 3
    assert by_cosine.row("mine", "accuracy/similarity", "no vector").value == 0
    assert breakdown_table(by_cosine).notes[-1] == "no contradictions in: < 0.5, 0.5–0.6, 0.6–0.7, 0.8–0.9, 0.9–1.0"
    breakdowns = Breakdowns(results, [by_cosine, by_count])
    items = breakdowns.items
    assert {"cosine", "training_count", "prediction"} <= set(items.column_names)
    assert {row["measure"] for row in breakdowns.to_dict()["rows"]} == {
        "accuracy/similarity",
        "accuracy/frequency",
    }


def test_an_audit_counts_edits_unseen_words_and_shared_sentences(pairs, gold_of):
    training = gold_of([Pair("1", "A red hat .", "a blue hat", "neutral"), Pair("2", "electric", "harp", "neutral")])
    found = audit(pairs, [training])
    assert found.unseen == {"xyzzy", "scarlet"}
    assert [pair.id for pair in found.unseen_pairs] == ["1", "3"]
    (overlap,) = found.overlaps
    assert (overlap.premises, overlap.pairs_on_them, overlap.other_pairs_on_them, overlap.identical) == (1, 3, 1, 1)
    rows = {row[0]: row[1] for row in found.edits_table().rows}
    assert (rows["differ in 1 place"], rows["several words on a side"], rows["no difference"]) == (4, 1, 0)
    assert len(found.statement().tables) == 4
    assert len(audit(pairs).statement().tables) == 2


def test_an_explanation_marks_the_edit_and_says_who_is_right(pairs, run_of):
    found = explain_pair(pairs, [run_of({"0": "neutral"})], "0")
    assert found.marked() == ("a [red] hat", "a [blue] hat")
    assert found.labels_table().rows[-1] == ["mine", "neutral", "wrong"]
    assert found.decisions["wordnet_default"].path.startswith("red.n.01")
    assert found.way


def test_an_explanation_shows_every_reading_of_the_wordnet_rule(pairs, run_of):
    shown = explain(pairs, run_of({"0": "neutral"}), item="0")
    assert (shown.item, shown.heading.splitlines()[0]) == ("0", "pair 0, c")
    assert "a [red] hat" in shown.heading
    labels, lexicon = shown.tables
    assert labels.rows[-1] == ["mine", "neutral", "wrong"]
    assert [row[0] for row in lexicon.rows] == [
        "wordnet_default",
        "wordnet_literal",
        "wordnet_stripped",
        "lexical_rules",
    ]


def test_an_unknown_pair_is_refused_with_the_nearest(pairs):
    with pytest.raises(TouchstoneError) as error:
        explain_pair(pairs, [], "O")
    assert error.value.code == Code.UNKNOWN_ID


def test_validation_lists_the_problems_of_all_files(file):
    gold = file("gold.jsonl", '{"id": 1, "premise": "a b", "hypothesis": "a b", "gold": "neutral"}\n')
    good = file("good.tsv", "id\tlabel\n1\tother\n")
    bad = file("bad.tsv", "id\tlabel\n2\tneutral\n1\tmaybe\n")
    stray = file("stray.tsv", "id\tlabel\n1\tneutral\n3\tneutral\n")
    found = validate(gold, [good, bad, stray])
    assert [(fault.what, fault.file, fault.line) for fault in found.faults] == [
        ("unknown label; the labels are contradiction, entailment, neutral, other", str(bad), 3),
        ("unknown item", str(bad), 2),
        ("unknown item", str(stray), 3),
    ]
    assert "gold: pairs whose premise and hypothesis are the same: 1" in found.warnings
    assert "good: predictions of other, which are never right: 1" in found.warnings
    assert len(found.facts) == 4
    verdicts = [line.split(":")[0] for line in str(found).splitlines() if line.startswith(("ok: ", "error: "))]
    assert verdicts == ["ok", "ok", "error", "error"]


def test_an_unknown_label_hides_neither_duplicate_nor_missing_ids(file):
    pair = '{{"id": {}, "premise": "a", "hypothesis": "b", "gold": "neutral"}}\n'
    gold = file("gold.jsonl", "".join(map(pair.format, range(1, 5))))
    found = validate(gold, file("run.tsv", "id\tlabel\n1\tmaybe\n2\tneutral\n2\tneutral\n3\t\n"))
    assert [(fault.what.partition(" (")[0].partition(";")[0], fault.value) for fault in found.faults] == [
        ("unknown label", "maybe"),
        ("duplicate id", "2"),
        ("no prediction for this pair", "3"),
        ("no prediction for this pair", "4"),
    ]
    twice = file("twice.jsonl", pair.format(1) + pair.format(1).replace("neutral", "maybe"))
    assert [fault.what.split()[0] for fault in validate(twice).faults] == ["unknown", "duplicate"]


def test_validation_of_broken_gold_lists_all_its_faults(file):
    gold = file("gold.jsonl", '{"id": 1, "premise": "a b"}\n{"id": 2, "hypothesis": "c"}\n')
    found = validate(gold, file("good.tsv", "id\tlabel\n1\tother\n"))
    assert [(fault.what, fault.line) for fault in found.faults] == [
        ("a pair needs a hypothesis", 1),
        ("a pair needs a premise", 2),
    ]
