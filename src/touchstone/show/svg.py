"""Markup that this package writes, and what all figures share: their widths, their letters, their frame.

Inside a page a figure changes nothing outside itself: it has no style sheet and no id. A page has each figure twice,
drawn for a wide and for a narrow window. Every figure says what it shows to those who cannot see it.
"""

import re
from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from html import escape
from typing import ParamSpec
from unicodedata import east_asian_width

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, visible
from touchstone.show.colours import WHITE

Parameters = ParamSpec("Parameters")

WIDTH, NARROW = 900, 340
"""Units across a figure for a wide and for a narrow window. A unit is a CSS pixel, and a point of a font's size."""

_across: ContextVar[int] = ContextVar("width", default=WIDTH)

FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


class Markup(str):
    """HTML that this package wrote, with all text from files escaped: a page takes it as it is."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


_LABELLED = re.compile(r'<svg [^>]*role="img" [^>]*aria-label="\s*[^\s"]')


class Svg(Markup):
    """An SVG that this package drew; *narrow* draws the same for a narrow window.

    It is refused without a label for those who cannot see it, so no page, notebook or file has a figure without one.
    """

    narrow: "Callable[[], Svg] | None" = None

    def __new__(cls, drawn: str) -> "Svg":
        """Return an SVG as a figure."""
        if not _LABELLED.match(drawn):
            what = "a figure needs a label for those who cannot see it"
            raise TouchstoneError(what, code=Code.OPTION_NEEDED, hint="draw it with framed")
        return super().__new__(cls, drawn)

    def _repr_svg_(self) -> str:
        return str(self)


def elided(name: str, limit: int = 30) -> str:
    """Return *name*, the middle of a long one left out: names of systems differ at both ends.

    >>> elided("bert-large-whole-word-masking-seed-17", 20)
    'bert-large…g-seed-17'
    """
    name = visible(name)
    if len(name) <= limit:
        return name
    tail = (limit - 1) // 2
    return f"{name[: limit - 1 - tail]}…{name[-tail:]}"


def width() -> int:
    """Return how many units the figure that is being drawn is wide."""
    return _across.get()


def is_narrow() -> bool:
    """Return whether the figure that is being drawn is for a narrow window."""
    return width() < WIDTH


def fitting(letters: int) -> int:
    """Return how many of so many *letters* of a label on a wide figure there is room for on this one.

    >>> fitting(90)
    90
    """
    return max(8, letters * width() // WIDTH)


def letters_across(text: str, size: float = 12) -> float:
    """Return about how many units across a text takes, in the widest of the fonts.

    >>> letters_across("bow") < letters_across("日本語")
    True
    """
    return size * sum(1.0 if east_asian_width(letter) in "WF" else 0.6 for letter in text)


def two_widths(draw: Callable[Parameters, Svg]) -> Callable[Parameters, Svg]:
    """Let a figure be drawn a second time for a narrow window; the function asks `width` for the units across."""

    @wraps(draw)
    def drawn(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Svg:
        # Drawn when a page asks for it: a notebook or a file needs one width only.
        def again() -> Svg:
            before = _across.set(NARROW)
            try:
                return draw(*args, **kwargs)
            finally:
                _across.reset(before)

        svg = draw(*args, **kwargs)
        svg.narrow = again
        return svg

    return drawn


def framed(drawn: str, across: float, down: float, label: str, *, shrinks: bool = True) -> Svg:
    """Return elements of SVG as a figure on white, which reads the same on a dark page.

    Parameters
    ----------
    drawn
        The elements.
    across, down
        The size of the figure in units.
    label
        What the figure shows, for those who cannot see it.
    shrinks
        Whether the figure gets smaller in a window that is too narrow for it. A long row of words does not, as its
        letters would become too small; the window scrolls.

    Examples
    --------
    >>> framed('<circle r="4"/>', 8, 8, "a dot").endswith('<circle r="4"/></svg>')
    True
    """
    size = f'viewBox="0 0 {across:g} {down:g}" width="{across:g}" height="{down:g}"'
    style = "max-width:100%;height:auto;" * shrinks + f"background:{WHITE};font-family:{FONTS};stroke-linejoin:round"
    return Svg(
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(visible(label))}" '
        f'style="{escape(style)}">{drawn}</svg>'
    )
