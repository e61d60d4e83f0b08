"""Comparison: who is better, by how much, whether it is real; and what must never be compared."""

import json
import math
from dataclasses import replace
from time import process_time

import numpy as np
import pyarrow as pa
import pytest

import touchstone as ts
from touchstone import TouchstoneError, compare, lexsub
from touchstone.base.codes import Code
from touchstone.base.ids import Policy
from touchstone.core.comparison_notes import no_chance_notes
from touchstone.core.measures import Measure
from touchstone.core.resampling import Resampling
from touchstone.core.results import Results, SystemRecords
from touchstone.stats import PAIRED_TESTS, compact_letters, holm, mean, mean_records, permutation_tests
from touchstone.stats.paired import PairedTest, Test

pytestmark = pytest.mark.filterwarnings("ignore:.* answers are in the gold:touchstone.TouchstoneWarning")
"""Some systems here are wrong on every item on purpose."""

ITEMS = 10
GOLD = "".join(f"w{n % 4}.n {n} :: right 2;other 2;\n" for n in range(ITEMS))


def lists(*right: int, answer: str = "right") -> str:
    """Answers to all items: *answer* where the item is among *right*, a wrong one elsewhere."""
    return "".join(f"w{n % 4}.n {n} ::: {answer if n in right else 'wrong'}\n" for n in range(ITEMS))


@pytest.fixture
def scored(tmp_path):
    """Score systems, given as texts by name, on the gold above."""

    def score(measures=("R",), gold=GOLD, **systems):
        resampling = systems.pop("resampling", Resampling(cluster="item"))
        options = systems.pop("options", {})
        (tmp_path / "g.gold").write_text(gold)
        runs = []
        for name, text in systems.items():
            (tmp_path / f"{name}.oot").write_text(text)
            runs.append(lexsub.read_run(tmp_path / f"{name}.oot"))
        return lexsub.score(lexsub.read_gold(tmp_path / "g.gold"), runs, measures, resampling=resampling, **options)

    return score


def test_a_pair_has_its_difference_and_what_happened_item_by_item(scored):
    """a is right on 0-5, b on 4-7: 4 wins (0-3), 2 losses (6, 7), 4 ties; each right answer is worth 1/2."""
    (pair,) = compare(scored(a=lists(*range(6)), b=lists(4, 5, 6, 7)), "R").pairs
    assert (pair.a, pair.b) == ("a", "b")
    assert (pair.wins, pair.ties, pair.losses) == (4, 4, 2)
    assert pair.difference == pytest.approx((6 - 4) / 2 / ITEMS)
    assert pair.low < pair.difference < pair.high


def test_the_better_system_stands_first_whatever_the_order_given(scored):
    comparison = compare(scored(worse=lists(1), better=lists(1, 2, 3), middle=lists(1, 2)), "R")
    assert [row.system for row in comparison.standings] == ["better", "middle", "worse"]
    assert [(pair.a, pair.b) for pair in comparison.pairs] == [
        ("better", "middle"),
        ("better", "worse"),
        ("middle", "worse"),
    ]
    assert all(pair.difference > 0 for pair in comparison.pairs)


def test_the_permutation_test_of_equal_differences_is_that_of_coin_flips(scored):
    """On 6 of 10 items the difference is 1/2, on the others 0: only 2 of the 2**6 ways to flip signs are so extreme."""
    (pair,) = compare(scored(a=lists(*range(6)), b=lists()), "R").pairs
    assert pair.p == pytest.approx(2 / 2**6, rel=0.15)


def test_systems_that_score_alike_on_every_item_do_not_differ(scored):
    """right and other weigh the same: other answers, the same scores."""
    (pair,) = compare(scored(a=lists(1, 2), b=lists(1, 2, answer="other")), "R").pairs
    assert (pair.difference, pair.p, pair.p_adjusted, pair.effect) == (0, 1, 1, 0)
    assert (pair.wins, pair.ties, pair.losses) == (0, ITEMS, 0)
    assert not pair.significant


