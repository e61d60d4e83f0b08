"""Judging the judge: how far the scores of a model or a metric can stand in for those of people.

Everything here is about outputs that both scored, an output being what one system gave for one item. What they show
is found by the modules of `touchstone.judge.checks`, one check in each.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from touchstone.base.notes import announce
from touchstone.base.ragged import Floats
from touchstone.base.signature import Signature, content_digest, number_or_text
from touchstone.base.tables import number
from touchstone.core.resampling import Resampling
from touchstone.judge.checks import FEWEST, all_checks
from touchstone.judge.checks.bias import numbers_of
from touchstone.judge.paired import Paired
from touchstone.judge.probabilities import PROBABILITY
from touchstone.judge.sampling import sample_warnings
from touchstone.judge.scales import against_people, equated
from touchstone.show.finding import Finding, Statement
from touchstone.show.page import Page, Paragraph, Section
from touchstone.stats.intervals import FEW_CLUSTERS, FEWEST_CLUSTERS


@dataclass(frozen=True, eq=False, repr=False)
class Judging(Finding):
    """What can be said about a judge under one measure: the finding of each of the *checks*, by name.

    The names are those of the functions in `touchstone.judge.checks`, such as bias. A check that cannot say anything
    about these outputs is not there.
    """

    measure: str
    outputs: int
    systems: int
    checks: Mapping[str, Finding]
    signature: Signature = field(default_factory=dict)
    notes: Sequence[str] = ()

    @property
    def sentences(self) -> list[str]:
        """The findings in a few sentences, for those who read no tables."""
        return [sentence for check in self.checks.values() for sentence in check.statement().sentences]

    def statement(self) -> Statement:
        """Return what each check found, one after the other."""
        outputs = f"{self.outputs:,} outputs of {self.systems} system{'s' * (self.systems > 1)}"
        return Statement(
            "The judge beside people",
            rows=[{"kind": "judge", "measure": self.measure, "outputs": self.outputs, "systems": self.systems}],
            sentences=self.sentences,
            notes=self.notes,
            signature=self.signature,
            parts=[check.statement() for check in self.checks.values()],
            subtitle=f"{self.measure} on {outputs} that people and the judge scored",
        )

    def page(self) -> Page:
        """Return the report: it opens with two sentences, the others are its first section."""
        page = super().page()
        sentences = [f"{line[:1].upper()}{line[1:]}." for line in page.verdict]
        further = [Section("In short", "short", [Paragraph(line) for line in sentences[2:]])] if sentences[2:] else []
        return replace(page, verdict=sentences[:2], sections=[*further, *page.sections])


def assess(paired: Paired) -> Judging:
    """Return how good the judge is on the outputs that people scored too.

    Parameters
    ----------
    paired
        Scores of people and of the judge.

    Examples
    --------
    >>> import touchstone
    >>> judge = [{"system": s, "item": i, "score": (i * (7 + j)) % 10} for j, s in enumerate("ab") for i in range(90)]
    >>> human = [{**row, "score": row["score"] + row["item"] % 2} for row in judge if row["item"] < 30]
    >>> [paired] = touchstone.paired_tables(human, judge)
    >>> judging = touchstone.assess(paired)
    >>> [(one.name, round(one.judge_value, 3)) for one in judging.checks["agreement"].coefficients]
    [('alpha', 0.971), ('pearson', 0.986), ('spearman', 0.987)]
    >>> judging.checks["ranking"].statement().sentences
    ['the judge reverses 0 of 1 pairs of systems; none differs significantly for people']
    """
    outputs, scale = _scored_by_both(paired)
    findings = {name: check(outputs) for name, check in all_checks().items()}
    checks = {name: finding for name, finding in findings.items() if finding is not None}
    parts = [finding.statement() for finding in checks.values()]
    notes = [*paired.notes, *sample_warnings(paired), *scale, *_remarks(paired, outputs)]
    notes += [note for part in parts for note in part.notes]
    announce(notes)
    signature = {**paired.signature, **_digests(outputs), "intervals": str(outputs.resampling)}
    for part in parts:
        signature |= part.signature
    return Judging(paired.measure.name, len(outputs), len(np.unique(outputs.system)), checks, signature, notes)


def _scored_by_both(paired: Paired) -> tuple[Paired, list[str]]:
    """Return the outputs that both scored, the judge on the scale of people, with a note if that needs rescaling.

    All fields of items are then facts of outputs, except the field of clusters, a level of which is one cluster.
    """
    outputs = paired.where(np.isfinite(paired.human_values) & np.isfinite(paired.judge_values))
    if len(outputs) < FEWEST:
        what = "output" if len(outputs) == 1 else "outputs"
        raise paired.too_few(
            f"people and the judge both scored {len(outputs)} {what}: too few to evaluate the judge",
            f"let people score at least {FEWEST} items; about fifty are needed to find more than large errors",
        )
    facts = dict(outputs.facts)
    for name in outputs.fields.column_names:
        if name not in ("id", PROBABILITY, *facts):
            cells = outputs.fields.column(name).to_pylist()
            facts[name] = [None if cell is None else str(cell) for cell in cells]
    cluster = None if paired.clusters is None else paired.resampling.cluster
    scores = (outputs.human_values, outputs.judge_values)
    facts = {name: cells for name, cells in facts.items() if name != cluster and not _is_score(cells, scores)}
    values, notes = equated(*scores)
    return replace(outputs, facts=facts, equated=values), notes


def _is_score(cells: Sequence[str | None], scores: Iterable[Floats]) -> bool:
    """Return whether a field holds the very scores: a table of one system has them among the facts of its items."""
    values = numbers_of(cells)
    return values is not None and any(np.array_equal(values, score, equal_nan=True) for score in scores)


def _digests(outputs: Paired) -> dict[str, str]:
    """Return digests of what the signature of the scores does not cover: single answers, and facts of outputs."""
    fields = {name: list(map(number_or_text, cells)) for name, cells in outputs.facts.items()}
    return {
        "answers": content_digest(answers=[output_answers.tolist() for output_answers in outputs.single_answers]),
        "fields": content_digest(**fields),
    }


def _remarks(paired: Paired, outputs: Paired) -> list[str]:
    """Return what a reader should know of the scores."""
    notes, judge = _few_clusters(len(np.unique(outputs.units)), outputs.resampling), outputs.judge_values
    several = sum(len(output_answers) > 1 for output_answers in outputs.single_answers)
    if not several:
        notes.append("each output has one answer, so the agreement of people with each other is unknown")
    elif several < len(outputs):
        notes.append(f"agreement is over the outputs with two answers or more: {several:,} of {len(outputs):,}")
    if np.ptp(judge) == 0:
        notes.append(
            f"the judge gives {number(float(judge[0]))} to all {len(judge):,} outputs that people scored, so it does "
            "not distinguish them"
        )
    notes += against_people(paired)
    if not paired.measure.is_mean:
        notes.append(f"{paired.measure.name} of single items is compared; the ranking has its value over all of them")
    if paired.probability is not None:
        notes.append(
            "people did not score a simple random sample: figures are unweighted, over the outputs that they scored"
        )
    if unscored := int((paired.labelled & ~paired.judged).sum()):
        notes.append(f"outputs that people scored and the judge did not, which are left out: {unscored:,}")
    return notes


def _few_clusters(clusters: int, how: Resampling) -> list[str]:
    """Return what few clusters can carry."""
    if clusters > FEW_CLUSTERS:
        return []
    scored = f"{how.counted(clusters)} that people scored"
    too_few = f"the {scored} {'is' if clusters == 1 else 'are'} too few for intervals"
    return [too_few if clusters < FEWEST_CLUSTERS else f"with only {scored}, intervals are rough"]
