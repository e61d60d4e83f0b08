"""The table of rules in ``static/pyramid/rules.js``, which the browser reads as well."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Rule:
    """A rule that is broken if a *fact* is larger than *most*, which is a number or the name of another fact."""

    rule: str
    fact: str
    most: int | str
    reason: str
    hint: str | None = None

    def is_broken(self, facts: Facts) -> bool:
        """Return whether *facts* break the rule."""
        return bool(facts[self.fact] > (facts[self.most] if isinstance(self.most, str) else self.most))


_TABLE = json.loads(
    (files("touchstone.annotate") / "static" / "pyramid" / "rules.js")
    .read_text("utf-8")
    .partition("export const RULES = ")[2]
    .rstrip(";\n")
)
LIMITS: Mapping[str, int] = _TABLE["limits"]
LABELS: Mapping[str, str] = _TABLE["labels"]
CHECKS = {kind: [Rule(**rule) for rule in rules] for kind, rules in _TABLE["checks"].items()}


def broken_rule(kind: str, facts: Facts) -> Rule | None:
    """Return the first rule for a *kind* of thing that its *facts* break, with the facts in its reason.

    >>> broken_rule("unit", {"uid": "7", "contributors": 5, "models": 4}).reason
    'unit 7 would have 5 contributors, but there are 4 model summaries'
    """
    for rule in CHECKS[kind]:
        if rule.is_broken(facts):
            return replace(rule, reason=rule.reason.format_map(facts))
    return None
