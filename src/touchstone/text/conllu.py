"""CoNLL-U, read and written: the form of the Universal Dependencies treebanks.

Ten tab-separated columns; a blank line ends a sentence. Multiword ranges (1-2) and empty nodes (1.1) are read over:
the words between them carry the analysis. Source: universaldependencies.org/format.html.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.io.text import read_text
from touchstone.text.sentence import Sentence, placed

_COLUMNS = 10
_EMPTY = "_"


def read_conllu(path: str | Path) -> list[Sentence]:
    """Return the sentences of a CoNLL-U file (``-`` is standard input), or raise with every fault in it."""
    text, source = read_text(path)
    return parse_conllu(text, file=source.name)


def parse_conllu(text: str, file: str = "conllu") -> list[Sentence]:
    r"""Return the sentences of a CoNLL-U text.

    >>> [sentence] = parse_conllu("1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n")
    >>> sentence.forms, sentence.lemmas, sentence.heads
    (('Go',), ('go',), (0,))
    """
    faults: list[Fault] = []
    sentences = [_sentence(block, file, faults) for block in _blocks(text)]
    if faults:
        raise TouchstoneError.of(faults, hint="a word has ten columns with a tab between two; see the CoNLL-U format")
    return [sentence for sentence in sentences if sentence is not None]


def format_conllu(sentence: Sentence, comments: Iterable[str] = ()) -> str:
    r"""Return one sentence as CoNLL-U, its text and the *comments* above it and a blank line below.

    >>> print(format_conllu(Sentence("Go!", ("Go", "!"), (0, 2), (2, 3), ("VB", "."), ("go", "!"))), end="")
    # text = Go!
    1	Go	go	_	VB	_	_	_	_	SpaceAfter=No
    2	!	!	_	.	_	_	_	_	_
    <BLANKLINE>
    """
    above = [*(f"# {comment}" for comment in comments), f"# text = {' '.join(sentence.text.split())}"]
    heads: Sequence[int | str] = sentence.heads or [_EMPTY] * len(sentence)
    relations, upos = sentence.relations or [_EMPTY] * len(sentence), sentence.upos or [_EMPTY] * len(sentence)
    columns = zip(
        sentence.forms, sentence.lemmas, upos, sentence.tags, heads, relations, _spaces(sentence), strict=True
    )
    rows = (
        f"{n}\t{_cell(form)}\t{_cell(lemma)}\t{pos}\t{tag}\t_\t{head}\t{relation}\t_\t{space}"
        for n, (form, lemma, pos, tag, head, relation, space) in enumerate(columns, 1)
    )
    return "\n".join([*above, *rows, "", ""])


def _blocks(text: str) -> Iterator[list[tuple[int, str]]]:
    block: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        line = line.removesuffix("\r")
        if line.strip():
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _sentence(block: list[tuple[int, str]], file: str, faults: list[Fault]) -> Sentence | None:
    text, rows, earlier_faults = None, [], len(faults)

    def wrong(what: str, number: int, value: str | None = None) -> None:
        faults.append(Fault(what, file, number, value, code=Code.BAD_CELL))

    for number, line in block:
        if line.startswith("#"):
            text = line.removeprefix("# text =").strip() if line.startswith("# text =") else text
            continue
        row = line.split("\t")
        if len(row) != _COLUMNS:
            wrong(f"{len(row)} columns where CoNLL-U has {_COLUMNS}", number, line)
        elif "-" not in row[0] and "." not in row[0]:
            rows.append(row)
            if row[0] != str(len(rows)):
                wrong(f"word number where {len(rows)} should stand", number, row[0])
            if row[6] != _EMPTY and not (row[6].isascii() and row[6].isdigit()):
                wrong("head is not a number", number, row[6])
    has_heads = len(faults) == earlier_faults and all(row[6] != _EMPTY for row in rows)
    heads = tuple(int(row[6]) for row in rows) if has_heads else ()
    # A head can only be checked when the last word is known.
    if any(head > len(rows) for head in heads):
        wrong(f"a head beyond the last word, {len(rows)}", block[0][0])
    if not rows or len(faults) > earlier_faults:
        return None
    forms, lemmas, upos, tags = (tuple(row[column] for row in rows) for column in (1, 2, 3, 4))
    relations = tuple(row[7] for row in rows) if heads else ()
    return Sentence(*placed(forms, text), tags, lemmas, heads, relations, upos)


def _spaces(sentence: Sentence) -> Iterator[str]:
    """Yield for each token whether the next one touches it."""
    beyond = (*sentence.starts[1:], -1)
    for end, following in zip(sentence.ends, beyond, strict=False):
        yield "SpaceAfter=No" if end == following else _EMPTY


def _cell(value: str) -> str:
    """Return a value without what would end a column or a line."""
    return "".join(c if c not in "\t\n\r" else " " for c in value) or _EMPTY
