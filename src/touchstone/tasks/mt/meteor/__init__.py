"""METEOR: words linked by form, stem or synonym; F of the linked words, and a penalty for broken order.

``meteor(classic)`` and ``meteor(tuned)`` are METEOR 1.5 with the modules exact, stem and synonym, each of weight 1, and
the parameters that Chan and Ng (2008, section 5.2) compare with. ``meteor(search=staged)`` aligns as Banerjee and Lavie
(2005) describe it. Several references: the one with the highest score counts, the first of equals.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from touchstone.base.ragged import Floats, Ints
from touchstone.base.ranges import SHARE
from touchstone.core.matching import Link, Matching
from touchstone.lexicon import wordnet
from touchstone.tasks.mt.formulas import meteor_steps
from touchstone.tasks.mt.meteor.beam import align
from touchstone.tasks.mt.meteor.words import MODULES, NONE, WordPairs, tokens_of
from touchstone.tasks.mt.model import MEASURES, Explanation, Joined, Layer, MtMeasure, check_choice
from touchstone.tasks.mt.texts import Texts


@dataclass(frozen=True)
class Setting:
    """Parameters: *alpha* weighs recall in F; *gamma* is the largest penalty for fragments, *beta* its steepness."""

    alpha: float
    beta: float
    gamma: float


SETTINGS = {
    "classic": Setting(alpha=0.9, beta=3.0, gamma=0.5),  # Banerjee and Lavie 2005
    "tuned": Setting(alpha=0.81, beta=0.83, gamma=0.28),  # Lavie and Agarwal 2007
}
COLUMNS = ("system_words", "reference_words", "chunks", *MODULES)
"""What a record holds, before the 1 of a segment that counts; a perfect segment has 0 chunks; links are by module."""


@dataclass(frozen=True)
class Aligned:
    """For each word of each reference, the place of the system word linked to it and the module; -1 for none."""

    pairs: WordPairs
    places: Ints
    modules: Ints

    @property
    def chunks(self) -> Ints:
        """The number of chunks of each pair: runs of links that are neighbours on both sides."""
        reference = self.pairs.reference
        linked = self.places != NONE
        follows = np.zeros(len(linked), np.bool_)
        follows[1:] = linked[1:] & linked[:-1] & (np.diff(self.places) == 1)
        follows[reference.offsets[:-1][reference.sizes > 0]] = False
        return np.bincount(reference.row[linked & ~follows], minlength=len(reference))

    def links(self, module: int) -> Ints:
        """Return how many links a module made in each pair."""
        reference = self.pairs.reference
        return np.bincount(reference.row[self.modules == module], minlength=len(reference))


Align = Callable[[WordPairs], Aligned]


def beam_search(pairs: WordPairs) -> Aligned:
    """Align texts as METEOR 1.5 does."""
    sides = (pairs.system.values, pairs.system.offsets, pairs.reference.values, pairs.reference.offsets)
    return Aligned(pairs, *align(*sides, pairs.stems, pairs.synsets.offsets, pairs.synsets.values))


def staged_search(pairs: WordPairs) -> Aligned:
    """Align texts stage by stage: in each the most links, and of those the alignment with the fewest crossings."""
    from touchstone.tasks.mt.meteor import staged

    return Aligned(pairs, *staged.align(pairs))


@dataclass(frozen=True)
class Search:
    """How words are aligned, and whether a segment that equals its reference word for word has no penalty."""

    align: Align
    spares_perfect: bool


SEARCHES = {
    "beam": Search(beam_search, spares_perfect=True),
    "staged": Search(staged_search, spares_perfect=False),
}


def score(sums: Floats, setting: Setting) -> Floats:
    """Fold summed records into F (1 - gamma (chunks/links)^beta), F = 1 / ((1 - alpha)/P + alpha/R); 0 without links.

    >>> cat = np.array([7, 6, 2, 5, 0, 1, 1.0])  # the cat was sitting on the mat || the cat sat on the mat
    >>> round(score(cat, SETTINGS["classic"]).item(), 12) == round(530 / 549, 12)
    True
    """
    system, reference, chunks = sums[..., 0], sums[..., 1], sums[..., 2]
    links = sums[..., 3:6].sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision, recall = links / system, links / reference
        mean = 1 / ((1 - setting.alpha) / precision + setting.alpha / recall)
        value = np.where(links > 0, mean * (1 - setting.gamma * (chunks / links) ** setting.beta), 0.0)
    return np.where(sums[..., -1] > 0, value, np.nan)


def record(compared: Joined, setting: Setting, search: Search) -> Floats:
    """Return the record of each segment against the reference with the highest score, the first of equals.

    Parameters
    ----------
    compared
        The translations and their references.
    setting
        The parameters of the score.
    search
        How words are aligned.
    """
    unmatched = np.zeros((len(compared), len(COLUMNS) + 1))
    unmatched[:, 0], unmatched[:, -1] = tokens_of(compared.hypotheses).codes.sizes, 1

    def against(texts: Texts) -> tuple[Floats, Floats]:
        records = compared.hypotheses.once(("meteor", search, texts), partial(_statistics, texts=texts, search=search))
        return records, score(records, setting)

    return compared.best_records(unmatched, against)


def _statistics(hypotheses: Texts, texts: Texts, search: Search) -> Floats:
    return statistics(search.align(WordPairs.of(hypotheses, texts)), search.spares_perfect)


def statistics(aligned: Aligned, spares_perfect: bool) -> Floats:
    """Return the records of aligned texts, each of them as a segment that counts."""
    by_module = [aligned.links(module) for module in range(len(MODULES))]
    links, chunks = np.sum(by_module, axis=0), aligned.chunks
    system, reference = aligned.pairs.system.sizes, aligned.pairs.reference.sizes
    if spares_perfect:
        # METEOR 1.5 does not count the one chunk of a perfect translation, which would cost it a penalty.
        chunks = np.where((links == system) & (links == reference) & (chunks == 1), 0, chunks)
    return np.column_stack([system, reference, chunks, *by_module, np.ones(len(links))]).astype(np.float64)


def meteor(setting: str = "classic", search: str = "beam") -> MtMeasure:
    """Return METEOR as a measure.

    Parameters
    ----------
    setting
        The parameters of the score: one of `SETTINGS`.
    search
        How words are aligned: one of `SEARCHES`.
    """
    check_choice("unknown setting of meteor", setting, SETTINGS)
    check_choice("unknown search of meteor", search, SEARCHES)
    chosen_setting, chosen_search = SETTINGS[setting], SEARCHES[search]
    parameters = [setting] * (setting != "classic" or search == "beam") + [f"search={search}"] * (search != "beam")
    return MtMeasure(
        name=f"meteor({','.join(parameters)})",
        record=partial(record, setting=chosen_setting, search=chosen_search),
        fold=partial(score, setting=chosen_setting),
        summary="F of words linked by form, stem or synonym, less a penalty for broken order",
        range=SHARE,
        parts=partial(MtMeasure.columns, names=COLUMNS),
        signature=f"modules:exact+stem+synonym tokens:meteor-1.5 stems:porter2 {wordnet().signature} references:best",
        explain=partial(explain, setting=chosen_setting, search=chosen_search),
        formula=partial(meteor_steps, alpha=chosen_setting.alpha, beta=chosen_setting.beta, gamma=chosen_setting.gamma),
    )


def explain(compared: Joined, setting: Setting, search: Search) -> Explanation:
    """Show the links of one translation by module, with precision, recall, F and the penalty."""
    pairs = WordPairs.of(compared.hypotheses, compared.references[0])
    aligned = search.align(pairs)
    segment = statistics(aligned, search.spares_perfect)[0]
    left, right = (tuple(pairs.words[n] for n in side.values) for side in (pairs.system, pairs.reference))
    matching = Matching(_links(aligned), len(left), len(right))
    value, f = float(score(segment, setting)), matching.f(setting.alpha)
    layer = Layer("words", left, right, matching, matching.precision, matching.recall, f)
    note = f"{segment[2]:.0f} chunks, a penalty of {1 - value / f:.6f}" if f else "no word is linked"
    return Explanation(left, right, (layer,), value, (note,))


def _links(aligned: Aligned) -> tuple[Link, ...]:
    linked = enumerate(zip(aligned.places.tolist(), aligned.modules.tolist(), strict=True))
    return tuple(Link(i, j, 1.0, MODULES[module]) for j, (i, module) in linked if i != NONE)


MEASURES.add("meteor", meteor, "meteor(classic)")
