"""The figures of SWORDS v1.1 dev: ``metrics.json`` is what the benchmark's own evaluation script printed for its
runs."""

import json

import pytest

from touchstone import lexsub
from touchstone.core.resampling import Resampling


@pytest.mark.parametrize("run", ["gpt3", "alphabetical", "gold_order"])
@pytest.mark.filterwarnings("ignore:alphabetical:touchstone.TouchstoneWarning")  # which is what this run is made for
def test_all_figures_of_the_benchmarks_own_script(data, run):
    folder = data("swords")
    official = json.loads((folder / "metrics.json").read_text())[run]
    results = lexsub.score(
        folder / "swords-v1.1_dev.json.gz",
        {run: folder / "runs" / f"{run}.lsr.json.gz"},
        ["swords"],
        resampling=Resampling("none"),
    )
    ours = {row.measure.removeprefix("swords."): 100 * row.value for row in results.rows}
    assert ours == pytest.approx(official, abs=5e-5)
    assert len(official) == 21
