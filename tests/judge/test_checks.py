"""A check of judges is one module: what it finds is in the output, the JSON and the report."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import touchstone
from touchstone.base.tables import Column, Table
from touchstone.judge import checks
from touchstone.judge.checks import all_checks, judge_check
from touchstone.show.finding import Statement
from touchstone.show.page import render

ROOT = Path(__file__).parents[2]


@pytest.fixture
def registry(monkeypatch):
    """A copy of the registry, so that checks of a test are gone after it."""
    all_checks()
    monkeypatch.setattr(checks, "_CHECKS", dict(checks._CHECKS))


def paired():
    random = np.random.default_rng(0)
    human = [{"system": s, "item": i, "score": float(random.normal())} for s in "ab" for i in range(30)]
    [both] = touchstone.paired_tables(human, [{**row, "score": row["score"] / 2} for row in human])
    return both


def test_the_check_of_the_contributors_guide_is_found_in_every_form(registry):
    guide = (ROOT / "docs" / "extending.md").read_text("utf-8")
    [block] = [
        block for block in re.findall(r"^```py\n(.*?)^```", guide, re.MULTILINE | re.DOTALL) if "@judge_check" in block
    ]
    exec(block, {"__name__": "touchstone.judge.checks.spread"})
    judging = touchstone.assess(paired())
    assert {"agreement", "bias", "calibration", "pairs", "ranking", "spread"} <= judging.checks.keys()
    sentence = "the judge's scores spread 0.50 times as far as people's"
    assert sentence in judging.sentences
    assert "spread of the judge, that of people being 1" in judging.to_text()
    [row] = [row for row in json.loads(judging.to_json())["rows"] if row["kind"] == "spread"]
    assert row["value"] == pytest.approx(0.5)
    html = render(judging.page())
    assert "<h2>Spread</h2>" in html
    assert "The judge&#39;s scores spread 0.50" in html


def test_a_check_that_cannot_say_anything_is_not_there(registry):
    @judge_check
    def silent(outputs):
        return None if len(outputs) > 5 else Statement("Silent")

    assert "silent" not in touchstone.assess(paired()).checks


def test_notes_and_signature_of_a_check_are_those_of_the_judge(registry):
    @judge_check
    def noted(outputs):
        table = Table([Column("outputs")], [[len(outputs)]])
        return Statement("Noted", [table], notes=["half of them"], signature={"half": "first"})

    judging = touchstone.assess(paired())
    assert judging.notes[-1] == "half of them"
    assert judging.to_dict()["signature"]["half"] == "first"
