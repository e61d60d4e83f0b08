"""The analyser: texts or tokens in, analysed sentences out, batch by batch.

Fast path: tokens, tags and lemmas (`English.tag`). Full path: dependencies too (`English.parse`). A sentence's
analysis does not depend on its batch: the network computes with exact integers (see `arithmetic`), and whatever is
kept of a word type is what would be computed again.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Protocol

import numpy as np

from touchstone.core.errors import TouchstoneError
from touchstone.core.ragged import Interner, Ints, Ragged, StringLists
from touchstone.lexicon import Lexicon, wordnet
from touchstone.text.arithmetic import Matrix
from touchstone.text.features import LONGEST
from touchstone.text.lemmas import Lemmatiser
from touchstone.text.network import Bytes, Network, Parses, open_network
from touchstone.text.sentence import ROOT, Columns, Sentence, Tokens, check_token, placed
from touchstone.text.tokeniser import Tokeniser

MODEL = Path(__file__).with_name("english.model")

_BATCH_TOKENS = 16_384
"""Tokens read before any is analysed: enough for sentences of like length to meet, little enough to hold."""
_BATCH_SENTENCES = 2_048
_STEP_TOKENS = 2_048
"""Tokens that go through the network together: their arrays stay within the processor's cache."""
_MOST_TYPES = 1 << 17
"""Word types kept before all are dropped: some twenty megabytes."""

LONGEST_PARSED = 200
"""Tokens that are parsed together; a longer text is parsed in pieces, as its arcs would grow with the square."""

_NEXT_PIECE = "parataxis"
"""How the root of a further piece hangs on the first: side by side, in the words of Universal Dependencies."""


class Analyser(Protocol):
    """What analyses sentences: this package's own, or another behind the same four methods."""

    @property
    def signature(self) -> str:
        """The name, version and digest of what analyses: the same signature, the same analysis."""

    def tag(self, texts: Iterable[str]) -> Iterator[Sentence]:
        """Yield a sentence with tokens, tags and lemmas for each text."""

    def parse(self, texts: Iterable[str]) -> Iterator[Sentence]:
        """Yield a sentence with heads and relations too for each text."""

    def tag_tokens(self, rows: Iterable[Sequence[str]]) -> Iterator[Sentence]:
        """Yield a tagged sentence for each row of given tokens."""

    def parse_tokens(self, rows: Iterable[Sequence[str]]) -> Iterator[Sentence]:
        """Yield a parsed sentence for each row of given tokens."""


