"""Tokens as the English Universal Dependencies treebanks have them, each with its place in the text.

Tokens never hold white space, and every other character of a text belongs to exactly one token, so that the places
always give the text back. Addresses, numbers, abbreviations and smileys are single tokens. Hyphens and slashes between
words are tokens, except after a prefix that is no word (non-, anti-, co-). Clitics ('s, 'll, n't) and fused words
(cannot, gonna) are separate tokens. The rules were written for the train files of EWT and GUM and checked on dev.
"""

import re
from collections.abc import Callable, Iterator
from itertools import chain
from typing import TypeVar

from touchstone.text.sentence import Tokens

_LONGEST_CHUNK = 400
"""Characters without white space that the rules see at once: they look ahead, so time would grow with the square."""

_SIMPLE_MARKS = frozenset(",;!?.")

_LONGEST_CACHED = 64
"""Letters of a chunk whose tokens are kept; longer ones hardly come back."""
_MOST_CACHED = 1 << 17
"""Chunks kept before all are dropped: some tens of megabytes."""

_PREFIXES = (
    *("ante", "anti", "auto", "bi", "bio", "co", "counter", "cross", "de", "e", "ex", "extra", "geo", "hyper"),
    *("infra", "inter", "intra", "macro", "mega", "meta", "micro", "mid", "mini", "mono", "multi", "neo"),
    *("neuro", "non", "over", "para", "poly", "post", "pre", "pro", "proto", "pseudo", "psycho", "re", "semi"),
    *("socio", "sub", "super", "supra", "trans", "tri", "ultra", "under", "uni"),
)
"""Prefixes that stay with their word across a hyphen."""

_ABBREVIATIONS = (
    *("mr", "mrs", "ms", "mlle", "dr", "prof", "sen", "rep", "reps", "gov", "gen", "col", "lt", "sgt", "capt", "cmdr"),
    *("adm", "maj", "hon", "rev", "st", "mt", "messrs", "jr", "sr", "inc", "corp", "co", "ltd", "bros", "vs"),
    *("al", "cf", "eg", "ie", "viz", "approx", "est", "ave", "blvd", "rd", "ft", "dept", "univ"),
    *("vol", "vols", "ed", "eds", "pp", "ch", "sec", "figs", "nos", "para", "esp", "incl", "attn", "ext", "div"),
    *("jan", "feb", "apr", "jul", "aug", "sept", "sep", "oct", "nov", "dec", "tues", "thur", "thurs"),
)
"""Words that keep their full stop wherever they stand."""
_ABBREVIATIONS_INSIDE = (
    *("etc", "oz", "lb", "lbs", "no", "fig", "mar", "jun", "mon", "tue", "wed", "fri", "sat", "sun", "la"),
    *("va", "wa", "ph", "ps", "info", "spec", "ca", "v", "art", "op", "ed", "min", "mins", "hr", "hrs", "yrs"),
    *("tel", "cal", "mass", "conn", "penn", "wash"),
)
"""Words that keep their full stop only where something follows that no sentence starts with, such as a number."""

_WITH_STOP = frozenset((*_ABBREVIATIONS, *_ABBREVIATIONS_INSIDE, "phd"))

_DOMAINS = "com|org|net|edu|gov|mil|int|info|biz|io|ai|eu|uk|us|ca|de|fr|au|nl|tv|me|ly|gl"
_FILES = "doc|docx|xls|xlsx|ppt|pptx|pdf|txt|csv|zip|jpg|jpeg|png|gif|html|htm|exe|mp3|mp4|avi|xml|json|py|js"
_UNITS = (
    "mm|cm|km|m|kg|mg|g|lbs?|oz|ft|in|mi|mph|kph|ml|l|hz|khz|mhz|ghz|kb|mb|gb|tb|kw|mw|gw|kwh|mwh|k|m|b|bn|mn|tn|x|"
    r"a\.?m|p\.?m|hrs?|mins?|secs?|days?|hours?|minutes?|pp?|bc|ad"
)
_APOSTROPHE = "['’‘`´]"
_LETTER = r"[^\W\d_]"
_WORD = r"[\w\u0300-\u036f\u00ad]"
_CLOSERS = r"""["'”’)\]}>»]*"""
_EMOJI = "[\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]"
_URL_END = r"""(?<![.,;:!?'"”’)\]>])"""

