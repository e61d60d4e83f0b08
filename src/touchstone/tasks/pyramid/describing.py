"""Pyramids at a glance: their sizes and tiers, and what the labels of their units are like at each weight.

The paper's section 7 asks whether heavier units are more general and less dependent on others. Token rules on the
labels, without a parser, tell; each can be checked by eye:

- *name*: a word with a capital that is not the label's first word; the first word too if it has a capital inside, or
  the model summaries write it with a capital in the middle of a line and never without one;
- *number*: a word with a digit, or a number word from two to trillion;
- *pronoun*: a personal or possessive pronoun of the third person;
- *definite*: a phrase that points elsewhere: ``this``, ``these``, ``those`` or ``such`` before a lower-case word;
  ``the`` before a lower-case word, unless one of the next three words says within the label what is meant: a name, a
  number, a superlative, ``only``, ``same``, ``first``, ``last``, ``of``, ``that``, ``which``, ``who`` or ``whose``.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.tables import Cell, Column, Table
from touchstone.show.finding import Statement, table_rows
from touchstone.tasks.pyramid.model import Pyramid, Unit

WORD = re.compile(r"[\w$€£%][\w$€£%.,'’-]*(?<![.,'’-])|[\w$€£%]")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NUMBERS = _words(
    """two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion"""
)
PRONOUNS = _words("""he she it they him her them his hers its their theirs himself herself itself themselves""")
POINTING = frozenset({"this", "these", "those", "such"})
EXPLAINED = frozenset({"of", "that", "which", "who", "whose", "only", "same", "first", "last", "most", "least"})
STOPS = _words(
    """is are was were be been has have had will would can could may might must should do does did not and or but to
    in on at by for from with as into about after before over under than a an the their its his her because if when
    while every each all"""
)
"""Words at which a phrase around a noun ends."""

AHEAD = 3
"""How many words after "the" may say what is meant."""


def describe(pyramids: Sequence[Pyramid]) -> Statement:
    """Return the sizes and tiers of pyramids, what the labels of their units are like at each weight, and examples.

    Parameters
    ----------
    pyramids
        The pyramids, at least one.

    Examples
    --------
    >>> from pathlib import Path
    >>> import touchstone
    >>> folder = Path(touchstone.__file__).parent / "examples" / "pyramid"
    >>> pyramid = touchstone.pyramid.read_pyramid(folder / "T01.pyr")
    >>> describe([pyramid]).sentences
    ['17 units; the mean of the mean weights is 2.118']
    """
    tables = {"pyramid": sizes_table(pyramids), "weight": tier_table(pyramids), "example": examples_table(pyramids)}
    mean = sum(pyramid.mean_weight for pyramid in pyramids) / len(pyramids)
    units = sum(len(pyramid.units) for pyramid in pyramids)
    return Statement(
        "Pyramids",
        list(tables.values()),
        [row for kind, table in tables.items() for row in table_rows(kind, table)],
        [f"{units:,} units; the mean of the mean weights is {mean:.3f}"],
    )


def sizes_table(pyramids: Sequence[Pyramid]) -> Table:
    """Return a row for each pyramid: models, units, contributors, parts, tiers, mean weight, X and its optimum.

    Parameters
    ----------
    pyramids
        The pyramids, at least one.

    Examples
    --------
    >>> from pathlib import Path
    >>> import touchstone
    >>> folder = Path(touchstone.__file__).parent / "examples" / "pyramid"
    >>> pyramid = touchstone.pyramid.read_pyramid(folder / "T01.pyr")
    >>> sizes_table([pyramid]).rows[0][:3]
    ['T01', 4, 17]
    """
    if not pyramids:
        raise TouchstoneError("no pyramid to describe", code=Code.EMPTY, hint="give at least one .pyr file")
    weights = sorted({weight for pyramid in pyramids for weight in pyramid.tiers}, reverse=True)
    heads = ["models", "units", "contributors", "parts", *(f"weight {weight}" for weight in weights)]
    columns = [Column("set"), *(Column(head, "right") for head in [*heads, "mean weight", "X", "optimum(X)"])]
    rows = [_description(pyramid, weights) for pyramid in pyramids]
    return Table(columns, rows, title="Pyramids")


def _description(pyramid: Pyramid, weights: Sequence[int]) -> list[Cell]:
    if not pyramid.units:
        raise TouchstoneError(f"the pyramid of {pyramid.set} has no units", code=Code.EMPTY)
    parts = sum(len(contributor.parts) for unit in pyramid.units for contributor in unit.contributors)
    tiers = [len(pyramid.tiers.get(weight, ())) for weight in weights]
    best = int(pyramid.gold.optimum(pyramid.average))
    sizes = (pyramid.n, len(pyramid.units), pyramid.total, parts)
    return [pyramid.set, *sizes, *tiers, pyramid.mean_weight, pyramid.average, best]


@dataclass(frozen=True)
class Properties:
    """What the token rules find in the label of a unit."""

    unit: Unit
    words: tuple[str, ...]
    names: tuple[str, ...]
    numbers: tuple[str, ...]
    pronouns: tuple[str, ...]
    definites: tuple[str, ...]

    @property
    def dependent(self) -> tuple[str, ...]:
        """What points to something outside the label: pronouns and definite phrases."""
        return (*self.pronouns, *self.definites)


def properties(pyramid: Pyramid) -> list[Properties]:
    """Return what the labels of all units show, in the pyramid's order.

    Parameters
    ----------
    pyramid
        The pyramid.

    Examples
    --------
    >>> from pathlib import Path
    >>> import touchstone
    >>> folder = Path(touchstone.__file__).parent / "examples" / "pyramid"
    >>> first, *_ = properties(touchstone.pyramid.read_pyramid(folder / "T01.pyr"))
    >>> first.unit.label, first.names
    ('The bridge at Harrow Ford is closed', ('Harrow', 'Ford'))
    """
    names = name_words(pyramid.lines)
    return [label_properties(unit, names) for unit in pyramid.units]


def label_properties(unit: Unit, names: frozenset[str] = frozenset()) -> Properties:
    """Return what the label of one unit shows; *names* are words that are names even where a label begins.

    >>> found = label_properties(Unit("1", "The escape hatch of Kursk was damaged in 7 attempts to reach it", ()))
    >>> found.names, found.numbers, found.pronouns, found.definites
    (('Kursk',), ('7',), ('it',), ())
    >>> label_properties(Unit("2", "The escape hatch was too badly damaged", ())).definites
    ('The escape hatch',)
    """
    words = tuple(WORD.findall(unit.label))
    is_name = [_is_name(word, position, names) for position, word in enumerate(words)]
    return Properties(
        unit,
        words,
        tuple(word for word, named in zip(words, is_name, strict=True) if named),
        tuple(word for word in words if _is_number(word)),
        tuple(word for word in words if word.lower() in PRONOUNS),
        tuple(_definites(words, is_name)),
    )


def name_words(lines: Sequence[str]) -> frozenset[str]:
    """Return the words that *lines* write with a capital inside a sentence, and never without one.

    >>> sorted(name_words(["On Monday Kursk sank.", "Divers came for Kursk."]))
    ['Kursk', 'Monday']
    """
    inside: Counter[str] = Counter()
    lower: set[str] = set()
    for line in lines:
        for before, word in re.findall(r"(^|[.!?:;\"'”’)(]\s+|\s)([\w'’-]+)", line):
            if word[:1].isupper() and before.isspace():
                inside[word] += 1
            elif word[:1].islower():
                lower.add(word)
    return frozenset(word for word in inside if word.lower() not in lower)


def _is_name(word: str, position: int, names: frozenset[str]) -> bool:
    if not word[:1].isupper():
        return False
    return position > 0 or word in names or any(letter.isupper() for letter in word[1:])


def _is_number(word: str) -> bool:
    return any(character.isdigit() for character in word) or word.lower() in NUMBERS


def _definites(words: Sequence[str], is_name: Sequence[bool]) -> list[str]:
    """Return the phrases that point outside their label."""
    phrases = []
    for position, word in enumerate(words[:-1]):
        following = words[position + 1]
        if word.lower() in POINTING and following.islower():
            phrases.append(f"{word} {following}")
        # What the noun is may be said within the next words: the bridge at Harrow Ford, the first bridge.
        elif word.lower() == "the" and following.islower():
            ahead = range(position + 1, min(position + 1 + AHEAD, len(words)))
            if not any(is_name[i] or _specifies_its_noun(words[i]) for i in ahead):
                phrases.append(" ".join([word, *_phrase(words[position + 1 : position + 1 + AHEAD])]))
    return phrases


def _specifies_its_noun(word: str) -> bool:
    low = word.lower()
    # Superlatives end in -est; shorter words with this end are nouns, such as "guest".
    return low in EXPLAINED or _is_number(word) or (low.endswith("est") and len(low) > 5)


def _phrase(words: Sequence[str]) -> list[str]:
    """Return the words up to the first that cannot belong to a phrase with a noun, or else the first of them."""
    stop = next((position for position, word in enumerate(words) if position and word.lower() in STOPS), 0)
    if stop:
        return list(words[:stop])
    return list(words[:2] if len(words) < AHEAD else [words[0], "…"])


TRAITS = {
    "names": "names",
    "numbers": "numbers",
    "pronouns": "pronouns",
    "pointing": "definites",
    "either": "dependent",
}
"""Columns of the table of tiers, each with the property of a label that it counts."""


def tier_table(pyramids: Sequence[Pyramid]) -> Table:
    """Return, for each weight, how long labels are and which share of them has names, numbers, or points elsewhere.

    Parameters
    ----------
    pyramids
        The pyramids.

    Examples
    --------
    >>> from pathlib import Path
    >>> import touchstone
    >>> folder = Path(touchstone.__file__).parent / "examples" / "pyramid"
    >>> pyramid = touchstone.pyramid.read_pyramid(folder / "T01.pyr")
    >>> [(weight, units) for weight, units, *_ in tier_table([pyramid]).rows]
    [(4, 2), (3, 4), (2, 5), (1, 6)]
    """
    heads = ["weight", "units", "words", *(f"with {name}" for name in TRAITS)]
    rows: list[list[Cell]] = []
    for weight, labels in _by_weight(pyramids).items():
        shares = [fmean(bool(getattr(label, name)) for label in labels) for name in TRAITS.values()]
        rows.append([weight, len(labels), fmean(len(label.words) for label in labels), *shares])
    notes = [
        "words is the mean length of a label; the other columns are shares of units, by token rules without a parser",
        "pointing: a definite phrase whose label does not say what it means; rules differ from a reader's judgement",
    ]
    return Table([Column(head, "right") for head in heads], rows, title="Units by weight", notes=notes)


def examples_table(pyramids: Sequence[Pyramid], each: int = 3) -> Table:
    """Return the first units of each weight whose label points to another unit, and the first whose label does not.

    Parameters
    ----------
    pyramids
        The pyramids.
    each
        The number of units of each kind and weight.

    Examples
    --------
    >>> from pathlib import Path
    >>> import touchstone
    >>> folder = Path(touchstone.__file__).parent / "examples" / "pyramid"
    >>> pyramid = touchstone.pyramid.read_pyramid(folder / "T01.pyr")
    >>> examples_table([pyramid], 1).rows[:2]
    [[4, 'The bridge at Harrow Ford is closed', None], [4, 'The pillars of the bridge have cracks', 'the bridge']]
    """
    rows: list[list[Cell]] = []
    rules = set()
    for weight, labels in _by_weight(pyramids).items():
        rules.add(len(rows))
        free = [label for label in labels if not label.dependent][:each]
        bound = [label for label in labels if label.dependent][:each]
        rows += [[weight, label.unit.label, "; ".join(label.dependent) or None] for label in (*free, *bound)]
    columns = [Column("weight", "right"), Column("unit"), Column("points elsewhere")]
    return Table(columns, rows, title="Examples of each weight", rules=rules)


def _by_weight(pyramids: Sequence[Pyramid]) -> dict[int, list[Properties]]:
    labels = [label for pyramid in pyramids for label in properties(pyramid)]
    weights = sorted({label.unit.weight for label in labels}, reverse=True)
    return {weight: [label for label in labels if label.unit.weight == weight] for weight in weights}
