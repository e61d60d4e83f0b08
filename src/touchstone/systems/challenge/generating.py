"""Generate challenge pairs from premises: read these, find candidates in one or more processes, select, write."""

import gc
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, nearest
from touchstone.base.files import Source, read_bytes
from touchstone.base.signature import Signature
from touchstone.base.spelling import setting
from touchstone.base.tables import Cell, Column, Table, counted
from touchstone.base.workers import Engine, cores, engine_for, run_in_order, start_method
from touchstone.io.formats import is_table
from touchstone.io.jsonl import Json
from touchstone.io.reading import parse_table
from touchstone.io.text import decode, lines
from touchstone.io.writing import format_cells
from touchstone.lexicon import wordnet
from touchstone.show.finding import Finding, Statement, table_rows
from touchstone.systems.challenge.candidates import (
    Candidate,
    Generator,
    Premise,
    Rejection,
    SearchResult,
    with_hyponyms,
)
from touchstone.systems.challenge.filters import Compounds, Filter
from touchstone.systems.challenge.forms import check_installed
from touchstone.systems.challenge.lexicon import Lexicon, Substitution
from touchstone.systems.challenge.proposing import Proposed, with_proposals
from touchstone.systems.challenge.reading import SUFFIX, read_lexicon
from touchstone.systems.challenge.resources import Resources
from touchstone.systems.challenge.selecting import OVER_BALANCE, Balance, Selector
from touchstone.tasks.nli.composition import Composition
from touchstone.tasks.nli.formats.pairs import GOLD
from touchstone.tasks.nli.model import LABELS, RELATIONS, GoldSet, Pair
from touchstone.tasks.nli.verification import ANNOTATORS
from touchstone.text import english

if TYPE_CHECKING:
    from touchstone.show.page import Section

BLOCK = 256
"""Premises that one process searches at a time."""
LARGE = 1_000
"""Premises from which one process per core is worth its start."""
DUPLICATE = "premise twice"
REFUSED = "Replacements and premises that were refused, and candidates that caps and balance left out, by reason."
_EXPECTED = "give one premise per line, or a column premise"

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Premises:
    """The premises of a file, each once, and how many there had been."""

    source: Source
    premises: Sequence[Premise]
    repeated: Sequence[Premise] = ()


@dataclass(frozen=True)
class Settings:
    """What is generated.

    Parameters
    ----------
    per_premise
        Maximum number of pairs that share a premise.
    seed
        Decides which candidates are chosen where there are more than wanted.
    relations, lists
        The relations and the lists that are used; all if empty. A list is a name, or a file of the user.
    user_lists
        A list, or a folder of lists, of the user.
    balance
        The ratio of contradictions to entailments, such as ``1:1``, or ``none``.
    neutral
        Whether there are pairs with the label neutral.
    unreviewed
        Whether proposals that nobody has reviewed are used: those of the user's lists or, if these have none, what
        WordNet proposes for the premises.
    resources
        Optional files: word vectors, training words, glosses, bigrams.
    """

    per_premise: int = 3
    seed: int = 0
    relations: Sequence[str] = ()
    lists: Sequence[str] = ()
    user_lists: str | Path | None = None
    balance: str = "1:1"
    neutral: bool = False
    unreviewed: bool = False
    resources: Resources = field(default_factory=Resources)


