"""Overlap of semantic roles: SR-Or-* of Giménez and Màrquez (2007), as Chan and Ng (2008, section 2.2) describe it.

For each type of role t that either sentence has, O(t) = sum of min / sum of max of the counts of each word, in lower
case, inside roles of type t; the score is the mean over these types. Where neither sentence has a role, it is the
overlap of the whole sentences. The papers say "the count of lexical overlaps"; the ratio is our reading.
The score of a system is the mean of its segments, that of a segment the best over its references.
"""

from collections import Counter
from collections.abc import Sequence
from functools import partial

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.base.ranges import SHARE
from touchstone.core.matching import match
from touchstone.stats.records import mean_value
from touchstone.tasks.mt.formulas import overlap_steps
from touchstone.tasks.mt.model import MEASURES, Explanation, Items, Joined, Layer, MtMeasure
from touchstone.tasks.mt.roles import roles_of
from touchstone.tasks.mt.texts import Texts
from touchstone.tasks.mt.words import words_of
from touchstone.text import english

NAME = "sr_overlap"
_SENTENCE = "whole sentences"

Bags = dict[str, list[tuple[str, tuple[int, ...]]]]
"""The words inside roles of each type, with their places in the sentence where they are known."""


def sr_overlap() -> MtMeasure:
    """Return the measure; roles come from a file where one is given, else by rule from the tree."""
    return MtMeasure(
        NAME,
        record,
        mean_value,
        "mean over the types of roles of the overlap of their words",
        range=SHARE,
        parts=partial(MtMeasure.columns, names=("types", "no_roles"), first=1),
        signature=f"analyser:{english().signature}|roles:rule-ud unless given|references:best",
        explain=explain,
        of_layers=overlap_steps,
        remarks=remarks,
    )


def overlap(system_words: Sequence[str], reference_words: Sequence[str]) -> float:
    """Return sum of min(c, c') / sum of max(c, c') over the words of both; 0 where there are none.

    >>> overlap("the old dog".split(), "the dog the".split()) == 2 / 4
    True
    """
    left, right = Counter(system_words), Counter(reference_words)
    most = (left | right).total()
    return (left & right).total() / most if most else 0.0


def record(joined: Joined) -> Floats:
    """Return (score, types of roles, 1 where neither side has a role, counted) of each segment."""
    unmatched = np.tile([0.0, 0.0, 0.0, 1.0], (len(joined), 1))

    def against(reference: Texts) -> tuple[Floats, Floats]:
        pairs = zip(_bags(joined.hypotheses), _bags(reference), strict=True)
        records = np.array([_record(*pair) for pair in pairs], np.float64).reshape(-1, 4)
        return records, records[:, 0]

    return joined.best_records(unmatched, against)


def _record(system_bags: Bags, reference_bags: Bags) -> tuple[float, float, float, float]:
    types = _types(system_bags, reference_bags)
    value = float(np.mean([overlap(_words(system_bags, kind), _words(reference_bags, kind)) for kind in types]))
    no_roles = types == [_SENTENCE]
    return value, 0 if no_roles else len(types), no_roles, 1


def explain(joined: Joined) -> Explanation:
    """Return the words that the roles of each type have in common, for one translation and its reference."""
    sides = joined.hypotheses, joined.references[0]
    (system_bags,), (reference_bags,) = (_bags(side) for side in sides)
    forms = [words_of(side).forms[0] for side in sides]
    layers = tuple(
        _layer(kind, system_bags.get(kind, []), reference_bags.get(kind, []))
        for kind in _types(system_bags, reference_bags)
    )
    value = float(np.mean([layer.f for layer in layers]))
    notes = ("no role on either side: the whole sentences are compared",) if _SENTENCE in system_bags else ()
    return Explanation(forms[0], forms[1], layers, value, notes)


def remarks(records: Floats) -> tuple[str, ...]:
    """Return how many segments have roles on neither side."""
    without_roles = int(records[:, 2].sum())
    return (f"segments without roles on either side, compared as wholes: {without_roles:,}",) if without_roles else ()


def _bags(texts: Texts) -> list[Bags]:
    return texts.once("role words", _words_by_type)


def _words_by_type(texts: Texts) -> list[Bags]:
    """Return the words of the roles of each segment by type, and those of the whole sentence."""
    words = words_of(texts)
    rows: list[Bags] = []
    for row, roles in enumerate(roles_of(texts)):
        bags: Bags = {_SENTENCE: [(form.lower(), (position,)) for position, form in enumerate(words.forms[row])]}
        for role in roles:
            places: list[tuple[int, ...]] = [(position,) for position in role.places] or [()] * len(role.words)
            bags.setdefault(role.type, []).extend(zip(role.words, places, strict=True))
        rows.append(bags)
    return rows


def _types(system_bags: Bags, reference_bags: Bags) -> list[str]:
    """Return the types of roles that either side has, or that of whole sentences where there are none."""
    return sorted((system_bags.keys() | reference_bags.keys()) - {_SENTENCE}) or [_SENTENCE]


def _words(bags: Bags, kind: str) -> list[str]:
    return [word for word, _ in bags.get(kind, [])]


def _layer(kind: str, left: Items, right: Items) -> Layer:
    words, others = [word for word, _ in left], [word for word, _ in right]
    return Layer.of(kind, left, right, match(words, others, stages={"exact": str}), overlap(words, others))


MEASURES.add(NAME, sr_overlap)
