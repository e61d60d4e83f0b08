"""What makes a run of inference look like a mistake: exchanged labels, rows in another order, a copy of the gold."""

import re
from collections.abc import Collection, Sequence

import numpy as np
from scipy.special import bdtrc

from touchstone.base.notes import warning
from touchstone.base.ragged import Floats, Ints
from touchstone.core.doubts import AGREED, GAIN, Doubt, doubt_copy, doubt_labels, doubt_order, kappa
from touchstone.core.inputs import Inputs
from touchstone.tasks.nli.formats.pairs import GOLD, SENTENCES
from touchstone.tasks.nli.joining import Joined
from touchstone.tasks.nli.measures import CALIBRATION
from touchstone.tasks.nli.model import GoldSet, Run, majority

FEWEST = 20
"""Pairs from which only right labels are no chance; a perfect system of few pairs is possible."""

OTHER_SET = 50
"""Pairs from which a run that agrees only by chance may belong to another set; of fewer, weak systems often do."""

GOLD_LABELS = {"label", "gold", "gold_label"}
"""What columns of gold labels are called, and seldom those of predictions."""

CHANCE = 0.05
"""The level of the one-sided test that labels agree with the gold more often than by chance."""

CONTRADICTED = 0.5
"""The share of gold labels against the majority of their own annotators from which they seem to be of other pairs;
labels that were collected again differ in a third of the pairs, as those of ChaosNLI."""

_DIGITS = re.compile(r"\d+")


def doubts(inputs: Inputs[GoldSet, Run], joined: Sequence[tuple[Run, Joined]]) -> list[Doubt]:
    """Return what is unlikely about each run."""
    about_gold = _against_annotators(inputs.gold)
    if about_gold:
        return about_gold  # what is odd about runs follows from it
    exchanged = [doubt for run, _ in joined for doubt in _exchanged(inputs.gold, run)]
    return exchanged + [
        doubt
        for run, joined_run in joined
        for doubt in _sorted_as_text(run, joined_run)
        or _doubts(run.name, joined_run)
        or _by_chance(run, joined_run)
        or _last(run, joined_run)
    ]


def warn_of_certainty(joined: Sequence[Joined], measures: Collection[str]) -> list[str]:
    """Return a warning of each system whose probabilities are all 0 or 1, where measures of calibration are scored.

    Parameters
    ----------
    joined
        The runs.
    measures
        The names of the measures.
    """
    if not any(name.startswith(start) for name in measures for start in (*CALIBRATION, "ece", "accuracy@")):
        return []
    what = "its probabilities are all 0 or 1, so measures of calibration tell only how often it is right"
    return [
        warning(f"{joined_run.system}: {what}; give the probabilities of the model")
        for joined_run in joined
        if joined_run.shares is not None
        and len(shares := joined_run.shares[~np.isnan(joined_run.shares[:, 0])]) >= FEWEST
        and np.isin(shares, (0.0, 1.0)).all()
    ]


def _against_annotators(gold: GoldSet) -> list[Doubt]:
    """Return a doubt where gold labels contradict the labels of their own annotators."""
    voted = [(pair.gold, most) for pair in gold.pairs if pair.gold and (most := majority(pair.annotators))]
    count = sum(label != most for label, most in voted)
    if len(voted) < FEWEST or count < CONTRADICTED * len(voted):
        return []
    what = f"{count:,} of {len(voted):,} gold labels are not the majority of the annotators of their pair"
    return [Doubt("the gold", what, "the column of gold labels may be shifted, or name labels otherwise")]


def _sorted_as_text(run: Run, joined: Joined) -> list[Doubt]:
    """Return a doubt where labels fit the gold far better if ids were sorted as text and labels were not, or reversed.

    Sorted as text, 10 comes before 2.
    """
    gold, predicted = _answered(joined)
    ids = [pair.id for pair, label in zip(joined.pairs, joined.given, strict=True) if label is not None]
    if len(ids) < FEWEST or run.in_gold_order:
        return []
    text = np.array(sorted(range(len(ids)), key=ids.__getitem__))
    padded = [_DIGITS.sub(lambda digits: digits[0].zfill(20), pair_id) for pair_id in ids]
    numbers = np.array(sorted(range(len(ids)), key=padded.__getitem__))
    if np.array_equal(text, numbers):
        return []
    right = gold == predicted
    for label_order, gold_order in ((text, numbers), (numbers, text)):
        moved = predicted[label_order] == gold[gold_order]
        if moved.mean() - right.mean() >= GAIN and kappa(gold[gold_order], predicted[label_order]) >= AGREED:
            what = f"{right.sum():,} of {len(ids):,} labels are right, but {moved.sum():,} would be"
            how = "if its ids were in the order of numbers, not of texts (2 before 10), or reversed"
            return [Doubt(run.name, f"{what} {how}", "ids may have been sorted without their labels")]
    return []


