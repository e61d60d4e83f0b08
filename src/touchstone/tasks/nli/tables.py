"""Tables that only inference has: in the form of the paper's, in percent, the majority class always in sight."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from touchstone.core.comparison import Comparison
from touchstone.core.errors import TouchstoneError
from touchstone.core.results import Results, Row
from touchstone.core.tables import Cell, Column, Table, number, p_text
from touchstone.stats import affordable_draws, cluster_records, folded, percentile, resampled_sums
from touchstone.stats.paired import mcnemar
from touchstone.tasks.nli.agreeing import ReaderAgreement
from touchstone.tasks.nli.baseline import Baseline
from touchstone.tasks.nli.measures import ALL
from touchstone.tasks.nli.model import LABELS, OTHER, PairSet
from touchstone.tasks.nli.scoring import MAJORITY

BELOW = "below the majority class"


def set_table(pairs: PairSet, agreement: ReaderAgreement) -> Table:
    """Return the statistics of a set: pairs by label, kappa by label, human performance (paper, Table 2)."""
    golds = Counter(pair.gold for pair in pairs.pairs)
    found = agreement.overall
    rows: list[list[Cell]] = [["", label, golds[label]] for label in LABELS]
    rows += [["", "overall", len(pairs.scored)]]
    rows += [["", label, found[f"kappa.{label}"].value] for label in LABELS]
    rows += [["", "overall", found["kappa"].value], ["human performance", "", f"{percent(found['human'].value)}%"]]
    rows[0][0], rows[len(LABELS) + 1][0] = "instances", "Fleiss κ"
    columns = [Column(""), Column("label"), Column(pairs.source.stem, "right")]
    return Table(columns, rows, rules={len(LABELS) + 1, 2 * len(LABELS) + 2})


def score_table(results: Results) -> Table:
    """Return every measure of each system in percent, best accuracy first, with the count of ``other``."""
    overall = [row for row in results.rows if row.group is None]
    cells = {(row.system, row.measure): row for row in overall}
    names = [measure.name for measure in results.measures]
    with_intervals = results.resampling.method != "none"
    columns = [Column("system")]
    for name in names:
        columns.append(Column(short(name), "right"))
        columns += (
            [Column(f"{results.resampling.level:.0%} interval", "right")] if name in ALL[:2] and with_intervals else []
        )
    columns += [Column(OTHER, "right"), Column("n", "right")]
    systems = sorted(results.systems, key=lambda one: -cells[one.system, names[0]].value)
    rows: list[list[Cell]] = []
    for one in systems:
        row: list[Cell] = [one.system]
        for name in names:
            found = cells[one.system, name]
            row.append(percent(found.value))
            row += [percents(found)] if name in ALL[:2] and with_intervals else []
        others = one.facts.column("prediction").to_pylist().count(OTHER)
        rows.append([*row, others, cells[one.system, names[0]].n])
    return Table(columns, rows, notes=_flags(results, cells))


def group_table(results: Results, measure: str = "accuracy") -> Table:
    """Return one measure of each system in each group of pairs, a group to a row (paper, Table 4)."""
    if results.by is None:
        raise TouchstoneError("these results have no groups", hint="score with by, such as category")
    found = {(row.system, row.group): row for row in results.rows if row.measure == measure}
    groups = [*results.group_names] or [group for _, group in found if group is not None]
    with_intervals = results.resampling.method != "none"
    systems = [one.system for one in results.systems]
    columns = [Column(results.by), *(Column(name, "right") for name in ("n", "C/E/N"))]
    for system in systems:
        columns.append(Column(system, "right"))
        columns += [Column(f"{results.resampling.level:.0%}", "right")] if with_intervals else []
    rows = [
        _group_row(results, group, [found.get((system, group)) for system in systems], with_intervals)
        for group in [*dict.fromkeys(groups), None]
    ]
    return Table(columns, rows, title=f"{short(measure)} by {results.by}, in percent", rules={len(rows) - 1})


def discordant(comparison: Comparison) -> list[dict[str, object]]:
    """Return how many items only one of two systems gets right, and McNemar's test of that; none but for accuracy."""
    return [
        {"a": pair.a, "b": pair.b, "only_a": pair.wins, "only_b": pair.losses, "p": mcnemar(pair.wins, pair.losses)}
        for pair in comparison.pairs
        if comparison.measure == "accuracy"
    ]


def discordant_table(comparison: Comparison) -> Table:
    """Return the items that only one of two systems gets right, with McNemar's test beside the one that decides."""
    unit = comparison.results.resampling.cluster or "pair"
    heads = ("only first right", "only second right", "McNemar p", f"p by {unit}", f"p ({comparison.correction})")
    rows: list[list[Cell]] = []
    for pair in comparison.pairs:
        chances = mcnemar(pair.wins, pair.losses), pair.p, pair.p_adjusted
        rows.append([f"{pair.a} – {pair.b}", pair.wins, pair.losses, *map(p_text, chances)])
    note = f"McNemar's exact test takes pairs as independent; the test by {unit} decides"
    return Table([Column("pair"), *(Column(head, "right") for head in heads)], rows, notes=[note])


