"""What WordNet proposes: which senses, words and relations; the list for a reviewer, and what is used of it."""

import json

import pytest
from click.testing import CliRunner
from wordfreq import zipf_frequency

from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.cli.groups import task_group
from touchstone.lexicon import wordnet
from touchstone.systems.challenge.candidates import Premise
from touchstone.systems.challenge.generating import Settings, generate, propose, read_premises
from touchstone.systems.challenge.lexicon import Lexicon
from touchstone.systems.challenge.proposing import Proposer, format_proposals
from touchstone.systems.challenge.reading import read_lexicon
from touchstone.systems.challenge.senses import Vectors, description, dominant, read_glosses

app = task_group("nli")

NOTHING = Lexicon((), (), ())
PREMISES = ["A man sits on the sofa.", "A woman buys a violin and a sofa.", "The hot soup is on the sofa."]


def proposed(*texts: str, lexicon: Lexicon = NOTHING, **options):
    premises = [Premise(text, line) for line, text in enumerate(texts or PREMISES, 1)]
    return Proposer(lexicon, **options).propose(premises)


def lines(*texts: str, **options) -> set[tuple[str, str, str]]:
    found = (one.substitution for one in proposed(*texts, **options))
    return {(one.source.text, one.target.text, one.relation) for one in found}


def vectors(tmp_path, **rows: str) -> Vectors:
    path = tmp_path / "vectors.txt"
    path.write_text("".join(f"{word} {row}\n" for word, row in rows.items()), "utf-8")
    return Vectors.read(path)


# Senses


@pytest.mark.parametrize("word", ["dog", "hot", "bank", "plant", "run", "violin"])
def test_a_sense_dominates_with_half_of_the_counts_of_all_parts_of_speech(word):
    weights = {}
    for pos in "nvar":
        senses, counts = wordnet().word(word).synsets(pos), wordnet().word(word).counts(pos)
        smoothed = [count + (0.1 if place else 0.5) for place, count in enumerate(counts)]
        weights |= dict(zip(senses, smoothed, strict=True))
    best = max(weights, key=weights.__getitem__)
    expected = best if weights[best] / sum(weights.values()) >= 1 / 2 else None
    assert dominant(wordnet().word(word)) == expected


def test_a_description_has_the_gloss_where_there_is_one_and_the_parents_else(tmp_path):
    dog = wordnet().synset("dog.n.01")
    assert description(dog, {}) == "dog, domestic dog, Canis familiaris; a kind of canine, domestic animal"
    for name in ("noun", "verb", "adj", "adv"):
        line = '02084071 05 n 01 dog 0 000 | it barks; "the dog barked"  \n' if name == "noun" else "  1 licence\n"
        (tmp_path / f"data.{name}").write_text(line, "utf-8")
    assert read_glosses(tmp_path) == {"02084071-n": "it barks"}
    assert description(dog, read_glosses(tmp_path)) == "dog, domestic dog, Canis familiaris; it barks"


def test_a_folder_without_dictionary_files_is_refused(tmp_path):
    with pytest.raises(TouchstoneError, match=r"data.noun: no such file"):
        read_glosses(tmp_path)


# Proposals


def test_synonyms_hypernyms_antonyms_and_co_hyponyms_are_proposed():
    found = lines()
    assert ("sofa", "couch", "synonym") in found
    assert ("sofa", "furniture", "hypernym") in found
    assert ("hot", "cold", "antonym") in found
    assert any(word == "violin" and relation == "co_hyponym" for word, _, relation in found)


def test_no_phrase_no_rare_word_and_no_part_of_a_word_is_proposed():
    found = lines()
    assert all(target.isalpha() for _, target, _ in found)
    assert all(zipf_frequency(word, "en") >= 3 for source, target, _ in found for word in (source, target))
    assert not any(source in target or target in source for source, target, kind in found if kind != "synonym")


def test_the_senses_that_a_proposal_names_dominate_for_both_words():
    for line in (one.substitution for one in proposed()):
        named = [sense.partition(" ")[0] for sense in line.proposal.senses]
        assert named == [str(dominant(wordnet().word(entry.text))) for entry in (line.source, line.target)]


def test_general_words_above_depth_six_are_not_proposed():
    for one in proposed():
        line = one.substitution
        if line.relation == "hypernym":
            assert wordnet().synset(line.proposal.senses[1].partition(" ")[0]).depth >= 6


