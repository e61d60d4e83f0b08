"""Files of pyramids and annotations: DUCView's XML and Touchstone's JSON, told apart by what is in them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from touchstone.core.errors import TouchstoneError, nearest
from touchstone.io.jsonl import parse_json
from touchstone.io.text import STDIN, Source, decode, read_bytes
from touchstone.io.writing import write_text
from touchstone.tasks.pyramid.formats import ducview
from touchstone.tasks.pyramid.formats.checking import MAX_BYTES
from touchstone.tasks.pyramid.formats.ducview_writing import format_annotation, format_pyramid
from touchstone.tasks.pyramid.formats.names import Identity, identify, read_meta
from touchstone.tasks.pyramid.formats.neutral import format_json
from touchstone.tasks.pyramid.formats.neutral_reading import read_json
from touchstone.tasks.pyramid.model import Annotation, Pyramid

__all__ = [
    "format_annotation",
    "format_json",
    "format_pyramid",
    "parse",
    "read",
    "read_annotation",
    "read_meta",
    "read_pyramid",
    "write",
]

SUFFIXES = (".json", ".pyr", ".pan")


def read(
    path: str | Path, *, models: int | None = None, meta: Mapping[str, Identity] | None = None
) -> Pyramid | Annotation:
    """Read a pyramid or an annotation: ``.pyr`` or ``.pan`` (the root decides, not the suffix), or JSON.

    *models* is the number of model summaries where the file has no headers that tell it. *meta* says which set, peer
    and annotator a file is about (see `read_meta`); otherwise its name does.
    """
    if models is not None and models < 1:
        raise TouchstoneError("the number of models must be at least 1", value=str(models))
    raw, source = _read_bytes(path)
    thing = parse(raw, source, meta or {})
    if models is None:
        return thing
    if isinstance(thing, Pyramid):
        return replace(thing, models=models)
    return replace(thing, pyramid=replace(thing.pyramid, models=models))


def read_pyramid(path: str | Path, *, models: int | None = None) -> Pyramid:
    """Read a pyramid; an annotation gives the pyramid that it carries."""
    thing = read(path, models=models)
    return thing.pyramid if isinstance(thing, Annotation) else thing


def read_annotation(
    path: str | Path, *, models: int | None = None, meta: Mapping[str, Identity] | None = None
) -> Annotation:
    """Read an annotation; a pyramid alone is refused."""
    thing = read(path, models=models, meta=meta)
    if isinstance(thing, Pyramid):
        hint = "give the annotations (.pan) of peers; each carries its pyramid"
        raise TouchstoneError("is a pyramid, not an annotation of a peer", file=str(path), hint=hint)
    return thing


def write(path: str | Path, thing: Pyramid | Annotation) -> None:
    """Write a pyramid or an annotation in the form that the suffix of *path* names: .json, .pyr or .pan."""
    suffix = Path(path).suffix
    if suffix == ".json":
        write_text(path, format_json(thing))
    elif suffix == ".pyr" and isinstance(thing, Pyramid):
        write_text(path, format_pyramid(thing))
    elif suffix == ".pan" and isinstance(thing, Annotation):
        write_text(path, format_annotation(thing))
    else:
        raise _no_form(path, suffix, thing)


def _no_form(path: str | Path, suffix: str, thing: Pyramid | Annotation) -> TouchstoneError:
    kind, fit = ("a pyramid", ".pyr") if isinstance(thing, Pyramid) else ("an annotation", ".pan")
    hint = f"write {kind} as .json or {fit}"
    if suffix in SUFFIXES:
        return TouchstoneError(f"{kind} cannot be written in this form", value=str(path), hint=hint)
    return TouchstoneError("no form has this suffix", value=str(path), near=nearest(suffix, SUFFIXES), hint=hint)


def _read_bytes(path: str | Path) -> tuple[bytes, Source]:
    """Return what a file holds, unless that is more than any pyramid has."""
    sizes: Iterable[int] = [Path(path).stat().st_size] if str(path) != STDIN and Path(path).is_file() else []
    if any(size > MAX_BYTES for size in sizes):
        raise TouchstoneError(f"more than {MAX_BYTES // 10**6} MB", file=str(path))
    raw, source = read_bytes(path)
    if len(raw) > MAX_BYTES:
        raise TouchstoneError(f"more than {MAX_BYTES // 10**6} MB", file=source.name)
    return raw, source


def parse(raw: bytes, source: Source, meta: Mapping[str, Identity]) -> Pyramid | Annotation:
    """Return the pyramid or annotation that the bytes of a file hold."""
    if not raw.strip():
        raise TouchstoneError("is empty", file=source.name)
    if raw.lstrip().startswith((b"{", b"[")):
        return read_json(parse_json(decode(raw, source.name), file=source.name), source)
    root = ducview.parse(raw, source)
    if root.tag == ducview.PYRAMID:
        return ducview.read_pyramid(root, source, source.stem)
    return ducview.read_annotation(root, source, identify(source.name, meta))
