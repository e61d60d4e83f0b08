"""Tuning of MAXSIM by cross-validation: alpha, and the weight of each order of n-grams and of relations.

Scores under any setting are computed from the parts of one scoring: what was matched, and how many items each side has.
A setting is chosen on some folds and reported on the one left out; its value where it was chosen is never reported.
"""

from collections.abc import Mapping, Sequence
from typing import get_args

import numpy as np

from touchstone import __version__
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Floats, Ints
from touchstone.core.measures import Measure
from touchstone.core.resampling import Resampling
from touchstone.core.results import Results
from touchstone.stats import Fold as Folding
from touchstone.stats import affordable_draws, folded, percentile, permutation_test, resampled_sums
from touchstone.tasks.mt.judges.judgements import Judgements
from touchstone.tasks.mt.judges.metaeval.joining import JoinedGroup, JoinedJudgements, join_judgements
from touchstone.tasks.mt.judges.metaeval.segments import COUNTS, Ties, averaged, fold_of, segment_records
from touchstone.tasks.mt.judges.metaeval.systems import coefficients
from touchstone.tasks.mt.judges.tuning.model import Fold, Held, LeaveOut, Tuning
from touchstone.tasks.mt.judges.tuning.settings import DEFAULT_ALPHA, Setting, Terms, all_settings
from touchstone.tasks.mt.model import Joined, check_choice

FOLDS = 5


def tune(
    human: Judgements | Sequence[Judgements],
    results: Results | Mapping[str, Results],
    *,
    leave_out: LeaveOut = "segments",
    folds: int = FOLDS,
    ties: Ties = "discordant",
    resampling: Resampling | None = None,
) -> Tuning:
    """Choose alpha and weights of the one measure of *results*, a MAXSIM, by cross-validation.

    Parameters
    ----------
    human
        The judgements; of several criteria the first is used, and a note names the others.
    results
        The scores of the systems of each group (language pair) by its name, or of one group alone.
    leave_out
        What a fold leaves out: a run of judged segments, the same in all groups, with tau as the aim; or a language
        pair, with Spearman's rho over systems as the aim. Both are averaged over groups.
    folds
        The number of folds of segments.
    ties
        What a tie of the metric counts in tau.
    resampling
        How the interval of the difference to the default is computed.

    Examples
    --------
    >>> from pathlib import Path
    >>> import touchstone
    >>> from touchstone import mt
    >>> folder = Path(touchstone.__file__).parent / "examples" / "mt"
    >>> results = mt.score(folder / "refA.en", [folder / "de-en"], ["maxsim(n)"])
    >>> tuned = mt.tune(mt.read_judgements(folder / "rankings.csv"), results, folds=2)
    >>> tuned.measure, len(tuned.folds)
    ('maxsim(n)', 2)
    """
    check_choice("nothing of this kind can be left out", leave_out, get_args(LeaveOut))
    judged, *others = [human] if isinstance(human, Judgements) else human
    groups = {judged.groups[0] or "all": results} if isinstance(results, Results) else dict(results)
    how = (resampling or Resampling(cluster="segment")).bootstrap()
    joined = join_judgements(judged, groups, scope="judged", wins="wins", by_judge=False)
    measure = _measure(groups)
    terms = [Terms.of(part, measure) for part in joined.parts]
    names, held = terms[0].names, None
    settings, default = all_settings(len(names)), Setting(DEFAULT_ALPHA, (1,) * len(names))
    if leave_out == "segments":
        statistic, of_folds = f"tau.{ties}", f"{folds} runs of judged segments"
        tuned_folds, held = _over_segments(joined, terms, settings, default, folds, ties, how)
    else:
        statistic, of_folds = "spearman", "each language pair in turn"
        tuned_folds = _over_groups(joined, terms, settings, default)
    tried = f"{len(settings)}: alpha 0 to 1 by 0.1, each of {', '.join(names)} weighs 0, 1 or 2"
    facts = {"measure": measure.name, "statistic": statistic, "folds": of_folds, "settings": tried}
    signature, notes = _signature(judged, groups, facts, how), (*joined.notes, *_unused(judged, others))
    chosen = measure.name, names, judged.criterion, statistic, len(settings), tuple(tuned_folds), held
    return Tuning(*chosen, signature, notes, how.level)


def _unused(judged: Judgements, others: Sequence[Judgements]) -> list[str]:
    """Return a note on further criteria, which are not tuned on."""
    unused = ", ".join(f"{other.criterion} of {other.source.name}" for other in others)
    return [f"tuned on {judged.criterion} alone; not used: {unused}"] if others else []


def _signature(
    judged: Judgements, groups: Mapping[str, Results], facts: Mapping[str, str], how: Resampling
) -> dict[str, str]:
    first = next(iter(groups.values())).signature
    return {
        "touchstone": __version__,
        "task": "mt tune",
        "human": f"{judged.source}, {judged.criterion}",
        **{key: first[key] for key in ("gold", "items", "reading", "metrics") if key in first},
        "systems": " | ".join(f"{name}: {scored.signature.get('systems', '')}" for name, scored in groups.items()),
        **facts,
        "intervals": f"{how}; numpy {np.__version__}",
    }


