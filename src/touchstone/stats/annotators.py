"""How reliable each annotator is, and the label that the answers together speak for (Dawid and Skene 1979).

The model assumes that each item has one true label and that annotators err independently of each other, each with
their own error rates: P(annotator says l | true label k). Both are estimated together by EM.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import scipy
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Bools, Floats, Ints
from touchstone.stats.intervals import Interval, interval
from touchstone.stats.records import cluster_records, mean, mean_records

Label = TypeVar("Label", bound=Hashable)

ROUNDS = 1000
TOLERANCE = 1e-7
"""EM ends when no probability changes by more than this; the anaesthetists of the paper need about 200 rounds."""

COMPARABLE = 3
"""People whom shared items must link before one of them can be said to be below the others."""

SHRINKAGE = 10.0
"""In simulations with 100 items, 3 answers each and accuracies of .6 to .85, weights of 10 and more recover as many
labels as the majority, the paper's 0 up to 1.4 points fewer."""


@dataclass(frozen=True)
class Reliability:
    """How far the other annotators bear out one annotator.

    Parameters
    ----------
    answers
        How many of the annotator's answers are to items that others answered too.
    accuracy
        The mean probability that these answers are right, judged by the answers of the others alone.
    interval
        Its interval over items, at a level that is corrected for the number of annotators.
    comparable
        Whether shared items link the annotator to at least two others, directly or through somebody. Of two people who
        differ, nothing shows which one is right, although the estimates are seldom the same for both.
    below_others
        Whether the annotator is comparable, and the interval lies below the mean accuracy of the others.
    """

    answers: int
    accuracy: float
    interval: Interval
    comparable: bool
    below_others: bool


@dataclass(frozen=True)
class AnnotatorModel(Generic[Label]):
    """The estimates of `dawid_skene`.

    Parameters
    ----------
    labels
        The labels, in the order of the arrays.
    probabilities
        For each item the probability of each label.
    prevalence
        The share of each label among the items.
    errors
        For each annotator a matrix: row k has the probabilities of their answers if k is the true label.
    reliability
        How far each annotator can be trusted; without annotators whose items nobody else answered.
    """

    labels: tuple[Label, ...]
    probabilities: Mapping[Hashable, Floats]
    prevalence: Floats
    errors: Mapping[Hashable, Floats]
    reliability: Mapping[Hashable, Reliability]

    def label(self, item: Hashable) -> tuple[Label, float]:
        """Return the most probable label of *item* and its probability; the first of equals."""
        best = int(np.argmax(self.probabilities[item]))
        return self.labels[best], float(self.probabilities[item][best])


def dawid_skene(
    answers: Iterable[tuple[Hashable, Hashable, Label]], *, shrinkage: float = SHRINKAGE, level: float = 0.95
) -> AnnotatorModel[Label]:
    """Return the labels of items and the reliability of annotators that explain *answers* best.

    EM from the shares of votes: prevalence p_k = mean of T_ik; error rates π_a(k, l) = Σ T_ik n_ial / Σ T_ik n_ia;
    T_ik ∝ p_k Π π_a(k, l)^n_ial.

    Parameters
    ----------
    answers
        Item, annotator and label of each answer. An annotator may answer an item more than once.
    shrinkage
        How many answers' worth the error rates of all annotators together weigh in those of each; 0 gives the
        paper's maximum likelihood, which trusts and distrusts people on few answers.
    level
        The confidence level of the accuracies, all together (Bonferroni).

    Examples
    --------
    >>> votes = {"Ann": "yyyynnnn", "Bob": "yyyynnnn", "Cem": "nynynyny"}
    >>> model = dawid_skene((item, who, vote) for who, row in votes.items() for item, vote in enumerate(row))
    >>> [model.label(item)[0] for item in range(8)]
    ['y', 'y', 'y', 'y', 'n', 'n', 'n', 'n']
    >>> {name: round(person.accuracy, 2) for name, person in model.reliability.items()}
    {'Ann': 0.81, 'Bob': 0.81, 'Cem': 0.5}
    """
    rows = list(answers)
    if not rows:
        raise TouchstoneError("there are no answers to estimate annotators from", code=Code.EMPTY)
    (items, people, labels), codes = _coded(rows)
    pattern, patterns = _patterns(codes)
    estimates = _fit(patterns, np.bincount(pattern), (len(people), len(labels)), shrinkage)
    reliability = _reliability(codes, pattern, estimates, level)
    return AnnotatorModel(
        labels=labels,  # type: ignore[arg-type]
        probabilities=dict(zip(items, estimates.probabilities[pattern], strict=True)),
        prevalence=estimates.prevalence,
        errors=dict(zip(people, estimates.errors, strict=True)),
        reliability={people[number]: row for number, row in reliability.items()},
    )


def _coded(rows: list[tuple[Hashable, Hashable, Label]]) -> tuple[list[tuple[Hashable, ...]], Ints]:
    """Return the distinct items, annotators and labels, and the numbers of each answer's in three rows."""
    columns = list(zip(*rows, strict=True))
    numbers = [{value: number for number, value in enumerate(dict.fromkeys(column))} for column in columns]
    codes = [[number[value] for value in column] for number, column in zip(numbers, columns, strict=True)]
    return [tuple(number) for number in numbers], np.array(codes, np.int64)


