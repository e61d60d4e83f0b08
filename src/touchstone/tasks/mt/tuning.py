"""Tuning of MAXSIM by cross-validation: alpha, and the weight of each order of n-grams and of relations.

Settings are rebuilt from the parts of one scoring: what was matched, and how many items each side has. A setting is
chosen on some folds and reported on the one left out; how good the best is where it was chosen is never said.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from touchstone import __version__
from touchstone.errors import TouchstoneError
from touchstone.measures import Measure
from touchstone.ragged import Floats, Ints
from touchstone.resampling import Resampling, interval_text
from touchstone.results import Results
from touchstone.stats import Fold as Folding
from touchstone.stats import affordable_draws, folded, percentile, permutation_test, resampled_sums
from touchstone.tables import Cell, Column, Table, number, p_text
from touchstone.tasks.mt.judging import Judgements
from touchstone.tasks.mt.metaeval.ground import Ground, Part, lay_ground
from touchstone.tasks.mt.metaeval.segments import COUNTS, Ties, averaged, fold_of, segment_records
from touchstone.tasks.mt.metaeval.systems import coefficients
from touchstone.tasks.mt.model import Compared
from touchstone.tasks.mt.tuning_settings import DEFAULT_ALPHA, Setting, Terms, all_settings

Level = Literal["segment", "system"]

FOLDS = 5


@dataclass(frozen=True)
class Fold:
    """What was chosen without the fold *left_out*, and how it does there, beside the default."""

    left_out: str
    chosen: Setting
    value: float
    default: float
    n: int


@dataclass(frozen=True)
class Held:
    """All folds together, each under the setting chosen without it: value, default, difference, interval and p."""

    value: float
    default: float
    difference: float
    low: float
    high: float
    p: float


@dataclass(frozen=True, eq=False)
class Tuning:
    """Settings chosen by cross-validation, held out fold by fold."""

    measure: str
    terms: tuple[str, ...]
    criterion: str
    level: Level
    statistic: str
    tried: int
    folds: tuple[Fold, ...]
    held: Held | None
    signature: Mapping[str, str]
    notes: Sequence[str] = ()

    @property
    def mean(self) -> float:
        """The mean of the held-out values."""
        return float(np.mean([fold.value for fold in self.folds]))

    @property
    def spread(self) -> float:
        """The standard deviation of the held-out values over folds."""
        return float(np.std([fold.value for fold in self.folds], ddof=1))

    def table(self) -> Table:
        """Return each fold: what was chosen without it and what it then gives, beside the default."""
        rows: list[list[Cell]] = [
            [
                fold.left_out,
                number(fold.chosen.alpha, 1),
                ":".join(map(str, fold.chosen.weights)),
                fold.value,
                fold.default,
                number(fold.value - fold.default),
                fold.n,
            ]
            for fold in self.folds
        ]
        default = float(np.mean([fold.default for fold in self.folds]))
        count = sum(fold.n for fold in self.folds)
        rows.append(["mean", "", "", self.mean, default, number(self.mean - default), count])
        heads = ("alpha", f"weights {':'.join(self.terms)}", "held out", "default", "difference", "n")
        columns = [Column("left out"), *(Column(head, "right") for head in heads)]
        title = f"{self.measure} tuned on {self.criterion} by {self.statistic}, each fold judged by the others' choice"
        spread = f"spread of the held-out values (standard deviation over folds): {number(self.spread)}"
        tried = f"{self.tried:,} settings tried in each fold"
        return Table(columns, rows, title, [tried, spread, *self._held_note()], rules={len(rows) - 1})

    def _held_note(self) -> list[str]:
        if self.held is None:
            return ["the folds are whole language pairs: too few for an interval of the difference"]
        held = self.held
        ends = interval_text(held.low, held.high)
        return [
            f"all folds together: {number(held.value)} against {number(held.default)} of the default, "
            f"difference {number(held.difference)} ({ends}, p {p_text(held.p)})"
        ]

    def to_json(self) -> str:
        """Return signature, folds and their summary as one JSON object."""
        folds = [{**vars(fold), "chosen": {**vars(fold.chosen)}} for fold in self.folds]
        found = {
            "signature": dict(self.signature),
            "measure": self.measure,
            "terms": self.terms,
            "statistic": self.statistic,
            "tried": self.tried,
            "folds": folds,
            "mean": self.mean,
            "spread": self.spread,
            "together": None if self.held is None else vars(self.held),
        }
        return json.dumps(found, ensure_ascii=False, indent=2)

    def __repr__(self) -> str:
        return self.table().to_text()


def tune(
    human: Judgements | Sequence[Judgements],
    results: Results | Mapping[str, Results],
    *,
    level: Level = "segment",
    folds: int = FOLDS,
    ties: Ties = "discordant",
    resampling: Resampling | None = None,
) -> Tuning:
    """Choose alpha and weights of the one measure of *results*, a MAXSIM, by cross-validation.

    At segment level a fold is a run of judged segments, the same in all groups, and the aim is tau under the rule
    for *ties*; at system level it is a language pair, and the aim is Spearman's rho. Both are averaged over groups.
    """
    judged = human if isinstance(human, Judgements) else next(iter(human))
    groups = {_name(judged): results} if isinstance(results, Results) else dict(results)
    how = resampling or Resampling(unit="segment")
    ground = lay_ground(judged, groups, scope="judged", wins="wins", by_judge=False)
    measure = _measure(groups)
    terms = [Terms.of(part, measure) for part in ground.parts]
    settings = all_settings(len(terms[0].names))
    default = Setting(DEFAULT_ALPHA, (1,) * len(terms[0].names))
    if level == "segment":
        found, held = _over_segments(ground, terms, settings, default, folds, ties, how)
    elif level == "system":
        found, held = _over_groups(ground, terms, settings, default), None
    else:
        raise TouchstoneError("unknown level", value=level, hint="choose segment or system")
    said = f"{len(found)} runs of judged segments" if level == "segment" else "each language pair in turn"
    first = next(iter(groups.values())).signature
    keys = ("references", "items", "reading", "metrics")
    return Tuning(
        measure=measure.name,
        terms=terms[0].names,
        criterion=judged.criterion,
        level=level,
        statistic=f"tau.{ties}" if level == "segment" else "spearman",
        tried=len(settings),
        folds=tuple(found),
        held=held,
        signature={
            "touchstone": __version__,
            "task": "mt tune",
            "human": str(judged.source),
            **{key: first[key] for key in keys if key in first},
            "systems": " | ".join(f"{name}: {one.signature.get('systems', '')}" for name, one in groups.items()),
            "measure": measure.name,
            "folds": said,
            "settings": f"{len(settings)}: alpha 0 to 1 by 0.1, each of {', '.join(terms[0].names)} weighs 0, 1 or 2",
            "intervals": f"{how}; numpy {np.__version__}",
        },
        notes=ground.notes,
    )


def _name(judged: Judgements) -> str:
    return judged.groups[0] or "all"


def _measure(groups: Mapping[str, Results]) -> Measure[Compared]:
    measures = [measure for results in groups.values() for measure in results.measures]
    names = {measure.name for measure in measures}
    if len(names) != 1 or not names & {name for name in names if name.startswith("maxsim")}:
        hint = "score systems under maxsim(n) or maxsim(n+d) alone"
        raise TouchstoneError("only a MAXSIM can be tuned, one at a time", value=", ".join(sorted(names)), hint=hint)
    return measures[0]


def _over_segments(
    ground: Ground,
    terms: Sequence[Terms],
    settings: Sequence[Setting],
    default: Setting,
    n_folds: int,
    ties: Ties,
    how: Resampling,
) -> tuple[list[Fold], Held]:
    """Leave out a run of segments at a time."""
    runs = _runs(ground, n_folds)
    fold = averaged(fold_of(ties))
    sums = np.stack([_by_run(_records(ground, terms, setting), runs, n_folds) for setting in settings])
    total, found = sums.sum(axis=1), []
    own = settings.index(default)
    best = np.argmax(folded(fold, total[:, None] - sums), axis=0)
    for run, place in enumerate(best.tolist()):
        value, plain = (float(folded(fold, sums[at, run])) for at in (place, own))
        pairs = sums[own, run].reshape(-1, COUNTS)[:, :3].sum()
        found.append(Fold(f"segments, part {run + 1}", settings[place], value, plain, int(pairs)))
    chosen = np.zeros((ground.n_units, total.shape[1]))
    for place in np.unique(best).tolist():
        inside = np.isin(runs, np.flatnonzero(best == place))
        chosen[inside] = _records(ground, terms, settings[place])[inside]
    return found, _held(chosen, _records(ground, terms, default), fold, how)


def _runs(ground: Ground, n_folds: int) -> Ints:
    """Return the run that each unit belongs to: judged segments in their order, cut into runs of equal length."""
    if not 2 <= n_folds <= ground.n_units:
        raise TouchstoneError(
            f"{n_folds} folds of {ground.n_units:,} judged segments", hint="choose from 2 folds to one for each segment"
        )
    rows = np.full(ground.n_units, np.iinfo(np.int64).max)
    for part in ground.parts:
        inside = np.flatnonzero(part.units >= 0)
        np.minimum.at(rows, part.units[inside], inside)
    order = np.argsort(rows, kind="stable")
    runs = np.zeros(ground.n_units, np.int64)
    runs[order] = np.arange(ground.n_units) * n_folds // ground.n_units
    return runs


def _records(ground: Ground, terms: Sequence[Terms], setting: Setting) -> Floats:
    """Return the counts of pairs of every unit under a setting, the groups side by side."""
    parts = zip(ground.parts, terms, strict=True)
    return np.hstack(
        [part.by_unit(segment_records(own.values(setting), part.said), ground.n_units) for part, own in parts]
    )


def _by_run(records: Floats, runs: Ints, n_folds: int) -> Floats:
    sums = np.zeros((n_folds, records.shape[1]))
    np.add.at(sums, runs, records)
    return sums


def _held(chosen: Floats, default: Floats, fold: Folding, how: Resampling) -> Held:
    draws = affordable_draws(len(chosen), how.draws)
    drawn = [folded(fold, resampled_sums(records, draws=draws, seed=how.seed)) for records in (chosen, default)]
    values = [float(folded(fold, records.sum(axis=0))) for records in (chosen, default)]
    ends = percentile(drawn[0] - drawn[1], how.level)
    test = permutation_test(chosen, default, fold, draws=1000, seed=how.seed)
    return Held(values[0], values[1], values[0] - values[1], ends.low, ends.high, test.p)


def _over_groups(ground: Ground, terms: Sequence[Terms], settings: Sequence[Setting], default: Setting) -> list[Fold]:
    """Leave out a language pair at a time."""
    if len(ground.parts) < 2:
        hint = "give the systems of another language pair, or tune at the level of segments"
        raise TouchstoneError("leaving one language pair out needs two of them", hint=hint)
    rho = np.array(
        [
            [_spearman(part, own.values(setting)) for part, own in zip(ground.parts, terms, strict=True)]
            for setting in settings
        ]
    )
    place, found = settings.index(default), []
    for column, part in enumerate(ground.parts):
        best = int(np.argmax(np.delete(rho, column, axis=1).mean(axis=1)))
        value, plain = float(rho[best, column]), float(rho[place, column])
        found.append(Fold(part.name, settings[best], value, plain, len(part.systems)))
    return found


def _spearman(part: Part, values: Floats) -> float:
    cells = part.covered & ~np.isnan(values)
    means = np.where(cells, values, 0.0).sum(axis=0) / np.maximum(cells.sum(axis=0), 1)
    return float(coefficients(means[part.systems], part.human.totals[part.systems], "spearman"))
