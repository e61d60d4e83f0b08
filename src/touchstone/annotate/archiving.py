"""The export of a project as a zip archive; that of a large one is written by a child process, and sent meanwhile.

The request comes to the child process on standard input as JSON, and the archive goes to standard output.
"""

import asyncio
import json
import sys
import zipfile
from collections.abc import AsyncIterator
from io import BytesIO
from subprocess import PIPE, Popen
from typing import IO

from sqlalchemy import func, select
from starlette.concurrency import run_in_threadpool

from touchstone.annotate import children
from touchstone.annotate.database import Store
from touchstone.annotate.exporting import export_files
from touchstone.annotate.tables import FASTEST, Answer, Item, Project

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every file in an archive, so that the same answers give the same bytes."""

CONCURRENT_ARCHIVES = 2
"""Archives that one server process has made at the same time; others wait their turn."""

SMALL = 50
"""Finished answers up to which an archive is made in the server itself: half a second for pyramids, the largest."""

CHUNK = 1 << 18
"""Bytes that are sent at once: each piece costs the server half a millisecond."""


class Archiver:
    """Makes the archives of a server process."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._turns = asyncio.Semaphore(CONCURRENT_ARCHIVES)

    async def archive(self, project_id: int, *, names: bool) -> AsyncIterator[bytes]:
        """Yield the archive of a project (see `exporting.gather`).

        Parameters
        ----------
        project_id
            The project.
        names
            Whether annotators have their names, even if the project has pseudonyms.
        """
        if await run_in_threadpool(self._answers, project_id) <= SMALL:
            archive = BytesIO()
            await run_in_threadpool(write_archive, self._store, archive, project_id, names=names)
            yield archive.getvalue()
            return
        request = json.dumps({"url": self._store.url, "project_id": project_id, "names": names}).encode()
        words, environment = children.command("archiving"), children.environment()
        async with self._turns:
            with Popen(words, env=environment, stdin=PIPE, stdout=PIPE) as child:
                assert child.stdin is not None
                assert child.stdout is not None
                try:
                    child.stdin.write(request)
                    child.stdin.close()
                    while chunk := await run_in_threadpool(child.stdout.read, CHUNK):
                        yield chunk
                    code = await run_in_threadpool(child.wait)
                finally:
                    child.kill()
            if code:  # the response breaks off, so that nobody takes it for the whole archive
                raise RuntimeError(f"an export ended with exit code {code}")

    def _answers(self, project_id: int) -> int:
        """Return how many answers of a project are finished."""
        query = select(func.count()).select_from(Answer).join(Item, Answer.item_id == Item.id)
        with self._store.reading() as session:
            return session.scalar(query.where(Item.project_id == project_id, Answer.done)) or 0


def write_archive(store: Store, out: IO[bytes], project_id: int, *, names: bool) -> None:
    """Write the files of a project as a zip archive.

    Parameters
    ----------
    store
        The database.
    out
        Where the archive is written.
    project_id
        The project.
    names
        Whether annotators have their names, even if the project has pseudonyms.
    """
    with store.reading() as session, zipfile.ZipFile(out, "w") as archive:
        for file in export_files(session, session.get_one(Project, project_id), names=names):
            archive.writestr(zipfile.ZipInfo(file.path, EPOCH), file.content, zipfile.ZIP_DEFLATED, FASTEST)


def main() -> None:
    """Answer one request."""
    children.limit()
    request = json.load(sys.stdin)
    write_archive(Store(request.pop("url"), connections=1), sys.stdout.buffer, **request)


if __name__ == "__main__":
    main()
