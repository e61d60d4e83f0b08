"""What makes translations look like a mistake: another language, copies, other tokens, segments out of place."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.core.doubts import COPIED, LEAST, Doubt, doubt_copy, doubt_matches, doubt_order
from touchstone.core.task import Inputs
from touchstone.tasks.mt.model import GoldSet, Joined, Run

SAMPLE = 500
"""Neighbouring segments that are compared word by word: enough to tell what is unlikely."""

FEWEST = 5
"""Segments from which equal texts are no chance."""

IN_LANGUAGE = 0.2
"""The share of a system's words in the references below which it seems to write another language. The least of all
systems of WMT 2012 and 2014 into English is .56, of five segments .41; German beside English has up to .14."""

MANY = 50
"""Words from which this share is certain; of fewer, only `LEAST` is."""

COPIED_SOURCE = 0.5
"""The share of segments that equal their source from which a system seems to give back what it was given."""

SEVERAL, DISPLACED = 10, 0.6
"""Segments with rare words, and the share of them whose words are elsewhere, from which lines seem to be disordered."""

APART, TOGETHER = 0.5, 0.05
"""The shares of segments with a blank before a comma or full stop that tell tokenised from plain text."""

_WORD = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]|[^\W\d_]+")
"""A word; in scripts without blanks between words, a character."""

_TOKEN = re.compile(r"\w+")

_CAPITAL = re.compile("[A-Z]")

_TOKENISED = re.compile(r"\w [.,](?:\s|$)")


def doubts(inputs: Inputs[GoldSet, Run], joined: Sequence[tuple[Run, Joined]]) -> list[Doubt]:  # noqa: ARG001 (as in all tasks)
    """Return what is unlikely about each run."""
    return [doubt for run, one in joined for doubt in _doubts(run.name, one)]


def _doubts(system: str, joined: Joined) -> list[Doubt]:
    serious = _copies(system, joined) or _language(system, joined) or _order(system, joined)
    return serious or [*_elsewhere(system, joined), *_same(system, joined), *_forms(system, joined)]


def _copies(system: str, joined: Joined) -> list[Doubt]:
    """Return a doubt where a run equals a reference, or gives back the source."""
    given = [place for place, text in enumerate(joined.hypotheses.present) if text.strip()]
    texts = joined.hypotheses.present

    def equal(other: Sequence[str]) -> int:
        return sum(texts[place] == other[place] for place in given)

    references = [one.present for one in joined.references]
    most = max(map(equal, references), default=0)
    copied = doubt_copy(
        system, most, len(given), "the reference", "the run may be a copy of the gold", fewest=FEWEST
    )  # fmt: skip
    if copied or joined.source is None:
        return copied
    source = joined.source.present
    usual = sum(any(one[place] == source[place] for one in references) for place in given)
    cause = "the run may be the source, or the system gives back what it does not translate"
    back = doubt_copy(system, equal(source), len(given), "the source", cause, fewest=FEWEST, share=COPIED_SOURCE)
    return back if usual < COPIED_SOURCE / 2 * len(given) else []


def _words(texts: Sequence[str]) -> list[list[str]]:
    return [_WORD.findall(text.casefold()) for text in texts]


def _sampled(joined: Joined) -> slice:
    start = max(0, (len(joined.hypotheses) - SAMPLE) // 2)
    return slice(start, start + SAMPLE)


def _language(system: str, joined: Joined) -> list[Doubt]:
    """Return a doubt where hardly a word of the system is in any reference."""
    rows = _sampled(joined)
    words = [word for text in _words(joined.hypotheses.present[rows]) for word in text]
    known = {word for one in joined.references for text in _words(one.present[rows]) for word in text}
    if not known:
        return []
    readings: Mapping[str, int] = {}
    if joined.source is not None:
        source = {word for text in _words(joined.source.present[rows]) for word in text}
        where = "{count} are in the source: the output may not be translated"
        readings = {where: sum(word in source for word in words)}
    return doubt_matches(
        system, len(words), sum(word in known for word in words), readings,
        what="words are in a reference",
        otherwise="the output may be in another language, or belong to another test set",
        least=IN_LANGUAGE if len(words) >= MANY else LEAST,
    )  # fmt: skip


def _order(system: str, joined: Joined) -> list[Doubt]:
    """Return a doubt where translations have more words in common with the references of neighbouring segments."""
    rows = _sampled(joined)
    texts = [set(words) for words in _words(joined.hypotheses.present[rows])]
    references = [[set(words) for words in _words(one.present[rows])] for one in joined.references[:1]]

    def shared(moved: int) -> Floats:
        places = np.clip(np.arange(len(texts)) + moved, 0, len(texts) - 1).tolist()
        return np.array([
            max((2 * len(text & one[place]) / max(1, len(text) + len(one[place])) for one in references), default=0.0)
            for text, place in zip(texts, places, strict=True)
        ])  # fmt: skip

    others = {"previous segment": shared(-1), "next segment": shared(1)}
    return doubt_order(system, shared(0), others, what="words")


def _elsewhere(system: str, joined: Joined) -> list[Doubt]:
    """Return a doubt where words that one reference alone has are mostly in the translations of other segments."""
    rows = _sampled(joined)
    texts, references = joined.hypotheses.present[rows], joined.references[0].present[rows]
    words = map(_tokens_of, references)
    places: dict[str, list[int]] = {}
    for place, own in enumerate(words):
        for word in own:
            places.setdefault(word, []).append(place)
    here = there = 0
    for place, text in enumerate(texts):
        votes = Counter(found[0] for word in _tokens_of(text) if len(found := places.get(word, [])) == 1)
        if votes:
            better = votes.most_common(1)[0][1] > votes[place]
            there, here = there + better, here + (not better)
    if there + here < SEVERAL or there < DISPLACED * (there + here):
        return []
    what = f"rare words of {there:,} of {there + here:,} translations are in the references of other segments"
    return [Doubt(system, what, "its lines may be in another order")]


def _tokens_of(text: str) -> set[str]:
    return set(_TOKEN.findall(text.casefold()))


def _same(system: str, joined: Joined) -> list[Doubt]:
    """Return a doubt where a system gives one text for nearly all segments."""
    texts = [text for text in joined.hypotheses.present if text.strip()]
    most = max(Counter(texts).values(), default=0)
    usual = max(Counter(joined.references[0].present).values(), default=0)
    if len(texts) < SEVERAL or most < COPIED * len(texts) or usual >= most:
        return []
    return [Doubt(system, f"gives the same text for {most:,} of {len(texts):,} segments", "its output may be damaged")]


def _forms(system: str, joined: Joined) -> list[Doubt]:
    """Return a doubt where only one side is tokenised, or only one side has capitals."""
    rows = _sampled(joined)
    if len(joined.hypotheses) < FEWEST:
        return []
    sides = [joined.hypotheses.present[rows], *(one.present[rows] for one in joined.references)]
    plain = "without blanks before punctuation, on both sides"
    kinds = [
        ("are tokenised", _TOKENISED, f"they need the same tokenisation: give plain text, {plain}"),
        ("have capitals", _CAPITAL, "most metrics tell capitals from small letters: give both sides in the same form"),
    ]
    doubts = []
    for form, pattern, cause in kinds:
        own, *others = (float(np.mean([bool(pattern.search(text)) for text in side])) for side in sides)
        if own >= APART and max(others) <= TOGETHER:
            doubts.append(Doubt(system, f"its translations {form} and the references not", cause, stops=False))
        if own <= TOGETHER and min(others) >= APART:
            doubts.append(Doubt(system, f"the references {form} and its translations not", cause, stops=False))
    return doubts
