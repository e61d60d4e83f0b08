"""Checksums of files that hold weights: one flipped bit in them would change results, and nothing would tell.

A file that Touchstone writes carries the checksum of its content. Files that come with Touchstone are listed in
`SUMS` beside them, those of other packages in what pip recorded when it installed them.
"""

import json
import struct
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.io.jsonl import Json

KEY = "sha256"
"""The name of the checksum in a file."""

SUMS = "SHA256SUMS"
"""The file beside those that come with Touchstone: a checksum and a name on each line, as sha256sum writes them."""

AGAIN = "install the package again"

_SIZE = struct.Struct("<Q")


def damaged(file: str, hint: str) -> TouchstoneError:
    """Return the error of a file whose content is not what was written.

    >>> print(damaged("weights.safetensors", "copy it again"))
    weights.safetensors: is damaged: its checksum does not fit its content
       copy it again
    """
    what = "is damaged: its checksum does not fit its content"
    return TouchstoneError(what, file=file, code=Code.UNREADABLE, hint=hint)


def sealed_object(content: Mapping[str, Json]) -> dict[str, Json]:
    """Return the content of a JSON file with its checksum, the last key.

    >>> check_object(sealed_object({"weights": [0.5]}), "model.json", "create it again")
    >>> check_object(sealed_object({"weights": [0.5]}) | {"weights": [0.25]}, "model.json", "create it again")
    Traceback (most recent call last):
    touchstone.base.errors.TouchstoneError: model.json: is damaged: its checksum does not fit its content
       create it again
    """
    return {**content, KEY: _object_sum(content)}


def check_object(content: Mapping[str, Json], file: str, hint: str) -> None:
    """Refuse the content of a JSON file that does not fit its checksum; files written before have none.

    Parameters
    ----------
    content
        What the file holds.
    file, hint
        The file, and what to do, for the message.
    """
    if KEY in content and content[KEY] != _object_sum(content):
        raise damaged(file, hint)


def _object_sum(content: Mapping[str, Json]) -> str:
    """Return the checksum of what a JSON file holds, however it is laid out."""
    summed_content = {name: value for name, value in content.items() if name != KEY}
    return sha256(json.dumps(summed_content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def sealed_tensors(raw: bytes) -> bytes:
    """Return the bytes of a file of safetensors with its checksum among the metadata."""
    header, start = _header(raw)
    metadata = {**header.get("__metadata__", {}), KEY: _tensors_sum(header, raw[start:])}
    text = json.dumps({**header, "__metadata__": metadata}, separators=(",", ":")).encode()
    # The format lets a header end in blanks.
    text += b" " * (-len(text) % 8)  # numbers start at a multiple of their size
    return b"".join([_SIZE.pack(len(text)), text, raw[start:]])


def check_tensors(raw: bytes, file: str, hint: str) -> None:
    """Refuse the bytes of a file of safetensors that do not fit its checksum; files written before have none.

    Parameters
    ----------
    raw
        What the file holds; what is no such file is left to its reader.
    file, hint
        The file, and what to do, for the message.
    """
    try:
        header, start = _header(raw)
        written = header.get("__metadata__", {}).get(KEY)
        fits = written in (None, _tensors_sum(header, raw[start:]))
    except (ValueError, AttributeError, TypeError, RecursionError, struct.error):
        return
    if not fits:
        raise damaged(file, hint)


def _header(raw: bytes) -> tuple[dict[str, Any], int]:
    """Return the header of a file of safetensors, and where its numbers start."""
    (size,) = _SIZE.unpack_from(raw)
    start = _SIZE.size + size
    header: dict[str, Any] = json.loads(raw[_SIZE.size : start])
    return header, start


def _tensors_sum(header: Mapping[str, Any], numbers: bytes) -> str:
    """Return the checksum of numbers, and of what the header says about them."""
    metadata = {name: value for name, value in header.get("__metadata__", {}).items() if name != KEY}
    digest = sha256(json.dumps({**header, "__metadata__": metadata}, sort_keys=True).encode())
    digest.update(numbers)
    return digest.hexdigest()


def check_shipped(path: Path, digest: str) -> None:
    """Refuse a file that came with Touchstone and has changed; any other file is left as it is.

    Parameters
    ----------
    path
        The file; it is checked if `SUMS` beside it lists its name.
    digest
        The SHA-256 of what it holds.
    """
    sums = path.with_name(SUMS)
    lines = sums.read_text("ascii").splitlines() if sums.is_file() else []
    for written, name in (line.split(maxsplit=1) for line in lines):
        if name == path.name and written != digest:
            raise damaged(str(path), AGAIN)


def check_installed(path: Path) -> None:
    """Refuse a file of an installed package that is not as it was installed; any other file is left as it is.

    Parameters
    ----------
    path
        The file. Its package has the name of a folder above it.
    """
    record = next((recorded for folder in path.parents if (recorded := _recorded(folder.name, path))), None)
    if record is None or not path.is_file():
        return
    with path.open("rb") as file:
        digest = sha256()
        while part := file.read(1 << 24):
            digest.update(part)
    if urlsafe_b64encode(digest.digest()).decode().rstrip("=") != record:
        raise damaged(str(path), AGAIN)


def _recorded(package: str, path: Path) -> str | None:
    """Return the checksum that pip recorded of a file of a package; None if there is no such package or checksum."""
    try:
        files = distribution(package).files or ()
    except (PackageNotFoundError, ValueError):
        return None
    for file in files:
        same = file.name == path.name and Path(str(file.locate())).resolve() == path.resolve()
        if same and file.hash and file.hash.mode == KEY:
            return file.hash.value
    return None
