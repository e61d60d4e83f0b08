"""Translations and their references: options, gold, runs, the two joined, and how a score is explained."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest, no_such_item
from touchstone.base.files import Source
from touchstone.base.ids import Ids
from touchstone.base.notes import count_note
from touchstone.base.ragged import Bools, Floats
from touchstone.base.signature import DIGEST_DIGITS, content_digest
from touchstone.base.tables import Table
from touchstone.core import inputs
from touchstone.core.formulas import Steps
from touchstone.core.matching import Matching
from touchstone.core.measures import Measure, Measures
from touchstone.io.tables import repeated_strings
from touchstone.tasks.mt.about import Options
from touchstone.tasks.mt.synonyms import Thesaurus
from touchstone.tasks.mt.texts import GivenAnalyses, Texts


@dataclass(frozen=True, eq=False, repr=False)
class Run(inputs.Run):
    """The translations of one system, in the order of the segments of the gold; None if one is missing.

    *analyses* are the files of given analyses and roles; *ids* are those of a table that has such, each with its line;
    *remarks* say how the run was read.
    """

    name: str
    texts: Texts
    source: Source
    analyses: tuple[Source, ...] = ()
    notes: tuple[str, ...] = ()
    ids: Ids | None = None
    remarks: tuple[str, ...] = ()

    @property
    def sources(self) -> Sequence[Source]:
        """The file or object that was read."""
        return (self.source,)

    @cached_property
    def signature(self) -> str:
        """The digest of the translations, and of given analyses and roles, whatever files or objects held them."""
        return content_digest(hypothesis=self.texts, analyses=[source.digest for source in self.analyses])

    @property
    def places(self) -> Ids | None:
        """The segments of the rows, where a table has ids."""
        return self.ids

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        count = sum(text is not None for text in self.texts)
        return f"{self.name}: {count:,} translations ({_source_label(self.source)})"


def _source_label(source: Source) -> str:
    """Return a file with its digest; the name of a Python object."""
    return str(source) if source.digest else source.name


@dataclass(frozen=True, eq=False, repr=False)
class GoldSet(inputs.GoldSet):
    """The reference translations of a test set.

    Parameters
    ----------
    texts
        The references, each with all segments; None if one is absent.
    ids
        The id of each segment: its line number, or what a table says.
    sources
        The files.
    reading
        How texts were read, in words.
    groups, documents, source
        The language pair or test set, the document and the source text of each segment, where they are known.
    thesaurus
        Synonyms instead of WordNet, where a file gives them.
    unreferenced
        The rows of segments without any reference, where these are allowed.
    runs
        The runs that a table carries.
    analysed
        The file with the analyses of all texts, where there is one.
    analyses
        The files of given analyses and roles.
    file_notes
        What a reader should know of the files.
    remarks
        How tables were read, such as which columns were chosen.
    left_out
        The systems of tables that are no runs: references, and those that the options leave out.
    """

    texts: tuple[Texts, ...]
    ids: tuple[str, ...]
    sources: tuple[Source, ...]
    reading: str = field(default_factory=lambda: Options().reading)
    groups: tuple[str, ...] | None = None
    documents: tuple[str, ...] | None = None
    source: Texts | None = None
    thesaurus: Thesaurus | None = None
    analysed: GivenAnalyses | None = None
    unreferenced: frozenset[int] = frozenset()
    runs: tuple[Run, ...] = ()
    analyses: tuple[Source, ...] = ()
    file_notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        count = sum(text is not None for texts in self.texts for text in texts)
        return f"{', '.join(map(_source_label, self.sources))}: {len(self):,} segments, {count:,} references"

    @cached_property
    def items(self) -> pa.Table:
        """The id of each segment, and its group and document where they are known."""
        optional = {"group": self.groups, "document": self.documents}
        columns = {name: repeated_strings(values) for name, values in optional.items() if values is not None}
        return pa.table({"id": pa.array(self.ids, pa.string()), **columns})

    @cached_property
    def digest(self) -> str:
        """The digest of all that numbers depend on, whatever files or objects held it."""
        references = {f"reference {number}": texts for number, texts in enumerate(self.texts, 1)}
        return content_digest(id=self.ids, group=self.groups or (), document=self.documents or (), **references)

    @property
    def signature(self) -> dict[str, str]:
        """The digest of the references, how many there are, how they were read, and digests of given analyses."""
        unreferenced = f", {len(self.unreferenced)} segments without any" if self.unreferenced else ""
        count = f"{len(self.texts)} reference{'s' * (len(self.texts) != 1)}"
        analyses = ", ".join(f"#{source.digest[:DIGEST_DIGITS]}" for source in self.analyses)
        return {
            "gold": self.digest,
            "items": f"{len(self)} segments, {count}{unreferenced}",
            "reading": self.reading,
            **({"analyses": analyses} if analyses else {}),
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the scores should know of the references."""
        unreferenced = count_note("segments without a reference, which score 0", len(self.unreferenced))
        return (*self.file_notes, *([unreferenced] if self.unreferenced else []))

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each segment by its id."""
        return {name: row for row, name in enumerate(self.ids)}

    def row(self, name: str) -> int:
        """Return the row of a segment; refuse an unknown id."""
        if name not in self.rows:
            raise no_such_item(name, self.ids, what="unknown segment", plural="segments")
        return self.rows[name]


@dataclass(frozen=True, eq=False)
class Joined(inputs.Joined):
    """The translations of one system and the references of the same segments: what the measures look at.

    Parameters
    ----------
    hypotheses
        The translations; a missing one is an empty text.
    references
        The references; a segment that counts has at least one, unless empty ones were allowed.
    counted
        Which segments count: a missing translation may be left out, an empty one counts and scores 0. All by default.
    facts, notes
        What the table of items says about each segment, and what a reader of the scores should know.
    source
        The source text of each segment, where it is known.
    thesaurus
        Synonyms instead of WordNet, where a file gives them.
    """

    hypotheses: Texts
    references: tuple[Texts, ...]
    counted: Bools = field(default_factory=lambda: np.empty(0, np.bool_))
    facts: pa.Table = field(default_factory=lambda: pa.table({}), repr=False)
    notes: tuple[str, ...] = ()
    source: Texts | None = None
    thesaurus: Thesaurus | None = None

    def __post_init__(self) -> None:
        if len(self.counted) != len(self.hypotheses):
            object.__setattr__(self, "counted", np.ones(len(self.hypotheses), np.bool_))

    def __len__(self) -> int:
        return len(self.hypotheses)

    def mean_records(self, width: int, against: Callable[[Texts], Floats]) -> Floats:
        """Return records of *width* numbers: the mean over the references present, and 1 if a segment counts.

        Parameters
        ----------
        width
            How many numbers a record has.
        against
            Takes the texts of one reference and returns all numbers of each record but the last.
        """
        records, present = np.zeros((len(self), width)), np.zeros(len(self))
        for texts in self.references:
            here = texts.given
            records[here, :-1] += against(texts)[here]
            present += here
        records /= np.maximum(present, 1)[:, None]
        records[:, -1] = 1
        records[~self.counted] = 0
        return records

    def best_records(self, records: Floats, against: Callable[[Texts], tuple[Floats, Floats]]) -> Floats:
        """Return the record of each segment with the reference of the highest value, the first of equals.

        Parameters
        ----------
        records
            The records of segments without a reference; they are overwritten.
        against
            Takes the texts of one reference and returns the records with it, and the value of each.
        """
        highest = np.full(len(self), -1.0)
        for texts in self.references:
            of_reference, values = against(texts)
            better = texts.given & (values > highest)
            records[better], highest[better] = of_reference[better], values[better]
        return np.where(self.counted[:, None], records, 0.0)


Items = Sequence[tuple[str, tuple[int, ...]]]
"""Items of one side of a matching, such as bigrams, each with the tokens that it covers."""

TIED_MATCHINGS = "the total weight is unique; where several matchings reach it, one of them is shown"
"""The note on a matching of greatest weight."""


@dataclass(frozen=True)
class Layer:
    """One matching behind a score, such as that of bigrams: the items of both sides, their links, and the shares.

    *left_places* and *right_places* have, for each item, the tokens that it covers.
    """

    name: str
    left: tuple[str, ...]
    right: tuple[str, ...]
    matching: Matching
    precision: float
    recall: float
    f: float
    left_places: tuple[tuple[int, ...], ...] = ()
    right_places: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def of(cls, name: str, left: Items, right: Items, matching: Matching, f: float) -> "Layer":
        """Return the matching of items whose tokens are known as a layer, with its own precision and recall."""
        items, other_items = (tuple(item for item, _ in side) for side in (left, right))
        places = (tuple(tokens for _, tokens in side) for side in (left, right))
        return cls(name, items, other_items, matching, matching.precision, matching.recall, f, *places)


@dataclass(frozen=True)
class Explanation:
    """The score of one segment against one reference: the words of both sides, and the links layer by layer.

    *segment_value* is the score of the segment against all its references, of which this is the one that
    *reference_of* says, such as the first of two.
    """

    hypothesis: tuple[str, ...]
    reference: tuple[str, ...]
    layers: tuple[Layer, ...]
    value: float
    notes: tuple[str, ...] = ()
    measure: str = ""
    system: str = ""
    segment: str = ""
    segment_value: float | None = None
    reference_of: tuple[int, int] = (1, 1)


@dataclass(frozen=True)
class MtMeasure(Measure[Joined]):
    """A measure of translation: beside its records it may have a matching to show, and notes on its records."""

    explain: Callable[[Joined], Explanation] | None = field(default=None, repr=False)
    """Takes one translation and its one reference, and shows the matching behind the score."""
    counts: Callable[[Joined], Sequence[Table]] | None = field(default=None, repr=False)
    """Takes one translation and its references, and shows the counts behind the score, where nothing is matched."""
    remarks: Callable[[Floats], tuple[str, ...]] | None = field(default=None, repr=False)
    """Takes the records of one system; says what a reader should know of them."""
    notes: tuple[str, ...] = field(default=(), repr=False)
    """What a reader should know of the measure's resources."""
    averages_references: bool = field(default=False, repr=False)
    """Whether the record of a segment is the mean of its records with each reference."""
    of_layers: Callable[[Explanation], Steps] | None = field(default=None, repr=False)
    """In place of *formula*: how the layers of the best alignment give the score."""

    @staticmethod
    def columns(records: Floats, names: Sequence[str], first: int = 0) -> dict[str, Floats]:
        """Return columns of records by their *names*, from column *first* on: what `parts` is for most measures.

        >>> MtMeasure.columns(np.array([[0.5, 7.0, 1.0]]), ["words"], first=1)
        {'words': array([7.])}
        """
        return {name: records[:, column] for column, name in enumerate(names, first)}


