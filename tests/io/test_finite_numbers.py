"""Every number that is read is finite: nan and infinity are refused in every reader, or are an empty cell of scores."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet

import touchstone
from touchstone import Policy, Resampling, TouchstoneError, items, lexsub, mt, nli, pyramid
from touchstone.cli import app

BAD = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}

Reader = Callable[[Path, float], object]
READERS: dict[str, Reader] = {}
"""How a number gets into each reader: called with a folder and the number."""

CELLS: dict[str, Reader] = {}
"""The same for scores, where nan is an empty cell: a missing item, which the policy refuses."""


def reader(function: Reader) -> Reader:
    """Add a reader to the test."""
    READERS[function.__name__.strip("_")] = function
    return function


def score_reader(function: Reader) -> Reader:
    """Add a reader of scores to the test."""
    CELLS[function.__name__.strip("_")] = function
    return function


def written(folder: Path, name: str, text: str) -> Path:
    """Return a new file with *text*."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


PAIRS = [
    {"id": "1", "premise": "A dog runs.", "hypothesis": "An animal runs.", "label": "entailment"},
    {"id": "2", "premise": "A dog runs.", "hypothesis": "A cat runs.", "label": "contradiction"},
]
GOOD = {"entailment": 0.2, "neutral": 0.3, "contradiction": 0.5}
LABELS = list(GOOD)


def shares(value: float) -> dict[str, float]:
    """Return probabilities that sum to 1 without the bad one."""
    return {"entailment": value, "neutral": 0.6, "contradiction": 0.4}


def nli_run(run: object) -> object:
    """Score a run of inference."""
    return nli.score(PAIRS, {"a": run}, policy=Policy(missing="zero"))


@reader
def _nli_probabilities_in_json(folder: Path, value: float) -> object:
    rows = [{"id": "1", "probabilities": shares(value)}, {"id": "2", "probabilities": GOOD}]
    return nli_run(written(folder, "a.json", json.dumps(rows)))


@reader
def _nli_probabilities_in_jsonl(folder: Path, value: float) -> object:
    rows = [{"id": "1", "probabilities": shares(value)}, {"id": "2", "probabilities": GOOD}]
    return nli_run(written(folder, "a.jsonl", "".join(json.dumps(row) + "\n" for row in rows)))


@reader
def _nli_probabilities_that_are_all_bad(folder: Path, value: float) -> object:
    rows = [{"id": "1", "probabilities": dict.fromkeys(LABELS, value or 1 / 3)}, {"id": "2", "probabilities": GOOD}]
    return nli_run(written(folder, "a.json", json.dumps(rows)))


@reader
def _nli_probabilities_in_a_list(folder: Path, value: float) -> object:
    rows = [{"id": "1", "probabilities": [value, 0.6, 0.4]}, {"id": "2", "probabilities": [0.2, 0.3, 0.5]}]
    return nli_run(written(folder, "a.json", json.dumps(rows)))


@reader
def _nli_probabilities_in_a_csv_cell(folder: Path, value: float) -> object:
    rows = [["1", json.dumps(shares(value))], ["2", json.dumps(GOOD)]]
    frame = pd.DataFrame(rows, columns=["id", "probabilities"])
    return nli_run(written(folder, "a.csv", frame.to_csv(index=False)))


@reader
def _nli_probabilities_in_columns_of_csv(folder: Path, value: float) -> object:
    lines = [f"1,{value},0.6,0.4", "2,0.2,0.3,0.5"]
    return nli_run(written(folder, "a.csv", "\n".join(["id,p_entailment,p_neutral,p_contradiction", *lines])))


@reader
def _nli_probabilities_in_columns_of_json(folder: Path, value: float) -> object:
    rows = [{"id": "1", **shares(value)}, {"id": "2", **GOOD}]
    return nli_run(written(folder, "a.json", json.dumps(rows)))


@reader
def _nli_probabilities_in_pandas(_: Path, value: float) -> object:
    return nli_run(pd.DataFrame([{"id": "1", **shares(value)}, {"id": "2", **GOOD}]))


