"""Substitutes for people and for files."""

import json

import numpy as np
import pytest

from touchstone import TouchstoneError, lexsub
from touchstone.base.codes import Code
from touchstone.systems.substitution.config import Config
from touchstone.systems.substitution.ranking import Scores
from touchstone.systems.substitution.resources import Resources
from touchstone.systems.substitution.substituter import Substituter, without_answer, write_run
from touchstone.systems.substitution.training import FEATURES, Settings, train
from touchstone.tasks.lexsub.model import Context, Sentence

PLAIN = Config("plain", 2, False, {"sense.order": 1.0}, 0.3)
SENTENCES = [
    Sentence("1", "match", "n", Context("They lost the", "match", "on Sunday .")),
    Sentence("2", "bright", "a", Context("", "Brighter", "students solved it .")),
]


def test_a_place_and_a_word_give_the_same_suggestions():
    plain = Substituter(config=PLAIN)
    assert (
        plain.suggest("They lost the match", target=(14, 19)).words
        == plain.suggest("They lost the match", "match").words
    )


def test_suggestions_have_forms_scores_and_reasons_best_first():
    found = Substituter(config=PLAIN).suggest("Brighter students solved it.", "brighter")
    assert found.target.tag == "JJR"
    assert next(one.form for one in found if one.word == "smart") == "smarter"
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert all(sum(one.reasons.values()) == pytest.approx(one.score) for one in found)
    assert 1 <= found.cut <= len(found)
    assert len(found) >= 10


@pytest.mark.parametrize(
    ("text", "word", "code"),
    [
        ("The xyzzy fell.", "xyzzy", Code.UNSUPPORTED),
        ("They lost the match.", "game", Code.UNKNOWN_NAME),
        ("A match is a match.", "match", Code.AMBIGUOUS),
        ("Der Hund schläft auf dem Sofa nebenan.", "Hund", Code.UNSUPPORTED),
        ("They lost the match. " + "Nobody was surprised. " * 460, "match", Code.TOO_LARGE),
    ],
)
def test_what_cannot_be_answered_gets_a_sentence(text, word, code):
    with pytest.raises(TouchstoneError) as error:
        Substituter(config=PLAIN).suggest(text, word)
    assert error.value.code == code


def test_a_run_has_an_empty_list_for_a_target_without_candidates_and_says_so():
    unknown = Sentence("9", "xyzzy", "n", Context("The", "xyzzy", "fell ."))
    run = Substituter(config=PLAIN).run([*SENTENCES, unknown])
    assert run.answers("9") == ()
    [note] = without_answer(run)
    assert note.startswith("plain: targets without any answer")
    assert note.endswith(f"1 of {len(SENTENCES) + 1} (9)")


def test_a_ranker_of_the_users_own_takes_the_place_of_the_systems():
    class ByLength:
        signature = "the longest first"

        def rank(self, target, candidates):
            return Scores(np.array([len(candidate.word) for candidate in candidates], float))

    own = Substituter(config=PLAIN, ranker=ByLength())
    lengths = [len(word) for word in own.suggest("They lost the match", "match").words]
    assert lengths == sorted(lengths, reverse=True)
    assert "the longest first" in own.signature