def rules_table(baseline: Baseline) -> Table:
    """Return which rule decided how many pairs, what it said, and how often that is the gold label."""
    counts: dict[tuple[str, str], list[int]] = {}
    for pair, decision in zip(baseline.pairs.pairs, baseline.decisions, strict=True):
        entry = counts.setdefault((decision.because, decision.label), [0, 0, 0])
        right = pair.gold == decision.label
        for place, more in enumerate((1, right, pair.gold is not None)):
            entry[place] += more
    rows: list[list[Cell]] = [
        [rule, label, n, right, percent(right / held) if held else None]
        for (rule, label), (n, right, held) in sorted(counts.items(), key=lambda item: -item[1][0])
    ]
    heads = ("pairs", "right", "%")
    return Table([Column("rule"), Column("label"), *(Column(head, "right") for head in heads)], rows)


def drop_table(original: Results, challenge: Results) -> Table:
    """Return accuracy on an original test set, on the challenge set, and the drop between them (paper, Table 3).

    The drop is challenge minus original, negative where accuracy is lost; its interval draws both sets apart.
    """
    both = [one.system for one in challenge.systems if one.system in {two.system for two in original.systems}]
    if not both:
        raise TouchstoneError("no system was scored on both sets", hint="give a system the same name on both")
    columns = [Column("system"), Column("original", "right"), Column("challenge", "right"), Column("Δ", "right")]
    rows: list[list[Cell]] = []
    for system in both:
        old, new = (results.row(system, "accuracy").value for results in (original, challenge))
        apart = _accuracies(challenge, system, seed=1) - _accuracies(original, system)
        ends = percentile(apart, challenge.resampling.level)
        interval = f"{number(100 * ends.low, 1)} to {number(100 * ends.high, 1)}"
        rows.append([system, percent(old), percent(new), number(100 * (new - old), 1), interval])
    columns.append(Column(f"{challenge.resampling.level:.0%} interval", "right"))
    return Table(columns, rows, notes=["accuracy in percent; Δ is challenge minus original"])


def percent(value: float) -> str:
    """Return a share in percent with one decimal, as the paper prints it.

    >>> percent(7082 / 8193)
    '86.4'
    """
    return number(100 * value, 1)


def percents(row: Row) -> str:
    """Return the interval of a share in percent; nothing where there is none."""
    return "" if np.isnan(row.low) else f"{percent(row.low)}–{percent(row.high)}"


def short(measure: str) -> str:
    """Return a measure's name as a heading.

    >>> short("recall.contradiction"), short("accuracy/similarity"), short("macro_f1")
    ('recall C', 'accuracy', 'macro-F1')
    """
    name, _, label = measure.partition("/")[0].partition(".")
    return f"{name} {label[0].upper()}" if label else name.replace("_f1", "-F1")


def _group_row(results: Results, group: str | None, found: Sequence[Row | None], with_intervals: bool) -> list[Cell]:
    members = _golds(results, group)
    cells: list[Cell] = [group or "all", sum(members), "/".join(map(str, members))]
    for row in found:
        cells.append(percent(row.value) if row else None)
        cells += [percents(row) if row else None] if with_intervals else []
    return cells


def _golds(results: Results, group: str | None) -> list[int]:
    """Return how many pairs of a group have each gold label."""
    known = results.items_known
    golds = known.column("gold").to_pylist()
    values = known.column(results.by).to_pylist() if group is not None else [None] * len(golds)
    counts = Counter(
        gold for gold, value in zip(golds, values, strict=True) if group is None or (value or "?") == group
    )
    return [counts[label] for label in LABELS]


def _flags(results: Results, cells: dict[tuple[str, str], Row]) -> list[str]:
    if (MAJORITY, "accuracy") not in cells:
        return []
    least = cells[MAJORITY, "accuracy"].value
    below = [one.system for one in results.systems if cells[one.system, "accuracy"].value < least]
    return [f"{BELOW}: {', '.join(below)}"] if below else []


def _accuracies(results: Results, system: str, seed: int = 0) -> np.ndarray:
    """Return accuracy in each draw of a set's premises."""
    how = results.resampling
    records = next(one for one in results.systems if one.system == system).records["accuracy"]
    units = cluster_records(records, results.clusters)
    sums = resampled_sums(units, draws=affordable_draws(len(units), how.draws), seed=how.seed + seed)
    return folded(results.measure("accuracy").fold, sums)
