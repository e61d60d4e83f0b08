"""Automatic pyramids with the reader of statements, from the log odds that networks gave on a GPU.

``training/train_claims.py odds`` wrote ``benchmarks/results/pyramid_claims.npz``: what each network says of the
documents of REALSumm that it did not see, by the folds that were left out of its training, and what the network that is
shipped says of DUC 2006. On a processor the same takes hours; a test compares some of it with the shipped network.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from touchstone.base.ragged import Floats, Ints
from touchstone.systems.pyramids import DecidedSet, Evaluation, train

ODDS = Path(__file__).parent / "results" / "pyramid_claims.npz"


class StoredReader:
    """A reader of statements that has its answers stored: for each text, the log odds of all statements of its set."""

    def __init__(self, odds: Mapping[str, Floats]) -> None:
        self._odds = odds

    def log_odds(self, text: str, statements: Sequence[str]) -> Floats:
        """Return the stored log odds of the statements of a set."""
        found = self._odds[_key(text)]
        assert len(found) == len(statements)
        return found


def _key(text: str) -> str:
    """Return a text without blanks, which the analyser may change."""
    return "".join(text.split())


def with_odds(sets: Sequence[DecidedSet], odds: Sequence[Floats]) -> list[DecidedSet]:
    """Return sets whose statements are read by a `StoredReader`; *odds* are texts by statements, for each set."""
    return [
        replace(one, encoder=StoredReader(dict(zip(map(_key, one.texts), own, strict=True))))
        for one, own in zip(sets, odds, strict=True)
    ]


def stored_odds(name: str, sets: Sequence[DecidedSet]) -> list[Floats]:
    """Return the log odds of an array of the file, for the sets that it is about, in their order."""
    with np.load(ODDS) as file:
        rows = file[name].astype(np.float64)
    counts = [sum(map(len, one.statements)) for one in sets]
    ends = np.cumsum([len(one.texts) * count for one, count in zip(sets, counts, strict=True)])
    assert ends[-1] == len(rows)
    return [part.reshape(-1, count) for part, count in zip(np.split(rows, ends[:-1]), counts, strict=True)]


def unseen(sets: Sequence[DecidedSet], folds: Ints, fold: int | None = None) -> list[DecidedSet]:
    """Return REALSumm, each document read by a network that saw neither its fold nor *fold*."""
    names = ["_".join(map(str, sorted({int(own), fold or int(own)}))) for own in folds]
    found: dict[int, Floats] = {}
    for name in set(names):
        left_out = [place for place, own in enumerate(folds) if str(own) in name.split("_")]
        own_odds = stored_odds(name, [sets[place] for place in left_out])
        found |= {place: odds for place, odds in zip(left_out, own_odds, strict=True) if names[place] == name}
    return with_odds(sets, [found[place] for place in range(len(sets))])


def nested_evaluation(sets: Sequence[DecidedSet], folds: Ints) -> Evaluation:
    """Predict each fold of REALSumm by networks and curves that saw none of it.

    The curves for a fold are fitted on the documents of the others, each read by a network that saw neither; the fold
    itself is read by a network that saw all others.
    """
    predicted: dict[int, Floats] = {}
    for fold in np.unique(folds).tolist():
        own = unseen(sets, folds, fold)
        model = train([one for one, number in zip(own, folds, strict=True) if number != fold])
        for place in np.flatnonzero(folds == fold).tolist():
            predicted[place] = model.probability(own[place].rows)
    ordered = [predicted[place] for place in range(len(sets))]
    return Evaluation(sets, ordered, "published folds, a network and curves for each")
