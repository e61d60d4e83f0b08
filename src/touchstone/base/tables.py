"""A table as plain data, and its looks: terminal, Markdown, LaTeX, HTML.

Whatever a cell holds is text to be shown, never markup: each look escapes for its own medium.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from html import escape
from math import isfinite, isnan
from numbers import Integral
from typing import TYPE_CHECKING, Literal

from touchstone.base.errors import TouchstoneError, visible

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table as RichTable

Cell = str | int | float | None

MISSING = "–"
"""What is shown where there is no value."""


@dataclass(frozen=True)
class Column:
    """A heading, and the side that its cells keep to: words left, numbers right."""

    header: str
    align: Literal["left", "right"] = "left"


@dataclass(frozen=True, repr=False)
class Table:
    """Rows of cells under headed columns; *bold* marks cells (row, column), *rules* open a group at a row.

    A cell is a string, an integer (shown with thousands separators), a float (shown by `number`) or None.

    Examples
    --------
    >>> scores = Table(
    ...     columns=(Column("system"), Column("best1", "right"), Column("n", "right")),
    ...     rows=[("bow", 0.4375, 1696), ("lm_2", None, 1696)],
    ...     bold={(0, 1)},
    ... )
    >>> print(scores.to_text())
    system  best1      n
    ────────────────────
    bow     0.438  1,696
    lm_2        –  1,696
    >>> print(scores.to_markdown())
    | system | best1 | n |
    | :-- | --: | --: |
    | bow | **0.438** | 1,696 |
    | lm_2 | – | 1,696 |
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    title: str = ""
    notes: Sequence[str] = ()
    bold: "frozenset[tuple[int, int]] | set[tuple[int, int]]" = frozenset()
    rules: "frozenset[int] | set[int]" = frozenset()

    def __post_init__(self) -> None:
        for row_number, row in enumerate(self.rows, 1):
            if len(row) != len(self.columns):
                raise TouchstoneError(f"row {row_number} has {len(row)} cells under {len(self.columns)} columns")

    def to_rich(self) -> "Group":
        """Return a renderable for a rich console, which finds the width and drops colours where none belong."""
        return _rich(self)

    def to_text(self, width: int | None = None) -> str:
        """Return plain text, cells wrapped to fit *width*; by default as wide as it needs."""
        return _text(self, width)

    def to_markdown(self) -> str:
        """Return a pipe table, as GitHub and most converters read it."""
        return _markdown(self)

    def to_latex(self) -> str:
        r"""Return a table for the LaTeX package booktabs.

        Examples
        --------
        >>> print(Table([Column("a&b"), Column("p", "right")], [["50% of $x_1$", -0.5]]).to_latex())
        \begin{table}
        \centering
        \begin{tabular}{lr}
        \toprule
        a\&b & p \\
        \midrule
        50\% of \$x\_1\$ & $-$0.500 \\
        \bottomrule
        \end{tabular}
        \end{table}
        """
        return _latex(self)

    def to_html(self) -> str:
        """Return a semantic HTML table that stands in a notebook or a page."""
        return _html(self)

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.to_html()

    def __html__(self) -> str:
        return self.to_html()


def number(value: float | None, decimals: int = 3) -> str:
    """Return *value* rounded half up from its shortest decimal form; '–' for None and nan.

    Half up, because a reader who checks 0.0625 by hand writes 0.063; there is no minus on a zero.

    >>> number(0.0625), number(2 / 3, 1), number(-0.0001), number(None), number(float("nan"))
    ('0.063', '0.7', '0.000', '–', '–')
    """
    if value is None or isnan(value):
        return MISSING
    if not isfinite(value):
        return "∞" if value > 0 else "-∞"
    step = Decimal(1).scaleb(-decimals)
    rounded = Decimal(repr(float(value))).quantize(step, ROUND_HALF_UP, _WIDE)
    return f"{abs(rounded) if rounded.is_zero() else rounded:f}"


def number_beside(value: float | None, bound: float, decimals: int = 3) -> str:
    """Return *value* with as many decimals as tell it from a *bound* that it is compared with.

    >>> number_beside(0.0503, 0.05), number_beside(0.0496, 0.05), number_beside(0.05, 0.05), number_beside(0.1, 0.05)
    ('0.0503', '0.0496', '0.050', '0.100')
    """
    if value is None or not isfinite(value) or value == bound:
        return number(value, decimals)
    while number(value, decimals) == number(bound, decimals):
        decimals += 1
    return number(value, decimals)


