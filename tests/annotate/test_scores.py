"""The output of a system is scored against the gold of a project exactly as the command line scores it."""

import io
import json
import time
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

import touchstone
from touchstone.annotate.database import open_store
from touchstone.annotate.settings import database_url
from touchstone.cli import app

from .conftest import as_base64

EXAMPLES = Path(touchstone.__file__).parent / "examples"
YES = {"q1": True, "q2": False, "q3": False}
NEUTRAL = {"q1": True, "q2": True, "q3": False}
NO = {"q1": False, "q2": None, "q3": False}
LABELS = {"cat": "contradiction", "tea": "entailment", "bus": "neutral", "sun": "entailment"}


def board(person, project):
    response = person.get(f"/api/projects/{project}/scores")
    assert response.status_code == 200, response.text
    return response.json()


def settled(person, project):
    """Give the board when nothing is being computed any more."""
    until = time.monotonic() + 900
    while (shown := board(person, project))["busy"] and time.monotonic() < until:
        time.sleep(0.1)
    assert not shown["busy"]
    return shown


def upload(person, project, name, content, file="run.jsonl", **more):
    sent = {"name": name, "file": {"name": file, "content": as_base64(content)}, **more}
    return person.post(f"/api/projects/{project}/runs", json=sent)


def taken(person, project, *arguments, **more):
    """Upload a run and give the board when it is scored."""
    response = upload(person, project, *arguments, **more)
    assert response.status_code == 202, response.text
    return settled(person, project)


def lines(labels):
    return "".join(json.dumps({"id": key, "label": label}) + "\n" for key, label in labels.items())


def answered(site, task, files, bodies, **settings):
    """Give a project in which one person has answered everything."""
    project, name = site.project(task, files, **settings)
    ann = site.person("annotator", name)
    site.assigned(project, ann)
    for body in bodies:
        assert ann.save(ann.next(project), body, done=True).status_code == 200
    return project, name


@pytest.fixture
def judged(sqlite_site, pairs):
    """Give a site, a project whose gold has four pairs, and its name."""
    return (sqlite_site, *answered(sqlite_site, "nli", {"pairs.jsonl": pairs}, [NO, YES, NEUTRAL, YES]))


def by_command(site, project, folder, gold, runs, *, task):
    """Export the gold of a project, score it with the command, and give what that prints as JSON."""
    archive = site.admin.get(f"/api/projects/{project}/export").content
    zipfile.ZipFile(io.BytesIO(archive)).extractall(folder)
    words = [task, "score", *map(str, sorted(folder.glob(gold)))]
    for name, (file, content) in runs.items():
        (folder / file).write_text(content)
        words.append(f"{name}={folder / file}")
    words += ["--json", *(["--unknown", "ignore"] if runs else [])]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


SENTENCES = "".join(
    json.dumps({"id": number, "target": "bright", "pos": "a", "left": left, "head": "bright", "right": "."}) + "\n"
    for number, left in (("1", "The sun was"), ("2", "The girl is"))
)
TRANSLATIONS = "segment\tsystem\thypothesis\treference\n" + "".join(
    f"{segment}\t{system}\t{given}\t{reference}\n"
    for segment, reference in (("1", "the cat sleeps here"), ("2", "the dog barks at night"))
    for system, given in (("a", "a cat sleeps"), ("b", "the dog barks"))
)
WORDS = [{"substitutes": ["sunny", "shining"], "none": False}, {"substitutes": ["clever"], "none": False}]
RATINGS = [{"adequacy": 3, "fluency": 3}] * 4
TASKS = {
    "nli": (
        [NO, YES, NEUTRAL, YES],
        {
            "good": ("good.jsonl", lines(LABELS | {"not in the gold": "neutral"})),
            "poor=1": ("poor.jsonl", lines(LABELS | {"cat": "neutral", "sun": "neutral"})),
        },
    ),
    "lexsub": (WORDS, {"mine": ("mine.oot", "bright.a 1 ::: sunny;clever\nbright.a 2 ::: clever\n")}),
    "mt": (RATINGS, {"mine": ("mine.txt", "the cat sleeps\nthe dog barks at night\n")}),
}


