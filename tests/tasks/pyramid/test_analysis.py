"""The analysis of a table of scores: which rows count, what is compared, and what is said of it."""

import json
from itertools import product

import pyarrow as pa
import pytest

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.io.writing import write_table
from touchstone.pyramid import ScoreTable, analyse, compare_evaluations, read_scores
from touchstone.stats.anova import analyse_variance
from touchstone.stats.comparisons import fisher_lsd, tukey_hsd
from touchstone.stats.mixed import fit_mixed

SETS = {f"D{number}": number / 10 for number in range(1, 7)}
PEERS = {"1": 0.0, "2": 0.3, "3": 0.305}


def wobble(place: int) -> float:
    """Return an error that looks like none: small, balanced and always the same."""
    return 0.004 * ((7 * place) % 5 - 2)


def columns(sets=SETS, peers=PEERS, turned=()):
    """A row for each set and peer: the two effects added; in *turned* sets a third of the peer's is taken away."""
    cells = list(product(sets, peers))
    score = [
        round(sets[one] + (-peers[peer] / 3 if one in turned else peers[peer]) + wobble(place), 4)
        for place, (one, peer) in enumerate(cells)
    ]
    return {"setid": [one for one, _ in cells], "peerid": [peer for _, peer in cells], "score": score}


@pytest.fixture
def table():
    return ScoreTable.of(columns())


@pytest.fixture
def twice():
    """The same, the first set read by two annotators whose scores are 0.2 apart."""
    given = columns()
    rows = [row for row, one in enumerate(given["setid"]) if one == "D1"]
    more = {name: given[name] + [given[name][row] for row in rows] for name in given}
    more["score"] = given["score"] + [given["score"][row] + 0.2 for row in rows]
    more["annot"] = ["a"] * len(given["score"]) + ["b"] * len(rows)
    return more


def test_it_is_the_analysis_of_the_statistics_room(table):
    found = analyse(table)
    model = analyse_variance(columns(), "score", ["setid", "peerid"])
    assert found.model.effects == model.effects
    assert found.peers.p.tolist() == tukey_hsd(model, "peerid").p.tolist()
    assert found.peers.levels == ("3", "2", "1")
    assert (found.peers.n_differing, found.above_baseline) == (2, ())


def test_the_type_stands_in_the_heading_and_in_the_signature(table):
    found = analyse(table, type="I")
    assert "type I:" in found.statement().tables[0].title
    assert found.signature["model"] == "score ~ setid + peerid, type I"


def test_lsd_goes_under_its_own_name(table):
    found = analyse(table, test="lsd")
    assert found.peers.p.tolist() == fisher_lsd(found.model, "peerid").p.tolist()
    every = "\n".join(one.to_text() for one in found.statement().tables)
    assert "Fisher LSD" in every
    assert "Tukey" not in every


def test_peers_above_the_baseline_are_counted(table):
    found = analyse(table, baseline="01")
    assert found.above_baseline == ("3", "2")
    assert "2 of 2 peers are significantly above the baseline 1." in found.sentences
    with pytest.raises(TouchstoneError, match="no such level"):
        analyse(table, baseline="9")
    with pytest.raises(TouchstoneError) as error:
        analyse(table, "score", ["setid"], baseline="1")
    assert error.value.code == Code.UNSUPPORTED


def test_factors_that_are_not_significant_are_not_taken_apart(table):
    shade = ["dark", "pale", "pale", "dark"]
    more = ScoreTable.of({**table.columns, "shade": [shade[row % 4] for row in range(len(table.columns["score"]))]})
    found = analyse(more, "score", ["setid", "peerid", "shade"])
    assert list(found.comparisons) == ["setid", "peerid"]
    assert found.notes == ("levels are not compared of factors that are not significant: shade",)
    with pytest.raises(TouchstoneError) as error:
        analyse(more, "score", ["shade"])
    assert error.value.code == Code.TOO_FEW


def test_annotators_of_one_summary_are_averaged_aloud(twice):
    found = analyse(ScoreTable.of(twice))
    assert len(found.model.data.values) == 18
    assert found.table.columns["score"][0] == pytest.approx(twice["score"][0] + 0.1)
    assert "3 summaries have several annotators" in found.notes[0]
    assert len(analyse(ScoreTable.of(twice), annotators="each").model.data.values) == 21


def test_annotators_who_rate_a_summary_differently_are_not_averaged(twice):
    more = {**twice, "content": [1, 2, 3] * 7}
    more["content"][18:] = [3, 3, 3]
    with pytest.raises(TouchstoneError) as error:
        analyse(ScoreTable.of(more), "score", ["setid", "content"])
    assert error.value.code == Code.MISMATCH
    assert 'annotators="each"' in str(error.value)


