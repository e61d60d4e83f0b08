"""Analyses kept on disk, so that no text is analysed twice: `English.columns`, with a file for a hundred texts.

A file is named by a digest of its texts, of the analyser's signature and code, and of what was asked for. It is written
beside its place and renamed, carries a checksum, and is never needed: one that is damaged or foreign is written again,
and where nothing can be written nothing is kept. The files share a bounded space, from which the least recently used go
first. They hold the words of the texts, so the folder is for its owner alone.
"""

import hashlib
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from touchstone import __version__
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Interner, Ragged, StringLists
from touchstone.io.writing import replacing
from touchstone.lexicon.container import Array, Container, pack, unpack
from touchstone.text.analyser import English
from touchstone.text.sentence import Columns

VARIABLE = "TOUCHSTONE_CACHE"
"""The environment variable that names the folder, or says `OFF`."""
OFF = "off"

CHUNK = 100
"""Texts in a file: whoever cuts texts into blocks at multiples of this finds the files of any other such blocks."""
LEAST = 2_000
"""Characters of a file's texts below which they are analysed again: that takes about as long as a few files."""
LIMIT = 512 << 20
"""Bytes that all files together may take."""

_FORMAT = 1
_FOLDERS = 64
"""Folders for the files, each with its share of the space, so that keeping a file means listing few others."""
_FILE = re.compile(r"\.?[0-9a-f]{32}\.columns.*")
"""The name of a file, and of one that a crash left half written."""


def cache_folder() -> Path | None:
    """Return the folder of cached analyses, None if none are cached: ``analyses`` in the folder that `VARIABLE` names.

    Without that variable it is in ``touchstone`` in the user's folder for caches: XDG_CACHE_HOME, or else ``~/.cache``.
    """
    setting = os.environ.get(VARIABLE, "")
    if setting.lower() == OFF:
        return None
    try:
        if setting:
            return Path(setting).expanduser() / "analyses"
        base = Path(os.environ.get("XDG_CACHE_HOME", ""))
        return (base if base.is_absolute() else Path.home() / ".cache") / "touchstone" / "analyses"
    except RuntimeError:  # nobody knows where the user's home is
        return None


def cached_columns(analyser: English, texts: Sequence[str], *, parsed: bool = False, limit: int = LIMIT) -> Columns:
    """Return `English.columns` of *texts*, from the disk as far as they were analysed before.

    Parameters
    ----------
    analyser, texts, parsed
        What analyses, what is analysed, and whether trees are wanted.
    limit
        Bytes that all files together may take.
    """
    folder = cache_folder()
    if folder is None or sum(map(len, texts)) < LEAST:
        return analyser.columns(texts, parsed=parsed)
    chunks = [tuple(texts[start : start + CHUNK]) for start in range(0, len(texts), CHUNK)]
    keys = [_key(analyser, chunk, parsed) if sum(map(len, chunk)) >= LEAST else "" for chunk in chunks]
    chunk_columns = [_read(folder, key) if key else None for key in keys]
    missing = [chunk_index for chunk_index, columns in enumerate(chunk_columns) if columns is None]
    if missing:
        made = analyser.columns([text for chunk_index in missing for text in chunks[chunk_index]], parsed=parsed)
        start, writable = 0, True
        for chunk_index in missing:
            part = _part(made, slice(start, start + len(chunks[chunk_index])))
            start += len(chunks[chunk_index])
            chunk_columns[chunk_index] = part
            writable = writable and (not keys[chunk_index] or _write(folder, keys[chunk_index], part, limit))
        if len(missing) == len(chunks):
            return made
    return _joined([columns for columns in chunk_columns if columns is not None])


def _key(analyser: English, texts: tuple[str, ...], parsed: bool) -> str:
    about = f"{_FORMAT} {__version__} {_code()} {analyser.signature} {'parsed' if parsed else 'tagged'} "
    return hashlib.blake2b(about.encode() + _digest(texts), digest_size=16).hexdigest()


@lru_cache(maxsize=256)
def _digest(texts: tuple[str, ...]) -> bytes:
    """Return a digest of texts and of where each ends; tags and trees of the same texts are asked for in turn."""
    lengths = np.array([len(text) for text in texts], "<i8").tobytes()
    return hashlib.blake2b(lengths + "".join(texts).encode("utf-8", "surrogatepass"), digest_size=16).digest()


