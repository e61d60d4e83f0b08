"""What a content unit and a summary share, as numbers: the rows that a matcher learns from.

A unit is stated by its label and by its contributors. Each feature is a weighted recall: the share of a statement's
keys, in one of the `views`, that a window of the summary has, in the best window. A unit has the middle between the
mean and the best of its statements. A key that df of the n units of the pyramid have weighs log(1 + n / df), or the
cube of it, so that what tells the units of one pyramid apart counts most. Nothing depends on other summaries.
"""

from collections.abc import Hashable, Sequence
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from touchstone.base.ragged import Bools, Floats, Ints
from touchstone.lexicon import wordnet
from touchstone.systems.pyramids import views
from touchstone.systems.pyramids.encoding import Network, network_columns, network_names
from touchstone.text import Sentence, english

SIZES = ("tokens", "content words", "names", "numbers", "weight")
PEER = ("summary tokens", "summary sentences")

NAMES = (
    *(f"{view}, {window}{power}" for view in views.VIEWS for window in views.WINDOWS for power in views.POWERS),
    "second sentence",
    "place",
    *SIZES,
    *PEER,
)
"""The names of the features, in their order; with a network, those of `encoding` follow."""


def feature_names(encoder: Network | None = None) -> tuple[str, ...]:
    """Return the names of the features, with those by a network where there is one."""
    return (*NAMES, *network_names(encoder))


class _View:
    """One view of all statements: a row of normalised weights for each, over the keys that any statement has."""

    def __init__(self, bags: Sequence[views.Keys], unit: Ints, units: int) -> None:
        self.keys: dict[Hashable, int] = {}
        rows = [sorted({self.keys.setdefault(key, len(self.keys)) for key in bag}) for bag in bags]
        self.row = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        self.column = np.array([key for row in rows for key in row], np.int64)
        self.shape = (len(rows), max(1, len(self.keys)))
        # Each key counts once for a unit, however many of its statements have it.
        having = np.unique(unit[self.row] * self.shape[1] + self.column) % self.shape[1]
        df = np.bincount(having, minlength=self.shape[1])
        self.weight: Floats = np.log1p(units / np.maximum(df, 1))
        self.empty: Bools = np.bincount(self.row, minlength=len(rows)) == 0

    @cached_property
    def matrices(self) -> list[csr_array]:
        """The weights of each power; each row sums to 1."""
        weights = self.weight[self.column]
        return [views.row_shares(weights**power, self.row, self.column, self.shape) for power in views.POWERS.values()]

    def present(self, bags: Sequence[views.Keys]) -> Floats:
        """Return which keys each of some sentences has."""
        table = np.zeros((max(1, len(bags)), self.shape[1]))
        for row, bag in enumerate(bags):
            table[row, [self.keys[key] for key in bag if key in self.keys]] = 1
        return table


