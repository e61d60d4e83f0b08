"""The pipeline, over a task made for the purpose: what every task gets from the core."""

import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import touchstone
from touchstone import items, lexsub, mt, nli
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ids import Ids, Policy, join_ids
from touchstone.base.options import option
from touchstone.base.tables import Column, Table
from touchstone.core import inputs
from touchstone.core import scoring as core_scoring
from touchstone.core.explanation import Explanation
from touchstone.core.measures import Measure, Measures, joint_measure
from touchstone.core.registry import find_task, task_names
from touchstone.core.resampling import Resampling
from touchstone.core.task import Task
from touchstone.io.reading import read_table
from touchstone.io.tables import TableFile
from touchstone.stats.records import mean, mean_records

MEASURES: Measures["Joined"] = Measures("toy")
MEASURES.add("right", lambda: Measure("right", lambda joined: mean_records(joined.values), mean, "equal words"))
MEASURES.add("length", lambda: Measure("length", lambda joined: mean_records(joined.sizes), mean, lower_is_better=True))
MEASURES.group("both", ("right", "length"))


@dataclass(frozen=True)
class Options:
    """How words are compared."""

    fold_case: bool = option(False, "Ignore case.")


@dataclass(frozen=True)
class GoldSet(inputs.GoldSet):
    """An expected word for each id, and the topic of each."""

    file: TableFile

    @cached_property
    def items(self):
        return pa.table({name: self.file.texts(name) for name in ("id", "topic")})

    @property
    def signature(self):
        return {"gold": str(self.file.source), "items": f"{len(self.file)} words"}

    @property
    def notes(self):
        return ["the gold is a toy"]

    def __str__(self):
        return f"{self.file.source}: {len(self.file)} words"


@dataclass(frozen=True)
class Run(inputs.Run):
    """A word for each id."""

    name: str
    file: TableFile

    @property
    def signature(self):
        return str(self.file.source)

    def __str__(self):
        return f"{self.name}: {len(self.file)} words"


@dataclass(frozen=True)
class Joined(inputs.Joined):
    """Whether each word is the expected one, and its length."""

    values: np.ndarray
    sizes: np.ndarray
    facts: pa.Table
    notes: Sequence[str] = ()


class Toy(Task):
    """Words."""

    name = "toy"
    title = "Toy"
    summary = "Words."
    measures = MEASURES
    default = ("right",)
    cluster = "topic"
    options = Options

    def read_gold(self, sources, options):
        return GoldSet(read_table(sources[0]))

    def read_run(self, files, gold, options):
        return Run(files.name, read_table(files.path))

    def join(self, gold, run, policy, options):
        ids = join_ids(
            gold.file.texts("id"), Ids(run.file.source.name, run.file.texts("id"), run.file.lines), policy
        ).check()
        fold = str.casefold if options.fold_case else str
        given = [run.file.texts("word")[row] if row >= 0 else "" for row in ids.rows.tolist()]
        right = [float(fold(word) == fold(gold.file.texts("word")[place])) for place, word in enumerate(given)]
        sizes = [float(len(word)) for word in given]
        counted = [np.where(ids.counted, np.array(numbers), np.nan) for numbers in (right, sizes)]
        return Joined(*counted, pa.table({"word": given}), ids.note(run.name))

    def explain_item(self, inputs, item, measure, policy):
        rows = [
            [run.name, dict(zip(run.file.texts("id"), run.file.texts("word"), strict=True))[item]]
            for run in inputs.runs
        ]
        return Explanation(item, f"item {item}", [Table([Column("system"), Column("word")], rows)])

    def warnings(self, inputs):
        return ["the runs are toys"]


def votes(joined):
    """Return, for each item, which systems are right where not all are alike, and whether it counts."""
    right = np.stack([run.values for run in joined], axis=1)
    counts = right.any(axis=1) & ~right.all(axis=1)
    return np.where(counts[:, None], np.hstack([right, counts[:, None]]), 0.0)


def vote_shares(sums):
    return sums[..., :-1] / sums[..., :-1].sum(axis=-1, keepdims=True)


MEASURES.add("votes", lambda: joint_measure("votes", votes, vote_shares, "share of the right answers"))


