"""The page to send: one HTML file that needs no network and nothing beside it.

What it shows is plain data: sections of blocks. All text is escaped by the template; only a `Table`, an `Svg` and
`Markup` bring markup, and they escape their own. One script of this package, which the page allows by its digest,
filters the map of items; all else works without scripts.
"""

from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Union

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, visible
from touchstone.base.signature import short_signature
from touchstone.base.tables import Table, true_minus
from touchstone.show.colours import theme_css
from touchstone.show.html_tables import STEPS, html_table
from touchstone.show.svg import Markup, Svg

if TYPE_CHECKING:
    from jinja2 import Template


PANELS_BESIDE = (
    ("(min-width: 48rem) and (max-width: 63.99rem)", 2),
    ("(min-width: 64rem) and (max-width: 99.99rem)", 3),
    ("(min-width: 100rem)", 4),
)
"""Windows, and how many panels of a plot stand side by side in each at most."""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of running text."""

    text: str


@dataclass(frozen=True)
class TableBlock:
    """A table with its title and notes; where it is too wide for the window, its rows become cards."""

    table: Table


@dataclass(frozen=True)
class Figure:
    """A drawing with a caption. A plain string instead of an `Svg` is shown as text, not drawn."""

    svg: Svg
    caption: str = ""


@dataclass(frozen=True)
class Beside:
    """Small figures side by side, below each other where the window is narrow."""

    figures: Sequence[Figure]


@dataclass(frozen=True)
class Passage:
    """A text with marks in it, and a caption. A plain string instead of `Markup` is shown as text."""

    html: Markup
    caption: str = ""


@dataclass(frozen=True)
class Html:
    """Markup of this package, shown as it is; *interactive* where the script of the page has work in it."""

    html: Markup
    interactive: bool = False


@dataclass(frozen=True)
class Fold:
    """Blocks behind a line that opens them."""

    summary: str
    blocks: Sequence["Block"]


Block = Union[Paragraph, TableBlock, Figure, Beside, Passage, Html, Fold]  # noqa: UP007


@dataclass(frozen=True)
class Section:
    """A heading in the table of contents, and its blocks; *anchor* is its name in links to it.

    The only section of a page needs no title.
    """

    title: str
    anchor: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Page:
    """A report.

    *warnings* open it, then the sentences of a *gate* and whether it was *passed*, then the *verdict*. The *signature*
    says what was computed, by name; *generated*, by what.
    """

    title: str
    sections: Sequence[Section]
    subtitle: str = ""
    signature: Mapping[str, str] = field(default_factory=dict)
    generated: str = ""
    verdict: Sequence[str] = ()
    warnings: Sequence[str] = ()
    gate: Sequence[str] = ()
    passed: bool = True


def render(page: Page, *, scripts: bool = True) -> str:
    """Return *page* as one HTML file.

    Parameters
    ----------
    page
        What it shows.
    scripts
        Whether the page may have a script; without it, the map of items cannot be filtered.

    Examples
    --------
    >>> html = render(Page("Scores", [Section("Systems", "systems", [Paragraph("1 < 2")])]))
    >>> "<h2>Systems</h2>" in html, "<p>1 &lt; 2</p>" in html
    (True, True)
    """
    for anchor, times in Counter(section.anchor for section in page.sections).items():
        if times > 1:
            raise TouchstoneError(f"{times} sections of a page have one anchor", value=anchor, code=Code.DUPLICATE_NAME)
    interactive = any(
        isinstance(block, Html) and block.interactive for section in page.sections for block in section.blocks
    )
    # A page without a map of items needs no script, and its policy allows none.
    script = _script() if scripts and interactive else ""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"; script-src 'sha256-{digest}'" if script else ""
    return _template().render(
        page=page,
        theme=Markup(theme_css()),
        script=Markup(script),
        policy=policy,
        short=short_signature(page.signature),
        steps=STEPS,
        panels_beside=PANELS_BESIDE,
    )


@cache
def _script() -> str:
    return files("touchstone.show").joinpath("page.js").read_text("utf-8")


@cache
def _template() -> "Template":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("touchstone.show", ".")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.lstrip_blocks = True
    environment.filters["visible"] = visible
    environment.filters["prose"] = lambda text: true_minus(visible(text))
    environment.filters["html_table"] = html_table
    environment.filters["kind"] = lambda block: type(block).__name__
    return environment.get_template("page.html")
