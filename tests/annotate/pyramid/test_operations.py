"""Units and contributors made, named, merged, split and moved: what each step does, and when it is refused."""

from dataclasses import replace

import pytest


def unit(document, uid):
    return next(unit for unit in document.units if unit.uid == uid)


def by_id(document):
    return {mark.id: mark for mark in document.marks}


def ids(document, uid):
    return [mark.id for mark in unit(document, uid).contributors]


@pytest.fixture
def refuses(refused):
    """Give a check that a step is refused by a rule."""

    def check(rule, step, *given):
        with pytest.raises(refused) as caught:
            step(*given)
        assert caught.value.rule == rule
        return caught.value

    return check


def test_a_selection_becomes_a_unit_called_by_its_words(editor, blank, at):
    made = editor.new_unit(blank, [at("B", "dates\nand"), at("B", "apples")])
    assert made.units[0].label == "apples...dates and"
    mark = made.units[0].contributors[0]
    assert (mark.label, [part.label for part in mark.parts]) == ("apples...dates\nand", ["dates\nand", "apples"])
    assert (made.units[0].uid, mark.id, made.next_unit, made.next_mark) == ("1", "c1", 2, 2)


def test_a_typed_label_is_kept_as_typed_and_a_blank_one_is_refused(editor, refuses, blank, at):
    assert editor.new_unit(blank, [at("A", "figs")], "  Figs  grow ").units[0].label == "  Figs  grow "
    refuses("label", editor.new_unit, blank, [at("A", "figs")], " \n")
    refuses("label", editor.rename_unit, editor.new_unit(blank, [at("A", "figs")]), "1", "")
    refuses("label", editor.rename_unit, editor.new_unit(blank, [at("A", "figs")]), "1", "x" * 100_001)


def test_the_worked_example_has_the_weights_of_the_method(document):
    assert [one.weight for one in document.units] == [4, 2, 2, 1, 1]


def test_spans_outside_the_text_and_empty_ones_are_refused(editor, refuses, blank):
    length = len(blank.text)
    for span in [(-1, 3), (5, 5), (6, 5), (length - 1, length + 1)]:
        refuses("span", editor.new_unit, blank, [span])
    refuses("parts", editor.new_unit, blank, [])


def test_a_second_part_makes_a_discontinuous_contributor(editor, refuses, document, at):
    after = editor.add_part(document, "c1", at("A", "figs"))
    mark = by_id(after)["c1"]
    assert mark.label == "apples...figs"
    assert mark.spans == (at("A", "apples"), at("A", "figs"))
    refuses("same", editor.add_part, after, "c1", at("A", "figs"))


def test_a_span_given_twice_counts_once(editor, blank, at):
    assert len(editor.new_unit(blank, [at("A", "figs")] * 2).units[0].contributors[0].parts) == 1


def test_labels_and_comments_change_alone(editor, document):
    after = editor.comment_contributor(
        editor.comment_unit(editor.rename_unit(document, "2", "Loaves"), "2", "sure?"), "c5", "here"
    )
    assert (unit(after, "2").label, unit(after, "2").comment, by_id(after)["c5"].comment) == ("Loaves", "sure?", "here")
    assert editor.comment_unit(after, "2", "").units[1].comment is None
    assert unit(after, "1") == unit(document, "1")


def test_a_contributor_moves_with_its_id_and_leaves_an_empty_unit_behind(editor, refuses, document):
    (dates,) = ids(document, "4")
    after = editor.move_contributor(document, dates, "5")
    assert ids(after, "4") == []
    assert ids(after, "5") == [*ids(document, "5"), dates]
    refuses("same", editor.move_contributor, document, dates, "4")
    refuses("missing", editor.move_contributor, document, dates, "99")
    refuses("missing", editor.move_contributor, document, "c99", "5")


