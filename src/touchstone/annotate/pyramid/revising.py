"""What a new version of a pyramid changes for the peers that were annotated with the old one."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from touchstone.annotate.pyramid.document import PeerDocument, empty_entry, next_uid, to_annotation
from touchstone.annotate.pyramid.figures import modified_score
from touchstone.tasks.pyramid.model import NO_UNIT, Contributor, Pyramid, Unit


@dataclass(frozen=True)
class UnitChange:
    """A unit that differs between two versions of a pyramid, described in a sentence."""

    uid: str
    is_new: bool
    sentence: str


def pyramid_changes(old: Pyramid, new: Pyramid) -> list[UnitChange]:
    """Return the units that differ between two versions of a pyramid, in the order of *old*, new units last."""
    changes = []
    for unit in old.units:
        after = new.by_uid.get(unit.uid)
        difference = f"is gone{_destination(unit, new)}" if after is None else " and ".join(_differences(unit, after))
        if difference:
            changes.append(UnitChange(unit.uid, False, f'unit {unit.uid} "{unit.label}" {difference}'))
    added = [unit for unit in new.units if unit.uid not in old.by_uid]
    return changes + [UnitChange(unit.uid, True, f'unit {unit.uid} "{unit.label}" is new') for unit in added]


def touched_by(peer: PeerDocument, new: Pyramid) -> list[str]:
    """Return what a new version of the pyramid changes for *peer*, one sentence per change.

    Units that the peer expresses come first, then units that it may express from now on, then its score under both
    versions. The list is empty if the versions do not differ.
    """
    changes = pyramid_changes(peer.pyramid, new)
    if not changes and _models(peer.pyramid) == _models(new):
        return []
    counts = to_annotation(peer).counts
    expressed = [change for change in changes if change.uid in counts]
    sentences = [f"{change.sentence}; the peer expresses it {_times(counts[change.uid])}" for change in expressed]
    sentences += [f"{change.sentence}: check whether the peer expresses it" for change in changes if change.is_new]
    before, after = modified_score(peer), modified_score(rebased(peer, new))
    if before is not None and after is not None and before != after:
        sentences.append(f"the modified score would be {after:.4f} instead of {before:.4f}")
    return sentences


def rebased(peer: PeerDocument, pyramid: Pyramid) -> PeerDocument:
    """Return *peer* annotated with another version of its pyramid.

    Entries keep their contributors and get the labels and weights of the new version. The contributors of a unit that
    is gone become unassigned, and new units are added without contributors.
    """
    remaining = [unit for unit in peer.units if unit.uid == NO_UNIT or unit.uid in pyramid.by_uid]
    gone = [unit for unit in peer.units if unit.uid != NO_UNIT and unit.uid not in pyramid.by_uid]
    relabelled = [
        unit if unit.uid == NO_UNIT else replace(unit, label=empty_entry(pyramid, unit.uid).label) for unit in remaining
    ]
    listed = {unit.uid for unit in remaining}
    added = [empty_entry(pyramid, unit.uid) for unit in pyramid.units if unit.uid not in listed]
    after = replace(
        peer,
        material=replace(peer.material, pyramid=pyramid),
        units=(*relabelled, *added),
        unassigned=(*peer.unassigned, *(mark for unit in gone for mark in unit.contributors)),
    )
    return replace(after, next_unit=max(peer.next_unit, next_uid(after)))


def _models(pyramid: Pyramid) -> int:
    return pyramid.models or len(pyramid.summaries)


def _differences(before: Unit, after: Unit) -> Iterator[str]:
    if before.label != after.label:
        yield f'is now called "{after.label}"'
    if before.weight != after.weight:
        yield f"weighs {after.weight} instead of {before.weight}"
    elif list(map(_spans, before.contributors)) != list(map(_spans, after.contributors)):
        yield "has other contributors"


def _destination(unit: Unit, new: Pyramid) -> str:
    """Return where the words of a unit that is gone are now, as part of a sentence."""
    spans = set(map(_spans, unit.contributors))
    heirs = [other.uid for other in new.units if spans & set(map(_spans, other.contributors))]
    return f", its words are in unit {', '.join(heirs)}" if heirs else ""


def _spans(contributor: Contributor) -> tuple[tuple[int, int], ...]:
    return tuple((part.start, part.end) for part in contributor.in_order)


def _times(times: int) -> str:
    return "once" if times == 1 else f"{times} times"
