"""XML, read safely: no entities that the file defines, nothing fetched, faults with line and column."""

from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError

__all__ = ["Element", "parse_xml"]


def parse_xml(raw: bytes, file: str) -> Element:
    """Return the root of an XML text; a DTD that it names is not looked for, entities it declares are refused."""
    try:
        root: Element = fromstring(raw, forbid_dtd=False)
    except ParseError as error:
        line, column = error.position
        reason = str(error).split(":")[0]
        what = f"XML is not well-formed at column {column} ({reason})"
        raise TouchstoneError(what, file=file, line=line, code=Code.UNREADABLE) from None
    except DefusedXmlException:
        what = "XML with entity declarations or external entities is refused"
        raise TouchstoneError(what, file=file, code=Code.UNREADABLE, hint="remove the declarations from it") from None
    except (LookupError, ValueError) as error:
        raise TouchstoneError(f"XML cannot be decoded ({error})", file=file, code=Code.ENCODING) from None
    return root
