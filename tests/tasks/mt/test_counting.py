"""Explanations of BLEU, chrF and TER show the statistics that sacrebleu itself has of a segment."""

from math import exp, log

import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

from touchstone import mt

REFERENCES = ["The cat sat on the mat , and the dog sat too .", "A cat was sitting on the mat ; so was the dog ."]
SYSTEMS = {
    "near": "The cat sat on the the mat , and a dog .",
    "short": "The cat",
    "far": "Nothing fits here",
    "part": "The dog barks at a cat on mats",
}


def explained(measure, system):
    gold = [{"id": "1", "reference": REFERENCES}]
    return mt.explain(gold, {system: [{"id": "1", "hypothesis": SYSTEMS[system]}]}, item="1", measure=measure).tables


def column(table, name):
    place = [head.header for head in table.columns].index(name)
    return [row[place] for row in table.rows]


@pytest.mark.filterwarnings("ignore::touchstone.TouchstoneWarning")  # far: no word is in the reference
@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("smoothing", ["exp", "floor", "add-k", "none"])
def test_the_counts_precisions_and_penalty_of_bleu_are_those_of_sacrebleu(system, smoothing):
    metric = BLEU(effective_order=True, smooth_method=smoothing)
    score = metric.sentence_score(SYSTEMS[system], REFERENCES)
    [statistics] = metric._extract_corpus_statistics([SYSTEMS[system]], [[text] for text in REFERENCES])
    first, matched = explained(f"bleu(smooth_method={smoothing})" if smoothing != "exp" else "bleu", system)
    assert column(first, "matched") + column(first, "system") == statistics[2:]
    given = [100 * value for value in column(first, "precision") if value is not None]
    if score.score:
        assert given == pytest.approx(score.precisions[: len(given)])
        mean = exp(sum(map(log, given)) / len(given)) if all(given) else 0
        assert score.score == pytest.approx(score.bp * mean)
    assert first.title.endswith(f" {score.score:.3f}")
    told = f"brevity penalty {score.bp:.3f}: {score.sys_len} words, where the reference has {score.ref_len}"
    assert first.notes[0] == told
    orders = [f"{n} word{'s' * (n > 1)}" for n in range(1, 5)]
    rows = list(zip(column(matched, "n-grams"), column(matched, "counted"), strict=True))
    assert [sum(count for own, count in rows if own == order) for order in orders] == statistics[2:6]


def test_an_n_gram_counts_no_more_often_than_a_reference_has_it():
    gold, run = {"1": "the cat"}, {"mine": {"1": "the the the"}}
    assert mt.explain(gold, run, item="1", measure="bleu").tables[1].rows == [["1 word", "the", 3, 1, 1]]


@pytest.mark.filterwarnings("ignore::touchstone.TouchstoneWarning")  # far: no word is in the reference
@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("words", [0, 2])
def test_the_counts_of_chrf_are_those_of_sacrebleu(system, words):
    metric = CHRF(word_order=words)
    [statistics] = metric._extract_corpus_statistics([SYSTEMS[system]], [[text] for text in REFERENCES])
    [table] = explained(f"chrf(word_order={words})" if words else "chrf", system)
    sides = [column(table, name)[:-1] for name in ("system", "reference", "matched")]
    assert [count for order in zip(*sides, strict=True) for count in order] == statistics
    *_, precision, recall = table.rows[-1]
    value = 100 * 5 * precision * recall / (4 * precision + recall) if precision else 0
    assert metric.sentence_score(SYSTEMS[system], REFERENCES).score == pytest.approx(value)
    assert "counts are those with the reference that gives the highest value" in table.notes


def test_the_edits_of_ter_are_those_of_sacrebleu():
    score = TER().sentence_score(SYSTEMS["near"], REFERENCES)
    [table] = explained("ter", "near")
    assert table.rows == [[int(score.num_edits), f"{score.ref_length:.1f}"]]
