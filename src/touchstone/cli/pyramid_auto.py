"""``touchstone pyramid auto``, ``train`` and ``propose``: pyramids without waiting for people."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from touchstone.cli.options import OutputOptions, Report, paths, with_options
from touchstone.cli.output import remark, show_finding, working
from touchstone.neural.packages import CAUSAL, ENCODER

if TYPE_CHECKING:
    from touchstone.systems.pyramids import Matcher
    from touchstone.systems.pyramids.encoding import Network

Encoder = Annotated[
    Path | None,
    typer.Option(
        metavar="NAME",
        help=f"Add features by a network: minilm (package {ENCODER}), smollm2 (package {CAUSAL}; slower, better for "
        "short summaries), or the folder of an encoder. Needs [neural].",
    ),
]
Model = Annotated[
    Path | None, typer.Option(metavar="FILE", help="A model written by train; by default the shipped one.")
]


@with_options
def auto(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PYRAMID PEER", help="Pyramids (.pyr), then peers: texts, folders of them, or .pan files."
        ),
    ] = None,
    *,
    evaluate: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER", help="Predict what people annotated and compare: .pan files or a REALSumm folder."
        ),
    ] = None,
    frozen: Annotated[bool, typer.Option("--frozen", help="Evaluate the model as it is, without training.")] = False,
    model: Model = None,
    encoder: Encoder = None,
    models: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Number of model summaries; by default the headers are counted."),
    ] = None,
    form: Annotated[Literal["pan", "json"], typer.Option(help="The form of the annotations in the folder -o.")] = "pan",
    report: Report = None,
    output: OutputOptions,
) -> None:
    """Score peers that nobody annotated: for each unit a probability, the words that support it, present or absent.

    -o DIR gets an annotation for each peer, marked as automatic. With --evaluate, document sets that people annotated
    are predicted by models that did not see them, beside ROUGE and other lexical baselines.

    Example: touchstone pyramid auto D0631.pyr peers/*.txt -o auto/ --report report.html
    """
    from touchstone.base.errors import TouchstoneError
    from touchstone.io.writing import check_outputs

    if bool(files) == bool(evaluate):
        hint = "give a pyramid and peers, or --evaluate with annotations of people"
        raise TouchstoneError(
            "there is nothing to score" if not files else "--evaluate takes no further files", hint=hint
        )
    if frozen and not evaluate:
        raise TouchstoneError(
            "--frozen is for --evaluate", hint="a pyramid and peers are always scored by a finished model"
        )
    if evaluate:
        check_outputs(paths(evaluate, model), report, output.out)
        _evaluate(evaluate, model, _encoder(encoder), report, output, frozen=frozen)
        return
    from touchstone.systems.pyramids import Matcher

    check_outputs(paths(files, model), report)
    _score(files or [], models, Matcher(model, encoder=_encoder(encoder)), form, report, output)


def _score(
    files: list[Path],
    models: int | None,
    matcher: "Matcher",
    form: str,
    report: Path | None,
    output: OutputOptions,
) -> None:
    from touchstone.base.errors import TouchstoneError
    from touchstone.systems.pyramids import read_peers, score_peers

    if output.out and output.out.is_file():
        raise TouchstoneError("is a file, not a folder", file=str(output.out), hint="name a folder for the annotations")
    pyramids, peers = read_peers(files, models)
    with working("matching summaries", output) as progress:
        scores = score_peers(pyramids, peers, matcher, progress)
    written = scores.write(output.out, form) if output.out else []
    show_finding(output, scores, report=report, to_file=False)
    if written:
        remark([f"{output.out}: {len(written):,} annotations, marked as automatic"], output)


def _evaluate(
    files: list[Path],
    model: Path | None,
    encoder: "Network | None",
    report: Path | None,
    output: OutputOptions,
    *,
    frozen: bool,
) -> None:
    from dataclasses import replace

    from touchstone.base.errors import TouchstoneError
    from touchstone.systems.pyramids import Evaluation, Matcher, evaluate, read_decided
    from touchstone.systems.pyramids.examples import compute_rows

    if model and not frozen:
        raise TouchstoneError("--model is for --frozen", hint="without --frozen a model is trained for each fold")
    sets, notes = read_decided(files)
    sets = [replace(document_set, encoder=encoder) for document_set in sets]
    with working("predicting document sets", output) as progress:
        if frozen:
            compute_rows(sets, progress)
            matcher = Matcher(model, encoder=encoder)
            probabilities = [matcher.curves.probability(document_set.rows) for document_set in sets]
            evaluation = Evaluation(sets, probabilities, f"frozen, {matcher.signature}")
        else:
            evaluation = evaluate(sets, progress=progress)
        stated = replace(evaluation, notes=notes).statement()
    show_finding(output, stated, report=report)


@with_options
def train(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Annotations by people (.pan, .json, folders) or a REALSumm folder."),
    ],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The model, a JSON file.")],
    encoder: Encoder = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no notes and no progress.")] = False,
) -> None:
    """Train a matcher on your own annotations, for touchstone pyramid auto --model.

    Example: touchstone pyramid train pan/ -o matcher.json
    """
    from dataclasses import replace

    from touchstone.io.writing import check_outputs
    from touchstone.systems.pyramids import read_decided, train, write_model
    from touchstone.systems.pyramids.evaluating import choose_penalty
    from touchstone.systems.pyramids.examples import compute_rows

    check_outputs(paths(files), out)
    sets, notes = read_decided(files)
    network = _encoder(encoder)
    sets = [replace(document_set, encoder=network) for document_set in sets]
    with working("training") as progress:
        compute_rows(sets, progress)
        penalty = choose_penalty(sets)
        curves = train(sets, penalty)
    summaries = sum(len(document_set.peers) for document_set in sets)
    write_model(out, curves, {"sets": len(sets), "summaries": summaries, "penalty": penalty})
    if not quiet:
        remark([*notes, f"{out}: trained on {summaries:,} summaries of {len(sets):,} document sets"])


@with_options
def propose(
    files: Annotated[list[Path], typer.Argument(metavar="MODEL", help="Model summaries: texts, or folders of them.")],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The pyramid: .pyr or .json.")],
    name: Annotated[
        str | None, typer.Option("--set", help="The document set; by default the name of the file.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no notes and no progress.")] = False,
) -> None:
    """Draft a pyramid from model summaries: clauses with the same meaning become units, for people to correct.

    Example: touchstone pyramid propose models/*.txt -o draft.pyr
    """
    from touchstone.base.errors import Fault, TouchstoneError
    from touchstone.io.writing import check_outputs
    from touchstone.systems.pyramids import draft
    from touchstone.tasks.pyramid.formats import write
    from touchstone.tasks.pyramid.formats.plain import pyramid_from_texts, read_texts

    check_outputs(paths(files), out)
    texts = read_texts(files)
    if len(texts) < 2:
        hint = "content units are shared by several summaries: give two or more, each in its own file"
        raise TouchstoneError(f"{len(texts)} model summary" if texts else "no model summary", hint=hint)
    empty = [name for name, text in texts.items() if not text.strip()]
    if empty:
        hint = "an empty summary has no units: leave the file out, or write the summary into it"
        raise TouchstoneError.of([Fault("is empty", file) for file in empty], hint)
    with working("comparing clauses"):
        pyramid = draft(pyramid_from_texts(name or out.stem, texts))
    write(out, pyramid)
    shared = sum(unit.weight > 1 for unit in pyramid.units)
    if not quiet:
        remark([f"{out}: {len(pyramid.units):,} proposed units, of which {shared:,} are in several summaries"])


def _encoder(name: Path | None) -> "Network | None":
    from touchstone.systems.pyramids import open_network

    return open_network(str(name)) if name else None
