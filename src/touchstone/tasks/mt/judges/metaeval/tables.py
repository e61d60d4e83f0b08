"""Tables of a meta-evaluation in the form of papers: a row for each metric, a column for each group, the average."""

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from touchstone.base.tables import Cell, Column, Table, listed, number, p_text
from touchstone.core.resampling import interval_heading, interval_text

if TYPE_CHECKING:
    from touchstone.tasks.mt.judges.metaeval.model import Criterion, Meta, MetricAgreement

TIES = {
    "discordant": "ties of the metric count as discordant: (C - D - T)/n",
    "skip": "ties of the metric are left out: (C - D)/(C + D)",
    "zero": "ties of the metric count as neither: (C - D)/n",
}

COVERED = {
    "judged": "each system scored on the segments that judges saw of it",
    "all": "each system scored on all segments",
}

Figure = tuple[str, str, str | None]
"""The heading of a column, its statistic and its group."""


def meta_tables(meta: "Meta") -> list[Table]:
    """Return, for each criterion, systems, segments and tests; several criteria side by side before them."""
    tables = [criteria_table(meta)] if len(meta.criteria) > 1 else []
    for criterion in meta.criteria:
        tables += [system_table(meta, criterion), segment_table(meta, criterion)]
        tables += [rated_table(meta, criterion)] if is_rated(criterion) else []
        tables += [wmt_table(meta, criterion)]
        tables += [pairs_table(meta, criterion)] if criterion.tests else []
    return tables


def best_metrics(meta: "Meta") -> list[str]:
    """Return which metrics agree best with judges on systems and on segments, and whether metrics differ."""
    criterion = meta.criteria[0]
    under = f" of {criterion.name}" if len(meta.criteria) > 1 else ""
    systems = _best_metric(meta, criterion, "spearman", "Spearman")
    segments = _best_metric(meta, criterion, f"tau.{meta.ties}", "tau")
    sentences = [f"{systems} with judges{under} on the order of systems", f"{segments} on segments"]
    tests = [test for test in criterion.tests if test.statistic in ("spearman", f"tau.{meta.ties}")]
    clear = sum(test.significant for test in tests)
    if len(meta.measures) > 1:
        differences = f"of {len(tests):,} differences between metrics, {clear or 'none'}"
        sentences[1] += f"; {differences} {'is' if clear == 1 or not clear else 'are'} significant"
    return [f"{sentence}." for sentence in sentences]


def _best_metric(meta: "Meta", criterion: "Criterion", statistic: str, name: str) -> str:
    """Return the metrics with the highest value of a statistic, in words."""
    agreements = [criterion.agreement(measure, statistic, criterion.overall_group) for measure in meta.measures]
    rounded = [number(agreement.value) for agreement in agreements if isfinite(agreement.value)]
    top = max(rounded, key=float, default=None)
    if top is None:
        return f"No metric has a value of {name}"
    best = [agreement for agreement in agreements if number(agreement.value) == top]
    ends = f", {interval_heading(meta.level)} {number(best[0].low)} to {number(best[0].high)}" if len(best) == 1 else ""
    verb = "agrees" if len(best) == 1 else "agree"
    most = " best" if len(best) < len(agreements) else ""
    return f"{listed([agreement.measure for agreement in best])} {verb}{most} ({name} {top}{ends})"


def is_rated(criterion: "Criterion") -> bool:
    """Return whether judges gave scores, with which those of a metric are correlated."""
    return "pearson.pooled" in criterion.statistics


def system_table(meta: "Meta", criterion: "Criterion") -> Table:
    """Return Spearman's rho of scores of systems: each group, the average; beside it Pearson's r and tau-b."""
    figures = _by_group(criterion, "spearman")
    figures += [("Pearson", "pearson", criterion.overall_group), ("tau-b", "kendall", criterion.overall_group)]
    title = f"System level, {criterion.name}: Spearman with {criterion.rule}; {COVERED[meta.scope]}"
    systems = f"systems: {_counted(meta, criterion, 'spearman')}"
    return _table(meta, criterion, figures, title, [systems, *_average_note(criterion)])


def segment_table(meta: "Meta", criterion: "Criterion") -> Table:
    """Return tau under the asked rule for ties in each group, the average; another rule and acc_eq beside it."""
    chosen = f"tau.{meta.ties}"
    figures = _by_group(criterion, chosen)
    other = "discordant" if meta.ties == "skip" else "skip"
    figures += [(other, f"tau.{other}", criterion.overall_group), ("acc_eq", "acc_eq", criterion.overall_group)]
    title = f"Segment level, {criterion.name}: tau, {TIES[meta.ties]}"
    pairs = f"pairs in which judges see a difference: {_counted(meta, criterion, chosen)}"
    right = "acc_eq: share of all pairs, ties of judges included, where metric and judges agree"
    epsilons = f"differences up to ε are ties of the metric in acc_eq: {_epsilons(meta, criterion)}"
    notes = [pairs, f"{other}: {TIES[other]}", right, epsilons]
    return _table(meta, criterion, figures, title, [*notes, *_average_note(criterion)])


