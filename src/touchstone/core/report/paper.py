"""The paper kit of a comparison: tables, a sentence on the results, the methods and their references, in two formats.

All of it is written from what was run. Text and citations are the same in LaTeX and in Markdown; a `Cite` stands for a
citation until the format is known.
"""

from collections.abc import Sequence
from importlib.resources import files
from math import isfinite
from pathlib import Path
from re import findall, split

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.signature import short_signature
from touchstone.base.tables import MISSING, number
from touchstone.core.comparison import Comparison
from touchstone.core.comparisons import joint_signature
from touchstone.core.gating import Gate, gates_sentences
from touchstone.core.pair_tests import CORRECTION_NAMES
from touchstone.core.report.paper_text import interval_name, methods, proper_name, result_sentences, skipped_sentences
from touchstone.core.resampling import interval_heading
from touchstone.core.results import Results, Row
from touchstone.io.writing import check_suffix, make_folder, write_text
from touchstone.show.paper_formats import LATEX, MARKDOWN, Cite, Format, Text, latex_table, markdown_table, rendered
from touchstone.show.plots import decimals_for


def write_paper(
    comparisons: Comparison | Sequence[Comparison], folder: str | Path, *, gates: Gate | Sequence[Gate] = ()
) -> None:
    """Write the table, a methods paragraph and the references for a paper.

    Parameters
    ----------
    comparisons
        The result of `touchstone.compare`, or several of the same results under different measures.
    folder
        The folder to write to; it is created if it does not exist.
    gates
        What `touchstone.gate` returned for these comparisons: the sentence on the results begins with the verdict.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import touchstone
    >>> results = touchstone.items.score({"a": {"q1": 1.0, "q2": 0.5}, "b": {"q1": 0.5, "q2": 0.0}})
    >>> with TemporaryDirectory() as folder:
    ...     touchstone.write_paper(touchstone.compare(results), folder)
    ...     sorted(path.name for path in Path(folder).glob("*.tex"))
    ['methods.tex', 'pairs.tex', 'results.tex', 'table.tex']
    """
    several = [comparisons] if isinstance(comparisons, Comparison) else comparisons
    listed = isinstance(several, list | tuple) and bool(several)
    if not listed or not all(isinstance(each, Comparison) for each in several):
        kind = type(comparisons).__name__
        what = f"a {kind} has no paper kit"
        raise TouchstoneError(what, code=Code.BAD_VALUE, hint="give what touchstone.compare(results) returns")
    check_suffix(folder, "paper kit")
    written = paper_files(several, [gates] if isinstance(gates, Gate) else gates)
    make_folder(folder)
    for name, text in written.items():
        write_text(Path(folder) / name, text)


def paper_files(comparisons: Sequence[Comparison], gates: Sequence[Gate] = ()) -> dict[str, str]:
    """Return ``table``, ``pairs``, ``results`` and ``methods`` in LaTeX and Markdown, and ``references.bib``, by file.

    Parameters
    ----------
    comparisons
        What was compared, one for each measure; the first orders the systems.
    gates
        Gates on the comparisons, whose verdict opens the results.
    """
    described = methods(comparisons)
    results_text = " ".join([*gates_sentences(gates), result_sentences(comparisons)])
    task = comparisons[0].results.task
    caption, pairs = _caption(comparisons), _pairs_caption(comparisons)
    contents = {}
    for form, suffix in ((LATEX, "tex"), (MARKDOWN, "md")):
        tables = (
            ("table", ["System", *_heads(comparisons, form)], _rows(comparisons, form), 1, caption),
            ("pairs", _pair_heads(comparisons, form), _pair_rows(comparisons, form), 2, pairs),
        )
        for name, heads, rows, texts, below in tables:
            label = task if name == "table" else f"{task}-{name}"
            contents[f"{name}.{suffix}"] = (
                latex_table(heads, rows, texts, below, label)
                if form is LATEX
                else markdown_table(heads, rows, texts, below)
            )
        contents[f"results.{suffix}"] = f"{form.text(results_text)}\n"
        contents[f"methods.{suffix}"] = f"{rendered(described, form)}\n"
    return contents | {"references.bib": _references(described, comparisons[0].results)}


def _heads(comparisons: Sequence[Comparison], form: Format) -> list[str]:
    lower = [comparison.results.measure(comparison.measure).lower_is_better for comparison in comparisons]
    return [
        f"{form.text(proper_name(comparison.results, comparison.measure))}{f' {form.lower}' * less}"
        for comparison, less in zip(comparisons, lower, strict=True)
    ]


