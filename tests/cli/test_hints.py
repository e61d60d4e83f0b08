"""Hints name a command, an option or an id that exists and that helps."""

import json
from pathlib import Path

import pytest

import touchstone as package

EXAMPLES = Path(package.__file__).parent / "examples"
LEXSUB, MT, NLI, PYRAMID = (EXAMPLES / name for name in ("lexsub", "mt", "nli", "pyramid"))
META = ("-m", "chrf", "--draws", 20)


@pytest.mark.parametrize(("command", "tasks"), [("compare", "items, lexsub, mt, nli, pyramid"), ("generate", "nli")])
def test_a_command_without_its_task_says_that_commands_start_with_a_task(touchstone, command, tasks):
    code, _, err = touchstone(command, "gold.csv", "a.csv", "b.csv")
    assert (code, "recompute" in err) == (2, False)
    said = " ".join(err.split())
    assert (
        f"'{command}' is a command of {tasks}: begin with the task, such as touchstone {tasks.partition(',')[0]}"
        in said
    )


def test_a_misspelt_command_still_gets_a_suggestion(touchstone):
    assert "Did you mean 'recompute'?" in touchstone("recomptue", "result.json")[2]


@pytest.mark.parametrize("shape", ["{}", "magpie={}"])
def test_a_text_given_to_pyramid_score_names_pyramid_auto(touchstone, tmp_path, shape):
    (tmp_path / "peer.txt").write_text("The library of the village opened again.\n")
    code, _, err = touchstone("pyramid", "score", PYRAMID / "T01.pyr", shape.format(tmp_path / "peer.txt"))
    assert (code, "XML" in err) == (2, False)
    assert "touchstone pyramid auto" in err


def test_a_folder_of_texts_given_to_pyramid_score_names_pyramid_auto(touchstone, tmp_path):
    (tmp_path / "peer.txt").write_text("The library of the village opened again.\n")
    code, _, err = touchstone("pyramid", "score", PYRAMID / "T01.pyr", tmp_path)
    assert (code, "touchstone pyramid auto" in err) == (2, True)


def test_damaged_xml_of_a_pyramid_is_still_called_xml(touchstone, tmp_path):
    (tmp_path / "T01.pyr").write_text((PYRAMID / "T01.pyr").read_text()[:-30])
    assert "XML is not well-formed" in touchstone("pyramid", "score", tmp_path / "T01.pyr")[2]


@pytest.mark.parametrize(
    "labels",
    [
        "id,label\nd01,neutral\nd02,entailment\n",
        "id,ann,ben\nd01,neutral,Contradiction\nd02,entailment,entailment\n",
        (NLI / "gold.jsonl").read_text(),
        (NLI / "careful.jsonl").read_text(),
    ],
    ids=["label", "annotators", "gold", "run"],
)
def test_labels_given_to_verify_are_said_to_need_none(touchstone, tmp_path, labels):
    table = tmp_path / ("labels.jsonl" if labels.startswith("{") else "labels.csv")
    table.write_text(labels)
    code, _, err = touchstone("nli", "verify", NLI / "pairs.jsonl", table)
    assert code == 2
    assert "these are labels, which need no verify" in err
    assert "nli score" in err


def test_answers_without_their_pair_are_still_missing_it(touchstone, tmp_path):
    (tmp_path / "answers.csv").write_text("annotator,q1,q2,q3\nann,no,,no\n")
    err = touchstone("nli", "verify", NLI / "pairs.jsonl", tmp_path / "answers.csv")[2]
    assert 'an answer needs "pair"' in err
    assert "verify" not in err


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("empty.json", '{"contexts":{},"targets":{},"substitutes":{},"substitute_labels":{}}'),
        ("empty.xml", "<document/>"),
    ],
)
def test_an_empty_set_has_no_item_and_no_option_that_helps(touchstone, tmp_path, name, text):
    (tmp_path / name).write_text(text)
    for command in (("run", "-o", tmp_path / "out.oot"), ("rank",)):
        code, _, err = touchstone("lexsub", *command, tmp_path / name)
        assert (code, "--min-responses" in err) == (2, False)
        assert f"{tmp_path / name}: has no item" in err


def test_items_with_too_few_answers_name_the_option_and_its_commands(touchstone, tmp_path):
    (tmp_path / "thin.gold").write_text("bright.a 1 :: ;\n")
    err = touchstone("lexsub", "score", tmp_path / "thin.gold", LEXSUB / "careful.oot")[2]
    assert "--min-responses" in err


@pytest.mark.parametrize(
    ("arguments", "items"),
    [
        (("lexsub", "explain", LEXSUB / "demo.gold", LEXSUB / "careful.oot"), "36 items, from '1' to '36'"),
        (("mt", "explain", MT / "refA.en", MT / "starling", "-m", "chrf"), "12 segments, from '1' to '12'"),
        (("nli", "explain", NLI / "gold.jsonl", NLI / "careful.jsonl"), "pairs, from 'd01' to "),
        (("pyramid", "explain", PYRAMID / "T01.pyr", *sorted(PYRAMID.glob("*.pan"))), "the only document set is 'T01'"),
        (("items", "explain", EXAMPLES / "items" / "scores.csv"), " items, from "),
    ],
    ids=["lexsub", "mt", "nli", "pyramid", "items"],
)
def test_an_unknown_item_says_which_items_there_are(touchstone, arguments, items):
    code, _, err = touchstone(*arguments, "--item", "99999")
    assert code == 2
    assert items in err
    assert "nearest" not in err


