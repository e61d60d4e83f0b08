"""How well `blend` agrees with judges where systems, segments and references are all unseen: docs/mt_quality.md.

    python -m training.evaluate_mt_blend DATA [--cache FILE]

DATA holds wmt12 (rankings.csv, ref.en, cs-en, de-en, es-en) and mqm (mqm_ted_zhen.tsv.gz). Prints the tables of the
page as Markdown. The features of all judged translations are computed once and kept in the file of ``--cache``; with
it, everything else takes seconds.

Folds of WMT 2012 leave out a language pair, half of the names of systems and half of the segments at once: weights are
learned on the other pairs, the other names and the other segments, and only comparisons of two left-out systems on
left-out segments are counted. TED zh-en is another year, another domain and another language pair: weights for it are
learned on WMT 2012 alone.
"""

import argparse
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from training.mt_rankings import Difference, Group, compare_segments, pairs_where, read_group, read_mqm_group

from touchstone.base.ragged import Floats, Ints
from touchstone.tasks.mt.blend import LAYERS, POWER, blended, layer_values
from touchstone.tasks.mt.judges.metaeval.preferences import Preferences
from touchstone.tasks.mt.judges.metaeval.segments import Statistic

PAIRS = ("cs-en", "de-en", "es-en")
TED = "TED zh-en"
RIVALS = ("chrf", "meteor(classic)", "meteor(tuned)", "maxsim(n+d)", "bleu")
RULES: tuple[Statistic, ...] = ("discordant", "skip", "acc_eq")
MIDDLE = 1502
"""The first segment of the second half of WMT 2012."""

RESTRAINT = 1e-4
"""Times the squared weights: keeps layers that say almost the same from weighing one all and the other nothing."""

FEWEST = 50
"""Comparisons below which a group teaches nothing."""


@dataclass(frozen=True, eq=False)
class Judged:
    """One group: preferences, names of systems, layers and known words, and the scores of rivals."""

    preferences: Preferences
    names: tuple[str, ...]
    layers: Floats
    scores: Mapping[str, Floats]

    @classmethod
    def of(cls, group: Group) -> "Judged":
        """Return a group with everything computed."""
        scores = {name: group.scored(name) for name in RIVALS}
        return cls(group.preferences, group.names, group.judged(layer_values), scores)

    def only(self, systems: Ints, segments: slice) -> "Judged":
        """Return the comparisons of two of the *systems* (1 or 0 for each) on some segments."""
        one, rows = self.preferences, np.arange(self.preferences.n_segments)[segments]
        kept = (systems[one.first] > 0) & (systems[one.second] > 0) & np.isin(one.segment, rows)
        return replace(self, preferences=pairs_where(one, kept))


def name_halves(groups: Mapping[str, Judged]) -> dict[str, int]:
    """Return the half of each name of a system; names that differ by a slip of the pen are one."""
    names = sorted({_name(name) for pair in PAIRS for name in groups[pair].names})
    order = np.random.default_rng(0).permutation(len(names))
    return {names[place]: int(turn % 2) for turn, place in enumerate(order)}


def _name(system: str) -> str:
    return system.lower().replace("heiro", "hiero")


def learn(groups: Sequence[Judged], *, known: bool) -> Floats:
    """Return weights of the layers, which sum to 1, and the power of known words: the least logistic loss over pairs.

    No weight is below 0, and every group counts alike.
    """
    from scipy.optimize import minimize

    taught = [_Examples.of(one) for one in groups if (one.preferences.sign != 0).sum() >= FEWEST]

    def loss(x: Floats) -> tuple[float, Floats]:
        each = [one.loss(x) for one in taught]
        value = float(np.mean([value for value, _ in each])) + RESTRAINT * float(x @ x)
        return value, np.mean([slope for _, slope in each], axis=0) + 2 * RESTRAINT * x

    bounds = [(0.0, None)] * len(LAYERS) + [(0.0, None if known else 0.0)]
    begin = np.append(np.full(len(LAYERS), 3.0), 3.0 * known)
    found = minimize(loss, begin, jac=True, method="L-BFGS-B", bounds=bounds).x
    return np.append(found[:-1] / found[:-1].sum(), found[-1])


