"""Scoring: when it is worth starting processes."""

import os

from touchstone.core import scoring


def test_processes_start_from_ten_thousand_items_one_for_each_core(monkeypatch):
    monkeypatch.setattr(scoring, "_start_method", lambda: "fork")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2}, raising=False)
    assert (scoring._usual_jobs(9_999), scoring._usual_jobs(10_000)) == (1, 3)
    monkeypatch.setattr(scoring, "_start_method", lambda: "spawn")
    assert scoring._usual_jobs(10_000) == 1
