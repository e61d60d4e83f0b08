"""The analyser: texts or tokens in, analysed sentences out, batch by batch.

Fast path: tokens, tags and lemmas (`English.tag`). Full path: dependencies too (`English.parse`). A sentence's
analysis does not depend on its batch: the network computes with exact integers (see `arithmetic`), and whatever is
kept of a word type is what would be computed again.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Ints, Ragged, StringLists
from touchstone.lexicon import Lexicon, wordnet
from touchstone.text.arithmetic import single_threaded
from touchstone.text.features import LONGEST
from touchstone.text.lemmas import Lemmatiser
from touchstone.text.network import Bytes, Network, neighbours, open_network
from touchstone.text.sentence import ROOT, Columns, Sentence, Tokens, check_token, placed
from touchstone.text.splitting import split_sentences
from touchstone.text.tokeniser import Tokeniser

T = TypeVar("T")

MODEL = Path(__file__).with_name("english.model")

_BATCH_TOKENS = 16_384
"""Tokens read before any is analysed: enough for sentences of like length to meet, little enough to hold."""
_BATCH_SENTENCES = 2_048
_BLOCK_TOKENS = 65_536
"""Tokens whose types of words are computed together: the more tokens, the fewer types; some tens of megabytes."""
_MOST_TYPES = 1 << 17
"""Word types kept before all are dropped: some twenty megabytes."""

LONGEST_PARSED = 200
"""Tokens that are parsed together; a longer text is parsed in pieces, as its arcs would grow with the square."""

_LATER_ROOT = -1
_STEP_TYPES = 4_096
"""Word types whose vectors are computed together."""

_NEXT_PIECE = "parataxis"
"""How the root of a further piece hangs on the first: side by side, in the words of Universal Dependencies."""


class Analyser(Protocol):
    """What analyses sentences: this package's own, or another behind the same four methods."""

    @property
    def signature(self) -> str:
        """The name, version and digest of what analyses: the same signature, the same analysis."""

    def tag(self, texts: Iterable[str], *, split: bool = True) -> Iterator[Sentence]:
        """Yield the sentences of each text, with tokens, tags and lemmas; each text as one unless *split*."""

    def parse(self, texts: Iterable[str], *, split: bool = True) -> Iterator[Sentence]:
        """Yield the sentences of each text, with heads and relations too; each text as one unless *split*."""

    def tag_tokens(self, rows: Iterable[Sequence[str]]) -> Iterator[Sentence]:
        """Yield a tagged sentence for each row of given tokens."""

    def parse_tokens(self, rows: Iterable[Sequence[str]]) -> Iterator[Sentence]:
        """Yield a parsed sentence for each row of given tokens."""


class _Placed(NamedTuple):
    """The tokens of a sentence, the number of its text, and where it starts there."""

    tokens: Tokens
    segment: int
    offset: int


@dataclass(frozen=True)
class _Analysis:
    """Numbers of tags and, where parsed, heads and numbers of relations, for all tokens in a row."""

    tags: Ints
    heads: Ints | None = None
    relations: Ints | None = None