@dataclass(frozen=True, repr=False)
class Generated(Finding):
    """The pairs of a set, and what was refused; *rejections* is empty unless they were asked for."""

    premises: Premises
    pairs: Sequence[Pair]
    chosen: Sequence[Candidate]
    reasons: Counter[str]
    rejections: Sequence[Rejection]
    signature: Signature

    @property
    def gold_set(self) -> GoldSet:
        """The pairs as a set whose gold labels are open."""
        return GoldSet(self.premises.source, self.pairs, range(1, len(self.pairs) + 1))

    @property
    def summary(self) -> str:
        """How many pairs there are, from how many premises."""
        premises = len({pair.premise for pair in self.pairs})
        total = len(self.premises.premises)
        return f"{counted(len(self.pairs), 'pair')} from {premises:,} of {counted(total, 'premise')}"

    @property
    def notes(self) -> list[str]:
        """Sentences on what ran short."""
        notes = [] if self.pairs else ["no word of the premises could be replaced; the rejected candidates say why"]
        labels = Counter(candidate.label for candidate in self.chosen)
        unused = self.reasons[OVER_BALANCE]
        if unused:
            scarce = min(LABELS[:2], key=labels.__getitem__)
            notes.append(f"{unused:,} candidates are left out for the balance: there are too few with {scarce}")
        return notes

    def tables(self) -> list[Table]:
        """Return the numbers of pairs by relation and label, and of refusals by reason."""
        return [Composition(self.pairs).relations_table(), self.reasons_table()]

    def statement(self) -> Statement:
        """Return what the pairs are, and what was not used; the report shows examples."""
        relations, reasons = self.tables()
        gold = self.gold_set
        return Statement(
            "Challenge pairs",
            [relations, reasons],
            [*table_rows("relation", relations), *table_rows("not used", reasons)],
            [f"{self.summary}."],
            self.notes,
            self.signature,
            subtitle=f"{counted(len(gold), 'pair')} on {counted(gold.premises, 'premise')}",
            sections=self._sections,
        )

    def _sections(self) -> "list[Section]":
        """Return the sections of the report: the pairs, what was not used, then what any challenge set has to show."""
        from touchstone.show.page import Paragraph, Section, TableBlock
        from touchstone.tasks.nli.set_report import set_sections

        pairs, *others = set_sections(self.gold_set)
        unused = Section("Not used", "unused", [Paragraph(REFUSED), TableBlock(self.reasons_table())])
        return [pairs, unused, *others]

    def reasons_table(self) -> Table:
        """Return how often each reason kept a premise, a replacement or a candidate out, the most frequent first."""
        rows: list[list[Cell]] = [
            [reason, count]
            for reason, count in sorted(self.reasons.items(), key=lambda item: (-item[1], item[0]))
            if count
        ]
        return Table([Column("not used"), Column("number", "right")], rows)

    def rejected(self) -> Iterator[dict[str, Json]]:
        """Yield what was refused as JSON, each with its reason."""
        for rejection in self.rejections:
            text, line = rejection.premise
            about = {name: value for name, value in vars(rejection).items() if value and name != "premise"}
            yield {"premise": text, "line": line, **about}

    def sheet(self) -> str:
        """Return a sheet in CSV in which each of three annotators answers three questions about each pair.

        It shows neither labels nor relations. Each annotator has the pairs in the same order, which is not that of the
        set, so that pairs with one premise are apart.
        """
        rows = [("pair", "annotator", "premise", "hypothesis", "q1", "q2", "q3")]
        rows += [
            (pair.id, f"annotator {annotator}", pair.premise, pair.hypothesis, "", "", "")
            for annotator in range(1, ANNOTATORS + 1)
            for pair in sorted(self.pairs, key=lambda pair: pair.id)
        ]
        return format_cells(rows, ".csv")


def read_premises(path: str | Path, encoding: str = "utf-8") -> Premises:
    """Read premises: one per line of a text file, or a column of a table; ``-`` is standard input.

    Parameters
    ----------
    path
        A text file, or a table with a column that is named as that of premises in inference sets.
    encoding
        The encoding of text files.
    """
    raw, source = read_bytes(path)
    if not raw.strip():
        raise TouchstoneError("no premise", file=source.name, code=Code.EMPTY, hint=_EXPECTED)
    if is_table(source.name, raw) or raw.lstrip()[:1] == b"{":
        table = parse_table(raw, source, encoding, roles=GOLD.fields)
        column = table.name(*GOLD["premise"].names)
        cells = zip(table.lines, table.texts(str(column)), strict=True)
        premises = [Premise(cell or "", line) for line, cell in cells]
    else:
        premises = [Premise(line.strip(), number) for number, line in lines(decode(raw, source.name, encoding))]
    if not any(premise.text for premise in premises):
        raise TouchstoneError("no premise", file=source.name, code=Code.EMPTY, hint=_EXPECTED)
    # Reversed, so that of a repeated premise the first line stays.
    first = {premise.text: premise for premise in reversed(premises)}
    repeated = [premise for premise in premises if first[premise.text] is not premise]
    return Premises(source, [premise for premise in premises if first[premise.text] is premise], repeated)


