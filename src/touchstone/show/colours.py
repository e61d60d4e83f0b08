"""All colours of reports and figures: the themes of a page, and the colours of figures on white.

A colour is written here and nowhere else; what is a paler or a darker form of another one is mixed from it.
"""


def blended(colours: tuple[str, ...], part: float) -> str:
    """Return the colour at a *part*, from 0 to 1, of the way through evenly spaced colours.

    >>> blended(("#000000", "#ffffff"), 0.5), blended(("#000000", "#ff0000", "#ffffff"), 0.75)
    ('#808080', '#ff8080')
    """
    position = min(max(part, 0.0), 1.0) * (len(colours) - 1)
    first = min(int(position), len(colours) - 2)
    ends = map(channels, colours[first : first + 2])
    return "#" + "".join(f"{round(a + (b - a) * (position - first)):02x}" for a, b in zip(*ends, strict=True))


def channels(colour: str) -> tuple[int, ...]:
    """Return red, green and blue of a colour, from 0 to 255.

    >>> channels("#ff8000")
    (255, 128, 0)
    """
    return tuple(bytes.fromhex(colour[1:]))


def _cell_colour(*colours: str, part: float = 0.0) -> str:
    """Return a colour of table cells as red, green and blue, for CSS to add how strong it is in each cell."""
    return " ".join(map(str, channels(blended(colours, part))))


WHITE, BLACK = "#ffffff", "#000000"
BETTER, WORSE = "#0072b2", "#d55e00"
"""On white; the colour-blind tell them apart too."""
BETTER_AT_NIGHT, WORSE_AT_NIGHT = "#56b4e9", "#f08a3c"

LIGHT = {
    "paper": "#fbfbfa",
    "ink": "#1f2328",
    "muted": "#59636e",
    "line": "#dfe3e8",
    "card": WHITE,
    "accent": "#0b5f96",
    "band": "#f3f5f7",
    "better": BETTER,
    "worse": WORSE,
    "grid": "#e4e7eb",
    "better-tint": _cell_colour(BETTER, WHITE, part=0.45),
    "worse-tint": _cell_colour(WORSE, WHITE),
    "sheet": WHITE,
    "sheet-edge": "#dfe3e8",
}
"""The colours of a page by day. A tint is the colour of cells; a sheet is the ground that a figure lies on."""

DARK = {
    "paper": "#15181c",
    "ink": "#e4e7eb",
    "muted": "#9aa4af",
    "line": "#313840",
    "card": "#1c2025",
    "accent": "#7cbbe0",
    "band": "#22272d",
    "better": BETTER_AT_NIGHT,
    "worse": WORSE_AT_NIGHT,
    "grid": "#2b3138",
    "better-tint": _cell_colour(BETTER_AT_NIGHT, BLACK, part=0.49),
    "worse-tint": _cell_colour(WORSE, BLACK),
    "sheet-edge": "#dddddd",
}
"""The same by night. The page inverts a sheet with all that is on it, so it is as light as by day."""

PAPER = LIGHT | {
    "paper": WHITE,
    "ink": BLACK,
    "muted": "#444444",
    "line": "#cccccc",
    "accent": BLACK,
    "grid": "#dddddd",
}
"""The same in print."""

INK, MUTED, FAINT, BAND = LIGHT["ink"], LIGHT["muted"], LIGHT["grid"], LIGHT["band"]
WORSE_TEXT = "#ad4b00"
"""The second colour for letters: on white it has the contrast that WCAG asks for."""

# Okabe and Ito 2008, colours that the colour-blind tell apart; without yellow, which white paper swallows.
PALETTE = (BETTER, "#e69f00", "#009e73", "#cc79a7", BETTER_AT_NIGHT, WORSE, "#6b7280")

EDGE = "#b6bdc5"
"""The lines at the left of a panel and below it."""
TRACK = "#d5dae0"
"""What could have been reached, behind what was."""
ABSENT = "#f5f6f7"
"""A cell without a value."""
UNMATCHED = "#a3abb5"
"""Words and brackets without a link."""
UNMATCHED_GROUND = "#eef0f2"
"""The ground of words that are marked because they match nothing."""

GAPS = (WORSE, WHITE, BETTER)
"""From the worst difference to the best."""
MIDDLE = "#e2e2de"
"""Between the lowest and the highest value of a map of items, where a cell must stand out from the page."""
LIKENESS = (WHITE, blended((BETTER, WHITE), 0.81), blended((BETTER, WHITE), 0.37))
"""From the least correlation to the greatest; all are pale enough for letters."""
WEIGHTS = (blended((BETTER, WHITE), 0.89), blended((BETTER, WHITE), 0.5))
"""From the lightest to the heaviest; both are pale enough for letters."""
WEIGHT_EDGE = blended((BETTER, EDGE), 0.75)
"""The outline of a box in one of these."""
PROBABILITIES = (ABSENT, BETTER)
"""From probability 0 to 1."""


def theme_css() -> str:
    """Return the colours of all themes as variables of CSS.

    >>> theme_css()[:41]
    '@media all { :root { --paper: #fbfbfa; --'
    """
    themes = {"all": LIGHT, "(prefers-color-scheme: dark)": DARK, "print": PAPER}
    rules = {
        where: "; ".join(f"--{name}: {colour}" for name, colour in theme.items()) for where, theme in themes.items()
    }
    return "\n".join(f"@media {where} {{ :root {{ {colours}; }} }}" for where, colours in rules.items())