@pytest.fixture
def three(scored):
    return scored(a=lists(*range(10)), b=lists(*range(5)), c=lists(0))


def test_holm_multiplies_the_smallest_p_by_the_number_of_pairs(three):
    """Holm (1979): the i-th smallest of 3 times 4 - i, never less than one before, never above 1."""
    pairs = sorted(compare(three, "R").pairs, key=lambda pair: pair.p)
    p = [pair.p for pair in pairs]
    first = 3 * p[0]
    second = max(first, 2 * p[1])
    assert [pair.p_adjusted for pair in pairs] == pytest.approx([first, second, max(second, p[2])])


def test_benjamini_hochberg_is_the_other_correction(three):
    """The i-th smallest of 3 times 3 / i, never more than one after."""
    pairs = sorted(compare(three, "R", correction="bh").pairs, key=lambda pair: pair.p)
    p = [pair.p for pair in pairs]
    third = p[2]
    second = min(third, p[1] * 3 / 2)
    assert [pair.p_adjusted for pair in pairs] == pytest.approx([min(second, p[0] * 3), second, third])


def test_holm_is_the_default_and_never_milder_than_benjamini_hochberg(three):
    assert compare(three, "R").correction == "holm"
    for strict, mild in zip(compare(three, "R").pairs, compare(three, "R", correction="bh").pairs, strict=True):
        assert strict.p <= strict.p_adjusted
        assert mild.p_adjusted <= strict.p_adjusted


SIX_PAIRS = {"a": lists(*range(10)), "b": lists(*range(2, 10)), "c": lists(*range(4, 10)), "d": lists(*range(6, 10))}
"""Every system differs from the next on two items: only a and d differ on six, by chance in 2 of 2**6 cases."""


def test_the_adjusted_p_decides_what_is_significant(scored):
    """a and d: p is 2 / 2**6 = 0.03, which six pairs make 0.19."""
    comparison = compare(scored(**SIX_PAIRS), "R")
    widest = next(pair for pair in comparison.pairs if (pair.a, pair.b) == ("a", "d"))
    assert widest.p == 2 / 2**6 < 0.05 < widest.p_adjusted == 6 * 2 / 2**6
    assert not any(pair.significant for pair in comparison.pairs)


def test_clusters_bold_cells_and_letters_follow_the_adjusted_p(scored):
    """Were p itself to decide, a and d would differ: two letters, and a cell in bold."""
    comparison = compare(scored(**SIX_PAIRS), "R")
    assert comparison.ranks == [["a", "b", "c", "d"]]
    assert comparison.pairs_table().bold == set()
    differ = {(pair.a, pair.b): pair.significant for pair in comparison.pairs}
    letters = compact_letters([row.system for row in comparison.standings], lambda a, b: differ[a, b])
    assert set(letters.values()) == {"a"}


def test_two_systems_alone_with_the_same_p_are_parted(scored):
    """One pair needs no correction: the same difference is significant, bold, and parts two clusters."""
    comparison = compare(scored(a=SIX_PAIRS["a"], d=SIX_PAIRS["d"]), "R")
    assert comparison.pairs[0].p_adjusted == 2 / 2**6
    assert comparison.ranks == [["a"], ["d"]]
    assert comparison.pairs_table().bold == {(0, 4)}


def test_clusters_part_systems_that_all_differ_from_all_below(scored):
    """a and b differ from c and d on eight items or more; a from b, and c from d, on one or two."""
    results = scored(a=lists(*range(10)), b=lists(*range(9)), c=lists(0), d=lists())
    assert compare(results, "R").ranks == [["a", "b"], ["c", "d"]]


def test_systems_that_no_test_parts_are_one_cluster(scored):
    assert compare(scored(a=lists(1), b=lists(2), c=lists(3)), "R").ranks == [["a", "b", "c"]]


