"""``touchstone nli drop``, ``curve`` and ``repair`` as a user types them."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

torch = pytest.importorskip("torch", reason="the extra neural is not installed")

from tests.systems.inference.made_up import ACTIONS, pairs, write_vectors  # noqa: E402

from touchstone import TouchstoneError  # noqa: E402
from touchstone.cli.groups import task_group  # noqa: E402
from touchstone.systems.inference.experiment_commands import parse_sizes  # noqa: E402
from touchstone.tasks.nli.formats.writing import format_pairs  # noqa: E402

app = task_group("nli")

MODEL = "decomposable_attention"


def run(*arguments):
    result = CliRunner().invoke(app, list(map(str, arguments)))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("experiments")
    made = [replace(pair, category=next(one for one in ACTIONS if one in pair.premise)) for pair in pairs(180)]
    for name, some in {"train": made[:60], "dev": made[60:80], "usual": made[80:110], "set": made[110:]}.items():
        (folder / f"{name}.jsonl").write_text(format_pairs(some, "touchstone"))
    write_vectors(folder / "v.txt")
    given = ["--train", folder / "train.jsonl", "--dev", folder / "dev.jsonl", "--vectors", folder / "v.txt"]
    for model, seed in ((MODEL, 1), (MODEL, 2), ("esim", 1)):
        out = folder / "runs" / f"{model}-{seed}"
        run("train", "--model", model, *given, "--seed", seed, "--epochs", 1, "-o", out, "--device", "cpu")
    return folder


def sets(files):
    return ["--original", files / "usual.jsonl", "--challenge", files / "set.jsonl", "--device", "cpu"]


def test_drop_averages_seeds_compares_models_and_writes_a_report(files):
    folders = sorted((files / "runs").iterdir())
    more = ["--train", files / "train.jsonl", "--vectors", files / "v.txt", "--report", files / "drop.html"]
    said = run("drop", *folders, *sets(files), *more).stdout
    assert "loses least" in said
    found = json.loads(run("drop", *folders, *sets(files), "--json").stdout)
    values = [row for row in found["rows"] if row["kind"] == "value" and row["test"] == "original"]
    runs = {row["model"]: row["runs"] for row in values if row["measure"] == "accuracy"}
    assert list(runs.items()) == [(MODEL, 2), ("esim", 1), ("always entailment", 1)]
    assert len(found["sentences"]) == 5
    page = (files / "drop.html").read_text()
    assert all(text in page for text in ("From a test set to a challenge set", "By category", "By words", "<svg"))


def test_a_run_without_its_seed_in_its_name_is_a_model_of_its_own(files):
    found = json.loads(
        run("drop", f"one={files / 'runs' / 'esim-1'}", files / "runs" / f"{MODEL}-2", *sets(files), "--json").stdout
    )
    assert [row["model"] for row in found["rows"] if row["kind"] == "drop"][:2] == ["one", MODEL]


def test_what_is_no_run_is_refused(files):
    with pytest.raises(TouchstoneError, match="not the folder of a trained model"):
        run("drop", files, *sets(files))
    with pytest.raises(TouchstoneError, match="it has another model"):
        run("drop", *(f"both={files / 'runs' / name}" for name in (f"{MODEL}-1", "esim-1")), *sets(files))


def test_curve_trains_what_is_left_and_draws_it(files):
    given = ["--train", files / "train.jsonl", "--dev", files / "dev.jsonl", "--vectors", files / "v.txt"]
    given += ["--on", f"usual={files / 'usual.jsonl'}", "--folder", files / "curves", "--epochs", 1, "--device", "cpu"]
    arguments = ["curve", "--model", MODEL, "--sizes", "20,40", "--seeds", 2, *given]
    found = json.loads(run(*arguments, "--json").stdout)
    assert {(row["size"], row["runs"]) for row in found["rows"] if row["kind"] == "value"} == {(20, 2), (40, 2)}
    again = run(*arguments, "--report", files / "curve.html")
    assert "Learning curves" in (files / "curve.html").read_text()
    assert "curve.html" in again.stdout + again.stderr
    with pytest.raises(TouchstoneError, match="two test sets have the same name"):
        run(*arguments, "--on", f"usual={files / 'set.jsonl'}")


def test_repair_says_what_is_gained_and_lost(files):
    arguments = [
        "repair",
        files / "runs" / f"{MODEL}-1",
        "--with",
        files / "set.jsonl",
        "--sizes",
        "0,10",
        "--epochs",
        2,
    ]
    arguments += ["--on", files / "usual.jsonl", "--folder", files / "labels", "--device", "cpu"]
    found = json.loads(run(*arguments, "--vectors", files / "v.txt", "--json").stdout)
    assert {row["test"] for row in found["rows"]} >= {"same lists", "other lists", "usual"}
    assert {row["size"] for row in found["rows"] if row["kind"] == "change"} == {10}
    assert "change of accuracy" in run(*arguments, "--vectors", files / "v.txt").stdout


@pytest.mark.parametrize("text", ["", "5,,6", "5,5", "-1", "5K", "1.5k"])
def test_sizes_that_are_no_numbers_are_refused(text):
    with pytest.raises(TouchstoneError, match="not a list of numbers of pairs"):
        parse_sizes(text)
