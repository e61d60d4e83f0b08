"""The matchings of MAXSIM: n-grams (section 4.1 of Chan and Ng 2008) and triples (section 4.2), for all segments.

Similarities are whole numbers of steps, so that totals are exact: 2n steps for n-grams, 3 steps for triples.
"""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache

import numpy as np

from touchstone.base.compiling import compilation_notice
from touchstone.base.ragged import Floats, Interner, Ints, Ragged
from touchstone.core.matching import Bytes, Lists, Matchings, cells, equal, match_all, related
from touchstone.lexicon import wordnet
from touchstone.tasks.mt.maxsim.triples import Triples
from touchstone.tasks.mt.synonyms import Thesaurus, rows_meeting
from touchstone.tasks.mt.words import Words

Synonyms = Ragged[np.int32]


def match_ngrams(
    left: Words,
    right: Words,
    order: int,
    *,
    identity: bool = False,
    distance: float = 0.0,
    thesaurus: Thesaurus | None = None,
) -> list[Matchings]:
    """Match the n-grams of each segment for n = 1 … *order*: equal ones, those of equal lemmas, then similar ones.

    Two n-grams are similar by (1/n) sum S_i, where S_i = (I(tags equal) + Syn(lemmas)) / 2; by 0 if any S_i is 0.

    Parameters
    ----------
    left, right
        The words of the segments on both sides.
    order
        The longest n-grams.
    identity
        Whether a lemma that WordNet does not list is its own synonym.
    distance
        The share of a similarity that is lost from one end of a sentence to the other.
    thesaurus
        Synonyms instead of WordNet.

    Examples
    --------
    >>> from touchstone.tasks.mt.texts import Texts
    >>> from touchstone.tasks.mt.words import words_of
    >>> left, right = (words_of(Texts([text])) for text in ("The car stopped.", "The automobile stopped."))
    >>> [matchings.totals.tolist() for matchings in match_ngrams(left, right, 2, identity=True)]
    [[[2.0, 0.0, 1.0]], [[0.0, 0.0, 2.0]]]
    """
    sides, lemmas, tags = (left, right), Interner(), Interner()
    columns = [(side.lemmas.numbered(lemmas).values, side.tags.numbered(tags).values) for side in sides]
    synonyms = synonym_table(list(lemmas), identity=identity, thesaurus=thesaurus)
    return [_match_order(sides, columns, synonyms, n, distance) for n in range(1, order + 1)]


def _match_order(
    sides: tuple[Words, Words], columns: Sequence[tuple[Ints, Ints]], synonyms: Synonyms, n: int, distance: float
) -> Matchings:
    """Match the n-grams of one length; *columns* are the lemmas and the tags of all words of each side, by number."""
    (lemmas, tags), (other_lemmas, other_tags) = columns
    # An n-gram is known by the place of its first word among all words of its side.
    starts, other_starts = (_ngram_starts(side, n) for side in sides)
    places = (_relative_places(sides[0], n), _relative_places(sides[1], n)) if distance else None

    def similarity(rows: Lists, others: Lists) -> Bytes | Floats:
        total = np.zeros(int(rows.sizes @ others.sizes), np.uint8)
        lists = (rows.offsets, rows.values, others.offsets, others.values)
        _ngram_cells()(n, *lists, lemmas, tags, other_lemmas, other_tags, synonyms.offsets, synonyms.values, total)
        return _nearer(total, rows, others, places, distance) if places else total

    windows, other_windows = (lists.values[:, None] + np.arange(n) for lists in (starts, other_starts))
    stages = {
        "exact": ((lemmas << 32 | tags)[windows], (other_lemmas << 32 | other_tags)[other_windows]),
        "lemma": (lemmas[windows], other_lemmas[other_windows]),
    }
    return match_all(starts, other_starts, stages=stages, similarity=similarity, scale=2 * n)


@cache
def _ngram_cells() -> Callable[..., None]:
    """Return the compiled similarity of n-grams; it is compiled here, where a waiting user is told why."""
    with compilation_notice():
        from touchstone.tasks.mt.maxsim.kernel import ngram_cells

        none, ends = np.empty(0, np.int64), np.zeros(1, np.int64)
        table, no_cells = np.empty(0, np.int32), np.empty(0, np.uint8)
        ngram_cells(1, ends, none, ends, none, none, none, none, none, ends, table, no_cells)
    return ngram_cells


def _ngram_starts(words: Words, n: int) -> Lists:
    """Return the places of the words that begin an n-gram, segment by segment."""
    lists = words.forms.codes
    return Ragged(lists.offsets, np.arange(len(lists.values))).keep(lists.position + n <= lists.sizes[lists.row])


def _relative_places(words: Words, n: int) -> Floats:
    """Return the place of the n-gram that begins at each word among those of its segment, from 0 to 1."""
    lists = words.forms.codes
    return np.asarray((lists.position + 0.5) / np.maximum(lists.sizes[lists.row] - n + 1, 1))


def _at(numbers: Ints, items: Lists, k: int = 0) -> Lists:
    """Return the numbers at the places of the items, or *k* places further."""
    return Ragged(items.offsets, numbers[items.values + k])