def test_a_comparison_is_the_same_twice_and_depends_on_the_seed_alone(scored):
    texts = {"a": lists(*range(7)), "b": lists(4, 5, 6, 7, 8)}
    first, again, other = (
        compare(
            scored(**texts, resampling=Resampling("percentile", seed=seed, cluster="item")), "R", test="bootstrap"
        ).pairs
        for seed in (0, 0, 1)
    )
    assert first == again
    assert (first[0].low, first[0].high, first[0].p) != (other[0].low, other[0].high, other[0].p)


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_a_large_difference_is_significant_by_either_test(scored, test):
    (pair,) = compare(scored(a=lists(*range(10)), b=lists()), "R", test=test).pairs
    assert pair.significant
    assert pair.p < 0.01


def test_items_of_one_word_are_swapped_together_where_the_unit_is_the_word(scored):
    """Four words: no p can be below 2 / 2**4, however many items there are."""
    texts = {"a": lists(*range(10)), "b": lists()}
    (by_item,) = compare(scored(**texts), "R").pairs
    (by_word,) = compare(scored(**texts, resampling=Resampling(cluster="target")), "R").pairs
    assert by_item.p < 0.01
    assert by_word.p >= 2 / 2**4 * 0.9
    assert not by_word.significant


def test_the_note_counts_the_clusters_that_were_swapped(scored):
    texts = {"a": lists(*range(10)), "b": lists()}
    by_item, by_word = (
        compare(scored(**texts, resampling=Resampling(cluster=cluster)), "R") for cluster in ("item", "target")
    )
    assert by_item.note.startswith("paired permutation test over 10 items, all assignments; ")
    assert by_word.note.startswith("paired permutation test over 4 targets, all assignments; ")
    assert json.loads(by_word.to_json())["signature"]["test"].startswith("paired permutation test over 4 targets")


def test_where_no_difference_could_be_significant_the_note_says_so(scored):
    """Four words: the smallest p is 2 / 2**4. A note says it below the table and in JSON."""
    comparison = compare(scored(a=lists(*range(10)), b=lists(), resampling=Resampling(cluster="target")), "R")
    said = "no difference can be significant: 4 targets are too few for 1 pair, which needs at least 6"
    assert said in comparison.notes
    assert said in comparison.pairs_table().notes
    assert said in json.loads(comparison.to_json())["notes"]


def test_too_few_draws_for_the_pairs_are_said(scored):
    """Three pairs under Holm need 60 draws, since p is at least 1 / (draws + 1)."""
    wide = "".join(f"w.n {n} :: right 2;other 2;\n" for n in range(40))
    runs = {name: "".join(f"w.n {n} ::: {'right' if n < k else 'no'}\n" for n in range(40)) for name, k in WIDE.items()}
    few, enough = (compare(scored(gold=wide, **runs), "R", draws=draws) for draws in (50, 60))
    assert few.notes == ["no difference can be significant: 50 draws are too few for 3 pairs, which need at least 60"]
    assert not any(pair.significant for pair in few.pairs)
    assert enough.notes == []
    assert any(pair.significant for pair in enough.pairs)


WIDE = {"a": 40, "b": 20, "c": 1}


def test_a_measure_answers_to_the_name_that_results_know_it_by(scored):
    """The results look the name up; the comparison goes by the canonical one."""

    class Familiar(Results):
        def measure(self, name):
            return super().measure("F(k=1)" if name == "F" else name)

    results = scored(("F(k=1)", "R"), a=lists(*range(10)), b=lists(*range(5)))
    comparison = compare(Familiar(**{key: value for key, value in vars(results).items() if key != "rows"}), "F")
    assert comparison.measure == "F(k=1)"
    assert comparison.table().columns[2].header == "F(k=1)"
    assert {row["measure"] for row in comparison.to_dict()["rows"] if row["kind"] != "table"} == {"F(k=1)"}
    assert comparison.pairs == compare(results, "F(k=1)").pairs


