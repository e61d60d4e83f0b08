"""Runs that contain the texts of the gold are joined by them: a shuffled run has its own value, not that of chance."""

import json
import random

import pyarrow as pa
import pytest
from pyarrow import parquet

import touchstone
from touchstone import items, lexsub, mt, nli, pyramid
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ids import Policy
from touchstone.base.notes import TouchstoneWarning
from touchstone.engine.planning import Request
from touchstone.engine.scoring import read_results, score_in_shards

LABELS = ("entailment", "contradiction", "neutral")


def _pairs(count=60):
    random.seed(1)
    return [
        {"premise": f"A dog runs in field {n}.", "hypothesis": f"An animal {n} moves.", "label": random.choice(LABELS)}
        for n in range(count)
    ]


def _predictions(pairs, wrong=12):
    """Return predictions, of which the first ones are wrong."""
    return [
        {
            "premise": pair["premise"],
            "hypothesis": pair["hypothesis"],
            "pred": LABELS[(LABELS.index(pair["label"]) + (n < wrong)) % 3],
        }
        for n, pair in enumerate(pairs)
    ]


def _shuffled(rows):
    return random.Random(7).sample(rows, len(rows))


def _accuracy(gold, run, **options):
    results = nli.score(gold, {"mine": run}, ["accuracy"], **options)
    return results.row("mine", "accuracy").value, [*results.notes]


def _csv(path, rows):
    names = list(rows[0])
    path.write_text("\n".join([",".join(names), *(",".join(str(row[name]) for name in names) for row in rows)]) + "\n")
    return path


def _polars(rows):
    return pytest.importorskip("polars").DataFrame(rows)


def _pandas(rows):
    return pytest.importorskip("pandas").DataFrame(rows)


@pytest.mark.parametrize("form", [list, pa.Table.from_pylist, _polars, _pandas])
def test_shuffled_predictions_with_their_sentences_are_joined_by_these(form):
    pairs = _pairs()
    value, notes = _accuracy(form(pairs), form(_shuffled(_predictions(pairs))))
    assert value == 48 / 60
    assert "mine: no ids, so rows are joined by premise and hypothesis" in notes


def test_a_shuffled_file_of_predictions_is_joined_by_its_sentences(tmp_path):
    pairs = _pairs()
    gold, run = _csv(tmp_path / "gold.csv", pairs), _csv(tmp_path / "run.csv", _shuffled(_predictions(pairs)))
    assert _accuracy(gold, run)[0] == 48 / 60


def test_sentences_are_recognised_whatever_their_columns_are_called():
    pairs = _pairs()
    run = [{"text_a": r["premise"], "text_b": r["hypothesis"], "pred": r["pred"]} for r in _predictions(pairs)]
    assert _accuracy(pairs, _shuffled(run))[0] == 48 / 60


def test_a_tokenised_and_lower_cased_sentence_is_still_the_same():
    pairs = _pairs()
    run = [{**r, "premise": r["premise"].lower().replace(".", " .")} for r in _predictions(pairs)]
    assert _accuracy(pairs, _shuffled(run))[0] == 48 / 60


def test_equal_pairs_are_joined_in_the_order_of_their_occurrence():
    pairs = [*_pairs(), {"premise": "It rains.", "hypothesis": "It is wet.", "label": "neutral"},
             {"premise": "It rains.", "hypothesis": "It is wet.", "label": "entailment"}]  # fmt: skip
    value, notes = _accuracy(pairs, [*_predictions(pairs)[60:], *_predictions(pairs)[:60]])
    assert value == 50 / 62
    what = "rows whose texts occur more than once in the gold, joined in the order of their occurrence: 2"
    assert f"mine: {what}" in notes


