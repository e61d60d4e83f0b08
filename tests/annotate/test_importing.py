"""A large import goes on in the background: all of it becomes visible, or nothing."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sqlalchemy import func, select
from tests.annotate.conftest import as_base64

import touchstone
from touchstone.annotate import importing, staging
from touchstone.annotate.audit import COMMAND_LINE
from touchstone.annotate.database import open_store
from touchstone.annotate.settings import database_url
from touchstone.annotate.tables import Import, Item, Project, StagedItem
from touchstone.annotate.tasks import TASKS
from touchstone.annotate.tasks.base import Upload
from touchstone.core.errors import TouchstoneError

PATIENCE_S = 120


def pair_lines(count):
    rows = ({"id": f"p{n}", "premise": f"Cat {n} sleeps.", "hypothesis": f"Dog {n} barks."} for n in range(count))
    return "".join(json.dumps(row) + "\n" for row in rows)


def counted(store, table):
    with store.reading() as session:
        return session.scalar(select(func.count()).select_from(table))


def awaited(condition):
    """Wait until *condition* gives something true, and return it."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError("it did not happen in time")


def latest(site, project):
    return site.admin.get(f"/api/projects/{project}/imports").json()["imports"][0]


def ended(site, project):
    """Wait for the end of the latest import of a project, and return it."""
    return awaited(lambda: (row := latest(site, project))["state"] in ("finished", "failed") and row)


@pytest.fixture
def large(monkeypatch):
    """Let every import be a large one."""
    monkeypatch.setattr(importing, "LARGE", 10)


def sent(site, project, files):
    """Begin an import, and return the response."""
    listed = [{"name": name, "content": as_base64(text)} for name, text in files.items()]
    return site.admin.post(f"/api/projects/{project}/imports", json={"files": listed})


@pytest.mark.usefixtures("large")
def test_a_large_import_returns_at_once_and_its_page_follows_it(site):
    project, _ = site.project("nli")
    response = sent(site, project, {"p.jsonl": pair_lines(1_200)})
    assert response.status_code == 202
    done = ended(site, project)
    assert (done["id"], done["state"]) == (response.json()["id"], "finished")
    assert (done["items"], done["staged"], done["total"]) == (1_200, 1_200, 1_200)
    listed = site.admin.get(f"/api/projects/{project}/items?limit=3").json()
    assert (listed["total"], [row["key"] for row in listed["items"]]) == (1_200, ["p0", "p1", "p2"])
    awaited(lambda: counted(site.store, StagedItem) == 0)
    (line,) = (e for e in site.admin.get(f"/api/projects/{project}/audit").json()["entries"] if e["action"] == "import")
    assert line["detail"] == {"items": 1_200, "answers": 0, "purpose": "work"}


@pytest.mark.usefixtures("large")
def test_a_large_import_with_a_fault_writes_nothing_and_says_where_it_is(site):
    project, _ = site.project("nli")
    assert sent(site, project, {"p.jsonl": pair_lines(3) + '{"id": "x"}\n'}).status_code == 202
    done = ended(site, project)
    assert done["state"] == "failed"
    assert done["error"]["problems"][0]["where"] == "4"
    assert site.admin.get(f"/api/projects/{project}/items").json()["total"] == 0
    assert counted(site.store, StagedItem) == 0


def test_items_of_an_unfinished_import_are_invisible_and_removed(site, monkeypatch):
    project, _ = site.project("nli")
    monkeypatch.setattr(staging, "reveal", lambda *_: 1 / 0)
    with site.store.reading() as session:
        row = session.get_one(Project, project)
    with pytest.raises(ZeroDivisionError):
        importing.import_files(site.store, COMMAND_LINE, row, [Upload("p.jsonl", pair_lines(9).encode())], "work")
    assert site.admin.get(f"/api/projects/{project}/items").json()["total"] == 0
    assert latest(site, project)["error"]["code"] == "interrupted"
    assert counted(site.store, StagedItem) == 0


