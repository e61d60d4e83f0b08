"""``touchstone nli train`` and ``touchstone nli predict``: neural models of inference."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from touchstone.cli.options import paths, with_options
from touchstone.cli.output import remark, working
from touchstone.cli.sharding import MapOptions
from touchstone.neural.packages import ENCODER
from touchstone.systems.inference.settings import ModelName, Settings, settings_of

if TYPE_CHECKING:
    from touchstone.systems.inference.pretrained import Pretrained
    from touchstone.tasks.nli import GoldSet

PIECE, PIECE_WITH_VECTORS = 4096, 32_768
"""Pairs that are labelled together; the file of vectors is read for each piece."""

VECTORS = "GloVe's text, or .npy or .safetensors with vocab.txt beside it."
Device = Annotated[str, typer.Option(help="cpu, cuda, or auto: a GPU if there is one.")]
Encoding = Annotated[str, typer.Option(help="Encoding of files of pairs that are not UTF-8.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no notes and no progress.")]


def train(
    *,
    model: Annotated[ModelName, typer.Option(help="The model; kim_instances is kim with instance hypernyms.")],
    training: Annotated[list[Path], typer.Option("--train", metavar="FILE", help="Pairs to learn from. Repeatable.")],
    dev: Annotated[Path, typer.Option(metavar="FILE", help="Development pairs, which select the best epoch.")],
    vectors: Annotated[Path | None, typer.Option(metavar="FILE", help=f"Word vectors: {VECTORS}")] = None,
    encoder: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help=f"cross_encoder: the encoder to start from; by default the one in {ENCODER}."
        ),
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="Where the run is written.")],
    exclude: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="A test set: training pairs with its premises are left out. Repeatable."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of initial weights, order and dropout.")] = 1,
    batch: Annotated[int | None, typer.Option(min=1, help="Pairs in a batch; 512 is fast on a GPU.")] = None,
    rate: Annotated[float | None, typer.Option(min=1e-9, help="Learning rate.")] = None,
    epochs: Annotated[int | None, typer.Option(min=1, help="Maximum number of epochs.")] = None,
    patience: Annotated[
        int | None, typer.Option(min=1, help="Stop after this many epochs without improvement.")
    ] = None,
    relation_weight: Annotated[
        float | None, typer.Option(help="kim: how much a relation adds to attention (lambda); 0 as published.")
    ] = None,
    device: Device = "auto",
    encoding: Encoding = "utf-8",
    quiet: Quiet = False,
) -> None:
    """Train a neural model of inference; the same command again continues a run that was interrupted.

    The defaults of batch, rate, epochs and patience are those of the model's paper.

    Example: touchstone nli train --model esim --train train.jsonl --train more.tsv --dev dev.jsonl
    --vectors glove.txt -o runs/esim

    Example: touchstone nli train --model cross_encoder --train train.jsonl --dev dev.jsonl --encoder minilm -o runs/ce
    """
    from touchstone.base.errors import needs

    with needs("neural"):
        from touchstone.systems.inference import training as loop
    settings = settings_of(
        model, seed=seed, batch=batch, rate=rate, epochs=epochs, patience=patience, relation_weight=relation_weight
    )
    start = _start(settings, vectors, encoder)
    with working("reading pairs and vectors"):
        golds, developed, tests = (
            [_read(path, encoding) for path in files] for files in (training, [dev], exclude or [])
        )
        data = loop.read_data(golds, developed[0], start, exclude=tests)
    words = "pieces of words" if settings.reads_pieces else "words with vectors"
    size = f"{len(data.training):,} training pairs, {len(data.vocabulary.known):,} {words}"
    _tell([*data.notes, f"{model}: {size}"], quiet)
    with working(f"training {model}") as progress:
        state = loop.train(
            settings, data, out, device=device, tell=lambda line: _tell([line], quiet), progress=progress
        )
    typer.echo(f"{out}: the best epoch is {state.best_epoch} of {state.epoch}, {state.best:.2%} right on {dev}")


@with_options
def predict(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder written by train.")],
    pairs: Annotated[Path, typer.Argument(metavar="PAIRS", help="The pairs to label.")],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The labels, as a run: .jsonl.")],
    vectors: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The vectors used in training, for words that are new to the model."),
    ] = None,
    device: Device = "auto",
    encoding: Encoding = "utf-8",
    engine: MapOptions,
    quiet: Quiet = False,
) -> None:
    """Label pairs with a trained model; touchstone nli score reads the output.

    Example: touchstone nli predict runs/esim set.jsonl -o esim.jsonl
    """
    from touchstone.base.errors import needs
    from touchstone.engine.mapping import in_pieces, map_pieces
    from touchstone.io.jsonl import format_objects
    from touchstone.io.writing import check_outputs, write_text

    check_outputs(paths(run, pairs, vectors), out)
    with needs("neural"):
        from touchstone.systems.inference.predicting import Labelling
    gold = _read(pairs, encoding)
    work = Labelling(run, device, vectors)
    with working(f"labelling {len(gold):,} pairs"):
        work.check(gold)
        sentences = [(pair.premise, pair.hypothesis) for pair in gold.pairs]
        label_pieces = map_pieces(
            work,
            lambda: in_pieces(sentences, PIECE if vectors is None else PIECE_WITH_VECTORS),
            engine.chosen_or_default(),
            parts=engine.parts,
            about=work.signature,
            source=str(pairs),
        )
        predictions = work.joined(gold.ids, label_pieces)
    write_text(out, format_objects(predictions.objects()))
    unknown = f"tokens that the model does not know: {predictions.unknown:,} of {predictions.tokens:,}"
    _tell([f"{out}: labels for {len(predictions.ids):,} pairs", unknown], quiet)


def _start(settings: Settings, vectors: Path | None, encoder: Path | None) -> "Path | Pretrained":
    """Return what a model starts from: a file of word vectors, or a pre-trained encoder."""
    from touchstone.base.errors import TouchstoneError

    if settings.reads_pieces:
        from touchstone.systems.inference.pretrained import read_pretrained

        if vectors:
            raise TouchstoneError(f"{settings.model} has no word vectors", hint="it starts from --encoder FOLDER")
        return read_pretrained(encoder)
    if encoder:
        raise TouchstoneError(f"{settings.model} starts from no encoder", hint="it belongs to --model cross_encoder")
    if vectors is None:
        raise TouchstoneError(f"{settings.model} needs word vectors", hint="name their file with --vectors")
    return vectors


def _read(path: Path, encoding: str) -> "GoldSet":
    from touchstone.tasks import nli

    return nli.read_gold(path, encoding=encoding)


def _tell(lines: list[str], quiet: bool) -> None:
    if not quiet:
        remark(lines)
