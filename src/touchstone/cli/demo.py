"""The demonstration: the bundled examples of every task, scored, and a report of each to look at."""

from pathlib import Path
from typing import Annotated, Any

import typer

from touchstone.cli.options import OutputOptions
from touchstone.cli.output import show, working

EXAMPLES = Path(__file__).parents[1] / "examples"

DEMOS: dict[str, tuple[str, tuple[str, ...], dict[str, Any]]] = {
    "lexsub": ("demo.gold", ("careful.best", "careful.oot", "eager.oot", "frequent.oot"), {"source": "demo.xml"}),
    "mt": ("refA.en", ("de-en",), {"ref": ("refB.en",)}),
    "pyramid": ("", (), {}),
    "nli": ("gold.jsonl", ("overlap.jsonl", "careful.jsonl"), {}),
    "items": ("scores.csv", (), {"lower_is_better": ("seconds",)}),
}
"""The gold, the runs and the options of each task's example; files are named inside its folder."""

CLUSTERS = {"items": "document"}
"""The cluster of an example whose task cannot know it."""


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="Folder for the reports.")] = Path(
        "touchstone-demo"
    ),
) -> None:
    """Score the bundled examples of every task and write their reports.

    Example: touchstone demo --out reports
    """
    from touchstone.core.task import TASKS
    from touchstone.io.writing import make_folder

    make_folder(out)
    for name in TASKS:
        _score(name, out / f"{name}.html")
    _judge_metrics(out / "mt-meta.html")


def _score(name: str, path: Path) -> None:
    """Score the example of a task, print its tables and write its report."""
    from touchstone.core.resampling import Resampling
    from touchstone.core.task import find_task
    from touchstone.io.writing import write_text
    from touchstone.report.page import render
    from touchstone.report.results import task_page

    task, folder = find_task(name), EXAMPLES / name
    gold, runs, options = DEMOS[name]
    files = {key: _inside(folder, value) if key in ("source", "ref") else value for key, value in options.items()}
    with working(f"scoring the example of {name}"):
        inputs = task.read(folder / gold, [folder / run for run in runs], **files)
        results = task.score(inputs, resampling=Resampling(cluster=CLUSTERS.get(name)))
        write_text(path, render(task_page(task, inputs, results)))
    typer.echo(f"{task.title}: {len(inputs.runs)} systems, {len(results):,} item{'s' * (len(results) != 1)}\n")
    show(OutputOptions(quiet=True), [results.table()], results.to_dict)
    typer.echo(f"{name} report: {path}\n")


def _inside(folder: Path, value: Any) -> Any:  # noqa: ANN401 (a file name, or several)
    return folder / value if isinstance(value, str) else tuple(folder / one for one in value)


def _judge_metrics(path: Path) -> None:
    """Compare metrics with the judgements of the translation example."""
    from touchstone.io.writing import write_text
    from touchstone.report.mt_meta import meta_page
    from touchstone.report.page import render
    from touchstone.tasks import mt

    folder = EXAMPLES / "mt"
    scored = mt.score(
        folder / "refA.en",
        folder / "de-en",
        ["maxsim(n)", "meteor(classic)", "bleu", "chrf"],
        ref=(folder / "refB.en",),
    )
    found = mt.meta(mt.read_judgements(folder / "rankings.csv"), scored)
    typer.echo("Translation metrics compared with the rankings of judges\n")
    show(OutputOptions(quiet=True), found.tables()[:2], dict)
    write_text(path, render(meta_page(found)))
    typer.echo(f"mt meta report: {path}\n")
