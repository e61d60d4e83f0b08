"""What two states of a document differ in, as a value: it can be shown, sent, applied to a document and undone.

A change holds what it replaces beside what it brings, keyed by uid (units) and by id (unassigned contributors). It
applies wherever what it replaces still stands, so a proposal can be taken although the document went on elsewhere.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from touchstone.annotate.pyramid.document import NUMBER, Doc, Document, Entry, Mark
from touchstone.annotate.pyramid.json_form import (
    MAX_MARKS,
    MAX_UID,
    MAX_UNITS,
    Object,
    a_string,
    an_object,
    listed,
    mark_json,
    read_mark,
    read_unit,
    unit_json,
)
from touchstone.annotate.pyramid.refusals import RefusalError
from touchstone.core.errors import TouchstoneError
from touchstone.io.jsonl import Json

Item = TypeVar("Item", Entry, Mark)
Order = tuple[tuple[str, ...], tuple[str, ...]]

MAX_SAID = 2_000


@dataclass(frozen=True)
class Delta(Generic[Item]):
    """What becomes of the items of a list: before and after by key, None for none; their order where it changes."""

    items: Mapping[str, tuple[Item | None, Item | None]] = field(default_factory=dict)
    order: Order | None = None

    def __bool__(self) -> bool:
        return bool(self.items) or self.order is not None


@dataclass(frozen=True)
class Change:
    """A step from one state to another; *said* tells it to people."""

    name: str
    said: str
    units: Delta[Entry] = field(default_factory=Delta)
    unassigned: Delta[Mark] = field(default_factory=Delta)

    def __bool__(self) -> bool:
        return bool(self.units) or bool(self.unassigned)


def change_between(before: Document, after: Document, name: str, said: str) -> Change:
    """Return the change that makes *after* of *before*; what is next to be numbered is no part of it."""
    return Change(
        name,
        said,
        _delta(unit_keys(before.units), before.units, unit_keys(after.units), after.units),
        _delta(_ids(before.unassigned), before.unassigned, _ids(after.unassigned), after.unassigned),
    )


def invert(change: Change) -> Change:
    """Return the change that takes *change* back."""
    return Change(change.name, f"undid: {change.said}"[:MAX_SAID], _swapped(change.units), _swapped(change.unassigned))


def apply(change: Change, document: Doc) -> Doc:
    """Return *document* after *change*, where all that it replaces still stands; otherwise refuse.

    What the change brings under an id that the document has given to something else meanwhile gets a fresh one. Rules
    are not looked at: to go back to a file that breaks some is no fault.
    """
    change, counted = _renumbered(change, document)
    return replace(
        counted,
        units=_applied(change.units, unit_keys(document.units), document.units, "unit"),
        unassigned=_applied(change.unassigned, _ids(document.unassigned), document.unassigned, "contributor"),
    )


def unit_keys(units: Sequence[Entry]) -> tuple[str, ...]:
    """Return a key for each unit: its uid, with a number behind it where a peer lists one again.

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


def change_json(change: Change) -> Object:
    """Return *change* as the value of a JSON text."""
    units: Object = {key: [unit_json(x) if x else None for x in pair] for key, pair in change.units.items.items()}
    marks: Object = {key: [mark_json(x) if x else None for x in pair] for key, pair in change.unassigned.items.items()}
    return {
        "name": change.name,
        "said": change.said,
        "units": {"items": units, "order": _order_json(change.units.order)},
        "unassigned": {"items": marks, "order": _order_json(change.unassigned.order)},
    }


def read_change(value: Json, where: str = "change") -> Change:
    """Return the change that *value* holds; nothing in it is trusted."""
    one = an_object(value, ("name", "said", "units", "unassigned"), where)
    name, said = (a_string(one[key], f"{where} {key}", MAX_SAID) for key in ("name", "said"))
    inner = ("items", "order")
    units, marks = (an_object(one[key], inner, f"{where} {key}") for key in ("units", "unassigned"))
    return Change(
        name,
        said,
        Delta({key: _read_units(key, pair, where) for key, pair in _items(units, where)}, _read_order(units, where)),
        Delta({key: _read_marks(key, pair, where) for key, pair in _items(marks, where)}, _read_order(marks, where)),
    )


def _delta(old_keys: Sequence[str], old: Sequence[Item], new_keys: Sequence[str], new: Sequence[Item]) -> Delta[Item]:
    before, after = dict(zip(old_keys, old, strict=True)), dict(zip(new_keys, new, strict=True))
    items = {key: (before.get(key), after.get(key)) for key in before | after if before.get(key) != after.get(key)}
    return Delta(items, None if old_keys == new_keys else (tuple(old_keys), tuple(new_keys)))


def _swapped(delta: Delta[Item]) -> Delta[Item]:
    order = None if delta.order is None else (delta.order[1], delta.order[0])
    return Delta({key: (after, before) for key, (before, after) in delta.items.items()}, order)


def _applied(delta: Delta[Item], keys: Sequence[str], present: Sequence[Item], what: str) -> tuple[Item, ...]:
    now = dict(zip(keys, present, strict=True))
    for key, (before, after) in delta.items.items():
        if now.get(key) != before:
            raise RefusalError("stale", f"{what} {key} has changed since")
        if after is None:
            now.pop(key, None)
        else:
            now[key] = after
    return tuple(now[key] for key in _ordered(delta.order, keys, now))


