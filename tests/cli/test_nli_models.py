"""``touchstone nli train`` and ``predict`` as a user types them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

torch = pytest.importorskip("torch", reason="the extra neural is not installed")

from tests.systems.inference.made_up import pairs, write_encoder, write_vectors  # noqa: E402
from training.nli_labeller import pack  # noqa: E402

import touchstone  # noqa: E402
from touchstone import TouchstoneError, nli  # noqa: E402
from touchstone.cli.groups import task_group  # noqa: E402
from touchstone.tasks.nli.formats.writing import format_pairs  # noqa: E402

app = task_group("nli")

DEMO = Path(touchstone.__file__).parent / "examples" / "nli" / "gold.jsonl"


def run(*arguments):
    result = CliRunner().invoke(app, list(map(str, arguments)))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture
def files(tmp_path):
    torch.set_num_threads(1)
    made = pairs(60)
    (tmp_path / "train.jsonl").write_text(format_pairs(made[:40], "snli"))
    (tmp_path / "dev.jsonl").write_text(format_pairs(made[40:], "touchstone"))
    rows = "".join(
        f"{p.premise}\t{p.hypothesis}\t{'entails' if p.gold == 'entailment' else 'neutral'}\n" for p in made[:20]
    )
    (tmp_path / "scitail.tsv").write_text(rows)
    write_vectors(tmp_path / "v.txt")
    return tmp_path


def train(files, *more, model="esim"):
    given = ["--train", files / "train.jsonl", "--dev", files / "dev.jsonl", "--vectors", files / "v.txt"]
    return run("train", "--model", model, *given, "-o", files / "runs" / "run", "--device", "cpu", *more)


def test_a_trained_model_labels_pairs_in_the_form_that_score_reads(files):
    said = train(files, "--train", files / "scitail.tsv", "--epochs", 2, "--seed", 3)
    assert "esim: 60 training pairs" in said.stderr
    assert "epoch 2: loss" in said.stderr
    assert "the best epoch is" in said.stderr
    assert len((files / "runs" / "run" / "log.jsonl").read_text().splitlines()) == 2
    told = run(
        "predict", files / "runs" / "run", files / "dev.jsonl", "-o", files / "esim.jsonl", "--device", "cpu"
    ).stderr
    assert "labels for 20 pairs" in told
    found = nli.read_run(files / "esim.jsonl")
    assert found.ids == nli.read_gold(files / "dev.jsonl").ids
    assert found.probabilities is not None
    scored = json.loads(run("score", files / "dev.jsonl", files / "esim.jsonl", "--json").stdout)
    assert {row["measure"] for row in scored["rows"]} >= {"accuracy", "macro_f1"}


def test_scitail_has_two_labels_and_joins_in(files):
    gold = nli.read_gold(files / "scitail.tsv")
    assert {pair.gold for pair in gold.pairs} == {"entailment", "not_entailment"}
    result = train(files, "--train", files / "scitail.tsv", "--epochs", 1, model="decomposable_attention")
    assert "60 training pairs" in result.output


def test_a_set_that_writes_neutral_for_not_entailed_joins_in_after_conversion(files):
    rows = [f"{p.premise}\t{p.hypothesis}\t{p.gold.replace('contradiction', 'neutral')}" for p in pairs(20)]
    (files / "med.tsv").write_text("\n".join(["sentence1\tsentence2\tgold_label", *rows]) + "\n")
    run("convert", files / "med.tsv", files / "med.jsonl", "--labels", "two")
    assert {pair.gold for pair in nli.read_gold(files / "med.jsonl").pairs} == {"entailment", "not_entailment"}
    result = train(files, "--train", files / "med.jsonl", "--epochs", 1, model="decomposable_attention")
    assert "60 training pairs" in result.output


def test_training_pairs_with_a_premise_of_a_test_set_are_left_out_and_counted(files):
    said = train(
        files, "--exclude", files / "train.jsonl", "--train", DEMO, "--epochs", 1, model="decomposable_attention"
    )
    assert "a test set has their premise: 40" in said.stderr


def test_words_that_are_new_take_their_vectors_from_the_file_of_the_model(files):
    train(files, "--epochs", 1, model="decomposable_attention")
    premise = "The boy eats the blue soup."
    (files / "new.jsonl").write_text(json.dumps({"id": 1, "premise": premise, "hypothesis": premise}) + "\n")
    known = run(
        "predict", files / "runs" / "run", files / "new.jsonl", "-o", files / "a.jsonl", "--device", "cpu"
    ).stderr
    assert "does not know: 2 of 14" in known
    with (files / "v.txt").open("a") as file:
        file.write("blue " + "1 " * 16 + "\n")
    with pytest.raises(TouchstoneError, match="not the word vectors of the model"):
        run(
            "predict",
            files / "runs" / "run",
            files / "new.jsonl",
            "-o",
            files / "a.jsonl",
            "--vectors",
            files / "v.txt",
        )


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("train.jsonl", '{"id": 1, "premise": "a", "hypothesis": "b", "gold": "entailed"}\n', "unknown label"),
        ("train.jsonl", '{"id": 1, "premise": " ", "hypothesis": "b", "gold": "neutral"}\n', "the premise is empty"),
        ("train.jsonl", '{"id": 1, "premise": "a", "hypothesis": "b", "gold": "-"}\n', "no pair has a gold label"),
        ("dev.jsonl", '{"id": 1, "gold": "neutral"}\n', "a pair without sentences"),
        ("v.txt", "the 1 2\nboy 1 2 3\n", "3 numbers, where others have 2"),
        ("v.txt", "xyzzy 1 2\n", "no vector of any of the"),
    ],
)
def test_bad_input_is_refused_with_a_sentence_and_nothing_is_written(files, name, content, said):
    (files / name).write_text(content)
    with pytest.raises(TouchstoneError, match=said):
        train(files)
    assert not (files / "runs").exists()


def test_the_defaults_are_those_of_the_papers(files):
    train(files, "--epochs", 1)
    settings = json.loads((files / "runs" / "run" / "config.json").read_text())["settings"]
    expected = {"width": 300, "batch": 32, "rate": 0.0004, "clip": 10.0, "dropout": 0.5, "patience": 7, "epochs": 1}
    assert {key: settings[key] for key in expected} == expected


def train_cross_encoder(files, *more):
    given = ["--train", files / "train.jsonl", "--dev", files / "dev.jsonl", "-o", files / "runs" / "run"]
    return run("train", "--model", "cross_encoder", *given, "--device", "cpu", "--epochs", 1, *more)


def test_a_cross_encoder_is_trained_predicts_and_becomes_a_labeller(files):
    said = train_cross_encoder(files, "--encoder", write_encoder(files / "encoder"))
    assert "cross_encoder: 40 training pairs" in said.stderr
    assert "pieces of words" in said.stderr
    run("predict", files / "runs" / "run", files / "dev.jsonl", "-o", files / "run.jsonl", "--device", "cpu")
    pack([files / "runs" / "run"], files / "labeller.safetensors", trained_on=["snli"])
    told = run("label", files / "dev.jsonl", "-o", files / "labels.jsonl", "--model", files / "labeller.safetensors")
    assert "labels for 20 pairs by labeller.safetensors#" in told.stderr
    predicted, labelled = (nli.read_run(files / name) for name in ("run.jsonl", "labels.jsonl"))
    assert predicted.ids == labelled.ids
    scored = json.loads(run("score", files / "dev.jsonl", files / "labels.jsonl", "--json").stdout)
    assert {row["measure"] for row in scored["rows"]} >= {"accuracy", "macro_f1"}


def test_a_model_says_what_it_starts_from(files):
    with pytest.raises(TouchstoneError, match=r"(?s)cross_encoder has no word vectors.*--encoder"):
        train_cross_encoder(files, "--vectors", files / "v.txt")
    with pytest.raises(TouchstoneError, match=r"(?s)esim starts from no encoder.*cross_encoder"):
        train(files, "--encoder", files)
    given = ["--train", files / "train.jsonl", "--dev", files / "dev.jsonl", "-o", files / "runs" / "run"]
    with pytest.raises(TouchstoneError, match=r"(?s)esim needs word vectors.*--vectors"):
        run("train", "--model", "esim", *given)


def test_a_labeller_that_is_not_there_is_said(files):
    with pytest.raises(TouchstoneError, match="no such file"):
        run("label", files / "dev.jsonl", "-o", files / "labels.jsonl", "--model", files / "none.safetensors")
    assert not (files / "labels.jsonl").exists()
