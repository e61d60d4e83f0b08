"""Readers: their answers become labels, their labels agreement, and nothing of either is lost."""

import json
from dataclasses import replace

import numpy as np
import pytest

from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.base.files import Source
from touchstone.base.notes import TouchstoneWarning
from touchstone.core.resampling import Resampling
from touchstone.io.jsonl import format_objects
from touchstone.nli import Pair, agreement, read_gold, set_table, verify
from touchstone.tasks.nli.formats.answers import Answer, AnswerSheet
from touchstone.tasks.nli.formats.writing import format_pairs

FEW = Resampling(draws=20)
SAID = {"c": (False, None), "n": (True, True), "e": (True, False)}
LABEL = {"c": "contradiction", "e": "entailment", "n": "neutral"}


def sheet(**by_pair):
    """Answers of ann, ben and cleo, written as letters: c, e, n; a capital calls the pair wrong."""
    answers = [
        Answer(pair, who, *SAID[letter.lower()], letter.isupper())
        for pair, letters in by_pair.items()
        for who, letter in zip(("ann", "ben", "cleo"), letters, strict=False)
    ]
    return AnswerSheet(Source("answers.jsonl", "2" * 64), answers, list(range(1, len(answers) + 1)))


@pytest.fixture
def pairs(gold_of):
    return gold_of([Pair(name, f"premise {name}", "h", category="xy"[name in "st"]) for name in "pqrst"])


@pytest.fixture
def verified(pairs):
    return verify(pairs, sheet(p="ccc", q="een", r="cEc", s="cen", t="cc"))


def test_answers_become_labels_by_the_papers_rule(verified):
    assert [(one.pair.id, one.outcome, one.pair.gold) for one in verified.verified] == [
        ("p", "kept", "contradiction"),
        ("q", "kept", "entailment"),
        ("r", "ungrammatical", None),
        ("s", "tie", None),
        ("t", "pending", None),
    ]
    assert verified.kept.pairs[1].annotators == ("entailment", "entailment", "neutral")


def test_discards_say_who_and_why(verified):
    assert [(one["id"], one["discarded"], one["why"]) for one in verified.discards()] == [
        ("r", "ungrammatical", "called wrong by ben"),
        ("s", "tie", "no majority: ann contradiction, ben entailment, cleo neutral"),
        ("t", "pending", "2 of 3 answers"),
    ]


def test_outcomes_are_counted_in_each_category_and_in_all(verified):
    table = verified.outcomes_table()
    assert [row[:6] for row in table.rows] == [["x", 3, 2, 1, 0, 0], ["y", 2, 0, 0, 1, 1], ["all", 5, 2, 1, 1, 1]]


def test_each_reader_is_compared_with_the_others(verified):
    """Of ann's five pairs the others have a mode in p, t; in q, r, s they differ. She agrees in both."""
    rows = {row[0]: row[1:] for row in verified.annotators_table().rows}
    assert rows["ann"] == [5, 2, 2, 1, 0]
    assert rows["ben"][-1] == 1 / 5
    assert rows["cleo"] == [4, 1, 2, 1 / 2, 0]


def test_answers_about_unknown_pairs_are_refused_with_the_nearest(pairs):
    with pytest.raises(TouchstoneError, match='unknown item: "pp"; nearest valid id "p"'):
        verify(pairs, sheet(pp="ccc"))


def test_a_set_of_which_nothing_is_kept_is_refused(pairs):
    with pytest.raises(TouchstoneError, match=r"no pair is verified \(0 ungrammatical, 1 tie, 4 pending\)"):
        verify(pairs, sheet(p="cen"))


def test_a_gold_label_that_the_answers_change_is_said(gold_of):
    found = verify(gold_of([Pair("p", "a", "b", "neutral")]), sheet(p="ccc"))
    assert found.notes == ["pairs: pairs whose gold label the answers changed: 1"]


def labelled(gold_of, *letters):
    pairs = [
        Pair(str(n), f"premise {n}", "h", gold=LABEL[word[0]], annotators=tuple(LABEL[c] for c in word))
        for n, word in enumerate(letters)
    ]
    return gold_of(pairs)


def test_human_performance_is_the_share_of_labels_equal_to_gold(gold_of):
    found = agreement(labelled(gold_of, "ccc", "ccn", "eee", "een"), resampling=FEW).coefficients
    assert found["human"].value == 10 / 12
    assert found["raw_agreement"].value == pytest.approx((1 + 1 / 3 + 1 + 1 / 3) / 4)


def test_leaving_one_out_drops_ties_among_the_others(gold_of):
    """In ccn the two who said c see a tie of the others; only n is held against c, and wrong."""
    found = agreement(labelled(gold_of, "ccc", "ccn"), resampling=FEW).coefficients["human_leave_one_out"]
    assert (found.answers, found.value) == (4, 3 / 4)


def test_pairs_with_another_number_of_labels_are_left_out_and_counted(gold_of):
    found = agreement(labelled(gold_of, "ccc", "een", "cc"), resampling=FEW)
    assert (found.signature["annotators"], found.coefficients["kappa"].units) == ("3", 2)
    assert found.notes == ["pairs: pairs left out, which do not have 3 labels: 1"]


def test_an_undefined_kappa_is_said_in_the_table_and_none_in_the_json(gold_of):
    found = agreement(labelled(gold_of, "ccc", "ccc"), resampling=FEW)
    assert np.isnan(found.coefficients["kappa"].value)
    assert any("kappa: undefined" in note for note in found.table().notes)
    rows = {row["measure"]: row for row in json.loads(found.to_json())["rows"] if row["kind"] == "coefficient"}
    assert rows["kappa"]["value"] is None
    assert rows["kappa"]["reason"].startswith("only one label was given")
    assert None not in {rows[name]["value"] for name in ("human", "raw_agreement", "ac1")}