def match_triples(
    left: Triples,
    right: Triples,
    *,
    identity: bool = False,
    distance: float = 0.0,
    sizes: tuple[Ints, Ints] | None = None,
    thesaurus: Thesaurus | None = None,
) -> Matchings:
    """Match the triples of each segment by (Syn(children) + 1 + Syn(parents)) / 3 where types are equal, else 0.

    Parameters
    ----------
    left, right
        The triples of the segments on both sides.
    identity, distance
        As in `match_ngrams`.
    sizes
        How many words each segment has on both sides; needed for *distance*.

    Examples
    --------
    >>> from touchstone.tasks.mt.maxsim.triples import Triple
    >>> dog, man = (Triples.of([[Triple(child, "subj", "bite")]]) for child in ("dog", "man"))
    >>> match_triples(dog, man).totals.item() == 2 / 3
    True
    """
    lemmas, types = Interner(), Interner()
    (children, kinds, parents), (other_children, other_kinds, other_parents) = (
        (side.children.numbered(lemmas).values, side.types.numbered(types).values, side.parents.numbered(lemmas).values)
        for side in (left, right)
    )
    synonyms = synonym_table(list(lemmas), identity=identity, thesaurus=thesaurus)
    places = (_child_places(left, sizes[0]), _child_places(right, sizes[1])) if distance and sizes else None

    def similarity(rows: Lists, others: Lists) -> Bytes | Floats:
        total = 1 + related(_at(children, rows), _at(other_children, others), synonyms)
        total += related(_at(parents, rows), _at(other_parents, others), synonyms)
        total *= equal(_at(kinds, rows), _at(other_kinds, others))
        return _nearer(total, rows, others, places, distance) if places else total

    lists = (Ragged(side.types.codes.offsets, np.arange(len(side.places))) for side in (left, right))
    return match_all(*lists, similarity=similarity, scale=3)


def _child_places(triples: Triples, sizes: Ints) -> Floats:
    """Return the place of the child of each triple in its sentence, from 0 to 1; nan where that is not known."""
    return np.asarray((triples.child_places + 0.5) / sizes[triples.children.codes.row])


def _nearer(total: Bytes, rows: Lists, others: Lists, places: tuple[Floats, Floats], distance: float) -> Floats:
    """Return w (1 - distance |a - b|), with a and b the places in their sentences; an unknown place costs nothing."""
    i, j = cells(rows, others)
    gap = np.nan_to_num(np.abs(places[0][i] - places[1][j]))
    return np.asarray(total * (1 - distance * gap))


def synonym_table(lemmas: Sequence[str], *, identity: bool = False, thesaurus: Thesaurus | None = None) -> Synonyms:
    """Return for each lemma l the places, among *lemmas*, of every l' with Syn(l, l') = 1.

    Syn(l, l') is 1 where WNsyn(l) and WNsyn(l') meet. WNsyn(l) holds all words of all synsets that list l, whatever
    the part of speech, and so l itself. A lemma that WordNet does not list has no synonym, not even itself unless
    *identity* is set.

    >>> synonym_table(["run", "leave", "the"]).sizes.tolist()
    [2, 2, 0]
    >>> synonym_table(["run", "leave", "the"], identity=True).sizes.tolist()
    [2, 2, 1]
    """
    listed = sharing() if thesaurus is None else thesaurus.sharing
    number = _number if thesaurus is None else lambda lemma: thesaurus.numbers.get(lemma, -1)
    numbers = np.array([number(lemma) for lemma in lemmas], np.int64)
    positions = np.full(len(listed) + 1, -1, np.int32)  # the last entry serves the number -1
    positions[numbers] = np.arange(len(lemmas))
    positions[-1] = -1  # where lemmas that are not listed, whose number is -1, have written
    partners = listed.take(numbers)
    values = positions[partners.values]
    among_lemmas = values >= 0
    # A row keeps as many entries as are among the lemmas before its end, less those before its start.
    offsets = np.concatenate([[0], np.cumsum(among_lemmas)])[partners.offsets]
    table = Ragged(offsets, values[among_lemmas])
    return _with_itself(table, np.flatnonzero(numbers < 0)) if identity else table


def _with_itself(table: Synonyms, unlisted: Ints) -> Synonyms:
    """Return the table in which the *unlisted* lemmas, which have no synonym, are their own."""
    row, values = np.append(table.row, unlisted), np.append(table.values, unlisted.astype(np.int32))
    order = np.argsort(row, kind="stable")
    return Ragged.from_sizes(np.bincount(row, minlength=len(table)), values[order])


@cache
def sharing() -> Synonyms:
    """Return, for each lemma of WordNet, the lemmas l' with Syn(l, l') = 1, itself among them, in ascending order."""
    lexicon = wordnet()
    return rows_meeting(lexicon.lemmas_in(lexicon.synsets(np.arange(lexicon.lemma_count))))


@lru_cache(maxsize=1 << 17)
def _number(lemma: str) -> int:
    """Return the number of a lemma in WordNet, -1 where it is not listed."""
    return wordnet().lemma_id(lemma)