def test_padded_and_plain_ids_are_one_peer():
    given = columns()
    padded = given | {"peerid": ["0" + peer for peer in given["peerid"]]}
    assert analyse(ScoreTable.of(padded)).peers.levels == ("3", "2", "1")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"peerid": ["1"] * 18}, "occur in 3 rows"),
        ({"setid": [""] * 18}, "rows lack setid"),
        ({"score": ["x"] * 18}, "not a finite number"),
        ({name: [] for name in ("setid", "peerid", "score")}, "no row in the table"),
    ],
)
def test_tables_that_say_nothing_or_the_same_twice_are_refused(change, sentence):
    with pytest.raises(TouchstoneError, match=sentence):
        analyse(ScoreTable.of(columns() | change))


def test_a_score_that_is_no_number_is_refused_before_it_is_averaged(twice):
    twice["score"][-1] = "high"
    with pytest.raises(TouchstoneError, match='score is not a finite number: "high"'):
        analyse(ScoreTable.of(twice))


def test_a_table_without_peers_is_refused_with_its_columns():
    with pytest.raises(TouchstoneError, match="the columns are setid, score"):
        ScoreTable.of({"setid": ["D1"], "score": [0.1]})


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_a_table_reads_the_same_in_each_form(tmp_path, suffix, table):
    path = tmp_path / f"table{suffix}"
    write_table(path, pa.table(columns()))
    assert analyse(read_scores(path)).model.effects == analyse(table).model.effects


