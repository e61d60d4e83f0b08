"""A large import goes on in the background: all of it becomes visible, or nothing."""

import gzip
import io
import json
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import openpyxl
import pytest
from sqlalchemy import func, select
from tests.annotate.conftest import as_base64

import touchstone
from touchstone.annotate import background, importing, staging
from touchstone.annotate.audit import COMMAND_LINE
from touchstone.annotate.database import open_store
from touchstone.annotate.settings import database_url
from touchstone.annotate.tables import Import, Item, Project, StagedItem
from touchstone.annotate.tasks import TASKS
from touchstone.annotate.tasks.base import Upload
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError

PATIENCE_S = 600


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
    monkeypatch.setattr(background, "LARGE", 10)


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
    done = subprocess.run(words, env=home, capture_output=True, text=True, check=False, timeout=900)
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
    items = TASKS["mt"].read(files, TASKS["mt"].settings({}), with_correct=False, present={}).items
    assert len(items) == 24
    eleventh = next(item for item in items if item.key == "11 heron")
    assert len(eleventh.payload["references"]) == 1  # line 11 of the second reference is empty
    assert all(len(item.payload["references"]) == 2 for item in items if not item.key.startswith("11 "))


@pytest.mark.parametrize(
    ("files", "code", "count"),
    [
        ({"ref.en": "a\nb\n", "mine.en": "a\n"}, Code.MISMATCH, "1 lines where ref.en has 2"),
        ({"mine.en": "a\n"}, Code.BAD_CELL, ""),
        ({"ref.en": "a\n"}, Code.EMPTY, ""),
        ({"x/ratings.tsv": "segment\tsystem\tjudge\tadequacy\n1\ta\tj\t5\n"}, Code.EMPTY, ""),
    ],
)
def test_texts_that_are_no_translations_are_refused_with_the_reason(files, code, count):
    uploads = [Upload(name, text.encode()) for name, text in files.items()]
    with pytest.raises(TouchstoneError) as caught:
        TASKS["mt"].read(uploads, TASKS["mt"].settings({}), with_correct=False, present={})
    assert code in caught.value.codes
    assert count in str(caught.value)


def test_tables_of_references_and_of_runs_are_joined_by_segment():
    gold = "id,reference,src\ns1,a cat,eine Katze\ns2,a dog,ein Hund\n"
    run = '{"id": "s2", "translation": "the dog"}\n{"id": "s1", "translation": "the cat"}\n'
    uploads = [Upload("gold.csv", gold.encode()), Upload("mine.jsonl", run.encode())]
    items = TASKS["mt"].read(uploads, TASKS["mt"].settings({}), with_correct=False, present={}).items
    found = {item.key: (item.payload["source"], item.payload["references"]) for item in items}
    assert found == {"s1 mine": ("eine Katze", ["a cat"]), "s2 mine": ("ein Hund", ["a dog"])}


def test_parallel_files_of_two_parts_keep_their_pairs_apart():
    texts = {"s1": "A cat sleeps.\n", "s2": "A dog sleeps.\n", "labels": "contradiction\n"}
    files = [Upload(f"snli/{kind}.{part}", text.encode()) for part in ("dev", "test") for kind, text in texts.items()]
    items = TASKS["nli"].read(files, {}, with_correct=True, present={}).items
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
    items = TASKS["lexsub"].read(imported, {}, with_correct=True, present={}).items
    assert len(items) == 370
    assert all(item.correct and item.payload["head"] for item in items)


def test_the_texts_that_describe_a_folder_of_pyramids_are_left_out(data):
    folder = data("duc2006")
    names = ["2006-header.txt", "pyr/D0601.pyr"]
    files = [Upload(f"duc2006/{name}", (folder / name).read_bytes()) for name in names]
    imported = TASKS["pyramid"].read(files, {}, with_correct=False, present={})
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


def packed_pairs(count):
    return gzip.compress(pair_lines(count).encode())


def test_whether_an_import_is_large_is_told_by_its_unpacked_size(sqlite_site):
    project, _ = sqlite_site.project("nli")
    packed = packed_pairs(40_000)
    assert len(packed) < 1_000_000 < len(gzip.decompress(packed))
    response = sent(sqlite_site, project, {"p.jsonl.gz": packed})
    assert response.status_code == 202
    assert ended(sqlite_site, project)["items"] == 40_000


