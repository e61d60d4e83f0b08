"""The running text of the paper kit: the methods with their sources, and a sentence on the results of each measure."""

from collections.abc import Sequence
from math import isfinite
from typing import Any

from touchstone.base.signature import short_signature
from touchstone.base.tables import listed, number
from touchstone.core.comparison import Comparison
from touchstone.core.comparisons import joint_signature
from touchstone.core.measures import Measures
from touchstone.core.pair_tests import CORRECTION_NAMES
from touchstone.core.pairs import Pair
from touchstone.core.registry import find_task, task_names
from touchstone.core.resampling import interval_heading, is_bounded, level_text
from touchstone.core.results import Results
from touchstone.show.paper_formats import Cite
from touchstone.show.plots import decimals_for
from touchstone.stats import PAIRED_TESTS


def proper_name(results: Results, measure: str) -> str:
    """Return what a paper calls a measure.

    Parameters
    ----------
    results, measure
        The results, and the name of one of their measures.

    Examples
    --------
    >>> import touchstone
    >>> proper_name(touchstone.items.score({"a": {"q1": 1.0}}), "value")
    'value'
    """
    registry = _registry(results)
    return registry.paper_name(measure) if registry else measure


def _registry(results: Results) -> Measures[Any] | None:
    """Return the measures of the task that scored; None of results that no task made."""
    if results.scoring_task is None and results.task not in task_names():
        return None
    return (results.scoring_task or find_task(results.task)).measures


def interval_name(results: Results) -> str:
    """Return what the intervals of values are called."""
    how = results.resampling
    level = level_text(how.level)
    if how.method == "jackknife":
        return f"{level} jackknife t intervals over {how.over}"
    kind = "BCa" if how.method == "bca" else "percentile"
    return f"{level} {kind} bootstrap intervals over {how.over}, {how.draws:,} draws"


def methods(comparisons: Sequence[Comparison]) -> list[str | Cite]:
    """Return the paragraph on the methods: what was scored, under which measures, with which intervals and tests."""
    first = comparisons[0]
    results = first.results
    systems, baselines = ([row.system for row in each] for each in (first.standings, first.baselines))
    text: list[str | Cite] = [
        f"We compare {len(systems)} systems ({listed(systems, most=6)}) on {len(results):,} items",
        *([f", beside a baseline ({', '.join(baselines)}),"] if baselines else []),
        f" with Touchstone {results.signature.get('touchstone', '')}",
        Cite(("touchstone",)),
        ". Systems are scored by ",
    ]
    for index, comparison in enumerate(comparisons):
        text += [_joint(index, len(comparisons)), *_measure(results, comparison.measure)]
    text += [". ", *_intervals(comparisons), *_tests(first)]
    return [*text, f" The signature of the scores is {short_signature(joint_signature(comparisons))}."]


def result_sentences(comparisons: Sequence[Comparison]) -> str:
    """Return sentences for each measure: how the best system compares with all others, and with the next."""
    return " ".join([*map(_result, comparisons), *skipped_sentences(comparisons)])


def skipped_sentences(comparisons: Sequence[Comparison]) -> list[str]:
    """Return a sentence for each system that skipped items: the share, and the value if they were failures."""
    sentences = []
    for comparison in comparisons:
        name = proper_name(comparison.results, comparison.measure)
        for row in (row for row in comparison.standings if row.skipped):
            value = row.if_failed
            bound = (
                f" {number(value)} if these were failures" if value is not None else " not known if these were failures"
            )
            sentences.append(f"{row.system} skips {row.skipped_share} of the items; its {name} would be{bound}.")
    return sentences


def _measure(results: Results, name: str) -> list[str | Cite]:
    """Return a measure with its sources, and its signature where the package that computes it asks for that."""
    registry = _registry(results)
    keys = registry.sources_of(name) if registry else ()
    text: list[str | Cite] = [proper_name(results, name), *([Cite(keys)] if keys else [])]
    quoted = registry.quote(results.measure(name).signature, results.signature) if registry else ""
    return [*text, f" ({quoted})"] if quoted else text


def _joint(index: int, length: int) -> str:
    return "" if index == 0 else " and " if index == length - 1 else ", "


