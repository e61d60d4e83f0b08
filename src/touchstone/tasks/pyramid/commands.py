"""The commands about pyramids and tables of scores: describe, table, analyse, agreement, power."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from touchstone.base.codes import Code
from touchstone.base.console import remark, working
from touchstone.base.errors import TouchstoneError
from touchstone.base.options import Count, ItemTable, Seed
from touchstone.tasks.pyramid.about import ReadingOptions

if TYPE_CHECKING:
    from touchstone.core.resampling import Bootstrap
    from touchstone.show.finding import Finding


def describe(files: Sequence[Path], *, reading: ReadingOptions) -> "Finding":
    """Show the sizes and tiers of pyramids, and the properties of their units at each weight.

    Example: touchstone pyramid describe pyr/*.pyr

    Parameters
    ----------
    files : FILE
        Pyramids, or annotations that contain them.
    """
    from touchstone.io.tables import refuse_absent_columns
    from touchstone.tasks.pyramid.describing import describe
    from touchstone.tasks.pyramid.formats import read_all, read_meta
    from touchstone.tasks.pyramid.model import Annotation, Pyramid

    refuse_absent_columns(reading.column, [])  # neither pyramids nor annotations are tables
    meta = read_meta(reading.meta).identities if reading.meta else None
    things = read_all(files, models=reading.models, meta=meta)
    pyramids = [thing for thing in things if isinstance(thing, Pyramid)]
    described = {standalone.set for standalone in pyramids}
    annotations = [thing for thing in things if isinstance(thing, Annotation)]
    carried = {annotation.set: annotation.pyramid for annotation in annotations if annotation.set not in described}
    return describe([*pyramids, *carried.values()])


def table(
    files: Sequence[Path],
    *,
    ratings: Sequence[Path] = (),
    annotators: Literal["mean", "each"] = "mean",
    out: ItemTable = None,
    reading: ReadingOptions,
) -> "Finding | None":
    """Make one table of scores and ratings, for the analysis; --out writes .csv, .jsonl or .parquet.

    Example: touchstone pyramid table pan/*.pan --ratings content.table --ratings linguistic_quality.table -o table.csv

    Parameters
    ----------
    files : FILE
        Annotations (.pan, .json), or folders of them.
    ratings : FILE
        Ratings with setid and peerid, or a .table of NIST. Repeatable.
    annotators
        A row for each summary, or for each annotation.
    out : -o FILE
        Write the table to a file instead of the terminal: .jsonl .csv .parquet.
    """
    from touchstone.base.tables import Column, Table
    from touchstone.io.writing import write_table
    from touchstone.show.finding import Statement, kind_rows
    from touchstone.tasks.pyramid.score_tables import score_table
    from touchstone.tasks.pyramid.task import read_gold

    scores = score_table(read_gold(files, reading), *ratings, annotators=annotators)
    arrow = scores.to_arrow()
    if out:
        write_table(out, arrow)
        remark([f"{arrow.num_rows:,} rows are in {out}", *scores.notes])
        return None
    rows = arrow.to_pylist()
    summary_table = Table([Column(name) for name in arrow.column_names], [list(row.values()) for row in rows])
    return Statement("Scores of summaries", [summary_table], kind_rows("summary", rows), notes=scores.notes)


def analyse(
    table: Path,
    *,
    dependent: str = "score",
    factors: str | None = None,
    anova_type: Literal["I", "II", "III"] = "II",
    test: Literal["hsd", "lsd"] = "hsd",
    means: Literal["raw", "least-squares"] = "raw",
    alpha: float = 0.05,
    annotators: Literal["mean", "each"] = "mean",
    baseline: str | None = None,
    ratings: Sequence[Path] = (),
    random: str | None = None,
    beside: Path | None = None,
) -> "Finding":
    """Find which factors affect the scores: analysis of variance, then which peers and document sets differ.

    Raw means and least-squares means are both shown, with a warning if they disagree about which pairs differ.

    Example: touchstone pyramid analyse table.csv --factors setid,peerid,content --random setid --report analysis.html

    Parameters
    ----------
    table : TABLE
        Scores with setid and peerid, as written by pyramid table; NIST's tables; or presence.
    dependent : COLUMN
        The column of scores.
    factors : COLUMNS
        Columns that may explain the scores, separated by commas; by default set and peer.
    anova_type : --type
        Type of the analysis of variance.
    test
        Tukey's HSD, or Fisher's unadjusted LSD.
    means
        Which means are compared.
    alpha
        Significance level of each test.
    annotators
        Average the annotators of a summary, or keep a row for each.
    baseline : PEER
        Count the peers above this one.
    ratings : FILE
        Ratings with setid and peerid, or a .table of NIST. Repeatable.
    random : COLUMNS
        Columns whose levels are a sample, such as sets: fit a mixed model too.
    beside : TABLE
        Another evaluation; compares how many differences each shows.
    """
    from touchstone.tasks.pyramid.analysis import analyse
    from touchstone.tasks.pyramid.evaluations import compare_evaluations
    from touchstone.tasks.pyramid.score_tables import read_scores

    with working("analysing"):
        scores = read_scores(table, *ratings)
        analysis = analyse(
            scores, dependent, _names(factors), type=anova_type, test=test, means=means, alpha=alpha,
            annotators=annotators, baseline=baseline, random=_names(random),
        )  # fmt: skip
        if not beside:
            return analysis
        tables = [scores, read_scores(beside)]
        compared = compare_evaluations(tables, dependent, alpha=alpha, baseline=baseline)
    return replace(analysis, evaluations=compared)


def agreement(people: Sequence[Path], *, models: Count | None = None, resampling: "Bootstrap") -> "Finding":
    """Show how well two people agree: on units in the same peers, on their scores, on pyramids of the same models.

    Example: touchstone pyramid agreement annotatorA/ annotatorB/

    Parameters
    ----------
    people : PERSON PERSON
        Two folders or files of annotations or pyramids; tables of presence; or files of votes.
    models : N
        Number of model summaries; by default the headers are counted.
    """
    from touchstone.tasks.pyramid.agreement import agree, vote_agreement
    from touchstone.tasks.pyramid.decisions import votes_of_people
    from touchstone.tasks.pyramid.presence import is_presence, read_presence
    from touchstone.tasks.pyramid.readings import read_reading

    with working("comparing"):
        if all(map(is_presence, people)):
            each = [read_presence(path) for path in people]
            voted = any(decision.votes for presence in each for decision in presence.decisions)
            several = not voted and len(each) > 1  # tables of different people
            presence = votes_of_people(each) if several else read_presence(*people)
            return vote_agreement(presence, resampling=resampling)
        if len(people) == 2:
            first, second = (read_reading(path, models=models) for path in people)
            return agree(first, second, resampling=resampling)
    hint = "give a folder for each of two people, or the files of votes"
    raise TouchstoneError(f"{len(people)} inputs are not two people", code=Code.BAD_VALUE, hint=hint)


def power(
    table: Path,
    *,
    peers: str | None = None,
    dependent: str = "score",
    target: float = 0.8,
    alpha: float = 0.05,
    draws: Count = 10_000,
    subsets: Count = 500,
    seed: Seed = 0,
) -> "Finding":
    """Show how many document sets are needed to separate two peers, and which small subsets are best.

    Example: touchstone pyramid power table.csv --peers 10,15

    Parameters
    ----------
    table : TABLE
        Scores with setid and peerid, as written by pyramid table; NIST's tables; or presence.
    peers : A,B
        Two peers; by default all pairs that differ.
    dependent : COLUMN
        The column of scores.
    target
        Required power.
    alpha
        Significance level of each test.
    draws
        Number of bootstrap draws.
    subsets
        Number of subsets to try for each size.
    seed
        Seed of the random draws.
    """
    from touchstone.tasks.pyramid.power import power_of
    from touchstone.tasks.pyramid.score_tables import read_scores

    pair = _pair(peers) if peers is not None else None
    with working("drawing document sets"):
        return power_of(
            read_scores(table),
            pair,
            dependent,
            target=target,
            alpha=alpha,
            draws=draws,
            subsets=subsets,
            seed=seed,
        )


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def _pair(peers: str) -> tuple[str, str]:
    from touchstone.tasks.pyramid.model import unpadded

    names = [unpadded(name) for name in _names(peers)]
    if len(names) != 2:
        hint = "write them as --peers 10,15"
        raise TouchstoneError("two peers are needed", value=peers, code=Code.BAD_VALUE, hint=hint)
    return names[0], names[1]