def test_f_is_compared_as_a_ratio_of_sums(scored):
    results = scored(("F(k=1)",), a=lists(*range(10)), b=lists(*range(5)))
    (pair,) = compare(results, "F(k=1)").pairs
    a, b = (row.value for row in results.rows)
    assert pair.difference == pytest.approx(a - b)


@pytest.mark.filterwarnings("ignore:.*may have been cut off:touchstone.TouchstoneWarning")
def test_items_that_do_not_count_for_one_system_are_neither_won_nor_lost(scored):
    """Precision over attempted items: b attempts two of ten, and is right on both, as a is."""
    answers = "".join(f"w{n % 4}.n {n} ::: right\n" for n in (0, 1))
    (pair,) = compare(scored(("els07.oot.P",), a=lists(*range(10)), b=answers), "els07.oot.P").pairs
    assert (pair.wins, pair.ties, pair.losses) == (0, 2, 0)
    assert pair.difference == 0


GAPS = {str(n): (0.9 if n < 27 else 0.3) for n in range(80)}
"""The old system's values; the new one has none for the first 20, and is worse by 0.1 on all others but the last."""


@pytest.fixture(scope="module")
def with_gaps():
    new = {item: None if int(item) < 20 else GAPS[item] - 0.1 * (item != "79") for item in GAPS}
    third = {item: value / 2 for item, value in GAPS.items()}
    table = {"old": {item: value if item != "79" else None for item, value in GAPS.items()}, "new": new, "third": third}
    return ts.items.score(table, policy=Policy("skip"))


def test_a_pair_is_compared_on_the_items_that_count_for_both(with_gaps):
    (pair,) = [pair for pair in compare(with_gaps).pairs if {pair.a, pair.b} == {"old", "new"}]
    sign = 1 if pair.a == "old" else -1
    assert sign * pair.difference == pytest.approx(0.1)  # on each of the items 20 to 78
    assert (pair.n, pair.wins + pair.ties + pair.losses) == (59, 59)
    assert pair.significant
    assert pair.low <= pair.difference <= pair.high


def test_leaving_out_hard_items_does_not_make_a_system_the_best():
    """New has the higher mean, over the easy half; on each of these items it is worse than old."""
    old = {str(n): 0.9 if n < 20 else 0.1 for n in range(40)}
    new = {item: value - 0.1 - int(item) / 1000 if int(item) < 20 else None for item, value in old.items()}
    results = ts.items.score({"new": new, "old": old}, policy=Policy("skip"))
    assert results.row("new", "value").value > results.row("old", "value").value
    comparison = compare(results)
    assert comparison.ranks == [["old"], ["new"]]
    assert comparison.pairs[0].difference > 0.1


def test_the_footer_says_how_many_items_count_for_both(with_gaps):
    """Old and third have 79 items in common, new and third 60, old and new 59."""
    comparison = compare(with_gaps)
    assert "each pair is compared on the items that count for both systems: 59 to 79 of 80" in comparison.note
    assert sorted(pair.n for pair in comparison.pairs) == [59, 60, 79]


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_a_pair_among_several_has_the_numbers_that_it_has_alone(with_gaps, test):
    alone = replace(with_gaps, systems=[one for one in with_gaps.systems if one.system != "third"])
    (pair,) = [pair for pair in compare(with_gaps, test=test).pairs if {pair.a, pair.b} == {"old", "new"}]
    (same,) = compare(alone, test=test).pairs
    assert (pair.difference, pair.low, pair.high, pair.p) == (same.difference, same.low, same.high, same.p)


@pytest.mark.filterwarnings("ignore:.*may have been cut off:touchstone.TouchstoneWarning")
def test_where_answers_decide_what_counts_each_system_keeps_its_own_items(scored):
    """Precision over attempted items: b attempts four of ten, and is right on two; a is right on all."""
    answers = "".join(f"w{n % 4}.n {n} ::: {'right' if n < 2 else 'wrong'}\n" for n in range(4))
    results = scored(("els07.oot.P",), a=lists(*range(10)), b=answers)
    (pair,) = compare(results, "els07.oot.P").pairs
    values = {row.system: row.value for row in results.rows}
    assert pair.difference == pytest.approx(values["a"] - values["b"])


