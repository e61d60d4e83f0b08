"""When two answers are the same: the matching key, which is applied to gold and runs alike.

Spelling is not the task: case, hyphens, apostrophes and blanks do not make two answers different.
"""

import re
import unicodedata

KEY_RULES = "nfc+case+apostrophe+hyphen+blank+non"
"""The rules below, as signatures name them."""

_APOSTROPHES = dict.fromkeys(map(ord, "'\u2018\u2019\u02bc"))
_BLANKS = dict.fromkeys(map(ord, "_-\u2010\u2011\u2012\u2013"), " ")
_FOLDS = _APOSTROPHES | _BLANKS
_NON = re.compile(r"\Anon (?=.)")


def key(answer: str) -> str:
    """Return the form under which *answer* is compared.

    >>> key("Non-Captive"), key("well_to-do"), key("o\u2019clock"), key("  garden   path ")
    ('noncaptive', 'well to do', 'oclock', 'garden path')
    """
    if answer.isascii() and answer.isalpha() and answer.islower():
        return answer
    spaced = " ".join(unicodedata.normalize("NFC", answer).casefold().translate(_FOLDS).split())
    return unicodedata.normalize("NFC", _NON.sub("non", spaced))
