"""Pairs from premises: labels, places that are refused, caps, balance, determinism, bad input."""

import json
import pickle
from collections import Counter

import pytest
from click.testing import CliRunner

from touchstone import TouchstoneError, nli
from touchstone.base.codes import Code
from touchstone.cli.groups import task_group
from touchstone.systems.challenge.candidates import Generator
from touchstone.systems.challenge.generating import Settings, generate, read_premises
from touchstone.systems.challenge.reading import read_lexicon
from touchstone.tasks.nli.formats.writing import format_pairs

app = task_group("nli")

PREMISES = [
    "A man plays the guitar in the kitchen.",
    "Two dogs run through the forest.",
    "A woman in a red dress drinks coffee.",
    "The old man sits on a bench near the river.",
    "A boy eats an apple.",
    "Three children play soccer in the park.",
    "A young girl holds a red balloon.",
    "The chef cooks dinner in the kitchen.",
    "Nobody fed the dog.",
    "A poodle sleeps on the couch.",
    "A man is riding a bike down the street.",
    "Four women are wearing black hats.",
    'The man shouted "the dog is here" and left.',
    "A tall man walks his dog in the morning.",
    "A big truck stands outside the house.",
]


def premises(tmp_path, *texts: str, name: str = "premises.txt"):
    path = tmp_path / name
    path.write_text("".join(f"{text}\n" for text in texts or PREMISES), "utf-8")
    return read_premises(path)


def pairs(tmp_path, *texts: str, **settings):
    return generate(premises(tmp_path, *texts), Settings(**settings)).pairs


def hypotheses(tmp_path, *texts: str, **settings):
    found = pairs(tmp_path, *texts, balance="none", per_premise=1000, **settings)
    return {pair.hypothesis: pair.rest["intended"] for pair in found}


def test_a_replacement_has_the_label_of_its_relation(tmp_path):
    found = hypotheses(tmp_path, "A poodle sleeps on the couch.")
    assert found["A dog sleeps on the couch."] == "entailment"
    assert found["A poodle sleeps on the sofa."] == "entailment"
    assert found["A poodle sleeps on the bench."] == "contradiction"


def test_nothing_is_replaced_in_a_quotation_or_a_choice(tmp_path):
    quoted = hypotheses(tmp_path, 'She said "the dog is on the couch" to him.')
    assert not any("dog is" not in text for text in quoted)
    assert not any("sofa" in text for text in hypotheses(tmp_path, "He sleeps on the couch or the floor."))


def test_the_label_turns_or_the_pair_is_refused_under_negation(tmp_path):
    assert set(hypotheses(tmp_path, "Nobody saw a poodle there.").values()) <= {"entailment"}
    found = hypotheses(tmp_path, "Nobody saw a poodle there.", neutral=True)
    assert found["Nobody saw a dog there."] == "neutral"
    found = hypotheses(tmp_path, "Nobody saw a dog there.", neutral=True)
    assert found["Nobody saw a poodle there."] == "entailment"


def test_a_word_that_the_premise_has_is_not_put_in_again(tmp_path):
    found = hypotheses(tmp_path, "A dog chases a cat.")
    assert "A cat chases a cat." not in found
    assert "A horse chases a cat." in found
    found = hypotheses(tmp_path, "They play musical instruments in a stadium.")
    assert not any("musical musical" in text for text in found)


def test_part_of_a_thing_is_not_taken_for_a_thing(tmp_path):
    assert all("the bridge of his nose" in text for text in hypotheses(tmp_path, "It is on the bridge of his nose."))


def test_words_of_one_kind_that_are_joined_are_not_generalised(tmp_path):
    found = hypotheses(tmp_path, "Many men and women walk.", relations=["hypernym"])
    assert not any("people" in text for text in found)


def test_one_man_and_several_women_are_not_generalised_either(tmp_path):
    found = hypotheses(tmp_path, "A man and two women walk.", relations=["hypernym"])
    assert not any("people" in text or "person" in text for text in found)


def test_nothing_is_replaced_in_an_instruction(tmp_path):
    assert not hypotheses(tmp_path, "Sit on the couch again.")
    assert hypotheses(tmp_path, "They sit on the couch again.")


def test_a_passive_does_not_take_what_its_verb_has_after_it(tmp_path):
    assert not any("eaten" in text for text in hypotheses(tmp_path, "The bowl is washed near the apple."))
    assert any("eats" in text for text in hypotheses(tmp_path, "A boy washes the apple."))


def test_a_participle_before_a_noun_is_no_verb(tmp_path):
    assert not any("conversation" in text for text in hypotheses(tmp_path, "A talking man waits for a bus."))
    assert any("having a conversation" in text for text in hypotheses(tmp_path, "Two men are talking."))


