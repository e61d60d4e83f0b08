"""The commands: what they print, and that they never end in a traceback."""

import json
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest

from touchstone.lexicon import wordnet
from touchstone.show.lexicon_paths import draw_path


def touchstone(*arguments):
    program = [sys.executable, "-c", "from touchstone.cli import main; main()", "lexicon", *arguments]
    return subprocess.run(program, capture_output=True, text=True, check=False)


def test_show_prints_senses_and_relations():
    done = touchstone("show", "dog")
    assert done.stdout.splitlines()[0] == ("dog.n.01  dog, domestic dog, Canis familiaris  [noun.animal, count 42]")
    assert "    hypernym: canine.n.02, domestic_animal.n.01" in done.stdout


def test_show_finds_the_words_behind_a_form():
    answer = json.loads(touchstone("show", "leaves", "--json").stdout)
    assert answer["signature"] == str(wordnet().signature)
    assert [entry["lemma"] for entry in answer["entries"]] == ["leaf", "leave"]
    assert answer["entries"][1]["senses"][0]["synset"] == "leave.n.01"


def test_path_prints_the_way_and_draws_it(tmp_path):
    done = touchstone("path", "dogs", "cat", "--svg", str(tmp_path / "way.svg"))
    assert [line.split("  ")[0 if place == 0 else 1] for place, line in enumerate(done.stdout.splitlines())] == [
        "dog.n.01",
        "hypernym → canine.n.02",
        "hypernym → carnivore.n.01",
        "hyponym → feline.n.01",
        "hyponym → cat.n.01",
    ]
    drawing = ET.parse(tmp_path / "way.svg")
    assert len(drawing.findall("{http://www.w3.org/2000/svg}rect")) == 5


def test_path_as_json_has_every_step():
    answer = json.loads(touchstone("path", "wet", "dry", "--json").stdout)
    assert [(step["relation"], step["synset"]) for step in answer["path"]] == [
        (None, "wet.a.01"),
        ("antonym", "dry.a.01"),
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "guarantea"], '"guarantee"'),
        (["show", ""], "not in WordNet 3.0"),
        (["show", "x" * 10_000], "not in WordNet 3.0"),
        (["path", "dog", "xyzzy"], "not in WordNet 3.0"),
        (["show", "dog", "--lexicon", "absent.lexicon"], "no such file"),
        (["show", "dog", "--lexicon", __file__], "not a lexicon file"),
        (["path", "dog", "cat", "--svg", "absent/way.svg"], "cannot be written"),
    ],
)
def test_bad_input_gets_a_sentence_and_exit_code_2(arguments, said):
    done = touchstone(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_drawing_stands_general_above_specific():
    boxes = ET.fromstring(draw_path(wordnet().path("dog", "cat"))).findall("{http://www.w3.org/2000/svg}rect")
    heights = [float(box.attrib["y"]) for box in boxes]
    assert heights[0] > heights[1] > heights[2] < heights[3] < heights[4]


def test_no_way_is_an_empty_drawing():
    assert not ET.fromstring(draw_path(())).findall("{http://www.w3.org/2000/svg}rect")


def test_a_synset_is_shown_by_the_name_that_show_prints():
    done = touchstone("show", "dog.n.01")
    assert done.returncode == 0
    assert done.stdout.startswith("dog.n.01  dog, domestic dog, Canis familiaris")
    assert "dog.n.03" not in done.stdout
