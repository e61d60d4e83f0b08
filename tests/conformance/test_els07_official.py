"""SemEval-2007 task 10, English lexical substitution: what the task's own scorer prints for nine files.

Figures: output of the official scorer (Perl, 17,656 bytes, MD5 b13bef50…) on the task's gold.
"""

import numpy as np
import pytest

from touchstone.tasks.lexsub.official import percent, read_gold, score_best, score_oot

# file, total, attempted, P, R, with a mode, attempted, mode P, mode R
OFFICIAL_FIGURES = [
    ("WordTune_raw_test.best", 1696, 1656, "15.32", "14.96", 1230, 1199, "26.19", "25.53"),
    ("WordTune_raw_test.oot", 1696, 1656, "36.96", "36.09", 1230, 1199, "51.88", "50.57"),
    ("WordTune_lemmatized_test.best", 1696, 1656, "18.30", "17.87", 1230, 1199, "30.78", "30.00"),
    ("WordTune_lemmatized_test.oot", 1696, 1656, "46.14", "45.05", 1230, 1199, "64.05", "62.44"),
    ("goldtop_test.best", 1696, 1696, "45.76", "45.76", 1230, 1230, "100.00", "100.00"),
    ("goldtop_test.oot", 1696, 1696, "99.98", "99.98", 1230, 1230, "100.00", "100.00"),
    ("goldtop_trial.best", 295, 295, "46.00", "46.00", 203, 203, "97.04", "97.04"),
    ("goldtop_trial.oot", 295, 295, "99.80", "99.80", 203, 203, "97.04", "97.04"),
    ("BL_trial.best", 295, 294, "7.49", "7.47", 203, 203, "9.85", "9.85"),
]


def text(path):
    """Read as the scorer reads: bytes, so that neither an encoding nor a line end is interpreted."""
    return path.read_bytes().decode("latin-1")


@pytest.mark.parametrize("official", OFFICIAL_FIGURES, ids=lambda row: row[0])
def test_the_official_figures_come_out_to_the_last_digit(data, official):
    file, *figures = official
    gold = read_gold(text(data("ls07") / ("trial.gold" if "trial" in file else "test.gold")))
    score = score_best if file.endswith(".best") else score_oot
    scores = score(gold, text(data("ls07") / "runs" / file))
    credit, hits = scores.credit.sum(), scores.mode_hit.sum()
    items, attempted = len(scores.ids), scores.attempted.sum()
    modes, mode_attempted = scores.has_mode.sum(), scores.mode_attempted.sum()
    totals = [items, attempted, percent(credit / attempted), percent(credit / items)]
    assert [*totals, modes, mode_attempted, percent(hits / mode_attempted), percent(hits / modes)] == figures


def test_one_baseline_item_reuses_answers_and_six_trial_modes_cannot_be_hit(data):
    """Item 159 has no answer there; the line before it says `untamed`, which is 2 of its own 5 responses."""
    gold = read_gold(text(data("ls07") / "trial.gold"))
    scores = score_best(gold, text(data("ls07") / "runs" / "BL_trial.best"))
    assert [scores.ids[place] for place in np.flatnonzero(~scores.attempted)] == ["159"]
    assert scores.credit[scores.ids.index("159")] == 2 / 5
    hyphenated = [name for name, item in gold.items() if item.mode and "-" in item.mode]
    assert hyphenated == ["35", "261", "262", "266", "267", "269"]
