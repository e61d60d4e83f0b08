"""The toy cases of MAXSIM as fractions, and a figure of WMT 2012.

Expected values are arithmetic on the definitions of Chan and Ng (2008, section 4) with WordNet 3.0: links of equal
n-grams + of equal lemmas + soft weight, of (system, reference) n-grams, for n = 1, 2, 3; then the score.
"""

import html
from fractions import Fraction

import numpy as np
import pytest

from touchstone.tasks.mt.formats.analyses import inline_analyses
from touchstone.tasks.mt.maxsim import maxsim
from touchstone.tasks.mt.model import Joined
from touchstone.tasks.mt.texts import Texts
from touchstone.text import Sentence, Stored

CAT = ("the/DT cat/NN sit/VBD on/IN the/DT mat/NN", "the/DT cat/NN lie/VBD on/IN a/DT rug/NN")
BUY = ("they/PRP buy/VBP the/DT car/NN", "they/PRP purchase/VBP the/DT automobile/NN")
DOG = ("dog/NN bite/VBZ man/NN", "man/NN bite/VBZ dog/NN")
NOTHING = (0, 0, 0, 0, 0)

# number, system, reference, (exact, lemma, soft, system, reference) for each n, score
LITERAL = [
    (
        1,
        "the/DT cat/NN sit/VBD",
        "the/DT cat/NN sit/VBD",
        [(3, 0, 0, 3, 3), (2, 0, 0, 2, 2), (1, 0, 0, 1, 1)],
        Fraction(1),
    ),
    (
        2,
        "the/DT car/NN stop/VBD",
        "the/DT automobile/NN stop/VBD",
        [(2, 0, 1, 3, 3), (0, 0, Fraction(7, 4), 2, 2), (0, 0, Fraction(5, 6), 1, 1)],
        Fraction(65, 72),
    ),
    (
        3,
        *CAT,
        [(3, 0, Fraction(3, 2), 6, 6), (1, 0, Fraction(11, 4), 5, 5), (0, 0, Fraction(17, 6), 4, 4)],
        Fraction(53, 72),
    ),
    (4, "yes/UH", "yes/UH indeed/RB sir/NN", [(1, 0, 0, 1, 3), (0, 0, 0, 0, 2), (0, 0, 0, 0, 1)], Fraction(5, 42)),
    (5, "yes/UH", "yes/UH", [(1, 0, 0, 1, 1), NOTHING, NOTHING], Fraction(1, 3)),
    (
        6,
        "a/DT b/NN c/NN d/NN",
        "c/NN d/NN a/DT b/NN",
        [(4, 0, 0, 4, 4), (2, 0, 0, 3, 3), (0, 0, 0, 2, 2)],
        Fraction(5, 9),
    ),
    (
        7,
        "run/NN run/VB go/VB",
        "run/JJ leave/NN go/VB",
        [(1, 1, Fraction(1, 2), 3, 3), (0, 0, Fraction(3, 2), 2, 2), (0, 0, Fraction(2, 3), 1, 1)],
        Fraction(3, 4),
    ),
    (
        8,
        "the/DT cat/NN",
        "the/DT cat/NN sit/VBD on/IN mat/NN",
        [(2, 0, 0, 2, 5), (1, 0, 0, 1, 4), (0, 0, 0, 0, 3)],
        Fraction(1210, 5217),
    ),
    (
        9,
        "the/DT cat/NN sit/VBD on/IN mat/NN",
        "the/DT cat/NN",
        [(2, 0, 0, 5, 2), (1, 0, 0, 4, 1), (0, 0, 0, 3, 0)],
        Fraction(490, 897),
    ),
    (
        10,
        "the/DT run/NN be/VBD long/JJ",
        "the/DT run/VB be/VBD long/JJ",
        [(3, 1, 0, 4, 4), (1, 2, 0, 3, 3), (0, 2, 0, 2, 2)],
        Fraction(1),
    ),
    (
        11,
        "dog/NN quickly/RB",
        "cat/NN table/NN",
        [(0, 0, Fraction(1, 2), 2, 2), (0, 0, 0, 1, 1), NOTHING],
        Fraction(1, 12),
    ),
    (12, "idea/NN car/NN", "automobile/NN run/VB", [(0, 0, 1, 2, 2), (0, 0, 0, 1, 1), NOTHING], Fraction(1, 6)),
    (13, "buy/VB car/NN", "auto/NN buy/NN", [(0, 1, 1, 2, 2), (0, 0, 0, 1, 1), NOTHING], Fraction(1, 3)),
    (14, "", "the/DT cat/NN", [(0, 0, 0, 0, 2), (0, 0, 0, 0, 1), NOTHING], Fraction(0)),
    (14, "", "", [NOTHING, NOTHING, NOTHING], Fraction(0)),
]
IDENTITY = {
    1: Fraction(1),
    2: Fraction(1),
    3: Fraction(3, 4),
    7: Fraction(3, 4),
    8: Fraction(1210, 5217),
    9: Fraction(490, 897),
    10: Fraction(1),
}
"""Scores under syn=identity; in the other cases they are those of the literal reading."""


