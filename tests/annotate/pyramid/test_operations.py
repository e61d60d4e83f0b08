"""Units and contributors made, named, merged, split and moved: what each step does, and when it is refused."""

from dataclasses import replace

import pytest

from touchstone.annotate.pyramid import (
    RefusalError,
    add_contributor,
    add_part,
    comment_contributor,
    comment_unit,
    delete_unit,
    discard,
    join_contributors,
    merge,
    merge_and_join,
    move_contributor,
    move_part_to_contributor,
    move_part_to_unit,
    move_unit,
    new_unit,
    rename_unit,
    split,
    unassign,
    unassign_part,
)


def unit(document, uid):
    return document.units[document.places[uid]]


def ids(document, uid):
    return [mark.id for mark in unit(document, uid).contributors]


def refused(rule, step, *given):
    with pytest.raises(RefusalError) as caught:
        step(*given)
    assert caught.value.rule == rule
    return caught.value


def test_a_selection_becomes_a_unit_called_by_its_words(blank, at):
    made = new_unit(blank, [at("B", "dates\nand"), at("B", "apples")])
    assert made.units[0].label == "apples...dates and"
    mark = made.units[0].contributors[0]
    assert (mark.label, [part.label for part in mark.parts]) == ("apples...dates\nand", ["dates\nand", "apples"])
    assert (made.units[0].uid, mark.id, made.next_unit, made.next_mark) == ("1", "c1", 2, 2)


def test_a_typed_label_is_kept_as_typed_and_a_blank_one_is_refused(blank, at):
    assert new_unit(blank, [at("A", "figs")], "  Figs  grow ").units[0].label == "  Figs  grow "
    refused("label", new_unit, blank, [at("A", "figs")], " \n")
    refused("label", rename_unit, new_unit(blank, [at("A", "figs")]), "1", "")
    refused("label", rename_unit, new_unit(blank, [at("A", "figs")]), "1", "x" * 100_001)


def test_the_worked_example_has_the_weights_of_the_method(document):
    assert [one.weight for one in document.units] == [4, 2, 2, 1, 1]


def test_spans_outside_the_text_and_empty_ones_are_refused(blank):
    length = len(blank.text)
    for span in [(-1, 3), (5, 5), (6, 5), (length - 1, length + 1)]:
        refused("span", new_unit, blank, [span])
    refused("parts", new_unit, blank, [])


def test_a_second_part_makes_a_discontinuous_contributor(document, at):
    after = add_part(document, "c1", at("A", "figs"))
    mark = after.by_id["c1"]
    assert mark.label == "apples...figs"
    assert mark.spans == (at("A", "apples"), at("A", "figs"))
    refused("same", add_part, after, "c1", at("A", "figs"))


def test_a_span_given_twice_counts_once(blank, at):
    assert len(new_unit(blank, [at("A", "figs")] * 2).units[0].contributors[0].parts) == 1


def test_labels_and_comments_change_alone(document):
    after = comment_contributor(comment_unit(rename_unit(document, "2", "Loaves"), "2", "sure?"), "c5", "here")
    assert (unit(after, "2").label, unit(after, "2").comment, after.by_id["c5"].comment) == ("Loaves", "sure?", "here")
    assert comment_unit(after, "2", "").units[1].comment is None
    assert unit(after, "1") == unit(document, "1")


def test_a_contributor_moves_with_its_id_and_leaves_an_empty_unit_behind(document):
    (dates,) = ids(document, "4")
    after = move_contributor(document, dates, "5")
    assert ids(after, "4") == []
    assert ids(after, "5") == [*ids(document, "5"), dates]
    refused("same", move_contributor, document, dates, "4")
    refused("missing", move_contributor, document, dates, "99")
    refused("missing", move_contributor, document, "c99", "5")


def test_a_move_to_a_unit_that_has_the_summary_is_refused_with_the_reason(document):
    error = refused("C2", move_contributor, document, ids(document, "2")[0], "1")
    assert error.to_json()["reason"] == "unit 1 would have two contributors from the summary S1.M.9.A.A"
    assert error.hint == "add the words to the contributor that is there, as a part"


def test_a_part_moves_to_a_unit_as_a_contributor_of_its_own(document, at):
    two = add_part(document, "c1", at("A", "figs"))
    after = move_part_to_unit(two, "c1", 1, "5")
    new = ids(after, "5")[-1]
    assert (after.by_id["c1"].label, after.by_id[new].spans) == ("apples", (at("A", "figs"),))
    assert new not in document.by_id
    refused("C2", move_part_to_unit, two, "c1", 1, "1")
    refused("missing", move_part_to_unit, two, "c1", 2, "5")


def test_the_only_part_takes_its_contributor_along(document, at):
    (dates,) = ids(document, "4")
    assert ids(move_part_to_unit(document, dates, 0, "5"), "5")[-1] == dates
    commented = comment_contributor(document, dates, "why")
    loose = new_unit(commented, [at("B", "grapes")])
    after = move_part_to_contributor(loose, dates, 0, ids(loose, "6")[0])
    grown = after.by_id[ids(loose, "6")[0]]
    assert dates not in after.by_id
    assert (grown.label, grown.comment) == ("dates...grapes", "why")


def test_a_part_moves_to_another_contributor_of_the_same_summary(document, at):
    two = add_part(document, "c1", at("A", "figs"))
    bread = ids(two, "2")[0]
    after = move_part_to_contributor(two, "c1", 1, bread)
    assert after.by_id[bread].label == "bread...figs"
    assert after.by_id["c1"].label == "apples"
    refused("C3", move_part_to_contributor, two, "c1", 1, ids(two, "4")[0])
    refused("same", move_part_to_contributor, two, "c1", 1, "c1")