@dataclass(frozen=True, eq=False)
class _Examples:
    """Translations as rows of layers and the logarithm of the share of known words; which is better than which."""

    layers: Floats
    known: Floats
    better: Ints
    worse: Ints

    @classmethod
    def of(cls, group: Judged) -> "_Examples":
        said = pairs_where(group.preferences, group.preferences.sign != 0)
        cells = [said.segment * said.n_systems + side for side in (said.first, said.second)]
        judged, places = np.unique(np.concatenate(cells), return_inverse=True)
        first, second = np.split(places, 2)
        flat = group.layers.reshape(-1, group.layers.shape[-1])[judged]
        known = np.log(np.maximum(flat[:, -1], 1e-9))  # no known word: a number, though a bad one
        ahead = said.sign > 0
        return cls(flat[:, :-1], known, np.where(ahead, first, second), np.where(ahead, second, first))

    def loss(self, x: Floats) -> tuple[float, Floats]:
        """Return the mean of log(1 + exp(worse - better)) and its slope."""
        factor = np.exp(x[-1] * self.known)
        values = (self.layers @ x[:-1]) * factor
        ahead = values[self.better] - values[self.worse]
        pull = -1 / (1 + np.exp(ahead)) / len(ahead)
        slope = np.bincount(self.better, pull, len(values)) - np.bincount(self.worse, pull, len(values))
        by_layer = (slope * factor) @ self.layers
        return float(np.logaddexp(0, -ahead).mean()), np.append(by_layer, (slope * values * self.known).sum())


def weighted(layers: Floats, weights: Floats) -> Floats:
    """Return the weighted sum of the layers times known**power."""
    return np.asarray((layers[..., :-1] * weights[:-1]).sum(axis=-1) * layers[..., -1] ** weights[-1])


def strict_folds(groups: Mapping[str, Judged], *, known: bool) -> tuple[dict[str, Floats], list[Floats]]:
    """Return the values of each pair of WMT 2012 under weights of folds that share nothing with it, and the weights."""
    halves, values, found = name_halves(groups), {}, []
    for pair in PAIRS:
        own = np.full(groups[pair].layers.shape[:2], np.nan)
        place = np.array([halves[_name(name)] for name in groups[pair].names])
        for half in (0, 1):
            for tested, taught in ((slice(0, MIDDLE), slice(MIDDLE, None)), (slice(MIDDLE, None), slice(0, MIDDLE))):
                others = [groups[other] for other in PAIRS if other != pair]
                sides = [np.array([halves[_name(name)] != half for name in one.names]) for one in others]
                weights = learn(
                    [one.only(side.astype(np.int64), taught) for one, side in zip(others, sides, strict=True)],
                    known=known,
                )
                found.append(weights)
                part = weighted(groups[pair].layers[tested], weights)
                own[tested] = np.where(place == half, part, own[tested])
        values[pair] = own
    return values, found


def strict_pairs(groups: Mapping[str, Judged]) -> list[Preferences]:
    """Return the comparisons of WMT 2012 that the folds count: of two systems of the same half."""
    halves, kept = name_halves(groups), []
    for pair in PAIRS:
        place = np.array([halves[_name(name)] for name in groups[pair].names])
        one = groups[pair].preferences
        kept.append(pairs_where(one, place[one.first] == place[one.second]))
    return kept


def span(found: Difference) -> str:
    """Return a difference with its interval."""
    return f"{found.difference:+.4f} [{found.low:+.4f}, {found.high:+.4f}]"


def row(label: str, found: Mapping[Statistic, Difference]) -> str:
    """Return a row of a table: the value under each rule, and how far it is ahead."""
    cells = " | ".join(f"{found[rule].a:.4f} | {span(found[rule])}" for rule in RULES)
    return f"| {label} | {cells} |"


