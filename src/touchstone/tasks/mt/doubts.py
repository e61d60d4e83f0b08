"""What makes translations look like a mistake: another language, copies, other tokens, segments out of place."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from touchstone.base.errors import visible
from touchstone.base.ragged import Bools, Floats
from touchstone.base.spelling import setting
from touchstone.core.doubts import COPIED, LEAST, Doubt, doubt_copy, doubt_matches, doubt_order
from touchstone.core.inputs import Inputs
from touchstone.tasks.mt.languages import SCRIPTS
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

COPIED_SOURCE = 0.1
"""The share of segments that equal their source, and no reference, from which a system seems to give back what it was
given."""

SEVERAL, DISPLACED = 10, 0.6
"""Segments with rare words, and the share of them whose words are elsewhere, from which lines seem to be disordered."""

DISPLACED_PART = 0.8
"""This share in the first or the last segments only, of which many parts are tried. Systems of WMT 2012 and 2014
have up to .6."""

COMMON, RARE = 0.5, 0.05
"""The shares of segments from which a form is common, such as a blank before a comma, and up to which it is rare."""

REPEATED = 0.1
"""The share of segments that one text must translate, beside different references, to look like a message of a tool."""

MARKED = 0.1
"""The share of translations with a mark that no reference has, such as </s>, from which it looks left over."""

LONGER, JOINED = 1.6, 4
"""How many times as long as the references translations seem to hold more than those, and how many times fewer blanks
than the references they have where words seem to be joined."""

CERTAIN = 100
"""How many times less likely than one a stretch of displaced segments must be, if each were as likely as not."""

_WORD = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]|[^\W\d_]+")
"""A word; in scripts without blanks between words, a character."""

_TOKEN = re.compile(r"\w+")

_CAPITAL = re.compile("[A-Z]")

_SMALL = re.compile("[a-z]")

_TOKENISED = re.compile(r"\w [.,](?:\s|$)")

_NUMBER = re.compile(r"\s*(\d{1,9})[.):]?\s")

_LABEL = re.compile(r"\s*(\[[^\]]{1,60}\]|[^:：]{1,60}[:：])\s*\S")

_CURLY, _STRAIGHT = re.compile("[“”„‘’]"), re.compile("[\"']")

_END = re.compile(r"[^\w\s][\"'”’»)\]]*\s*$")

MARKS = {
    "marks of pieces of words": (
        re.compile(r"@@(?: |$)|[▁Ġ]|(?:^| )##\w"),
        "join the pieces: give plain text",
    ),
    "tags of a model, such as </s> or <unk>": (
        re.compile(r"</?s>|<(?:unk|pad|bos|eos)>|\[(?:CLS|SEP|PAD|UNK)\]|<\|\w+\|>"),
        "remove them",
    ),
    "quotes around them": (re.compile(r"""^\s*(["']).*\1\s*$"""), "give the text alone, without the quotes of a file"),
    "the b'…' of bytes around them": (
        re.compile(r"""^\s*b(["']).*\1\s*$"""),
        "decode them: give plain text",
    ),
    "their text twice": (
        re.compile(r"^\s*(\S.{9,}?)\s*\1\s*$"),
        "the output may have been appended to itself",
    ),
    r"an escaped line break, \n": (re.compile(r"\\n"), "the file may hold JSON or code: give plain text"),
    "brackets and quotes around them": (
        re.compile(r"""^\s*\[\s*(["']).*\1\s*\]\s*$"""),
        "give the text alone, without the brackets of a list",
    ),
    "asterisks or backquotes around them": (re.compile(r"^\s*(\*\*|`+).*\1\s*$"), "give plain text"),
    "the separator |||": (re.compile(r"\|\|\|"), "give the text alone"),
    "invisible characters": (re.compile("[\u200b\u2060\ufeff\u00ad]"), "remove them: they part words"),
    "letters whose accents are characters of their own": (
        re.compile("[A-Za-z][\u0300-\u036f]"),
        "normalise all texts: {nfc}",
    ),
    "letters of a wrong encoding, such as Ã": (
        re.compile("[ÂÃ][\u0080-\u00bf]|â€|\ufffd"),
        "the file was read or written with a wrong encoding",
    ),
}
"""Marks that a tool leaves in texts, with the pattern that finds them and what to do."""

