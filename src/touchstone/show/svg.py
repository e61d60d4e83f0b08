"""The sheet that figures are drawn on: every figure in the house style, as one clean SVG.

The same drawing gives the same bytes, whatever the user's settings of matplotlib. Inside a page a figure changes
nothing outside itself: it has no style sheet, and no id that another figure could have. A page has each figure twice,
drawn for a wide and for a narrow window. Without matplotlib a page has a sentence instead of each figure.
"""

import re
import warnings
from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from hashlib import sha256
from io import StringIO
from textwrap import wrap
from typing import TYPE_CHECKING, Any, ParamSpec
from xml.etree import ElementTree

from touchstone.base.errors import missing, visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Parameters = ParamSpec("Parameters")

WIDTH, NARROW = 900, 340
"""Units across a figure for a wide and for a narrow window. A unit is a CSS pixel, and a point of a font's size."""

NARROWEST = 300
"""Units that a title and a label below a small figure have room in."""

_across: ContextVar[int] = ContextVar("width", default=WIDTH)

INK, MUTED, FAINT = "#1f2328", "#59636e", "#e4e7eb"
# Okabe and Ito 2008, colours that the colour-blind tell apart; without yellow, which white paper swallows.
PALETTE = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#6b7280")
BETTER, WORSE = "#0072b2", "#d55e00"
WORSE_TEXT = "#ad4b00"
"""The second colour for letters: on white it has the contrast that WCAG asks for."""

_NAMESPACE = "http://www.w3.org/2000/svg"
_LINK = "http://www.w3.org/1999/xlink"
FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"

_STYLE: dict[Any, object] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "touchstone",
    # A name is a name: in "$a$" there is no formula.
    "text.parse_math": False,
    "text.color": INK,
    "font.size": 12,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#b6bdc5",
    "axes.linewidth": 0.8,
    "axes.labelcolor": MUTED,
    "axes.labelsize": 11.5,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.8,
    "xtick.color": "#b6bdc5",
    "ytick.color": "#b6bdc5",
    "xtick.labelcolor": MUTED,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 11,
    "ytick.labelsize": 12,
    "ytick.major.size": 0,
    "legend.frameon": False,
    "legend.fontsize": 11.5,
    "figure.titlesize": 14,
    "figure.titleweight": "bold",
}


class Markup(str):
    """HTML that this package wrote, with all text from files escaped: a page takes it as it is."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


class Svg(Markup):
    """An SVG that this package drew; *narrow* draws the same for a narrow window."""

    narrow: "Callable[[], Svg] | None" = None

    def _repr_svg_(self) -> str:
        return str(self)


class Undrawn(Svg):
    """The sentence that a page shows instead of a figure where matplotlib is not installed."""


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


def two_widths(draw: Callable[Parameters, Svg]) -> Callable[Parameters, Svg]:
    """Let a figure be drawn a second time for a narrow window; the function asks `width` for the units across."""

    @wraps(draw)
    def drawn(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Svg:
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


def drawing(draw: Callable[Parameters, Svg]) -> Callable[Parameters, Svg]:
    """Let a function draw with matplotlib in the house style, whatever the user's settings; `Undrawn` without it."""

    @two_widths
    @wraps(draw)
    def styled(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Svg:
        try:
            import matplotlib
        except ModuleNotFoundError:
            return Undrawn("A figure belongs here. It needs matplotlib: pip install 'touchstone-nlp[plots]'")
        with matplotlib.rc_context(), warnings.catch_warnings():
            # The text stays text: the reader's machine has the letters that matplotlib's own font lacks.
            warnings.filterwarnings("ignore", r"Glyph .* missing from")
            matplotlib.rcdefaults()
            matplotlib.rcParams.update(_STYLE)
            return draw(*args, **kwargs)

    return styled


def standalone(svg: Svg) -> Svg:
    """Return a figure that is to stand alone; raise an error where it could not be drawn."""
    if isinstance(svg, Undrawn):
        raise missing("matplotlib", "plots")
    return svg


def sheet(height: float, title: str, needed: float = WIDTH) -> "Figure":
    """Return an empty figure *height* units high, with its *title* at the left.

    It is as wide as the page, or narrower where so many units across are all that is *needed*.
    """
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    across = min(width(), round(max(needed, NARROWEST)))
    edge = 4 if is_narrow() else 12
    lines = wrap(elided(title, 100), across // 9) if title else []
    margins = ConstrainedLayoutEngine(w_pad=edge / 72, h_pad=10 / 72)
    figure = Figure(figsize=(across / 72, (height + 18 * max(0, len(lines) - 1)) / 72), layout=margins)
    if lines:
        figure.suptitle("\n".join(lines), x=edge / across, ha="left")
    return figure


def fitting(letters: int) -> int:
    """Return how many of so many *letters* of a label on a wide figure there is room for on this one.

    >>> fitting(90)
    90
    """
    return max(8, letters * width() // WIDTH)


def finished(figure: "Figure", label: str) -> Svg:
    """Return *figure* as an SVG for a page or a file, with *label* for those who cannot see it."""
    out, label = StringIO(), visible(label)
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(out, format="svg", metadata=nothing)
    root = ElementTree.fromstring(out.getvalue())
    root.remove(root[0])  # a style sheet for "*", which would reach the whole page; its two rules are set below
    _own_ids(root, prefix=f"f{sha256((label + out.getvalue()).encode()).hexdigest()[:10]}-")
    _own_fonts(root)
    _round_paths(root)
    root.attrib = _frame(root.attrib["viewBox"], label)
    ElementTree.register_namespace("", _NAMESPACE)
    ElementTree.register_namespace("xlink", _LINK)
    return Svg(ElementTree.tostring(root, encoding="unicode"))


def _frame(view: str, label: str) -> dict[str, str]:
    _, _, width, height = view.split()
    return {
        "viewBox": view,
        "width": width,
        "height": height,
        "role": "img",
        "aria-label": label,
        "style": f"max-width:100%;height:auto;font-family:{FONTS};stroke-linejoin:round;stroke-linecap:butt",
    }


def _own_ids(root: ElementTree.Element, prefix: str) -> None:
    """Leave only the ids that something points to, and make those the figure's own."""
    pointer = re.compile(r"(?<=url\(#)[^)]+|(?<=^#).+")
    aims = {aim for element in root.iter() for value in element.attrib.values() for aim in pointer.findall(value)}
    for element in root.iter():
        if element.get("id") in aims:
            element.set("id", prefix + element.attrib["id"])
        else:
            element.attrib.pop("id", None)
        for key in ("clip-path", f"{{{_LINK}}}href"):
            if key in element.attrib:
                element.set(key, pointer.sub(lambda aim: prefix + aim[0], element.attrib[key]))


def _own_fonts(root: ElementTree.Element) -> None:
    """Let all text take the font of the sheet: matplotlib's own is not on the reader's machine."""
    for text in root.iter(f"{{{_NAMESPACE}}}text"):
        text.set("style", re.sub(r"\s*font-family:[^;]*;?", "", text.attrib["style"]).strip())


def _round_paths(root: ElementTree.Element) -> None:
    """Write outlines to a hundredth of a pixel: nobody sees more, and they are most of the file."""
    for path in root.iter(f"{{{_NAMESPACE}}}path"):
        path.set("d", re.sub(r"\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}", path.get("d", "")))
