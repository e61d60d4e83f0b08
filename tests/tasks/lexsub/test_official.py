"""The official scorer's rules, one by one; each was seen in the behaviour of the scorer itself."""

import time

import pytest

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.tasks.lexsub.official import OfficialScores, percent, read_gold, score_best, score_oot

HAPPY = read_gold("happy.a 1 :: glad 3;merry 2;cheerful 1;jovial 1;")
TWO = read_gold("happy.a 1 :: glad 3;merry 2;\nwarm.a 2 :: mild 4;kind 1;")
LONG = 200_000


def weights(rest: str) -> dict[str, int]:
    """Give the stored substitutes of a gold line; a second item keeps the file usable whatever *rest* is."""
    gold = read_gold(f"word.n 1 :: {rest}\nother.n 2 :: kept 2;")
    return dict(gold["1"].weights) if "1" in gold else {}


def mode(rest: str) -> str | None:
    return read_gold(f"word.n 1 :: {rest}")["1"].mode


def credit(scores: OfficialScores) -> list[float]:
    return scores.credit.tolist()


# Rule 1: gold lines, and which items are kept


def test_a_gold_item_is_found_anywhere_in_its_line():
    assert list(read_gold("** see: bright.a 1 :: clever 2;\n(e.g. 2 :: such as 2;")) == ["1", "2"]


@pytest.mark.parametrize(
    "line", ["word.n  9 :: a 2;", "word.n 9 ::clever 2;", "word.n\t9 :: clever 2;", "word- 9 :: clever 2;", ""]
)
def test_lines_of_another_form_are_skipped(line):
    assert list(read_gold(f"{line}\nbright.a 1 :: clever 2;")) == ["1"]


def test_an_item_needs_two_responses_or_a_first_count_above_one():
    gold = read_gold("w.n 1 :: mild 1;\nw.n 2 :: mild 2;\nw.n 3 :: mild 1;kind 1;\nw.n 4 :: mild 01;\nw.n 5 :: ;;")
    assert list(gold) == ["2", "3"]


def test_empty_fields_at_the_end_are_no_responses_but_inner_ones_are():
    assert list(read_gold("w.n 1 :: mild 1;;;\nw.n 2 :: ;mild 1;\nw.n 3 :: mild 1;\r\n")) == ["2", "3"]


def test_pn_anywhere_in_a_response_drops_it():
    assert weights("hypnotic 3;pn 2;mild 2;kind 1;") == {"mild": 2, "kind": 1}
    assert weights("pn 4;mild 1;") == {}


def test_an_item_of_a_one_letter_substitute_is_kept_and_can_never_be_scored():
    gold = read_gold("cross.n 1 :: x 3;\nwarm.a 2 :: mild 2;")
    scores = score_best(gold, "cross.n 1 :: x\nwarm.a 2 :: mild")
    assert (credit(scores), scores.attempted.tolist(), scores.has_mode.tolist()) == (
        [0, 1],
        [False, True],
        [False, True],
    )


# Rule 2: what a substitute is


@pytest.mark.parametrize(
    ("response", "stored"),
    [
        ("x 3", {}),
        ("11.27 kilograms 1", {"27 kilograms": 1}),
        ("garden  1", {"garden ": 1}),
        ("for us 1", {"for us": 1}),
        ("well-lit 1", {"well-lit": 1}),
        ("'tis' so' 1", {"tis so'": 1}),
        ("state of the art' s 1", {"state of the art s": 1}),
        ("top 5 list 2", {"top 5 list": 2}),
        ("top 5 2", {"top 5": 2}),
        ("Eucharist 3", {"Eucharist": 3}),
        ("café bar 1", {"bar": 1}),
        ("a\u00a0bc 1", {"bc": 1}),
        ("mild", {}),
        ("mild1", {}),
        ("mild\t1", {}),
        ("mild 007", {"mild": 7}),
    ],
)
def test_a_substitute_is_the_first_stretch_of_word_characters_before_a_count(response, stored):
    assert weights(f"other 2;{response};") == {"other": 2} | stored


