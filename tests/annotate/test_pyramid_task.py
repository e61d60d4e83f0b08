"""Pyramids are built and peers annotated in the application, and the other commands read what comes out."""

import base64
import io
import json
import zipfile
from pathlib import Path

import pytest
from tests.commands import run_command

import touchstone
from touchstone import TouchstoneError, pyramid
from touchstone.annotate.tasks import TASKS
from touchstone.annotate.tasks.base import FinishedAnswer, Subject, Upload
from touchstone.annotate.tasks.pyramid_files import PROPOSALS, file_item
from touchstone.base.codes import Code
from touchstone.systems.pyramids import Matcher, read_peers, score_peers
from touchstone.tasks.pyramid import formats as pyramid_formats

MODELS = {
    "S1/ann.txt": "Cats sleep. Dogs bark.\n",
    "S1/ben.txt": "A cat sleeps all day.\n",
    "S1/cy.txt": "Dogs bark at cats 🐈.\n",
}
PEERS = {"S1/peers/lead.txt": "Cats sleep and dogs bark.\n", "S1/peers/other.txt": "Nothing of it.\n"}


@pytest.fixture
def built(site):
    """Give a project with the models of one set and two peers, and Ann to whom all is assigned."""
    project, name = site.project("pyramid", MODELS | PEERS)
    ann = site.person("annotator", name, "Ann")
    site.assigned(project, ann)
    return site, project, name, ann


def span(view, words, nth=0):
    """Return the code points at which *words* stand for the nth time."""
    text = "\n".join(view["lines"])
    start = -1
    for _ in range(nth + 1):
        start = text.index(words, start + 1)
    return {"label": words, "start": start, "end": start + len(words)}


def mark(number, *parts):
    label = "...".join(part["label"] for part in parts)
    return {"id": f"c{number}", "label": label, "comment": None, "parts": list(parts)}


def unit(uid, label, *marks):
    return {"uid": uid, "label": label, "comment": None, "contributors": list(marks)}


def document(body, units, contributors):
    numbers = {"unit": len(units) + 1, "contributor": contributors + 1}
    return {**body, "units": units, "next": numbers}


def two_units(answer):
    """Return a pyramid in which cats sleep in two models and dogs bark in two."""
    view = answer["item"]["view"]
    sleep = unit("1", "Cats sleep", mark(1, span(view, "Cats sleep")), mark(2, span(view, "cat sleeps")))
    bark = unit("2", "Dogs bark", mark(3, span(view, "Dogs bark")), mark(4, span(view, "Dogs bark", 1)))
    return document(answer["body"], [sleep, bark], 4)


def peer_body(answer, **matched):
    """Return a peer's body with the first words given for each unit, by its uid."""
    view = answer["item"]["view"]
    entries, number = [], 0
    for entry in answer["body"]["units"]:
        words = matched.get(f"u{entry['uid']}", [])
        marks = []
        for one in words:
            number += 1
            marks.append(mark(number, span(view, one)))
        entries.append({**entry, "contributors": marks})
    return {**answer["body"], "units": entries, "next": {**answer["body"]["next"], "contributor": number + 1}}


def test_a_pyramid_of_plain_texts_is_built_and_its_figures_follow(built):
    _, project, _, ann = built
    answer = ann.next(project)
    assert (answer["item"]["kind"], len(answer["item"]["view"]["summaries"])) == ("pyramid", 3)
    assert ann.save(answer, two_units(answer), done=True).status_code == 200
    derived = ann.get(f"/api/answers/{answer['id']}").json()["derived"]
    figures = derived["figures"]
    # S = 4 over 3 models: X = (2 * 4 + 3) // 6 = 1
    assert [figures[name] for name in ("models", "units", "total", "average")] == [3, 2, 4, 1]
    assert derived["violations"] == []


