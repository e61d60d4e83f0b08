"""Every value that `explain` shows comes with arithmetic that gives it, in every task and for every measure."""

import ast
import json
import math
import re

import numpy as np
import pytest
from tests.tasks.lexsub.formats.test_swords import SWORDS

import touchstone
from touchstone import items, lexsub, mt, nli, pyramid
from touchstone.base.ids import Policy
from touchstone.cli.demo import EXAMPLES
from touchstone.core.formulas import Formula
from touchstone.core.gold import Gold
from touchstone.core.matching import Matcher
from touchstone.core.resampling import Resampling
from touchstone.tasks.lexsub.measures import MEASURES as LEXSUB
from touchstone.tasks.pyramid.explaining import STEPS, formula
from touchstone.tasks.pyramid.joining import UnitCounts
from touchstone.tasks.pyramid.measures import MEASURES as PYRAMID

NONE = Resampling("none")
FUNCTIONS = {"exp": math.exp, "min": min, "abs": abs}
NODES = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Constant, ast.Call, ast.Name, ast.Load, ast.operator, ast.unaryop)


def evaluated(shown):
    """Return what the printed arithmetic of a formula gives, as a calculator would."""
    text = shown.arithmetic
    for name, term in shown.terms.items():  # a term may use those after it
        text = re.sub(rf"(?<!\w){name}(?!\w)", f"({term})", text)
    text = re.sub(r"\|([^|]*)\|", r"abs(\1)", text)
    tree = ast.parse(text.replace("×", "*").replace("−", "-").replace("^", "**"), mode="eval")
    assert all(isinstance(node, NODES) for node in ast.walk(tree)), text
    return eval(compile(tree, "formula", "eval"), {"__builtins__": {}}, FUNCTIONS)


def close(value):
    return pytest.approx(value, rel=2e-5, abs=2e-6)


def check(shown, values):
    """Check formulas, one for each system, against the values of the systems; nan counts as not shown."""
    assert {each.system for each in shown} == set(values)
    for each in shown:
        value = values[each.system]
        if math.isnan(value):
            assert not each.arithmetic
            assert "does not count" in str(each)
            continue
        assert evaluated(each) == close(value), str(each)
        assert each.value == pytest.approx(value, rel=1e-12)


def by_item(results, measure):
    """Return the values of a measure by item and system, nan where an item does not count."""
    rows = results.items.to_arrow().to_pylist()
    found = {}
    for row in rows:
        value = row[measure]
        found.setdefault(row["id"], {})[row["system"]] = math.nan if value is None else value
    return found


# --- the form ---


def test_a_formula_is_evaluated_as_it_is_printed():
    shown = Formula("a", "F", "words", "2 × P × R/(P + R) − |1 − 2|^2", -0.5, {"P": "Q/4", "R": "2/4", "Q": "1 + 1"})
    assert evaluated(shown) == -0.5


# --- lexical substitution ---

FOLDER = EXAMPLES / "lexsub"


@pytest.fixture(scope="module")
def substitutes():
    runs = {"careful": FOLDER / "careful.oot", "eager": FOLDER / "eager.oot", "frequent": FOLDER / "frequent.oot"}
    runs["both"] = [FOLDER / "careful.best", FOLDER / "eager.oot"]
    return lexsub.TASK.read(FOLDER / "demo.gold", runs)


PLAIN = [name for name in LEXSUB.names if not name.startswith("swords.") and not name.endswith("@official")]
MORE = ["P(k=mean)", "P(k=0.5)", "F(k=mean)", "F(k=2)", "rank@1", "rank@3", "rank@40", "p@5", "r@1"]


@pytest.mark.parametrize("measure", [*PLAIN, *MORE])
def test_the_formula_of_a_measure_of_substitution_gives_its_value(substitutes, measure):
    scored = by_item(lexsub.score(substitutes, measures=[measure], resampling=NONE), measure)
    for item in [*list(scored)[::5], "19", "31"]:  # two items that frequent does not answer
        shown = lexsub.explain(substitutes, item=item, measure=measure).formulas
        check([each for each in shown if each.measure == measure], scored[item])


def test_the_papers_example_is_written_as_in_the_paper():
    gold = {"1": {"glad": 3, "merry": 3, "sunny": 2, "jovial": 1, "cheerful": 1}}
    run = {"happy": {"1": ["sunny", "cheerful", "merry", "jovial", "glad"]}}
    shown = {each.measure: each for each in lexsub.explain(gold, run).formulas}["rank@10"]
    assert shown.arithmetic == "(2/3 + 3/6 + 6/8 + 7/9 + 6 × 10/10)/10"
    assert str(shown).endswith("the column share = (2/3 + 3/6 + 6/8 + 7/9 + 6 × 10/10)/10 = 0.869")


