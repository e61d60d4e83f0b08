"""One document that is too large to be compared blocks neither the lists of its project nor the export."""

import io
import zipfile
from contextlib import nullcontext as does_not_raise

import pytest
from tests.annotate.test_pyramid_task import PEERS, mark, peer_body, two_units, unit

from touchstone.annotate.pyramid.document import LARGEST
from touchstone.annotate.pyramid.exchange import file_text, pyramid_of_texts
from touchstone.annotate.pyramid.json_form import document_json, read_document
from touchstone.annotate.tables import Answer
from touchstone.annotate.tasks import TASKS
from touchstone.annotate.tasks.base import Upload
from touchstone.base.errors import TouchstoneError

WORDS = [f"word{number:05d}" for number in range(LARGEST + 50)]
MODELS = {"S1/ann.txt": "\n".join(WORDS), "S1/ben.txt": "Cats sleep."}
SHORT = {
    "S1/ann.txt": "Cats sleep. Dogs bark.\n",
    "S1/ben.txt": "A cat sleeps all day.\n",
    "S1/cy.txt": "Dogs bark at cats 🐈.\n",
}


def document_of(answer, count):
    """Return a pyramid with *count* units of a word each."""
    start = "\n".join(answer["item"]["view"]["lines"]).index(WORDS[0])
    width = len(WORDS[0])
    units = []
    for number, word in enumerate(WORDS[:count]):
        first = start + number * (width + 1)
        part = {"label": word, "start": first, "end": first + width}
        units.append(unit(str(number + 1), word, mark(number + 1, part)))
    return {**answer["body"], "units": units, "next": {"unit": count + 1, "contributor": count + 1}}


@pytest.fixture
def annotated(site):
    """Give a project with the models of one set, two people to whom the pyramid is assigned, and their answers."""
    project, name = site.project("pyramid", MODELS)
    people = [site.person("annotator", name) for _ in range(2)]
    site.assigned(project, *people)
    return site, project, people, [person.next(project) for person in people]


def store_as_earlier_versions_did(site, person, answer, body):
    """Write a finished version of an answer that today's limits refuse."""
    assert person.save(answer, document_of(answer, 1), done=True).status_code == 200
    with site.store.writing() as session:
        row = session.get_one(Answer, answer["id"])
        row.version, row.done = row.version + 1, True
        session.add(row.revision(f"earlier-{row.version}", body, person.id))


def test_a_document_too_large_to_be_compared_is_refused_when_it_is_saved(annotated):
    _, _, (ann, _), (answer, _) = annotated
    refused = ann.save(answer, document_of(answer, LARGEST + 1))
    assert refused.status_code == 422
    assert f"{LARGEST:,}" in refused.json()["error"]["message"]
    assert ann.save(answer, document_of(answer, LARGEST)).status_code == 200


def test_contributors_with_more_parts_than_can_be_compared_are_refused_when_they_are_saved(annotated):
    _, _, (ann, _), (answer, _) = annotated
    body = document_of(answer, LARGEST)
    parts = [part for each in body["units"] for mark in each["contributors"] for part in mark["parts"]]
    for count, status in ((LARGEST + 1, 422), (LARGEST, 200)):
        units = [unit("1", "all", mark(1, *(parts + parts[:1])[:count]))]
        assert ann.save(answer, {**body, "units": units}).status_code == status


def test_a_file_too_large_to_be_compared_is_refused_when_it_is_imported():
    texts = pyramid_of_texts("S1", {name.partition("/")[2]: text for name, text in MODELS.items()})
    empty = {"body": document_json(texts), "item": {"view": {"lines": texts.material.lines}}}
    for count, refused in ((LARGEST, does_not_raise()), (LARGEST + 1, pytest.raises(TouchstoneError, match="2,000"))):
        file = file_text(read_document(document_of(empty, count), texts), "json")
        with refused:
            TASKS["pyramid"].read([Upload("S1.json", file.encode())], {}, with_correct=False, present={})


def test_an_older_document_above_the_limit_differs_and_blocks_nothing(annotated):
    site, project, people, answers = annotated
    large = document_of(answers[0], LARGEST + 40)
    for person, answer in zip(people, answers, strict=True):
        store_as_earlier_versions_did(site, person, answer, large)
    listed = site.admin.get(f"/api/projects/{project}/items")
    assert (listed.status_code, listed.json()["items"][0]["agree"]) == (200, False)
    queue = site.admin.get(f"/api/projects/{project}/disagreements")
    assert (queue.status_code, queue.json()["items"][0]["distance"]) == (200, 1.0)
    exported = site.admin.get(f"/api/projects/{project}/export")
    archive = zipfile.ZipFile(io.BytesIO(exported.content))
    assert archive.testzip() is None
    assert "1: the answers differ: adjudicate" in archive.read("README.txt").decode()
    assert people[0].get(f"/answers/{answers[0]['id']}").status_code == 200


def test_an_older_document_above_the_limit_can_be_made_smaller(annotated):
    site, _, (ann, _), (answer, _) = annotated
    store_as_earlier_versions_did(site, ann, answer, document_of(answer, LARGEST + 40))
    answer = ann.get(f"/api/answers/{answer['id']}").json()
    smaller = {**answer["body"], "units": answer["body"]["units"][:-10]}
    assert ann.save(answer, smaller).status_code == 200
    assert ann.save({**answer, "version": answer["version"] + 1}, answer["body"]).status_code == 422


def test_answers_to_an_earlier_pyramid_with_other_units_block_no_list(site):
    project, name = site.project("pyramid", SHORT | PEERS)
    people = [site.person("annotator", name) for _ in range(2)]
    site.assigned(project, *people)
    first = people[0].next(project)
    done = people[0].save(first, two_units(first), done=True).json()
    assert site.admin.post(f"/api/answers/{first['id']}/publish").status_code == 200
    second = people[1].next(project)
    assert people[1].save(second, two_units(second), done=True).status_code == 200
    for person in people:
        peer = person.next(project)
        assert person.save(peer, peer_body(peer, u1=["Cats sleep"], u2=["dogs bark"]), done=True).status_code == 200
    text = two_units(first)
    without = {**text, "units": text["units"][:1]}
    assert people[0].save({**first, "version": done["version"]}, without, done=True).status_code == 200
    assert site.admin.post(f"/api/answers/{first['id']}/publish").status_code == 200
    for path in ("items", "disagreements", "export"):
        assert site.admin.get(f"/api/projects/{project}/{path}").status_code == 200, path
