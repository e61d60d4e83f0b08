"""Training runs: resumed after a kill, refused where they do not fit, never half-written."""

import json
import time
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the extra neural is not installed")

from tests.systems.inference.made_up import pairs, small, write_vectors  # noqa: E402

from touchstone import TouchstoneError  # noqa: E402
from touchstone.base.codes import Code  # noqa: E402
from touchstone.systems.inference.checkpoint import CONFIG, LOG, STATE, WEIGHTS  # noqa: E402
from touchstone.systems.inference.predicting import Labeller  # noqa: E402
from touchstone.systems.inference.training import State, make_data, train  # noqa: E402


class Killed(BaseException):
    """As if the process were killed."""


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    made = pairs(60)
    return make_data(made[:50], made[50:], write_vectors(tmp_path_factory.mktemp("vectors") / "v.txt"))


def quick(model="esim", **changes):
    return small(model, width=4, classifier=4, dropout=0.3, epochs=5, patience=5, **changes)


def weights(folder):
    return (folder / WEIGHTS).read_bytes()


def log(folder):
    lines = [json.loads(line) for line in (folder / LOG).read_text().splitlines()]
    return [{key: value for key, value in line.items() if key != "seconds"} for line in lines]


def interrupted(settings, data, folder, after):
    def tell(line):
        if line.startswith(f"epoch {after}:"):
            raise Killed

    with pytest.raises(Killed):
        train(settings, data, folder, device="cpu", tell=tell)
    assert (folder / STATE).exists()


@pytest.mark.parametrize("model", ["esim", "kim", "decomposable_attention", "cross_encoder"])
def test_a_run_that_was_interrupted_and_resumed_gives_the_same_weights(model, data, tmp_path):
    settings = quick(model, halved="on plateau")
    whole = train(settings, data, tmp_path / "whole", device="cpu")
    interrupted(settings, data, tmp_path / "resumed", after=1)
    interrupted(settings, data, tmp_path / "resumed", after=3)
    resumed = train(settings, data, tmp_path / "resumed", device="cpu")
    assert weights(tmp_path / "resumed") == weights(tmp_path / "whole")
    assert log(tmp_path / "resumed") == log(tmp_path / "whole")
    assert (resumed.best, resumed.best_epoch, resumed.epoch) == (whole.best, whole.best_epoch, whole.epoch)
    assert not (tmp_path / "resumed" / STATE).exists()


def test_a_process_killed_in_training_resumes_to_the_same_weights(data, tmp_path):
    """The kill comes at any moment: between epochs, in one, or while a file is written."""
    settings = replace(quick(), epochs=20, patience=20)
    train(settings, data, tmp_path / "whole", device="cpu")
    folder = tmp_path / "killed"

    def wait(line):
        if line.startswith("epoch 15:"):
            time.sleep(600)  # a parent that is slow to kill must not find a finished run

    given = {"device": "cpu", "tell": wait}
    process = get_context("fork").Process(target=train, args=(settings, data, folder), kwargs=given)
    process.start()
    while not (folder / STATE).exists():
        time.sleep(0.01)
    time.sleep(0.05)
    process.kill()
    process.join()
    assert (folder / STATE).exists()  # it had not finished
    train(settings, data, folder, device="cpu")
    assert weights(folder) == weights(tmp_path / "whole")


def test_another_seed_gives_other_weights_and_the_same_seed_the_same(data, tmp_path):
    settings = replace(quick(), epochs=1)
    for name, seed in (("one", 1), ("again", 1), ("two", 2)):
        train(replace(settings, seed=seed), data, tmp_path / name, device="cpu")
    tensors = [Labeller(tmp_path / name).model.state_dict() for name in ("one", "again", "two")]
    assert all(torch.equal(tensors[0][name], tensors[1][name]) for name in tensors[0])
    assert not torch.equal(tensors[0]["projection.weight"], tensors[2]["projection.weight"])


def test_a_finished_run_is_not_trained_again(data, tmp_path):
    train(quick(), data, tmp_path / "run", device="cpu")
    before = weights(tmp_path / "run")
    said = []
    state = train(quick(), data, tmp_path / "run", device="cpu", tell=said.append)
    assert (said, state.epoch, weights(tmp_path / "run")) == ([], 5, before)