def test_a_move_to_a_unit_that_has_the_summary_is_refused_with_the_reason(editor, refuses, document):
    error = refuses("C2", editor.move_contributor, document, ids(document, "2")[0], "1")
    assert error.reason == "unit 1 would have two contributors from the summary S1.M.9.A.A"
    assert error.hint == "add the words to the contributor that is there, as a part"


def test_a_part_moves_to_a_unit_as_a_contributor_of_its_own(editor, refuses, document, at):
    two = editor.add_part(document, "c1", at("A", "figs"))
    after = editor.move_part_to_unit(two, "c1", 1, "5")
    new = ids(after, "5")[-1]
    assert (by_id(after)["c1"].label, by_id(after)[new].spans) == ("apples", (at("A", "figs"),))
    assert new not in by_id(document)
    refuses("C2", editor.move_part_to_unit, two, "c1", 1, "1")
    refuses("missing", editor.move_part_to_unit, two, "c1", 2, "5")


def test_the_only_part_takes_its_contributor_along(editor, document, at):
    (dates,) = ids(document, "4")
    assert ids(editor.move_part_to_unit(document, dates, 0, "5"), "5")[-1] == dates
    commented = editor.comment_contributor(document, dates, "why")
    loose = editor.new_unit(commented, [at("B", "grapes")])
    after = editor.move_part_to_contributor(loose, dates, 0, ids(loose, "6")[0])
    grown = by_id(after)[ids(loose, "6")[0]]
    assert dates not in by_id(after)
    assert (grown.label, grown.comment) == ("dates...grapes", "why")


def test_a_part_moves_to_another_contributor_of_the_same_summary(editor, refuses, document, at):
    two = editor.add_part(document, "c1", at("A", "figs"))
    bread = ids(two, "2")[0]
    after = editor.move_part_to_contributor(two, "c1", 1, bread)
    assert by_id(after)[bread].label == "bread...figs"
    assert by_id(after)["c1"].label == "apples"
    refuses("C3", editor.move_part_to_contributor, two, "c1", 1, ids(two, "4")[0])
    refuses("same", editor.move_part_to_contributor, two, "c1", 1, "c1")


def test_contributors_of_one_summary_join_and_a_shared_span_is_not_doubled(editor, refuses, document, at):
    two = editor.add_part(document, "c1", at("A", "bread"))
    bread = ids(two, "2")[0]
    after = editor.join_contributors(two, "c1", bread)
    assert by_id(after)["c1"].spans == (at("A", "apples"), at("A", "bread"))
    assert bread not in by_id(after)
    refuses("C3", editor.join_contributors, document, "c1", "c2")
    refuses("same", editor.join_contributors, document, "c1", "c1")


def test_units_merge_and_the_first_keeps_uid_and_label(editor, refuses, document):
    commented = editor.comment_unit(editor.comment_unit(document, "4", "a"), "5", "b")
    after = editor.merge(commented, "5", "4")
    assert [one.uid for one in after.units] == ["1", "2", "3", "5"]
    assert (unit(after, "5").label, unit(after, "5").comment) == ("eggs", "b\na")
    assert ids(after, "5") == [*ids(document, "5"), *ids(document, "4")]
    refuses("same", editor.merge, document, "4", "4")
    refuses("missing", editor.merge, document, "4", "9")


def test_a_merge_of_units_that_share_a_summary_offers_to_join_the_two(editor, refuses, document):
    error = refuses("C2", editor.merge, document, "2", "4")
    (bread_a, bread_b), (dates,) = ids(document, "2"), ids(document, "4")
    assert error.offer == [[bread_b, dates]]
    assert "S1.M.9.A.B" in error.reason
    assert error.hint == "join the two into one contributor with several parts, or cancel"
    after = editor.merge_and_join(document, "2", "4")
    assert ids(after, "2") == [bread_a, bread_b]
    assert by_id(after)[bread_b].label == "bread...dates"
    assert dates not in by_id(after)


