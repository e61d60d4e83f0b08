"""``touchstone text``: analyse English."""

import json
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from touchstone.cli.groups import GROUPS, group_app

if TYPE_CHECKING:
    from touchstone.io.jsonl import Json
    from touchstone.text import Sentence

app = group_app(GROUPS["text"])


@app.callback()
def _group() -> None:
    """Keep `parse` a command, although it is the only one."""


@app.command()
def parse(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Text, one segment per line; - is standard input.")],
    tokens: Annotated[
        bool, typer.Option("--tokens", help="The lines are tokenised: tokens are separated by blanks.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print the analysis of each line as CoNLL-U.

    Example: touchstone text parse news.txt > news.conllu
    """
    # Threads gain nothing on products this small, and on a busy machine they wait for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from touchstone.text import english, format_conllu, read_segments

    segments = read_segments(file)
    analyser = english()
    found = analyser.parse_tokens(line.split() for line in segments) if tokens else analyser.parse(segments)
    if as_json:
        _print_json(analyser.signature, found)
        return
    for number, sentence in enumerate(found, 1):
        comments = [f"analyser = {analyser.signature}"] if number == 1 else []
        typer.echo(format_conllu(sentence, [*comments, f"segment = {number}"]), nl=False)


def _print_json(signature: str, sentences: Iterator["Sentence"]) -> None:
    """Print one object, a segment to a line, without ever holding it whole."""
    typer.echo(f'{{"signature": {json.dumps(signature)}, "segments": [', nl=False)
    for number, sentence in enumerate(sentences, 1):
        typer.echo(
            ("\n" if number == 1 else ",\n") + json.dumps(_record(number, sentence), ensure_ascii=False), nl=False
        )
    typer.echo("\n]}")


def _record(number: int, sentence: "Sentence") -> "dict[str, Json]":
    tokens: list[Json] = [token._asdict() for token in sentence.tokens]
    return {"segment": number, "text": sentence.text, "tokens": tokens}