# --- several results -------------------------------------------------------------------------------------------------


def test_results_scored_apart_compare_as_if_scored_together(scored):
    a, b = lists(*range(6)), lists(4, 5, 6, 7)
    apart, together = compare([scored(a=a), scored(b=b)], "R"), compare(scored(a=a, b=b), "R")
    assert apart.pairs == together.pairs
    assert apart.standings == together.standings


def test_the_signature_of_a_comparison_names_every_system(scored):
    """A signature with every number: it must say where the numbers of the second system come from."""
    alone = [scored(a=lists(1)), scored(b=lists(2))]
    systems = [results.signature["systems"] for results in alone]
    assert systems[0] != systems[1]
    for results in (scored(a=lists(1), b=lists(2)), alone):
        signature = json.loads(compare(results, "R").to_json())["signature"]
        assert all(system in signature["systems"] for system in systems)
        assert signature["correction"] == "holm"
        assert "permutation" in signature["test"]


def test_another_gold_is_refused(scored):
    a = scored(a=lists(1))
    b = scored(gold=GOLD.replace("right 2", "right 3"), b=lists(2))
    with pytest.raises(TouchstoneError, match="gold"):
        compare([a, b], "R")


def test_figures_over_a_pool_are_never_set_beside_generated_ones(scored, tmp_path):
    (tmp_path / "pool").write_text("".join(f"w{n}.n::right;wrong\n" for n in range(4)))
    pool = tmp_path / "pool"
    with pytest.raises(TouchstoneError, match="pool"):
        compare([scored(a=lists(1)), scored(b=lists(2), options={"pool": pool})], "R")
    compare([scored(a=lists(1), options={"pool": pool}), scored(b=lists(2), options={"pool": pool})], "R")


@pytest.mark.parametrize("options", [{"lemmatize": True}, {"compat": "els07"}])
def test_figures_of_other_rules_are_not_compared(scored, options):
    with_mode = {"measures": ("els07.oot.R",), "gold": GOLD.replace("other 2", "other 1")}
    with pytest.raises(TouchstoneError, match=next(iter(options))):
        compare([scored(**with_mode, a=lists(1)), scored(**with_mode, b=lists(2), options=options)], "els07.oot.R")


def test_one_name_for_two_systems_is_refused(scored):
    with pytest.raises(TouchstoneError) as error:
        compare([scored(a=lists(1)), scored(a=lists(2))], "R")
    assert error.value.code == Code.DUPLICATE_NAME


def test_results_under_other_measures_are_compared_where_they_share_one(scored):
    a, b = scored(("R", "gap"), a=lists(1, 2)), scored(("R",), b=lists(2))
    assert compare([a, b], "R").pairs[0].difference == pytest.approx(1 / 2 / ITEMS)
    assert compare([b, a], "R").pairs[0].difference == pytest.approx(1 / 2 / ITEMS)


def test_a_measure_that_one_of_them_lacks_is_refused_with_a_sentence(scored):
    a, b = scored(("R", "gap"), a=lists(1, 2)), scored(("R",), b=lists(2))
    for results in ([a, b], [b, a]):
        with pytest.raises(TouchstoneError, match="gap"):
            compare(results, "gap")


def test_a_measure_that_was_not_scored_is_refused_with_the_nearest(scored):
    with pytest.raises(TouchstoneError) as error:
        compare(scored(("rank@10",), a=lists(1), b=lists(2)), "rank@1")
    fault = error.value.faults[0]
    assert (fault.code, fault.near) == (Code.UNKNOWN_NAME, "rank@10")


def test_nothing_to_compare_is_refused_with_a_sentence(scored):
    with pytest.raises(TouchstoneError):
        compare([], "R")


# --- shown -----------------------------------------------------------------------------------------------------------


