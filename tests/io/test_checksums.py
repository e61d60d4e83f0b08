"""A changed byte in any file with weights is refused, or changes nothing; files written before checksums still load."""

import base64
import hashlib
import json
import random
import shutil
from pathlib import Path

import numpy as np
import pytest

import touchstone
from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.io.checksums import SUMS, check_installed, check_shipped, check_tensors, sealed_tensors
from touchstone.systems.pyramids import Matcher, matcher
from touchstone.systems.pyramids.learning import Curves
from touchstone.systems.substitution import config
from touchstone.text import network

PACKAGE = Path(touchstone.__file__).parent
LISTS = sorted(PACKAGE.rglob(SUMS))


def places(size: int, count: int) -> list[int]:
    """Return the first bytes of a file, its last ones, and some between them."""
    return sorted({*range(min(24, size)), *range(size - 8, size), *random.Random(1).sample(range(size), count)})


def flipped(raw: bytes, place: int) -> bytes:
    """Return the bytes with one bit changed."""
    return raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :]


@pytest.mark.parametrize("sums", LISTS, ids=lambda sums: sums.parent.name)
def test_the_lists_of_checksums_are_those_of_the_files(sums):
    for line in sums.read_text().splitlines():
        digest, name = line.split(maxsplit=1)
        assert hashlib.sha256(sums.with_name(name).read_bytes()).hexdigest() == digest


def test_every_file_of_the_package_with_weights_is_listed_or_checks_itself():
    listed = {sums.with_name(line.split(maxsplit=1)[1]) for sums in LISTS for line in sums.read_text().splitlines()}
    weights = {path for end in ("safetensors", "model", "toml") for path in PACKAGE.rglob(f"*.{end}")}
    weights |= set((PACKAGE / "systems/pyramids").glob("matcher*.json"))
    assert weights <= listed
    containers = {path for end in ("ngrams", "meanings", "lexicon") for path in PACKAGE.rglob(f"*.{end}")}
    assert all(path.read_bytes()[:8] == b"TSTONELX" for path in containers)  # which holds a checksum


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """Copies of the folders of shipped files, which are read in place of them."""
    for name, module in {"text": network, "systems/pyramids": matcher, "systems/substitution": config}.items():
        target = tmp_path / name
        target.mkdir(parents=True)
        for sums in (PACKAGE / name).rglob(SUMS):
            for line in ["0 " + SUMS, *sums.read_text().splitlines()]:
                file = sums.with_name(line.split(maxsplit=1)[1])
                copy = target / file.relative_to(PACKAGE / name)
                copy.parent.mkdir(exist_ok=True)
                shutil.copy(file, copy)
        monkeypatch.setattr(module, "__file__", str(target / "module.py"))
    monkeypatch.setattr(config, "SHIPPED", tmp_path / "systems/substitution/shipped")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("text/english.model", lambda folder: network.open_network(folder / "text/english.model")),
        ("systems/pyramids/matcher.json", lambda folder: Matcher()),
        ("systems/substitution/shipped/lm.toml", lambda folder: config.shipped_config("lm")),
    ],
)
def test_a_changed_byte_in_a_shipped_file_is_refused(shipped, name, read):
    file = shipped / name
    raw = file.read_bytes()
    assert read(shipped)
    for place in places(len(raw), 6):
        file.write_bytes(flipped(raw, place))
        with pytest.raises(TouchstoneError):
            read(shipped)
    file.write_bytes(raw)
    assert read(shipped)


def test_a_changed_byte_in_what_the_reader_of_statements_has_learnt_is_refused(shipped, monkeypatch):
    pytest.importorskip("torch", reason="the extra neural is not installed")
    monkeypatch.setattr(matcher, "installed", lambda package: shipped)
    file = shipped / "systems/pyramids" / matcher.CLAIMS
    file.write_bytes(flipped(file.read_bytes(), 100_000))
    with pytest.raises(TouchstoneError) as error:
        matcher.open_network("smollm2")
    assert error.value.code == Code.UNREADABLE


def curves() -> Curves:
    """A small model of the matcher."""
    return Curves(("a", "b"), np.array([[0.5, 0.25]]), np.array([[1.0, 2.0], [0.5, -1.0]]), 0.125)