def test_a_killed_import_leaves_nothing_to_see_and_the_rest_is_removed(fresh_store, tmp_path, monkeypatch):
    file = tmp_path / "p.jsonl"
    file.write_text(pair_lines(40_000))
    words = [sys.executable, "-m", "touchstone", "annotate", "project", "create", "Pairs", "--task", "nli"]
    words += ["--import", str(file), "--database", fresh_store.url]
    process = subprocess.Popen(words, env={**os.environ, "XDG_DATA_HOME": str(tmp_path)})
    awaited(lambda: counted(fresh_store, StagedItem))
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert (counted(fresh_store, Item), counted(fresh_store, Project)) == (0, 0)
    staging.clean_up(fresh_store)
    assert counted(fresh_store, StagedItem) > 0  # it might still be alive
    monkeypatch.setattr(staging, "SILENCE", -staging.SILENCE)
    staging.clean_up(fresh_store)
    assert counted(fresh_store, StagedItem) == 0
    with fresh_store.reading() as session:
        assert session.scalars(select(Import)).one().outcome["error"]["code"] == "interrupted"


def test_an_import_that_was_taken_to_be_dead_does_not_finish(fresh_store, monkeypatch):
    stage = staging.stage

    def slow(store, import_id, rows, progress):
        stage(store, import_id, rows, progress)
        staging.fail(store, import_id, staging.interrupted())

    monkeypatch.setattr(staging, "stage", slow)
    with fresh_store.writing() as session:
        row = importing.stored(session, Project(name="P", task="nli", settings={}))
    with pytest.raises(TouchstoneError, match="interrupted"):
        importing.import_files(fresh_store, COMMAND_LINE, row, [Upload("p.jsonl", pair_lines(3).encode())], "work")
    assert counted(fresh_store, Item) == 0


def test_items_that_exist_already_are_refused_before_anything_is_written(site, pairs):
    project, _ = site.project("nli", {"p.jsonl": pairs})
    response = sent(site, project, {"p.jsonl": pairs})
    assert (response.status_code, len(response.json()["error"]["problems"])) == (422, 4)
    with site.store.reading() as session:
        assert len(session.scalars(select(Import).where(Import.project_id == project)).all()) == 1


EXAMPLES = Path(touchstone.__file__).parent / "examples"


def created(store, tmp_path, task, *files, **options):
    """Create a project from files by the command, and return what it says."""
    words = [sys.executable, "-m", "touchstone", "annotate", "project", "create", f"a {task}", "--task", task]
    words += [word for file in files for word in ("--import", str(file))]
    words += [word for name, value in options.items() for word in (f"--{name}", value)]
    words += ["--database", store.url]
    home = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    done = subprocess.run(words, env=home, capture_output=True, text=True, check=False, timeout=300)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("task", "items", "left_out"),
    [
        (
            "mt",
            60,
            ["mt/README.md, mt/letters.py", "(no translations): mt/judges.csv, mt/rankings.csv, mt/ratings.tsv"],
        ),
        ("nli", 41, ["nli/README.md", "nli/answers.jsonl, nli/careful.jsonl, nli/overlap.jsonl", "100 pairs"]),
        ("lexsub", 36, ["lexsub/README.md", "(answers of systems): lexsub/careful.best, lexsub/careful.oot"]),
        ("pyramid", 4, ["pyramid/README.md"]),
    ],
)
def test_the_folder_of_each_example_is_imported_and_what_is_no_data_is_named(task, items, left_out, tmp_path):
    store = open_store(database_url(str(tmp_path / "x.sqlite")))
    status, said = created(store, tmp_path, task, EXAMPLES / task)
    assert status == 0, said
    assert f"{items} items" in said
    for note in left_out:
        assert note in said
    store.close()


def test_translations_are_read_from_the_files_that_the_command_scores(tmp_path):
    folder = EXAMPLES / "mt"
    names = ["refA.en", "refB.en", "de-en/heron", "de-en/kestrel"]
    files = [Upload(f"mt/{name}", (folder / name).read_bytes()) for name in names]
    items = TASKS["mt"].read(files, TASKS["mt"].settings({}), known=False, present={}).items
    assert len(items) == 24
    eleventh = next(item for item in items if item.key == "11 heron")
    assert len(eleventh.payload["references"]) == 1  # line 11 of the second reference is empty
    assert all(len(item.payload["references"]) == 2 for item in items if not item.key.startswith("11 "))