def test_a_save_that_breaks_a_rule_anew_is_refused_with_the_reason(built):
    _, project, _, ann = built
    answer = ann.next(project)
    view = answer["item"]["view"]
    twice = unit("1", "x", mark(1, span(view, "Cats")), mark(2, span(view, "sleep")))
    refused = ann.save(answer, document(answer["body"], [twice], 2))
    assert refused.status_code == 422
    assert [one["rule"] for one in refused.json()["error"]["problems"]] == ["C2"]
    over = unit("1", "x", mark(1, span(view, "Cats"), span(view, "cat sleeps")))
    assert ann.save(answer, document(answer["body"], [over], 1)).json()["error"]["problems"][0]["rule"] == "C3"


def test_a_published_pyramid_is_what_peers_are_read_against_and_scored_by_the_command(built, tmp_path):
    site, project, _, ann = built
    answer = ann.next(project)
    ann.save(answer, two_units(answer), done=True)
    said = site.admin.post(f"/api/answers/{answer['id']}/publish").json()
    assert (said["items"], said["touched"]) == (2, [])
    peer = ann.next(project)
    assert [one["uid"] for one in peer["item"]["view"]["pyramid"]["scus"]] == ["1", "2"]
    assert "lead" not in ann.get(f"/api/answers/{peer['id']}").text
    ann.save(peer, peer_body(peer, u1=["Cats sleep"], u2=["dogs bark"], u0=["and"]), done=True)
    figures = ann.get(f"/api/answers/{peer['id']}").json()["derived"]["figures"]
    assert (figures["count"], figures["unmatched"], figures["modified"], figures["original"]) == (2, 1, 2.0, 1.0)
    other = ann.next(project)
    ann.save(other, peer_body(other), done=True)
    zipped = zipfile.ZipFile(io.BytesIO(site.admin.get(f"/api/projects/{project}/export?names=true").content))
    zipped.extractall(tmp_path)
    read = [pyramid.read_annotation(path) for path in (tmp_path / "annotators/Ann").glob("*.pan")]
    assert {(one.set, one.peer, one.annotator) for one in read} == {("S1", "lead", "Ann"), ("S1", "other", "Ann")}
    results = pyramid.score(pyramid.GoldSet(read))
    assert [results.row(peer, "pyramid.modified").value for peer in ("lead", "other")] == [4 / 2, 0]
    assert pyramid.read_pyramid(tmp_path / "annotators/Ann/S1.pyr").total == 4


def test_the_gold_has_a_pyramid_for_each_set_and_an_annotation_for_each_peer(sqlite_site, tmp_path):
    site = sqlite_site
    project, name = site.project("pyramid", MODELS | PEERS)
    ann, ben = site.person("annotator", name, "Ann"), site.person("annotator", name, "Ben")
    site.assigned(project, ann)
    pyramid_answer = ann.next(project)
    ann.save(pyramid_answer, two_units(pyramid_answer), done=True)
    site.admin.post(f"/api/answers/{pyramid_answer['id']}/publish")
    site.assigned(project, ann, ben, kind="peer")
    for person, second in ((ann, {}), (ben, {"u1": ["Nothing"]})):
        peer = person.next(project)
        assert person.save(peer, peer_body(peer, u1=["Cats sleep"]), done=True).status_code == 200
        other = person.next(project)
        assert person.save(other, peer_body(other, **second), done=True).status_code == 200
    content = site.admin.get(f"/api/projects/{project}/export?names=true").content
    zipfile.ZipFile(io.BytesIO(content)).extractall(tmp_path)
    assert "Score with it: touchstone pyramid score gold/*.pan\n" in (tmp_path / "README.txt").read_text()
    rows = (tmp_path / "gold/decided.csv").read_text().splitlines()
    assert rows == [
        "file,set,peer,decided,people",
        "S1.pyr,S1,,single,1",
        "Ann.S1.M.5.A.lead.pan,S1,lead,agreed,2",
    ]
    assert "1: the answers differ" in (tmp_path / "README.txt").read_text()
    files = sorted((tmp_path / "gold").glob("*.pan"))
    done = run_command("pyramid", "score", *files, "--json")
    assert done.returncode == 0, done.stderr
    assert {row["system"] for row in json.loads(done.stdout)["rows"]} == {"lead"}