def _measure(groups: Mapping[str, Results]) -> Measure[Joined]:
    measures = [measure for results in groups.values() for measure in results.measures]
    names = {measure.name for measure in measures}
    if len(names) != 1 or not measures[0].name.startswith("maxsim"):
        hint = "score systems under maxsim(n) or maxsim(n+d) alone"
        what = "only a MAXSIM can be tuned, one at a time"
        raise TouchstoneError(what, value=", ".join(sorted(names)), code=Code.UNSUPPORTED, hint=hint)
    return measures[0]


def _over_segments(
    joined: JoinedJudgements,
    terms: Sequence[Terms],
    settings: Sequence[Setting],
    default: Setting,
    n_folds: int,
    ties: Ties,
    how: Resampling,
) -> tuple[list[Fold], Held]:
    """Leave out a run of segments at a time."""
    runs = _runs(joined, n_folds)
    fold = averaged(fold_of(ties))
    sums = np.zeros((len(settings), n_folds, COUNTS * len(terms)))
    for index, setting in enumerate(settings):
        np.add.at(sums[index], runs, _records(joined, terms, setting))
    total, tuned_folds = sums.sum(axis=1), []
    default_index = settings.index(default)
    # The counts of all other folds are the total less those of the fold that is left out.
    best = _best(folded(fold, total[:, None] - sums))
    for run, index in enumerate(best.tolist()):
        value, default_value = (float(folded(fold, sums[at, run])) for at in (index, default_index))
        pairs = sums[default_index, run].reshape(-1, COUNTS)[:, :3].sum()
        tuned_folds.append(Fold(f"segments, part {run + 1}", settings[index], value, default_value, int(pairs)))
    chosen = np.zeros((joined.n_clusters, total.shape[1]))
    for index in np.unique(best).tolist():
        # Each fold counts under the setting that was chosen without it.
        inside = np.isin(runs, np.flatnonzero(best == index))
        chosen[inside] = _records(joined, terms, settings[index])[inside]
    return tuned_folds, _held(chosen, _records(joined, terms, default), fold, how)


def _best(values: Floats) -> Ints:
    """Return the place of the greatest value along the first axis; a setting without a value is never chosen."""
    return np.asarray(np.argmax(np.where(np.isnan(values), -np.inf, values), axis=0))


def _runs(joined: JoinedJudgements, n_folds: int) -> Ints:
    """Return the run of each cluster: judged segments in their order, cut into runs of equal length."""
    if not 2 <= n_folds <= joined.n_clusters:
        what = f"{n_folds} folds of {joined.n_clusters:,} judged segments"
        raise TouchstoneError(what, code=Code.BAD_VALUE, hint="choose from 2 folds to one for each segment")
    rows = np.full(joined.n_clusters, np.iinfo(np.int64).max)
    for part in joined.parts:
        inside = np.flatnonzero(part.clusters >= 0)
        np.minimum.at(rows, part.clusters[inside], inside)
    order = np.argsort(rows, kind="stable")
    runs = np.zeros(joined.n_clusters, np.int64)
    runs[order] = np.arange(joined.n_clusters) * n_folds // joined.n_clusters
    return runs


def _records(joined: JoinedJudgements, terms: Sequence[Terms], setting: Setting) -> Floats:
    """Return the counts of pairs of every cluster under a setting, the groups side by side."""
    parts = []
    for part, part_terms in zip(joined.parts, terms, strict=True):
        records = segment_records(part_terms.values(setting), part.preferences)
        parts.append(part.by_cluster(records, joined.n_clusters))
    return np.hstack(parts)


def _held(chosen: Floats, default: Floats, fold: Folding, how: Resampling) -> Held:
    draws = affordable_draws(len(chosen), how.draws)
    drawn = [folded(fold, resampled_sums(records, draws=draws, seed=how.seed)) for records in (chosen, default)]
    values = [float(folded(fold, records.sum(axis=0))) for records in (chosen, default)]
    ends = percentile(drawn[0] - drawn[1], how.level)
    test = permutation_test(chosen, default, fold, draws=1000, seed=how.seed)
    return Held(values[0], values[1], values[0] - values[1], ends.low, ends.high, test.p)


def _over_groups(
    joined: JoinedJudgements, terms: Sequence[Terms], settings: Sequence[Setting], default: Setting
) -> list[Fold]:
    """Leave out a language pair at a time."""
    if len(joined.parts) < 2:
        hint = "give the runs of another language pair, or leave out segments"
        raise TouchstoneError("leaving one language pair out needs two of them", code=Code.TOO_FEW, hint=hint)
    groups = list(zip(joined.parts, terms, strict=True))
    rho = np.array(
        [[_spearman(part, part_terms.values(setting)) for part, part_terms in groups] for setting in settings]
    )
    default_index, tuned_folds = settings.index(default), []
    for column, part in enumerate(joined.parts):
        best = int(_best(np.delete(rho, column, axis=1).mean(axis=1)))
        value, default_value = float(rho[best, column]), float(rho[default_index, column])
        tuned_folds.append(Fold(part.name, settings[best], value, default_value, len(part.systems)))
    return tuned_folds


def _spearman(part: JoinedGroup, values: Floats) -> float:
    cells = part.covered & ~np.isnan(values)
    means = np.where(cells, values, 0.0).sum(axis=0) / np.maximum(cells.sum(axis=0), 1)
    return float(coefficients(means[part.systems], part.human.totals[part.systems], "spearman"))
