"""Why a segment has its score: the matching behind it, link by link, and what stayed unmatched."""

from collections import Counter
from dataclasses import dataclass, replace

from touchstone.core.errors import TouchstoneError, visible
from touchstone.core.matching import Matcher
from touchstone.core.measures import import_object
from touchstone.core.tables import Cell, Column, Table
from touchstone.tasks.mt.inputs import References, System
from touchstone.tasks.mt.metrics import EXPLAINERS, MEASURES, family_of
from touchstone.tasks.mt.model import Compared, Explanation, Layer
from touchstone.tasks.mt.own import explain_matcher


@dataclass(frozen=True)
class Explained:
    """The score of one segment: its texts, and the matching with each reference that it has."""

    measure: str
    system: str
    segment: str
    value: float
    hypothesis: str
    references: tuple[str, ...]
    parts: tuple[Explanation, ...]

    def heading(self) -> str:
        """Return the segment, its score and its texts in a few lines."""
        named = [("system", self.hypothesis)]
        numbered = len(self.references) > 1
        named += [(f"reference {n}" if numbered else "reference", text) for n, text in enumerate(self.references, 1)]
        said = [f"  {name:<11}  {visible(text)}" for name, text in named]
        return "\n".join([f"segment {self.segment}, {self.system}: {self.measure} {self.value:.6g}", "", *said])

    def parts_table(self) -> Table:
        """Return for each part of the score, such as an order of n-grams, what was matched and what that earns."""
        rows: list[list[Cell]] = []
        rules = set()
        for place, one in enumerate(self.parts, 1):
            rules.add(len(rows))
            for layer in one.layers:
                earned = layer.matching.weight, layer.precision, layer.recall, layer.f
                name = f"{layer.name}, reference {place}" if len(self.parts) > 1 else layer.name
                rows.append([name, _stages(layer), len(layer.left), len(layer.right), *earned])
        heads = ("part", "links by stage", "system", "reference", "weight", "P", "R", "F")
        columns = [Column(head, "left" if place < 2 else "right") for place, head in enumerate(heads)]
        notes = list(dict.fromkeys(note for one in self.parts for note in one.notes))
        return Table(columns, rows, rules=rules if len(self.parts) > 1 else set(), notes=notes)

    def links_tables(self) -> list[Table]:
        """Return, for each reference, every link with its stage and weight, and what stayed unmatched."""
        numbered = len(self.parts) > 1
        return [_links_table(one, f"reference {n}" if numbered else "") for n, one in enumerate(self.parts, 1)]


def explain(references: References, system: System, item: str, measure: str) -> Explained:
    """Return the matching behind the score of one segment, with each reference that it has."""
    row = references.row(item)
    text = system.texts[row]
    if text is None:
        raise TouchstoneError(f"{system.name!r} has no translation of this segment", value=item)
    found = MEASURES.find(measure)
    hypothesis = system.texts.only(row)
    models = [texts.only(row) for texts in references.texts if texts[row] is not None]
    parts = [_explained(found.name, Compared(hypothesis, (model,))) for model in models]
    return Explained(
        found.name,
        system.name,
        item,
        float(found.values(found.record(Compared(hypothesis, tuple(models))))[0]),
        text,
        tuple(model.present[0] for model in models),
        tuple(replace(part, system=system.name, segment=item) for part in parts),
    )


def explainable(measure: str) -> bool:
    """Return whether a measure has a matching to show."""
    family = family_of(measure)
    return family in EXPLAINERS or (":" in family and isinstance(import_object(family)[0], Matcher))


def _explained(measure: str, compared: Compared) -> Explanation:
    family = family_of(measure)
    if family in EXPLAINERS:
        return EXPLAINERS[family](measure, compared, 0)
    own = import_object(family)[0] if ":" in family else None
    if isinstance(own, Matcher):
        return explain_matcher(own, MEASURES.find(measure), compared)
    hint = f"measures that match: {', '.join(sorted(EXPLAINERS))}, and a Matcher of your own"
    raise TouchstoneError("this measure has no matching to show", value=measure, hint=hint)


def _links_table(explanation: Explanation, title: str) -> Table:
    rows: list[list[Cell]] = []
    rules = set()
    for layer in explanation.layers:
        rules.add(len(rows))
        links = sorted(layer.matching.links, key=lambda link: link.left)
        cells: list[list[Cell]] = [
            [layer.left[one.left], layer.right[one.right], one.stage, one.weight] for one in links
        ]
        left, right = unmatched(layer)
        cells += [[layer.left[place], None, "unmatched", None] for place in left]
        cells += [[None, layer.right[place], "unmatched", None] for place in right]
        rows += [["" if place else layer.name, *row] for place, row in enumerate(cells)]
    columns = [Column("part"), Column("system"), Column("reference"), Column("stage"), Column("weight", "right")]
    return Table(columns, rows, title=title, rules=rules)


def unmatched(layer: Layer) -> tuple[list[int], list[int]]:
    """Return the items of both sides that no link holds."""
    left, right = ({getattr(link, side) for link in layer.matching.links} for side in ("left", "right"))
    return [i for i in range(len(layer.left)) if i not in left], [j for j in range(len(layer.right)) if j not in right]


def _stages(layer: Layer) -> str:
    counts = Counter(link.stage for link in layer.matching.links)
    return ", ".join(f"{count} {stage}" for stage, count in counts.items()) or "none"
