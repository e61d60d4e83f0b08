"""A machine partner for pyramids: what it proposes to annotators, and what its help changes.

Off by default. A project may turn it on for all of its items or for a random half, so that time, agreement and scores
with and without help can be compared. An answer is marked as helped when proposals for it are first shown.
"""

import hashlib
from collections.abc import Callable, Sequence
from math import isfinite
from statistics import median

import numpy as np
from sqlalchemy.orm import Session

from touchstone.annotate.access import Held, contents
from touchstone.annotate.exporting import agreement_object, gather
from touchstone.annotate.tables import Item, Project
from touchstone.annotate.tasks import TASKS
from touchstone.annotate.tasks.base import FinishedAnswer
from touchstone.io.jsonl import Json
from touchstone.stats import interval, mean, mean_records

SHARES = {"off": 0.0, "half": 0.5, "all": 1.0}
"""The share of the items that get help, by the setting ``partner`` of a project."""


def is_helped(project: Project, item: Item) -> bool:
    """Return whether the partner helps with an item: drawn at random, but always the same for an item."""
    share = SHARES[str(project.settings.get("partner", "off"))]
    digest = hashlib.sha256(f"{project.id} {item.kind} {item.key}".encode()).digest()
    return item.purpose == "work" and int.from_bytes(digest[:4]) < share * 2**32


def offer(session: Session, held: Held) -> Callable[[], list[Json]] | None:
    """Mark an answer as helped, and return what computes the proposals; None if the partner does not help with it.

    Parameters
    ----------
    session
        A session to write with; proposals are computed after it, so that nobody waits for them.
    held
        The answer, with its item and its project.
    """
    if not is_helped(held.project, held.item):
        return None
    held.answer.helped = True
    task, subject, _ = contents(session, held)
    return lambda: task.proposals(subject)


def comparison(session: Session, project: Project) -> dict[str, Json]:
    """Return time, scores and agreement of finished answers with and without help, by kind of item, as JSON."""
    answers = [answer for answer in gather(session, project)[1] if answer.kind == "annotation"]
    kinds = dict.fromkeys(answer.item.kind for answer in answers)
    sides = [
        _side(
            project, kind, helped, [answer for answer in answers if (answer.item.kind, answer.helped) == (kind, helped)]
        )
        for kind in kinds
        for helped in (True, False)
    ]
    return {"partner": project.settings.get("partner", "off"), "sides": [side for side in sides if side["answers"]]}


def _side(project: Project, kind: str, helped: bool, answers: Sequence[FinishedAnswer]) -> dict[str, Json]:
    task = TASKS[project.task]
    scores = [score for answer in answers if (score := task.score(answer.item, answer.body)) is not None]
    times = [answer.seconds for answer in answers if answer.seconds > 0]
    return {
        "kind": kind,
        "helped": helped,
        "answers": len(answers),
        "median_seconds": median(times) if times else None,
        "score": _mean(scores),
        "agreement": agreement_object(task.agreement(answers)),
    }


def _mean(values: Sequence[float]) -> dict[str, Json] | None:
    """Return the mean of scores between 0 and 1 with its interval, as JSON."""
    if not values:
        return None
    bounds = interval(mean_records(np.array(values)), mean, bounded=True)
    low, high = (number if isfinite(number) else None for number in (bounds.low, bounds.high))
    return {"mean": float(np.mean(values)), "low": low, "high": high, "n": len(values)}
