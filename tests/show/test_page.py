"""The page is one safe file: no network, no script, no markup from data."""

import re
from html.parser import HTMLParser

import pytest

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.tables import Column, Table, visible
from touchstone.show.figures import Estimate, bars, intervals
from touchstone.show.html_tables import html_table
from touchstone.show.page import Figure, Fold, Markup, Page, Paragraph, Passage, Section, TableBlock, render

HOSTILE = "</style></title></text><script>alert(1)</script><img src=x onerror=alert(1)>\"'{{ 7 * 7 }}&\u202e\x00"


class Seen(HTMLParser):
    """What a browser finds: tags with their attributes, and the text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.extend(attrs)

    def handle_data(self, data):
        self.text += data


def page_of(text: str) -> Page:
    figure = bars([Estimate(text, 0.5, 0.4, 0.6, text)], text)
    table = Table([Column(text)], [[text]], text, [text], {(0, 0)})
    blocks = [Paragraph(text), TableBlock(table), Figure(figure, text), Fold(text, [Paragraph(text)])]
    return Page(text, [Section(text, text, blocks)], text, {text: text}, text)


def test_text_from_data_never_becomes_markup():
    as_long = re.sub(r"\S", "x", visible(HOSTILE))
    plain, seen = Seen(render(page_of(as_long))), Seen(render(page_of(HOSTILE)))
    assert seen.tags == plain.tags
    assert [name for name, _ in seen.attributes] == [name for name, _ in plain.attributes]
    assert seen.text.count("<script>alert(1)</script>") >= 12
    assert "{{ 7 * 7 }}" in seen.text
    assert visible(HOSTILE) in seen.text


def test_a_plain_string_in_the_place_of_a_drawing_is_shown_not_run():
    seen = Seen(render(Page("T", [Section("S", "s", [Figure("<svg onload=alert(1)></svg>")])])))  # type: ignore[arg-type]
    assert "svg" not in seen.tags
    assert "<svg onload=alert(1)></svg>" in seen.text


def test_the_page_asks_for_nothing_from_outside_and_forbids_it():
    html = render(page_of("plain"))
    seen = Seen(html)
    assert {"script", "link", "iframe", "object", "img"}.isdisjoint(seen.tags)
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    assert ("content", policy) in seen.attributes
    assert "@import" not in html
    assert not re.search(r"url\((?!#)", html)
    links = [value for name, value in seen.attributes if name in ("href", "xlink:href", "src")]
    assert all(link.startswith("#") for link in links)


def test_contents_link_to_every_section_in_order():
    page = Page("T", [Section("One", "one", []), Section("Two & three", "two", [])])
    html = render(page)
    assert re.findall(r'<a href="#(\w+)">([^<]+)</a>', html) == [("one", "One"), ("two", "Two &amp; three")]
    assert re.findall(r'<section id="(\w+)">', html) == ["one", "two"]


def test_ids_are_unique_in_a_page_of_several_figures():
    figures = [Figure(intervals([Estimate("a", value, 0.1, 0.9)])) for value in (0.2, 0.3, 0.4)]
    seen = Seen(render(Page("T", [Section("S", "s", [*figures[:2], Fold("more", figures[2:])])])))
    ids = [value for name, value in seen.attributes if name == "id"]
    assert ids == ["s"]
    assert len(ids) == len(set(ids))


def test_two_sections_with_one_anchor_are_refused():
    with pytest.raises(TouchstoneError) as error:
        render(Page("T", [Section("A", "s", []), Section("B", "s", [])]))
    assert error.value.code == Code.DUPLICATE_NAME
    assert error.value.faults[0].value == "s"


def test_the_signature_stands_below_as_pairs():
    pairs = render(Page("T", [], signature={"measure": "best1", "gold": "abc"}))
    assert "<dt>measure</dt><dd>best1</dd>" in pairs
    assert "<dt>gold</dt><dd>abc</dd>" in pairs
    assert "<dl>" not in render(Page("T", []))


def test_the_same_page_gives_the_same_bytes():
    assert render(page_of("plain")) == render(page_of("plain"))


def test_folds_hold_folds():
    html = render(Page("T", [Section("S", "s", [Fold("outer", [Fold("inner", [Paragraph("deep")])])])]))
    assert html.count("<details>") == 2
    assert html.index("outer") < html.index("inner") < html.index("<p>deep</p>")


def test_a_passage_takes_the_packages_own_markup_and_shows_any_other_string():
    def seen(html):
        return Seen(render(Page("T", [Section("S", "s", [Passage(html, "1 < 2")])])))

    assert "mark" in seen(Markup("<mark>word</mark>")).tags
    plain = seen("<mark>word</mark>")  # type: ignore[arg-type]
    assert "mark" not in plain.tags
    assert "<mark>word</mark>" in plain.text
    assert "1 < 2" in plain.text


def test_every_row_that_begins_with_a_number_stays_a_row():
    ranks = Table(
        [Column("rank", "right"), Column("answer"), Column("share", "right")],
        [[1, "a", 1.0], [2, "", 0.5], [3, "", 0.5]],
    )
    assert html_table(ranks).count("<tr") == 1 + 3


def test_two_rows_under_a_row_of_values_are_not_lost():
    table = Table([Column("metric"), Column("r", "right")], [["bleu", 0.5], ["", "0.4–0.6"], ["", "n 12"]])
    assert "<small>0.4–0.6</small>" in html_table(table)
    assert "n 12" in html_table(table)


def test_a_page_of_one_section_has_no_contents():
    assert "<nav" not in render(Page("t", [Section("one", "one", [Paragraph("p")])]))
