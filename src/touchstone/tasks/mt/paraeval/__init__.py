"""ParaEval: how much of the reference is covered by paraphrases and words of the system (Zhou et al. 2006).

``paraeval.R`` is covered reference words / reference words, ``paraeval.P`` the same of the system; the mean over
segments. Without a table of paraphrases only words are linked, those that share a synset of WordNet too. Several
references: the one with the highest score counts.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from urllib.parse import unquote

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Floats
from touchstone.base.ranges import SHARE
from touchstone.core.matching import Link, Matching
from touchstone.lexicon import wordnet
from touchstone.stats.records import mean_value
from touchstone.tasks.mt.formulas import paraeval_steps
from touchstone.tasks.mt.model import MEASURES, Explanation, Items, Joined, Layer, MtMeasure
from touchstone.tasks.mt.paraeval.covering import Covered, Phrase, cover
from touchstone.tasks.mt.paraeval.table import Table, index_path, open_table
from touchstone.tasks.mt.texts import Texts

COLUMNS = ("system_words", "reference_words", "system_covered", "reference_covered", "phrases")
"""What a record holds between the value and the 1 of a segment that counts."""

SHARES = "P and R are shares of all words of a side; those of phrases and of single words add up"

RECALL, PRECISION = "paraeval.R", "paraeval.P"


@dataclass(frozen=True)
class ParaEval:
    """The parameters of ParaEval.

    Parameters
    ----------
    name
        `RECALL` or `PRECISION`.
    table
        The path of a table of paraphrases, or nothing. Brackets, commas and percent signs are written as in a URL:
        ``%28``, ``%2C``, ``%25``.
    min_prob
        The least probability of a paraphrase.
    wordnet
        Whether words that share a synset of WordNet are linked.
    """

    name: str
    table: str = ""
    min_prob: float = 0.0
    wordnet: bool = True

    def open(self) -> Table | None:
        """Return the table of paraphrases."""
        return open_table(Path(unquote(self.table)), self.min_prob) if self.table else None

    def __str__(self) -> str:
        parameters = [f"table={self.table}"] * bool(self.table) + [f"min_prob={self.min_prob:g}"] * bool(self.min_prob)
        parameters += ["wordnet=on"] * (self.wordnet and bool(self.table))
        return f"{self.name}({','.join(parameters)})" if parameters else self.name

    @property
    def notes(self) -> tuple[str, ...]:
        """What is known about the table, and where its index is kept."""
        table = self.open()
        if table is None:
            return ()
        index_file = index_path(Path(unquote(self.table)))
        return (
            *table.notes,
            *([f"the index of {table} is kept in {index_file}, and may be removed"] if index_file else []),
        )

    @property
    def signature(self) -> str:
        """What figures depend on: the table, and WordNet where it is used."""
        served = f"+wordnet {wordnet().signature}" if self.wordnet else ""
        least = f" min_prob:{self.min_prob:g}" if self.min_prob else ""
        return f"table:{self.open() or 'none'}{served}{least} tokens:meteor-1.5 references:best"


def record(compared: Joined, measure: ParaEval) -> Floats:
    """Return the record of each segment against the reference that covers it best, the first of equals."""
    table = measure.open()
    uncovered = np.zeros((len(compared), len(COLUMNS) + 2))
    uncovered[:, -1] = 1

    def against(texts: Texts) -> tuple[Floats, Floats]:
        key = ("paraeval", measure.table, measure.min_prob, measure.wordnet, texts)
        make = partial(_statistics, texts=texts, table=table, synonyms=measure.wordnet)
        columns = compared.hypotheses.once(key, make)
        values = _share(columns, measure.name)
        return np.column_stack([values, columns, np.ones(len(values))]), values

    return compared.best_records(uncovered, against)


def _statistics(hypotheses: Texts, texts: Texts, table: Table | None, synonyms: bool) -> Floats:
    return statistics(cover(hypotheses, texts, table, synonyms=synonyms))


def statistics(covered: Covered) -> Floats:
    """Return the `COLUMNS` of each segment."""
    singly, (left, right) = covered.by_words, covered.by_phrases
    linked = np.array([len(links) for links in covered.phrases], np.int64)
    columns = (covered.system.sizes, covered.reference.sizes, left + singly, right + singly, linked)
    return np.column_stack(columns).astype(np.float64)


def _share(statistics: Floats, name: str) -> Floats:
    """Return covered words / words of the side that is asked for, 0 where it has none."""
    side = 1 if name == RECALL else 0
    return np.asarray(statistics[:, 2 + side] / np.maximum(statistics[:, side], 1))


def paraeval(name: str, table: str = "", min_prob: str = "0", wordnet: str = "") -> MtMeasure:
    """Return ParaEval's recall or precision; *table* is a path, with ``%28 %29 %2C`` for brackets and commas."""
    if wordnet not in ("", "on", *(["off"] if table else [])):
        raise TouchstoneError("wordnet is on, or off where a table is given", value=wordnet, code=Code.BAD_VALUE)
    if not re.fullmatch(r"0|1|0?\.[0-9]{1,12}|1\.0*", min_prob):
        raise TouchstoneError("min_prob must be a number from 0 to 1", value=min_prob, code=Code.BAD_VALUE)
    if float(min_prob) and not table:
        raise TouchstoneError("min_prob needs a table", value=min_prob, code=Code.OPTION_NEEDED, hint="give table=FILE")
    measure = ParaEval(name, table, float(min_prob), wordnet == "on" or not table)
    return MtMeasure(
        name=str(measure),
        record=partial(record, measure=measure),
        fold=mean_value,
        summary=f"words covered by paraphrases and words / words of the {'reference' if name == RECALL else 'system'}",
        range=SHARE,
        parts=partial(MtMeasure.columns, names=COLUMNS, first=1),
        signature=measure.signature,
        explain=partial(explain, measure=measure),
        notes=measure.notes,
        formula=partial(paraeval_steps, side=1 if name == RECALL else 0),
    )