def p_text(p: float, level: float = 0.05) -> str:
    """Return *p* with four decimals, or that it is smaller; with more where they tell it from the *level*.

    >>> p_text(0.05), p_text(1e-9), p_text(0.04998)
    ('0.0500', '< 0.0001', '0.04998')
    """
    return "< 0.0001" if p < 0.0001 else number_beside(p, level, 4)


_WIDE = Context(prec=400)  # room for every float with its decimals: quantize refuses to round silently


def display_text(cell: Cell) -> str:
    """Return the text of a cell, as every format shows it."""
    if isinstance(cell, str):
        return visible(cell)
    if isinstance(cell, Integral):
        return f"{cell:,}"
    return number(cell)


def aligned(cell: Cell, column: Column) -> str:
    """Return what is shown of *cell*, in a column of numbers with true minus signs: for media that print them."""
    text = display_text(cell)
    return true_minus(text) if column.align == "right" else text


def true_minus(text: str) -> str:
    """Return *text* with minus signs, not hyphens, before its numbers.

    >>> true_minus("0.3 (-0.1 to 0.7) of T5-11B")
    '0.3 (−0.1 to 0.7) of T5-11B'
    """
    return re.sub(r"(?<![\w.-])-(?=[\d.∞])", "−", text)


def counted(n: int, thing: str) -> str:
    """Return a number of things in words.

    >>> counted(1, "item"), counted(3003, "item"), counted(2, "summary")
    ('1 item', '3,003 items', '2 summaries')
    """
    many = f"{thing[:-1]}ies" if thing.endswith("y") else f"{thing}s"
    return f"{n:,} {thing if n == 1 else many}"


def listed(names: Sequence[str], most: int = 3) -> str:
    """Return names in a row, of many the first ones.

    >>> listed(["a", "b", "c"]), listed(list("abcdef"))
    ('a, b and c', 'a, b and 4 others')
    """
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _rich(table: Table) -> "Group":
    from rich.console import Group
    from rich.text import Text

    # Beside the grid, not its title and caption: those would wrap at the width of a narrow table.
    title = [Text(visible(table.title) + "\n", "bold")] if table.title else []
    notes = [Text("\n".join(["", *map(visible, table.notes)]), "dim")] if table.notes else []
    return Group(*title, _rich_grid(table), *notes)


