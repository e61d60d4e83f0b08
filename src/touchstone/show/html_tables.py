"""Tables of a page: where the columns do not fit the window, letters and gaps shrink, then each row becomes a card.

A row that only continues the one above, such as a row of intervals under a row of values, is written into its cells.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil

from touchstone.base.errors import visible
from touchstone.base.tables import Cell, Table, aligned, display_text, true_minus
from touchstone.show.svg import Markup

STEPS = (20, 22, 26, 34, 44, 59, 75)
"""Widths in rem: in a space narrower than the first step that it needs, a table is set closely or becomes cards."""

WIDE, CLOSE = (0.56, 1.0), (0.48, 0.625)
"""In rem: width of a letter and of the space between columns, as usual and where a table is set closely."""

LONGEST = 30
"""Letters of a text beyond which it breaks."""

LONG = 22
"""Letters of a text from which it takes the whole width of a card."""

LABEL, LONGEST_LABEL = 0.76, 16
"""On a card: size of the letters of a label beside those of its value; letters of a label beyond which it breaks."""


@dataclass(frozen=True)
class _Row:
    """Cells of a row, the texts under them, the *head* of the rows above where its own is empty, and its index."""

    cells: Sequence[Cell]
    under: Sequence[Cell]
    head: str
    index: int


def html_table(table: Table) -> Markup:
    """Return a table for a page, with its title and notes.

    >>> from touchstone.base.tables import Column
    >>> html = html_table(Table([Column("metric"), Column("rho", "right")], [["bleu", 0.5], ["", "0.4–0.6"]]))
    >>> '<td class="right" data-label="rho">0.500<small>0.4–0.6</small></td>' in html
    True
    """
    rows = _rows(table)
    texts = [[_width(row, column_index) for row in rows] for column_index in range(len(table.columns))]
    head = "".join(f'<th scope="col" class="{column.align}">{_text(column.header)}</th>' for column in table.columns)
    long = {column_index for column_index, sizes in enumerate(texts) if max(sizes, default=0) > LONG}
    body = "".join(
        ("</tbody><tbody>" if row.index and row.index in table.rules else "") + _row(table, row, long) for row in rows
    )
    # Above the table, not in it: a caption would wrap at the width of a narrow table, or stretch it.
    title = f'<p class="title" aria-hidden="true">{_text(table.title)}</p>' if table.title else ""
    label = f' aria-label="{_text(table.title)}"' if table.title else ""
    notes = f'<p class="note">{"<br>".join(_text(true_minus(note)) for note in table.notes)}</p>' if table.notes else ""
    frame = table_frame([column.header for column in table.columns], [max(sizes, default=0) for sizes in texts])
    head = f"<thead><tr>{head}</tr></thead>"
    return Markup(f"{title}<table {frame}{label}>{head}<tbody>{body}</tbody></table>{notes}")


def table_frame(heads: Sequence[str], letters: Sequence[int]) -> str:
    """Return the class of a table, and the widths of its columns on cards, by *heads* and *letters* of each column.

    >>> table_frame(["system", "mean", "n"], [10, 5, 3])
    'class="close-20 fits-20" style="--w2:5;--w3:3"'
    """
    words = [max(map(len, head.split()), default=0) for head in heads]
    label = [ceil(LABEL * min(len(head), LONGEST_LABEL)) for head in heads]
    widths = ";".join(
        f"--w{number}:{max(sizes)}" for number, sizes in enumerate(zip(label, letters, strict=True), 1) if number > 1
    )
    kind = step_class([max(sizes) for sizes in zip(words, letters, strict=True)])
    return f'class="{kind}"' + (f' style="{widths}"' if widths else "")


def step_class(letters: Sequence[int]) -> str:
    """Return the class of a table by the *letters* that each column needs.

    >>> step_class([10, 5, 5]), step_class([30] * 4), step_class([30] * 9)
    ('close-20 fits-20', 'close-75 fits-75', 'close cards')
    """
    wide_step, close_step = (_step(letters, *sizes) for sizes in (WIDE, CLOSE))
    return f"close{f'-{wide_step}' if wide_step else ''} {f'fits-{close_step}' if close_step else 'cards'}"


def _step(letters: Sequence[int], letter: float, gap: float) -> int | None:
    needed = sum(letter * min(count, LONGEST) + gap for count in letters)
    return next((step for step in STEPS if needed <= step), None)


def _rows(table: Table) -> list[_Row]:
    """Return the rows, those that continue the one above joined to it."""
    rows: list[_Row] = []
    words = [column_index for column_index, column in enumerate(table.columns) if column.align == "left"]
    head = ""
    for row_index, cells in enumerate(table.rows):
        first = str(cells[0] or "") if words[:1] == [0] else ""
        continues = words and not cells[0] and not any(cells[word] for word in words)
        if rows and continues and row_index not in table.rules and not rows[-1].under:
            rows[-1] = _Row(rows[-1].cells, cells, rows[-1].head, rows[-1].index)
        else:
            rows.append(_Row(cells, (), "" if first else head, row_index))
        head = first or head
    return rows


def _row(table: Table, row: _Row, long: set[int]) -> str:
    texts = [aligned(cell, column) for cell, column in zip(row.cells, table.columns, strict=True)]
    under = [aligned(cell, column) for cell, column in zip(row.under, table.columns, strict=False)] or [""] * len(texts)
    cells = []
    for column_index, (text, column) in enumerate(zip(texts, table.columns, strict=True)):
        strong = f"<strong>{_text(text)}</strong>" if (row.index, column_index) in table.bold else _text(text)
        if column_index == 0:
            again = f'<span class="again">{_text(row.head)}</span>' if row.head else ""
            cells.append(f'<th scope="row" class="{column.align}">{strong}{again}</th>')
            continue
        kind = f"{column.align} long" if column_index in long else column.align
        small = f"<small>{_text(under[column_index])}</small>" if under[column_index] else ""
        label = f' data-label="{_text(column.header)}"' if column.header else ""
        cells.append(f'<td class="{kind}"{label}>{strong}{small}</td>')
    more = "" if texts[0] else ' class="more"'
    return f"<tr{more}>{''.join(cells)}</tr>\n"


def _width(row: _Row, column_index: int) -> int:
    sizes = [_length(cell) for cells in (row.cells, row.under) if cells for cell in [cells[column_index]]]
    return max(sizes)


def _length(cell: Cell) -> int:
    return len(display_text(cell))


def _text(text: str) -> str:
    return escape(visible(text))
