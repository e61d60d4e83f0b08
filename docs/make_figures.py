"""Draw the figures of the documentation from the bundled examples: ``python docs/make_figures.py``.

They are the figures of the report, not drawings of their own. The same examples give the same bytes, so a figure
changes in a commit only when what it shows has changed.
"""

from pathlib import Path

import touchstone
from touchstone import lexsub
from touchstone.io.writing import write_text
from touchstone.report.lexsub import cumulative_figure
from touchstone.report.page import Figure, Section
from touchstone.report.results import comparison_section, summary_section
from touchstone.report.svg import Svg

EXAMPLES = Path(touchstone.__file__).parent / "examples" / "lexsub"
FIGURES = Path(__file__).parent / "figures"

MEASURES = ("R", "F", "rank@10")
"""Three measures under which the example systems come out in different orders."""

ITEM = "3"
"""An item whose heaviest answer comes second in the list: the figure shows what that costs."""


def main() -> None:
    """Write every figure."""
    gold = lexsub.read_gold(EXAMPLES / "demo.gold", source=EXAMPLES / "demo.xml")
    runs = lexsub.read_runs(sorted(path for path in EXAMPLES.iterdir() if path.suffix in (".best", ".oot")))
    results = lexsub.score(gold, runs, MEASURES)
    FIGURES.mkdir(exist_ok=True)
    drawn = {
        "scores": first_figure(summary_section(results)),
        "comparison": first_figure(comparison_section([touchstone.compare(results, "F(k=1)")])),
        "explain": cumulative_figure(lexsub.explain(gold, runs[0], ITEM)),
    }
    for name, svg in drawn.items():
        write_text(FIGURES / f"{name}.svg", svg)


def first_figure(section: Section) -> Svg:
    """Return the first drawing of a section of the report."""
    return next(block.svg for block in section.blocks if isinstance(block, Figure))


if __name__ == "__main__":
    main()
