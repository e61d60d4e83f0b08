"""Texts of items that a run repeats: which columns hold them."""

from touchstone.io.texts import shared_roles


def test_a_column_of_empty_cells_or_of_one_name_holds_no_texts():
    gold = {"premise": ["a b", "c d", "e f"], "hypothesis": ["g", "h", "i"]}
    assert shared_roles(gold, {"premise": ["e f", "a b", None], "hypothesis": ["g", "h", "i"]}) == [
        "premise",
        "hypothesis",
    ]
    assert shared_roles(gold, {"premise": [None, None, None], "hypothesis": ["x", "x", "x"]}) == []
    assert shared_roles({"premise": [None, None, None]}, {"premise": ["a", "b", "c"]}) == []
