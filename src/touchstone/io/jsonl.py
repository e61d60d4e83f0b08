"""Line-wise JSON: an object per line, faults with their line numbers."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.io.text import lines

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
"""What a JSON text can hold."""


def parse_json(text: str, *, file: str, line: int | None = None) -> Json:
    """Return the value of a JSON text, or raise with the place at which it stops being one."""

    def refused(
        what: str, code: Code = Code.UNREADABLE, value: str | None = None, at: int | None = line
    ) -> TouchstoneError:
        return TouchstoneError(what, file=file, line=at, value=value, code=code)

    try:
        value: Json = json.loads(text, object_pairs_hook=_object)
        if "\\u" in text:  # only an escape can bring half a surrogate pair in
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        what = f"not JSON at column {error.colno} ({error.msg.lower()})"
        raise refused(what, at=line if line is not None else error.lineno) from None
    except UnicodeEncodeError:
        raise refused("contains half a surrogate pair, which is not a character", Code.ENCODING) from None
    except _RepeatedKeyError as error:
        raise refused("duplicate key in a JSON object", Code.DUPLICATE_NAME, str(error)) from None
    except RecursionError:
        raise refused("JSON is nested too deeply", Code.TOO_LARGE) from None
    except ValueError as error:
        raise refused(f"not JSON ({str(error).split(';')[0].lower()})") from None
    return value


class _RepeatedKeyError(Exception):
    """A duplicate key: one of its values would be lost."""


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    # Python keeps the last of two equal keys without a word.
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        raise _RepeatedKeyError(next(name for name, count in Counter(names).items() if count > 1))
    return members


def parse_objects(text: str, *, file: str, faults: list[Fault]) -> Iterator[tuple[int, dict[str, Json]]]:
    """Yield line number and object of every line that is not blank; what is no object becomes a fault."""
    for number, line in lines(text):
        try:
            value = parse_json(line, file=file, line=number)
        except TouchstoneError as error:
            faults.extend(error.faults)
            continue
        if isinstance(value, dict):
            yield number, value
        else:
            faults.append(Fault("not a JSON object", file, number, line, code=Code.BAD_CELL))


def format_objects(objects: Iterable[Mapping[str, Json]]) -> str:
    """Return *objects*, one per line."""
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in objects)
