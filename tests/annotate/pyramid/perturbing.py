"""Documents as a second person might have made them: units split, merged, dropped and moved by a seed."""

from dataclasses import replace
from random import Random

from touchstone.annotate.pyramid.constraints import violations
from touchstone.annotate.pyramid.document import Entry, PeerDocument, next_uid
from touchstone.tasks.pyramid.model import Part


def perturbed(document, random: Random, steps, share: float = 0.3):
    """Return *document* after random steps, *share* for each unit, without those that break a rule.

    The units of a pyramid are then shuffled and renumbered.
    """
    after = document
    for _ in range(round(share * len([unit for unit in document.units if unit.contributors]))):
        tried = random.choice(steps)(after, random)
        after = after if violations(tried) else tried
    return after if isinstance(document, PeerDocument) else _renumbered(after, random)


def _pick(document, random, least=1):
    units = [place for place, unit in enumerate(document.units) if len(unit.contributors) >= least]
    return random.choice(units) if units else None


def _replaced(document, place, *units):
    return replace(document, units=(*document.units[:place], *units, *document.units[place + 1 :]))


def split(document, random):
    place = _pick(document, random, 2)
    if place is None:
        return document
    unit = document.units[place]
    cut = random.randrange(1, len(unit.contributors))
    new = Entry(str(document.next_unit), f"{unit.label} (2)", unit.contributors[cut:])
    counted = replace(document, next_unit=document.next_unit + 1)
    return _replaced(counted, place, replace(unit, contributors=unit.contributors[:cut]), new)


def merge(document, random):
    one, other = _pick(document, random), _pick(document, random)
    if one is None or one == other:
        return document
    units = list(document.units)
    units[one] = replace(units[one], contributors=units[one].contributors + units[other].contributors)
    del units[other]
    return replace(document, units=tuple(units))


def drop(document, random):
    place = _pick(document, random)
    return document if place is None else _replaced(document, place)


def _one_mark(document, random, change):
    place = _pick(document, random)
    if place is None:
        return document
    unit = document.units[place]
    chosen = random.randrange(len(unit.contributors))
    marks = [mark for k, mark in enumerate(unit.contributors) if k != chosen]
    changed = change(unit.contributors[chosen])
    marks[chosen:chosen] = [changed] if changed else []
    return _replaced(document, place, replace(unit, contributors=tuple(marks)))


def drop_mark(document, random):
    return _one_mark(document, random, lambda mark: None)


def bounds(document, random):
    """Move an end of a contributor's part by a word."""

    def moved(mark):
        part = random.choice(mark.parts)
        start, end = part.start, part.end
        grown = document.text.find(" ", end + 1)
        shrunk = document.text.rfind(" ", start, end)
        end = random.choice([new for new in (grown, shrunk) if new > start] or [end])
        parts = tuple(Part(document.text[start:end], start, end) if one is part else one for one in mark.parts)
        return replace(mark, parts=parts, label="...".join(one.label for one in parts))

    return _one_mark(document, random, moved)


def move(document, random):
    """Give a contributor to another unit."""
    taken = []
    after = _one_mark(document, random, lambda mark: taken.append(mark))
    if not taken:
        return document
    place = random.randrange(len(after.units))
    unit = after.units[place]
    return _replaced(after, place, replace(unit, contributors=(*unit.contributors, taken[0])))


def add(document, random):
    """Mark some words in a unit of a peer."""
    start = random.randrange(len(document.text) - 1)
    end = min(len(document.text), start + random.randrange(2, 30))
    unit = random.choice(document.units)
    mark = next(document.marks, None)
    if mark is None:
        return document
    new = replace(mark, id=f"c{document.next_mark}", parts=(Part(document.text[start:end], start, end),), comment=None)
    counted = replace(document, next_mark=document.next_mark + 1)
    place = document.units.index(unit)
    return _replaced(counted, place, replace(unit, contributors=(*unit.contributors, new)))


def comment(document, random):
    place = random.randrange(len(document.units))
    return _replaced(document, place, replace(document.units[place], comment="?"))


def relabel(document, random):
    place = _pick(document, random)
    if place is None:
        return document
    unit = document.units[place]
    return _replaced(document, place, replace(unit, label=f"{unit.label}!"))


PYRAMID_STEPS = (split, merge, drop, bounds)
ALL_STEPS = (*PYRAMID_STEPS, drop_mark, move, comment, relabel)
PEER_STEPS = (move, drop_mark, bounds, add, comment)


def _renumbered(document, random):
    """Give the units other numbers, in another order, as a second person has them."""
    units = list(document.units)
    random.shuffle(units)
    units = [replace(unit, uid=str(number)) for number, unit in enumerate(units, 1)]
    after = replace(document, units=tuple(units))
    return replace(after, next_unit=max(document.next_unit, next_uid(after)))
