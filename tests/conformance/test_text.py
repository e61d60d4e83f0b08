"""The figures that are claimed for the English analyser, on gold tokens and on raw text of Universal Dependencies.

The arithmetic is exact, so the figures hold to the last digit on any machine. They were chosen on dev; the test
file was scored when everything was settled.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import accumulate

import pytest

from touchstone.text import english, read_conllu, split_sentences

MAXSIM_RELATIONS = ("nsubj", "obj")
"""Subjects (nsubj with its subtypes, so passive ones too) and objects."""


@dataclass(frozen=True)
class Figures:
    tags: float
    fast_tags: float
    upos: float
    lemmas: float
    fast_lemmas: float
    uas: float
    las: float
    f1: float


def share(pairs):
    pairs = list(pairs)
    return 100 * sum(left == right for left, right in pairs) / len(pairs)


def paired(gold, found, column):
    return ((a, b) for g, f in zip(gold, found, strict=True) for a, b in zip(column(g), column(f), strict=True))


def edges(sentences):
    """Return the subjects and objects: sentence, dependent, head, and which of the two it is."""
    return {
        (n, word, head, name)
        for n, sentence in enumerate(sentences)
        for name in MAXSIM_RELATIONS
        for word, head in sentence.dependents(name)
    }


def measured(path):
    gold = read_conllu(path)
    rows = [sentence.forms for sentence in gold]
    full, fast = list(english().parse_tokens(rows)), list(english().tag_tokens(rows))
    right, wanted = edges(full), edges(gold)
    return Figures(
        tags=share(paired(gold, full, lambda s: s.tags)),
        fast_tags=share(paired(gold, fast, lambda s: s.tags)),
        upos=share(paired(gold, full, lambda s: s.upos)),
        lemmas=share(paired(gold, full, lambda s: s.lemmas)),
        fast_lemmas=share(paired(gold, fast, lambda s: s.lemmas)),
        uas=share(paired(gold, full, lambda s: s.heads)),
        las=share(paired(gold, full, lambda s: zip(s.heads, s.relations, strict=True))),
        f1=200 * len(right & wanted) / (len(right) + len(wanted)),
    )


CLAIMED = [
    ("ewt-dev", Figures(95.43, 95.01, 96.11, 96.88, 96.81, 89.47, 86.50, 91.24)),
    ("gum-dev", Figures(97.41, 97.20, 97.63, 98.13, 98.08, 89.85, 87.44, 92.59)),
    ("ewt-test", Figures(95.66, 95.29, 96.37, 96.71, 96.60, 89.76, 87.12, 92.95)),
]


@pytest.mark.parametrize(("part", "claimed"), CLAIMED)
def test_the_claimed_figures_are_found_to_the_last_digit(data, part, claimed):
    found = measured(data("ud") / f"{part}.conllu")
    assert {name: round(value, 2) for name, value in vars(found).items()} == vars(claimed)


@dataclass(frozen=True)
class Raw:
    """F1 over tokens that start and end at the same characters: tokens, tags, UAS, LAS; F1 of sentences."""

    tokens: float
    tags: float
    uas: float
    las: float
    sentences: float


def spans(sentence):
    return list(zip(sentence.starts, sentence.ends, strict=True))


def arcs(sentence):
    """Return tag, head and relation of each token by its span; the head by its span too."""
    places = [None, *spans(sentence)]
    columns = zip(places[1:], sentence.tags, sentence.heads, sentence.relations, strict=True)
    return {span: (tag, places[head], relation) for span, tag, head, relation in columns}


def measured_raw(path):
    """Return the figures from raw text: the bounds of sentences given, and sentences found in paragraphs of ten."""
    gold = read_conllu(path)
    right, total = Counter(), 0
    for wanted, found in zip(gold, english().parse((s.text for s in gold), split=False), strict=True):
        one, other = arcs(wanted), arcs(found)
        total += len(one) + len(other)
        pairs = [(one[span], other[span]) for span in one.keys() & other.keys()]
        right["tokens"] += len(pairs)
        right["tags"] += sum(a[0] == b[0] for a, b in pairs)
        right["uas"] += sum(a[1] == b[1] for a, b in pairs)
        right["las"] += sum(a[1:] == b[1:] for a, b in pairs)
    return Raw(**{name: 200 * count / total for name, count in right.items()}, sentences=sentence_f1(gold))


def sentence_f1(gold):
    """Return the F1 of sentences with both bounds right, in paragraphs of ten that are joined by one blank."""
    right = total = 0
    for start in range(0, len(gold), 10):
        texts = [" ".join(sentence.text.split()) for sentence in gold[start : start + 10]]
        starts = accumulate((len(text) + 1 for text in texts), initial=0)
        wanted = {(place, place + len(text)) for place, text in zip(starts, texts, strict=False)}
        found = set(split_sentences(" ".join(texts)))
        right, total = right + len(wanted & found), total + len(wanted) + len(found)
    return 200 * right / total


RAW = [
    ("ewt-dev", Raw(99.45, 94.96, 88.59, 85.68, 71.58)),
    ("gum-dev", Raw(99.94, 97.35, 89.78, 87.40, 87.61)),
    ("ewt-test", Raw(99.14, 94.99, 88.72, 86.17, 65.94)),
]


@pytest.mark.parametrize(("part", "claimed"), RAW)
def test_the_claimed_figures_from_raw_text_are_found_to_the_last_digit(data, part, claimed):
    found = measured_raw(data("ud") / f"{part}.conllu")
    assert {name: round(value, 2) for name, value in vars(found).items()} == vars(claimed)


@pytest.mark.parametrize("part", ["ewt-test", "gum-dev"])
def test_raw_text_costs_at_most_a_point_of_las_and_a_hundredth_of_the_tokens(part):
    raw, given = dict(RAW)[part], dict(CLAIMED)[part]
    assert raw.las > given.las - 1.0
    assert raw.tokens >= 99.0
