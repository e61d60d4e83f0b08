"""The variants of MAXSIM: what is matched and how it is counted, with a canonical name."""

import re
from dataclasses import dataclass, fields
from typing import TypedDict

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.tasks.mt.maxsim.triples import KINDS

LONGEST_ORDER = 9
"""Two sentences that share a longer n-gram are nearly equal; a limit keeps a mistyped order from taking hours."""

WHATS = ("n", "n+d", "n+r", "n+d+r")
_CHOICES = {"what": WHATS, "syn": ("literal", "identity"), "absent": ("zero", "drop"), "norel": ("both", "any")}


class SoftMatching(TypedDict):
    """Whether every lemma is its own synonym, and how much distance costs."""

    identity: bool
    distance: float


@dataclass(frozen=True)
class Variant:
    """What is matched, and how we read what the paper leaves open.

    Parameters
    ----------
    what
        ``n`` for n-grams, with ``+d`` for dependency relations and ``+r`` for semantic roles.
    alpha
        The weight of recall in F = PR / (alpha P + (1 - alpha) R).
    order
        The longest n-grams.
    syn
        Whether a lemma outside WordNet is its own synonym (``identity``) or has none (``literal``).
    absent
        Whether an order of which neither side has an n-gram scores 0 (``zero``) or is left out (``drop``).
    norel
        Whether relations and roles are left out where neither side has any (``both``) or where a side has none
        (``any``).
    distance
        The share of a similarity that is lost from one end of a sentence to the other.

    Examples
    --------
    >>> Variant("n+d", alpha=0.7).name, Variant().name
    ('maxsim(n+d,alpha=0.7)', 'maxsim(n)')
    """

    what: str = "n"
    alpha: float = 0.9
    order: int = 3
    syn: str = "literal"
    absent: str = "zero"
    norel: str = "both"
    distance: float = 0.0

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                what = "maxsim matches" if name == "what" else f"{name} of maxsim must be one of"
                near = nearest(value, choices)
                raise TouchstoneError(
                    f"{what} {', '.join(choices)}", value=value, near=near, kind="value", code=Code.UNKNOWN_NAME
                )
        for name, share in (("alpha", self.alpha), ("distance", self.distance)):
            if not 0 <= share <= 1:
                what = f"{name} of maxsim must lie between 0 and 1"
                raise TouchstoneError(what, value=str(share), code=Code.OUT_OF_RANGE)
        if not 1 <= self.order <= LONGEST_ORDER:
            what = f"the order of maxsim must be from 1 to {LONGEST_ORDER}"
            raise TouchstoneError(what, value=str(self.order), code=Code.OUT_OF_RANGE)

    @classmethod
    def of(cls, what: str = "n", **parameters: str) -> "Variant":
        """Return the variant whose parameters are given as strings, as in the name of a measure."""
        return cls(what, **{name: _parsed(name, value) for name, value in parameters.items()})  # type: ignore[arg-type]

    @property
    def kinds(self) -> tuple[str, ...]:
        """What is matched beside n-grams: ``d``, ``r``, both or nothing."""
        return tuple(kind for kind in KINDS if kind in self.what.split("+"))

    @property
    def parsed(self) -> bool:
        """Whether trees are needed."""
        return "d" in self.kinds

    @property
    def identity(self) -> bool:
        """Whether every lemma is its own synonym."""
        return self.syn == "identity"

    @property
    def soft(self) -> SoftMatching:
        """How similar items are matched, as the matchings take it."""
        return {"identity": self.identity, "distance": self.distance}

    @property
    def name(self) -> str:
        """The canonical name: what differs from the defaults, in the order of the fields."""
        changed = (
            f"{field.name}={_parameter_text(getattr(self, field.name))}"
            for field in fields(self)[1:]
            if getattr(self, field.name) != field.default
        )
        return f"maxsim({','.join([self.what, *changed])})"


def _parameter_text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _parsed(name: str, text: str) -> float | int | str:
    """Return the value of a parameter in a name."""
    if name == "order":
        if not re.fullmatch(r"[0-9]{1,3}", text, re.ASCII):
            raise TouchstoneError(f"{name} of maxsim must be a whole number", value=text, code=Code.BAD_VALUE)
        return int(text)
    if name in ("alpha", "distance"):
        if not re.fullmatch(r"[0-9]*\.?[0-9]+", text, re.ASCII):
            raise TouchstoneError(f"{name} of maxsim must be a number from 0 to 1", value=text, code=Code.BAD_VALUE)
        return float(text)
    return text
