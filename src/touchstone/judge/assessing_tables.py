"""What was found of a judge, as tables, sentences and plain data."""

from collections.abc import Sequence

import numpy as np

from touchstone.base.notes import WARNING
from touchstone.base.tables import Cell, Column, Table, number, p_text
from touchstone.core.comparison import Comparison
from touchstone.core.resampling import interval_heading, interval_text
from touchstone.judge.assessing import Bias, Judging, Swap
from touchstone.stats.intervals import Interval

NAMES = {"alpha": "Krippendorff's alpha", "pearson": "Pearson's r", "spearman": "Spearman's rho"}

SHOWN = 20
"""Pairs of systems that change places and are listed in a table."""

ROUNDING = 1e-9
"""A bias below this is 0: scores that were rescaled to the mean of people's differ from it by rounding alone."""


def tables(judging: Judging) -> list[Table]:
    """Return all tables, the agreement first; what the outputs cannot show has none."""
    shown = [agreement_table(judging), bias_table(judging), calibration_table(judging)]
    shown += [pairs_table(judging)] if judging.pairs else []
    shown += [ranking_table(judging)] if judging.by_people else []
    return [*shown, *([swaps_table(judging)] if judging.swaps else [])]


def agreement_table(judging: Judging) -> Table:
    """Return the judge's agreement with people, beside that among people where it is known."""
    level = interval_heading(judging.resampling.level)
    heads = ["judge", level, *(["people", level, "judge − people", level] if judging.annotators else []), "outputs"]
    rows: list[list[Cell]] = []
    for one in judging.agreement:
        row: list[Cell] = [NAMES[one.name], one.judge_value, _ends(one.judge)]
        if judging.annotators:
            row += [one.people_value, _ends(one.people), number(one.difference_value), _ends(one.difference)]
        rows.append([*row, one.outputs])
    with_people = "; people: agreement of one person with the others, on the same outputs" if judging.annotators else ""
    how = f"jackknife t over {judging.resampling.over}, of coefficients on Fisher's scale"
    note = f"judge: agreement of the judge with people{with_people}; intervals: {how}"
    return Table([Column("agreement"), *_right(heads)], rows, _title(judging, "agreement"), [note])


def bias_table(judging: Judging) -> Table:
    """Return how much more than people the judge gives, level by level, each level against the rest."""
    whole, *levels = judging.biases
    level = interval_heading(judging.resampling.level)
    heads = ["n", "people", "judge", "bias", "against the rest", level, "p (holm)"]
    rows: list[list[Cell]] = [
        ["", whole.level, whole.n, whole.human, whole.judge, whole.bias, "", "", ""],
    ]
    rules, before = set(), None
    for one in levels:
        rules |= {len(rows)} if one.field != before else set()
        shown = one.field if one.field != before else ""
        before = one.field
        sizes = one.n, one.human, one.judge, one.bias, number(one.against_rest)
        p = "" if np.isnan(one.p) else p_text(one.p_adjusted)
        rows.append([shown, one.level, *sizes, interval_text(one.low, one.high), p])
    bold = {(row, len(heads) + 1) for row, one in enumerate(levels, 1) if one.significant}
    columns = [Column("field"), Column("level"), *_right(heads)]
    return Table(columns, rows, _title(judging, "bias"), _bias_notes(whole, levels, judging), bold, rules)


def _bias_notes(whole: Bias, levels: Sequence[Bias], judging: Judging) -> list[str]:
    ends = interval_text(whole.low, whole.high) or whole.note
    notes = [f"bias: judge minus people; over all outputs {number(whole.bias)} ({ends})"]
    if levels:
        method = f"jackknife t over {judging.resampling.over}, p adjusted over {len(levels):,} levels by Holm"
        notes.append(f"against the rest: bias on this level minus bias on all others; {method}")
    return [*notes, *_interval_notes([one.note for one in levels], judging)]


def _interval_notes(notes: Sequence[str | None], judging: Judging) -> list[str]:
    """Return how many intervals are missing or rough, in a sentence each."""
    given = [note for note in notes if note]
    missing = sum(note.startswith("no interval") for note in given)
    rough, over = len(given) - missing, judging.resampling.over
    said = [f"rows without an interval, for too few {over} or no variation: {missing:,}"] if missing else []
    return [*said, *([f"rows with a rough interval, for few {over}: {rough:,}"] if rough else [])]