def test_a_sentence_that_the_gold_does_not_have_is_refused_or_ignored_by_the_policy():
    pairs = _pairs()
    run = [*_shuffled(_predictions(pairs)), {"premise": "No.", "hypothesis": "Yes.", "pred": "neutral"}]
    with pytest.raises(TouchstoneError, match=r"unknown item.*No\. / Yes\."):
        _accuracy(pairs, run)
    assert _accuracy(pairs, run, policy=Policy(unknown="ignore"))[0] == 48 / 60


def test_a_run_of_other_sentences_is_refused():
    pairs = _pairs()
    other = [{**row, "premise": f"{row['premise']} Really."} for row in _predictions(pairs)]
    with pytest.raises(TouchstoneError, match="none of its texts"):
        _accuracy(pairs, other)


def test_a_premise_alone_that_several_pairs_share_is_refused_unless_the_order_is_that_of_the_gold():
    pairs = [{**pair, "premise": f"A dog runs in field {n // 3}."} for n, pair in enumerate(_pairs())]
    run = [{"premise": row["premise"], "pred": row["pred"]} for row in _predictions(pairs)]
    assert _accuracy(pairs, run)[0] == 48 / 60
    with pytest.raises(TouchstoneError, match="does not tell the items apart"):
        _accuracy(pairs, _shuffled(run))


def _numbered(rows):
    return [{"id": str(n), **row} for n, row in enumerate(rows, 1)]


def test_ids_that_contradict_the_sentences_beside_them_are_refused():
    pairs = _pairs()
    with pytest.raises(TouchstoneError, match="item 1 has another premise in the gold") as caught:
        _accuracy(_numbered(pairs), _numbered(_shuffled(_predictions(pairs))))
    assert "ids and texts contradict each other" in str(caught.value)


def test_ids_are_checked_against_the_sentences_of_a_run_that_was_read_without_the_gold():
    pairs = _pairs()
    run = nli.read_run(_numbered(_shuffled(_predictions(pairs))), name="mine")
    with pytest.raises(TouchstoneError, match="another premise"):
        nli.score(_numbered(pairs), [run])


def test_right_ids_and_right_sentences_need_no_note():
    pairs = _numbered(_pairs())
    run = [{"id": pair["id"], **row} for pair, row in zip(pairs, _predictions(pairs), strict=True)]
    run = [{**row, "prediction": row.pop("pred")} for row in run]
    assert _accuracy(pairs, _shuffled(run)) == (48 / 60, [])


def _segments(count=40):
    return [{"source": f"Satz {n}.", "reference": f"The reference number {n} is here."} for n in range(count)]


def _translations(segments, *columns):
    rows = [{**row, "hypothesis": row["reference"] if n % 4 else f"Nothing {n}."} for n, row in enumerate(segments)]
    return [{name: row[name] for name in (*columns, "hypothesis")} for row in rows]


def _bleu(gold, run, **options):
    results = mt.score(gold, {"mine": run}, ["bleu"], **options)
    return results.row("mine", "bleu").value, [*results.notes]


@pytest.mark.parametrize("columns", [("source",), ("reference",), ("source", "reference")])
@pytest.mark.parametrize("form", [list, pa.Table.from_pylist, _pandas])
def test_shuffled_translations_with_their_sources_or_references_are_joined_by_these(columns, form):
    segments = _segments()
    right, _ = _bleu(_numbered(segments), [row["hypothesis"] for row in _translations(segments)])
    value, notes = _bleu(form(segments), form(_shuffled(_translations(segments, *columns))))
    assert value == right > 60
    assert notes == [f"mine: no ids, so rows are joined by {' and '.join(columns)}"]


def test_translations_are_joined_by_a_plain_file_of_references(tmp_path):
    segments = _segments()
    (tmp_path / "ref.en").write_text("".join(f"{row['reference']}\n" for row in segments))
    run = _csv(tmp_path / "run.csv", _shuffled(_translations(segments, "source", "reference")))
    assert _bleu(tmp_path / "ref.en", run)[0] == _bleu(segments, _translations(segments, "source"))[0]


