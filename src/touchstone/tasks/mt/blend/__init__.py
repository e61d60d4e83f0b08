"""blend: three matchings of a translation with its reference, and a penalty for untranslated words.

    blend = (F of words + F of characters + F of tags) / 3 · known²

over three layers of items: words (`blend.words`), n-grams of one to four characters, and n-grams of one to three tags.
F = m / ((s + r) / 2) with m the weight of the matching and s, r the weights of both sides. *known* is the share of the
translation's words that are English or in the reference: it falls with every word left in the source language. Nothing
is fitted: weights that were learned from judgements do no better on systems, segments and references that they were not
learned from (docs/mt_quality.md).

Several references: the mean over those present. A system's value is the mean over segments.
"""

from dataclasses import dataclass
from functools import partial
from importlib.metadata import version

import numpy as np

from touchstone.base.ragged import Floats, Ints, Ragged
from touchstone.base.ranges import SHARE
from touchstone.core.measures import ratio
from touchstone.stats.records import mean_value
from touchstone.tasks.mt.blend.ngrams import Grams, characters, code, mean_f
from touchstone.tasks.mt.blend.words import Words, match_words, words_of
from touchstone.tasks.mt.formulas import blend_steps
from touchstone.tasks.mt.model import MEASURES, Explanation, Joined, Layer, MtMeasure
from touchstone.tasks.mt.texts import Texts
from touchstone.tasks.mt.words import has_letter
from touchstone.text import Sentence, english

LAYERS = ("words", "characters", "tags")
PARTS = (*LAYERS, "known")

CHARACTERS, TAGS = 4, 3
"""The longest n-grams of characters and of tags."""

POWER = 2
"""The power to which the share of known words is raised: a round number; see docs/mt_quality.md."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """The items of all layers of one side of a comparison."""

    words: Words
    characters: Grams
    tags: Grams


def prepared(texts: Texts) -> Prepared:
    """Return the items of all layers of *texts*, computed once."""
    return texts.once("blend", _prepare)


def _prepare(texts: Texts) -> Prepared:
    sentences = texts.tagged()
    lowered = [" ".join(text.lower().split()) for text in texts.present]
    return Prepared(
        Words.of([words_of(sentence) for sentence in sentences]),
        Grams.of(characters(lowered), CHARACTERS),
        Grams.of(Ragged.of(([code(tag) for tag in sentence.tags] for sentence in sentences), np.uint64), TAGS),
    )


def layer_values(hypotheses: Texts, references: Texts) -> Floats:
    """Return F of every layer and the share of known words (columns, in the order of `PARTS`) of each segment."""
    system_layers, reference_layers = prepared(hypotheses), prepared(references)
    return np.stack(
        [
            _f(
                match_words(system_layers.words, reference_layers.words).totals.sum(axis=1),
                system_layers.words.totals,
                reference_layers.words.totals,
            ),
            mean_f(system_layers.characters, reference_layers.characters),
            mean_f(system_layers.tags, reference_layers.tags),
            english_or_quoted_share(system_layers.words, reference_layers.words),
        ],
        axis=1,
    )


def _f(weight: Floats, left: Floats, right: Floats) -> Floats:
    """Return weight / ((left + right) / 2), 1 where neither side has anything."""
    either = left + right > 0
    return np.where(either, ratio(2 * weight, np.where(either, left + right, 1.0)), 1.0)


def english_or_quoted_share(hypotheses: Words, references: Words) -> Floats:
    """Return the share of each segment's words that are English or in its reference; 1 where there are no words."""
    places = hypotheses.places
    quoted = np.isin(_in_segment(hypotheses), _in_segment(references))
    english_or_quoted = hypotheses.types.english[places.values] | quoted
    counts = np.bincount(places.row[english_or_quoted], minlength=len(places))
    return np.where(places.sizes > 0, counts / np.maximum(places.sizes, 1), 1.0)


def _in_segment(words: Words) -> Ints:
    """Return a number for every word that stands for its segment and its form."""
    return words.places.row << 32 | words.types.form[words.places.values]


def blended(values: Floats, power: float = POWER) -> Floats:
    """Return the mean of the layers times known**power; *values* end with the share of known words.

    >>> blended(np.array([0.5, 1.0, 0.5])).item()
    0.1875
    """
    return np.asarray(values[..., :-1].mean(axis=-1) * values[..., -1] ** power)


def record(compared: Joined) -> Floats:
    """Return for each segment the value, the parts in the order of `PARTS`, and whether it counts."""

    def against(references: Texts) -> Floats:
        values = layer_values(compared.hypotheses, references)
        return np.column_stack([blended(values), values])

    records = compared.mean_records(len(PARTS) + 2, against)
    empty = [not text.strip() for text in compared.hypotheses.present]
    records[np.array(empty, np.bool_), :-1] = 0
    return records


parts = partial(MtMeasure.columns, names=PARTS, first=1)
"""Returns what each layer earned, and the share of known words."""


def blend() -> MtMeasure:
    """Return the measure."""
    resources = f"analyser:{english().signature}|stems:porter2|wordfreq:{version('wordfreq')}|references:mean"
    return MtMeasure(
        name="blend",
        record=record,
        fold=mean_value,
        summary="mean F of words, characters and tags, times the squared share of known words",
        range=SHARE,
        parts=parts,
        signature=resources,
        explain=explain,
        formula=blend_steps,
        averages_references=True,
    )


def explain(compared: Joined) -> Explanation:
    """Show the links between the words of one translation and its reference, and what the other layers earned."""
    hypotheses, references = compared.hypotheses, compared.references[0]
    hypothesis, reference = hypotheses.tagged()[0], references.tagged()[0]
    values = layer_values(hypotheses, references)[0]
    value = float(mean_value(record(compared)[0]))
    notes = [f"{name} {f:.6f}" for name, f in zip(LAYERS, values.tolist(), strict=False)]
    notes.append(f"known words {values[-1]:.6f}, squared")
    return Explanation(hypothesis.forms, reference.forms, (_words_layer(hypothesis, reference),), value, tuple(notes))


def _words_layer(hypothesis: Sentence, reference: Sentence) -> Layer:
    left, right = Words.of([words_of(hypothesis)]), Words.of([words_of(reference)])
    matching = match_words(left, right)[0]
    weights = float(left.totals[0]), float(right.totals[0])
    precision, recall, f = (matching.weight / weight if weight else 0.0 for weight in (*weights, sum(weights) / 2))
    left_forms, right_forms = (tuple(word.form for word in words_of(side)) for side in (hypothesis, reference))
    return Layer(
        "words", left_forms, right_forms, matching, precision, recall, f, _places(hypothesis), _places(reference)
    )


def _places(sentence: Sentence) -> tuple[tuple[int, ...], ...]:
    return tuple((position,) for position, form in enumerate(sentence.forms) if has_letter(form))


MEASURES.add("blend", blend)
