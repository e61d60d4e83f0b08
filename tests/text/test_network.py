"""A model file that is none is refused with a sentence; what is packed is what runs."""

import numpy as np
import pytest
from training.packing import layer

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.text.analyser import MODEL
from touchstone.text.network import open_network


@pytest.mark.parametrize("content", [b"", b"nonsense", b"PK\x03\x04broken"])
def test_a_file_that_is_no_model_is_refused(tmp_path, content):
    (tmp_path / "x.model").write_bytes(content)
    with pytest.raises(TouchstoneError) as refused:
        open_network(tmp_path / "x.model")
    assert refused.value.code == Code.UNREADABLE


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(TouchstoneError) as refused:
        open_network(tmp_path / "absent.model")
    assert refused.value.code == Code.UNREADABLE


def test_a_cut_file_is_refused(tmp_path):
    (tmp_path / "cut.model").write_bytes(MODEL.read_bytes()[:100_000])
    with pytest.raises(TouchstoneError) as refused:
        open_network(tmp_path / "cut.model")
    assert refused.value.code == Code.UNREADABLE


def test_another_format_is_refused(tmp_path):
    with (tmp_path / "x.model").open("wb") as file:
        np.savez(file, format=np.array(99))
    with pytest.raises(TouchstoneError) as refused:
        open_network(tmp_path / "x.model")
    assert refused.value.code == Code.UNREADABLE


def test_a_packed_layer_is_the_layer_to_half_a_step():
    chance = np.random.default_rng(3)
    weight, bias = chance.normal(size=(5, 40)), chance.normal(size=5)
    packed = layer("x", weight, bias, 1 / 127)
    x = chance.integers(-127, 128, 40)
    found = (x @ packed["x.weight"].astype(np.int64) + packed["x.bias"]) * packed["x.unit"]
    bound = (np.abs(x).sum() + 1) / 2 * packed["x.unit"]
    assert (np.abs(found - (weight @ (x / 127) + bias)) <= bound * 1.001).all()


def test_the_model_says_how_it_was_trained():
    about = open_network(MODEL).about
    assert about["trained on"] == ["UD English EWT train", "UD English GUM train", "MultiNLI, labelled by teachers"]
    assert about["settings"]["seed"] == 3