class LetterJoined(Joined):
    """Words that may be cut to their first letters."""

    def parts(self, field):
        first = np.array([word[:1] for word in self.facts["word"].to_pylist()])
        letters = sorted({"c", "d", "o", "w"}) if field == "letter" else []
        return {letter: replace(self, values=np.where(first == letter, self.values, np.nan)) for letter in letters}


class LetterToy(Toy):
    """Words, by their first letters."""

    def join(self, gold, run, policy, options):
        joined = super().join(gold, run, policy, options)
        return LetterJoined(joined.values, joined.sizes, joined.facts, joined.notes)


class BlockToy(Toy):
    """Words, scored some at a time."""

    block = 3

    def part(self, joined, rows):
        return [
            Joined(one.values[rows], one.sizes[rows], one.facts.slice(rows.start, rows.stop - rows.start))
            for one in joined
        ]


class SkippingToy(Toy):
    """Words, of which missing ones are left out."""

    missing = "skip"


TOY = Toy()


@pytest.fixture
def files(tmp_path):
    (tmp_path / "gold.csv").write_text("id,word,topic\n1,cat,x\n2,dog,x\n3,owl,y\n4,fox,z\n")
    (tmp_path / "a.csv").write_text("id,word\n1,cat\n2,Dog\n3,owl\n4,wolf\n")
    (tmp_path / "b.csv").write_text("id,word\n4,fox\n1,lion\n")
    return tmp_path


LENIENT = Policy("zero")
SETTINGS = {"policy": LENIENT, "resampling": Resampling("none")}


def score(files, *names, **settings):
    return TOY.score(files / "gold.csv", [files / "a.csv", files / "b.csv"], names, **{**SETTINGS, **settings})


def values(results):
    return {(row.system, row.measure): row.value for row in results.rows}


# --- reading and naming ----------------------------------------------------------------------------------------------


def test_paths_named_files_mappings_and_read_objects_give_the_same_results(files):
    inputs = TOY.read(files / "gold.csv", {"a": files / "a.csv", "b": files / "b.csv"})
    ways = [
        score(files),
        TOY.score(
            str(files / "gold.csv"),
            [f"a={files}/a.csv", f"b={files}/b.csv"],
            policy=LENIENT,
            resampling=Resampling("none"),
        ),
        TOY.score(
            inputs.gold, {"a": str(files / "a.csv"), "b": inputs.runs[1]}, policy=LENIENT, resampling=Resampling("none")
        ),
        TOY.score(inputs.gold, inputs.runs, policy=LENIENT, resampling=Resampling("none")),
        TOY.score(inputs, policy=LENIENT, resampling=Resampling("none")),
    ]
    assert len({one.to_json() for one in ways}) == 1


def test_a_mapping_names_a_run_that_was_read_under_another_name(files):
    inputs = TOY.read(files / "gold.csv", files / "a.csv")
    assert [run.name for run in TOY.read(inputs.gold, {"mine": inputs.runs[0]}).runs] == ["mine"]


def test_no_run_and_two_runs_of_one_name_are_refused(files):
    with pytest.raises(TouchstoneError) as error:
        TOY.read(files / "gold.csv")
    assert error.value.code == Code.EMPTY
    run = TOY.read(files / "gold.csv", files / "a.csv").runs[0]
    with pytest.raises(TouchstoneError) as error:
        TOY.read(files / "gold.csv", [run, run])
    fault = error.value.faults[0]
    assert (fault.code, fault.value) == (Code.DUPLICATE_NAME, "a")


@pytest.mark.parametrize(
    ("systems", "said"),
    [
        ({"a": 7}, "a int cannot be read as a table"),
        ({"a": b"x"}, "a bytes cannot be read as a table"),
        ([7], "a int is a run without a name"),
        (7, "a int is a run without a name"),
    ],
)
def test_objects_that_are_no_tables_are_refused_with_a_sentence(files, systems, said):
    with pytest.raises(TouchstoneError, match=said):
        TOY.score(files / "gold.csv", systems)


def test_an_unknown_option_is_refused_with_the_nearest(files):
    with pytest.raises(TouchstoneError, match='unknown option: "fold_cases"; nearest valid name "fold_case"'):
        TOY.read(files / "gold.csv", files / "a.csv", fold_cases=True)


