"""ELS07 XML: sentences with one head each."""

import pytest
from tests.tasks.lexsub.helpers import refusal, value, written

from touchstone import lexsub

CORPUS = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE corpus SYSTEM "lexsub.dtd">
<corpus lang="english"><lexelt item="bar.n.v">
<instance id="1"><context>They %s him .</context></instance>
<instance id="2"><context><head>Bar</head> none , a &lt; b %s</context></instance>
</lexelt></corpus>"""
ESCAPED_TWICE = "&amp;gt; c &amp;amp; d &amp;#233; &amp;quot ;x&amp;quot ;"


def corpus(inside):
    return CORPUS % (inside, ESCAPED_TWICE)


def test_sentences_give_the_words_around_the_head(tmp_path):
    path = written(tmp_path, "s.xml", corpus("will <head>bar</head>"))
    found = lexsub.read_sentences(path)
    first = found["1"]
    assert (first.id, first.target, first.pos) == ("1", "bar", "v")
    assert (first.context.left, first.context.head, first.context.right) == ("They will", "bar", "him .")


def test_what_was_escaped_twice_is_unescaped_once_more_also_with_a_blank(tmp_path):
    found = lexsub.read_sentences(written(tmp_path, "s.xml", corpus("<head>bar</head>")))["2"]
    assert (found.context.left, found.context.head) == ("", "Bar")
    assert found.context.right == 'none , a < b > c & d é "x"'


@pytest.mark.parametrize(("inside", "heads"), [("will bar", 0), ("<head>bar</head> <head>bar</head>", 2)])
def test_a_sentence_without_exactly_one_head_is_refused_by_its_id(tmp_path, inside, heads):
    said = refusal(lexsub.read_sentences, written(tmp_path, "s.xml", corpus(inside)))
    assert f"{heads} heads" in said
    assert "instance 1" in said


def test_a_corpus_with_an_id_twice_or_without_sentences_is_refused(tmp_path):
    twice = corpus("<head>bar</head>").replace('id="2"', 'id="1"')
    assert '"1"' in refusal(lexsub.read_sentences, written(tmp_path, "s.xml", twice))
    assert refusal(lexsub.read_sentences, written(tmp_path, "s.xml", "<corpus/>"))
    assert "document" in refusal(lexsub.read_sentences, written(tmp_path, "s.xml", "<document/>"))


def test_gold_can_be_read_with_its_sentences(tmp_path, gold_of):
    source = written(tmp_path, "s.xml", corpus("<head>bar</head>"))
    gold = gold_of("bar.n.v 1 :: ban 2;\nbar.n.v 7 :: ban 2;\n", source=source)
    assert gold["1"].context.head == "bar"
    assert gold["7"].context is None


def test_ids_of_the_source_may_be_answered_though_they_have_no_gold(tmp_path, gold_of, run_of):
    source = written(tmp_path, "s.xml", corpus("<head>bar</head>"))
    run = run_of("bar.v 1 ::: ban\nbar.v 2 ::: ban\n")
    assert "unknown" in refusal(lexsub.score, gold_of("bar.v 1 :: ban 2;\n"), run)
    assert value(gold_of("bar.v 1 :: ban 2;\n", source=source), run, "R") == 1
