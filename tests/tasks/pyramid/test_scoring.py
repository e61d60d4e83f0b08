"""Peers scored over document sets: means, annotators, what is missing, what is refused."""

from dataclasses import replace

import pytest

from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.base.ids import Policy
from touchstone.core.resampling import Resampling
from touchstone.pyramid import GoldSet, read, score


def test_a_peers_value_is_the_plain_mean_over_document_sets(annotated):
    inputs = [annotated("bd", document_set="S1"), annotated("abcd", document_set="S2")]
    row = score(GoldSet(inputs), measures=["pyramid.modified"]).row("P", "pyramid.modified")
    assert (row.value, row.n) == (pytest.approx((3 / 8 + 9 / 8) / 2), 2)


def test_annotators_of_one_summary_are_averaged_before_document_sets(annotated):
    inputs = [
        annotated("bd", annotator="1"),
        annotated("abcd", annotator="2"),
        annotated("a", annotator="3", document_set="S2"),
    ]
    results = score(GoldSet(inputs), measures=["pyramid.modified"])
    row = results.row("P", "pyramid.modified")
    assert (row.value, row.n) == (pytest.approx(((3 / 8 + 9 / 8) / 2 + 4 / 8) / 2), 2)
    assert results.items.to_arrow().column("annotators").to_pylist() == ["1+2", "3"]
    assert "annotator" not in results.signature


def test_one_annotator_can_be_picked_where_a_summary_has_several(annotated):
    inputs = [
        annotated("bd", annotator="1"),
        annotated("abcd", annotator="2"),
        annotated("a", annotator="3", document_set="S2"),
    ]
    results = score(GoldSet(inputs), measures=["pyramid.modified"], annotator="2")
    assert results.row("P", "pyramid.modified").value == pytest.approx((9 / 8 + 4 / 8) / 2)
    assert results.signature["annotator"] == "2"
    with pytest.raises(TouchstoneError) as error:
        score(GoldSet(inputs), annotator="9")
    assert error.value.code == Code.UNKNOWN_NAME


def test_a_mean_weight_that_one_annotator_lacks_is_that_of_the_other(annotated):
    inputs = [annotated("bd", annotator="1"), annotated("0", annotator="2")]
    row = score(GoldSet(inputs), measures=["scu.mean_weight"]).row("P", "scu.mean_weight")
    assert (row.value, row.n) == (1.5, 1)


def test_a_missing_summary_is_refused_or_skipped_or_scores_0(annotated):
    inputs = [annotated("a", peer=peer, document_set=one) for peer, one in (("1", "S1"), ("1", "S2"), ("2", "S1"))]
    with pytest.raises(TouchstoneError, match='peer 2: no summary for this document set: "S2"'):
        score(GoldSet(inputs))
    skipped = score(GoldSet(inputs), policy=Policy("skip")).row("2", "pyramid.modified")
    zeroed = score(GoldSet(inputs), policy=Policy("zero")).row("2", "pyramid.modified")
    assert (skipped.value, skipped.n) == (4 / 8, 1)
    assert (zeroed.value, zeroed.n) == (4 / 8 / 2, 2)


def test_padded_and_unpadded_ids_are_one_peer(annotated):
    inputs = [annotated("a", peer="08", document_set="S1"), annotated("b", peer="8", document_set="S2")]
    results = score(GoldSet(inputs))
    assert [system.system for system in results.systems] == ["8"]


def test_peers_stand_in_the_order_of_their_numbers(annotated):
    results = score(GoldSet([annotated("a", peer=peer) for peer in ("10", "9", "x", "2")]))
    assert [system.system for system in results.systems] == ["2", "9", "10", "x"]


def test_the_same_set_peer_and_annotator_twice_is_refused(annotated):
    with pytest.raises(TouchstoneError) as error:
        score(GoldSet([annotated("a", peer="01"), annotated("b", peer="1")]))
    assert error.value.code == Code.DUPLICATE_ID


def test_an_annotation_of_nobody_knows_what_is_refused(annotated):
    with pytest.raises(TouchstoneError) as error:
        score(GoldSet([annotated("a", peer="")]))
    assert error.value.code == Code.MISSING_ID
    with pytest.raises(TouchstoneError, match="no run to score"):
        score(GoldSet())


def test_scoring_against_no_unit_at_all_is_refused(annotated, pyramid):
    bare = replace(annotated(""), pyramid=replace(pyramid, units=()), units=())
    with pytest.raises(TouchstoneError) as error:
        score(GoldSet([bare]))
    assert error.value.code == Code.EMPTY


def test_a_unit_that_the_pyramid_does_not_have_is_never_counted(annotated, pyramid):
    with pytest.raises(TouchstoneError) as error:
        score(GoldSet([replace(annotated("ae"), pyramid=replace(pyramid, units=pyramid.units[:-1]))]))
    assert error.value.code == Code.UNKNOWN_ID


