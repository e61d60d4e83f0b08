"""The report on estimates from few human scores and many of a judge: systems, pairs, and how much people scored."""

from collections.abc import Sequence

from touchstone.core.estimates import Estimates, all_notes
from touchstone.report import figures
from touchstone.report.figures import Estimate
from touchstone.report.page import Block, Figure, Page, Paragraph, Section, TableBlock

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
    subtitle = f"{', '.join(entry.measure for entry in estimates)} of {systems} system{'s' * (systems > 1)}"
    version = first.signature.get("touchstone", "")
    title = "Few human scores, many of a judge"
    return Page(title, sections, subtitle, first.signature, f"touchstone {version}")


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
    return Paragraph(f"{sentence[:1].upper()}{sentence[1:]}.")