def test_contributors_of_one_summary_join_and_a_shared_span_is_not_doubled(document, at):
    two = add_part(document, "c1", at("A", "bread"))
    bread = ids(two, "2")[0]
    after = join_contributors(two, "c1", bread)
    assert after.by_id["c1"].spans == (at("A", "apples"), at("A", "bread"))
    assert bread not in after.by_id
    refused("C3", join_contributors, document, "c1", "c2")
    refused("same", join_contributors, document, "c1", "c1")


def test_units_merge_and_the_first_keeps_uid_and_label(document):
    commented = comment_unit(comment_unit(document, "4", "a"), "5", "b")
    after = merge(commented, "5", "4")
    assert [one.uid for one in after.units] == ["1", "2", "3", "5"]
    assert (unit(after, "5").label, unit(after, "5").comment) == ("eggs", "b\na")
    assert ids(after, "5") == [*ids(document, "5"), *ids(document, "4")]
    refused("same", merge, document, "4", "4")
    refused("missing", merge, document, "4", "9")


def test_a_merge_of_units_that_share_a_summary_offers_to_join_the_two(document):
    error = refused("C2", merge, document, "2", "4")
    (bread_a, bread_b), (dates,) = ids(document, "2"), ids(document, "4")
    assert error.offer == ((bread_b, dates),)
    assert "S1.M.9.A.B" in str(error)
    assert "join the two into one contributor with several parts, or cancel" in str(error)
    after = merge_and_join(document, "2", "4")
    assert ids(after, "2") == [bread_a, bread_b]
    assert after.by_id[bread_b].label == "bread...dates"
    assert dates not in after.by_id


def test_joining_keeps_every_contributor_of_a_summary_that_only_one_has(document):
    after = merge_and_join(document, "2", "3")
    assert [after.by_id[one].label for one in ids(after, "2")] == ["bread...cider", "bread", "cider"]
    assert unit(after, "2").weight == 3


def test_a_split_moves_contributors_to_a_new_unit_after_the_old_one(document):
    after = split(document, "1", {"c1": None, "c3": None})
    assert [one.uid for one in after.units] == ["1", "6", "2", "3", "4", "5"]
    assert (ids(after, "1"), ids(after, "6"), unit(after, "6").label) == (["c2", "c4"], ["c1", "c3"], "apples")


def test_a_split_by_parts_makes_new_contributors(document, at):
    two = add_part(add_part(document, "c1", at("A", "figs")), "c2", at("B", "grapes"))
    after = split(two, "1", {"c1": [1], "c2": [0, 1]}, "Fruit")
    assert ids(after, "1") == ["c1", "c3", "c4"]
    new, whole = ids(after, "6")
    assert (after.by_id["c1"].label, after.by_id[new].label, whole) == ("apples", "figs", "c2")
    assert unit(after, "6").label == "Fruit"


def test_a_split_leaves_something_and_takes_something(document):
    refused("split", split, document, "2", dict.fromkeys(ids(document, "2")))
    refused("split", split, document, "2", {})
    refused("split", split, document, "2", {ids(document, "2")[0]: []})
    refused("missing", split, document, "2", {"c1": None})
    refused("missing", split, document, "1", {"c1": [4]})


def test_deleting_a_unit_deletes_no_span(document):
    after = delete_unit(document, "1")
    assert [mark.id for mark in after.unassigned] == ["c1", "c2", "c3", "c4"]
    assert {mark.spans for mark in after.marks} == {mark.spans for mark in document.marks}


def test_unassigned_contributors_come_back_or_are_discarded_by_name(document):
    after = unassign(document, ["c2", "c1", "c2"])
    assert [mark.id for mark in after.unassigned] == ["c2", "c1"]
    assert ids(after, "1") == ["c3", "c4"]
    assert ids(move_contributor(after, "c1", "1"), "1") == ["c3", "c4", "c1"]
    assert [mark.id for mark in discard(after, "c2").unassigned] == ["c1"]
    refused("assigned", discard, after, "c3")


def test_a_part_is_unassigned_alone(document, at):
    two = add_part(document, "c1", at("A", "figs"))
    after = unassign_part(two, "c1", 0)
    assert (after.by_id["c1"].label, after.unassigned[0].label) == ("figs", "apples")
    assert unassign_part(document, "c1", 0).unassigned[0].id == "c1"


def test_units_are_put_in_order(document):
    after = move_unit(document, "5", 1)
    assert [one.uid for one in after.units] == ["1", "5", "2", "3", "4"]
    assert move_unit(after, "5", 4) == document
    refused("same", move_unit, document, "5", 5)


def test_numbers_are_never_given_twice(document, at):
    after = discard(unassign(document, ["c10"]), "c10")
    assert new_unit(delete_unit(after, "5"), [at("A", "figs")]).units[-1].uid == "6"
    assert ids(add_contributor(after, "5", [at("A", "figs")]), "5") == ["c11"]


def test_what_a_file_says_beyond_the_format_stays_with_its_unit(document):
    odd = replace(document.units[1].extra, attributes={"colour": "red"})
    marked = replace(document, units=(document.units[0], replace(document.units[1], extra=odd), *document.units[2:]))
    assert unit(rename_unit(marked, "2", "x"), "2").extra.attributes == {"colour": "red"}
