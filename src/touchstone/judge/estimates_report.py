"""The report on estimates from few human scores and many of a judge: systems, pairs, and how much people scored."""

from collections.abc import Iterable, Sequence
from math import isfinite

from touchstone.base.tables import counted, number
from touchstone.core.resampling import interval_heading
from touchstone.judge.estimates import Estimates, all_notes
from touchstone.show import figures
from touchstone.show.figures import Estimate
from touchstone.show.page import Block, Figure, Page, Paragraph, Section, TableBlock
from touchstone.show.plots import decimals_for

WAYS = ("human only", "both")


def estimates_page(estimates: Sequence[Estimates]) -> Page:
    """Return the report: under each measure the systems, the pairs and the sample; then what the columns mean."""
    sections = [section for place, entry in enumerate(estimates) for section in _sections(entry, place)]
    samples = [entry.sample_table() for entry in estimates]
    kept = [table for place, table in enumerate(samples) if table.rows not in [entry.rows for entry in samples[:place]]]
    text = "How many items the judge scored of each system, and how many of them people scored too."
    sections.append(Section("Sample", "sample", [Paragraph(text), *map(TableBlock, kept)]))
    sentences = list(dict.fromkeys(sentence for entry in estimates for sentence in entry.sentences))
    sections.append(Section("How to read this", "reading", [_paragraph(entry) for entry in sentences]))
    if notes := all_notes(estimates):
        sections.append(Section("Notes", "notes", [Paragraph(note) for note in notes]))
    first = estimates[0]
    systems = len(first.systems)
    subtitle = f"{', '.join(entry.measure for entry in estimates)} of {counted(systems, 'system')}"
    version = first.signature.get("touchstone", "")
    title = "Few human scores, many of a judge"
    return Page(title, sections, subtitle, first.signature, f"touchstone {version}", _verdict(first))


def _verdict(one: Estimates) -> list[str]:
    """Return who is ahead by both kinds of scores, and how many human labels the judge's scores are worth."""
    best, *others = (system.system for system in one.systems)
    pair = next((pair for pair in one.pairs if {pair.a, pair.b} == {best, *others[:1]}), None)
    both = pair.both if pair else one.systems[0].both
    sign = -1 if pair and both.value < 0 else 1
    decimals = decimals_for(system.both.value for system in one.systems)
    value, low, high = (number(sign * end, decimals) for end in (both.value, *(both.low, both.high)[::sign]))
    chance = f"; p = {number(pair.p_adjusted)}" if pair else ""
    size = f"{value} of {one.measure} ({interval_heading(one.paired.resampling.level)} {low} to {high}{chance})"
    if pair is None:
        said = f"{best} scores {size}"
    elif pair.significant:
        said = f"{best} is ahead of {others[0]} by {size}"
    else:
        said = f"{best} and {others[0]} cannot be told apart: {best} is ahead by {size}"
    labels = _range(system.labels for system in one.systems)
    worth = _range(round(system.both.effective) for system in one.systems if isfinite(system.both.effective))
    gain = f"With the judge, the {labels} human labels of a system tell as much as {worth} without it."
    return [f"{said}, by human and judge scores together.", *([gain] if worth else [])]


def _range(counts: Iterable[int]) -> str:
    ordered = sorted(counts)
    return " to ".join(f"{end:,}" for end in dict.fromkeys((ordered[0], ordered[-1]))) if ordered else ""


def _sections(one: Estimates, place: int) -> list[Section]:
    """Return the sections of one measure."""
    drawn = figures.intervals(
        [
            Estimate(f"{system.system}, {way}", side.value, side.low, side.high)
            for system in one.systems
            for way, side in zip(WAYS, (system.human, system.both), strict=True)
        ],
        f"{one.measure} by people alone and by both",
    )
    systems: list[Block] = [Figure(drawn, "Each system by people alone, and by both."), TableBlock(one.table())]
    sections = [Section(f"Systems: {one.measure}", f"systems-{place}", systems)]
    if one.pairs:
        sections.append(Section(f"Pairs: {one.measure}", f"pairs-{place}", [TableBlock(one.pairs_table())]))
    return sections


def _paragraph(sentence: str) -> Paragraph:
    return Paragraph(f"{sentence if sentence.startswith('p:') else sentence[:1].upper() + sentence[1:]}.")
