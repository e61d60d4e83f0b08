"""The tokens that the models read: the same for raw text and for text that is already split as in the Penn Treebank.

They are in lower case; clitics are split off (is n't, dog 's), quotes are one mark, whole numbers below a hundred
are words, since few tables of word vectors have figures.
"""

import re

from touchstone.tasks.nli.numbers import number_word

_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "‘": "'", "´": "'", "`": "'"})
_DOUBLE = re.compile(r"``|''|‘‘|’’")
_BRACKETS = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}"}
_BRACKET = re.compile("|".join(_BRACKETS))
_SPLIT_NOT = re.compile(r"\s+n't\b")
_FUSED = {"cannot": "can not", "gonna": "gon na", "gotta": "got ta", "wanna": "wan na"}
_FUSED_WORD = re.compile(rf"\b(?:{'|'.join(_FUSED)})\b")
_FIGURES = re.compile(r"(?<![\w.,/])([0-9]{1,2})(st|nd|rd|th)?(?!\w|[.,/][0-9])")
_LETTERS = r"[^\W_]"
_TOKEN = re.compile(
    rf"""n't(?!{_LETTERS})|'(?:s|re|ve|ll|d|m)(?!{_LETTERS})   # clitics that stand alone
    |[0-9]+(?:[.,][0-9]+)+                                     # 1,000 and 3.5
    |(?:[a-z]\.){{2,}}                                         # u.s.
    |{_LETTERS}+?(?=n't(?!{_LETTERS}))                         # the word before n't
    |{_LETTERS}+(?:[-'](?!(?:s|re|ve|ll|d|m|t)(?!{_LETTERS})){_LETTERS}+)*  # words, with hyphens and apostrophes inside
    |\.{{2,}}|-{{2,}}|[^\s]""",
    re.VERBOSE,
)


def tokenise(text: str) -> list[str]:
    """Return the tokens of a sentence.

    >>> tokenise("The dog isn't on its 7th T-shirt.") == tokenise("The dog is n't on its 7th T-shirt .")
    True
    >>> tokenise("She can't find 21 Jump Street")
    ['she', 'ca', "n't", 'find', 'twenty-one', 'jump', 'street']
    """
    normalised = _FUSED_WORD.sub(lambda match: _FUSED[match[0]], _with_uniform_marks(text))
    normalised = _FIGURES.sub(lambda match: number_word(int(match[1]), ordinal=bool(match[2])), normalised)
    return _TOKEN.findall(normalised)


def as_written(text: str) -> str:
    """Return a sentence in lower case as it is written, also where it is split as in the Penn Treebank.

    >>> print(as_written("He ca n't say `` no '' -LRB- yet -RRB-"))
    he can't say " no " ( yet )
    """
    return _SPLIT_NOT.sub("n't", _with_uniform_marks(text))


def _with_uniform_marks(text: str) -> str:
    """Return a text in lower case, with one form of quotes and of brackets."""
    lowered = _DOUBLE.sub('"', text).translate(_QUOTES).lower()
    return _BRACKET.sub(lambda match: _BRACKETS[match[0]], lowered)
