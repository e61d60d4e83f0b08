"""Scoring of translations, from what was read to results: system after system, or over processes.

The references are analysed once: the first system is scored in this process, and the processes that score the others
begin with what was worked out by then. What belongs to a system goes when it is scored; its records stay.
"""

import multiprocessing
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pyarrow as pa

from touchstone import __version__
from touchstone.core.errors import TouchstoneError
from touchstone.core.ragged import Floats
from touchstone.core.resampling import Resampling
from touchstone.core.results import Results, SystemRecords, measure_signatures
from touchstone.io import arrow
from touchstone.tasks.mt.inputs import References, System
from touchstone.tasks.mt.metrics import DEFAULT, LANGUAGE_FREE, MEASURES, family_of
from touchstone.tasks.mt.model import NOTES
from touchstone.tasks.mt.pairing import STRICT, Policy, flags, pair_up, remarks
from touchstone.tasks.mt.scorer import Scorer

LARGE = 10_000
"""Segments of all systems together from which processes pay: some seconds of work under the slower measures."""

ENGLISH = "en"

Progress = Callable[[int, str], None]
"""Is told how many systems are scored, and which was the last."""

_job: tuple[References, Sequence[System], Scorer, Policy] | None = None
"""What the processes work at: they are forked with it, so that nothing is sent to them but a number."""


def score(
    references: References,
    systems: System | Sequence[System],
    measures: Iterable[str] = (),
    *,
    by: str | None = None,
    resampling: Resampling | None = None,
    policy: Policy = STRICT,
    lang: str = ENGLISH,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Results:
    """Score systems against references, with intervals over segments.

    *jobs* is the number of processes, by default one for each core where the work is large.
    """
    systems = [systems] if isinstance(systems, System) else list(systems)
    _check_names(systems)
    scorer = Scorer(tuple(measure.name for measure in MEASURES.find_all(measures or DEFAULT)))
    _check_language(scorer.measures, lang)
    resampling = resampling or Resampling()
    records = _all_records(references, systems, scorer, policy, jobs, progress)
    return Results(
        task="mt",
        measures=MEASURES.find_all(scorer.measures),
        systems=[
            SystemRecords(system.name, found, _facts(references, system))
            for system, found in zip(systems, records, strict=True)
        ],
        items_known=_items_known(references),
        signature=_signature(references, systems, scorer, policy, resampling, lang),
        resampling=resampling,
        by=by,
        notes=[
            *reference_remarks(references),
            *(note for system in systems for note in remarks(references, system, policy)),
            *(note for system, found in zip(systems, records, strict=True) for note in _said(system.name, found)),
        ],
    )


def reference_remarks(references: References) -> list[str]:
    """Return what is worth knowing of the references, with counts."""
    bare = f"segments without a reference, which score 0: {len(references.bare):,}"
    return [*references.notes, *([bare] if references.bare else [])]


def _said(system: str, records: Mapping[str, Floats]) -> list[str]:
    """Return what measures have to say beside their values."""
    speakers = {name: NOTES[family_of(name)] for name in records if family_of(name) in NOTES}
    return [f"{system}: {note}" for name, say in speakers.items() for note in say(name, records[name])]


def _all_records(
    references: References,
    systems: Sequence[System],
    scorer: Scorer,
    policy: Policy,
    jobs: int | None,
    progress: Progress | None,
) -> list[dict[str, Floats]]:
    """Return the records of each system in order, the first scored here, the others over processes if that pays."""
    global _job
    _job = references, systems, scorer, policy
    try:
        found = {0: _records_of(0)}
        _tell(progress, 1, systems[0])
        others = range(1, len(systems))
        scored = _over_processes(others, jobs) if (jobs := _processes(references, systems, jobs)) > 1 else _here(others)
        for place, records in scored:
            found[place] = records
            _tell(progress, len(found), systems[place])
    finally:
        _job = None
    return [found[place] for place in range(len(systems))]


def _records_of(place: int) -> dict[str, Floats]:
    if _job is None:
        raise TouchstoneError("there is no scoring under way in this process")
    references, systems, scorer, policy = _job
    return scorer(pair_up(references, systems[place], policy))


def _here(places: Iterable[int]) -> Iterator[tuple[int, dict[str, Floats]]]:
    return ((place, _records_of(place)) for place in places)


def _over_processes(places: Iterable[int], jobs: int) -> Iterator[tuple[int, dict[str, Floats]]]:
    """Yield the records of systems as they are done; the processes share all that was worked out before."""
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("fork")) as pool:
        working = {pool.submit(_records_of, place): place for place in places}
        try:
            for done in as_completed(working):
                yield working[done], done.result()
        except BrokenProcessPool:
            hint = "there may have been too little memory; try --jobs 1"
            raise TouchstoneError("a process that scored a system ended early", hint=hint) from None
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _processes(references: References, systems: Sequence[System], jobs: int | None) -> int:
    """Return how many processes score the systems that are left after the first."""
    if "fork" not in multiprocessing.get_all_start_methods():
        return 1
    if jobs is None:
        jobs = len(os.sched_getaffinity(0)) if len(references) * len(systems) >= LARGE else 1
    return min(jobs, len(systems) - 1)


def _tell(progress: Progress | None, done: int, system: System) -> None:
    if progress is not None:
        progress(done, system.name)


def _facts(references: References, system: System) -> pa.Table:
    return pa.table({"flag": arrow.strings(flags(references, system))})


def _items_known(references: References) -> pa.Table:
    """Return what is known of each segment whatever the system."""
    columns = {"id": pa.array(references.ids, pa.string())}
    if references.groups is not None:
        columns["group"] = arrow.strings(references.groups)
    return pa.table(columns)


def _check_names(systems: Sequence[System]) -> None:
    if not systems:
        raise TouchstoneError("no system to score", hint="give at least one file of translations")
    twice = next((name for name, times in Counter(s.name for s in systems).items() if times > 1), None)
    if twice is not None:
        raise TouchstoneError("two systems have the same name", value=twice, hint="name them: --sys NAME=FILE")


def _check_language(measures: Iterable[str], lang: str) -> None:
    """Refuse measures that know English alone where the texts are in another language."""
    if lang == ENGLISH:
        return
    tied = [name for name in measures if family_of(name) not in LANGUAGE_FREE and ":" not in name]
    if tied:
        hint = f"for other languages there are {', '.join(LANGUAGE_FREE)} and measures of your own (module:object)"
        raise TouchstoneError(f"this measure knows English, not {lang!r}", value=tied[0], hint=hint)


def _signature(
    references: References,
    systems: Sequence[System],
    scorer: Scorer,
    policy: Policy,
    resampling: Resampling,
    lang: str,
) -> dict[str, str]:
    """Return all that the figures depend on: the same signature means the same numbers."""
    bare = f", {len(references.bare)} segments without any" if references.bare else ""
    analyses = [*references.analyses, *(source for system in systems for source in system.analyses)]
    return {
        "touchstone": __version__,
        "task": "mt",
        "references": ", ".join(map(str, references.sources)),
        "items": f"{len(references)} segments, {_plural(len(references.texts), 'reference')}{bare}",
        "reading": str(references.reading),
        **({} if lang == ENGLISH else {"lang": lang}),
        **({"analyses": ", ".join(map(str, analyses))} if analyses else {}),
        "systems": "; ".join(f"{system.name}: {system.source}" for system in systems),
        "measures": ", ".join(scorer.measures),
        **measure_signatures(MEASURES.find_all(scorer.measures)),
        "policy": f"missing {policy.missing}",
        "intervals": f"{resampling}; numpy {np.__version__}",
    }


def _plural(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"