class English:
    """The embedded analyser; threads may share one, and a pickle holds only which model it is.

    >>> first, second = english().parse(["The old dog can't hear us. Birds sing."])
    >>> first.tags
    ('DT', 'JJ', 'NN', 'MD', 'RB', 'VB', 'PRP', '.')
    >>> first.lemmas
    ('the', 'old', 'dog', 'can', 'not', 'hear', 'we', '.')
    >>> first.dependents("nsubj", "obj"), second.offset
    (((3, 6), (7, 6)), 27)
    """

    def __init__(self, network: Network, lexicon: Lexicon) -> None:
        self._network = network
        self._tokeniser, self._lemmatiser = Tokeniser(), Lemmatiser(lexicon)
        self._signature = f"touchstone.text 2#{network.digest[:12]} {lexicon.signature}"
        self._tag_names, self._upos_names = np.array(network.tags, object), np.array(network.upos, object)
        self._relation_names = np.array(network.relations, object)
        self._types: dict[str, int] = {}
        self._vectors = np.empty((0, network.width), np.int8)
        self._learning = Lock()

    def __repr__(self) -> str:
        return f"<English {self.signature}>"

    def __reduce__(self) -> tuple[object, ...]:
        return english, ()

    @property
    def common_words(self) -> list[str]:
        """The most frequent words of English, in falling order, in lower case."""
        return self._network.common[0]

    @property
    def word_vectors(self) -> Bytes:
        """GloVe's vectors of `common_words`, each dimension in steps of a fixed share of its deviation."""
        return self._network.common[1]

    @property
    def signature(self) -> str:
        """The version of the rules, and the digests of the model and of the lexicon."""
        return self._signature

    def tag(self, texts: Iterable[str], *, split: bool = True) -> Iterator[Sentence]:
        """Yield the sentences of each text, with tokens, tags and lemmas.

        Parameters
        ----------
        texts
            Sentences or paragraphs.
        split
            Whether texts are split into sentences, none for a blank text. If not, each text gives one sentence.
        """
        return self._analysed(self._placed(_several(texts), split=split), parsed=False)

    def parse(self, texts: Iterable[str], *, split: bool = True) -> Iterator[Sentence]:
        """Yield the sentences of each text, with heads and relations too; the parameters are those of `tag`."""
        return self._analysed(self._placed(_several(texts), split=split), parsed=True)

    def tag_tokens(self, rows: Iterable[Sequence[str]]) -> Iterator[Sentence]:
        """Yield a tagged sentence for each row of given tokens."""
        return self._analysed(_pretokenised(rows), parsed=False)

    def parse_tokens(self, rows: Iterable[Sequence[str]]) -> Iterator[Sentence]:
        """Yield a parsed sentence for each row of given tokens."""
        return self._analysed(_pretokenised(rows), parsed=True)

    def columns(self, texts: Iterable[str], *, parsed: bool = False) -> Columns:
        """Return what `tag`, or `parse`, gives for each text as one sentence, as columns and without lemmas.

        >>> columns = english().columns(["Birds sang.", "", "Dogs bark."], parsed=True)
        >>> columns.forms[2], columns.tags[2], columns.heads.values.tolist(), columns.relations[0]
        (('Dogs', 'bark', '.'), ('NNS', 'VBP', '.'), [2, 0, 2, 2, 0, 2], ('nsubj', 'root', 'punct'))
        """
        forms = StringLists.of(map(self._tokeniser.forms, _several(texts)))
        with single_threaded():
            analysis, offsets = self._analyse(forms, parsed=parsed), forms.codes.offsets
        tags = StringLists(self._network.tags, Ragged(offsets, analysis.tags)).map(str)
        if analysis.heads is None or analysis.relations is None:
            return Columns(forms, tags)
        relations = StringLists(self._network.relations, Ragged(offsets, analysis.relations))
        return Columns(forms, tags, Ragged(offsets, analysis.heads), relations)

    def sentences(self, texts: Iterable[str], columns: Columns) -> list[Sentence]:
        """Return the sentences that `columns` gave for *texts*, with lemmas but without universal parts of speech.

        >>> texts = ["Birds sang."]
        >>> [sentence.lemmas for sentence in english().sentences(texts, english().columns(texts))]
        [('bird', 'sing', '.')]
        """
        heads = columns.heads and list(_split(columns.heads.values.tolist(), columns.heads.offsets.tolist()))
        sentences = []
        for row, placed_sentence in enumerate(self._placed(texts, split=False)):
            tree = (tuple(heads[row]), columns.relations[row]) if heads and columns.relations else ()
            sentences.append(self._sentence(placed_sentence, columns.tags[row], (), *tree))
        return sentences

    def _placed(self, texts: Iterable[str], *, split: bool) -> Iterator[_Placed]:
        for segment, text in enumerate(texts):
            for start, end in split_sentences(text) if split else ((0, len(text)),):
                yield _Placed(self._tokeniser.tokenise(text[start:end]), segment, start)

    def _analysed(self, sentences: Iterator[_Placed], *, parsed: bool) -> Iterator[Sentence]:
        for batch in _batches(sentences):
            forms = StringLists.of(sentence.tokens.forms for sentence in batch)
            with single_threaded():
                analysis = self._analyse(forms, parsed=parsed)
            names = [self._tag_names[analysis.tags], self._upos_names[analysis.tags]]
            if analysis.heads is not None and analysis.relations is not None:
                names += [analysis.heads, self._relation_names[analysis.relations]]
            columns = (map(tuple, _split(column.tolist(), forms.codes.offsets.tolist())) for column in names)
            yield from map(self._sentence, batch, *columns)

    def _sentence(
        self,
        placed_sentence: _Placed,
        tags: tuple[str, ...],
        upos: tuple[str, ...],
        heads: tuple[int, ...] = (),
        relations: tuple[str, ...] = (),
    ) -> Sentence:
        (text, forms, starts, ends), segment, offset = placed_sentence
        lemmas = tuple(map(self._lemmatiser.lemma, forms, tags))
        return Sentence(text, forms, starts, ends, tags, lemmas, heads, relations, upos, segment, offset)

    def _analyse(self, forms: StringLists, *, parsed: bool) -> _Analysis:
        vectors = self._vectors_of(forms.words)
        return self._parse(forms.codes, vectors) if parsed else _Analysis(self._tag(forms.codes, vectors))

    def _tag(self, codes: Ragged[np.int64], vectors: Bytes) -> Ints:
        sizes, tags = codes.sizes, [np.empty(0, np.int64)]
        for part in neighbours(sizes.tolist(), _BLOCK_TOKENS):
            start, stop = codes.offsets[part.start], codes.offsets[part.stop]
            distinct, types = _distinct(codes.values[start:stop], len(vectors))
            tags.append(self._network.fast_tags(vectors[distinct].astype(np.float32), types, sizes[part]))
        return np.concatenate(tags)

    def _parse(self, codes: Ragged[np.int64], vectors: Bytes) -> _Analysis:
        """Return the analysis of sentences; long ones are cut into pieces, which are parsed the longest first."""
        counts = -(-codes.sizes // LONGEST_PARSED)
        row = np.repeat(np.arange(len(codes)), counts)
        shift = LONGEST_PARSED * (np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts))
        lengths = np.minimum(codes.sizes[row] - shift, LONGEST_PARSED)
        order = np.argsort(-lengths, kind="stable")
        tags, heads, relations = np.empty((3, len(codes.values)), np.int64)
        for part in neighbours(lengths[order].tolist(), _BLOCK_TOKENS):
            pieces = order[part]
            # The tokens of the pieces, one after another, as places among all tokens.
            within = Ragged.from_sizes(lengths[pieces], np.empty(int(lengths[pieces].sum()), np.int8))
            above = shift[pieces][within.row]
            tokens = codes.offsets[row[pieces]][within.row] + above + within.position
            distinct, types = _distinct(codes.values[tokens], len(vectors))
            analysis = self._network.parse(vectors[distinct].astype(np.float32), types, lengths[pieces])
            tags[tokens], relations[tokens] = analysis.tags, analysis.relations
            # The root of a later piece is marked, and hung on the root of the first when that is known.
            heads[tokens] = np.where(analysis.heads > 0, analysis.heads + above, np.where(above > 0, _LATER_ROOT, ROOT))
        later = np.flatnonzero(heads == _LATER_ROOT)
        if len(later):
            roots = np.flatnonzero(heads == ROOT)
            root_positions = np.zeros(len(codes), np.int64)
            root_positions[codes.row[roots]] = codes.position[roots] + 1
            heads[later] = root_positions[codes.row[later]]
            relations[later] = self._network.relations.index(_NEXT_PIECE)
        return _Analysis(tags, heads, relations)

    def _vectors_of(self, forms: Sequence[str]) -> Bytes:
        """Return the vectors of *forms*; those of types not met before are computed together, some at a time."""
        # Longer words are cut here as the features cut them, so that no hostile word is held for long.
        keys = [form if len(form) <= LONGEST else form[:LONGEST] for form in forms]
        if len(keys) > _MOST_TYPES:
            starts = range(0, len(keys), _MOST_TYPES)
            return np.concatenate([self._vectors_of(keys[start : start + _MOST_TYPES]) for start in starts])
        with self._learning:
            new = [key for key in dict.fromkeys(keys) if key not in self._types]
            if new and len(self._types) + len(new) > _MOST_TYPES:
                self._types, self._vectors = {}, self._vectors[:0]
                new = list(dict.fromkeys(keys))
            if new:
                starts = range(0, len(new), _STEP_TYPES)
                made = [self._network.vectors(new[start : start + _STEP_TYPES]) for start in starts]
                self._vectors = np.concatenate([self._vectors, *made])
                self._types.update(zip(new, range(len(self._types), len(self._vectors)), strict=True))
            places = np.fromiter(map(self._types.__getitem__, keys), np.int64, len(keys))
            return self._vectors[places]


