"""Result files of other tools: the values are those that the tools report, and damaged files get a sentence.

The files were written by the tools themselves; ``tools/make_fixtures.py`` says how and by which versions.
"""

import copy
import gzip
import json
import random
import re
import struct
import subprocess
import sys
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pytest
from scipy import stats
from tests.commands import run_command

import touchstone
from touchstone import TouchstoneError, compare, items
from touchstone.base.codes import Code
from touchstone.base.files import read_bytes
from touchstone.base.ids import Policy
from touchstone.cli import main
from touchstone.core.resampling import Resampling
from touchstone.tasks.items import tools
from touchstone.tasks.items.tools import inspect_ai

HERE = Path(__file__).parent / "tools"
SUMS = sorted((Path(touchstone.__file__).parent / "examples" / "items" / "logs").glob("*.eval"))
COLOURS = [HERE / "colours_heron.eval", HERE / "colours_magpie.json"]
SAMPLES = sorted((HERE / "lm_eval").glob("*/samples_*"))
PLAIN = Resampling("none")
TER = "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = "


def score(*paths, **options):
    return items.score(list(paths), resampling=PLAIN, **options)


def values(results):
    return {(row.system, row.measure): row.value for row in results.rows}


def unpacked(path):
    """Return the header and the samples of a log."""
    if path.suffix == ".json":
        whole = json.loads(path.read_text())
        return whole, whole["samples"]
    raw, source = read_bytes(path)
    with zipfile.ZipFile(path) as archive:
        return tuple(
            inspect_ai._member(archive, archive.getinfo(f"{n}.json"), raw, source) for n in ("header", "summaries")
        )


def packed(path, header, samples, method=zipfile.ZIP_DEFLATED):
    """Write a log as older versions of inspect_ai did, without zstandard."""
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("header.json", json.dumps(header))
        archive.writestr("summaries.json", json.dumps(samples))
    return path


@pytest.fixture
def changed(tmp_path):
    """Return a function that writes a log after *change* was applied to its header and samples."""

    def write(change, path=SUMS[0], name="changed.eval"):
        header, samples = unpacked(path)
        change(header, samples)
        return packed(tmp_path / name, header, samples)

    return write


# --- inspect_ai ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", SUMS + COLOURS, ids=lambda path: path.name)
def test_the_values_of_a_log_are_those_that_inspect_ai_reports(path):
    header, _ = unpacked(path)
    reported = {
        (one["scorer"] if one["name"] == one["scorer"] else f"{one['scorer']}.{one['name']}"): metric["value"]
        for one in header["results"]["scores"]
        for name, metric in one["metrics"].items()
        if name in ("accuracy", "mean")
    }
    assert values(score(path)) == pytest.approx({(header["eval"]["model"], name): v for name, v in reported.items()})


def test_two_logs_are_compared_item_by_item():
    results = items.score(SUMS)
    (pair,) = compare(results, "match").pairs
    assert values(results) == {("mockllm/heron", "match"): 47 / 60, ("mockllm/magpie", "match"): 38 / 60}
    assert (pair.wins, pair.ties, pair.losses) == (10, 49, 1)


def test_the_paired_test_finds_a_difference_that_an_unpaired_one_does_not():
    """The figures that docs/items.md gives."""
    results = items.score(SUMS)
    (pair,) = compare(results, "match").pairs
    right = [1] * 47 + [0] * 13, [1] * 38 + [0] * 22
    assert round(stats.ttest_ind(*right, equal_var=False).pvalue, 2) == 0.07
    assert round(pair.p, 3) == 0.007
    high, low = results.rows
    assert low.low < high.low < low.high < high.high  # the intervals overlap


def test_epochs_of_a_sample_are_one_item_whose_value_is_their_mean():
    results = score(*COLOURS)
    heron = {item: items.explain(COLOURS, item=item, measure="includes") for item in ("1", "2", "3", "4")}
    shown = {item: dict(explanation.tables[1].rows)["mockllm/heron"] for item, explanation in heron.items()}
    assert shown == {"1": 1, "2": 1 / 2, "3": 1, "4": 0}  # right in both epochs, in one, in both, in none
    assert sum("run 2 times (epochs); its value is the mean" in note for note in results.notes) == 2


