"""What is odd in pyramids and annotations: broken constraints, spans that are not where they say, missing things.

Nothing of it is repaired, and none of it stops a scoring: weights and scores never look at offsets. What does stop
one (a uid twice, a unit that the pyramid does not have) is refused when a file is read.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from touchstone.core.errors import Fault, TouchstoneError
from touchstone.tasks.pyramid.formats import read
from touchstone.tasks.pyramid.formats.names import Identity
from touchstone.tasks.pyramid.headers import KNOWN, lines_like_headers
from touchstone.tasks.pyramid.model import Annotation, Contributor, Part, Pyramid, Unit

NEARBY = 2000
"""Code points on either side of a span in which its words are looked for."""


@dataclass(frozen=True)
class Problem:
    """Something odd in a file that does not stop a scoring; *rule* names its kind.

    >>> print(Problem("C2", "D1.pyr", "uid 7", "two contributors from the summary D1.M.100.A.B"))
    D1.pyr:uid 7: C2: two contributors from the summary D1.M.100.A.B
    """

    rule: str
    file: str
    where: str
    sentence: str

    def __str__(self) -> str:
        return ":".join(filter(None, (self.file, self.where))) + f": {self.rule}: {self.sentence}"


@dataclass
class Validation:
    """What was found in some files: faults stop a scoring, warnings do not."""

    faults: list[Fault] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)


def validate(
    paths: Sequence[str | Path], *, models: int | None = None, meta: Mapping[str, Identity] | None = None
) -> Validation:
    """Read pyramids and annotations, and return all that is wrong or odd in them, alone and beside each other."""
    found = Validation()
    pyramids: dict[str, Pyramid] = {}
    annotations: list[Annotation] = []
    for path in paths:
        try:
            thing = read(path, models=models, meta=meta)
        except TouchstoneError as error:
            found.faults += error.faults
            continue
        found.warnings += problems(thing)
        found.facts.append(_fact(thing))
        if isinstance(thing, Pyramid):
            pyramids[thing.set] = thing
        else:
            annotations.append(thing)
    found.faults += [*_twice(annotations), *(fault for one in annotations for fault in _unscorable(one))]
    found.warnings += [problem for one in annotations for problem in _copy_problems(one, pyramids)]
    return found


def _unscorable(annotation: Annotation) -> Iterator[Fault]:
    """Yield why a scoring would stop at an annotation."""
    file = annotation.source.name if annotation.source else None
    if not (annotation.set and annotation.peer):
        yield Fault("the name of the file does not tell its set and peer; say them with --meta", file)
    if not annotation.pyramid.summaries and annotation.pyramid.models is None:
        yield Fault("no header of a model summary; say how many there are with --models", file)


def problems(thing: Pyramid | Annotation) -> list[Problem]:
    """Return everything odd in a pyramid, or in an annotation and the pyramid that it carries."""
    file = thing.source.name if thing.source else ""
    if isinstance(thing, Pyramid):
        return [Problem(rule, file, where, said) for rule, where, said in _pyramid(thing)]
    found = [*_pyramid(thing.pyramid), *_peer(thing)]
    return [Problem(rule, file, where, said) for rule, where, said in found]


def remarks(things: Sequence[Pyramid | Annotation]) -> list[str]:
    """Return a sentence for each kind of problem, with its count and its first case."""
    kinds: dict[str, list[Problem]] = {}
    for thing in things:
        for problem in problems(thing):
            kinds.setdefault(problem.rule, []).append(problem)
    return [_remark(found) for found in kinds.values()]


def _remark(found: Sequence[Problem]) -> str:
    files = len({problem.file for problem in found})
    more = f" ({len(found):,} times in {files:,} files; all with validate)" if len(found) > 1 else ""
    return f"{found[0]}{more}"


Said = Iterator[tuple[str, str, str]]
"""Rule, place and sentence of problems."""


def _pyramid(pyramid: Pyramid) -> Said:
    yield from _header(pyramid)
    models = pyramid.models or len(pyramid.summaries)
    for unit in pyramid.units:
        where = f"uid {unit.uid}"
        if not unit.contributors:
            yield "weight", where, "no contributors, so its weight is 0"
        if models and unit.weight > models:
            yield "C1", where, f"weight {unit.weight} from {models} model summaries"
        yield from _constraints(pyramid, unit, where)
        yield from _offsets(unit, pyramid.text, where)


def _header(pyramid: Pyramid) -> Said:
    found = f"{len(pyramid.summaries)} model summaries by the default header"
    if pyramid.header is None:
        yield "header", "", f"no expression for headers; {found}"
    elif pyramid.header not in KNOWN:
        yield "header", "", f"an unknown expression for headers, which is not run; {found}"
    alike = lines_like_headers(pyramid.text.split("\n"))
    if alike > len(pyramid.summaries) > 0:
        said = f"{alike} lines look like headers, {len(pyramid.summaries)} were taken; give --models N if that is wrong"
        yield "header", "", said
    if pyramid.models is not None and pyramid.summaries and pyramid.models != len(pyramid.summaries):
        yield "models", "", f"--models says {pyramid.models}, the headers say {len(pyramid.summaries)}"
    if not pyramid.summaries and pyramid.models is None:
        yield "models", "", "no header of a model summary; scoring needs --models N"


def _constraints(pyramid: Pyramid, unit: Unit, where: str) -> Said:
    """Yield where contributors break C2 (one from each summary) or C3 (each from one summary)."""
    seen: dict[str, int] = {}
    for number, contributor in enumerate(unit.contributors, 1):
        names = _summaries(pyramid, contributor)
        if len(names) > 1:
            said = f"contributor {number} has parts in the summaries {', '.join(names)}"
            yield "C3", where, said
        for name in names:
            if name in seen:
                yield "C2", where, f"contributors {seen[name]} and {number} are both from the summary {name}"
            seen.setdefault(name, number)


def _summaries(pyramid: Pyramid, contributor: Contributor) -> list[str]:
    """Return the summaries that a contributor touches: where its parts begin and where they end."""
    ends = [offset for part in contributor.in_order for offset in (part.start, max(part.start, part.end - 1))]
    found = [pyramid.summary_at(offset) for offset in ends]
    return list(dict.fromkeys(summary.id for summary in found if summary))


def _peer(annotation: Annotation) -> Said:
    listed: set[str] = set()
    weights = annotation.pyramid.gold.weights
    for unit in annotation.units:
        where = f"peer, uid {unit.uid}"
        if unit.uid in listed:
            yield "entry", where, "listed twice; its contributors count together"
        listed.add(unit.uid)
        prefix = f"({weights[unit.uid]}) " if unit.uid in weights else ""
        if not unit.label.startswith(prefix):
            yield "label", where, f'the label does not begin with the weight "{prefix}"'
        yield from _offsets(unit, annotation.text, where)
    for unit in annotation.pyramid.units:
        if unit.uid not in listed:
            yield "entry", f"peer, uid {unit.uid}", "not listed, so it is taken as not expressed"


def _offsets(unit: Unit, text: str, where: str) -> Said:
    for number, contributor in enumerate(unit.contributors, 1):
        place = f"{where}, contributor {number}"
        if not contributor.parts:
            yield "parts", place, "no parts"
        for part in contributor.parts:
            said = _span_problem(part, text)
            if said:
                yield "offsets", place, said


def _span_problem(part: Part, text: str) -> str | None:
    """Return why a part is not where it says, and where its words stand instead; newlines make no difference."""
    span = f"[{part.start}, {part.end})"
    if part.start > part.end:
        said = f"{span} ends before it starts"
    elif part.start < 0 or part.end > len(text):
        said = f"{span} reaches outside the text of {len(text):,} characters"
    elif _flat(text[part.start : part.end]) != _flat(part.label):
        said = f'{span} holds "{_short(text[part.start : part.end])}", not "{_short(part.label)}"'
    else:
        return None
    near = _nearest_place(part, text)
    return f"{said}; the words stand at [{near}, {near + len(part.label)})" if near is not None else said


def _nearest_place(part: Part, text: str) -> int | None:
    """Return where the words of *part* stand nearest to its start."""
    if not part.label:
        return None
    start = min(max(part.start, 0), len(text))
    before = text.rfind(part.label, max(0, start - NEARBY), start + len(part.label) - 1)
    after = text.find(part.label, start, start + NEARBY + len(part.label))
    places = [place for place in (before, after) if place >= 0]
    return min(places, key=lambda place: abs(place - part.start), default=None)


def _copy_problems(annotation: Annotation, pyramids: Mapping[str, Pyramid]) -> Iterator[Problem]:
    """Yield how the pyramid in an annotation differs from the one given beside it."""
    beside, own = pyramids.get(annotation.set), annotation.pyramid
    if beside is None:
        return
    file = annotation.source.name if annotation.source else ""
    differ = [
        name
        for name, here, there in (
            ("lines", own.lines, beside.lines),
            ("units", own.by_uid, beside.by_uid),
            ("header expression", own.header, beside.header),
        )
        if here != there
    ]
    if differ:
        said = f"the pyramid in this file differs from {beside.source} in its {' and '.join(differ)}; its own counts"
        yield Problem("copy", file, "", said)


def _twice(annotations: Sequence[Annotation]) -> Iterator[Fault]:
    first: dict[tuple[str, str, str], str] = {}
    for one in annotations:
        file = one.source.name if one.source else ""
        identity = (one.set, one.system, one.annotator)
        if all(identity[:2]) and identity in first:
            yield Fault("the same set, peer and annotator as another file", file, value=first[identity])
        first.setdefault(identity, file)


def _fact(thing: Pyramid | Annotation) -> str:
    if isinstance(thing, Pyramid):
        size = f"{len(thing.summaries)} models, {len(thing.units):,} units, total weight {thing.total:,}"
        return f"{thing.source}: pyramid, {size}"
    return f"{thing.source}: annotation, {len(thing.counts):,} units expressed, {thing.repeats:,} repeats"


def _flat(text: str) -> str:
    return text.replace("\n", "")


def _short(text: str, limit: int = 60) -> str:
    text = text.replace("\n", " ")
    return text if len(text) <= limit else f"{text[:limit]}…"
