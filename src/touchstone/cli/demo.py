"""The demonstration: the bundled examples of every task, scored, and a report to look at."""

from pathlib import Path
from typing import Annotated

import typer

from touchstone.cli.showing import show_tables

EXAMPLES = Path(__file__).parents[1] / "examples"


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the reports.")] = Path("touchstone-demo"),
) -> None:
    """Score the bundled examples of every task and write their reports.

    Example: touchstone demo --out reports
    """
    from touchstone.io.writing import make_folder

    make_folder(out)
    for name, example in (
        *(("lexsub", _lexsub), ("pyramid", _pyramid), ("nli", _nli)),
        *(("mt", _mt), ("mt meta", _mt_meta)),
    ):
        typer.echo(f"{name} report: {example(out)}\n")


def _lexsub(out: Path) -> Path:
    from touchstone.io.writing import write_text
    from touchstone.report.lexsub import lexsub_page
    from touchstone.report.page import render
    from touchstone.tasks import lexsub

    folder = EXAMPLES / "lexsub"
    gold = lexsub.read_gold(folder / "demo.gold", source=folder / "demo.xml")
    runs = lexsub.read_runs(sorted(path for path in folder.iterdir() if path.suffix in (".best", ".oot")))
    results = lexsub.score(gold, runs)
    typer.echo(f"Lexical substitution: {len(runs)} systems on {len(gold)} items\n")
    show_tables([results.table()])
    path = out / "lexsub.html"
    write_text(path, render(lexsub_page(results, gold, runs)))
    return path


def _pyramid(out: Path) -> Path:
    from touchstone.io.writing import write_text
    from touchstone.report.page import render
    from touchstone.report.pyramid import pyramid_page
    from touchstone.tasks import pyramid

    annotations = pyramid.read_annotations([EXAMPLES / "pyramid"])
    results = pyramid.score(annotations)
    typer.echo(f"Pyramids: {len(results.systems)} peers, {len(annotations[0].pyramid.units)} content units\n")
    show_tables([results.table()])
    path = out / "pyramid.html"
    write_text(path, render(pyramid_page(results, annotations)))
    return path


def _nli(out: Path) -> Path:
    from touchstone.io.writing import write_text
    from touchstone.report.nli import nli_page
    from touchstone.report.page import render
    from touchstone.tasks import nli

    folder = EXAMPLES / "nli"
    gold = nli.read_pairs(folder / "gold.jsonl")
    runs = nli.read_runs([folder / "overlap.jsonl", folder / "careful.jsonl"])
    results = nli.score(gold, runs)
    typer.echo(f"Inference: {len(runs)} models on {len(gold)} pairs\n")
    show_tables([nli.score_table(results)])
    path = out / "nli.html"
    write_text(path, render(nli_page(results, gold, runs)))
    return path


def _mt(out: Path) -> Path:
    from touchstone.io.writing import write_text
    from touchstone.report.mt import mt_page
    from touchstone.report.page import render
    from touchstone.tasks import mt

    folder = EXAMPLES / "mt"
    references, systems = mt.read_translations([folder / "de-en"], [folder / "refA.en", folder / "refB.en"])
    results = mt.score(references, systems)
    typer.echo(f"Translation: {len(systems)} systems on {len(references)} segments\n")
    show_tables([results.table()])
    path = out / "mt.html"
    write_text(path, render(mt_page(results, references, systems)))
    return path


def _mt_meta(out: Path) -> Path:
    from touchstone.io.writing import write_text
    from touchstone.report.mt_meta import meta_page
    from touchstone.report.page import render
    from touchstone.tasks import mt

    folder = EXAMPLES / "mt"
    references, systems = mt.read_translations([folder / "de-en"], [folder / "refA.en", folder / "refB.en"])
    judged = mt.read_judgements(folder / "rankings.csv")
    found = mt.meta(judged, mt.score(references, systems, ["maxsim(n)", "meteor(classic)", "bleu", "chrf"]))
    typer.echo("Translation: metrics against what judges said\n")
    show_tables(found.tables()[:2])
    path = out / "mt-meta.html"
    write_text(path, render(meta_page(found)))
    return path
