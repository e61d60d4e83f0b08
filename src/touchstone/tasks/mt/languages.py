"""Which measures suit a language: tokenisers by language, and what is for English alone.

The default tokeniser of BLEU, 13a, splits text at blanks. Chinese under it is one word per sentence: 1.8 BLEU where the
tokeniser for Chinese gives 33.1.
"""

import re
from collections.abc import Sequence

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.spelling import setting
from touchstone.core.measures import parse_name
from touchstone.tasks.mt.about import ENGLISH, Options
from touchstone.tasks.mt.model import GoldSet

LANGUAGE_FREE = ("bleu", "chrf", "ter")
"""Families that work on characters and words of any language; all others of ours are for English."""

BLEU_TOKENIZERS = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
"""The tokeniser of BLEU for languages that 13a does not split into words, as sacrebleu chooses it."""

ASIAN_TER = ("zh", "ja")
"""Languages whose characters TER must split."""

NAMES = {"zh": "Chinese", "ja": "Japanese"}
UNSPLIT = {"th": "Thai", "lo": "Lao", "km": "Khmer", "my": "Burmese", "bo": "Tibetan"}
"""Further languages without blanks between words, which no tokeniser here splits."""

SCRIPTS = {
    "zh": re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]"),
    "ja": re.compile(r"[\u3040-\u30ff]"),
    "ko": re.compile(r"[\uac00-\ud7af]"),
    "th": re.compile(r"[\u0e00-\u0e7f]"),
}
"""Characters that only these languages have; Han characters are those of Japanese too."""

SCRIPT_SAMPLE = 200
"""Segments that are looked at to tell whether the texts are in another script."""


def family_of(measure: str) -> str:
    """Return the family of a measure by its name.

    >>> family_of("maxsim(n+d,alpha=0.7)")
    'maxsim'
    """
    return measure.partition("(")[0].partition("@")[0]


def for_language(names: Sequence[str], gold: GoldSet, options: Options) -> list[str]:
    """Return the measures as the language of the texts needs them; refuse those that it cannot have."""
    lang = options.language
    if lang == ENGLISH:
        _check_script(names, gold)
    return [_suited(name, lang, options) for name in names]


def suited_measures(default: Sequence[str], options: Options) -> list[str]:
    """Return those of the *default* measures that the language can have; chrf where it can have none of them."""
    lang = options.language
    return [name for name in default if _is_suited(name, lang, options)] or ["chrf"]


def _is_suited(name: str, lang: str, options: Options) -> bool:
    try:
        _suited(name, lang, options)
    except TouchstoneError:
        return False
    return True


def _suited(name: str, lang: str, options: Options) -> str:
    family = family_of(name)
    if lang == ENGLISH or ":" in name:
        return name
    if family == "bleu":
        return _bleu(name, lang)
    if family == "ter" and lang in ASIAN_TER and "asian_support" not in name:
        return _with(name, "normalized=yes,asian_support=yes")
    has_analyses = bool(options.analyses or options.inline)
    if family not in LANGUAGE_FREE and not (family == "maxsim" and has_analyses and options.synonyms):
        hint = f"for other languages there are {', '.join(LANGUAGE_FREE)}, measures of your own (module:object), "
        hint += f"and maxsim with {setting('analyses')} and {setting('synonyms')}"
        what = f"this measure is for English, not {lang!r}"
        raise TouchstoneError(what, value=name, code=Code.UNSUPPORTED, hint=hint)
    return name


def _bleu(name: str, lang: str) -> str:
    """Return BLEU with the tokeniser of a language; refuse one that does not split it into words."""
    arguments = parse_name(name)[2]
    tokenizer = re.search(r"tokenize\s*=\s*([^,\s]+)", arguments)
    splits = tokenizer is not None and tokenizer[1] not in ("13a", "intl", "none")
    if splits or lang not in (*BLEU_TOKENIZERS, *UNSPLIT) or (lang == "ko" and (tokenizer or "v11b" in arguments)):
        return name
    if lang in UNSPLIT or tokenizer or "v11b" in arguments:
        best = f"bleu(tokenize={BLEU_TOKENIZERS.get(lang, 'char')})"
        called = {**UNSPLIT, **NAMES}[lang]
        what = f"this tokeniser does not split {called} into words, so the figure would mean nothing"
        raise TouchstoneError(what, value=name, code=Code.UNSUPPORTED, hint=f"use {best}, or chrf")
    return _with(name, f"tokenize={BLEU_TOKENIZERS[lang]}")


def _with(name: str, parameter: str) -> str:
    """Return a name with a further parameter.

    >>> _with("bleu", "tokenize=zh"), _with("bleu(lowercase=yes)", "tokenize=zh")
    ('bleu(tokenize=zh)', 'bleu(lowercase=yes,tokenize=zh)')
    """
    family, arguments = family_of(name), parse_name(name)[2]
    return f"{family}({','.join(filter(None, (arguments, parameter)))})"


def _check_script(names: Sequence[str], gold: GoldSet) -> None:
    """Refuse measures of words where the references are in a script without blanks and no language was named."""
    needing = [name for name in names if family_of(name) != "chrf" and ":" not in name and "tokenize" not in name]
    text = "".join(text for text in gold.texts[0].present[:SCRIPT_SAMPLE])
    letters = sum(map(str.isalpha, text))
    shares = {lang: len(script.findall(text)) / max(letters, 1) for lang, script in SCRIPTS.items()}
    likely = next((lang for lang in ("ja", "ko", "th", "zh") if shares[lang] > 0.2), None)
    if needing and likely:
        what = "these references are not in English: this measure would not find their words"
        hint = f"name the language, such as {setting('lang', likely)}"
        raise TouchstoneError(what, value=needing[0], code=Code.OPTION_NEEDED, hint=hint)


def language_notes(names: Sequence[str], options: Options) -> list[str]:
    """Return which parameters were chosen by the language."""
    lang = options.language
    tokenize_option = f"tokenize={BLEU_TOKENIZERS.get(lang)}"
    chosen = [name for name in names if tokenize_option in name or ("asian_support=yes" in name and lang in ASIAN_TER)]
    return [f"for {setting('lang', lang)}: {', '.join(chosen)}"] if chosen else []