@reader
def _nli_probabilities_in_polars(_: Path, value: float) -> object:
    return nli_run(pl.DataFrame([{"id": "1", **shares(value)}, {"id": "2", **GOOD}]))


@reader
def _nli_probabilities_in_arrow(_: Path, value: float) -> object:
    return nli_run(pa.table({"id": ["1", "2"], "probabilities": [shares(value), GOOD]}))


@reader
def _nli_probabilities_in_parquet(folder: Path, value: float) -> object:
    file = folder / "a.parquet"
    parquet.write_table(pa.table({"id": ["1", "2"], "probabilities": [shares(value), GOOD]}), file)
    return nli_run(file)


@reader
def _nli_probabilities_of_numpy(_: Path, value: float) -> object:
    return nli_run({"id": ["1", "2"], "probabilities": [np.array([value, 0.6, 0.4]), np.array([0.2, 0.3, 0.5])]})


ANSWERS = {"1": ["glad"]}


@reader
def _lexsub_weights_in_els07(folder: Path, value: float) -> object:
    return lexsub.score(written(folder, "test.gold", f"happy.a 1 :: glad {value};merry 2;\n"), {"a": ANSWERS})


@reader
def _lexsub_weights_in_jsonl(folder: Path, value: float) -> object:
    row = {"id": "1", "gold": {"glad": value, "merry": 2}}
    return lexsub.score(written(folder, "gold.jsonl", json.dumps(row)), {"a": ANSWERS})


@reader
def _lexsub_weights_in_json(folder: Path, value: float) -> object:
    return lexsub.score(written(folder, "gold.json", json.dumps({"1": {"glad": value, "merry": 2}})), {"a": ANSWERS})


@reader
def _lexsub_weights_in_python(_: Path, value: float) -> object:
    return lexsub.score({"1": {"glad": value, "merry": 2}}, {"a": ANSWERS})


@reader
def _lexsub_weights_in_a_long_csv(folder: Path, value: float) -> object:
    text = f"id,substitute,weight\n1,glad,{value}\n1,merry,2\n"
    return lexsub.score(written(folder, "gold.csv", text), {"a": ANSWERS})


@reader
def _lexsub_weights_in_a_long_frame(_: Path, value: float) -> object:
    frame = pd.DataFrame({"id": ["1", "1"], "substitute": ["glad", "merry"], "weight": [value, 2.0]})
    return lexsub.score(frame, {"a": ANSWERS})


@reader
def _lexsub_weights_in_xml(folder: Path, value: float) -> object:
    token = (
        f'<token id="1" wordform="happy" lemma="happy" posMASC="JJ" posTT="JJ" problematic="no"><substitutions>'
        f'<subst lemma="glad" pos="JJ" freq="{value}" /></substitutions></token>'
    )
    text = f"<document><sent><targetsentence>happy</targetsentence><tokens>{token}</tokens></sent></document>"
    return lexsub.score(written(folder, "gold.xml", text), {"a": ANSWERS})


@reader
def _lexsub_scores_of_answers_in_swords(folder: Path, value: float) -> object:
    row = {"substitutes": {"1": [["glad", value], ["merry", 0.5]]}}
    return lexsub.score({"1": {"glad": 1}}, {"a": written(folder, "a.json", json.dumps(row))})


@reader
def _lexsub_scores_of_answers_in_python(_: Path, value: float) -> object:
    return lexsub.score({"1": {"glad": 1}}, {"a": {"1": {"glad": value, "merry": 0.5}}})


@reader
def _lexsub_least_weight_option(_: Path, value: float) -> object:
    return lexsub.score({"1": {"glad": 1}}, {"a": ANSWERS}, min_weight=value)


@reader
def _lexsub_least_responses_option(_: Path, value: float) -> object:
    return lexsub.score({"1": {"glad": 1}}, {"a": ANSWERS}, min_responses=value)


@reader
def _lexsub_least_responses_flag(folder: Path, value: float) -> object:
    gold = written(folder, "gold.jsonl", json.dumps({"id": "1", "gold": {"glad": 1}}))
    run = written(folder, "a.jsonl", json.dumps({"id": "1", "answers": ["glad"]}))
    return command("lexsub", "score", gold, f"a={run}", f"--min-responses={value}")