def test_an_adjective_that_stands_for_a_noun_is_left_alone(tmp_path):
    assert not any("the rich" in text for text in hypotheses(tmp_path, "She gave bread to the poor."))
    assert any("rich man" in text for text in hypotheses(tmp_path, "She gave bread to a poor man."))


def test_a_noun_without_a_determiner_after_a_preposition_is_left_alone(tmp_path):
    assert not any("bed" in text for text in hypotheses(tmp_path, "A man sits in kitchen."))
    assert any("bedroom" in text for text in hypotheses(tmp_path, "A man sits in the kitchen."))


def test_the_second_of_two_sentences_is_edited_in_its_place(tmp_path):
    found = hypotheses(tmp_path, "It rains. A poodle sleeps on the bed.")
    assert found["It rains. A dog sleeps on the bed."] == "entailment"


def test_the_same_seed_gives_the_same_bytes_with_one_and_two_processes(tmp_path):
    many = premises(tmp_path, *(f"{text[:-1]} on day {day}." for day in range(30) for text in PREMISES))
    texts = [format_pairs(generate(many, Settings(seed=7), jobs=jobs).pairs, "touchstone") for jobs in (1, 2)]
    assert texts[0] == texts[1]
    assert texts[0] != format_pairs(generate(many, Settings(seed=8)).pairs, "touchstone")


def test_a_process_that_is_not_forked_finds_the_same_candidates(tmp_path):
    given, generator = premises(tmp_path).premises, Generator(read_lexicon())
    found = generator.find(given)
    assert pickle.loads(pickle.dumps(generator)).find(given).candidates == found.candidates


def test_no_premise_has_more_pairs_than_allowed(tmp_path):
    found = pairs(tmp_path, per_premise=2, balance="none")
    assert max(Counter(pair.premise for pair in found).values()) == 2


def test_no_word_pair_is_above_one_percent_of_the_output(tmp_path):
    many = [f"{text[:-1]} on day {day}." for day in range(40) for text in PREMISES]
    found = pairs(tmp_path, *many, balance="none")
    words = Counter((pair.provenance["from"], pair.provenance["to"]) for pair in found)
    assert len(found) > 200
    assert max(words.values()) <= len(found) / 100


def test_labels_are_balanced_and_the_ratio_can_be_chosen(tmp_path):
    labels = Counter(pair.rest["intended"] for pair in pairs(tmp_path))
    assert abs(labels["contradiction"] - labels["entailment"]) <= 1
    labels = Counter(pair.rest["intended"] for pair in pairs(tmp_path, balance="2:1"))
    assert abs(labels["contradiction"] - 2 * labels["entailment"]) <= 2


def test_one_relation_alone_is_not_balanced_away(tmp_path):
    found = pairs(tmp_path, relations=["co_hyponym"])
    assert {pair.relation for pair in found} == {"co_hyponym"}


def test_the_output_is_in_the_order_of_premises_positions_and_replacements(tmp_path):
    found = pairs(tmp_path)
    keys = [(PREMISES.index(p.premise), p.replaced[0].start, p.replacement[0].text) for p in found]
    assert keys == sorted(keys)


def test_pairs_are_read_back_as_they_were_written(tmp_path):
    found, path = pairs(tmp_path), tmp_path / "set.jsonl"
    path.write_text(format_pairs(found, "touchstone"), "utf-8")
    read = nli.read_gold(path)
    assert [pair.hypothesis for pair in read.pairs] == [pair.hypothesis for pair in found]
    assert all(pair.gold is None for pair in read.pairs)


# Input


def test_premises_are_read_from_tables_too(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"premise": "A dog runs."}\n{"premise": "A cat sleeps."}\n', "utf-8")
    assert [one.text for one in read_premises(path).premises] == ["A dog runs.", "A cat sleeps."]
    path = tmp_path / "rows.csv"
    path.write_text("id,premise\n1,A dog runs.\n", "utf-8")
    assert [(one.text, one.line) for one in read_premises(path).premises] == [("A dog runs.", 2)]


def test_premises_that_give_nothing_are_counted_with_the_reason(tmp_path):
    given = premises(tmp_path, "Dog", "dog " * 10_000, "It is what it is.", "A poodle sleeps.", "A poodle sleeps.")
    found = generate(given, Settings(balance="none"), listed=True)
    expected = {"premise too short": 1, "premise too long": 1, "no word of the lists": 1, "premise twice": 1}
    assert {reason: found.reasons[reason] for reason in expected} == expected
    assert {one.reason for one in found.rejections} >= set(expected)
    assert {pair.premise for pair in found.pairs} == {"A poodle sleeps."}