def compared(system, reference):
    texts = [text or None for text in (system, reference)]
    hypothesis, references = (Texts([text or ""], inline_analyses([text], "toy")) for text in texts)
    return Joined(hypothesis, (references,))


def scored(name, pair):
    """Return the score as a fraction, and the parts."""
    measure = maxsim(**name) if isinstance(name, dict) else maxsim(name)
    records = measure.record(pair)
    (value,) = measure.values(records).tolist()
    return Fraction(value).limit_denominator(10_000), {
        key: column.item() for key, column in measure.parts(records).items()
    }


def counts(parts, n):
    names = ("exact", "lemma", "soft", "system", "reference")
    return tuple(Fraction(parts[f"{n}.{name}"]).limit_denominator(100) for name in names)


@pytest.mark.parametrize(("case", "system", "reference", "orders", "score"), LITERAL)
def test_ngrams_of_the_toy_cases(case, system, reference, orders, score):
    pair = compared(system, reference)
    value, parts = scored("n", pair)
    assert [counts(parts, n) for n in (1, 2, 3)] == orders
    assert value == score
    assert scored({"what": "n", "syn": "identity"}, pair)[0] == IDENTITY.get(case, score)


def test_the_soft_weights_that_identity_changes():
    for case, n, soft in ((2, 2, Fraction(2)), (2, 3, Fraction(1)), (3, 3, Fraction(3))):
        _, system, reference, *_ = LITERAL[case - 1]
        parts = scored({"what": "n", "syn": "identity"}, compared(system, reference))[1]
        assert counts(parts, n)[2] == soft


def test_f_of_the_cases_whose_sides_differ():
    parts = [scored("n", compared(*LITERAL[case - 1][1:3]))[1] for case in (4, 8, 9)]
    found = [[Fraction(part[f"{n}.F"]).limit_denominator(1000) for n in (1, 2)] for part in parts]
    assert found == [[Fraction(5, 14), 0], [Fraction(20, 47), Fraction(10, 37)], [Fraction(20, 23), Fraction(10, 13)]]


def test_absent_orders_are_dropped_where_that_is_asked():
    assert scored({"what": "n", "absent": "drop"}, compared("yes/UH", "yes/UH"))[0] == 1


def test_distance_weighs_the_soft_links_of_case_13():
    value, parts = scored({"what": "n", "distance": "1"}, compared("buy/VB car/NN", "auto/NN buy/NN"))
    assert counts(parts, 1) == (0, 1, Fraction(1, 2), 2, 2)
    assert value == Fraction(1, 4)


def parsed(text, relations):
    """Return *text* with a tree in which the *relations*, from one word to another, are subjects and objects."""
    words = [token.rpartition("/") for token in text.split()]
    lemmas, tags = tuple(lemma for lemma, _, _ in words), tuple(tag for _, _, tag in words)
    edges = {lemmas.index(child): (lemmas.index(parent) + 1, kind) for child, kind, parent in relations}
    root = next(place for place in range(len(lemmas)) if place not in edges)
    others = {place: (root + 1, "dep") for place in range(len(lemmas)) if place not in edges} | {root: (0, "root")}
    heads, names = zip(*((others | edges)[place] for place in range(len(lemmas))), strict=True)
    return Sentence(text, lemmas, (0,) * len(lemmas), (0,) * len(lemmas), tags, lemmas, heads, names)