def test_segments_whose_ids_contradict_their_sources_are_refused():
    segments = _segments()
    run = _numbered(_shuffled(_translations(segments, "source")))
    with pytest.raises(TouchstoneError, match="item 1 has another source in the gold"):
        _bleu(_numbered(segments), run)


def test_translations_of_other_sources_are_refused():
    segments = _segments()
    other = [{**row, "source": f"Etwas anderes {n}."} for n, row in enumerate(_translations(segments, "source"))]
    with pytest.raises(TouchstoneError, match="none of its texts"):
        _bleu(segments, other)


@pytest.mark.filterwarnings("ignore::touchstone.TouchstoneWarning")  # the run has the words of the references
def test_the_name_of_a_data_set_in_a_column_called_source_is_no_text():
    segments = _numbered(_segments())
    run = [{"id": row["id"], "source": "newstest", "hypothesis": row["reference"]} for row in segments]
    value, notes = _bleu(segments, _shuffled(run))
    assert value == pytest.approx(100)
    assert not any("source" in note for note in notes)


def test_a_table_without_ids_and_texts_is_joined_in_order_with_a_note_and_plain_text_without(tmp_path):
    segments = _segments()
    rows = _translations(segments)
    (tmp_path / "mine.txt").write_text("".join(f"{row['hypothesis']}\n" for row in rows))
    note = "mine: no ids, so translations are joined in the order of the segments"
    assert _bleu(segments, rows)[1] == _bleu(segments, _csv(tmp_path / "run.csv", rows))[1] == [note]
    assert _bleu(segments, tmp_path / "mine.txt")[1] == _bleu(segments, [row["hypothesis"] for row in rows])[1] == []


def test_systems_of_one_table_whose_rows_have_other_sources_are_refused():
    segments = _segments()
    both = [{"system": "a", **row} for row in _translations(segments, "source", "reference")]
    both += [{"system": "b", **row} for row in _shuffled(_translations(segments, "source", "reference"))]
    without = [{**row, "reference": "Yes."} for row in both]
    for gold in (both, without):
        with pytest.raises(TouchstoneError, match=r"other (references|source) than at"):
            mt.score(gold, (), ["bleu"])


def _targets(count=40):
    """Return items of a few words, each word in several sentences."""
    words = ("bright", "plain", "sharp", "warm")
    return [
        {"sentence": f"It was a {words[n % 4]} day in year {n}.", "target": words[n % 4], "gold": {f"good{n}": 3}}
        for n in range(count)
    ]


def _substitutes(items, *columns):
    rows = [{**row, "answers": [f"good{n}"] if n % 4 else ["bad"]} for n, row in enumerate(items)]
    return [{name: row[name] for name in (*columns, "answers")} for row in rows]


def _best(gold, run, **options):
    results = lexsub.score(gold, {"mine": run}, ["best1"], **options)
    return results.row("mine", "best1").value, [*results.notes]


def test_substitutes_are_joined_by_sentence_and_target_where_there_are_no_ids():
    items = _targets()
    value, notes = _best(items, _shuffled(_substitutes(items, "sentence", "target")))
    assert value == 30 / 40
    assert "mine: no ids, so rows are joined by sentence and target" in notes
    assert _best(_numbered(items), _shuffled(_substitutes(items, "sentence")))[0] == 30 / 40


def test_a_table_with_a_row_for_each_substitute_is_joined_by_sentence():
    items = _targets()
    gold = [{"sentence": r["sentence"], "target": r["target"], "substitute": word, "weight": 2 + (word[0] == "g")}
            for r in items for word in (*r["gold"], "fair")]  # fmt: skip
    run = [{"sentence": r["sentence"], "target": r["target"], "substitute": word, "rank": rank}
           for r in _shuffled(_substitutes(items, "sentence", "target"))
           for rank, word in enumerate((*r["answers"], "also"), 1)]  # fmt: skip
    value, notes = _best(gold, run)
    assert value == 30 / 40
    assert "the gold: no ids, so items are told apart by sentence and target: 40" in notes


