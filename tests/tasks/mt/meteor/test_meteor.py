from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.tasks.mt.measures import MEASURES
from touchstone.tasks.mt.meteor import MODULES, SETTINGS, beam_search, staged_search
from touchstone.tasks.mt.meteor.words import WordPairs
from touchstone.tasks.mt.model import Joined
from touchstone.tasks.mt.texts import Texts

CAT = "the cat was sitting on the mat"
MAT = "the cat sat on the mat"


def compared(hypotheses, *references, counted=None):
    given = {} if counted is None else {"counted": np.array(counted)}
    return Joined(Texts(hypotheses), tuple(map(Texts, references)), **given)


def value(name, hypothesis, *references):
    measure = MEASURES.find(name)
    return float(measure.values(measure.record(compared([hypothesis], *([text] for text in references))))[0])


def links(search, system, reference):
    """The links of one pair as (system word, reference word, module)."""
    found = search(WordPairs.of(Texts([system]), Texts([reference])))
    linked = enumerate(zip(found.places.tolist(), found.modules.tolist(), strict=True))
    return [(i, j, MODULES[module]) for j, (i, module) in linked if i >= 0]


def test_the_cat_of_the_specification():
    measure = MEASURES.find("meteor(classic)")
    (record,) = measure.record(compared([CAT], [MAT]))
    assert record.tolist() == [7, 6, 2, 5, 0, 1, 1]
    assert measure.fold(record) == pytest.approx(530 / 549, abs=1e-12)
    assert value("meteor(tuned)", CAT, MAT) == pytest.approx(0.860260, abs=5e-7)


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected"),
    [
        ("on the mat sat the cat", MAT, 15 / 16),
        ("He bought a car.", "He purchased an automobile .", 3 / 4),
        (MAT, MAT, 1),
        ("dogs bark", MAT, 0),
        ("", MAT, 0),
        (MAT, "", 0),
    ],
)
def test_other_toys_of_the_specification(hypothesis, reference, expected):
    assert value("meteor(classic)", hypothesis, reference) == pytest.approx(expected, abs=1e-12)


def test_staged_search_spares_a_perfect_match_no_penalty():
    assert value("meteor(search=staged)", MAT, MAT) == pytest.approx(1 - 0.5 * (1 / 6) ** 3)


def test_the_best_reference_counts_with_its_statistics_the_first_of_equals():
    measure = MEASURES.find("meteor(classic)")
    both = measure.record(compared([CAT, "x"], ["nothing here", "a"], [MAT, "b c"]))
    assert both.tolist() == [[7, 6, 2, 5, 0, 1, 1], [1, 1, 0, 0, 0, 0, 1]]


def test_an_absent_reference_is_none_at_all():
    measure = MEASURES.find("meteor(classic)")
    found = measure.record(compared(["x", CAT], [None, MAT], ["y z", None]))
    assert found.tolist() == [[1, 2, 0, 0, 0, 0, 1], [7, 6, 2, 5, 0, 1, 1]]


def test_a_segment_without_any_reference_scores_0_and_one_that_does_not_count_is_zeros():
    measure = MEASURES.find("meteor(classic)")
    found = measure.record(compared(["a cat", CAT], [None, MAT], counted=[True, False]))
    assert found.tolist() == [[2, 0, 0, 0, 0, 0, 1], [0] * 7]
    assert measure.values(found)[0] == 0
    assert np.isnan(measure.values(found)[1])


def test_a_system_is_scored_from_sums_in_which_a_perfect_segment_has_no_chunk():
    measure = MEASURES.find("meteor(classic)")
    sums = measure.record(compared([CAT, MAT], [MAT, MAT])).sum(axis=0)
    assert sums.tolist() == [13, 12, 2, 11, 0, 1, 2]
    mean = 12 / (0.9 * 12 + 0.1 * 13)
    assert measure.fold(sums) == pytest.approx(mean * (1 - 0.5 * (2 / 12) ** 3))