def explain(compared: Joined, measure: ParaEval) -> Explanation:
    """Show the linked phrases and words of one translation."""
    covered = cover(compared.hypotheses, compared.references[0], measure.open(), synonyms=measure.wordnet)
    left, right = (tuple(covered.vocabulary[n] for n in side.values) for side in (covered.system, covered.reference))
    value = float(_share(statistics(covered), measure.name)[0])
    layers = [_word_layer(covered, left, right)]
    if covered.phrases[0]:
        layers.insert(0, _phrase_layer(covered, left, right))
    return Explanation(left, right, tuple(layers), value, (SHARES,) if len(layers) > 1 else ())


def _word_layer(covered: Covered, left: tuple[str, ...], right: tuple[str, ...]) -> Layer:
    """Return the linked words among those that no phrase covers; what they earn are shares of all words."""
    (phrases,), matching = covered.phrases, covered.words[0]
    free_left = _free(left, [link.system for link in phrases])
    free_right = _free(right, [link.reference for link in phrases])
    left_words, right_words = (tuple(word for word, _ in side) for side in (free_left, free_right))
    links = tuple(
        replace(link, stage="exact" if left_words[link.left] == right_words[link.right] else "synonym")
        for link in matching.links
    )
    earned = Matching(links, len(left), len(right))
    layer = Layer.of("words", free_left, free_right, replace(matching, links=links), earned.f())
    return replace(layer, precision=earned.precision, recall=earned.recall)


def _free(words: tuple[str, ...], phrases: Sequence[Phrase]) -> Items:
    """Return the words that no phrase covers, with their places."""
    inside = {position for phrase in phrases for position in phrase.places}
    return [(word, (position,)) for position, word in enumerate(words) if position not in inside]


def _phrase_layer(covered: Covered, left: tuple[str, ...], right: tuple[str, ...]) -> Layer:
    """Return the linked phrases; what they earn are shares of the words."""
    (links,) = covered.phrases
    matching = Matching(tuple(Link(n, n, 1.0, "phrase") for n in range(len(links))), len(links), len(links))
    by_left, by_right = (float(side[0]) for side in covered.by_phrases)
    f = 2 * by_left * by_right / (by_left * len(right) + by_right * len(left))
    items = [(_text(link.system, left), tuple(link.system.places)) for link in links]
    others = [(_text(link.reference, right), tuple(link.reference.places)) for link in links]
    layer = Layer.of("phrases", items, others, matching, f)
    return replace(layer, precision=by_left / len(left), recall=by_right / len(right))


def _text(phrase: Phrase, words: tuple[str, ...]) -> str:
    return " ".join(words[position] for position in phrase.places)


for _name in (RECALL, PRECISION):
    MEASURES.add(_name, partial(paraeval, _name))
