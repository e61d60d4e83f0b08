"""Commands about the pairs themselves: verified, agreed upon, labelled by a lexicon, looked over, converted."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from touchstone.cli.nli_options import DrawOptions, Encoding, Pairs, ReadingName, Training, by_premise
from touchstone.cli.options import IntervalOptions, with_options
from touchstone.cli.showing import Format, remark, show_tables, working


class Spelling(StrEnum):
    """Whose names the fields of pairs have."""

    SNLI = "snli"
    TOUCHSTONE = "touchstone"


@with_options
def verify(
    pairs: Annotated[Path, typer.Argument(metavar="PAIRS", help="Pairs to be verified.")],
    answers: Annotated[Path, typer.Argument(metavar="ANSWERS", help="JSONL: pair, annotator, q1, q2, q3.")],
    *,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the pairs with a gold label here.")] = None,
    discards: Annotated[Path | None, typer.Option(help="Write the others here, with who and why.")] = None,
    drawn: DrawOptions,
    form: Annotated[Format, typer.Option("--format", help="Form of the tables.")] = Format.TEXT,
    encoding: Encoding = "utf-8",
) -> None:
    """Turn readers' answers to three questions into gold labels, discards and agreement.

    Example: touchstone nli verify pairs.jsonl answers.jsonl -o gold.jsonl --discards discards.jsonl
    """
    from touchstone.io.jsonl import format_objects
    from touchstone.io.writing import check_outputs, write_text
    from touchstone.tasks import nli
    from touchstone.tasks.nli.formats.writing import pairs_as_jsonl

    check_outputs([pairs, answers], out, discards)
    given = nli.read_pairs(pairs, encoding=encoding)
    found = nli.verify(given, nli.read_answers(answers, encoding=encoding))
    show_tables([found.fates_table(), found.readers_table()], form)
    show_tables([nli.agreement(found.kept, resampling=drawn.resampling()).table()], form)
    if out:
        write_text(out, pairs_as_jsonl(found.kept.pairs, given.spelling))
    if discards:
        write_text(discards, format_objects(found.discards()))
    remark(found.notes)


@with_options
def agreement(
    gold: Pairs,
    *,
    by: Annotated[str | None, typer.Option(help="Group the pairs by category, gold or relation.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    drawn: DrawOptions,
    form: Annotated[Format, typer.Option("--format", help="Form of the tables.")] = Format.TEXT,
    encoding: Encoding = "utf-8",
) -> None:
    """Say how far readers agree: kappa, raw agreement, AC1, and how well one of them would do.

    Example: touchstone nli agreement gold.jsonl --by category
    """
    from touchstone.tasks import nli

    pairs = nli.read_pairs(gold, encoding=encoding)
    found = nli.agreement(pairs, by=by, resampling=drawn.resampling())
    if as_json:
        typer.echo(found.to_json())
    else:
        show_tables([nli.set_table(pairs, found), found.table()], form)
        show_tables([found.groups_table()] if by else [], form)
    remark(found.notes)


@with_options
def baseline(
    gold: Pairs,
    *,
    reading: Annotated[ReadingName, typer.Option(help="How the WordNet rule is read.")] = ReadingName.DEFAULT,
    rules: Annotated[bool, typer.Option("--rules", help="The stronger lexical rules instead.")] = False,
    ancestors: Annotated[
        bool, typer.Option("--ancestors", help="With --rules: deep shared hypernyms exclude.")
    ] = False,
    back_off: Annotated[bool, typer.Option("--back-off", help="With --rules: else contradiction.")] = False,
    single_edits: Annotated[
        bool, typer.Option("--single-edits", help="Only pairs with one edit of at most two tokens a side.")
    ] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write predictions and their reasons here.")] = None,
    sure: IntervalOptions,
    form: Annotated[Format, typer.Option("--format", help="Form of the tables.")] = Format.TEXT,
    encoding: Encoding = "utf-8",
) -> None:
    """Label pairs by what WordNet says of the replaced word, each with the path that decided.

    Example: touchstone nli baseline gold.jsonl --reading default -o default.jsonl
    """
    from touchstone.core.errors import TouchstoneError
    from touchstone.io.jsonl import format_objects
    from touchstone.io.writing import check_outputs, write_text
    from touchstone.tasks import nli
    from touchstone.tasks.nli.tables import rules_table

    check_outputs([gold], out)
    if (ancestors or back_off) and not rules:
        raise TouchstoneError("--ancestors and --back-off belong to the lexical rules", hint="add --rules")
    pairs = nli.read_pairs(gold, encoding=encoding)
    pairs = nli.single_edits(pairs) if single_edits else pairs
    with working(f"looking up {len(pairs):,} pairs"):
        found = (
            nli.lexical_rules(pairs, ancestors=ancestors, back_off=back_off)
            if rules
            else nli.wordnet_baseline(pairs, nli.READINGS[reading.value])
        )
        if out:
            write_text(out, format_objects(found.objects()))
    show_tables([rules_table(found)], form)
    if len(pairs.scored):
        results = nli.score(pairs, found.run, resampling=by_premise(sure))
        show_tables([nli.score_table(results)], form)
        remark(results.notes)
    remark([found.signature])


def audit(
    gold: Pairs,
    train: Training = None,
    test: Annotated[list[Path] | None, typer.Option(help="Other test sets. Repeatable.")] = None,
    form: Annotated[Format, typer.Option("--format", help="Form of the tables.")] = Format.TEXT,
    encoding: Encoding = "utf-8",
) -> None:
    """Look a set over: one edit per pair, words that training has seen, sentences shared with other files.

    Example: touchstone nli audit gold.jsonl --train train.jsonl
    """
    from touchstone.tasks import nli
    from touchstone.tasks.nli.scoring import remarks

    with working("reading"):
        pairs = nli.read_pairs(gold, encoding=encoding)
        training, tests = ([nli.read_pairs(path, encoding=encoding) for path in files or ()] for files in (train, test))
    show_tables(nli.audit(pairs, training, tests).tables(), form)
    remark(remarks(pairs))


def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="Pairs or predictions in any form.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help=".jsonl or .tsv.")],
    spelling: Annotated[
        Spelling | None, typer.Option("--format", help="Whose names fields have; by default those of IN.")
    ] = None,
    encoding: Encoding = "utf-8",
) -> None:
    """Write pairs or predictions in another form.

    Example: touchstone nli convert s1.dev dev.jsonl --format touchstone
    """
    from touchstone.io.writing import check_outputs
    from touchstone.tasks import nli

    check_outputs([source], target)
    said = nli.convert(source, target, spelling=spelling.value if spelling else None, encoding=encoding)
    remark([f"{target}: {said}"])
