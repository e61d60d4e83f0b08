"""Whatever a text holds, its tokens and sentences give it back, in time in proportion to its length."""

import random
import time

import pytest

from touchstone.text import Tokeniser, english, split_sentences

RANGES = (
    *((0x20, 0x7E), (0x00, 0x1F), (0x7F, 0x9F), (0xA0, 0x24F), (0x300, 0x36F), (0x370, 0x5FF), (0x600, 0x6FF)),
    *((0x900, 0x97F), (0xE00, 0xE7F), (0x1100, 0x11FF), (0x2000, 0x206F), (0x2190, 0x27BF), (0x3040, 0x30FF)),
    *((0x4E00, 0x4FFF), (0xAC00, 0xACFF), (0xD800, 0xDFFF), (0xFB00, 0xFDFF), (0xFE00, 0xFFFF), (0x1F300, 0x1FAFF)),
)
"""Other scripts, marks, controls, halves of pairs, emoji."""
PARTS = (
    *(
        "don't",
        "U.S.",
        "http://a.b/c",
        "a@b.c",
        "@name",
        "#tag",
        "...",
        "--",
        "“",
        "”",
        "’",
        "…",
        ":)",
        "3–4",
        "1,000.5",
    ),
    *("15-year-old", "\u200d", "\ufe0f", "\u202e", " ", "\t", "\n\n", "\u00a0", "!?", "(", "]", "'", "its a", "No."),
)


def hostile_line(chance):
    kind = chance.random()
    if kind < 0.4:
        return "".join(chr(chance.randint(*chance.choice(RANGES))) for _ in range(chance.randint(0, 60)))
    if kind < 0.8:
        return "".join(chance.choice(PARTS) + chance.choice(("", " ", "x")) for _ in range(chance.randint(0, 20)))
    return "".join(chance.choice(PARTS) for _ in range(4)) * chance.randint(1, 30)


def check_line(text, tokeniser):
    tokens = tokeniser.tokenise(text)
    restored, place = [], 0
    for form, start, end in zip(tokens.forms, tokens.starts, tokens.ends, strict=True):
        assert form == text[start:end]
        assert not text[place:start].strip()
        restored += [text[place:start], form]
        place = end
    assert "".join([*restored, text[place:]]) == text
    bounds = split_sentences(text)
    assert "".join("".join(text[start:end].split()) for start, end in bounds) == "".join(text.split())


def check_lines(count, seed):
    chance, tokeniser = random.Random(seed), Tokeniser()
    for _ in range(count):
        check_line(hostile_line(chance), tokeniser)


def test_tokens_and_sentences_of_hostile_lines_give_the_text_back():
    check_lines(3_000, seed=1)


@pytest.mark.soak
def test_tokens_and_sentences_of_a_hundred_thousand_hostile_lines_give_the_text_back():
    check_lines(100_000, seed=2)


LONG = (
    "x",
    ".",
    "…",
    "! ",
    ". ",
    "A. ",
    "\n",
    " ",
    "'",
    "a-",
    "a@",
    "[1] ",
    "1. ",
    "(",
    "👩\u200d",
    "its a ",
    "Mr. ",
    "\u0301",
    "x.",
    "n't",
    "cannot",
    "a.",
    "1/",
    "http://",
    "[:",
    "-",
    "#",
    "ж",
    "文",
)


@pytest.mark.parametrize("part", LONG)
def test_a_line_of_a_hundred_thousand_characters_is_analysed_in_time_in_proportion(part):
    text = part * (100_000 // len(part))
    times = []
    for size in (10_000, 100_000):
        start = time.process_time()
        check_line(text[:size], Tokeniser())
        times.append(time.process_time() - start)
    assert times[1] < 60 * max(times[0], 0.05)


def test_sentences_of_a_hostile_paragraph_are_trees_of_all_its_tokens():
    chance = random.Random(3)
    texts = [hostile_line(chance) for _ in range(200)]
    for sentence in english().parse(texts):
        assert len(sentence.heads) == len(sentence.forms)
        assert texts[sentence.segment][sentence.offset :].startswith(sentence.text)