def test_names_show_what_differs_and_unknown_ones_are_refused():
    names = ("meteor", "meteor(classic)", "meteor(tuned)", "meteor(search=staged)", "meteor(tuned,search=staged)")
    assert [MEASURES.find(name).name for name in names] == ["meteor(classic)", *names[1:]]
    with pytest.raises(TouchstoneError) as refused:
        MEASURES.find("meteor(clasic)")
    assert refused.value.code == Code.UNKNOWN_NAME
    assert refused.value.faults[0].near == "classic"
    with pytest.raises(TouchstoneError) as refused:
        MEASURES.find("meteor(search=greedy)")
    assert refused.value.code == Code.UNKNOWN_NAME


def test_the_signature_names_what_a_score_depends_on():
    said = MEASURES.find("meteor(tuned)").signature
    assert "WordNet 3.0#" in said
    assert "exact+stem+synonym" in said
    assert "references:best" in said


def test_explain_shows_links_by_module_and_the_value_of_the_record():
    found = MEASURES.find("meteor(classic)").explain(compared([CAT], [MAT]))
    (layer,) = found.layers
    shown = [(layer.left[link.left], layer.right[link.right], link.stage) for link in layer.matching.links]
    assert shown == [
        ("the", "the", "exact"),
        ("cat", "cat", "exact"),
        ("sitting", "sat", "synonym"),
        ("on", "on", "exact"),
        ("the", "the", "exact"),
        ("mat", "mat", "exact"),
    ]
    assert (layer.precision, layer.recall) == (6 / 7, 1)
    assert found.value == pytest.approx(530 / 549)
    assert found.notes == ("2 chunks, a penalty of 0.018519",)
    assert MEASURES.find("meteor(classic)").explain(compared([""], [MAT])).notes == ("no word is linked",)


def test_staged_search_takes_exact_links_first_and_the_fewest_crossings():
    assert links(staged_search, "a b a", "b a") == [(1, 0, "exact"), (2, 1, "exact")]
    assert links(staged_search, "cars auto", "automobile car") == [(1, 0, "synonym"), (0, 1, "stem")]


@pytest.mark.parametrize("before", ["run running", "running run"])
def test_the_words_of_other_segments_do_not_change_an_alignment(before):
    # Two system words are as good synonyms of "lead"; which is taken decides how many chunks there are.
    measure = MEASURES.find("meteor(search=staged)")
    (alone,) = measure.record(compared(["run running b"], ["lead b"]))
    together = measure.record(compared([before, "run running b"], [before, "lead b"]))
    assert together[1].tolist() == alone.tolist()


def test_long_lines_of_equal_words_take_neither_long_nor_much_memory():
    for search in ("meteor(classic)", "meteor(search=staged)"):
        assert value(search, "the " * 3000, "the " * 2000) == pytest.approx(2000 / (0.9 * 2000 + 0.1 * 3000), rel=1e-6)


# Words that are linked by form, stem and synonym, also by two of them at once, in few kinds so that many ways compete.
words = st.sampled_from(["the", "a", "car", "cars", "auto", "automobile", "run", "running", "ran", "b"])
sentences = st.lists(words, min_size=1, max_size=9).map(" ".join)


def plain_search(system, reference):
    """METEOR 1.5's search as its rules say it: whole paths are copied and all of them sorted at every word."""
    pairs = WordPairs.of(Texts([system]), Texts([reference]))
    one, other = pairs.system.values.tolist(), pairs.reference.values.tolist()
    found = [[] for _ in other]
    for j, word in enumerate(other):
        for module in range(3 if one != other else 1):
            found[j] += [(i, module) for i, rival in enumerate(one) if _joined(pairs, word, rival, module)]
    used = [i for row in found for i, _ in row]
    paths = [{"links": {}, "exact": 0, "chunks": 0, "distance": 0, "last": None}]
    for j, row in enumerate(found):
        grown = []
        fixed = len(row) == 1 and used.count(row[0][0]) == 1
        for path in paths[:40]:
            for i, module in row:
                if i not in {place for place, _ in path["links"].values()}:
                    broken = path["last"] not in (None, i - 1)
                    grown.append(
                        {
                            "links": path["links"] | {j: (i, module)},
                            "exact": path["exact"] + (module == 0),
                            "chunks": path["chunks"] + broken,
                            "distance": path["distance"] + (abs(i - j) if fixed else 0),
                            "last": i,
                        }
                    )
                    path["distance"] += abs(i - j)
            if not fixed:
                grown.append(path | {"chunks": path["chunks"] + (path["last"] is not None), "last": None})
        paths = sorted(grown, key=lambda path: (-path["exact"], path["chunks"], path["distance"]))
    for path in paths[:40]:
        path["chunks"] += path["last"] is not None
    best = min(paths[:40], key=lambda path: (-path["exact"], path["chunks"], path["distance"]))
    return [(i, j, MODULES[module]) for j, (i, module) in sorted(best["links"].items())]


