"""A WordNet as its source gives it, and the arrays of a lexicon file made from it.

Every reader of a source returns a `Dictionary`. In the arrays synsets are numbered by part of speech (n v a r) and
offset, words by synset and place, lemmas alphabetically.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from unicodedata import normalize

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.lexicon.container import Array, pack
from touchstone.lexicon.relation import PARTS_OF_SPEECH, RELATIONS, Pos, Relation
from touchstone.lexicon.strings import narrow, pack_strings

MARKERS = ("", "p", "a", "ip")
"""Where an adjective may stand: anywhere, predicate only, before its noun only, right after it only."""

Key = tuple[Pos, int]
"""Part of speech and number (Princeton's byte offset): what identifies a synset in its source."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """A link to another synset; words count from 1, and 0 on both sides means the synsets as wholes."""

    relation: Relation
    target: Key
    from_word: int = 0
    to_word: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """One synset: its words as spelled, their adjective markers (``p``, ``a``, ``ip`` or empty), its pointers."""

    key: Key
    satellite: bool
    file: int
    words: Sequence[str]
    markers: Sequence[str]
    pointers: Sequence[Pointer]


@dataclass(frozen=True)
class Dictionary:
    """All synsets; the senses of each lemma in order; how often a sense was tagged; irregular forms."""

    name: str
    version: str
    entries: Sequence[Entry]
    senses: Mapping[tuple[str, Pos], Sequence[Key]]
    counts: Mapping[tuple[str, Key], int]
    exceptions: Mapping[Pos, Mapping[str, Sequence[str]]]


def normalised_form(form: str) -> str:
    """Return a form as lemmas are stored: lower case, single blanks between words, composed characters.

    >>> normalised_form(" Hot_Dog ")
    'hot dog'
    """
    if form.isascii() and form.isalnum():  # most words
        return form.lower()
    text = form if form.isascii() else normalize("NFC", form)
    return " ".join(text.replace("_", " ").split()).lower()


def compile_dictionary(dictionary: Dictionary) -> bytes:
    """Return *dictionary* as the bytes of a lexicon file; the same dictionary gives the same bytes."""
    entries = sorted(dictionary.entries, key=lambda entry: (PARTS_OF_SPEECH.index(entry.key[0]), entry.key[1]))
    number = {entry.key: index for index, entry in enumerate(entries)}
    lemmas = sorted({lemma for lemma, _ in dictionary.senses})
    try:
        arrays = {
            **pack_strings(lemmas, "lemma", indexed=True),
            **_sense_arrays(dictionary, lemmas, number),
            **_word_arrays(entries, {lemma: index for index, lemma in enumerate(lemmas)}),
            **_pointer_arrays(entries, number),
            **_exception_arrays(dictionary),
        }
    except KeyError as missing:
        what = f"{dictionary.name} {dictionary.version} contradicts itself"
        what = f"{what}: something refers to {missing}, which is absent"
        raise TouchstoneError(what, code=Code.UNREADABLE) from None
    return pack(arrays, {"name": dictionary.name, "version": dictionary.version})


def _sense_arrays(dictionary: Dictionary, lemmas: list[str], number: dict[Key, int]) -> dict[str, Array]:
    """Return the synsets of each lemma, parts of speech in order and senses in theirs, with their tag counts."""
    rows = [
        [(lemma, key) for pos in PARTS_OF_SPEECH for key in dictionary.senses.get((lemma, pos), ())] for lemma in lemmas
    ]
    senses = list(chain.from_iterable(rows))
    return {
        "sense_ends": _ends(map(len, rows)),
        "sense_synsets": narrow(number[key] for _, key in senses),
        "sense_counts": narrow(dictionary.counts.get(sense, 0) for sense in senses),
    }


def _word_arrays(entries: list[Entry], lemma_ids: dict[str, int]) -> dict[str, Array]:
    """Return what each synset is and the words in it; a spelling is kept where it is not the lemma itself."""
    words = [word for entry in entries for word in entry.words]
    ids = [lemma_ids[normalised_form(word)] for word in words]
    spelled = [word_index for word_index, word in enumerate(words) if word != normalised_form(word)]
    return {
        "synset_numbers": narrow(entry.key[1] for entry in entries),
        "synset_pos": narrow(PARTS_OF_SPEECH.index(entry.key[0]) for entry in entries),
        "synset_satellite": narrow(entry.satellite for entry in entries),
        "synset_files": narrow(entry.file for entry in entries),
        "word_ends": _ends(len(entry.words) for entry in entries),
        "word_lemmas": narrow(ids),
        "word_markers": narrow(MARKERS.index(marker) for entry in entries for marker in entry.markers),
        "spelled_words": narrow(spelled),
        **pack_strings([words[word_index] for word_index in spelled], "spelling"),
    }


def _pointer_arrays(entries: list[Entry], number: dict[Key, int]) -> dict[str, Array]:
    pointers = [pointer for entry in entries for pointer in entry.pointers]
    codes = {relation: code for code, relation in enumerate(RELATIONS)}
    return {
        "pointer_ends": _ends(len(entry.pointers) for entry in entries),
        "pointer_relations": narrow(codes[pointer.relation] for pointer in pointers),
        "pointer_targets": narrow(number[pointer.target] for pointer in pointers),
        "pointer_from": narrow(pointer.from_word for pointer in pointers),
        "pointer_to": narrow(pointer.to_word for pointer in pointers),
    }


def _exception_arrays(dictionary: Dictionary) -> dict[str, Array]:
    """Return the irregular forms as lines of part of speech, form and bases: few, and wanted all or not at all."""
    lines = [
        "\t".join([pos, form, *bases])
        for pos in PARTS_OF_SPEECH
        for form, bases in sorted(dictionary.exceptions.get(pos, {}).items())
    ]
    return {"exceptions": np.frombuffer("\n".join(lines).encode(), np.uint8)}


def _ends(sizes: Iterable[int]) -> Array:
    return narrow(np.concatenate([[0], np.cumsum(list(sizes), dtype=np.int64)]))
