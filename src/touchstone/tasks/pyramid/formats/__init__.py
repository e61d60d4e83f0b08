"""Files of pyramids and annotations: DUCView's XML and Touchstone's JSON, told apart by their content.

The name of a DUCView file gives its document set, peer and annotator, or a table does (`read_meta`).
"""

import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from touchstone.base.codes import Code
from touchstone.base.errors import Faults, TouchstoneError, nearest
from touchstone.base.files import STDIN, Source, read_bytes, unpacked_name
from touchstone.io.formats import TEXT_SUFFIXES, suffix_of
from touchstone.io.jsonl import parse_json
from touchstone.io.reading import read_rows
from touchstone.io.schema import Field, Schema
from touchstone.io.text import decode
from touchstone.io.writing import write_text
from touchstone.tasks.pyramid.formats.checking import MAX_BYTES
from touchstone.tasks.pyramid.formats.ducview import format_annotation, format_pyramid, read_xml
from touchstone.tasks.pyramid.formats.neutral import format_json, read_json
from touchstone.tasks.pyramid.model import Annotation, Pyramid

SUFFIXES = (".json", ".pyr", ".pan")

TEXTS = (*TEXT_SUFFIXES, ".text", ".md", ".sum", ".summary")
"""Suffixes of plain text."""

AUTOMATIC = "touchstone pyramid auto PYRAMID PEER scores the text of a summary that nobody annotated"

Identity = tuple[str, str, str]
"""Document set, peer and annotator; empty where they are unknown."""

UNKNOWN: Identity = ("", "", "")

_DUC = re.compile(r"(?:([^.]+)\.)?([^.]+)\.M\.[0-9]+\.[^.]+\.([^.]+)(?:\.[a-z]+)?")


META = Schema(
    *(Field(role, required=True) for role in ("file", "set", "peer", "annotator")), Field("topic"), chosen=False
)


@dataclass(frozen=True)
class Meta:
    """What a table tells of files: the identity of each by its name, and the topic of each document set."""

    identities: Mapping[str, Identity] = field(default_factory=dict)
    topics: Mapping[str, str] = field(default_factory=dict)


def identity_of(name: str) -> Identity:
    """Return what the name of a DUC or TAC file tells: ``annotator.set.M.250.selector.peer.pan``.

    Later years leave the annotator out, or the suffix.

    >>> identity_of("pan/119.D0647.M.250.B.08.pan"), identity_of("D0703-A.M.100.C.12"), identity_of("mine.pan")
    (('D0647', '08', '119'), ('D0703-A', '12', ''), ('', '', ''))
    """
    match = _DUC.fullmatch(Path(unpacked_name(name)).name)
    return (match[2], match[3], match[1] or "") if match else UNKNOWN


def read_meta(path: str | Path) -> Meta:
    r"""Read a table with the columns file, set, peer, annotator and, if there are topics, topic.

    It takes precedence over the names of the files.

    Parameters
    ----------
    path
        The table, in any format that tables have.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     written = (Path(folder) / "names.csv").write_text("file,set,peer,annotator\na.pan,D01,7,ann\n")
    ...     read_meta(Path(folder) / "names.csv").identities
    {'a.pan': ('D01', '7', 'ann')}
    """
    rows = read_rows(path, META)
    rows.require()
    identities: dict[str, Identity] = {}
    topics: dict[str, str] = {}
    cells = zip(*(rows.values(field.role) for field in META.fields), strict=True)
    for row, (file, document_set, peer, annotator, topic) in enumerate(cells):
        name = Path(file or "").name
        if name in identities or not (file and document_set and peer):
            rows.fault("a row needs a file of its own, a set and a peer", row, file)
        if topic and topics.setdefault(document_set, topic) != topic:
            rows.fault(f"set {document_set} has another topic above", row, topic)
        identities[name] = (document_set, peer, annotator or "")
    rows.check()
    return Meta(identities, topics)


def read_all(
    paths: Sequence[str | Path], *, models: int | None = None, meta: Mapping[str, Identity] | None = None
) -> list[Pyramid | Annotation]:
    """Read pyramids and annotations; refuse with the faults of all files.

    Parameters
    ----------
    paths
        Files, or folders of ``.pan``, ``.json`` and ``.pyr`` files.
    models, meta
        As for `read`.

    Examples
    --------
    >>> from pathlib import Path
    >>> import touchstone
    >>> folder = Path(touchstone.__file__).parent / "examples" / "pyramid"
    >>> [type(thing).__name__ for thing in read_all([folder])]
    ['Pyramid', 'Annotation', 'Annotation', 'Annotation']
    """
    things: list[Pyramid | Annotation] = []
    faults = Faults()
    for path in (file for file_or_folder in paths for file in _files(Path(file_or_folder))):
        with faults.collect():
            things.append(read(path, models=models, meta=meta))
    faults.check()
    return things


def _files(path: Path) -> Iterator[Path]:
    name, equals, file = str(path).partition("=")
    if equals and not path.exists() and Path(file).exists():
        hint = AUTOMATIC if Path(file).suffix in TEXTS else f"give {file}; the file says what the peer is called"
        raise TouchstoneError("pyramids and annotations take no NAME=", value=name, code=Code.OPTION_UNUSED, hint=hint)
    if not path.is_dir():
        yield path
        return
    # Annotations of some years have no suffix; their names tell what they are.
    files = sorted(
        file
        for file in path.iterdir()
        if suffix_of(file) in SUFFIXES or (file.is_file() and identity_of(file.name) != UNKNOWN)
    )
    if not files:
        texts = any(child.suffix in TEXTS for child in path.iterdir())
        what = "no .pan, .json or .pyr file in this folder"
        raise TouchstoneError(what, file=str(path), code=Code.NO_FILE, hint=AUTOMATIC if texts else None)
    yield from files