def test_json_has_standings_clusters_and_pairs(three):
    whole = json.loads(compare(three, "R").to_json())
    rows = {kind: [row for row in whole["rows"] if row["kind"] == kind] for kind in ("value", "rank", "pair")}
    assert [row["system"] for row in rows["value"]] == ["a", "b", "c"]
    assert [row["tier"] for row in rows["rank"]] == sorted(row["tier"] for row in rows["rank"])
    assert set(rows["pair"][0]) >= {
        *("measure", "group", "a", "b", "difference", "low", "high", "p", "p_adjusted", "effect"),
        *("wins", "ties", "losses", "significant"),
    }


def test_json_has_no_infinity_and_no_nan(scored):
    """All differences the same: the effect is infinite, and JSON has no word for that."""
    text = compare(scored(a=lists(*range(10)), b=lists()), "R").to_json()
    json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))


def test_tables_cut_the_systems_into_clusters_and_count_items(scored):
    comparison = compare(scored(a=lists(*range(10)), b=lists(*range(9)), c=lists(0)), "R")
    assert [row[:2] for row in comparison.table().rows] == [["1–2", "a"], ["1–2", "b"], [3, "c"]]
    assert [row[-3:] for row in comparison.pairs_table().rows] == [[1, 9, 0], [9, 1, 0], [8, 2, 0]]
    assert "Holm" in comparison.note
    assert comparison._repr_html_().count("<table") == 3  # the task adds one on the order of answers
    assert "a – b" in repr(comparison)


@pytest.mark.filterwarnings("ignore:.*may have been cut off:touchstone.TouchstoneWarning")
def test_a_p_value_is_never_shown_as_zero(scored):
    gold = "".join(f"w.n {n} :: right 2;\n" for n in range(60))
    a = "".join(f"w.n {n} ::: right\n" for n in range(60))
    comparison = compare(scored(gold=gold, a=a, b="w.n 0 ::: wrong\n"), "R")
    assert comparison.pairs[0].p > 0
    assert "0.0000" not in comparison.pairs_table().to_text()


def test_a_hostile_name_is_no_markup(scored):
    results = scored(a=lists(1), b=lists(2))
    hostile = [replace(system, system=f"<b>{system.system}") for system in results.systems]
    assert "<b>a" not in compare(replace(results, systems=hostile), "R")._repr_html_()


def test_without_a_measure_the_one_is_compared_that_the_command_compares(scored):
    assert compare(scored((), a=lists(1), b=lists(2))).measure == "rank@10"
    assert compare(scored(("R", "gap"), a=lists(1), b=lists(2))).measure == "R"
    assert compare(ts.items.score({"a": {"q1": 1, "q2": 1}, "b": {"q1": 0, "q2": 1}})).measure == "value"
    with pytest.raises(TouchstoneError) as error:
        compare([scored(("gap",), a=lists(1)), scored(("R",), b=lists(2))])
    assert error.value.code == Code.MISMATCH


def test_the_package_shows_compare_to_a_notebook():
    assert ts.compare is compare


def test_an_interval_of_a_difference_never_has_zero_width(scored):
    """Ten items that never differ: others may, up to Wilson's bound for none of ten."""
    (pair,) = compare(scored(a=lists(1, 2), b=lists(1, 2, answer="other")), "R").pairs
    bound = 2.262157**2 / (10 + 2.262157**2)
    assert (pair.low, pair.high) == pytest.approx((-bound, bound))


def test_an_interval_of_a_difference_of_shares_ends_at_one():
    """Six items: the t interval of the difference 2/3 reaches beyond 1."""
    a, b = {str(n): 1.0 for n in range(6)}, {str(n): float(n == 0 or n == 5) for n in range(6)}
    (pair,) = compare(ts.items.score({"a": a, "b": b})).pairs
    assert (pair.difference, pair.high) == (pytest.approx(2 / 3), 1.0)
    (points,) = compare(ts.items.score({"a": {k: 10 * v for k, v in a.items()}, "b": b})).pairs
    assert points.high > 10 - 1 / 3