def _last(run: Run, joined: Joined) -> list[Doubt]:
    """Return a doubt where labels without ids fit the gold well at first, and from some pair on only by chance."""
    gold, predicted = joined.gold, joined.predicted
    right = np.asarray(gold == predicted, np.float64)
    if not run.in_gold_order or len(right) < FEWEST + OTHER_SET:
        return []
    start = int((right - right.mean()).cumsum()[FEWEST - 1 : len(right) - OTHER_SET].argmax()) + FEWEST
    first, last = slice(start), slice(start, None)
    if kappa(gold[first], predicted[first]) < AGREED or not _chance(gold[last], predicted[last], len(joined.labels)):
        return []
    what = f"its last {len(right) - start:,} labels, which have no ids, agree with the gold no more than by chance"
    return [Doubt(run.name, what, "its rows may be in another order there", stops=False)]


def _exchanged(gold: GoldSet, run: Run) -> list[Doubt]:
    """Return a doubt where a run has the sentences and a column that is named like gold, and the gold has neither."""
    columns = {name.lower() for name in run.source.columns}
    sentences = all(columns.intersection(map(str.lower, field.names)) for field in GOLD.only(*SENTENCES).fields)
    if any(pair.premise for pair in gold.pairs) or not sentences or not columns & GOLD_LABELS:
        return []
    what = "has the sentences, which the gold lacks"
    return [Doubt(run.name, what, "give the gold first and the runs after it", stops=False)]


def _answered(joined: Joined) -> tuple[Ints, Ints]:
    """Return the gold and the given label of each pair that has an answer."""
    answered = np.fromiter((label is not None for label in joined.given), np.bool_, len(joined.given))
    return joined.gold[answered], joined.predicted[answered]


def is_chance(joined: Joined) -> bool:
    """Return whether the labels of a run agree with the gold no more often than labels in a random order would."""
    return _chance(*_answered(joined), len(joined.labels))


def _chance(gold: Ints, predicted: Ints, labels: int) -> bool:
    if len(gold) < FEWEST or len(np.unique(predicted)) < 2 or len(np.unique(gold)) < 2:
        return False
    expected = sum(float((gold == label).mean() * (predicted == label).mean()) for label in range(labels))
    right = int((gold == predicted).sum())
    return not right or bool(bdtrc(right - 1, len(gold), expected) > CHANCE)


def _by_chance(run: Run, joined: Joined) -> list[Doubt]:
    """Return a doubt where the labels fit the gold no better than in a random order."""
    if len(joined.gold) < (0 if run.in_gold_order else OTHER_SET) or not is_chance(joined):
        return []
    if run.in_gold_order:
        what = "its labels, which have no ids, agree with the gold no more than by chance"
        return [Doubt(run.name, what, "its rows may be in another order, or of another test set", stops=False)]
    if not all(item.isdigit() for item in run.ids):
        return []  # another test set has other ids unless they are plain numbers
    what = "its labels agree with the gold no more than by chance"
    return [Doubt(run.name, what, "it may belong to another test set with the same ids", stops=False)]


def _doubts(system: str, joined: Joined) -> list[Doubt]:
    gold, predicted = _answered(joined)
    unlikely = doubt_labels(system, gold, predicted, joined.labels, flag="label")
    if unlikely or not len(gold):
        return unlikely

    def right(moved: int) -> Floats:
        return np.asarray(np.roll(gold, -moved) == predicted, np.float64)

    copied = "the run may be a copy of the gold"
    return [
        *(doubt_order(system, right, item="pair", what="labels") if len(np.unique(predicted)) > 1 else []),
        *doubt_copy(system, int(right(0).sum()), len(gold), "the gold", copied, fewest=FEWEST, share=1.0),
    ]