def test_a_thesaurus_of_the_users_own_adds_candidates(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text("match.n: showdown\n")
    config = Config("own", 1, False, {"way.thesaurus": 1.0}, 0.5)
    own = Substituter(config=config, thesaurus=path)
    assert own.suggest("They lost the match", "match").words[0] == "showdown"
    assert "thesaurus own.txt#" in own.signature


def test_bow_prefers_what_goes_with_the_sentence(glove):
    config = Config("bow", 2, False, {"bow.wide": 1.0}, 0.5)
    system = Substituter(config=config, vectors=glove)
    words = system.suggest("They burn a match", "match").words
    assert words.index("lucifer") < words.index("contest")
    words = system.suggest("They lost the match", "match").words
    assert words.index("contest") < words.index("lucifer")


def test_vectors_counted_from_a_corpus_serve_as_well(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("we lost the contest yesterday evening\nthey burn one lucifer with fire\n" * 5)
    config = Config("bow", 2, False, {"bow.wide": 1.0}, 0.5)
    system = Substituter(config=config, corpus=path)
    assert system.suggest("They lost the match yesterday evening", "match").words[0] == "contest"
    assert system.suggest("They burn one match with fire", "match").words[0] == "lucifer"
    with pytest.raises(TouchstoneError) as error:
        Substituter(config=config, corpus=path, vectors=path)
    assert error.value.code == Code.OPTION_UNUSED


def test_a_plain_installation_finds_substitutes_without_any_file_of_the_users(monkeypatch):
    monkeypatch.delenv("TOUCHSTONE_VECTORS", raising=False)
    assert {"contest", "competition"} & set(Substituter().suggest("They lost the match.", "match").words[:3])


def test_a_sentence_gets_the_same_answers_alone_and_among_others():
    system = Substituter("lm")
    together = system.run(SENTENCES)
    for sentence in SENTENCES:
        assert system.run([sentence]).answers(sentence.id) == together.answers(sentence.id)


def test_a_run_is_written_by_suffix_and_read_back(tmp_path):
    run = Substituter(config=PLAIN).run(SENTENCES, boundary=True)
    for suffix in (".oot", ".best", ".jsonl"):
        write_run(tmp_path / f"plain{suffix}", run)
    cuts = run.ranked.cuts.tolist()
    whole = lexsub.read_run(tmp_path / "plain.jsonl")
    assert whole.ranked.cuts.tolist() == cuts
    assert whole.answers("1") == run.answers("1")
    assert lexsub.read_run(tmp_path / "plain.oot").answers("1") == run.answers("1")[: cuts[0]]
    assert lexsub.read_run(tmp_path / "plain.best").answers("2", "best") == run.answers("2")[:1]
    with pytest.raises(TouchstoneError) as error:
        write_run(tmp_path / "plain.csv", run)
    assert error.value.code == Code.UNKNOWN_FORMAT


def test_no_sentences_are_refused():
    with pytest.raises(TouchstoneError) as error:
        Substituter(config=PLAIN).run([])
    assert error.value.code == Code.EMPTY


def gold_of(tmp_path, lines):
    path = tmp_path / "small.jsonl"
    path.write_text("\n".join(lines))
    return lexsub.read_gold(path)


def item(number, target, left, right, gold):
    whole = {
        "id": str(number),
        "target": target,
        "pos": "n",
        "left": left,
        "head": target,
        "right": right,
        "gold": gold,
    }
    return json.dumps(whole)


def test_training_learns_from_the_words_given_and_holds_each_word_out(tmp_path):
    gold = gold_of(
        tmp_path,
        [
            item(1, "match", "They lost the", "on Sunday .", {"contest": 3, "game": 1}),
            item(2, "match", "She won every", "that year .", {"contest": 2}),
            item(3, "car", "He sold his", "to a friend .", {"automobile": 3}),
            item(4, "car", "The red", "would not start .", {"automobile": 2, "auto": 1}),
            item(5, "house", "They built a", "by the river .", {"home": 2, "dwelling": 1}),
        ],
    )
    said = []
    system = Resources()
    learned = train("lm", gold, system, grid=[Settings(1, False, 0.1), Settings(2, False, 0.1)], tell=said.append)
    assert len(said) == 2
    assert learned.config.learned["items"] == "5"
    assert learned.config.learned["words"] == "3"
    assert learned.config.learned["from"] == str(gold.source)
    assert set(learned.config.weights) == set(FEATURES["lm"])
    assert learned.held_out.ranked.ids == ["1", "2", "3", "4", "5"]
    assert 0 < learned.config.threshold <= 1
    again = train("lm", gold, system, grid=[Settings(1, False, 0.1), Settings(2, False, 0.1)])
    assert again.config == learned.config


def test_training_refuses_gold_without_sentences_one_word_alone_and_unknown_systems(tmp_path):
    one = gold_of(tmp_path, [item(1, "match", "They lost the", "on Sunday .", {"contest": 3})])
    with pytest.raises(TouchstoneError) as error:
        train("lm", one, Resources())
    assert error.value.code == Code.TOO_FEW
    with pytest.raises(TouchstoneError) as error:
        train("ml", one, Resources())
    assert error.value.code == Code.UNKNOWN_NAME
    path = tmp_path / "bare.gold"
    path.write_text("match.n 1 :: contest 3;\n")
    with pytest.raises(TouchstoneError) as error:
        train("lm", lexsub.read_gold(path), Resources())
    assert error.value.code == Code.OPTION_NEEDED
