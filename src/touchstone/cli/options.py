"""Options that commands share, as dataclasses: each field is an option, which the docstring of the class explains."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import STDIN
from touchstone.base.options import Count, Draws, Range, Seed, Written

if TYPE_CHECKING:
    from touchstone.base.ids import Policy
    from touchstone.base.workers import Engine
    from touchstone.core.resampling import Resampling

Confidence = Annotated[float, Range(0.5, 0.999)]


class Format(StrEnum):
    """The formats of printed tables."""

    TEXT = "text"
    MARKDOWN = "markdown"
    LATEX = "latex"


@dataclass(frozen=True)
class DrawOptions:
    """Intervals.

    Parameters
    ----------
    draws
        Number of draws of a bootstrap interval.
    seed
        Seed of the random draws.
    confidence : LEVEL
        Confidence level of intervals; .95 means that 95% of them contain the true value.
    """

    draws: Draws = 1000
    seed: Seed = 0
    confidence: Confidence = 0.95

    def build(self) -> "Resampling":
        """Return the settings that the library takes."""
        from touchstone.core.resampling import Resampling

        return Resampling(draws=self.draws, seed=self.seed, level=self.confidence)


@dataclass(frozen=True)
class IntervalOptions(DrawOptions):
    """Intervals and tests.

    Parameters
    ----------
    intervals
        How intervals are computed.
    cluster : FIELD
        Treat items with the same value of this field as one cluster; item: no clusters.
    """

    intervals: Literal["jackknife", "percentile", "bca", "none"] = "jackknife"
    cluster: str | None = None

    def build(self) -> "Resampling":
        """Return the settings that the library takes."""
        from touchstone.core.resampling import Resampling

        return Resampling(self.intervals, self.draws, self.seed, self.confidence, self.cluster)


@dataclass(frozen=True)
class PolicyOptions:
    """Ids that do not match one to one.

    Parameters
    ----------
    missing
        Items that a run lacks: report an error, score them 0, or skip them.
    unknown
        Ids of a run that are not in the gold: report an error, or ignore them.
    duplicates
        Ids that occur twice in a run: report an error, or keep the first.
    """

    missing: Literal["error", "zero", "skip"] | None = None
    unknown: Literal["error", "ignore"] = "error"
    duplicates: Literal["error", "first"] = "error"

    def build(self) -> "Policy":
        """Return the policy that the library takes."""
        from touchstone.base.ids import Policy

        return Policy(self.missing, self.unknown, self.duplicates)


@dataclass(frozen=True)
class EngineSettings:
    """What a file of engine settings may say, and --engine and --jobs alone."""

    name: Literal["in-process", "processes", "ray"] | None = None
    jobs: int | None = None
    address: str | None = None
    shard_rows: int | None = None


@dataclass(frozen=True)
class EngineOptions:
    """Where work runs.

    Parameters
    ----------
    engine : NAME|FILE.toml
        Where the work runs: in-process, processes or ray; or a file with the settings engine, jobs, address (of a Ray
        cluster) and shard_rows. With it, the --out of score and compare is a folder of shards, and the same command
        continues an interrupted run.
    jobs
        Number of processes; for large inputs one per core by default.
    """

    engine: str | None = None
    jobs: Count | None = None

    def settings(self) -> EngineSettings:
        """Return what the options and their file say; the command line has precedence."""
        from dataclasses import replace

        if self.engine is None:
            return EngineSettings(jobs=self.jobs)
        if self.engine.endswith(".toml"):
            from touchstone.cli.engines import read_settings

            settings = read_settings(Path(self.engine))
            return replace(settings, jobs=self.jobs) if self.jobs else settings
        return EngineSettings(self.engine, self.jobs)  # type: ignore[arg-type]  # the engine refuses unknown names

    def build(self) -> "Engine | None":
        """Return the engine that is asked for; None leaves it to the work."""
        from touchstone.base.workers import Engine, engine_for

        settings = self.settings()
        if settings.name is None and settings.address is None:
            return engine_for(settings.jobs)
        return Engine(settings.name or "ray", settings.jobs, settings.address)


@dataclass(frozen=True)
class QuietOptions:
    """Output.

    Parameters
    ----------
    quiet : -q
        Print no notes and no progress.
    """

    quiet: bool = False


@dataclass(frozen=True)
class OutputOptions(QuietOptions):
    """Output.

    Parameters
    ----------
    report : FILE.html
        Write a one-file HTML report; - prints it.
    json
        Print one JSON object.
    format
        Format of the tables.
    out : -o FILE
        Write to a file instead of the terminal.
    """

    report: Annotated[Path | None, Written("report")] = None
    json: bool = False
    format: Format = Format.TEXT
    out: Annotated[Path | None, Written("text")] = None

    def __post_init__(self) -> None:
        """Take the text of a format for the format."""
        object.__setattr__(self, "format", Format(self.format))

    def file_for(self, what: str, out: Path | None) -> Path | None:
        """Return the file for *what* a command makes; None for standard output, which cannot have a finding too."""
        if out is not None and str(out) != STDIN:
            return out
        flags = {
            "--json": self.json,
            f"--format {self.format.value}": self.format != Format.TEXT,
            "--report -": str(self.report) == STDIN,
        }
        for flag in (flag for flag, is_printed in flags.items() if is_printed):
            what_fails = f"{flag} needs a file for the {what}, or both are printed together"
            raise TouchstoneError(what_fails, code=Code.OPTION_NEEDED, hint="add -o FILE")
        return None
