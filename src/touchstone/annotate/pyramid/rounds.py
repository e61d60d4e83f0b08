"""A round of an adjudication: two versions that are compared, and what was chosen so far.

A round is stored in the body of the adjudicated answer, under the key "adjudication", beside the document that its
choices make. Versions of answers never change, so that the same round always has the same decisions::

    {"left": [12, 3], "right": [14, 7], "earlier": [], "choices": {"0f3a…": "left"}}

*left* and *right* are answers with their versions. To compare three answers, a second round compares the adjudicated
answer with the third; *earlier* are the answers that earlier rounds compared.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from touchstone.annotate.pyramid.deciding import CHOICES
from touchstone.annotate.pyramid.json_form import malformed, read_list, read_number, read_object, read_pair
from touchstone.io.jsonl import Json

ADJUDICATION = "adjudication"
MAX_CHOICES, MAX_ANSWERS = 20_000, 1_000
_KEY = re.compile(r"[0-9a-f]{16}")

Source = tuple[int, int]
"""The id of an answer, and a version."""


@dataclass(frozen=True)
class Round:
    """Two versions that are compared, the answers that were compared before, and the choices by decision."""

    left: Source
    right: Source
    earlier: tuple[int, ...] = ()
    choices: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Json]:
        """Return the round as a JSON value."""
        sources: dict[str, Json] = {"left": [*self.left], "right": [*self.right], "earlier": [*self.earlier]}
        return {**sources, "choices": dict(self.choices)}

    def followed_by(self, left: Source, right: Source) -> "Round":
        """Return the next round, which compares the result of this one with a further answer."""
        compared = dict.fromkeys((*self.earlier, self.left[0], self.right[0]))
        return replace(Round(left, right), earlier=tuple(compared))


def round_of(body: Json) -> Round | None:
    """Return the round in the body of an answer, which is not trusted; None if there is none."""
    if not isinstance(body, dict) or ADJUDICATION not in body:
        return None
    fields = read_object(body[ADJUDICATION], ("left", "right", "earlier", "choices"), ADJUDICATION)
    left, right = (_read_source(fields[side], f"{ADJUDICATION} {side}") for side in ("left", "right"))
    earlier = read_list(fields["earlier"], f"{ADJUDICATION} earlier", MAX_ANSWERS, _read_id)
    return Round(left, right, earlier, _read_choices(fields["choices"], f"{ADJUDICATION} choices"))


def raised(body: dict[str, Json], stored: Json) -> dict[str, Json]:
    """Return *body* with counters that are at least those of the *stored* body, since no number is used twice."""
    sides = [value["next"] for value in (body, stored) if isinstance(value, dict)]
    counters = [side for side in sides if isinstance(side, dict)]
    return {**body, "next": {name: max(int(str(side[name])) for side in counters) for name in ("unit", "contributor")}}


def _read_id(value: Json, where: str) -> int:
    return read_number(value, where, 0)


def _read_source(value: Json, where: str) -> Source:
    return read_pair(value, where, _read_id, "an answer and a version")


def _read_choices(value: Json, where: str) -> dict[str, str]:
    if not isinstance(value, dict) or len(value) > MAX_CHOICES:
        raise malformed("must be an object", where)
    choices = {}
    for key, choice in value.items():
        if not (_KEY.fullmatch(key) and isinstance(choice, str) and choice in CHOICES):
            raise malformed(f"each decision has one of {', '.join(CHOICES)}", where, key[:40])
        choices[key] = choice
    return choices
