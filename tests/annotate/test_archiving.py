"""An export is made by a child process, and sent while it is made."""

import asyncio
import io
import os
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from touchstone.annotate import archiving, children
from touchstone.annotate.archiving import CHUNK, Archiver


def run(coroutine):
    """Run a coroutine in a thread: where a browser was started, the one of the tests has an event loop already."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def number(chunk: bytes) -> int:
    return int(chunk.lstrip(b"0"))


def ended(process: int) -> bool:
    """Return whether a process has ended; a zombie has."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


@pytest.fixture
def in_children(monkeypatch):
    """Let child processes write all archives, however small."""
    monkeypatch.setattr(archiving, "SMALL", -1)


@pytest.fixture
def silent_child(monkeypatch, in_children):
    """Let the child process send its number, in as many characters as are sent at once, and then nothing."""
    script = f"import os, time; print(str(os.getpid()).zfill({CHUNK}), end='', flush=True); time.sleep(600)"
    monkeypatch.setattr(children, "command", lambda _: [sys.executable, "-c", script])


def test_the_same_answers_give_the_same_files_whoever_writes_them(site, pairs, monkeypatch):
    project, _ = site.project("nli", {"p.jsonl": pairs})
    archives = []
    for small in (50, -1, -1):
        monkeypatch.setattr(archiving, "SMALL", small)
        archives.append(site.admin.get(f"/api/projects/{project}/export"))
    files = [
        {name: zipped.read(name) for name in zipped.namelist()}
        for zipped in (zipfile.ZipFile(io.BytesIO(archive.content)) for archive in archives)
    ]
    assert archives[1].content == archives[2].content
    assert files[0] == files[1]
    assert zipfile.ZipFile(io.BytesIO(archives[0].content)).testzip() is None
    assert "attachment" in archives[0].headers["content-disposition"]


def test_a_project_without_items_is_refused_before_anything_is_sent(site):
    project, _ = site.project("nli")
    refused = site.admin.get(f"/api/projects/{project}/export")
    assert (refused.status_code, refused.json()["error"]["hint"]) == (422, "import some")


@pytest.mark.usefixtures("in_children")
def test_a_child_process_that_fails_breaks_the_archive_off(sqlite_site, monkeypatch):
    broken = [sys.executable, "-c", "import sys; print('part'); sys.exit(1)"]
    monkeypatch.setattr(children, "command", lambda _: broken)
    sent = []

    async def send() -> None:
        async for chunk in Archiver(sqlite_site.store).archive(1, names=False):
            sent.append(chunk)  # noqa: PERF401 (what was sent before the error counts)

    with pytest.raises(RuntimeError, match="exit code 1"):
        run(send())
    assert b"".join(sent) == b"part\n"


@pytest.mark.usefixtures("silent_child")
def test_a_download_that_is_given_up_ends_its_child_process(sqlite_site):
    async def given_up() -> int:
        archive = Archiver(sqlite_site.store).archive(1, names=False)
        process = number(await anext(archive))
        await archive.aclose()
        return process

    process = run(given_up())
    until = time.monotonic() + 600
    while not ended(process):
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.usefixtures("silent_child")
def test_two_archives_are_made_at_once_and_a_third_one_waits(sqlite_site):
    async def begun() -> list[bool]:
        archiver = Archiver(sqlite_site.store)
        archives = [archiver.archive(1, names=False) for _ in range(3)]
        processes = [number(await anext(archive)) for archive in archives[:2]]
        third = asyncio.ensure_future(anext(archives[2]))
        waits = not (await asyncio.wait([third], timeout=0.5))[0]
        await archives[0].aclose()
        last = number(await third)
        for archive in archives[1:]:
            await archive.aclose()
        return [waits, last not in processes, last != os.getpid()]

    assert run(begun()) == [True, True, True]