def test_files_that_are_no_tables_are_refused(tmp_path):
    for name, text, sentence in (
        ("x.parquet", "PAR1", "not a complete Parquet"),
        ("x.jsonl", "[1]", "no columns 'setid' and 'peerid'"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(TouchstoneError, match=sentence):
            read_scores(tmp_path / name)


def test_differences_that_hold_everywhere_hold_in_each_group():
    sets = {name: value / 10 for name, value in SETS.items()}
    found = analyse(ScoreTable.of(columns(sets))).within
    assert [group.name for group in found.groups] == ["hard", "middling", "easy"]
    assert [group.sets for group in found.groups] == [("D1", "D2"), ("D3", "D4"), ("D5", "D6")]
    assert [(group.same, group.turned, group.found) for group in found.groups] == [(2, 0, 2)] * 3
    assert "no disjoint groups" in found.formed
    assert found.interaction.df == 4


def test_differences_that_turn_around_in_hard_sets_are_seen():
    sets = {f"D{number}": number / 10 for number in range(1, 10)}
    given = columns(sets, {"1": -0.1, "2": 0.0, "3": 0.1}, turned=("D1", "D2", "D3"))
    found = analyse(ScoreTable.of(given)).within
    assert [group.turned for group in found.groups] == [found.pairs, 0, 0]
    assert [group.same for group in found.groups] == [0, found.pairs, found.pairs]
    assert found.pairs > 0
    assert found.groups[0].tau == pytest.approx(-1)
    assert found.interaction.p < 0.001


def test_sets_that_fall_into_disjoint_groups_are_grouped_so():
    sets = {"D1": 0.1, "D2": 0.11, "D3": 0.9, "D4": 0.91}
    found = analyse(ScoreTable.of(columns(sets))).within
    assert [group.sets for group in found.groups] == [("D1", "D2"), ("D3", "D4")]
    assert "that Tukey HSD tells apart" in found.formed


def test_a_group_of_one_set_has_directions_but_no_test():
    found = analyse(ScoreTable.of(columns({"D1": 0.1, "D2": 0.5, "D3": 0.9}))).within
    assert [(group.same, group.found, group.extra) for group in found.groups] == [(2, None, None)] * 3
    assert found.interaction is None
    assert "leave no error" in found.table().notes[-2]


def test_evaluations_are_compared_by_the_differences_they_show(table):
    few = ScoreTable.of(columns({name: SETS[name] for name in ("D1", "D2", "D3")}))
    found = compare_evaluations([table, few], baseline="1")
    many, fewer = found.rows
    assert (many.sets, many.pairs, many.differing, many.above_baseline) == (6, 3, 2, 2)
    assert (fewer.sets, fewer.alike) == (3, fewer.differing)
    assert many.critical < fewer.critical
    assert many.alike <= many.pairs
    assert found.table().columns[-1].header == "pairs with 3 sets"


def test_all_that_was_found_is_one_json_object(table):
    rows = json.loads(analyse(table).to_json())["rows"]
    assert [row["factor"] for row in rows if row["kind"] == "effect"] == ["setid", "peerid"]
    peers = [row for row in rows if row.get("factor") == "peerid"]
    assert [row["letters"] for row in peers if row["kind"] == "level"] == ["a", "a", "b"]
    assert {(row["higher"], row["lower"]) for row in peers if row["kind"] == "pair"} == {("3", "1"), ("2", "1")}
    assert [row["pairs"] for row in rows if row["kind"] == "within"] == [2]


@pytest.fixture
def rated(table):
    """Peer 1 is rated low in most sets and the others high; a high rating is worth .3 and a peer nothing."""
    sets, peers = table.columns["setid"], table.columns["peerid"]
    high = [peer != "1" or one == "D6" for one, peer in zip(sets, peers, strict=True)]
    high = [not here if (one, peer) == ("D1", "2") else here for one, peer, here in zip(sets, peers, high, strict=True)]
    score = [SETS[one] + 0.3 * here + wobble(row) for row, (one, here) in enumerate(zip(sets, high, strict=True))]
    return ScoreTable.of(table.columns | {"score": score, "content": ["high" if here else "low" for here in high]})


def test_a_warning_says_where_raw_and_least_squares_means_disagree(rated):
    found = analyse(rated, "score", ["setid", "peerid", "content"])
    peers = found.means["peerid"]
    assert {kind: one.n_differing for kind, one in peers.kinds.items()} == {"raw": 3, "least-squares": 0}
    assert peers.kinds["least-squares"].means.tolist() == pytest.approx(
        tukey_hsd(found.model, "peerid", means="least-squares").means.tolist()
    )
    assert "Tukey HSD tells 3 of 3 pairs of peerid apart by raw means, 0 by least-squares means." in found.sentences
    (warning,) = [one for one in found.warnings if "means of peerid disagree" in one]
    assert "disagree about 3 pairs (3 differ by raw means alone, 0 by least-squares means alone)" in warning
    assert "peerid: raw and least-squares means, Tukey HSD" in str(found)
    assert warning in json.loads(found.to_json())["warnings"]


def test_a_balanced_design_has_one_kind_of_means_and_no_warning(table):
    found = analyse(table)
    assert all(one.alike and one.disagreement is None for one in found.means.values())
    assert "least-squares" not in "\n".join([*found.sentences, *found.warnings, str(found)])
    assert "Tukey HSD tells 2 of 3 pairs of peerid apart." in found.sentences


def test_a_factor_that_others_determine_leaves_raw_means_with_a_note(table):
    group = ["x" if peer == "1" else "y" for peer in table.columns["peerid"]]
    found = analyse(ScoreTable.of(table.columns | {"group": group}), "score", ["setid", "peerid", "group"])
    assert list(found.means["peerid"].kinds) == ["raw"]
    (note,) = [one for one in found.notes if "least-squares" in one]
    assert note == "least-squares means cannot be estimated: a factor is determined by the others"


def test_random_sets_make_a_mixed_model_beside_the_analysis(rated):
    found = analyse(rated, "score", ["setid", "peerid", "content"], random=["setid"])
    model = fit_mixed(rated.columns, "score", ["peerid", "content"], ["setid"])
    assert found.mixed.formula == "score ~ peerid + content + (1 | setid)"
    assert found.mixed.components == model.components
    assert found.means["peerid"].kinds["mixed-model"].p.tolist() == model.compare("peerid").p.tolist()
    assert list(found.means["setid"].kinds) == ["raw", "least-squares"]
    assert "score ~ peerid + content + (1 | setid), REML" in found.signature["mixed"]
    tables = [one.title for one in found.statement().tables]
    assert "Mixed model: components of variance, score ~ peerid + content + (1 | setid)" in tables
    rows = json.loads(found.to_json())["rows"]
    assert [row["name"] for row in rows if row["kind"] == "component"] == ["setid", "residual"]
    assert [row["factor"] for row in rows if row["kind"] == "mixed_effect"] == ["peerid", "content"]
    assert found.to_arrow().num_rows == len(rows)


def test_everything_random_gives_the_shares_of_the_variance_alone(table):
    found = analyse(table, random=["setid", "peerid"])
    assert [one.name for one in found.mixed.components] == ["setid", "peerid", "residual"]
    assert found.mixed.effects == ()
    assert "mixed-model" not in found.means["peerid"].kinds
    assert any("Shares of the variance in score ~ 1 + (1 | setid) + (1 | peerid): setid" in x for x in found.sentences)


def test_topics_stand_beside_sets_as_random_factors(table):
    topics = ["t" + str(int(one[1]) // 2) for one in table.columns["setid"]]
    found = analyse(ScoreTable.of(table.columns | {"topic": topics}), random=["topic", "setid"])
    assert found.mixed.formula == "score ~ peerid + (1 | topic) + (1 | setid)"
    assert [one.levels for one in found.mixed.components] == [4, 6, 18]
