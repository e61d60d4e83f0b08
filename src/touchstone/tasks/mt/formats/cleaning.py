"""Entities and white space: differences that come from how a text was stored, not from the system.

An entity such as ``&quot;`` is decoded once, and only with its final semicolon: ``&para`` without one may be part of an
address. Text that was escaped twice keeps one layer, and a note says so.
"""

import re
import unicodedata
from collections.abc import Sequence
from html import unescape
from html.entities import html5

from touchstone.tasks.mt.model import Options

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
    kept, notes = list(segments), []
    if not options.no_unescape:
        decoded = [decode_entities(segment) for segment in kept]
        changed = sum(new != old for new, old in zip(decoded, kept, strict=True))
        twice = sum(decode_entities(new) != new for new, old in zip(decoded, kept, strict=True) if new != old)
        kept = [" ".join(segment.split()) for segment in decoded]
        notes += [f"{name}: lines with entities, which were decoded: {changed:,}"] if changed else []
        notes += [f"{name}: lines escaped twice, which keep a layer: {twice:,}"] if twice else []
    if options.nfc:
        normal = [unicodedata.normalize("NFC", segment) for segment in kept]
        changed = sum(new != old for new, old in zip(normal, kept, strict=True))
        kept = normal
        notes += [f"{name}: lines that NFC changed: {changed:,}"] if changed else []
    return kept, notes


def decode_entities(text: str) -> str:
    """Return *text* with its entities decoded once; what is no entity, or has no semicolon, is kept.

    >>> decode_entities("&quot;a&quot; &#38; b?x=1&para=2 &amp;lt; &nosuch;")
    '"a" & b?x=1&para=2 &lt; &nosuch;'
    """
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(found: re.Match[str]) -> str:
    name = found[0]
    return unescape(name) if name[1] == "#" or name[1:] in html5 else name