class StatedUnits:
    """Content units, prepared for a comparison with summaries.

    Parameters
    ----------
    units
        For each unit, the texts that state it: its label, its contributors.
    encoder
        A network that adds features.

    Examples
    --------
    >>> units = StatedUnits([["The court fined the firm"], ["Cats sleep"]])
    >>> rows = units.features("A court has fined a firm. It rained.")
    >>> rows.shape == (2, len(NAMES)), rows[:, NAMES.index("words, sentence")].tolist()
    (True, [1.0, 0.0])
    """

    def __init__(self, units: Sequence[Sequence[str]], encoder: Network | None = None) -> None:
        texts = [(number, text) for number, unit in enumerate(units) for text in unit if text.strip()]
        parsed = list(english().parse([" ".join(text.split()) for _, text in texts], split=False))
        self.sentences: Sequence[Sentence] = parsed
        self.unit: Ints = np.array([texts[sentence.segment][0] for sentence in parsed], np.int64)
        self.count = len(units)
        self.views = {
            name: _View([view(sentence) for sentence in parsed], self.unit, len(units))
            for name, (view, _) in views.VIEWS.items()
        }
        self._lemmas: Ints = wordnet().lemma_ids([str(key) for key in self.views["synonyms"].keys])
        self.encoded = network_columns(encoder, parsed, self.unit, len(units)) if encoder else None

    @cached_property
    def silent(self) -> Bools:
        """Units without any text, which no summary can be compared with."""
        return np.asarray(np.bincount(self.unit, minlength=self.count) == 0)

    @cached_property
    def _sizes(self) -> Floats:
        view = self.views["words"]
        weight = np.bincount(view.row, view.weight[view.column], minlength=len(self.sentences))
        counts = [
            [
                len(views.tokens(sentence)),
                len(views.content(sentence)),
                min(len(views.names(sentence)), 4),
                min(len(views.numbers(sentence)), 3),
            ]
            for sentence in self.sentences
        ]
        sizes = np.array(counts, np.float64).reshape(-1, 4)
        return np.column_stack([np.log1p(sizes[:, :2]), sizes[:, 2:], np.log1p(weight)])

    def of_units(self, rows: Floats) -> Floats:
        """Return a row for each unit: the middle of the mean and the largest of its statements, 0 where it has none."""
        unit_rows = np.zeros((self.count, rows.shape[1]))
        if not len(rows):
            return unit_rows
        spoken = np.flatnonzero(~self.silent)  # statements stand in the order of their units
        starts = np.searchsorted(self.unit, spoken)
        times = np.diff([*starts, len(rows)])[:, None]
        unit_rows[spoken] = (np.add.reduceat(rows, starts) / times + np.maximum.reduceat(rows, starts)) / 2
        return unit_rows

    def features(self, text: str) -> Floats:
        """Return a row of features for each unit: what *text*, a summary, shares with it."""
        return self.sentence_features(views.parse_summary(text))

    def sentence_features(self, sentences: Sequence[Sentence]) -> Floats:
        """Return a row of features for each unit, of a summary that is analysed already."""
        columns: list[Floats] = []
        for name, (_, view) in views.VIEWS.items():
            unit_view = self.views[name]
            bags = [view(sentence) for sentence in sentences]
            present = (
                self._with_synonyms(unit_view.present(bags), bags) if name == "synonyms" else unit_view.present(bags)
            )
            for window in views.windows(present):
                for matrix in unit_view.matrices:
                    best = np.asarray(matrix @ window.T).max(axis=1)
                    columns.append(np.where(unit_view.empty, 1.0, best) if name in views.OPTIONAL else best)
        sizes = [np.log1p(sum(map(len, sentences))), np.log1p(len(sentences))]
        peer = np.tile(sizes, (len(self.sentences), 1))
        added = self.encoded.columns(sentences) if self.encoded else []
        return self.of_units(np.column_stack([*columns, *self._best_sentences(sentences), self._sizes, peer, *added]))

    def recalls(self, sentences: Sequence[Sentence]) -> Floats:
        """Return the weighted recall of each statement's words in each sentence, statements by sentences."""
        unit_view = self.views["words"]
        present = unit_view.present([views.words(sentence) for sentence in sentences])
        return np.asarray(unit_view.matrices[0] @ present.T)

    def _best_sentences(self, sentences: Sequence[Sentence]) -> tuple[Floats, Floats]:
        """Return the second best recall of a sentence, and where in the summary the best one is."""
        recalls = self.recalls(sentences)
        second = np.sort(recalls, axis=1)[:, -2] if recalls.shape[1] > 1 else np.zeros(len(recalls))
        return second, recalls.argmax(axis=1) / recalls.shape[1]

    def _with_synonyms(self, present: Floats, bags: Sequence[views.Keys]) -> Floats:
        """Return *present* with 1 also where a sentence has a word that shares a synonym with the key."""
        others = list(dict.fromkeys(str(word) for bag in bags for word in bag))
        if not others or not len(self._lemmas):
            return present
        near = wordnet().share_synonym(self._lemmas[:, None], wordnet().lemma_ids(others)[None, :])
        column_of = {word: number for number, word in enumerate(others)}
        rows = [near[:, [column_of[str(word)] for word in bag]].any(axis=1) for bag in bags]
        return np.asarray(np.maximum(present, np.array(rows, np.float64)))
