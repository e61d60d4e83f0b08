"""The demonstration: the bundled examples of every task, scored, and a report to look at."""

from pathlib import Path
from typing import Annotated

import typer

from touchstone.cli.showing import show_tables


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the reports.")] = Path("touchstone-demo"),
) -> None:
    """Score the bundled examples of every task and write their reports.

    Example: touchstone demo --out reports
    """
    out.mkdir(parents=True, exist_ok=True)
    typer.echo(f"lexsub report: {_lexsub(out)}")


def _lexsub(out: Path) -> Path:
    from touchstone.io.writing import write_text
    from touchstone.report.lexsub import lexsub_page
    from touchstone.report.page import render
    from touchstone.tasks import lexsub

    folder = Path(__file__).parents[1] / "examples" / "lexsub"
    gold = lexsub.read_gold(folder / "demo.gold", source=folder / "demo.xml")
    runs = lexsub.read_runs(sorted(path for path in folder.iterdir() if path.suffix in (".best", ".oot")))
    results = lexsub.score(gold, runs)
    typer.echo(f"Lexical substitution: {len(runs)} systems on {len(gold)} items\n")
    show_tables([results.table()])
    path = out / "lexsub.html"
    write_text(path, render(lexsub_page(results, gold, runs)))
    return path