# --- scoring ---------------------------------------------------------------------------------------------------------


def test_items_are_joined_by_id_and_missing_ones_follow_the_policy(files):
    assert values(score(files)) == {("a", "right"): 2 / 4, ("b", "right"): 1 / 4}
    assert values(score(files, policy=Policy("skip"))) == {("a", "right"): 2 / 4, ("b", "right"): 1 / 2}
    with pytest.raises(TouchstoneError) as error:
        score(files, policy=Policy())
    assert error.value.code == Code.MISSING_ID


def test_the_tasks_own_policy_for_missing_answers_holds_where_the_user_chose_none(files):
    lenient = SkippingToy()
    results = lenient.score(files / "gold.csv", files / "b.csv", resampling=Resampling("none"))
    assert values(results) == {("b", "right"): 1 / 2}
    assert "missing skip" in results.signature["policy"]


def test_options_reach_the_join_and_the_signature(files):
    assert values(score(files, fold_case=True))["a", "right"] == 3 / 4
    assert score(files, fold_case=True).signature["fold_case"] == "True"
    assert "fold_case" not in score(files).signature


def test_a_group_of_measures_stands_for_its_members_and_each_is_scored_once(files):
    assert [m.name for m in score(files, "both", "right").measures] == ["right", "length"]


def test_notes_of_gold_and_runs_are_given_once(files):
    notes = score(files).notes
    assert notes == ["the gold is a toy", "b: items without an answer, which score 0 (of 4): 2 (ids 2, 3)"]


def test_the_signature_names_gold_systems_measures_policy_and_intervals(files):
    signature = score(files).signature
    assert list(signature) == ["touchstone", "task", "gold", "items", "systems", "measures", "policy", "intervals"]
    assert signature["systems"].startswith("a.csv#")


def test_a_measure_without_finite_records_is_refused_by_name(files):
    MEASURES.add("broken", lambda: Measure("broken", lambda joined: np.full((4, 2), np.nan), mean))
    with pytest.raises(TouchstoneError) as error:
        score(files, "broken")
    fault = error.value.faults[0]
    assert (fault.code, fault.value) == (Code.NOT_FINITE, "broken")


@pytest.mark.parametrize(
    ("record", "fold", "message"),
    [
        (lambda joined: np.ones((4, 2)), lambda sums: sums[0] / sums[1], "takes one record only"),
        (lambda joined: np.ones((4, 2)), lambda sums: sums[0], "takes one record only"),
        (lambda joined: np.full((4, 2), 3.0), mean, "ends with a number above 1"),
    ],
)
def test_a_measure_that_could_only_give_wrong_figures_is_refused_by_name(files, record, fold, message):
    MEASURES.add("naive", lambda: Measure("naive", record, fold))
    with pytest.raises(TouchstoneError, match=f'{message}.*"naive"'):
        score(files, "naive")


# --- clusters --------------------------------------------------------------------------------------------------------


def test_the_tasks_clusters_are_resampled_where_a_cluster_repeats(files):
    assert score(files).resampling.cluster == "topic"
    (files / "gold.csv").write_text("id,word,topic\n1,cat,x\n2,dog,y\n3,owl,z\n4,fox,w\n")
    assert score(files).resampling.cluster is None


def test_items_can_be_resampled_one_by_one_or_by_another_field(files):
    assert score(files, resampling=Resampling("none", cluster="item")).resampling.cluster is None
    assert score(files, resampling=Resampling("none", cluster="topic")).resampling.cluster == "topic"
    with pytest.raises(TouchstoneError) as error:
        _ = score(files, resampling=Resampling(cluster="topik")).rows
    fault = error.value.faults[0]
    assert (fault.code, fault.near) == (Code.UNKNOWN_NAME, "topic")


# --- names of measures -----------------------------------------------------------------------------------------------


def test_a_measure_answers_to_the_name_it_was_asked_for():
    folder = Path(touchstone.__file__).parent / "examples/lexsub"
    results = lexsub.score(
        f"{folder}/demo.gold", f"{folder}/eager.oot", ["F", "rank@10"], resampling=Resampling("none")
    )
    assert results.measure("F").name == results.measure("F(k=1)").name == "F(k=1)"
    assert results.measure("rank").name == "rank@10"
    with pytest.raises(TouchstoneError) as error:
        results.measure("P")
    assert error.value.code == Code.UNKNOWN_NAME


