# ruff: noqa: ARG002 (the methods of `Task` get everything that any task may need)
"""Pyramids are built and peers annotated: the documents of `touchstone.annotate.pyramid` as a task.

An item of kind ``pyramid`` is the text of some model summaries, one of kind ``peer`` a system's summary; the pyramid
of a peer is its attachment. The body of an answer is a document.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from pathlib import PurePosixPath
from typing import ClassVar, cast

from touchstone.annotate.caching import Cache
from touchstone.annotate.pyramid import feedback
from touchstone.annotate.pyramid.aligning import align
from touchstone.annotate.pyramid.constraints import RefusalError, check_save, violations
from touchstone.annotate.pyramid.document import PeerDocument, PyramidDocument, blinded, to_annotation, to_pyramid
from touchstone.annotate.pyramid.exchange import file_text, imported
from touchstone.annotate.pyramid.figures import peer_figures, pyramid_figures
from touchstone.annotate.pyramid.json_form import document_json
from touchstone.annotate.pyramid.review import check_proposals, check_review, read_review
from touchstone.annotate.pyramid.revising import rebased, touched_by
from touchstone.annotate.pyramid.rounds import round_of
from touchstone.annotate.refusals import Problem
from touchstone.annotate.tables import dump
from touchstone.annotate.tasks import base, pyramid_files
from touchstone.annotate.tasks.base import Answers, Imported, Object, OutputFile, Settings, Subject, Upload
from touchstone.annotate.tasks.deciding import GoldExport, Work, settle
from touchstone.annotate.tasks.pyramid_files import (
    PEER,
    PYRAMID,
    Document,
    answer_document,
    proposal_json,
    stored_document,
)
from touchstone.annotate.tasks.reading import left_out
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.io.jsonl import Json
from touchstone.people.finding import AnnotatorAgreement
from touchstone.show.finding import Finding, Statement
from touchstone.systems.pyramids import Matcher
from touchstone.tasks.pyramid.formats import SUFFIXES, UNKNOWN, identity_of
from touchstone.tasks.pyramid.formats.neutral import pyramid_object
from touchstone.tasks.pyramid.model import NO_UNIT, Pyramid
from touchstone.tasks.pyramid.validating import remarks

_ALIGNED: Cache[Object] = Cache(32)
"""Recently compared documents: every save of an adjudication is checked against both."""

COUNTS = ("count", "repeats", "unmatched", "modified", "original")
"""The columns of the table of scores."""


class PyramidTask(base.Task):
    """Pyramids are built, peers annotated."""

    name = "pyramid"
    allowed_settings: ClassVar[Mapping[str, Sequence[Json]]] = {"partner": ("off", "half", "all")}

    def is_data(self, name: PurePosixPath) -> bool:
        """Return whether a file in a folder may be a pyramid, an annotation or a text; some years have no suffix."""
        return name.suffix in (*SUFFIXES, ".txt") or identity_of(name.name) != UNKNOWN

    def read(
        self, files: Sequence[Upload], settings: Settings, with_correct: bool, present: Mapping[str, Json]
    ) -> Imported:
        """Read .pyr, .pan and JSON files, and plain texts in folders (see `text_items`)."""
        summaries, others = pyramid_files.summaries(files)
        things = [(file.name, pyramid_files.parsed(file)) for file in files if not file.name.endswith(".txt")]
        items = [pyramid_files.file_item(name, thing, with_correct) for name, thing in things]
        sets = {thing.set: pyramid_object(thing) for _, thing in things if isinstance(thing, Pyramid)}
        texts = pyramid_files.text_items(summaries, {**present, **sets})
        if with_correct and texts:
            raise TouchstoneError(
                "a plain text has no known answer", code=Code.UNSUPPORTED, hint="give .pyr and .pan files"
            )
        notes = [*left_out(others, "not summaries of a document set"), *remarks([thing for _, thing in things])]
        return Imported([*items, *texts], notes)

    def view(self, item: Subject) -> Json:
        """Return the text, for a peer also the pyramid, and nothing that names the system."""
        payload = cast("Object", item.payload)
        if item.kind == PYRAMID:
            return {"kind": PYRAMID, **{name: payload[name] for name in ("set", "lines", "header", "summaries")}}
        return {"kind": PEER, "set": payload["set"], "lines": payload["lines"], "pyramid": item.attachment}

    def blank(self, item: Subject) -> Json:
        """Return a document with nothing marked."""
        return document_json(pyramid_files.blank_document(item))

    def problems(self, item: Subject, body: Json, done: bool, earlier: Sequence[Json]) -> list[Problem]:
        """Check types, numbers and the rules C1 to C3; violations in *earlier* bodies are tolerated."""
        stored, *allowed = (stored_document(item, value) for value in earlier)
        try:
            check_save(stored, stored_document(item, body, (earlier[0], stored)), allowed)
            round_of(body)
        except TouchstoneError as error:
            return _problems(error)
        return []

    def derived(self, item: Subject, body: Json) -> Json:
        """Return the figures of the document, and the rules that it breaks."""
        document = stored_document(item, body)
        broken: list[Json] = [dict(violation.to_json()) for violation in violations(document)]
        figures = pyramid_figures(document) if isinstance(document, PyramidDocument) else peer_figures(document)
        return {"figures": figures, "violations": broken}

    def same(self, item: Subject, first: Json, second: Json) -> bool:
        """Return whether both have the same units: by uid in a peer, by content in a pyramid.

        Documents that cannot be compared differ: one that is too large, or was made with another pyramid.
        """
        with suppress(TouchstoneError):
            left, right = stored_document(item, first), stored_document(item, second)
            if isinstance(left, PeerDocument) and isinstance(right, PeerDocument):
                return set(to_annotation(left).counts) == set(to_annotation(right).counts)
            return not align(left, right).decisions
        return False

    def distance(self, item: Subject, first: Json, second: Json) -> float:
        """Return the share of the units, or of the contributors of a peer, that are not agreed; 1 if not comparable."""
        try:
            alignment = align(stored_document(item, first), stored_document(item, second))
        except TouchstoneError:
            return 1.0
        left = len(alignment.decisions)
        return left / (alignment.taken + left) if left else 0.0

    def align(self, item: Subject, left: Json, right: Json) -> Object:
        """Return the decisions between two documents (see `Alignment.to_json`)."""
        key = None if item.identity is None else (item.identity, dump(left), dump(right))
        return _ALIGNED.get(key, lambda: self._aligned(item, left, right))

    def _aligned(self, item: Subject, left: Json, right: Json) -> Object:
        alignment = align(stored_document(item, left), stored_document(item, right))
        figures = self.feedback(item, left, right)
        agreement: Object = {name: figures[name] for name in ("alpha", "kappa") if name in figures}
        return {**alignment.to_json(), "body": document_json(alignment.resolved({})), "agreement": agreement}

    def compare(self, item: Subject, correct: Json, body: Json) -> float:
        """Return F1 over the units."""
        return cast("float", self.feedback(item, correct, body)["f1"])

    def feedback(self, item: Subject, correct: Json, body: Json) -> Object:
        """Return the units hit, missed and extra, F1, kappa and the difference of the scores."""
        prepared, submitted = stored_document(item, correct), stored_document(item, body)
        if isinstance(prepared, PeerDocument) and isinstance(submitted, PeerDocument):
            return feedback.peer_feedback(prepared, submitted)
        assert isinstance(prepared, PyramidDocument)
        assert isinstance(submitted, PyramidDocument)
        return feedback.pyramid_feedback(prepared, submitted)

    def agreement(self, answers: Answers) -> Finding:
        """Return what ``touchstone pyramid agreement`` reports for each two people who worked on the same texts."""
        rows: list[Mapping[str, object]] = []
        notes: list[str] = []
        shared = [answer for group in base.by_item(base.independent(answers)) if len(group) > 1 for answer in group]
        documents = {
            author: {(answer.item.kind, answer.item.key): answer_document(answer) for answer in author_answers}
            for author, _, author_answers in base.by_author(shared)
        }
        for (author, first), (other, second) in combinations(documents.items(), 2):
            both = sorted(first.keys() & second.keys())
            if both:
                sides = [[side[key] for key in both] for side in (first, second)]
                try:
                    rows += _rows(feedback.agreement_of(sides[0], sides[1], (author, other)), notes)
                except TouchstoneError as error:  # somebody has finished a pyramid without a unit
                    notes.append(f"{author} and {other}: {error.faults[0].what}")
        notes = notes if rows or notes else ["no text has the work of two people"]
        return Statement("Agreement of the annotators", rows=rows, notes=notes)

    def proposals(self, item: Subject) -> list[Json]:
        """Return units that several model summaries may express, or units of the pyramid that a peer may express."""
        proposals = cast("Object", item.payload).get(pyramid_files.PROPOSALS)
        if isinstance(proposals, list):  # from the file of an automatic annotation
            return proposals
        document = pyramid_files.blank_document(item)
        matcher = Matcher()
        if isinstance(document, PeerDocument):
            return list(map(proposal_json, matcher.matches(document.material.pyramid, document.material.text)))
        return list(map(proposal_json, matcher.units(document.material)))

    def score(self, item: Subject, body: Json) -> float | None:
        """Return the modified score of a peer."""
        document = stored_document(item, body)
        if not isinstance(document, PeerDocument):
            return None
        return cast("float | None", peer_figures(document)["modified"])

    def labels(self, answers: Answers) -> dict[str, list[base.Labelled]]:
        """Return which units of the pyramid each annotator found in a peer; pyramids have no labels."""
        rows: list[base.Labelled] = []
        for answer in answers:
            document = answer_document(answer)
            if isinstance(document, PeerDocument):
                counts = to_annotation(document).counts
                uids = [unit.uid for unit in document.material.pyramid.units if unit.uid != NO_UNIT]
                rows += [
                    ((answer.item.key, uid), answer.author, "expressed" if uid in counts else "absent") for uid in uids
                ]
        return {"units": rows} if rows else {}

    def gold(self, works: Sequence[Work], settings: Settings) -> GoldExport:
        """Return the folder ``gold``: a pyramid for each set and an annotation for each peer, and how each was decided.

        Two pyramids are the same if their units are; two annotations, if they have the same units of the pyramid.
        """
        settled = settle(works, self.same)
        gold = GoldExport(decided=settled.decided, left_out=settled.left_out)
        rows: list[Sequence[Json]] = [("file", "set", "peer", "decided", "people")]
        documents = _documents([answer for answer, _, _ in settled.rows])
        for (answer, stem, document), (_, how, people) in zip(documents, settled.rows, strict=True):
            files = _xml(f"gold/{stem}", answer, document)
            files = files or [OutputFile(f"gold/{stem}.json", file_text(document, "json").encode())]
            gold.files += files
            peer = document.material.peer if isinstance(document, PeerDocument) else ""
            name = files[0].path.removeprefix("gold/")
            rows.append((name, cast("Object", answer.item.payload)["set"], peer, how, people))
        if settled.rows:
            gold.files.append(OutputFile("gold/decided.csv", base.as_table(rows)))
        return gold

    def export(self, items: Sequence[Subject], answers: Answers, settings: Settings) -> Iterator[OutputFile]:
        """Yield .pyr and .pan files for ``touchstone pyramid score``, with a folder for each annotator.

        What these cannot hold (unassigned words, keys of an imported JSON file) is in a JSON file besides.
        """
        meta: list[Sequence[Json]] = [("file", "set", "peer", "annotator")]
        scores: list[Sequence[Json]] = [("set", "peer", "annotator", *COUNTS)]
        for author, name, author_answers in base.by_author(base.independent(answers)):
            for answer, stem, document in _documents(author_answers):
                files = _xml(f"annotators/{name}/{stem}", answer, document)
                yield from files
                if not files or document.unassigned:  # what XML cannot hold
                    yield OutputFile(f"annotators/{name}/json/{stem}.json", file_text(document, "json").encode())
                if isinstance(document, PeerDocument):
                    peer = document.material
                    meta.append((f"{stem}.pan", peer.set, peer.peer, author))
                    figures = peer_figures(document)
                    scores.append((peer.set, peer.peer, author, *(figures[name] for name in COUNTS)))
        yield OutputFile("meta.csv", base.as_table(meta))
        yield OutputFile("scores.csv", base.as_table(scores))

    def read_body(self, item: Subject, before: Json, file: Upload) -> tuple[Json, list[str]]:
        """Return the units of a file over the text of the item, and the violations in them."""
        document, thing = stored_document(item, before), pyramid_files.parsed(file)
        if isinstance(document, PyramidDocument) != isinstance(thing, Pyramid):
            expected = "an annotation of a peer" if item.kind == PEER else "a pyramid"
            raise TouchstoneError(f"this is not {expected}", file=file.name, code=Code.MISMATCH)
        after = imported(document, thing)
        return document_json(after), [violation.reason for violation in violations(after)]

    def write_body(self, item: Subject, body: Json, form: str, author: str, blind: bool) -> OutputFile:
        """Return a document as a .pyr, .pan or JSON file; if *blind*, it does not name the system of a peer."""
        document = _signed(stored_document(item, body), author)
        stem = pyramid_files.file_stem(item, author)
        if blind and isinstance(document, PeerDocument):
            document = replace(document, material=blinded(document.material))
            stem = f"{document.material.set}-peer"
        return OutputFile(f"{stem}.{form}", file_text(document, form).encode())

    def review_problems(
        self, item: Subject, reviewed: Json, body: Json, before: Json, by_author: bool
    ) -> list[Problem]:
        """Refuse proposals that cannot be applied, and authors who change proposals instead of deciding on them."""
        try:
            review, earlier = read_review(body), read_review(before)
            check_review(review, earlier, by_author=by_author)
            if not by_author:
                check_proposals(stored_document(item, reviewed), review)
        except TouchstoneError as error:
            return _problems(error)
        return []

    def attachment(self, item: Subject, body: Json) -> Json:
        """Return a pyramid for peers to be annotated with."""
        document = stored_document(item, body)
        if not isinstance(document, PyramidDocument):
            raise TouchstoneError("only a pyramid can be published", code=Code.UNSUPPORTED)
        return pyramid_object(to_pyramid(document))

    def waits_for(self, item: Subject) -> str | None:
        """Return the pyramid of a peer's set, as long as it has no units."""
        pyramid = cast("Object", item.attachment)
        if item.kind != PEER or pyramid["scus"]:
            return None
        return f"the pyramid of {cast('Object', item.payload)['set']}"

    def rebased(self, item: Subject, new: Json, body: Json) -> Json:
        """Return the document of a peer, converted to another version of its pyramid."""
        return document_json(rebased(_peer_document(item, body), pyramid_files.stored_pyramid(new)))

    def changes(self, item: Subject, new: Json, body: Json) -> list[str]:
        """Return what another version of the pyramid changes for a peer."""
        return touched_by(_peer_document(item, body), pyramid_files.stored_pyramid(new))


