"""Scoring in shards: the same numbers whatever the engine, the workers and the shards; identity before arithmetic."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.engine.conftest import INPUTS, rows, score, write

import touchstone
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ids import Policy
from touchstone.base.notes import Note
from touchstone.base.workers import Engine
from touchstone.core.comparison import compare
from touchstone.core.registry import find_task
from touchstone.core.resampling import Resampling
from touchstone.engine import Folder, chunks, read_results
from touchstone.engine.planning import shard_size


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Let chunks of text begin at every second row, so that small files have many."""
    monkeypatch.setattr(chunks, "BLOCK", 2)
    monkeypatch.setattr("touchstone.engine.planning.BLOCK", 2)


@pytest.mark.filterwarnings("ignore:seconds. higher is better:touchstone.TouchstoneWarning")
@pytest.mark.parametrize("task", INPUTS)
def test_every_task_has_the_same_numbers_as_in_memory_whatever_the_engine_and_the_shards(task, examples):
    gold, runs, measures = INPUTS[task]
    expected = find_task(task).score(gold, runs, measures)
    ways = [(Engine(), None), (Engine(), 1), (Engine("processes", 2), 3), (Engine("processes", 3), 7)]
    for place, (engine, size) in enumerate(ways):
        done, results = score(task, gold, runs, measures, out=f"scores{place}", engine=engine, shard_rows=size)
        assert rows(results) == rows(expected)
        assert dict(results.signature) == dict(expected.signature)
        assert done.already_done == 0
        assert done.made == (1 if find_task(task).block is None else -(-len(expected) // (size or 100)))


FORMS = {
    "parquet": ("refs.parquet", ["near.parquet", "far.parquet"]),
    "jsonl": ("refs.jsonl", ["near.jsonl", "far.jsonl"]),
    "mixed": ("refs.jsonl", ["near.parquet", "far.txt"]),
}


@pytest.mark.parametrize("form", FORMS)
def test_streamed_files_have_the_same_numbers_as_in_memory_whatever_the_shards(form, pairs):
    gold, runs = FORMS[form]
    expected = find_task("mt").score("refs.jsonl", [*runs[:1], "far.jsonl"], ["chrf", "mine:overlap"])
    for place, (engine, size) in enumerate([(Engine(), 6), (Engine("processes", 2), 14), (Engine(), 60)]):
        how = {"out": f"s{place}", "engine": engine, "shard_rows": size, "streamed": True}
        _, results = score("mt", gold, runs, ["chrf", "mine:overlap"], **how)
        assert rows(results) == rows(expected)
        assert results.items_known.column("id").to_pylist() == [f"s{row}" for row in range(60)]


def test_lines_of_plain_text_are_numbered_items(pairs):
    expected = find_task("mt").score(Path("refs.txt"), ["near.txt"], ["chrf"])
    _, results = score("mt", "refs.txt", ["near.txt"], ["chrf"], shard_rows=10, streamed=True)
    assert rows(results) == rows(expected)
    assert results.items_known.column("id").to_pylist()[-1] == "60"


def test_inference_pairs_substitutes_and_tables_of_values_are_streamed_too(examples):
    gold = [json.loads(line) for line in Path("nli/gold.jsonl").read_text().splitlines()]
    labels = [{"id": row["id"], "label": ("neutral", "entailment")[place % 2]} for place, row in enumerate(gold)]
    Path("labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labels))
    golds = [
        {"id": str(n), "target": f"t{n % 4}", "pos": "n", "gold": {"glad": n % 3 + 2, "merry": 1}} for n in range(20)
    ]
    answers = [{"id": str(n), "answers": [["glad", "merry"], ["merry"]][n % 2]} for n in range(20)]
    for name, given in (("ls.jsonl", golds), ("run.jsonl", answers)):
        Path(name).write_text("".join(json.dumps(row) + "\n" for row in given))
    parquet.write_table(
        pa.table({"item": list("abcdefgh"), "one": np.arange(8) / 8, "two": np.ones(8)}), "wide.parquet"
    )
    cases = [
        ("nli", "nli/gold.jsonl", ["labels.jsonl"], "category"),
        ("lexsub", "ls.jsonl", ["run.jsonl"], "pos"),
        ("items", ["wide.parquet"], [], None),
    ]
    for task, source, runs, by in cases:
        expected = rows(find_task(task).score(source, runs, by=by))
        done, results = score(task, source, runs, out=f"out-{task}", shard_rows=2, streamed=True, by=by)
        assert done.made > 2
        assert rows(results) == [row for row in expected if row[0] != "majority_class"]


def test_a_baseline_of_shards_has_no_rank(examples):
    runs = ["nli/careful.jsonl", "nli/overlap.jsonl"]
    _, results = score("nli", "nli/gold.jsonl", runs, ["accuracy"])
    assert results.baselines == ["majority_class"]
    expected = compare(find_task("nli").score("nli/gold.jsonl", runs, ["accuracy"]), "accuracy")
    assert compare(results, "accuracy").pairs == expected.pairs


def test_a_folder_and_a_pattern_are_parts_of_one_run(pairs):
    whole = {name: parquet.read_table(f"{name}.parquet") for name in ("refs", "near")}
    for name, table in whole.items():
        Path(f"{name}-parts").mkdir()
        for place in range(3):
            parquet.write_table(table.slice(20 * place, 20), f"{name}-parts/{place}.parquet")
    expected = find_task("mt").score("refs.parquet", ["near.parquet"], ["chrf"])
    for runs in (["near=near-parts"], ["near=near-parts/*.parquet"]):
        _, results = score("mt", "refs-parts", runs, ["chrf"], out=f"s{len(runs[0])}")
        assert rows(results) == rows(expected)


def test_several_folders_are_scored_as_one_where_they_were_made_in_the_same_way(pairs, command):
    whole = {name: parquet.read_table(f"{name}.parquet") for name in ("refs", "near")}
    for place in range(3):
        for name, table in whole.items():
            parquet.write_table(table.slice(20 * place, 20), f"{name}{place}.parquet")
        score("mt", f"refs{place}.parquet", [f"near=near{place}.parquet"], ["chrf"], out=f"part{place}")
    expected = find_task("mt").score("refs.parquet", ["near.parquet"], ["chrf"])
    folders = [f"part{place}" for place in range(3)]
    assert rows(read_results(folders)) == rows(expected)
    code, out, _ = command("mt", "score", *folders, "--json")
    assert (code, json.loads(out)["rows"]) == (0, json.loads(expected.to_json())["rows"])
    with pytest.raises(TouchstoneError) as error:
        read_results(["part0", "part1", "part0"])
    assert error.value.code == Code.DUPLICATE_ID
    score("mt", "refs2.parquet", ["near=near2.parquet"], ["ter"], out="other")
    assert "made in another way: another measures" in command("mt", "score", "part0", "other")[2]


def test_a_second_start_does_nothing_a_changed_measure_everything_and_changed_rows_their_shard(pairs):
    def made(*measures):
        done, _ = score("mt", "refs.jsonl", ["near.jsonl"], measures, shard_rows=20, streamed=True)
        return done.made, done.already_done

    assert [made("chrf"), made("chrf"), made("ter"), made("chrf")] == [(3, 0), (0, 3), (3, 0), (0, 3)]
    lines = Path("near.jsonl").read_text().splitlines()
    changed = json.loads(lines[25]) | {"hypothesis": "the dog"}
    Path("near.jsonl").write_text("\n".join([*lines[:25], json.dumps(changed), *lines[26:]]) + "\n")
    assert made("chrf") == (1, 2)


def test_another_order_a_short_run_and_a_duplicate_id_are_refused(pairs):
    refs = parquet.read_table("refs.parquet").to_pydict()
    far = parquet.read_table("far.parquet").to_pydict()
    write(Path("other"), {"id": far["id"][::-1], "hypothesis": far["hypothesis"]})
    done, _ = score("mt", "refs.parquet", ["other.jsonl"], ["ter"], shard_rows=60, streamed=True)
    assert "other.jsonl:1: row 1 of the gold has the id 's0': \"s59\"" in done.failures["refs.parquet"]
    write(Path("short"), {"id": far["id"][:50], "hypothesis": far["hypothesis"][:50]})
    with pytest.raises(TouchstoneError) as error:
        score("mt", "refs.parquet", ["short.jsonl"], ["ter"], out="s2", streamed=True)
    assert error.value.code == Code.MISMATCH
    ids = [*refs["id"][:59], "s0"]
    write(Path("twice"), {**refs, "id": ids})
    write(Path("again"), {"id": ids, "hypothesis": far["hypothesis"]})
    with pytest.raises(TouchstoneError, match=r"duplicate id \(first seen in twice.parquet, item 1, again in .* 60\)"):
        score("mt", "twice.parquet", ["again.parquet"], ["ter"], out="s3", shard_rows=20, streamed=True)


def test_ids_of_many_shards_are_checked_through_files(pairs, monkeypatch):
    monkeypatch.setattr("touchstone.engine.identity.HELD", 0)
    test_another_order_a_short_run_and_a_duplicate_id_are_refused(pairs)


def test_a_fault_names_the_line_of_the_file_and_not_of_the_shard(pairs):
    lines = Path("near.jsonl").read_text().splitlines()
    Path("near.jsonl").write_text("\n".join([*lines[:44], "{", *lines[45:]]) + "\n")
    done, _ = score("mt", "refs.jsonl", ["near.jsonl"], ["ter"], shard_rows=20, streamed=True)
    (place,) = done.failures
    assert place == "refs.jsonl, rows 41 to 60"
    assert done.failures[place].startswith("near.jsonl:45: not JSON")
    assert Folder(Path("scores")).status().done == 2


def test_runs_of_any_order_are_scored_where_the_files_are_small(pairs):
    lines = Path("near.jsonl").read_text().splitlines()
    Path("near.jsonl").write_text("\n".join([*lines[:0:-1]]) + "\n")
    policy = Policy(missing="skip")
    expected = find_task("mt").score("refs.jsonl", ["near.jsonl"], ["ter"], policy=policy)
    _, results = score("mt", "refs.jsonl", ["near.jsonl"], ["ter"], policy=policy)
    assert rows(results) == rows(expected)
    assert results.rows[0].n == 59


def test_the_command_scores_in_shards_shows_its_status_and_compares_from_the_folder(pairs, command):
    given = ("refs.parquet", "near.parquet", "far.parquet", "--measure", "chrf")
    _, expected, _ = command("mt", "score", *given, "--json")
    code, out, err = command("mt", "score", *given, "--engine", "processes", "--out", "scores", "--json")
    assert (code, json.loads(out)["rows"]) == (0, json.loads(expected)["rows"])
    assert "shards scored: 1, already done: 0" in err
    _, again, err = command("mt", "score", *given, "--engine", "in-process", "--out", "scores", "--json")
    assert again == out
    assert "shards scored: 0, already done: 1" in err
    Path("result.json").write_text(out)
    assert command("recompute", "result.json")[0] == 0
    code, out, _ = command("status", "scores", "--json")
    assert code == 0
    [status] = json.loads(out)["rows"]
    assert {key: status[key] for key in ("shards", "done", "left", "rows_done", "running")} == {
        "shards": 1, "done": 1, "left": 0, "rows_done": 60, "running": False}  # fmt: skip
    assert "complete" in command("status", "scores")[1]
    _, expected, _ = command("mt", "compare", *given, "--json")
    _, out, _ = command("mt", "compare", "scores", "--json")
    assert json.loads(out)["rows"] == json.loads(expected)["rows"]
    _, grouped, _ = command("mt", "score", "scores", "--by", "document", "--items", "items.csv")
    assert "d11" in grouped
    assert len(Path("items.csv").read_text().splitlines()) == 121


ENGINE_SETTINGS = {
    "far": 'engine = "processes"\naddress = "auto"\n',
    "small": "shard_rows = 5\n",
    "typo": "shard_row = 5\n",
    "zero": "jobs = 0\n",
}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("status", "."), "holds no shards"),
        (("mt", "score", "refs.txt", "near.txt", "--engine", "in-process", "--out", "mine.py"), "is a file"),
        (("mt", "score", "refs.txt", "near.txt", "--engine", "in-process", "--out", "."), "holds other files"),
        (
            ("mt", "score", "refs.txt", "near.txt", "--engine", "far.toml"),
            "leave out the address, or choose --engine ray",
        ),
        (("mt", "score", "refs.txt", "near.txt", "--engine", "small.toml"), "shard_rows without shards"),
        (("mt", "score", "refs.txt", "near.txt", "--engine", "typo.toml"), 'nearest valid name "shard_rows"'),
        (("mt", "score", "refs.txt", "near.txt", "--engine", "zero.toml"), "jobs must be a whole number above 0"),
        (("mt", "score", "refs.txt", "near.txt", "--engine", "none.toml"), "no such file"),
        (("mt", "score", "refs.txt", "near.txt", "--engine", "rays"), 'nearest valid name "ray"'),
        (
            (
                "mt",
                "score",
                "refs.txt",
                "near.txt",
                "-m",
                "ter",
                "--engine",
                "in-process",
                "--out",
                "s",
                "--report",
                "r.html",
            ),
            "a report shows",
        ),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_sentence(words, said, pairs, command):
    for name, text in ENGINE_SETTINGS.items():
        Path(f"{name}.toml").write_text(text)
    code, _, err = command(*words)
    assert (code, said in err) == (2, True), err


def test_a_file_of_engine_settings_cuts_shards_and_jobs_of_the_command_line_has_precedence(pairs, command):
    Path("pieces.toml").write_text('engine = "processes"\njobs = 2\nshard_rows = 20\n')
    given = ("mt", "score", "refs.jsonl", "near.jsonl", "-m", "ter", "--engine", "pieces.toml", "--out", "pieces")
    assert command(*given)[0] == 0
    assert len(list(Path("pieces").rglob("*.parquet"))) > 1
    assert command(*given, "--jobs", "1")[0] == 0


def test_a_folder_that_is_not_complete_or_of_another_task_has_no_scores(pairs, command):
    given = ("refs.parquet", "near.parquet", "--measure", "ter", "--engine", "in-process", "--out", "scores")
    assert command("mt", "score", *given)[0] == 0
    assert "contains shards of mt" in command("nli", "score", "scores")[2]
    for file in Path("scores/shards").iterdir():
        file.unlink()
    assert "0 of 1 shards are done" in command("mt", "score", "scores")[2]
    assert command("mt", "score", *given)[0] == 0
    assert "not scored under this measure" in command("mt", "score", "scores", "-m", "chrf")[2]
    next(Path("scores/shards").iterdir()).write_bytes(b"PAR1")
    assert "is not a whole shard" in command("mt", "score", "scores")[2]


def test_a_folder_is_written_by_one_run_at_a_time(pairs, command):
    import subprocess

    score("mt", "refs.txt", ["near.txt"], ["ter"])
    holder = (
        "import fcntl, sys\nf = open('scores/lock', 'w')\nfcntl.lockf(f, fcntl.LOCK_EX)\n"
        "print('held', flush=True)\nsys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", holder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "held\n"
        code, _, err = command("mt", "score", "refs.txt", "near.txt", "--engine", "in-process", "--out", "scores")
        running = json.loads(command("status", "scores", "--json")[1])["rows"][0]["running"]
        other.stdin.close()
    assert (code, running) == (2, True)
    assert "another run is writing here" in err


def test_shards_have_a_size_that_depends_on_the_number_of_items_alone():
    assert [shard_size(n, None, 1000) for n in (1, 640_000, 10**6, 10**9)] == [1000, 13_000, 20_000, 20_000]
    assert shard_size(10, 3, 1) == 3


def many_pairs(folder: Path, items: int) -> None:
    """Write inference pairs, three to a premise, and the labels of two systems that are right in part."""
    chance = np.random.default_rng(5)
    names = np.array(["entailment", "contradiction", "neutral"])
    gold = names[chance.integers(0, 3, items)]
    hard = np.repeat(chance.random(-(-items // 3)) * 0.6, 3)[:items]  # premises differ, so items of one are alike
    ids = [str(row) for row in range(items)]
    premises = [f"Premise {row // 3}." for row in range(items)]
    category = np.array(["rare", "common", "other"])[np.minimum(chance.geometric(0.9, items), 3) - 1]
    columns = {"id": ids, "premise": premises, "hypothesis": premises, "gold": gold, "category": category}
    parquet.write_table(pa.table(columns), folder / "gold.parquet")
    for name, shift in (("a", 0.0), ("b", 0.004)):
        wrong = chance.random(items) < hard + shift
        given = np.where(wrong, names[chance.integers(0, 3, items)], gold)
        parquet.write_table(pa.table({"id": ids, "label": given}), folder / f"{name}.parquet")


def test_intervals_and_tests_of_groups_agree_with_those_of_single_clusters_within_their_own_error(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(chunks, "BLOCK", 1000)
    monkeypatch.setattr("touchstone.engine.planning.BLOCK", 1000)
    many_pairs(tmp_path, 30_000)
    how = {"measures": ["accuracy", "votes"], "streamed": True, "shard_rows": 7000}
    _, plain = score("nli", "gold.parquet", ["a.parquet", "b.parquet"], **how)
    grouped = read_results("scores", many=1)
    assert grouped.signature["intervals"].startswith("95% jackknife t over 1,000 groups of premises")
    pairs = list(zip(plain.rows, grouped.rows, strict=True))
    assert all(a.value == pytest.approx(b.value, rel=1e-12) and a.n == b.n for a, b in pairs)
    widths = [(b.high - b.low) / (a.high - a.low) for a, b in pairs]
    assert all(abs(width - 1) < 4 / np.sqrt(2 * 1000) for width in widths), widths  # four standard errors
    both = [compare(results, "accuracy").pairs[0] for results in (plain, grouped)]
    assert len({(pair.wins, pair.ties, pair.losses) for pair in both}) == 1
    assert both[0].effect == pytest.approx(both[1].effect, rel=1e-9)
    assert both[0].difference == pytest.approx(both[1].difference, rel=1e-9)
    assert abs(both[0].p - both[1].p) < 0.02 + 0.2 * both[0].p
    by = [read_results("scores", many=many, by="category") for many in (10**9, 1)]
    values = [{(row.measure, row.system, row.group): (row.n, row.value) for row in results.rows} for results in by]
    assert values[0].keys() == values[1].keys()
    assert all(values[0][key] == pytest.approx(values[1][key], rel=1e-12) for key in values[0])


def test_results_of_groups_do_not_depend_on_shards(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    many_pairs(tmp_path, 3000)
    found = []
    for place, size in enumerate((1000, 700, 3000)):
        score("nli", "gold.parquet", ["a.parquet", "b.parquet"], out=f"s{place}", streamed=True, shard_rows=size)
        for cluster in (None, "item", "category"):
            results = read_results(f"s{place}", many=1, by="category", resampling=Resampling(cluster=cluster))
            found.append((place, rows(results), repr(compare(results, "accuracy").pairs[0])))
    assert [one[1:] for one in found[:3]] == [one[1:] for one in found[3:6]] == [one[1:] for one in found[6:]]


def test_bootstrap_intervals_and_skewed_measures_of_groups_have_a_sensible_span(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(3).exponential(5, 4000)
    parquet.write_table(pa.table({"item": [str(n) for n in range(4000)], "x": values, "y": values**2}), "t.parquet")
    score("items", ["t.parquet"], streamed=True, shard_rows=1000)
    for method in ("jackknife", "percentile", "bca"):
        how = Resampling(method)
        plain, grouped = (read_results("scores", many=many, resampling=how) for many in (10**9, 1))
        for a, b in zip(plain.rows, grouped.rows, strict=True):
            assert abs((b.high - b.low) / (a.high - a.low) - 1) < 0.1
            assert b.low >= 0
    assert replace(Resampling(), groups=10).counted(10) == "10 groups of items"


def test_shards_say_how_to_see_the_values_of_a_system_that_skips_items(pairs):
    lines = Path("near.jsonl").read_text().splitlines(keepends=True)
    Path("part.jsonl").write_text("".join(lines[:40]))
    note = 'score again with policy=touchstone.Policy(missing="zero")'
    for run, said in (("part.jsonl", True), ("near.jsonl", False)):
        _, results = score("mt", "refs.jsonl", [run], ["chrf"], out=run + ".d", policy=Policy(missing="skip"))
        assert any(note in text for text in results.notes) == said


def test_counts_in_the_notes_of_shards_are_added_up_to_those_of_one_scoring(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ids = [f"s{row}" for row in range(250)]
    texts = [None if row % 20 == 7 else " " if row % 110 == 9 else "a big dog" for row in range(250)]
    write(tmp_path / "refs", {"id": ids, "reference": ["the big dog"] * 250})
    parquet.write_table(pa.table({"id": ids, "hypothesis": texts}), "mine.parquet")
    policy = Policy(missing="zero")
    whole = touchstone.mt.score("refs.parquet", ["mine.parquet"], ["chrf"], policy=policy)
    _, found = score("mt", "refs.parquet", ["mine.parquet"], ["chrf"], policy=policy, streamed=True, shard_rows=100)
    counts = [note for note in found.notes if isinstance(note, Note) and note.n is not None]
    assert counts == [
        "mine: segments without a translation, which score 0 (of 250): 13 (ids s7, s27, s47, s67, s87, s107, "
        "s127, s147, s167, s187 and 3 more)",
        "mine: empty translations, which score 0 (of 250): 3",
    ]
    assert [note for note in counts if note not in whole.notes] == []