# --- blocks and processes --------------------------------------------------------------------------------------------


def test_blocks_give_the_records_of_the_whole_and_tell_progress_in_items(files):
    told = []
    whole = score(files, "both")
    blocks = BlockToy().score(
        files / "gold.csv",
        [files / "a.csv", files / "b.csv"],
        ["both"],
        policy=LENIENT,
        resampling=Resampling("none"),
        progress=lambda done, total: told.append((done, total)),
    )
    assert blocks.to_json() == whole.to_json()
    assert told == [(6, 8), (8, 8)]


def test_a_scoring_is_picklable_and_small():
    scoring = find_task("nli").scoring(["accuracy"])
    assert pickle.loads(pickle.dumps(scoring)) == scoring
    assert len(pickle.dumps(scoring)) < 300


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_the_start_method_that_the_user_set_is_used(method):
    program = (
        "import multiprocessing\nfrom touchstone.core.scoring import start_method\n"
        f"multiprocessing.set_start_method({method!r})\nprint(start_method())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == method


@pytest.mark.parametrize("spawned", [False, True])
def test_processes_are_not_forked_beside_other_threads(spawned):
    if spawned:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            assert pool.map(abs, [-1]) == [1]
    waiting = threading.Event()
    thread = threading.Thread(target=waiting.wait)
    thread.start()
    try:
        assert core_scoring.start_method() == "spawn"
        assert core_scoring._default_jobs(10**9) == 1
    finally:
        waiting.set()
        thread.join()


def test_the_number_of_processes_is_known_without_affinity(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(core_scoring, "start_method", lambda: "fork")
    assert core_scoring._default_jobs(10**9) == (os.cpu_count() or 1)


# --- the other verbs -------------------------------------------------------------------------------------------------


def test_explain_shows_one_item_in_all_runs_and_is_json(files):
    explanation = TOY.explain(files / "gold.csv", {"a": files / "a.csv"}, item="2")
    assert explanation.tables[0].rows == [["a", "Dog"]]
    [row] = [row for row in json.loads(explanation.to_json())["rows"] if row["kind"] == "table"]
    assert (row["system"], row["word"]) == ("a", "Dog")


def test_validate_lists_every_problem_of_every_file(files):
    (files / "c.csv").write_text("id,word\n1,cat\n1,cat\n9,dog\n")
    (files / "d.csv").write_text("id,word\n1\n")
    problems = TOY.validate(files / "gold.csv", [files / name for name in ("a.csv", "c.csv", "d.csv")])
    said = [str(fault) for fault in problems.faults]
    assert [any(part in fault for fault in said) for part in ("d.csv:2: 1 cells", "duplicate id", "unknown item")] == [
        True
    ] * 3
    assert problems.warnings == ["the gold is a toy", "the runs are toys"]
    assert [fact.split(":")[0].split("#")[0] for fact in problems.facts] == ["gold.csv", "a", "c"]
    assert 'policy=touchstone.Policy(duplicates="first")' in " ".join(problems.hints)


def test_validate_checks_runs_with_the_gold_files_that_can_be_read(tmp_path):
    for name, text in {"gold": "1,neutral\n", "more": "2\n", "run": "1,neutral\n9,neutral\n"}.items():
        (tmp_path / f"{name}.csv").write_text(f"id,label\n{text}")
    problems = nli.validate([tmp_path / "gold.csv", tmp_path / "more.csv"], tmp_path / "run.csv")
    assert [fault.what for fault in problems.faults] == ["2 files of pairs", "unknown item"]
    assert problems.faults[1].file == str(tmp_path / "run.csv")


def test_validate_gives_each_run_its_faults_its_hint_and_one_verdict(files):
    (files / "c.csv").write_text("id,word\n1,cat\n2,dog\n3,owl\n4,fox\n1,cat\n")
    (files / "d.csv").write_bytes(b"id,word\n1,caf\xe9\n")
    problems = TOY.validate(files / "gold.csv", [files / name for name in ("c.csv", "a.csv", "d.csv")])
    assert problems.of("a").ok
    assert [fault.what for fault in problems.of("c").faults] == ["duplicate id (first seen on line 2)"]
    assert 'policy=touchstone.Policy(duplicates="first")' in problems.of("c").hints[0]
    assert 'encoding="latin-1"' in problems.of("d").hints[0]
    verdicts = [line for line in str(problems).splitlines() if line.startswith(("ok: ", "error: "))]
    assert [line.split(":")[0] for line in verdicts] == ["ok", "error", "ok", "error"]
    assert verdicts[-1] == f"error: d ({files / 'd.csv'}): not read"
    lines = str(problems).splitlines()
    place = lines.index(verdicts[1])
    assert [
        "c.csv:6: duplicate id" in lines[place + 1],
        'policy=touchstone.Policy(duplicates="first")' in lines[place + 2],
    ] == [True, True]
    with pytest.raises(TouchstoneError) as error:
        problems.of("gold")
    assert error.value.code == Code.UNKNOWN_NAME


def test_the_json_of_a_validation_attributes_every_fault(files):
    (files / "c.csv").write_text("id,word\n1,cat\n1,cat\n")
    found = TOY.validate(files / "gold.csv", [files / "a.csv", files / "c.csv"]).to_dict()
    inputs = [row for row in found["rows"] if row["kind"] == "input"]
    assert [(one["system"], one["ok"]) for one in inputs] == [(None, True), ("a", True), ("c", False)]
    assert {row["system"] for row in found["rows"] if row["kind"] == "fault"} == {"c"}


def test_a_task_without_formats_converts_nothing(files):
    with pytest.raises(TouchstoneError) as error:
        TOY.convert(files / "a.csv", files / "b.jsonl")
    assert error.value.code == Code.UNSUPPORTED


def test_every_task_can_be_found_by_name_and_an_unknown_one_is_refused():
    assert [find_task(name).name for name in task_names()] == list(task_names())
    with pytest.raises(TouchstoneError) as error:
        find_task("item")
    fault = error.value.faults[0]
    assert (fault.code, fault.near) == (Code.UNKNOWN_NAME, "items")


def test_the_public_names_of_the_package_are_listed():
    assert {"compare", *task_names()} <= set(dir(touchstone))


def test_the_only_item_is_explained_without_being_named_and_one_of_several_is_not(files, tmp_path):
    one = tmp_path / "one.csv"
    one.write_text("".join((files / "gold.csv").read_text().splitlines(keepends=True)[:2]))
    run = tmp_path / "run.csv"
    run.write_text("".join((files / "a.csv").read_text().splitlines(keepends=True)[:2]))
    assert TOY.explain(one, {"a": run}).item == "1"
    with pytest.raises(TouchstoneError) as error:
        TOY.explain(files / "gold.csv", {"a": files / "a.csv"})
    assert error.value.code == Code.OPTION_NEEDED


def test_gold_alone_may_be_validated():
    checked = nli.validate({"1": "neutral", "2": "entailment"})
    assert checked.faults == []
    assert "2 pairs" in checked.facts[0]


def test_a_validation_is_true_where_nothing_stops_a_scoring():
    good = {"a": {"1": 1.0}, "b": {"1": 0.5}}
    assert items.validate(good)
    assert items.validate(good).ok
    wrong = items.validate({"a": {"1": 1.0}, "b": {"2": 0.5}})
    assert not wrong
    assert not wrong.ok


FRAME = pd.DataFrame(
    {
        "id": ["b", "a", "c"],
        "label": ["neutral", "entailment", "neutral"],
        "x": ["neutral"] * 3,
        "y": ["entailment"] * 3,
    }
)


@pytest.mark.parametrize(
    "gold", [FRAME, FRAME.sample(frac=1, random_state=1), FRAME.set_index("id"), FRAME.drop(columns="id")[::-1]]
)
def test_systems_may_be_columns_of_a_gold_that_is_a_data_frame(gold):
    found = nli.score(gold, ["x", "y"], ["accuracy"])
    assert [found.row(name, "accuracy").value for name in "xy"] == [2 / 3, 1 / 3]
    assert nli.score(gold, {"mine": "x"}, ["accuracy"]).row("mine", "accuracy").value == 2 / 3
    assert nli.validate(gold, ["x", "y"]).faults == []


def test_a_column_that_the_gold_has_not_is_refused_with_the_nearest():
    frame = FRAME.rename(columns={"x": "bert", "y": "esim"})
    with pytest.raises(TouchstoneError) as error:
        nli.score(frame, ["esim", "bert", "brt"])
    fault = error.value.faults[0]
    assert (fault.code, fault.near) == (Code.NO_COLUMN, "bert")


def test_an_id_may_be_a_number_and_several_measures_are_explained():
    texts = ["the cat sat on the mat", "it rained all day long"]
    one, other, both = (
        mt.explain(texts, {"a": texts}, item=2, measure=measure) for measure in ("bleu", "chrf", ["bleu", "chrf"])
    )
    assert [table.title for table in both.tables] == [table.title for table in (*one.tables, *other.tables)]


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ({"cluster": "document"}, "Resampling\\(cluster="),
        ({"missing": "skip"}, "Policy\\(missing="),
        ({"measure": "x"}, "measures="),
    ],
)
def test_a_keyword_of_the_command_line_is_told_where_it_belongs(option, said):
    with pytest.raises(TouchstoneError, match=said):
        nli.score({"1": "neutral"}, {"a": {"1": "neutral"}}, **option)


