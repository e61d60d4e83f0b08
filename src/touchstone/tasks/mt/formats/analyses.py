"""Analyses made elsewhere, instead of those of the embedded analyser: CoNLL-U files, or inline tags.

A CoNLL-U file of one text has a sentence for each line that is not blank, in order. Or a comment ``# segment = k``
above each sentence names its line (from 1); several sentences may belong to one line. A file of all texts has
``# text = …`` above each sentence, and a line is found by its text, or by those of sentences that make it up.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.files import Source
from touchstone.io.text import read_text
from touchstone.text import Sentence, Stored, parse_conllu
from touchstone.text.sentence import ROOT

_SEGMENT = re.compile(r"#\s*segment\s*=\s*(\S+)\s*")
_FURTHER = "parataxis"
"""The relation of the root of a further sentence of a segment to that of the first."""


def read_analyses(path: str | Path, segments: Sequence[str | None]) -> tuple[Stored, Source]:
    """Return the analyses of *segments* from a CoNLL-U file; refuse a file with too many or too few."""
    text, source = read_text(path)
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    sentences = parse_conllu("\n".join(map(_with_tag, lines)), file=source.name)
    named = list(_segments_named(lines))
    if len(named) != len(sentences):
        what = f"{len(named):,} sentences of which {len(sentences):,} hold words"
        raise TouchstoneError(what, file=source.name, code=Code.UNREADABLE)
    rows_with_text = [row for row, segment in enumerate(segments) if segment]
    if any(name is not None for _, name in named):
        rows = _rows(named, len(segments), source.name)
    elif len(sentences) == len(rows_with_text):
        rows = rows_with_text
    else:
        what = f"{len(sentences):,} sentences for {len(rows_with_text):,} lines of text that are not blank"
        hint = "give one sentence per line, or name the line of each sentence with '# segment = 17' above it"
        raise TouchstoneError(what, file=source.name, code=Code.MISMATCH, hint=hint)
    return Stored(_joined(sentences, rows, segments, rows_with_text, source.name), str(source)), source


@dataclass(frozen=True, eq=False)
class AnalysedTexts:
    """The sentences of a CoNLL-U file by their texts, for all references and systems."""

    source: Source
    sentences: Mapping[str, Sentence]
    begins: Mapping[str, Sequence[str]]
    """The texts of the sentences by their first characters, the longest first."""

    @classmethod
    def read(cls, path: str | Path) -> "AnalysedTexts":
        """Read a file; refuse one whose sentences do not give their texts."""
        text, source = read_text(path)
        lines = [line.removesuffix("\r") for line in text.split("\n")]
        if not any(line.startswith("# text =") for line in lines):
            hint = "write '# text = …' above each sentence, or give the analyses of each text: NAME=FILE"
            what = "no sentence of this file gives its text"
            raise TouchstoneError(what, file=source.name, code=Code.UNREADABLE, hint=hint)
        parsed = parse_conllu("\n".join(map(_with_tag, lines)), file=source.name)
        # In reverse, so that of equal texts the first analysis stays.
        sentences = {" ".join(sentence.text.split()): sentence for sentence in reversed(parsed)}
        begins: dict[str, list[str]] = {}
        for sentence_text in sorted(sentences, key=len, reverse=True):
            begins.setdefault(sentence_text[:BEGINNING], []).append(sentence_text)
        return cls(source, sentences, begins)

    def of(self, segments: Sequence[str | None], file: str) -> Stored:
        """Return the analyses of *segments*; refuse segments that the file does not have."""
        analyses, faults = [], []
        for row, segment in enumerate(segments, 1):
            text = " ".join((segment or "").split())
            parts = self._parts(text) if text else ()
            if parts is None:
                faults.append(
                    Fault(f"no analysis in {Path(self.source.name).name}", file, row, text, code=Code.MISSING_ID)
                )
            elif parts:
                analyses.append(_placed(_merged([self.sentences[part] for part in parts]), segment or ""))
        if faults:
            raise TouchstoneError.of(faults, "analyse the texts as they are scored: entities decoded, blanks collapsed")
        return Stored(analyses, str(self.source))

    def _parts(self, text: str) -> tuple[str, ...] | None:
        """Return the sentences that make up a text, the longest first at each place; None if they do not."""
        if text in self.sentences:
            return (text,)
        for size in range(min(BEGINNING, len(text)), 0, -1):
            for sentence in self.begins.get(text[:size], ()):
                if text.startswith(sentence) and (following := self._parts(text[len(sentence) :].lstrip())) is not None:
                    return sentence, *following
        return None


BEGINNING = 12
"""Characters by which sentences are looked up."""


def inline_analyses(segments: Sequence[str | None], file: str) -> Stored:
    """Return the analyses that texts carry, as tokens of the form ``lemma/TAG``.

    >>> [sentence] = inline_analyses(["the/DT cat/NN"], "a.txt").tag(["the/DT cat/NN"])
    >>> sentence.lemmas, sentence.tags
    (('the', 'cat'), ('DT', 'NN'))
    """
    return Stored([_inline(segment, row, file) for row, segment in enumerate(segments, 1) if segment], file)


def _inline(segment: str, line: int, file: str) -> Sentence:
    starts, ends, lemmas, tags = [], [], [], []
    for token in re.finditer(r"\S+", segment):
        lemma, _, tag = token[0].rpartition("/")
        if not (lemma and tag):
            what = "not a token of the form lemma/TAG"
            raise TouchstoneError(what, file=file, line=line, value=token[0], code=Code.BAD_CELL)
        starts.append(token.start())
        ends.append(token.start() + len(lemma))
        lemmas.append(lemma)
        tags.append(tag)
    return Sentence(segment, tuple(lemmas), tuple(starts), tuple(ends), tuple(tags), tuple(lemmas))


def _with_tag(line: str) -> str:
    """Return a line with its universal tag instead of a missing language-specific tag."""
    columns = line.split("\t")
    if len(columns) != 10 or columns[4] != "_":
        return line
    return "\t".join([*columns[:4], columns[3], *columns[5:]])


def _segments_named(lines: Sequence[str]) -> Iterator[tuple[int, str | None]]:
    """Yield for each sentence with words the line of its first word, and the segment that a comment names."""
    name: str | None = None
    first = 0
    for number, line in enumerate([*lines, ""], 1):
        if not line.strip():
            if first:
                yield first, name
            name, first = None, 0
        elif line.startswith("#"):
            match = _SEGMENT.fullmatch(line)
            name = match[1] if match else name
        else:
            first = first or number


def _rows(named: Sequence[tuple[int, str | None]], size: int, file: str) -> list[int]:
    """Return the row of the segment of each sentence; one without a comment belongs to that of the one before."""
    rows: list[int] = []
    faults: list[Fault] = []
    for line, name in named:
        if name is None and not rows:
            faults.append(Fault("a sentence before the first comment '# segment ='", file, line, code=Code.BAD_CELL))
        elif name is None:
            rows.append(rows[-1])
        elif not (name.isascii() and name.isdigit() and 1 <= int(name) <= size):
            faults.append(
                Fault(f"a segment is a whole number from 1 to {size:,}", file, line, name, code=Code.BAD_CELL)
            )
        else:
            rows.append(int(name) - 1)
    if faults:
        raise TouchstoneError.of(faults)
    return rows


def _joined(
    sentences: Sequence[Sentence],
    rows: Sequence[int],
    segments: Sequence[str | None],
    rows_with_text: Sequence[int],
    file: str,
) -> list[Sentence]:
    """Return one sentence for each segment that is not blank, under the segment's own text."""
    parts: dict[int, list[Sentence]] = {}
    for row, sentence in zip(rows, sentences, strict=True):
        parts.setdefault(row, []).append(sentence)
    blank = sorted(parts.keys() - {*rows_with_text})
    faults = [
        Fault("no analysis of this line", file, value=str(row + 1), code=Code.MISSING_ID)
        for row in rows_with_text
        if row not in parts
    ]
    faults += [Fault("an analysis of a blank line", file, value=str(row + 1), code=Code.MISMATCH) for row in blank]
    if faults:
        raise TouchstoneError.of(faults, "give one analysis for each line of text that is not blank")
    by_row = {row: _placed(_merged(parts[row]), segments[row] or "") for row in rows_with_text}
    strange = [row for row, sentence in by_row.items() if sentence.starts == sentence.ends]
    if strange:
        faults = [
            Fault("no word of this analysis is in its line", file, value=str(row + 1), code=Code.MISMATCH)
            for row in strange
        ]
        raise TouchstoneError.of(faults, "analyses must be of the same lines in the same order")
    return list(by_row.values())