def related(system, reference, of_system, of_reference):
    sides = (system, of_system), (reference, of_reference)
    hypothesis, references = (Texts([text], Stored([parsed(text, some)], "toy")) for text, some in sides)
    return Joined(hypothesis, (references,))


SUBJECT = ("dog", "nsubj", "bite")
OBJECT = ("man", "obj", "bite")
# number, system, reference, relations of both, F_d and score: literal, identity
RELATIONS = [
    (
        15,
        *CAT,
        [("cat", "nsubj", "sit")],
        [("cat", "nsubj", "lie")],
        Fraction(2, 3),
        Fraction(23, 32),
        Fraction(2, 3),
        Fraction(35, 48),
    ),
    (
        16,
        *BUY,
        [("they", "nsubj", "buy"), ("car", "obj", "buy")],
        [("they", "nsubj", "purchase"), ("automobile", "obj", "purchase")],
        Fraction(5, 6),
        Fraction(5, 6),
        Fraction(1),
        Fraction(1),
    ),
    (
        17,
        *DOG,
        [SUBJECT, OBJECT],
        [("man", "nsubj", "bite"), ("dog", "obj", "bite")],
        Fraction(2, 3),
        Fraction(37, 48),
        Fraction(2, 3),
        Fraction(37, 48),
    ),
    (20, "no/DT comment/NN", "no/DT comment/NN", [], [], Fraction(0), Fraction(2, 3), Fraction(0), Fraction(2, 3)),
    (
        21,
        "they/PRP go/VBP",
        "they/PRP go/VBP",
        [("they", "nsubj", "go")],
        [("they", "nsubj", "go")],
        Fraction(2, 3),
        Fraction(2, 3),
        Fraction(1),
        Fraction(3, 4),
    ),
]


@pytest.mark.parametrize(("case", "system", "reference", "left", "right", "f", "score", "f_same", "same"), RELATIONS)
def test_relations_of_the_toy_cases(case, system, reference, left, right, f, score, f_same, same):
    pair = related(system, reference, left, right)
    for syn, expected_f, expected in (("literal", f, score), ("identity", f_same, same)):
        value, parts = scored({"what": "n+d", "syn": syn}, pair)
        assert (Fraction(parts["d.F"]).limit_denominator(100), value) == (expected_f, expected)


def test_the_ngrams_beside_the_relations_of_cases_16_and_17():
    pairs = [related(*case[1:5]) for case in RELATIONS[1:3]]
    found = [[counts(scored("n", pair)[1], n)[:3] for n in (1, 2, 3)] for pair in pairs]
    assert found == [
        [(2, 0, 2), (0, 0, Fraction(9, 4)), (0, 0, Fraction(3, 2))],
        [(3, 0, 0), (0, 0, Fraction(3, 2)), (0, 0, Fraction(2, 3))],
    ]
    assert [scored("n", pair)[0] for pair in pairs] == [Fraction(5, 6), Fraction(29, 36)]


def test_a_relation_that_one_side_lacks_and_one_of_another_type():
    more = related(*DOG, [SUBJECT], [SUBJECT, OBJECT])  # case 18
    other = related(*DOG, [SUBJECT], [("dog", "obj", "bite")])  # case 19
    parts = [scored("n+d", pair)[1] for pair in (more, other)]
    assert [part["d.soft"] for part in parts] == [1, 0]
    assert [Fraction(part["d.F"]).limit_denominator(100) for part in parts] == [Fraction(10, 19), 0]


def test_the_mean_segment_score_of_a_wmt12_system_is_near_the_published_one(data, record_property):
    folder = data("wmt12")
    lines = (folder / "cs-en" / "uedin-wmt12").read_text(encoding="utf-8").split("\n")[:3003]
    references = (folder / "ref.en").read_text(encoding="utf-8").split("\n")[:3003]
    pair = Joined(Texts([html.unescape(line) for line in lines]), (Texts(references),))
    found = {}
    for syn, published in (("literal", 0.4859), ("identity", 0.4992)):  # with the tags of another tagger
        measure = maxsim("n", syn=syn)
        found[syn] = float(measure.fold(measure.record(pair).sum(axis=0)))
        assert found[syn] == pytest.approx(published, abs=0.02)
    record_property("said", f"maxsim(n) of cs-en/uedin-wmt12: {np.round(list(found.values()), 4)}")
