"""Where the numbers that commands printed before there were findings are now: among the rows, under the same keys.

A rule says where a record of the old JSON is: an expression for the words that a command begins with, an expression for
the path of the record, and the kind of the rows that have it now. A fourth part is the name below which a row has the
numbers. A named group of the expression says what a part of the path is the name of.

What is recorded today has rows of kinds already, which need no rule.
"""

import re
from collections import ChainMap
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tests.recorded.record import Scalar, is_number


class Rule(NamedTuple):
    """Old records at *path* of *commands* are rows of *kind*, below the name *under*, and have the names *about*."""

    commands: str
    path: str
    kind: str
    under: str = ""
    about: tuple[tuple[str, Scalar], ...] = ()


RULES = [
    # agreement of annotators
    Rule(r"\w+ agreement", r"results/\d+", "coefficient"),
    Rule("items agreement", r"annotators/\d+", "annotator"),
    # scores, comparisons and explanations of all tasks
    Rule(r"\w+ score", r"results/\d+", "value"),
    *(
        Rule(r"\w+ compare", rf"comparisons/\d+/{path}", kind)
        for path, kind in (
            (r"groups/\d+/pairs/\d+", "pair"),
            (r"groups/\d+/rank_ranges/(?P<system>.+?)(?=/\d+$)", "rank"),
            (r"groups/\d+", "group"),
            (r"results/\d+", "value"),
            (r"rank_ranges/(?P<system>.+?)(?=/\d+$)", "rank"),
            (r"pairs/\d+", "pair"),
            (r"baseline_pairs/\d+", "baseline_pair"),
            (r"tables/\d+/rows/\d+", "table"),
        )
    ),
    Rule("items compare", r"gate/gates/\d+/losses/\d+", "loss"),
    Rule("items compare", r"gate/gates/\d+", "gate"),
    Rule(r"\w+ explain", r"formulas/\d+", "formula"),
    Rule(r"\w+ explain", r"tables/\d+/rows/\d+", "table"),
    # analyses of tasks
    Rule("pyramid describe", r"tables/0/rows/\d+", "pyramid"),
    Rule("pyramid describe", r"tables/1/rows/\d+", "weight"),
    Rule("pyramid describe", r"tables/2/rows/\d+", "example"),
    Rule("pyramid analyse", r"effects/\d+", "effect"),
    Rule("pyramid analyse", r"residual", "residual"),
    Rule("pyramid analyse", r"comparisons/(?P<factor>\w+)/levels/\d+", "level"),
    Rule("pyramid analyse", r"comparisons/(?P<factor>\w+)/groups/\d+", "level_group"),
    Rule("pyramid analyse", r"comparisons/(?P<factor>\w+)/pairs/\d+", "pair"),
    Rule("pyramid analyse", r"comparisons/(?P<factor>\w+)", "comparison"),
    Rule("pyramid analyse", r"means/(?P<factor>\w+)/kinds/(?P<means>[\w-]+)/means/(?P<level>\w+)", "mean"),
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
    Rule("nli baseline", r"tables/1/rows/\d+/2", "value", "value"),
    Rule("nli baseline", r"tables/1/rows/\d+/4", "value"),
    Rule("nli breakdown", r"results/\d+", "value"),
    # systems
    Rule("pyramid auto", r"results/\d+/units/\d+", "unit"),
    Rule("pyramid auto", r"results/\d+", "peer"),
    *(
        Rule("pyramid auto", rf"tables/0/rows/\d+/{column}", kind, under, (("measure", measure),))
        for column, kind, under, measure in (
            (1, "value", "value", "summary_r"),
            (3, "pair", "difference", "summary_r"),
            (5, "value", "value", "system_r"),
            (7, "value", "value", "system_tau"),
            (8, "value", "value", "pairs_in_order"),
        )
    ),
    Rule("pyramid auto", r"tables/1/rows/\d+", "decisions"),
    Rule("pyramid auto", r"tables/2/rows/\d+", "calibration"),
    Rule("lexsub rank", r"results/\d+", "value"),
    Rule("lexsub suggest", r"tables/0/rows/\d+", "suggestion"),
    Rule("nli generate", r"tables/0/rows/\d+", "relation"),
    Rule("nli generate", r"tables/1/rows/\d+", "not used"),
    # judge: estimate, judge and plan of every task
    Rule(r"\w+ estimate", r"estimates/\d+/systems/\d+", "estimate"),
    Rule(r"\w+ estimate", r"estimates/\d+/pairs/\d+", "pair"),
    Rule(r"\w+ estimate", r"estimates/\d+/rank_ranges/(?P<system>[^/]+)", "estimate", "rank_range"),
    Rule(r"\w+ estimate", r"estimates/\d+", "sample"),
    Rule(r"\w+ plan", r"needs/\d+", "plan"),
    Rule(r"\w+ judge", r"agreement/\d+", "agreement"),
    Rule(r"\w+ judge", r"bias/\d+", "bias"),
    Rule(r"\w+ judge", r"calibration/\d+", "calibration"),
    Rule(r"\w+ judge", r"pairs/\d+", "pair order"),
    Rule(r"\w+ judge", r"ranking/(?P<by>people|judge)/\d+", "ranking"),
    Rule(r"\w+ judge", r"swaps/\d+", "swap"),
    Rule(r"\w+ judge", "", "judge"),
]

