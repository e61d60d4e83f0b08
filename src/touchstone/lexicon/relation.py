"""The pointers of WordNet by name, and the parts of speech.

Symbols and lexicographer files: wninput(5WN) and lexnames(5WN), the manual pages of WordNet 3.0.
"""

from enum import Enum
from typing import Literal, overload

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError

Pos = Literal["n", "v", "a", "r"]
PARTS_OF_SPEECH: tuple[Pos, ...] = ("n", "v", "a", "r")
"""Noun, verb, adjective (satellites included), adverb, in the order of every list of senses."""

_LETTERS: dict[str, Pos] = {"n": "n", "v": "v", "a": "a", "s": "a", "r": "r"}

POS_NAMES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}


class Relation(Enum):
    """A kind of pointer from a synset, or from one word of it, to another; the value is Princeton's symbol."""

    HYPERNYM = "@"
    INSTANCE_HYPERNYM = "@i"
    HYPONYM = "~"
    INSTANCE_HYPONYM = "~i"
    MEMBER_HOLONYM = "#m"
    SUBSTANCE_HOLONYM = "#s"
    PART_HOLONYM = "#p"
    MEMBER_MERONYM = "%m"
    SUBSTANCE_MERONYM = "%s"
    PART_MERONYM = "%p"
    ATTRIBUTE = "="
    DERIVATION = "+"
    ANTONYM = "!"
    SIMILAR = "&"
    PERTAINYM = "\\"
    PARTICIPLE = "<"
    ENTAILMENT = "*"
    CAUSE = ">"
    ALSO_SEE = "^"
    VERB_GROUP = "$"
    TOPIC = ";c"
    IN_TOPIC = "-c"
    REGION = ";r"
    IN_REGION = "-r"
    USAGE = ";u"
    IN_USAGE = "-u"

    @property
    def label(self) -> str:
        """The name as people read it.

        >>> Relation.INSTANCE_HYPERNYM.label
        'instance hypernym'
        """
        return self.name.lower().replace("_", " ")


RELATIONS = tuple(Relation)
"""Numbered as in the array file."""

UPWARD = (Relation.HYPERNYM, Relation.INSTANCE_HYPERNYM)
DOWNWARD = (Relation.HYPONYM, Relation.INSTANCE_HYPONYM)

_NAMED = tuple(
    f"{part}.{name}"
    for part, names in (
        ("adj", "all pert"),
        ("adv", "all"),
        (
            "noun",
            "Tops act animal artifact attribute body cognition communication event feeling food group location "
            "motive object person phenomenon plant possession process quantity relation shape state substance time",
        ),
        (
            "verb",
            "body change cognition communication competition consumption contact creation emotion motion "
            "perception possession social stative weather",
        ),
        ("adj", "ppl"),
    )
    for name in names.split()
)
LEXICOGRAPHER_FILES = (*_NAMED, "unknown")
"""The lexicographer class of a synset, by its number: 00 adj.all to 44 adj.ppl; 45 where its source gives none."""


@overload
def checked_pos(pos: str) -> Pos: ...
@overload
def checked_pos(pos: str | None) -> Pos | None: ...
def checked_pos(pos: str | None) -> Pos | None:
    """Return *pos* if it is one of n, v, a, r (s, the satellite adjective, counts as a) or None.

    >>> checked_pos("s"), checked_pos(None)
    ('a', None)
    """
    if pos is None:
        return None
    letter = _LETTERS.get(pos)
    if letter is None:
        raise TouchstoneError("unknown part of speech", value=pos, code=Code.UNKNOWN_NAME, hint="use n, v, a or r")
    return letter
