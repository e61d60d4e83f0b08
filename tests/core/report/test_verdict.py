"""The verdict is made from the numbers, and says no more than they do."""

import numpy as np
import pytest

import touchstone
from touchstone import items
from touchstone.base.tables import listed
from touchstone.core.report.verdict import verdict


def sentences(measures: dict[str, dict[str, np.ndarray]], measure: str, **options: object) -> str:
    """Return the verdict on systems from their scores by measure and system."""
    rows = [
        {"system": system, "item": item} | {name: float(scores[system][item]) for name, scores in measures.items()}
        for system in measures[measure]
        for item in range(len(measures[measure][system]))
    ]
    results = items.score(rows, **options)
    compared = [touchstone.compare(results, measure)] if len(results.systems) > 1 else []
    return " ".join(verdict(results, compared, measure)).replace("\N{NO-BREAK SPACE}", " ")


NOISE = np.random.default_rng(3).normal(0, 0.1, (4, 40))


def test_a_significant_lead_is_said_with_its_interval_and_p():
    text = sentences({"quality": {"a": 0.9 + NOISE[0], "b": 0.1 + NOISE[1]}}, "quality")
    assert text.startswith("a is ahead of b by 0.8")
    assert "(95% interval 0.7" in text
    assert "p < 0.001" in text
    assert "a is better on 40 of 40 items, worse on 0 and equal on 0." in text


def test_systems_that_do_not_differ_are_not_told_apart():
    text = sentences({"quality": {"a": 0.5 + NOISE[0], "b": 0.5 + NOISE[1], "c": NOISE[2]}}, "quality")
    first, second = sorted("ab", key=lambda name: -float((0.5 + NOISE["ab".index(name)]).mean()))
    assert text.startswith(
        f"{first} is ahead of c; it cannot be told apart from {second}: the difference from {second} is 0.0"
    )
    assert f"{second} is ahead of c by 0." in text


def test_where_lower_is_better_ahead_means_less_and_the_size_is_positive():
    text = sentences({"errors": {"a": 30 + NOISE[0], "b": 20 + NOISE[1]}}, "errors", lower_is_better=("errors",))
    assert text.startswith("b is ahead of a by 10.0 of errors (95% interval 10.0 to 10.1; p < 0.001)")


def test_measures_that_put_another_system_first_are_named():
    both = {"quality": {"a": 0.9 + NOISE[0], "b": NOISE[1]}, "speed": {"a": NOISE[2], "b": 0.9 + NOISE[3]}}
    assert sentences(both, "quality").endswith("; speed puts b first.")
    same = {"quality": both["quality"], "other": both["quality"]}
    assert sentences(same, "quality").endswith("; all measures put the same system first.")


def test_too_few_items_are_said_in_place_of_a_verdict_on_chance():
    text = sentences({"quality": {"a": np.array([0.9]), "b": np.array([0.1])}}, "quality")
    assert "No difference can be significant: 1 item is too few for 1 pair" in text


def test_many_systems_are_said_by_their_groups():
    systems = {name: place / 2 + NOISE[place % 4] for place, name in enumerate("abcde")}
    text = sentences({"quality": systems}, "quality")
    assert "The 5 systems form 5 groups, each significantly better than all below it, from e down to a." in text


def test_one_system_has_its_value():
    text = sentences({"quality": {"a": 0.5 + NOISE[0]}}, "quality")
    assert text.startswith("a scores 0.496 (interval 0.458 to 0.533)")
    assert text.endswith("under quality on 40 items.")


@pytest.mark.parametrize(
    ("names", "said"), [(["a"], "a"), (["a", "b"], "a and b"), (list("abcd"), "a, b and 2 others")]
)
def test_names_are_listed_and_counted_where_they_are_many(names, said):
    assert listed(names) == said


def test_measures_under_which_the_difference_is_not_significant_or_reversed_are_named():
    scores = {
        "quality": {"a": 0.9 + NOISE[0], "b": NOISE[1]},
        "style": {"a": 0.5 + NOISE[2], "b": 0.5 + NOISE[2] - np.where(np.arange(40) < 22, 0.01, -0.01)},
        "speed": {"a": 5 + NOISE[2], "b": 4 + NOISE[3]},
        "length": {"a": 5 + NOISE[2], "b": 4 + NOISE[3]},
    }
    rows = [
        {"system": system, "item": item} | {name: float(by[system][item]) for name, by in scores.items()}
        for system in "ab"
        for item in range(40)
    ]
    results = items.score(rows, lower_is_better=("speed",))
    compared = [touchstone.compare(results, name) for name in scores]
    *_, last = verdict(results, compared, "quality")
    assert last == "Under style the difference of a and b is not significant; under speed b is ahead, significantly."
