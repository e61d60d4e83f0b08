"""Base forms as Princeton's morph gives them: exception lists, then endings, then the parts of a collocation.

Rules: morphy(7WN), the manual page of WordNet 3.0, and the behaviour of its library (morph 1.67): an irregular
form has all the bases its list names, any other form at most one, the first that WordNet lists; adverbs have
only the list; in a verb with a preposition the verb is tried with the rest as it stands, or with its last
word as a noun. The form itself is never an answer.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from touchstone.lexicon.relation import PARTS_OF_SPEECH, Pos

Listed = Callable[[str, Pos], bool]
"""Whether WordNet lists a lemma under a part of speech."""

Exceptions = Mapping[Pos, Mapping[str, Sequence[str]]]

ENDINGS: dict[Pos, tuple[tuple[str, str], ...]] = {
    "n": (
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "v": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}
_NLTK_ENDINGS: dict[Pos, tuple[tuple[str, str], ...]] = {
    **ENDINGS,
    "n": (*ENDINGS["n"][:2], ("ves", "f"), *ENDINGS["n"][2:]),
}
"""NLTK 3's rules, which add ves → f to Princeton's."""
_LAST_LETTERS = {pos: {old[-1] for old, _ in endings} for pos, endings in ENDINGS.items()}
_LAST_LETTERS["n"].add("l")  # of -ful, before which nouns are inflected

_PREPOSITIONS = frozenset(
    ("to", "at", "of", "on", "off", "in", "out", "up", "down", "from", "with", "into", "for", "about", "between")
)
_PARTS = re.compile("([ -])")


def parse_exceptions(text: str) -> Exceptions:
    r"""Return the irregular forms of each part of speech from lines of part of speech, form and bases.

    >>> parse_exceptions("n\tmice\tmouse")["n"]["mice"]
    ('mouse',)
    """
    lists: dict[Pos, dict[str, Sequence[str]]] = {pos: {} for pos in PARTS_OF_SPEECH}
    for line in text.splitlines():
        pos, form, *bases = line.split("\t")
        lists[next(letter for letter in PARTS_OF_SPEECH if letter == pos)][form] = tuple(bases)
    return lists


def base_forms(form: str, pos: Pos, exceptions: Exceptions, listed: Listed) -> tuple[str, ...]:
    """Return the bases of *form* (lower case, single blanks), most trusted first, without the form itself."""
    irregular = exceptions[pos].get(form)
    if irregular and irregular[0] != form:
        return tuple(irregular)
    if " " not in form and "-" not in form:
        # A list that begins with the form itself says that no rule applies to it.
        base = None if irregular else _by_ending(form, pos, listed)
        return (base,) if base else ()
    if pos != "v":
        base = _base_of_word(form, pos, exceptions, listed)
        if base not in (None, form):
            return (base,)
    elif any(word in _PREPOSITIONS for word in form.split(" ")[1:]):
        return tuple(_with_preposition(form, exceptions, listed))[:1]
    # A collocation: each part that has a base is replaced, and the whole must be listed.
    joined = "".join(_base_of_word(part, pos, exceptions, listed) or part for part in _PARTS.split(form))
    return (joined,) if joined != form and listed(joined, pos) else ()


def possible_bases(form: str, pos: Pos, exceptions: Exceptions) -> tuple[str, ...]:
    """Return the irregular bases of *form*, or what each ending of *pos* makes of it where it has none; unchecked."""
    return tuple(exceptions[pos].get(form) or _stripped(form, pos))


def shortest_base(form: str, pos: Pos, exceptions: Exceptions, listed: Listed) -> str:
    """Return the shortest lemma that NLTK's morphy finds for *form*, the form itself among them where it is listed.

    Bases come from the exception list alone where it has the form, otherwise from every ending at once, and again from
    the endings of what they leave until something is listed. A form for which nothing is found stays as it is.
    """
    irregular = exceptions[pos].get(form)
    if irregular is not None:
        return min(filter(lambda base: listed(base, pos), (form, *irregular)), key=len, default=form)
    stripped, lemmas = [form], [form] if listed(form, pos) else []
    while stripped:
        stripped = [
            word[: -len(old)] + new for word in stripped for old, new in _NLTK_ENDINGS[pos] if word.endswith(old)
        ]
        lemmas += [word for word in stripped if listed(word, pos)]
        if lemmas:
            break
    return min(lemmas, key=len, default=form)


def _base_of_word(word: str, pos: Pos, exceptions: Exceptions, listed: Listed) -> str | None:
    """Return the first base in the exception list or by an ending that WordNet lists, None if neither has one."""
    irregular = exceptions[pos].get(word)
    return irregular[0] if irregular else _by_ending(word, pos, listed)


def _by_ending(word: str, pos: Pos, listed: Listed) -> str | None:
    """Return the first base that an ending makes of a word and WordNet lists, None if there is none."""
    if word[-1:] not in _LAST_LETTERS[pos]:
        return None
    stem, ending = word, ""
    if pos == "n":
        if word.endswith("ful") and len(word) > len("ful"):
            stem, ending = word.removesuffix("ful"), "ful"
        elif word.endswith("ss") or len(word) <= 2:
            return None
    for base in _stripped(stem, pos):
        if listed(base, pos):
            return base + ending
    return None


def _stripped(word: str, pos: Pos) -> list[str]:
    """Return what the endings of *pos* make of a word that has them and something before them."""
    return [word[: -len(old)] + new for old, new in ENDINGS[pos] if word.endswith(old) and len(word) > len(old)]


def _with_preposition(form: str, exceptions: Exceptions, listed: Listed) -> Iterator[str]:
    """Yield what a verb phrase with a preposition may come from; the phrase with its noun changed is unchecked."""
    verb, _, complement = form.partition(" ")
    if not verb.isalnum():
        return
    before_noun, _, last = complement.rpartition(" ")
    noun = _base_of_word(last, "n", exceptions, listed) if before_noun else None
    tails = [complement] if noun is None else [complement, f"{before_noun} {noun}"]
    irregular = exceptions["v"].get(verb, ())[:1]
    for base in (*irregular, *_stripped(verb, "v")):
        if base != verb:
            yield from (phrase for tail in tails if listed(phrase := f"{base} {tail}", "v"))
    yield from (f"{verb} {tail}" for tail in tails[1:] if tail != complement)
