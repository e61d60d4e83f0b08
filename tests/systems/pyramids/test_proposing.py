"""What is proposed to annotators keeps the rules of pyramids, and nothing is proposed where no words are shared."""

from touchstone.systems.pyramids import Matcher, draft
from touchstone.systems.pyramids.units import NOTE
from touchstone.tasks.pyramid.headers import DEFAULT, find_summaries
from touchstone.tasks.pyramid.model import Contributor, Part, Pyramid, Unit

SUMMARIES = {
    "A": "The court fined the firm five million dollars. Its lawyers appealed in May.",
    "B": "Rain fell all day. The firm was fined five million dollars by the court, but it did not pay.",
    "C": "Five million dollars was the fine of the court.\nA comet appeared.",
}


def _pyramid(units=()):
    lines: list[str] = []
    for name, text in SUMMARIES.items():
        lines += ["---", f"S1.M.9.A.{name}", "---", *text.split("\n")]
    return Pyramid("S1", tuple(lines), find_summaries(lines, DEFAULT), tuple(units), DEFAULT)


def test_clauses_with_the_same_words_in_three_summaries_are_one_unit():
    pyramid = _pyramid()
    (unit,) = Matcher().units(pyramid)
    texts = [[pyramid.text[start:end] for start, end in spans] for spans in unit.contributors]
    assert texts == [
        ["The court fined the firm five million dollars"],
        ["The firm was fined five million dollars by the court"],
        ["Five million dollars was the fine of the court"],
    ]
    assert unit.uid is None


def test_a_unit_takes_one_contributor_from_each_summary():
    text = "Cats sleep. Cats sleep. Cats sleep."
    lines = ["---", "S1.M.9.A.A", "---", text, "---", "S1.M.9.A.B", "---", text]
    pyramid = Pyramid("S1", tuple(lines), find_summaries(lines, DEFAULT), (), DEFAULT)
    proposals = Matcher().units(pyramid)
    assert [len(unit.contributors) for unit in proposals] == [2, 2, 2]
    spans = [span for unit in proposals for spans in unit.contributors for span in spans]
    assert len(set(spans)) == len(spans) == 6


def test_a_draft_marks_its_units_as_automatic_and_says_nothing_of_contributors():
    units = draft(_pyramid()).units
    assert {unit.comment for unit in units} == {NOTE}
    assert {contributor.comment for unit in units for contributor in unit.contributors} == {None}


def test_a_peer_is_offered_the_unit_that_its_sentence_expresses():
    start = _pyramid().text.index("The court fined")
    part = Part("The court fined the firm", start, start + 24)
    fined = Unit("1", "The court fined the firm", (Contributor(part.label, (part,)),))
    comet = Unit("2", "A comet appeared", (Contributor("A comet appeared", (Part("A comet appeared", 0, 16),)),))
    peer = "It rained in spring. In June, courts fined two firms, and people cheered."
    (proposal,) = Matcher().matches(_pyramid([fined, comet]), peer)
    assert proposal.uid == "1"
    assert [peer[start:end] for start, end in proposal.contributors[0]] == ["In June, courts fined two firms"]


def test_texts_without_words_get_no_proposals():
    matcher = Matcher()
    for text in ("", " \n ", "... !!!"):
        assert matcher.matches(_pyramid([Unit("1", text, ())]), text) == []
        lines = ["---", "S1.M.9.A.A", "---", text]
        assert matcher.units(Pyramid("S1", tuple(lines), find_summaries(lines, DEFAULT), (), DEFAULT)) == []
