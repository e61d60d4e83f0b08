"""The folder of a run in shards: what is to be done, what is done, and what failed.

``manifest.json`` lists the shards, each with its key; ``shards/KEY.parquet`` is what is done; ``failures.json`` says
what could not be. A key is the digest of all that the content of a shard depends on, so the same command only does
the rest, and nothing that was made in another way is used again.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.tables import Column, Table
from touchstone.io.writing import make_folder, replacing, write_text
from touchstone.show.finding import Finding, Statement

MANIFEST, FAILURES, SHARDS, LOCK = "manifest.json", "failures.json", "shards", "lock"


@dataclass(frozen=True)
class Shard:
    """A part of the work: its *key*, where its rows begin, and how many rows there are."""

    key: str
    file: str
    first: int
    rows: int

    @property
    def location(self) -> str:
        """Where its rows are, for messages."""
        return f"{self.file}, rows {self.first + 1:,} to {self.first + self.rows:,}"


@dataclass(frozen=True, repr=False)
class Status(Finding):
    """How far a run is."""

    folder: str
    shards: int
    done: int
    failures: Mapping[str, str]
    rows: int
    rows_done: int
    running: bool
    rate: float | None
    """Rows in a second since the last start; None if nothing was done since."""

    @property
    def left(self) -> int:
        """The number of shards that are neither done nor failed."""
        return self.shards - self.done - len(self.failures)

    @property
    def seconds_left(self) -> float | None:
        """The seconds that the rest will take at the same rate; None if that is not known."""
        return (self.rows - self.rows_done) / self.rate if self.rate else None

    def table(self) -> Table:
        """Return the status as a table."""
        names = ("shards", "done", "failed", "left", "rows", "rows done", "rows/s", "time left")
        state = "running" if self.running else "complete" if self.done == self.shards else "stopped"
        rate = f"{self.rate:,.0f}" if self.rate else "–"
        left = "–" if self.seconds_left is None else duration(self.seconds_left)
        counts = [self.shards, self.done, len(self.failures), self.left, self.rows, self.rows_done]
        columns = [Column("state"), *(Column(name, "right") for name in names)]
        notes = [f"{file}: {message}" for file, message in self.failures.items()]
        return Table(columns, [[state, *(f"{count:,}" for count in counts), rate, left]], notes=notes)

    def statement(self) -> Statement:
        """Return how far the run is, as one row."""
        row = {"kind": "run", **asdict(self), "left": self.left, "seconds_left": self.seconds_left}
        return Statement(f"Shards of {self.folder}", [self.table()], [row])


def duration(seconds: float) -> str:
    """Return a duration as people read it.

    >>> duration(59.6), duration(3725)
    ('1:00', '1:02:05')
    """
    minutes, remainder = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{remainder:02}" if hours else f"{minutes}:{remainder:02}"


@dataclass(frozen=True)
class Folder:
    """A folder of shards."""

    path: Path
    suffix: str = ".parquet"

    def shard(self, key: str) -> Path:
        """Return the file of a shard."""
        return self.path / SHARDS / f"{key}{self.suffix}"

    def is_done(self, key: str) -> bool:
        """Return whether a shard is done."""
        return self.shard(key).exists()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Make the folder where there is none, and keep other runs out of it."""
        if self.path.is_file():
            raise self._refused("is a file, and shards go into a folder", "name another")
        if self.path.is_dir() and list(self.path.iterdir()) and not (self.path / LOCK).exists():
            raise self._refused("is a folder that holds other files", "name a new folder for the shards")
        make_folder(self.path / SHARDS)
        with (self.path / LOCK).open("w") as lock:
            if not _locked(lock):
                hint = f"wait for it, or see how far it is: touchstone status {self.path}"
                raise self._refused("another run is writing here", hint)
            self._clear()
            yield
            self._clear()

    def _refused(self, what: str, hint: str) -> TouchstoneError:
        return TouchstoneError(what, file=str(self.path), code=Code.CANNOT_WRITE, hint=hint)

    def _clear(self) -> None:
        """Remove what workers that were killed had not finished to write."""
        for path in (self.path / SHARDS).glob(f".*{self.suffix}.*"):
            path.unlink(missing_ok=True)

    def start(self, shards: Sequence[Shard], about: Mapping[str, object]) -> None:
        """Write what is to be done; *about* says all else that results are made from."""
        listed = [[*asdict(shard).values()] for shard in shards]
        manifest = {"started": time.time(), "suffix": self.suffix, "shards": listed, **about}
        write_text(self.path / MANIFEST, json.dumps(manifest, ensure_ascii=False) + "\n")
        self._write_failures({})

    def fail(self, failures: Mapping[str, str]) -> None:
        """Write what failed: sentences by the file, or the rows of a file, that they are about.

        On a full disk this file may not fit either. The run goes on: the command prints the sentences at its end.
        """
        with suppress(TouchstoneError):
            self._write_failures(failures)

    def _write_failures(self, failures: Mapping[str, str]) -> None:
        write_text(self.path / FAILURES, json.dumps(dict(failures), ensure_ascii=False, indent=2) + "\n")

    def manifest(self) -> dict[str, Any]:
        """Return what the run is about; refuse another folder."""
        return _read_object(self.path / MANIFEST, "holds no shards", "give the folder that the shards were written to")

    def failures(self) -> dict[str, str]:
        """Return what failed."""
        return _read_object(self.path / FAILURES, "holds no shards", "give the folder that the shards were written to")

    def shards(self) -> list[Shard]:
        """Return all shards, in order."""
        return [Shard(*values) for values in self.manifest()["shards"]]

    def status(self) -> Status:
        """Return how far the run is."""
        manifest, shards = self.manifest(), self.shards()
        if manifest["suffix"] != self.suffix:
            return Folder(self.path, manifest["suffix"]).status()
        done = [shard for shard in shards if self.is_done(shard.key)]
        ended = {shard.key: self.shard(shard.key).stat().st_mtime for shard in done}
        # Only what was done since the last start tells the speed of this one.
        new = [shard for shard in done if ended[shard.key] >= manifest["started"]]
        running = self._is_locked()
        until = time.time() if running else max((ended[shard.key] for shard in new), default=0.0)
        passed = until - manifest["started"]
        rate = sum(shard.rows for shard in new) / passed if new and passed > 0 else None
        rows, rows_done = sum(shard.rows for shard in shards), sum(shard.rows for shard in done)
        return Status(str(self.path), len(shards), len(done), self.failures(), rows, rows_done, running, rate)

    def _is_locked(self) -> bool:
        try:
            with (self.path / LOCK).open("r+") as lock:
                return not _locked(lock)
        except OSError:
            return False


def is_folder(path: str | Path) -> bool:
    """Return whether a path is a folder of shards."""
    return (Path(path) / MANIFEST).is_file()


def content_key(*parts: object) -> str:
    """Return the key of what *parts*, which JSON can hold, describe."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


@contextmanager
def finishing(path: Path) -> Iterator[Path]:
    """Give a path to write to, which takes the place of *path* when all of it is on the disk."""
    with replacing(path) as beside:
        yield beside
        # Before the rename: after a power cut a shard must not be there under its name without its content.
        handle = os.open(beside, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _locked(lock: Any) -> bool:  # noqa: ANN401 (an open file)
    """Lock a file while this process lives; return whether no other one has. Systems without such locks have none."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _read_object(path: Path, what: str, hint: str) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise TouchstoneError(what, file=str(path.parent), code=Code.NO_FILE, hint=hint) from None
    return content
