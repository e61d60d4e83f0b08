"""A colour is written once: those of reports in show/colours.py, those of the annotation server in base.css."""

import re
from pathlib import Path

import pytest

import touchstone
from touchstone.show import colours

SOURCE = Path(touchstone.__file__).parent
COLOURS = SOURCE / "show" / "colours.py"
STATIC = SOURCE / "annotate" / "static"
ICON = STATIC / "icon.svg"
"""A picture of its own, which browsers show outside of any page."""

LITERAL = re.compile(
    r"(?<![\w&`])#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})\b|\b(?:rgb|hsl)a?\(\s*[\d.]"
    r"|\b(?:fill|stroke|background|color)[=:][ \"']*(?:white|black|gr[ae]y|red|green|blue|orange)\b",
    re.IGNORECASE,
)


def literals(folder, *skipped):
    return [
        f"{path.relative_to(SOURCE)}: {colour}"
        for path in sorted(folder.rglob("*"))
        if path.suffix in {".py", ".css", ".html", ".js", ".svg"} and path not in skipped
        for colour in LITERAL.findall(path.read_text("utf-8"))
    ]


def test_reports_and_figures_have_no_colour_that_is_not_in_the_module_of_colours():
    server = [path for path in STATIC.rglob("*") if path.is_file()]
    assert literals(SOURCE, COLOURS, *server) == []
    assert len(LITERAL.findall(COLOURS.read_text("utf-8"))) > 30


def test_pages_of_the_server_have_no_colour_that_is_not_in_their_first_rule():
    base = STATIC / "base.css"
    assert literals(STATIC, base, ICON) == []
    first, others = base.read_text("utf-8").split("}", 1)
    assert LITERAL.findall(others) == []
    defined = re.findall(r"(--[\w-]+): light-dark\(", first)
    assert len(defined) == len(set(defined)) > 15


@pytest.mark.parametrize(
    "text", ["fill='#fff'", "color: #DDDDDD;", 'stroke="white"', "rgb(0 0 0 / 0.5)", "a:#12345678"]
)
def test_a_colour_is_noticed(text):
    assert LITERAL.search(text)


@pytest.mark.parametrize(
    "text", ["&#8211;", "``#bad``", "var(--better)", "rgb(var(--tint) / 0.5)", "#anchor", "f'#{name}'"]
)
def test_what_is_no_colour_is_not_noticed(text):
    assert not LITERAL.search(text)


def test_all_that_shows_better_and_worse_follows_from_their_colours():
    source = COLOURS.read_text("utf-8")
    changed = {}
    for colour in (colours.BETTER, colours.WORSE):
        assert source.count(f'"{colour}"') == 1
        source = source.replace(colour, "#123456")
    exec(compile(source, "colours", "exec"), changed)
    for theme in ("LIGHT", "PAPER"):
        for name in ("better", "worse", "better-tint", "worse-tint"):
            assert changed[theme][name] != getattr(colours, theme)[name]
    for name in ("GAPS", "LIKENESS", "WEIGHTS", "PROBABILITIES"):
        pairs = zip(changed[name], getattr(colours, name), strict=True)
        assert all(new != old for new, old in pairs if old not in (colours.WHITE, colours.ABSENT))