def test_equal_sentences_of_substitutes_are_joined_in_the_order_of_their_occurrence():
    items = _targets()
    items[8] = items[4] | {"gold": {"other": 3}}  # one sentence and target, twice
    run = _substitutes(items, "sentence", "target")
    run[4]["answers"], run[8]["answers"] = ["good4", "more"], ["other", "more"]
    value, notes = _best(items, sorted(run, key=lambda row: row["sentence"]))
    assert value == (30 + 2) / 40
    assert "the gold: no ids, so items are told apart by sentence and target: 40" in notes
    assert any("more than once in the gold, joined in the order of their occurrence: 2" in note for note in notes)
    assert _best(_numbered(items), sorted(run, key=lambda row: row["sentence"]))[0] == value


def test_a_sentence_with_two_targets_that_a_run_does_not_name_is_warned_of():
    items = _targets()
    items[8] = items[8] | {"sentence": items[4]["sentence"], "target": "year"}
    run = sorted(_substitutes(items, "sentence"), key=lambda row: row["sentence"])
    with pytest.warns(TouchstoneWarning, match="does not tell apart.*add the column target"):
        _best(items, run)
    run = sorted(_substitutes(items, "sentence", "target"), key=lambda row: row["sentence"])
    assert not [note for note in _best(items, run)[1] if note.startswith("warning")]


def test_words_that_occur_once_are_their_own_ids():
    items = [{"target": f"word{n}", "gold": {f"good{n}": 3}} for n in range(8)]
    assert _best(items, _shuffled(_substitutes(items, "target")))[0] == 6 / 8


def test_substitutes_whose_ids_contradict_their_sentences_are_refused():
    items = _targets()
    with pytest.raises(TouchstoneError, match="another sentence in the gold"):
        _best(_numbered(items), _numbered(_shuffled(_substitutes(items, "sentence"))))
    run = [
        {"id": gold["id"], **row} for gold, row in zip(_numbered(items), _substitutes(items, "sentence"), strict=True)
    ]
    assert _best(_numbered(items), _shuffled(run)) == (30 / 40, [])


def test_json_lines_of_substitutes_are_checked_too(tmp_path):
    items = _numbered(_targets())
    run = [{"id": gold["id"], **row} for gold, row in zip(items, _substitutes(items, "sentence"), strict=True)]
    right, wrong = tmp_path / "right.jsonl", tmp_path / "wrong.jsonl"
    right.write_text("".join(f"{json.dumps(row)}\n" for row in run))
    wrong.write_text("".join(f"{json.dumps({**row, 'id': run[-1 - n]['id']})}\n" for n, row in enumerate(run)))
    assert _best(items, right) == (30 / 40, [])
    with pytest.raises(TouchstoneError, match="another sentence in the gold"):
        _best(items, wrong)


def _scores(system, count=40):
    return [{"prompt": f"What is {n} + {n}?", "score": (n * (3 if system == "a" else 5)) % 7 / 6} for n in range(count)]


def _differences(given):
    comparison = touchstone.compare(items.score(given), "score")
    pair = comparison.pairs[0]
    return round(pair.p, 6), [*comparison.results.notes]


@pytest.mark.parametrize("form", [list, pa.Table.from_pylist, _pandas])
def test_scores_of_systems_are_joined_by_the_prompts_beside_them(form):
    a, b = _scores("a"), _scores("b")
    right = _differences({"a": _numbered(a), "b": _numbered(b)})
    p, notes = _differences({"a": form(a), "b": form(_shuffled(b))})
    assert right == (p, [])
    assert notes == ["no ids, so rows are joined by prompt"]


