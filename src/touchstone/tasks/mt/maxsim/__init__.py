"""MAXSIM: the similarity of a translation to its references by one-to-one matching (Chan and Ng 2008).

For each n the n-grams of both sides are matched one to one: equal n-grams first, the rest for the greatest total
similarity. The score of a segment is the mean of F over n and, where they are asked for, over dependency relations and
semantic roles; with several references, the mean over references. A system's score is the mean of its segments.

>>> MaxSim(relations=False).score("the car stopped", ["the automobile stopped"]).value == 65 / 72
True
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Floats
from touchstone.base.ranges import SHARE
from touchstone.lexicon import wordnet
from touchstone.stats.records import mean_value
from touchstone.tasks.mt.maxsim.explaining import explain
from touchstone.tasks.mt.maxsim.records import parts, record, steps
from touchstone.tasks.mt.maxsim.triples import KINDS
from touchstone.tasks.mt.maxsim.variant import Variant
from touchstone.tasks.mt.model import MEASURES, Explanation, Joined, MtMeasure
from touchstone.tasks.mt.texts import Texts
from touchstone.text import english


def maxsim(what: str = "n", **parameters: str) -> MtMeasure:
    """Return the measure whose parameters are given as in its name.

    Parameters
    ----------
    what
        What is matched: ``n`` for n-grams, with ``+d`` for dependency relations and ``+r`` for semantic roles.
    parameters
        Other fields of `Variant`, as strings.

    Examples
    --------
    >>> maxsim("n+d", alpha="0.7", syn="identity").name
    'maxsim(n+d,alpha=0.7,syn=identity)'
    """
    parameter_names = [field.name for field in fields(Variant)[1:]]
    unknown = next((name for name in parameters if name not in parameter_names), None)
    if unknown is not None:
        what = "maxsim has no such parameter"
        raise TouchstoneError(what, value=unknown, code=Code.UNKNOWN_NAME, hint=f"it has {', '.join(parameter_names)}")
    return measure_of(Variant.of(what, **parameters))


def measure_of(variant: Variant) -> MtMeasure:
    """Return a variant as a measure."""
    matched = ", ".join(["n-grams", *(KINDS[kind] for kind in variant.kinds)])
    return MtMeasure(
        variant.name,
        partial(record, variant),
        mean_value,
        f"one-to-one matching of {matched}; mean of F",
        range=SHARE,
        parts=partial(parts, variant),
        signature=_signature(variant),
        explain=partial(explain, variant),
        remarks=partial(notes, variant),
        formula=partial(steps, variant),
        averages_references=True,
    )


def notes(variant: Variant, records: Floats) -> tuple[str, ...]:
    """Return how many segments have relations, or roles, on no side or on one side only, as sentences."""
    columns, counted = parts(variant, records), int(records[:, -1].sum())
    counts = {
        KINDS[kind]: [int((columns[f"{kind}.{part}"] > 0).sum()) for part in ("neither", "one_side")]
        for kind in variant.kinds
    }
    return tuple(
        f"segments with {kind} on no side: {neither:,}, on one side: {unpaired:,}, of {counted:,}"
        for kind, (neither, unpaired) in counts.items()
    )


@dataclass(frozen=True)
class MaxSimScore:
    """The score of one translation, and the counts behind it by name (see `maxsim.records.columns`)."""

    value: float
    parts: Mapping[str, float]
    variant: Variant = field(repr=False)
    compared: Joined = field(repr=False)

    @cached_property
    def explanations(self) -> tuple[Explanation, ...]:
        """The links behind the score, for each reference."""
        hypotheses, references = self.compared.hypotheses, self.compared.references
        explained = (explain(self.variant, Joined(hypotheses, (texts,))) for texts in references)
        return tuple(replace(explanation, measure=self.variant.name) for explanation in explained)


@dataclass(frozen=True)
class MaxSim:
    """MAXSIM for single translations; to score many, use `touchstone.mt.score`.

    The parameters are those of `Variant`; *relations* and *roles* say what is matched beside n-grams.

    Examples
    --------
    >>> scored = MaxSim().score("they bought the car", ["they purchased the automobile"])
    >>> round(scored.value, 4), scored.parts["1.exact"], scored.parts["d.system"]
    (0.8333, 2.0, 2.0)
    """

    alpha: float = 0.9
    order: int = 3
    relations: bool = True
    roles: bool = False
    syn: str = "literal"
    absent: str = "zero"
    norel: str = "both"
    distance: float = 0.0

    @property
    def variant(self) -> Variant:
        """The parameters as those of a measure."""
        what = "+".join(["n", *["d"] * self.relations, *["r"] * self.roles])
        return Variant(what, self.alpha, self.order, self.syn, self.absent, self.norel, self.distance)

    def score(self, hypothesis: str, references: Sequence[str]) -> MaxSimScore:
        """Return the score of a translation: the mean over its *references*."""
        if isinstance(references, str) or not references:
            what = "a translation is scored against a list of references"
            raise TouchstoneError(what, value=str(references), code=Code.BAD_VALUE)
        measure = measure_of(self.variant)
        compared = Joined(Texts([hypothesis]), tuple(Texts([reference]) for reference in references))
        records = measure.item_records(compared)
        named = {name: float(column[0]) for name, column in parts(self.variant, records).items()}
        return MaxSimScore(float(measure.values(records)[0]), named, self.variant, compared)


def _signature(variant: Variant) -> str:
    facts = [f"analyser:{english().signature}", f"synonyms:{wordnet().signature}", "references:mean"]
    return "|".join(facts + ["roles:rule-ud unless given"] * ("r" in variant.kinds))


MEASURES.add("maxsim", maxsim, "maxsim(n)")
