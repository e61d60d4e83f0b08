"""Which set, peer and annotator a file is about: its name says it, or a table beside it does."""

import re
from collections.abc import Mapping
from pathlib import Path

from touchstone.core.errors import Fault, TouchstoneError
from touchstone.tasks.pyramid.formats.tables import column, read_rows

Identity = tuple[str, str, str]
"""Set, peer, annotator; empty where nobody said."""

UNKNOWN: Identity = ("", "", "")

_DUC = re.compile(r"(?:([^.]+)\.)?([^.]+)\.M\.[0-9]+\.[^.]+\.([^.]+)(?:\.[a-z]+)?")


def identity_of(name: str) -> Identity:
    """Return what the name of a DUC or TAC file says: ``annotator.set.M.250.selector.peer.pan``.

    Later years leave the annotator out, or the suffix.

    >>> identity_of("pan/119.D0647.M.250.B.08.pan"), identity_of("D0703-A.M.100.C.12"), identity_of("mine.pan")
    (('D0647', '08', '119'), ('D0703-A', '12', ''), ('', '', ''))
    """
    match = _DUC.fullmatch(Path(name.removesuffix(".gz")).name)
    return (match[2], match[3], match[1] or "") if match else UNKNOWN


def read_meta(path: str | Path) -> dict[str, Identity]:
    """Read a table with the columns file, set, peer and annotator, which counts where names say something else."""
    names, rows, source = read_rows(path)
    columns = [column(names, (name,), source) for name in ("file", "set", "peer", "annotator")]
    meta: dict[str, Identity] = {}
    faults = []
    for line, row in rows:
        file, document_set, peer, annotator = (row[name].strip() for name in columns)
        if file in meta or not (file and document_set and peer):
            faults.append(Fault("a row needs a file of its own, a set and a peer", source.name, line, file))
        meta[Path(file).name] = (document_set, peer, annotator)
    if faults:
        raise TouchstoneError.of(faults)
    return meta


def identify(name: str, meta: Mapping[str, Identity]) -> Identity:
    """Return the identity that *meta* gives the file *name*, or its name does."""
    return meta.get(Path(name).name) or identity_of(name)
