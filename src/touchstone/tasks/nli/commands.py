"""The commands about pairs of sentences: breakdown, agreement, verify, baseline, audit."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from touchstone.base.codes import Code
from touchstone.base.console import working
from touchstone.base.errors import TouchstoneError
from touchstone.base.options import ItemTable, OutFile

if TYPE_CHECKING:
    from touchstone.base.ids import Policy
    from touchstone.core.resampling import Resampling
    from touchstone.show.finding import Finding


def breakdown(
    gold: Path,
    runs: Sequence[str],
    *,
    vectors: Path | None = None,
    train: Sequence[Path] = (),
    items: ItemTable = None,
    encoding: str = "utf-8",
    policy: "Policy",
    resampling: "Resampling",
) -> "Finding":
    """Show accuracy on contradictions by the similarity of the two words, and by their frequency in training.

    Example: touchstone nli breakdown gold.jsonl mine.jsonl --vectors glove.npy --train train.jsonl

    Parameters
    ----------
    gold : GOLD
        Pairs in a table of any format, with the column names of the public sets, a row for each pair or for each label
        of an annotator; or s1.X of parallel files.
    runs : [NAME=]RUN
        Labels or probabilities in a table with ids, or one label per line; FILE:COLUMN is one column.
    vectors : FILE
        Word vectors: .npy with vocab.txt beside it, or GloVe's text.
    train : FILE
        Pairs that systems were trained on. Repeatable.
    items : FILE
        Write the values of every item: .jsonl .csv .parquet.
    encoding
        Encoding of files that are not UTF-8.
    """
    from touchstone.io.writing import write_table
    from touchstone.tasks.nli.breakdowns import Breakdowns, breakdown, frequency_bins, similarity_bins
    from touchstone.tasks.nli.formats import read_gold
    from touchstone.tasks.nli.task import TASK

    if not vectors and not train:
        hint = "give --vectors FILE, --train FILE, or both"
        raise TouchstoneError("nothing to group the pairs by", code=Code.OPTION_NEEDED, hint=hint)
    inputs = TASK.read(gold, runs, encoding=encoding)
    results = TASK.score(inputs, resampling=resampling, policy=policy)
    with working("looking up words"):
        bins = [similarity_bins(inputs.gold, vectors)] if vectors else []
        training = [read_gold(path, encoding=encoding) for path in train]
        bins += [frequency_bins(inputs.gold, training)] if training else []
        breakdowns = Breakdowns(results, [breakdown(results, binning) for binning in bins])
    if items:
        write_table(items, breakdowns.items)
    return breakdowns


def agreement(
    gold: Path,
    *,
    by: str | None = None,
    discards: Path | None = None,
    encoding: str = "utf-8",
    resampling: "Resampling",
) -> "Finding":
    """Show how well annotators agree: kappa, raw agreement, AC1, and how well one of them would score as a system.

    Example: touchstone nli agreement gold.jsonl --discards discards.jsonl --by category

    Parameters
    ----------
    gold : GOLD
        Pairs in a table of any format, with the column names of the public sets, a row for each pair or for each label
        of an annotator; or s1.X of parallel files.
    by : FIELD
        Group the pairs by category, gold or relation.
    discards : FILE
        The pairs that verify discarded, so that agreement is over all pairs.
    encoding
        Encoding of files that are not UTF-8.
    """
    from touchstone.tasks.nli.annotator_agreement import agreement
    from touchstone.tasks.nli.formats import read_gold

    pairs = read_gold(gold, encoding=encoding)
    others = read_gold(discards, encoding=encoding) if discards else None
    return agreement(pairs, by=by, resampling=resampling, discards=others)


def verify(
    pairs: Path,
    answers: Path,
    *,
    kept: OutFile = None,
    discards: OutFile = None,
    encoding: str = "utf-8",
    resampling: "Resampling",
) -> "Finding":
    """Turn annotators' answers to three questions into gold labels, discards and agreement.

    Example: touchstone nli verify pairs.jsonl answers.jsonl --kept gold.jsonl --discards discards.jsonl

    Parameters
    ----------
    pairs : PAIRS
        The pairs to verify.
    answers : ANSWERS
        A table: pair, annotator, q1, q2, q3; or the filled sheet of generate.
    kept : FILE
        Write the pairs that have a gold label.
    discards : FILE
        Write the discarded pairs, with the reasons.
    encoding
        Encoding of files that are not UTF-8.
    """
    from touchstone.io.jsonl import format_objects
    from touchstone.io.writing import write_text
    from touchstone.tasks.nli.annotator_agreement import agreement
    from touchstone.tasks.nli.formats import read_answers, read_gold
    from touchstone.tasks.nli.formats.writing import format_pairs
    from touchstone.tasks.nli.set_report import verified_statement
    from touchstone.tasks.nli.verification import verify

    candidates = read_gold(pairs, encoding=encoding)
    sheet = read_answers(answers, encoding=encoding)
    verified = verify(candidates, sheet)
    agreed = agreement(verified.answered, resampling=resampling)
    if kept:
        write_text(kept, format_pairs(verified.kept.pairs, candidates.spelling))
    if discards:
        write_text(discards, format_objects(verified.discards()))
    return verified_statement(verified, agreed)


def baseline(
    gold: Path,
    *,
    reading: Literal["default", "literal", "stripped"] = "default",
    rules: bool = False,
    ancestors: bool = False,
    back_off: bool = False,
    single_edits: bool = False,
    predictions: OutFile = None,
    encoding: str = "utf-8",
    resampling: "Resampling",
) -> "Finding":
    """Label pairs by the WordNet relation of the replaced word, with the path behind each label.

    Example: touchstone nli baseline gold.jsonl --predictions wordnet.jsonl

    Parameters
    ----------
    gold : GOLD
        Pairs in a table of any format, with the column names of the public sets, a row for each pair or for each label
        of an annotator; or s1.X of parallel files.
    reading
        How to interpret the paper's WordNet rule.
    rules
        Use the stronger lexical rules instead.
    ancestors
        With --rules: words with a deep shared hypernym contradict each other.
    back_off
        With --rules: answer contradiction if no rule applies.
    single_edits
        Only pairs with one edit of at most two tokens on each side.
    predictions : FILE
        Write the labels with their reasons, as a run.
    encoding
        Encoding of files that are not UTF-8.
    """
    from touchstone.io.jsonl import format_objects
    from touchstone.io.writing import write_text
    from touchstone.show.finding import Statement, kind_rows
    from touchstone.tasks.nli.baseline import wordnet_baseline
    from touchstone.tasks.nli.edits import single_edits as only_single_edits
    from touchstone.tasks.nli.formats import read_gold
    from touchstone.tasks.nli.readings import READINGS
    from touchstone.tasks.nli.rules import lexical_rules
    from touchstone.tasks.nli.task import TASK

    if (ancestors or back_off) and not rules:
        what = "--ancestors and --back-off belong to the lexical rules"
        raise TouchstoneError(what, code=Code.OPTION_UNUSED, hint="add --rules")
    pairs = read_gold(gold, encoding=encoding)
    pairs = only_single_edits(pairs) if single_edits else pairs
    with working(f"looking up {len(pairs):,} pairs"):
        if rules:
            labelled = lexical_rules(pairs, ancestors=ancestors, back_off=back_off)
        else:
            labelled = wordnet_baseline(pairs, READINGS[reading])
    if predictions:
        write_text(predictions, format_objects(labelled.objects()))
    finding = labelled.statement()
    if not len(pairs.scored):
        return finding
    results = TASK.score(pairs, labelled.run, resampling=resampling)
    scores = Statement("Scores", [results.table()], kind_rows("value", (row.to_dict() for row in results.rows)))
    signature = {**finding.signature, **results.signature}
    return replace(finding, parts=[scores], notes=results.notes, signature=signature)


def audit(gold: Path, *, train: Sequence[Path] = (), other: Sequence[Path] = (), encoding: str = "utf-8") -> "Finding":
    """Audit a challenge set: edits per pair, words that are not in training, sentences shared with other files.

    Example: touchstone nli audit gold.jsonl --train train.jsonl

    Parameters
    ----------
    gold : GOLD
        Pairs in a table of any format, with the column names of the public sets, a row for each pair or for each label
        of an annotator; or s1.X of parallel files.
    train : FILE
        Pairs that systems were trained on. Repeatable.
    other : FILE
        Other test sets to compare with. Repeatable.
    encoding
        Encoding of files that are not UTF-8.
    """
    from touchstone.tasks.nli.auditing import audit
    from touchstone.tasks.nli.formats import read_gold

    with working("reading"):
        pairs = read_gold(gold, encoding=encoding)
        training, others = ([read_gold(path, encoding=encoding) for path in files] for files in (train, other))
    return audit(pairs, training, others)
