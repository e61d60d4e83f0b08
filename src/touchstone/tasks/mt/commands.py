"""The commands about human judgements of translations: meta, agreement, tune."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from touchstone.base.console import remark, working
from touchstone.base.options import Count, Range
from touchstone.tasks.mt.about import Options

if TYPE_CHECKING:
    from touchstone.base.ids import Policy
    from touchstone.core.resampling import Bootstrap
    from touchstone.show.finding import Finding

Ties = Literal["discordant", "skip", "zero"]
Folds = Annotated[int, Range(2)]


def meta(
    judgements: Path,
    runs: Sequence[str] = (),
    *,
    further: Sequence[Path] = (),
    measure: Sequence[str] = (),
    scheme: Path | None = None,
    segments: Literal["judged", "all"] = "judged",
    ties: Ties = "discordant",
    calibrate: Literal["none", "all", "split"] = "all",
    value: Literal["wins", "wins_or_ties", "wins_all"] = "wins",
    by_judge: bool = False,
    cluster: str = "segment",
    resampling: "Bootstrap",
    jobs: Count | None = None,
    task_options: Options,
    policy: "Policy",
) -> "Finding":
    """Compare metrics with human judgements of systems and of segments: correlations, intervals, tests.

    Example: touchstone mt meta rankings.csv de-en/ --ref ref.en --measure "maxsim(n)" --measure bleu

    Example: touchstone mt meta mqm.tsv --reference-system refA --measure chrf --scores comet=comet.tsv

    Parameters
    ----------
    judgements : JUDGEMENTS
        Rankings, raw MQM, or scores by judges, in the formats that WMT publishes.
    runs : [PAIR=]RUNS
        For each language pair, a folder with the output of each system and the name of the pair in the judgements; or
        a table (.tsv, .jsonl) with references and outputs. Not needed if the judgements contain the outputs.
    further : --judgements FILE
        Further judgements, of other criteria. Repeatable.
    measure : -m NAME
        A measure. Repeatable.
    scheme : FILE
        The costs of MQM errors: a table of severity, category, weight.
    segments
        The segments on which system scores are computed.
    ties
        How to count a tie of the metric if a judge sees a difference.
    calibrate
        How acc_eq chooses which differences count as ties.
    value : --system-value
        How the value of a system is computed from rankings.
    by_judge
        Standardise the scores of each judge.
    cluster : FIELD
        The clusters of intervals and tests: segment or document.
    jobs
        Number of processes; for large inputs one per core by default.
    """
    from touchstone.tasks.mt.judges import check_choice, metaeval
    from touchstone.tasks.mt.judges.metaeval.levels import Settings
    from touchstone.tasks.mt.judges.pairs import read_all_judgements, score_pairs

    with working(f"reading {judgements}"):
        judged = read_all_judgements(judgements, *further, scheme=scheme)
    results, without = score_pairs(judged, runs, measure, task_options, policy, jobs)
    check_choice("unknown cluster", cluster, ("segment", "document"))
    with working("comparing metrics with judges"):
        over = replace(resampling, cluster=cluster)
        settings = Settings(segments, ties, calibrate, value, by_judge, over, without=without)
        compared = metaeval.meta(judged, results, settings)
    if task_options.exclude_system:
        compared = replace(compared, notes=[*compared.notes, f"left out: {', '.join(task_options.exclude_system)}"])
    if compared.remarks:
        remark([f"notes on the texts and scores of systems: {len(compared.remarks):,}; --report lists them"])
    return compared


def agreement(judgements: Sequence[Path], *, scheme: Path | None = None, resampling: "Bootstrap") -> "Finding":
    """Show how well annotators agree with each other and with themselves: kappa for each criterion and language pair.

    Example: touchstone mt agreement rankings.csv

    Parameters
    ----------
    judgements : JUDGEMENTS
        Rankings, raw MQM, or scores by annotators.
    scheme : FILE
        The costs of MQM errors: a table of severity, category, weight.
    """
    from touchstone.tasks.mt.judges import agreement as people
    from touchstone.tasks.mt.judges.pairs import read_all_judgements

    with working("comparing annotators"):
        over = replace(resampling, cluster="segment")
        return people.agreement(read_all_judgements(*judgements, scheme=scheme), resampling=over)


def tune(
    judgements: Path,
    runs: Sequence[str] = (),
    *,
    tuned: str = "maxsim(n)",
    leave_out: Literal["segments", "pair"] = "segments",
    folds: Folds = 5,
    ties: Ties = "discordant",
    resampling: "Bootstrap",
    jobs: Count | None = None,
    task_options: Options,
    policy: "Policy",
) -> "Finding":
    """Choose alpha and weights of MAXSIM by cross-validation; every reported value is for held-out data.

    Example: touchstone mt tune rankings.csv cs-en/ de-en/ --ref ref.en --tuned maxsim

    Parameters
    ----------
    judgements : JUDGEMENTS
        Rankings, raw MQM, or scores by judges, in the formats that WMT publishes.
    runs : [PAIR=]RUNS
        For each language pair, a folder with the output of each system and the name of the pair in the judgements; or
        a table (.tsv, .jsonl) with references and outputs. Not needed if the judgements contain the outputs.
    tuned : NAME
        The measure to tune: maxsim, or "maxsim(n+d)".
    leave_out
        What a fold holds out: consecutive segments, or a language pair.
    folds
        The number of folds of segments.
    ties
        How to count a tie of the metric if a judge sees a difference.
    jobs
        Number of processes; for large inputs one per core by default.
    """
    from touchstone.tasks.mt.judges import tuning
    from touchstone.tasks.mt.judges.pairs import read_all_judgements, score_pairs

    judged = read_all_judgements(judgements)
    results, _ = score_pairs(judged, runs, [tuned], task_options, policy, jobs)
    with working("trying settings"):
        over = replace(resampling, cluster="segment")
        return tuning.tune(judged, results, leave_out=leave_out, folds=folds, ties=ties, resampling=over)
