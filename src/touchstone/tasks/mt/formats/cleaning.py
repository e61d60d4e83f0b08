"""Entities and white space: differences that come from how a text was stored, not from the system.

An entity such as ``&quot;`` is decoded once, and only with its final semicolon: ``&para`` without one may be part of an
address. Text that was escaped twice keeps one layer, and a note says so.
"""

import re
import unicodedata
from collections.abc import Sequence
from html import unescape
from html.entities import html5

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.notes import warning
from touchstone.tasks.mt.about import Options

FEWEST, NEARLY_ALL = 5, 0.9
"""Lines, and the share of them with a separator, from which it separates columns."""

HEADERS = {
    *("hyp", "hypotheses", "hypothesis", "mt", "output", "outputs", "prediction", "predictions", "ref", "reference"),
    *("references", "segment", "sentence", "source", "src", "target", "text", "tgt", "translation", "translations"),
}
"""Names of columns: a line of its own that holds one is hardly a segment."""

_DOCUMENT_TAG = re.compile(r"\s*<(?:\?xml|refset|tstset|srcset|mteval|dataset)\b", re.IGNORECASE)

_SEGMENT_TAG = re.compile(r"\s*<seg\b", re.IGNORECASE)

_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,40});")


def clean(segments: Sequence[str], options: Options, name: str) -> tuple[list[str], list[str]]:
    """Return the segments as the options ask for them, and notes on what that changed, with counts.

    Parameters
    ----------
    segments
        The lines of a file.
    options
        Whether to decode entities and collapse white space, and whether to normalise Unicode.
    name
        The name of the file, for the notes.
    """
    cleaned, notes = list(segments), _wrong_forms(segments, name)
    if not options.no_unescape:
        decoded = [decode_entities(segment) for segment in cleaned]
        changed = sum(new != old for new, old in zip(decoded, cleaned, strict=True))
        twice = sum(decode_entities(new) != new for new, old in zip(decoded, cleaned, strict=True) if new != old)
        cleaned = [" ".join(segment.split()) for segment in decoded]
        notes += [f"{name}: lines with entities, which were decoded: {changed:,}"] if changed else []
        notes += [f"{name}: lines escaped twice, which keep a layer: {twice:,}"] if twice else []
    if options.nfc:
        normal = [unicodedata.normalize("NFC", segment) for segment in cleaned]
        changed = sum(new != old for new, old in zip(normal, cleaned, strict=True))
        cleaned = normal
        notes += [f"{name}: lines that NFC changed: {changed:,}"] if changed else []
    return cleaned, notes


def _wrong_forms(segments: Sequence[str], name: str) -> list[str]:
    r"""Return warnings of lines that hold more than a segment; refuse markup.

    >>> _wrong_forms(["s1\tA cat.", "s2\tA dog.", "s3\tIt rains.", "s4\tYes.", "s5\tNo."], "mine")
    ['warning: mine: 5 of 5 lines have tabs; if tabs separate columns, give the text alone, or a table with a header']
    """
    filled = [segment for segment in segments if segment.strip()]
    if not filled:
        return []
    marked = sum(bool(_SEGMENT_TAG.match(segment)) for segment in filled)
    if _DOCUMENT_TAG.match(filled[0]) or marked >= NEARLY_ALL * len(filled):
        hint = "give the text of each segment on a line of its own, without tags"
        what = "holds markup such as <seg>, not a segment on each line"
        raise TouchstoneError(what, file=name, code=Code.UNREADABLE, hint=hint)
    warnings = []
    if len(filled) > 1 and filled[0].strip().casefold() in HEADERS:
        warnings.append(f"the first line, {filled[0].strip()!r}, counts as a segment, but looks like a header")
    if sum(segment.count("\r") for segment in filled) >= len(filled):
        warnings.append("lines have carriage returns inside, and only line feeds end a line: convert the line ends")
    for mark, what in (("\t", "tabs"), (" ||| ", "'|||'")):
        count = sum(mark in segment.strip() for segment in filled)
        if len(filled) >= FEWEST and count >= NEARLY_ALL * len(filled):
            cause = f"if {what} separate columns, give the text alone, or a table with a header"
            warnings.append(f"{count:,} of {len(filled):,} lines have {what}; {cause}")
    return [warning(f"{name}: {text}") for text in warnings]


def decode_entities(text: str) -> str:
    """Return *text* with its entities decoded once; what is no entity, or has no semicolon, is kept.

    >>> decode_entities("&quot;a&quot; &#38; b?x=1&para=2 &amp;lt; &nosuch;")
    '"a" & b?x=1&para=2 &lt; &nosuch;'
    """
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    name = match[0]
    return unescape(name) if name[1] == "#" or name[1:] in html5 else name
