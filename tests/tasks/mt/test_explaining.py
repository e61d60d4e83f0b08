"""The matching behind a score, segment by segment."""

import pytest

from touchstone import mt
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import Source
from touchstone.mt import GoldSet, Run, Texts
from touchstone.tasks.mt.explaining import explainable

MODULE = """
from touchstone.core.matching import Matcher, pairwise
half = pairwise(lambda a, b: 0.5 * (a[0] == b[0]))
metric = Matcher(items=str.split, stages={"same": str, "lower": str.lower}, similarity=half)
"""


@pytest.fixture
def measure(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_explained.py").write_text(MODULE)
    return "own_explained:metric"


GOLD = GoldSet(
    (Texts(["The cat sat", "no"]), Texts(["the cow", None])), ("1", "2"), (Source("a", "0"), Source("b", "1"))
)
MINE = Run("mine", Texts(["the cat slept well", None]), Source("mine", "2"))


def test_every_link_has_its_stage_and_weight_against_each_reference(measure):
    (found,) = mt.explain(GOLD, MINE, item="1", measure=measure).drawing
    first, second = (alignment.layers[0] for alignment in found.alignments)
    assert [(a.left, a.right, a.stage, a.weight) for a in first.matching.links] == [
        *((1, 1, "same", 1.0), (0, 0, "lower", 1.0), (2, 2, "similar", 0.5))
    ]
    assert (first.precision, first.recall) == (2.5 / 4, 2.5 / 3)
    # alpha .9: m / (.9 r + .1 s)
    assert first.f == pytest.approx(2.5 / (0.9 * 3 + 0.1 * 4))
    assert found.value == pytest.approx((first.f + second.f) / 2)


def test_tables_show_what_stayed_unmatched_and_that_one_optimum_is_shown(measure):
    found = mt.explain(GOLD, MINE, item="1", measure=measure)
    parts, links, _ = (table.to_text() for table in found.tables)
    assert any(line.split() == ["well", "–", "unmatched", "–"] for line in links.split("\n"))
    assert "one of them is shown" in parts
    assert "1 same, 1 lower, 1 similar" in parts
    assert parts.startswith("mine: own_explained:metric 0.")
    assert found.heading.split("\n")[2:] == [
        "  reference 1  The cat sat",
        "  reference 2  the cow",
        "  mine         the cat slept well",
    ]


def test_unknown_segments_and_missing_translations_are_refused(measure):
    with pytest.raises(TouchstoneError) as refused:
        mt.explain(GOLD, MINE, item="17", measure=measure)
    assert refused.value.code == Code.UNKNOWN_ID
    assert refused.value.hint == "there are 2 segments, from '1' to '2'"
    with pytest.raises(TouchstoneError) as refused:
        mt.explain(GOLD, MINE, item="2", measure=measure)
    assert refused.value.code == Code.MISSING_ID
    other = Run("other", Texts(["a", "no"]), Source("other", "3"))
    found = mt.explain(GOLD, [MINE, other], item="2", measure=measure)
    assert [one.system for one in found.drawing] == ["other"]
    assert "mine       (missing)" in found.heading


def test_a_measure_without_a_matching_says_which_have_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_plain.py").write_text("from touchstone.mt import Own\nmetric = Own(lambda h, rs: 1.0)\n")
    with pytest.raises(TouchstoneError) as refused:
        mt.explain(GOLD, MINE, item="1", measure="own_plain:metric")
    assert refused.value.code == Code.UNSUPPORTED
    assert not explainable(mt.MEASURES.find("own_plain:metric"))


@pytest.mark.parametrize("name", ["maxsim(n)", "maxsim(n+d)", "meteor(classic)", "paraeval.R", "blend"])
def test_measures_that_match_explain_the_value_that_they_score(name):
    one = GoldSet(GOLD.texts[:1], GOLD.ids, GOLD.sources[:1])
    (found,) = mt.explain(one, MINE, item="1", measure=name).drawing
    (alignment,) = found.alignments
    assert alignment.value == pytest.approx(found.value, abs=1e-9)
    for layer in alignment.layers:
        assert len(layer.left_places) in (0, len(layer.left))
        assert len(layer.right_places) in (0, len(layer.right))
        assert all(place < len(alignment.hypothesis) for places in layer.left_places for place in places)
        assert all(place < len(alignment.reference) for places in layer.right_places for place in places)
