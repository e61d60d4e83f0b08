"""English words in the form that a Penn tag names, by rules, by WordNet's irregular forms and by what is common.

Rules and the irregular forms of WordNet propose spellings (``stoped``, ``stopped``; ``formulas``, ``formulae``); the
one that is most frequent in English is taken. Verbs whose past and participle differ are listed here.
"""

from collections.abc import Iterator
from functools import cache, lru_cache

from touchstone.lexicon import wordnet
from touchstone.text.analyser import english

BASE_TAGS = frozenset(("NN", "VB", "VBP", "JJ", "RB"))
"""Penn tags of base forms."""

_PASTS = """
arise arose arisen; awake awoke awoken; be was been; bear bore borne; beat beat beaten; become became become;
begin began begun; bite bit bitten; blow blew blown; break broke broken; choose chose chosen; come came come;
do did done; draw drew drawn; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; fly flew
flown; forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; get
got got; give gave given; go went gone; grow grew grown; hide hid hidden; know knew known; lie lay lain; mow
mowed mown; prove proved proven; ride rode ridden; ring rang rung; rise rose risen; run ran run; saw sawed
sawn; see saw seen; sew sewed sewn; shake shook shaken; show showed shown; shrink shrank shrunk; sing sang
sung; sink sank sunk; sow sowed sown; speak spoke spoken; spring sprang sprung; steal stole stolen; strew
strewed strewn; stride strode stridden; strive strove striven; swear swore sworn; swell swelled swollen; swim
swam swum; take took taken; tear tore torn; throw threw thrown; tread trod trodden; wake woke woken; wear wore
worn; weave wove woven; withdraw withdrew withdrawn; write wrote written
"""
"""Base, past and participle of verbs in which they differ."""
_UNCHANGED = """
bet burst cast cost cut forecast hit hurt let put quit read rid set shed shut split spread thrust upset
"""
"""Verbs whose past and participle are the base."""
_PREFIXES = ("over", "under", "out", "fore", "re", "un", "mis", "up", "inter")
_THIRD = {"be": "is", "have": "has"}
_VOWELS = "aeiou"
_DEGREES = {"R": ("er", "more"), "S": ("est", "most")}


@lru_cache(maxsize=1 << 17)
def inflected(phrase: str, tag: str) -> str:
    """Return a lemma in the form that a Penn tag names: the first word of a verb phrase changes, else the last.

    >>> inflected("give up", "VBD"), inflected("car park", "NNS"), inflected("intelligent", "JJS")
    ('gave up', 'car parks', 'most intelligent')
    """
    if tag in BASE_TAGS or not phrase:
        return phrase
    words = phrase.split(" ")
    if tag[:2] in ("JJ", "RB"):
        return _compared(phrase, tag) if len(words) == 1 else f"{_DEGREES[tag[-1]][1]} {phrase}"
    head_index = 0 if tag.startswith("V") else -1
    words[head_index] = _form(words[head_index], tag)
    return " ".join(words)


@lru_cache(maxsize=1 << 17)
def _form(word: str, tag: str) -> str:
    if tag == "VBZ":
        return _THIRD.get(word) or _with_s(word)
    if tag in ("NNS", "NNPS"):
        return _commonest([*_irregular("n").get(word, ()), *_plurals(word)])
    if tag == "VBG":
        ing = [form for form in _irregular("v").get(word, ()) if form.endswith("ing")]
        return _commonest([*ing, *_joined(word, "ing")])
    if word in _pasts():
        return _pasts()[word][tag == "VBN"]
    prefix = next((prefix for prefix in _PREFIXES if word.removeprefix(prefix) in _pasts()), None)
    if prefix:
        return prefix + _pasts()[word.removeprefix(prefix)][tag == "VBN"]
    irregular = [form for form in _irregular("v").get(word, ()) if not form.endswith(("ing", "s"))]
    return _commonest([*irregular, *_joined(word, "ed")])


def _compared(word: str, tag: str) -> str:
    """Return the comparative or superlative: irregular, with an ending where English commonly has it, or with more."""
    ending, more = _DEGREES[tag[-1]]
    irregular = [form for form in _irregular("a").get(word, ()) if form.endswith(ending) or ending == "er" != form[-3:]]
    forms = [form for form in irregular if form in _ranks() and not (ending == "er" and form.endswith("st"))]
    forms += [form for form in _joined(word, ending) if form in _ranks() and len(word) <= 7]
    return _commonest(forms) if forms else f"{more} {word}"


def _plurals(word: str) -> Iterator[str]:
    if word.endswith("man"):
        yield f"{word[:-3]}men"
    yield _with_s(word)


def _with_s(word: str) -> str:
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return f"{word}es"
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        return f"{word[:-1]}ies"
    if word.endswith("o") and word[-2:-1] not in _VOWELS:
        return _commonest([f"{word}s", f"{word}es"])
    return f"{word}s"


def _joined(word: str, ending: str) -> list[str]:
    """Return the ways to spell a word with an ending that begins with a vowel, the usual one first."""
    if word.endswith("ie") and ending == "ing":
        return [f"{word[:-2]}ying"]
    if word.endswith("e") and not (ending == "ing" and word.endswith(("ee", "oe", "ye"))):
        return [word[:-1] + ending]
    if word.endswith("y") and word[-2:-1] not in _VOWELS and ending != "ing":
        return [f"{word[:-1]}i{ending}"]
    doubles = len(word) > 2 and word[-1] not in "aeiouwxy" and word[-2] in _VOWELS and word[-3] not in _VOWELS
    doubled = [word + word[-1] + ending] if doubles else []
    return [*doubled, word + ending] if doubled and len(word) <= 4 else [word + ending, *doubled]


def _commonest(forms: list[str]) -> str:
    """Return the form that is most frequent in English; the first where none is common."""
    return min(forms, key=lambda form: _ranks().get(form, len(_ranks())))


@cache
def _ranks() -> dict[str, int]:
    return {word: rank for rank, word in enumerate(english().common_words)}


@cache
def _pasts() -> dict[str, tuple[str, str]]:
    rows = (row.split() for row in _PASTS.replace("\n", " ").split(";"))
    return {base: (past, participle) for base, past, participle in rows} | {
        base: (base, base) for base in _UNCHANGED.split()
    }


@cache
def _irregular(pos: str) -> dict[str, tuple[str, ...]]:
    """Return the irregular forms of each lemma of a part of speech."""
    forms: dict[str, list[str]] = {}
    for form, bases in wordnet().exceptions(pos).items():
        for base in bases:
            forms.setdefault(base, []).append(form)
    return {base: tuple(irregular_forms) for base, irregular_forms in forms.items()}
