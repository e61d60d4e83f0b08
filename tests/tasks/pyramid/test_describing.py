"""Units by weight: what the token rules see."""

import pytest

from touchstone.pyramid import Unit, properties, read
from touchstone.tasks.pyramid.describing import examples_table, label_properties, name_words, tier_table


def seen(label: str, names: frozenset[str] = frozenset()):
    return label_properties(Unit("1", label, ()), names)


@pytest.mark.parametrize(
    ("label", "names"),
    [
        ("The ferry sank near Kiel", ("Kiel",)),
        ("Ferries sink", ()),
        ("Kiel has a ferry", ("Kiel",)),
        ("NATO met", ("NATO",)),
        ("McKay met Li Na", ("McKay", "Li", "Na")),
    ],
)
def test_a_name_has_a_capital_inside_the_label_or_is_known_from_the_texts(label, names):
    assert seen(label, frozenset({"Kiel"})).names == names


def test_words_with_capitals_inside_sentences_and_never_without_are_names():
    assert name_words(["Boats left Kiel. They saw May come.", "They may stay."]) == {"Kiel"}


@pytest.mark.parametrize(
    ("label", "numbers"),
    [("Over 1,200 people and 3.5% left", ("1,200", "3.5%")), ("Forty men, one dog", ("Forty",)), ("No one left", ())],
)
def test_numbers_are_digits_and_number_words_but_not_one(label, numbers):
    assert seen(label).numbers == numbers


def test_pronouns_of_the_third_person_point_elsewhere():
    assert seen("They said it was theirs, as I know").pronouns == ("They", "it", "theirs")


@pytest.mark.parametrize(
    ("label", "definites"),
    [
        ("The escape hatch was too badly damaged", ("The escape hatch",)),
        ("The ship was lost in the Barents Sea", ("The ship",)),
        ("The Kursk sank", ()),
        ("The captain of the Kursk spoke", ()),
        ("The only survivor spoke", ()),
        ("The largest ship sank", ()),
        ("The 1999 treaty failed", ()),
        ("The man who spoke left", ()),
        ("Such ships sink", ("Such ships",)),
        ("Divers opened the", ()),
    ],
)
def test_a_definite_phrase_points_elsewhere_unless_its_label_says_what_is_meant(label, definites):
    assert seen(label).definites == definites


def test_the_table_has_a_row_for_each_weight_with_shares_and_lengths(demo):
    pyramid = read(demo / "T01.pyr")
    table = tier_table([pyramid])
    assert [row[:2] for row in table.rows] == [[4, 2], [3, 4], [2, 5], [1, 6]]
    # "The bridge at Harrow Ford is closed" and "The pillars of the bridge have cracks": 7 words each, one with a name
    assert table.rows[0][2:4] == [7.0, 0.5]
    assert len(properties(pyramid)) == 17


def test_the_examples_show_what_points(demo):
    rows = examples_table([read(demo / "T01.pyr")], each=1).rows
    assert rows[0] == [4, "The bridge at Harrow Ford is closed", None]
    assert rows[1] == [4, "The pillars of the bridge have cracks", "the bridge"]