def _problems(error: TouchstoneError) -> list[Problem]:
    rule = error.rule if isinstance(error, RefusalError) else None
    return [Problem(str(fault.line or ""), str(fault), rule) for fault in error.faults]


def _peer_document(item: Subject, body: Json) -> PeerDocument:
    document = stored_document(item, body)
    if not isinstance(document, PeerDocument):
        raise TouchstoneError("a pyramid is not attached to another pyramid", code=Code.UNSUPPORTED)
    return document


def _signed(document: Document, author: str) -> Document:
    """Return *document*, under the name of its annotator if it is a peer."""
    if isinstance(document, PeerDocument):
        return replace(document, material=replace(document.material, annotator=author))
    return document


def _documents(answers: Answers) -> Iterator[tuple[base.FinishedAnswer, str, Document]]:
    """Yield each answer with a file name of its own, without suffix, and its document under its author's name."""
    taken: set[str] = set()
    for answer in answers:
        stem = base.unused(pyramid_files.file_stem(answer.item, answer.author), taken)
        taken.add(stem.casefold())
        yield answer, stem, _signed(answer_document(answer), answer.author)


def _xml(path: str, answer: base.FinishedAnswer, document: Document) -> list[OutputFile]:
    """Return the .pyr or .pan file of an answer, unless XML cannot hold some keys of the JSON file that it is from."""
    form = "pan" if isinstance(document, PeerDocument) else "pyr"
    if "xml" not in answer.memo:
        answer.memo["xml"] = None
        with suppress(TouchstoneError):
            answer.memo["xml"] = file_text(document, form).encode()
    content = cast("bytes | None", answer.memo["xml"])
    return [] if content is None else [OutputFile(f"{path}.{form}", content)]


def _rows(agreement: AnnotatorAgreement, notes: list[str]) -> Iterator[Mapping[str, object]]:
    """Yield the coefficients of two annotators under their names, and add the notes on them to *notes*."""
    stated = agreement.statement()
    notes.extend(f"{stated.subtitle}: {note}" for note in stated.notes)
    for row in stated.all_rows:
        yield {**row, "judgement": f"{stated.subtitle}: {row.get('judgement')}"}
