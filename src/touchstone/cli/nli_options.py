"""Arguments and options that the commands of inference share."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from touchstone.cli.options import Duplicates, IntervalOptions, Unknown
from touchstone.cli.showing import working

if TYPE_CHECKING:
    from touchstone.core.resampling import Resampling
    from touchstone.tasks.nli import PairSet, Policy, Run

Pairs = Annotated[
    Path, typer.Argument(metavar="GOLD", help="Pairs: JSONL (SNLI's names or ours), a table, or s1.X; - is stdin.")
]
Training = Annotated[list[Path] | None, typer.Option("--train", help="Pairs that systems were trained on. Repeatable.")]
Encoding = Annotated[str, typer.Option(help="Encoding of the files.")]


class Missing(StrEnum):
    """What to do with pairs for which a system gives no label."""

    ERROR = "error"
    ZERO = "zero"
    SKIP = "skip"


class ReadingName(StrEnum):
    """How the paper's WordNet rule is read."""

    DEFAULT = "default"
    LITERAL = "literal"
    STRIPPED = "stripped"


@dataclass(frozen=True)
class DrawOptions:
    """How intervals of agreement are found: percentiles of a bootstrap over premises."""

    draws: Annotated[int, typer.Option(min=1, help="Draws of the bootstrap over premises.")] = 1000
    seed: Annotated[int, typer.Option(min=0, help="Seed of every draw.")] = 0

    def resampling(self) -> "Resampling":
        """Return the settings that the library takes."""
        from touchstone.tasks.nli import BY_PREMISE

        return replace(BY_PREMISE, draws=self.draws, seed=self.seed)


@dataclass(frozen=True)
class InputOptions:
    """How files are read and joined."""

    system: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Names of the systems, in the order of their files.")
    ] = None
    missing: Annotated[Missing, typer.Option(help="Pairs without a prediction: wrong, or left out.")] = Missing.ERROR
    unknown: Annotated[Unknown, typer.Option(help="Predictions for pairs the gold does not have.")] = Unknown.ERROR
    duplicates: Annotated[Duplicates, typer.Option(help="Ids that stand twice in a file.")] = Duplicates.ERROR
    encoding: Encoding = "utf-8"

    def read(self, gold: Path, systems: Sequence[Path]) -> tuple["PairSet", list["Run"]]:
        """Read the pairs and what systems say of them."""
        from touchstone.tasks import nli

        with working(f"reading {gold} and {len(systems)} files of predictions"):
            pairs = nli.read_pairs(gold, encoding=self.encoding)
            return pairs, nli.read_runs(systems, names=self.system or (), encoding=self.encoding)

    def policy(self) -> "Policy":
        """Return what is refused when gold and predictions are joined."""
        from touchstone.tasks.nli import Policy

        return Policy(self.missing.value, self.unknown.value, self.duplicates.value)


def by_premise(sure: IntervalOptions) -> "Resampling":
    """Return the settings asked for; pairs that share a premise are drawn together unless another unit is named."""
    return replace(sure.resampling(), cluster=sure.cluster or "premise")