def test_agreement_is_grouped_by_a_known_field(gold_of):
    pairs = labelled(gold_of, "ccc", "een")
    groups = agreement(pairs, by="gold", resampling=FEW).groups
    assert {group.about.get("group") for group in groups} == {None, "contradiction", "entailment"}
    with pytest.raises(TouchstoneError, match='nearest valid name "gold"'):
        agreement(pairs, by="golt")
    with pytest.raises(TouchstoneError) as error:
        agreement(pairs, resampling=Resampling(cluster="category"))
    assert error.value.code == Code.BAD_VALUE


def test_premises_are_resampled_by_default_and_pairs_on_request(gold_of):
    """Readers agree on all pairs of every other premise and on none of the others: premises vary more than pairs."""
    words = ["ccc", "cce"] * 20
    pairs = labelled(gold_of, *words)
    pairs = replace(pairs, pairs=[replace(p, premise="abcdef"[int(p.id) % 6]) for p in pairs.pairs])
    found, single = agreement(pairs), agreement(pairs, resampling=Resampling(cluster="item"))
    ends = found.coefficients["raw_agreement"].interval
    narrow = single.coefficients["raw_agreement"].interval
    assert 1 / 3 < ends.low < narrow.low < 2 / 3 < narrow.high < ends.high < 1
    assert "over premises" in found.signature["intervals"]
    assert "over items" in single.signature["intervals"]


def test_fewer_than_five_premises_give_values_without_intervals_and_a_note(gold_of):
    pairs = labelled(gold_of, *["ccc", "cce"] * 20)
    pairs = replace(pairs, pairs=[replace(p, premise="ab"[int(p.id) % 2]) for p in pairs.pairs])
    found = agreement(pairs)
    raw = found.coefficients["raw_agreement"]
    assert raw.value == pytest.approx(2 / 3)
    assert np.isnan([raw.interval.low, raw.interval.high]).all()
    assert "no interval: it needs at least 5 independent units, and there are 2" in found.table().notes


def test_pairs_without_labels_have_no_agreement(gold_of):
    with pytest.raises(TouchstoneError) as error:
        agreement(gold_of([Pair("1", "a", "b", "neutral")]))
    assert error.value.code == Code.UNSUPPORTED
    with pytest.raises(TouchstoneError) as error:
        agreement(gold_of([Pair("1", "a", "b", annotators=("neutral",))]))
    assert error.value.code == Code.TOO_FEW


def test_the_statistics_of_a_set_stand_as_in_table_2(gold_of):
    pairs = labelled(gold_of, "ccc", "ccn", "eee", "een")
    rows = set_table(pairs, agreement(pairs, resampling=FEW).coefficients).rows
    assert [row[2] for row in rows[:4]] == [2, 2, 0, 4]
    assert rows[-1] == ["human performance", "", 10 / 12]


@pytest.fixture
def noisy(gold_of):
    """Thirty pairs; readers split three ways on every fifth of them, two against one on every third."""
    names = [f"p{n}" for n in range(30)]
    candidates = gold_of([Pair(name, f"premise {name}", f"h {name}") for name in names])
    said = {name: "cen" if n % 5 == 0 else "cce" if n % 3 == 0 else "cn"[n % 2] * 3 for n, name in enumerate(names)}
    return verify(candidates, sheet(**said))


def kappa_of(gold, **more):
    return agreement(gold, resampling=FEW, **more).coefficients["kappa"].value


def test_agreement_on_kept_pairs_is_higher_and_says_so(noisy):
    with pytest.warns(TouchstoneWarning, match="over 24 pairs that were kept of 30"):
        kept = agreement(noisy.kept, resampling=FEW)
    assert kept.coefficients["kappa"].value > kappa_of(noisy.answered) + 0.1
    assert any(note.startswith("warning: ") for note in kept.notes)
    assert "kept of 30" in kept.table().to_text()


def test_agreement_on_all_pairs_has_no_warning(noisy, recwarn):
    found = agreement(noisy.answered, resampling=FEW)
    assert not [note for note in found.notes if note.startswith("warning: ")]
    assert not [one for one in recwarn if issubclass(one.category, TouchstoneWarning)]
    assert found.coefficients["kappa"].units == 30


def test_a_set_of_which_nothing_was_discarded_has_no_warning(gold_of, recwarn):
    verified = verify(gold_of([Pair(name, name, "h") for name in "pqrstu"]), sheet(**dict.fromkeys("pqrstu", "ccn")))
    assert not any(note.startswith("warning: ") for note in agreement(verified.kept, resampling=FEW).notes)
    assert "kept_of" not in verified.kept.pairs[0].rest


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".tsv"])
def test_files_of_kept_pairs_say_so_and_with_the_discards_have_the_agreement_of_all(noisy, suffix, tmp_path):
    kept, discards = tmp_path / f"kept{suffix}", tmp_path / "discards.jsonl"
    kept.write_text(format_pairs(noisy.kept.pairs, "touchstone", suffix), "utf-8")
    discards.write_text(format_objects(noisy.discards()), "utf-8")
    with pytest.warns(TouchstoneWarning, match="kept of 30"):
        agreement(read_gold(kept), resampling=FEW)
    both = agreement(read_gold(kept), discards=read_gold(discards), resampling=FEW)
    assert both.coefficients["kappa"].value == pytest.approx(kappa_of(noisy.answered))
    assert not any(note.startswith("warning: ") for note in both.notes)
    with pytest.raises(TouchstoneError) as error:
        agreement(read_gold(kept), discards=read_gold(kept), resampling=FEW)
    assert error.value.code == Code.DUPLICATE_ID
