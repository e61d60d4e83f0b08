"""``touchstone nli``: the verbs of every task, and commands about the pairs themselves."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from touchstone.cli.nli_experiments import curve, drop, repair
from touchstone.cli.nli_labelling import label
from touchstone.cli.nli_models import predict, train
from touchstone.cli.options import (
    Format,
    IntervalOptions,
    Items,
    OutputOptions,
    PolicyOptions,
    Report,
    paths,
    with_options,
)
from touchstone.cli.output import STDOUT, remark, show_finding, working, write_report
from touchstone.cli.sharding import EngineOptions
from touchstone.cli.verbs import task_app
from touchstone.tasks.nli import TASK

app = task_app(TASK)

Gold = Annotated[Path, typer.Argument(metavar="GOLD", help=TASK.gold_help)]
Runs = Annotated[list[str], typer.Argument(metavar="[NAME=]RUN", help=TASK.run_help)]
Training = Annotated[
    list[Path] | None, typer.Option("--train", metavar="FILE", help="Pairs that systems were trained on. Repeatable.")
]
Encoding = Annotated[str, typer.Option(help="Encoding of files that are not UTF-8.")]


PremisesFile = Annotated[
    Path,
    typer.Argument(
        metavar="PREMISES", help="Text, one premise per line, or a table with a column premise; - is standard input."
    ),
]
Relations = Annotated[
    list[str] | None,
    typer.Option("--relation", metavar="NAME", help="Only synonym, hypernym, antonym or co_hyponym. Repeatable."),
]
OwnLists = Annotated[
    Path | None,
    typer.Option("--lists", metavar="FOLDER", help="Your own lists, added to the shipped ones."),
]
Vectors = Annotated[
    Path | None,
    typer.Option("--vectors", metavar="FILE", help="Word vectors: .npy with vocab.txt beside it, or GloVe's text."),
]
Glosses = Annotated[
    Path | None,
    typer.Option("--glosses", metavar="FOLDER", help="Princeton's dictionary files, for glosses of senses."),
]


@app.command()
@with_options
def generate(
    premises: PremisesFile,
    *,
    per_premise: Annotated[int, typer.Option(min=1, help="Maximum number of pairs that share a premise.")] = 3,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the choice among candidates.")] = 0,
    relation: Relations = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--list", metavar="NAME", help="Use this list, in addition to --relation: a name, or your own FILE.tsv."
        ),
    ] = None,
    lists: OwnLists = None,
    unreviewed: Annotated[
        bool,
        typer.Option(
            "--unreviewed",
            help="Also use WordNet proposals that nobody has reviewed: those in your lists, or new ones.",
        ),
    ] = False,
    balance: Annotated[
        str, typer.Option(metavar="C:E", help="Ratio of contradictions to entailments, such as 2:1; none: no limit.")
    ] = "1:1",
    neutral: Annotated[
        bool, typer.Option("--neutral", help="Also generate neutral pairs, with more specific words.")
    ] = False,
    vocabulary: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Training words, one per line; other words are not used.")
    ] = None,
    vectors: Vectors = None,
    senses: Annotated[
        bool, typer.Option("--senses", help="With --vectors: the sense of the replaced word must fit the context.")
    ] = False,
    glosses: Glosses = None,
    bigrams: Annotated[
        str | None,
        typer.Option(metavar="TABLE", help="Two words, a tab and a count per line; or the package wordsegment."),
    ] = None,
    bigram_score: Annotated[
        float, typer.Option(metavar="T", help="With --bigrams: minimum log10 ratio of new to old bigram counts.")
    ] = -1.5,
    rejected: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the replacements that were rejected, with reasons.")
    ] = None,
    sheet: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Write a sheet for three annotators, for verify.")
    ] = None,
    report: Report = None,
    encoding: Encoding = "utf-8",
    engine: EngineOptions,
    output: OutputOptions,
) -> None:
    """Generate challenge pairs from premises: replacing one word or phrase gives the intended label.

    The pairs go to -o FILE, or to standard output. They have no gold label until annotators verify them.

    Example: touchstone nli generate premises.txt --per-premise 3 --seed 7 -o set.jsonl --sheet sheet.csv

    Example: touchstone nli generate premises.txt --relation antonym --list colours --list drinks

    Example: touchstone nli generate premises.txt --list proposals.tsv --bigrams wordsegment -o set.jsonl
    """
    from touchstone.io.jsonl import format_objects
    from touchstone.io.writing import check_outputs, write_text
    from touchstone.systems.challenge.generating import Settings, read_premises
    from touchstone.systems.challenge.generating import generate as generate_pairs
    from touchstone.systems.challenge.resources import Resources
    from touchstone.tasks.nli.formats.writing import format_pairs

    out = _file_for("pairs", output)
    inputs = paths(premises, lists, only, vocabulary, vectors, glosses, bigrams)
    check_outputs(inputs, out, rejected, sheet, report)
    premise_texts = read_premises(premises, encoding)
    resources = Resources(vectors, vocabulary, senses, glosses, bigrams, bigram_score)
    settings = Settings(
        per_premise,
        seed,
        relation or (),
        only or (),
        lists,
        balance,
        neutral,
        unreviewed=unreviewed,
        resources=resources,
    )
    with working("searching premises", output) as progress:
        generated = generate_pairs(
            premise_texts, settings, engine=engine.chosen(), listed=rejected is not None, progress=progress
        )
    if rejected:
        write_text(rejected, format_objects(generated.rejected()))
    if sheet:
        write_text(sheet, generated.sheet())
    text = format_pairs(generated.pairs, "touchstone")
    if out is not None:
        write_text(out, text)
        show_finding(output, generated, report=report, to_file=False)
    elif not write_report(report, generated.page, output):
        typer.echo(text, nl=False)
        remark([generated.summary, *generated.notes], output)


def _file_for(what: str, output: OutputOptions) -> Path | None:
    """Return the file for *what* a command makes; None for standard output, which cannot have tables too."""
    from touchstone.base.errors import TouchstoneError

    if output.out is not None and str(output.out) != STDOUT:
        return output.out
    if output.json or output.format is not Format.TEXT:
        flag = "--json" if output.json else f"--format {output.format.value}"
        raise TouchstoneError(f"{flag} needs a file for the {what}, or both are printed together", hint="add -o FILE")
    return None


@app.command()
@with_options
def propose(
    premises: PremisesFile,
    *,
    relation: Relations = None,
    lists: OwnLists = None,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Maximum number of lines; the most frequent are kept.")
    ] = None,
    vectors: Vectors = None,
    glosses: Glosses = None,
    encoding: Encoding = "utf-8",
    output: OutputOptions,
) -> None:
    """Propose substitutions from WordNet for words that no list covers, as a list for a reviewer.

    The list goes to -o FILE, or to standard output. Write yes or no in its column reviewed; then generate --list FILE
    uses the lines with yes.

    Example: touchstone nli propose premises.txt --limit 200 -o proposals.tsv
    """
    from touchstone import __version__
    from touchstone.io.writing import check_outputs, write_text
    from touchstone.show.finding import Statement, table_rows
    from touchstone.systems.challenge.generating import Settings, read_premises
    from touchstone.systems.challenge.generating import propose as propose_lines
    from touchstone.systems.challenge.proposing import format_proposals, proposals_table
    from touchstone.systems.challenge.resources import Resources

    out = _file_for("proposals", output)
    check_outputs(paths(premises, lists, vectors, glosses), out)
    premise_texts = read_premises(premises, encoding)
    resources = Resources(vectors=vectors, glosses=glosses)
    settings = Settings(relations=relation or (), user_lists=lists, resources=resources)
    with working("looking up words", output):
        proposed = propose_lines(premise_texts, settings)[:limit]
    text = format_proposals(proposed, premise_texts.source.name)
    if out is None:
        typer.echo(text, nl=False)
        return
    write_text(out, text)
    table = proposals_table(proposed)
    signature = {"touchstone": __version__, "task": "nli", "premises": str(premise_texts.source)}
    finding = Statement("Proposed substitutions", [table], table_rows("count", table), signature=signature)
    show_finding(output, finding, to_file=False)


@app.command()
@with_options
def breakdown(
    gold: Gold,
    runs: Runs,
    *,
    vectors: Vectors = None,
    train: Training = None,
    items: Items = None,
    report: Report = None,
    encoding: Encoding = "utf-8",
    policy: PolicyOptions,
    intervals: IntervalOptions,
    output: OutputOptions,
) -> None:
    """Show accuracy on contradictions by the similarity of the two words, and by their frequency in training.

    Example: touchstone nli breakdown gold.jsonl mine.jsonl --vectors glove.npy --train train.jsonl
    """
    from touchstone.base.errors import TouchstoneError
    from touchstone.io.writing import check_outputs, write_table
    from touchstone.tasks import nli

    if not vectors and not train:
        raise TouchstoneError("nothing to group the pairs by", hint="give --vectors FILE, --train FILE, or both")
    check_outputs(paths(gold, runs, train, vectors), report, output.out, table=items)
    inputs = TASK.read(gold, runs, encoding=encoding)
    results = TASK.score(inputs, resampling=intervals.resampling(), policy=policy.policy())
    with working("looking up words", output):
        bins = [nli.similarity_bins(inputs.gold, vectors)] if vectors else []
        bins += (
            [nli.frequency_bins(inputs.gold, [nli.read_gold(path, encoding=encoding) for path in train])]
            if train
            else []
        )
        breakdowns = nli.Breakdowns(results, [nli.breakdown(results, binning) for binning in bins])
    if items:
        write_table(items, breakdowns.items)
    show_finding(output, breakdowns, report=report)


@app.command()
@with_options
def agreement(
    gold: Gold,
    *,
    by: Annotated[
        str | None, typer.Option(metavar="FIELD", help="Group the pairs by category, gold or relation.")
    ] = None,
    discards: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The pairs that verify discarded, so that agreement is over all pairs."),
    ] = None,
    encoding: Encoding = "utf-8",
    intervals: IntervalOptions,
    output: OutputOptions,
) -> None:
    """Show how well annotators agree: kappa, raw agreement, AC1, and how well one of them would score as a system.

    Example: touchstone nli agreement gold.jsonl --discards discards.jsonl --by category
    """
    from touchstone.io.writing import check_outputs
    from touchstone.tasks import nli

    check_outputs(paths(gold, discards), output.out)
    pairs = nli.read_gold(gold, encoding=encoding)
    others = nli.read_gold(discards, encoding=encoding) if discards else None
    show_finding(output, nli.agreement(pairs, by=by, resampling=intervals.resampling(), discards=others))


@app.command()
@with_options
def verify(
    pairs: Annotated[Path, typer.Argument(metavar="PAIRS", help="The pairs to verify.")],
    answers: Annotated[
        Path,
        typer.Argument(
            metavar="ANSWERS", help="A table: pair, annotator, q1, q2, q3; or the filled sheet of generate."
        ),
    ],
    *,
    gold: Annotated[
        Path | None, typer.Option("--kept", metavar="FILE", help="Write the pairs that have a gold label.")
    ] = None,
    discards: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the discarded pairs, with the reasons.")
    ] = None,
    report: Report = None,
    encoding: Encoding = "utf-8",
    intervals: IntervalOptions,
    output: OutputOptions,
) -> None:
    """Turn annotators' answers to three questions into gold labels, discards and agreement.

    Example: touchstone nli verify pairs.jsonl answers.jsonl --kept gold.jsonl --discards discards.jsonl
    """
    from touchstone.io.jsonl import format_objects
    from touchstone.io.writing import check_outputs, write_text
    from touchstone.tasks import nli
    from touchstone.tasks.nli.formats.writing import format_pairs
    from touchstone.tasks.nli.set_report import verified_statement

    check_outputs([pairs, answers], gold, discards, report, output.out)
    candidates = nli.read_gold(pairs, encoding=encoding)
    sheet = nli.read_answers(answers, encoding=encoding)
    verified = nli.verify(candidates, sheet)
    agreed = nli.agreement(verified.answered, resampling=intervals.resampling())
    if gold:
        write_text(gold, format_pairs(verified.kept.pairs, candidates.spelling))
    if discards:
        write_text(discards, format_objects(verified.discards()))
    show_finding(output, verified_statement(verified, agreed), report=report)


@app.command()
@with_options
def baseline(
    gold: Gold,
    *,
    reading: Annotated[
        Literal["default", "literal", "stripped"], typer.Option(help="How to interpret the paper's WordNet rule.")
    ] = "default",
    rules: Annotated[bool, typer.Option("--rules", help="Use the stronger lexical rules instead.")] = False,
    ancestors: Annotated[
        bool, typer.Option("--ancestors", help="With --rules: words with a deep shared hypernym contradict each other.")
    ] = False,
    back_off: Annotated[
        bool, typer.Option("--back-off", help="With --rules: answer contradiction if no rule applies.")
    ] = False,
    single_edits: Annotated[
        bool, typer.Option("--single-edits", help="Only pairs with one edit of at most two tokens on each side.")
    ] = False,
    predictions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the labels with their reasons, as a run.")
    ] = None,
    encoding: Encoding = "utf-8",
    intervals: IntervalOptions,
    output: OutputOptions,
) -> None:
    """Label pairs by the WordNet relation of the replaced word, with the path behind each label.

    Example: touchstone nli baseline gold.jsonl --predictions wordnet.jsonl
    """
    from touchstone.base.errors import TouchstoneError
    from touchstone.io.jsonl import format_objects
    from touchstone.io.writing import check_outputs, write_text
    from touchstone.show.finding import Statement, kind_rows
    from touchstone.tasks import nli

    check_outputs([gold], predictions, output.out)
    if (ancestors or back_off) and not rules:
        raise TouchstoneError("--ancestors and --back-off belong to the lexical rules", hint="add --rules")
    pairs = nli.read_gold(gold, encoding=encoding)
    pairs = nli.single_edits(pairs) if single_edits else pairs
    with working(f"looking up {len(pairs):,} pairs", output):
        labelled = (
            nli.lexical_rules(pairs, ancestors=ancestors, back_off=back_off)
            if rules
            else nli.wordnet_baseline(pairs, nli.READINGS[reading])
        )
    if predictions:
        write_text(predictions, format_objects(labelled.objects()))
    finding = labelled.statement()
    if len(pairs.scored):
        results = TASK.score(pairs, labelled.run, resampling=intervals.resampling())
        values = kind_rows("value", (row.to_dict() for row in results.rows))
        scores = Statement("Scores", [results.table()], values)
        finding = replace(
            finding, parts=[scores], notes=results.notes, signature={**finding.signature, **results.signature}
        )
    show_finding(output, finding)


@app.command()
@with_options
def audit(
    gold: Gold,
    *,
    train: Training = None,
    other: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="Other test sets to compare with. Repeatable.")
    ] = None,
    encoding: Encoding = "utf-8",
    output: OutputOptions,
) -> None:
    """Audit a challenge set: edits per pair, words that are not in training, sentences shared with other files.

    Example: touchstone nli audit gold.jsonl --train train.jsonl
    """
    from touchstone.io.writing import check_outputs
    from touchstone.tasks import nli

    check_outputs(paths(gold, train, other), output.out)
    with working("reading", output):
        pairs = nli.read_gold(gold, encoding=encoding)
        training, others = (
            [nli.read_gold(path, encoding=encoding) for path in files or ()] for files in (train, other)
        )
    show_finding(output, nli.audit(pairs, training, others))


for command in (train, predict, label):
    app.command()(command)
for experiment in (drop, curve, repair):
    app.command()(with_options(experiment))