def test_a_folder_with_another_run_is_refused_with_what_differs(data, tmp_path):
    train(replace(quick(), epochs=1), data, tmp_path / "run", device="cpu")
    with pytest.raises(TouchstoneError, match="the folder has a run with another batch, seed") as error:
        train(replace(quick(), epochs=1, batch=7, seed=3), data, tmp_path / "run", device="cpu")
    assert "another folder" in str(error.value)
    other = replace(data, training=data.development)
    with pytest.raises(TouchstoneError) as error:
        train(replace(quick(), epochs=1), other, tmp_path / "run", device="cpu")
    assert error.value.code == Code.MISMATCH


def test_the_best_epoch_is_kept_and_patience_ends_training():
    state, settings = State(1.0), replace(quick(halved="on plateau"), patience=2, epochs=9)
    for accuracy in (0.5, 0.7, 0.7, 0.6):
        assert not state.finished(settings)
        state.add(settings, 1.0, accuracy, 0.0)
    assert (state.best, state.best_epoch, state.rate) == (0.7, 2, 1 / 4)
    assert state.finished(settings)


def test_the_rate_is_halved_every_second_epoch():
    state, settings = State(1.0), quick(halved="every second epoch")
    for accuracy in (0.1, 0.2, 0.3, 0.4):
        state.add(settings, 1.0, accuracy, 0.0)
    assert [line["rate"] for line in state.log] == [1, 1, 1 / 2, 1 / 2]


def test_training_that_diverges_is_said(data, tmp_path):
    with pytest.raises(TouchstoneError, match=r"(?s)diverged in epoch 1.*lower rate: Settings\(rate=…\)"):
        train(quick("decomposable_attention", rate=1e30), data, tmp_path / "run", device="cpu")


def test_a_full_disk_is_a_sentence_and_leaves_the_last_epoch_whole(data, tmp_path, monkeypatch):
    settings = quick()
    interrupted(settings, data, tmp_path / "run", after=2)
    whole = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()}

    def full(self, content):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        with pytest.raises(TouchstoneError, match=r"cannot be written \(no space left on device\)"):
            train(settings, data, tmp_path / "run", device="cpu")
    assert {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()} == whole
    train(settings, data, tmp_path / "again", device="cpu")
    train(settings, data, tmp_path / "run", device="cpu")
    assert weights(tmp_path / "run") == weights(tmp_path / "again")


@pytest.fixture(scope="module")
def trained(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "esim"
    train(replace(quick(), epochs=1), data, folder, device="cpu")
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def damage_config(files, **changes):
    files[CONFIG] = json.dumps({**json.loads(files[CONFIG]), **changes}).encode()


def cut_weights(files):
    files[WEIGHTS] = files[WEIGHTS][:-10]


def swap_words(files):
    found = json.loads(files["vocabulary.json"])
    files["vocabulary.json"] = json.dumps({**found, "known": found["known"][::-1]}).encode()


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (lambda files: damage_config(files, format=99), Code.UNREADABLE),
        (lambda files: damage_config(files, settings={}), Code.UNREADABLE),
        (lambda files: damage_config(files, training="#other"), Code.MISMATCH),
        (lambda files: files.update({CONFIG: b"{"}), Code.UNREADABLE),
        (cut_weights, Code.UNREADABLE),
        (lambda files: files.update({WEIGHTS: b"\x80\x04pickle"}), Code.UNREADABLE),
        (lambda files: files.pop(WEIGHTS), Code.NO_FILE),
        (lambda files: files.pop(CONFIG), Code.NO_FILE),
        (swap_words, Code.MISMATCH),
    ],
)
def test_a_checkpoint_that_cannot_be_used_is_refused_with_a_sentence(trained, damage, code, tmp_path):
    files = dict(trained)
    damage(files)
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises(TouchstoneError) as error:
        Labeller(tmp_path, device="cpu")
    assert error.value.code == code


@pytest.mark.parametrize("name", ["cuda:99", "gpu"])
def test_a_device_that_is_not_there_is_said(name, data, tmp_path):
    with pytest.raises(TouchstoneError, match=r"(?s)no such device.*use cpu"):
        train(quick(), data, tmp_path / "run", device=name)