def _intervals(comparisons: Sequence[Comparison]) -> list[str | Cite]:
    """Return how the intervals of values were made: under the jackknife, measures from 0 to 1 have Wilson's form."""
    results = comparisons[0].results
    method = results.resampling.method
    if method == "none":
        return []
    text: list[str | Cite] = [f"Values have {interval_name(results)}"]
    if method == "jackknife":
        text.append(Cite(("miller-1974",)))
        for form, names in _forms(comparisons).items():
            of = f" for {listed(names, most=9)}" if len(names) < len(comparisons) else ""
            form_text, key = FORMS[form]
            text += [f", {form_text}", Cite((key,)), of]
    else:
        text.append(Cite(("efron-tibshirani-1993",)))
    cluster = results.resampling.cluster
    cluster_text = f"; items with the same {cluster} are resampled and swapped as a whole" if cluster else ""
    return [*text, f"{cluster_text}. "]


FORMS = {
    "wilson": ("in Wilson's form for values from 0 to 1", "wilson-1927"),
    "hall": ("corrected for skewness", "hall-1992"),
}
"""The corrections of jackknife intervals, as `docs/statistics.md` explains them, with their sources."""


def _forms(comparisons: Sequence[Comparison]) -> dict[str, list[str]]:
    """Return the measures under each correction; systems may differ in it where one has values above 1."""
    names_by_form: dict[str, list[str]] = {}
    for comparison in comparisons:
        measure = comparison.results.measure(comparison.measure)
        bounded = {
            is_bounded(measure, system.records[measure.name], system.spans.get(measure.name))
            for system in comparison.results.systems
        }
        for form in sorted({True: "wilson", False: "hall"}[each] for each in bounded):
            names_by_form.setdefault(form, []).append(proper_name(comparison.results, comparison.measure))
    return names_by_form


def _tests(comparison: Comparison) -> list[str | Cite]:
    pairs = len(comparison.pairs)
    sources = [test.source for name, test in PAIRED_TESTS.items() if comparison.test.startswith(f"paired {name} test")]
    text: list[str | Cite] = [
        f"Differences between systems are tested on the same items by a {comparison.test}",
        *(Cite((source,)) for source in sources),
    ]
    if pairs == 1:
        return [*text, "."]
    return [
        *text,
        f", and p values are adjusted for {pairs:,} pairs by the method of {CORRECTION_NAMES[comparison.correction]}",
        Cite(("holm-1979" if comparison.correction == "holm" else "benjamini-hochberg-1995",)),
        ". Letters mark systems that do not differ at the level of 0.05",
        Cite(("piepho-2004",)),
        ".",
    ]


def _result(comparison: Comparison) -> str:
    """Return how the best system compares with the next under a measure, and with the others."""
    best, second, *_ = comparison.standings
    pair = comparison.pair(best.system, second.system)
    decimals = decimals_for(row.value for row in comparison.standings)
    ends = ""
    if isfinite(pair.low):
        heading = interval_heading(comparison.results.resampling.level)
        ends = f"{heading} {number(pair.low, decimals)} to {number(pair.high, decimals)}; "
    name = proper_name(comparison.results, comparison.measure)
    of = {row.system: f"{row.system} ({number(row.value, decimals)})" for row in (best, second)}
    size = f"the difference is {number(pair.difference, decimals)} ({ends}{_chance(pair, comparison)})"
    leader = comparison.leader
    if len(comparison.standings) == 2 and leader.tied_with:
        return f"Under {name}, {of[best.system]} and {of[second.system]} do not differ significantly: {size}."
    relations = {
        "is significantly better than": leader.ahead_of,
        "is significantly worse than": leader.ahead_of_it,
        "does not differ significantly from": leader.tied_with,
    }
    parts = [f"{how} {listed([of.get(name, name) for name in names], 6)}" for how, names in relations.items() if names]
    if len(comparison.standings) > 2:
        size = size.replace("the difference is", f"the difference from {second.system} is", 1)
    return f"Under {name}, {of[best.system]} {' and '.join(parts)}: {size}."


def _chance(pair: Pair, comparison: Comparison) -> str:
    if not isfinite(pair.p_adjusted):
        return "not tested"
    p = "p < 0.001" if pair.p_adjusted < 0.001 else f"p = {number(pair.p_adjusted)}"
    many = len(comparison.pairs) > 1
    return (
        f"{p}, {CORRECTION_NAMES[comparison.correction]} correction for {len(comparison.pairs):,} pairs" if many else p
    )
