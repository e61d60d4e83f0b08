"""Offsets at the border to a browser, which counts UTF-16 units where all else here counts code points."""


def code_point_offset(text: str, units: int) -> int:
    """Return the code points before a UTF-16 offset; the middle of a character counts as its start.

    >>> [code_point_offset("a😀b", units) for units in range(5)]
    [0, 1, 1, 2, 3]
    """
    seen = 0
    for place, character in enumerate(text):
        seen += 2 if character > "\uffff" else 1
        if seen > units:
            return place
    return len(text)


def utf16_offset(text: str, offset: int) -> int:
    """Return the UTF-16 units before a code point.

    >>> [utf16_offset("a😀b", offset) for offset in range(4)]
    [0, 1, 3, 4]
    """
    return offset + sum(character > "\uffff" for character in text[:offset])


def code_point_span(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a UTF-16 span in code points: half a character at either end is taken whole.

    >>> code_point_span("a😀b", 2, 4), code_point_span("a😀b", 1, 2)
    ((1, 3), (1, 2))
    """
    last = code_point_offset(text, end)
    return code_point_offset(text, start), last + (utf16_offset(text, last) < end and last < len(text))