def test_words_that_a_list_covers_get_no_proposal(tmp_path):
    path = tmp_path / "mine.tsv"
    path.write_text("from\tto\trelation\tpos\tcountable\nsofa\tthing\tkind_of\tnoun\tcount\n", "utf-8")
    found = lines(lexicon=read_lexicon(path, shipped=False))
    assert "sofa" not in {source for source, _, _ in found}
    assert "violin" in {source for source, _, _ in found}


def test_only_the_wanted_relations_are_proposed():
    assert {kind for _, _, kind in lines(relations=frozenset(("synonym",)))} == {"synonym"}


def test_the_most_frequent_comes_first_with_its_number_and_the_shortest_example():
    first = proposed()[0]
    assert first.substitution.source.text == "sofa"
    assert first.times == 3
    assert first.example.premise.text == min(PREMISES, key=len)
    assert [one.times for one in proposed()] == sorted((one.times for one in proposed()), reverse=True)


def test_the_cosine_has_to_reach_its_limit_where_there_are_vectors(tmp_path):
    # With sofa (1, 0) the cosine is the first number: 0.45 and 0.40 are the limits, 0.8 that of co-hyponyms.
    rows = {"sofa": "1 0", "couch": "0.46 0.888", "hot": "1 0", "cold": "0.41 0.912", "furniture": "0.44 0.898"}
    found = lines(vectors=vectors(tmp_path, **rows))
    assert ("sofa", "couch", "synonym") in found
    assert ("hot", "cold", "antonym") in found
    assert ("sofa", "furniture", "hypernym") not in found
    assert lines(vectors=vectors(tmp_path, sofa="1 0", couch="0.44 0.898", cold="1 0")) == set()


@pytest.mark.parametrize(("row", "expected"), [("0.79 0.613", True), ("0.82 0.572", False), ("0.44 0.898", False)])
def test_co_hyponyms_that_are_too_close_or_too_far_are_not_proposed(tmp_path, row, expected):
    found = lines(vectors=vectors(tmp_path, sofa="1 0", bench=row))
    assert (("sofa", "bench", "co_hyponym") in found) == expected


def test_nothing_is_proposed_inside_a_compound_of_wordnet():
    assert "piano" in {source for source, _, _ in lines("She plays the old piano at home.")}
    assert "piano" not in {source for source, _, _ in lines("She plays the grand piano at home.")}


def test_premises_that_are_too_short_or_too_long_are_left_out():
    assert proposed("Sofa", "sofa " * 10_000) == []


def test_proposals_never_contradict_the_lists_or_each_other(tmp_path):
    path = tmp_path / "mine.tsv"
    path.write_text("from\tto\trelation\tpos\tcountable\ncouch\tfurniture\texcludes\tnoun\tcount>mass\n", "utf-8")
    found = lines(lexicon=read_lexicon(path, shipped=False))
    assert not {("sofa", "couch", "synonym"), ("sofa", "furniture", "hypernym")} <= found


# The list for a reviewer


def reviewed(tmp_path, text: str, name: str = "proposals.tsv"):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


def table(**marks: str) -> str:
    """Return the list with the column reviewed filled in for the lines of some words."""
    text = format_proposals(proposed(), "premises.txt")
    rows = text.splitlines()
    return "\n".join(marks.get(row.split("\t")[1], "") + row if row[0] == "\t" else row for row in rows)


def test_the_list_is_read_back_as_it_was_proposed(tmp_path):
    path = reviewed(tmp_path, format_proposals(proposed(), "premises.txt"))
    read = read_lexicon(path, shipped=False, unreviewed=True).pairs
    assert [(one.source, one.target, one.relation, one.proposal) for one in read] == [
        (line.source, line.target, line.relation, line.proposal) for line in (one.substitution for one in proposed())
    ]


def test_only_approved_lines_are_used_and_refused_ones_never(tmp_path):
    path = reviewed(tmp_path, table(sofa="yes", violin="no"))
    assert {one.source.text for one in read_lexicon(path, shipped=False).pairs} == {"sofa"}
    both = read_lexicon(path, shipped=False, unreviewed=True).pairs
    assert {one.source.text for one in both} >= {"sofa", "hot"}
    assert "violin" not in {one.source.text for one in both}
    assert {one.source.text for one in both if one.proposal.reviewed} == {"sofa"}


@pytest.mark.parametrize(
    ("text", "code", "value"),
    [
        (table(), Code.EMPTY, None),
        (table(sofa="no"), Code.EMPTY, None),
        (table(sofa="maybe"), Code.BAD_CELL, "maybe"),
        (table(sofa="yes") + "\n" + table(sofa="yes").splitlines()[3], Code.DUPLICATE_NAME, "sofa > couch"),
        (table(sofa="yes").replace("to_sense", "sense"), Code.UNKNOWN_NAME, "sense"),
    ],
)
def test_a_bad_list_is_refused(tmp_path, text, code, value):
    with pytest.raises(TouchstoneError) as error:
        read_lexicon(reviewed(tmp_path, text), shipped=False)
    fault = error.value.faults[0]
    assert (fault.code, fault.value) == (code, value)


