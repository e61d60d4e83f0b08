"""What is done to answers before they are scored, where the user asks for it: base forms, or a pool of candidates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, refuse
from touchstone.base.files import Source
from touchstone.base.ragged import Interner, Ragged, StringLists
from touchstone.io.text import lines, read_text
from touchstone.lexicon import wordnet
from touchstone.tasks.lexsub.model import key


def base_forms(lists: StringLists, pos: Sequence[str]) -> StringLists:
    """Return the base form of every answer, without looking at the gold.

    Parameters
    ----------
    lists
        The answers to each item.
    pos
        The part of speech of each item's target; answers to an item without one stay as they are.
    """
    interner = Interner()
    tags = list(dict.fromkeys(pos))
    forms = np.array([[interner[base_form(word, tag)] for word in lists.words] for tag in tags], np.int64)
    tag_of = np.array([tags.index(tag) for tag in pos], np.int64)
    return StringLists(tuple(interner), Ragged(lists.codes.offsets, forms[tag_of[lists.codes.row], lists.codes.values]))


def base_form(answer: str, pos: str) -> str:
    """Return the base form of an answer: of its last word if it is a noun, of its first word otherwise.

    >>> base_form("swimming pools", "n"), base_form("gave up", "v"), base_form("brighter", "a")
    ('swimming pool', 'give up', 'bright')
    """
    words = answer.split()
    if not words or not pos:
        return answer
    head_index = -1 if pos == "n" else 0
    words[head_index] = wordnet().base_form(words[head_index], pos)
    return " ".join(words)


@dataclass(frozen=True)
class Pool:
    """The candidates of each target: figures over a pool do not compare with figures over free answers."""

    source: Source
    candidates: Mapping[str, frozenset[str]]


def read_pool(path: str | Path, encoding: str = "utf-8") -> Pool:
    """Read a pool with one line ``word.pos::a;b;c`` for each target."""
    text, source = read_text(path, encoding)
    candidates: dict[str, frozenset[str]] = {}
    faults = []
    for number, line in lines(text):
        word, separator, answer_text = line.partition("::")
        if not separator or not word.strip() or word.strip() in candidates:
            what = "not a line of the form 'word.pos::a;b;c' for a new word"
            faults.append(Fault(what, source.name, number, line, code=Code.BAD_CELL))
        candidates[word.strip()] = frozenset(filter(None, map(key, answer_text.split(";"))))
    refuse(faults)
    return Pool(source, candidates)


def inside_pool(lists: StringLists, words: Sequence[str], pool: Pool) -> StringLists:
    """Return the lists without answers that are not candidates of their target.

    Parameters
    ----------
    lists
        The answers to each item.
    words
        The target of each item, as ``word.pos``.
    pool
        The candidates of each target; one without a line is refused.
    """
    missing = next((word for word in words if word not in pool.candidates), None)
    if missing is not None:
        what = "the pool has no line for a target"
        raise TouchstoneError(what, file=pool.source.name, value=missing, code=Code.MISSING_ID)
    keys = lists.map(key)
    places = zip(keys.codes.row.tolist(), keys.codes.values.tolist(), strict=True)
    return lists.keep(np.array([keys.words[code] in pool.candidates[words[row]] for row, code in places], np.bool_))