@cache
def _code() -> str:
    """Return a digest of the code that analyses: a change of it changes analyses, whatever the signature says."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _cache_file(folder: Path, key: str) -> Path:
    return folder / f"{int(key[:2], 16) % _FOLDERS:02x}" / f"{key}.columns"


def _read(folder: Path, key: str) -> Columns | None:
    """Return the columns of a file and mark it as used; None if it is not there, damaged or foreign."""
    path = _cache_file(folder, key)
    try:
        container = unpack(path.read_bytes(), file=str(path))
        if container.about.get("key") != key:
            return None
        columns = _unpacked(container)
    except (OSError, TouchstoneError, ValueError, KeyError, AttributeError):
        return None
    with suppress(OSError):
        os.utime(path)
    return columns


def _write(folder: Path, key: str, columns: Columns, limit: int) -> bool:
    """Keep columns in a file; return whether that is possible at all."""
    path, packed = _cache_file(folder, key), _packed(key, columns)
    share = limit // _FOLDERS
    if packed is None or len(packed) > share:
        return True
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.parent.mkdir(exist_ok=True)
        with replacing(path) as beside:
            beside.write_bytes(packed)
        _shrink(path.parent, share)
    except (OSError, TouchstoneError):
        return False
    return True


def _shrink(folder: Path, share: int) -> None:
    """Remove the least recently used files of a folder until the others take no more than its share."""
    with os.scandir(folder) as entries:
        files = [entry for entry in entries if _FILE.fullmatch(entry.name) and entry.is_file(follow_symlinks=False)]
    ages_and_sizes = []
    for entry in files:
        with suppress(OSError):  # another process may have removed it
            ages_and_sizes.append((entry.stat().st_mtime_ns, entry.stat().st_size, entry.path))
    total = sum(size for _, size, _ in ages_and_sizes)
    for _, size, path in sorted(ages_and_sizes):
        if total <= share:
            return
        Path(path).unlink(missing_ok=True)
        total -= size


def _packed(key: str, columns: Columns) -> bytes | None:
    """Return columns as the bytes of a file, None if they have a string that a file cannot hold."""
    arrays: dict[str, Array] = {"sizes": columns.forms.codes.sizes.astype(np.int32)}
    if columns.heads is not None:
        arrays["heads"] = columns.heads.values.astype(np.int32)
    for name in ("forms", "tags", "relations"):
        lists: StringLists | None = getattr(columns, name)
        if lists is not None:
            text = "\n".join(lists.words)
            if text.count("\n") != max(len(lists.words) - 1, 0):
                return None
            arrays[name] = lists.codes.values.astype(np.min_scalar_type(len(lists.words)))
            arrays[f"{name} strings"] = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    return pack(arrays, {"key": key})


def _unpacked(container: Container) -> Columns:
    arrays = container.arrays
    offsets = Ragged.from_sizes(arrays["sizes"], arrays["sizes"]).offsets

    def strings(name: str) -> StringLists:
        words = arrays[f"{name} strings"].tobytes().decode("utf-8", "surrogatepass").split("\n")
        return StringLists(tuple(words), Ragged(offsets, arrays[name].astype(np.int64)))

    if "heads" not in arrays:
        return Columns(strings("forms"), strings("tags"))
    heads = Ragged(offsets, arrays["heads"].astype(np.int64))
    return Columns(strings("forms"), strings("tags"), heads, strings("relations"))


def _part(columns: Columns, rows: slice) -> Columns:
    """Return some rows of columns, with the strings that occur in them."""

    def strings(lists: StringLists) -> StringLists:
        codes = lists.codes.part(rows)
        used, numbers = np.unique(codes.values, return_inverse=True)
        return StringLists(tuple(lists.words[code] for code in used.tolist()), Ragged(codes.offsets, numbers))

    heads, relations = columns.heads, columns.relations
    return Columns(
        strings(columns.forms),
        strings(columns.tags),
        None if heads is None else heads.part(rows),
        None if relations is None else strings(relations),
    )


def _joined(parts: Sequence[Columns]) -> Columns:
    """Return columns one after another."""
    sizes = np.concatenate([part.forms.codes.sizes for part in parts])
    offsets = Ragged.from_sizes(sizes, sizes).offsets

    def strings(columns: Sequence[StringLists]) -> StringLists:
        interner = Interner()
        codes = np.concatenate([column.numbered(interner).values for column in columns])
        return StringLists(tuple(interner), Ragged(offsets, codes))

    forms, tags = strings([part.forms for part in parts]), strings([part.tags for part in parts])
    heads = [part.heads.values for part in parts if part.heads is not None]
    relations = [part.relations for part in parts if part.relations is not None]
    if not relations:
        return Columns(forms, tags)
    return Columns(forms, tags, Ragged(offsets, np.concatenate(heads)), strings(relations))
