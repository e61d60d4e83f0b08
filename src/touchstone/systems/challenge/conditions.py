"""What may stand around a word that is to be replaced: the notation of the columns before, after and without.

A condition is a list of items with blanks between them. An item is a word (`old`), a class of words (`@age`, defined in
classes.tsv) or a part of speech in capitals (`NOUN`). With `!` in front, it must not be there.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.lexicon import wordnet
from touchstone.text import Sentence

PARTS: Mapping[str, tuple[str, ...]] = {
    "NOUN": ("NN", "NNS", "NNP", "NNPS"),
    "NAME": ("NNP", "NNPS"),
    "ADJ": ("JJ", "JJR", "JJS"),
    "VERB": ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"),
    "ADV": ("RB", "RBR", "RBS"),
    "PREP": ("IN", "TO", "RP"),
    "DET": ("DT", "PDT", "PRP$"),
    "NUM": ("CD",),
    "POSS": ("PRP$", "POS"),
}
"""Parts of speech that conditions can name, and their Penn tags."""

EDGE, HYPHEN = "EDGE", "-"
DEPENDENTS: Mapping[str, tuple[str, ...]] = {"OBJECT": ("obj", "iobj"), "CLAUSE": ("ccomp", "xcomp")}
"""What a verb may have after it, and the relations of the tree that say so."""
IDEA = "IDEA"
"""A noun for nothing that can be seen or touched, which an adjective belongs to or which is the object of a verb."""
_THINGS = frozenset(
    f"noun.{kind}" for kind in ("animal", "artifact", "body", "food", "object", "person", "plant", "substance")
)
"""WordNet's files of nouns for what can be seen and touched."""
_SENSES = 3
"""So many senses of a noun are looked at: rarer ones seldom are what is meant."""
REFUSED_BY_DEFAULT: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "noun": (frozenset(("NOUN",)), frozenset(("NOUN",))),
    "prep": (frozenset(), frozenset(("EDGE", "PREP"))),
}
"""What is refused before and after every entry of a part of speech: compounds, prepositions without their noun."""
_FORMING = frozenset(
    (
        *("colored", "coloured", "shaped", "themed", "flavored", "scented", "sized", "style", "like", "looking"),
        *("patterned", "printed", "print", "covered", "filled", "lined"),
    )
)
"""Words that form an adjective with the one before them, as a hyphen does: a camel colored coat is no camel."""
_PUNCTUATION = frozenset(".,;:!?()[]\"'`“”‘’-–—/")


@dataclass(frozen=True)
class Items:
    """Words in lower case and capital names; an item holds for a neighbour that is one of them."""

    words: frozenset[str]
    names: frozenset[str]

    def find(self, side: "Side") -> str | None:
        """Return the first word or name that holds on a *side*, None if none does."""
        if not self.words.isdisjoint(side.words):
            return next(word for word in side.words if word in self.words)
        return next((name for name in side.names if name in self.names), None)


@dataclass(frozen=True)
class Side:
    """What stands on one side of a span.

    *words* are the forms and lemmas of the adjacent token and of those that the tree joins to the span; *adjacent* are
    those of the adjacent token alone, and *names* its part of speech or EDGE, what a verb has after it, and IDEA.
    """

    words: tuple[str, ...]
    adjacent: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Condition:
    """Items of which one has to be there, if there are any, and items that must not be.

    >>> some = Condition.parse("on in !ADJ", {})
    >>> sorted(some.required.words), sorted(some.refused.names)
    (['in', 'on'], ['ADJ'])
    """

    required: Items
    refused: Items

    @classmethod
    def parse(cls, text: str, classes: Mapping[str, frozenset[str]]) -> "Condition":
        """Return the condition that *text* writes, where *classes* has the words of each `@class`."""
        items = text.split()
        required = [item for item in items if not _refuses(item)]
        refused = [item[1:] for item in items if _refuses(item)]
        return cls(_items(required, classes), _items(refused, classes))

    def refusal(self, side: Side, refused_by_default: frozenset[str] = frozenset()) -> str | None:
        """Return why the condition does not hold on a *side*, None if it does; a hyphen never does.

        Parameters
        ----------
        side
            What stands there.
        refused_by_default
            Names that are refused too, unless the condition itself names what stands there.
        """
        if HYPHEN in side.adjacent:
            return HYPHEN
        refused = self.refused.find(side)
        if refused is not None:
            return refused
        named = refused_by_default.difference(self.required.names).intersection(side.names)
        if named and not self.required.words.intersection(side.adjacent):
            return min(named)
        needed = self.required.words or self.required.names
        return "nothing that is required" if needed and self.required.find(side) is None else None


def _refuses(item: str) -> bool:
    return len(item) > 1 and item.startswith("!")