def test_a_repeated_substitute_overwrites_the_one_before():
    gold = read_gold("w.n 1 :: mild 4;kind 2;mild 1;")["1"]
    assert (gold.weights, gold.total) == ({"mild": 1, "kind": 2}, 3)


# Rule 3: the mode


def test_the_mode_is_the_first_substitute_even_where_a_later_one_is_heavier():
    assert mode("mild 2;kind 3;") == "mild"


def test_the_mode_is_withdrawn_when_any_later_substitute_has_its_count():
    assert mode("mild 2;kind 3;soft 2;") is None
    assert mode("mild 2;mild 2;") is None
    assert mode("mild 2;kind 1;soft 1;") == "mild"


def test_the_mode_keeps_its_hyphen_and_loses_its_first_apostrophe():
    assert mode("well-lit 2;clear 1;") == "well-lit"
    assert mode("o'clock 2;hour 1;") == "oclock"


# Rule 4: answer lines


def test_the_word_of_an_answer_line_is_never_checked():
    assert credit(score_best(HAPPY, "grim.v 1 :: glad")) == [3 / 7]


def test_unknown_ids_are_ignored_and_the_first_of_repeated_lines_wins():
    text = "happy.a 99 :: glad\nhappy.a 1 :: jovial\nhappy.a 1 :: glad"
    assert credit(score_best(HAPPY, text)) == [1 / 7]


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("non-captive", "noncaptive"),
        ("non captive", "noncaptive"),
        ("well-lit", "well-lit"),
        ("well lit", "well-lit"),
        ("up-to-date", "up to date"),
        ("o'clock", "o'clock"),
        ("oclock", "o'clock"),
    ],
)
def test_answers_are_respelt_before_they_are_compared(answer, gold):
    assert credit(score_oot(read_gold(f"w.n 1 :: mode 3;{gold} 2;"), f"w.n 1 ::: {answer}")) == [2 / 5]


@pytest.mark.parametrize("answer", [" glad", "glad ", "Glad", "glad\r", "non-glad", "g'l'ad"])
def test_nothing_else_is_trimmed_or_folded(answer):
    assert credit(score_oot(HAPPY, f"happy.a 1 ::: {answer}\n")) == [0]


def test_the_separator_of_the_other_view_is_another_line():
    with pytest.raises(TouchstoneError) as error:
        score_oot(HAPPY, "happy.a 1 :: glad")
    assert error.value.code == Code.UNSUPPORTED
    with pytest.raises(TouchstoneError) as error:
        score_best(HAPPY, "happy.a 1 ::: glad")
    assert error.value.code == Code.UNSUPPORTED


# Rule 5: lines without answers


@pytest.mark.parametrize("blank", ["", " ", "\t", "\r"])
def test_a_blank_line_reuses_the_last_answers_but_is_not_attempted(blank):
    gold = read_gold("w.n 1 :: mild 3;kind 2;\nv.n 2 :: mild 3;soft 1;\n")
    scores = score_best(gold, f"w.n 1 :: mild\nv.n 2 :: {blank}")
    assert credit(scores) == [3 / 5, 3 / 4]
    assert scores.attempted.tolist() == [True, False]
    assert (scores.mode_attempted.tolist(), scores.mode_hit.tolist()) == ([True, True], [True, True])


def test_precision_can_so_be_three_times_what_was_earned():
    gold = read_gold("w.n 1 :: mild 3;kind 7;\nv.n 2 :: mild 6;soft 4;")
    scores = score_oot(gold, "w.n 1 ::: mild\nv.n 2 ::: ")
    assert percent(scores.credit.sum() / scores.attempted.sum()) == "90.00"


def test_reuse_takes_the_last_line_evaluated_not_the_last_line():
    scores = score_best(TWO, "happy.a 1 :: mild\nnobody.a 99 :: kind\nhappy.a 1 :: kind\nwarm.a 2 :: ")
    assert credit(scores) == [0, 4 / 5]


def test_a_bare_semicolon_abstains_and_leaves_nothing_to_reuse():
    gold = read_gold("u.n 0 :: mild 2;\nw.n 1 :: mild 2;\nv.n 2 :: mild 2;")
    scores = score_best(gold, "u.n 0 :: mild\nw.n 1 :: ;\nv.n 2 :: ")
    assert (credit(scores), scores.attempted.tolist()) == ([1, 0, 0], [True, False, False])
    assert scores.mode_attempted.tolist() == [True, False, False]


