"""What looks wrong in human judgements, or in metrics beside them: codes, copies, an end that is taken for the best."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from touchstone.base.ids import plain_form
from touchstone.base.notes import warning
from touchstone.base.ragged import Ints
from touchstone.core.scales import missing_codes
from touchstone.tasks.mt.judges.judgements import EntryColumns, Judgements

if TYPE_CHECKING:
    from touchstone.tasks.mt.judges.metaeval.model import Criterion

AGAINST, AGAINST_SEGMENTS = -0.5, -0.1
"""Spearman's rho of systems, and tau of translations of a segment, up to which a metric goes against the judges: a poor
metric is near 0 in both."""

FEWEST_SHARED = 20
"""Translations that two judges scored alike from which it is no chance."""


def doubts_about_judgements(judged: Judgements) -> list[str]:
    """Return warnings of codes for a missing score, and of a judge under two names."""
    remarks = []
    if judged.scale == "score":
        remarks += missing_codes(judged.criterion, judged.value[np.isfinite(judged.value)])
    forms: dict[str, list[str]] = {}
    for name in judged.judges:
        forms.setdefault(plain_form(name), []).append(name)
    for names in forms.values():
        if len(names) > 1:
            who = " and ".join(map(repr, names))
            remarks.append(warning(f"{who} count as different annotators: write the name of a person in one form"))
    return remarks or _copies(judged)


def _copies(judged: Judgements) -> list[str]:
    """Return a warning of two judges who scored the same translations, and all of them alike."""
    if judged.scale == "rank" or not 1 < len(judged.judges) <= FEWEST_SHARED:
        return []
    keys = judged.segment * len(judged.systems) + judged.system
    scores = [
        dict(zip(keys[judged.judge == judge].tolist(), judged.value[judged.judge == judge].tolist(), strict=True))
        for judge in range(len(judged.judges))
    ]
    for first in range(len(scores)):
        for second in range(first):
            first_scores, second_scores = scores[first], scores[second]
            if (
                len(first_scores) >= FEWEST_SHARED
                and len(set(first_scores.values())) > 1
                and first_scores == second_scores
            ):
                who = f"{judged.judges[second]} and {judged.judges[first]}"
                what = f"{who} gave equal scores to all {len(first_scores):,} translations"
                return [warning(f"{what}; is one person given twice?")]
    return []


def repeated_errors(columns: EntryColumns, file: str) -> list[str]:
    """Return a warning where all rows of errors are there twice, one after the other or the whole file again."""
    parts: list[Ints] = [
        np.asarray(column) for column in (columns.segment, columns.system, columns.judge, columns.value)
    ]
    size = len(columns)
    if size < FEWEST_SHARED or size % 2:
        return []
    halves = all(np.array_equal(column[: size // 2], column[size // 2 :]) for column in parts)
    pairs = all(np.array_equal(column[::2], column[1::2]) for column in parts)
    if not (halves or pairs):
        return []
    return [warning(f"{file}: every row is there twice, so each error costs double: remove the copies")]


def doubts_about_direction(criteria: Sequence["Criterion"]) -> list[str]:
    """Return a warning of metrics that go against the judges, between systems and between translations of a segment."""
    remarks = []
    for criterion in criteria:
        values = {
            (agreement.measure, agreement.statistic): agreement.value
            for agreement in criterion.agreements
            if agreement.group == criterion.overall_group
        }
        measures = list(dict.fromkeys(measure for measure, _ in values))
        against = [
            name
            for name in measures
            if values.get((name, "spearman"), 0.0) <= AGAINST
            and values.get((name, "tau.skip"), 0.0) <= AGAINST_SEGMENTS
        ]
        if against and len(against) == len(measures):
            cause = f"the best end of {criterion.name} may be the other one"
        else:
            cause = f"if lower is better, say so: {against[0]}:lower" if against else ""
        contradiction = (
            f"the better a translation is by {criterion.name}, the lower are its scores under {', '.join(against)}"
        )
        remarks += [warning(f"{contradiction}: {cause}")] if against else []
    return remarks
