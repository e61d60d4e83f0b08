"""Figures of speed: pages print those that were measured, these keep their bounds, and ratios to peers are not lost."""

import pytest
from benchmarks import pages
from benchmarks.claims import _alike, exponent, kept, overhead, side, speed_up, table

LEAST = {
    ("bleu", "sacrebleu BLEU"): 0.3,
    ("ter", "sacrebleu TER"): 15.0,
    ("anova", "statsmodels"): 1.0,
}
"""The least ratio of the peer's CPU time to ours: less than half of what is measured."""


EXPONENT = 1.025
"""The largest exponent of growth: 1.02 in two digits; tests/engine/test_soak.py bounds it by 1.02."""


@pytest.mark.soak
@pytest.mark.parametrize(("ours", "peer"), LEAST)
def test_we_are_not_much_slower_beside_a_peer_than_we_were_and_compute_the_same(ours, peer, data, record_property):
    data("wmt12")
    own, theirs = side(ours), side(peer)
    ratio = theirs["seconds"] / own["seconds"]
    record_property("said", f"{ours} beside {peer}: {ratio:.2f} times as fast")
    assert _alike(own["figure"], theirs["figure"])
    assert ratio > LEAST[ours, peer]


def test_a_side_that_cannot_run_says_why(monkeypatch):
    monkeypatch.delenv("METEOR_JAR", raising=False)
    assert "METEOR_JAR is not set" in side("METEOR 1.5")["skipped"]


@pytest.mark.parametrize("path", pages.sections(kept()), ids=lambda path: path.name)
def test_pages_print_the_figures_that_were_measured(path):
    assert pages.printed(path) == pages.sections(kept())[path]


def test_measured_figures_keep_their_bounds():
    figures = kept()
    assert all(exponent(costs) <= EXPONENT for costs in figures["growth"].values())
    assert all(costs[-1][2] < 1.6 * costs[0][2] for costs in figures["growth"].values())
    assert overhead(figures) <= 0.05
    assert all(cost["piece"] <= 0.05 for cost in figures["engines"].values())
    assert speed_up(figures) >= 1.7


def test_the_plan_multiplies_measured_rates():
    figures = kept()
    size, seconds, _ = figures["growth"]["nli"][-1]
    hours = 1e9 * seconds / size / 3600
    lines = {line.split("|")[1].strip(): line.split("|")[4].strip() for line in pages.plan(figures).splitlines()}
    assert lines["10⁹ pairs"] == f"{hours:.1f} core-hours, {hours * 0.04:.2f} €"
    assert lines["CPU-time per million pairs"] == f"{seconds:.0f} s"


def test_the_table_has_ratios_skips_and_growth():
    from benchmarks.claims import CLAIMS

    sides = {name: {"skipped": "not here"} for _, ours, peers, _ in CLAIMS for name in (ours, *peers)}
    sides["bleu"] = {"seconds": 1.0, "megabytes": 100, "figure": [1.0]}
    sides["sacrebleu BLEU"] = {"seconds": 2.0, "megabytes": 50, "figure": [1.0]}
    costs = [(10**n, 1 + 10 ** (n - 5), 100) for n in range(3, 7)]
    processes = {"segments": 10, "in memory": [1, 1, 0], "one": [2, 0.02, 1.02], "two": [1.1, 0.1, 1.0]}
    found = {"sides": sides, "start-up": {"x": 0.5}, "growth": {"nli": costs}, "engines": {}, "processes": processes}
    lines = table(found)
    assert "overhead 4.0 %" in lines
    assert "two processes: 1.1 s | | one process: 2.0 s | | 1.82 |" in lines
    assert "| BLEU of 1,000 segments | 1, 100 | sacrebleu BLEU | 2, 50 | 2.00 | yes |" in lines
    assert "skipped: not here" in lines
    assert exponent(costs) == pytest.approx(1.0)