def calibration_table(judging: Judging) -> Table:
    """Return the mean score by people of outputs that the judge scores alike."""
    rows: list[list[Cell]] = [
        [
            _span(one.lowest, one.highest),
            one.n,
            one.judge,
            one.human,
            _ends(one.interval),
            number(one.human - one.judge),
        ]
        for one in judging.calibration
    ]
    heads = ["outputs", "judge", "people", interval_heading(judging.resampling.level), "people − judge"]
    notes = _interval_notes([one.interval.note for one in judging.calibration], judging)
    return Table([Column("judge from – to"), *_right(heads)], rows, _title(judging, "calibration"), notes)


def pairs_table(judging: Judging) -> Table:
    """Return how often the judge orders two outputs for one item as people do."""
    rows: list[list[Cell]] = [
        ["any" if place == 0 else _span(one.least, one.most), one.pairs, one.ties, one.value, _ends(one.interval)]
        for place, one in enumerate(judging.pairs)
    ]
    heads = ["pairs", "ties of the judge", "accuracy", interval_heading(judging.resampling.level)]
    notes = ["pairs of outputs for one item that people score differently; a tie of the judge counts half"]
    notes += _interval_notes([one.interval.note for one in judging.pairs], judging)
    columns = [Column("difference for people"), *_right(heads)]
    return Table(columns, rows, _title(judging, "pairs that people score differently"), notes, rules={1})


def ranking_table(judging: Judging) -> Table:
    """Return the systems in the order of people, with their rank for people and for the judge."""
    if judging.by_people is None or judging.by_judge is None:
        raise ValueError("one system has no rank")
    people, judge = _value_ranks(judging.by_people), _value_ranks(judging.by_judge)
    judged = {row.system: row for row in judging.by_judge.standings}
    level = interval_heading(judging.resampling.level)
    rows: list[list[Cell]] = []
    for row in judging.by_people.standings:
        other, ranks = judged[row.system], (people[row.system], judge[row.system])
        rows.append([*ranks, row.system, row.value, row.interval, other.value, other.interval, row.n])
    bold = {(row, 1) for row, cells in enumerate(rows) if cells[0] != cells[1]}
    heads = ["people", level, "judge", level, "outputs"]
    notes = [_swapped(judging), *([judging.ranked_on.removeprefix(WARNING)] if judging.ranked_on else [])]
    columns = [Column("by people", "right"), Column("by judge", "right"), Column("system"), *_right(heads)]
    return Table(columns, rows, _title(judging, "ranking"), notes, bold)


def _value_ranks(comparison: Comparison) -> dict[str, int]:
    """Return the rank of each system by its value; equal values share one."""
    rows = comparison.standings
    first = {row.value: place for place, row in reversed(list(enumerate(rows, 1)))}
    return {row.system: first[row.value] for row in rows}


def swaps_table(judging: Judging) -> Table:
    """Return the pairs of systems that the judge ranks the other way round."""
    level = interval_heading(judging.resampling.level)
    swaps = sorted(judging.swaps, key=lambda one: (not one.told_apart, -abs(one.human)))
    rows: list[list[Cell]] = [
        [
            f"{one.a} – {one.b}",
            number(one.human),
            interval_text(*one.human_interval),
            number(one.judge),
            interval_text(*one.judge_interval),
            "yes" if one.told_apart else "no",
        ]
        for one in swaps[:SHOWN]
    ]
    heads = ["people", level, "judge", level]
    columns = [Column("pair"), *_right(heads), Column("significant for people")]
    bold = {(row, 5) for row, one in enumerate(swaps[:SHOWN]) if one.told_apart}
    notes = ["differences are the first system minus the second; significant: after Holm over all pairs"]
    notes += [f"… and {len(swaps) - SHOWN:,} more, which --json lists"] if len(swaps) > SHOWN else []
    return Table(columns, rows, _title(judging, "pairs that the judge reverses"), notes, bold)


def sentences(judging: Judging) -> list[str]:
    """Return the findings in a few sentences, for those who read no tables."""
    alpha = judging.agreement[0]
    said = [f"the judge agrees with people with alpha {number(alpha.judge_value)}{_bracketed(alpha.judge)}"]
    if judging.annotators:
        said[0] += f"; people with each other with {number(alpha.people_value)}{_bracketed(alpha.people)}"
    said += [*_whole_bias_sentences(judging), *_bias_sentences(judging)]
    if judging.pairs:
        pairs = judging.pairs[0]
        share = f"{number(pairs.value)}{_bracketed(pairs.interval)}"
        said.append(f"of {pairs.pairs:,} pairs of outputs that people score differently, it orders {share} as they do")
    return [*said, *([_swapped(judging)] if judging.by_people else [])]