def _merged(parts: Sequence[Sentence]) -> Sentence:
    """Return the sentences of a segment as one: the root of each later one depends on that of the first."""
    first, *others = parts
    if not others:
        return first
    heads, relations = list(first.heads), list(first.relations)
    top = heads.index(ROOT) + 1 if ROOT in heads else 1
    size = len(first)
    for part in others:
        for head, relation in zip(part.heads, part.relations, strict=True):
            heads.append(head + size if head else top)
            relations.append(relation if head else _FURTHER)
        size += len(part)
    forms, tags, lemmas = (
        tuple(value for part in parts for value in getattr(part, name)) for name in ("forms", "tags", "lemmas")
    )
    all_parsed = all(part.parsed for part in parts)
    return replace(
        first,
        forms=forms,
        tags=tags,
        lemmas=lemmas,
        heads=tuple(heads) if all_parsed else (),
        relations=tuple(relations) if all_parsed else (),
    )


def _placed(sentence: Sentence, text: str) -> Sentence:
    """Return *sentence* over *text*: a form that is not written in it has no extent there."""
    starts, ends, position = [], [], 0
    for form in sentence.forms:
        # Forms are looked for from left to right, as they stand in the text.
        index = text.find(form, position)
        start, end = (position, position) if index < 0 else (index, index + len(form))
        starts.append(start)
        ends.append(end)
        position = end
    return replace(sentence, text=text, starts=tuple(starts), ends=tuple(ends))
