from itertools import combinations
from urllib.parse import quote

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.base.errors import TouchstoneError
from touchstone.tasks.mt.measures import MEASURES
from touchstone.tasks.mt.meteor.words import WordPairs
from touchstone.tasks.mt.model import Joined
from touchstone.tasks.mt.paraeval.covering import cover
from touchstone.tasks.mt.texts import Texts

BUYING = ("He is going to buy an automobile , today.", "he will purchase the car .")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def table(tmp_path):
    """Write entries of METEOR's form and give the path."""

    def write(*entries, name="toy.paraphrases"):
        path = tmp_path / name
        path.write_text("".join(f"{p}\n{one}\n{other}\n" for p, one, other in entries), encoding="utf-8")
        return path

    return write


def compared(hypotheses, *references, counted=None):
    given = {} if counted is None else {"counted": np.array(counted)}
    return Joined(Texts(hypotheses), tuple(map(Texts, references)), **given)


def explained(name, joined):
    return MEASURES.find(name).explain(joined)


def value(name, hypothesis, *references):
    measure = MEASURES.find(name)
    return float(measure.values(measure.record(compared([hypothesis], *([text] for text in references))))[0])


def test_without_a_table_words_are_linked_that_are_equal_or_share_a_synset():
    assert value("paraeval.R", *BUYING) == 3 / 5  # he; buy, purchase; automobile, car: punctuation does not count
    assert value("paraeval.P", *BUYING) == 3 / 8


def test_with_a_table_phrases_come_first_and_words_must_be_equal(table):
    path = table((0.5, "is going to", "will"), (0.01, "the car", "automobile"))
    assert value(f"paraeval.R(table={path})", *BUYING) == 4 / 5  # will; the car; he
    assert value(f"paraeval.P(table={path})", *BUYING) == 5 / 8
    assert value(f"paraeval.R(table={path},wordnet=on)", *BUYING) == 5 / 5
    assert value(f"paraeval.R(table={path},min_prob=0.1)", *BUYING) == 2 / 5
    assert value(f"paraeval.R(table={path},min_prob=0.1,wordnet=on)", *BUYING) == 4 / 5


def test_a_pair_serves_in_either_direction(table):
    path = table((1, "x y", "z"))
    assert value(f"paraeval.R(table={path})", "z", "x y") == 1
    assert value(f"paraeval.R(table={path})", "x y", "z") == 1


def test_long_reference_phrases_come_first_then_long_system_phrases_then_early_ones(table):
    path = table((1, "a b", "x"), (1, "b c d", "x"), (1, "e", "x y"), (1, "e", "x"))
    found = explained(f"paraeval.R(table={path})", compared(["x x"], ["a b c d"]))
    assert [(link.left, link.right) for link in found.layers[0].matching.links] == [(0, 0)]
    assert (found.layers[0].left, found.layers[0].right) == (("x",), ("b c d",))
    assert found.layers[0].left_places == ((0,),)
    assert found.layers[0].right_places == ((1, 2, 3),)
    longer = explained(f"paraeval.R(table={path})", compared(["x x y"], ["e e"]))
    assert longer.layers[0].left == ("x y", "x")
    assert longer.layers[0].right_places == ((0,), (1,))


def test_no_word_is_covered_twice(table):
    path = table((1, "a b", "x"), (1, "b c", "y"))
    assert value(f"paraeval.R(table={path})", "x y", "a b c") == 2 / 3


def test_words_are_assigned_together_so_that_the_most_are_linked():
    # One by one, "car" would take "car" and leave nothing for "railcar", which shares no synset with "auto".
    assert value("paraeval.R", "car auto", "car railcar") == 1


words = st.sampled_from(
    ["car", "auto", "automobile", "railcar", "cable car", "machine", "the", "run", "go", "leave", "lead"]
)
sentences = st.lists(words, min_size=1, max_size=5).map(" ".join)


def most_links(system, reference):
    """The most links by trying all sets of pairs."""
    found = WordPairs.of(Texts([system]), Texts([reference]))
    one, other, synsets = found.system.values.tolist(), found.reference.values.tolist(), found.synsets
    having = lambda word: set(synsets.values[slice(*synsets.offsets[word : word + 2])].tolist())  # noqa: E731
    pairs = [(i, j) for i, a in enumerate(one) for j, b in enumerate(other) if a == b or having(a) & having(b)]
    for size in range(min(len(one), len(other)), 0, -1):
        if any(len({i for i, _ in way}) == len({j for _, j in way}) == size for way in combinations(pairs, size)):
            return size
    return 0