def test_an_error_in_python_names_the_keyword_of_a_flag():
    with pytest.raises(TouchstoneError) as caught:
        nli.score({"1": "neutral", "2": "neutral"}, {"a": {"1": "neutral"}})
    assert 'score them 0 with policy=touchstone.Policy(missing="zero"), or leave them out' in str(caught.value)
    assert "--" not in str(caught.value)


@pytest.mark.parametrize(
    "form", [lambda series: series, lambda series: series.to_frame("label")], ids=["series", "frame"]
)
def test_objects_of_pandas_are_joined_by_the_index_of_the_gold(form):
    shuffled = FRAME.drop(columns="id").sample(frac=1, random_state=1)
    assert shuffled.index.tolist() != FRAME.index.tolist()
    right = nli.score(shuffled, {name: form(shuffled[name]) for name in "xy"}, ["accuracy"])
    assert [right.row(name, "accuracy").value for name in "xy"] == [2 / 3, 1 / 3]
    part = FRAME[FRAME["label"] == "neutral"]
    assert nli.score(part, {"y": form(part["y"])}, ["accuracy"]).row("y", "accuracy").value == 0
    for gold in (FRAME, FRAME.drop(columns="id"), shuffled):
        for state in range(4):
            runs = {name: form(FRAME[name].sample(frac=1, random_state=state)) for name in "xy"}
            found = nli.score(gold, runs, ["accuracy"])
            assert [found.row(name, "accuracy").value for name in "xy"] == [2 / 3, 1 / 3]
    with pytest.raises(TouchstoneError) as error:
        nli.score(FRAME["label"].tolist(), {"y": form(FRAME["y"].sample(frac=1, random_state=1))}, ["accuracy"])
    assert error.value.code == Code.AMBIGUOUS