def _ordered(order: Order | None, keys: Sequence[str], now: Iterable[str]) -> Sequence[str]:
    """Return the keys of what is there *now* in the order that the change asks for, as far as it still can."""
    here = set(now)
    if order is not None and order[0] == tuple(keys) and set(order[1]) == here and len(order[1]) == len(here):
        return order[1]
    kept = [key for key in keys if key in here]
    wanted = order[1] if order else ()
    for place, key in enumerate(wanted):
        if key in here and key not in kept:
            before = [kept.index(one) for one in wanted[:place] if one in kept]
            kept.insert(before[-1] + 1 if before else 0, key)
    return kept + [key for key in now if key not in kept]


def _renumbered(change: Change, document: Doc) -> tuple[Change, Doc]:
    """Return *change* with fresh numbers for what it brings under ids that are taken, and a document that counted."""
    before, after = _sides(change)
    taken = {unit.uid for unit in document.units}
    uids, next_unit = {}, _above(document.next_unit, (u.uid for u in after[0] if NUMBER.fullmatch(u.uid)))
    for uid in sorted({unit.uid for unit in after[0]} - {unit.uid for unit in before[0]}):
        if uid in taken:
            uids[uid] = str(next_unit)
            next_unit += 1
    marks, next_mark = {}, _above(document.next_mark, (mark.id[1:] for mark in after[1]))
    for mark in sorted({mark.id for mark in after[1]} - {mark.id for mark in before[1]}):
        if mark in document.by_id:
            marks[mark] = f"c{next_mark}"
            next_mark += 1
    renamed = _renamed(change, uids, marks) if uids or marks else change
    return renamed, replace(document, next_unit=next_unit, next_mark=next_mark)


def _above(number: int, numbers: Iterable[str]) -> int:
    return max([number, *(int(one) + 1 for one in numbers)])


def _sides(change: Change) -> tuple[tuple[list[Entry], list[Mark]], tuple[list[Entry], list[Mark]]]:
    """Return the units and the contributors of a change, before and after."""
    sides = []
    for side in (0, 1):
        units = [pair[side] for pair in change.units.items.values()]
        loose = [pair[side] for pair in change.unassigned.items.values()]
        there = [unit for unit in units if unit is not None]
        marks = [mark for unit in there for mark in unit.contributors] + [mark for mark in loose if mark is not None]
        sides.append((there, marks))
    return sides[0], sides[1]


def _renamed(change: Change, uids: Mapping[str, str], marks: Mapping[str, str]) -> Change:
    def unit(one: Entry | None) -> Entry | None:
        inner = () if one is None else tuple(replace(m, id=marks.get(m.id, m.id)) for m in one.contributors)
        return one and replace(one, uid=uids.get(one.uid, one.uid), contributors=inner)

    def mark(one: Mark | None) -> Mark | None:
        return one and replace(one, id=marks.get(one.id, one.id))

    return replace(
        change,
        units=Delta(
            {uids.get(k, k): (old, unit(new)) for k, (old, new) in change.units.items.items()},
            _renamed_order(change.units.order, uids),
        ),
        unassigned=Delta(
            {marks.get(k, k): (old, mark(new)) for k, (old, new) in change.unassigned.items.items()},
            _renamed_order(change.unassigned.order, marks),
        ),
    )


def _renamed_order(order: Order | None, names: Mapping[str, str]) -> Order | None:
    return order and (order[0], tuple(names.get(key, key) for key in order[1]))


def _ids(marks: Sequence[Mark]) -> tuple[str, ...]:
    return tuple(mark.id for mark in marks)


def _order_json(order: Order | None) -> Json:
    return None if order is None else [list(order[0]), list(order[1])]


def _read_order(value: Object, where: str) -> Order | None:
    if value["order"] is None:
        return None
    both = listed(value["order"], f"{where} order", 2, _read_keys)
    if len(both) != 2:
        raise TouchstoneError("must hold the order before and after", line=f"{where} order")
    return both[0], both[1]


def _read_keys(value: Json, where: str) -> tuple[str, ...]:
    return listed(value, where, MAX_MARKS, lambda one, at: a_string(one, at, MAX_UID + 20))


def _items(value: Object, where: str) -> list[tuple[str, list[Json]]]:
    items = value["items"]
    if not isinstance(items, dict) or len(items) > MAX_UNITS + MAX_MARKS:
        raise TouchstoneError("must be an object", line=f"{where} items")
    pairs = []
    for key, pair in items.items():
        if not isinstance(pair, list) or len(pair) != 2:
            raise TouchstoneError("must hold what was and what comes", line=f"{where} {key[:40]}")
        pairs.append((key, pair))
    return pairs


def _read_units(key: str, pair: list[Json], where: str) -> tuple[Entry | None, Entry | None]:
    before, after = (None if one is None else read_unit(one, where) for one in pair)
    _check_key(key, [one.uid for one in (before, after) if one], where)
    return before, after


def _read_marks(key: str, pair: list[Json], where: str) -> tuple[Mark | None, Mark | None]:
    before, after = (None if one is None else read_mark(one, where) for one in pair)
    _check_key(key, [one.id for one in (before, after) if one], where)
    return before, after


def _check_key(key: str, names: Sequence[str], where: str) -> None:
    """Refuse a key that is not that of what stands under it."""
    for name in names:
        if key != name and not key.startswith(f"{name}#"):
            raise TouchstoneError("stands under the key of another", line=where, value=name)