def test_items_have_the_facts_of_each_summary(annotated):
    inputs = [annotated("bbd00", document_set="S1"), annotated("", document_set="S2")]
    table = score(GoldSet(inputs), measures=["scu.mean_weight"]).items.to_arrow()
    assert table.column("X").to_pylist() == [3, 3]
    assert table.column("credit").to_pylist() == [3, 0]
    assert table.column("optimum").to_pylist() == [8, 8]
    assert table.column("scu.mean_weight").to_pylist() == [1.5, None]


def test_constraint_violations_are_counted_aloud_and_scoring_goes_on(annotated, pyramid):
    first = pyramid.units[0]
    broken = replace(pyramid, units=(replace(first, contributors=first.contributors * 2), *pyramid.units[1:]))
    results = score(GoldSet([replace(annotated("a"), pyramid=broken)]))
    assert any("C1" in note for note in results.notes)
    assert any("C2" in note for note in results.notes)
    # weight 8 now: S = 14, X = 14/4 rounded half up = 4, optimum 8 + 2 + 2 + 1
    assert results.row("P", "pyramid.modified").value == 8 / 13


def test_unmarked_content_and_differing_pyramids_are_said_aloud(annotated, pyramid):
    peer = annotated("a", peer="Q")
    smaller = replace(pyramid, units=pyramid.units[:-1])
    other = replace(peer, pyramid=smaller, units=tuple(unit for unit in peer.units if unit.uid != "e"))
    notes = score(GoldSet([annotated("a"), other])).notes
    assert any("pyramid.original is too high" in note for note in notes)
    assert any("set S1: 2 different pyramids" in note for note in notes)


def test_grouping_by_set_gives_each_set_its_own_value(annotated):
    inputs = [annotated("bd", document_set="S1"), annotated("abcd", document_set="S2")]
    results = score(GoldSet(inputs), measures=["pyramid.modified"], by="set")
    assert results.row("P", "pyramid.modified", "S2").value == 9 / 8


def test_the_signature_changes_with_the_gold_and_with_the_inputs(demo):
    inputs = [read(path) for path in sorted(demo.glob("*.pan"))]
    whole, part = score(GoldSet(inputs)).signature, score(GoldSet(inputs[:2])).signature
    assert whole["gold"] == part["gold"]
    assert whole["systems"] != part["systems"]


def test_the_bundled_example_scores_what_its_readme_says(demo):
    inputs = [read(path) for path in sorted(demo.glob("*.pan"))]
    results = score(GoldSet(inputs))
    assert {s.system: results.row(s.system, "pyramid.modified").value for s in results.systems} == {
        "heron": 24 / 26,
        "magpie": 12 / 26,
        "sparrow": 3 / 26,
    }
    # seven contributors with repeats and one unmatched: 4 + 4 + 3 + 3 + 3 + 3 + 2
    assert results.row("magpie", "pyramid.original").value == 12 / 22


@pytest.fixture
def named(demo, tmp_path):
    """Three copies of an annotation and a table that names them."""
    text = (demo / "eve.T01.M.60.A.heron.pan").read_text("utf-8")
    meta = tmp_path / "meta.csv"

    def make(header, rows):
        for name, _ in rows:
            (tmp_path / name).write_text(text + f"<!-- {name} -->", "utf-8")
        meta.write_text("\n".join([header, *(f"{name},{row}" for name, row in rows)]))
        return [tmp_path / name for name, _ in rows], meta

    return make


def test_sets_of_one_topic_are_resampled_together(named):
    files, meta = named("file,set,peer,annotator,topic", [("a", "S1,1,x,t"), ("b", "S2,1,x,t"), ("c", "S3,1,x,u")])
    results = score(files, meta=meta)
    assert results.items_known.column("topic").to_pylist() == ["t", "t", "u"]
    assert results.resampling.cluster == "topic"
    meta.write_text(meta.read_text().replace(",u", ",t"))
    assert score(files, meta=meta).signature["gold"] != results.signature["gold"]
    assert score(files, meta=meta, resampling=Resampling(cluster="item")).resampling.cluster is None


def test_without_topics_sets_are_resampled(named):
    files, meta = named("file,set,peer,annotator", [("a", "S1,1,x"), ("b", "S2,1,x")])
    assert score(files, meta=meta).resampling.cluster is None


def test_a_set_with_two_topics_is_refused(named):
    files, meta = named("file,set,peer,annotator,topic", [("a", "S1,1,x,t"), ("b", "S1,2,x,u")])
    with pytest.raises(TouchstoneError, match="set S1 has another topic above"):
        score(files, meta=meta)


def test_a_pyramid_alone_cannot_be_scored(demo):
    with pytest.raises(TouchstoneError, match="no run to score"):
        score(demo / "T01.pyr")


def test_a_missing_summary_is_noted_where_it_is_allowed(annotated):
    inputs = [annotated("a", peer=peer, document_set=one) for peer, one in (("1", "S1"), ("1", "S2"), ("2", "S1"))]
    notes = score(GoldSet(inputs), policy=Policy("zero")).notes
    assert "peer 2: document sets without a summary, which score 0 (of 2): 1 (id S2)" in notes
