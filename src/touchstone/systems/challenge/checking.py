"""What the lists say together: no duplicates, no cycles, and nothing that is at once entailed and excluded."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.systems.challenge.lexicon import Lexicon, Origin, Substitution

Key = tuple[str, str]
"""A word in lower case and its part of speech."""
Edges = Mapping[Key, Mapping[Key, Substitution]]


def check_lexicon(lexicon: Lexicon) -> None:
    """Refuse a *lexicon* with duplicates, cycles or contradictions; name the file and line of each."""
    _refuse(_duplicates(lexicon), "remove the line; a list with the name of a shipped one takes its place")
    _refuse(_cycles(_edges(lexicon, ("hypernym",))), "a word cannot be a kind of itself: remove a line of the cycle")
    hint = "a word cannot entail what it excludes: remove one of the lines"
    _refuse(_contradictions(lexicon), hint)


def conflicts(lexicon: Lexicon) -> Iterator[tuple[Substitution, ...]]:
    """Yield the substitutions that cannot all be right: a pair twice, a cycle, or what entails and excludes a word."""
    first: dict[tuple[Key, Key], Substitution] = {}
    for pair in lexicon.pairs:
        if first.setdefault((pair.source.key, pair.target.key), pair) is not pair:
            yield (pair,)
    kinds = _edges(lexicon, ("hypernym",))
    for word, above in kinds.items():
        yield from ((pair,) for parent, pair in above.items() if word in ancestors(kinds, parent))
    edges = _edges(lexicon, ("hypernym", "synonym"))
    for reached_from, excluded in _entailed_exclusions(lexicon, edges):
        ways = [_way(reached_from, end) for end in (excluded.source.key, excluded.target.key)]
        steps = (edges[below][above] for way in ways for below, above in pairwise(way))
        yield (excluded, *steps)


def ancestors(edges: Edges, word: Key) -> dict[Key, Key | None]:
    """Return what a *word* entails along the *edges*, itself included, each with the word that it was reached from."""
    reached_from: dict[Key, Key | None] = {word: None}
    waiting = [word]
    while waiting:
        # The order of the search decides no more than which of several ways a message shows.
        current = waiting.pop()
        for above in edges.get(current, ()):
            if above not in reached_from:
                reached_from[above] = current
                waiting.append(above)
    return reached_from


def exclusions(lexicon: Lexicon) -> dict[frozenset[Key], Substitution]:
    """Return the pairs of words that exclude each other, each with a substitution that says so."""
    pairs = (pair for pair in lexicon.pairs if pair.label == "contradiction")
    members = (substitution for group in lexicon.groups for substitution in group.substitutions())
    # Of two that say the same, the line of a list of pairs is the one that messages name.
    return {frozenset((s.source.key, s.target.key)): s for s in (*members, *pairs)}


def _refuse(faults: Iterator[Fault], hint: str) -> None:
    fault_list = list(faults)
    if fault_list:
        raise TouchstoneError.of(fault_list, hint)


def _duplicates(lexicon: Lexicon) -> Iterator[Fault]:
    for group in lexicon.groups:
        first: dict[Key, Origin] = {}
        for member in group.members:
            first_origin = first.setdefault(member.entry.key, member.origin)
            if first_origin is not member.origin:
                what = f"duplicate word in a group (first on line {first_origin.line})"
                yield _fault(member.origin, Code.DUPLICATE_NAME, what, member.entry.text)
    pairs: dict[tuple[Key, Key], Origin] = {}
    for pair in lexicon.pairs:
        text = f"{pair.source.text} > {pair.target.text}"
        if pair.source.key == pair.target.key:
            yield _fault(pair.origin, Code.BAD_CELL, "a word with itself", text)
        first_origin = pairs.setdefault((pair.source.key, pair.target.key), pair.origin)
        if first_origin is not pair.origin:
            yield _fault(pair.origin, Code.DUPLICATE_NAME, f"duplicate pair (first in {first_origin})", text)


def _edges(lexicon: Lexicon, relations: tuple[str, ...]) -> Edges:
    edges: dict[Key, dict[Key, Substitution]] = defaultdict(dict)
    for pair in lexicon.pairs:
        if pair.relation in relations:
            edges[pair.source.key][pair.target.key] = pair
    return edges


def _cycles(edges: Edges) -> Iterator[Fault]:
    """Yield one fault for each cycle, at the line that closes it."""
    reported: set[Key] = set()
    for word, above in edges.items():
        for parent, pair in above.items():
            reached_from = ancestors(edges, parent)
            if word in reached_from and word not in reported:
                way = _way(reached_from, word)
                reported.update(way)
                yield _fault(pair.origin, Code.MISMATCH, "cycle of kinds", " > ".join(text for text, _ in (word, *way)))


def _contradictions(lexicon: Lexicon) -> Iterator[Fault]:
    """Yield a fault for each two words that exclude each other and that one word entails both of."""
    for reached_from, excluded in _entailed_exclusions(lexicon, _edges(lexicon, ("hypernym", "synonym"))):
        first, second = sorted((excluded.source.key, excluded.target.key))
        ways = " and ".join(" > ".join(text for text, _ in _way(reached_from, end)) for end in (first, second))
        what = f"these exclude each other, but {_way(reached_from, first)[0][0]!r} entails both ({ways})"
        yield _fault(excluded.origin, Code.MISMATCH, what, f"{first[0]}, {second[0]}")


def _entailed_exclusions(lexicon: Lexicon, edges: Edges) -> Iterator[tuple[Mapping[Key, Key | None], Substitution]]:
    """Yield what a word entails, as `ancestors` gives it, with each exclusion between two of these, each once."""
    excluded = exclusions(lexicon)
    words = {*edges, *(word for pair in excluded for word in pair)}
    reported: set[frozenset[Key]] = set()
    for word in sorted(words):
        reached_from = ancestors(edges, word)
        for pair in map(frozenset, combinations(sorted(reached_from), 2)):
            if pair in excluded and pair not in reported:
                reported.add(pair)
                yield reached_from, excluded[pair]


def _way(reached_from: Mapping[Key, Key | None], end: Key) -> list[Key]:
    """Return the words from the start of a search to its *end*."""
    way: list[Key] = []
    step: Key | None = end
    while step is not None:
        way.append(step)
        step = reached_from[step]
    return way[::-1]


def _fault(origin: Origin, code: Code, what: str, value: str) -> Fault:
    return Fault(what, origin.file, origin.line, value, code=code)