def _joined(pairs, a, b, module):
    if module == 0 or a == b:
        return module == 0 and a == b
    if module == 1:
        return pairs.stems[a] == pairs.stems[b]
    rows = [set(pairs.synsets.values[slice(*pairs.synsets.offsets[word : word + 2])].tolist()) for word in (a, b)]
    return bool(rows[0] & rows[1])


@given(sentences, sentences)
def test_the_compiled_search_is_the_plain_one(system, reference):
    assert links(beam_search, system, reference) == plain_search(system, reference)


def best_stage(free_left, free_right, given_links, joined):
    """The most links and the fewest crossings of a stage, by trying all."""
    edges = [(i, j) for i in free_left for j in free_right if joined(i, j)]
    for size in range(min(len(free_left), len(free_right)), 0, -1):
        ways = [
            crossings([*given_links, *way])
            for way in combinations(edges, size)
            if len({i for i, _ in way}) == len({j for _, j in way}) == size
        ]
        if ways:
            return size, min(ways)
    return 0, crossings(given_links)


def crossings(pairs):
    return sum((a[0] - b[0]) * (a[1] - b[1]) < 0 for a, b in combinations(pairs, 2))


few = st.lists(words, min_size=1, max_size=4).map(" ".join)


@given(few, few)
def test_each_stage_makes_the_most_links_and_of_those_the_fewest_crossings(system, reference):
    found = links(staged_search, system, reference)
    pairs = WordPairs.of(Texts([system]), Texts([reference]))
    one, other = pairs.system.values.tolist(), pairs.reference.values.tolist()
    before = []
    for module, name in enumerate(MODULES):
        free_left = [i for i in range(len(one)) if i not in {i for i, _ in before}]
        free_right = [j for j in range(len(other)) if j not in {j for _, j in before}]
        most, fewest = best_stage(
            free_left, free_right, before, lambda i, j, by=module: _joined(pairs, one[i], other[j], by)
        )
        made = [(i, j) for i, j, stage in found if stage == name]
        assert all(_joined(pairs, one[i], other[j], module) for i, j in made)
        before = [*before, *made]
        assert (len(made), crossings(before)) == (most, fewest)


@given(sentences, sentences)
def test_scores_lie_between_0_and_1_and_nothing_is_linked_twice(system, reference):
    for search in (beam_search, staged_search):
        found = links(search, system, reference)
        assert len({i for i, *_ in found}) == len({j for _, j, _ in found}) == len(found)
    assert all(0 <= value(f"meteor({setting})", system, reference) <= 1 for setting in SETTINGS)


@given(st.permutations(["run", "the", "car", "the", "b"]))
def test_order_alone_changes_the_penalty_not_the_links(order):
    reference = "the car the b run"
    measure = MEASURES.find("meteor(search=staged)")
    (record,) = measure.record(compared([" ".join(order)], [reference]))
    assert record[3:6].tolist() == [5, 0, 0]
    assert 1 <= record[2] <= 5


def test_every_order_of_three_different_words_has_its_chunks():
    measure = MEASURES.find("meteor(search=staged)")
    found = {order: int(measure.record(compared([" ".join(order)], ["x y z"]))[0, 2]) for order in permutations("xyz")}
    assert found == {
        ("x", "y", "z"): 1,
        ("x", "z", "y"): 3,
        ("y", "x", "z"): 3,
        ("y", "z", "x"): 2,
        ("z", "x", "y"): 2,
        ("z", "y", "x"): 3,
    }
