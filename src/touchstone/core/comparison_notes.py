"""What a reader of a comparison should know: pairs that cannot differ, that are equal, or that skipped items decide."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from touchstone.base.notes import Note, warning
from touchstone.base.tables import number
from touchstone.core.measures import Measure
from touchstone.core.pair_tests import Correction, TestedPairs
from touchstone.core.pairs import ALPHA, Pair
from touchstone.core.results import Results, Row
from touchstone.stats import Test

if TYPE_CHECKING:
    from touchstone.core.comparison import Comparison

NO_CHANCE = "no difference can be significant"
"""The code of the note that no difference could be significant, however large, and how it begins."""

DUPLICATE_QUESTION = "are they one file or column under two names?"
"""What explains most systems that are equal on every item."""


def comparison_notes(
    results: Results, measure: Measure[Any], rows: Sequence[Row], compared: TestedPairs, correction: Correction
) -> list[str]:
    """Return the notes on a comparison, each once; `lost_wins` adds those on skipped items.

    Parameters
    ----------
    results, measure
        The scores, and the measure of the comparison.
    rows
        The values of the systems.
    compared
        The pairs, those that can be significant first.
    correction
        How p was adjusted.
    """
    notes = [row.note for row in rows] + [ends.note for ends in compared.intervals]
    return [
        *dict.fromkeys(filter(None, notes)),
        *no_chance_notes(compared.tests[0], correction, results),
        *_equal_notes(compared.families[0], measure, results),
    ]


def no_chance_notes(tests: Sequence[Test], correction: Correction, results: Results) -> list[str]:
    """Return a note where no difference could be significant, however large: too few draws or clusters.

    Parameters
    ----------
    tests
        Those of one family of pairs.
    correction, results
        How p was adjusted, and the scores.
    """
    smallest = [test.smallest_p for test in tests if np.isfinite(test.smallest_p)]
    if not smallest or min(smallest) * (len(smallest) if correction == "holm" else 1) < ALPHA:
        return []
    pairs = f"{len(smallest):,} pair{'s' * (len(smallest) > 1)}"
    if not all(test.exact for test in tests):
        needed, made = int(np.ceil(len(smallest) / ALPHA)), max(test.draws for test in tests)
        reason = f"{made:,} draws are too few for {pairs}, which need at least {needed:,}"
    # With all n clusters unequal there are 2^n assignments, and p is at least 2^(1 - n).
    elif 2.0 ** (1 - results.cluster_count) * len(smallest) < ALPHA:
        reason = f"the systems differ on too few of {results.clusters_in_words}"
    else:
        few = results.clusters_in_words
        enough = next(n for n in range(results.cluster_count, 100) if 2.0 ** (1 - n) * len(smallest) < ALPHA)
        least = f"which need{'s' * (len(smallest) == 1)} at least {enough}"
        reason = f"{few} {'is' if few.startswith('1 ') else 'are'} too few for {pairs}, {least}"
    return [Note(f"{NO_CHANCE}: {reason}", NO_CHANCE)]


def equal_sides(measure: str, pair: Pair) -> str:
    """Return a sentence on two systems that are equal on every item: the comparison says nothing."""
    return f"{measure}: {pair.a} and {pair.b} are equal on every item ({pair.n:,})"


def _equal_notes(pairs: Sequence[Pair], measure: Measure[Any], results: Results) -> list[str]:
    """Return a note on each pair that is equal on every item: a warning where they are equal under all measures."""
    notes = []
    for pair in (pair for pair in pairs if pair.equal):
        a, b = results.by_name[pair.a].records, results.by_name[pair.b].records
        same = all(np.array_equal(a[name], b[name]) for name in a.keys() & b.keys() - {measure.name})
        note = equal_sides(measure.name, pair)
        notes.append(warning(f"{note}; {DUPLICATE_QUESTION}") if same else note)
    return notes


def lost_wins(measure: Measure[Any], pairs: Sequence[Pair], rows: Sequence[Row], failed: "Comparison") -> list[str]:
    """Return a warning on each significant win that would be none if the skipped items were failures.

    Parameters
    ----------
    measure
        The measure.
    pairs
        The pairs of systems, on the items that both answer.
    rows
        The values of the systems.
    failed
        The comparison with the skipped items as failures.
    """
    skipping = {row.system: row.skipped_share for row in rows if row.skipped}
    warned = []
    for pair in (pair for pair in pairs if pair.significant):
        win = pair.better_first(lower_is_better=measure.lower_is_better)
        bound = failed.pair(win.a, win.b)
        gain = -bound.difference if measure.lower_is_better else bound.difference
        if bound.significant and gain > 0:
            continue
        shares = " and ".join(f"{name} skips {skipping[name]}" for name in (win.a, win.b) if name in skipping)
        outcome = f"ahead by {number(gain)}" if gain >= 0 else f"behind by {number(-gain)}"
        warned.append(
            warning(
                f"{measure.name}: {win.a} is ahead of {win.b} by {number(abs(pair.difference))} on the {pair.n:,} "
                f"items that both answer, but {shares} of its items; if these were failures, {win.a} would be "
                f"{outcome}{'' if bound.significant else ', not significantly'}"
            )
        )
    return warned
