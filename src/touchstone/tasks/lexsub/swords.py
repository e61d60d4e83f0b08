"""What people said of answers by the rules of SWORDS (Lee et al. 2021), where they labelled a pool of substitutes.

Substitutes and answers are lemmatised with the target's part of speech and lower-cased. Those equal to the target's
lemma are dropped and equal ones merged: their labels are pooled, an answer keeps its best rank. UNSURE labels do not
count. A substitute is acceptable (``a``) where more than half of its labels are TRUE or TRUE_IMPLICIT, conceivable
(``c``) where at least a tenth are.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Bools, Floats, Ints, Ragged, StringLists
from touchstone.base.spelling import setting
from touchstone.lexicon import wordnet
from touchstone.tasks.lexsub.model import GoldSet, Judgements

ACCEPTABLE, CONCEIVABLE = 0.5, 0.1
"""Above the first share of labels a substitute is acceptable, from the second on conceivable."""

BARS = ("a", "c")
MODES = ("lenient", "strict")
"""Which answers are looked at: those that people labelled, or all."""


@dataclass(frozen=True)
class Shares:
    """The share of accepting labels of each answer, best first, nan where nobody labelled it; and the references."""

    answers: Ragged[np.float64]
    references: Mapping[str, Ints]
    """How many substitutes of each item are acceptable and conceivable."""

    def sums(self, n: int, mode: str, bar: str) -> Floats:
        """Return, for each item, hits and answers among the first *n*, references up to n, and all references."""
        counted = self.answers if mode == "strict" else self.answers.keep(~np.isnan(self.answers.values))
        hits = Ragged(counted.offsets, passes(counted.values, bar).astype(np.float64)).sums(first=n)
        references = self.references[bar]
        columns = [hits, np.minimum(counted.sizes, n), np.minimum(references, n), references]
        return np.column_stack(columns).astype(float)


def shares(gold: GoldSet, rows: Ints, lists: StringLists) -> Shares:
    """Return the judgements of people on the answers to the items in some *rows* of the gold."""
    if gold.judgements is None:
        hint = (
            f"SWORDS files have such labels; other gold is scored with {setting('measure', 'paper')}, els07 or ranking"
        )
        what = "the swords measures need labelled substitutes"
        raise TouchstoneError(what, file=gold.source.name, code=Code.UNSUPPORTED, hint=hint)
    answers: list[list[float]] = []
    references = {bar: np.zeros(len(rows), np.int64) for bar in BARS}
    for index, row in enumerate(rows.tolist()):
        pos = gold.pos[row] or ""
        target_lemma = _lemma(gold.targets[row], pos)
        labelled = _labelled(gold.judgements, row, pos)
        labelled.pop(target_lemma, None)
        for bar in BARS:
            references[bar][index] = passes(np.array(list(labelled.values())), bar).sum()
        lemmas = dict.fromkeys(_lemma(answer, pos) for answer in lists[index])
        answers.append([labelled.get(lemma, np.nan) for lemma in lemmas if lemma != target_lemma])
    return Shares(Ragged.of(answers), references)


def passes(values: Floats, bar: str) -> Bools:
    """Return which shares of labels are acceptable or conceivable.

    >>> values = np.array([0.6, 0.5, 0.1, np.nan])
    >>> passes(values, "a").tolist(), passes(values, "c").tolist()
    ([True, False, False, False], [True, True, True, False])
    """
    return np.asarray(values > ACCEPTABLE if bar == "a" else values >= CONCEIVABLE)


def _labelled(judgements: Judgements, row: int, pos: str) -> dict[str, float]:
    """Return the share of accepting labels of each lemma in an item's pool."""
    begin, end = judgements.substitutes.codes.offsets[row : row + 2]
    pooled: dict[str, tuple[int, int]] = {}
    counts = judgements.labels[begin:end].tolist()
    for substitute, (yes, labels) in zip(judgements.substitutes[row], counts, strict=True):
        lemma = _lemma(substitute, pos)
        before = pooled.get(lemma, (0, 0))
        pooled[lemma] = before[0] + yes, before[1] + labels
    return {lemma: yes / labels for lemma, (yes, labels) in pooled.items() if labels}


@lru_cache(maxsize=1 << 17)
def _lemma(word: str, pos: str) -> str:
    return (wordnet().shortest_base(word, pos) if pos else word).lower()
