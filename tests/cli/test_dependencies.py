"""A tree is drawn whole, and nothing in a sentence can break the drawing."""

from xml.etree import ElementTree

from touchstone.cli.dependencies import LONGEST_DRAWN, draw_dependencies
from touchstone.text import Sentence, english

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</text><script>alert('1')</script>\"'&\x00\u202e\ud800]]>"


def texts(svg):
    return [element.text for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_every_word_tag_and_relation_is_drawn_with_an_arc():
    [sentence] = english().parse(["The dog chased the cat."])
    drawing = draw_dependencies(sentence)
    assert sorted(texts(drawing)) == sorted((*sentence.forms, *sentence.tags, *sentence.relations))
    assert drawing.count("<path") == len(sentence)


def test_a_tagged_sentence_is_drawn_without_arcs_and_an_empty_one_as_nothing():
    [tagged, empty] = english().tag(["It rains.", ""], split=False)
    assert draw_dependencies(tagged).count("<path") == 0
    assert texts(draw_dependencies(empty)) == []


def test_nothing_in_a_sentence_reaches_the_page():
    sentence = Sentence(HOSTILE, (HOSTILE,), (0,), (1,), (HOSTILE,), (HOSTILE,), (0,), (HOSTILE,))
    drawing = draw_dependencies(sentence)
    assert "<script" not in drawing
    assert len(texts(drawing)) == 3


def test_arcs_that_cross_or_nest_stand_on_different_levels():
    sentence = Sentence(
        "a b c", ("a", "b", "c"), (0, 2, 4), (1, 3, 5), ("X",) * 3, ("a", "b", "c"), (3, 3, 0), ("x", "y", "root")
    )
    tops = {
        path.get("d").split()[2]
        for path in ElementTree.fromstring(draw_dependencies(sentence)).iter(f"{SVG}path")
        if "C" in path.get("d")
    }
    assert len(tops) == 2


def test_a_sentence_without_end_is_cut():
    [sentence] = english().parse(["word " * 1_000])
    assert draw_dependencies(sentence).count('font-size="11" fill') <= 2 * LONGEST_DRAWN
