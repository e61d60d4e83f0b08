"""What a verb takes after it: in the sentence, by its dependency tree, and in general, by the frames of WordNet.

A letter is a construction: ``n`` no object, ``o`` an object, ``t`` an object and an infinitive (*told him to leave*),
``i`` an infinitive (*refused to leave*), ``c`` a clause (*said that he left*).
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from touchstone.base.files import Source
from touchstone.io.checksums import check_shipped
from touchstone.io.text import lines, read_text
from touchstone.systems.substitution.targets import Target

FILE = Path(__file__).with_name("shipped") / "frames.txt"
_PARTICIPLES = frozenset(("amod", "acl", "acl:relcl", "compound", "conj"))
"""Relations of a verb whose object, if it has one, is elsewhere in the sentence."""
_UNCLEAR = frozenset(("compound:prt", "nsubj:pass", "aux:pass", "cop"))
_MEASURES = frozenset(("lot", "bit", "little", "deal"))
"""Nouns that say how much: *improved a lot* has no object."""


def construction(target: Target) -> str | None:
    """Return what follows a verb in its sentence; None if the tree does not tell."""
    sentence, verb = target.sentence, target.last
    if target.pos != "v" or not sentence.parsed or sentence.relations[verb] in _PARTICIPLES:
        return None
    # Heads are counted from 1, tokens from 0.
    below = {n: sentence.relations[n] for n in range(len(sentence)) if sentence.heads[n] == verb + 1}
    if _UNCLEAR & set(below.values()):
        return None
    has_object = any(
        relation in ("obj", "iobj") and sentence.forms[n].lower() not in _MEASURES for n, relation in below.items()
    )
    infinitive = any(relation == "xcomp" and _has_to(target, n) for n, relation in below.items())
    if infinitive:
        return "t" if has_object else "i"
    if has_object:
        return "o"
    return "c" if "ccomp" in below.values() else None if "xcomp" in below.values() else "n"


def _has_to(target: Target, verb: int) -> bool:
    sentence = target.sentence
    return any(sentence.heads[n] == verb + 1 and sentence.forms[n].lower() == "to" for n in range(verb))


@cache
def _read() -> tuple[str, Source]:
    text, source = read_text(FILE)
    check_shipped(FILE, source.digest)
    return text, source


def frames_signature() -> str:
    """Return the name and digest of the file of constructions."""
    return str(_read()[1])


@cache
def verb_frames() -> Mapping[str, str]:
    """Return the constructions of each verb that WordNet lists.

    >>> verb_frames()["conceal"], "n" in verb_frames()["hide"]
    ('o', True)
    """
    rows = (line.partition(": ") for _, line in lines(_read()[0]) if not line.startswith("#"))
    return {verb: letters for letters, _, verbs in rows for verb in verbs.split(", ")}


def lacks(target: Target, candidate: str, used: str | None) -> bool:
    """Return whether WordNet knows a verb, but not in the construction in which the target is used.

    Parameters
    ----------
    target
        The verb in its sentence; where WordNet does not know it in that construction either, nothing is lacking.
    candidate
        The lemma of another verb.
    used
        The `construction` of the target.
    """
    frames = verb_frames()
    return used is not None and used in frames.get(target.lemma, "") and used not in frames.get(candidate, used)
