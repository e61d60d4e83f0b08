"""The thread of a server that scores projects one at a time, each in a child process with limits."""

import json
import queue
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired

from touchstone.annotate import children, scoreboard
from touchstone.annotate.database import Store
from touchstone.annotate.exporting import gold_of
from touchstone.annotate.refusals import invalid
from touchstone.annotate.safety import log
from touchstone.annotate.tables import Project, Uploaded
from touchstone.annotate.tasks.base import Upload, file_names
from touchstone.annotate.tasks.deciding import GoldExport
from touchstone.base.errors import TouchstoneError
from touchstone.io.jsonl import Json

TIME_S = 600
"""Seconds that one scoring may take."""

PAUSE_S = 1
"""Seconds after which a process looks again whether another one has finished its scoring."""


class Scorer:
    """Scores projects one at a time, whatever the number of server processes; the others wait.

    All that matters is in the database, so that every process shows the same, and what one leaves unfinished another
    process takes up.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._requests: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        self._waiting: set[int] = set()
        self._lock = threading.Lock()
        self._child: Popen[str] | None = None
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    def ask(self, project_id: int) -> None:
        """Let the uploads and the scores of a project be looked at in their turn."""
        with self._lock:
            if project_id not in self._waiting and not self._closed.is_set():
                self._waiting.add(project_id)
                self._requests.put(project_id)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="scorer", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Stop at once; what is not finished is taken up by the next process that is asked."""
        self._closed.set()
        with self._lock:
            if self._child is not None:
                self._child.kill()
        self._requests.put(None)
        if self._thread is not None:
            self._thread.join(10)

    def _work(self) -> None:
        while not self._closed.is_set() and (project_id := self._requests.get()) is not None:
            with self._lock:
                self._waiting.discard(project_id)
            try:
                with self._store.alone("scoring") as alone:
                    if alone:
                        self._do(project_id)
            except Exception:
                log.exception("scoring project %s failed", project_id)
                self._closed.wait(PAUSE_S)
                continue
            # Another process is scoring, perhaps without what this one was asked for: look again when it may be done.
            if not alone and not self._closed.wait(PAUSE_S):
                self.ask(project_id)

    def _do(self, project_id: int) -> None:
        """Check the uploads of a project one after the other, then bring its scores up to date."""
        while not self._closed.is_set():
            with self._store.reading() as session:
                project = session.get_one(Project, project_id)
                upload = next(iter(scoreboard.waiting_uploads(session, project_id)), None)
                content = upload.content if upload else None
            if upload is None or content is None:
                break
            self._take(project, upload, content)
        if not self._closed.is_set():
            self._update(project_id)

    def _take(self, project: Project, upload: Uploaded, content: bytes) -> None:
        """Store an upload as a run if it can be scored alone; else keep the reason."""
        try:
            with self._store.reading() as session:
                gold = gold_of(session, project)
            self._scored(project, gold, {upload.name: Upload(upload.file_name, content)}, with_report=False)
            with self._store.writing() as session:
                scoreboard.store_run(session, upload, content)
        except Exception as error:
            if not self._closed.is_set():
                with self._store.writing() as session:
                    scoreboard.refuse_upload(session, upload, _reason(error))

    def _update(self, project_id: int) -> None:
        """Score all runs of a project, unless neither they nor the gold have changed since the last time."""
        with self._store.reading() as session:
            project = session.get_one(Project, project_id)
            at = scoreboard.standing(session, project)  # before the gold: what changes in between is seen next time
            if not at.due:
                return
            gold, runs = gold_of(session, project), scoreboard.runs_of(session, project, content=True)
        digest, result = scoreboard.digest_of(gold.files, runs), None
        try:
            if at.scores is None or at.scores.digest != digest:
                files = {run.name: Upload(run.file_name, run.content) for run in runs}
                result = self._scored(project, gold, files, with_report=True)
        except Exception as error:
            if not self._closed.is_set():
                with self._store.writing() as session:
                    scoreboard.keep_failure(session, project_id, at.state, _reason(error))
            return
        with self._store.writing() as session:
            scoreboard.keep_scores(session, project, digest, at.state, result)

    def _scored(
        self, project: Project, gold: GoldExport, runs: Mapping[str, Upload], *, with_report: bool
    ) -> dict[str, Json]:
        """Return the result of `touchstone.annotate.scoring` for files in a folder that only this account can read."""
        if not gold.files:
            raise invalid("the gold is empty", hint="items enter it when people agree on them or they are adjudicated")
        with tempfile.TemporaryDirectory(prefix="touchstone-") as folder:
            inner = Path(folder, "runs")
            inner.mkdir()
            for file in gold.files:
                _write(Path(folder, file.path), file.content)
            paths = {name: f"{safe}/{_safe(runs[name].name)}" for name, safe in file_names(runs).items()}
            for name, path in paths.items():
                _write(inner / path, runs[name].content)
            source = "../gold" if project.task in scoreboard.WITHOUT_RUNS else "../gold.jsonl"
            request: dict[str, Json] = {
                "task_name": project.task,
                "gold": source,
                "runs": dict(paths),
                "with_report": with_report,
            }
            return {**self._answer(request, inner), "gold": scoreboard.gold_object(gold)}

    def _answer(self, request: Mapping[str, Json], folder: Path) -> dict[str, Json]:
        """Return the result of a child process that works in *folder*."""
        command, environment = children.command("scoring"), children.environment()
        with Popen(
            command, cwd=folder, env=environment, encoding="utf-8", stdin=PIPE, stdout=PIPE, stderr=PIPE
        ) as child:
            with self._lock:
                self._child = child
                if self._closed.is_set():
                    child.kill()
            try:
                out, errors = child.communicate(json.dumps(request), timeout=TIME_S)
            except TimeoutExpired:
                child.kill()
                raise invalid(f"the scoring took longer than {TIME_S // 60} minutes and was stopped") from None
            finally:
                with self._lock:
                    self._child = None
        if child.returncode == 0:
            result: dict[str, Json] = json.loads(out)
            return result
        if child.returncode != children.FAULT:
            log.error("a scoring ended with exit code %s: %s", child.returncode, errors)
            raise invalid(
                f"the scoring ended without a result (exit code {child.returncode})",
                hint="the server log contains the reason; large files may need more memory than one scoring may have",
            )
        raise invalid(errors.strip())


def _reason(error: Exception) -> str:
    """Return why something cannot be scored, for people; what they cannot have caused goes to the log."""
    if isinstance(error, TouchstoneError):
        return str(error)
    log.error("a scoring failed", exc_info=error)
    return "internal server error: the server log contains the reason"


def _safe(name: str) -> str:
    """Return a file name without anything that could lead out of its folder."""
    return file_names([name])[name]


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