class English:
    """The embedded analyser; threads may share one, and a pickle holds only which model it is.

    >>> [sentence] = english().parse(["The old dog can't hear us."])
    >>> sentence.tags
    ('DT', 'JJ', 'NN', 'MD', 'RB', 'VB', 'PRP', '.')
    >>> sentence.lemmas
    ('the', 'old', 'dog', 'can', 'not', 'hear', 'we', '.')
    >>> sentence.dependents("nsubj", "obj")
    ((3, 6), (7, 6))
    """

    def __init__(self, network: Network, lexicon: Lexicon) -> None:
        self._network = network
        self._tokeniser, self._lemmatiser = Tokeniser(), Lemmatiser(lexicon)
        self._signature = f"touchstone.text 1#{network.digest[:12]} {lexicon.signature}"
        self._types: dict[str, int] = {}
        self._vectors = np.empty((0, network.width), np.int8)
        self._learning = Lock()

    def __repr__(self) -> str:
        return f"<English {self.signature}>"

    def __reduce__(self) -> tuple[object, ...]:
        return english, ()

    @property
    def signature(self) -> str:
        """The digests of the model and of the lexicon."""
        return self._signature

    def tag(self, texts: Iterable[str]) -> Iterator[Sentence]:
        """Yield a sentence with tokens, tags and lemmas for each text."""
        return self._analysed(map(self._tokeniser.tokenise, _several(texts)), parsed=False)

    def parse(self, texts: Iterable[str]) -> Iterator[Sentence]:
        """Yield a sentence with heads and relations too for each text."""
        return self._analysed(map(self._tokeniser.tokenise, _several(texts)), parsed=True)

    def tag_tokens(self, rows: Iterable[Sequence[str]]) -> Iterator[Sentence]:
        """Yield a tagged sentence for each row of given tokens."""
        return self._analysed(_given(rows), parsed=False)

    def parse_tokens(self, rows: Iterable[Sequence[str]]) -> Iterator[Sentence]:
        """Yield a parsed sentence for each row of given tokens."""
        return self._analysed(_given(rows), parsed=True)

    def columns(self, texts: Iterable[str], *, parsed: bool = False) -> Columns:
        """Return what `tag` gives as columns, or what `parse` gives: without lemmas and an object for each sentence.

        >>> found = english().columns(["Birds sang.", "", "Dogs bark."], parsed=True)
        >>> found.forms[2], found.tags[2], found.heads.values.tolist(), found.relations[0]
        (('Dogs', 'bark', '.'), ('NNS', 'VBP', '.'), [2, 0, 2, 2, 0, 2], ('nsubj', 'root', 'punct'))
        """
        forms = StringLists.of(map(self._tokeniser.forms, _several(texts)))
        return self._parsed_columns(forms) if parsed else Columns(forms, self._fast_tags(forms))

    def _fast_tags(self, forms: StringLists) -> StringLists:
        starts = range(0, len(forms.words), _BATCH_TOKENS)
        vectors = [self._vectors_of(list(forms.words[start : start + _BATCH_TOKENS])) for start in starts]
        every = np.concatenate([self._vectors[:0], *vectors])
        sizes, tags = forms.codes.sizes, [np.empty(0, np.int64)]
        for part in _parts(sizes.tolist()):
            start, stop = forms.codes.offsets[part[0]], forms.codes.offsets[part[-1] + 1]
            distinct, types = np.unique(forms.codes.values[start:stop], return_inverse=True)
            tags.append(self._network.fast_tags(every[distinct].astype(np.float32), types, sizes[part]))
        return StringLists(self._network.tags, Ragged(forms.codes.offsets, np.concatenate(tags)))

    def _parsed_columns(self, forms: StringLists) -> Columns:
        sentences = list(self._analysed((placed(forms[row], None) for row in range(len(forms))), parsed=True))
        heads = Ragged.of((sentence.heads for sentence in sentences), np.int64)
        tags, relations = (StringLists.of(getattr(s, name) for s in sentences) for name in ("tags", "relations"))
        return Columns(forms, tags, heads, relations)

    def _analysed(self, texts: Iterator[Tokens], *, parsed: bool) -> Iterator[Sentence]:
        for batch in _batches(texts):
            yield from self._parsed(batch) if parsed else self._tagged(batch)

    def _tagged(self, batch: list[Tokens]) -> Iterator[Sentence]:
        for part in _parts([len(tokens.forms) for tokens in batch]):
            some = [batch[n] for n in part]
            words = Interner()
            types = np.array([words[form] for tokens in some for form in tokens.forms], np.int64)
            lengths = np.array([len(tokens.forms) for tokens in some], np.int64)
            tags = iter(self._network.fast_tags(self._float_vectors_of(list(words)), types, lengths).tolist())
            for tokens in some:
                yield self._sentence(tokens, list(islice(tags, len(tokens.forms))), (), ())

    def _parsed(self, batch: list[Tokens]) -> Iterator[Sentence]:
        pieces = [(n, start) for n, tokens in enumerate(batch) for start in range(0, len(tokens.forms), LONGEST_PARSED)]
        forms = [batch[n].forms[start : start + LONGEST_PARSED] for n, start in pieces]
        found: list[list[tuple[int, Parses]]] = [[] for _ in batch]
        order = sorted(range(len(pieces)), key=lambda piece: -len(forms[piece]))
        for part in _parts([len(forms[piece]) for piece in order]):
            some = [order[place] for place in part]
            x = self._float_vectors_of([form for piece in some for form in forms[piece]])
            lengths = np.array([len(forms[piece]) for piece in some], np.int64)
            for piece, parse in zip(some, _separate(self._network.parse(x, lengths), lengths), strict=True):
                sentence, start = pieces[piece]
                found[sentence].append((start, parse))
        for tokens, parses in zip(batch, found, strict=True):
            yield self._sentence(tokens, *self._one_tree(sorted(parses, key=lambda parse: parse[0])))

    def _one_tree(self, parses: list[tuple[int, Parses]]) -> tuple[list[int], tuple[int, ...], tuple[str, ...]]:
        """Return tags, heads and relations of a text from those of its pieces; later roots depend on the first."""
        tags: list[int] = []
        heads: list[int] = []
        relations: list[str] = []
        for start, parse in parses:
            names = [self._network.relations[n] for n in parse.relations.tolist()]
            for head, name in zip(parse.heads.tolist(), names, strict=True):
                further_root = head == ROOT and start > 0
                heads.append(heads.index(ROOT) + 1 if further_root else head + start if head else ROOT)
                relations.append(_NEXT_PIECE if further_root else name)
            tags += parse.tags.tolist()
        return tags, tuple(heads), tuple(relations)

    def _sentence(
        self, tokens: Tokens, tags: list[int], heads: tuple[int, ...], relations: tuple[str, ...]
    ) -> Sentence:
        names = tuple(map(self._network.tags.__getitem__, tags))
        lemmas = tuple(map(self._lemmatiser.lemma, tokens.forms, names))
        return Sentence(*tokens, names, lemmas, heads, relations)

    def _float_vectors_of(self, forms: list[str]) -> Matrix:
        return self._vectors_of(forms).astype(np.float32)

    def _vectors_of(self, forms: list[str]) -> Bytes:
        """Return the vectors of *forms*; those of types not met before are computed together."""
        # Longer words are cut here as the features cut them, so that no hostile word is held for long.
        keys = [form if len(form) <= LONGEST else form[:LONGEST] for form in forms]
        with self._learning:
            new = [key for key in dict.fromkeys(keys) if key not in self._types]
            if new:
                if len(self._types) + len(new) > _MOST_TYPES:
                    self._types, self._vectors = {}, self._vectors[:0]
                    new = list(dict.fromkeys(keys))
                self._vectors = np.concatenate([self._vectors, self._network.vectors(new)])
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
        raise TouchstoneError("one text where several are wanted", value=texts, hint="put it into a list")
    return texts


