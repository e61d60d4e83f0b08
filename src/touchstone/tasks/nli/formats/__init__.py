"""Files of inference sets: pairs, runs of systems, and answers of annotators, in any format of `records`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.options import TableOptions
from touchstone.base.spelling import setting
from touchstone.io.cells import listed
from touchstone.io.reading import read_rows
from touchstone.io.runs import run_files
from touchstone.io.schema import Rows
from touchstone.io.tables import refuse_absent_columns
from touchstone.io.writing import write_text
from touchstone.tasks.nli.formats.answers import SHEET, AnswerSheet, parse_answers
from touchstone.tasks.nli.formats.pairs import GOLD, parse_gold
from touchstone.tasks.nli.formats.runs import RUN, parse_run
from touchstone.tasks.nli.formats.writing import SUFFIXES, format_pairs, format_run
from touchstone.tasks.nli.model import GoldSet, Run

if TYPE_CHECKING:
    from touchstone.tasks.nli.about import ConvertOptions

DEFAULT_OPTIONS = TableOptions()


def read_gold(
    given: object, options: TableOptions = DEFAULT_OPTIONS, *, labels: Sequence[str] = (), encoding: str = "utf-8"
) -> GoldSet:
    """Read sentence pairs.

    Parameters
    ----------
    given
        A table in any format, or a Python object, with the names of SNLI, MultiNLI, ANLI, HANS, SciTail, SICK, GLUE or
        our own; one of three parallel files ``s1.X``, ``s2.X``, ``labels.X``; or labels alone; ``-`` is standard input.
    options
        Which columns are chosen, and the encoding of text files.
    labels
        What labels mean, ``VALUE=LABEL``.
    encoding
        The encoding of text files, where *options* are not given.

    Examples
    --------
    >>> from touchstone import nli
    >>> gold = nli.read_gold([{"id": "1", "premise": "A dog runs.", "hypothesis": "It moves.", "label": "entailment"}])
    >>> gold.pairs[0].gold
    'entailment'
    """
    options = TableOptions(encoding=encoding) if options is DEFAULT_OPTIONS else options
    gold = parse_gold(read_rows(given, GOLD, options, name="the gold"), labels)
    refuse_absent_columns(options.column, [gold.source])
    return gold


def read_run(
    given: object,
    options: TableOptions = DEFAULT_OPTIONS,
    *,
    name: str = "",
    labels: Sequence[str] = (),
    gold: GoldSet | None = None,
    encoding: str = "utf-8",
) -> Run:
    """Read the labels that one system gave.

    Parameters
    ----------
    given
        A table in any format, or a Python object: labels, probabilities, or both.
    options, labels, encoding
        As in `read_gold`.
    name
        The name of the system; the file's by default.
    gold
        Gives the ids of rows that have none, and the meaning of numbers.

    Examples
    --------
    >>> from touchstone import nli
    >>> run = nli.read_run({"1": "neutral", "2": "entailment"}, name="bert")
    >>> run.name, len(run.ids)
    ('bert', 2)
    """
    options = TableOptions(encoding=encoding) if options is DEFAULT_OPTIONS else options
    return parse_run(read_rows(given, RUN, options, name=name or "the run"), labels, gold, name)


def read_runs(paths: Sequence[str | Path], *, encoding: str = "utf-8") -> list[Run]:
    """Read the runs of several systems, named by ``NAME=FILE`` or by the name of the file.

    Parameters
    ----------
    paths
        Files, or texts of the form ``NAME=FILE`` and ``FILE:COLUMN``.
    encoding
        The encoding of text files.

    Examples
    --------
    >>> from pathlib import Path
    >>> import touchstone
    >>> from touchstone import nli
    >>> folder = Path(touchstone.__file__).parent / "examples" / "nli"
    >>> [run.name for run in nli.read_runs([folder / "careful.jsonl", f"other={folder / 'overlap.jsonl'}"])]
    ['careful', 'other']
    """
    runs = []
    for files in run_files(paths):
        options = TableOptions(files.choices("prediction", ()), encoding)
        runs.append(read_run(files.path, options, name=files.name))
        files.check_column([runs[-1].source])
    return runs


def read_answers(path: object, *, encoding: str = "utf-8") -> AnswerSheet:
    """Read what annotators answered to the three questions about each pair.

    Parameters
    ----------
    path
        A table in any format with the columns ``pair annotator q1 q2 q3``, or a Python object.
    encoding
        The encoding of text files.

    Examples
    --------
    >>> from touchstone import nli
    >>> sheet = nli.read_answers([{"pair": "1", "annotator": "ana", "q1": "no", "q2": None, "q3": "no"}])
    >>> sheet.answers[0].label
    'contradiction'
    """
    return parse_answers(read_rows(path, SHEET, TableOptions(encoding=encoding)))


def convert_file(path: str | Path, out: str | Path, options: "ConvertOptions") -> str:
    """Write pairs or a run in the format that the suffix of *out* names, and say what was written."""
    rows = read_rows(path, GOLD, options)
    refuse_absent_columns(options.column, [rows.table.source])
    kind = _kind(rows)
    suffix = Path(out).suffix
    if suffix not in SUFFIXES or kind == "answers":
        hint = f"pairs and predictions can be written as {', '.join(SUFFIXES)}"
        what = f"{kind} cannot be written in this format"
        raise TouchstoneError(what, value=str(out), code=Code.UNKNOWN_FORMAT, hint=hint)
    if kind == "predictions":
        run = parse_run(RUN.bind(rows.table, rows.chosen, rows.faults), options.label)
        write_text(out, format_run(run, suffix))
        return f"{len(run.ids):,} predictions of {run.name}"
    gold = parse_gold(rows, options.label, all_fields=True)
    gold = gold.with_two_labels() if options.labels == "two" else gold
    write_text(out, format_pairs(gold.pairs, options.names or gold.spelling, suffix))
    return f"{len(gold):,} pair{'s' * (len(gold) != 1)}{_label_remark(gold)}"


def _label_remark(gold: GoldSet) -> str:
    """Return what to know about pairs without a gold label; nothing where all have one."""
    if any(pair.annotators for pair in gold.pairs):
        ties = gold.ties
        return f", of which {ties:,} without a gold label, since no label has a majority" if ties else ""
    if len(gold.scored):
        return ""
    return f", none with a gold label; {label_hint(gold)}"


def label_hint(gold: GoldSet) -> str:
    """Return how to choose the labels of pairs that have none, with the columns that were not read."""
    further = [name for name in gold.source.columns if not GOLD.has(name)]
    columns = f"the columns {listed(further)} were not read as labels; " if further else ""
    how = "call the columns of annotators label1, label2 and so on"
    return f"{columns}choose a column with {setting('column', 'label=NAME')}, or {how}"


def _kind(rows: Rows) -> str:
    """Return what a table holds, by the names of its columns."""
    if rows.table.columns.keys() & {"q1", "q3"}:
        return "answers"
    return "pairs" if rows.columns.keys() & {"premise", "hypothesis", "annotator", "annotators"} else "predictions"
