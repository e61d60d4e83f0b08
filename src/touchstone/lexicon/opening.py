"""Opening a lexicon: the embedded one, an array file, a folder of Princeton's files, or one of the `wn` library."""

from functools import cache
from pathlib import Path
from threading import Lock

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.lexicon.container import open_container, unpack
from touchstone.lexicon.dictionary import compile_dictionary
from touchstone.lexicon.lexicon import Lexicon
from touchstone.lexicon.princeton import read_princeton

EMBEDDED = "embedded"
EMBEDDED_FILE = Path(__file__).with_name("wordnet30.lexicon")
_WN = "wn:"
_OPENING = Lock()


def wordnet() -> Lexicon:
    """Return WordNet 3.0 as it comes with the package; every caller shares one.

    >>> str(wordnet().signature).partition("#")[0], wordnet().synset_count
    ('WordNet 3.0', 117659)
    """
    return open_lexicon(EMBEDDED)


def open_lexicon(source: str | Path) -> Lexicon:
    """Return a lexicon: ``embedded``, an array file, a folder of dictionary files, or ``wn:NAME``.

    A folder is read as Princeton's dictionary files (3.0, 3.1), which takes some seconds; ``wn:omw-en31`` is a
    lexicon installed in the `wn` library. The same source is opened once in a process.
    """
    name = str(source)
    with _OPENING:
        return _opened(name if name == EMBEDDED or name.startswith(_WN) else str(Path(name).resolve()))


def reopen(source: str, digest: str) -> Lexicon:
    """Return the lexicon that a pickle refers to, if the source still holds the same."""
    lexicon = open_lexicon(source)
    if lexicon.signature.digest != digest:
        what = f"has changed: it was {digest[:12]} when it was pickled and is {lexicon.signature.digest[:12]} now"
        raise TouchstoneError(what, file=source, code=Code.MISMATCH, hint="give all processes the same lexicon")
    return lexicon


@cache
def _opened(source: str) -> Lexicon:
    if source == EMBEDDED:
        return Lexicon(open_container(EMBEDDED_FILE), source)
    if source.startswith(_WN):
        from touchstone.lexicon.wn_library import read_wn

        return Lexicon(unpack(compile_dictionary(read_wn(source.removeprefix(_WN)))), source)
    path = Path(source)
    if path.is_dir():
        return Lexicon(unpack(compile_dictionary(read_princeton(path))), source)
    return Lexicon(open_container(path), source)