def test_a_change_of_the_pyramid_is_reported_and_rewrites_nothing(built):
    site, project, _, ann = built
    answer = ann.next(project)
    ann.save(answer, two_units(answer), done=True)
    site.admin.post(f"/api/answers/{answer['id']}/publish")
    peer = ann.next(project)
    ann.save(peer, peer_body(peer, u1=["Cats sleep"], u2=["dogs bark"]), done=True)
    fewer = document(answer["body"], two_units(answer)["units"][:1], 4) | {"next": {"unit": 3, "contributor": 5}}
    assert ann.save({**answer, "version": 1}, fewer, done=True).status_code == 200
    said = site.admin.post(f"/api/answers/{answer['id']}/publish").json()
    assert [row["answer_id"] for row in said["touched"]] == [peer["id"]]
    assert 'unit 2 "Dogs bark" is gone' in said["touched"][0]["touched"][0]
    kept = ann.get(f"/api/answers/{peer['id']}").json()
    assert (kept["outdated"], kept["version"], len(kept["item"]["view"]["pyramid"]["scus"])) == (True, 1, 2)
    assert ann.get(f"/api/answers/{peer['id']}/changes").json()["outdated"] is True
    moved = ann.post(f"/api/answers/{peer['id']}/rebase", json={}).json()
    assert (moved["outdated"], moved["version"], len(moved["item"]["view"]["pyramid"]["scus"])) == (False, 2, 1)
    assert [one["label"] for one in moved["body"]["unassigned"]] == ["dogs bark"]
    assert ann.post(f"/api/answers/{peer['id']}/rebase", json={}).status_code == 409


def test_a_reviewer_who_publishes_a_pyramid_is_told_nothing_of_peers_that_they_still_annotate(built):
    site, project, name, ann = built
    judge = site.person("reviewer", name)
    site.assigned(project, ann, judge, kind="peer")
    answer = ann.next(project)
    ann.save(answer, two_units(answer), done=True)
    site.admin.post(f"/api/answers/{answer['id']}/publish")
    peer = ann.next(project)
    ann.save(peer, peer_body(peer, u2=["dogs bark"]), done=True)
    fewer = document(answer["body"], two_units(answer)["units"][:1], 4) | {"next": {"unit": 3, "contributor": 5}}
    assert ann.save({**answer, "version": 1}, fewer, done=True).status_code == 200
    assert judge.post(f"/api/answers/{answer['id']}/publish").json() == {"items": 2, "touched": []}
    assert site.admin.post(f"/api/answers/{answer['id']}/publish").json()["touched"]


def test_a_file_is_read_into_an_answer_with_what_it_breaks_and_can_be_undone(built):
    _, project, _, ann = built
    answer = ann.next(project)
    body = two_units(answer)
    ann.save(answer, body)
    text = {name: value for name, value in answer["item"]["view"].items() if name != "kind"}
    item = Subject("S1", "pyramid", {**text, "format": "touchstone.pyramid/1", "scus": []})
    crowded = [unit("9", "x", mark(1, span(item.payload, "Cats")), mark(2, span(item.payload, "sleep")))]
    file = TASKS["pyramid"].write_body(
        item, {**answer["body"], "units": crowded, "next": {"unit": 10, "contributor": 3}}, "pyr", "x", blind=False
    )
    sent = {"name": "S1.pyr", "content": base64.b64encode(file.content).decode(), "version": 1, "key": "read-a-file"}
    read = ann.post(f"/api/answers/{answer['id']}/read", json=sent)
    assert read.status_code == 200, read.text
    assert (read.json()["version"], len(read.json()["notes"])) == (2, 1)
    assert [one["uid"] for one in read.json()["body"]["units"]] == ["9"]
    numbers = read.json()["body"]["next"]
    undone = ann.save({**answer, "version": 2}, {**body, "next": numbers}, restores=1, change="undo")
    redone = ann.save({**answer, "version": 3}, read.json()["body"], restores=2, change="redo")
    assert (undone.status_code, redone.status_code) == (200, 200)
    again = ann.save({**answer, "version": 4}, {**body, "next": numbers})
    unexcused = ann.save({**answer, "version": 5}, read.json()["body"])
    assert (again.status_code, unexcused.status_code) == (200, 422)


