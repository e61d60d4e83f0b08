"""When a pyramid changes after peers were read against it: what that touches, said before anything is rewritten."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from touchstone.annotate.pyramid.document import (
    Entry,
    PeerDocument,
    counted_on,
    empty_entry,
    to_annotation,
)
from touchstone.annotate.pyramid.figures import peer_figures
from touchstone.tasks.pyramid.model import NO_UNIT, Contributor, Pyramid, Unit


@dataclass(frozen=True)
class UnitChange:
    """What became of a unit between two versions of a pyramid: ``new``, ``gone`` or ``changed``, in a sentence."""

    uid: str
    kind: str
    sentence: str


def pyramid_changes(old: Pyramid, new: Pyramid) -> list[UnitChange]:
    """Return the units that differ between two versions of a pyramid, in the order of the old one, new ones last."""
    found = []
    for unit in old.units:
        after = new.by_uid.get(unit.uid)
        if after is None:
            found.append(UnitChange(unit.uid, "gone", f'unit {unit.uid} "{unit.label}" is gone{_heirs(unit, new)}'))
        elif sentences := list(_differences(unit, after)):
            found.append(UnitChange(unit.uid, "changed", f'unit {unit.uid} "{unit.label}" {" and ".join(sentences)}'))
    added = [unit for unit in new.units if unit.uid not in old.by_uid]
    return found + [UnitChange(unit.uid, "new", f'unit {unit.uid} "{unit.label}" is new') for unit in added]


def touched_by(peer: PeerDocument, new: Pyramid) -> list[str]:
    """Return what a new version of the pyramid changes for a peer, a sentence for each; nothing where it is the same.

    Units that the peer expresses come first, then those that it may now be read for, then its score under both.
    """
    changes = pyramid_changes(peer.pyramid, new)
    if not changes and _models(peer.pyramid) == _models(new):
        return []
    times = to_annotation(peer).counts
    said = [f"{one.sentence}; the peer expresses it {_times(times[one.uid])}" for one in changes if one.uid in times]
    said += [f"{one.sentence}: look whether the peer expresses it" for one in changes if one.kind == "new"]
    return [*said, *_scores(peer, new)]


def rebased(peer: PeerDocument, pyramid: Pyramid) -> PeerDocument:
    """Return *peer* read against another version of its pyramid, because its annotator chose so.

    Entries stay, with the labels and weights of the new version; what was matched to a unit that is gone is
    unassigned; units that are new are listed empty.
    """
    known = pyramid.by_uid
    kept = [unit for unit in peer.units if unit.uid == NO_UNIT or unit.uid in known]
    gone = [unit for unit in peer.units if unit.uid != NO_UNIT and unit.uid not in known]
    renewed = [unit if unit.uid == NO_UNIT else _renewed(unit, pyramid) for unit in kept]
    homeless = [mark for unit in gone for mark in unit.contributors]
    listed = {unit.uid for unit in kept}
    added = [empty_entry(pyramid, unit.uid) for unit in pyramid.units if unit.uid not in listed]
    after = replace(
        peer,
        material=replace(peer.material, pyramid=pyramid),
        units=(*renewed, *added),
        unassigned=(*peer.unassigned, *homeless),
    )
    return replace(after, next_unit=max(peer.next_unit, counted_on(after)))


def _renewed(unit: Entry, pyramid: Pyramid) -> Entry:
    return replace(unit, label=empty_entry(pyramid, unit.uid).label)


def _models(pyramid: Pyramid) -> int:
    return pyramid.models or len(pyramid.summaries)


def _differences(before: Unit, after: Unit) -> Iterator[str]:
    if before.label != after.label:
        yield f'is now called "{after.label}"'
    if before.weight != after.weight:
        yield f"weighs {after.weight} instead of {before.weight}"
    elif [_spans(one) for one in before.contributors] != [_spans(one) for one in after.contributors]:
        yield "has other contributors"


def _heirs(unit: Unit, new: Pyramid) -> str:
    """Return where the words of a unit that is gone stand now, for a sentence."""
    spans = {_spans(one) for one in unit.contributors}
    heirs = [one.uid for one in new.units if spans & {_spans(other) for other in one.contributors}]
    return f", its words are in unit {', '.join(heirs)}" if heirs else ""


def _spans(contributor: Contributor) -> tuple[tuple[int, int], ...]:
    return tuple((part.start, part.end) for part in contributor.in_order)


def _times(times: int) -> str:
    return "once" if times == 1 else f"{times} times"


def _scores(peer: PeerDocument, new: Pyramid) -> Iterator[str]:
    before, after = peer_figures(peer).modified, peer_figures(rebased(peer, new)).modified
    if before is not None and after is not None and before != after:
        yield f"the modified score would be {after:.4f} instead of {before:.4f}"