@pytest.mark.parametrize("task", TASKS)
def test_uploaded_runs_score_what_the_command_gives_for_the_exported_gold(sqlite_site, pairs, tmp_path, task):
    bodies, runs = TASKS[task]
    files = {"nli": ("p.jsonl", pairs), "lexsub": ("s.jsonl", SENTENCES), "mt": ("t.tsv", TRANSLATIONS)}
    settings = {"judgement": "ratings"} if task == "mt" else {}
    project, name = answered(sqlite_site, task, dict([files[task]]), bodies, **settings)
    reviewer = sqlite_site.person("reviewer", name)
    for system, (file, content) in runs.items():
        shown = taken(reviewer, project, system, content, file)
        assert shown["refused"] is None
    assert shown["current"]
    assert [run["name"] for run in shown["runs"]] == sorted(runs)
    plain = {system.replace("=", ""): run for system, run in runs.items()}
    expected = by_command(sqlite_site, project, tmp_path, "gold.jsonl", plain, task=task)
    found = [{**row, "system": row["system"].replace("=", "")} for row in shown["scores"]["rows"]]
    assert sorted(found, key=str) == sorted(expected["rows"], key=str)
    assert shown["scores"]["signature"]["gold"] == expected["signature"]["gold"]
    assert len(shown["scores"]["comparisons"]) == (1 if task == "nli" else 0)


def test_peers_of_a_pyramid_are_scored_without_an_upload(sqlite_site, tmp_path):
    files = {path.name: path.read_bytes() for path in (EXAMPLES / "pyramid").glob("*.p*n")}
    project, name = sqlite_site.project("pyramid", files)
    manager = sqlite_site.person("manager", name)
    shown = settled(manager, project)
    expected = by_command(sqlite_site, project, tmp_path, "gold/*.pan", {}, task="pyramid")
    assert shown["scores"]["rows"] == expected["rows"]
    assert shown["scores"]["signature"] == expected["signature"]
    assert {row["system"] for row in shown["scores"]["rows"]} == {"heron", "magpie", "sparrow"}
    assert "peers that people annotate" in upload(manager, project, "x", "y").json()["error"]["message"]


def test_answers_to_items_that_are_not_in_the_gold_are_ignored_aloud(judged):
    site, project, _ = judged
    shown = taken(site.admin, project, "wide", lines(LABELS | {"x": "neutral", "y": "neutral"}))
    assert "wide: ids that the gold does not have, which are ignored: 2" in shown["scores"]["notes"]
    assert {row["n"] for row in shown["scores"]["rows"] if row["measure"] == "accuracy"} == {4}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (lines(LABELS | {"tea": "perhaps"}), "bad/bad.jsonl:2: "),
        (lines({key: label for key, label in LABELS.items() if key != "bus"}), '"bus"'),
        ('{"id": "cat"', "bad/bad.jsonl:1: "),
        ("", "bad/bad.jsonl"),
    ],
)
def test_a_fault_in_a_file_is_told_as_the_command_tells_it_and_nothing_is_stored(judged, content, said):
    site, project, _ = judged
    shown = taken(site.admin, project, "bad", content, "bad.jsonl")
    assert said in shown["refused"]["message"]
    assert "Traceback" not in shown["refused"]["message"]
    assert (shown["runs"], shown["scores"]) == ([], None)
    other = settled(site.person("admin"), project)
    assert other["refused"] is None


def test_a_run_of_the_same_name_is_replaced_only_on_request(judged):
    site, project, _ = judged
    taken(site.admin, project, "mine", lines(LABELS))
    again = upload(site.admin, project, " mine ", lines(LABELS | {"cat": "neutral"}))
    assert (again.status_code, again.json()["error"]["code"]) == (409, "taken")
    shown = taken(site.admin, project, "mine", lines(LABELS | {"cat": "neutral"}), replace=True)
    (row,) = [row for row in shown["scores"]["rows"] if (row["system"], row["measure"]) == ("mine", "accuracy")]
    assert (row["value"], len(shown["runs"])) == (0.75, 1)
    log = site.admin.get(f"/api/projects/{project}/audit").json()["entries"]
    assert [line["action"] for line in log if line["object"] == "run"] == ["replace", "upload"]


