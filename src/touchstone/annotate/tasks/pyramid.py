# ruff: noqa: ARG002 (a task is given all that any task may need)
"""Pyramids and peers: `touchstone.annotate.pyramid`, in the application's words.

An item of kind ``pyramid`` is the text of some model summaries, one of kind ``peer`` a system's summary; the pyramid
that peers are read against is their attachment. The body of an answer is a document of that room.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import cast

from touchstone.annotate import pyramid as domain
from touchstone.annotate.refusals import Problem
from touchstone.annotate.tasks.common import as_table, by_author, by_item, checked_settings, file_names, people
from touchstone.annotate.tasks.protocol import (
    Agreed,
    Figure,
    Given,
    Imported,
    OutFile,
    Settings,
    Subject,
    Upload,
)
from touchstone.annotate.tasks.pyramid_documents import (
    DOCUMENTS,
    PEER,
    PYRAMID,
    Document,
    Object,
    blank_document,
    document_of,
    key_of,
    peer_document_of,
    pyramid_of,
)
from touchstone.annotate.tasks.pyramid_files import COUNTS, files_of, named, stem_of
from touchstone.annotate.tasks.pyramid_reading import item_of, items_of_texts, parsed
from touchstone.core.errors import TouchstoneError
from touchstone.io.jsonl import Json
from touchstone.stats.agreement import Agreement
from touchstone.tasks.pyramid import Annotation, Pyramid, ReadingAgreement
from touchstone.tasks.pyramid.formats.neutral import pyramid_object
from touchstone.tasks.pyramid.validating import remarks


class PyramidTask:
    """Pyramids are built, peers annotated."""

    name = "pyramid"

    def settings(self, given: Settings) -> dict[str, Json]:
        """There is nothing to set."""
        return checked_settings(given, {})

    def read(
        self,
        files: Sequence[Upload],
        settings: Settings,
        *,
        known: bool,
        beside: Mapping[str, Json],
    ) -> Imported:
        """Read .pyr, .pan, JSON and plain texts: model summaries ``SET/NAME.txt`` and peers ``SET/peers/NAME.txt``.

        *beside* has the pyramid of each set that the project knows already.
        """
        things = [parsed(file) for file in files if not file.name.endswith(".txt")]
        items = [item_of(file.name, thing, known=known) for file, thing in things]
        texts = [file for file in files if file.name.endswith(".txt")]
        sets = {thing.set: pyramid_object(thing) for _, thing in things if isinstance(thing, Pyramid)}
        built, peers = items_of_texts(texts, {**beside, **sets})
        if known and (built or peers):
            raise TouchstoneError("a plain text has no known answer", hint="give .pyr and .pan files")
        return Imported([*items, *built, *peers], remarks([thing for _, thing in things]))

    def view(self, item: Subject) -> Json:
        """Show the text, for a peer also the pyramid, and nothing that names its system."""
        payload = cast("Object", item.payload)
        if item.kind == PYRAMID:
            shown: Object = {name: payload[name] for name in ("set", "lines", "header", "summaries")}
            return {"kind": PYRAMID, **shown}
        return {"kind": PEER, "set": payload["set"], "lines": payload["lines"], "pyramid": item.attachment}

    def blank(self, item: Subject) -> Json:
        """Return a document with nothing marked."""
        return domain.document_json(blank_document(item))

    def problems(
        self,
        item: Subject,
        body: Json,
        before: Json,
        *,
        done: bool,
        allowed: Sequence[Json] = (),
    ) -> list[Problem]:
        """Whatever breaks a rule anew: types, numbers, C1 to C3."""
        stored = document_of(item, before)
        try:
            accepted = domain.accept_save(stored, body, [document_of(item, one) for one in allowed])
            DOCUMENTS.keep(key_of(item, body), accepted)
        except domain.RefusalError as error:
            return [Problem("", fault.what, error.rule) for fault in error.faults]
        except TouchstoneError as error:
            return [Problem(str(fault.line or ""), str(fault)) for fault in error.faults]
        return []

    def derived(self, item: Subject, body: Json) -> Json:
        """Return the figures of the document, and the rules that it breaks."""
        document = document_of(item, body)
        broken: list[Json] = [dict(one.to_json()) for one in domain.violations(document)]
        if isinstance(document, domain.PyramidDocument):
            return {"figures": domain.as_json(domain.pyramid_figures(document)), "violations": broken}
        return {"figures": domain.as_json(domain.peer_figures(document)), "violations": broken}

    def same(self, item: Subject, one: Json, other: Json) -> bool:
        """Say whether both found the same units in a peer, or cut the summaries alike."""
        first, second = document_of(item, one), document_of(item, other)
        if isinstance(first, domain.PeerDocument) and isinstance(second, domain.PeerDocument):
            return set(domain.to_annotation(first).counts) == set(domain.to_annotation(second).counts)
        return first.units == second.units

    def compare(self, item: Subject, known: Json, body: Json) -> float:
        """F1 of the units that were found."""
        return _feedback(item, known, body).f1

    def feedback(self, item: Subject, known: Json, body: Json) -> Json:
        """Units hit, missed and extra, F1, kappa and the difference of the scores."""
        return domain.as_json(_feedback(item, known, body))

    def agreement(self, answers: Sequence[Given]) -> Agreed:
        """Return what ``touchstone pyramid agree`` says of each two people who worked on the same texts."""
        figures: list[Figure] = []
        notes: list[str] = []
        shared = [one for given in by_item(people(answers)) if len(given) > 1 for one in given]
        documents = {author: _documents(given) for author, given in by_author(shared).items()}
        for (one, first), (other, second) in combinations(documents.items(), 2):
            both = sorted(first.keys() & second.keys())
            if both:
                sides = [[side[key] for key in both] for side in (first, second)]
                figures += _figures(domain.agreement_of(sides[0], sides[1], (one, other)), notes)
        return Agreed(figures, notes if figures else ["no text has the work of two people"])

    def export(self, items: Sequence[Subject], answers: Sequence[Given], settings: Settings) -> Iterator[OutFile]:
        """Yield .pyr and .pan files for ``touchstone pyramid score``, each person in a folder of their own."""
        said = by_author(people(answers))
        folders = file_names(said)
        meta: list[Sequence[Json]] = [("file", "set", "peer", "annotator")]
        scores: list[Sequence[Json]] = [("set", "peer", "annotator", *COUNTS)]
        apart = [(f"annotators/{folders[author]}", author, given) for author, given in said.items()]
        judged = [answer for answer in answers if answer.kind == "adjudicated"]
        for folder, author, given in [*apart, *([("adjudicated", "adjudicated", judged)] if judged else [])]:
            taken: set[str] = set()
            for answer in given:
                yield from files_of(folder, author, answer, taken, meta, scores)
        yield OutFile("meta.csv", as_table(meta))
        yield OutFile("scores.csv", as_table(scores))

    def read_body(self, item: Subject, before: Json, file: Upload) -> tuple[Json, list[str]]:
        """Return the units of a file over the text of the item; what the file breaks is listed."""
        document, (_, thing) = document_of(item, before), parsed(file)
        if isinstance(document, domain.PyramidDocument) and isinstance(thing, Pyramid):
            taken: Document = domain.imported(document, thing)
        elif isinstance(document, domain.PeerDocument) and isinstance(thing, Annotation):
            taken = domain.imported_peer(document, thing)
        else:
            wanted = "an annotation of a peer" if item.kind == PEER else "a pyramid"
            raise TouchstoneError(f"this is not {wanted}", file=file.name)
        return domain.document_json(taken), [one.reason for one in domain.violations(taken)]

    def write_body(self, item: Subject, body: Json, form: str, author: str, *, blind: bool) -> OutFile:
        """Return a document as a .pyr, .pan or JSON file; *blind*, it does not tell the system of a peer."""
        document = named(document_of(item, body), author)
        stem = stem_of(item, author)
        if blind and isinstance(document, domain.PeerDocument):
            document = replace(document, material=domain.blinded(document.material))
            stem = f"{document.material.set}-peer"
        return OutFile(f"{stem}.{form}", domain.file_text(document, form).encode())

    def review_problems(
        self, item: Subject, reviewed: Json, body: Json, before: Json, *, by_author: bool
    ) -> list[Problem]:
        """Refuse a proposal that could not be taken, and an author who changes proposals instead of deciding."""
        try:
            review, earlier = domain.read_review(body), domain.read_review(before)
            domain.check_review(review, earlier, by_author=by_author)
            if not by_author:
                domain.check_proposals(document_of(item, reviewed), review)
        except TouchstoneError as error:
            rule = error.rule if isinstance(error, domain.RefusalError) else None
            return [Problem(str(fault.line or ""), str(fault), rule) for fault in error.faults]
        return []

    def attachment(self, item: Subject, body: Json) -> Json:
        """Return a pyramid for peers to be read against."""
        document = document_of(item, body)
        if not isinstance(document, domain.PyramidDocument):
            raise TouchstoneError("only a pyramid can be published")
        return pyramid_object(domain.to_pyramid(document))

    def rebased(self, item: Subject, new: Json, body: Json) -> Json:
        """Return a peer's document read against another version of its pyramid."""
        return domain.document_json(domain.rebased(peer_document_of(item, body), pyramid_of(new)))

    def changes(self, item: Subject, new: Json, body: Json) -> list[str]:
        """Return what another version of the pyramid changes for a peer."""
        return domain.touched_by(peer_document_of(item, body), pyramid_of(new))


