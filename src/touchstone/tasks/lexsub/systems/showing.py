"""Suggestions as a table: what is suggested, how it was found, and what speaks for it."""

from collections.abc import Mapping, Sequence

from touchstone.core.tables import Cell, Column, Table
from touchstone.lexicon import Synset, wordnet
from touchstone.tasks.lexsub.systems.candidates import NO_SENSE, Candidate
from touchstone.tasks.lexsub.systems.substituter import Suggestion, Suggestions

_FAMILIES = {
    "sense": "senses",
    "way": "relation",
    "word": "word",
    "bow": "bow",
    "lm": "lm",
    "first": "cmlc",
    "sentence": "in place",
    "named": "named",
    "meaning": "meaning",
}
"""The first parts of the names of features, and what a reader calls them."""


def suggestions_table(found: Suggestions) -> Table:
    """Return suggestions with what each kind of evidence adds to their scores; a rule marks the boundary."""
    shown = [name for name in _FAMILIES if any(_of_family(one.reasons, name) for one in found)]
    rows = [_row(place, one, shown) for place, one in enumerate(found, 1)]
    numbers = [Column(name, "right") for name in ("score", *(_FAMILIES[name] for name in shown))]
    columns = (Column("", "right"), Column("substitute"), Column("in the sentence"), Column("found as"), *numbers)
    target = found.target
    sums = f"; score = {' + '.join(_FAMILIES[name] for name in shown)}" if shown else ""
    notes = [
        f"{target.lemma}.{target.pos} as {target.tag}{sums}",
        f"the system stands behind the first {found.cut}" if found.ranked else "WordNet has no candidate for this word",
    ]
    return Table(columns, rows, rules={found.cut} if 0 < found.cut < len(rows) else frozenset(), notes=notes)


def _row(place: int, one: Suggestion, families: Sequence[str]) -> list[Cell]:
    added = [sum(_of_family(one.reasons, name)) for name in families]
    return [place, one.word, one.form, _found_by(one.candidate), one.score, *added]


def _of_family(reasons: Mapping[str, float], family: str) -> list[float]:
    return [value for name, value in reasons.items() if name.split(".")[0] == family]


def _found_by(candidate: Candidate) -> str:
    """Return how a candidate was found: the relation, and the synset that holds it.

    >>> from touchstone.tasks.lexsub.systems.candidates import find_candidates
    >>> _found_by(find_candidates(wordnet(), "bright", "a", 1)[0])
    'synonym of sense 2: bright.a.02'
    """
    path = candidate.paths[0]
    sense = "" if path.sense == NO_SENSE else f" of sense {path.sense + 1}"
    return f"{path.way.label}{sense}" + (f": {Synset(wordnet(), path.synset).name}" if path.synset >= 0 else "")
