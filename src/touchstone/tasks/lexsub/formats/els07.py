"""The files of SemEval-2007 task 10: gold and answers by line, sentences in XML.

Gold: ``word.pos ID :: sub N;sub N;``. Answers: ``word.pos ID :: a;b`` (best) or ``word.pos ID ::: a;b;c`` (ranked).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from sys import intern

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.files import Source
from touchstone.base.ragged import Bools, Interner, Ragged, StringLists
from touchstone.io.text import lines
from touchstone.io.xml import Element, parse_xml
from touchstone.tasks.lexsub.formats.cells import parse_entry, parse_pos
from touchstone.tasks.lexsub.model import NO_CUT, Answers, Context, GoldSet, Run, Sentence, key

MIN_RESPONSES = 2
"""The task left out items to which fewer than two people gave an answer."""

PROPER_NAME = "pn"
"""The response of an annotator for whom the target is a name, which has no substitute."""

LINE = re.compile(r"[ \t]*([^ \t]+)[ \t]+([^ \t]+)[ \t]+(:{2,3})(?![^ \t;])(.*)", re.DOTALL)
_ESCAPED = re.compile(r"&(gt|lt|amp|quot|#[0-9]{1,7}) ?;")
_UNESCAPED = {"gt": ">", "lt": "<", "amp": "&", "quot": '"'}


def read_gold(text: str, source: Source, min_responses: float | None = None) -> GoldSet:
    """Read a gold file; a response that is ``pn`` as a whole is dropped."""
    faults: list[Fault] = []
    split = _split(text, source.name, faults)
    complete = not faults
    faults += [
        Fault(
            "a gold line uses '::'; ':::' is for answers, which come after the gold",
            source.name,
            number,
            name,
            code=Code.UNREADABLE,
        )
        for number, name, separator in zip(split.numbers, split.ids, split.separators, strict=True)
        if separator != "::"
    ]
    entries = split.pieces.keep(split.pieces.flags(bool))
    parsed = [parse_entry(entry) for entry in entries.words]
    faults += _weightless(entries, parsed, split.numbers, source.name)
    filled = [entry or ("", 0.0) for entry in parsed]
    answers = StringLists(tuple(substitute for substitute, _ in filled), entries.codes)
    weights = Ragged(entries.codes.offsets, np.array([weight for _, weight in filled])[entries.codes.values])
    response = ~answers.flags(lambda answer: key(answer) == PROPER_NAME)
    gold = GoldSet(
        source,
        ids=split.ids,
        targets=split.targets,
        pos=split.pos,
        answers=answers.keep(response),
        weights=weights.keep(response),
        lines=split.numbers,
        form="els07",
        least=MIN_RESPONSES if min_responses is None else min_responses,
        complete=complete,
    )
    return gold.checked(faults)


def read_run(text: str, source: Source) -> Run:
    """Read a file of answers; its separator says whether they are best guesses or ranked lists."""
    if source.name.endswith(".mw"):
        raise TouchstoneError("the multiword subtask is not scored here", file=source.name, code=Code.UNSUPPORTED)
    faults: list[Fault] = []
    split = _split(text, source.name, faults)
    faults += _mixed_separators(split, source.name)
    filled = split.pieces.flags(lambda piece: bool(key(piece)))
    if filled.any() and split.pieces.flags(lambda piece: parse_entry(piece) is not None)[filled].all():
        hint = "give the gold first and the systems after it"
        what = "every answer ends in a count: this is a gold file"
        raise TouchstoneError(what, file=source.name, code=Code.MISMATCH, hint=hint)
    cuts = np.full(len(split.ids), NO_CUT)
    columns = (split.ids, split.numbers, split.targets, split.pos, split.pieces.keep(filled), cuts)
    answers = Answers(source, *columns, faults=tuple(faults))
    best, ranked = (answers, None) if split.separators[:1] == ["::"] else (None, answers)
    return Run(source.stem, (source,), best, ranked, _empties_before_answers(split.pieces, filled))


def read_sentences(raw: bytes, source: Source) -> Iterator[Sentence]:
    """Yield the sentences of ``corpus > lexelt[item] > instance[id] > context`` with their targets."""
    root = parse_xml(raw, source.name)
    if root.tag != "corpus":
        what = "not a corpus of sentences: the root is not <corpus>"
        raise TouchstoneError(what, file=source.name, value=root.tag, code=Code.UNREADABLE)
    for lexelt in root.iter("lexelt"):
        word = lexelt.get("item", "")
        for instance in lexelt.iter("instance"):
            context = _context(instance, source.name)
            yield Sentence(instance.get("id", ""), word.split(".", 1)[0], parse_pos(word), context)


@dataclass(frozen=True)
class _Lines:
    """The lines of a file, split but not yet understood."""

    numbers: list[int]
    words: list[str]
    ids: list[str]
    separators: list[str]
    pieces: StringLists

    @property
    def targets(self) -> list[str]:
        lemmas = {word: word.split(".", 1)[0] for word in set(self.words)}
        return [lemmas[word] for word in self.words]

    @property
    def pos(self) -> list[str | None]:
        return [parse_pos(word) for word in self.words]


def _split(text: str, file: str, faults: list[Fault]) -> _Lines:
    """Split every line at its blanks, its separator and its semicolons; each distinct piece is held once."""
    interner = Interner()
    number_of = interner.__getitem__
    numbers, words, ids, separators = [], [], [], []
    codes: list[int] = []
    sizes: list[int] = []
    for number, line in lines(text):
        match = LINE.fullmatch(line)
        if match is None:
            what = "not a line of the form 'word.pos ID :: answer;answer'"
            faults.append(Fault(what, file, number, line, code=Code.BAD_CELL))
            continue
        word, name, separator, answer_text = match.groups()
        pieces = answer_text.split(";")
        # Pieces are numbered at once and stripped as distinct strings below: files repeat most of their answers.
        codes.extend(map(number_of, pieces))
        sizes.append(len(pieces))
        numbers.append(number)
        # Targets and separators repeat from line to line; interned, each is in memory once.
        words.append(intern(word))
        ids.append(name)
        separators.append(intern(separator))
    rows = Ragged.from_sizes(np.array(sizes, np.int64), np.array(codes, np.int64))
    return _Lines(numbers, words, ids, separators, StringLists(tuple(interner), rows).map(str.strip))


def _weightless(
    entries: StringLists, parsed: list[tuple[str, float] | None], numbers: list[int], file: str
) -> list[Fault]:
    wrong = np.array([entry is None for entry in parsed], np.bool_)[entries.codes.values]
    places = zip(entries.codes.row[wrong].tolist(), entries.codes.values[wrong].tolist(), strict=True)
    what = "a gold entry must be a substitute and a positive weight"
    return [Fault(what, file, numbers[row], entries.words[code], code=Code.BAD_CELL) for row, code in places]


def _mixed_separators(split: _Lines, file: str) -> list[Fault]:
    first = split.separators[:1]
    other = next((i for i, separator in enumerate(split.separators) if separator not in first), None)
    if other is None:
        return []
    what = (
        f"'::' (best guesses) and ':::' (ranked lists) do not go in one file; line {split.numbers[0]} has '{first[0]}'"
    )
    return [Fault(what, file, split.numbers[other], split.separators[other], code=Code.UNREADABLE)]


def _empties_before_answers(pieces: StringLists, filled: Bools) -> int:
    """Count the empty pieces that an answer follows: ``a;;b``, but not the end of ``a;b;``."""
    position = pieces.codes.position
    last = np.full(len(pieces), -1)
    np.maximum.at(last, pieces.codes.row[filled], position[filled])
    return int((~filled & (position < last[pieces.codes.row])).sum())


def _context(instance: Element, file: str) -> Context:
    where = f"instance {instance.get('id')}"
    context = instance.find("context")
    children = [] if context is None else list(context)
    heads = [index for index, child in enumerate(children) if child.tag == "head"]
    if context is None or len(heads) != 1:
        what = f"{len(heads)} heads in a sentence that must have one"
        raise TouchstoneError(what, file=file, line=where, code=Code.BAD_CELL)
    head = children[heads[0]]
    left = (context.text or "") + "".join(map(_with_tail, children[: heads[0]]))
    right = (head.tail or "") + "".join(map(_with_tail, children[heads[0] + 1 :]))
    return Context(*(_unescape(part).strip() for part in (left, "".join(head.itertext()), right)))


def _with_tail(element: Element) -> str:
    return "".join(element.itertext()) + (element.tail or "")


def _unescape(text: str) -> str:
    """Resolve the entities that are escaped twice in these files, also with a blank before the semicolon."""

    def character(match: re.Match[str]) -> str:
        name = match[1]
        if name in _UNESCAPED:
            return _UNESCAPED[name]
        number = int(name[1:])
        return chr(number) if 0 < number < 0xD800 or 0xE000 <= number < 0x110000 else match[0]

    return _ESCAPED.sub(character, text)