def test_a_note_says_where_inspect_ai_reduced_epochs_in_another_way(changed):
    path = changed(lambda header, _: header["eval"]["config"].update(epochs_reducer=["max"]), COLOURS[0])
    assert any("reduced the epochs by max" in note for note in score(path).notes)


def test_letters_have_the_values_that_inspect_ai_gives_them():
    """inspect_ai 0.3.285, scorer/_metric.py, value_to_float."""
    known = {"C": 1, "I": 0, "P": 0.5, "N": 0, "yes": 1, "True": 1, "NO": 0, "false": 0, "-2.5": -2.5, True: 1, 3: 3}
    assert {value: inspect_ai._score_value(value) for value in known} == known
    assert [inspect_ai._score_value(value) for value in ("c", "B", "", "nan", "inf", [1], 10**400)] == [None] * 7


def test_metadata_of_samples_are_fields_and_no_measures():
    results = score(*SUMS, by="kind")
    assert {row.group for row in results.rows} == {"add", "subtract", "multiply", "halve", None}
    alone = score(SUMS[0])
    assert [measure.name for measure in alone.measures] == ["match"]  # the targets are numbers, too


def test_items_of_several_tasks_have_the_task_before_their_ids():
    results = score(*SUMS, *COLOURS, by="task")
    assert {"small_sums/sum-00", "colour_names/1"} <= set(results.items.to_arrow()["id"].to_pylist())
    assert {row.group for row in results.rows if row.measure == "match"} >= {"small_sums"}
    assert values(results)["mockllm/heron", "match"] == 47 / 60


def test_logs_of_the_same_model_and_task_are_told_apart_by_their_settings(changed):
    other = changed(lambda header, _: header["eval"].update(task_args_passed={"hint": True}))
    assert {row.system for row in score(SUMS[0], other).rows} == {
        "mockllm/heron (hint=none)",
        "mockllm/heron (hint=true)",
    }
    solved = changed(lambda header, _: header["eval"].update(solver="chain"), name="solver.eval")
    assert {row.system for row in score(SUMS[0], solved).rows} == {
        "mockllm/heron (solver=generate)",
        "mockllm/heron (solver=chain)",
    }


def test_the_same_log_twice_is_refused_unless_its_systems_are_named(changed):
    again = changed(lambda *_: None)
    with pytest.raises(TouchstoneError) as error:
        score(SUMS[0], again)
    assert error.value.code == Code.DUPLICATE_NAME
    named = score(f"one={SUMS[0]}", f"two={again}")
    assert {row.system for row in named.rows} == {"one", "two"}


def test_systems_are_named_on_the_command_line():
    command = ["items", "score", f"one={SUMS[0]}", f"two={SUMS[1]}", "--json"]
    done = run_command(*command)
    assert {row["system"] for row in json.loads(done.stdout)["rows"]} == {"one", "two"}


def test_a_sample_without_a_score_is_missing(changed):
    def fail(_, samples):
        samples[3].update(scores={}, error="timeout")

    path = changed(fail)
    with pytest.raises(TouchstoneError, match="'mockllm/heron' has no row for this item"):
        score(path, SUMS[1])
    assert any("samples without a score, which are missing (of 60): 1" in note for note in score(path).notes)
    assert values(score(path, SUMS[1], policy=Policy("skip")))["mockllm/heron", "match"] == 46 / 59
    assert values(score(path, SUMS[1], policy=Policy("zero")))["mockllm/heron", "match"] == 46 / 60


def test_an_unscored_epoch_does_not_count(changed):
    def unscore(_, samples):
        samples[1]["scores"]["includes"]["value"] = float("nan")  # the second sample, right only in this epoch

    assert values(score(changed(unscore, COLOURS[0])))["mockllm/heron", "includes"] == (1 + 0 + 1 + 0) / 4


def test_a_score_that_is_no_number_is_left_out_and_named(changed):
    def grade(_, samples):
        for sample in samples:
            sample["scores"]["grade"] = {"value": "B"}

    results = score(changed(grade))
    assert [measure.name for measure in results.measures] == ["match"]
    assert any("grade is left out: its values are no numbers (such as 'B')" in note for note in results.notes)


def test_samples_with_the_same_id_must_be_the_same_sample(changed):
    def other(_, samples):
        samples[7].update(input="What is the name of the river?", target="Cam")

    with pytest.raises(TouchstoneError, match=r'another input with this id than in .*: "sum-07"'):
        score(changed(other), SUMS[1])
    reworded = changed(lambda _, samples: samples[7].update(input="Count the eggs."))
    assert any("the input is another than in" in note for note in score(reworded, SUMS[1]).notes)


