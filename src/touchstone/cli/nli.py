"""The commands of inference challenge sets: each reads, calls one public function, shows."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from touchstone.cli import nli_pairs
from touchstone.cli.nli_options import InputOptions, Pairs, ReadingName, Training, by_premise
from touchstone.cli.options import Correction, IntervalOptions, OutputOptions, PairedTest, with_options
from touchstone.cli.showing import Format, finish, show_comparisons, show_tables, working, write_report

app = typer.Typer(
    help="Inference challenge sets: entailment, contradiction or neutral.", no_args_is_help=True, rich_markup_mode=None
)
for _command in (nli_pairs.verify, nli_pairs.agreement):
    app.command()(_command)

SystemFiles = Annotated[
    list[Path], typer.Argument(metavar="SYSTEM", help="Predictions, .jsonl or a table with the columns id and label.")
]
MeasureNames = Annotated[
    list[str] | None,
    typer.Option("--measure", "-m", metavar="NAME", help="A measure, such as macro_f1; by default all. Repeatable."),
]
Items = Annotated[Path | None, typer.Option(help="Write the scores of every pair: .jsonl .csv .parquet.")]


@app.command()
@with_options
def score(
    gold: Pairs,
    systems: SystemFiles,
    *,
    measure: MeasureNames = None,
    by: Annotated[
        str | None,
        typer.Option(help="Group the pairs by category, gold, relation, replaced, or a short field of the set."),
    ] = None,
    items: Items = None,
    inputs: InputOptions,
    sure: IntervalOptions,
    out: OutputOptions,
) -> None:
    """Score systems against the gold labels, the majority class beside them.

    Example: touchstone nli score gold.jsonl mine.jsonl theirs.jsonl --by category --report report.html
    """
    from touchstone.io.writing import check_outputs, write_table
    from touchstone.tasks import nli
    from touchstone.tasks.nli.tables import score_table

    check_outputs([gold, *systems], out.report, table=items)
    pairs, runs = inputs.read(gold, systems)
    with working(f"scoring {len(runs)} systems on {len(pairs):,} pairs"):
        results = nli.score(pairs, runs, measure or (), by=by, resampling=by_premise(sure), policy=inputs.policy())
        tables = [score_table(results), *([nli.group_table(results, results.measures[0].name)] if by else [])]
    if items:
        write_table(items, results.items.to_arrow())
    if out.report:
        from touchstone.report.nli import nli_page

        write_report(out.report, lambda: nli_page(results, pairs, runs))
    if out.json:
        typer.echo(results.to_json())
    else:
        show_tables(tables, out.form)
    finish(results, out)


@app.command()
@with_options
def compare(
    gold: Pairs,
    systems: SystemFiles,
    *,
    measure: MeasureNames = None,
    test: Annotated[PairedTest, typer.Option(help="The paired test.")] = PairedTest.PERMUTATION,
    correction: Annotated[Correction, typer.Option(help="Correction of p over all pairs.")] = Correction.HOLM,
    inputs: InputOptions,
    sure: IntervalOptions,
    out: OutputOptions,
) -> None:
    """Compare systems, and the majority class, on the same pairs: differences, tests by premise, McNemar.

    Example: touchstone nli compare gold.jsonl mine.jsonl theirs.jsonl
    """
    from touchstone.core.comparison import compare as compare_systems
    from touchstone.io.writing import check_outputs
    from touchstone.tasks import nli
    from touchstone.tasks.nli.tables import discordant, discordant_table

    check_outputs([gold, *systems], out.report)
    pairs, runs = inputs.read(gold, systems)
    names = [found.name for found in nli.MEASURES.find_all(measure or ["accuracy"])]
    with working(f"comparing {len(runs)} systems on {len(pairs):,} pairs"):
        results = nli.score(pairs, runs, names, resampling=by_premise(sure), policy=inputs.policy())
        found = [compare_systems(results, name, test=test.value, correction=correction.value) for name in names]
    if out.report:
        from touchstone.report.nli import nli_page

        write_report(out.report, lambda: nli_page(results, pairs, runs))
    if out.json:
        parts = [one.to_dict() | {"discordant": discordant(one)} for one in found]
        show_comparisons(parts)
    else:
        for one in found:
            extra = [discordant_table(one)] if one.measure == "accuracy" else []
            show_tables([one.table(), one.pairs_table(), *extra], out.form)
    finish(results, out)


@app.command()
@with_options
def breakdown(
    gold: Pairs,
    systems: SystemFiles,
    *,
    vectors: Annotated[
        Path | None, typer.Option(help="Word vectors: .npy with vocab.txt beside it, or GloVe's text.")
    ] = None,
    train: Training = None,
    items: Items = None,
    inputs: InputOptions,
    sure: IntervalOptions,
    out: OutputOptions,
) -> None:
    """Show accuracy on contradictions by the likeness of the two words and by their frequency in training.

    Example: touchstone nli breakdown gold.jsonl mine.jsonl --vectors glove.npy --train train.jsonl
    """
    from touchstone.core.errors import TouchstoneError
    from touchstone.io.writing import check_outputs, write_table
    from touchstone.tasks import nli
    from touchstone.tasks.nli.breakdowns import joined_items, joined_json, joined_signature

    if not vectors and not train:
        raise TouchstoneError("nothing to break down by", hint="give --vectors FILE, --train FILE, or both")
    check_outputs([gold, *systems, *(train or ()), *filter(None, [vectors])], out.report, table=items)
    pairs, runs = inputs.read(gold, systems)
    results = nli.score(pairs, runs, resampling=by_premise(sure), policy=inputs.policy())
    with working("looking up words"):
        bins = [nli.similarity_bins(pairs, vectors)] if vectors else []
        bins += [nli.frequency_bins(pairs, [nli.read_pairs(path) for path in train])] if train else []
        found = [nli.breakdown(results, one) for one in bins]
    if items:
        write_table(items, joined_items(found))
    if out.report:
        from touchstone.report.nli import nli_page

        write_report(out.report, lambda: nli_page(results, pairs, runs, found))
    if out.json:
        typer.echo(joined_json(found))
    else:
        show_tables([nli.group_table(one, one.measures[0].name) for one in found], out.form)
    finish(replace(results, signature=joined_signature(found)), out)


@app.command()
@with_options
def explain(
    gold: Pairs,
    systems: Annotated[list[Path] | None, typer.Argument(metavar="SYSTEM", help="Predictions, if any.")] = None,
    *,
    item: Annotated[str, typer.Option(help="The id of the pair.")],
    reading: Annotated[ReadingName, typer.Option(help="How the WordNet rule is read.")] = ReadingName.DEFAULT,
    svg: Annotated[Path | None, typer.Option(help="Draw the pair and its way through WordNet here.")] = None,
    inputs: InputOptions,
    form: Annotated[Format, typer.Option("--format", help="Form of the tables.")] = Format.TEXT,
) -> None:
    """Show one pair: the replaced word, what readers and systems say, and its path in WordNet.

    Example: touchstone nli explain gold.jsonl default.jsonl --item 1234 --svg pair.svg
    """
    from touchstone.io.writing import check_outputs, write_text
    from touchstone.tasks import nli

    check_outputs([gold, *(systems or ())], svg)
    pairs, runs = inputs.read(gold, systems or [])
    found = nli.explain(pairs, runs, item, nli.READINGS[reading.value])
    premise, hypothesis = found.marked()
    typer.echo(f"pair {found.pair.id}{f', {found.pair.category}' if found.pair.category else ''}\n")
    typer.echo(f"  premise     {premise}\n  hypothesis  {hypothesis}\n")
    show_tables([found.labels_table(), found.lexicon_table()], form)
    if svg:
        from touchstone.report.nli import pair_figure

        write_text(svg, pair_figure(found))


@app.command()
@with_options
def validate(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Pairs, predictions, answers, in any order.")],
    inputs: InputOptions,
) -> None:
    """List every problem of the files, with line numbers; exit code 2 if any of them stops a scoring.

    Example: touchstone nli validate gold.jsonl mine.jsonl
    """
    from touchstone.tasks import nli

    found = nli.validate(files, encoding=inputs.encoding, policy=inputs.policy())
    for fault in found.faults:
        typer.echo(f"error: {fault}")
    for warning in found.warnings:
        typer.echo(f"warning: {warning}")
    for fact in found.facts:
        typer.echo(f"ok: {fact}")
    if found.faults:
        raise typer.Exit(2)


for _command in (nli_pairs.baseline, nli_pairs.audit, nli_pairs.convert):
    app.command()(_command)