def command(*arguments: object) -> object:
    """Run a command; a refusal is raised."""
    result = CliRunner().invoke(app, list(map(str, arguments)))
    if isinstance(result.exception, TouchstoneError):
        raise result.exception
    if result.exit_code == 2:
        raise TouchstoneError(result.output)
    return result


MT = Path(touchstone.__file__).parent / "examples" / "mt"


@reader
def _mt_supplied_scores(folder: Path, value: float) -> object:
    refs, run = written(folder, "ref.en", "a b\nc d\n"), written(folder, "a.en", "a b\nc e\n")
    scores = written(folder, "comet.tsv", f"system\tsegment\tscore\na\t1\t{value}\na\t2\t0.5\n")
    return mt.score([refs], {"a": run}, ["bleu"], scores=(f"comet={scores}",))


@reader
def _mt_alpha_of_a_measure(_: Path, value: float) -> object:
    return mt.score(["a b"], {"a": ["a c"]}, [f"maxsim(alpha={value})"])


@reader
def _mt_ratings_in_a_table(folder: Path, value: float) -> object:
    return mt.read_judgements(written(folder, "r.csv", f"segment,system,judge,adequacy\n1,a,ann,{value}\n1,b,ann,2\n"))


@reader
def _mt_scores_of_esa(folder: Path, value: float) -> object:
    rows = [
        {"doc_id": f"en-de_#_news_#_d_#_{n}", "src_text": "x", "tgt_text": {"a": "y", "b": "z"},
         "scores": {"a": [{"score": value}], "b": [{"score": 3}]}}
        for n in (1, 2)
    ]  # fmt: skip
    return mt.read_judgements(written(folder, "esa.jsonl", "".join(json.dumps(row) + "\n" for row in rows)))


@reader
def _mt_scores_of_appraise(folder: Path, value: float) -> object:
    rows = [f"eng0{n},sys{n},1,TGT,eng,deu,{value},doc,False,1.0,2.0" for n in (1, 2)]
    return mt.read_judgements(written(folder, "appraise.csv", "\n".join(rows) + "\n"))


@reader
def _pyramid_probabilities(folder: Path, value: float) -> object:
    example = Path(touchstone.__file__).parent / "examples" / "pyramid"
    peer = next(example.glob("*.magpie.pan"))
    text = peer.read_text("utf-8").replace("<peerscu uid=", f'<peerscu probability="{value}" uid=')
    return pyramid.score([example / "T01.pyr", written(folder, peer.name, text)], measures=["pyramid.soft"])


@reader
def _margin_in_python(_: Path, value: float) -> object:
    ids = [str(n) for n in range(40)]
    results = items.score({"old": dict.fromkeys(ids, 1.0), "new": {i: float(int(i) % 4 > 0) for i in ids}})
    return touchstone.gate(touchstone.compare(results, "value"), "new", margin=value)


@reader
def _margin_flag(folder: Path, value: float) -> object:
    scores = written(folder, "s.csv", "item,a,b\n" + "".join(f"{n},1,1\n" for n in range(30)))
    return command("items", "compare", scores, "--fail-if-worse", "a", f"--margin={value}")


@reader
def _level_of_intervals(_: Path, value: float) -> object:
    return items.score({"a": {"q1": 1.0, "q2": 0.0}}, resampling=Resampling(level=value / 2))


@reader
def _minutes_flag(_: Path, value: float) -> object:
    example = Path(touchstone.__file__).parent / "examples" / "items"
    return command(
        "items", "plan", example / "human.csv", example / "judge.csv", "--width", "0.5", "--minutes-per-item", value
    )  # fmt: skip


OTHERS = [0.5, 0.25, 0.75, 1.0]
"""The scores of the other items."""


def counted(data: object) -> int:
    """Return how many items count."""
    return items.score(data).rows[0].n


def wide(value: float) -> dict[str, list[object]]:
    """Return a table of scores, of which the first may be bad."""
    return {"item": ["q1", "q2", "q3", "q4", "q5"], "a": [value, *OTHERS]}


