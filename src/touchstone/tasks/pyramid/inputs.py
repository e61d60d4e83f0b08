"""What a scoring is given: annotations of peers, or presence matrices; files or folders of them."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from touchstone.core.errors import TouchstoneError
from touchstone.tasks.pyramid.formats import read_annotation
from touchstone.tasks.pyramid.formats.names import UNKNOWN, Identity, identity_of
from touchstone.tasks.pyramid.formats.presence import is_presence, read_presence
from touchstone.tasks.pyramid.model import Annotation
from touchstone.tasks.pyramid.presence import Presence


def read_inputs(
    paths: Sequence[str | Path], *, models: int | None = None, meta: Mapping[str, Identity] | None = None
) -> list[Annotation] | Presence:
    """Read annotations (.pan, .json, or folders of them) or presence (a tidy folder, .csv votes, .jsonl decisions)."""
    kinds = [is_presence(path) for path in paths]
    if all(kinds) and kinds:
        return read_presence(*paths)
    if any(kinds):
        raise TouchstoneError(
            "annotations and presence matrices cannot be scored together", value=str(paths[kinds.index(True)])
        )
    return read_annotations(paths, models=models, meta=meta)


def read_annotations(
    paths: Sequence[str | Path], *, models: int | None = None, meta: Mapping[str, Identity] | None = None
) -> list[Annotation]:
    """Read annotations; a folder stands for its .pan and .json files."""
    return [read_annotation(path, models=models, meta=meta) for given in paths for path in _files(Path(given))]


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    found = sorted(one for one in path.iterdir() if one.suffix in (".pan", ".json") or _named_for_a_peer(one))
    if not found:
        raise TouchstoneError("no .pan or .json file in this folder", file=str(path))
    yield from found


def _named_for_a_peer(path: Path) -> bool:
    """Return whether a file without our suffixes is named as the annotations of some years are."""
    return path.suffix != ".pyr" and path.is_file() and identity_of(path.name) != UNKNOWN
