"""The report of a generated challenge set: what its pairs are, and what was not used."""

from typing import TYPE_CHECKING

from touchstone.show.page import Paragraph, Section, TableBlock
from touchstone.tasks.nli.set_report import set_sections

if TYPE_CHECKING:
    from touchstone.systems.challenge.generating import Generated

REFUSED = "Replacements and premises that were refused, and candidates that caps and balance left out, by reason."


def generated_sections(generated: "Generated") -> list[Section]:
    """Return the sections of the report: the pairs, what was not used, then what any challenge set has to show."""
    pairs, *others = set_sections(generated.gold_set)
    unused = Section("Not used", "unused", [Paragraph(REFUSED), TableBlock(generated.reasons_table())])
    return [pairs, unused, *others]
