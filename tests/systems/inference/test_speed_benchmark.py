"""The benchmark of training speed runs, also where there is no GPU, and writes its profile."""

import json

import pytest

pytest.importorskip("torch", reason="the extra neural is not installed")

from benchmarks import nli_experiments

from touchstone.systems.inference.settings import DEFAULTS


@pytest.mark.parametrize(
    "models",
    [
        ["decomposable_attention", "kim"],
        pytest.param([name for name in DEFAULTS if name != "kim_instances"], marks=pytest.mark.soak),
    ],
)
def test_the_speed_of_models_is_written_with_its_profile(tmp_path, monkeypatch, models):
    sizes = {"BATCH": 4, "PLAIN_BATCH": 2, "WARM": 1, "PROFILED": 1, "WORDS": 30, "WIDTH": 8}
    for name, size in sizes.items():
        monkeypatch.setattr(nli_experiments, name, size)
    (tmp_path / "vocab.txt").write_text("\n".join(f"word{number}" for number in range(30)))
    out, pairs = tmp_path / "speed.jsonl", ["--pairs", "12", "--plain-pairs", "6", "--device", "cpu"]
    nli_experiments.main(["speed", str(tmp_path), "--profile", "--out", str(out), *pairs, "--models", *models])
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert [record["model"] for record in records] == models
    for record in records:
        assert record["seconds"] > 0
        assert record["plain_scaled"] > 0
        assert "aten::" in record["profile"]
        assert "aten::" in record["plain_profile"]
