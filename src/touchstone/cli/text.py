"""``touchstone text``: analyse English."""

import gzip
import json
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, BinaryIO, cast

import typer

from touchstone.cli.groups import GROUPS, group_app
from touchstone.core.errors import TouchstoneError
from touchstone.io.text import STDIN, read_bytes

if TYPE_CHECKING:
    from touchstone.text import Sentence

app = group_app(GROUPS["text"])

LONGEST_LINE = 10_000_000
"""Bytes. No segment is longer; a file without line ends is no file of segments."""


@app.callback()
def _group() -> None:
    """Keep `parse` a command, although it is the only one."""


@app.command()
def parse(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Text, a sentence or paragraph per line; - is standard input.")
    ],
    lines: Annotated[bool, typer.Option("--lines", help="Every line is one sentence: do not split lines.")] = False,
    tokens: Annotated[
        bool, typer.Option("--tokens", help="Every line is one sentence, its tokens separated by blanks.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print the analysis of each sentence as CoNLL-U.

    Example: touchstone text parse news.txt > news.conllu
    """
    from touchstone.text import english, format_conllu

    segments, analyser = _read_segments(file), english()
    rows = (line.split() for line in segments)
    found = analyser.parse_tokens(rows) if tokens else analyser.parse(segments, split=not lines)
    sentences = (sentence for sentence in found if len(sentence))
    if as_json:
        _print_json(analyser.signature, sentences)
        return
    number = previous = 0
    for place, sentence in enumerate(sentences):
        segment = sentence.segment + 1
        number, previous = number + 1 if segment == previous else 1, segment
        comments = [f"analyser = {analyser.signature}"] if place == 0 else []
        comments += [f"segment = {segment}", f"sent_id = {segment}-{number}"]
        typer.echo(format_conllu(sentence, comments), nl=False)


def _print_json(signature: str, sentences: Iterator["Sentence"]) -> None:
    """Print one object, one sentence per line, without ever holding it whole."""
    typer.echo(f'{{"signature": {json.dumps(signature)}, "sentences": [', nl=False)
    for place, sentence in enumerate(sentences):
        tokens = [token._asdict() for token in sentence.tokens]
        record = {"segment": sentence.segment + 1, "offset": sentence.offset, "text": sentence.text, "tokens": tokens}
        typer.echo(("\n" if place == 0 else ",\n") + json.dumps(record, ensure_ascii=False), nl=False)
    typer.echo("\n]}")


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
            raise TouchstoneError("is not a whole gzip file", file=name) from None


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
    opening = gzip.open if path.endswith(".gz") else open
    try:
        with cast("BinaryIO", opening(path, "rb")) as file:
            yield file
    except (FileNotFoundError, IsADirectoryError, PermissionError):
        # The reader of whole files has a sentence for everything that can be wrong with a path.
        read_bytes(path)
        raise