def test_a_blank_first_line_has_nothing_to_reuse():
    scores = score_best(TWO, "happy.a 1 :: \nwarm.a 2 :: mild")
    assert (credit(scores), scores.mode_attempted.tolist()) == ([0, 4 / 5], [False, True])


def test_a_line_without_a_blank_behind_its_separator_is_skipped():
    scores = score_best(TWO, "warm.a 2 :: mild\nhappy.a 1 ::")
    assert (credit(scores), scores.mode_attempted.tolist()) == ([0, 4 / 5], [False, True])


def test_a_no_break_space_is_an_answer_not_a_blank():
    assert score_best(HAPPY, "happy.a 1 :: \u00a0").attempted.tolist() == [True]


# Rule 6: credit


def test_the_stored_spelling_wins_where_the_gold_has_both():
    """The scorer itself takes either, from run to run; here the same file always scores the same."""
    for both in ("x-ray 2;x ray 3;", "x ray 3;x-ray 2;"):
        assert credit(score_oot(read_gold(f"w.n 1 :: {both}"), "w.n 1 ::: x-ray")) == [3 / 5]


def test_best_gives_the_task_papers_example():
    assert credit(score_best(HAPPY, "happy.a 1 :: glad;cheerful")) == [2 / 7]  # printed there as .286


def test_best_divides_by_all_guesses_duplicates_and_inner_empties_included():
    assert credit(score_best(HAPPY, "happy.a 1 :: glad;;grim;glad;;")) == [pytest.approx(6 / 7 / 4, abs=0)]


def test_ten_copies_of_one_answer_earn_ten_times_its_credit():
    scores = score_oot(read_gold("w.n 1 :: mild 3;kind 2;"), "w.n 1 ::: " + "mild;" * 10)
    assert percent(scores.credit.sum() / len(scores.ids)) == "600.00"


def test_oot_takes_the_first_ten_answers_duplicates_included():
    assert credit(score_oot(HAPPY, "happy.a 1 ::: " + "grim;" * 9 + "glad;merry")) == [3 / 7]


def test_an_unanswered_item_earns_nothing_and_is_not_attempted():
    scores = score_oot(TWO, "warm.a 2 ::: mild")
    assert (scores.ids, credit(scores), scores.attempted.tolist()) == (("1", "2"), [0, 4 / 5], [False, True])


# Rule 7: mode hits


def test_best_hits_the_mode_with_the_first_answer_only():
    assert score_best(HAPPY, "happy.a 1 :: glad;merry").mode_hit.tolist() == [True]
    assert score_best(HAPPY, "happy.a 1 :: merry;glad").mode_hit.tolist() == [False]
    assert score_best(HAPPY, "happy.a 1 :: ;glad").mode_hit.tolist() == [False]


def test_oot_hits_the_mode_with_any_of_the_ten():
    assert score_oot(HAPPY, "happy.a 1 ::: " + "grim;" * 9 + "glad").mode_hit.tolist() == [True]
    assert score_oot(HAPPY, "happy.a 1 ::: " + "grim;" * 10 + "glad").mode_hit.tolist() == [False]


def test_a_hyphenated_mode_earns_credit_but_is_never_hit():
    scores = score_best(read_gold("w.n 1 :: well-lit 2;clear 1;"), "w.n 1 :: well-lit")
    assert (credit(scores), scores.mode_attempted.tolist(), scores.mode_hit.tolist()) == ([2 / 3], [True], [False])


def test_an_item_without_a_mode_counts_for_no_mode_figure():
    scores = score_best(read_gold("w.n 1 :: mild 1;kind 1;\nv.n 2 :: soft 2;"), "w.n 1 :: mild\nv.n 2 :: soft")
    assert scores.has_mode.tolist() == scores.mode_attempted.tolist() == scores.mode_hit.tolist() == [False, True]


# Rule 8: rounding, and what cannot be divided


