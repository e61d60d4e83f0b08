"""How well metrics agree with judges: correlation at the level of systems and of segments, intervals and tests."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from touchstone import __version__
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.notes import is_warning, warning, warnings_of
from touchstone.core.measures import Measure
from touchstone.core.results import Results
from touchstone.tasks.mt.judges.doubts import doubts_about_direction
from touchstone.tasks.mt.judges.judgements import Judgements
from touchstone.tasks.mt.judges.metaeval.conventions import SWAPS
from touchstone.tasks.mt.judges.metaeval.joining import JoinedJudgements, join_judgements
from touchstone.tasks.mt.judges.metaeval.levels import Settings, evaluate_criterion
from touchstone.tasks.mt.judges.metaeval.model import Meta
from touchstone.tasks.mt.judges.metaeval.segments import fold_of
from touchstone.tasks.mt.judges.metaeval.testing import LITTLE_POWER
from touchstone.tasks.mt.model import Joined


def meta(
    human: Judgements | Sequence[Judgements],
    results: Results | Mapping[str, Results],
    settings: Settings | None = None,
) -> Meta:
    """Compare metrics with human judgements, at the level of systems and of segments.

    Parameters
    ----------
    human
        The judgements, a set for each criterion.
    results
        The scores of the systems of each group (language pair) by its name, or of one group alone. Each needs at least
        three judged systems.
    settings
        Rules for ties and values, and how intervals and tests are computed.

    Examples
    --------
    >>> from pathlib import Path
    >>> import touchstone
    >>> from touchstone import mt
    >>> folder = Path(touchstone.__file__).parent / "examples" / "mt"
    >>> results = mt.score(folder / "refA.en", [folder / "de-en"], ["chrf", "bleu"])
    >>> agreed = mt.meta(mt.read_judgements(folder / "rankings.csv"), results)
    >>> round(agreed.criterion("rank").agreement("chrf", "tau.discordant", "de-en").value, 3)
    0.799
    """
    settings = settings or Settings()
    settings = replace(settings, resampling=settings.resampling.bootstrap())
    judged = [human] if isinstance(human, Judgements) else list(human)
    groups = {_only_name(judged): results} if isinstance(results, Results) else dict(results)
    measures = _shared_measures(groups)
    _check(judged, settings)
    joined = [_joined(judgements, groups, settings) for judgements in judged]
    criteria = [evaluate_criterion(*both, measures, settings) for both in zip(joined, judged, strict=True)]
    notes = [note for of_criterion in joined for note in of_criterion.notes]
    if any(test.swapped == "systems" for criterion in criteria for test in criterion.tests):
        notes.append(LITTLE_POWER)
    notes += [warning(f"{name}: {text}") for name, group in groups.items() for text in warnings_of(group.notes)]
    notes += doubts_about_direction(criteria)
    remarks = [f"{name}: {note}" for name, group in groups.items() for note in group.notes if not is_warning(note)]
    return Meta(
        measures=tuple(measure.name for measure in measures),
        lower_is_better=frozenset(measure.name for measure in measures if measure.lower_is_better),
        criteria=tuple(criteria),
        scope=settings.segments,
        ties=settings.ties,
        level=settings.resampling.level,
        signature=_signature(judged, groups, measures, settings),
        notes=tuple(dict.fromkeys(notes)),
        remarks=tuple(dict.fromkeys(remarks)),
    )


def _joined(judged: Judgements, groups: Mapping[str, Results], settings: Settings) -> JoinedJudgements:
    return join_judgements(
        judged,
        groups,
        scope=settings.segments,
        wins=settings.wins,
        by_judge=settings.by_judge,
        without=settings.without,
        cluster=settings.resampling.cluster or "segment",
    )


def _only_name(judged: Sequence[Judgements]) -> str:
    names = {name for judgements in judged for name in judgements.groups if name is not None}
    return names.pop() if len(names) == 1 else "all"


def _check(judged: Sequence[Judgements], settings: Settings) -> None:
    if not judged:
        raise TouchstoneError("no judgements", code=Code.EMPTY, hint="read some with read_judgements")
    names = [judgements.criterion for judgements in judged]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        what = "two files of judgements have the same criterion"
        raise TouchstoneError(what, value=twice, code=Code.DUPLICATE_NAME, hint="give one of them")
    fold_of(settings.ties)
    if settings.resampling.method == "bca":
        hint = "percentile or none"
        raise TouchstoneError("correlations have percentile intervals", value="bca", code=Code.UNSUPPORTED, hint=hint)


def _shared_measures(groups: Mapping[str, Results]) -> Sequence[Measure[Joined]]:
    """Return the measures, which all groups must have been scored under."""
    first = next(iter(groups.values()), None)
    measures: Sequence[Measure[Joined]] = first.measures if first else ()
    names = [measure.name for measure in measures]
    for group, results in groups.items():
        group_names = [measure.name for measure in results.measures]
        if group_names != names:
            odd = next((name for name in {*group_names, *names} if (name in group_names) != (name in names)), group)
            what = "groups are scored under different measures"
            raise TouchstoneError(what, value=odd, near=nearest(odd, names), code=Code.MISMATCH)
    return measures


def _signature(
    judged: Sequence[Judgements],
    groups: Mapping[str, Results],
    measures: Sequence[Measure[Joined]],
    settings: Settings,
) -> dict[str, str]:
    """Return all that the numbers depend on: metrics, texts, judgements and settings."""
    first = next(iter(groups.values())).signature
    replaced = ("touchstone", "task", "systems", "measures", "intervals", "policy")
    sources = [f"{judgements.source}{f' ({judgements.how})' if judgements.how else ''}" for judgements in judged]
    scales = {judgements.scale for judgements in judged}
    values: list[str] = [settings.wins] if "rank" in scales else []
    values += ["z by judge" if settings.by_judge else "mean over judges, then segments"] if scales - {"rank"} else []
    return {
        "touchstone": __version__,
        "task": "mt meta",
        "human": "; ".join(dict.fromkeys(sources)),
        **({"without": ", ".join(settings.without)} if settings.without else {}),
        "criteria": ", ".join(judgements.criterion for judgements in judged),
        **{key: value for key, value in first.items() if key not in replaced},
        "systems": " | ".join(f"{name}: {of_group.signature.get('systems', '')}" for name, of_group in groups.items()),
        "measures": ", ".join(measure.name for measure in measures),
        "segments": settings.segments,
        "human value": ", ".join(values),
        "ties": settings.ties,
        "calibrate": settings.how,
        "wmt": f"PERM-BOTH, {SWAPS:,} swaps of translations or fewer, seed {settings.resampling.seed}; p not corrected",
        "tests": f"permutation, {settings.swaps:,} swaps, seed {settings.resampling.seed}, Holm over pairs of metrics",
        "intervals": f"{settings.resampling.bootstrap()}; numpy {np.__version__}",
    }