@pytest.fixture
def swords(tmp_path):
    (tmp_path / "dev.json").write_text(json.dumps(SWORDS), "utf-8")
    runs = {"some": {"t:0": ["clever", "shiny", "dim"], "t:1": ["walked"]}, "none": {"t:0": ["dim"], "t:1": []}}
    return lexsub.TASK.read(tmp_path / "dev.json", runs)


@pytest.mark.parametrize("measure", [name for name in LEXSUB.names if name.startswith("swords.")])
def test_the_formula_of_a_figure_of_swords_gives_its_value(measure, swords):
    scored = by_item(lexsub.score(swords, measures=[measure], resampling=NONE), measure)
    for item, values in scored.items():
        shown = lexsub.explain(swords, item=item, measure=measure).formulas
        check([each for each in shown if each.measure == measure], values)


def test_official_figures_say_that_the_official_scorer_gives_them():
    name = "els07.oot.R@official"
    official = lexsub.TASK.read(FOLDER / "demo.gold", {"careful": FOLDER / "careful.oot"}, compat="els07")
    [first] = [e for e in lexsub.explain(official, item="3", measure=name).formulas if e.measure == name]
    assert "official scorer" in first.words
    assert evaluated(first) == close(first.value)


# --- translation ---

OWN = Matcher(items=str.split, stages={"same": str.lower})
TRANSLATION = [
    *("bleu", "bleu(smooth_method=none)", "bleu(smooth_method=floor)", "bleu(smooth_method=add-k)"),
    *("bleu(max_ngram_order=2)", "bleu(smooth_method=floor,smooth_value=0.5)", "bleu(v11b)"),
    *("chrf", "chrf(word_order=2)", "chrf(eps_smoothing=yes)", "chrf(beta=3)", "ter"),
    *("meteor(classic)", "meteor(tuned)", "meteor(search=staged)"),
    *("maxsim(n)", "maxsim(n+d)", "maxsim(n+r)", "maxsim(n,absent=drop)", "maxsim(n+d,norel=any)"),
    *("maxsim(n,alpha=0.5,order=2)", "blend", "paraeval.P", "paraeval.R", "sr_overlap"),
]
ODD = ["the the the", "nothing alike", "cat", "The cat sat on the mat .", "a b"]
ODD_REFERENCES = ["The cat sat on the mat .", "It rained all day .", "The cat", "The cat sat on the mat .", "c d e f g"]


@pytest.fixture(scope="module")
def translations():
    folder = EXAMPLES / "mt"
    ends = ((folder / "refA.en", ODD_REFERENCES), (folder / "refB.en", [None, "All day it rained", None, None, None]))
    texts = [[*path.read_text("utf-8").splitlines(), *more] for path, more in ends]
    gold = [[one, *([other] if other else [])] for one, other in zip(*texts, strict=True)]
    runs = {name: [*(folder / "de-en" / name).read_text("utf-8").splitlines(), *ODD] for name in ("heron", "magpie")}
    return mt.read(gold, runs)


@pytest.mark.parametrize("measure", TRANSLATION)
def test_the_formula_of_a_measure_of_translation_gives_its_value(translations, measure):
    scored = by_item(mt.score(translations, measures=[measure], resampling=NONE), measure)
    for item in list(scored)[::4] + list(scored)[-len(ODD) :]:
        check(mt.explain(translations, item=item, measure=measure).formulas, scored[item])


def test_the_formula_of_a_matcher_of_ones_own_gives_its_value(translations, monkeypatch):
    monkeypatch.setattr(touchstone, "own_matcher", OWN, raising=False)
    for name in ("touchstone:own_matcher", "touchstone:own_matcher(alpha=0.3)"):
        scored = by_item(mt.score(translations, measures=[name], resampling=NONE), name)
        for item in list(scored)[::4]:
            check(mt.explain(translations, item=item, measure=name).formulas, scored[item])


# --- pyramids ---

EVE = Gold({"a": 4, "b": 2, "c": 2, "d": 1, "e": 1})
PEERS = [
    UnitCounts("S1", "some", "eve", EVE, 4, {"b": 2, "d": 1}, unmatched=2, probabilities={"a": 0.75, "d": 0.5}),
    UnitCounts("S1", "one", "", EVE, 4, {"a": 1}, probabilities={"a": 1.0}),
    UnitCounts("S1", "all", "", EVE, 4, {"a": 1, "b": 1, "c": 1, "d": 1, "e": 1}, probabilities={}),
    UnitCounts("S1", "none", "", EVE, 4, {}, unmatched=3),
    UnitCounts("S1", "empty", "", EVE, 4, {}),
]
UNITS = [*PYRAMID.names, "pyramid.modified(cap=1)", "pyramid.comprehensive(mean=arithmetic)"]


