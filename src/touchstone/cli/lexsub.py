"""The commands of lexical substitution: each reads, calls one public function, shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from touchstone.cli import lexsub_systems
from touchstone.cli.options import (
    Correction,
    Duplicates,
    IntervalOptions,
    OutputOptions,
    PairedTest,
    Unknown,
    with_options,
)
from touchstone.cli.showing import Format, finish, remark, show_comparisons, show_tables, working, write_report
from touchstone.core.errors import visible

if TYPE_CHECKING:
    from touchstone.tasks.lexsub import GoldSet, Policy, Pool, Run

app = typer.Typer(
    help="Lexical substitution: what could stand here instead.", no_args_is_help=True, rich_markup_mode=None
)

GoldFile = Annotated[
    Path, typer.Argument(metavar="GOLD", help="Human answers: ELS07, SWORDS .json, CoInCo .xml or .jsonl; - is stdin.")
]
SystemFiles = Annotated[
    list[Path],
    typer.Argument(metavar="SYSTEM", help="Answers: ELS07, SWORDS .json or .jsonl; A.best and A.oot are one system."),
]
MeasureNames = Annotated[
    list[str] | None,
    typer.Option(
        "--measure", "-m", metavar="NAME", help="A measure, such as rank@10 or P(k=mean); or paper, els07. Repeatable."
    ),
]


class Rules(StrEnum):
    """Whose rules make the els07 rows."""

    NONE = "none"
    ELS07 = "els07"
    BOTH = "both"


class Style(StrEnum):
    """How figures are printed."""

    FRACTIONS = "fractions"
    ELS07 = "els07"


@dataclass(frozen=True)
class InputOptions:
    """How files are read and joined."""

    source: Annotated[Path | None, typer.Option(help="ELS07 XML file of the sentences; its ids are known ones.")] = None
    unknown: Annotated[Unknown, typer.Option(help="Answers to items that the gold does not have.")] = Unknown.ERROR
    duplicates: Annotated[Duplicates, typer.Option(help="Ids that stand twice in a file.")] = Duplicates.ERROR
    min_responses: Annotated[
        float | None, typer.Option(min=0, help="Least summed weight of a kept item (2 for ELS07, else 1).")
    ] = None
    min_weight: Annotated[float, typer.Option(min=0, help="Least number of people for a SWORDS substitute.")] = 1
    encoding: Annotated[str, typer.Option(help="Encoding of the files.")] = "utf-8"

    def read(self, gold: Path, systems: Sequence[Path]) -> tuple["GoldSet", list["Run"]]:
        """Read a gold file and systems; a best and a ranked file of the same name are one system."""
        from touchstone.tasks import lexsub

        with working(f"reading {gold} and {len(systems)} files of answers"):
            items = lexsub.read_gold(
                gold,
                encoding=self.encoding,
                min_responses=self.min_responses,
                min_weight=self.min_weight,
                source=self.source,
            )
            return items, lexsub.read_runs(systems, encoding=self.encoding)

    def policy(self) -> "Policy":
        """Return what is refused when gold and answers are joined."""
        from touchstone.tasks.lexsub import Policy

        return Policy(self.unknown.value, self.duplicates.value)


@dataclass(frozen=True)
class AnswerOptions:
    """What is done to answers before they are scored."""

    lemmatize: Annotated[bool, typer.Option("--lemmatize", help="Score the base forms of the answers.")] = False
    pool: Annotated[Path | None, typer.Option(help="Candidates, 'word.pos::a;b'; other answers are dropped.")] = None

    def read_pool(self, encoding: str) -> "Pool | None":
        """Read the pool, if there is one."""
        from touchstone.tasks import lexsub

        return lexsub.read_pool(self.pool, encoding) if self.pool else None


@app.command()
@with_options
def score(
    gold: GoldFile,
    systems: SystemFiles,
    *,
    measure: MeasureNames = None,
    by: Annotated[str | None, typer.Option(help="Group the items by pos or target.")] = None,
    compat: Annotated[Rules, typer.Option(help="els07: the official scorer's rules; both: beside ours.")] = Rules.NONE,
    style: Annotated[Style, typer.Option(help="els07: percent, laid out as the task did.")] = Style.FRACTIONS,
    items: Annotated[Path | None, typer.Option(help="Write the scores of every item: .jsonl .csv .parquet.")] = None,
    inputs: InputOptions,
    answers: AnswerOptions,
    sure: IntervalOptions,
    out: OutputOptions,
) -> None:
    """Score systems against a gold file.

    Example: touchstone lexsub score test.gold mine.oot theirs.oot --by pos --report report.html
    """
    from touchstone.io.writing import check_outputs, write_table
    from touchstone.report.lexsub import lexsub_page
    from touchstone.tasks import lexsub
    from touchstone.tasks.lexsub.tables import task_table

    check_outputs([gold, *systems], out.report, table=items)
    answered, runs = inputs.read(gold, systems)
    pool = answers.read_pool(inputs.encoding)
    with working(f"scoring {len(runs)} systems on {len(answered):,} items"):
        results = lexsub.score(
            answered,
            runs,
            measure or (),
            by=by,
            compat=compat.value,
            resampling=sure.resampling(),
            policy=inputs.policy(),
            lemmatize=answers.lemmatize,
            pool=pool,
        )
        table = task_table(results) if style is Style.ELS07 else results.table()
    if items:
        write_table(items, results.items.to_arrow())
    if out.report:
        write_report(out.report, lambda: lexsub_page(results, answered, runs, lemmatize=answers.lemmatize, pool=pool))
    if out.json:
        typer.echo(results.to_json())
    else:
        show_tables([table], out.form)
    finish(results, out)


@app.command()
@with_options
def compare(
    gold: GoldFile,
    systems: SystemFiles,
    *,
    measure: MeasureNames = None,
    test: Annotated[PairedTest, typer.Option(help="The paired test.")] = PairedTest.PERMUTATION,
    correction: Annotated[Correction, typer.Option(help="Correction of p over all pairs.")] = Correction.HOLM,
    inputs: InputOptions,
    answers: AnswerOptions,
    sure: IntervalOptions,
    out: OutputOptions,
) -> None:
    """Compare systems on the same items: differences, tests, clusters, and where only the order differs.

    Example: touchstone lexsub compare test.gold mine.oot theirs.oot --measure rank@10
    """
    from touchstone.core.comparison import compare as compare_systems
    from touchstone.io.writing import check_outputs
    from touchstone.report.lexsub import lexsub_page
    from touchstone.tasks import lexsub
    from touchstone.tasks.lexsub.tables import order_counts, order_table

    check_outputs([gold, *systems], out.report)
    answered, runs = inputs.read(gold, systems)
    pool = answers.read_pool(inputs.encoding)
    names = [found.name for found in lexsub.find_measures(measure or ["rank@10"])]
    with working(f"comparing {len(runs)} systems on {len(answered):,} items"):
        results = lexsub.score(
            answered,
            runs,
            [*names, "R", "rank@10"],
            resampling=sure.resampling(),
            policy=inputs.policy(),
            lemmatize=answers.lemmatize,
            pool=pool,
        )
        found = [compare_systems(results, name, test=test.value, correction=correction.value) for name in names]
    if out.report:
        write_report(
            out.report, lambda: lexsub_page(results, answered, runs, found, lemmatize=answers.lemmatize, pool=pool)
        )
    if out.json:
        show_comparisons([one.to_dict() for one in found], order=[vars(one) for one in order_counts(results)])
    else:
        tables = [table for one in found for table in (one.table(), one.pairs_table())]
        show_tables([*tables, *filter(None, [order_table(results)])], out.form)
    finish(results, out)


@app.command()
@with_options
def explain(
    gold: GoldFile,
    systems: SystemFiles,
    inputs: InputOptions,
    answers: AnswerOptions,
    item: Annotated[str, typer.Option(help="The id of the item.")],
    svg: Annotated[Path | None, typer.Option(help="Draw the first system's list here.")] = None,
    form: Annotated[Format, typer.Option("--format", help="Form of the tables.")] = Format.TEXT,
) -> None:
    """Show why an item scored what it did: credit so far over the best that could be, rank by rank.

    Example: touchstone lexsub explain test.gold mine.oot --item 301 --source test.xml
    """
    from touchstone.io.writing import check_outputs, write_text
    from touchstone.tasks import lexsub

    check_outputs([gold, *systems], svg)
    answered, runs = inputs.read(gold, systems)
    pool = answers.read_pool(inputs.encoding)
    found = [
        lexsub.explain(answered, run, item, lemmatize=answers.lemmatize, pool=pool, policy=inputs.policy())
        for run in runs
    ]
    about = found[0].item
    typer.echo(visible(f"item {about.id}: {about.target}{'.' + about.pos if about.pos else ''}"))
    if about.context:
        typer.echo(f"\n  {visible(str(about.context))}\n")
    show_tables([found[0].gold_table()], form)
    for one in found:
        show_tables([one.table(), one.values_table()], form)
    if svg:
        from touchstone.report.lexsub import cumulative_figure

        write_text(svg, cumulative_figure(found[0]))


@app.command()
@with_options
def validate(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Gold, answers and sentences, in any order.")],
    inputs: InputOptions,
) -> None:
    """List every problem of the files, with line numbers; exit code 2 if any of them stops a scoring.

    Example: touchstone lexsub validate test.gold mine.oot
    """
    from touchstone.tasks import lexsub

    found = lexsub.validate(
        files,
        encoding=inputs.encoding,
        source=inputs.source,
        min_responses=inputs.min_responses,
        min_weight=inputs.min_weight,
        policy=inputs.policy(),
    )
    for fault in found.faults:
        typer.echo(f"error: {fault}")
    for warning in found.warnings:
        typer.echo(f"warning: {warning}")
    for fact in found.facts:
        typer.echo(f"ok: {fact}")
    if found.faults:
        raise typer.Exit(2)


@app.command()
def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="Gold or answers in any form.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="Gold: .gold .jsonl. Answers: .best .oot .jsonl.")],
    encoding: Annotated[str, typer.Option(help="Encoding of the file that is read.")] = "utf-8",
    min_responses: Annotated[float | None, typer.Option(min=0, help="Least summed weight of a kept item.")] = None,
    sentences: Annotated[Path | None, typer.Option("--source", help="ELS07 XML file of the sentences.")] = None,
) -> None:
    """Write gold or answers in another form.

    Example: touchstone lexsub convert test.gold test.jsonl
    """
    from touchstone.io.writing import check_outputs
    from touchstone.tasks import lexsub

    check_outputs([source], target)
    said = lexsub.convert(source, target, encoding=encoding, min_responses=min_responses, source=sentences)
    remark([f"{target}: {said}"])


for _command in (lexsub_systems.run, lexsub_systems.suggest, lexsub_systems.train):
    app.command()(_command)
