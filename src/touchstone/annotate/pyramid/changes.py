"""The difference between two states of a document, as a reviewer proposes it.

A change holds the old and the new state of what it replaces, by uid (units) and by id (unassigned contributors). It
applies to any document in which the old state is still present, even if other units have changed.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Generic, TypeVar

from touchstone.annotate.pyramid import json_form
from touchstone.annotate.pyramid.constraints import RefusalError
from touchstone.annotate.pyramid.document import NUMBER, Doc, Entry, Mark
from touchstone.annotate.pyramid.json_form import MAX_MARKS, MAX_UID, MAX_UNITS
from touchstone.core.errors import TouchstoneError
from touchstone.io.jsonl import Json

Item = TypeVar("Item", Entry, Mark)
Order = tuple[tuple[str, ...], tuple[str, ...]]

MAX_DESCRIPTION = 2_000


@dataclass(frozen=True)
class Delta(Generic[Item]):
    """Changed items of a list by key, as (before, after) with None for absent, and the order if it changes."""

    items: Mapping[str, tuple[Item | None, Item | None]]
    order: Order | None

    def __bool__(self) -> bool:
        return bool(self.items) or self.order is not None


@dataclass(frozen=True)
class Change:
    """A step from one state of a document to another; *said* describes it to people."""

    name: str
    said: str
    units: Delta[Entry]
    unassigned: Delta[Mark]

    def __bool__(self) -> bool:
        return bool(self.units) or bool(self.unassigned)


def apply(change: Change, document: Doc) -> Doc:
    """Return *document* after *change*; raise `RefusalError` if something that it replaces is no longer the same.

    An id that the change introduces and that the document has used in the meantime is replaced by a new one. The rules
    of a pyramid are not checked here.
    """
    change, document = _renumbered(change, document)
    ids = tuple(mark.id for mark in document.unassigned)
    return replace(
        document,
        units=_applied(change.units, unit_keys(document.units), document.units, "unit"),
        unassigned=_applied(change.unassigned, ids, document.unassigned, "contributor"),
    )


def unit_keys(units: Sequence[Entry]) -> tuple[str, ...]:
    """Return a key for each unit: its uid, followed by a number if a peer lists the uid again.

    >>> unit_keys([Entry("7", "", ()), Entry("8", "", ()), Entry("7", "", ())])
    ('7', '8', '7#2')
    """
    uids = {unit.uid for unit in units}
    keys: dict[str, None] = {}
    for unit in units:
        key, number = unit.uid, 1
        while key in keys or (number > 1 and key in uids):
            number += 1
            key = f"{unit.uid}#{number}"
        keys[key] = None
    return tuple(keys)


def _applied(delta: Delta[Item], keys: Sequence[str], items: Sequence[Item], kind: str) -> tuple[Item, ...]:
    present = dict(zip(keys, items, strict=True))
    for key, (before, after) in delta.items.items():
        if present.get(key) != before:
            raise RefusalError("stale", f"{kind} {key} has changed since")
        if after is None:
            present.pop(key, None)
        else:
            present[key] = after
    return tuple(present[key] for key in _ordered(delta.order, keys, present))


def _ordered(order: Order | None, keys: Sequence[str], present: Iterable[str]) -> Sequence[str]:
    """Return the keys that are *present* in the order that the change asks for, as far as still possible."""
    here = set(present)
    if order is not None and order[0] == tuple(keys) and set(order[1]) == here and len(order[1]) == len(here):
        return order[1]
    kept = [key for key in keys if key in here]
    wanted = order[1] if order else ()
    for place, key in enumerate(wanted):
        if key in here and key not in kept:
            before = [kept.index(other) for other in wanted[:place] if other in kept]
            kept.insert(before[-1] + 1 if before else 0, key)
    return kept + [key for key in present if key not in kept]


def _renumbered(change: Change, document: Doc) -> tuple[Change, Doc]:
    """Return *change* with new numbers for ids already used in *document*, and the document with raised counters."""
    (old_uids, old_ids), (uids, ids) = _names(change, 0), _names(change, 1)
    next_unit = max([document.next_unit, *(int(uid) + 1 for uid in uids if NUMBER.fullmatch(uid))])
    next_mark = max([document.next_mark, *(int(name[1:]) + 1 for name in ids)])
    used_uids = (uids - old_uids) & {unit.uid for unit in document.units}
    used_ids = (ids - old_ids) & {mark.id for mark in document.marks}
    new_uids = {uid: str(number) for number, uid in enumerate(sorted(used_uids), next_unit)}
    new_ids = {name: f"c{number}" for number, name in enumerate(sorted(used_ids), next_mark)}

    def renamed_mark(mark: Mark) -> Mark:
        return replace(mark, id=new_ids.get(mark.id, mark.id))

    def renamed_unit(unit: Entry) -> Entry:
        marks = tuple(map(renamed_mark, unit.contributors))
        return replace(unit, uid=new_uids.get(unit.uid, unit.uid), contributors=marks)

    units = _renamed(change.units, new_uids, renamed_unit)
    unassigned = _renamed(change.unassigned, new_ids, renamed_mark)
    counted = replace(document, next_unit=next_unit + len(new_uids), next_mark=next_mark + len(new_ids))
    return replace(change, units=units, unassigned=unassigned), counted


def _names(change: Change, side: int) -> tuple[set[str], set[str]]:
    """Return the uids and the contributor ids on one side of a change (0 before, 1 after)."""
    units = [unit for pair in change.units.items.values() if (unit := pair[side])]
    marks = [mark for pair in change.unassigned.items.values() if (mark := pair[side])]
    marks += [mark for unit in units for mark in unit.contributors]
    return {unit.uid for unit in units}, {mark.id for mark in marks}


def _renamed(delta: Delta[Item], names: Mapping[str, str], rename: Callable[[Item], Item]) -> Delta[Item]:
    items = {names.get(key, key): (old, new and rename(new)) for key, (old, new) in delta.items.items()}
    order = delta.order and (delta.order[0], tuple(names.get(key, key) for key in delta.order[1]))
    return Delta(items, order)


def read_change(value: Json, where: str = "change") -> Change:
    """Return the change in the JSON *value*; raise `TouchstoneError` if it is malformed.

    Parameters
    ----------
    value
        JSON sent by a browser; nothing in it is trusted.
    where
        The path of *value*, for error messages.
    """
    fields = json_form.read_object(value, ("name", "said", "units", "unassigned"), where)
    name, description = (
        json_form.read_string(fields[key], f"{where} {key}", MAX_DESCRIPTION) for key in ("name", "said")
    )
    units = _read_delta(fields["units"], f"{where} units", json_form.read_unit, attrgetter("uid"))
    marks = _read_delta(fields["unassigned"], f"{where} unassigned", json_form.read_mark, attrgetter("id"))
    return Change(name, description, units, marks)


def _read_delta(
    value: Json, where: str, read: Callable[[Json, str], Item], name_of: Callable[[Item], str]
) -> Delta[Item]:
    fields = json_form.read_object(value, ("items", "order"), where)
    items = fields["items"]
    if not isinstance(items, dict) or len(items) > MAX_UNITS + MAX_MARKS:
        raise TouchstoneError("must be an object", line=f"{where} items")
    pairs = {}
    for key, pair in items.items():
        if not isinstance(pair, list) or len(pair) != 2:
            raise TouchstoneError("must hold the state before and after", line=f"{where} {key[:40]}")
        before, after = (None if side is None else read(side, where) for side in pair)
        for item in (before, after):
            if item and key != name_of(item) and not key.startswith(f"{name_of(item)}#"):
                raise TouchstoneError("does not match the key it is listed under", line=where, value=name_of(item))
        pairs[key] = before, after
    return Delta(pairs, _read_order(fields["order"], f"{where} order"))


def _read_order(value: Json, where: str) -> Order | None:
    if value is None:
        return None
    orders = json_form.read_list(value, where, 2, _read_keys)
    if len(orders) != 2:
        raise TouchstoneError("must hold the order before and after", line=where)
    return orders[0], orders[1]


def _read_keys(value: Json, where: str) -> tuple[str, ...]:
    return json_form.read_list(value, where, MAX_MARKS, lambda key, at: json_form.read_string(key, at, MAX_UID + 20))