def test_the_unpacked_size_is_counted_without_unpacking_more_than_asked():
    one, bomb = gzip.compress(b"x" * 1_000), gzip.compress(bytes(500_000_000), compresslevel=1)
    size = background.unpacked_size
    assert size([Upload("a.gz", one)], 10_000) == 1_000
    assert size([Upload("a.gz", one + one), Upload("b", b"y" * 5)], 10_000) == 2_005
    assert size([Upload("a.gz", one[:-20])], 10_000) <= 1_000
    began = time.process_time()
    assert size([Upload("a.gz", bomb)], 10_000) == 10_001
    assert time.process_time() - began < 1, "it was unpacked as a whole"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_an_import_that_is_compressed_inside_is_large(sqlite_site, pack):
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in (["id", "premise", "hypothesis"], ["p0", "A cat sleeps.", "A dog sleeps."]):
        book.active.append(row)
    book.save(file)
    project, _ = sqlite_site.project("nli")
    assert (
        sent(sqlite_site, project, {"p.xlsx" + ".gz" * (pack is not bytes): pack(file.getvalue())}).status_code == 202
    )
    assert ended(sqlite_site, project)["items"] == 1
    assert background.is_large([Upload("p.parquet", pack(b"PAR1...."))])
    assert not background.is_large([Upload("p.jsonl", pack(pair_lines(9).encode()))])


def test_files_that_unpack_to_more_than_an_import_may_have_are_refused(sqlite_site):
    project, _ = sqlite_site.project("nli")
    line = json.dumps({"id": "p", "premise": "a " * 50_000, "hypothesis": "h"}).encode() + b"\n"
    bomb = gzip.compress(line * (background.MOST_UNPACKED // len(line) + 1), compresslevel=1)
    assert sent(sqlite_site, project, {"p.jsonl.gz": bomb}).status_code == 202
    done = ended(sqlite_site, project)
    assert (done["state"], done["error"]["message"]) == ("failed", "the files unpack to more than 256 MB")
    assert "fewer items" in done["error"]["hint"]


def send_address_space(connection):
    """Send the bytes of address space that a child process has before it does anything."""
    connection.send(int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize())


@pytest.fixture
def address_space(sqlite_site):
    """Give the bytes of address space of a child process that imports, before it reads anything."""
    sqlite_site.project("nli", {"p.jsonl": pair_lines(1)})  # starts the process that children are forked from
    receiving, sending = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("forkserver").Process(target=send_address_space, args=(sending,))
    child.start()
    size = receiving.recv()
    child.join()
    return size


def test_an_import_that_needs_too_much_memory_fails_with_a_sentence_and_the_server_goes_on(
    sqlite_site, monkeypatch, address_space
):
    project, _ = sqlite_site.project("nli")
    # Enough to open the database; reading 17 MB takes several times as much.
    megabytes = (address_space >> 20) + 100
    monkeypatch.setattr(background, "LIMITS", background.Limits(memory=megabytes << 20))
    assert sent(sqlite_site, project, {"p.jsonl": pair_lines(200_000)}).status_code == 202
    done = ended(sqlite_site, project)
    assert (done["state"], done["error"]["code"]) == ("failed", "invalid")
    assert done["error"]["message"] == f"the files need more memory than an import may take ({megabytes} MB)"
    assert sqlite_site.admin.get(f"/api/projects/{project}/items").json()["total"] == 0


def test_an_import_that_computes_too_long_is_stopped_with_a_sentence(sqlite_site, monkeypatch):
    project, _ = sqlite_site.project("nli")
    monkeypatch.setattr(background, "LIMITS", background.Limits(cpu_s=1))
    assert sent(sqlite_site, project, {"p.jsonl": pair_lines(200_000)}).status_code == 202
    done = ended(sqlite_site, project)
    assert (done["state"], done["error"]["code"]) == ("failed", "invalid")
    assert "of computing" in done["error"]["message"]
    assert counted(sqlite_site.store, StagedItem) == 0


def test_a_small_import_is_read_in_a_child_process_too(sqlite_site, monkeypatch):
    project, _ = sqlite_site.project("nli", {"p.jsonl": pair_lines(3)})
    monkeypatch.setattr(background, "LIMITS", background.Limits(unpacked=10))
    refused = sent(sqlite_site, project, {"q.jsonl.gz": packed_pairs(3)})
    assert refused.status_code == 422
    assert refused.json()["error"]["message"].startswith("the files unpack to more than")
    monkeypatch.setattr(background, "import_files", lambda *_, **__: 1 / 0)  # in this process, where nothing is read
    monkeypatch.setattr(background, "LIMITS", background.Limits())
    assert sent(sqlite_site, project, {"q.jsonl": pair_lines(5)[len(pair_lines(3)) :]}).status_code == 201
    assert sqlite_site.admin.get(f"/api/projects/{project}/items").json()["total"] == 5
