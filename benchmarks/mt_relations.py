"""When dependency relations help MAXSIM: maxsim(n+d) beside maxsim(n) by length, by relations and by a parser's doubts.

Agreement with the rankings of WMT 2012 at segment level; figures are means over the three language pairs, intervals a
bootstrap over source segments. The analyser gives no probabilities, so its confidence is told by a stand-in: the share
of tokens to which its two taggers, the fast one and the one that parses, give the same tag. Then an adaptive choice:
relations only where a feature is above or below a threshold; feature and threshold are chosen on two language pairs and
tested on the third.

The tables are those of docs/mt_quality.md. Needs TOUCHSTONE_DATA.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from training.mt_rankings import Difference, Group, compare_segments, pairs_where, read_group

from touchstone.base.ragged import Bools, Floats
from touchstone.tasks.mt.judges.metaeval.segments import Statistic, fold_of, segment_records
from touchstone.tasks.mt.measures import MEASURES
from touchstone.tasks.mt.model import Joined
from touchstone.tasks.mt.texts import Texts

PAIRS = ("cs-en", "de-en", "es-en")
RULES: tuple[Statistic, ...] = ("discordant", "skip", "acc_eq")

COLUMNS = (
    "words of the reference",
    "relations of the reference",
    "equal tags in the reference",
    "relations of the translations",
    "equal tags in the translations",
)
EDGES: Mapping[str, Sequence[float]] = {
    "words of the reference": (10, 20, 30),
    "relations of the reference": (1, 2, 4),
    "equal tags in the reference": (0.95, 0.999),
    "relations of the translations": (1, 2, 4),
    "equal tags in the translations": (0.95, 0.999),
}
"""Where the bands of a feature end; of the two translations that a judge compared the mean counts."""


@dataclass(frozen=True, eq=False)
class Study:
    """One language pair: both scores, and what is to be known of every translation, segments x systems x `COLUMNS`."""

    group: Group
    plain: Floats
    related: Floats
    features: Floats

    def of_pairs(self, feature: int) -> Floats:
        """Return a feature for each pair of translations that a judge compared: the mean of both."""
        said, values = self.group.preferences, self.features[:, :, feature]
        return np.asarray((values[said.segment, said.first] + values[said.segment, said.second]) / 2)


def study(group: Group) -> Study:
    """Return one language pair with all that is asked about it."""
    found = group.judged(_work)
    return Study(group, found[:, :, 0], found[:, :, 1], found[:, :, 2:])


def _work(one: Texts, other: Texts) -> Floats:
    measure = MEASURES.find("maxsim(n+d)")
    records = measure.item_records(Joined(one, (other,)))
    parts = measure.parts(records) if measure.parts else {}
    plain = np.mean([parts[f"{n}.F"] for n in (1, 2, 3)], axis=0)
    columns = (parts["1.reference"], parts["d.reference"], equal_tags(other), parts["d.system"], equal_tags(one))
    return np.column_stack([plain, measure.values(records), *columns])


def equal_tags(texts: Texts) -> Floats:
    """Return the share of each text's tokens to which both taggers give the same tag."""
    both = zip(texts.tagged(), texts.parsed(), strict=True)
    return np.array([np.mean([*map(str.__eq__, fast.tags, full.tags), True]) for fast, full in both])


def show_bands(studies: Sequence[Study]) -> None:
    """Print what relations change in each band of each feature."""
    print("| feature | band | comparisons | n | n+d | n+d is ahead by | under skip |")
    print("|---|---|---|---|---|---|---|")
    everywhere = [np.ones(len(one.group.preferences), np.bool_) for one in studies]
    show_band("all", "", studies, everywhere)
    for column, feature in enumerate(COLUMNS):
        for name, low, high in bands(EDGES[feature]):
            chosen = [(low < one.of_pairs(column)) & (one.of_pairs(column) <= high) for one in studies]
            show_band(feature, name, studies, chosen)


