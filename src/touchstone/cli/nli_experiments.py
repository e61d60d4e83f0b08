"""``touchstone nli drop``, ``curve`` and ``repair``: what trained models lose, need and can be taught."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from touchstone.cli.nli_models import VECTORS, Device, Encoding
from touchstone.cli.options import IntervalOptions, OutputOptions, Report, paths
from touchstone.cli.output import remark, show_finding, working
from touchstone.systems.inference.settings import settings_of

if TYPE_CHECKING:
    from touchstone.tasks.nli import GoldSet, Run

Vectors = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="The vectors used in training: for words that are new to the models, and cosines."
    ),
]


def drop(
    runs: Annotated[
        list[str],
        typer.Argument(metavar="[NAME=]RUN", help="Folders written by train; NAME-1, NAME-2 are seeds of NAME."),
    ],
    *,
    original: Annotated[Path, typer.Option(metavar="FILE", help="The usual test set.")],
    challenge: Annotated[Path, typer.Option(metavar="FILE", help="The challenge set.")],
    vectors: Vectors = None,
    train: Annotated[
        list[Path] | None,
        typer.Option("--train", metavar="FILE", help="Training pairs: for frequencies and unseen words. Repeatable."),
    ] = None,
    report: Report = None,
    device: Device = "auto",
    encoding: Encoding = "utf-8",
    intervals: IntervalOptions,
    output: OutputOptions,
) -> None:
    """Show how much accuracy models lose on a challenge set, compared with a usual test set, with paired tests.

    The runs of one model with different seeds are averaged. Labels are kept in the folder of each run, so that a
    second call needs no model.

    Example: touchstone nli drop runs/esim-* runs/kim-* --original test.jsonl --challenge set.jsonl --report drop.html
    """
    from touchstone import nli
    from touchstone.io.writing import check_outputs

    folders = run_folders(runs)
    inside = [folder for some in folders.values() for folder in some]
    check_outputs(paths(original, challenge, vectors, train, inside), report, output.out)
    original_gold, challenge_gold = golds = [nli.read_gold(path, encoding=encoding) for path in (original, challenge)]
    training = [nli.read_gold(path, encoding=encoding) for path in train or ()]
    with working(f"labelling {sum(map(len, golds)):,} pairs", output) as progress:
        labelled: dict[str, list[tuple[Run, Run]]] = {}
        for model, some in folders.items():
            for folder in some:
                progress(sum(map(len, labelled.values())), len(inside))
                original_run, challenge_run = (_labels(folder, gold, vectors, device) for gold in golds)
                labelled.setdefault(model, []).append((original_run, challenge_run))
    with working("scoring", output):
        how = intervals.resampling()
        stated = nli.drop(
            original_gold, challenge_gold, labelled, vectors=vectors, training=training, resampling=how
        ).statement()
    show_finding(output, stated, report=report)


def run_folders(runs: list[str]) -> dict[str, list[Path]]:
    """Return the folders of each model: those of one name, without the number of the seed at its end."""
    from touchstone.base.errors import needs
    from touchstone.io.runs import parse_run

    with needs("neural"):
        from touchstone.systems.inference.predicting import same_settings
    models: dict[str, list[Path]] = {}
    for text in runs:
        name, folder = parse_run(text)
        models.setdefault(name or re.sub(r"-\d+$", "", folder.name), []).append(folder)
    for folders in models.values():
        same_settings(folders)
    return models


def _labels(folder: Path, gold: "GoldSet", vectors: Path | None, device: str) -> "Run":
    from touchstone.systems.inference.predicting import run_labels

    return run_labels(folder, gold, folder.name, vectors=vectors, device=device)


def curve(
    *,
    model: Annotated[list[str], typer.Option(metavar="NAME", help="The model, as in train. Repeatable.")],
    training: Annotated[list[Path], typer.Option("--train", metavar="FILE", help="Pairs to learn from. Repeatable.")],
    dev: Annotated[Path, typer.Option(metavar="FILE", help="Development pairs, which select the best epoch.")],
    vectors: Annotated[Path, typer.Option(metavar="FILE", help=f"Word vectors: {VECTORS}")],
    test: Annotated[
        list[str],
        typer.Option("--on", metavar="[NAME=]FILE", help="A test set; its pairs stay out of training. Repeatable."),
    ],
    folder: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER", help="Where the runs are written; the same command continues an interrupted run."
        ),
    ],
    sizes: Annotated[str, typer.Option(metavar="N,N…", help="Numbers of training pairs; k is a thousand.")],
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each size: seeds 1, 2 and so on.")] = 3,
    batch: Annotated[int | None, typer.Option(min=1, help="Pairs in a batch.")] = None,
    rate: Annotated[float | None, typer.Option(min=1e-9, help="Learning rate.")] = None,
    epochs: Annotated[int | None, typer.Option(min=1, help="Maximum number of epochs.")] = None,
    patience: Annotated[
        int | None, typer.Option(min=1, help="Stop after this many epochs without improvement.")
    ] = None,
    report: Report = None,
    device: Device = "auto",
    encoding: Encoding = "utf-8",
    intervals: IntervalOptions,
    output: OutputOptions,
) -> None:
    """Train a model on increasing numbers of pairs, with several seeds, and show its accuracy on test sets.

    The same command continues where it was interrupted.

    Example: touchstone nli curve --model esim --model kim --sizes 5k,10k,20k,40k --train train.jsonl --dev dev.jsonl
    --vectors glove.txt --on usual=test.jsonl --on challenge=set.jsonl --folder curves --report curve.html
    """
    from touchstone import nli
    from touchstone.base.errors import needs
    from touchstone.io.writing import check_outputs

    with needs("neural"):
        from touchstone.systems.inference.curves import learning_curve
        from touchstone.systems.inference.training import read_data
    named = named_files(test)
    check_outputs(paths(training, dev, vectors, list(named.values())), report, output.out)
    training_sizes = parse_sizes(sizes)
    settings = [settings_of(name, batch=batch, rate=rate, epochs=epochs, patience=patience) for name in model]
    with working("reading pairs and vectors", output):
        tests = {name: nli.read_gold(path, encoding=encoding) for name, path in named.items()}
        golds = [nli.read_gold(path, encoding=encoding) for path in training]
        data = read_data(golds, nli.read_gold(dev, encoding=encoding), vectors, exclude=list(tests.values()))
    remark(data.notes, output)
    curves = learning_curve(
        settings,
        data,
        tests,
        folder,
        sizes=training_sizes,
        seeds=seeds,
        vectors=vectors,
        device=device,
        resampling=intervals.resampling(),
        tell=lambda line: remark([line], output),
    )
    show_finding(output, curves, report=report)


def repair(
    runs: Annotated[
        list[str],
        typer.Argument(metavar="[NAME=]RUN", help="Folders written by train; NAME-1, NAME-2 are seeds of NAME."),
    ],
    *,
    with_: Annotated[
        Path, typer.Option("--with", metavar="FILE", help="Pairs of several lists, as written by generate.")
    ],
    sizes: Annotated[str, typer.Option(metavar="N,N…", help="Numbers of pairs to tune on; 0 is the untuned model.")],
    test: Annotated[list[str], typer.Option("--on", metavar="[NAME=]FILE", help="A further test set. Repeatable.")],
    folder: Annotated[
        Path,
        typer.Option(metavar="FOLDER", help="Where labels are kept; the same command continues an interrupted run."),
    ],
    vectors: Vectors = None,
    epochs: Annotated[int, typer.Option(min=1, help="Epochs over the pairs.")] = 10,
    rate: Annotated[float, typer.Option(min=1e-9, help="Learning rate.")] = 1e-4,
    batch: Annotated[int, typer.Option(min=1, help="Pairs in a batch.")] = 10,
    report: Report = None,
    device: Device = "auto",
    encoding: Encoding = "utf-8",
    intervals: IntervalOptions,
    output: OutputOptions,
) -> None:
    """Tune models on a few generated pairs, and show what they gain and lose.

    The lists of the pairs are divided into two halves. A model is tuned on one half and tested on new premises with
    words of the same lists and of the other lists, and on further test sets.

    Example: touchstone nli repair runs/esim-* --with generated.jsonl --sizes 0,50,200,800 --on usual=test.jsonl
    --on challenge=set.jsonl --folder repaired --report repair.html
    """
    from touchstone import nli
    from touchstone.io.writing import check_outputs

    folders, named = run_folders(runs), named_files(test)
    check_outputs(paths(with_, vectors, list(named.values())), report, output.out)
    from touchstone.systems.inference import repairing

    with working("reading pairs", output):
        gold = nli.read_gold(with_, encoding=encoding)
        tests = {name: nli.read_gold(path, encoding=encoding) for name, path in named.items()}
    repaired = repairing.repair(
        folders,
        gold,
        tests,
        folder,
        sizes=parse_sizes(sizes, least=0),
        tuning=repairing.Tuning(epochs, rate, batch),
        vectors=vectors,
        device=device,
        resampling=intervals.resampling(),
        tell=lambda line: remark([line], output),
    )
    show_finding(output, repaired, report=report)


def parse_sizes(text: str, least: int = 1) -> list[int]:
    """Return numbers of pairs, written with commas; k is a thousand.

    >>> parse_sizes("50,5k")
    [50, 5000]
    """
    from touchstone.base.errors import TouchstoneError

    sizes = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d+)(k?)", part.strip())
        size = int(match[1]) * (1000 if match[2] else 1) if match else -1
        if size < least or size in sizes:
            hint = f"give different whole numbers from {least}, with commas: 500,1k,2k"
            raise TouchstoneError("not a list of numbers of pairs", value=text, hint=hint)
        sizes.append(size)
    return sorted(sizes)


def named_files(arguments: list[str]) -> dict[str, Path]:
    """Return files by the names that ``NAME=FILE`` gives them, or by their own."""
    from touchstone.base.errors import TouchstoneError
    from touchstone.io.runs import parse_run

    files: dict[str, Path] = {}
    for text in arguments:
        name, path = parse_run(text)
        name = name or path.stem
        if name in files:
            raise TouchstoneError(
                "two test sets have the same name", value=name, hint="give them different names: NAME=FILE"
            )
        files[name] = path
    return files
