"""Headlines and ranks say what the tests of pairs say: who is ahead of whom, and which ranks each system may have."""

import json
import re

import numpy as np
import pytest

import touchstone
from touchstone import compare, items, nli
from touchstone.core.group_comparison import compare_groups
from touchstone.core.ranking import leader, ranks_sentence
from touchstone.core.report.paper import paper_files
from touchstone.core.report.verdict import verdict
from touchstone.core.resampling import Resampling

NOISE = np.random.default_rng(5).normal(0, 0.1, (40, 60))
NONE = Resampling("none")


def scored(means: dict[str, float], spread: dict[str, float] | None = None, **options):
    """Return results of systems with these means; those with a larger *spread* are harder to tell from others."""
    rows = [
        {"system": name, "item": str(item), "kind": "odd" if item % 2 else "even", "quality": mean + wide * noise[item]}
        for (name, mean), noise in zip(means.items(), NOISE, strict=False)
        for wide in [(spread or {}).get(name, 1.0)]
        for item in range(60)
    ]
    return items.score(rows, **options)


# gpt is ahead of b and c; d varies so much that it cannot be told from any other.
CHAINED = {"gpt": 0.6, "d": 0.5, "b": 0.42, "c": 0.4}
WIDE = {"d": 9.0}


@pytest.fixture(scope="module")
def chained():
    comparison = compare(scored(CHAINED, WIDE))
    names = [row.system for row in comparison.standings]
    assert comparison.ranks == [names]  # no group is apart from the others
    real = {frozenset((pair.a, pair.b)) for pair in comparison.pairs if pair.significant}
    assert real == {frozenset(("gpt", "b")), frozenset(("gpt", "c"))}
    return comparison


def test_the_headline_leads_with_the_best_system_against_each_other_one(chained):
    assert chained.leader.system == "gpt"
    assert sorted(chained.leader.ahead_of) == ["b", "c"]
    assert chained.leader.tied_with == ["d"]
    assert chained.headline == "quality: gpt is ahead of b and c; it cannot be told apart from d"


def test_ranks_are_ranges_where_groups_do_not_separate(chained):
    assert chained.rank_ranges == {"gpt": (1, 2), "d": (1, 4), "b": (2, 4), "c": (2, 4)}
    assert dict(row[1::-1] for row in chained.table().rows) == {"gpt": "1–2", "d": "1–4", "b": "2–4", "c": "2–4"}