def generate(
    premises: Premises,
    settings: Settings,
    *,
    jobs: int | None = None,
    engine: Engine | None = None,
    listed: bool = False,
    progress: Progress | None = None,
) -> Generated:
    """Generate pairs; the same premises, settings and lists give the same pairs, whatever the number of processes.

    Parameters
    ----------
    premises
        The result of `read_premises`.
    settings
        What is generated.
    jobs, engine
        The number of processes, or where premises are searched; by default one process per core where there are many
        premises and processes can be forked, else this one.
    listed
        Whether rejections are listed, or only counted.
    progress
        Is told how many premises are done, of how many.
    """
    check_installed()
    _check_relations(settings)
    balance = Balance.parse(settings.balance)
    filters = settings.resources.filters()
    lexicon = _lexicon(premises.premises, settings)
    relations = frozenset(settings.relations)
    generator = Generator(lexicon, relations, settings.neutral, listed, filters, lists=_names(settings))
    with _uncollected():
        result = _find(generator, premises.premises, engine or engine_for(jobs), progress)
        selection = Selector(settings.seed, settings.per_premise, balance).select(result.candidates)
    reasons = result.reasons + selection.reasons + Counter({DUPLICATE: len(premises.repeated)})
    rejections = [*(Rejection(premise, DUPLICATE) for premise in premises.repeated if listed), *result.rejections]
    signature = _signature(premises, settings, lexicon, filters)
    pairs = [
        _pair(candidate, lexicon.all[candidate.substitution], premises, signature) for candidate in selection.chosen
    ]
    return Generated(premises, pairs, selection.chosen, reasons, rejections, signature)


def propose(premises: Premises, settings: Settings) -> list[Proposed]:
    """Return what WordNet proposes for words of *premises* that no list covers, the most frequent first.

    Parameters
    ----------
    premises
        The result of `read_premises`.
    settings
        Of these the relations, the own lists, the vectors and the glosses are used.
    """
    check_installed()
    _check_relations(settings)
    lexicon = read_lexicon(*_user_lists(settings), unreviewed=True)
    return settings.resources.proposer(lexicon, settings.relations).propose(premises.premises)


def _user_lists(settings: Settings) -> list[str | Path]:
    return [] if settings.user_lists is None else [settings.user_lists]


def _lexicon(premises: Sequence[Premise], settings: Settings) -> Lexicon:
    """Return the lists that are wanted; a name with a suffix is a file of the user."""
    files = [name for name in settings.lists if name.endswith(SUFFIX)]
    # The shipped lists are left out only where every list that was named is a file of the user.
    shipped = bool(settings.relations) or not files or len(files) < len(settings.lists)
    lexicon = read_lexicon(*_user_lists(settings), *files, shipped=shipped, unreviewed=settings.unreviewed)
    if settings.unreviewed and not any(pair.proposal for pair in lexicon.pairs):
        proposed = settings.resources.proposer(lexicon, settings.relations).propose(premises)
        lexicon = with_proposals(lexicon, proposed)
    named = lexicon.only(sorted(_names(settings))) if settings.lists else lexicon
    lexicon = lexicon if settings.relations else named  # a named relation may be of any list
    return with_hyponyms(lexicon) if settings.neutral else lexicon


def _names(settings: Settings) -> frozenset[str]:
    """Return the names of the lists that are wanted; that of a file is its name without the suffix."""
    return frozenset(Path(name).stem if name.endswith(SUFFIX) else name for name in settings.lists)