def _patterns(codes: Ints) -> tuple[Ints, Ints]:
    """Return the pattern of each item, and the answers of each pattern in the form of *codes*.

    Items to which the same people gave the same labels share a pattern, and so their estimates: there are far fewer
    patterns than items.
    """
    answers: list[list[tuple[int, int]]] = [[] for _ in range(int(codes[0].max()) + 1)]
    for item, person, label in codes.T.tolist():
        answers[item].append((person, label))
    numbers: dict[tuple[tuple[int, int], ...], int] = {}
    pattern = [numbers.setdefault(tuple(sorted(item_answers)), len(numbers)) for item_answers in answers]
    rows = [(number, person, label) for item_answers, number in numbers.items() for person, label in item_answers]
    return np.array(pattern, np.int64), np.array(rows, np.int64).T


@dataclass(frozen=True)
class _Estimates:
    """T_ik, p_k and π_a(k, l) of patterns; *scores* are log p_k + Σ log π_a(k, l), whose softmax T is."""

    probabilities: Floats
    prevalence: Floats
    errors: Floats
    scores: Floats


def _fit(codes: Ints, times: Ints, shape: tuple[int, int], shrinkage: float) -> _Estimates:
    """Return the estimates for patterns of answers, each of which so many items (*times*) have."""
    people, labels = shape
    item, person, label = codes
    votes = np.zeros((len(times), labels))
    np.add.at(votes, (item, label), 1.0)
    probabilities = votes / votes.sum(axis=1, keepdims=True)
    for _ in range(ROUNDS):
        weighted = probabilities * times[:, None]
        prevalence = weighted.sum(axis=0) / times.sum()
        # label_counts[a, l, k]: how often annotator a said l, each time weighted by the probability that k is true
        label_counts = np.zeros((people, labels, labels))
        np.add.at(label_counts, (person, label), weighted[item])
        errors = _error_rates(label_counts.transpose(0, 2, 1), shrinkage)
        with np.errstate(divide="ignore"):
            scores = np.tile(np.log(prevalence), (len(times), 1))
            np.add.at(scores, item, np.log(errors[person, :, label]))
        before, probabilities = probabilities, scipy.special.softmax(scores, axis=1)
        if np.abs(probabilities - before).max() < TOLERANCE:
            break
    return _Estimates(probabilities, prevalence, errors, scores)


def _error_rates(counts: Floats, shrinkage: float) -> Floats:
    """Return *counts*, shape (annotators, true, said), as shares of each row; the even share where a row is empty."""
    rates = _shares(counts.sum(axis=0))
    return _shares(counts + shrinkage * rates)


def _shares(counts: Floats) -> Floats:
    totals = counts.sum(axis=-1, keepdims=True)
    even = np.full_like(counts, 1 / counts.shape[-1])
    return np.asarray(np.divide(counts, totals, out=even, where=totals > 0), np.float64)


def _reliability(codes: Ints, pattern: Ints, estimates: _Estimates, level: float) -> dict[int, Reliability]:
    """Return the reliability of each annotator by number, from the answers of the others to the same items."""
    item, person, _ = codes
    right, shared = _borne_out(codes, estimates.scores[pattern], estimates.errors)
    people = np.unique(person[shared])
    corrected = 1 - (1 - level) / max(1, len(people))
    linked = _linked(item, person)
    rows = {}
    for number in people.tolist():
        by_person, others = shared & (person == number), shared & (person != number)
        records = cluster_records(mean_records(right[by_person]), item[by_person])
        bounds = interval(records, mean, bounded=True, level=corrected)
        comparable = bool(linked[number] >= COMPARABLE)
        below = comparable and bool(bounds.high < right[others].mean())
        rows[number] = Reliability(int(by_person.sum()), float(right[by_person].mean()), bounds, comparable, below)
    return rows


def _linked(item: Ints, person: Ints) -> Ints:
    """Return for each annotator how many people shared items link, directly or through others, with the annotator."""
    people = int(person.max()) + 1
    nodes = people + int(item.max()) + 1
    answered = coo_array((np.ones(len(item)), (person, people + item)), shape=(nodes, nodes))
    group = connected_components(answered, directed=False)[1][:people]
    return np.asarray(np.bincount(group)[group], np.int64)


def _borne_out(codes: Ints, scores: Floats, errors: Floats) -> tuple[Floats, Bools]:
    """Return the probability of each answer by the answers of others to its item, and whether there are any."""
    item, person, label = codes
    # What an annotator contributed to the scores of an item is taken out again, all of their answers to it.
    pairs, pair = np.unique(item * (person.max() + 1) + person, return_inverse=True)
    with np.errstate(divide="ignore"):
        contributions = np.log(errors[person, :, label])
    contributed = np.zeros((len(pairs), contributions.shape[1]))
    np.add.at(contributed, pair, contributions)
    with np.errstate(invalid="ignore"):  # a label ruled out by everybody, -inf - -inf, stays ruled out
        without = np.nan_to_num(scores[item] - contributed[pair], nan=-np.inf, neginf=-np.inf)
    right = scipy.special.softmax(without, axis=1)[np.arange(len(item)), label]
    answerers = np.bincount(pairs // (person.max() + 1), minlength=item.max() + 1)
    return right, answerers[item] > 1