def test_the_number_of_an_item_is_no_misspelling_of_another_number(touchstone, tmp_path):
    (tmp_path / "scores.csv").write_text("item,a\n" + "".join(f"{item},1\n" for item in range(1, 1000)))
    for asked in ("99999", "9999", "1000", "1001"):
        err = touchstone("items", "explain", tmp_path / "scores.csv", "--item", asked)[2]
        assert "nearest" not in err
        assert "there are 999 items, from '1' to '999'" in err
    assert 'nearest valid id "1"' in touchstone("items", "explain", tmp_path / "scores.csv", "--item", "01")[2]
    assert 'nearest valid id "33"' in touchstone("items", "explain", tmp_path / "scores.csv", "--item", "33x")[2]


@pytest.fixture
def renamed(tmp_path):
    """Judgements of a system whose output is not there."""
    path = tmp_path / "rankings.csv"
    path.write_text((MT / "rankings.csv").read_text().replace("heron", "pelican"))
    return path


@pytest.mark.parametrize("policy", [(), ("--unknown", "ignore")])
def test_a_judged_system_without_output_names_the_option_that_leaves_it_out(touchstone, renamed, policy):
    command = ("mt", "meta", renamed, MT / "de-en", "--ref", MT / "refA.en", *META, *policy)
    code, _, err = touchstone(*command)
    assert code == 2
    assert 'unknown system in 26 judgements: "pelican"' in err
    assert "leave out judgements of a system with --exclude-system pelican" in err
    code, out, err = touchstone(*command, "--exclude-system", "pelican")
    assert (code, "systems: de-en 3" in out) == (0, True), err


def test_excluding_a_system_of_a_folder_leaves_it_out(touchstone):
    command = ("mt", "meta", MT / "rankings.csv", MT / "de-en", "--ref", MT / "refA.en", *META, "--json")
    systems = [
        sorted(row["system"] for row in json.loads(touchstone(*command, *more)[1])["rows"] if row["kind"] == "system")
        for more in ((), ("--exclude-system", "magpie"))
    ]
    assert systems == [["heron", "kestrel", "magpie", "sparrow"], ["heron", "kestrel", "sparrow"]]
    assert "left out: magpie" in touchstone(*command, "--exclude-system", "magpie")[2]
    assert "left out" not in touchstone(*command)[2]


def test_excluding_a_system_that_does_not_exist_names_the_closest(touchstone):
    command = ("mt", "meta", MT / "rankings.csv", MT / "de-en", "--ref", MT / "refA.en", *META)
    code, _, err = touchstone(*command, "--exclude-system", "magpy")
    assert (code, '"magpy"; nearest valid name "magpie"' in err) == (2, True), err


@pytest.mark.parametrize("verb", ["score", "compare", "validate"])
def test_excluding_a_run_is_not_passed_over(touchstone, verb):
    command = ("mt", verb, MT / "refA.en", MT / "de-en")
    more = () if verb == "validate" else ("-m", "chrf")
    _, out, err = touchstone(*command, *more, "--exclude-system", "magpie")
    assert ("left out: magpie" in out + err, "kestrel" in out) == (True, True)
    assert "magpie" not in out.replace("left out: magpie", "")
    code, _, err = touchstone(*command, *more, "--exclude-system", "magpy")
    assert (code, 'nearest valid name "magpie"' in err) == (2, True), err


@pytest.mark.parametrize("name", ["heron-v2.1", "herron"])
def test_a_missing_system_is_named_with_the_closest(touchstone, tmp_path, name):
    judged, scores = tmp_path / "rankings.csv", tmp_path / "scores.tsv"
    judged.write_text((MT / "rankings.csv").read_text().replace("heron", name))
    scores.write_text(f"system\tscore\n{name}\t1\nkestrel\t2\nmagpie\t3\nsparrow\t4\n")
    runs = MT / "de-en", "--ref", MT / "refA.en"
    for command in (
        ("meta", judged, *runs, *META),
        ("meta", MT / "rankings.csv", *runs, *META, "--scores", f"mine={scores}"),
        ("compare", MT / "refA.en", MT / "de-en", "-m", "chrf", "--fail-if-worse", name),
    ):
        code, _, err = touchstone("mt", *command)
        assert (code, f'"{name}"; nearest valid name "heron"' in err) == (2, True), err


@pytest.mark.parametrize(
    "command",
    [
        ("score", MT / "refA.en", MT / "de-en", "-m", "chrf"),
        ("meta", MT / "rankings.csv", MT / "de-en", "--ref", MT / "refA.en", *META),
    ],
)
def test_a_reference_system_that_is_no_system_of_a_table_is_not_passed_over(touchstone, command):
    for name in ("heron", "herron"):
        code, _, err = touchstone("mt", *command, "--reference-system", name)
        assert (code, f'"{name}"' in err) == (2, True), err
