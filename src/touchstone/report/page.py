"""The page to send: one HTML file that needs no network, no script and nothing beside it.

What it shows is plain data: sections of blocks. All text is escaped by the template; only a `Table`, an `Svg` and
`Markup` bring markup, and they escape their own.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Union

from touchstone.core.errors import TouchstoneError, visible
from touchstone.core.tables import Table
from touchstone.report.svg import Markup, Svg

if TYPE_CHECKING:
    from jinja2 import Template


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of running text."""

    text: str


@dataclass(frozen=True)
class TableBlock:
    """A table with its title and notes; a wide or long one scrolls under its headings."""

    table: Table


@dataclass(frozen=True)
class Figure:
    """A drawing with a caption. A plain string in the place of an `Svg` is shown as text, not drawn."""

    svg: Svg
    caption: str = ""


@dataclass(frozen=True)
class Passage:
    """A text with marks in it, and a caption. A plain string in the place of `Markup` is shown as text."""

    html: Markup
    caption: str = ""


@dataclass(frozen=True)
class Fold:
    """Blocks behind a line that opens them."""

    summary: str
    blocks: Sequence["Block"]


Block = Union[Paragraph, TableBlock, Figure, Passage, Fold]  # noqa: UP007


@dataclass(frozen=True)
class Section:
    """A heading in the table of contents, and its blocks; *anchor* is its name in links to it."""

    title: str
    anchor: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Page:
    """A report. The *signature* says what was computed, by name; *generated*, by what."""

    title: str
    sections: Sequence[Section]
    subtitle: str = ""
    signature: Mapping[str, str] = field(default_factory=dict)
    generated: str = ""


def render(page: Page) -> str:
    """Return *page* as one HTML file.

    >>> html = render(Page("Scores", [Section("Systems", "systems", [Paragraph("1 < 2")])]))
    >>> "<h2>Systems</h2>" in html, "<p>1 &lt; 2</p>" in html
    (True, True)
    """
    for anchor, times in Counter(section.anchor for section in page.sections).items():
        if times > 1:
            raise TouchstoneError(f"{times} sections of a page have one anchor", value=anchor)
    return _template().render(page=page)


@cache
def _template() -> "Template":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("touchstone.report", ".")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.lstrip_blocks = True
    environment.filters["visible"] = visible
    environment.filters["kind"] = lambda block: type(block).__name__
    return environment.get_template("page.html")
