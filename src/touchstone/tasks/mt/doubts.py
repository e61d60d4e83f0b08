"""What makes translations look like a mistake: another language, copies, other tokens, segments out of place."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

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
    "marks of pieces of words": (re.compile(r"@@(?: |$)|[▁Ġ]|(?:^| )##\w"), "join the pieces: give plain text"),
    "tags of a model, such as </s> or <unk>": (
        re.compile(r"</?s>|<(?:unk|pad|bos|eos)>|\[(?:CLS|SEP|PAD|UNK)\]|<\|\w+\|>"),
        "remove them",
    ),
    "quotes around them": (re.compile(r"""^\s*(["']).*\1\s*$"""), "give the text alone, without the quotes of a file"),
    "the b'…' of bytes around them": (re.compile(r"""^\s*b(["']).*\1\s*$"""), "decode them: give plain text"),
    "their text twice": (re.compile(r"^\s*(\S.{9,}?)\s*\1\s*$"), "the output may have been appended to itself"),
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
    runs = [_Translations(run.name, joined_run) for run, joined_run in joined]
    return [*about_gold, *(doubt for run in runs for doubt in _doubts(run))]


@dataclass(frozen=True)
class _Translations:
    """The translations of a system beside the first reference, all of them and the sample that is looked at closely."""

    system: str
    joined: Joined

    @cached_property
    def texts(self) -> Sequence[str]:
        return self.joined.hypotheses.present

    @cached_property
    def references(self) -> Sequence[str]:
        return self.joined.references[0].present

    @cached_property
    def rows(self) -> slice:
        return _sampled(self.joined)

    @cached_property
    def sample(self) -> Sequence[str]:
        return self.texts[self.rows]

    @cached_property
    def reference_sample(self) -> Sequence[str]:
        return self.references[self.rows]

    @cached_property
    def all_references(self) -> Sequence[Sequence[str]]:
        """The sample of every reference."""
        return [reference.present[self.rows] for reference in self.joined.references]

    def doubt(self, what: str, cause: str) -> list[Doubt]:
        """Return a doubt that does not stop the scoring."""
        return [Doubt(self.system, what, cause, stops=False)]


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
        cause = "give the text that was translated"
        doubts += doubt_copy("the source", equal, len(source), "the reference", cause, fewest=SEVERAL)
    return doubts


def _doubts(run: _Translations) -> list[Doubt]:
    # What is serious explains all the rest; lines in another order explain other lines too.
    if serious := _copies(run) or _language(run) or _order(run):
        return serious
    checks = (_same, _forms, _marks, _quotes, _numbered)
    doubts = _elsewhere(run) or _stretch(run) or _part_elsewhere(run)
    doubts += [doubt for check in checks for doubt in check(run)]
    return doubts + (_labelled(run) or _sizes(run)) + _empty_words(run)


def _copies(run: _Translations) -> list[Doubt]:
    """Return a doubt where a run equals a reference, or gives back the source."""
    texts, joined = run.texts, run.joined
    filled = [row for row, text in enumerate(texts) if text.strip()]

    def equal(other: Sequence[str]) -> int:
        return sum(texts[row] == other[row] for row in filled)

    references = [reference.present for reference in joined.references]
    most = max(map(equal, references), default=0)
    cause = "the run may be a copy of the gold"
    copied = doubt_copy(run.system, most, len(filled), "the reference", cause, fewest=FEWEST)
    if copied or joined.source is None:
        return copied
    source = joined.source.present
    back = sum(
        texts[row] == source[row] and all(reference[row] != source[row] for reference in references) for row in filled
    )
    cause = "the run may be the source, or the system gives back what it does not translate"
    if back < FEWEST:
        return []
    return doubt_copy(run.system, back, len(filled), "the source", cause, fewest=FEWEST, share=COPIED_SOURCE)


def _words(texts: Sequence[str]) -> list[list[str]]:
    return [_WORD.findall(text.casefold()) for text in texts]