def _rich_grid(table: Table) -> "RichTable":
    from rich.box import Box
    from rich.table import Table as RichTable
    from rich.text import Text

    # Rich reads eight lines: top, head, head rule, middle, row rule, foot rule, foot, bottom.
    quiet = Box("    \n    \n ── \n    \n ── \n    \n    \n    \n")
    grid = RichTable(box=quiet, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for column in table.columns:
        right = column.align == "right"
        grid.add_column(Text(visible(column.header)), justify=column.align, no_wrap=right, overflow="fold")
    for i, row in enumerate(table.rows):
        if i and i in table.rules:
            grid.add_section()
        grid.add_row(*(Text(display_text(cell), "bold" * ((i, j) in table.bold)) for j, cell in enumerate(row)))
    return grid


def _text(table: Table, width: int | None) -> str:
    from io import StringIO

    from rich.console import Console

    out = StringIO()
    unbounded = 100_000
    # Never as in a notebook: there rich would show the table beside the text that is asked for, and return none.
    console = Console(
        file=out, width=width or unbounded, color_system=None, force_terminal=False, force_jupyter=False, _environ={}
    )
    console.print(_rich(table))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def _markdown(table: Table) -> str:
    head = [markdown_text(column.header) for column in table.columns]
    dashes = ["--:" if column.align == "right" else ":--" for column in table.columns]
    body = [
        [_markdown_cell(cell, (i, j) in table.bold) for j, cell in enumerate(row)] for i, row in enumerate(table.rows)
    ]
    lines = [f"| {' | '.join(cells)} |" for cells in (head, dashes, *body)]  # Markdown has no rule between rows
    before = [f"**{markdown_text(table.title)}**", ""] if table.title else []
    after = [line for note in table.notes for line in ("", markdown_text(note))]
    return "\n".join([*before, *lines, *after])


def _markdown_cell(cell: Cell, bold: bool) -> str:
    text = markdown_text(display_text(cell))
    return f"**{text}**" if bold else text


def markdown_text(text: str) -> str:
    """Return *text* with what Markdown would read as markup escaped; a_b and [0.1, 0.2] stay as they are."""
    text = re.sub(r"[\\|`*~]|(?<!\w)_|_(?!\w)|(?<=\])[(:\[]", r"\\\g<0>", visible(text))
    return re.sub(r"&(?=#?\w+;)", "&amp;", text).replace("<", "&lt;")


def _latex(table: Table) -> str:
    sides = "".join(column.align[0] for column in table.columns)
    head = " & ".join(latex_text(column.header) for column in table.columns)
    lines = [rf"\begin{{tabular}}{{{sides}}}", r"\toprule", rf"{head} \\", r"\midrule"]
    for i, row in enumerate(table.rows):
        if i and i in table.rules:
            lines.append(r"\midrule")
        lines.append(rf"{' & '.join(_latex_cell(table, i, j, cell) for j, cell in enumerate(row))} \\")
    caption = [rf"\caption{{{latex_text(table.title)}}}"] if table.title else []
    notes = [rf"\par {{\footnotesize {latex_text(note)}}}" for note in table.notes]
    after = [r"\bottomrule", r"\end{tabular}", *notes, r"\end{table}"]
    return "\n".join([r"\begin{table}", r"\centering", *caption, *lines, *after])


def _latex_cell(table: Table, i: int, j: int, cell: Cell) -> str:
    text = latex_text(aligned(cell, table.columns[j]))
    return rf"\textbf{{{text}}}" if (i, j) in table.bold else text


_LATEX = {
    **{char: f"\\{char}" for char in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "−": "$-$",
    # After the \\ of the row above, a bracket or a star would be read as its argument.
    "[": "{[}",
    "*": "{*}",
    "`": "{`}",
}


def latex_text(text: str) -> str:
    """Return *text* with every character that LaTeX would read as a command escaped."""
    escaped = "".join(_LATEX.get(char, char) for char in visible(text))
    return re.sub(r"-(?=-)", "-{}", escaped)  # two hyphens are two hyphens, not a dash


def _html(table: Table) -> str:
    head = "".join(
        f'<th scope="col" style="text-align:{column.align}">{_html_text(column.header)}</th>'
        for column in table.columns
    )
    starts = sorted({0, *(i for i in table.rules if 0 < i < len(table.rows))})
    groups = zip(starts, [*starts[1:], len(table.rows)], strict=True)
    bodies = "".join(_html_body(table, start, end) for start, end in groups)
    caption = f"<caption>{_html_text(table.title)}</caption>" if table.title else ""
    return f'<table class="touchstone">{caption}<thead><tr>{head}</tr></thead>{bodies}{_html_notes(table)}</table>'


def _html_body(table: Table, start: int, end: int) -> str:
    rows = "".join(
        f"<tr>{''.join(_html_cell(table, i, j, cell) for j, cell in enumerate(table.rows[i]))}</tr>\n"
        for i in range(start, end)
    )
    ruled = ' style="border-top:1px solid"' if start else ""
    return f"<tbody{ruled}>\n{rows}</tbody>"


def _html_cell(table: Table, i: int, j: int, cell: Cell) -> str:
    text, align = _html_text(aligned(cell, table.columns[j])), table.columns[j].align
    text = f"<strong>{text}</strong>" if (i, j) in table.bold else text
    tag, scope = ("td", "") if j else ("th", ' scope="row"')
    return f'<{tag}{scope} style="text-align:{align}">{text}</{tag}>'


def _html_notes(table: Table) -> str:
    if not table.notes:
        return ""
    notes = "<br>".join(map(_html_text, table.notes))
    return f'<tfoot><tr><td colspan="{len(table.columns)}" style="text-align:left">{notes}</td></tr></tfoot>'


def _html_text(text: str) -> str:
    return escape(visible(text))
