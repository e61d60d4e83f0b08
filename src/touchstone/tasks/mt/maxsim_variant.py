"""The variants of MAXSIM: what is matched and how it is counted, under a canonical name."""

import re
from dataclasses import dataclass, fields

from touchstone.core.errors import TouchstoneError, nearest
from touchstone.tasks.mt.maxsim_core import LONGEST_ORDER
from touchstone.tasks.mt.maxsim_triples import KINDS

WHATS = ("n", "n+d", "n+r", "n+d+r")
_CHOICES = {"what": WHATS, "syn": ("literal", "identity"), "absent": ("zero", "drop"), "norel": ("both", "any")}


@dataclass(frozen=True)
class Variant:
    """What is matched (n-grams; d relations; r roles), and the readings of what the paper leaves open.

    *alpha*: F = PR / (alpha P + (1 - alpha) R). *order*: the longest n-grams. *syn*: whether a lemma outside WordNet
    is its own synonym (``identity``). *absent*: an order that neither side has scores 0 or is left out (``drop``).
    *norel*: relations are left out where neither side has any (``both``), or where one has none (``any``).
    *distance*: the share of a soft weight that is lost from one end of the sentence to the other.

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
            _check_choice(name, getattr(self, name), choices)
        for name, value in (("alpha", self.alpha), ("distance", self.distance)):
            if not 0 <= value <= 1:
                raise TouchstoneError(f"{name} of maxsim must lie between 0 and 1", value=str(value))
        if not 1 <= self.order <= LONGEST_ORDER:
            raise TouchstoneError(f"the order of maxsim must be from 1 to {LONGEST_ORDER}", value=str(self.order))

    @classmethod
    def of(cls, what: str = "n", **given: str) -> "Variant":
        """Return the variant whose parameters are given as in the name of a measure, as strings."""
        typed: dict[str, object] = {}
        for name, value in given.items():
            read = {"alpha": _share, "distance": _share, "order": _whole}.get(name)
            typed[name] = read(name, value) if read else value
        return cls(what, **typed)  # type: ignore[arg-type]

    @property
    def kinds(self) -> tuple[str, ...]:
        """What is matched beside n-grams: ``d``, ``r``, both or nothing."""
        return tuple(kind for kind in KINDS if kind in self.what.split("+"))

    @property
    def identity(self) -> bool:
        """Whether every lemma is its own synonym."""
        return self.syn == "identity"

    @property
    def name(self) -> str:
        """The canonical name: what differs from the defaults, in the order of the fields."""
        changed = (
            f"{field.name}={_plain(getattr(self, field.name))}"
            for field in fields(self)[1:]
            if getattr(self, field.name) != field.default
        )
        return f"maxsim({','.join([self.what, *changed])})"


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        what = "maxsim matches" if name == "what" else f"{name} of maxsim must be one of"
        raise TouchstoneError(f"{what} {', '.join(choices)}", value=value, near=nearest(value, choices), kind="value")


def _share(name: str, text: str) -> float:
    if not re.fullmatch(r"[0-9]*\.?[0-9]+", text, re.ASCII):
        raise TouchstoneError(f"{name} of maxsim must be a number from 0 to 1", value=text)
    return float(text)


def _whole(name: str, text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,3}", text, re.ASCII):
        raise TouchstoneError(f"{name} of maxsim must be a whole number", value=text)
    return int(text)