def rows_of(value: float) -> list[dict[str, object]]:
    """Return the rows of the same table."""
    table = wide(value)
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


@score_reader
def _scores_in_csv(folder: Path, value: float) -> object:
    text = "item,a\n" + "".join(f"q{n},{score}\n" for n, score in enumerate((value, *OTHERS)))
    return counted(written(folder, "s.csv", text))


@score_reader
def _scores_in_json(folder: Path, value: float) -> object:
    return counted(written(folder, "s.json", json.dumps(rows_of(value))))


@score_reader
def _scores_in_jsonl(folder: Path, value: float) -> object:
    return counted(written(folder, "s.jsonl", "".join(json.dumps(row) + "\n" for row in rows_of(value))))


@score_reader
def _scores_in_parquet(folder: Path, value: float) -> object:
    parquet.write_table(pa.table(wide(value)), folder / "s.parquet")
    return counted(folder / "s.parquet")


@score_reader
def _scores_in_arrow(folder: Path, value: float) -> object:
    table = pa.table(wide(value))
    with pa.OSFile(str(folder / "s.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return counted(folder / "s.arrow")


@score_reader
def _scores_in_pandas(_: Path, value: float) -> object:
    return counted(pd.DataFrame(wide(value)))


@score_reader
def _scores_in_polars(_: Path, value: float) -> object:
    return counted(pl.DataFrame(wide(value)))


@score_reader
def _scores_in_python(_: Path, value: float) -> object:
    return counted({"a": dict(zip(*wide(value).values(), strict=True))})


@score_reader
def _scores_of_numpy(_: Path, value: float) -> object:
    return counted(wide(value) | {"a": np.array([value, *OTHERS], np.float32)})


@score_reader
def _scores_of_comet(folder: Path, value: float) -> object:
    rows = [{"src": "x", "mt": "y", "ref": "z", "COMET": score} for score in (value, *OTHERS)]
    return counted(written(folder, "comet.json", json.dumps({"a.txt": rows})))


@score_reader
def _scores_of_lm_eval(folder: Path, value: float) -> object:
    rows = [
        {"doc_id": n, "doc": {}, "target": "x", "arguments": [], "resps": [], "filtered_resps": [], "acc": score}
        for n, score in enumerate((value, *OTHERS))
    ]
    name = "samples_arc_2024-05-01T10-00-00.0.jsonl"
    return counted(written(folder, name, "".join(json.dumps(row) + "\n" for row in rows)))


@score_reader
def _labels_that_are_numbers(_: Path, value: float) -> object:
    labels = {"ann": [value, *OTHERS], "ben": [0.5, *OTHERS]}
    return touchstone.agreement(labels, distance="interval").coefficients["alpha"].units


@score_reader
def _ratings_in_a_frame(_: Path, value: float) -> object:
    rows = [(str(n), "a", "ann", score) for n, score in enumerate((value, *OTHERS))]
    [judged] = mt.read_judgements(pd.DataFrame(rows, columns=["segment", "system", "judge", "adequacy"]))
    return len(judged)


@pytest.mark.parametrize("value", BAD.values(), ids=BAD)
@pytest.mark.parametrize("name", READERS)
def test_a_number_that_is_not_finite_is_refused(name, value, tmp_path):
    with pytest.raises(TouchstoneError):
        READERS[name](tmp_path, value)


@pytest.mark.parametrize("value", BAD.values(), ids=BAD)
@pytest.mark.parametrize("name", CELLS)
def test_a_score_that_is_not_finite_is_refused_or_missing(name, value, tmp_path):
    try:
        assert CELLS[name](tmp_path, value) == len(OTHERS)
    except TouchstoneError:
        assert np.isinf(value) or name == "scores_of_comet"


@pytest.mark.parametrize("name", {**READERS, **CELLS})
def test_each_of_these_readers_takes_a_finite_number(name, tmp_path):
    assert {**READERS, **CELLS}[name](tmp_path, 0.0 if name.startswith("nli") else 1.0)
