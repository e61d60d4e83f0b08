"""The report of a challenge set: its sections, and text of files as text."""

from touchstone.base.files import Source
from touchstone.tasks.nli.model import GoldSet, Pair
from touchstone.tasks.nli.set_report import set_sections


def made(*pairs):
    return GoldSet(Source("made.jsonl", ""), pairs, range(1, len(pairs) + 1))


def test_a_set_without_relations_shows_its_labels():
    sections = set_sections(made(Pair("1", "A dog runs.", "A cat runs.", "contradiction")))
    assert [section.anchor for section in sections] == ["pairs", "lists", "words", "premises", "edits", "hypothesis"]
    assert "always contradiction is right" in sections[0].blocks[0].table.notes[0]