EMPTY_WORDS = {"nan", "none", "null", "<na>", "n/a"}
"""What tools write for a text that there is not."""


def doubts(inputs: Inputs[GoldSet, Run], joined: Sequence[tuple[Run, Joined]]) -> list[Doubt]:
    """Return what is unlikely about the gold and about each run."""
    about_gold = [*_references(joined[0][1]), *_options(inputs, joined[0][1])] if joined else []
    return [*about_gold, *(doubt for run, joined_run in joined for doubt in _doubts(run.name, joined_run))]


def _options(inputs: Inputs[GoldSet, Run], joined: Joined) -> list[Doubt]:
    """Return a doubt where the references are not in the script of the language, or each segment is a document."""
    doubts = []
    lang = inputs.options.language
    text = "".join(joined.references[0].present[_sampled(joined)])
    letters = sum(map(str.isalpha, text))
    in_script = len(SCRIPTS[lang].findall(text)) if lang in SCRIPTS else letters
    if letters >= MANY and in_script < LEAST * letters:
        what = f"{in_script:,} of its {letters:,} letters are in the script of {setting('lang', lang)}"
        doubts.append(Doubt("the reference", what, "name the language of the translations", stops=False))
    documents = inputs.gold.documents or ()
    if inputs.options.documents and SEVERAL <= len(documents) == len(set(documents)):
        what = f"each of its {len(documents):,} segments has a document of its own"
        cause = "the file of documents may hold ids of segments; without documents, leave it out"
        doubts.append(Doubt("the gold", what, cause, stops=False))
    return doubts


def _references(joined: Joined) -> list[Doubt]:
    """Return a doubt for each further reference in another language or order, and for a source that is a reference."""
    rows = _sampled(joined)
    first, *others = [reference.present[rows] for reference in joined.references]
    doubts = []
    for number, texts in enumerate(others, 2):
        words = [word for text in _words(texts) for word in text]
        first_words = {word for text in _words(first) for word in text}
        shared = sum(word in first_words for word in words)
        if len(words) >= MANY and shared < IN_LANGUAGE * len(words):
            what = f"{shared:,} of {len(words):,} words are in the first one"
            doubts.append(Doubt(f"reference {number}", what, "it may be the source, or in another language"))
        elif displaced := _displaced(texts, first):
            what = f"rare words of {displaced} segments are in other segments of the first one"
            doubts.append(Doubt(f"reference {number}", what, "its lines may be in another order"))
        equal = sum(text == first_text for text, first_text in zip(texts, first, strict=True))
        cause = "the same file may be given twice"
        doubts += doubt_copy(f"reference {number}", equal, len(texts), "the first one", cause, fewest=SEVERAL)
    doubts += _partly_labelled("the reference", "references", first, joined.hypotheses.present[rows])
    if joined.source is not None:
        source = joined.source.present[rows]
        equal = sum(text == first_text for text, first_text in zip(source, first, strict=True))
        doubts += doubt_copy(
            "the source", equal, len(source), "the reference", "give the text that was translated", fewest=SEVERAL
        )  # fmt: skip
    return doubts


def _doubts(system: str, joined: Joined) -> list[Doubt]:
    serious = _copies(system, joined) or _language(system, joined) or _order(system, joined)
    displaced = _elsewhere(system, joined) or _stretch(system, joined) or _part_elsewhere(system, joined)
    return serious or [
        *displaced,
        *_same(system, joined),
        *_forms(system, joined),
        *_marks(system, joined),
        *_quotes(system, joined),
        *_numbered(system, joined),
        *(_labelled(system, joined) or _sizes(system, joined)),
        *_empty_words(system, joined),
    ]