def _rows(comparisons: Sequence[Comparison], form: Format) -> list[list[str]]:
    """Return a line for each system, the best under the first measure first; then the baselines, without letters."""
    letters = [comparison.letters if _several(comparisons) else {} for comparison in comparisons]
    values = [{row.system: row for row in (*comparison.standings, *comparison.baselines)} for comparison in comparisons]
    return [
        [
            form.text(first.system),
            *(
                _cell(comparison, rows[first.system], marks.get(first.system, ""), form)
                for comparison, rows, marks in zip(comparisons, values, letters, strict=True)
            ),
        ]
        for first in (*comparisons[0].standings, *comparisons[0].baselines)
    ]


def _cell(comparison: Comparison, row: Row, letters: str, form: Format) -> str:
    """Return a value, bold where it is the best, with its letters and its interval."""
    if not isfinite(row.value):
        return MISSING
    decimals = decimals_for(each.value for each in comparison.standings)
    value = form.text(number(row.value, decimals))
    best = row.value == comparison.standings[0].value
    ends = f"[{number(row.low, decimals)}, {number(row.high, decimals)}]" if isfinite(row.low) else ""
    marked = f"{form.bold(value) if best else value}{form.letters(letters) if letters else ''}"
    return f"{marked} {form.text(ends)}" if ends else marked


def _several(comparisons: Sequence[Comparison]) -> bool:
    """Whether there is more than one pair of systems: letters and corrections mean nothing for a single one."""
    return len(comparisons[0].pairs) > 1


def _pair_heads(comparisons: Sequence[Comparison], form: Format) -> list[str]:
    how = comparisons[0].results.resampling
    ends = [] if how.method == "none" else [form.text(interval_heading(how.level))]
    corrected = [f"p ({CORRECTION_NAMES[comparisons[0].correction]})"] if _several(comparisons) else []
    return ["Measure", "Pair", "Difference", *ends, "p", *corrected]


def _pair_rows(comparisons: Sequence[Comparison], form: Format) -> list[list[str]]:
    """Return a line for each pair of systems under each measure."""
    rows = []
    several = _several(comparisons)
    for comparison in comparisons:
        decimals = decimals_for(row.value for row in comparison.standings)
        for pair in comparison.pairs:
            ends = f"[{number(pair.low, decimals)}, {number(pair.high, decimals)}]" if isfinite(pair.low) else MISSING
            interval_cells = [ends] if comparison.results.resampling.method != "none" else []
            chances = [_p(pair.p), *([_p(pair.p_adjusted)] if several else [])]
            name = proper_name(comparison.results, comparison.measure) if pair is comparison.pairs[0] else ""
            cells = [name, f"{pair.a} – {pair.b}", number(pair.difference, decimals), *interval_cells, *chances]
            rows.append([form.text(cell) for cell in cells])
    return rows


def _p(p: float) -> str:
    return MISSING if not isfinite(p) else "< 0.001" if p < 0.001 else number(p)


def _caption(comparisons: Sequence[Comparison]) -> str:
    """Return what the table shows, how its intervals and letters were made, and the short signature."""
    first = comparisons[0]
    results = first.results
    intervals = [f"Brackets: {interval_name(results)}."] if results.resampling.method != "none" else []
    lower = (
        " An arrow: lower is better."
        if any(results.measure(comparison.measure).lower_is_better for comparison in comparisons)
        else ""
    )
    systems, baselines = (len(each) for each in (first.standings, first.baselines))
    beside = f" and {baselines} baseline{'s' * (baselines > 1)}" * bool(baselines)
    letters = (
        f"Systems that share a letter do not differ significantly ({first.test}; "
        f"{CORRECTION_NAMES[first.correction]} correction, adjusted p < 0.05)."
    )
    return " ".join(
        [
            f"{systems} systems{beside} on {len(results):,} items. The best value is bold.{lower}",
            *intervals,
            *([letters] if _several(comparisons) else []),
            *skipped_sentences(comparisons),
            f"Signature: {short_signature(joint_signature(comparisons))}.",
        ]
    )


def _pairs_caption(comparisons: Sequence[Comparison]) -> str:
    """Return how the differences were tested."""
    first = comparisons[0]
    how = "jackknife t" if first.results.resampling.method == "jackknife" else "percentile bootstrap"
    ends = f" Brackets: {how} intervals." if first.results.resampling.method != "none" else ""
    over = f"; p adjusted over {len(first.pairs):,} pairs by {CORRECTION_NAMES[first.correction]}" * _several(
        comparisons
    )
    return f"Differences between systems, the first minus the second: {first.test}{over}.{ends}"


def _references(text: Text, results: Results) -> str:
    """Return the entries that the *text* cites, in the order of the file."""
    used = {key for part in text if isinstance(part, Cite) for key in part.keys}
    bibliography = files("touchstone.core.report").joinpath("references.bib").read_text("utf-8")
    entries = [entry.strip() for entry in split(r"\n(?=@)", bibliography)]
    cited = [entry for entry in entries if findall(r"@\w+\{([^,]+),", entry)[0] in used]
    return "\n\n".join(cited).replace("VERSION", results.signature.get("touchstone", "")) + "\n"
