"""``touchstone nli label``: labels without a GPU, without PyTorch and without a network."""

from pathlib import Path
from typing import Annotated

import typer

from touchstone.cli.nli_models import Encoding, Quiet
from touchstone.cli.options import paths
from touchstone.cli.output import remark, working


def label(
    pairs: Annotated[Path, typer.Argument(metavar="PAIRS", help="The pairs to label.")],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The labels, as a run: .jsonl.")],
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The labeller; by default TOUCHSTONE_NLI_LABELLER, or the one in the package touchstone-nli-labeller.",
        ),
    ] = None,
    encoding: Encoding = "utf-8",
    quiet: Quiet = False,
) -> None:
    """Label pairs with the installed labeller; touchstone nli score reads the output.

    Example: touchstone nli label set.jsonl -o labels.jsonl
    """
    from touchstone.io.jsonl import format_objects
    from touchstone.io.writing import check_outputs, write_text
    from touchstone.systems.inference.labelling import PairLabeller
    from touchstone.tasks import nli

    check_outputs(paths(pairs, model), out)
    labeller = PairLabeller(model)
    gold = nli.read_gold(pairs, encoding=encoding)
    with working("labelling pairs") as progress:
        predictions = labeller.label(gold, progress)
    write_text(out, format_objects(predictions.objects()))
    if not quiet:
        remark([f"{out}: labels for {len(gold):,} pairs by {labeller.signature}"])