def test_a_difference_of_f_that_never_varies_has_a_sentence(scored):
    comparison = compare(scored(("F(k=1)",), a=lists(1, 2), b=lists(1, 2, answer="other")), "F(k=1)")
    assert math.isnan(comparison.pairs[0].low)
    assert "no interval: all 10 items have the same value" in comparison.notes


def test_one_cluster_has_no_bootstrap_test(scored):
    """Drawn again, one item is always itself: that is no evidence of a difference."""
    one = scored(gold="a.n 1 :: right 2;\n", a="a.n 1 ::: right\n", b="a.n 1 ::: wrong\n")
    (pair,) = compare(one, "R", test="bootstrap").pairs
    assert math.isnan(pair.p)
    assert not pair.significant


@pytest.mark.parametrize("wrong", [{"test": "wilcoxon"}, {"correction": "bonferroni"}])
def test_an_unknown_test_or_correction_is_refused(scored, wrong):
    with pytest.raises(TouchstoneError) as error:
        compare(scored(a=lists(1), b=lists(2)), "R", **wrong)
    assert error.value.code == Code.UNKNOWN_NAME


def test_the_bootstrap_test_of_many_pairs_is_that_of_each(scored):
    three = scored(a=lists(1), b=lists(2), c=lists(1, 2))
    two = scored(a=lists(1), b=lists(2))
    p = {frozenset((pair.a, pair.b)): pair.p for pair in compare(three, "R", test="bootstrap", draws=200).pairs}
    (alone,) = compare(two, "R", test="bootstrap", draws=200).pairs
    assert p[frozenset("ab")] == alone.p


def test_where_lower_is_better_the_lowest_stands_first_and_wins(scored):
    """a is right on one item more than b; turned round, b is the better of the two."""
    results = scored(a=lists(1, 2), b=lists(1))
    turned = replace(results, measures=[replace(measure, lower_is_better=True) for measure in results.measures])
    comparison = compare(turned, "R")
    assert [row.system for row in comparison.standings] == ["b", "a"]
    (pair,) = comparison.pairs
    assert (pair.a, pair.wins, pair.losses) == ("b", 1, 0)
    assert pair.difference == pytest.approx(-1 / 2 / ITEMS)
    assert "lower is better" in comparison.note
    assert turned.table().rows[0][1] == "b"


def test_results_whose_measures_depend_on_other_resources_are_not_compared(scored):
    one, other = scored(a=lists(1)), scored(b=lists(2))
    named = [replace(measure, signature="WordNet 3.1") for measure in other.measures]
    with pytest.raises(TouchstoneError, match=r"they differ in R \( and WordNet 3.1\)"):
        compare([one, replace(other, measures=named)], "R")


# --- many systems ----------------------------------------------------------------------------------------------------