def test_an_index_with_a_number_twice_does_not_tell_the_order():
    gold = FRAME.drop(columns="id").set_axis([0, 0, 1])
    with pytest.raises(TouchstoneError) as error:
        nli.score(gold, {"y": gold["y"][::-1]}, ["accuracy"])
    assert error.value.code == Code.DUPLICATE_ID


def test_series_with_ids_are_joined_by_them_whatever_the_index_of_the_gold():
    with_ids = FRAME.set_index("id")["x"]
    assert nli.score(FRAME[::-1], {"x": with_ids}, ["accuracy"]).row("x", "accuracy").value == 2 / 3


# --- measures of all systems at once, and of parts of items -----------------------------------------------------------


WORDS = {"a": ["cat", "Dog", "owl", "wolf"], "b": ["cat", "dog", "hen", "fox"], "c": ["cow", "dog", "owl", "fox"]}


@pytest.fixture
def three(files):
    for name, words in WORDS.items():
        rows = "".join(f"{n},{word}\n" for n, word in enumerate(words, 1))
        (files / f"{name}.csv").write_text(f"id,word\n{rows}")
    return TOY.read(files / "gold.csv", {name: files / f"{name}.csv" for name in WORDS})


def test_a_joint_measure_has_a_value_for_each_system_from_the_records_of_all(three):
    """Right: a on cat and owl, b on cat, dog and fox, c on dog, owl and fox; all four items count."""
    results = TOY.score(three, measures=["votes"], resampling=Resampling("none"))
    assert [row.value for row in results.rows] == pytest.approx([2 / 8, 3 / 8, 3 / 8])
    two = TOY.score(three.gold, {run.name: run for run in three.runs[:2]}, ["votes"], resampling=Resampling("none"))
    assert [row.value for row in two.rows] == pytest.approx([1 / 3, 2 / 3])  # without cat, on which both are right


