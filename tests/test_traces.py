"""Scoring one item goes through few files and few calls, so that a reader can follow it."""

import pytest
from tests.traces import score_one_item, trace

LIMITS = {"lexsub": (32, 15), "nli": (32, 14), "pyramid": (30, 14), "items": (33, 14), "mt": (50, 26)}
"""Most files entered, and the greatest depth of calls."""


@pytest.mark.parametrize("name", LIMITS)
def test_scoring_one_item_stays_easy_to_follow(name):
    call = score_one_item(name)
    call()  # imports do not count
    found = trace(call)
    files, depth = LIMITS[name]
    assert len(found.files) <= files, "\n".join(sorted(found.files))
    assert found.depth <= depth, "\n".join(found.deepest)


def test_a_trace_has_the_files_entered_and_the_deepest_stack():
    from touchstone.base.ids import Policy

    found = trace(lambda: str(Policy()))
    assert found.files == {"base/ids.py": {"Policy.__post_init__", "Policy.__str__"}}
    assert found.deepest == ["base/ids.py: Policy.__post_init__"]
