"""Tuning by cross-validation: nothing is reported where it was chosen, and settings are rebuilt exactly."""

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.tasks.mt.judging import Entry, collect

from touchstone import mt
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import Source
from touchstone.core.resampling import Resampling
from touchstone.tasks.mt.judges.tuning import _best, tune
from touchstone.tasks.mt.judges.tuning.settings import Setting, Terms, all_settings

# The segments of one of the systems below all end with the same words, of which a warning tells.
pytestmark = pytest.mark.filterwarnings("ignore:long. 6 of 6 translations end with")

REFERENCE = [
    "the cat sat on the mat",
    "a small dog ran after the red car",
    "they bought a new house in the city",
    "he reads the paper every morning",
    "she did not want to go home",
    "the train arrived late at the station",
]
SYSTEMS = {
    "good": [text.replace("the ", "a ", 1) for text in REFERENCE],
    "long": [f"{text} and then there was some more of it" for text in REFERENCE],
    "short": [" ".join(text.split()[:4]) for text in REFERENCE],
    "poor": [" ".join(reversed(text.split())) for text in REFERENCE],
}
QUICK = Resampling(draws=20, cluster="segment")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tuning")
    (folder / "ref.en").write_text("\n".join(REFERENCE) + "\n")
    (folder / "out").mkdir()
    for name, lines in SYSTEMS.items():
        (folder / "out" / name).write_text("\n".join(lines) + "\n")

    def scored(measure="maxsim(n)", references=1):
        gold = [folder / "ref.en"] * references
        return mt.score(gold, folder / "out", [measure], resampling=Resampling("none"))

    return scored


def human(groups=(None,), best="short"):
    order = {best: 1, "good": 2, "long": 3, "poor": 4}
    entries = [
        Entry((str(group), str(segment)), group, str(segment), "J", system, float(rank), segment + 1)
        for group in groups
        for segment in range(1, len(REFERENCE) + 1)
        for system, rank in order.items()
    ]
    return collect("rank", "rank", Source("judged.csv", "0"), entries)


def test_every_setting_is_tried_once_and_the_default_is_among_them():
    settings = all_settings(3)
    assert (
        len({(one.alpha, tuple(np.array(one.weights) / sum(one.weights))) for one in settings}) == len(settings) == 209
    )
    assert Setting(0.9, (1, 1, 1)) in settings


def test_the_default_setting_gives_the_scores_of_the_measure_itself(results):
    found = results()
    measure = found.measures[0]
    terms = Terms.of(_part(found), measure)
    own = np.stack([measure.values(system.records[measure.name]) for system in found.systems], axis=1)
    assert terms.values(Setting(0.9, (1, 1, 1))) == pytest.approx(own, abs=1e-12)


def test_weights_and_alpha_move_scores_as_the_formula_says(results):
    terms = Terms.of(_part(results()), results().measures[0])
    only_recall = terms.values(Setting(1.0, (1, 0, 0)))
    matched, there = terms.matched[..., 0], terms.reference[..., 0]
    assert only_recall == pytest.approx(matched / there)


def _part(found):
    from touchstone.tasks.mt.judges.metaeval.joining import join_judgements

    return join_judgements(human(), {"all": found}, scope="judged", wins="wins", by_judge=False).parts[0]


def test_what_is_held_out_is_never_what_was_chosen_on(results):
    found = tune(human(), results(), folds=3, resampling=QUICK)
    assert (found.tried, len(found.folds)) == (209, 3)
    assert sum(fold.n for fold in found.folds) == len(REFERENCE) * 6
    # Judges here like short outputs best: the folds agree on a precision that the default does not have.
    assert all(fold.chosen.alpha < 0.9 for fold in found.folds)
    assert found.held.value >= found.held.default
    assert "209 settings tried" in found.table().to_text()


def test_judges_who_turn_around_in_one_fold_are_not_fitted_there(results):
    entries = []
    for segment in range(1, len(REFERENCE) + 1):
        order = ["short", "good", "long", "poor"] if segment <= 4 else ["poor", "long", "good", "short"]
        entries += [
            Entry((str(segment),), None, str(segment), "J", system, float(rank), 2)
            for rank, system in enumerate(order, 1)
        ]
    found = tune(collect("rank", "rank", Source("j.csv", "0"), entries), results(), folds=3, resampling=QUICK)
    assert found.folds[2].value < 0


def test_a_language_pair_is_left_out_at_a_time(results):
    judged = human(("cs-en", "de-en"))
    found = tune(judged, {"cs-en": results(), "de-en": results()}, leave_out="pair")
    assert [fold.left_out for fold in found.folds] == ["cs-en", "de-en"]
    assert found.held is None
    assert not [row for row in found.to_dict()["rows"] if row["kind"] == "together"]


def test_a_second_criterion_is_not_passed_over_in_silence(results):
    found = tune([human(), replace(human(), criterion="fluency")], results(), folds=2, resampling=QUICK)
    assert found.criterion == "rank"
    assert "tuned on rank alone; not used: fluency of judged.csv" in found.notes


def test_a_setting_without_a_value_is_never_chosen():
    assert _best(np.array([[np.nan, 0.1], [0.2, np.nan], [0.1, 0.3]])).tolist() == [1, 2]


def test_a_fold_without_a_value_is_null_in_json(results):
    entries = [
        Entry((str(segment),), None, str(segment), "J", system, float(rank if segment <= 3 else 1), 2)
        for segment in range(1, len(REFERENCE) + 1)
        for rank, system in enumerate(SYSTEMS, 1)
    ]
    judged = collect("rank", "rank", Source("j.csv", "0"), entries)
    text = tune(judged, results(), folds=2, resampling=QUICK).to_json()
    folds = [row for row in json.loads(text, parse_constant=pytest.fail)["rows"] if row["kind"] == "fold"]
    assert folds[1]["value"] is None
    assert folds[0]["value"] is not None


def test_relations_are_a_term_of_their_own(results):
    found = tune(human(), results("maxsim(n+d)"), folds=2, resampling=QUICK)
    assert found.terms == ("1", "2", "3", "d")
    assert found.tried == 11 * 65


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"folds": 7}, Code.BAD_VALUE),
        ({"leave_out": "pair"}, Code.TOO_FEW),
        ({"leave_out": "word"}, Code.UNKNOWN_NAME),
    ],
)
def test_what_cannot_be_cross_validated_is_refused(results, given, code):
    with pytest.raises(TouchstoneError) as refused:
        tune(human(), results(), **given)
    assert refused.value.code == code


def test_other_measures_are_not_tuned(results):
    with pytest.raises(TouchstoneError) as refused:
        tune(human(), results("chrf"))
    assert refused.value.code == Code.UNSUPPORTED
