"""The export of a project as a zip archive, written by a child process and sent while it is written.

The request comes on standard input as JSON, and the archive goes to standard output.
"""

import asyncio
import json
import sys
import zipfile
from collections.abc import AsyncIterator
from subprocess import PIPE, Popen

from starlette.concurrency import run_in_threadpool

from touchstone.annotate import children
from touchstone.annotate.database import Store
from touchstone.annotate.exporting import export_files
from touchstone.annotate.tables import FASTEST, Project

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every file in an archive, so that the same answers give the same bytes."""

AT_ONCE = 2
"""Archives that one server process has made at the same time; others wait their turn."""

CHUNK = 1 << 18
"""Bytes that are sent at once: each piece costs the server half a millisecond."""


class Archiver:
    """Makes the archives of a server process."""

    def __init__(self, store: Store) -> None:
        self._url = store.url
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def archive(self, project_id: int, *, names: bool) -> AsyncIterator[bytes]:
        """Yield the archive of a project (see `exporting.gather`) as it is written.

        Parameters
        ----------
        project_id
            The project.
        names
            Whether annotators have their names, even if the project has pseudonyms.
        """
        request = json.dumps({"url": self._url, "project_id": project_id, "names": names}).encode()
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


def main() -> None:
    """Answer one request."""
    children.limit()
    request = json.load(sys.stdin)
    store = Store(request["url"], connections=1)
    with store.reading() as session, zipfile.ZipFile(sys.stdout.buffer, "w") as archive:
        project = session.get_one(Project, request["project_id"])
        for file in export_files(session, project, names=request["names"]):
            archive.writestr(zipfile.ZipInfo(file.path, EPOCH), file.content, zipfile.ZIP_DEFLATED, FASTEST)


if __name__ == "__main__":
    main()
