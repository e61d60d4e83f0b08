"""The optional filters: known words, the sense by context vectors, bigrams; each score by hand."""

from math import log10

import pytest

from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.systems.challenge.bigrams import BIGRAM_SCORE, read_bigrams
from touchstone.systems.challenge.commands import FilterOptions
from touchstone.systems.challenge.generating import Settings, generate, read_premises
from touchstone.systems.challenge.resources import Resources

HEAD = "from\tto\trelation\tpos\tcountable\n"
PETS = HEAD + "dog\tcat\texcludes\tnoun\tcount\ndog\towl\texcludes\tnoun\tcount\n"


def write(folder, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, "utf-8")
    return str(path)


def generated(tmp_path, premise: str, pairs: str = PETS, **resources):
    premises = read_premises(write(tmp_path, "premises.txt", premise + "\n"))
    lists = [write(tmp_path, "mine.tsv", pairs)]
    return generate(premises, Settings(lists=lists, balance="none", resources=Resources(**resources)))


def replacements(found) -> set[str]:
    return {pair.replacement[0].text for pair in found.pairs}


def score(tmp_path, premise: str, table: str, to: str = "cat", **options) -> float:
    table = write(tmp_path, "bigrams.tsv", table)
    found = generated(tmp_path, premise, bigrams=table, bigram_score=-99.0, **options)
    (pair,) = (pair for pair in found.pairs if pair.replacement[0].text == to)
    return pair.provenance["bigram_score"]


# Known words


def test_each_word_of_a_replacement_has_to_be_a_training_word(tmp_path):
    vocabulary = write(tmp_path, "words.txt", "cat\t12\nthe\t7\n")
    found = generated(tmp_path, "The dog runs home.", vocabulary=vocabulary)
    assert replacements(found) == {"cat"}
    assert found.reasons["not a training word"] == 1
    assert "words.txt#" in found.signature["vocabulary"]


def test_each_word_of_a_replacement_has_to_have_a_vector(tmp_path):
    vectors = write(tmp_path, "vectors.txt", "owl 1 0\nthe 0 1\n")
    found = generated(tmp_path, "The dog runs home.", vectors=vectors)
    assert replacements(found) == {"owl"}
    assert found.reasons["no vector"] == 1


def test_the_inflected_form_is_looked_up(tmp_path):
    found = generated(tmp_path, "The dogs run home.", vocabulary=write(tmp_path, "words.txt", "cat\nowls\n"))
    assert replacements(found) == {"owls"}


def test_a_vocabulary_with_several_words_on_a_line_is_refused(tmp_path):
    with pytest.raises(TouchstoneError) as error:
        generated(tmp_path, "The dog runs.", vocabulary=write(tmp_path, "words.txt", "one\ntwo words\n"))
    [fault] = error.value.faults
    assert (fault.code, fault.line, fault.value) == (Code.BAD_CELL, 2, "two words")


@pytest.mark.parametrize("name", ["vectors", "vocabulary", "bigrams", "glosses"])
def test_a_missing_file_is_named(tmp_path, name):
    more = {"senses": True, "vectors": write(tmp_path, "v.txt", "cat 1 0\n")} if name == "glosses" else {}
    with pytest.raises(TouchstoneError, match=r"missing.*no such file"):
        generated(tmp_path, "The dog runs.", **{**more, name: tmp_path / "missing"})


# The sense by context


SENSES = "drinks 1 0\nglass 1 0\nliquid 1 0\ncompound 1 0\nswims 0 1\nlake 0 1\nbody 0 1\nthing 0 1\ntea 1 0\n"
"""Vectors in which water as a liquid (water.n.01) is one direction and as a place (body_of_water.n.01) the other."""
WATER = HEAD + "water\ttea\texcludes\tnoun\tmass\n"


def test_a_word_is_replaced_where_its_context_fits_the_sense_meant(tmp_path):
    vectors = write(tmp_path, "vectors.txt", SENSES)
    found = generated(tmp_path, "She drinks the water from a glass.", WATER, vectors=vectors, senses=True)
    assert replacements(found) == {"tea"}
    assert found.pairs[0].provenance["sense"] == "water.n.01"
    assert found.pairs[0].provenance["sense_margin"] == 1 - 0


def test_a_word_is_kept_where_its_context_fits_another_sense_better(tmp_path):
    vectors = write(tmp_path, "vectors.txt", SENSES)
    found = generated(tmp_path, "She swims in the water of a lake.", WATER, vectors=vectors)
    assert found.reasons["another sense fits the context better"] == 0
    found = generated(tmp_path, "She swims to the water at a lake.", WATER, vectors=vectors, senses=True)
    assert replacements(found) == set()
    assert found.reasons["another sense fits the context better"] == 1