def _feedback(item: Subject, known: Json, body: Json) -> domain.PeerFeedback | domain.PyramidFeedback:
    prepared, own = document_of(item, known), document_of(item, body)
    if isinstance(prepared, domain.PeerDocument) and isinstance(own, domain.PeerDocument):
        return domain.peer_feedback(prepared, own)
    assert isinstance(prepared, domain.PyramidDocument)
    assert isinstance(own, domain.PyramidDocument)
    return domain.pyramid_feedback(prepared, own)


def _documents(answers: Sequence[Given]) -> dict[tuple[str, str], Document]:
    return {(one.item.kind, one.item.key): document_of(one.item, one.body) for one in answers}


def _figures(found: ReadingAgreement, notes: list[str]) -> list[Figure]:
    who = " and ".join(found.readers)
    notes.extend(f"{who}: {note}" for note in found.notes)
    figures = [Figure(f"{who}: {what}", one) for what, one in found.coefficients]
    for one in found.scores.correlations if found.scores else ():
        value = Agreement(
            one.name, "–", "peer summary", one.value, one.interval, one.n, 2 * one.n, one.left_out, one.reason
        )
        figures.append(Figure(f"{who}: modified score", value))
    return figures + [Figure(f"{who}: tokens of {one.set} that share a unit", one.alpha) for one in found.pyramids]
