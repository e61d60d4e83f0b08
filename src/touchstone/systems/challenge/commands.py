"""The commands that make challenge sets of inference: generate pairs, propose substitutions."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from touchstone.base.console import remark, working
from touchstone.base.options import Count, OutFile, Printed, Seed

if TYPE_CHECKING:
    from touchstone.base.workers import Engine
    from touchstone.show.finding import Finding
    from touchstone.systems.challenge.generating import Generated


@dataclass(frozen=True)
class SourceOptions:
    """Where substitutions come from.

    Parameters
    ----------
    relation : NAME
        Only synonym, hypernym, antonym or co_hyponym. Repeatable.
    lists : FOLDER
        Your own lists, added to the shipped ones.
    vectors : FILE
        Word vectors: .npy with vocab.txt beside it, or GloVe's text.
    glosses : FOLDER
        Princeton's dictionary files, for glosses of senses.
    encoding
        Encoding of files that are not UTF-8.
    """

    relation: tuple[str, ...] = ()
    lists: Path | None = None
    vectors: Path | None = None
    glosses: Path | None = None
    encoding: str = "utf-8"


@dataclass(frozen=True)
class SelectionOptions:
    """Which pairs are chosen among those that are possible.

    Parameters
    ----------
    per_premise
        Maximum number of pairs that share a premise.
    seed
        Seed of the choice among candidates.
    balance : C:E
        Ratio of contradictions to entailments, such as 2:1; none: no limit.
    neutral
        Also generate neutral pairs, with more specific words.
    """

    per_premise: Count = 3
    seed: Seed = 0
    balance: str = "1:1"
    neutral: bool = False


@dataclass(frozen=True)
class FilterOptions:
    """Which substitutions are used.

    Parameters
    ----------
    vocabulary : FILE
        Training words, one per line; other words are not used.
    senses
        With --vectors: the sense of the replaced word must fit the context.
    bigrams : FILE
        A table with two words, a tab and a count per line; or the package wordsegment.
    bigram_score : T
        With --bigrams: minimum log10 ratio of new to old bigram counts.
    """

    vocabulary: Path | None = None
    senses: bool = False
    bigrams: str | None = None
    bigram_score: float = -1.5


def generate(
    premises: Path,
    *,
    selection: SelectionOptions,
    only: Sequence[str] = (),
    unreviewed: bool = False,
    sources: SourceOptions,
    filters: FilterOptions,
    rejected: OutFile = None,
    sheet: OutFile = None,
    out: Annotated[OutFile, Printed("pairs")] = None,
    engine: "Engine | None",
) -> "Finding":
    """Generate challenge pairs from premises: replacing one word or phrase gives the intended label.

    The pairs go to -o FILE, or to standard output. They have no gold label until annotators verify them.

    Example: touchstone nli generate premises.txt --per-premise 3 --seed 7 -o set.jsonl --sheet sheet.csv

    Example: touchstone nli generate premises.txt --relation antonym --list colours --list drinks

    Example: touchstone nli generate premises.txt --list proposals.tsv --bigrams wordsegment -o set.jsonl

    Parameters
    ----------
    premises : PREMISES
        Text, one premise per line, or a table with a column premise; - is standard input.
    only : --list NAME|FILE
        Use this list, in addition to --relation: a name, or your own FILE.tsv.
    unreviewed
        Also use WordNet proposals that nobody has reviewed: those in your lists, or new ones.
    rejected : FILE
        Write the replacements that were rejected, with reasons.
    sheet : FILE.csv
        Write a sheet for three annotators, for verify.
    out : -o FILE
        Write the pairs to a file instead of the terminal.
    """
    from touchstone.systems.challenge import generating
    from touchstone.systems.challenge.resources import Resources

    premise_texts = generating.read_premises(premises, sources.encoding)
    resources = Resources(vectors=sources.vectors, glosses=sources.glosses, **vars(filters))
    settings = generating.Settings(
        relations=sources.relation, lists=only, user_lists=sources.lists, unreviewed=unreviewed, resources=resources,
        **vars(selection),
    )  # fmt: skip
    listed = rejected is not None
    with working("searching premises") as progress:
        generated = generating.generate(premise_texts, settings, engine=engine, listed=listed, progress=progress)
    _write(generated, rejected, sheet, out)
    return generated


def _write(generated: "Generated", rejected: Path | None, sheet: Path | None, out: Path | None) -> None:
    """Write what was generated to the files that are named; the pairs to standard output where no file is."""
    from touchstone.io.jsonl import format_objects
    from touchstone.io.writing import write_text
    from touchstone.tasks.nli.formats.writing import format_pairs

    if rejected:
        write_text(rejected, format_objects(generated.rejected()))
    if sheet:
        write_text(sheet, generated.sheet())
    text = format_pairs(generated.pairs, "touchstone")
    if out is not None:
        write_text(out, text)
    else:
        print(text, end="")
        remark([generated.summary, *generated.notes])


def propose(
    premises: Path,
    *,
    limit: Count | None = None,
    sources: SourceOptions,
    out: Annotated[OutFile, Printed("proposals")] = None,
) -> "Finding":
    """Propose substitutions from WordNet for words that no list covers, as a list for a reviewer.

    The list goes to -o FILE, or to standard output. Write yes or no in its column reviewed; then generate --list FILE
    uses the lines with yes.

    Example: touchstone nli propose premises.txt --limit 200 -o proposals.tsv

    Parameters
    ----------
    premises : PREMISES
        Text, one premise per line, or a table with a column premise; - is standard input.
    limit : N
        Maximum number of lines; the most frequent are kept.
    out : -o FILE
        Write the list to a file instead of the terminal.
    """
    from touchstone import __version__
    from touchstone.io.writing import write_text
    from touchstone.show.finding import Statement, table_rows
    from touchstone.systems.challenge import generating
    from touchstone.systems.challenge.proposing import format_proposals, proposals_table
    from touchstone.systems.challenge.resources import Resources

    premise_texts = generating.read_premises(premises, sources.encoding)
    resources = Resources(vectors=sources.vectors, glosses=sources.glosses)
    settings = generating.Settings(relations=sources.relation, user_lists=sources.lists, resources=resources)
    with working("looking up words"):
        proposed = generating.propose(premise_texts, settings)[:limit]
    text = format_proposals(proposed, premise_texts.source.name)
    if out is not None:
        write_text(out, text)
    else:
        print(text, end="")
    table = proposals_table(proposed)
    signature = {"touchstone": __version__, "task": "nli", "premises": str(premise_texts.source)}
    return Statement("Proposed substitutions", [table], table_rows("count", table), signature=signature)