def _copies(system: str, joined: Joined) -> list[Doubt]:
    """Return a doubt where a run equals a reference, or gives back the source."""
    filled = [row for row, text in enumerate(joined.hypotheses.present) if text.strip()]
    texts = joined.hypotheses.present

    def equal(other: Sequence[str]) -> int:
        return sum(texts[row] == other[row] for row in filled)

    references = [reference.present for reference in joined.references]
    most = max(map(equal, references), default=0)
    copied = doubt_copy(
        system, most, len(filled), "the reference", "the run may be a copy of the gold", fewest=FEWEST
    )  # fmt: skip
    if copied or joined.source is None:
        return copied
    source = joined.source.present
    back = sum(
        texts[row] == source[row] and all(reference[row] != source[row] for reference in references) for row in filled
    )
    cause = "the run may be the source, or the system gives back what it does not translate"
    few = back < FEWEST
    return [] if few else doubt_copy(system, back, len(filled), "the source", cause, fewest=FEWEST, share=COPIED_SOURCE)


def _words(texts: Sequence[str]) -> list[list[str]]:
    return [_WORD.findall(text.casefold()) for text in texts]


def _sampled(joined: Joined) -> slice:
    start = max(0, (len(joined.hypotheses) - SAMPLE) // 2)
    return slice(start, start + SAMPLE)


def _language(system: str, joined: Joined) -> list[Doubt]:
    """Return a doubt where hardly a word of the system is in any reference."""
    rows = _sampled(joined)
    words = [word for text in _words(joined.hypotheses.present[rows]) for word in text]
    reference_words = {
        word for reference in joined.references for text in _words(reference.present[rows]) for word in text
    }
    if not reference_words:
        return []
    readings: Mapping[str, int] = {}
    if joined.source is not None:
        source = {word for text in _words(joined.source.present[rows]) for word in text}
        where = "{count} are in the source: the output may not be translated"
        readings = {where: sum(word in source for word in words)}
    return doubt_matches(
        system, len(words), sum(word in reference_words for word in words), readings,
        what="words are in a reference",
        otherwise="the output may be in another language, or belong to another test set",
        least=IN_LANGUAGE if len(words) >= MANY else LEAST,
    )  # fmt: skip


def _order(system: str, joined: Joined) -> list[Doubt]:
    """Return a doubt where translations have more words in common with the references of neighbouring segments."""
    rows = _sampled(joined)
    texts = [set(words) for words in _words(joined.hypotheses.present[rows])]
    references = [[set(words) for words in _words(reference.present[rows])] for reference in joined.references[:1]]

    def shared(moved: int) -> Floats:
        places = np.clip(np.arange(len(texts)) + moved, 0, len(texts) - 1).tolist()
        return np.array([
            max((2 * len(text & words[row]) / max(1, len(text) + len(words[row])) for words in references), default=0.0)
            for text, row in zip(texts, places, strict=True)
        ])  # fmt: skip

    return doubt_order(system, shared, item="segment", what="words")


def _elsewhere(system: str, joined: Joined) -> list[Doubt]:
    """Return a doubt where words that one reference alone has are mostly in the translations of other segments."""
    rows = _sampled(joined)
    displaced = _displaced(joined.hypotheses.present[rows], joined.references[0].present[rows])
    if not displaced:
        return []
    what = f"rare words of {displaced} translations are in the references of other segments"
    return [Doubt(system, what, "its lines may be in another order")]


def _part_elsewhere(system: str, joined: Joined) -> list[Doubt]:
    """Return a doubt where such words are elsewhere in the first or the last translations only."""
    texts, references = joined.hypotheses.present, joined.references[0].present
    for end, rows, step in (("last", slice(-SAMPLE, None), -1), ("first", slice(SAMPLE), 1)):
        elsewhere = np.array(_are_elsewhere(texts[rows], references[rows])[::step])
        share = elsewhere.cumsum() / np.arange(1, len(elsewhere) + 1)
        long = np.flatnonzero(share[SEVERAL - 1 :] >= DISPLACED_PART)
        if len(long):
            part = int(long[-1]) + SEVERAL
            what = f"rare words of {elsewhere[:part].sum():,} of the {end} {part:,} translations that have such words"
            cause = "its lines may be in another order there"
            return [Doubt(system, f"{what} are in the references of other segments", cause, stops=False)]
    return []


def _displaced(texts: Sequence[str], references: Sequence[str]) -> str:
    """Return how many texts have words that are rare among the references elsewhere; nothing if they are few."""
    elsewhere = _are_elsewhere(texts, references)
    if len(elsewhere) < SEVERAL or sum(elsewhere) < DISPLACED * len(elsewhere):
        return ""
    return f"{sum(elsewhere):,} of {len(elsewhere):,}"


def _are_elsewhere(texts: Sequence[str], references: Sequence[str]) -> list[bool]:
    """Return for each text with words that one reference alone has whether more of them are elsewhere."""
    words = map(_tokens_of, references)
    places: dict[str, list[int]] = {}
    for row, reference_words in enumerate(words):
        for word in reference_words:
            places.setdefault(word, []).append(row)
    elsewhere = []
    for row, text in enumerate(texts):
        votes = Counter(
            rows_with_word[0] for word in _tokens_of(text) if len(rows_with_word := places.get(word, [])) == 1
        )
        if votes:
            elsewhere.append(votes.most_common(1)[0][1] > votes[row])
    return elsewhere


def _stretch(system: str, joined: Joined) -> list[Doubt]:
    """Return a doubt where a stretch of segments fits the references of their neighbours better than their own.

    The last segments are looked at: a line that is lost or added displaces all lines after it.
    """
    start = max(0, len(joined.hypotheses) - SAMPLE)
    texts = [set(words) for words in _words(joined.hypotheses.present[start:])]
    references = [set(words) for words in _words(joined.references[0].present[start:])]
    places = np.arange(len(texts))

    def shared(moved: int) -> Floats:
        others = np.clip(places + moved, 0, len(texts) - 1).tolist()
        pairs = zip(texts, (references[other] for other in others), strict=True)
        return np.array([len(text & other) / max(1, len(text | other)) for text, other in pairs])

    here = shared(0)
    for moved, neighbour in ((1, "next"), (-1, "previous")):
        longest, first = _longest(shared(moved) > here)
        if longest > np.log2(CERTAIN * max(1, len(texts))):
            beyond = start + first + 1
            what = f"its words match the gold of the {neighbour} segment better than their own, on {longest:,} segments"
            cause = "a line may be lost or added there"
            return [Doubt(system, f"{what} in succession from segment {beyond:,} on", cause, stops=False)]
    return []


def _longest(flags: Bools) -> tuple[int, int]:
    """Return the length of the longest stretch of true values, and its first place.

    >>> _longest(np.array([True, False, True, True, False]))
    (2, 2)
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    starts, ends = edges[::2], edges[1::2]
    if not len(starts):
        return 0, 0
    index = int((ends - starts).argmax())
    return int((ends - starts)[index]), int(starts[index])


def _tokens_of(text: str) -> set[str]:
    return set(_TOKEN.findall(text.casefold()))


def _same(system: str, joined: Joined) -> list[Doubt]:
    """Return a doubt where a system gives one text for nearly all segments, or for some with different references."""
    texts, references = joined.hypotheses.present, joined.references[0].present
    counts = Counter(text for text in texts if text.strip())
    if counts.total() < SEVERAL:
        return []
    text, most = counts.most_common(1)[0]
    most_in_references = max(Counter(references).values(), default=0)
    if most >= COPIED * counts.total() and most_in_references < most:
        return [
            Doubt(system, f"gives the same text for {most:,} of {len(texts):,} segments", "its output may be damaged")
        ]
    expected = {reference for reference, translation in zip(references, texts, strict=True) if translation == text}
    if most < max(FEWEST, REPEATED * len(texts)) or len(expected) < most:
        return []
    what = f"gives {visible(text)!r} for {most:,} of {len(texts):,} segments, whose references all differ"
    return [Doubt(system, what, "it may be the message of a tool", stops=False)]


def _marks(system: str, joined: Joined) -> list[Doubt]:
    """Return a doubt for each mark of a tool that many translations have and no reference has."""
    rows = _sampled(joined)
    texts, doubts = joined.hypotheses.present[rows], []
    for name, (pattern, remedy) in MARKS.items():
        count = sum(bool(pattern.search(text)) for text in texts)
        if count < max(FEWEST, MARKED * len(texts)) or any(
            pattern.search(text) for reference in joined.references for text in reference.present[rows]
        ):
            continue
        doubts.append(
            Doubt(
                system,
                f"{count:,} of {len(texts):,} translations have {name}",
                remedy.format(nfc=setting("nfc", "True")),
                stops=False,
            )
        )
    return doubts


def _quotes(system: str, joined: Joined) -> list[Doubt]:
    """Return a doubt where one side has typographic quotes and apostrophes only, and the other side plain ones only."""
    rows = _sampled(joined)
    sides = (
        joined.hypotheses.present[rows],
        [text for reference in joined.references for text in reference.present[rows]],
    )
    (curly_only, straight_only), (curly_only_reference, straight_only_reference) = [
        (curly * (straight == 0), straight * (curly == 0))
        for curly, straight in ((_share(_CURLY, side), _share(_STRAIGHT, side)) for side in sides)
    ]
    mismatches = min(curly_only, straight_only_reference), min(straight_only, curly_only_reference)
    if max(mismatches) < MARKED or len(joined.hypotheses) < SEVERAL:
        return []
    curly_translations = "its translations have typographic quotes and the references plain ones"
    straight_translations = "its translations have plain quotes and the references typographic ones"
    cause = "metrics take them for different words: write quotes and apostrophes alike on both sides"
    return [Doubt(system, curly_translations if mismatches[0] else straight_translations, cause, stops=False)]


def _numbered(system: str, joined: Joined) -> list[Doubt]:
    """Return a doubt where translations begin with the number of their segment."""
    rows = _sampled(joined)
    start, texts = rows.start, joined.hypotheses.present[rows]
    references = joined.references[0].present[rows]
    pairs = zip(texts, references, strict=True)
    numbers = [
        int(match[1]) if (match := _NUMBER.match(text)) and not _NUMBER.match(reference) else -1
        for text, reference in pairs
    ]
    count = max(sum(number == segment for segment, number in enumerate(numbers, start + first)) for first in (0, 1))
    if count < max(FEWEST, MARKED * len(texts)):
        return []
    what = f"{count:,} of {len(texts):,} translations begin with the number of their segment"
    return [Doubt(system, what, "give the text alone", stops=False)]


def _labelled(system: str, joined: Joined) -> list[Doubt]:
    """Return a doubt where nearly all translations begin or end with words that the references do not have there."""
    rows = _sampled(joined)
    texts = [text.split() for text in joined.hypotheses.present[rows] if text.strip()]
    references = [text.split() for text in joined.references[0].present[rows]]
    for verb, part in (("begin", slice(1)), ("begin", slice(2)), ("end", slice(-2, None))):
        words, count = Counter(tuple(text[part]) for text in texts).most_common(1)[0] if texts else (("",), 0)
        if len(words) == 1 and not words[0].endswith(":"):
            continue
        beside = sum(tuple(text[part]) == words for text in references)
        if len(texts) < FEWEST or count < COPIED * len(texts) or beside > RARE * len(texts):
            continue
        if len({tuple(text) for text in texts if tuple(text[part]) == words}) == 1:
            continue  # one translation for every segment: not words beside the translations
        what = f"{count:,} of {len(texts):,} translations {verb} with {visible(' '.join(words))!r}"
        return [Doubt(system, what, "give the translation alone", stops=False)]
    return _partly_labelled(system, "translations", joined.hypotheses.present[rows], joined.references[0].present[rows])


def _partly_labelled(name: str, kind: str, texts: Sequence[str], others: Sequence[str]) -> list[Doubt]:
    """Return a doubt where a part of the texts begins with a label, such as ``Translation:``, and no other text has it.

    A text whose counterpart has a colon or a bracket too is left alone: it may be part of what was translated.
    """
    labels = Counter(
        match[1]
        for text, other in zip(texts, others, strict=True)
        if (match := _LABEL.match(text)) and not re.search(r"[:：\[]", other)
    )
    label, count = labels.most_common(1)[0] if labels else ("", 0)
    if count < max(FEWEST, MARKED * len(texts)) or len({text for text in texts if text.strip().startswith(label)}) == 1:
        return []
    what = f"{count:,} of {len(texts):,} {kind} begin with {visible(label)!r}"
    return [Doubt(name, what, "give the translation alone", stops=False)]


def _sizes(system: str, joined: Joined) -> list[Doubt]:
    """Return a doubt where translations are much longer or shorter than the references, or have hardly any blanks."""
    rows = _sampled(joined)
    sides = zip(joined.hypotheses.present[rows], joined.references[0].present[rows], strict=True)
    pairs = [(text, reference) for text, reference in sides if text.strip() and reference.strip()]
    if len(pairs) < 2 * SEVERAL:
        return []
    cut = Counter(len(text) for text, reference in pairs if _is_cut(text, reference))
    length, count = cut.most_common(1)[0] if cut else (0, 0)
    if count >= max(FEWEST, MARKED * len(pairs)):
        what = f"{count:,} of {len(pairs):,} translations end after {length:,} characters, without punctuation"
        return [Doubt(system, what, "they may be cut off", stops=False)]
    characters = [sum(len("".join(text.split())) for text in side) for side in zip(*pairs, strict=True)]
    blanks = [sum(len(text.split()) - 1 for text in side) for side in zip(*pairs, strict=True)]
    if characters[1] < SEVERAL * MANY:
        return []
    ratio = characters[0] / characters[1]
    if not 1 / LONGER <= ratio <= LONGER:
        what = f"its translations have {ratio:.1f} times as many letters as the references"
        cause = "they may hold more than the translation" if ratio > 1 else "they may be cut off"
        return [Doubt(system, what, cause, stops=False)]
    if blanks[0] < blanks[1] / JOINED and blanks[1] >= len(pairs):
        what = f"its translations have {blanks[0]:,} blanks, and their references {blanks[1]:,}"
        return [Doubt(system, what, "give words with blanks between them", stops=False)]
    return []


def _is_cut(text: str, reference: str) -> bool:
    """Return whether a text is much shorter than the reference and ends without the punctuation that this has."""
    return LONGER * len(text) < len(reference) and bool(_END.search(reference)) and not _END.search(text)


def _empty_words(system: str, joined: Joined) -> list[Doubt]:
    """Return a doubt where translations are what tools write for no text, such as ``nan``."""
    pairs = zip(joined.hypotheses.present, joined.references[0].present, strict=True)
    empty = [text for text, reference in pairs if _is_empty_word(text) and not _is_empty_word(reference)]
    if not empty:
        return []
    what = f"{len(empty):,} of {len(joined.hypotheses):,} translations are {empty[0].strip()!r}"
    return [Doubt(system, what, "leave them empty if there is no translation", stops=False)]


def _is_empty_word(text: str) -> bool:
    return len(text) < 8 and text.strip().casefold() in EMPTY_WORDS


def _forms(system: str, joined: Joined) -> list[Doubt]:
    """Return a doubt where only one side is tokenised, or only one side has capitals."""
    rows = _sampled(joined)
    if len(joined.hypotheses) < FEWEST:
        return []
    sides = [joined.hypotheses.present[rows], *(reference.present[rows] for reference in joined.references)]
    spacing = "without blanks before punctuation, on both sides"
    kinds = [
        ("are tokenised", _TOKENISED, f"they need the same tokenisation: give plain text, {spacing}"),
        ("have capitals", _CAPITAL, "most metrics tell capitals from small letters: give both sides in the same form"),
        (
            "have small letters",
            _SMALL,
            "most metrics tell capitals from small letters: give both sides in the same form",
        ),
        ("end in punctuation", _END, "most metrics count punctuation: give both sides with or without it"),
    ]
    doubts = []
    for form, pattern, cause in kinds:
        system_share, *reference_shares = (_share(pattern, side) for side in sides)
        if system_share >= COMMON and max(reference_shares) <= RARE:
            doubts.append(Doubt(system, f"its translations {form} and the references not", cause, stops=False))
        if system_share <= RARE and min(reference_shares) >= COMMON:
            doubts.append(Doubt(system, f"the references {form} and its translations not", cause, stops=False))
    return doubts


def _share(pattern: re.Pattern[str], texts: Sequence[str]) -> float:
    """Return the share of texts that have a pattern, of those that are not empty."""
    return float(np.mean([bool(pattern.search(text)) for text in texts if text.strip()] or [False]))
