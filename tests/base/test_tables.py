"""A table shows what its cells hold, in every look, and nothing in a cell is markup."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.base.errors import TouchstoneError
from touchstone.base.tables import Column, Table, number, visible

HOSTILE = '<script>alert("1")</script> & [red]x[/red] | $a_1$ {b} 50% #c ~ ^ \\ `d` *e* \x1b[31m\u202e'
texts = st.text(max_size=20)


class Cells(HTMLParser):
    """The tags of a document and the text of its cells."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag in ("th", "td"):
            self.cells.append("")

    def handle_data(self, data):
        if self.cells and self.tags[-1] in ("th", "td", "strong"):
            self.cells[-1] += data.removesuffix("\n")


def one_cell(cell, align="left", **marks):
    return Table([Column("x", align)], [[cell]], **marks)


@pytest.mark.parametrize(
    ("value", "decimals", "shown"),
    [
        (0.0625, 3, "0.063"),
        (-0.0625, 3, "-0.063"),
        (0.125, 2, "0.13"),  # to even would be 0.12
        (2.675, 2, "2.68"),  # the binary number is below 2.675; its shortest decimal form is not
        (-0.0004, 3, "0.000"),
        (99.95, 1, "100.0"),
        (1e22, 0, "10000000000000000000000"),
        (7, 0, "7"),
        (np.float32(0.5), 2, "0.50"),
        (float("inf"), 3, "∞"),
        (float("-inf"), 3, "-∞"),
        (float("nan"), 3, "–"),
        (None, 3, "–"),
    ],
)
def test_numbers_are_rounded_half_up_as_a_reader_does_by_hand(value, decimals, shown):
    assert number(value, decimals) == shown


def test_cells_are_strings_as_given_counts_with_thousands_floats_with_three_decimals_or_a_dash():
    rows = [["0.5", 1696, np.int64(1696), 0.4375, np.float64(2 / 3), None, float("nan")]]
    text = Table([Column("")] * 7, rows).to_text()
    assert text.splitlines()[-1].split() == ["0.5", "1,696", "1,696", "0.438", "0.667", "–", "–"]


def test_text_is_aligned_ruled_between_groups_and_as_wide_as_it_needs():
    table = Table(
        [Column("system"), Column("R", "right")],
        [["long name", 0.5], ["b", 10.0], ["c", None]],
        title="Scores",
        notes=["one note that is much wider than the table is"],
        rules={0, 2},
    )
    assert table.to_text().split("\n") == [
        "Scores",
        "",
        "system          R",
        "─────────────────",
        "long name   0.500",
        "b          10.000",
        "─────────────────",
        "c               –",
        "",
        "one note that is much wider than the table is",
    ]


def test_text_fits_the_width_given_and_loses_nothing():
    name = "a-name-of-thirty-two-characters-"
    table = Table([Column("system"), Column("R", "right")], [[name, 0.5]])
    lines = table.to_text(width=24).splitlines()
    assert max(map(len, lines)) <= 24
    assert "".join(line.split()[0] for line in lines[2:]) == name
    assert "0.500" in lines[2]


def test_text_has_no_escape_codes_and_takes_no_markup_from_cells():
    text = one_cell(HOSTILE, bold={(0, 0)}).to_text()
    assert "[red]x[/red]" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert r"\x1b[31m\u202e" in text


def test_on_a_terminal_the_best_cell_is_bold():
    from rich.console import Console

    console = Console(force_terminal=True, width=40, color_system="standard", _environ={})
    with console.capture() as capture:
        console.print(Table([Column("a"), Column("b")], [["plain", "best"]], bold={(0, 1)}).to_rich())
    assert "\x1b[1mbest" in capture.get()
    assert "\x1b[1mplain" not in capture.get()


def test_markdown_keeps_common_names_readable():
    cells = ["my_model_v2", "[0.1, 0.2]", "a-b+c", "p < 0.05", "x & y"]
    shown = ["my_model_v2", "[0.1, 0.2]", "a-b+c", "p &lt; 0.05", "x & y"]
    row = Table([Column("")] * 5, [cells]).to_markdown().splitlines()[-1]
    assert row == f"| {' | '.join(shown)} |"


@pytest.mark.parametrize(
    ("cell", "escaped"),
    [
        ("a|b", r"a\|b"),
        ("a\nb", "a b"),
        ("*a*", r"\*a\*"),
        ("_a_", r"\_a\_"),
        ("`a`", r"\`a\`"),
        ("~~a~~", r"\~\~a\~\~"),
        ("\\", r"\\"),
        ("<b>", "&lt;b>"),
        ("&lt;", "&amp;lt;"),
        ("[a](b)", r"[a]\(b)"),
        ("![a][b]", r"![a]\[b]"),
    ],
)
def test_markdown_takes_no_markup_from_cells(cell, escaped):
    assert one_cell(cell).to_markdown().splitlines()[-1] == f"| {escaped} |"


