"""Where the numbers that commands printed before there were findings are now: among the rows, under the same keys.

A rule says where a record of the old JSON is: the words that a command begins with, a regular expression for the path
of the record, and the kind of the rows that have it now. A third part is the name below which a row has the numbers.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple


class Rule(NamedTuple):
    """Old records at *path* of *commands* are rows of *kind*, below the name *under*."""

    commands: str
    path: str
    kind: str
    under: str = ""


RULES = [
    Rule("items agreement", r"results/\d+", "coefficient"),
    Rule("items agreement", r"annotators/\d+", "annotator"),
    # judge: estimate, judge and plan of every task
    *(
        rule
        for task in ("items", "lexsub", "mt", "nli")
        for rule in (
            Rule(f"{task} estimate", r"estimates/\d+/systems/\d+", "estimate"),
            Rule(f"{task} estimate", r"estimates/\d+/pairs/\d+", "pair"),
            Rule(f"{task} estimate", r"estimates/\d+/rank_ranges/[^/]+", "estimate", "rank_range"),
            Rule(f"{task} estimate", r"estimates/\d+", "sample"),
            Rule(f"{task} plan", r"needs/\d+", "plan"),
            Rule(f"{task} judge", r"agreement/\d+", "agreement"),
            Rule(f"{task} judge", r"bias/\d+", "bias"),
            Rule(f"{task} judge", r"calibration/\d+", "calibration"),
            Rule(f"{task} judge", r"pairs/\d+", "pair order"),
            Rule(f"{task} judge", r"ranking/(?:people|judge)/\d+", "ranking"),
            Rule(f"{task} judge", r"swaps/\d+", "swap"),
            Rule(f"{task} judge", "", "judge"),
        )
    ),
]


def old_records(numbers: Mapping[str, float], words: str) -> Iterator[tuple[Rule, str, dict[str, float]]]:
    """Yield each record of the numbers by path: the rule that it falls under, its path, its numbers by key.

    The first rule whose expression matches the beginning of a path has it.
    """
    rules = [rule for rule in RULES if words.startswith(rule.commands)]
    records: dict[tuple[Rule, str], dict[str, float]] = {}
    for path, number in numbers.items():
        for rule in rules:
            if match := re.match(f"({rule.path})(?:/|$)" if rule.path else "()", path):
                records.setdefault((rule, match[1]), {})[path[match.end() :]] = number
                break
        else:
            raise AssertionError(f"no rule says where {path} is now")
    for (rule, path), record in records.items():
        yield rule, path, record