def show_variants(groups: Mapping[str, Judged]) -> None:
    """Print learned and fixed weights beside chrF, on strict folds of WMT 2012 and on TED."""
    said, ted = strict_pairs(groups), groups[TED]
    chrf = [groups[pair].scores["chrf"] for pair in PAIRS]
    print("| on | variant | " + " | ".join(f"{rule} | ahead of chrF by" for rule in RULES) + " |")
    print("|---|---|" + "---|---|" * len(RULES))
    for known in (True, False):
        values, weights = strict_folds(groups, known=known)
        label = "learned, with known" if known else "learned, without known"
        print(row(f"WMT 2012 | {label}", compare_segments([values[pair] for pair in PAIRS], chrf, said, swaps=1)))
        from_wmt = learn([groups[pair] for pair in PAIRS], known=known)
        found = compare_segments([weighted(ted.layers, from_wmt)], [ted.scores["chrf"]], [ted.preferences], swaps=1)
        print(row(f"{TED} | {label}", found), flush=True)
        shown = ", ".join(f"{mean:.2f} ± {spread:.2f}" for mean, spread in _spread(weights))
        print(f"<!-- weights {', '.join((*LAYERS, 'power'))}: {shown} -->")
    for power in (0, 1, POWER, 4):
        fixed = [blended(groups[pair].layers, power) for pair in PAIRS]
        print(
            row(f"WMT 2012 | equal weights, known to the power {power}", compare_segments(fixed, chrf, said, swaps=1))
        )
        found = compare_segments([blended(ted.layers, power)], [ted.scores["chrf"]], [ted.preferences], swaps=1)
        print(row(f"{TED} | equal weights, known to the power {power}", found), flush=True)


def show_known(groups: Mapping[str, Judged]) -> None:
    """Print blend beside chrF on comparisons of two translations without an unknown word, and how many these are."""
    print(
        "\n| on | comparisons | without unknown words | "
        + " | ".join(f"{rule} | ahead of chrF by" for rule in RULES)
        + " |"
    )
    print("|---|---|---|" + "---|---|" * len(RULES))
    for name, pairs in (("mean of the three", PAIRS), (TED, (TED,))):
        said = [groups[pair].preferences for pair in pairs]
        whole = [groups[pair].layers[..., -1] == 1 for pair in pairs]
        kept = [
            pairs_where(one, known[one.segment, one.first] & known[one.segment, one.second])
            for one, known in zip(said, whole, strict=True)
        ]
        own = [blended(groups[pair].layers) for pair in pairs]
        found = compare_segments(own, [groups[pair].scores["chrf"] for pair in pairs], kept, swaps=1)
        counts = f"{sum(map(len, said)):,} | {sum(map(len, kept)):,}"
        print(row(f"{name} | {counts}", found), flush=True)


def _spread(weights: Sequence[Floats]) -> list[tuple[float, float]]:
    table = np.array(weights)
    return list(zip(table.mean(axis=0).tolist(), table.std(axis=0).tolist(), strict=True))


def show_rivals(groups: Mapping[str, Judged]) -> None:
    """Print blend as it ships beside every rival."""
    print("\n| on | rival | " + " | ".join(f"rival, {rule} | blend is ahead by" for rule in RULES) + " |")
    print("|---|---|" + "---|---|" * len(RULES))
    for name, pairs in (*((pair, (pair,)) for pair in PAIRS), ("mean of the three", PAIRS), (TED, (TED,))):
        said = [groups[pair].preferences for pair in pairs]
        own = [blended(groups[pair].layers) for pair in pairs]
        for rival in RIVALS:
            found = compare_segments(own, [groups[pair].scores[rival] for pair in pairs], said, swaps=1)
            cells = " | ".join(f"{found[rule].b:.4f} | {span(found[rule])}" for rule in RULES)
            print(f"| {name} | {rival} | {cells} |", flush=True)


def read_groups(data: Path, cache: Path | None) -> dict[str, Judged]:
    """Return all groups with their features, from the cache where there is one."""
    if cache and cache.exists():
        found: dict[str, Judged] = pickle.loads(cache.read_bytes())
        return found
    wmt = data / "wmt12"
    groups = {pair: Judged.of(read_group(wmt / "rankings.csv", wmt / "ref.en", wmt / pair)) for pair in PAIRS}
    groups[TED] = Judged.of(read_mqm_group(data / "mqm" / "mqm_ted_zhen.tsv.gz", "refB", ["ref"]))
    if cache:
        cache.write_bytes(pickle.dumps(groups))
    return groups


def main() -> None:
    """Read or compute the features, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--cache", type=Path, help="a file of this program alone: it is unpickled")
    options = parser.parse_args()
    groups = read_groups(options.data, options.cache)
    show_variants(groups)
    show_known(groups)
    show_rivals(groups)


if __name__ == "__main__":
    main()
