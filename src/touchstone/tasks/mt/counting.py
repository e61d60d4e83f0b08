"""Why a segment has its BLEU, chrF or TER: the counts that sacrebleu makes of it, as a table."""

from typing import TYPE_CHECKING, Any

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.base.tables import Cell, Column, Table, number

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric


def bleu_tables(
    record: Floats, precisions: Floats, brevity: float, method: str, metric: "Metric", hypothesis: str
) -> list[Table]:
    """Return the matches of each order with the precision, and each n-gram that matched.

    Parameters
    ----------
    record
        System length, reference length, matches and n-grams of each order, and whether the segment counts.
    precisions
        The precision of each order in percent, smoothed; those that count.
    brevity
        The brevity penalty.
    method
        How precisions are smoothed.
    metric
        The metric of sacrebleu, with the references of the segment.
    hypothesis
        The translation.
    """
    orders = (len(record) - 3) // 2
    matches, totals = record[2 : 2 + orders], record[2 + orders : -1]
    rows: list[list[Cell]] = [
        [_order(n), int(matches[n - 1]), int(totals[n - 1]), precisions[n - 1] / 100 if n <= len(precisions) else None]
        for n in range(1, orders + 1)
    ]
    columns = [Column("n-grams"), *(Column(head, "right") for head in ("matched", "system", "precision"))]
    system, reference = map(int, record[:2])
    notes = [
        f"brevity penalty {number(brevity)}: {system:,} words, where the reference has {reference:,}",
        "the value is the brevity penalty times the geometric mean of the precisions",
    ]
    if not matches.any():
        notes[1] = "the value is 0, since no word matches"
    elif method == "add-k":
        notes.append("precisions of more than one word are smoothed (add-k)")
    elif method != "none" and not matches[: len(precisions)].all():
        notes.append(f"the precision of an order without a match is smoothed ({method})")
    if len(precisions) < orders:
        notes.append("orders for which the segment is too short are left out")
    return [Table(columns, rows, notes=notes), _matched_table(metric, hypothesis)]


def _matched_table(metric: Any, hypothesis: str) -> Table:  # noqa: ANN401 (a metric of sacrebleu)
    """Return the n-grams that the translation shares with a reference: the smaller of both counts is counted."""
    from sacrebleu.metrics.helpers import extract_all_word_ngrams

    [reference] = metric._ref_cache
    reference_counts = reference["ref_ngrams"]
    system_counts, _ = extract_all_word_ngrams(metric._preprocess_segment(hypothesis), 1, metric.max_ngram_order)
    rows: list[list[Cell]] = [
        [_order(len(words)), " ".join(words), count, reference_counts[words], min(count, reference_counts[words])]
        for words, count in system_counts.items()
        if words in reference_counts
    ]
    heads = ("system", "reference", "counted")
    return Table([Column("n-grams"), Column("matched"), *(Column(head, "right") for head in heads)], rows)


def chrf_table(record: Floats, characters: int, beta: float, *, epsilon: bool, references: int) -> Table:
    """Return the matches of each order of characters and words, with precision and recall.

    Parameters
    ----------
    record
        System n-grams, reference n-grams and matches of each order, and whether the segment counts.
    characters
        How many orders are of characters; the others are of words.
    beta
        How much more recall weighs than precision.
    epsilon
        Whether F is averaged over all orders.
    references
        How many references the segment has.
    """
    rows: list[list[Cell]] = []
    shares = []
    for order, (system, reference, matches) in enumerate(record[:-1].reshape(-1, 3), 1):
        name = _order(order, "character") if order <= characters else _order(order - characters, "word")
        both = system > 0 and reference > 0
        shares += [(matches / system, matches / reference)] if both else []
        rows.append([name, *map(int, (matches, system, reference)), *(shares[-1] if both else (None, None))])
    means = np.mean(shares, axis=0).tolist() if shares else (None, None)
    rows.append(["mean", None, None, None, *means])
    heads = ("matched", "system", "reference", "precision", "recall")
    what = "the mean over orders of F" if epsilon else "F of the mean precision and recall"
    notes = [f"the value is {what}, in which recall weighs {beta:g} times as much"]
    notes += ["counts are those with the reference that gives the highest value"] if references > 1 else []
    columns = [Column("n-grams"), *(Column(head, "right") for head in heads)]
    return Table(columns, rows, notes=notes, rules={len(rows) - 1})


def ter_table(record: Floats) -> Table:
    """Return the edits and the length of the references.

    Parameters
    ----------
    record
        Edits, the mean length of the references, and whether the segment counts.
    """
    columns = [Column("edits", "right"), Column("words of the reference", "right")]
    notes = ["edits are insertions, deletions, replacements and shifts, to the nearest reference"]
    return Table(columns, [[int(record[0]), number(record[1], 1)]], notes=notes)


def _order(n: int, of: str = "word") -> str:
    return f"{n} {of}{'s' * (n > 1)}"
