"""The output of one system: translations joined with the segments of the gold, with their analyses and roles."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.files import Source
from touchstone.base.ids import Ids
from touchstone.base.spelling import setting
from touchstone.io.runs import RunFiles
from touchstone.tasks.mt.about import OF_REFERENCES, Options
from touchstone.tasks.mt.formats.analyses import inline_analyses, read_analyses
from touchstone.tasks.mt.formats.cleaning import clean
from touchstone.tasks.mt.formats.matching import joined_by_text, row_id
from touchstone.tasks.mt.formats.tables import RUN, SegmentRows, read_segments
from touchstone.tasks.mt.model import GoldSet, Run
from touchstone.tasks.mt.roles import read_roles
from touchstone.tasks.mt.texts import GivenAnalyses, Role, Texts
from touchstone.text import Analyser

PathLike = str | Path

_LISTS = "a list of lists has the references of each segment in a list of their own"


def read_run(files: RunFiles, gold: GoldSet, options: Options | None = None) -> Run:
    """Read the output of one system; it is joined by id where a table has ids, else line by line.

    Parameters
    ----------
    files
        The file or Python object, and the name of the system.
    gold
        The references.
    options
        How to read it, and analyses and roles of its texts.

    Examples
    --------
    >>> from touchstone import mt
    >>> from touchstone.io.runs import RunFiles
    >>> gold = mt.read_gold([["The cat sat.", "It rained."]])
    >>> run = mt.read_run(RunFiles("mine", (["The cat sits.", "It rains."],)), gold)
    >>> run.name, run.texts[1]
    ('mine', 'It rains.')
    """
    options = options or Options()
    part = read_segments(files.path, options, RUN, files.name)
    source, path = part.source, part.source.path
    reference_paths = {reference.path.resolve() for reference in gold.sources if reference.path}
    if part.from_lines and path and path.resolve() in reference_paths:
        what = "this file is a reference and a run"
        raise TouchstoneError(what, file=source.name, code=Code.DUPLICATE_NAME, hint="leave one of them out")
    part = joined_by_text(_of_system(part, files.name), gold, options)
    rows = part.rows
    if part.ordered and part.table is not None:
        part.table.check_order()
    if part.ordered and len(rows) != len(gold):
        counted = "lines" if part.from_lines else "rows without ids"
        what = f"{len(rows):,} {counted} where the references have {len(gold):,}"
        names = ", ".join(reference.name for reference in gold.sources)
        hint = f"{'line' if part.from_lines else 'row'} n of a run translates segment n of the references ({names})"
        raise TouchstoneError(
            what, file=source.name, hint=hint if source.digest else f"{hint}; {_LISTS}", code=Code.MISMATCH
        )
    unnumbered = part.ordered and list(gold.ids) != [str(row) for row in range(1, len(gold) + 1)]
    if unnumbered and not part.from_lines and part.further:
        choice = setting("column", "id=NAME")
        hint = f"the references have ids; choose their column here with {choice}, of {', '.join(part.further)}"
        raise TouchstoneError("no column 'id'", file=source.name, code=Code.NO_COLUMN, hint=hint)
    texts, notes = cleaned([row.texts[0] for row in rows], options, Path(source.name).name)
    if part.ordered:
        order = [f"{files.name}: no ids, so translations are joined in the order of the segments"]
        order = order if unnumbered or (part.table is not None and not _is_values(files.path)) else []
        remarks = [*part.remarks, *order]
        return run_of_texts(files.name, texts, source, options, (*part.notes, *notes), gold.analysed, remarks=remarks)
    ids = [row_id(row, gold.rows) for row in rows]
    # The first row of each id, which counts where the policy allows duplicates.
    first = {segment: index for index, segment in reversed([*enumerate(ids)]) if texts[index] is not None}
    column = [texts[first[segment]] if segment in first else None for segment in gold.ids]
    present = [(segment, row.line) for segment, row, text in zip(ids, rows, texts, strict=True) if text is not None]
    present_ids = Ids(source.name, [segment for segment, _ in present], [line for _, line in present])
    return run_of_texts(files.name, column, source, options, notes, gold.analysed, present_ids, part.remarks)


def named_files(entries: Iterable[PathLike], suffix: str) -> dict[str, Path]:
    """Return files by name.

    Parameters
    ----------
    entries
        ``NAME=FILE`` texts, and folders, whose files are named by what comes before the *suffix*.
    suffix
        The suffix of files in folders that count.

    Examples
    --------
    >>> named_files(["mine=out/a.conllu"], ".conllu")
    {'mine': PosixPath('out/a.conllu')}
    """
    files: dict[str, Path] = {}
    for text in entries:
        if Path(text).is_dir():
            pairs = [(path.name.removesuffix(suffix), path) for path in sorted(Path(text).glob(f"*{suffix}"))]
        else:
            name, equals, path = str(text).partition("=")
            if not (name and equals and path):
                raise TouchstoneError("not of the form NAME=FILE", value=str(text), code=Code.BAD_VALUE)
            pairs = [(name, Path(path))]
        for name, file in pairs:
            if name in files:
                what = "two files have the same name"
                raise TouchstoneError(what, value=name, code=Code.DUPLICATE_NAME, hint="give each its own name")
            files[name] = file
    return files


def _is_values(value: object) -> bool:
    """Return whether an object has translations alone, in their order, as plain text has them: it is no table."""
    if isinstance(value, list | tuple):
        return not any(isinstance(text, Mapping) for text in value)
    return not isinstance(value, PathLike | Mapping) and not hasattr(value, "columns")


def _of_system(part: SegmentRows, name: str) -> SegmentRows:
    """Return the rows of the system of that *name*, or all where the table holds one system only."""
    systems = list(dict.fromkeys(str(row.system) for row in part.rows)) if part.named else []
    if name in systems:
        indices = [index for index, row in enumerate(part.rows) if row.system == name]
        table = part.table and part.table.take(indices)
        return replace(part, rows=[part.rows[index] for index in indices], table=table)
    if len(systems) > 1:
        hint = f"give one of its systems by its name, NAME={part.source.name}: {', '.join(systems)}"
        near = nearest(name, systems)
        what = "a table of several systems"
        raise TouchstoneError(what, file=part.source.name, value=name, near=near, code=Code.AMBIGUOUS, hint=hint)
    return part


def cleaned(texts: Sequence[str | None], options: Options, name: str) -> tuple[list[str | None], list[str]]:
    """Return texts as the options ask for them, None if one is missing, and notes."""
    present, notes = clean([text for text in texts if text is not None], options, name)
    remaining = iter(present)
    return [None if text is None else next(remaining) for text in texts], notes


def run_of_texts(
    name: str,
    column: Sequence[str | None],
    source: Source,
    options: Options,
    notes: Sequence[str],
    analysed: GivenAnalyses | None,
    ids: Ids | None = None,
    remarks: Sequence[str] = (),
) -> Run:
    """Return the run of translations in the order of the gold, with their analyses and roles."""
    analyses = {} if analysed else named_files(options.system_analyses, ".conllu")
    roles = named_files(options.system_roles, ".jsonl")
    for what, files, of_gold in (("analyses", analyses, options.ref_analyses), ("roles", roles, options.ref_roles)):
        if (files or of_gold) and name not in files:
            near = nearest(name, files)
            hint = f"give {what} of every reference and every system, or of none"
            if f"{name}=" == OF_REFERENCES:
                hint = "ref= stands for the references: give this system another name, NAME=FILE"
            raise TouchstoneError(
                f"no {what} of this system", value=name, near=near, code=Code.OPTION_NEEDED, hint=hint
            )
    texts, further = analysed_texts(column, source, options, analysed, analyses.get(name), roles.get(name))
    return Run(name, texts, source, further, tuple(notes), ids, tuple(remarks))


def analysed_texts(
    segments: Sequence[str | None],
    source: Source,
    options: Options,
    analysed: GivenAnalyses | None,
    trees_path: PathLike | None = None,
    roles_path: PathLike | None = None,
) -> tuple[Texts, tuple[Source, ...]]:
    """Return segments with their analyses and roles, where there are any, and the files of these."""
    analyser: Analyser | None = None
    roles: Sequence[tuple[Role, ...]] | None = None
    further: list[Source] = []
    if options.inline:
        analyser = inline_analyses(segments, source.name)
    elif analysed is not None:
        analyser = analysed.of(segments, source.name)
        further.append(analysed.source)
    elif trees_path is not None:
        analyser, trees_source = read_analyses(trees_path, segments)
        further.append(trees_source)
    if roles_path is not None:
        roles, roles_source = read_roles(roles_path, len(segments))
        further.append(roles_source)
    return Texts(segments, analyser, source, roles), tuple(further)
