"""Tables of a page: where the columns do not fit the window, each row becomes a card.

A row that only continues the one above, such as a row of intervals under a row of values, is written into its cells.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from touchstone.core.errors import visible
from touchstone.core.tables import Cell, Table, aligned
from touchstone.report.svg import Markup

STEPS = (20, 26, 34, 44, 56, 74)
"""Widths in rem: a table becomes cards in a space that is narrower than the first step that it needs."""

LETTER, PADDING, LONGEST = 0.55, 1, 30
"""In rem: width of a letter and of the space between columns; letters of a text beyond which it breaks."""

LONG = 22
"""Letters of a text from which it takes the whole width of a card."""


@dataclass(frozen=True)
class _Row:
    """Cells of a row, the texts under them, the *head* of the rows above where its own is empty, and its place."""

    cells: Sequence[Cell]
    under: Sequence[Cell]
    head: str
    place: int


def html_table(table: Table) -> Markup:
    """Return a table for a page, with its title and notes.

    >>> from touchstone.core.tables import Column
    >>> html = html_table(Table([Column("metric"), Column("rho", "right")], [["bleu", 0.5], ["", "0.4–0.6"]]))
    >>> '<td class="right" data-label="rho">0.500<small>0.4–0.6</small></td>' in html
    True
    """
    rows = _rows(table)
    heads = [max(map(len, column.header.split()), default=0) for column in table.columns]
    texts = [[head, *(_width(row, place) for row in rows)] for place, head in enumerate(heads)]
    head = "".join(f'<th scope="col" class="{column.align}">{_text(column.header)}</th>' for column in table.columns)
    long = {place for place, sizes in enumerate(texts) if max(sizes[1:], default=0) > LONG}
    body = "".join(
        ("</tbody><tbody>" if row.place and row.place in table.rules else "") + _row(table, row, long) for row in rows
    )
    caption = f"<caption>{_text(table.title)}</caption>" if table.title else ""
    notes = f'<p class="note">{"<br>".join(map(_text, table.notes))}</p>' if table.notes else ""
    return Markup(
        f'<table class="{step_class([max(sizes) for sizes in texts])}">{caption}<thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>{notes}"
    )


def step_class(letters: Sequence[int]) -> str:
    """Return the class of a table by the *letters* that each column needs.

    >>> step_class([10, 5, 5]), step_class([30] * 9)
    ('fits-20', 'cards')
    """
    needed = sum(LETTER * min(count, LONGEST) + PADDING for count in letters)
    return next((f"fits-{step}" for step in STEPS if needed <= step), "cards")


def _rows(table: Table) -> list[_Row]:
    """Return the rows, those that continue the one above joined to it."""
    rows: list[_Row] = []
    words = [place for place, column in enumerate(table.columns) if column.align == "left"]
    head = ""
    for place, cells in enumerate(table.rows):
        first = str(cells[0] or "") if words[:1] == [0] else ""
        if rows and place not in table.rules and words and not any(cells[word] for word in words):
            rows[-1] = _Row(rows[-1].cells, cells, rows[-1].head, rows[-1].place)
        else:
            rows.append(_Row(cells, (), "" if first else head, place))
        head = first or head
    return rows


def _row(table: Table, row: _Row, long: set[int]) -> str:
    texts = [aligned(cell, column) for cell, column in zip(row.cells, table.columns, strict=True)]
    under = [aligned(cell, column) for cell, column in zip(row.under, table.columns, strict=False)] or [""] * len(texts)
    cells = []
    for place, (text, column) in enumerate(zip(texts, table.columns, strict=True)):
        strong = f"<strong>{_text(text)}</strong>" if (row.place, place) in table.bold else _text(text)
        if place == 0:
            again = f'<span class="again">{_text(row.head)}</span>' if row.head else ""
            cells.append(f'<th scope="row" class="{column.align}">{strong}{again}</th>')
            continue
        kind = f"{column.align} long" if place in long else column.align
        small = f"<small>{_text(under[place])}</small>" if under[place] else ""
        label = f' data-label="{_text(column.header)}"' if column.header else ""
        cells.append(f'<td class="{kind}"{label}>{strong}{small}</td>')
    return f"<tr>{''.join(cells)}</tr>\n"


def _width(row: _Row, place: int) -> int:
    sizes = [_length(cell) for cells in (row.cells, row.under) if cells for cell in [cells[place]]]
    return max(sizes)


def _length(cell: Cell) -> int:
    return len(cell) if isinstance(cell, str) else 6


def _text(text: str) -> str:
    return escape(visible(text))