def test_only_reviewers_and_managers_of_the_project_reach_its_scores(judged, pairs):
    site, project, name = judged
    other, other_name = site.project("nli", {"pairs.jsonl": pairs})
    shown = taken(site.person("reviewer", name), project, "mine", lines(LABELS))
    run = f"/api/projects/{project}/runs/{shown['runs'][0]['id']}"
    paths = [f"/api/projects/{project}/scores", f"/projects/{project}/report"]
    outsiders = [(site.person(role, other_name), 404) for role in ("reviewer", "manager")]
    for person, status in [(site.person("annotator", name), 403), *outsiders]:
        assert [person.get(path).status_code for path in paths] == [status] * 2
        assert upload(person, project, "other", lines(LABELS)).status_code == status
        assert person.delete(run).status_code == status
    assert site.person("reviewer", name).delete(run).status_code == 403
    manager = site.person("manager", name)
    assert manager.delete(run.replace(f"/projects/{project}/", f"/projects/{other}/")).status_code == 404
    assert manager.delete(run).status_code == 204
    assert (board(manager, project)["runs"], board(manager, project)["scores"]) == ([], None)


def test_a_reviewer_who_still_has_items_to_annotate_does_not_see_the_scores(judged):
    site, project, name = judged
    judge = site.person("reviewer", name)
    assert settled(judge, project)["runs"] == []
    site.assigned(project, judge, site.person("annotator", name), per_item=2)
    for path in (f"/api/projects/{project}/scores", f"/projects/{project}/report"):
        assert judge.get(path).status_code == 403
    assert upload(judge, project, "mine", lines(LABELS)).status_code == 403


def test_the_report_can_neither_run_scripts_nor_act_as_the_person_who_reads_it(judged):
    site, project, _ = judged
    assert site.admin.get(f"/projects/{project}/report").status_code == 409
    taken(site.admin, project, "<script>alert(1)</script>", lines(LABELS))
    report = site.admin.get(f"/projects/{project}/report")
    policy = [part.strip() for part in report.headers["content-security-policy"].split(";")]
    assert {"sandbox", "default-src 'none'", "style-src 'unsafe-inline'", "img-src data:"} <= set(policy)
    assert not any(part.startswith(("script-src", "connect-src")) for part in policy)
    assert report.headers["content-type"].startswith("text/html")
    assert "&lt;script&gt;" in report.text
    assert "<script" not in report.text


@pytest.mark.soak
def test_scores_follow_the_gold_and_hold_while_it_stays_the_same(judged):
    site, project, _ = judged
    before = taken(site.admin, project, "mine", lines(LABELS))["scores"]
    assert before["gold"]["decided"] == {"single": 4}
    whole = site.admin.get(f"/api/projects/{project}").json()
    changed = {"version": whole["version"], "settings": {"note": "Read well."}}
    assert site.admin.patch(f"/api/projects/{project}", json=changed).status_code == 200
    same = settled(site.admin, project)
    assert (same["current"], same["scores"]["at"]) == (True, before["at"])
    item = site.admin.get(f"/api/projects/{project}/items").json()["items"][0]
    answer = site.admin.post(f"/api/items/{item['id']}/adjudication", json={}).json()
    assert site.admin.save(answer, YES, done=True).status_code == 200
    stale = board(site.admin, project)
    assert (stale["current"], stale["busy"], stale["scores"]["at"]) == (False, True, before["at"])
    after = settled(site.admin, project)
    values = [
        {row["measure"]: row["value"] for row in scores["rows"] if row["system"] == "mine"}["accuracy"]
        for scores in (before, after["scores"])
    ]
    assert (values, after["current"]) == ([1.0, 0.75], True)
    assert after["scores"]["gold"]["decided"] == {"adjudicated": 1, "single": 3}


@pytest.mark.soak
def test_a_gold_that_a_run_no_longer_covers_is_told_and_the_run_can_be_replaced(sqlite_site, pairs):
    first, second = pairs.splitlines(keepends=True)[:2]
    project, name = answered(sqlite_site, "nli", {"p.jsonl": first}, [NO])
    admin = sqlite_site.admin
    assert taken(admin, project, "mine", lines({"cat": "contradiction"}))["failed"] is None
    sqlite_site.imported(project, {"q.jsonl": second})
    ann = sqlite_site.person("annotator", name)
    sqlite_site.assigned(project, ann)
    ann.save(ann.next(project), YES, done=True)
    shown = settled(admin, project)
    assert '"tea"' in shown["failed"]
    assert (shown["current"], shown["scores"]["gold"]["decided"]) == (False, {"single": 1})
    assert taken(admin, project, "mine", lines(LABELS), replace=True)["current"]