def test_an_answer_is_downloaded_as_a_file(built):
    _, project, _, ann = built
    answer = ann.next(project)
    ann.save(answer, two_units(answer))
    for form in ("pyr", "json"):
        response = ann.get(f"/api/answers/{answer['id']}/file?form={form}")
        assert response.headers["content-disposition"] == f"attachment; filename*=UTF-8''S1.{form}"
        thing = pyramid_formats.parse(response.content, pyramid_formats.Source(f"S1.{form}", ""), {})
        assert [one.weight for one in thing.units] == [2, 2]
    assert ann.get(f"/api/answers/{answer['id']}/file?form=pan").status_code == 422


def test_the_file_of_a_peer_names_its_system_to_managers_alone(built):
    site, project, name, ann = built
    first = ann.next(project)
    ann.save(first, two_units(first), done=True)
    site.admin.post(f"/api/answers/{first['id']}/publish")
    answer = ann.next(project)
    ann.save(answer, answer["body"], done=True)
    for form in ("pan", "json"):
        own = ann.get(f"/api/answers/{answer['id']}/file?form={form}")
        managed = site.person("manager", name).get(f"/api/answers/{answer['id']}/file?form={form}")
        assert own.status_code == managed.status_code == 200
        assert own.headers["content-disposition"].endswith(f"S1-peer.{form}")
        assert not any(system in own.text for system in ("lead", "other"))
        assert any(system in managed.headers["content-disposition"] for system in ("lead", "other"))


def test_a_partner_reviews_and_the_author_decides(built):
    site, project, name, ann = built
    answer = ann.next(project)
    assert site.admin.post(f"/api/answers/{answer['id']}/review", json={}).status_code == 403
    ann.save(answer, two_units(answer), done=True)
    ben = site.person("annotator", name, "Ben")
    assert ben.post(f"/api/answers/{answer['id']}/review", json={}).status_code == 404
    asked = {"answer_id": answer["id"], "account_id": ben.id}
    assert site.admin.post(f"/api/projects/{project}/reviews", json=asked).status_code == 201
    review = ben.next(project)
    assert (review["kind"], review["about_id"]) == ("review", answer["id"])
    assert ben.get(f"/api/answers/{answer['id']}").json()["editable"] is False
    remark = {"key": "p1", "about": "1", "verdict": "comment", "comment": "why?", "change": None}
    assert ann.get(f"/api/answers/{review['id']}").status_code == 404, "not before it is sent"
    early = ben.save(review, {"proposals": [remark], "decisions": {"p1": {"taken": None, "reply": "so"}}})
    assert early.status_code == 422, "the author decides"
    assert ben.save(review, {"proposals": [remark], "decisions": {}}, done=True).status_code == 200
    listed = ann.get(f"/api/answers/{answer['id']}/reviews").json()["reviews"]
    members = site.admin.get(f"/api/projects/{project}/members").json()["members"]
    hidden = next(one["pseudonym"] for one in members if one["id"] == ben.id)
    assert [(one["id"], one["author"], one["editable"]) for one in listed] == [(review["id"], hidden, True)]
    assert ben.save({**review, "version": 1}, {"proposals": [], "decisions": {}}).status_code == 409, "it was sent"
    decided = {"proposals": [remark], "decisions": {"p1": {"taken": None, "reply": "because"}}}
    assert ann.save({**review, "version": 1}, {**decided, "proposals": []}).status_code == 422
    assert ann.save({**review, "version": 1}, decided).status_code == 200
    assert ben.get(f"/api/answers/{review['id']}").json()["body"]["decisions"]["p1"]["reply"] == "because"
    assert ben.next(project) is None
    assert ann.get(f"/api/answers/{review['id']}").json()["done"] is True