def test_a_repeated_sample_is_refused_but_one_that_was_run_again_after_an_error_counts(changed):
    def double(_, samples):
        samples.append(copy.deepcopy(samples[5]))

    with pytest.raises(TouchstoneError, match='sample 61 has the id and epoch of an earlier one: "sum-05"'):
        score(changed(double))

    def again(_, samples):
        samples.append(copy.deepcopy(samples[5]))
        samples[5].update(error="timeout", scores={})

    assert values(score(changed(again))) == values(score(SUMS[0]))


def test_logs_of_all_ages_have_the_same_values(changed, tmp_path):
    """Older versions packed with deflate, the newest with zstandard; `inspect log convert` writes JSON."""
    header, samples = unpacked(SUMS[0])
    plain = tmp_path / "plain.json"
    plain.write_text(json.dumps({**header, "samples": samples}))
    squeezed = tmp_path / "plain.json.gz"
    squeezed.write_bytes(gzip.compress(plain.read_bytes()))
    stored = packed(tmp_path / "stored.zip", header, samples, zipfile.ZIP_STORED)
    for path in (changed(lambda *_: None), plain, squeezed, stored):
        assert values(score(path)) == values(score(SUMS[0]))


def test_members_in_several_frames_are_read_whole():
    """inspect_ai begins a new frame of zstandard after 200 MiB."""
    codec, parts = pa.Codec("zstd"), [b"a" * 3_000_000, b"b" * 10]
    data = b"".join(codec.compress(part).to_pybytes() for part in parts)
    info = zipfile.ZipInfo("x")
    info.header_offset, info.compress_size, info.file_size = 0, len(data), 3_000_010
    info.CRC = zlib.crc32(b"".join(parts))
    assert inspect_ai._unpack_zstandard(info, bytes(26) + struct.pack("<HH", 1, 0) + b"x" + data) == b"".join(parts)


def test_lists_of_logs_that_inspect_ai_writes_into_a_folder_are_no_tables(tmp_path):
    header, _ = unpacked(SUMS[0])
    (tmp_path / "eval-set.json").write_text('{\n  "eval_set_id": "x",\n  "tasks": []\n}')
    (tmp_path / "logs.json").write_text(json.dumps({"a.eval": header}))
    for path in SUMS:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    assert values(score(tmp_path)) == values(score(*SUMS))


def test_a_member_that_is_not_what_was_packed_is_refused(tmp_path):
    with zipfile.ZipFile(SUMS[0]) as archive:
        checksum = archive.getinfo("summaries.json").CRC
    raw = SUMS[0].read_bytes().replace(struct.pack("<I", checksum), struct.pack("<I", checksum ^ 1))
    (tmp_path / "a.eval").write_bytes(raw)
    with pytest.raises(TouchstoneError) as error:
        score(tmp_path / "a.eval")
    assert error.value.code == Code.UNREADABLE


@pytest.mark.parametrize("status", ["error", "cancelled", "started", None])
def test_an_evaluation_that_did_not_finish_is_refused_with_the_way_out(changed, status):
    path = changed(lambda header, _: header.update(status=status))
    with pytest.raises(TouchstoneError) as caught:
        score(path)
    assert caught.value.code == Code.UNREADABLE
    assert "inspect eval-retry changed.eval" in caught.value.hint


def test_the_error_of_an_evaluation_is_quoted():
    with pytest.raises(
        TouchstoneError, match=r"did not finish \(status 'error': RuntimeError\('the answer is lost'\)\)"
    ):
        score(HERE / "broken.eval")


