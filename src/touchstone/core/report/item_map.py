"""All items as one map of colours: a column for each item, a row for each system; a click opens the item.

The colours of all cells are one small image, of which each column shows its part. An item opens as the target of its
link, so it needs no script. Items beyond the first ones are packed, and the script of the page unpacks them.
"""

import struct
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from math import ceil
from zlib import compress, crc32

import numpy as np
from numpy.typing import NDArray

from touchstone.base.errors import visible
from touchstone.base.ragged import Floats, Ints
from touchstone.base.tables import MISSING, display_text
from touchstone.core.measures import Measure
from touchstone.core.results import Results, SystemRecords
from touchstone.show.colours import BETTER, MIDDLE, WORSE, blended, channels
from touchstone.show.html_tables import LONG, table_frame
from touchstone.show.plots import Axis
from touchstone.show.svg import Markup, elided

MOST = 5_000
"""Items of a map at most; of more it shows those where the systems differ most, in both directions."""

MOST_UNPACKED, ENDS = 300, 30
"""Items of a map that all open without a script; of more, those at each end do, and the others are packed."""

FEW = 20
"""Items up to which a map needs no filter."""

LONGEST = 1_000
"""Characters of a text that an opened item shows."""

MOST_MEASURES = 6
"""Measures in the table of an opened item."""

ACROSS = 780
"""Pixels for the columns of a map on a wide window."""

FEWEST_NAMED = 8
"""Systems up to which their names always stand beside the rows."""

LOWEST_TO_HIGHEST = (WORSE, MIDDLE, BETTER)
"""The colours of the lowest, the middle and the highest value: those of worse and better in plots."""

SHADES = 33
"""Colours from low to high."""

TALLEST, FINE = 400, 8
"""Pixels of a map up to which its rows are high enough for names beside them; of a cell below which it has no gap."""

ROW, LOW_ROW = 16, 6
"""Pixels of a row with a name beside it, and without."""

Codes = NDArray[np.uint8]
"""The number of the colour of each cell: a row for each system, a column for each item."""

Lines = Sequence[tuple[str, str]]
"""Texts of an item, each with what it is."""


@dataclass(frozen=True)
class ItemTexts:
    """What people see of some items: the *lines* of each item, and what each system *gave* for it, by its name."""

    lines: Sequence[Lines]
    given: Mapping[str, Sequence[str]] = field(default_factory=dict)


