"""Problems of pyramids and annotations: broken constraints, misplaced or doubled spans, entries that are missing.

None of them is repaired, and none stops a scoring: weights and scores never use offsets. What does stop one (a
duplicate uid, a unit that the pyramid does not have) is refused when a file is read.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from touchstone.base.spelling import setting
from touchstone.tasks.pyramid.headers import HEADER_EXPRESSIONS, lines_like_headers
from touchstone.tasks.pyramid.model import Annotation, Contributor, Part, Pyramid, Unit

NEARBY = 2000
"""Code points on either side of a span in which its words are looked for."""


@dataclass(frozen=True)
class Problem:
    """A problem of a file that does not stop a scoring; *rule* names its kind.

    >>> print(Problem("C2", "D1.pyr", "uid 7", "two contributors from the summary D1.M.100.A.B"))
    D1.pyr:uid 7: C2: two contributors from the summary D1.M.100.A.B
    """

    rule: str
    file: str
    where: str
    sentence: str

    def __str__(self) -> str:
        location = ":".join(filter(None, (self.file, self.where)))
        return ": ".join(filter(None, (location, self.rule, self.sentence)))


def problems(thing: Pyramid | Annotation, pyramids: Mapping[str, Pyramid] | None = None) -> list[Problem]:
    """Return every problem of a pyramid, or of an annotation and the pyramid that it carries.

    Parameters
    ----------
    thing
        A pyramid or an annotation.
    pyramids
        Pyramids by document set, which the copy in an annotation is compared with.

    Examples
    --------
    >>> from pathlib import Path
    >>> import touchstone
    >>> folder = Path(touchstone.__file__).parent / "examples" / "pyramid"
    >>> problems(touchstone.pyramid.read(folder / "T01.pyr"))
    []
    """
    if isinstance(thing, Pyramid):
        findings = _pyramid(thing)
    else:
        copy = _copy(thing.pyramid, (pyramids or {}).get(thing.set))
        findings = (*_set(thing), *copy, *_pyramid(thing.pyramid), *_peer(thing))
    file = thing.source.name if thing.source else ""
    return [Problem(rule, file, where, sentence) for rule, where, sentence in findings]


def remarks(things: Sequence[Pyramid | Annotation], pyramids: Mapping[str, Pyramid] | None = None) -> list[str]:
    """Return a sentence for each kind of problem, with its count and its first case; parameters as for `problems`."""
    kinds: dict[str, list[Problem]] = {}
    for problem in (problem for thing in things for problem in problems(thing, pyramids)):
        kinds.setdefault(problem.rule, []).append(problem)
    return [_remark(kind) for kind in kinds.values()]


def _remark(kind: Sequence[Problem]) -> str:
    files = len({problem.file for problem in kind})
    more = f" ({len(kind):,} times in {files:,} files; all with validate)" if len(kind) > 1 else ""
    return f"{kind[0]}{more}"


Findings = Iterable[tuple[str, str, str]]
"""Rule, place and sentence of problems."""


def _set(annotation: Annotation) -> Findings:
    """Yield where the headers of the model summaries name another document set than the annotation has."""
    named = dict.fromkeys(
        summary.id.partition(".M.")[0] for summary in annotation.pyramid.summaries if ".M." in summary.id
    )
    others = [name for name in named if _letters(name) != _letters(annotation.set)]
    if annotation.set and others:
        yield "set", "", f"the file is of the set {annotation.set}, its model summaries are of {', '.join(others)}"


def _letters(name: str) -> str:
    """Return a name without what differs between file names and headers: case, dots and hyphens."""
    return "".join(filter(str.isalnum, name)).casefold()


def _copy(embedded: Pyramid, beside: Pyramid | None) -> Findings:
    """Yield how the pyramid in an annotation differs from the one given beside it."""
    if beside is None:
        return
    parts = {
        "lines": embedded.lines != beside.lines,
        "units": embedded.by_uid != beside.by_uid,
        "header expression": embedded.header != beside.header,
    }
    differing = " and ".join(name for name, differs in parts.items() if differs)
    if differing:
        yield "copy", "", f"its pyramid differs from {beside.source} in its {differing}; it is scored against its own"


def _pyramid(pyramid: Pyramid) -> Findings:
    yield from _header(pyramid)
    models = pyramid.models or len(pyramid.summaries)
    for unit in pyramid.units:
        where = f"uid {unit.uid}"
        if not unit.contributors:
            yield "weight", where, "no contributors, so its weight is 0"
        if models and unit.weight > models:
            yield "C1", where, f"weight {unit.weight} from {models} model summaries"
        yield from _constraints(pyramid, unit, where)
        yield from _spans(unit, pyramid.text, where)


def _header(pyramid: Pyramid) -> Findings:
    counted = f"{len(pyramid.summaries)} model summaries by the default header"
    if pyramid.header is None:
        yield "header", "", f"no expression for headers; {counted}"
    elif pyramid.header not in HEADER_EXPRESSIONS:
        yield "header", "", f"an unknown expression for headers, which is not run; {counted}"
    alike = lines_like_headers(pyramid.text.split("\n"))
    if alike > len(pyramid.summaries) > 0:
        sentence = (
            f"{alike} lines look like headers, {len(pyramid.summaries)} were taken; "
            f"give {setting('models', 'N')} if that is wrong"
        )
        yield "header", "", sentence
    if pyramid.models is not None and pyramid.summaries and pyramid.models != len(pyramid.summaries):
        yield "models", "", f"{setting('models', str(pyramid.models))}, but the headers say {len(pyramid.summaries)}"
    if not pyramid.summaries and pyramid.models is None:
        yield "models", "", f"no header of a model summary; scoring needs {setting('models', 'N')}"


def _constraints(pyramid: Pyramid, unit: Unit, where: str) -> Findings:
    """Yield where contributors break C2 (one from each summary) or C3 (each from one summary)."""
    contributor_of: dict[str, int] = {}
    for number, contributor in enumerate(unit.contributors, 1):
        names = _summaries(pyramid, contributor)
        if len(names) > 1:
            sentence = f"contributor {number} has parts in the summaries {', '.join(names)}"
            yield "C3", where, sentence
        for name in names:
            if name in contributor_of:
                yield "C2", where, f"contributors {contributor_of[name]} and {number} are both from the summary {name}"
            contributor_of.setdefault(name, number)


def _summaries(pyramid: Pyramid, contributor: Contributor) -> list[str]:
    """Return the summaries that a contributor touches: where its parts begin and where they end."""
    ends = [offset for part in contributor.in_order for offset in (part.start, max(part.start, part.end - 1))]
    touched = [pyramid.summary_at(offset) for offset in ends]
    return list(dict.fromkeys(summary.id for summary in touched if summary))


def _peer(annotation: Annotation) -> Findings:
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
        yield from _spans(unit, annotation.text, where)
    for unit in annotation.pyramid.units:
        if unit.uid not in listed:
            yield "entry", f"peer, uid {unit.uid}", "not listed, so it is taken as not expressed"


def _spans(unit: Unit, text: str, where: str) -> Findings:
    """Yield contributors without parts, parts and contributors that occur twice, and misplaced parts."""
    first: dict[tuple[tuple[int, int], ...], int] = {}
    for number, contributor in enumerate(unit.contributors, 1):
        location = f"{where}, contributor {number}"
        spans = tuple((part.start, part.end) for part in contributor.in_order)
        if not spans:
            yield "parts", location, "no parts"
        elif first.setdefault(spans, number) != number:
            yield "double", location, f"the same spans as contributor {first[spans]}; both count"
        for (start, end), times in Counter(spans).items():
            if times > 1:
                yield "double", location, f"the part [{start}, {end}) occurs {times} times"
        for part in contributor.parts:
            misplaced = _span_problem(part, text)
            if misplaced:
                yield "offsets", location, misplaced


def _span_problem(part: Part, text: str) -> str | None:
    """Return why a part is not where it says, and where its words are instead; newlines make no difference."""
    span = f"[{part.start}, {part.end})"
    if part.start > part.end:
        sentence = f"{span} ends before it starts"
    elif part.start < 0 or part.end > len(text):
        sentence = f"{span} reaches outside the text of {len(text):,} characters"
    elif _flat(text[part.start : part.end]) != _flat(part.label):
        sentence = f'{span} holds "{_short(text[part.start : part.end])}", not "{_short(part.label)}"'
    else:
        return None
    near = _nearest_occurrence(part, text)
    return f"{sentence}; the words are at [{near}, {near + len(part.label)})" if near is not None else sentence


def _nearest_occurrence(part: Part, text: str) -> int | None:
    """Return where the words of *part* occur nearest to its start."""
    if not part.label:
        return None
    start = min(max(part.start, 0), len(text))
    before = text.rfind(part.label, max(0, start - NEARBY), start + len(part.label) - 1)
    after = text.find(part.label, start, start + NEARBY + len(part.label))
    offsets = [offset for offset in (before, after) if offset >= 0]
    return min(offsets, key=lambda offset: abs(offset - part.start), default=None)


def _flat(text: str) -> str:
    return text.replace("\n", "")


def _short(text: str, limit: int = 60) -> str:
    text = text.replace("\n", " ")
    return text if len(text) <= limit else f"{text[:limit]}…"