@pytest.mark.parametrize(
    ("files", "what"),
    [
        ({"ref.en": "a\nb\n", "mine.en": "a\n"}, "1 lines where ref.en has 2"),
        ({"mine.en": "a\n"}, "a translation needs a reference or a source"),
        ({"ref.en": "a\n"}, "no translation"),
        ({"x/ratings.tsv": "segment\tsystem\tjudge\tadequacy\n1\ta\tj\t5\n"}, "no translation"),
    ],
)
def test_texts_that_are_no_translations_are_refused_with_the_reason(files, what):
    uploads = [Upload(name, text.encode()) for name, text in files.items()]
    with pytest.raises(TouchstoneError, match=what):
        TASKS["mt"].read(uploads, TASKS["mt"].settings({}), known=False, present={})


def test_tables_of_references_and_of_runs_are_joined_by_segment():
    gold = "id,reference,src\ns1,a cat,eine Katze\ns2,a dog,ein Hund\n"
    run = '{"id": "s2", "translation": "the dog"}\n{"id": "s1", "translation": "the cat"}\n'
    uploads = [Upload("gold.csv", gold.encode()), Upload("mine.jsonl", run.encode())]
    items = TASKS["mt"].read(uploads, TASKS["mt"].settings({}), known=False, present={}).items
    found = {item.key: (item.payload["source"], item.payload["references"]) for item in items}
    assert found == {"s1 mine": ("eine Katze", ["a cat"]), "s2 mine": ("ein Hund", ["a dog"])}


def test_parallel_files_of_two_parts_keep_their_pairs_apart():
    texts = {"s1": "A cat sleeps.\n", "s2": "A dog sleeps.\n", "labels": "contradiction\n"}
    files = [Upload(f"snli/{kind}.{part}", text.encode()) for part in ("dev", "test") for kind, text in texts.items()]
    items = TASKS["nli"].read(files, {}, known=True, present={}).items
    assert [(item.key, item.payload["hypothesis"]) for item in items] == [
        ("dev:1", "A dog sleeps."),
        ("test:1", "A dog sleeps."),
    ]


def test_packed_files_are_unpacked(site):
    project, _ = site.project("nli", {"p.jsonl.gz": gzip.compress(pair_lines(3).encode())})
    assert site.admin.get(f"/api/projects/{project}/items").json()["total"] == 3


def test_gold_with_its_sentences_is_read_in_the_formats_of_other_tools(data):
    swords = data("swords") / "swords-v1.1_dev.json.gz"
    imported = importing.data_files(TASKS["lexsub"], [Upload(f"x/{swords.name}", swords.read_bytes())])[0]
    items = TASKS["lexsub"].read(imported, {}, known=True, present={}).items
    assert len(items) == 370
    assert all(item.known and item.payload["head"] for item in items)


def test_the_texts_that_describe_a_folder_of_pyramids_are_left_out(data):
    folder = data("duc2006")
    names = ["2006-header.txt", "pyr/D0601.pyr"]
    files = [Upload(f"duc2006/{name}", (folder / name).read_bytes()) for name in names]
    imported = TASKS["pyramid"].read(files, {}, known=False, present={})
    assert [item.key for item in imported.items] == ["D0601"]
    assert "duc2006/2006-header.txt" in imported.notes[0]


@pytest.mark.parametrize(
    ("content", "way_out"),
    [(b"id,premise\n1,A cat\n", "the columns are id, premise"), (b"\xff\xfe\n", "convert it to UTF-8")],
)
def test_the_way_out_of_a_fault_names_no_option_that_an_import_lacks(sqlite_site, content, way_out):
    project, _ = sqlite_site.project("nli")
    files = [{"name": "p.csv", "content": as_base64(content)}]
    refused = sqlite_site.admin.post(f"/api/projects/{project}/imports", json={"files": files})
    assert refused.status_code == 422
    assert refused.json()["error"]["hint"] == way_out