_PATTERN = re.compile(
    "|".join(
        (
            # Addresses: of pages, of people, names and tags of networks, files.
            rf"(?P<whole>(?:https?|ftp)://[^\s<>\"“”]+{_URL_END}|www\.[^\s<>\"“”]+{_URL_END}",
            rf"(?:mailto:)?[\w.+%-]+@\w[\w.-]*{_URL_END}",
            rf"(?<!\w)[\w-]+(?:\.[\w-]+)*\.(?:{_DOMAINS})\b(?:/[^\s<>\"“”]*{_URL_END})?(?!\.\w)",
            rf"(?<!\w)\w[\w#~-]*\.(?:{_FILES})\b|(?<!\w)\.(?:{_FILES})\b",
            rf"(?<!\w)[@#]{_LETTER}\w*|doi:10\.\S+{_URL_END}",
            # Smileys, alone or at the end of a word.
            r"(?<![^\W_])(?:[:;=]['\-^o]?[)(DPp\]\[|/\\*]+(?!\w)|[(\[]['\-^]?[:;=](?!\w)|<3+(?!\w)|\^_*\^|[xX]D+\b)",
            rf"{_EMOJI}(?:[\ufe0f\U0001f3fb-\U0001f3ff]|\u200d{_EMOJI})*",
            # Runs of marks.
            r"\.\.+|…+|[-=*_~+#.]{3,}|--|\*\*|[.,:]?[!?]{2,}|[.,:][!?]|<<+|>>+|->|<-|``|''|[‘’]{2}|\$\$+",
            # Numbers: telephone numbers, dates and times, decimals, ordinals; decades.
            r"(?<![\w-])\+?(?:\d{1,3}-)?[\d/]+-\d{3}-\d{4}(?![\w-])|(?<![\w-])(?:\d|\d{3}|\d{5}|\d{3}/\d{3})-\d{4}(?![\w-])",
            r"(?<![\w-])\d{1,4}-\d{1,2}-\d{1,4}(?![\w-])",
            r"(?<![\w.])(?:['’]\d0s\b|\+\d+)",
            r"(?:(?<![\w.])[-−](?=\.?\d))?\d+(?:[.,:/]\d+)*(?:st|nd|rd|th|s)\b(?!-\d)",
            rf"\d*0['’]s\b|\d+(?:/\d+)+\b|\d+(?:[.,:]\d+)*(?=(?:{_UNITS})\b|(?!\w))|\d+(?:[.,]\d+)+(?={_LETTER})",
            r"(?<![\w])\.\d+",
            # Names of firms with an ampersand, and what stands with its full stop.
            r"(?<!\w)(?:[a-z]/[a-z]|w/(?:out)?)(?![\w/])",
            r"\b[A-Z]{1,4}&[A-Z]{1,3}\b|\b[a-z]&[a-z]\b|(?<!\w)U?S?\$(?=\d|$)",
            rf"(?<![\w.])(?:{_LETTER}\.)+(?:{_LETTER}\b\.?|{_LETTER}\.)|(?<![\w.])\w+(?:\.{_LETTER}\w+){{2,}}|\bPh\.?D\.?s?(?!\w)|\bM\.Sc\.",
            rf"\b(?:{'|'.join(_ABBREVIATIONS)})\.(?!\.\.)",
            rf"\b(?:{'|'.join(_ABBREVIATIONS_INSIDE)}|{_LETTER})\.(?!\.|{_CLOSERS}$)",
            # Words: after a prefix, else letters and digits, with the apostrophes inside.
            rf"(?<![\w-])(?:{'|'.join(_PREFIXES)})-{_WORD}+",
            rf"{_APOSTROPHE}(?:em|til|cause|bout|n)\b)",
            rf"(?P<word>{_WORD}+(?:{_APOSTROPHE}{_WORD}+)*{_APOSTROPHE}?|{_APOSTROPHE}(?:s|m|d|ll|re|ve|t|tis|twas)\b)",
            r"(?P<mark>\S)",
        )
    ),
    re.IGNORECASE,
)

_CLITIC = re.compile(rf"(?:n{_APOSTROPHE}t|{_APOSTROPHE}(?:s|m|d|re|ve|ll)|(?<!in){_APOSTROPHE})$", re.IGNORECASE)
_FUSED = re.compile(
    r"(can)not|(d)['’]ye|(gim)me|(gon)na|(got)ta|(out)ta|(lem)me|(wan)na|(more)['’]n|(['’]t)(?:is|was)|(a)lot|(i)m|(i|you|we|they)ve|"
    r"(it|you|they)ll|(you|they)re|(that|what|there|here|where|who|he|she|let)s|"
    r"(do|does|did|ai|ar|is|was|are|were|have|has|had|could|would|should|ca|wo)nt",
    re.IGNORECASE,
)