def read(
    path: str | Path, *, models: int | None = None, meta: Mapping[str, Identity] | None = None
) -> Pyramid | Annotation:
    """Read a pyramid or an annotation: ``.pyr`` or ``.pan`` (the root decides, not the suffix), or JSON.

    Parameters
    ----------
    path
        The file; ``-`` is standard input.
    models
        The number of model summaries; by default the headers in the file are counted.
    meta
        Document set, peer and annotator of files by name (see `read_meta`); by default the name of a file tells them.

    Examples
    --------
    >>> from pathlib import Path
    >>> import touchstone
    >>> folder = Path(touchstone.__file__).parent / "examples" / "pyramid"
    >>> read(folder / "T01.pyr").set, read(folder / "eve.T01.M.60.A.heron.pan").peer
    ('T01', 'heron')
    """
    if models is not None and models < 1:
        raise TouchstoneError("the number of models must be at least 1", value=str(models), code=Code.BAD_VALUE)
    raw, source = _read_bytes(path)
    thing = parse(raw, source, meta or {})
    if models is None:
        return thing
    if isinstance(thing, Pyramid):
        return replace(thing, models=models)
    return replace(thing, pyramid=replace(thing.pyramid, models=models))


def read_pyramid(path: str | Path, *, models: int | None = None) -> Pyramid:
    """Read a pyramid; an annotation gives the pyramid that it carries.

    Parameters
    ----------
    path, models
        As for `read`.

    Examples
    --------
    >>> from pathlib import Path
    >>> import touchstone
    >>> folder = Path(touchstone.__file__).parent / "examples" / "pyramid"
    >>> len(read_pyramid(folder / "T01.pyr").units)
    17
    """
    thing = read(path, models=models)
    return thing.pyramid if isinstance(thing, Annotation) else thing


def read_annotation(
    path: str | Path, *, models: int | None = None, meta: Mapping[str, Identity] | None = None
) -> Annotation:
    """Read an annotation; a pyramid alone is refused.

    Parameters
    ----------
    path, models, meta
        As for `read`.

    Examples
    --------
    >>> from pathlib import Path
    >>> import touchstone
    >>> folder = Path(touchstone.__file__).parent / "examples" / "pyramid"
    >>> heron = read_annotation(folder / "eve.T01.M.60.A.heron.pan")
    >>> heron.set, heron.peer, heron.annotator, len(heron.pyramid.units)
    ('T01', 'heron', 'eve', 17)
    """
    thing = read(path, models=models, meta=meta)
    if isinstance(thing, Pyramid):
        hint = "give the annotations (.pan) of peers; each carries its pyramid"
        what = "is a pyramid, not an annotation of a peer"
        raise TouchstoneError(what, file=str(path), code=Code.UNSUPPORTED, hint=hint)
    return thing


def write(path: str | Path, thing: Pyramid | Annotation) -> None:
    """Write a pyramid or an annotation in the form that the suffix of *path* names: .json, .pyr or .pan.

    Parameters
    ----------
    path
        The file to write.
    thing
        A pyramid or an annotation.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import touchstone
    >>> pyramid = read(Path(touchstone.__file__).parent / "examples" / "pyramid" / "T01.pyr")
    >>> with TemporaryDirectory() as folder:
    ...     write(Path(folder) / "T01.json", pyramid)
    ...     read(Path(folder) / "T01.json").units == pyramid.units
    True
    """
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
        return TouchstoneError(
            f"{kind} cannot be written in this form", value=str(path), code=Code.UNKNOWN_FORMAT, hint=hint
        )
    return TouchstoneError(
        "no form has this suffix", value=str(path), near=nearest(suffix, SUFFIXES), code=Code.UNKNOWN_FORMAT, hint=hint
    )


def _read_bytes(path: str | Path) -> tuple[bytes, Source]:
    """Return what a file holds, unless that is more than any pyramid has."""
    too_large = f"more than {MAX_BYTES // 10**6} MB"
    if str(path) != STDIN and Path(path).is_file() and Path(path).stat().st_size > MAX_BYTES:
        raise TouchstoneError(too_large, file=str(path), code=Code.TOO_LARGE)
    raw, source = read_bytes(path)
    if len(raw) > MAX_BYTES:
        raise TouchstoneError(too_large, file=source.name, code=Code.TOO_LARGE)
    return raw, source


def parse(raw: bytes, source: Source, meta: Mapping[str, Identity]) -> Pyramid | Annotation:
    """Return the pyramid or annotation that the bytes of a file hold."""
    if not raw.strip():
        raise TouchstoneError("is empty", file=source.name, code=Code.EMPTY)
    if raw.lstrip().startswith((b"{", b"[")):
        return read_json(parse_json(decode(raw, source.name), file=source.name), source)
    name = Path(source.name).name
    if Path(name).suffix in TEXTS and not raw.removeprefix(BOM_UTF8).lstrip().startswith(b"<"):
        what = "is a text, not a pyramid or an annotation"
        raise TouchstoneError(what, file=source.name, code=Code.UNKNOWN_FORMAT, hint=AUTOMATIC)
    identity = meta.get(name) or meta.get(unpacked_name(name))
    return read_xml(raw, source, identity or identity_of(source.name))