def map_order(measure: Measure[object], pair: Sequence[SystemRecords], systems: Sequence[SystemRecords]) -> Ints:
    """Return the rows of the items of a map: those first where the first of a *pair* gains most over the second.

    Items where both are equal are ordered by the mean of all *systems*; the items of a single system from worst to
    best. Of more than `MOST` items both ends are kept.
    """
    sign = -1 if measure.lower_is_better else 1
    first, *second = sign * _values(measure, pair)
    gain = first - second[0] if second else -first
    mean = np.nan_to_num(sign * _values(measure, systems), nan=0.0).mean(axis=0)
    order = np.lexsort((-mean, -np.nan_to_num(gain, nan=-np.inf)))
    return order if len(order) <= MOST else np.concatenate([order[: MOST // 2], order[-MOST // 2 :]])


def item_map(
    results: Results, measure: Measure[object], systems: Sequence[SystemRecords], order: Ints, texts: ItemTexts
) -> Markup:
    """Return the map of the items in *order*, and the items to open.

    Parameters
    ----------
    results
        The results that the values come from.
    measure
        The measure that the colours show.
    systems
        The systems, best first.
    order
        The rows of the items, from left to right.
    texts
        What people see of these items, in the same order.
    """
    articles = list(_articles(results, measure, systems, order, texts))
    few = len(articles) <= MOST_UNPACKED
    unpacked, packed = (articles, []) if few else ([*articles[:ENDS], *articles[-ENDS:]], articles[ENDS:-ENDS])
    return Markup(
        f"{_filter() if len(order) > FEW else ''}{_map(results, measure, systems, order)}"
        f'<div class="opened">{"".join(unpacked)}</div>{_packed(packed, len(unpacked))}'
    )


def _values(measure: Measure[object], systems: Sequence[SystemRecords]) -> Floats:
    return np.stack([measure.values(system.records[measure.name]) for system in systems])


def _filter() -> str:
    box = '<input type="search" placeholder="id, field or text">'
    return f'<p class="filter" hidden><label>Filter {box}</label> <output></output></p>'


def _map(results: Results, measure: Measure[object], systems: Sequence[SystemRecords], order: Ints) -> str:
    """Return the columns in bands, the names of the systems beside each where there is room.

    Where values are no plain right or wrong, a switch shows them relative to the mean of the item.
    """
    values = _values(measure, systems)[:, order] * (-1 if measure.lower_is_better else 1)
    shades, low, high = _shades(values)
    ends = (-low, -high) if measure.lower_is_better else (low, high)
    axis = Axis.of(ends)
    views: list[tuple[str, Codes, str, str]] = [(measure.name, shades, axis.text(ends[0]), axis.text(ends[1]))]
    if len(systems) > 1 and len(np.unique(values[np.isfinite(values)])) > 2:
        with np.errstate(invalid="ignore"):
            relative = values - np.nan_to_num(values).mean(axis=0)
        views.append(("relative to the mean of the item", _shades(relative)[0], "worse", "better"))
    width = int(min(22, max(4, ACROSS // max(1, len(order)))))
    named = len(systems) * ROW * ceil(len(order) * width / ACROSS) <= TALLEST or len(systems) <= FEWEST_NAMED
    height = ROW if named else LOW_ROW
    style = f"--n:{len(order)};--w:{width}px;--s:{len(systems)};--h:{height}px"
    kind = "map fine" if width < FINE or height < FINE else "map"
    return (
        f'<div class="views">{_views(views)}{_rows_key(systems, named)}'
        f'<div class="{kind}" style="{style}" role="group" aria-label="items" tabindex="0">'
        f"{_bands(results, systems, order, ACROSS // width if named else 0)}</div></div>"
    )


def _views(views: Sequence[tuple[str, Codes, str, str]]) -> str:
    """Return the image of each view, and the switch between them, with what their colours mean."""
    colours = ",".join(LOWEST_TO_HIGHEST)
    scale = f'<span class="scale" style="background:linear-gradient(90deg,{colours})"></span>'
    parts = []
    for number, (name, shades, low, high) in enumerate(views):
        image = b64encode(_png(shades)).decode()
        checked = " checked" * (number == 0)
        switch = f'<input type="radio" name="view" id="view{number}"{checked}>' if len(views) > 1 else ""
        scope = f"#view{number}:checked ~ .map " if switch else ""
        parts.append(
            f"<style>{scope}.strips a{{background-image:url(data:image/png;base64,{image})}}</style>{switch}"
            f'<label class="key" for="view{number}">{_text(name)} <small>{low} {scale} {high}</small></label> '
        )
    return "".join(parts) if len(views) > 1 else "".join(parts).replace(' for="view0"', "")


def _rows_key(systems: Sequence[SystemRecords], named: bool) -> str:
    """Return which system each row is, for windows and maps without the names beside the rows."""
    kind = "narrow" if named else "always"
    return f'<p class="rows {kind}">Rows from the top: {", ".join(_text(system.system) for system in systems)}</p>'


def _bands(results: Results, systems: Sequence[SystemRecords], order: Ints, size: int) -> str:
    """Return the columns, each a link to its item, so many to a band with names beside it, or all in one."""
    ids = results.items_known.column("id").take(order).to_pylist()
    links = [
        f'<a href="#i{row}" style="--i:{column}" title="{_text(name)}" aria-label="{_text(name)}"></a>'
        for column, (row, name) in enumerate(zip(order.tolist(), ids, strict=True))
    ]
    names = "".join(f"<span>{escape(elided(system.system, 18))}</span>" for system in systems)
    beside = f'<div class="names" aria-hidden="true">{names}</div>' if size else ""
    size = size or len(links)
    return "".join(
        f'<div class="band">{beside}<div class="strips">{"".join(links[start : start + size])}</div></div>'
        for start in range(0, len(links), max(1, size))
    )


def _shades(better: Floats) -> tuple[Codes, float, float]:
    """Return the number of the colour of each cell, 0 where there is no value, and the values at both ends."""
    finite = better[np.isfinite(better)]
    if not len(finite):
        return np.zeros(better.shape, np.uint8), 0.0, 1.0
    low, high = (float(end) for end in np.percentile(finite, (2, 98)))
    if low == high:
        low, high = float(finite.min()), float(finite.max())
    part = np.clip((better - low) / ((high - low) or 1.0), 0, 1)
    codes = 1 + np.nan_to_num(part * (SHADES - 1)).round()
    return np.where(np.isfinite(better), codes, 0).astype(np.uint8), low, high


def _palette() -> Iterator[tuple[int, ...]]:
    """Yield the colour of no value, then those from low to high."""
    yield (128, 128, 128)
    for share in np.linspace(0, 1, SHADES).tolist():
        yield channels(blended(LOWEST_TO_HIGHEST, share))


def _png(codes: Codes) -> bytes:
    """Return an image with a pixel for each cell, its colours from the palette; colour 0 is transparent."""
    rows, columns = codes.shape
    lines = np.concatenate([np.zeros((rows, 1), np.uint8), codes], axis=1)  # a 0 before each line: no filter
    parts = {
        b"IHDR": struct.pack(">IIBBBBB", columns, rows, 8, 3, 0, 0, 0),
        b"PLTE": bytes(channel for colour in _palette() for channel in colour),
        b"tRNS": b"\0",
        b"IDAT": compress(lines.tobytes(), 9),
        b"IEND": b"",
    }
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc32(kind + data))
        for kind, data in parts.items()
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _articles(
    results: Results, measure: Measure[object], systems: Sequence[SystemRecords], order: Ints, texts: ItemTexts
) -> Iterator[str]:
    """Yield the view of each item: its fields and texts, and a row for each system."""
    others = [m for m in results.measures if m.is_mean or m.item_values is not None]
    table_measures = [measure, *(m for m in others if m.name != measure.name)][:MOST_MEASURES]
    numbers = list(zip(*(_numbers(m, systems, order) for m in table_measures), strict=True))
    facts = [_facts(system, order, texts.given.get(system.system)) for system in systems]
    heads = list(dict.fromkeys(head for each in facts for head in each))
    header = "".join(f'<th scope="col" class="left">{_text(head)}</th>' for head in ("", *heads))
    header += "".join(f'<th scope="col" class="right">{_text(m.name)}</th>' for m in table_measures)
    opening = [
        f'<td class="left{" long" * (_longest(facts, head) > LONG)}" data-label="{_text(head)}">' for head in heads
    ]
    numeral = [f'<td class="right" data-label="{_text(m.name)}">' for m in table_measures]
    letters = [max(len(system.system) for system in systems), *(_longest(facts, head) for head in heads)]
    names = ["", *heads, *(m.name for m in table_measures)]
    frame = table_frame(names, [*letters, *(5 for _ in table_measures)])
    item_fields = results.items_known.take(order).to_pylist()
    around = [None, *order.tolist(), None]
    for position, near in enumerate(zip(around[:-2], around[2:], strict=True)):
        rows = "".join(
            f'<tr><th scope="row" class="left">{_text(system.system)}</th>'
            + "".join(
                f"{tag}{_text(system_facts[head][position] if head in system_facts else '')}</td>"
                for tag, head in zip(opening, heads, strict=True)
            )
            + "".join(f"{tag}{column[position]}</td>" for tag, column in zip(numeral, columns, strict=True))
            + "</tr>"
            for system, system_facts, columns in zip(systems, facts, numbers, strict=True)
        )
        lines = texts.lines[position] if texts.lines else ()
        table = f"<table {frame}><thead><tr>{header}</tr></thead><tbody>{rows}</tbody></table>"
        yield _article(int(order[position]), item_fields[position], lines, table, near)


def _longest(facts: Sequence[Mapping[str, Sequence[str]]], head: str) -> int:
    return max((len(text) for system_facts in facts for text in system_facts.get(head, ())), default=0)


def _article(
    row: int, fields: Mapping[str, object], lines: Lines, table: str, near: tuple[int | None, int | None]
) -> str:
    line_texts = {text for _, text in lines}
    field_texts = [
        f"{name} {value}" for name, value in fields.items() if name != "id" and value and str(value) not in line_texts
    ]
    texts = "".join(f"<p><b>{_text(name)}</b> {_text(text)}</p>" for name, text in lines if text)
    links = "".join(
        f' <a href="#i{to}">{word}</a>' for to, word in zip(near, ("previous", "next"), strict=True) if to is not None
    )
    return (
        f'<article id="i{row}"><h3>Item {_text(str(fields["id"]))} <small>{_text(" · ".join(field_texts))}</small></h3>'
        f'{texts}<div class="table">{table}</div>'
        f'<p class="near">{links} <a href="#items">close</a></p></article>'
    )


def _numbers(measure: Measure[object], systems: Sequence[SystemRecords], order: Ints) -> list[list[str]]:
    """Return the values of each system, all with the same number of decimals."""
    values = _values(measure, systems)[:, order]
    axis = Axis.of(values.ravel().tolist())
    return [[axis.text(value) for value in row] for row in values.tolist()]


def _facts(system: SystemRecords, order: Ints, answers: Sequence[str] | None) -> dict[str, list[str]]:
    """Return the texts beside the values: what the system gave, or all that is known about its items."""
    if answers is not None:
        return {"gave": list(answers)}
    table = system.facts.take(order)
    columns = {name: table.column(name).to_pylist() for name in table.column_names}
    return {
        name: [MISSING if value is None else _fact(value) for value in values]
        for name, values in columns.items()
        if any(value is not None for value in values)
    }


def _fact(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return (
        display_text(value)
        if isinstance(value, str | int | float)
        else ", ".join(map(str, value))
        if isinstance(value, Iterable)
        else str(value)
    )


def _packed(articles: Sequence[str], unpacked_count: int) -> str:
    """Return articles as one packed text that the script reads, and a sentence for those without scripts."""
    if not articles:
        return ""
    data = b64encode(compress("\n".join(articles).encode(), 9)).decode()
    sentence = f"Without JavaScript only the {unpacked_count} items at both ends of the map open."
    return f'<noscript><p class="note">{sentence}</p></noscript><template id="packed">{data}</template>'


def _text(text: str) -> str:
    text = visible(text)
    return escape(text if len(text) <= LONGEST else f"{text[:LONGEST]}…")
