"""The commands about trained models of inference: what they lose (drop), need (curve) and can be taught (repair)."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from touchstone.base.codes import Code
from touchstone.base.console import remark, working
from touchstone.base.errors import TouchstoneError, needs
from touchstone.base.options import Count, NewFolder
from touchstone.systems.inference.commands import Rate, RunningOptions, TrainingOptions, say
from touchstone.systems.inference.settings import settings_of

if TYPE_CHECKING:
    from touchstone.core.resampling import Resampling
    from touchstone.show.finding import Finding
    from touchstone.tasks.nli.model import Run


def drop(
    runs: Sequence[str],
    *,
    original: Path,
    challenge: Path,
    vectors: Path | None = None,
    training: Sequence[Path] = (),
    running: RunningOptions,
    resampling: "Resampling",
) -> "Finding":
    """Show how much accuracy models lose on a challenge set, compared with a usual test set, with paired tests.

    The runs of one model with different seeds are averaged. Labels are kept in the folder of each run, so that a
    second call needs no model.

    Example: touchstone nli drop runs/esim-* runs/kim-* --original test.jsonl --challenge set.jsonl --report drop.html

    Parameters
    ----------
    runs : [NAME=]RUN
        Folders written by train; NAME-1, NAME-2 are seeds of NAME.
    original : FILE
        The usual test set.
    challenge : FILE
        The challenge set.
    vectors : FILE
        The vectors used in training: for words that are new to the models, and cosines.
    training : --train FILE
        Training pairs: for frequencies and unseen words. Repeatable.
    """
    from touchstone.systems.inference import drops
    from touchstone.tasks.nli.formats import read_gold

    folders = run_folders(runs)
    with needs("neural"):
        from touchstone.systems.inference.predicting import run_labels
    original_gold, challenge_gold = golds = [
        read_gold(path, encoding=running.encoding) for path in (original, challenge)
    ]
    training_golds = [read_gold(path, encoding=running.encoding) for path in training]
    with working(f"labelling {sum(map(len, golds)):,} pairs") as progress:
        labelled: dict[str, list[tuple[Run, Run]]] = {}
        for model, seeds in folders.items():
            for folder in seeds:
                progress(sum(map(len, labelled.values())), sum(map(len, folders.values())))
                original_run, challenge_run = (
                    run_labels(folder, gold, folder.name, vectors=vectors, device=running.device) for gold in golds
                )
                labelled.setdefault(model, []).append((original_run, challenge_run))
    with working("scoring"):
        return drops.drop(
            original_gold, challenge_gold, labelled, vectors=vectors, training=training_golds, resampling=resampling
        ).statement()


def run_folders(runs: Sequence[str]) -> dict[str, list[Path]]:
    """Return the folders of each model: those of one name, without the number of the seed at its end."""
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


def curve(
    *,
    model: Sequence[str],
    training: Sequence[Path],
    dev: Path,
    vectors: Path,
    test: Sequence[str],
    folder: NewFolder,
    sizes: str,
    seeds: Count = 3,
    training_options: TrainingOptions,
    running: RunningOptions,
    resampling: "Resampling",
) -> "Finding":
    """Train a model on increasing numbers of pairs, with several seeds, and show its accuracy on test sets.

    The same command continues where it was interrupted.

    Example: touchstone nli curve --model esim --model kim --sizes 5k,10k,20k,40k --train train.jsonl --dev dev.jsonl
    --vectors glove.txt --on usual=test.jsonl --on challenge=set.jsonl --folder curves --report curve.html

    Parameters
    ----------
    model : NAME
        The model, as in train. Repeatable.
    training : --train FILE
        Pairs to learn from. Repeatable.
    dev : FILE
        Development pairs, which select the best epoch.
    vectors : FILE
        Word vectors: GloVe's text, or .npy or .safetensors with vocab.txt beside it.
    test : --on [NAME=]FILE
        A test set; its pairs stay out of training. Repeatable.
    folder : FOLDER
        Where the runs are written; the same command continues an interrupted run.
    sizes : N,N…
        Numbers of training pairs; k is a thousand.
    seeds
        Runs of each size: seeds 1, 2 and so on.
    """
    from touchstone.tasks.nli.formats import read_gold

    with needs("neural"):
        from touchstone.systems.inference.curves import learning_curve
        from touchstone.systems.inference.training import read_data
    named = named_files(test)
    training_sizes = parse_sizes(sizes)
    settings = [settings_of(name, **vars(training_options)) for name in model]
    with working("reading pairs and vectors"):
        tests = {name: read_gold(path, encoding=running.encoding) for name, path in named.items()}
        golds = [read_gold(path, encoding=running.encoding) for path in training]
        data = read_data(golds, read_gold(dev, encoding=running.encoding), vectors, exclude=list(tests.values()))
    remark(data.notes)
    return learning_curve(
        settings, data, tests, folder, sizes=training_sizes, seeds=seeds, vectors=vectors, device=running.device,
        resampling=resampling, tell=say,
    )  # fmt: skip


def repair(
    runs: Sequence[str],
    *,
    with_: Path,
    sizes: str,
    test: Sequence[str],
    folder: NewFolder,
    vectors: Path | None = None,
    epochs: Count = 10,
    rate: Rate = 1e-4,
    batch: Count = 10,
    running: RunningOptions,
    resampling: "Resampling",
) -> "Finding":
    """Tune models on a few generated pairs, and show what they gain and lose.

    The lists of the pairs are divided into two halves. A model is tuned on one half and tested on new premises with
    words of the same lists and of the other lists, and on further test sets.

    Example: touchstone nli repair runs/esim-* --with generated.jsonl --sizes 0,50,200,800 --on usual=test.jsonl
    --on challenge=set.jsonl --folder repaired --report repair.html

    Parameters
    ----------
    runs : [NAME=]RUN
        Folders written by train; NAME-1, NAME-2 are seeds of NAME.
    with_ : --with FILE
        Pairs of several lists, as written by generate.
    sizes : N,N…
        Numbers of pairs to tune on; 0 is the untuned model.
    test : --on [NAME=]FILE
        A further test set. Repeatable.
    folder : FOLDER
        Where labels are kept; the same command continues an interrupted run.
    vectors : FILE
        The vectors used in training: for words that are new to the models, and cosines.
    epochs
        Epochs over the pairs.
    rate
        Learning rate.
    batch
        Pairs in a batch.
    """
    from touchstone.tasks.nli.formats import read_gold

    folders, named = run_folders(runs), named_files(test)
    with needs("neural"):
        from touchstone.systems.inference import repairing
    with working("reading pairs"):
        gold = read_gold(with_, encoding=running.encoding)
        tests = {name: read_gold(path, encoding=running.encoding) for name, path in named.items()}
    return repairing.repair(
        folders, gold, tests, folder, sizes=parse_sizes(sizes, least=0), tuning=repairing.Tuning(epochs, rate, batch),
        vectors=vectors, device=running.device, resampling=resampling, tell=say,
    )  # fmt: skip


def parse_sizes(text: str, least: int = 1) -> list[int]:
    """Return numbers of pairs, written with commas; k is a thousand.

    >>> parse_sizes("50,5k")
    [50, 5000]
    """
    sizes = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d+)(k?)", part.strip())
        size = int(match[1]) * (1000 if match[2] else 1) if match else -1
        if size < least or size in sizes:
            hint = f"give different whole numbers from {least}, with commas: 500,1k,2k"
            raise TouchstoneError("not a list of numbers of pairs", value=text, code=Code.BAD_VALUE, hint=hint)
        sizes.append(size)
    return sorted(sizes)


def named_files(arguments: Sequence[str]) -> dict[str, Path]:
    """Return files by the names that ``NAME=FILE`` gives them, or by their own."""
    from touchstone.io.runs import parse_run

    files: dict[str, Path] = {}
    for text in arguments:
        name, path = parse_run(text)
        name = name or path.stem
        if name in files:
            what, hint = "two test sets have the same name", "give them different names: NAME=FILE"
            raise TouchstoneError(what, value=name, code=Code.DUPLICATE_NAME, hint=hint)
        files[name] = path
    return files
