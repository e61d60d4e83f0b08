"""Imports of the server: each in a child process with limits, so that reading files takes nothing from others.

The children are forked by a process that has loaded the readers already, which takes some hundredths of a second.
"""

import errno
import multiprocessing
import os
import signal
import threading
import zlib
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from sqlalchemy import delete

from touchstone.annotate import children, staging
from touchstone.annotate.audit import Actor
from touchstone.annotate.database import Store
from touchstone.annotate.importing import import_files
from touchstone.annotate.refusals import Refusal, as_refusal, invalid
from touchstone.annotate.tables import Import, Project
from touchstone.annotate.tasks.base import Upload
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import GZIP
from touchstone.io.formats.workbooks import ZIP
from touchstone.io.jsonl import Json

LARGE = 1_000_000
"""Bytes of unpacked files from which the response does not wait for the import."""

MOST_UNPACKED = 256_000_000
"""Bytes of the unpacked files of one import: four times what may be sent unpacked."""

STEP = 1 << 20
"""Bytes that are unpacked at once."""

COMPRESSED = (b"PAR1", b"ARROW1", b"FEA1", ZIP)
"""How files begin that are compressed inside; how large they are only their readers know."""

METHODS = ("forkserver", "spawn")
"""How a child is made; only some systems can fork."""


@dataclass(frozen=True)
class Limits:
    """What one import may take: bytes of unpacked files and of memory, seconds of computing."""

    unpacked: int = MOST_UNPACKED
    memory: int = children.MEMORY
    cpu_s: int = children.CPU_S


LIMITS = Limits()


def is_large(files: Sequence[Upload]) -> bool:
    """Return whether the response does not wait for the import of files, which their unpacked size decides.

    What is compressed inside, packed or not, counts as large.
    """
    return any(_head(file).startswith(COMPRESSED) for file in files) or unpacked_size(files, LARGE) > LARGE


def _head(file: Upload) -> bytes:
    """Return the first bytes of a file, unpacked."""
    most = max(map(len, COMPRESSED))
    if not file.content.startswith(GZIP):
        return file.content[:most]
    with suppress(zlib.error):
        return zlib.decompressobj(wbits=31).decompress(file.content[:STEP], most)
    return b""


def unpacked_size(files: Sequence[Upload], most: int) -> int:
    """Return how many bytes files have when they are unpacked, without keeping them; more than *most* is not counted.

    A damaged file counts as far as it can be unpacked.
    """
    size = 0
    for file in files:
        size += _unpacked(file.content, most - size) if file.content.startswith(GZIP) else len(file.content)
        if size > most:
            return most + 1
    return size


def _unpacked(packed: bytes, most: int) -> int:
    """Return how many bytes a gzip file unpacks to, or somewhat more than *most*; it may have several members."""
    size, source = 0, BytesIO(packed)
    unpacker, waiting = zlib.decompressobj(wbits=31), b""
    while size <= most and (waiting := waiting or source.read(STEP)):
        try:
            size += len(unpacker.decompress(waiting, STEP))
        except zlib.error:
            break
        waiting = unpacker.unconsumed_tail
        if unpacker.eof:
            waiting, unpacker = unpacker.unused_data, zlib.decompressobj(wbits=31)
    return size


def import_now(
    store: Store, actor: Actor, project: Project, files: Sequence[Upload], purpose: str, start: bool
) -> dict[str, Json]:
    """Import files, and return the numbers of items and answers with the notes; raise the refusal if it fails."""
    import_id = staging.begin(store, project.id, actor[0], purpose)
    _run(store, import_id, (LIMITS, store.url, actor, project.id, list(files), purpose, start, import_id))
    with store.reading() as session:
        row = session.get_one(Import, import_id)
        outcome: dict[str, Json] = row.outcome
    if "error" not in outcome:
        return outcome
    with store.writing() as session:  # the response says it; the page need not repeat it
        session.execute(delete(Import).where(Import.id == import_id))
    raise Refusal.read(outcome)


def import_later(
    store: Store, actor: Actor, project: Project, files: Sequence[Upload], purpose: str, start: bool
) -> int:
    """Begin an import that goes on after the response, and return its id."""
    import_id = staging.begin(store, project.id, actor[0], purpose)
    arguments = (LIMITS, store.url, actor, project.id, list(files), purpose, start, import_id)
    threading.Thread(target=_run, args=(store, import_id, arguments), daemon=True).start()
    return import_id


def _run(store: Store, import_id: int, arguments: tuple[object, ...]) -> None:
    """Run an import in a process and wait for its end; one that was killed has failed."""
    method = next(name for name in METHODS if name in multiprocessing.get_all_start_methods())
    context: Any = multiprocessing.get_context(method)
    if method == "forkserver":
        context.set_forkserver_preload([__name__])
    process = context.Process(target=_import, args=arguments, daemon=True)
    process.start()
    process.join()
    if process.exitcode:
        staging.fail(store, import_id, _ended(process.exitcode))


def _ended(exit_code: int) -> Refusal:
    """Return why an import failed whose process could not say it."""
    if exit_code == children.OUT_OF_MEMORY:
        what = f"the files need more memory than an import may take ({LIMITS.memory >> 20:,} MB)"
        return invalid(what, hint=SMALLER)
    if exit_code == -getattr(signal, "SIGXCPU", 0):
        return invalid(f"the import took more than {LIMITS.cpu_s:,} seconds of computing", hint=SMALLER)
    return staging.interrupted()


SMALLER = "nothing was imported; import fewer items at once"


def _import(limits: Limits, *arguments: Any) -> None:  # noqa: ANN401 (see `_do`)
    """Import files, as the only thing that a process does; the table of imports has the outcome."""
    children.limit(limits.memory, limits.cpu_s)
    try:
        _do(limits.unpacked, *arguments)
    except (MemoryError, OSError) as error:
        if isinstance(error, OSError) and error.errno != errno.ENOMEM:
            raise
        os._exit(children.OUT_OF_MEMORY)


def _do(
    most: int,
    url: str,
    actor: Actor,
    project_id: int,
    files: Sequence[Upload],
    purpose: str,
    start: bool,
    import_id: int,
) -> None:
    packed = [file for file in files if file.content.startswith(GZIP)]
    with closing(Store(url, connections=1)) as store:
        with store.reading() as session:
            project = session.get_one(Project, project_id)
        try:
            if unpacked_size(packed, most) > most:
                raise invalid(f"the files unpack to more than {most // 1_000_000} MB", hint=SMALLER)
            import_files(store, actor, project, files, purpose, start=start, import_id=import_id)
        except TouchstoneError as error:
            staging.fail(store, import_id, as_refusal(error))
