"""Why an annotation step is not taken: a rule that it would break, said to the person who tried it."""

from collections.abc import Sequence

from touchstone.core.errors import Fault, TouchstoneError
from touchstone.io.jsonl import Json

Offer = tuple[tuple[str, str], ...]
"""Pairs of contributors that could be joined so that the step can be taken."""


class RefusalError(TouchstoneError):
    """A step that is not taken; the document stays as it was. *more* are further reasons.

    >>> refusal = RefusalError("same", "a unit cannot be merged with itself")
    >>> refusal.to_json()
    {'rule': 'same', 'reason': 'a unit cannot be merged with itself', 'hint': None, 'offer': []}
    """

    def __init__(
        self, rule: str, reason: str, hint: str | None = None, *, offer: Offer = (), more: Sequence[str] = ()
    ) -> None:
        super().__init__(reason, hint=hint)
        self.rule = rule
        self.offer = offer
        self.faults = tuple(map(Fault, (reason, *more)))

    def to_json(self) -> dict[str, Json]:
        """Return the refusal for a browser."""
        pairs: list[Json] = [list(pair) for pair in self.offer]
        return {"rule": self.rule, "reason": self.faults[0].what, "hint": self.hint, "offer": pairs}

    def __reduce__(self) -> tuple[object, ...]:
        return _refusal, (self.rule, [fault.what for fault in self.faults], self.hint, self.offer)


def _refusal(rule: str, reasons: Sequence[str], hint: str | None, offer: Offer) -> RefusalError:
    return RefusalError(rule, reasons[0], hint, offer=offer, more=reasons[1:])