short = st.lists(words.filter(lambda word: " " not in word), min_size=1, max_size=4).map(" ".join)


@given(short, short)
def test_the_number_of_links_is_that_of_trying_all(system, reference):
    covered = cover(Texts([system]), Texts([reference]), None, synonyms=True)
    assert covered.by_words.tolist() == [most_links(system, reference)]
    partners = covered.words.partners[covered.words.partners >= 0].tolist()
    assert len(set(partners)) == len(partners) == covered.by_words.item()


@given(st.lists(st.tuples(sentences, sentences), min_size=2, max_size=4))
def test_segments_do_not_know_each_other(rows):
    measure = MEASURES.find("paraeval.R")
    together = measure.values(measure.record(compared(*zip(*rows, strict=True))))
    assert together.tolist() == [value("paraeval.R", *row) for row in rows]


def test_the_best_reference_counts_and_absent_ones_do_not():
    measure = MEASURES.find("paraeval.R")
    found = measure.record(compared(["a b", "c", "d"], ["x y", None, None], ["a y", "c", None]))
    assert measure.values(found).tolist() == [1 / 2, 1, 0]
    assert measure.fold(found.sum(axis=0)) == 1.5 / 3
    assert measure.parts(found)["reference_covered"].tolist() == [1, 1, 0]


def test_empty_sides_score_0_and_what_does_not_count_is_zeros():
    measure = MEASURES.find("paraeval.P")
    found = measure.record(compared(["", "...", "a", "a"], ["a", "a", "!", "a"], counted=[True, True, True, False]))
    assert measure.values(found)[:3].tolist() == [0, 0, 0]
    assert not found[3].any()


def test_names_show_what_differs_and_signatures_name_table_and_wordnet(table):
    path = table((1, "a", "b"))
    name = f"paraeval.R(table={path},min_prob=0.5,wordnet=on)"
    assert MEASURES.find(name).name == name
    assert MEASURES.find(f"paraeval.P(wordnet=off,table={path})").name == f"paraeval.P(table={path})"
    assert MEASURES.find("paraeval.R(wordnet=on)").name == "paraeval.R"
    assert MEASURES.find("paraeval.R").signature.startswith("table:none+wordnet WordNet 3.0#")
    assert MEASURES.find(f"paraeval.R(table={path})").signature.startswith("table:toy.paraphrases#")
    assert "+wordnet" not in MEASURES.find(f"paraeval.R(table={path})").signature


def test_paths_with_brackets_and_commas_are_written_as_in_addresses(table):
    path = table((1, "x y", "z"), name="a table, packed (1) 100%.txt")
    name = f"paraeval.R(table={quote(str(path))},wordnet=on)"
    assert value(name, "z", "x y") == 1
    assert MEASURES.find(name).name == name


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ("min_prob=2,table=x", "min_prob must be a number from 0 to 1"),
        ("min_prob=0.5", "min_prob needs a table"),
        ("wordnet=off", "wordnet is on, or off where a table is given"),
        ("table=none.such", "none.such: no such file"),
    ],
)
def test_wrong_parameters_are_refused(parameters, said):
    with pytest.raises(TouchstoneError, match=said):
        MEASURES.find(f"paraeval.R({parameters})")


def test_explain_shows_phrases_and_words_with_their_stages(table):
    path = table((1, "is going to", "will"))
    name = f"paraeval.R(table={path},wordnet=on)"
    found = explained(name, compared([BUYING[0]], [BUYING[1]]))
    phrases, by_word = found.layers
    assert (phrases.left, phrases.right) == (("is going to",), ("will",))
    assert (phrases.precision, phrases.recall) == (3 / 8, 1 / 5)
    shown = [(by_word.left[link.left], by_word.right[link.right], link.stage) for link in by_word.matching.links]
    assert shown == [("he", "he", "exact"), ("buy", "purchase", "synonym"), ("automobile", "car", "synonym")]
    assert found.value == value(name, *BUYING)
    assert found.value == pytest.approx(phrases.recall + by_word.recall)
    assert not {"is", "going", "will"} & {*by_word.left, *by_word.right}  # words of a phrase are not unmatched ones
    assert "," not in found.hypothesis


def test_long_lines_are_linked_in_good_time(table):
    path = table((1, "x y", "z"), (0.5, "the", "a"))
    assert value(f"paraeval.R(table={path})", "the z " * 2500, "a x y " * 2000) == 1
    assert value("paraeval.R", "car " * 3000 + "auto " * 1000, "automobile " * 5000) == 4000 / 5000
