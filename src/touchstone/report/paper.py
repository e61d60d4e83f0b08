"""The paper kit of a comparison: a table, a paragraph on the methods and its references, in LaTeX and Markdown.

All of it is written from what was run. Text and citations are the same in both formats; a `Cite` stands for a citation
until the format is known.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from math import isfinite
from pathlib import Path
from re import findall, split

from touchstone.core.comparison import CORRECTION_NAMES, Comparison, joint_signature
from touchstone.core.measures import parse_name
from touchstone.core.results import Results, Row
from touchstone.core.signature import short_signature
from touchstone.core.tables import MISSING, latex_text, markdown_text, number
from touchstone.io.writing import make_folder, write_text
from touchstone.report.plots import decimals_for
from touchstone.report.verdict import listed

PAPER = "jabbari-2010"
MEASURES = {
    "lexsub": {
        "els07": "mccarthy-navigli-2007",
        "gap": "kishida-2005",
        **dict.fromkeys(("best", "best1", "P", "R", "F", "rank@"), PAPER),
    },
    "mt": {
        "bleu": "papineni-2002 post-2018",
        "chrf": "popovic-2015 post-2018",
        "ter": "snover-2006 post-2018",
        "maxsim": "chan-ng-2008",
        "meteor": "banerjee-lavie-2005",
        "paraeval": "zhou-2006",
    },
    "pyramid": {"pyramid.modified": "passonneau-2006", "pyramid": "nenkova-passonneau-2004", "scu": "passonneau-2006"},
    "nli": {"ece": "guo-2017", "brier": "brier-1950"},
}
"""Keys of `references.bib` by task and family of measures; a family stands for those below it, such as els07.best."""


@dataclass(frozen=True)
class Cite:
    """A citation of some entries of `references.bib`."""

    keys: tuple[str, ...]


Text = Sequence[str | Cite]
"""Running text with citations in it."""


@dataclass(frozen=True)
class _Format:
    """How a format writes what a table and a paragraph need."""

    text: Callable[[str], str]
    cite: Callable[[Sequence[str]], str]
    bold: Callable[[str], str]
    letters: Callable[[str], str]
    lower: str


LATEX = _Format(
    text=latex_text,
    cite=lambda keys: rf"~\cite{{{','.join(keys)}}}",
    bold=lambda text: rf"\textbf{{{text}}}",
    letters=lambda text: rf"\textsuperscript{{{text}}}",
    lower=r"$\downarrow$",
)
MARKDOWN = _Format(
    text=markdown_text,
    cite=lambda keys: f" [{'; '.join(f'@{key}' for key in keys)}]",
    bold=lambda text: f"**{text}**",
    letters=lambda text: f"<sup>{text}</sup>",
    lower="↓",
)


def write_paper(folder: str | Path, comparisons: Sequence[Comparison]) -> None:
    """Write the files of `paper_files` into a *folder*, which is made where it is not there."""
    written = paper_files(comparisons)
    make_folder(folder)
    for name, text in written.items():
        write_text(Path(folder) / name, text)


def paper_files(comparisons: Sequence[Comparison]) -> dict[str, str]:
    """Return ``table`` and ``methods`` in LaTeX and Markdown, and ``references.bib``, by the names of the files.

    Parameters
    ----------
    comparisons
        What was compared, one for each measure; the first orders the systems.
    """
    methods = _methods(comparisons)
    return {
        "table.tex": _latex_table(comparisons),
        "table.md": _markdown_table(comparisons),
        "methods.tex": f"{_rendered(methods, LATEX)}\n",
        "methods.md": f"{_rendered(methods, MARKDOWN)}\n",
        "references.bib": _references(methods, comparisons[0].results),
    }


def _rendered(text: Text, form: _Format) -> str:
    return "".join(form.cite(part.keys) if isinstance(part, Cite) else form.text(part) for part in text)


def _latex_table(comparisons: Sequence[Comparison]) -> str:
    rows = [rf"{' & '.join(row)} \\" for row in _rows(comparisons, LATEX)]
    task = comparisons[0].results.task
    lines = [
        "% Needs \\usepackage{booktabs}.",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex_text(_caption(comparisons))}}}",
        rf"\label{{tab:{task}}}",
        rf"\begin{{tabular}}{{l{'r' * len(comparisons)}}}",
        r"\toprule",
        rf"{' & '.join(['System', *_heads(comparisons, LATEX)])} \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _markdown_table(comparisons: Sequence[Comparison]) -> str:
    heads = ["System", *_heads(comparisons, MARKDOWN)]
    lines = [heads, [":--", *["--:"] * len(comparisons)], *_rows(comparisons, MARKDOWN)]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{table}\n\n{markdown_text(_caption(comparisons))}\n"


def _heads(comparisons: Sequence[Comparison], form: _Format) -> list[str]:
    lower = [one.results.measure(one.measure).lower_is_better for one in comparisons]
    return [f"{form.text(one.measure)}{f' {form.lower}' * less}" for one, less in zip(comparisons, lower, strict=True)]


def _rows(comparisons: Sequence[Comparison], form: _Format) -> list[list[str]]:
    """Return a line for each system, the best under the first measure first; then the baselines, without letters."""
    letters = [one.letters for one in comparisons]
    values = [{row.system: row for row in (*one.standings, *one.baselines)} for one in comparisons]
    return [
        [
            form.text(first.system),
            *(
                _cell(one, rows[first.system], marks.get(first.system, ""), form)
                for one, rows, marks in zip(comparisons, values, letters, strict=True)
            ),
        ]
        for first in (*comparisons[0].standings, *comparisons[0].baselines)
    ]


def _cell(comparison: Comparison, row: Row, letters: str, form: _Format) -> str:
    """Return a value, bold where it is the best, with its letters and its interval."""
    if not isfinite(row.value):
        return MISSING
    decimals = decimals_for(each.value for each in comparison.standings)
    value = form.text(number(row.value, decimals))
    best = row.value == comparison.standings[0].value
    ends = f"[{number(row.low, decimals)}, {number(row.high, decimals)}]" if isfinite(row.low) else ""
    marked = f"{form.bold(value) if best else value}{form.letters(letters) if letters else ''}"
    return f"{marked} {form.text(ends)}" if ends else marked


def _caption(comparisons: Sequence[Comparison]) -> str:
    """Return what the table shows, how its intervals and letters were made, and the short signature."""
    results = comparisons[0].results
    intervals = [f"Brackets: {_interval_name(results)}."] if results.resampling.method != "none" else []
    lower = (
        " An arrow: lower is better."
        if any(results.measure(one.measure).lower_is_better for one in comparisons)
        else ""
    )
    systems, baselines = (len(each) for each in (comparisons[0].standings, comparisons[0].baselines))
    beside = f" and {baselines} baseline{'s' * (baselines > 1)}" * bool(baselines)
    return " ".join(
        [
            f"{systems} systems{beside} on {len(results):,} items. The best value is bold.{lower}",
            *intervals,
            f"Systems that share a letter do not differ significantly ({comparisons[0].test}; "
            f"{CORRECTION_NAMES[comparisons[0].correction]} correction, adjusted p < 0.05).",
            f"Signature: {short_signature(joint_signature(comparisons))}.",
        ]
    )


def _interval_name(results: Results) -> str:
    how = results.resampling
    level = f"{how.level:.0%}"
    if how.method == "jackknife":
        return f"{level} jackknife t intervals over {how.over}"
    kind = "BCa" if how.method == "bca" else "percentile"
    return f"{level} {kind} bootstrap intervals over {how.over}, {how.draws:,} draws"


def _methods(comparisons: Sequence[Comparison]) -> list[str | Cite]:
    """Return the paragraph on the methods: what was scored, under which measures, with which intervals and tests."""
    results = comparisons[0].results
    systems, baselines = ([row.system for row in each] for each in (comparisons[0].standings, comparisons[0].baselines))
    names = listed(systems, most=6)
    text: list[str | Cite] = [f"We compare {len(systems)} systems ({names}) on {len(results):,} items"]
    text += [f", beside a baseline ({', '.join(baselines)}),"] if baselines else []
    text += [f" with Touchstone {results.signature.get('touchstone', '')}", Cite(("touchstone",))]
    text.append(". Systems are scored by ")
    for place, comparison in enumerate(comparisons):
        text += [
            _joint(place, len(comparisons)),
            comparison.measure,
            *_cited(_source(results.task, comparison.measure)),
        ]
    text.append(". ")
    if results.resampling.method != "none":
        jackknife = results.resampling.method == "jackknife"
        text += [
            f"Values have {_interval_name(results)}",
            Cite(("miller-1974" if jackknife else "efron-tibshirani-1993",)),
        ]
        text.append(_clustering(results))
    permutation = "permutation" in comparisons[0].test
    pairs = len(comparisons[0].pairs)
    text += [
        f"Differences between systems are tested on the same items by a {comparisons[0].test}",
        Cite(("noreen-1989" if permutation else "efron-tibshirani-1993",)),
        f", and p values are adjusted for {pairs:,} pair{'s' * (pairs > 1)} "
        f"by the method of {CORRECTION_NAMES[comparisons[0].correction]}",
        Cite(("holm-1979" if comparisons[0].correction == "holm" else "benjamini-hochberg-1995",)),
        ". Letters mark systems that do not differ at the level of 0.05",
        Cite(("piepho-2004",)),
        f". The signature of the scores is {short_signature(joint_signature(comparisons))}.",
    ]
    return text


def _clustering(results: Results) -> str:
    if results.resampling.cluster is None:
        return ". "
    return f"; items with the same {results.resampling.cluster} are resampled and swapped as a whole. "


def _joint(place: int, length: int) -> str:
    return "" if place == 0 else " and " if place == length - 1 else ", "


def _source(task: str, measure: str) -> str:
    """Return the keys of the papers that a measure comes from; none for a common one."""
    family = parse_name(measure)[0]
    known: Mapping[str, str] = MEASURES.get(task, {})
    return next((keys for name, keys in known.items() if family == name or family.startswith(f"{name}.")), "")


def _cited(keys: str) -> list[Cite]:
    return [Cite(tuple(keys.split()))] if keys else []


def _references(methods: Text, results: Results) -> str:
    """Return the entries that the *methods* cite, in the order of the file."""
    used = {key for part in methods if isinstance(part, Cite) for key in part.keys}
    text = files("touchstone.report").joinpath("references.bib").read_text("utf-8")
    entries = [entry.strip() for entry in split(r"\n(?=@)", text)]
    kept = [entry for entry in entries if findall(r"@\w+\{([^,]+),", entry)[0] in used]
    return "\n\n".join(kept).replace("VERSION", results.signature.get("touchstone", "")) + "\n"