@cache
def english() -> English:
    """Return the embedded analyser; every caller in a process shares it."""
    return English(open_network(MODEL), wordnet())


def _several(texts: Iterable[str]) -> Iterable[str]:
    """Refuse one text where several are wanted: its characters would be taken for texts."""
    if isinstance(texts, str):
        what = "one text where several are wanted"
        raise TouchstoneError(what, value=texts, code=Code.BAD_VALUE, hint="put it into a list")
    return texts


def _pretokenised(rows: Iterable[Sequence[str]]) -> Iterator[_Placed]:
    for number, row in enumerate(rows, 1):
        yield _Placed(placed([check_token(form, number) for form in row], None), number - 1, 0)


def _batches(sentences: Iterator[_Placed]) -> Iterator[list[_Placed]]:
    """Yield sentences in lists, each of about as many tokens as may be held at once."""
    batch: list[_Placed] = []
    size = 0
    for sentence in sentences:
        batch.append(sentence)
        size += len(sentence.tokens.forms)
        if size >= _BATCH_TOKENS or len(batch) >= _BATCH_SENTENCES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _distinct(codes: Ints, count: int) -> tuple[Ints, Ints]:
    """Return the distinct values of numbers below *count*, and the index of each number among them.

    >>> [array.tolist() for array in _distinct(np.array([4, 2, 4]), 6)]
    [[2, 4], [1, 0, 1]]
    """
    indices = np.zeros(count, np.int64)
    indices[codes] = 1
    distinct = np.flatnonzero(indices)
    indices[distinct] = np.arange(len(distinct))
    return distinct, indices[codes]


def _split(values: list[T], offsets: list[int]) -> Iterator[list[T]]:
    return (values[start:stop] for start, stop in pairwise(offsets))