def _items(items: Iterable[str], classes: Mapping[str, frozenset[str]]) -> Items:
    words: set[str] = set()
    names: set[str] = set()
    for item in items:
        if len(item) > 1 and item.startswith("@"):
            if item[1:] not in classes:
                near = nearest(item[1:], classes)
                what = "unknown class"
                raise TouchstoneError(what, value=item, near=near and f"@{near}", kind="class", code=Code.UNKNOWN_NAME)
            words |= classes[item[1:]]
        elif item.isalpha() and item.isupper() and len(item) > 1:
            valid_names = (*PARTS, *DEPENDENTS, EDGE, IDEA)
            if item not in valid_names:
                what = "unknown part of speech"
                raise TouchstoneError(what, value=item, near=nearest(item, valid_names), code=Code.UNKNOWN_NAME)
            names.add(item)
        else:
            words.add(item.lower())
    return Items(frozenset(words), frozenset(names))


@dataclass(frozen=True)
class Context:
    """What stands around a span: on its two sides, and anywhere else in its sentence."""

    before: Side
    after: Side
    sentence: Side

    @classmethod
    def of(cls, sentence: Sentence, start: int, end: int) -> "Context":
        """Return the context of the tokens ``start:end`` of a *sentence*, counted from 0.

        Without a tree, only adjacent tokens are looked at.
        """
        joined = _joined(sentence, start, end)
        before = _side(sentence, start - 1, [token for token in joined if token < start])
        behind = [token for token in joined if token >= end]
        after = _side(sentence, end, behind)
        below = [token for token in behind if start < sentence.heads[token] <= end]
        relations = {sentence.relations[token] for token in below}
        names = [name for name, tree_relations in DEPENDENTS.items() if relations.intersection(tree_relations)]
        named = [token for token in behind if token not in below or sentence.relations[token] in DEPENDENTS["OBJECT"]]
        if any(sentence.tags[token] in ("NN", "NNS") and _abstract(sentence.lemmas[token]) for token in named):
            names.append(IDEA)
        if names:
            after = replace(after, names=(*after.names, *names))
        words_outside = (*sentence.lowered[: 2 * start], *sentence.lowered[2 * end :])
        return cls(before, after, Side(words_outside, (), ()))


@dataclass(frozen=True)
class Frame:
    """When an entry may be replaced: what stands before and after it, and what is nowhere in its sentence."""

    before: Condition
    after: Condition
    without: Items

    @classmethod
    def parse(cls, before: str, after: str, without: str, classes: Mapping[str, frozenset[str]]) -> "Frame":
        """Return the frame that the three cells write, where *classes* has the words of each `@class`."""
        words = _items(without.split(), classes)
        return cls(Condition.parse(before, classes), Condition.parse(after, classes), words)

    def refusal(self, context: Context, pos: str) -> str | None:
        """Return why a span may not be replaced in its *context*, None if it may.

        Parameters
        ----------
        context
            What stands around the span.
        pos
            The part of speech of the span, for what is refused around each word of it.
        """
        before, after = REFUSED_BY_DEFAULT.get(pos, (frozenset(), frozenset()))
        reason = self.before.refusal(context.before, before)
        if reason is not None:
            return f"before: {reason}"
        reason = self.after.refusal(context.after, after)
        if reason is None:
            reason = next((word for word in context.after.adjacent if word in _FORMING), None)
        if reason is not None:
            return f"after: {reason}"
        reason = self.without.find(context.sentence)
        return None if reason is None else f"without: {reason}"


def _side(sentence: Sentence, adjacent: int, joined: Iterable[int]) -> Side:
    """Return what stands on one side: the *adjacent* token, and those that the tree has *joined* to the span."""
    there = 0 <= adjacent < len(sentence)
    close = words_at(sentence, adjacent) if there else ()
    names = _names(sentence, adjacent) if there else (EDGE,)
    return Side((*close, *(word for token in joined for word in words_at(sentence, token))), close, names)


def _joined(sentence: Sentence, start: int, end: int) -> list[int]:
    """Return the tokens outside a span that depend on it, or that it depends on; of a verb, its prepositions too."""
    if not sentence.parsed:
        return []
    span = range(start, end)
    heads = {sentence.heads[token] - 1 for token in span} - {-1, *span}
    below = {token for token, head in enumerate(sentence.heads) if head - 1 in span and token not in span}
    if sentence.tags[start] in PARTS["VERB"]:
        nouns = {token + 1 for token in below if sentence.relations[token] == "obl"}
        below |= {n for n, head in enumerate(sentence.heads) if head in nouns and sentence.relations[n] == "case"}
    return sorted(heads | below)


@cache
def _abstract(noun: str) -> bool:
    """Tell whether WordNet knows a noun, and none of its first senses can be seen or touched."""
    senses = wordnet().word(noun.lower()).synsets("n")[:_SENSES]
    return bool(senses) and not any(sense.file in _THINGS for sense in senses)


def _names(sentence: Sentence, token: int) -> tuple[str, ...]:
    if sentence.forms[token] in _PUNCTUATION:
        return (EDGE,)
    return _parts(sentence.tags[token])


@cache
def _parts(tag: str) -> tuple[str, ...]:
    return tuple(name for name, tags in PARTS.items() if tag in tags)


def words_at(sentence: Sentence, token: int) -> tuple[str, ...]:
    """Return the form and the lemma of a token, counted from 0, in lower case."""
    return sentence.lowered[2 * token : 2 * token + 2]
