"""Tables in the form of the paper: the statistics of a set, the bins of a breakdown."""

from collections import Counter
from dataclasses import replace

from touchstone.base.tables import Cell, Column, Table
from touchstone.core.results import Results
from touchstone.people.coefficient import Coefficients
from touchstone.tasks.nli.model import LABELS, GoldSet


def set_table(gold: GoldSet, coefficients: Coefficients) -> Table:
    """Return the statistics of a set: pairs by label, kappa by label, human performance (paper, Table 2).

    Parameters
    ----------
    gold
        The pairs.
    coefficients
        The coefficients of their annotators, as in `agreement`.

    Examples
    --------
    >>> from touchstone import nli
    >>> gold = nli.read_gold([
    ...     {"id": "1", "premise": "A dog runs.", "hypothesis": "An animal runs.", "annotators": ["entailment"] * 3},
    ...     {"id": "2", "premise": "He eats.", "hypothesis": "He sat.", "annotators": ["neutral"] * 2 + ["entailment"]},
    ... ])
    >>> print(nli.set_table(gold, nli.agreement(gold).coefficients))
                       label          the gold
    ──────────────────────────────────────────
    instances          contradiction         0
                       entailment            1
                       neutral               1
                       overall               2
    ──────────────────────────────────────────
    Fleiss κ           contradiction         –
                       entailment        0.250
                       neutral           0.250
                       overall           0.250
    ──────────────────────────────────────────
    human performance                    0.833
    """
    counts = Counter(pair.gold for pair in gold.pairs)
    rows: list[list[Cell]] = [["", label, counts[label]] for label in LABELS]
    rows += [["", "overall", len(gold.scored)]]
    rows += [["", label, coefficients[f"kappa.{label}"].value] for label in LABELS]
    rows += [["", "overall", coefficients["kappa"].value], ["human performance", "", coefficients["human"].value]]
    rows[0][0], rows[len(LABELS) + 1][0] = "instances", "Fleiss κ"
    columns = [Column(""), Column("label"), Column(gold.source.stem, "right")]
    return Table(columns, rows, rules={len(LABELS) + 1, 2 * len(LABELS) + 2})


def breakdown_table(breakdown: Results) -> Table:
    """Return the accuracy in each bin of a breakdown; a note names the bins that have no pair.

    Parameters
    ----------
    breakdown
        The result of `breakdown`.

    Examples
    --------
    >>> from touchstone import nli
    >>> gold = nli.read_gold([
    ...     {"id": "1", "premise": "A dog runs.", "hypothesis": "An animal runs.", "label": "entailment"},
    ...     {"id": "2", "premise": "A dog runs.", "hypothesis": "A cat runs.", "label": "contradiction"},
    ... ])
    >>> results = nli.score(gold, {"bert": {"1": "neutral", "2": "contradiction"}}, ["accuracy"])
    >>> len(nli.breakdown_table(nli.breakdown(results, nli.frequency_bins(gold, [gold]))).rows)
    2
    """
    table = breakdown.table()
    filled = {row.group for row in breakdown.rows}
    empty = [name for name in breakdown.group_names if name not in filled]
    return replace(table, notes=[*table.notes, f"no contradictions in: {', '.join(empty)}"]) if empty else table
