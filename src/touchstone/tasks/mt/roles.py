"""Semantic roles: read from a file, or derived by rule from the tree.

The rule is not semantic role labelling: it maps relations of Universal Dependencies to types of PropBank. A known
error: the subject of an intransitive verb always becomes A0. The analyser gives Penn tags, so a predicate is a word
with a verbal tag (V*) that is neither auxiliary nor copula: what the treebanks tag as VERB.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.files import Source
from touchstone.io.jsonl import Json, parse_objects
from touchstone.io.text import read_text
from touchstone.lexicon import wordnet
from touchstone.tasks.mt.texts import Role, Texts
from touchstone.tasks.mt.words import is_word, lemmas_of, word_places
from touchstone.text import Sentence

_CORE = {
    "nsubj": "A0",
    "csubj": "A0",
    "obl:agent": "A0",
    "obj": "A1",
    "nsubj:pass": "A1",
    "csubj:pass": "A1",
    "ccomp": "A1",
    "xcomp": "A1",
    "iobj": "A2",
    "advcl": "AM-ADV",
}
_NO_PREDICATES = frozenset(("aux", "cop"))
_NEGATIONS = frozenset(("not", "n't", "never"))
_PLACES_AND_TIMES = {"noun.time": "AM-TMP", "noun.location": "AM-LOC"}
_HINT = 'give each segment a line such as {"roles": [{"type": "A0", "predicate": "sang", "tokens": ["the", "bird"]}]}'


def roles_of(texts: Texts) -> Sequence[tuple[Role, ...]]:
    """Return the roles of every segment: from a file where one is given, else by the rule.

    >>> [roles] = roles_of(Texts(["The dog was bitten by the old man."]))
    >>> [(role.type, role.predicate, role.words) for role in roles]
    [('A1', 'bite', ('the', 'dog')), ('A0', 'bite', ('by', 'the', 'old', 'man'))]
    """
    return texts.roles if texts.roles is not None else texts.once("roles", _derived)


def read_roles(path: str | Path, segments: int) -> tuple[list[tuple[Role, ...]], Source]:
    """Return the roles of each segment from a JSONL file with one line per segment.

    A role has a ``type``, a ``predicate`` (a word), ``tokens`` (the words of the argument) and optionally a ``head``,
    which is the last word by default.

    Parameters
    ----------
    path
        The file.
    segments
        How many segments there are.
    """
    text, source = read_text(path)
    faults: list[Fault] = []
    roles = [
        tuple(_read(line, value, source.name, faults))
        for line, value in parse_objects(text, file=source.name, faults=faults)
    ]
    if faults:
        raise TouchstoneError.of(faults, _HINT)
    if len(roles) != segments:
        what = f"{len(roles):,} lines of roles for {segments:,} segments"
        raise TouchstoneError(what, file=source.name, code=Code.MISMATCH, hint=_HINT)
    return roles, source


def _read(line: int, value: dict[str, Json], file: str, faults: list[Fault]) -> Iterator[Role]:
    roles = value.get("roles")
    if not isinstance(roles, list):
        faults.append(Fault("no list of roles", file, line, code=Code.BAD_CELL))
        return
    for role in roles:
        fields = role if isinstance(role, dict) else {}
        words = fields.get("tokens")
        kind, predicate = fields.get("type"), fields.get("predicate")
        if not (isinstance(kind, str) and kind and isinstance(predicate, str) and predicate):
            faults.append(Fault("a role without type or predicate", file, line, str(role), code=Code.BAD_CELL))
        elif not (isinstance(words, list) and words and all(isinstance(word, str) and word for word in words)):
            faults.append(Fault("the tokens of a role are no list of words", file, line, str(role), code=Code.BAD_CELL))
        else:
            lowered = tuple(str(word).lower() for word in words)
            head = fields.get("head") or next((word for word in reversed(lowered) if is_word(word)), lowered[-1])
            yield Role(kind, predicate.lower(), lowered, str(head).lower())


def _derived(texts: Texts) -> list[tuple[Role, ...]]:
    return [tuple(_by_rule(sentence, lemmas_of(sentence, texts))) for sentence in texts.parsed()]


def _by_rule(sentence: Sentence, lemmas: Sequence[str]) -> Iterator[Role]:
    """Yield the roles of a sentence, in the order of the arguments' heads."""
    places, below = word_places(sentence), _subtrees(sentence)
    for token, (head, relation) in enumerate(zip(sentence.heads, sentence.relations, strict=True)):
        kind = _type(relation, lemmas[token], sentence.tags[token])
        words = [word for word in below[token] if is_word(sentence.forms[word])] if kind else []
        if words and head and _is_predicate(sentence, head - 1):
            forms = tuple(sentence.forms[word].lower() for word in words)
            covered = tuple(places[word] for word in words)
            # A head without a letter, such as a symbol, is no word: the first word stands for it.
            at = words.index(token) if token in words else 0
            yield Role(kind or "", lemmas[head - 1], forms, lemmas[token], covered, at)


def _is_predicate(sentence: Sentence, token: int) -> bool:
    return sentence.tags[token].startswith("V") and sentence.relations[token].partition(":")[0] not in _NO_PREDICATES


def _type(relation: str, lemma: str, tag: str) -> str | None:
    """Return the type of role of a relation to a predicate, None if it is no role."""
    base = relation.partition(":")[0]
    if base == "advmod":
        return "AM-NEG" if lemma in _NEGATIONS else "AM-ADV"
    if base == "aux":
        return "AM-MOD" if tag == "MD" else None
    core = _CORE.get(relation) or _CORE.get(base)
    return core or (_circumstance(lemma) if base == "obl" else None)


@lru_cache(maxsize=1 << 16)
def _circumstance(lemma: str) -> str:
    """Return the type of an oblique by the first sense of its head as a noun: a time, a place, or something else.

    >>> _circumstance("monday"), _circumstance("france"), _circumstance("hammer")
    ('AM-TMP', 'AM-LOC', 'AM')
    """
    senses = wordnet().word(lemma).synsets("n")
    return _PLACES_AND_TIMES.get(senses[0].file, "AM") if senses else "AM"


def _subtrees(sentence: Sentence) -> list[list[int]]:
    """Return the tokens of the subtree of each token, in order."""
    below: list[list[int]] = [[] for _ in sentence.heads]
    for token in range(len(sentence)):
        above = token
        while token not in below[above][-1:]:  # a tree from a file may have a cycle
            below[above].append(token)
            above = sentence.heads[above] - 1 if sentence.heads[above] else above
    return below
