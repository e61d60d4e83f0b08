"""Ways to read the paper's WordNet rule, which leaves much open: each a frozen description.

The rule (Glockner et al. 2018, section 4.1): entailment if the new word is a hypernym or a synonym of the replaced one,
neutral if it is a hyponym, contradiction if they are antonyms or share a hypernym "up to 2 edges", else other. Senses,
order, phrases, the reach of antonyms and what an edge count means are not said.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from touchstone.lexicon.relation import PARTS_OF_SPEECH, Pos
from touchstone.tasks.nli.model import Label

Relation = Literal["antonym", "synonym", "hypernym", "hyponym", "co_hyponym"]
"""What the new word is of the replaced one."""

MEANS: Mapping[str, Label] = MappingProxyType(
    {
        "antonym": "contradiction",
        "synonym": "entailment",
        "hypernym": "entailment",
        "hyponym": "neutral",
        "co_hyponym": "contradiction",
    }
)

Strip = Literal["never", "unknown", "always"]


@dataclass(frozen=True)
class Reading:
    """How words are found in a pair, how they are looked up, and what counts as a relation between them.

    Parameters
    ----------
    name
        How the reading is called in signatures and on the command line.
    order
        The relations; the first that holds decides.
    hyphens
        Whether words with hyphens stay whole.
    reach
        How many shared words beside the edit may make both sides a collocation of WordNet.
    strip
        When prepositions around a phrase are dropped.
    edges
        How far above each word a shared hypernym may be; any distance if None.
    total
        How far above both words together it may be; any distance if None.
    hypernym_edges
        How far above the other word a hypernym may be; any distance if None.
    steps
        Similar-to steps allowed on the path to an antonym, one on either side.
    similar, also_see
        Whether such a link makes two words synonyms.
    parts_of_speech
        Those in which words are looked up.
    senses
        All senses of a word, the first of each part of speech, or the first alone.
    instances
        Whether instance hypernyms count as hypernyms.
    """

    name: str
    order: tuple[Relation, ...] = ("antonym", "synonym", "hypernym", "hyponym", "co_hyponym")
    hyphens: bool = False
    reach: int = 1
    strip: Strip = "unknown"
    edges: int | None = 3
    total: int | None = None
    hypernym_edges: int | None = None
    steps: Literal[0, 1, 2] = 2
    similar: bool = True
    also_see: bool = False
    parts_of_speech: tuple[Pos, ...] = PARTS_OF_SPEECH
    senses: Literal["all", "first_of_each", "first"] = "all"
    instances: bool = True


DEFAULT = Reading("default")
"""A reconstruction: of 173 settings the one that matches most of the paper's columns, so fitted, not confirmed."""

LITERAL = Reading(
    "literal",
    order=("synonym", "hypernym", "hyponym", "antonym", "co_hyponym"),
    hyphens=True,
    reach=2,
    strip="never",
    edges=2,
    steps=0,
    similar=False,
)
"""The rule as it is printed."""

STRIPPED = replace(
    DEFAULT, name="stripped", strip="always", order=("synonym", "antonym", "hypernym", "hyponym", "co_hyponym")
)
"""The default, but prepositions always go ("close to" becomes close) and synonyms come first."""

READINGS: Mapping[str, Reading] = MappingProxyType({reading.name: reading for reading in (DEFAULT, LITERAL, STRIPPED)})
