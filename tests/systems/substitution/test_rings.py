"""Synonym rings: the file that comes with the package, what rings tell about a candidate, and what they change."""

import pytest

from touchstone.io.text import lines, read_text
from touchstone.lexicon import wordnet
from touchstone.lexsub import Substituter
from touchstone.systems.substitution.candidates import Way, find_candidates
from touchstone.systems.substitution.rings import FILE, Evidence, Rings

RINGS = Rings([("n", ("match", "game", "contest", "bout", "fixture")), ("n", ("fight", "contest"))], "made up")


def test_every_line_of_the_file_is_a_ring_of_distinct_lemmas_and_none_is_repeated():
    rows = [line for _, line in lines(read_text(FILE)[0]) if not line.startswith("#")]
    rings = [row.partition(": ")[2].split(", ") for row in rows]
    assert {row[:3] for row in rows} == {"n: ", "v: ", "a: ", "r: "}
    assert all(len(ring) > 1 and len(set(ring)) == len(ring) for ring in rings)
    assert all(word == " ".join(word.lower().split()) for ring in rings for word in ring)
    assert len(set(rows)) == len(rows)


def test_evidence_is_a_shared_ring_the_first_members_and_members_of_members():
    assert RINGS.evidence("match", "n", "game") == Evidence(member=True, first=True, twice=3)
    assert RINGS.evidence("match", "n", "fixture") == Evidence(member=True, first=False, twice=3)
    assert RINGS.evidence("game", "n", "match") == Evidence(member=True, first=False, twice=3)
    assert RINGS.evidence("match", "n", "fight") == Evidence(member=False, first=False, twice=1)
    assert RINGS.evidence("match", "v", "game") == Evidence(member=False, first=False, twice=0)


def test_members_of_rings_become_candidates_but_not_opposites_and_other_spellings():
    found = find_candidates(wordnet(), "wife", "n", 1, ring=("other half", "husband"))
    assert [(of.word, of.way) for of in found if of.way is Way.RING] == [("other half", Way.RING)]
    assert all(of.way is not Way.RING for of in find_candidates(wordnet(), "realize", "v", 1, ring=("realise",)))


def test_spellings_of_one_candidate_are_one_candidate():
    words = [of.word for of in find_candidates(wordnet(), "know", "v", 1, ring=("recognise", "recognize", "pick up"))]
    assert "recognize" in words
    assert "recognise" not in words
    assert "pick up" in words


@pytest.fixture(scope="module")
def system():
    return Substituter()


@pytest.mark.parametrize(
    ("sentence", "word", "good", "bad"),
    [
        ("They lost the match.", "match", {"game", "contest"}, {"lucifer"}),
        ("The doctor told him to drink less.", "told", {"advise"}, {"say"}),
        ("The police do not know the cause of the fire.", "cause", {"reason"}, set()),
        ("I realized that I had left my keys at work.", "realized", {"understand"}, {"realise"}),
        ("The weather was awful all week.", "awful", {"terrible", "dreadful"}, {"amazing", "awesome"}),
        ("He told a long story about the war.", "story", {"tale"}, set()),
    ],
)
def test_everyday_sentences_get_everyday_words(system, sentence, word, good, bad):
    words = system.suggest(sentence, word).words
    assert good <= set(words)
    assert not bad & set(words)
