"""Pyramids without waiting for people, as a user types them."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

import touchstone
from touchstone import TouchstoneError, pyramid
from touchstone.cli.groups import task_group

app = task_group("pyramid")

DEMO = Path(touchstone.__file__).parent / "examples" / "pyramid"
PEERS = ("heron", "magpie", "sparrow")


def run(*arguments, code: int = 0):
    result = CliRunner().invoke(app, list(map(str, arguments)))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


@pytest.fixture
def texts(tmp_path):
    """Give a folder with the texts of the example's peers."""
    folder = tmp_path / "peers"
    folder.mkdir()
    for name in PEERS:
        text = pyramid.read(DEMO / f"eve.T01.M.60.A.{name}.pan").text
        (folder / f"{name}.txt").write_text(text)
    return folder


@pytest.fixture
def several(tmp_path):
    """Give a folder with annotations of four document sets: the example's, renamed."""
    folder = tmp_path / "pan"
    folder.mkdir()
    for number in range(4):
        for name in PEERS:
            shutil.copy(DEMO / f"eve.T01.M.60.A.{name}.pan", folder / f"eve.T0{number}.M.60.A.{name}.pan")
    return folder


def test_texts_become_annotations_that_score_and_explain(texts, tmp_path):
    out, report = tmp_path / "auto", tmp_path / "report.html"
    shown = run("auto", DEMO / "T01.pyr", texts, "-o", out, "--report", report).stdout
    assert "pyramid.soft" in shown
    assert "heron" in shown
    assert len(list(out.glob("auto.T01.M.*.pan"))) == 3
    html = report.read_text()
    assert "A machine made these scores" in html
    assert "<svg" in html
    assert "<mark" in html
    scored = run("score", out)
    assert "pyramid.soft" in scored.stdout
    assert "3 of 3 annotations are automatic" in scored.stderr
    assert '"auto"' in run("score", out, "--json").stdout


def test_json_has_the_probability_and_the_support_of_every_unit(texts, tmp_path):
    found = json.loads(run("auto", DEMO / "T01.pyr", texts / "heron.txt", "--json").stdout)
    (peer,) = (row for row in found["rows"] if row["kind"] == "peer")
    units = [row for row in found["rows"] if row["kind"] == "unit"]
    assert peer["pyramid.soft"] > 0
    assert len(units) == 17
    text = (texts / "heron.txt").read_text()
    for unit in units:
        assert unit["present"] == (unit["probability"] > 0.5)
        assert all(text[start:end].strip() for start, end in unit["support"])
    assert "threshold=0.5" in found["signature"]["auto"]


def test_soft_scores_of_people_are_refused():
    with pytest.raises(TouchstoneError, match="needs probabilities"):
        run("score", DEMO, "-m", "pyramid.soft")


def test_people_and_the_machine_are_estimated_together(several, tmp_path):
    for number in range(4, 24):
        for name in PEERS:
            shutil.copy(DEMO / f"eve.T01.M.60.A.{name}.pan", several / f"eve.T{number:02}.M.60.A.{name}.pan")
    out = tmp_path / "auto"
    run("auto", several, "-o", out, "-q")
    human = tmp_path / "human"
    human.mkdir()
    for path in sorted(several.iterdir())[:24]:
        shutil.copy(path, human)
    found = json.loads(run("estimate", human, out, "--confidence", "0.9", "--json", "--population", "set").stdout)
    assert found["signature"]["measures"] == "pyramid.modified=pyramid.soft"
    assert "90%" in found["signature"]["intervals"]
    with pytest.raises(TouchstoneError, match="there is no judge"):
        run("estimate", human)


def test_annotations_of_people_evaluate_and_train_a_matcher(several, tmp_path):
    shown = run("auto", "--evaluate", several, "--report", tmp_path / "page.html").stdout
    assert "automatic, soft" in shown
    assert "ROUGE-L" in shown
    assert "frozen" in run("auto", "--evaluate", several, "--frozen", "--json").stdout
    with pytest.raises(TouchstoneError, match="--evaluate writes no annotations"):
        run("auto", "--evaluate", several, "-o", tmp_path / "auto")
    model = tmp_path / "own.json"
    run("train", several, "-o", model)
    assert "own:" in run("auto", several, "--model", model, "--json").stdout


def test_model_summaries_become_a_draft(tmp_path):
    source = pyramid.read_pyramid(DEMO / "T01.pyr")
    for place, one in enumerate(source.summaries):
        (tmp_path / f"model{place}.txt").write_text(source.text[one.start : one.end].strip() + "\n")
    draft = tmp_path / "draft.pyr"
    notes = run("propose", *sorted(tmp_path.glob("model*.txt")), "-o", draft, "--set", "T01").stderr
    assert "are in several summaries" in notes
    made = pyramid.read_pyramid(draft)
    assert made.n == 4
    weights = [unit.weight for unit in made.units]
    assert weights == sorted(weights, reverse=True)
    assert max(weights) >= 2
    assert {unit.comment for unit in made.units} == {"automatic"}
    for unit in made.units:
        homes = [made.summary_at(one.parts[0].start).id for one in unit.contributors]
        assert len(set(homes)) == len(homes)
        for one in unit.contributors:
            assert all(made.text[part.start : part.end] == part.label for part in one.parts)


def test_bad_input_is_refused_with_a_way_out(texts, tmp_path):
    def refused(match, *arguments):
        with pytest.raises(TouchstoneError, match=match):
            run(*arguments)

    refused("there is nothing to score", "auto")
    refused("there is no pyramid", "auto", texts)
    refused("there is no peer", "auto", DEMO / "T01.pyr")
    refused("--frozen is for --evaluate", "auto", DEMO / "T01.pyr", texts, "--frozen")
    refused("--model is for --frozen", "auto", "--evaluate", DEMO, "--model", DEMO / "T01.pyr")
    other = tmp_path / "eve.T99.M.60.A.x.txt"
    other.write_text("Cats sleep.")
    refused("no pyramid of this document set", "auto", DEMO / "T01.pyr", other)
    file = tmp_path / "taken"
    file.write_text("x")
    refused("is a file, not a folder", "auto", DEMO / "T01.pyr", texts, "-o", file)
    refused("1 model summary", "propose", texts / "heron.txt", "-o", tmp_path / "d.pyr")
    assert not (tmp_path / "d.pyr").exists()


def test_an_empty_peer_scores_nothing_and_is_noted(tmp_path):
    empty = tmp_path / "silent.txt"
    empty.write_text("")
    result = run("auto", DEMO / "T01.pyr", empty)
    assert "empty summaries, which express nothing: silent.txt (1)" in result.stderr
    assert "0.000" in result.stdout


def test_a_matcher_does_not_learn_from_a_machine(texts, tmp_path):
    out = tmp_path / "auto"
    run("auto", DEMO / "T01.pyr", texts, "-o", out, "-q")
    with pytest.raises(TouchstoneError, match="an automatic annotation"):
        run("train", out, "-o", tmp_path / "m.json")