def many(n_systems, n_items, gain, cluster=None):
    """Score systems, each better than the last by *gain*, on items in clusters of ten."""
    random = np.random.default_rng(3)
    difficulty = random.normal(size=n_items) + np.repeat(random.normal(size=n_items // 10), 10)
    systems = []
    for place in range(n_systems):
        values = 1 / (1 + np.exp(-(difficulty + gain * place + random.normal(scale=0.7, size=n_items))))
        systems.append(SystemRecords(f"s{place}", {"score": mean_records(values)}, pa.table({})))
    items = pa.table({"id": [str(n) for n in range(n_items)], "document": [str(n // 10) for n in range(n_items)]})
    measure = Measure("score", lambda joined: joined, mean)
    return Results("items", [measure], systems, items, {}, Resampling(cluster=cluster))


def test_differences_among_40_systems_are_found_under_holm_in_good_time():
    """780 pairs need p below 0.05 / 780; 10,000 draws would give 1 / 10,001 at best."""
    results = many(40, 2000, 0.05, cluster="document")
    started = process_time()
    comparison = compare(results, "score")
    assert process_time() - started < 60  # about 3 s on an idle core
    distant = [pair for pair in comparison.pairs if int(pair.a[1:]) - int(pair.b[1:]) >= 10]
    assert len(comparison.pairs) == 780
    assert all(pair.significant for pair in distant)
    assert "39,000 draws" in comparison.test
    assert not comparison.notes
    adjusted = holm([pair.p for pair in comparison.pairs])
    assert [pair.p_adjusted for pair in comparison.pairs] == adjusted.tolist()


def test_the_users_own_draws_are_kept_and_judged():
    comparison = compare(many(34, 200, 0.3), "score", draws=10_000)
    assert "10,000 draws" in comparison.test
    assert comparison.notes == [
        "no difference can be significant: 10,000 draws are too few for 561 pairs, which need at least 11,220"
    ]


def test_benjamini_hochberg_can_find_the_smallest_p_of_several_pairs(scored):
    """a and d: p is 2 / 2**6 = 0.03, which no correction of the smallest p by their number makes hopeless."""
    hopeless = "no difference can be significant: the systems differ on too few of 10 items"
    assert hopeless in compare(scored(**SIX_PAIRS), "R").notes
    assert hopeless not in compare(scored(**SIX_PAIRS), "R", correction="bh").notes


def test_an_item_counts_for_both_systems_where_the_last_number_of_both_records_says_so():
    """The records are (points, a number that is always 0, whether the item counts)."""
    points = {"a": np.ones(8), "b": np.zeros(8)}
    records = {name: np.column_stack([column, np.zeros(8), np.ones(8)]) for name, column in points.items()}
    systems = [SystemRecords(name, {"share": rows}, pa.table({})) for name, rows in records.items()]
    measure = Measure("share", lambda joined: joined, lambda sums: sums[..., 0] / sums[..., 2])
    results = Results("items", [measure], systems, pa.table({"id": [str(n) for n in range(8)]}), {})
    (pair,) = compare(results, "share").pairs
    assert pair.p == 2 / 2**8


def test_a_paired_test_of_ones_own_is_described_and_cited(scored, monkeypatch, tmp_path):
    def signs(systems, pairs, fold, *, draws, seed, clusters):
        made = permutation_tests(systems, pairs, fold, draws=draws, seed=seed, clusters=clusters)
        return [replace(one, method="sign", p=0.01, draws=0, exact=True) for one in made]

    monkeypatch.setitem(PAIRED_TESTS, "sign", PairedTest(signs, "benjamini-hochberg-1995"))
    comparison = compare(scored(a=lists(*range(6)), b=lists(4, 5, 6, 7)), "R", test="sign")
    assert comparison.pairs[0].p == 0.01
    assert comparison.test == "paired sign test over 10 items, exact"
    ts.write_paper(comparison, tmp_path / "paper")
    assert "benjamini-hochberg-1995" in "".join(path.read_text("utf-8") for path in (tmp_path / "paper").glob("*.tex"))
    with pytest.raises(TouchstoneError) as error:
        compare(scored(a=lists(1), b=lists(2)), "R", test="signs")
    assert error.value.code == Code.UNKNOWN_NAME


def test_a_comparison_is_shown_by_its_tables_and_is_itself_alone(scored):
    first, again = (compare(scored(a=lists(0), b=lists(1)), "R") for _ in range(2))
    assert repr(first).splitlines()[:3] == first.to_text().splitlines()[:3]
    assert first == first
    assert first != again
    assert hash(first)


def test_a_note_on_too_few_draws_counts_the_pairs_that_were_tested(scored):
    results = scored(a=lists(0), b=lists(1))
    tests = [Test(0.1, 0.5, 10, False, "permutation", smallest_p) for smallest_p in (1 / 11, 1 / 11, np.nan)]
    [note] = no_chance_notes(tests, "holm", results)
    assert "for 2 pairs" in note
    [note] = no_chance_notes(tests[1:], "holm", results)
    assert "for 1 pair," in note
