"""The model of annotators stands beside the majority; the machine partner helps where it is switched on."""

import csv
import io
import json
import zipfile

import pytest
from click.testing import CliRunner

from touchstone.annotate.assigning import assign
from touchstone.annotate.projects import project_named
from touchstone.annotate.tasks import TASKS
from touchstone.annotate.tasks.base import FinishedAnswer, Subject
from touchstone.base.errors import TouchstoneError
from touchstone.cli.groups import plain_group

app = plain_group("annotate")

YES = {"q1": True, "q2": False, "q3": False}
NO = {"q1": False, "q2": None, "q3": False}
MODELS = {
    "S1/ann.txt": "The court fined the firm five million dollars. Cats sleep.\n",
    "S1/ben.txt": "The firm was fined five million dollars by the court. Dogs bark.\n",
}
PEERS = {"S1/peers/lead.txt": "A court fined the firm five million dollars in May.\n"}


def answered(client, project, choose):
    """Answer everything that somebody has to do."""
    while answer := client.next(project):
        done = client.save(answer, choose(answer), done=True)
        assert done.status_code == 200, done.text


@pytest.fixture
def judged(site):
    """Give a project of 24 pairs that three careful people and one careless person have answered."""
    rows = ({"id": f"p{n}", "premise": f"premise {n}", "hypothesis": "h"} for n in range(24))
    project, name = site.project("nli", {"p.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    people = [site.person("annotator", name, called) for called in ("Ann", "Ben", "Cem", "Dee")]
    site.assigned(project, *people)
    for person in people[:3]:
        answered(person, project, lambda answer: NO if _number(answer) % 2 else YES)
    answered(people[3], project, lambda answer: NO if _number(answer) % 3 else YES)
    return site, project, name


def _number(answer):
    return int(answer["item"]["view"]["premise"].split()[1])


def test_who_contradicts_the_others_needs_another_look(judged):
    site, project, _ = judged
    (question,) = site.admin.get(f"/api/projects/{project}/annotators").json()["questions"]
    assert question["question"] == "label"
    looks = {row["answers"]: row["another_look"] for row in question["annotators"]}
    assert [row["another_look"] for row in question["annotators"]] == [True, False, False, False]
    assert looks == {24: False}
    assert question["annotators"][0]["high"] < question["annotators"][1]["accuracy"]


def test_the_export_has_the_estimates_beside_the_majority(judged):
    site, project, _ = judged
    archive = zipfile.ZipFile(io.BytesIO(site.admin.get(f"/api/projects/{project}/export").content))
    rows = list(csv.DictReader(io.StringIO(archive.read("estimates.csv").decode())))
    assert len(rows) == 24
    odd = next(row for row in rows if row["item"] == "p3")
    assert (odd["majority"], odd["estimate"]) == ("contradiction", "contradiction")
    assert odd["votes"] == "contradiction 3; entailment 1"


def test_the_most_disputed_items_get_one_more_person(site):
    rows = ({"id": f"p{n}", "premise": f"premise {n}", "hypothesis": "h"} for n in range(10))
    project, name = site.project("nli", {"p.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    ann, ben, cem = (site.person("annotator", name) for _ in range(3))
    site.assigned(project, ann, ben)
    answered(ann, project, lambda answer: NO if _number(answer) % 2 else YES)
    answered(ben, project, lambda answer: NO if _number(answer) % 2 and _number(answer) != 7 else YES)
    site.assigned(project, ann, ben, cem, per_item=3, disputed=1)
    assert _number(cem.next(project)) == 7
    assert len(cem.get(f"/api/projects/{project}/work").json()["items"]) == 1


def test_only_the_asked_items_are_assigned(sqlite_site, tmp_path):
    rows = ({"id": f"p{n}", "premise": f"premise {n}", "hypothesis": "h"} for n in range(10))
    project, name = sqlite_site.project("nli", {"p.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    ann = sqlite_site.person("annotator", name)
    ask = tmp_path / "ask.csv"
    words = ["project", "assign", name, "--asked", str(ask), "--database", sqlite_site.store.url]
    ask.write_text("item,probability,strategy\np7,0.3,uncertain\np2,0.2,uncertain\np4,0.3,earlier\n")
    assert CliRunner().invoke(app, words, catch_exceptions=False).exit_code == 0
    work = ann.get(f"/api/projects/{project}/work").json()["items"]
    assert len(work) == 2
    answered(ann, project, lambda answer: {2: YES, 7: NO}[_number(answer)])
    ask.write_text("item\np77\n")
    with pytest.raises(TouchstoneError, match=r'ask.csv:2: the project has no such item: "p77"; nearest valid id "p7"'):
        CliRunner().invoke(app, words, catch_exceptions=False)


def test_every_task_gives_labels_to_the_model():
    lexsub = Subject("bright.a 1", "word", {"target": "bright", "pos": "a", "left": "", "head": "bright", "right": ""})
    words = [
        FinishedAnswer(lexsub, who, "annotation", {"substitutes": given, "none": False})
        for who, given in (("Ann", ["clever"]), ("Ben", ["clever", "smart"]))
    ]
    assert TASKS["lexsub"].labels(words) == {
        "substitutes": [
            (("bright.a 1", "clever"), "Ann", "given"),
            (("bright.a 1", "clever"), "Ben", "given"),
            (("bright.a 1", "smart"), "Ann", "not given"),
            (("bright.a 1", "smart"), "Ben", "given"),
        ]
    }
    rating = FinishedAnswer(
        Subject("s1", "rating", {"judgement": "ratings"}), "Ann", "annotation", {"adequacy": 5, "fluency": 4}
    )
    assert TASKS["mt"].labels([rating]) == {"adequacy": [(("s1",), "Ann", "5")], "fluency": [(("s1",), "Ann", "4")]}


@pytest.fixture
def partnered(site):
    """Give a pyramid project with the machine partner on, and Ann to whom all is assigned."""
    project, name = site.project("pyramid", MODELS | PEERS, partner="all")
    ann = site.person("annotator", name, "Ann")
    site.assigned(project, ann)
    return site, project, ann


def test_the_partner_proposes_units_that_two_models_share(partnered):
    _, project, ann = partnered
    answer = ann.next(project)
    (proposal,) = ann.post(f"/api/answers/{answer['id']}/proposals").json()["proposals"]
    text = "\n".join(answer["item"]["view"]["lines"])
    spans = [[text[start:end] for start, end in contributor] for contributor in proposal["contributors"]]
    assert spans == [
        ["The court fined the firm five million dollars"],
        ["The firm was fined five million dollars by the court"],
    ]


def test_the_partner_is_off_by_default(site):
    project, name = site.project("pyramid", MODELS)
    ann = site.person("annotator", name)
    site.assigned(project, ann)
    answer = ann.next(project)
    assert answer["partner"] is False
    assert ann.post(f"/api/answers/{answer['id']}/proposals").json() == {"proposals": []}


def test_half_of_the_items_are_helped_and_always_the_same(sqlite_site):
    sets = {f"S{n}/{who}.txt": f"Cats sleep {n}." for n in range(40) for who in ("ann", "ben")}
    project, name = sqlite_site.project("pyramid", sets, partner="half")
    people = [sqlite_site.person("annotator", name) for _ in range(2)]
    sqlite_site.assigned(project, *people)
    seen = []
    for person in people:
        items = [row["item_id"] for row in person.get(f"/api/projects/{project}/work").json()["items"]]
        answers = [person.post(f"/api/items/{item}/answer").json() for item in items]
        seen.append({answer["item_id"]: answer["partner"] for answer in answers})
    assert seen[0] == seen[1]
    assert 10 <= sum(seen[0].values()) <= 30  # 40 fair coins: outside once in a thousand draws, and the draw is fixed


def test_work_with_and_without_help_is_compared(partnered):
    site, project, ann = partnered
    answer = ann.next(project)
    ann.post(f"/api/answers/{answer['id']}/proposals")
    assert ann.save(answer, answer["body"], done=True, seconds=30).status_code == 200
    report = site.admin.get(f"/api/projects/{project}/partner").json()
    (side,) = report["sides"]
    assert (report["partner"], side["helped"], side["answers"], side["median_seconds"]) == ("all", True, 1, 30)
    assert site.person("annotator").get(f"/api/projects/{project}/partner").status_code == 404


def test_the_partner_helps_nobody_with_the_answer_of_somebody_else(partnered):
    site, project, ann = partnered
    answer = ann.next(project)
    assert site.admin.post(f"/api/answers/{answer['id']}/proposals").status_code in (403, 404)


def hasty(answer):
    return YES


def careful(answer):
    return NO if _number(answer) % 4 else YES


def questions_of(site, *pairs):
    """Return what the overview says where two people each answer 24 items of their own."""
    rows = ({"id": f"p{n}", "premise": f"premise {n}", "hypothesis": "h"} for n in range(24 * len(pairs)))
    project, name = site.project("nli", {"p.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    people = [[site.person("annotator", name) for _ in pair] for pair in pairs]
    for place, pair in enumerate(people):
        only = {f"p{n}" for n in range(24 * place, 24 * (place + 1))}
        with site.store.writing() as session:
            accounts = [person.id for person in pair]
            assign(session, (1, "x"), project_named(session, name), accounts=accounts, per_item=2, only=only)
    for pair, choices in zip(people, pairs, strict=True):
        for person, choose in zip(pair, choices, strict=True):
            answered(person, project, choose)
    return site.admin.get(f"/api/projects/{project}/annotators").json()["questions"]


@pytest.mark.parametrize("pairs", [[(hasty, careful)], [(hasty, careful), (careful, careful)]])
def test_of_two_people_who_differ_neither_needs_another_look(site, pairs):
    (question,) = questions_of(site, *pairs)
    assert [row["another_look"] for row in question["annotators"]] == [False, False] * len(pairs)
    assert "nobody can say who of" in question["notes"][0]