def test_a_changed_byte_in_a_matcher_is_refused_or_changes_nothing(tmp_path):
    file = tmp_path / "model.json"
    matcher.write_model(file, curves(), {"data": "made up"})

    def read() -> str:
        value = matcher.parse_json(file.read_text("utf-8"), file="m")
        matcher.check_object(value, "m", "again")
        return json.dumps(list(value.items())[:-1])  # without the checksum, whose own name may be hit

    raw, whole = file.read_bytes(), read()
    for place in range(len(raw)):
        file.write_bytes(flipped(raw, place))
        try:
            assert read() == whole
        except (TouchstoneError, UnicodeDecodeError):
            continue


def test_a_matcher_written_before_checksums_is_read(tmp_path):
    shutil.copy(PACKAGE / "systems/pyramids/matcher.json", tmp_path / "mine.json")
    assert "sha256" not in json.loads((tmp_path / "mine.json").read_text())
    assert Matcher(tmp_path / "mine.json").curves.bias == Matcher().curves.bias


def test_a_changed_weight_of_a_substitution_system_is_refused_and_a_layout_is_not(tmp_path):
    file = tmp_path / "mine.toml"
    learned = config.Config("lm", 2, True, {"lm.left": 1.25, "sense.order": -0.5}, 0.25, learned={"from": "trial"})
    file.write_text(learned.to_toml())
    assert config.read_config(file) == learned
    file.write_text("# mine\n" + learned.to_toml().replace("1.25", "1.250"))
    assert config.read_config(file) == learned
    file.write_text(learned.to_toml().replace("1.25", "1.35"))
    with pytest.raises(TouchstoneError) as error:
        config.read_config(file)
    assert error.value.code == Code.UNREADABLE
    file.write_text(learned.to_toml().replace("1.25", "1.35").partition("\n[checksum]")[0])
    assert config.read_config(file).weights["lm.left"] == 1.35


def test_tensors_with_a_checksum_are_those_without(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy", reason="the extra neural is not installed")
    arrays = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.array([1, 2], np.int64)}
    plain = safetensors.save(arrays, {"about": "made up"})
    sealed = sealed_tensors(plain)
    check_tensors(plain, "plain", "again")
    check_tensors(sealed, "sealed", "again")
    assert {name: one.tolist() for name, one in safetensors.load(sealed).items()} == {
        name: one.tolist() for name, one in arrays.items()
    }
    for place in range(len(sealed) - 40, len(sealed)):
        with pytest.raises(TouchstoneError) as error:
            check_tensors(flipped(sealed, place), "sealed", "copy it again")
        assert error.value.code == Code.UNREADABLE


def test_a_file_of_an_installed_package_is_checked_against_what_pip_recorded(tmp_path, monkeypatch):
    package, info = tmp_path / "weights_of_others", tmp_path / "weights_of_others-1.0.dist-info"
    package.mkdir()
    info.mkdir()
    file = package / "model.safetensors"
    file.write_bytes(b"numbers")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: weights-of-others\nVersion: 1.0\n")
    digest = hashlib.sha256(b"numbers").digest()
    value = base64.urlsafe_b64encode(digest).decode().rstrip("=")
    (info / "RECORD").write_text(f"weights_of_others/model.safetensors,sha256={value},7\n")
    monkeypatch.syspath_prepend(tmp_path)
    check_installed(file)
    file.write_bytes(b"numberz")
    with pytest.raises(TouchstoneError, match=r"(?s)model.safetensors: is damaged.*install the package again"):
        check_installed(file)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "model.safetensors").write_bytes(b"mine")
    check_installed(tmp_path / "other" / "model.safetensors")


def test_a_file_that_is_not_listed_is_left_as_it_is(tmp_path):
    (tmp_path / SUMS).write_text(f"{hashlib.sha256(b'a').hexdigest()}  a.toml\n")
    check_shipped(tmp_path / "b.toml", hashlib.sha256(b"b").hexdigest())
    check_shipped(tmp_path / "a.toml", hashlib.sha256(b"a").hexdigest())
    with pytest.raises(TouchstoneError) as error:
        check_shipped(tmp_path / "a.toml", hashlib.sha256(b"b").hexdigest())
    assert error.value.code == Code.UNREADABLE