def run(*arguments, code: int = 0):
    result = CliRunner().invoke(app, ["generate", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def test_the_command_writes_pairs_rejections_and_a_sheet(tmp_path):
    given = premises(tmp_path).source.path
    out, rejected, sheet = tmp_path / "set.jsonl", tmp_path / "rejected.jsonl", tmp_path / "sheet.csv"
    said = run(given, "-o", out, "--rejected", rejected, "--sheet", sheet).stdout
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert "word pairs" in said
    assert all({"id", "premise", "hypothesis", "provenance", "intended"} <= row.keys() for row in rows)
    assert all(json.loads(line)["reason"] for line in rejected.read_text("utf-8").splitlines())
    assert len(sheet.read_text("utf-8").splitlines()) == 1 + 3 * len(rows)
    assert "entailment" not in sheet.read_text("utf-8")


def test_the_filled_sheet_verifies_the_set(tmp_path):
    given = premises(tmp_path).source.path
    out, sheet = tmp_path / "set.jsonl", tmp_path / "sheet.csv"
    run(given, "-o", out, "--sheet", sheet)
    sheet.write_text(sheet.read_text("utf-8").replace(",,,\n", ",yes,no,no\n"), "utf-8")
    verified = nli.verify(nli.read_gold(out), nli.read_answers(sheet))
    assert {pair.gold for pair in verified.kept.pairs} == {"entailment"}


@pytest.mark.parametrize(
    ("arguments", "code", "near"),
    [
        (["--list", "colors"], Code.UNKNOWN_NAME, "colours"),
        (["--relation", "hyponim"], Code.UNKNOWN_NAME, None),
        (["--balance", "half"], Code.BAD_VALUE, None),
    ],
)
def test_unknown_names_are_refused_with_the_nearest(tmp_path, arguments, code, near):
    with pytest.raises(TouchstoneError) as error:
        run(premises(tmp_path).source.path, *arguments)
    assert (error.value.code, error.value.faults[0].near) == (code, near)


def test_premises_without_a_replaceable_word_give_an_empty_set_and_a_note(tmp_path):
    given = premises(tmp_path, "It is what it is.").source.path
    result = run(given, "-o", tmp_path / "set.jsonl")
    assert "no word of the premises could be replaced" in result.stderr
    assert (tmp_path / "set.jsonl").read_text("utf-8") == ""


def test_the_report_shows_what_the_set_is_made_of(tmp_path):
    given, page = premises(tmp_path).source.path, tmp_path / "set.html"
    run(given, "-o", tmp_path / "set.jsonl", "--report", page)
    html = page.read_text("utf-8")
    titles = ("Pairs", "Not used", "Lists", "Words", "Premises", "Edits", "Hypothesis alone", "Examples")
    assert [title for title in titles if f"<h2>{title}</h2>" not in html] == []
    assert "majority_class" in html
    assert "co_hyponym" in html


def test_the_report_of_an_empty_set_says_so(tmp_path):
    given, page = premises(tmp_path, "It is what it is.").source.path, tmp_path / "set.html"
    run(given, "-o", tmp_path / "set.jsonl", "--report", page)
    assert "The set has no pair." in page.read_text("utf-8")


def test_the_report_of_a_verified_set_compares_gold_and_intended_labels(tmp_path):
    given, out, sheet, page = (tmp_path / name for name in ("premises.txt", "set.jsonl", "sheet.csv", "verified.html"))
    premises(tmp_path)
    run(given, "-o", out, "--sheet", sheet)
    sheet.write_text(sheet.read_text("utf-8").replace(",,,\n", ",yes,no,no\n"), "utf-8")
    result = CliRunner().invoke(app, ["verify", str(out), str(sheet), "--report", str(page)])
    assert result.exit_code == 0, result.output
    html = page.read_text("utf-8")
    assert [title for title in ("Outcomes", "Annotators", "Examples") if f"<h2>{title}</h2>" not in html] == []
    assert "the gold label is the intended one in" in html


def test_a_relation_and_lists_add_up(tmp_path):
    (tmp_path / "p.txt").write_text("A man in a red shirt opens the door and drinks coffee.\n")
    premises = read_premises(tmp_path / "p.txt")
    settings = Settings(relations=["antonym"], lists=["drinks", "colours"], per_premise=20)
    made = {(pair.relation, pair.category) for pair in generate(premises, settings).pairs}
    assert {("co_hyponym", "drinks"), ("co_hyponym", "colours")} <= made
    assert all(relation == "antonym" or name in ("drinks", "colours") for relation, name in made)
    assert any(relation == "antonym" for relation, _ in made)