_AFTER_IT_IS = frozenset(
    (
        *("a", "an", "the", "not", "really", "very", "so", "too", "just", "only", "also", "still", "always", "never"),
        *("now", "all", "been", "like", "for", "from", "in", "on", "at", "about", "between", "because", "nothing"),
        *("something", "quite", "pretty", "probably", "definitely", "simply", "getting", "going", "called", "worth"),
        *("gon", "ok", "okay", "true", "up", "out", "fun", "funny", "sad", "possible", "impossible", "easier", "hard"),
    )
)
"""Words before which "its" is "it's" without its apostrophe: no noun phrase goes on with them."""

Value = TypeVar("Value")


class _ChunkCache(dict[str, Value]):
    """Values by chunk, computed when they are first asked for; a plain dictionary look-up afterwards."""

    def __init__(self, compute: Callable[[str], Value]) -> None:
        self._compute = compute

    def __missing__(self, chunk: str) -> Value:
        value = self._compute(chunk)
        if len(chunk) <= _LONGEST_CACHED:
            if len(self) >= _MOST_CACHED:
                self.clear()
            self[chunk] = value
        return value


class Tokeniser:
    r"""Cuts texts into tokens and keeps those of the chunks it has seen; threads may share one.

    >>> " ".join(Tokeniser().forms("“I can’t,” she said… (A non-profit’s 3-year-old e-mail: a-b@c.org.)"))
    '“ I ca n’t , ” she said … ( A non-profit ’s 3 - year - old e-mail : a-b@c.org . )'
    """

    def __init__(self) -> None:
        self._inside = _ChunkCache(lambda chunk: _forms(chunk + " "))
        self._at_end = _ChunkCache(_forms)

    def tokenise(self, text: str) -> Tokens:
        """Return the tokens of *text*; each form is ``text[start:end]``."""
        forms = tuple(self.forms(text))
        starts, position = [], 0
        for form in forms:
            position = text.index(form, position)
            starts.append(position)
            position += len(form)
        ends = tuple(start + len(form) for start, form in zip(starts, forms, strict=True))
        return Tokens(text, forms, tuple(starts), ends)

    def forms(self, text: str) -> list[str]:
        """Return the forms of the tokens of *text* without their places.

        >>> Tokeniser().forms("The dog's 1,000 toys.")
        ['The', 'dog', "'s", '1,000', 'toys', '.']
        """
        chunks = text.split()
        forms = list(chain.from_iterable(map(self._inside.__getitem__, chunks[:-1])))
        for chunk in chunks[-1:]:
            forms += self._at_end[chunk]
        return list(_with_it_is(forms)) if "ts " in text and ("its" in forms or "Its" in forms) else forms


def _with_it_is(forms: list[str]) -> Iterator[str]:
    """Yield the tokens, and "its" as two where it stands for "it's"."""
    for form, following in zip(forms, [*forms[1:], ""], strict=True):
        if form in ("its", "Its") and following.lower() in _AFTER_IT_IS:
            yield from (form[:2], form[2:])
        else:
            yield form


def _forms(chunk: str) -> tuple[str, ...]:
    """Return the tokens of a chunk; one that ends in a blank is followed by others."""
    # Most chunks are a word alone or with one mark, for which the rules need not be tried.
    word = chunk.rstrip()
    mark = word[-1:] if word[-1:] in _SIMPLE_MARKS else ""
    word = word.removesuffix(mark)
    if word.isalpha() and not _FUSED.fullmatch(word) and (mark != "." or _stop_is_separate(word)):
        return (word, mark) if mark else (word,)
    if len(chunk) > _LONGEST_CHUNK:
        pieces = (chunk[start : start + _LONGEST_CHUNK] for start in range(0, len(chunk), _LONGEST_CHUNK))
        return tuple(form for piece in pieces for form in _forms(piece))
    return tuple(form for match in _PATTERN.finditer(chunk) for form in _split(match))


def _stop_is_separate(word: str) -> bool:
    """Return whether a full stop after the word is a token of its own, wherever it stands."""
    return len(word) > 1 and word.lower() not in _WITH_STOP


def _split(match: re.Match[str]) -> Iterator[str]:
    """Yield the tokens of a match: a word gives up its clitics and what is fused with it."""
    form = match[0]
    if match.lastgroup != "word":
        yield form
        return
    clitic = _CLITIC.search(form, 1)
    word = form[: clitic.start()] if clitic else form
    fused = _FUSED.fullmatch(word)
    cut = fused.end(fused.lastindex or 0) if fused else len(word)
    yield from filter(None, (word[:cut], word[cut:], form[len(word) :]))