def test_what_a_log_says_cannot_steer_the_terminal(changed, capfd, monkeypatch):
    red = "\x1b[31mred"

    def colour(header, samples):
        header["eval"]["model"] = red
        for sample in samples:
            sample["scores"] = {red: {"value": 1}, f"{red}2": {"value": "B"}, "match": {"value": "C"}}
            sample["metadata"] = {red: red}

    path = changed(colour)
    failed = changed(lambda header, _: header.update(status="error", error={"message": f"{red}\n" * 99}), name="e.eval")
    for arguments in (["score", path], ["compare", path, SUMS[1]], ["explain", path, "--item", "sum-01"],
                      ["validate", path], ["score", failed]):  # fmt: skip
        monkeypatch.setattr(sys, "argv", ["touchstone", "items", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capfd.readouterr()
        assert end.value.code in (0, 2)
        assert "\x1b" not in out + err


def test_a_pipe_is_read_once_as_before(tmp_path):
    command = "items score <(printf 'item,a,b\\n1,2,3\\n') --json"
    done = subprocess.run(["bash", "-c", f"{sys.executable} -m touchstone {command}"], capture_output=True, check=True)
    assert {row["value"] for row in json.loads(done.stdout)["rows"]} == {2, 3}


def test_logs_without_samples_or_scores_are_refused(changed):
    with pytest.raises(TouchstoneError) as error:
        score(changed(lambda _, samples: samples.clear()))
    assert error.value.code == Code.EMPTY
    with pytest.raises(TouchstoneError) as caught:
        score(changed(lambda _, samples: [sample.update(scores=None) for sample in samples]))
    assert caught.value.code == Code.EMPTY
    assert "inspect score" in caught.value.hint


def test_a_log_that_was_killed_says_so(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.eval", "w") as archive:
        archive.writestr("_journal/start.json", "{}")
    with pytest.raises(TouchstoneError) as error:
        score(tmp_path / "a.eval")
    assert error.value.code == Code.UNREADABLE


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path):
    header, _ = unpacked(SUMS[0])
    with zipfile.ZipFile(tmp_path / "a.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(header))
        archive.writestr("summaries.json", b"[" + b" " * 2**25 + b"]")
    with pytest.raises(TouchstoneError) as error:
        score(tmp_path / "a.eval")
    assert error.value.code == Code.TOO_LARGE


def test_another_method_of_packing_is_named_with_the_way_out(tmp_path):
    packed(tmp_path / "a.eval", *unpacked(SUMS[0]), zipfile.ZIP_LZMA)
    with pytest.raises(TouchstoneError) as caught:
        score(tmp_path / "a.eval")
    assert caught.value.code == Code.UNKNOWN_FORMAT
    assert "inspect log convert" in caught.value.hint


# --- lm_eval ---------------------------------------------------------------------------------------------------------


def test_the_values_of_samples_are_those_that_lm_eval_reports():
    found = values(score(*SAMPLES))
    for path in (HERE / "lm_eval").glob("*/results_*.json"):
        whole = json.loads(path.read_text())
        reported = {
            name.removesuffix(",none"): value
            for own in whole["results"].values()
            for name, value in own.items()
            if "," in name and "_stderr" not in name
        }
        assert {name: value for (model, name), value in found.items() if model == whole["model_name"]} == reported


def test_folders_of_models_are_compared_and_results_beside_the_samples_are_no_table():
    folders = [HERE / "lm_eval" / name for name in ("birds__heron", "birds__magpie")]
    assert values(score(*folders)) == values(score(*SAMPLES))
    with pytest.raises(TouchstoneError) as caught:
        score(next(folders[0].glob("results_*")))
    assert caught.value.code == Code.UNSUPPORTED
    assert "--log_samples" in caught.value.hint


def test_items_are_documents_of_tasks_and_scalars_of_documents_are_fields():
    results = score(*SAMPLES, measures=["exact_match,strict-match"], by="kind")
    groups = {row.group: row.value for row in results.rows if row.system == "birds/heron"}
    assert groups["subtract"] == 0  # "It is 4." is no strict match
    fields, table = items.explain(SAMPLES, item="small_sums/1").tables
    assert ("answer", "4") in list(map(tuple, fields.rows))
    assert [row[0] for row in table.rows] == ["birds/heron", "birds/magpie"]


def test_one_filter_needs_no_name(tmp_path):
    for folder in ("a", "b"):
        lines = SAMPLES[1].read_text().splitlines()
        (tmp_path / folder).mkdir()
        kept = [line for line in lines if '"filter": "strict-match"' in line]
        (tmp_path / folder / SAMPLES[1].name).write_text("\n".join(kept))
    results = score(tmp_path / "a", tmp_path / "b")
    assert values(results) == {("a", "exact_match"): 3 / 4, ("b", "exact_match"): 3 / 4}  # folders name the models


def test_a_renamed_file_names_its_system(tmp_path):
    for name, path in (("heron", SAMPLES[0]), ("magpie", SAMPLES[2])):
        (tmp_path / f"{name}.jsonl").write_text(path.read_text())
    assert values(score(tmp_path, measures=["acc"])) == {("heron", "acc"): 5 / 6, ("magpie", "acc"): 4 / 6}


def test_two_runs_of_a_model_are_told_apart_by_their_dates(tmp_path):
    folder = tmp_path / "birds__heron"
    folder.mkdir()
    for date in ("2025-01-01T00-00-00", "2025-01-02T00-00-00"):
        (folder / f"samples_small_choices_{date}.jsonl").write_text(SAMPLES[0].read_text())
    assert {row.system for row in score(folder).rows} == {
        "birds__heron (run=2025-01-01T00-00-00)",
        "birds__heron (run=2025-01-02T00-00-00)",
    }


def test_the_model_is_named_by_the_results_of_the_same_run(tmp_path):
    for date, model in (("2025-01-01T00-00-00", "birds/old"), ("2025-01-02T00-00-00", "birds/new")):
        (tmp_path / f"samples_small_choices_{date}.jsonl").write_text(SAMPLES[0].read_text())
        (tmp_path / f"results_{date}.json").write_text(json.dumps({"results": {}, "model_name": model}))
    assert {row.system for row in score(tmp_path).rows} == {"birds/old", "birds/new"}


def test_documents_with_the_same_id_must_be_the_same_document(tmp_path):
    own = tmp_path / "other" / SAMPLES[0].name
    own.parent.mkdir()
    own.write_text(SAMPLES[0].read_text().replace('"doc_hash": "', '"doc_hash": "0'))
    with pytest.raises(TouchstoneError, match=r'another document with this id than in .*: "small_choices/0"'):
        score(SAMPLES[0], own)


def test_a_repeated_document_is_refused_with_both_lines(tmp_path):
    lines = SAMPLES[0].read_text().splitlines()
    path = tmp_path / SAMPLES[0].name
    path.write_text("\n".join([*lines, lines[2]]))
    with pytest.raises(TouchstoneError, match=r':7: duplicate doc_id \(first seen on line 3\): "2"'):
        score(path)


def test_a_metric_that_is_no_number_is_left_out_and_named(tmp_path):
    path = tmp_path / SAMPLES[0].name
    path.write_text(SAMPLES[0].read_text().replace('"acc_norm": 1.0', '"acc_norm": [1, 2]'))
    results = score(path)
    assert {row.measure for row in results.rows} == {"acc"}  # one number among the others does not save it
    assert any("acc_norm is left out" in note for note in results.notes)


# --- COMET and sacrebleu ---------------------------------------------------------------------------------------------


def comet(**scores):
    """Return what ``comet-score --to_json`` writes: comet/cli/score.py of unbabel-comet."""
    return {
        f"out/{name}.txt": [{"src": f"s{n}", "mt": "m", "ref": "r", "COMET": own} for n, own in enumerate(given)]
        for name, given in scores.items()
    }


def test_segments_of_comet_are_items_of_all_its_systems(tmp_path):
    path = tmp_path / "scores.json"
    path.write_text(json.dumps(comet(a=[0.5, 0.75], b=[0.25, 0.5]), indent=4))
    assert values(score(path)) == {("a", "COMET"): 0.625, ("b", "COMET"): 0.375}
    with pytest.raises(TouchstoneError) as error:
        score(f"x={path}")
    assert error.value.code == Code.UNSUPPORTED
    other = tmp_path / "other.json"
    other.write_text(json.dumps(comet(c=[0.5, 0.75])).replace("s1", "another text"))
    with pytest.raises(TouchstoneError) as error:
        score(path, other)
    assert error.value.code == Code.MISMATCH


def test_sentence_scores_of_sacrebleu_are_read_with_their_signature(tmp_path):
    one, two, other = (tmp_path / f"{name}.txt" for name in ("one", "two", "other"))
    one.write_text(f"{TER}33.3\n{TER}50.0\n")
    two.write_text(f"{TER}0.0\n{TER}25.0\n")
    other.write_text(f"{TER}0.0\n{TER}25.0\n".replace("case:lc", "case:mixed"))
    results = score(one, two, lower_is_better=("sentence_ter",))
    assert values(results) == {("one", "sentence_ter"): pytest.approx(83.3 / 2), ("two", "sentence_ter"): 12.5}
    assert any('lower_is_better=["sentence_ter"]' in note for note in results.notes)
    with pytest.raises(TouchstoneError) as error:
        score(one, other)
    assert error.value.code == Code.MISMATCH
    one.write_text(f"{TER}33.3\nand more\n")
    with pytest.raises(TouchstoneError) as error:
        score(one)
    assert error.value.code == Code.BAD_CELL
    assert error.value.faults[0].line == 2


def test_scores_of_whole_systems_are_refused(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{\n "name": "BLEU",\n "score": 20.1,\n "signature": "nrefs:1"\n}')
    with pytest.raises(TouchstoneError) as caught:
        score(path)
    assert caught.value.code == Code.UNSUPPORTED
    assert "--sentence-level" in caught.value.hint


# --- files that are damaged or hostile -------------------------------------------------------------------------------

WRONG = (None, [], {}, "", "x\x00\u202e", -1, 10**400, float("inf"), float("nan"), True, [[[]]], {"value": {"a": {}}})


def places(value, path=()):
    """Yield the path of every value in a JSON value."""
    yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from places(inner, (*path, key))


def with_value(whole, path, value):
    """Return a copy of a JSON value with another value at *path*."""
    if not path:
        return value
    changed = copy.copy(whole)
    changed[path[0]] = with_value(whole[path[0]], path[1:], value)
    return changed


def attempt(path):
    """Score a file; only a sentence may come of what is wrong in it."""
    with suppress(TouchstoneError):
        results = score(path)
        _ = results.rows, results.notes


@pytest.mark.parametrize("wrong", WRONG, ids=lambda value: repr(value)[:20])
def test_a_wrong_value_anywhere_in_a_log_of_inspect_ai_never_ends_in_a_traceback(wrong, tmp_path):
    header, samples = unpacked(COLOURS[0])
    whole = {**{key: header[key] for key in ("version", "status", "eval", "plan", "error") if key in header},
             "samples": samples[:2]}  # fmt: skip
    for number, path in enumerate(places(whole)):
        changed = with_value(whole, path, wrong)
        file = tmp_path / f"{number}.json"
        file.write_text(json.dumps(changed))
        attempt(file)
        if isinstance(changed, dict):
            attempt(packed(tmp_path / f"{number}.eval", changed, changed.get("samples")))


@pytest.mark.parametrize("wrong", WRONG, ids=lambda value: repr(value)[:20])
@pytest.mark.parametrize("path", SAMPLES[:2], ids=lambda path: path.name[:16])
def test_a_wrong_value_anywhere_in_a_sample_of_lm_eval_never_ends_in_a_traceback(wrong, path, tmp_path):
    first, *others = [json.loads(line) for line in path.read_text().splitlines()]
    for number, place in enumerate(places(first)):
        for at, rows in (("first", [with_value(first, place, wrong), *others]),
                         ("last", [*others, with_value(first, place, wrong)])):  # fmt: skip
            file = tmp_path / f"samples_{at}{number}_2025-01-01T00-00-00.jsonl"
            file.write_text("".join(json.dumps(row) + "\n" for row in rows))
            attempt(file)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda value: repr(value)[:20])
def test_a_wrong_value_anywhere_in_a_file_of_comet_never_ends_in_a_traceback(wrong, tmp_path):
    whole = comet(a=[0.5, 0.75], b=[0.25, 0.5])
    for number, place in enumerate(places(whole)):
        file = tmp_path / f"{number}.json"
        file.write_text(json.dumps(with_value(whole, place, wrong)))
        attempt(file)


@pytest.mark.parametrize("path", [SUMS[0], COLOURS[0], COLOURS[1], *SAMPLES[:2]], ids=lambda path: path.name[:20])
def test_damaged_bytes_never_end_in_a_traceback(path, tmp_path):
    raw, chance = path.read_bytes(), random.Random(0)
    for number in range(60):
        damaged = bytearray(raw)
        if number % 3 == 0:
            damaged = damaged[: chance.randrange(len(raw))]
        else:  # in the directory at the end of a zip file, or anywhere
            start = max(0, len(raw) - 3000) if number % 3 == 1 else 0
            for _ in range(chance.choice((1, 20))):
                damaged[chance.randrange(start, len(raw))] = chance.randrange(256)
        file = tmp_path / f"{number}_{path.name}"
        file.write_bytes(damaged)
        attempt(file)


@pytest.mark.parametrize("depth", [100, 300, 600, 900, 980])
def test_deep_values_never_end_in_a_traceback(depth, tmp_path):
    whole = json.loads(COLOURS[1].read_text())
    deep = "[" * depth + "]" * depth
    for number, place in enumerate(
        [("samples", 0, name) for name in ("id", "input", "target", "metadata", "scores", "epoch")]
        + [
            ("samples", 0, "scores", "includes", "value"),
            ("eval", "task_args_passed"),
            ("eval", "model_args"),
            ("error",),
        ]
    ):
        for value in ("@", {"content": "@"}, {"a": "@"}):
            file = tmp_path / f"{number}.json"
            file.write_text(json.dumps(with_value({**whole, "error": None}, place, value)).replace('"@"', deep))
            attempt(file)
    sample = json.loads(SAMPLES[0].read_text().splitlines()[0])
    for place in sample:
        file = tmp_path / "samples_x_2025-01-01T00-00-00.jsonl"
        file.write_text(json.dumps({**sample, place: "@"}).replace('"@"', deep))
        attempt(file)


@pytest.mark.parametrize(
    "text",
    [
        "{" * 100_000,
        '{"version": 2, "status": "success", "eval": {' + '"a":{' * 5000,
        '{"version": 2, "status": "success", "eval": {"model": "m", "model": "n"}}',
        '{"doc_id": 1, "doc": {}, "filtered_resps": [], "acc": 1}\n[1]\n',
        '{"doc_id": 1, "doc": {}, "filtered_resps": [], "acc": 1}\n{"doc_id": 2',
        '{"doc_id": 1, "doc": {}, "filtered_resps": []}\n',
        '{"a": [{"mt": "x", "COMET": "high"}]}',
        "[]",
        "{}",
        "[[[]]]",
        "PK\x03\x04",
        "BLEU = 1",
        "BLEU = ",
    ],
)
@pytest.mark.parametrize("name", ["a.json", "a.eval", "a.jsonl", "samples_x_2025-01-01T00-00-00.jsonl"])
def test_hostile_texts_never_end_in_a_traceback(text, name, tmp_path):
    (tmp_path / name).write_text(text)
    attempt(tmp_path / name)


def test_systems_without_a_common_measure_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text("item,x\n1,1\n")
    (tmp_path / "b.csv").write_text("item,y\n1,1\n")
    with pytest.raises(TouchstoneError) as error:
        score(tmp_path / "a.csv", tmp_path / "b.csv")
    assert error.value.code == Code.MISMATCH


def test_other_tables_are_read_as_before(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"item": 1, "score": 1}\n{"item": 2, "score": 0}\n')
    (tmp_path / "b.jsonl").write_text('{"item": 1, "score": 1}\n{"item": 2, "score": 1}\n')
    assert values(score(tmp_path)) == {("a", "score"): 1 / 2, ("b", "score"): 1}


def test_the_tool_of_the_guide_is_found_by_being_in_the_package(tmp_path, monkeypatch):
    page = (Path(__file__).parents[3] / "docs" / "extending.md").read_text("utf-8")
    [module] = [
        block for block in re.findall(r"^```py\n(.*?)^```", page, re.DOTALL | re.MULTILINE) if "TOOL =" in block
    ]
    (tmp_path / "further").mkdir()
    (tmp_path / "further" / "judgebench.py").write_text(module)
    monkeypatch.setattr(tools, "__path__", [*tools.__path__, str(tmp_path / "further")])
    tools.all_tools.cache_clear()
    log = {"tool": "judgebench", "model": "heron", "graded": [{"id": "q1", "grade": 1}, {"id": "q2", "grade": 0}]}
    (tmp_path / "log.json").write_text(json.dumps(log, indent=1))
    try:
        assert values(score(tmp_path / "log.json")) == {("heron", "grade"): 0.5}
        log["graded"][1] = {"id": "q2", "grade": "good"}
        (tmp_path / "log.json").write_text(json.dumps(log))
        with pytest.raises(TouchstoneError, match=r"log\.json:2: no grade"):
            score(tmp_path / "log.json")
    finally:
        tools.all_tools.cache_clear()