LEVELS = {"pooled": "all translations", "by_segment": "by segment", "by_system": "by system"}


def rated_table(meta: "Meta", criterion: "Criterion") -> Table:
    """Return the correlations with scores of translations, averaged over groups: a row for each metric and level."""
    names = {"pearson": "Pearson", "spearman": "Spearman", "kendall": "tau-b"}
    rows, rules = list[list[Cell]](), set()
    for measure in meta.measures:
        rules.add(len(rows))
        for level, heading in LEVELS.items():
            agreements = [criterion.agreement(measure, f"{name}.{level}", criterion.overall_group) for name in names]
            rows.append([measure if level == "pooled" else "", heading, *(agreement.value for agreement in agreements)])
            if any(agreement.interval for agreement in agreements):
                rows.append(["", "", *(agreement.interval for agreement in agreements)])
    columns = [Column("metric"), Column("over"), *(Column(name, "right") for name in names.values())]
    title = f"Segment level, {criterion.name}: correlation with the scores of translations"
    means = "by segment: mean over segments of the correlation among systems; by system: mean over systems"
    return Table(columns, rows, title, [means, *_average_note(criterion)], rules=rules)


WMT_NAMES = {
    "pairwise_accuracy": "pairwise accuracy",
    "spa": "soft pairwise accuracy",
    "acc_eq.by_segment": "acc_eq by segment",
    "acc_eq.pooled": "acc_eq pooled",
}
"""The headings of WMT's statistics."""


def wmt_table(meta: "Meta", criterion: "Criterion") -> Table:
    """Return the statistics of WMT's metrics task, averaged as the task does, each with the rank of its cluster."""
    columns, rows = [Column("metric")], list[list[Cell]]()
    absent: dict[tuple[str, str], list[str]] = {}
    for statistic, name in WMT_NAMES.items():
        columns += [Column(name, "right"), *([Column("rank", "right")] if statistic in criterion.wmt.ranks else [])]
    best = set()
    for measure in meta.measures:
        values: list[Cell] = [measure]
        intervals: list[Cell] = [""]
        for statistic, name in WMT_NAMES.items():
            agreement = criterion.agreement(measure, statistic, criterion.overall_group)
            ranks = criterion.wmt.ranks.get(statistic)
            if ranks is not None and ranks.get(measure) == 1:
                best.add((len(rows), len(values)))
            values += [agreement.value, *([ranks.get(measure)] if ranks is not None else [])]
            intervals += [agreement.interval, *([""] if ranks is not None else [])]
            if agreement.reason:
                absent.setdefault((name, agreement.reason), []).append(measure)
        rows += [values, intervals] if any(intervals) else [values]
    several = len(criterion.groups) > 1
    pooled = ["pairs of systems of all groups are pooled; of the other statistics, averages over groups"] * several
    ranked = "rank: metrics of one rank form a cluster, by PERM-BOTH with p below .05, not corrected"
    every = len(meta.measures)
    notes = [
        f"no {name}{'' if len(some) == every else ' of ' + ', '.join(some)}: {reason}"
        for (name, reason), some in absent.items()
    ]
    return Table(columns, rows, f"WMT's conventions, {criterion.name}", [*pooled, ranked, *notes], best)


def criteria_table(meta: "Meta") -> Table:
    """Return Spearman's rho under each criterion, averaged over groups, and the plain mean of the criteria."""
    rows: list[list[Cell]] = []
    for measure in meta.measures:
        agreements = [criterion.agreement(measure, "spearman", criterion.overall_group) for criterion in meta.criteria]
        values = [agreement.value for agreement in agreements]
        rows.append([measure, *values, float(np.mean(values))])
        rows.append(["", *(agreement.interval for agreement in agreements), ""])
    names = [*(criterion.name for criterion in meta.criteria), "average"]
    columns = [Column("metric"), *(Column(name, "right") for name in names)]
    title = f"System level: Spearman under each criterion; {COVERED[meta.scope]}"
    return Table(columns, rows, title, bold=_best(rows, len(names)))


