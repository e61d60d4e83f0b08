"""Comparisons under several measures, within groups and with gates are one finding with one verdict."""

import touchstone
from touchstone.core.comparisons import Comparisons
from touchstone.core.group_comparison import compare_groups

IDS = [str(n) for n in range(40)]
OLD = {i: {"right": 1.0, "clear": 1.0} for i in IDS}
NEW = {i: {"right": float(int(i) % 4 > 0), "clear": 1.0 - int(i) % 2 / 100} for i in IDS}
ROWS = [
    {"system": name, "item": i, "half": "ab"[int(i) % 2], **scores[i]}
    for name, scores in (("old", OLD), ("new", NEW))
    for i in IDS
]


def kinds(finding):
    found = {}
    for row in finding.to_dict()["rows"]:
        found.setdefault(row["kind"], []).append(row)
    return found


def both():
    results = touchstone.items.score(ROWS, measures=["right", "clear"], by="half")
    comparisons = [touchstone.compare(results, name) for name in ("right", "clear")]
    gates = [touchstone.gate(one, "new", margin=0.02) for one in comparisons]
    return Comparisons(comparisons, [compare_groups(results, one.measure) for one in comparisons], gates)


def test_one_gate_that_fails_makes_the_verdict_of_all():
    finding = both()
    assert [gate.passed for gate in finding.gates] == [False, True]
    stated = finding.statement()
    assert (stated.verdict.passed, stated.verdict.sentences) == (False, finding.gates[0].sentences)
    assert [verdict.passed for verdict in stated.verdicts] == [False, True]
    assert [(row["measure"], row["verdict"]) for row in kinds(finding)["gate"]] == [
        ("right", "FAILED"),
        ("clear", "PASSED"),
    ]
    assert stated.all_tables[-1].title == "Gate: FAILED"


def test_every_row_says_its_measure_and_its_group():
    rows = kinds(both())
    assert {(row["measure"], row["group"]) for row in rows["pair"]} == {
        (measure, group) for measure in ("right", "clear") for group in (None, "a", "b")
    }
    assert (
        len(rows["value"]) == len({(row["system"], row["measure"], row["group"]) for row in rows["value"]}) == 2 * 2 * 3
    )
    assert {(row["group"], row["n"]) for row in rows["group"]} == {("a", 20), ("b", 20)}


def test_one_comparison_alone_states_what_it_states_among_others():
    comparison = both().comparisons[0]
    assert Comparisons([comparison]).to_dict() == comparison.to_dict()
    assert Comparisons([comparison]).to_text() == comparison.to_text()