def test_the_values_of_a_joint_measure_have_intervals(files):
    def table(name, words, *further):
        rows = "".join(f"{n},{words[n % 4]}{',x' * len(further)}\n" for n in range(60))
        (files / f"{name}.csv").write_text(f"{','.join(['id', 'word', *further])}\n{rows}")
        return files / f"{name}.csv"

    gold = table("gold", ["cat", "dog", "owl", "fox"], "topic")
    runs = {name: table(name, words) for name, words in WORDS.items()}
    results = TOY.score(gold, runs, ["votes"], resampling=Resampling(cluster="item", draws=500))
    assert [row.value for row in results.rows] == pytest.approx([2 / 8, 3 / 8, 3 / 8])
    assert all(0.02 < row.value - row.low < 0.1 > row.high - row.value > 0.02 for row in results.rows)


def test_systems_are_compared_under_a_joint_measure_by_drawing_items(three):
    results = TOY.score(three, measures=["votes"], resampling=Resampling(cluster="item"))
    comparison = touchstone.compare(results, "votes")
    assert [abs(pair.difference) for pair in comparison.pairs] == pytest.approx([0, 1 / 8, 1 / 8])
    assert "bootstrap" in comparison.note
    whole = touchstone.compare(results, "votes", test="bootstrap")
    assert [pair.p for pair in comparison.pairs] == [pair.p for pair in whole.pairs]


def test_values_of_a_joint_measure_that_were_scored_apart_are_not_compared(three):
    apart = [TOY.score(three.gold, {run.name: run}, ["votes"], resampling=Resampling("none")) for run in three.runs]
    with pytest.raises(TouchstoneError) as error:
        touchstone.compare(apart, "votes")
    assert error.value.code == Code.UNSUPPORTED


def test_joint_measures_have_the_same_records_in_shards(three, files, tmp_path):
    whole = TOY.score(three, measures=["votes"], resampling=Resampling("none"))
    again = BlockToy().score(three, measures=["votes"], resampling=Resampling("none"))
    assert [row.value for row in again.rows] == [row.value for row in whole.rows]


def test_a_measure_is_applied_to_the_parts_that_by_names(files):
    """Of words with d, b's dog is right; a's Dog begins with another letter, so it has none."""
    gold, runs = files / "gold.csv", {}
    for name in "ab":
        rows = "".join(f"{n},{word}\n" for n, word in enumerate(WORDS[name], 1))
        (files / f"{name}.csv").write_text(f"id,word\n{rows}")
        runs[name] = files / f"{name}.csv"
    results = LetterToy().score(gold, runs, ["right"], by="letter", resampling=Resampling("none"))
    shown = {(row.system, row.group): (row.value, row.n) for row in results.rows if row.n}
    assert shown["b", "d"] == (1, 1)
    assert ("a", "d") not in shown
    assert shown["a", "w"] == (0, 1)
    assert shown["a", "c"] == shown["b", "c"] == (1, 1)
    assert shown["a", None] == (2 / 4, 4)
    assert list(results.by_group()) == ["c", "d", "o", "w"]
    with pytest.raises(TouchstoneError) as error:
        _ = LetterToy().score(gold, runs, ["right"], by="colour", resampling=Resampling("none")).rows
    assert error.value.code == Code.UNKNOWN_NAME


def test_without_a_run_the_columns_of_the_gold_that_may_be_runs_are_named(tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text("id,label,sysA\n1,neutral,neutral\n")
    with pytest.raises(TouchstoneError, match=r"name one as .*gold\.csv:sysA"):
        nli.score(path, [])


def test_only_inference_has_baselines_of_its_own():
    assert [name for name in task_names() if find_task(name).has_baselines] == ["nli"]
