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


TASKS = ("items", "lexsub", "mt", "nli", "pyramid")

RULES = [
    Rule("items agreement", r"results/\d+", "coefficient"),
    Rule("items agreement", r"annotators/\d+", "annotator"),
    # Scores, comparisons and explanations of all tasks.
    *(Rule(f"{task} score", r"results/\d+", "value") for task in TASKS),
    *(
        Rule(f"{task} compare", rf"comparisons/\d+/{path}", kind)
        for task in TASKS
        for path, kind in (
            (r"groups/\d+/pairs/\d+", "pair"),
            (r"groups/\d+/rank_ranges/.+?(?=/\d+$)", "rank"),
            (r"groups/\d+", "group"),
            (r"results/\d+", "value"),
            (r"rank_ranges/.+?(?=/\d+$)", "rank"),
            (r"pairs/\d+", "pair"),
            (r"baseline_pairs/\d+", "baseline_pair"),
            (r"tables/\d+/rows/\d+", "table"),
        )
    ),
    Rule("items compare", r"gate/gates/\d+/losses/\d+", "loss"),
    Rule("items compare", r"gate/gates/\d+", "gate"),
    *(Rule(f"{task} explain", r"formulas/\d+", "formula") for task in TASKS),
    *(Rule(f"{task} explain", r"tables/\d+/rows/\d+", "table") for task in TASKS),
    # analyses of tasks
    Rule("pyramid describe", r"tables/0/rows/\d+", "pyramid"),
    Rule("pyramid describe", r"tables/1/rows/\d+", "weight"),
    Rule("pyramid describe", r"tables/2/rows/\d+", "example"),
    Rule("pyramid analyse", r"effects/\d+", "effect"),
    Rule("pyramid analyse", r"residual", "residual"),
    Rule("pyramid analyse", r"comparisons/\w+/levels/\d+", "level"),
    Rule("pyramid analyse", r"comparisons/\w+/groups/\d+", "level_group"),
    Rule("pyramid analyse", r"comparisons/\w+/pairs/\d+", "pair"),
    Rule("pyramid analyse", r"comparisons/\w+", "comparison"),
    Rule("pyramid analyse", r"means/\w+/kinds/[\w-]+/means/\w+", "mean"),
    Rule("pyramid analyse", r"mixed/components/\d+", "component"),
    Rule("pyramid analyse", r"mixed/effects/\d+", "mixed_effect"),
    Rule("pyramid analyse", r"within/groups/\d+", "set_group"),
    Rule("pyramid analyse", r"within/interaction", "interaction"),
    Rule("pyramid analyse", r"within", "within"),
    Rule("pyramid power", r"curve/power/\d+", "power"),
    Rule("pyramid power", r"curve", "curve"),
    Rule("pyramid power", r"subsets/sizes/\d+", "subset_size"),
    Rule("mt meta", r"results/\d+", "agreement"),
    Rule("mt meta", r"tests/\d+", "test"),
    Rule("mt meta", r"systems/\d+", "system"),
    Rule("mt meta", r"perm_both/\d+", "perm_both"),
    Rule("mt meta", r"clusters/\d+", "cluster"),
    Rule("mt tune", r"folds/\d+", "fold"),
    Rule("mt tune", r"together", "together"),
    Rule("mt tune", r"", "tuning"),
    Rule("nli verify", r"tables/0/rows/\d+", "outcome"),
    Rule("nli verify", r"tables/1/rows/\d+", "annotator"),
    Rule("nli verify", r"tables/2/rows/\d+", "coefficient"),
    Rule("nli audit", r"tables/0/rows/\d+", "count"),
    Rule("nli audit", r"tables/1/rows/\d+", "edit"),
    Rule("nli baseline", r"tables/0/rows/\d+", "rule"),
    Rule("nli baseline", r"tables/1/rows/\d+/2", "value"),
    Rule("nli baseline", r"tables/1/rows/\d+/4", "value"),
    Rule("nli breakdown", r"results/\d+", "value"),
    # systems
    Rule("pyramid auto", r"results/\d+/units/\d+", "unit"),
    Rule("pyramid auto", r"results/\d+", "peer"),
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
    # agreement of annotators
    Rule("nli agreement", r"results/\d+", "coefficient"),
    Rule("mt agreement", r"results/\d+", "coefficient"),
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