def test_files_and_a_column_of_systems_are_joined_by_prompts_too(tmp_path):
    a, b = _scores("a"), _shuffled(_scores("b"))
    right, _ = _differences({"a": _numbered(_scores("a")), "b": _numbered(_scores("b"))})
    files = [_csv(tmp_path / "a.csv", a), _csv(tmp_path / "b.csv", b)]
    long = [{"system": name, **row} for name, rows in (("a", a), ("b", b)) for row in rows]
    assert _differences(files)[0] == _differences(long)[0] == right


def test_equal_prompts_are_joined_in_the_order_of_their_occurrence():
    a, b = ([*_scores(name), _scores(name)[0]] for name in "ab")
    notes = _differences({"a": a, "b": b})[1]
    assert "texts of prompt that a system has more than once, joined in their order: 2" in notes


def test_ids_that_contradict_the_prompts_beside_them_are_refused():
    with pytest.raises(TouchstoneError) as error:
        items.score({"a": _numbered(_scores("a")), "b": _numbered(_shuffled(_scores("b")))})
    assert error.value.code == Code.MISMATCH


def test_prompts_that_each_system_words_in_its_own_way_contradict_nothing():
    b = [{**row, "prompt": f"Answer: {row['prompt']}"} for row in _numbered(_scores("b"))]
    assert _differences({"a": _numbered(_scores("a")), "b": _shuffled(b)})[1] == []


def test_tables_of_scores_without_ids_and_prompts_are_joined_in_order_with_a_warning_and_lists_without():
    a, b = ([{"score": row["score"], "length": n} for n, row in enumerate(_scores(name))] for name in "ab")
    with pytest.warns(TouchstoneWarning, match="no ids, so the rows of the tables are joined in their order"):
        items.score({"a": a, "b": b})
    assert items.score({"a": [1, 0, 1], "b": [0, 0, 1]}).notes == []


def _decisions(*columns):
    rows = [
        {
            "peer": peer,
            "unit": f"u{n}",
            "label": f"It says {n}.",
            "weight": 1 + n % 3,
            "models": 4,
            "present": int(n % number == 0),
        }
        for number, peer in enumerate("ab", 2)
        for n in range(6)
    ]
    return [{name: row[name] for name in ("peer", *columns, "weight", "models", "present")} for row in rows]


def _pyramid_scores(rows):
    return [row.value for row in pyramid.score(pa.Table.from_pylist(rows)).rows]


def test_units_without_ids_are_told_apart_by_what_they_say():
    rows = _decisions("label")
    assert _pyramid_scores(_shuffled(rows)) == pytest.approx(_pyramid_scores(_decisions("unit")))


def test_ids_of_units_that_contradict_what_the_units_say_are_refused():
    rows = _decisions("unit", "label")
    assert _pyramid_scores(rows) == _pyramid_scores(_decisions("unit"))
    rows = [{**row, "weight": 1} for row in rows]
    renumbered = rows[:6] + [{**row, "unit": f"u{5 - n}"} for n, row in enumerate(rows[6:])]
    with pytest.raises(TouchstoneError, match="unit u5 of set 1 has another label than above"):
        pyramid.score(pa.Table.from_pylist(renumbered))


def test_shards_whose_rows_are_in_another_order_are_refused_and_those_in_the_same_scored(tmp_path):
    pairs = _pairs(2000)
    for name, rows in (("gold", pairs), ("right", _predictions(pairs)), ("wrong", _shuffled(_predictions(pairs)))):
        parquet.write_table(pa.Table.from_pylist(rows), tmp_path / f"{name}.parquet")
    requests = {
        name: Request(nli.TASK, tmp_path / "gold.parquet", [f"{tmp_path / name}.parquet"], ["accuracy"], streamed=True)
        for name in ("right", "wrong")
    }
    assert not score_in_shards(requests["right"], tmp_path / "a").failures
    assert read_results(tmp_path / "a").row("right", "accuracy").value == 1988 / 2000
    failures = score_in_shards(requests["wrong"], tmp_path / "b").failures
    assert failures
    assert "has another premise in the gold" in next(iter(failures.values()))
