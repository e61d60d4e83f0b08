"""Damaged weights: a changed byte is refused, and numbers that are not finite never become labels."""

import json
import random
import shutil
import struct

import numpy as np
import pytest

from touchstone import TouchstoneError
from touchstone.base.codes import Code

torch = pytest.importorskip("torch", reason="the extra neural is not installed")

from safetensors.torch import load_file, save  # noqa: E402
from tests.systems.inference.made_up import pairs, small, write_encoder, write_vectors  # noqa: E402
from training.nli_labeller import pack  # noqa: E402

from touchstone.base.files import Source  # noqa: E402
from touchstone.neural.encoder import Encoder  # noqa: E402
from touchstone.systems.inference.checkpoint import STATE, WEIGHTS  # noqa: E402
from touchstone.systems.inference.labelling import PairLabeller  # noqa: E402
from touchstone.systems.inference.labelling_file import MARKS, WORDS, read_labeller, scaled, write_labeller  # noqa: E402
from touchstone.systems.inference.predicting import Labeller  # noqa: E402
from touchstone.systems.inference.predictions import Predictions  # noqa: E402
from touchstone.systems.inference.pretrained import read_pretrained  # noqa: E402
from touchstone.systems.inference.training import make_data, make_pieces, train  # noqa: E402
from touchstone.tasks.nli.model import GoldSet  # noqa: E402


class Killed(BaseException):
    """Ends a training run."""


@pytest.fixture(scope="module")
def gold():
    return GoldSet(Source("made up", "0"), pairs(20), range(1, 21))


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The folder of a finished run."""
    folder = tmp_path_factory.mktemp("trained")
    data = make_data(pairs(40), pairs(10), write_vectors(folder / "v.txt"))
    train(small("esim", width=4, classifier=4, epochs=1, patience=1), data, folder / "run", device="cpu")
    return folder / "run"


@pytest.fixture
def run(trained, tmp_path):
    """A copy of the folder, to be damaged."""
    return shutil.copytree(trained, tmp_path / "run")


def flipped(raw: bytes, place: int) -> bytes:
    return raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :]


def numbers_start(raw: bytes) -> int:
    return 8 + struct.unpack_from("<Q", raw)[0]


def without_checksum(raw: bytes) -> bytes:
    """Return a file of weights as it was written before checksums."""
    start = numbers_start(raw)
    header = json.loads(raw[8:start])
    del header["__metadata__"]["sha256"]
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + raw[start:]


def test_a_changed_byte_in_a_checkpoint_is_refused_or_changes_nothing(run, gold):
    raw = (run / WEIGHTS).read_bytes()
    labels = Labeller(run, device="cpu").predict(gold).probabilities
    start = numbers_start(raw)
    inside = random.Random(1).sample(range(start, len(raw)), 12)
    for place in (*range(0, start, max(1, start // 12)), *inside):
        (run / WEIGHTS).write_bytes(flipped(raw, place))
        try:
            found = Labeller(run, device="cpu").predict(gold).probabilities
        except TouchstoneError:
            continue
        assert place < start, "a changed weight was not noticed"
        np.testing.assert_array_equal(found, labels)


def test_a_checkpoint_written_before_checksums_gives_the_same_labels(run, gold):
    labels = Labeller(run, device="cpu").predict(gold).probabilities
    (run / WEIGHTS).write_bytes(without_checksum((run / WEIGHTS).read_bytes()))
    np.testing.assert_array_equal(Labeller(run, device="cpu").predict(gold).probabilities, labels)


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_weights_that_are_not_finite_give_no_labels(run, gold, number):
    tensors = load_file(run / WEIGHTS)
    raw = (run / WEIGHTS).read_bytes()
    about = json.loads(raw[8 : numbers_start(raw)])["__metadata__"]["about"]
    name = max(tensors, key=lambda name: tensors[name].numel() if tensors[name].is_floating_point() else 0)
    (run / WEIGHTS).write_bytes(save({**tensors, name: torch.full_like(tensors[name], number)}, {"about": about}))
    with pytest.raises(TouchstoneError) as error:
        Labeller(run, device="cpu").predict(gold)
    assert error.value.code == Code.NOT_FINITE


def test_a_changed_byte_in_a_run_that_goes_on_is_refused(tmp_path):
    data = make_data(pairs(40), pairs(10), write_vectors(tmp_path / "v.txt"))
    settings = small("esim", width=4, classifier=4, epochs=3, patience=3)

    def kill(line):
        raise Killed

    with pytest.raises(Killed):
        train(settings, data, tmp_path / "run", device="cpu", tell=kill)
    file = tmp_path / "run" / STATE
    file.write_bytes(flipped(file.read_bytes(), len(file.read_bytes()) - 100))
    with pytest.raises(TouchstoneError, match="is damaged"):
        train(settings, data, tmp_path / "run", device="cpu")


@pytest.fixture(scope="module")
def labeller(tmp_path_factory):
    """The file of a labeller."""
    folder = tmp_path_factory.mktemp("labeller")
    encoder = read_pretrained(write_encoder(folder / "encoder"))
    settings = small("cross_encoder", **encoder.sizes, epochs=1, patience=1)
    train(settings, make_pieces(pairs(20), pairs(10), encoder), folder / "run", device="cpu")
    pack([folder / "run"], folder / "labeller.safetensors", trained_on=["snli"])
    return folder / "labeller.safetensors"


def test_a_changed_byte_in_a_labeller_is_refused_and_one_written_before_checksums_is_read(labeller, tmp_path, gold):
    raw, file = labeller.read_bytes(), tmp_path / "labeller.safetensors"
    labels = PairLabeller(labeller).label(gold).probabilities
    for place in random.Random(1).sample(range(numbers_start(raw), len(raw)), 12):
        file.write_bytes(flipped(raw, place))
        with pytest.raises(TouchstoneError, match="is damaged"):
            PairLabeller(file)
    file.write_bytes(without_checksum(raw))
    np.testing.assert_array_equal(PairLabeller(file).label(gold).probabilities, labels)


def test_a_labeller_with_weights_that_are_not_finite_gives_no_labels(labeller, tmp_path, gold):
    file = read_labeller(labeller)
    weights = {name: np.array(one) for name, one in file.weights.items()}
    weights["classifier.bias"][0] = np.nan
    rows = scaled(*file.words)
    marks = len(rows) - len(file.pieces)
    every = {**weights, MARKS: rows[:marks], WORDS: rows[marks:]}
    about = {name: value for name, value in file.about.items() if name not in ("format", "heads", "longest")}
    write_labeller(tmp_path / "l.safetensors", every, file.pieces, heads=file.heads, longest=file.longest, **about)
    with pytest.raises(TouchstoneError) as error:
        PairLabeller(tmp_path / "l.safetensors").label(gold)
    assert error.value.code == Code.NOT_FINITE


def test_an_encoder_with_weights_that_are_not_finite_gives_no_vectors(tmp_path):
    folder = write_encoder(tmp_path / "encoder")
    assert list(Encoder(folder).encode(["the small cup"]))
    tensors = load_file(folder / "model.safetensors")
    tensors["encoder.layer.1.output.dense.bias"][0] = np.nan
    (folder / "model.safetensors").write_bytes(save(tensors))
    with pytest.raises(TouchstoneError, match="the encoder gives numbers that are not finite"):
        list(Encoder(folder).encode(["the small cup"]))


def test_predictions_that_are_finite_are_taken():
    assert Predictions(["1"], np.array([[0.25, 0.5, 0.25]]), 3, 0).labels == ["entailment"]