@pytest.mark.parametrize("measure", UNITS)
def test_the_formula_of_a_measure_of_pyramids_gives_its_value(measure):
    assert measure in STEPS
    for peer in PEERS:
        value = pyramid.value(measure, peer)
        shown = formula(measure, peer)
        check([shown], {shown.system: value})


def test_every_annotation_of_a_set_has_formulas():
    files = sorted((EXAMPLES / "pyramid").glob("*.pan"))
    shown = pyramid.explain(files).formulas
    assert len({each.system for each in shown}) == 3
    for each in shown:
        assert evaluated(each) == close(each.value)
    assert {each.measure for each in shown} >= {"pyramid.modified", "pyramid.original", "scu.precision"}


# --- inference ---


@pytest.fixture(scope="module")
def pairs():
    folder = EXAMPLES / "nli"
    return nli.TASK.read(folder / "gold.jsonl", {name: folder / f"{name}.jsonl" for name in ("overlap", "careful")})


@pytest.mark.parametrize("measure", ["accuracy", "votes", "brier", "accuracy@80"])
def test_the_formula_of_a_measure_of_inference_gives_its_value(pairs, measure):
    scored = by_item(nli.score(pairs, measures=[measure], resampling=NONE), measure)
    scored = {item: {name: values[name] for name in ("overlap", "careful")} for item, values in scored.items()}
    for item in list(scored)[::3]:
        check(nli.explain(pairs, item=item, measure=measure).formulas, scored[item])


@pytest.mark.parametrize("measure", ["macro_f1", "recall.neutral", "ece(bins=10)"])
def test_the_formula_of_a_measure_of_all_pairs_gives_its_value_with_and_without_the_pair(pairs, measure):
    results = nli.score(pairs, measures=[measure], resampling=NONE)
    ids = results.items_known.column("id").to_pylist()
    for item in ids[::6]:
        shown = nli.explain(pairs, item=item, measure=measure).formulas
        whole, others = (
            [each for each in shown if each.measure == f"{measure}, all pairs{but}"] for but in ("", " but this one")
        )
        check(whole, {name: results.row(name, measure).value for name in ("overlap", "careful")})
        scored = results.measure(measure)
        rest = np.array([one != item for one in ids])
        left = {system.system: system.records[scored.name][rest].sum(axis=0) for system in results.systems}
        check(others, {name: float(scored.fold(left[name])) for name in ("overlap", "careful")})


# --- any table ---


def test_the_formula_of_a_column_is_its_number():
    inputs = items.TASK.read({"a": {"q1": 0.25, "q2": 1 / 3}, "b": {"q1": 1.0, "q2": None}})
    first, second = (items.explain(inputs, item=item, policy=Policy("skip")).formulas for item in ("q1", "q2"))
    check(first, {"a": 0.25, "b": 1.0})
    check(second, {"a": 1 / 3, "b": math.nan})


@pytest.mark.parametrize("measure", ["chrf", "bleu", "ter"])
def test_a_measure_that_a_task_exported_has_the_formula_of_the_task(translations, measure, tmp_path):
    results = mt.score(translations, measures=[measure], resampling=NONE)
    rows = results.items.to_arrow().to_pylist()
    inputs = items.TASK.read(rows)
    name = f"mt:{measure}"
    scored = by_item(items.score(inputs, measures=[name], resampling=NONE), name)
    for item in list(scored)[::5]:
        shown = items.explain(inputs, item=item, measure=name).formulas
        check(shown, scored[item])
        assert "100 ×" in shown[0].arithmetic or shown[0].value == 0


# --- where it is shown ---


def test_a_formula_is_in_every_form_of_an_explanation(tmp_path):
    explanation = lexsub.explain({"1": {"glad": 3, "merry": 1}}, {"mine": {"1": ["glad", "sad"]}})
    text = "credit / (credit + k × wrong answers) = 3/(3 + 1 × 1) = 0.750"
    assert text in str(explanation)
    assert text in explanation._repr_html_()
    formulas = [row for row in explanation.to_dict()["rows"] if row["kind"] == "formula"]
    [shown] = [each for each in formulas if each["measure"] == "P(k=1)"]
    assert (shown["system"], shown["arithmetic"], shown["value"]) == ("mine", "3/(3 + 1 × 1)", 0.75)
    json.dumps(explanation.to_dict(), allow_nan=False)
    touchstone.write_report(explanation, tmp_path / "item.html")
    assert text in (tmp_path / "item.html").read_text("utf-8")