def bands(edges: Sequence[float]) -> Iterator[tuple[str, float, float]]:
    """Yield each band: its name, the edge below it and the edge that ends it."""
    ends = (-np.inf, *edges, np.inf)
    for low, high in pairwise(ends):
        name = f"{'' if low == -np.inf else f'above {low:g}'} {'' if high == np.inf else f'to {high:g}'}".strip()
        yield name, low, high


def show_band(feature: str, name: str, studies: Sequence[Study], chosen: Sequence[Bools]) -> None:
    """Print one band."""
    said = [pairs_where(one.group.preferences, kept) for one, kept in zip(studies, chosen, strict=True)]
    found = compare_segments([one.related for one in studies], [one.plain for one in studies], said)
    first = found["discordant"]
    cells = (f"{sum(map(len, said)):,}", f"{first.b:.4f}", f"{first.a:.4f}", span(first), span(found["skip"]))
    print(f"| {feature} | {name} | " + " | ".join(cells) + " |", flush=True)


def span(found: Difference) -> str:
    """Return a difference with its interval."""
    return f"{found.difference:+.4f} [{found.low:+.4f}, {found.high:+.4f}]"


@dataclass(frozen=True)
class Choice:
    """Relations only where a feature of the segment, or of the translation, is at least, or at most, a threshold."""

    feature: int
    least: bool
    threshold: float

    def __str__(self) -> str:
        return f"{COLUMNS[self.feature]} {'≥' if self.least else '≤'} {self.threshold:.3g}"

    def values(self, one: Study) -> Floats:
        """Return the scores under this choice."""
        feature = one.features[:, :, self.feature]
        wanted = feature >= self.threshold if self.least else feature <= self.threshold
        return np.where(wanted, one.related, one.plain)


def choices(studies: Sequence[Study]) -> Iterator[Choice]:
    """Yield every choice at the tenths of every feature."""
    for feature in range(len(COLUMNS)):
        seen = np.concatenate([one.features[:, :, feature].ravel() for one in studies])
        for threshold in np.unique(np.nanquantile(seen, np.arange(1, 10) / 10)).tolist():
            yield from (Choice(feature, least, threshold) for least in (True, False))


def show_adaptive(studies: Sequence[Study]) -> None:
    """Print what is chosen without each language pair, and how it does there beside always and never."""
    print("\n| left out | relations where | adaptive | n+d | n |")
    print("|---|---|---|---|---|")
    found = []
    for pair, one in zip(PAIRS, studies, strict=True):
        others = [other for other in studies if other is not one]
        best = max(
            choices(others), key=lambda choice: float(np.mean([tau(other, choice.values(other)) for other in others]))
        )
        found.append(best.values(one))
        taus = (tau(one, values) for values in (found[-1], one.related, one.plain))
        print(f"| {pair} | {best} | " + " | ".join(f"{value:.4f}" for value in taus) + " |", flush=True)
    said = [one.group.preferences for one in studies]
    for name, rival in (("n+d", [one.related for one in studies]), ("n", [one.plain for one in studies])):
        differences = compare_segments(found, rival, said)
        print(f"adaptive less {name}: " + "; ".join(f"{rule} {span(differences[rule])}" for rule in RULES))


def tau(one: Study, values: Floats) -> float:
    """Return the segment-level tau of WMT 2012."""
    return float(fold_of("discordant")(segment_records(values, one.group.preferences).sum(axis=0)))


def main() -> None:
    """Read, score and print."""
    root = os.environ.get("TOUCHSTONE_DATA")
    if not root:
        print("skipped: set TOUCHSTONE_DATA to the folder that has wmt12")
        return
    folder = Path(root) / "wmt12"
    studies = [study(read_group(folder / "rankings.csv", folder / "ref.en", folder / pair)) for pair in PAIRS]
    show_bands(studies)
    show_adaptive(studies)
