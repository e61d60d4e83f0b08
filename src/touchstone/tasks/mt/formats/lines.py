"""Files with one segment per line: only line feeds end a line, and bytes that are no text are refused."""

import codecs
from pathlib import Path

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, visible
from touchstone.base.spelling import setting


def parse_lines(raw: bytes, name: str, encoding: str) -> tuple[list[str], list[str]]:
    """Return the lines in the bytes of a file, blank ones too, and notes on it.

    Parameters
    ----------
    raw, name, encoding
        The bytes of the file, its name for messages, and its encoding.
    """
    marked = raw.startswith(codecs.BOM_UTF8)
    text = _decoded(raw.removeprefix(codecs.BOM_UTF8), name, encoding, len(codecs.BOM_UTF8) * marked)
    notes = [f"{Path(name).name}: a byte-order mark was dropped"] if marked else []
    return split_lines(text), notes


def split_lines(text: str) -> list[str]:
    r"""Return the lines of *text*: split at line feeds only, each without one carriage return at its end.

    >>> split_lines("a\r\nb\x0cc\u2028d\n\n")
    ['a', 'b\x0cc\u2028d', '']
    """
    if not text:
        return []
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


def fits_a_line(name: str) -> bool:
    r"""Return whether a name can be printed as it is: it has no control character, line break or stray byte.

    >>> fits_a_line("uedin wmt12"), fits_a_line("uedin\nwmt12"), fits_a_line("a\u2028b"), fits_a_line("a\udcff")
    (True, False, False, False)
    """
    return visible(name) == name


def _decoded(raw: bytes, name: str, encoding: str, skipped: int) -> str:
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        what = f"is not {encoding} (0x{raw[error.start]:02x})"
        hint = f"give the encoding of the file, for example {setting('encoding', _likely(raw))}, or convert it to UTF-8"
        raise _at(raw[: error.start], name, what, skipped, Code.ENCODING, hint) from None
    except (LookupError, ValueError):
        what = "unknown encoding"
        raise TouchstoneError(what, value=encoding, code=Code.UNKNOWN_NAME, hint="try utf-8 or latin-1") from None
    nul = text.find("\0")
    if nul >= 0:
        wide = f"if the file is text in UTF-16, give {setting('encoding', 'utf-16')}"
        hint = wide if _likely(raw) == "utf-16" else "the file is damaged, or no text"
        raise _at(text[:nul].encode(encoding), name, "is NUL, which no text holds", skipped, Code.UNREADABLE, hint)
    return text


def _at(before: bytes, name: str, what: str, skipped: int, code: Code, hint: str) -> TouchstoneError:
    """Return an error at the byte that comes after *before*."""
    line, column = before.count(b"\n") + 1, len(before) - (before.rfind(b"\n") + 1)
    position = f"byte {skipped + len(before):,} of the file, {column:,} of the line"
    return TouchstoneError(f"{position}, {what}", file=name, line=line, code=code, hint=hint)


def _likely(raw: bytes) -> str:
    """Return the encoding that a file seems to have."""
    wide = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or raw[:2000].count(b"\0") > len(raw[:2000]) // 3
    return "utf-16" if wide else "latin-1"
