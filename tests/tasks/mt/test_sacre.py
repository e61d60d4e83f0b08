import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.tasks.mt.measures import MEASURES
from touchstone.tasks.mt.model import Joined
from touchstone.tasks.mt.texts import Texts

THEIRS = {"bleu": BLEU(), "chrf": CHRF(), "ter": TER()}
SENTENCE = {"bleu": BLEU(effective_order=True), "chrf": CHRF(), "ter": TER()}

word = st.sampled_from(["a", "b", "c", "The", "the", "cat.", "dog,", "Zürich", "ÄRGER", "3.5", "-"])
line = st.lists(word, max_size=9).map(" ".join)
some = st.lists(word, min_size=1, max_size=9).map(" ".join)
segments = st.lists(st.tuples(line, some, st.none() | some), min_size=1, max_size=5)


def compared(rows, counted=None):
    hypotheses, *references = zip(*rows, strict=True)
    given = {} if counted is None else {"counted": np.array(counted)}
    return Joined(Texts(hypotheses), tuple(map(Texts, references)), **given)


def scored(name, compared):
    measure = MEASURES.find(name)
    records = measure.record(compared)
    return float(measure.fold(records.sum(axis=0))), measure.values(records).tolist()


@given(segments)
def test_values_are_sacrebleus_to_the_last_digit_with_references_absent_or_not(rows):
    hypotheses, *references = (list(column) for column in zip(*rows, strict=True))
    for name, metric in THEIRS.items():
        system, items = scored(name, compared(rows))
        assert system == metric.corpus_score(hypotheses, references).score
        of_items = [SENTENCE[name].sentence_score(h, [r for r in rs if r is not None]).score for h, *rs in rows]
        assert items == of_items


def test_sentence_values_are_those_of_sacrebleus_own_function():
    rows = [("the cat sat on a mat", "the cat sat on the mat"), ("yes", "yes")]
    items = scored("bleu", compared(rows))[1]
    assert items == [sacrebleu.sentence_bleu(hypothesis, [reference]).score for hypothesis, reference in rows]


def test_v11b_takes_the_shortest_reference_where_bleu_takes_the_closest():
    words = list("abcdefgh")
    rows = [(" ".join(words), " ".join([*words, "i"]), " ".join(words[:5]))]
    assert scored("bleu", compared(rows))[0] == pytest.approx(100 * np.exp(1 - 9 / 8))
    assert scored("bleu(v11b)", compared(rows))[0] == pytest.approx(1)


def test_v11b_makes_only_the_capitals_a_to_z_small_and_smooths_nothing():
    assert scored("bleu(v11b)", compared([("THE CAT SAT DOWN", "the cat sat down")]))[0] == pytest.approx(1)
    assert scored("bleu(v11b)", compared([("the Ärger sat down", "the ärger sat down")]))[0] == 0
    assert scored("bleu", compared([("the Ärger sat down", "the ärger sat down")]))[0] > 0


def test_a_segment_that_does_not_count_is_zeros_and_changes_nothing():
    rows = [("the cat sat down", "the cat sat up"), ("x", "y")]
    for name in (*THEIRS, "bleu(v11b)"):
        measure = MEASURES.find(name)
        records = measure.record(compared(rows, counted=[True, False]))
        assert not records[1].any()
        assert np.isnan(measure.values(records)[1])
        assert scored(name, compared(rows, counted=[True, False]))[0] == scored(name, compared(rows[:1]))[0]


def test_an_empty_translation_has_the_worst_score():
    rows = [("", "the cat sat on the mat")]
    assert [scored(name, compared(rows))[1] for name in ("bleu", "bleu(v11b)", "chrf", "ter")] == [[0], [0], [0], [100]]


def test_a_segment_without_any_reference_scores_0():
    rows = [("the cat", None, None), ("a dog barks here", "a dog barks here", None)]
    assert scored("bleu", compared(rows))[1][0] == 0
    assert scored("chrf", compared(rows))[1][0] == 0


def test_folds_take_arrays_of_any_shape():
    rows = [("the cat sat on a mat", "the cat sat on the mat"), ("yes it is", "yes it was")]
    for name in (*THEIRS, "bleu(v11b)"):
        measure = MEASURES.find(name)
        records = measure.record(compared(rows))
        deep = measure.fold(np.stack([records, records[::-1]]))
        assert deep.tolist() == [measure.fold(records).tolist(), measure.fold(records)[::-1].tolist()]


def test_a_line_too_long_for_ter_is_refused_and_named_and_others_score_it():
    long = " ".join(["word"] * 50_001)
    rows = [("a cat", "a cat"), (long, long)]
    with pytest.raises(TouchstoneError) as refused:
        scored("ter", compared(rows))
    assert refused.value.code == Code.TOO_LARGE
    assert "segment 2: 50,001 words beside 50,001" in str(refused.value)
    assert "without ter" in str(refused.value)
    assert scored("bleu", compared(rows))[0] == pytest.approx(100)
    assert scored("ter", compared([(long, "a cat")]))[0] == pytest.approx(100 * 50_001 / 2)


def test_less_ter_is_better_and_of_the_others_more():
    found = {name: MEASURES.find(name).lower_is_better for name in ("bleu", "bleu(v11b)", "chrf", "ter")}
    assert [name for name, lower in found.items() if lower] == ["ter"]


def test_signatures_hold_sacrebleus_own():
    version = f"version:{sacrebleu.__version__}"
    assert MEASURES.find("bleu").signature == f"sacrebleu case:mixed|eff:no|tok:13a|smooth:exp|{version}"
    assert MEASURES.find("chrf").signature == f"sacrebleu case:mixed|eff:yes|nc:6|nw:0|space:no|{version}"
    assert MEASURES.find("ter").signature.endswith(version)
    v11b = f"sacrebleu reflen:shortest|case:ascii-lc|eff:no|tok:13a|smooth:none|{version}"
    assert MEASURES.find("bleu(v11b)").signature == v11b


def test_an_unknown_variant_is_refused():
    with pytest.raises(TouchstoneError) as refused:
        MEASURES.find("bleu(v13a)")
    assert refused.value.code == Code.UNKNOWN_NAME
    assert refused.value.faults[0].value == "v13a"
