"""How the paper kit is written in LaTeX and in Markdown: text, citations and tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from touchstone.base.tables import latex_text, markdown_text


@dataclass(frozen=True)
class Cite:
    """A citation of some entries of `references.bib`."""

    keys: tuple[str, ...]


Text = Sequence[str | Cite]
"""Running text with citations in it."""


@dataclass(frozen=True)
class Format:
    """How a format writes what a table and a paragraph need."""

    text: Callable[[str], str]
    cite: Callable[[Sequence[str]], str]
    bold: Callable[[str], str]
    letters: Callable[[str], str]
    lower: str


LATEX = Format(
    text=latex_text,
    cite=lambda keys: rf"~\cite{{{','.join(keys)}}}",
    bold=lambda text: rf"\textbf{{{text}}}",
    letters=lambda text: rf"\textsuperscript{{{text}}}",
    lower=r"$\downarrow$",
)
MARKDOWN = Format(
    text=markdown_text,
    cite=lambda keys: f" [{'; '.join(f'@{key}' for key in keys)}]",
    bold=lambda text: f"**{text}**",
    letters=lambda text: f"<sup>{text}</sup>",
    lower="↓",
)


def rendered(text: Text, form: Format) -> str:
    """Return running text with its citations."""
    return "".join(form.cite(part.keys) if isinstance(part, Cite) else form.text(part) for part in text)


def latex_table(heads: Sequence[str], rows: Sequence[Sequence[str]], texts: int, caption: str, label: str) -> str:
    """Return a table for the package booktabs; the first columns are *texts*, the others numbers."""
    lines = [
        "% Needs \\usepackage{booktabs}.",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex_text(caption)}}}",
        rf"\label{{tab:{label}}}",
        rf"\begin{{tabular}}{{{'l' * texts}{'r' * (len(heads) - texts)}}}",
        r"\toprule",
        rf"{' & '.join(heads)} \\",
        r"\midrule",
        *(rf"{' & '.join(row)} \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]], texts: int, caption: str) -> str:
    """Return a pipe table with its caption below; the first columns are *texts*, the others numbers."""
    aligned = [":--"] * texts + ["--:"] * (len(heads) - texts)
    table = "\n".join(f"| {' | '.join(line)} |" for line in (heads, aligned, *rows))
    return f"{table}\n\n{markdown_text(caption)}\n"