RENAMED = {
    ("annotator", "reader"): "annotator",
    ("coefficient", "coefficient"): "measure",
    ("count", "set"): "name",
    ("edit", "edits"): "name",
    ("pair", "method"): "b",
    ("suggestion", "in the sentence"): "form",
    ("suggestion", "found as"): "origin",
}
"""The key that a name has now, by the kind of the row and the old key."""

REWORDED = {"tokens that share a unit": "tokens of T01 that share a unit"}
"""Names that read otherwise now."""


class Record(NamedTuple):
    """A record of the old JSON: the rule it falls under, its path, its numbers by key, and the names beside them."""

    rule: Rule
    path: str
    numbers: dict[str, float]
    names: dict[str, Scalar]


def old_records(scalars: Mapping[str, Scalar], words: str) -> Iterator[Record]:
    """Yield each record of what a command printed, by path; the first rule that matches the beginning of a path has it.

    Names are the strings, nulls and truth values of the record, those of what it is part of, the parts of its path that
    the rule names, and those that the rule gives.
    """
    rules = [rule for rule in RULES if re.match(rule.commands, words)]
    rows = [path.removesuffix("/kind") for path in scalars if re.fullmatch(r"rows/\d+/kind", path)]
    today = {row: Rule("", r"rows/\d+", str(scalars[f"{row}/kind"])) for row in rows}
    columns = _columns(scalars)
    names = _names(scalars, columns)
    records: dict[tuple[Rule, str], Record] = {}
    for path, number in scalars.items():
        if not is_number(number):
            continue
        row = re.match(r"rows/\d+", path)
        for rule in rules if row is None else [today[row[0]]]:
            if match := re.match(f"({rule.path})(?:/|$)" if rule.path else "()", path):
                if (rule, match[1]) not in records:
                    about = [names.get(part, {}) for part in _around(match[1])]
                    merged = dict(ChainMap(dict(rule.about), match.groupdict(), *reversed(about)))
                    records[rule, match[1]] = Record(rule, match[1], {}, merged)
                key = path[match.end() :]
                records[rule, match[1]].numbers[columns.get(path, key) if key else ""] = number
                break
        else:
            raise AssertionError(f"no rule says where {path} is now")
    yield from records.values()


def _columns(scalars: Mapping[str, Scalar]) -> dict[str, str]:
    """Return the column of each cell of a table, by path, where no other column has the name."""
    heads: dict[str, list[str]] = {}
    for path, value in scalars.items():
        if match := re.fullmatch(r"(.*tables/\d+)/columns/\d+", path):
            heads.setdefault(match[1], []).append(str(value))
    cells = {path: re.fullmatch(r"(.*tables/\d+)/rows/\d+/(\d+)", path) for path in scalars}
    named = {path: (heads[match[1]], int(match[2])) for path, match in cells.items() if match}
    return {path: row[place] for path, (row, place) in named.items() if row[place] and row.count(row[place]) == 1}


def _names(scalars: Mapping[str, Scalar], columns: Mapping[str, str]) -> dict[str, dict[str, Scalar]]:
    """Return the names directly in each part of the JSON, by its path; an empty cell of a table names nothing.

    In a table that has each measure once, above all of its systems, an empty cell stands for the measure above.
    """
    names: dict[str, dict[str, Scalar]] = {}
    measure: Scalar = None
    for path, value in scalars.items():
        parent, _, key = path.rpartition("/")
        if columns.get(path) == "measure":
            measure = value = value or measure
        if not is_number(value) and (path not in columns or value not in ("", None)):
            names.setdefault(parent, {})[columns.get(path, key)] = value
    return names


def _around(path: str) -> list[str]:
    """Return the paths of all that a record is part of, and its own."""
    parts = path.split("/") if path else []
    return ["/".join(parts[:depth]) for depth in range(len(parts) + 1)]
