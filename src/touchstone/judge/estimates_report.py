"""The report on estimates from few human scores and many of a judge: systems, pairs, and how much people scored."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from touchstone.show import figures
from touchstone.show.figures import Estimate
from touchstone.show.page import Block, Figure, Paragraph, Section, TableBlock

if TYPE_CHECKING:
    from touchstone.judge.estimates import Estimates

WAYS = ("human only", "both")


def estimates_sections(estimates: Sequence["Estimates"]) -> list[Section]:
    """Return the sections of the report: of each measure the systems and the pairs; the sample; what columns mean.

    Parameters
    ----------
    estimates
        The estimates under each measure.
    """
    sections = [section for index, entry in enumerate(estimates) for section in _sections(entry, index)]
    samples = [entry.sample_table() for entry in estimates]
    differing = [table for n, table in enumerate(samples) if table.rows not in [before.rows for before in samples[:n]]]
    text = "How many items the judge scored of each system, and how many of them people scored too."
    sections.append(Section("Sample", "sample", [Paragraph(text), *map(TableBlock, differing)]))
    explanations = dict.fromkeys(line for entry in estimates for line in entry.reading)
    return [*sections, Section("How to read this", "reading", [_paragraph(line) for line in explanations])]


def _sections(entry: "Estimates", index: int) -> list[Section]:
    """Return the sections of one measure."""
    drawn = figures.intervals(
        [
            Estimate(f"{system.system}, {way}", side.value, side.low, side.high)
            for system in entry.systems
            for way, side in zip(WAYS, (system.human, system.both), strict=True)
        ],
        f"{entry.measure} by people alone and by both",
    )
    systems: list[Block] = [Figure(drawn, "Each system by people alone, and by both."), TableBlock(entry.table())]
    sections = [Section(f"Systems: {entry.measure}", f"systems-{index}", systems)]
    if entry.pairs:
        sections.append(Section(f"Pairs: {entry.measure}", f"pairs-{index}", [TableBlock(entry.pairs_table())]))
    return sections


def _paragraph(sentence: str) -> Paragraph:
    return Paragraph(f"{sentence if sentence.startswith('p:') else sentence[:1].upper() + sentence[1:]}.")