@pytest.mark.parametrize(
    ("fraction", "printed"),
    [(0.5, "50.00"), (0.1, "10.00"), (1 / 3, "33.33"), (2 / 3, "66.67"), (1 / 32, "3.13"), (6.0, "600.00")],
)
def test_percentages_are_rounded_half_up_and_padded(fraction, printed):
    assert percent(fraction) == printed


def padded(gold: str, size: int) -> str:
    """Give *gold* with unanswered items up to *size*."""
    return gold + "".join(f"\nfill.n {i} :: calm 2;" for i in range(gold.count("::") + 1, size + 1))


def test_a_half_falls_as_the_scorers_own_divisions_let_it():
    """(3/5)/3 + (3/5)/12 is 1/4, and an eighth of it 3.125 %: by the scorer's divisions a little less, so 3.12."""
    gold = read_gold(padded("w.n 1 :: mild 3;kind 2;\nv.n 2 :: mild 3;kind 2;", size=8))
    scores = score_best(gold, "w.n 1 :: grim;mild;dark\nv.n 2 :: mild" + ";grim" * 11)
    assert percent(scores.credit.sum() / len(scores.ids)) == "3.12"


def test_a_half_falls_as_the_scorers_own_multiplications_let_it():
    """(3/5)/3 over 32 items is 0.625 %: a little less before it is multiplied by 100 twice, not after; so 0.63."""
    scores = score_best(read_gold(padded("w.n 1 :: mild 3;kind 2;", size=32)), "w.n 1 :: grim;mild;dark")
    assert percent(scores.credit.sum() / len(scores.ids)) == "0.63"


def test_the_american_spelling_is_not_the_british():
    assert credit(score_oot(read_gold("w.n 1 :: colour 2;"), "w.n 1 ::: color")) == [0]


@pytest.mark.parametrize("text", ["", "happy.a 99 :: glad", "happy.a 1 :: ;", "happy.a 1 :: ", "\x00\n\xff"])
def test_a_file_that_attempts_nothing_is_an_error_that_names_it(text):
    with pytest.raises(TouchstoneError) as error:
        score_best(HAPPY, text, file="empty.best")
    assert error.value.code == Code.UNSUPPORTED
    assert error.value.faults[0].file == "empty.best"


def test_a_file_that_attempts_no_item_with_a_mode_is_an_error():
    with pytest.raises(TouchstoneError) as error:
        score_best(read_gold("w.n 1 :: mild 1;kind 1;\nv.n 2 :: soft 2;"), "w.n 1 :: mild")
    assert error.value.code == Code.UNSUPPORTED


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "g.gold: no item that the official scorer keeps"),
        ("side.n 1 ::: team 5;", "g.gold: no item that the official scorer keeps"),
        ("w.n 1 :: mild 2;\nw.n 1 :: kind 2;", 'g.gold:2: the same item twice in the gold: "1"'),
        ("w.n 1 :: mild 0;kind 00;", "g.gold:1: all counts are 0"),
        ("\nw.n 1 :: mild " + "9" * 5000, "g.gold:2: a count too long to add up"),
    ],
)
def test_gold_on_which_the_scorer_would_fail_is_an_error_that_says_where(text, said):
    with pytest.raises(TouchstoneError) as error:
        read_gold(text, file="g.gold")
    assert str(error.value).startswith(said)


@pytest.mark.parametrize(
    "stuff", ["a", "a ", "'", "-", " ", "1", "1 1 ", "a.", ". ", ":: ", "a 1 ::", "é ", "a;", ";", "non-", "a'"]
)
def test_a_line_of_200_000_characters_is_read_in_a_moment(stuff):
    """A search that looks again from every place would take minutes here."""
    long = (stuff * LONG)[:LONG]
    start = time.process_time()
    read_gold(f"kept.n 0 :: kept 2;\nw.n 1 :: other 1;{long};a\n{long}\nw.n {long}")
    score_oot(HAPPY, f"{long}\nw {long}\nhappy.a 1 ::: {long};glad")
    score_best(HAPPY, f"{long}\nw {long}\nhappy.a 1 :: glad;{long}")
    assert time.process_time() - start < 60