def _whole_bias_sentences(judging: Judging) -> list[str]:
    """Return how much more or less than people the judge gives; nothing where it is 0, as after rescaling."""
    whole = judging.biases[0]
    if not abs(whole.bias) > ROUNDING:
        return []
    higher = whole.bias > 0
    ends = interval_text(*((whole.low, whole.high) if higher else (-whole.high, -whole.low)))
    chance = ", which may be chance" if whole.low <= 0 <= whole.high else ""
    size = f"{number(abs(whole.bias))}{f' ({ends})' if ends else ''}"
    return [f"over all outputs it scores {size} {'higher' if higher else 'lower'} than people{chance}"]


def _bias_sentences(judging: Judging) -> list[str]:
    tested = [one for one in judging.biases[1:] if not np.isnan(one.p)]
    found = sorted((one for one in tested if one.significant), key=lambda one: -abs(one.against_rest))
    if not tested:
        return []
    if not found:
        return [f"no bias by {_fields(tested)} is significant ({len(tested):,} levels, Holm)"]
    more, less = ("underrates", "favours") if judging.lower_is_better else ("favours", "underrates")
    ways = [
        f"{more if one.against_rest > 0 else less} {one.field} {one.level} by {number(abs(one.against_rest))}"
        for one in found
    ]
    return [f"compared with the rest, it {', '.join(ways[:5])}{f' and {len(ways) - 5} more' if len(ways) > 5 else ''}"]


def _fields(biases: Sequence[Bias]) -> str:
    return ", ".join(dict.fromkeys(str(one.field) for one in biases))


def _swapped(judging: Judging) -> str:
    """Return how many pairs of systems the judge reverses, and how many of those that differ for people."""
    pairs = judging.by_people.pairs if judging.by_people else ()
    apart, swaps = sum(pair.significant for pair in pairs), judging.swaps
    wrong = sum(swap.told_apart for swap in swaps)
    all_pairs = f"the judge reverses {len(swaps):,} of {len(pairs):,} pairs of systems"
    if not apart:
        return f"{all_pairs}; none differs significantly for people"
    return f"{all_pairs}, {wrong:,} of {apart:,} among those that differ significantly for people"


def to_dict(judging: Judging) -> dict[str, object]:
    """Return all figures, ready for JSON."""
    return {
        "signature": dict(judging.signature),
        "measure": judging.measure,
        "outputs": judging.outputs,
        "agreement": [
            {
                "coefficient": one.name,
                "judge": _estimate(one.judge_value, one.judge),
                "people": _estimate(one.people_value, one.people),
                "difference": _estimate(one.difference_value, one.difference),
                "outputs": one.outputs,
            }
            for one in judging.agreement
        ],
        "bias": [{**vars(one), "bias": one.bias, "significant": one.significant} for one in judging.biases],
        "calibration": [
            {
                "from": one.lowest,
                "to": one.highest,
                "n": one.n,
                "judge": one.judge,
                "people": _estimate(one.human, one.interval),
            }
            for one in judging.calibration
        ],
        "pairs": [
            {"from": one.least, "to": one.most, "n": one.pairs, "ties": one.ties, **_estimate(one.value, one.interval)}
            for one in judging.pairs
        ],
        "ranking": {
            side: [row.to_dict() for row in found.standings] if found else []
            for side, found in (("people", judging.by_people), ("judge", judging.by_judge))
        },
        "swaps": [_swap(one) for one in judging.swaps],
        "notes": list(judging.notes),
    }


def _swap(one: Swap) -> dict[str, object]:
    sides = {
        name: {"difference": value, "low": ends[0], "high": ends[1]}
        for name, value, ends in (("people", one.human, one.human_interval), ("judge", one.judge, one.judge_interval))
    }
    return {"a": one.a, "b": one.b, **sides, "told_apart": one.told_apart}


def _estimate(value: float, ends: Interval) -> dict[str, object]:
    return {"value": value, "low": ends.low, "high": ends.high}


def _bracketed(ends: Interval) -> str:
    return f" ({_ends(ends)})" if _ends(ends) else ""


def _ends(ends: Interval) -> str:
    return interval_text(ends.low, ends.high)


def _span(low: float, high: float) -> str:
    return number(low) if low == high else f"{number(low)} – {number(high)}"


def _right(heads: Sequence[str]) -> list[Column]:
    return [Column(head, "right") for head in heads]


def _title(judging: Judging, what: str) -> str:
    return f"{judging.measure}: {what}"