def test_an_empty_gold_is_told(sqlite_site, pairs):
    project, _ = sqlite_site.project("nli", {"pairs.jsonl": pairs})
    shown = taken(sqlite_site.admin, project, "mine", lines(LABELS))
    assert "the gold is empty" in shown["refused"]["message"]


def test_an_uploaded_file_is_never_imported_as_a_module(judged, tmp_path):
    site, project, _ = judged
    code = f"open({str(tmp_path / 'ran')!r}, 'w')\n"
    assert taken(site.admin, project, "numpy", code, "__init__.py")["refused"]
    shown = taken(site.admin, project, "touchstone", code, "../../../annotate/../__init__.py")
    assert shown["refused"]["file_name"] == "__init__.py"
    assert not (tmp_path / "ran").exists()


def test_what_no_run_can_be_is_refused_at_once(judged):
    site, project, _ = judged
    assert upload(site.admin, project, "  ", lines(LABELS)).status_code == 422
    assert upload(site.admin, project, "x" * 101, lines(LABELS)).status_code == 422
    large = upload(site.admin, project, "large", b"x" * 16_000_001)
    assert (large.status_code, large.json()["error"]["code"]) == (413, "too_large")
    assert upload(site.admin, project, "larger", b"x" * 17_000_000).status_code == 413


@pytest.mark.soak
def test_scores_are_there_at_once_after_a_restart(start_server, tmp_path, pairs):
    url = database_url(str(tmp_path / "site.sqlite"))
    site = start_server(url)
    project, _ = answered(site, "nli", {"pairs.jsonl": pairs}, [NO, YES, NEUTRAL, YES])
    first = taken(site.admin, project, "mine", lines(LABELS))
    site.running.server.should_exit = True
    site.running.thread.join(600)
    shown = board(start_server(url).admin, project)
    assert (shown["current"], shown["busy"], shown["scores"]) == (True, False, first["scores"])


@pytest.mark.soak
def test_a_server_that_stops_takes_its_scoring_along(start_server, tmp_path, pairs):
    site = start_server(database_url(str(tmp_path / "site.sqlite")))
    project, _ = answered(site, "nli", {"pairs.jsonl": pairs}, [NO, YES, NEUTRAL, YES])
    assert upload(site.admin, project, "mine", lines(LABELS)).json()["uploads"] == ["mine"]
    scorer = site.running.server.config.app.state.scorer
    site.running.server.should_exit = True
    site.running.thread.join(600)
    assert not scorer._thread.is_alive()
    assert scorer._child is None


@pytest.mark.soak
def test_scores_are_stored_in_either_database(site, pairs):
    project, _ = answered(site, "nli", {"pairs.jsonl": pairs}, [NO, YES, NEUTRAL, YES])
    taken(site.admin, project, "mine", lines(LABELS))
    shown = taken(site.admin, project, "other", lines(LABELS | {"cat": "neutral"}))
    assert [run["name"] for run in shown["runs"]] == ["mine", "other"]
    assert shown["current"]


@pytest.mark.soak
def test_every_process_of_a_server_shows_the_same_and_takes_up_what_another_left(start_server, postgres, pairs):
    url = database_url(postgres())
    site = start_server(url)
    project, _ = answered(site, "nli", {"pairs.jsonl": pairs}, [NO, YES, NEUTRAL, YES])
    scorer = site.running.server.config.app.state.scorer
    scorer.close()  # a process that takes uploads but dies before it scores them
    assert upload(site.admin, project, "mine", lines(LABELS)).json()["busy"]
    assert upload(site.admin, project, "bad", "{", "bad.jsonl").json()["uploads"] == ["mine", "bad"]
    other = start_server(url).nobody()
    other.cookies = site.admin.cookies
    shown = settled(other, project)
    assert ([run["name"] for run in shown["runs"]], shown["current"]) == (["mine"], True)
    assert "bad/bad.jsonl:1: " in shown["refused"]["message"]
    assert board(site.admin, project) == shown


@pytest.mark.soak
def test_processes_score_one_after_the_other(postgres):
    one, other = (open_store(url) for url in [database_url(postgres())] * 2)
    with one.alone("scoring") as first, other.alone("scoring") as second:
        assert (first, second) == (True, False)
    with other.alone("scoring") as then:
        assert then
    one.close()
    other.close()