def test_an_empty_list_is_refused(tmp_path):
    with pytest.raises(TouchstoneError, match="is empty"):
        read_lexicon(reviewed(tmp_path, ""), shipped=False)


def test_a_list_that_is_not_utf8_is_refused(tmp_path):
    path = tmp_path / "proposals.tsv"
    path.write_bytes(table(sofa="yes").replace("→", "\xe9").encode("latin-1", "replace"))
    with pytest.raises(TouchstoneError, match="is not utf-8"):
        read_lexicon(path, shipped=False)


def test_two_lists_with_one_name_are_refused(tmp_path):
    (tmp_path / "other").mkdir()
    first, second = reviewed(tmp_path, table(sofa="yes")), reviewed(tmp_path / "other", table(sofa="yes"))
    with pytest.raises(TouchstoneError) as error:
        read_lexicon(first, second, shipped=False)
    assert error.value.code == Code.DUPLICATE_NAME


# Generation


def premises(tmp_path, *texts: str):
    path = tmp_path / "premises.txt"
    path.write_text("".join(f"{text}\n" for text in texts or PREMISES), "utf-8")
    return path


def test_provenance_says_whether_a_line_is_reviewed_and_its_synsets_and_path(tmp_path):
    path = reviewed(tmp_path, table(sofa="yes"))
    given = read_premises(premises(tmp_path))
    found = generate(given, Settings(lists=[str(path)], balance="none", per_premise=99)).pairs
    assert {pair.provenance["from"] for pair in found} == {"sofa"}
    assert all(pair.provenance["reviewed"] for pair in found)
    (pair,) = (one for one in found if one.provenance["to"] == "couch")
    assert pair.provenance["synsets"] == ["sofa.n.01", "sofa.n.01"]
    assert pair.provenance["path"] == "sofa.n.01"
    found = generate(given, Settings(lists=[str(path)], balance="none", per_premise=99, unreviewed=True)).pairs
    assert {pair.provenance["from"] for pair in found if pair.provenance["reviewed"]} == {"sofa"}
    assert "violin" in {pair.provenance["from"] for pair in found if not pair.provenance["reviewed"]}


def test_nothing_that_wordnet_proposes_is_used_unless_it_is_asked_for(tmp_path):
    given = read_premises(premises(tmp_path, "The janitor found a clarinet beside the dumpster and the turnstile."))
    words = {one.substitution.source.text for one in propose(given, Settings())}
    assert words
    assert all(pair.provenance["reviewed"] for pair in generate(given, Settings()).pairs)
    found = generate(given, Settings(balance="none", per_premise=999, unreviewed=True)).pairs
    own = [pair for pair in found if not pair.provenance["reviewed"]]
    assert {pair.provenance["from"] for pair in own} == words
    assert {pair.category for pair in own} == {"wordnet"}


def run(*arguments):
    result = CliRunner().invoke(app, list(map(str, arguments)))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_the_commands_propose_review_and_generate(tmp_path):
    given = premises(tmp_path, "The janitor found a clarinet beside the dumpster and the turnstile.")
    proposals, out = tmp_path / "proposals.tsv", tmp_path / "set.jsonl"
    assert "co_hyponym" in run("propose", given, "-o", proposals).stdout
    text = proposals.read_text("utf-8")
    assert run("propose", given).stdout == text
    assert run("propose", given, "--limit", 1).stdout.count("\n") == 2 + 1 + 1
    with pytest.raises(TouchstoneError) as error:
        run("generate", given, "--list", proposals, "-o", out)
    assert error.value.code == Code.EMPTY
    proposals.write_text(text.replace("\n\t", "\nyes\t"), "utf-8")
    run("generate", given, "--list", proposals, "-o", out, "--balance", "none")
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert rows
    assert {row["provenance"]["reviewed"] for row in rows} == {True}


def test_an_unknown_relation_is_refused_with_the_nearest(tmp_path):
    with pytest.raises(TouchstoneError, match='nearest valid name "antonym"'):
        run("propose", premises(tmp_path), "--relation", "antonim")


def test_premises_without_a_proposal_give_a_sentence(tmp_path):
    with pytest.raises(TouchstoneError) as error:
        run("propose", premises(tmp_path, "It is what it is."))
    assert error.value.code == Code.EMPTY