def pairs_table(meta: "Meta", criterion: "Criterion") -> Table:
    """Return every pair of metrics: the difference of their averages, its interval, p raw and adjusted by Holm."""
    heads = ("difference", interval_heading(meta.level), "p", "p (holm)")
    rows: list[list[Cell]] = []
    bold, rules = set(), set()
    for row, test in enumerate(criterion.tests):
        new = row == 0 or criterion.tests[row - 1].statistic != test.statistic
        rules |= {row} if new else set()
        bold |= {(row, 5)} if test.significant else set()
        ends = interval_text(test.low, test.high)
        chances = p_text(test.p), p_text(test.p_adjusted)
        name = test.statistic if new else ""
        rows.append([name, f"{test.a} – {test.b}", number(test.difference), ends, *chances, test.swapped])
    columns = [Column("statistic"), Column("metrics"), *(Column(head, "right") for head in heads), Column("swapped")]
    over = ": averages over groups" if len(criterion.groups) > 1 else ""
    title = f"Tests between metrics, {criterion.name}{over}"
    return Table(columns, rows, title, [meta.signature["tests"]], bold, rules)


BESIDE = 4
"""Metrics in a table of systems: more would not fit a page."""


def human_tables(meta: "Meta", criterion: "Criterion") -> list[Table]:
    """Return the systems of each group with their value for judges, and the score of each metric, a few at a time."""
    parts = [meta.measures[at : at + BESIDE] for at in range(0, len(meta.measures), BESIDE)]
    return [_human_table(meta, criterion, some) for some in parts]


def _human_table(meta: "Meta", criterion: "Criterion", measures: Sequence[str]) -> Table:
    heads = (rule_with_direction(criterion), interval_heading(meta.level), "segments", *measures)
    rows: list[list[Cell]] = []
    rules = set()
    for row, standing in enumerate(criterion.standings):
        new = row == 0 or criterion.standings[row - 1].group != standing.group
        rules |= {row} if new else set()
        scores = [standing.scores[measure] for measure in measures]
        ends = interval_text(standing.low, standing.high)
        rows.append(
            [standing.group if new else "", standing.system, standing.human, ends, standing.judgements, *scores]
        )
    columns = [Column("group"), Column("system"), *(Column(head, "right") for head in heads)]
    return Table(columns, rows, f"Systems, {criterion.name}: the best for judges first", rules=rules)


def rule_with_direction(criterion: "Criterion") -> str:
    """Return what the value of a system is for judges, in words."""
    return f"{criterion.rule}{', lower is better' * criterion.lower_is_better}"


def _table(meta: "Meta", criterion: "Criterion", figures: Sequence[Figure], title: str, notes: Sequence[str]) -> Table:
    """Return a row of values and a row of intervals for each metric, the best of each column in bold."""
    rows: list[list[Cell]] = []
    reasons = []
    for measure in meta.measures:
        agreements = [criterion.agreement(measure, statistic, group) for _, statistic, group in figures]
        rows.append([measure, *(agreement.value for agreement in agreements)])
        if any(agreement.interval for agreement in agreements):
            rows.append(["", *(agreement.interval for agreement in agreements)])
        reasons += [f"{measure}: {_reason_note(agreement)}" for agreement in agreements if agreement.reason]
    columns = [Column("metric"), *(Column(head, "right") for head, _, _ in figures)]
    return Table(columns, rows, title, [*notes, *dict.fromkeys(reasons)], _best(rows, len(figures)))


def _reason_note(agreement: "MetricAgreement") -> str:
    return f"no {agreement.statistic}{f' in {agreement.group}' if agreement.group else ''}: {agreement.reason}"


def _best(rows: Sequence[Sequence[Cell]], width: int) -> set[tuple[int, int]]:
    """Return the cells with the largest value of their column, where there are several values."""
    best = set()
    for column in range(1, width + 1):
        cells = [(row_number, row[column]) for row_number, row in enumerate(rows)]
        numbers = {row_number: value for row_number, value in cells if isinstance(value, float) and np.isfinite(value)}
        if len(numbers) > 1:
            best |= {(row_number, column) for row_number, value in numbers.items() if value == max(numbers.values())}
    return best


def _by_group(criterion: "Criterion", statistic: str) -> list[Figure]:
    """Return the columns of a statistic: one for each group, and their average where there are several."""
    groups: list[Figure] = [(group, statistic, group) for group in criterion.groups]
    return [*groups, ("average", statistic, None)] if len(groups) > 1 else groups


def _counted(meta: "Meta", criterion: "Criterion", statistic: str) -> str:
    counts = {group: criterion.agreement(meta.measures[0], statistic, group).n for group in criterion.groups}
    return ", ".join(f"{group} {count:,}" for group, count in counts.items())


def _average_note(criterion: "Criterion") -> list[str]:
    return ["columns to the right of the average are averages over groups too"] if len(criterion.groups) > 1 else []


def _epsilons(meta: "Meta", criterion: "Criterion") -> str:
    """Return the ε of each metric: one for each group, two where each half was calibrated on the other."""
    texts = []
    for measure in meta.measures:
        epsilons = [criterion.epsilons[measure, group] for group in criterion.groups]
        texts.append(f"{measure} {', '.join('/'.join(f'{value:.3g}' for value in of_group) for of_group in epsilons)}")
    return "; ".join(texts)