def test_the_sense_by_context_needs_vectors(tmp_path):
    with pytest.raises(TouchstoneError) as error:
        generated(tmp_path, "The dog runs.", senses=True)
    assert error.value.code == Code.OPTION_NEEDED


# Bigrams


def test_the_score_is_the_smaller_log_ratio_of_the_two_sides(tmp_path):
    table = "the dog\t1000\nthe cat\t100\ndog runs\t90\ncat runs\t40\nred wine\t10\n"
    expected = min(log10((100 + 10) / (1000 + 10)), log10((40 + 10) / (90 + 10)))
    assert score(tmp_path, "The dog runs home.", table) == pytest.approx(expected, abs=0.0005)


def test_a_missing_bigram_backs_off_to_the_words(tmp_path):
    table = "the dog\t1000\nthe cat\t1000\ndog runs\t90\ncat\t50\ndog\t70\nred wine\t10\n"
    expected = log10((50 + 10) / (70 + 10))  # the left side has log10(1010 / 1010) = 0
    assert score(tmp_path, "The dog runs home.", table) == pytest.approx(expected, abs=0.0005)


def test_without_lines_of_one_word_the_bigrams_of_a_word_are_added_up(tmp_path):
    table = "the dog\t1000\nthe cat\t1000\nbig dog\t400\ncat sat\t300\ncat ran\t900\ndog runs\t90\nred wine\t10\n"
    cat, dog = max(300 + 900, 1000), max(90, 1000 + 400)
    expected = log10((cat + 10) / (dog + 10))
    assert score(tmp_path, "The dog runs home.", table) == pytest.approx(expected, abs=0.0005)


def test_the_article_is_repaired_before_bigrams_are_looked_up(tmp_path):
    table = "a dog\t990\nan owl\t90\na owl\t990\nred wine\t10\n"
    assert score(tmp_path, "He owns a dog.", table, to="owl") == pytest.approx(log10(100 / 1000), abs=0.0005)


def test_edges_and_punctuation_make_no_bigram(tmp_path):
    table = write(tmp_path, "bigrams.tsv", "dog runs\t1000\nred wine\t1\n")
    found = generated(tmp_path, "There, (dog) runs.", bigrams=table)
    assert all("bigram_score" not in pair.provenance for pair in found.pairs)


def test_a_replacement_below_the_threshold_is_refused_and_counted(tmp_path):
    table = write(tmp_path, "bigrams.tsv", "the dog\t100000\nthe cat\t10000\nthe owl\t100\nred wine\t100\n")
    found = generated(tmp_path, "The dog runs home.", bigrams=table)
    assert replacements(found) == {"cat"}  # -1, and -3 + log10(2) for the owl
    assert found.reasons["rare bigram"] == 1
    found = generated(tmp_path, "The dog runs home.", bigrams=table, bigram_score=-3.0)
    assert replacements(found) == {"cat", "owl"}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("red wine 100\n", Code.BAD_CELL),
        ("red wine\tmany\n", Code.BAD_CELL),
        ("dry red wine\t5\n", Code.BAD_CELL),
        ("red wine\t5\nRed wine\t6\n", Code.DUPLICATE_NAME),
        ("wine\t5\n", Code.EMPTY),
    ],
)
def test_a_bad_table_of_bigrams_is_refused(tmp_path, text, code):
    with pytest.raises(TouchstoneError) as error:
        read_bigrams(write(tmp_path, "bigrams.tsv", text))
    assert error.value.code == code


def test_an_empty_table_of_bigrams_is_refused(tmp_path):
    with pytest.raises(TouchstoneError, match="is empty"):
        read_bigrams(write(tmp_path, "bigrams.tsv", ""))


def test_a_table_that_is_not_utf8_is_refused(tmp_path):
    (tmp_path / "bigrams.tsv").write_bytes(b"caf\xe9 noir\t5\n")
    with pytest.raises(TouchstoneError, match="is not utf-8"):
        read_bigrams(tmp_path / "bigrams.tsv")


def test_the_table_of_wordsegment_has_a_smallest_count_of_100_000():
    assert read_bigrams("wordsegment").smallest == 100_000


def test_the_command_has_the_same_default_as_the_library():
    assert FilterOptions().bigram_score == BIGRAM_SCORE


def test_the_filters_give_the_same_pairs_with_one_and_two_processes(tmp_path):
    texts = "".join(f"The dog runs home on day {day}.\n" for day in range(600))
    premises = read_premises(write(tmp_path, "premises.txt", texts))
    resources = Resources(bigrams="wordsegment", vocabulary=write(tmp_path, "words.txt", "cat\nowl\n"))
    settings = Settings(lists=[write(tmp_path, "mine.tsv", PETS)], balance="none", resources=resources)
    assert generate(premises, settings, jobs=1).pairs == generate(premises, settings, jobs=2).pairs