def test_nobody_reviews_their_own_answer(built):
    site, project, name, _ = built
    judge = site.person("reviewer", name)
    site.assigned(project, judge, per_item=1)
    with site.store.writing() as session:
        from sqlalchemy import select

        from touchstone.annotate.tables import Assignment, Item

        item = session.scalar(select(Item.id).where(Item.project_id == project))
        session.add(Assignment(item_id=item, account_id=judge.id))
    own = judge.post(f"/api/items/{item}/answer").json()
    judge.save(own, own["body"], done=True)
    assert judge.post(f"/api/answers/{own['id']}/review", json={}).status_code == 403


def test_two_people_who_read_the_same_peers_are_compared_as_the_command_does(built):
    site, project, name, ann = built
    ben = site.person("annotator", name, "Ben")
    pyramid_answer = ann.next(project)
    ann.save(pyramid_answer, two_units(pyramid_answer), done=True)
    site.admin.post(f"/api/answers/{pyramid_answer['id']}/publish")
    site.assigned(project, ann, ben, kind="peer")
    for person, matched in ((ann, {"u1": ["Cats sleep"]}), (ben, {"u1": ["Cats sleep"], "u2": ["dogs bark"]})):
        for found in (matched, {}):
            answer = person.next(project)
            assert answer["item"]["kind"] == "peer"
            person.save(answer, peer_body(answer, **found), done=True)
    rows = site.admin.get(f"/api/projects/{project}/agreement").json()["figures"]
    raw = next(row for row in rows if row["name"] == "raw_agreement")
    assert raw["about"].startswith("Ann and Ben")
    assert (raw["value"], raw["units"]) == (3 / 4, 4)


def test_a_file_of_training_gives_feedback_with_f1(site):
    task = TASKS["pyramid"]
    made = task.read([Upload(name, text.encode()) for name, text in MODELS.items()], {}, False, {})
    item = Subject("S1", "pyramid", made.items[0].payload)
    fake = {"item": {"view": task.view(item)}, "body": task.blank(item)}
    prepared = task.write_body(item, two_units(fake), "pyr", "x", blind=False).content
    project, name = site.project("pyramid", MODELS)
    site.imported(project, {"S2.pyr": prepared}, purpose="training")
    ann = site.person("annotator", name)
    answer = ann.next(project)
    assert (answer["purpose"], answer["body"]["units"]) == ("training", [])
    one = document(answer["body"], two_units(answer)["units"][:1], 4)
    ann.save(answer, one, done=True)
    said = ann.get(f"/api/answers/{answer['id']}/feedback").json()["feedback"]
    assert (said["f1"], said["missed"]) == (2 / 3, ["2"])


def test_what_comes_in_goes_out_without_loss(data):
    """All of one set of DUC 2006, read by two annotators: the pyramid and its 44 peers."""
    folder = data("duc2006")
    files = [folder / "pyr" / "D0631.pyr", *sorted((folder / "pan").glob("*.D0631.*.pan"))]
    task = TASKS["pyramid"]
    items = task.read([Upload(path.name, path.read_bytes()) for path in files], {}, False, {}).items
    answers = [
        FinishedAnswer(subject, new.author, "imported", new.body)
        for one in items
        for subject in [Subject(one.key, one.kind, one.payload, one.hidden, one.attachment)]
        for new in one.answers
    ]
    out = {
        file.path.split("/")[-1]: file for file in task.export([], answers, {}) if file.path.endswith((".pyr", ".pan"))
    }
    assert len(out) == len(files) == 45
    for path in files:
        before = pyramid.read(path)
        if isinstance(before, pyramid.Pyramid):
            assert _plain(pyramid_formats.parse(out["D0631.pyr"].content, before.source, {})) == _plain(before)
            continue
        file = next(
            file
            for name, file in out.items()
            if name.startswith(f"{before.annotator}.D0631.") and name.endswith(f".{before.peer}.pan")
        )
        after = pyramid_formats.parse(file.content, pyramid_formats.Source(file.path, ""), {})
        assert (after.set, after.peer, after.annotator) == (before.set, before.peer, before.annotator)
        assert (after.units, after.lines, _plain(after.pyramid)) == (before.units, before.lines, _plain(before.pyramid))