@given(st.lists(texts, min_size=2, max_size=2))
def test_a_markdown_row_has_as_many_cells_as_columns(cells):
    row = Table([Column("a"), Column("b")], [cells]).to_markdown().split("\n")[-1]
    assert len(re.findall(r"(?:\\.|[^\\|])*\|", row)) == 3


def test_markdown_has_title_bold_alignment_and_notes_and_no_empty_rows():
    table = Table([Column("a"), Column("b", "right")], [["x", 1], ["y", 2]], "T", ["n"], {(1, 1)}, {1})
    assert table.to_markdown().split("\n") == [
        "**T**",
        "",
        "| a | b |",
        "| :-- | --: |",
        "| x | 1 |",
        "| y | **2** |",
        "",
        "n",
    ]


def test_latex_has_booktabs_caption_bold_groups_and_notes():
    table = Table([Column("a"), Column("b", "right")], [["x", -1], ["ü", 2]], "T_1", ["50%"], {(1, 1)}, {1})
    assert table.to_latex().split("\n") == [
        r"\begin{table}",
        r"\centering",
        r"\caption{T\_1}",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"a & b \\",
        r"\midrule",
        r"x & $-$1 \\",
        r"\midrule",
        r"ü & \textbf{2} \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\par {\footnotesize 50\%}",
        r"\end{table}",
    ]


UNESCAPED = {r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^", r"\textless{}": "<"}
UNESCAPED |= {r"\textgreater{}": ">", r"\textbar{}": "|", "{[}": "[", "{*}": "*", "{`}": "`", "-{}": "-", "$-$": "−"}
UNESCAPED |= {f"\\{char}": char for char in "&%$#_{}"}


@given(st.text(alphabet="\\{}&%$#_~^<>|[*`-−aü \n", max_size=12))
def test_latex_escapes_every_special_character_and_keeps_the_rest(cell):
    row = one_cell(cell).to_latex().split("\n")[6].removesuffix(r" \\")
    plain = re.sub("|".join(map(re.escape, UNESCAPED)), "", row)
    assert not re.search(r"[\\{}&%$#_~^\[*]", plain)
    assert "--" not in row
    read = re.sub("|".join(map(re.escape, UNESCAPED)), lambda found: UNESCAPED[found[0]], row)
    assert read == visible(cell)


def test_minus_signs_are_true_ones_in_columns_of_numbers_only():
    cells = ["-0.5", "[-0.1, -.2]", "2006-07"]
    table = Table([Column("", "right")] * 3, [cells])
    assert Cells(table.to_html()).cells[3:] == ["−0.5", "[−0.1, −.2]", "2006-07"]
    assert r"$-$0.5 & {[}$-$0.1, $-$.2] & 2006-07" in table.to_latex()
    assert Cells(one_cell("-5").to_html()).cells[1] == "-5"


@given(st.lists(texts, min_size=3, max_size=3), texts, texts)
def test_html_shows_every_text_and_makes_no_tag_of_it(cells, title, note):
    table = Table([Column(cells[0])], [[cells[1]], [cells[2]]], title, [note], {(1, 0)})
    page = Cells(table.to_html())
    assert set(page.tags) <= {"table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td", "strong"}
    assert page.cells[:3] == [visible(cell) for cell in cells]


def test_html_is_a_semantic_table_with_a_body_for_each_group():
    table = Table([Column("a"), Column("b", "right")], [["x", 1], ["y", 2], ["z", 3]], rules={1})
    html = table.to_html()
    assert html.count("<tbody") == 2
    assert html.count('scope="col"') == 2
    assert html.count('scope="row"') == 3
    assert html == table._repr_html_() == table.__html__()


def test_a_table_without_rows_or_columns_still_renders():
    for table in (Table([Column("a")], []), Table([], [])):
        for look in (table.to_text(), table.to_markdown(), table.to_latex(), table.to_html()):
            assert isinstance(look, str)
    assert Table([Column("a")], []).to_text() == "a\n─"


def test_a_row_of_the_wrong_length_is_refused_by_its_place():
    with pytest.raises(TouchstoneError, match="row 2 has 1 cells under 2 columns"):
        Table([Column("a"), Column("b")], [["x", 1], ["y"]])


@given(st.text())
def test_visible_text_is_one_line_that_any_file_can_hold(text):
    shown = visible(text)
    assert len(shown.splitlines()) <= 1
    shown.encode("utf-8")
    assert visible(shown) == shown


def test_visible_leaves_the_worlds_scripts_alone():
    for text in ("naïve", "日本語", "می\u200cخواهم", "👩\u200d🔬", "\u00a0"):
        assert visible(text) == text


def test_html_has_strong_cells_exactly_where_the_table_has_bold_ones():
    html = Table([Column("a"), Column("b")], [["one", "two"], ["three", "four"]], bold={(0, 1)}).to_html()
    assert re.findall("<strong>(.*?)</strong>", html) == ["two"]


def test_a_rule_after_the_last_row_opens_no_group():
    html = Table([Column("a")], [["one"], ["two"]], rules={1, 2}).to_html()
    assert re.findall("<tbody(.*?)>", html) == ["", ' style="border-top:1px solid"']
