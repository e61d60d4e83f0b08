"""The colours of reports, figures and pages: the themes of a page, and the colours of figures on white."""

LIGHT = {
    "paper": "#fbfbfa",
    "ink": "#1f2328",
    "muted": "#59636e",
    "line": "#dfe3e8",
    "card": "#ffffff",
    "accent": "#0b5f96",
    "band": "#f3f5f7",
    "better": "#0072b2",
    "worse": "#d55e00",
    "grid": "#e4e7eb",
    "better-tint": "114 187 230",
    "worse-tint": "213 94 0",
}
"""The colours of a page by day; a tint is red, green and blue of a colour of cells, whose strength varies."""

DARK = {
    "paper": "#15181c",
    "ink": "#e4e7eb",
    "muted": "#9aa4af",
    "line": "#313840",
    "card": "#1c2025",
    "accent": "#7cbbe0",
    "band": "#22272d",
    "better": "#56b4e9",
    "worse": "#f08a3c",
    "grid": "#2b3138",
    "better-tint": "30 92 133",
    "worse-tint": "213 94 0",
}
"""The same by night."""

PAPER = LIGHT | {
    "paper": "#ffffff",
    "ink": "#000000",
    "muted": "#444444",
    "line": "#cccccc",
    "accent": "#000000",
    "grid": "#dddddd",
}
"""The same in print."""

INK, MUTED, FAINT = LIGHT["ink"], LIGHT["muted"], LIGHT["grid"]
BETTER, WORSE = LIGHT["better"], LIGHT["worse"]
WORSE_TEXT = "#ad4b00"
"""The second colour for letters: on white it has the contrast that WCAG asks for."""

# Okabe and Ito 2008, colours that the colour-blind tell apart; without yellow, which white paper swallows.
PALETTE = (BETTER, "#e69f00", "#009e73", "#cc79a7", "#56b4e9", WORSE, "#6b7280")

EDGE = "#b6bdc5"
"""The lines at the left of a panel and below it."""
TRACK = "#d5dae0"
"""What could have been reached, behind what was."""
ABSENT = "#f5f6f7"
"""A cell without a value."""
WHITE = "#ffffff"
GAPS = (WORSE, "#f7b27a", WHITE, "#7cbbe0", BETTER)
"""From the worst difference to the best, with pale forms of both between them."""
LIKENESS = (WHITE, "#cfe4f2", "#5aa5d6")
"""From the least correlation to the greatest; all are pale enough for letters."""


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


def blended(colours: tuple[str, ...], part: float) -> str:
    """Return the colour at a *part*, from 0 to 1, of the way through evenly spaced colours.

    >>> blended(("#000000", "#ffffff"), 0.5), blended(("#000000", "#ff0000", "#ffffff"), 0.75)
    ('#808080', '#ff8080')
    """
    place = min(max(part, 0.0), 1.0) * (len(colours) - 1)
    first = min(int(place), len(colours) - 2)
    ends = map(channels, colours[first : first + 2])
    return "#" + "".join(f"{round(a + (b - a) * (place - first)):02x}" for a, b in zip(*ends, strict=True))


def channels(colour: str) -> tuple[int, ...]:
    """Return red, green and blue of a colour, from 0 to 255.

    >>> channels("#0072b2")
    (0, 114, 178)
    """
    return tuple(bytes.fromhex(colour[1:]))
