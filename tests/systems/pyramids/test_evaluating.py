"""Evaluations of a matcher share nothing between what is fitted and what is predicted; baselines are what they say."""

import numpy as np
import pytest
from rouge_score.rouge_scorer import RougeScorer

from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.systems.pyramids import DecidedSet, Evaluation, evaluate
from touchstone.systems.pyramids.baselines import rouge, rouge_l
from touchstone.systems.pyramids.evaluating import HARD, SOFT, cross_predict, fold_numbers
from touchstone.systems.pyramids.learning import Curves, fit_curves

FACTS = ("cats sleep", "dogs bark", "birds sing", "fish swim", "owls hunt", "bees hum")


def _set(name, seed, peers=6):
    """Give a set whose peers say some facts, word for word or not at all."""
    random = np.random.default_rng(seed)
    present = (random.random((peers, len(FACTS))) < 0.5).astype(float)
    texts = [". ".join(fact for fact, here in zip(FACTS, row, strict=True) if here) + ". It rained." for row in present]
    units = [[fact] for fact in FACTS]
    names = [f"p{number}" for number in range(peers)]
    models = [". ".join(FACTS)]
    return DecidedSet(name, units, np.full(len(FACTS), 1 / len(FACTS)), names, texts, present, present, models)


def test_no_set_is_predicted_by_a_model_that_saw_it():
    sets = [_set(f"s{number}", number) for number in range(7)]
    seen = []

    def fit(rest):
        seen.append({one.set for one in rest})
        return Curves(("x",), np.zeros((0, sets[0].rows.shape[2])), np.zeros((1, sets[0].rows.shape[2])), 0.0)

    folds = fold_numbers(7, 3)
    cross_predict(sets, folds, fit)
    assert [{f"s{n}" for n in range(7) if folds[n] != fold} for fold in range(3)] == seen


def test_facts_that_are_there_word_for_word_are_learnt():
    found = evaluate([_set(f"s{number}", number) for number in range(4)])
    assert found.auc == 1
    assert found.f1 == 1
    assert np.nanmean(found.summary_r[SOFT]) > 0.99
    assert found.calibration_error < 0.2
    head, *_ = (row[0] for row in found.tables()[0].rows)
    assert head == SOFT


def test_summary_and_system_correlations_are_those_of_the_definition():
    sets = [_set("a", 1), _set("b", 2)]
    random = np.random.default_rng(3)
    chances = [random.random(one.present.shape) for one in sets]
    found = Evaluation(sets, chances, "by hand")
    scores = [p.mean(axis=1) for p in chances]
    each = [np.corrcoef(own, one.scores)[0, 1] for own, one in zip(scores, sets, strict=True)]
    assert found.summary_r[SOFT] == pytest.approx(each)
    people, machine = (np.mean(side, axis=0) for side in ([one.scores for one in sets], scores))
    assert found.systems(SOFT)[0] == pytest.approx(np.corrcoef(people, machine)[0, 1])
    hard = [(p > 0.5).mean(axis=1) for p in chances]
    assert found.scores(HARD)[0] == pytest.approx(hard[0])
    value, low, high = found.over("ROUGE-1")
    assert value == pytest.approx(np.mean(found.summary_r[SOFT] - found.summary_r["ROUGE-1"]))
    assert low <= value <= high


def test_an_evaluation_states_the_agreement_of_every_method_as_rows_and_the_best_in_words():
    found = evaluate([_set(f"s{number}", number) for number in range(4)])
    rows = found.to_dict()["rows"]
    values = {(row["method"], row["measure"]): row["value"] for row in rows if row["kind"] == "value"}
    assert {name for name, _ in values} == set(found.runs.methods)
    assert values[SOFT, "summary_r"] == found.interval(found.summary_r[SOFT])[0]
    assert values["ROUGE-L", "system_tau"] == found.systems("ROUGE-L")[3]
    differences = {row["b"]: row["difference"] for row in rows if row["kind"] == "pair"}
    assert differences.keys() == set(found.runs.methods) - {SOFT, HARD}
    assert differences["ROUGE-2"] == found.over("ROUGE-2")[0]
    (decisions,) = (row for row in rows if row["kind"] == "decisions")
    assert (decisions["decisions"], decisions["AUC"]) == (4 * 6 * len(FACTS), 1)
    assert f"the best baseline, {found.best_baseline}, at" in found.sentences()[0]


def test_one_document_set_is_too_few_to_be_evaluated():
    with pytest.raises(TouchstoneError) as error:
        evaluate([_set("a", 1)])
    assert error.value.code == Code.TOO_FEW


def test_decisions_that_are_all_the_same_teach_nothing():
    with pytest.raises(TouchstoneError) as error:
        fit_curves(["x"], np.ones((3, 1)), np.ones(3), 0.1)
    assert error.value.code == Code.TOO_FEW


def test_rouge_is_that_of_the_rouge_score_package():
    given, wanted = "the cat sat on the old mat and slept", "a cat slept on the mat while the dog sat"
    theirs = RougeScorer(["rouge1", "rouge2", "rougeL"]).score(wanted, given)
    own = given.split(), wanted.split()
    assert rouge(*own, 1) == pytest.approx(theirs["rouge1"].recall)
    assert rouge(*own, 2) == pytest.approx(theirs["rouge2"].recall)
    assert rouge_l(*own) == pytest.approx(theirs["rougeL"].recall)


def test_a_fitted_model_is_the_same_after_its_file(tmp_path):
    random = np.random.default_rng(0)
    rows = random.random((300, 2))
    model = fit_curves(["x", "y"], rows, (rows[:, 0] > 0.4).astype(float), 0.01)
    again = Curves.from_json(model.to_json(), ["x", "y"], "here")
    assert again.probability(rows) == pytest.approx(model.probability(rows), abs=1e-4)
    assert model.probability(np.array([[0.9, 0.5]]))[0] > 0.8 > 0.2 > model.probability(np.array([[0.1, 0.5]]))[0]


def test_progress_tells_of_each_document_set():
    told = []
    evaluate(
        [_set(f"s{number}", number) for number in range(4)], progress=lambda done, total: told.append((done, total))
    )
    assert told == [(0, 4), (1, 4), (2, 4), (3, 4)]
