"""The judge and the plan, as a user types them: tables, JSON, a report, and bad input in a sentence."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import touchstone
from touchstone import TouchstoneError
from touchstone.cli.groups import task_group

app = task_group("items")
nli_app = task_group("nli")

EXAMPLE = Path(touchstone.__file__).parent / "examples" / "items"
HUMAN, JUDGE = EXAMPLE / "human.csv", EXAMPLE / "judge.csv"


def run(*arguments):
    result = CliRunner().invoke(app, list(map(str, arguments)))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result


def rows(result, kind):
    """The rows of a kind that a command printed as JSON."""
    return [row for row in json.loads(result.stdout)["rows"] if row["kind"] == kind]


def judge(*more, human=HUMAN, judge=JUDGE):
    return run("judge", human, judge, *more)


def test_judge_prints_agreement_bias_calibration_pairs_and_ranks():
    said = judge().stdout
    titles = (
        "agreement",
        "bias",
        "calibration",
        "pairs that people score differently",
        "ranking",
        "pairs that the judge reverses",
    )
    for title in titles:
        assert f"rating: {title}\n" in said
    assert "favours system wagtail by" in said
    assert "the judge reverses 2 of 3 pairs of systems" in said


def test_judge_as_json_has_a_signature_and_every_part():
    result = judge("--json")
    assert [row["measure"] for row in rows(result, "judge")] == ["rating"]
    assert json.loads(result.stdout)["signature"]["touchstone"] == touchstone.__version__
    assert {one["field"] for one in rows(result, "bias")} == {None, "system", "question", "words"}
    assert [one["coefficient"] for one in rows(result, "agreement")] == ["alpha", "pearson", "spearman"]
    assert len(rows(result, "swap")) == 2


def test_items_of_a_document_are_kept_together():
    single, whole = (rows(judge("--json", "--cluster", cluster), "bias") for cluster in ("item", "document"))
    assert single[0]["judge"] == whole[0]["judge"]
    assert single[0]["low"] != whole[0]["low"]


def test_the_report_has_a_figure_for_every_part(tmp_path):
    said = judge("--report", tmp_path / "judge.html")
    page = (tmp_path / "judge.html").read_text("utf-8")
    assert "the report is in" in said.stderr
    for title in ("In short", "Agreement", "Bias", "Calibration", "Pairs that people score differently", "Ranking"):
        assert f"<h2>{title}</h2>" in page
    assert page.count("<svg") == 2 * 5  # each for a wide and for a narrow window


def test_an_estimate_takes_the_mean_of_several_people_too():
    found = rows(run("estimate", HUMAN, JUDGE, "--json"), "estimate")
    judged = [row for row in rows(judge("--json"), "ranking") if row["by"] == "people"]
    values = {row["system"]: row["value"] for row in judged}
    assert {one["system"]: one["human"]["value"] for one in found} == pytest.approx(values)


def test_plan_prints_the_labels_with_and_without_the_judge():
    said = run("plan", HUMAN, JUDGE, "--width", 0.25).stdout
    assert "rating: labels for a 95% interval 0.25 wide" in said
    found = rows(run("plan", HUMAN, JUDGE, "--width", 0.25, "--json"), "plan")
    assert [need["system"] for need in found] == ["osprey", "plover", "wagtail"]
    for need in found:
        assert need["at_best"] <= (need["both"]["needed"] or need["items"]) <= need["human"]["needed"]
        assert "hours" not in need


def test_plan_prints_hours_where_it_is_known_how_long_a_label_takes():
    found = rows(run("plan", HUMAN, JUDGE, "--width", 0.25, "--minutes-per-item", 4, "--json"), "plan")
    assert [need["hours"]["human"] for need in found] == [pytest.approx(need["human"]["needed"] / 15) for need in found]


def test_plan_takes_the_strata_of_estimate():
    wish = ("--width", 0.25, "--population", "set", "--strata", "question")
    found = json.loads(run("plan", HUMAN, JUDGE, *wish, "--json").stdout)
    assert found["rows"][0]["strata"] == "question"
    assert "people score the same share of each question" in run("plan", HUMAN, JUDGE, *wish).stdout


def test_plan_for_a_difference_is_for_all_pairs_or_the_one_asked_for():
    every = rows(run("plan", HUMAN, JUDGE, "--difference", 0.3, "--json"), "plan")
    assert len(every) == 3
    [one] = rows(run("plan", HUMAN, JUDGE, "--between", "osprey", "wagtail", "--json"), "plan")
    assert one["pair"] == "osprey – wagtail"
    assert one["target"] == pytest.approx(0.6, abs=0.15)


@pytest.mark.parametrize("wish", [(), ("--width", 0.1, "--difference", 0.1)])
def test_a_plan_needs_one_wish(wish):
    with pytest.raises(TouchstoneError, match="a plan has one goal"):
        run("plan", HUMAN, JUDGE, *wish)


def test_options_that_would_do_nothing_are_refused():
    with pytest.raises(TouchstoneError, match="--target is the power of a test, not of a width"):
        run("plan", HUMAN, JUDGE, "--width", 0.1, "--target", 0.9)
    with pytest.raises(TouchstoneError, match=r"power 0\.0 is not between 0 and 1"):
        run("plan", HUMAN, JUDGE, "--difference", 0.1, "--target", 0)
    with pytest.raises(TouchstoneError, match="--next chooses items and has no report"):
        run("estimate", HUMAN, JUDGE, "--next", 5, "--report", "page.html")


@pytest.mark.parametrize("verb", ["judge", "plan", "estimate"])
def test_one_file_for_both_sides_is_said(verb):
    said = run(verb, JUDGE, JUDGE, *(("--width", 0.5) if verb == "plan" else ())).stderr
    assert "note: the human file and the judge's file are the same: give the judge's file" in said


HEAD = "system,item,rating\n"
ROWS = "".join(f"a,{item},{item % 5}\n" for item in range(1, 21))


@pytest.mark.parametrize(
    ("human", "judged", "said"),
    [
        (HEAD + "a,1,3\n", HEAD + ROWS, "human.csv:2: "),
        (HEAD + "a,1,3\na,21,2\n", HEAD + ROWS, "human.csv:3: the judge has no score of 'a' for this item"),
        (HEAD + "a,1,3\na,1,4\n" + ROWS, HEAD + ROWS, "human.csv:3: duplicate id"),
        (HEAD + ROWS, HEAD + "a,1,3\n" + ROWS, "judge.csv:3: duplicate id"),
        (HEAD + "b,1,3\nc,2,2\n", HEAD + ROWS, "human.csv:2: the judge has no scores of this system"),
        (HEAD + "a,1,high\na,2,low\n", HEAD + ROWS, "human.csv: no column of numbers"),
        (HEAD, HEAD + ROWS, "human.csv"),
    ],
)
@pytest.mark.parametrize("command", ["judge", "plan", "estimate"])
def test_bad_input_is_refused_in_a_sentence_with_its_file_and_line(tmp_path, command, human, judged, said):
    (tmp_path / "human.csv").write_text(human)
    (tmp_path / "judge.csv").write_text(judged)
    wish = ("--width", 0.1) if command == "plan" else ()
    with pytest.raises(TouchstoneError) as refused:
        run(command, tmp_path / "human.csv", tmp_path / "judge.csv", *wish)
    assert said in str(refused.value)


@pytest.mark.parametrize("verb", ["judge", "estimate"])
def test_a_report_that_is_no_page_is_refused(tmp_path, verb):
    with pytest.raises(TouchstoneError, match="a report is an HTML page"):
        run(verb, HUMAN, JUDGE, "--report", tmp_path / "judge.pdf")


def test_another_scale_and_a_constant_judge_are_said(tmp_path):
    (tmp_path / "human.csv").write_text(HEAD + ROWS)
    (tmp_path / "there.csv").write_text(HEAD + "".join(f"a,{item},{item % 5 * 20}\n" for item in range(1, 21)))
    (tmp_path / "constant.csv").write_text(HEAD + "".join(f"a,{item},2\n" for item in range(1, 21)))
    said = judge(human=tmp_path / "human.csv", judge=tmp_path / "there.csv").stderr
    assert (
        "on another scale than people's (0.000 to 4.000): they are rescaled to the mean and the standard deviation"
        in said
    )
    said = judge(human=tmp_path / "human.csv", judge=tmp_path / "constant.csv").stderr
    assert "the judge gives 2.000 to all 20 outputs that people scored" in said
    said = run("plan", tmp_path / "human.csv", tmp_path / "constant.csv", "--width", 1).stderr
    assert "the judge saves no labels" in said


def test_runs_that_lack_pairs_are_ranked_on_the_pairs_that_all_have(tmp_path):
    labels = ("contradiction", "entailment", "neutral")
    gold = [{"id": f"{n}", "premise": f"p {n}", "hypothesis": "h", "label": labels[n % 3]} for n in range(60)]
    runs = {  # careful is right on 3 of 4 pairs; eager on half of those that it has, of which most are easy
        "careful": [{"id": f"{n}", "label": labels[(n + (n % 4 == 0)) % 3]} for n in range(60)],
        "eager": [{"id": f"{n}", "label": labels[(n + (n % 2 == 0) * (n < 20)) % 3]} for n in range(20, 60)]
        + [{"id": f"{n}", "label": labels[(n + (n % 2 == 0)) % 3]} for n in range(4)],
    }
    for name, rows in {"gold": gold, **runs}.items():
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    files = (str(tmp_path / f"{name}.jsonl") for name in ("gold", *runs))
    arguments = ["judge", *files, "--judge", str(tmp_path / "gold.jsonl"), "--missing", "skip", "--json"]
    result = CliRunner().invoke(nli_app, arguments)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert any("over the 44 items that all of them share" in note for note in found["notes"])
    for by in ("people", "judge"):
        side = [row for row in found["rows"] if row["kind"] == "ranking" and row["by"] == by]
        assert [row["n"] for row in side] == [44, 44]
        assert [row["value"] for row in side] == sorted((row["value"] for row in side), reverse=True)