def _check_relations(settings: Settings) -> None:
    allowed = RELATIONS if settings.neutral else tuple(name for name in RELATIONS if name != "hyponym")
    faults = [
        Fault("no such relation", value=name, near=nearest(name, allowed), code=Code.UNKNOWN_NAME)
        for name in settings.relations
        if name not in allowed
    ]
    if faults:
        hint = f"the relations are {', '.join(allowed)}" + (
            "" if settings.neutral else f"; and hyponym with {setting('neutral', python='Settings(neutral=True)')}"
        )
        raise TouchstoneError.of(faults, hint)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Pause the search for cycles of garbage: there are none, and it takes a third of the time with many candidates."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _find(
    generator: Generator, premises: Sequence[Premise], engine: Engine | None, progress: Progress | None
) -> SearchResult:
    """Return the candidates of all premises, in order, found in one or more processes."""
    blocks = [premises[start : start + BLOCK] for start in range(0, len(premises), BLOCK)]
    if engine is None:
        many = len(premises) >= LARGE and start_method() == "fork" and cores() > 1
        engine = Engine("processes") if many else Engine()
    result, done = SearchResult(), 0
    for block, part in zip(blocks, _parts(generator, blocks, engine), strict=True):
        result.add(part)
        done += len(block)
        if progress:
            progress(done, len(premises))
    return result


def _parts(generator: Generator, blocks: Sequence[Sequence[Premise]], engine: Engine) -> Iterator[SearchResult]:
    yield generator.find(blocks[0])  # here: forked processes then have all that it loaded
    yield from run_in_order(generator.find, blocks[1:], engine)


def _signature(premises: Premises, settings: Settings, lexicon: Lexicon, filters: Sequence[Filter]) -> dict[str, str]:
    from touchstone import __version__

    return {
        "touchstone": __version__,
        "task": "nli",
        "premises": str(premises.source),
        "lists": lexicon.signature,
        "analyser": english().signature,
        "seed": str(settings.seed),
        "per_premise": str(settings.per_premise),
        "balance": settings.balance,
        **({"neutral": "yes"} if settings.neutral else {}),
        **({"relations": " ".join(settings.relations)} if settings.relations else {}),
        **({"chosen_lists": " ".join(Path(name).name for name in settings.lists)} if settings.lists else {}),
        **({"unreviewed": str(wordnet().signature)} if settings.unreviewed else {}),
        **{filter_.name: filter_.signature for filter_ in filters if not isinstance(filter_, Compounds)},
    }


def _proposal(substitution: Substitution) -> dict[str, Json]:
    """Return whether a line is reviewed and, if WordNet proposed it, the two synsets and the path between them."""
    proposal = substitution.proposal
    if proposal is None:
        return {"reviewed": True}
    synsets: list[Json] = [sense.partition(" ")[0] for sense in proposal.senses]
    return {"reviewed": proposal.reviewed, "synsets": synsets, "path": proposal.path}


def _pair(candidate: Candidate, substitution: Substitution, premises: Premises, signature: Signature) -> Pair:
    """Return a candidate as a pair without a gold label, which annotators have yet to give."""
    premise = candidate.premise
    digest = hashlib.sha256(f"{premise.text}\n{candidate.hypothesis}".encode("utf-8", "surrogatepass")).hexdigest()
    origin: dict[str, Json] = {
        "file": Path(premises.source.name).name,
        "line": premise.line,
        "list": substitution.origin.list,
        "list_line": substitution.origin.line,
        "group": substitution.group or None,
        "when": substitution.when or None,
        "from": substitution.source.text,
        "to": substitution.target.text,
        "pos": substitution.source.pos,
        "tag": candidate.tag,
        "polarity": candidate.polarity,
        "polarity_reason": candidate.reason,
        **_proposal(substitution),
        **(candidate.facts or {}),
        "seed": int(signature["seed"]),
        "touchstone": signature["touchstone"],
        "lists": signature["lists"],
    }
    return Pair(
        digest[:12],
        premise.text,
        candidate.hypothesis,
        category=substitution.origin.list,
        replaced=(candidate.replaced,),
        replacement=(candidate.replacement,),
        relation=candidate.relation,
        provenance={name: value for name, value in origin.items() if value is not None},
        rest={"intended": candidate.label},
    )
