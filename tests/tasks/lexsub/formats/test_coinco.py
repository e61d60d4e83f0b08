"""CoInCo: every content word of a text is a target."""

import gzip

import pytest
from tests.tasks.lexsub.helpers import refusal, weights, written

from touchstone import lexsub

TOKEN = '<token id="{id}" wordform="{form}" lemma="{lemma}" posMASC="{pos}" posTT="{pos}/XX"{more}>{inside}</token>'
SUBSTITUTES = '<substitutions><subst lemma="{0}" pos="N" freq="{1}"/></substitutions>'


def coinco(*tokens):
    return f"""<?xml version="1.0" encoding="UTF-8"?>
    <document><sent MASCfile="x" MASCsentID="s0"><targetsentence>x</targetsentence>
    <tokens>{"".join(tokens)}</tokens></sent></document>"""


def token(name, form, pos="NN", lemma=None, more="", substitutes=()):
    inside = "".join(SUBSTITUTES.format(*one) for one in substitutes)
    return TOKEN.format(id=name, form=form, lemma=lemma or form.lower(), pos=pos, more=more, inside=inside)


def test_coinco_targets_are_the_tokens_with_an_id_that_are_not_problematic(tmp_path):
    text = coinco(
        token("XXX", "The", "DT"),
        token("4", "Dogs", "NNS", "dog", ' problematic="no"', [("hound", 3), ("dog", 1)]),
        token("5", "ran", "VBD", "run", ' problematic="no"', [("rush", 1)]),
        token("6", "badly", "RB", None, ' problematic="yes"', [("poorly", 4)]),
        token("7", "big", "JJ", None, "", [("large", 2)]),
    )
    gold = lexsub.read_gold(written(tmp_path, "coinco.xml", text))
    assert list(gold.ids) == ["4", "5", "7"]
    assert [(gold[i].target, gold[i].pos) for i in gold.ids] == [("dog", "n"), ("run", "v"), ("big", "a")]
    assert weights(gold, "4") == {"hound": 3, "dog": 1}
    assert len(gold) == 3
    context = gold["5"].context
    assert (context.left, context.head, context.right) == ("The Dogs", "ran", "badly big")


def test_coinco_may_be_packed_and_a_target_without_substitutes_is_left_out(tmp_path):
    text = coinco(token("1", "dog", substitutes=[("hound", 1)]), token("2", "cat"))
    gold = lexsub.read_gold(written(tmp_path, "coinco.xml.gz", gzip.compress(text.encode())))
    assert (len(gold), gold.excluded) == (1, ["2"])


@pytest.mark.parametrize("substitute", [("hound", 0), ("hound", "many"), ("", 2), ("hound", "")])
def test_a_coinco_substitute_without_lemma_or_weight_is_refused(tmp_path, substitute):
    path = written(tmp_path, "coinco.xml", coinco(token("9", "dog", substitutes=[substitute])))
    assert "token 9" in refusal(lexsub.read_gold, path)


def test_a_coinco_id_twice_and_another_root_are_refused(tmp_path):
    twice = coinco(*[token("1", "dog", substitutes=[("hound", 1)])] * 2)
    assert "first seen" in refusal(lexsub.read_gold, written(tmp_path, "coinco.xml", twice))
    assert "corpus" in refusal(lexsub.read_gold, written(tmp_path, "coinco.xml", "<corpus/>"))
