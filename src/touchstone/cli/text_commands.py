"""``touchstone text``: analyse English."""

import gzip
import json
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, cast

from touchstone.base.errors import TouchstoneError
from touchstone.base.files import PACKED, STDIN, read_bytes
from touchstone.base.options import OutFolder

if TYPE_CHECKING:
    from touchstone.base.workers import Engine
    from touchstone.text import Sentence

PIECE, CHARACTERS = 2048, 200_000
"""Lines and characters that are analysed together: enough for sentences of like length to meet, few enough to hold."""

LONGEST_LINE = 10_000_000
"""Bytes. No segment is longer; a file without line ends is no file of segments."""


def parse(
    file: str,
    *,
    lines: bool = False,
    tokens: bool = False,
    as_json: bool = False,
    engine: "Engine | None" = None,
    parts: OutFolder = None,
) -> None:
    """Print the analysis of each sentence as CoNLL-U.

    Example: touchstone text parse news.txt > news.conllu

    Example: touchstone text parse news.txt --engine processes --parts news.parts > news.conllu

    Parameters
    ----------
    file : FILE
        Text, one sentence or paragraph per line; - is standard input.
    lines
        Every line is one sentence: do not split lines.
    tokens
        Every line is one sentence with its tokens separated by spaces.
    as_json : --json
        Print one JSON object.
    parts : FOLDER
        A folder for finished parts; the same command continues an interrupted run.
    """
    from touchstone.base.workers import Engine
    from touchstone.engine.mapping import in_pieces, map_pieces
    from touchstone.text import english

    if parts is not None and file == STDIN:
        raise TouchstoneError("parts of standard input cannot be done again", hint="name a file, or leave out --parts")
    how = "tokens" if tokens else "lines" if lines else "text"
    signature = english().signature
    pieces = map_pieces(
        Parsing(how, as_json),
        lambda: in_pieces(enumerate(_read_segments(file), 1), PIECE, _length, CHARACTERS),
        engine or Engine(),
        parts=parts,
        about=[signature, how, as_json],
        source=file,
    )
    texts = (text for piece in pieces for text in piece)
    if as_json:
        print(f'{{"signature": {json.dumps(signature)}, "sentences": [', end="")
        for sentence_index, text in enumerate(texts):
            print(("\n" if sentence_index == 0 else ",\n") + text, end="")
        print("\n]}")
        return
    for sentence_index, text in enumerate(texts):
        print((f"# analyser = {signature}\n" if sentence_index == 0 else "") + text, end="")


@dataclass(frozen=True)
class Parsing:
    """The analysis of numbered lines as texts, one for each sentence: CoNLL-U or JSON."""

    how: str
    as_json: bool

    def __call__(self, lines: "Sequence[tuple[int, str]]") -> list[str]:
        """Return the analyses of the sentences of some lines."""
        from touchstone.text import english, format_conllu

        numbers, segments = [number for number, _ in lines], [text for _, text in lines]
        analyser = english()
        rows = (line.split() for line in segments)
        tokens = self.how == "tokens"
        parsed = analyser.parse_tokens(rows) if tokens else analyser.parse(segments, split=self.how == "text")
        texts: list[str] = []
        number = previous = 0
        for sentence in parsed:
            if not len(sentence):
                continue
            segment = numbers[sentence.segment]
            number, previous = number + 1 if segment == previous else 1, segment
            comments = [f"segment = {segment}", f"sent_id = {segment}-{number}"]
            texts.append(_as_json(sentence, segment) if self.as_json else format_conllu(sentence, comments))
        return texts


def _length(line: tuple[int, str]) -> int:
    return len(line[1])


def _as_json(sentence: "Sentence", segment: int) -> str:
    tokens = [token._asdict() for token in sentence.tokens]
    record = {"segment": segment, "offset": sentence.offset, "text": sentence.text, "tokens": tokens}
    return json.dumps(record, ensure_ascii=False)


def _read_segments(path: str) -> Iterator[str]:
    """Yield the lines of a file (``-`` is standard input; ``.gz`` is unpacked), blank ones too, strictly decoded."""
    name = "stdin" if path == STDIN else path
    with _opened(path) as file:
        try:
            number = 0
            while line := file.readline(LONGEST_LINE):
                number += 1
                yield _segment(line, name, number)
        except (OSError, EOFError, zlib.error):
            raise TouchstoneError("is not a complete gzip file", file=name) from None


def _segment(line: bytes, name: str, number: int) -> str:
    if len(line) >= LONGEST_LINE:
        raise TouchstoneError(
            f"a line of {LONGEST_LINE:,} bytes or more", file=name, line=number, hint="give one segment per line"
        )
    try:
        text = line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise TouchstoneError(
            f"byte {error.start} of the line is not utf-8 (0x{line[error.start]:02x})",
            file=name,
            line=number,
            hint="convert the file to UTF-8",
        ) from None
    return text.removesuffix("\n").removesuffix("\r")


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    if path == STDIN:
        yield sys.stdin.buffer
        return
    opening = gzip.open if path.endswith(PACKED) else open
    try:
        with cast("BinaryIO", opening(path, "rb")) as file:
            yield file
    except (FileNotFoundError, IsADirectoryError, PermissionError):
        # The reader of whole files has a sentence for everything that can be wrong with a path.
        read_bytes(path)
        raise
