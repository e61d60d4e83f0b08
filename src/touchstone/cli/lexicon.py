"""``touchstone lexicon``: look up a word, and the path between two words."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from touchstone.cli.groups import GROUPS, group_app

if TYPE_CHECKING:
    from touchstone.io.jsonl import Json
    from touchstone.lexicon import Lexicon, Word

app = group_app(GROUPS["lexicon"])

SHOWN = 8
"""How many targets of a relation are printed; the rest are counted, and --json has them all."""

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Other = Annotated[
    str,
    typer.Option(
        "--lexicon",
        metavar="PATH",
        help="An array file, a folder of Princeton's dictionary files, or wn:NAME.",
    ),
]


@app.command()
def show(word: str, as_json: AsJson = False, lexicon: Other = "embedded") -> None:
    """Show the senses of a word, or one sense by its name, with their relations.

    Example: touchstone lexicon show leaves, or touchstone lexicon show dog.n.01
    """
    from touchstone.lexicon.describing import describe_synset, describe_word
    from touchstone.lexicon.opening import open_lexicon

    opened = open_lexicon(lexicon)
    one = None if opened.lemmas(word) else opened.find_named(word)
    entries = [describe_synset(one)] if one else [describe_word(found) for found in _words(opened, word)]
    if as_json:
        _print_json({"signature": str(opened.signature), "word": word, "entries": cast("list[Json]", entries)})
    else:
        typer.echo("\n".join(line for entry in entries for line in _entry_lines(entry)))


@app.command()
def path(
    first: str,
    second: str,
    svg: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Draw the path.")] = None,
    as_json: AsJson = False,
    lexicon: Other = "embedded",
) -> None:
    """Show the shortest path between two words.

    Example: touchstone lexicon path dog cat --svg path.svg
    """
    from touchstone.io.writing import write_text
    from touchstone.lexicon.describing import describe_path
    from touchstone.lexicon.drawing import draw_path
    from touchstone.lexicon.opening import open_lexicon
    from touchstone.lexicon.paths import path_between

    opened = open_lexicon(lexicon)
    steps = path_between(_words(opened, first), _words(opened, second))
    if svg:
        write_text(svg, draw_path(steps))
    if as_json:
        _print_json({"signature": str(opened.signature), "path": describe_path(steps)})
    else:
        typer.echo("\n".join(_path_lines(describe_path(steps))) or f"no path from {first} to {second}")


def _words(lexicon: "Lexicon", form: str) -> "list[Word]":
    """Return the words that *form* can be a form of, or say that there is none."""
    from touchstone.core.errors import TouchstoneError

    lemmas = lexicon.lemmas(form)
    if not lemmas:
        name = f"{lexicon.signature.name} {lexicon.signature.version}"
        raise TouchstoneError(f"not in {name}", value=form, near=lexicon.nearest_lemma(form))
    return [lexicon.word(lemma) for lemma in lemmas]


def _entry_lines(entry: "Json") -> Iterator[str]:
    said = cast("dict[str, list[dict[str, Json]]]", entry)
    for sense in said["senses"]:
        words = ", ".join(cast("list[str]", sense["words"]))
        yield f"{sense['synset']}  {words}  [{sense['file']}, count {sense['count']}]"
        for relation, targets in cast("dict[str, list[str]]", sense["relations"]).items():
            more = f", … and {len(targets) - SHOWN:,} more" if len(targets) > SHOWN else ""
            yield f"    {relation}: {', '.join(targets[:SHOWN])}{more}"


def _path_lines(steps: "list[Json]") -> Iterator[str]:
    for step in cast("list[dict[str, Json]]", steps):
        words = ", ".join(cast("list[str]", step["words"]))
        led = f"  {step['relation']} → " if step["relation"] else ""
        yield f"{led}{step['synset']}  {words}"


def _print_json(value: "dict[str, Json]") -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))