def test_joining_keeps_every_contributor_of_a_summary_that_only_one_has(editor, document):
    after = editor.merge_and_join(document, "2", "3")
    assert [by_id(after)[one].label for one in ids(after, "2")] == ["bread...cider", "bread", "cider"]
    assert unit(after, "2").weight == 3


def test_a_split_moves_contributors_to_a_new_unit_after_the_old_one(editor, document):
    after = editor.split(document, "1", {"c1": None, "c3": None})
    assert [one.uid for one in after.units] == ["1", "6", "2", "3", "4", "5"]
    assert (ids(after, "1"), ids(after, "6"), unit(after, "6").label) == (["c2", "c4"], ["c1", "c3"], "apples")


def test_a_split_by_parts_makes_new_contributors(editor, document, at):
    two = editor.add_part(editor.add_part(document, "c1", at("A", "figs")), "c2", at("B", "grapes"))
    after = editor.split(two, "1", {"c1": [1], "c2": [0, 1]}, "Fruit")
    assert ids(after, "1") == ["c1", "c3", "c4"]
    new, whole = ids(after, "6")
    assert (by_id(after)["c1"].label, by_id(after)[new].label, whole) == ("apples", "figs", "c2")
    assert unit(after, "6").label == "Fruit"


def test_a_split_leaves_something_and_takes_something(editor, refuses, document):
    refuses("split", editor.split, document, "2", dict.fromkeys(ids(document, "2")))
    refuses("split", editor.split, document, "2", {})
    refuses("split", editor.split, document, "2", {ids(document, "2")[0]: []})
    refuses("missing", editor.split, document, "2", {"c1": None})
    refuses("missing", editor.split, document, "1", {"c1": [4]})


def test_deleting_a_unit_deletes_no_span(editor, document):
    after = editor.delete_unit(document, "1")
    assert [mark.id for mark in after.unassigned] == ["c1", "c2", "c3", "c4"]
    assert {mark.spans for mark in after.marks} == {mark.spans for mark in document.marks}


def test_unassigned_contributors_come_back_or_are_discarded_by_name(editor, refuses, document):
    after = editor.unassign(document, ["c2", "c1", "c2"])
    assert [mark.id for mark in after.unassigned] == ["c2", "c1"]
    assert ids(after, "1") == ["c3", "c4"]
    assert ids(editor.move_contributor(after, "c1", "1"), "1") == ["c3", "c4", "c1"]
    assert [mark.id for mark in editor.discard(after, "c2").unassigned] == ["c1"]
    refuses("assigned", editor.discard, after, "c3")


def test_a_part_is_unassigned_alone(editor, document, at):
    two = editor.add_part(document, "c1", at("A", "figs"))
    after = editor.unassign_part(two, "c1", 0)
    assert (by_id(after)["c1"].label, after.unassigned[0].label) == ("figs", "apples")
    assert editor.unassign_part(document, "c1", 0).unassigned[0].id == "c1"


def test_units_are_put_in_order(editor, refuses, document):
    after = editor.move_unit(document, "5", 1)
    assert [one.uid for one in after.units] == ["1", "5", "2", "3", "4"]
    assert editor.move_unit(after, "5", 4) == document
    refuses("same", editor.move_unit, document, "5", 5)


def test_numbers_are_never_given_twice(editor, document, at):
    after = editor.discard(editor.unassign(document, ["c10"]), "c10")
    assert editor.new_unit(editor.delete_unit(after, "5"), [at("A", "figs")]).units[-1].uid == "6"
    assert ids(editor.add_contributor(after, "5", [at("A", "figs")]), "5") == ["c11"]


def test_what_a_file_says_beyond_the_format_stays_with_its_unit(editor, document):
    odd = replace(document.units[1].extra, attributes={"colour": "red"})
    marked = replace(document, units=(document.units[0], replace(document.units[1], extra=odd), *document.units[2:]))
    assert unit(editor.rename_unit(marked, "2", "x"), "2").extra.attributes == {"colour": "red"}