def quoted_signature(signature: str, results: Mapping[str, str]) -> str:
    """Return a signature of sacrebleu with the number of references, as papers quote it; empty for other measures.

    Parameters
    ----------
    signature
        The signature of the measure.
    results
        The signature of the results, whose items say how many references there are.

    Examples
    --------
    >>> quoted_signature("sacrebleu case:mixed|eff:no", {"items": "12 segments, 1 reference"})
    'sacrebleu nrefs:1|case:mixed|eff:no'
    """
    package, _, parameters = signature.partition(" ")
    if package != "sacrebleu":
        return ""
    items = results.get("items", "")
    count = re.search(r"(\d+) reference", items)
    references = "" if count is None else f"nrefs:{'var' if 'without any' in items else count[1]}|"
    return f"{package} {references}{parameters}"


def check_choice(what: str, value: str, choices: Collection[str]) -> None:
    """Refuse a *value* that is not one of the *choices*; *what* says what is wrong with it."""
    if value not in choices:
        near, hint = nearest(value, choices), f"choose one of {', '.join(choices)}"
        raise TouchstoneError(what, value=value, near=near, code=Code.UNKNOWN_NAME, hint=hint)


MEASURES: Measures[Joined] = Measures(
    "mt",
    sources={
        "bleu": "papineni-2002 post-2018",
        "chrf": "popovic-2015 post-2018",
        "ter": "snover-2006 post-2018",
        "maxsim": "chan-ng-2008",
        "meteor": "banerjee-lavie-2005",
        "paraeval": "zhou-2006",
    },
    paper_names={
        "bleu": "BLEU",
        "chrf": "chrF",
        "ter": "TER",
        "maxsim": "MAXSIM",
        "meteor": "METEOR",
        "paraeval": "ParaEval",
    },
    quote=quoted_signature,
)
"""The measures by name; the module of each family adds its own."""