def _sampled(joined: Joined) -> slice:
    start = max(0, (len(joined.hypotheses) - SAMPLE) // 2)
    return slice(start, start + SAMPLE)


def _language(run: _Translations) -> list[Doubt]:
    """Return a doubt where hardly a word of the system is in any reference."""
    words = [word for text in _words(run.sample) for word in text]
    reference_words = {word for texts in run.all_references for text in _words(texts) for word in text}
    if not reference_words:
        return []
    readings: Mapping[str, int] = {}
    if run.joined.source is not None:
        source = {word for text in _words(run.joined.source.present[run.rows]) for word in text}
        where = "{count} are in the source: the output may not be translated"
        readings = {where: sum(word in source for word in words)}
    return doubt_matches(
        run.system, len(words), sum(word in reference_words for word in words), readings,
        what="words are in a reference",
        otherwise="the output may be in another language, or belong to another test set",
        least=IN_LANGUAGE if len(words) >= MANY else LEAST,
    )  # fmt: skip


def _order(run: _Translations) -> list[Doubt]:
    """Return a doubt where translations have more words in common with the references of neighbouring segments."""
    texts, references = (list(map(set, _words(side))) for side in (run.sample, run.reference_sample))

    def shared(moved: int) -> Floats:
        pairs = _beside(texts, references, moved)
        return np.array([2 * len(text & words) / max(1, len(text) + len(words)) for text, words in pairs])

    return doubt_order(run.system, shared, item="segment", what="words")


def _beside(texts: Sequence[set[str]], references: Sequence[set[str]], moved: int) -> "zip[tuple[set[str], set[str]]]":
    """Yield each text with the reference so many segments further on; at the ends with the last that there is."""
    rows = np.clip(np.arange(len(texts)) + moved, 0, len(texts) - 1).tolist()
    return zip(texts, (references[row] for row in rows), strict=True)


def _elsewhere(run: _Translations) -> list[Doubt]:
    """Return a doubt where words that one reference alone has are mostly in the translations of other segments."""
    displaced = _displaced(run.sample, run.reference_sample)
    what = f"rare words of {displaced} translations are in the references of other segments"
    return [Doubt(run.system, what, "its lines may be in another order")] if displaced else []


def _part_elsewhere(run: _Translations) -> list[Doubt]:
    """Return a doubt where such words are elsewhere in the first or the last translations only."""
    for end, rows, step in (("last", slice(-SAMPLE, None), -1), ("first", slice(SAMPLE), 1)):
        elsewhere = np.array(_are_elsewhere(run.texts[rows], run.references[rows])[::step])
        share = elsewhere.cumsum() / np.arange(1, len(elsewhere) + 1)
        long = np.flatnonzero(share[SEVERAL - 1 :] >= DISPLACED_PART)
        if len(long):
            part = int(long[-1]) + SEVERAL
            what = f"rare words of {elsewhere[:part].sum():,} of the {end} {part:,} translations that have such words"
            cause = "its lines may be in another order there"
            return run.doubt(f"{what} are in the references of other segments", cause)
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


def _stretch(run: _Translations) -> list[Doubt]:
    """Return a doubt where a stretch of segments fits the references of their neighbours better than their own.

    The last segments are looked at: a line that is lost or added displaces all lines after it.
    """
    start = max(0, len(run.texts) - SAMPLE)
    texts, references = (list(map(set, _words(side[start:]))) for side in (run.texts, run.references))

    def shared(moved: int) -> Floats:
        pairs = _beside(texts, references, moved)
        return np.array([len(text & other) / max(1, len(text | other)) for text, other in pairs])

    here = shared(0)
    for moved, neighbour in ((1, "next"), (-1, "previous")):
        longest, first = _longest(shared(moved) > here)
        # Each segment is displaced by chance half the time, and a stretch may begin at any of them.
        if longest > np.log2(CERTAIN * max(1, len(texts))):
            beyond = start + first + 1
            what = f"its words match the gold of the {neighbour} segment better than their own, on {longest:,} segments"
            cause = "a line may be lost or added there"
            return run.doubt(f"{what} in succession from segment {beyond:,} on", cause)
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


def _same(run: _Translations) -> list[Doubt]:
    """Return a doubt where a system gives one text for nearly all segments, or for some with different references."""
    texts, references = run.texts, run.references
    counts = Counter(text for text in texts if text.strip())
    if counts.total() < SEVERAL:
        return []
    text, most = counts.most_common(1)[0]
    most_in_references = max(Counter(references).values(), default=0)
    if most >= COPIED * counts.total() and most_in_references < most:
        what = f"gives the same text for {most:,} of {len(texts):,} segments"
        return [Doubt(run.system, what, "its output may be damaged")]
    expected = {reference for reference, translation in zip(references, texts, strict=True) if translation == text}
    if most < max(FEWEST, REPEATED * len(texts)) or len(expected) < most:
        return []
    what = f"gives {visible(text)!r} for {most:,} of {len(texts):,} segments, whose references all differ"
    return run.doubt(what, "it may be the message of a tool")


def _marks(run: _Translations) -> list[Doubt]:
    """Return a doubt for each mark of a tool that many translations have and no reference has."""
    doubts, size = list[Doubt](), len(run.sample)
    references = [text for texts in run.all_references for text in texts]
    for name, (pattern, remedy) in MARKS.items():
        count = sum(bool(pattern.search(text)) for text in run.sample)
        if count >= max(FEWEST, MARKED * size) and not any(map(pattern.search, references)):
            what = f"{count:,} of {size:,} translations have {name}"
            doubts += run.doubt(what, remedy.format(nfc=setting("texts", "nfc")))
    return doubts


def _quotes(run: _Translations) -> list[Doubt]:
    """Return a doubt where one side has typographic quotes and apostrophes only, and the other side plain ones only."""
    sides = run.sample, [text for texts in run.all_references for text in texts]
    (curly_only, straight_only), (curly_only_reference, straight_only_reference) = [
        (curly * (straight == 0), straight * (curly == 0))
        for curly, straight in ((_share(_CURLY, side), _share(_STRAIGHT, side)) for side in sides)
    ]
    mismatches = min(curly_only, straight_only_reference), min(straight_only, curly_only_reference)
    if max(mismatches) < MARKED or len(run.texts) < SEVERAL:
        return []
    curly_translations = "its translations have typographic quotes and the references plain ones"
    straight_translations = "its translations have plain quotes and the references typographic ones"
    cause = "metrics take them for different words: write quotes and apostrophes alike on both sides"
    return run.doubt(curly_translations if mismatches[0] else straight_translations, cause)


def _numbered(run: _Translations) -> list[Doubt]:
    """Return a doubt where translations begin with the number of their segment."""
    start, texts = run.rows.start, run.sample
    pairs = zip(texts, run.reference_sample, strict=True)
    numbers = [
        int(match[1]) if (match := _NUMBER.match(text)) and not _NUMBER.match(reference) else -1
        for text, reference in pairs
    ]
    count = max(sum(number == segment for segment, number in enumerate(numbers, start + first)) for first in (0, 1))
    if count < max(FEWEST, MARKED * len(texts)):
        return []
    what = f"{count:,} of {len(texts):,} translations begin with the number of their segment"
    return run.doubt(what, "give the text alone")


def _labelled(run: _Translations) -> list[Doubt]:
    """Return a doubt where nearly all translations begin or end with words that the references do not have there."""
    texts = [text.split() for text in run.sample if text.strip()]
    references = [text.split() for text in run.reference_sample]
    # One word counts only with a colon: many translations may begin with the same article.
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
        return run.doubt(what, "give the translation alone")
    return _partly_labelled(run.system, "translations", run.sample, run.reference_sample)


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


def _sizes(run: _Translations) -> list[Doubt]:
    """Return a doubt where translations are much longer or shorter than the references, or have hardly any blanks."""
    sides = zip(run.sample, run.reference_sample, strict=True)
    pairs = [(text, reference) for text, reference in sides if text.strip() and reference.strip()]
    if len(pairs) < 2 * SEVERAL:
        return []
    cut = Counter(len(text) for text, reference in pairs if _is_cut(text, reference))
    length, count = cut.most_common(1)[0] if cut else (0, 0)
    if count >= max(FEWEST, MARKED * len(pairs)):
        what = f"{count:,} of {len(pairs):,} translations end after {length:,} characters, without punctuation"
        return run.doubt(what, "they may be cut off")
    # Blanks are counted for themselves: a text without any is as long as the reference in letters.
    characters = [sum(len("".join(text.split())) for text in side) for side in zip(*pairs, strict=True)]
    blanks = [sum(len(text.split()) - 1 for text in side) for side in zip(*pairs, strict=True)]
    if characters[1] < SEVERAL * MANY:
        return []
    ratio = characters[0] / characters[1]
    if not 1 / LONGER <= ratio <= LONGER:
        what = f"its translations have {ratio:.1f} times as many letters as the references"
        cause = "they may hold more than the translation" if ratio > 1 else "they may be cut off"
        return run.doubt(what, cause)
    if blanks[0] < blanks[1] / JOINED and blanks[1] >= len(pairs):
        what = f"its translations have {blanks[0]:,} blanks, and their references {blanks[1]:,}"
        return run.doubt(what, "give words with blanks between them")
    return []


def _is_cut(text: str, reference: str) -> bool:
    """Return whether a text is much shorter than the reference and ends without the punctuation that this has."""
    return LONGER * len(text) < len(reference) and bool(_END.search(reference)) and not _END.search(text)


def _empty_words(run: _Translations) -> list[Doubt]:
    """Return a doubt where translations are what tools write for no text, such as ``nan``."""
    pairs = zip(run.texts, run.references, strict=True)
    empty = [text for text, reference in pairs if _is_empty_word(text) and not _is_empty_word(reference)]
    if not empty:
        return []
    what = f"{len(empty):,} of {len(run.texts):,} translations are {empty[0].strip()!r}"
    return run.doubt(what, "leave them empty if there is no translation")


def _is_empty_word(text: str) -> bool:
    return len(text) < 8 and text.strip().casefold() in EMPTY_WORDS


def _forms(run: _Translations) -> list[Doubt]:
    """Return a doubt where only one side is tokenised, or only one side has capitals."""
    if len(run.texts) < FEWEST:
        return []
    sides = [run.sample, *run.all_references]
    spacing = "without blanks before punctuation, on both sides"
    case = "most metrics tell capitals from small letters: give both sides in the same form"
    kinds = [
        ("are tokenised", _TOKENISED, f"they need the same tokenisation: give plain text, {spacing}"),
        ("have capitals", _CAPITAL, case),
        ("have small letters", _SMALL, case),
        ("end in punctuation", _END, "most metrics count punctuation: give both sides with or without it"),
    ]
    doubts: list[Doubt] = []
    for form, pattern, cause in kinds:
        system_share, *reference_shares = (_share(pattern, side) for side in sides)
        if system_share >= COMMON and max(reference_shares) <= RARE:
            doubts += run.doubt(f"its translations {form} and the references not", cause)
        if system_share <= RARE and min(reference_shares) >= COMMON:
            doubts += run.doubt(f"the references {form} and its translations not", cause)
    return doubts


def _share(pattern: re.Pattern[str], texts: Sequence[str]) -> float:
    """Return the share of texts that have a pattern, of those that are not empty."""
    return float(np.mean([bool(pattern.search(text)) for text in texts if text.strip()] or [False]))
