"""The map of items: every item is there, opens, and says what the systems gave."""

import re
import zlib
from base64 import b64decode

import numpy as np
import pytest

from touchstone import items, mt
from touchstone.core.report import item_map
from touchstone.core.report.results import scores_page
from touchstone.show.page import Html, render


def page(n: int, systems: int = 2):
    """Return the report of systems with random scores on *n* items."""
    chance = np.random.default_rng(n)
    rows = [
        {"system": f"s{place}", "item": f"item-{item}", "quality": float(chance.random())}
        for place in range(systems)
        for item in range(n)
    ]
    inputs = items.TASK.read(rows)
    return scores_page(items.score(inputs))


def articles(html: str) -> list[str]:
    """Return the ids of all items that can be opened: the plain ones, then the packed ones."""
    packed = re.search(r'<template id="packed">([^<]+)</template>', html)
    rest = zlib.decompress(b64decode(packed[1])).decode() if packed else ""
    return re.findall(r'<article id="(i\d+)"', html) + re.findall(r'<article id="(i\d+)"', rest)


@pytest.mark.parametrize("n", [1, 21, 400])
def test_every_column_opens_an_item_and_every_item_has_a_column(n):
    html = render(page(n))
    links = re.findall(r'<a href="#(i\d+)" style', html)
    assert len(links) == n
    assert sorted(links) == sorted(articles(html)) == sorted(set(links))


def test_few_items_need_no_script_and_many_are_packed():
    few, some, many = (render(page(n)) for n in (item_map.FEW, item_map.FEW + 1, item_map.MOST_UNPACKED + 1))
    assert "<script" not in few
    assert "script-src" not in few
    assert some.count("<script>") == 1
    assert 'id="packed"' not in some
    assert 'id="packed"' in many
    assert len(re.findall(r"<article", many)) == 2 * item_map.ENDS
    assert "<script" not in render(page(item_map.FEW + 1), scripts=False)


def test_items_come_by_the_gain_of_the_best_system_over_the_next():
    rows = [("a", [0.9, 0.1, 0.5]), ("b", [0.1, 0.3, 0.5])]
    table = [
        {"system": system, "item": item, "quality": value}
        for system, values in rows
        for item, value in enumerate(values)
    ]
    inputs = items.TASK.read(table)
    html = render(scores_page(items.score(inputs)))
    assert re.findall(r'<a href="#(i\d+)" style', html) == ["i0", "i2", "i1"]


def test_an_opened_item_shows_its_texts_as_text():
    gold = ["a <b>cat</b> sat"]
    inputs = mt.TASK.read(gold, {"x": ["the <i>cat</i>"], "y": ["dog & co"]})
    html = render(scores_page(mt.score(inputs, measures=["chrf"])))
    opened = re.search(r"<article.*?</article>", html)[0]
    assert "<b>reference</b> a &lt;b&gt;cat&lt;/b&gt; sat" in opened
    assert "the &lt;i&gt;cat&lt;/i&gt;" in opened
    assert "dog &amp; co" in opened


def test_of_very_many_items_both_ends_are_shown(monkeypatch):
    monkeypatch.setattr(item_map, "MOST", 10)
    found = page(50)
    (section,) = [one for one in found.sections if one.anchor == "items"]
    assert section.blocks[0].text.startswith("The 10 items where they differ most, of 50 under quality")
    assert len(articles(render(found))) == 10


def test_the_image_has_a_pixel_for_each_cell_and_none_where_there_is_no_value():
    codes, low, high = item_map._shades(np.array([[0.0, 1.0, np.nan], [0.5, 0.0, 1.0]]))
    assert codes.tolist() == [[1, item_map.SHADES, 0], [(item_map.SHADES + 1) // 2, 1, item_map.SHADES]]
    assert (round(low, 1), round(high, 1)) == (0.0, 1.0)
    image = item_map._png(codes)
    start = image.index(b"IDAT")
    size = int.from_bytes(image[start - 4 : start])
    lines = zlib.decompress(image[start + 4 : start + 4 + size])
    assert list(lines) == [0, *codes[0].tolist(), 0, *codes[1].tolist()]
    assert int.from_bytes(image[16:20]) == 3
    assert int.from_bytes(image[20:24]) == 2


def test_relative_colours_are_offered_where_values_are_not_right_or_wrong():
    assert "relative to the mean of the item" in render(page(5))
    inputs = items.TASK.read([{"system": s, "item": n, "right": n % 2} for s in "ab" for n in range(4)])
    assert "relative to" not in render(scores_page(items.score(inputs)))


def test_the_map_is_the_only_part_with_work_for_the_script():
    found = page(30)
    interactive = [
        block for one in found.sections for block in one.blocks if isinstance(block, Html) and block.interactive
    ]
    assert len(interactive) == 1
