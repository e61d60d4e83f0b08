"""The thread that scores projects one at a time, each in a child process with limits."""

import json
import os
import queue
import sys
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired

from touchstone.annotate import scoreboard
from touchstone.annotate.accounts import Person
from touchstone.annotate.database import Store
from touchstone.annotate.exporting import gold_of
from touchstone.annotate.refusals import Refusal, invalid
from touchstone.annotate.safety import log
from touchstone.annotate.scoreboard import NewRun
from touchstone.annotate.scoring import FAULT
from touchstone.annotate.tables import Project
from touchstone.annotate.tasks.base import Upload, file_names
from touchstone.annotate.tasks.deciding import GoldExport
from touchstone.core.errors import TouchstoneError
from touchstone.io.jsonl import Json

TIME_S = 600
"""Seconds that one scoring may take."""

MOST_WAITING = 20
"""Uploads that wait to be scored, held in memory."""


@dataclass(frozen=True, eq=False)
class Job:
    """A project whose scores are wanted for a *state*, or a new run of a person that is checked and stored."""

    project_id: int
    state: str = ""
    run: NewRun | None = None
    person: Person | None = None


class Scorer:
    """Scores projects one at a time; the others wait.

    What failed is kept here rather than in the database: it is tried again after a restart.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._jobs: list[Job] = []
        self._refused: dict[tuple[int, int], dict[str, Json]] = {}
        self._failed: dict[int, tuple[str, str]] = {}
        self._child: Popen[str] | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    def upload(self, project_id: int, person: Person, run: NewRun) -> None:
        """Check and store a run when its turn comes; refuse if too many wait."""
        with self._lock:
            if sum(job.run is not None for job in self._jobs) >= MOST_WAITING:
                raise Refusal(503, "busy", "too many runs are waiting to be scored", hint="try again", retry_after=30)
            self._refused.pop((project_id, person.id), None)
            self._add(Job(project_id, run=run, person=person))

    def board(self, project_id: int, person: Person) -> dict[str, Json]:
        """Return what the page shows; scores that no longer hold are computed again.

        Parameters
        ----------
        project_id
            The project.
        person
            Who looks, and sees why their last upload was refused.
        """
        before = self._jobs_of(project_id)  # what ends from here on is not yet in what is read below
        with self._store.reading() as session:
            project = session.get_one(Project, project_id)
            wanted, state = scoreboard.can_score(session, project), scoreboard.state_of(session, project)
            scores = scoreboard.scores_of(session, project) if wanted else None
            runs = scoreboard.run_objects(session, project)
        at, said = self._failed.get(project_id, ("", ""))
        failed = said if at == state else None
        current = scores is not None and scores.checked == state
        if wanted and not current and failed is None:
            self._refresh(project_id, state)
        jobs = self._jobs_of(project_id) or before
        return {
            "runs": list(runs),
            "scores": None if scores is None else {**scores.body, "at": scores.at},
            "current": current,
            "failed": failed,
            "refused": self._refused.get((project_id, person.id)),
            "uploads": [job.run.name for job in jobs if job.run],
            "busy": None if not jobs else "waiting" if self._waits(jobs[0]) else "scoring",
        }

    def _jobs_of(self, project_id: int) -> list[Job]:
        with self._lock:
            return [job for job in self._jobs if job.project_id == project_id]

    def _waits(self, job: Job) -> bool:
        with self._lock:
            return job in self._jobs[1:]

    def _refresh(self, project_id: int, state: str) -> None:
        with self._lock:
            if all(job.project_id != project_id for job in self._jobs):
                self._add(Job(project_id, state))

    def _add(self, job: Job) -> None:
        """Let a job wait for its turn; the lock must be held."""
        self._jobs.append(job)
        self._waiting.put(job)
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="scorer", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop at once; what was not finished is computed again after the next start, except for uploads."""
        with self._lock:
            self._closed = True
            if self._child is not None:
                self._child.kill()
        self._waiting.put(None)
        if self._thread is not None:
            self._thread.join(10)

    def _work(self) -> None:
        while not self._closed and (job := self._waiting.get()) is not None:
            try:
                self._do(job)
            except TouchstoneError as error:
                self._report(job, str(error))
            except Exception:
                log.exception("scoring project %s failed", job.project_id)
                self._report(job, "internal server error: the server log contains the reason")
            finally:
                with self._lock:
                    self._jobs.remove(job)

    def _report(self, job: Job, message: str) -> None:
        """Keep why a job failed: for the person who sent a run, or for all who look at the scores."""
        if job.run is not None and job.person is not None:
            said: dict[str, Json] = {"name": job.run.name, "file": job.run.file.name, "message": message}
            self._refused[job.project_id, job.person.id] = said
        else:
            self._failed[job.project_id] = job.state, message

    def _do(self, job: Job) -> None:
        with self._store.reading() as session:
            project = session.get_one(Project, job.project_id)
            state = scoreboard.state_of(session, project)  # before the gold: what changes in between is seen next time
            gold = gold_of(session, project)
        if job.run is None or job.person is None:
            self._update(project, gold, state)
            return
        self._scored(project, gold, {job.run.name: job.run.file}, whole=False)
        with self._store.writing() as session:
            scoreboard.store_run(session, job.person.actor, project, job.run)

    def _update(self, project: Project, gold: GoldExport, state: str) -> None:
        """Score all runs of a project, unless neither they nor the gold have changed since the last time."""
        with self._store.reading() as session:
            runs = scoreboard.runs_of(session, project, content=True)
            former = scoreboard.scores_of(session, project)
        digest, result = scoreboard.digest_of(gold.files, runs), None
        if former is None or former.digest != digest:
            files = {run.name: Upload(run.file_name, run.content) for run in runs}
            result = self._scored(project, gold, files, whole=True)
        with self._store.writing() as session:
            scoreboard.keep_scores(session, project, digest, state, result)

    def _scored(
        self, project: Project, gold: GoldExport, runs: Mapping[str, Upload], *, whole: bool
    ) -> dict[str, Json]:
        """Return what `touchstone.annotate.scoring` gives for files in a folder that only this account can read."""
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
            request: dict[str, Json] = {"task_name": project.task, "gold": source, "runs": dict(paths), "whole": whole}
            return {**self._answer(request, inner), "gold": scoreboard.gold_object(gold)}

    def _answer(self, request: Mapping[str, Json], folder: Path) -> dict[str, Json]:
        """Return the result of a child process that works in *folder*."""
        # -P: no module is imported from the folder, whatever an uploaded file is called.
        command = [sys.executable, "-P", "-m", "touchstone.annotate.scoring"]
        environment = {**os.environ, "PYTHONUTF8": "1", "OPENBLAS_NUM_THREADS": "1"}
        with Popen(
            command, cwd=folder, env=environment, encoding="utf-8", stdin=PIPE, stdout=PIPE, stderr=PIPE
        ) as child:
            with self._lock:
                self._child = child
                if self._closed:
                    child.kill()
            try:
                out, said = child.communicate(json.dumps(request), timeout=TIME_S)
            except TimeoutExpired:
                child.kill()
                raise invalid(f"the scoring took longer than {TIME_S // 60} minutes and was stopped") from None
            finally:
                with self._lock:
                    self._child = None
        if child.returncode == 0:
            result: dict[str, Json] = json.loads(out)
            return result
        if child.returncode != FAULT:
            log.error("a scoring ended with exit code %s: %s", child.returncode, said)
            raise invalid(
                f"the scoring ended without a result (exit code {child.returncode})",
                hint="the server log contains the reason; large files may need more memory than one scoring may have",
            )
        raise invalid(said.strip())


def _safe(name: str) -> str:
    """Return a file name without anything that could lead out of its folder."""
    return file_names([name])[name]


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