def test_every_output_of_a_comparison_has_the_headline_and_the_ranges(chained, tmp_path):
    data = json.loads(chained.to_json())
    [leader] = [row for row in data["rows"] if row["kind"] == "leader"]
    assert (leader["headline"], leader["ahead_of"]) == (chained.headline, list(chained.leader.ahead_of))
    ranks = {row["system"]: (row["low"], row["high"]) for row in data["rows"] if row["kind"] == "rank"}
    assert ranks == chained.rank_ranges
    touchstone.write_report(chained, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    texts = [repr(chained), chained._repr_html_(), chained.table().to_markdown(), page]
    assert all("gpt is ahead of b and c; it cannot be told apart from d" in text for text in texts)
    assert all(ends in text for text in [*texts, chained.table().to_latex()] for ends in ("1–2", "1–4", "2–4"))
    assert "stands apart" not in page
    [sentence] = paper_files([chained])["results.md"].strip().split("\n")
    assert "gpt (" in sentence
    assert re.search(
        r"better than b \(0\.\d+\) and c and does not differ significantly from d: the difference from b", sentence
    )


def test_the_verdict_of_a_report_has_the_ranges_instead_of_no_group(chained):
    first, second = verdict(chained.results, [chained], "quality")
    assert first.startswith("gpt is ahead of b and c; it cannot be told apart from d: the difference from d is ")
    assert second == "Possible ranks: gpt 1–2, b 2–4, c 2–4, d 1–4."


def test_forty_systems_have_forty_ranges():
    means = {f"s{n:02}": 0.09 + 0.8 * n / 39 for n in range(40)}
    comparison = compare(scored(means, resampling=NONE))
    ranges = comparison.rank_ranges
    best = comparison.standings[0].system
    assert comparison.ranks[0] != [best]
    assert ranges[best][0] == 1
    assert ranges[best][1] < 10
    assert ranges["s00"][0] > 30
    assert len(set(ranges.values())) > 20
    better, worse = dict.fromkeys(means, 0), dict.fromkeys(means, 0)
    for pair in comparison.pairs:
        if pair.significant:
            winner, loser = (pair.a, pair.b) if pair.difference > 0 else (pair.b, pair.a)
            worse[winner] += 1
            better[loser] += 1
    assert ranges == {name: (1 + better[name], 40 - worse[name]) for name in ranges}
    assert f"is ahead of {worse[best]} of the 39 other systems; it cannot be told apart from " in comparison.headline
    assert len(comparison.headline) < 160
    assert ranks_sentence(ranges).count("s") < 20


def test_two_systems_that_differ_and_two_that_do_not():
    apart, tied = compare(scored({"a": 0.9, "b": 0.1})), compare(scored({"a": 0.501, "b": 0.5}))
    assert (apart.headline, apart.rank_ranges) == ("quality: a is ahead of b", {"a": (1, 1), "b": (2, 2)})
    first, second = (row.system for row in tied.standings)
    assert tied.headline == f"quality: {first} cannot be told apart from {second}"
    assert tied.rank_ranges == {"a": (1, 2), "b": (1, 2)}
    assert [row[0] for row in tied.table().rows] == ["1–2", "1–2"]


@pytest.mark.filterwarnings("ignore:quality. the name says:touchstone.TouchstoneWarning")
def test_where_lower_is_better_the_best_is_the_lowest():
    comparison = compare(scored({"fast": 0.1, "slow": 0.9, "slower": 1.9}, lower_is_better=("quality",)))
    assert comparison.rank_ranges == {"fast": (1, 1), "slow": (2, 2), "slower": (3, 3)}
    assert comparison.headline == "quality: fast is ahead of slow and slower"


def test_a_baseline_has_no_rank_beside_systems_and_one_alone():
    gold = {str(n): "neutral" if n % 3 else "entailment" for n in range(60)}
    right = gold | {"0": "contradiction"}
    half = {item: label if int(item) % 4 else "neutral" for item, label in gold.items()}
    comparison = compare(nli.score(gold, {"right": right, "half": half}, ["accuracy"]))
    baseline = comparison.baselines[0].system
    assert set(comparison.rank_ranges) == {"right", "half"}
    assert {row[1]: row[0] for row in comparison.table().rows}[baseline] == "–"
    assert baseline not in comparison.headline
    alone = compare(nli.score(gold, {"right": right}, ["accuracy"]))
    assert alone.headline == f"accuracy: right is ahead of {alone.standings[1].system}"


def test_each_measure_has_its_own_headline():
    rows = [
        {"system": system, "item": str(item), "quality": good + noise[item], "speed": fast + noise[item]}
        for (system, good, fast), noise in zip((("a", 0.9, 0.1), ("b", 0.1, 0.9)), NOISE, strict=False)
        for item in range(60)
    ]
    results = items.score(rows)
    headlines = [compare(results, name).headline for name in ("quality", "speed")]
    assert headlines == ["quality: a is ahead of b", "speed: b is ahead of a"]


def test_the_ranks_of_a_group_follow_the_tests_of_all_groups():
    results = scored(CHAINED, WIDE, by="kind")
    whole, groups = compare(results.overall()), compare_groups(results)
    assert whole.headline == "quality: gpt is ahead of b and c; it cannot be told apart from d"
    rows = groups.to_dict()["rows"]
    for group in groups.pairs:
        lost = dict.fromkeys(CHAINED, 0)
        for pair in (row for row in rows if (row["kind"], row["group"]) == ("pair", group)):
            if pair["significant"]:
                lost[pair["b"] if pair["difference"] > 0 else pair["a"]] += 1
        ranks = [row for row in rows if (row["kind"], row["group"]) == ("rank", group)]
        assert {row["system"]: row["low"] - 1 for row in ranks} == lost


def test_a_system_that_beats_the_best_on_shared_items_is_said():
    known = leader(["a", "b", "c"], {("b", "a"), ("a", "c")})
    assert known.sentence == "a is ahead of c; it is behind b"


def test_estimates_have_ranges_too():
    judge = [
        {"system": s, "item": i, "score": mean + (i * 7) % 10 / 10}
        for s, mean in (("a", 3.0), ("b", 2.95), ("c", 1.0))
        for i in range(90)
    ]
    human = [{**row, "score": row["score"] + (row["item"] * 3) % 4 / 2} for row in judge if row["item"] < 40]
    human = [{**row, "score": row["score"] + (row["item"] % 3) * (row["system"] == "a")} for row in human]
    [paired] = touchstone.paired_tables(human, judge)
    estimates = touchstone.estimate(paired)
    assert estimates.rank_ranges["c"] == (3, 3)
    assert [row[0] for row in estimates.table().rows][-1] == 3
    [row] = [row for row in estimates.to_dict()["rows"] if row.get("system") == "c"]
    assert row["rank_range"] == [3, 3]
