"""Signatures by content: what changes no number changes no digest, what may change one does."""

import numpy as np
import pytest

from touchstone.base.signature import content_digest, short_signature

COLUMNS = {"id": ["1", "2"], "label": ["neutral", None]}


def test_the_order_and_emptiness_of_columns_do_not_count():
    assert content_digest(**COLUMNS) == content_digest(label=("neutral", None), id=iter(["1", "2"]))
    assert content_digest(**COLUMNS) == content_digest(**COLUMNS, genre=[None, None])


@pytest.mark.parametrize(
    "other",
    [
        {"id": ["1", "2"], "label": ["neutral", "entailment"]},
        {"id": ["2", "1"], "label": ["neutral", None]},
        {"id": ["1", "2"], "gold": ["neutral", None]},
        {"id": ["1", "2", "3"], "label": ["neutral", None, None]},
        {"id": ["12"], "label": ["neutral"]},
        {"id": [1, 2], "label": ["neutral", None]},
    ],
)
def test_another_content_has_another_digest(other):
    assert content_digest(**other) != content_digest(**COLUMNS)


def test_arrays_count_with_their_values_shape_and_type():
    array = np.arange(6.0).reshape(2, 3)
    same = content_digest(x=array)
    assert content_digest(x=array.copy(order="F")) == same
    for other in (array.reshape(3, 2), array.astype(np.float32), array + 1, array.T):
        assert content_digest(x=other) != same


def test_a_long_column_is_digested_in_blocks(monkeypatch):
    monkeypatch.setitem(content_digest.__globals__, "BLOCK", 2)  # where the function looks, however it was imported
    digests = {content_digest(id=ids) for ids in (list("abcd"), list("abdc"), list("abc"), list("abcde"))}
    assert len(digests) == 4


def test_the_short_form_has_the_task_the_items_and_a_digest_of_all():
    whole = {"touchstone": "1.0", "task": "nli", "gold": "#1", "items": "3 pairs", "policy": "missing error"}
    short = short_signature(whole)
    assert short.startswith("touchstone 1.0 | nli | 3 pairs | #")
    assert short != short_signature(whole | {"policy": "missing zero"})
    assert short_signature({"touchstone": "1.0"}).startswith("touchstone 1.0 | #")
