"""Ratios to peers that a change must not lose: CPU time of both sides in one run, with wide margins."""

import pytest
from benchmarks.claims import _alike, exponent, side, table

LEAST = {
    ("bleu", "sacrebleu BLEU"): 0.3,
    ("ter", "sacrebleu TER"): 15.0,
    ("anova", "statsmodels"): 1.0,
}
"""The least ratio of the peer's CPU time to ours: less than half of what is measured."""


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


def test_the_table_has_ratios_skips_and_growth():
    from benchmarks.claims import CLAIMS

    sides = {name: {"skipped": "not here"} for _, ours, peers, _ in CLAIMS for name in (ours, *peers)}
    sides["bleu"] = {"seconds": 1.0, "megabytes": 100, "figure": [1.0]}
    sides["sacrebleu BLEU"] = {"seconds": 2.0, "megabytes": 50, "figure": [1.0]}
    costs = [(1000, 1.0, 100), (10**5, 2.0, 100), (10**6, 11.0, 110)]
    found = {"sides": sides, "start-up": {"x": 0.5}, "growth": {"nli": costs}, "engines": {}}
    lines = table(found)
    assert "| BLEU of 1,000 segments | 1, 100 | sacrebleu BLEU | 2, 50 | 2.00 | yes |" in lines
    assert "skipped: not here" in lines
    assert exponent(costs) == pytest.approx(1.0)
