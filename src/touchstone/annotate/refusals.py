"""Refused requests: a code for programs and a message for people."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import regex

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.io.jsonl import Json
from touchstone.tasks.pyramid.formats.checking import FORBIDDEN

Value = TypeVar("Value")

_STATES = ("conflict", "finished", "interrupted", "no_decisions", "no_report", "outdated", "reopened", "waiting")
_CODES = {
    "not_found": Code.UNKNOWN_NAME,
    "taken": Code.DUPLICATE_NAME,
    "too_large": Code.TOO_LARGE,
    **dict.fromkeys(_STATES, Code.DATABASE),
}
"""The codes of refusals about data; others, such as those for want of a role, are about the request alone."""


@dataclass(frozen=True)
class Problem:
    """Something wrong with an answer: *where* in its body, and which *rule* it breaks."""

    where: str
    message: str
    rule: str | None = None


class Refusal(TouchstoneError):  # noqa: N818 (an answer, not a failure)
    """A request that is not carried out.

    Parameters
    ----------
    status
        The HTTP status.
    kind, message
        The reason, for programs and for people.
    hint
        What to do instead.
    problems
        The faults of the body, one by one.
    beside
        Further data for the response, such as both versions in a conflict.
    retry_after
        After how many seconds to try again.
    """

    def __init__(
        self,
        status: int,
        kind: str,
        message: str,
        *,
        hint: str | None = None,
        problems: Sequence[Problem] = (),
        beside: Mapping[str, Json] | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message, code=_CODES.get(kind, Code.INVALID), hint=hint)
        self.status, self.kind, self.retry_after = status, kind, retry_after
        self.message, self.problems, self.beside = message, tuple(problems), dict(beside or {})

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> "Refusal":
        """Return the refusal of an import with a `content`."""
        error = content["error"]
        status = 422 if error["code"] == "invalid" else 409
        problems = [Problem(**problem) for problem in error["problems"]]
        return cls(status, error["code"], error["message"], hint=error["hint"], problems=problems)

    def content(self) -> dict[str, Json]:
        """Return the JSON of the response."""
        error: dict[str, Json] = {
            "code": self.kind,
            "message": self.message,
            "hint": self.hint,
            "problems": [asdict(problem) for problem in self.problems],
        }
        if self.retry_after is not None:
            error["retry_after"] = self.retry_after
        return {"error": error, **self.beside}


def not_found(what: str) -> Refusal:
    """Return the refusal for something that does not exist or that the person may not see, without telling which."""
    return Refusal(404, "not_found", f"there is no such {what}")


def required(value: Value | None, what: str) -> Value:
    """Return *value*; refuse as not found if it is None."""
    if value is None:
        raise not_found(what)
    return value


def forbidden(reason: str, hint: str | None = None) -> Refusal:
    """Return the refusal for something that the person may see but not do."""
    return Refusal(403, "forbidden", reason, hint=hint)


def invalid(message: str, problems: Sequence[Problem] = (), hint: str | None = None) -> Refusal:
    """Return the refusal for an invalid request."""
    return Refusal(422, "invalid", message, problems=problems, hint=hint)


def as_refusal(error: TouchstoneError) -> Refusal:
    """Return an input error as a refusal, with a problem for each of its faults."""
    if isinstance(error, Refusal):
        return error
    problems = [Problem(str(fault.line or fault.file or ""), str(fault)) for fault in error.faults[:20]]
    return invalid(str(error).split("\n")[0], problems, error.hint)


_INVISIBLE = regex.compile(
    r"(?V1)[[\p{DI}\x7F-\x84\x86-\x9F\uFFF9-\uFFFB\u2800]--[\u200C\u200D]]"
    r"|(?<![[\p{L}\p{M}]--\p{Latin}])[\u200C\u200D]"
)
"""What nobody sees: characters that are ignored by default, control characters that are no white space, marks of
annotations between lines, the blank of Braille, and joiners outside the scripts that are written with them."""


def visible(text: str) -> str:
    r"""Return a text without its invisible characters, such as zero-width spaces.

    >>> visible("sun\u200bny"), visible("\u3164\ufeff")
    ('sunny', '')
    """
    return _INVISIBLE.sub("", text)


def is_writable(value: Json) -> bool:
    r"""Return whether every string in a JSON value, including keys, can be written to any file.

    What XML 1.0 forbids is refused on input rather than on export.

    >>> is_writable({"label": ["cats", "tab\t"]}), is_writable({"nul\0": 1})
    (True, False)
    """
    if isinstance(value, str):
        return FORBIDDEN.search(value) is None
    if isinstance(value, dict):
        return all(is_writable(name) and is_writable(inner) for name, inner in value.items())
    return all(map(is_writable, value)) if isinstance(value, list) else True