def _given(rows: Iterable[Sequence[str]]) -> Iterator[Tokens]:
    for number, row in enumerate(rows, 1):
        yield placed([check_token(form, number) for form in row], None)


def _batches(texts: Iterator[Tokens]) -> Iterator[list[Tokens]]:
    """Yield texts in lists, each of about as many tokens as may be held at once."""
    batch: list[Tokens] = []
    size = 0
    for tokens in texts:
        batch.append(tokens)
        size += len(tokens.forms)
        if size >= _BATCH_TOKENS or len(batch) >= _BATCH_SENTENCES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _parts(sizes: Sequence[int]) -> Iterator[list[int]]:
    """Yield the numbers of neighbours that go through the network together.

    >>> list(_parts([1500, 500, 48, 1]))
    [[0, 1, 2], [3]]
    """
    part: list[int] = []
    total = 0
    for number, size in enumerate(sizes):
        if part and total + size > _STEP_TOKENS:
            yield part
            part, total = [], 0
        part.append(number)
        total += size
    if part:
        yield part


def _separate(parses: Parses, lengths: Ints) -> Iterator[Parses]:
    ends = np.cumsum(lengths)[:-1]
    return map(Parses, *(np.split(column, ends) for column in (parses.tags, parses.heads, parses.relations)))