def _plain(thing):
    return thing.set, thing.lines, thing.summaries, thing.units, thing.header, thing.extra


def test_a_second_annotators_file_joins_the_peer_that_is_there(site, data):
    folder = data("duc2006") / "pan"
    files = {path.name: path.read_bytes() for path in sorted(folder.glob("*.D0631.M.250.*.1.pan"))}
    assert len(files) == 2
    project, _ = site.project("pyramid")
    first, second = ({name: content} for name, content in files.items())
    assert site.imported(project, first) | {"notes": []} == {"items": 1, "answers": 1, "notes": []}
    assert site.imported(project, second) | {"notes": []} == {"items": 0, "answers": 1, "notes": []}
    item = site.admin.get(f"/api/projects/{project}/items").json()["items"][0]["id"]
    found = site.admin.get(f"/api/items/{item}").json()["answers"]
    assert [(one["author"], one["kind"], one["editable"]) for one in found] == [
        ("114", "imported", False),
        ("115", "imported", False),
    ]


def test_peers_wait_for_their_pyramid_and_say_so_until_it_is_published(built):
    site, project, _, ann = built
    answer = ann.next(project)
    rows = ann.get(f"/api/projects/{project}/work").json()["items"]
    assert [row["waits_for"] for row in rows] == [None, "the pyramid of S1", "the pyramid of S1"]
    listed = site.admin.get(f"/api/projects/{project}/items").json()["items"]
    assert [row["waits_for"] for row in listed] == [None, "the pyramid of S1", "the pyramid of S1"]
    refused = ann.post(f"/api/items/{rows[1]['item_id']}/answer")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "waiting")
    assert "waits for the pyramid of S1" in refused.json()["error"]["message"]
    ann.save(answer, two_units(answer), done=True)
    assert ann.next(project) is None
    page = ann.get(f"/projects/{project}/work").text
    assert "2 items: wait for the pyramid of S1" in page
    site.admin.post(f"/api/answers/{answer['id']}/publish")
    assert ann.next(project)["item"]["kind"] == "peer"
    assert "wait for" not in ann.get("/").text


def test_an_imported_peer_whose_pyramid_has_units_does_not_wait(sqlite_site):
    folder = Path(touchstone.__file__).parent / "examples/pyramid"
    files = {file.name: file.read_bytes() for file in folder.glob("*.pan")}
    project, _ = sqlite_site.project("pyramid", files)
    listed = sqlite_site.admin.get(f"/api/projects/{project}/items").json()["items"]
    assert [row["waits_for"] for row in listed] == [None, None, None]


def test_a_finished_pyramid_without_a_unit_is_a_note_beside_the_agreement(built):
    site, project, name, ann = built
    bob = site.person("annotator", name, "Bob")
    site.assigned(project, ann, bob, kind="pyramid")
    answer = ann.next(project)
    assert ann.save(answer, two_units(answer), done=True).status_code == 200
    empty = bob.next(project)
    assert bob.save(empty, empty["body"], done=True).status_code == 200
    report = site.admin.get(f"/api/projects/{project}/agreement").json()
    assert report["figures"] == []
    assert "a pyramid of S1 has no unit to compare" in report["notes"][0]


def test_an_automatic_annotation_is_a_peer_without_an_answer_whose_units_are_proposed():
    demo = Path(touchstone.__file__).parent / "examples" / "pyramid"
    scores = score_peers(*read_peers([demo / "T01.pyr", demo / "eve.T01.M.60.A.heron.pan"]), Matcher())
    (annotation,) = scores.annotations
    item = file_item("auto.T01.M.60.A.heron.pan", annotation, with_correct=False)
    assert item.answers == ()
    assert "automatic" not in str(item.hidden)
    proposals = item.payload[PROPOSALS]
    assert {one["uid"] for one in proposals} == set(annotation.counts)
    assert all(one["contributors"] and one["score"] > 0.5 for one in proposals)
    with pytest.raises(TouchstoneError) as caught:
        file_item("auto.T01.M.60.A.heron.pan", annotation, with_correct=True)
    assert caught.value.code == Code.UNSUPPORTED
