"""Maps over items, such as parsing: pieces of the input become pieces of the output, in order, wherever work runs."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from touchstone.base.errors import PartialError
from touchstone.base.workers import Engine, Failure, run_in_order, run_pieces
from touchstone.engine.folder import Folder, Shard, content_key, finishing

T = TypeVar("T")


def in_pieces(
    items: Iterable[T],
    size: int,
    weigh: Callable[[T], int] = lambda item: 0,  # noqa: ARG005
    heaviest: int = 1,
) -> Iterator[list[T]]:
    """Yield the items in lists of a *size*; a list also ends where its items together weigh as much as is allowed.

    >>> list(in_pieces("abcde", 2)), list(in_pieces(["long", "a", "b"], 2, len, 4))
    ([['a', 'b'], ['c', 'd'], ['e']], [['long'], ['a', 'b']])
    """
    piece: list[T] = []
    weight = 0
    for item in items:
        piece.append(item)
        weight += weigh(item)
        if len(piece) == size or weight >= heaviest:
            yield piece
            piece, weight = [], 0
    if piece:
        yield piece


def map_pieces(
    work: Callable[[Any], Any],
    pieces: Callable[[], Iterable[list[Any]]],
    engine: Engine,
    *,
    parts: Path | None = None,
    about: object = "",
    source: str = "",
) -> Iterator[Any]:
    """Yield what *work* makes of each piece, in order.

    Parameters
    ----------
    work
        A picklable function of a piece. With *parts*, JSON must hold what it returns.
    pieces
        Returns the pieces, lists that JSON can hold; with *parts* it is called twice.
    engine
        Where the work runs.
    parts
        A folder for finished parts, so that the same command only does the rest.
    about
        What the outcome depends on beside the pieces; JSON must hold it.
    source
        The file of the items, for messages.
    """
    if parts is None:
        yield from run_in_order(work, pieces(), engine)
        return
    folder = Folder(parts, ".json")
    with folder.writing():
        shards = list(_shards(pieces(), about, source))
        folder.start(shards, {})
        left = [shard for shard in shards if not folder.is_done(shard.key)]
        keys = {shard.key for shard in left}
        numbered = zip(shards, pieces(), strict=True)
        keyed_pieces = ((shard.key, piece) for shard, piece in numbered if shard.key in keys)
        failures: dict[str, str] = {}
        for number, outcome in run_pieces(_Keeping(work, folder), keyed_pieces, engine):
            if isinstance(outcome, Failure):
                failures[left[number].location] = str(outcome)
                folder.fail(failures)
        if failures:
            raise PartialError(failures)
    for shard in shards:
        yield json.loads(folder.shard(shard.key).read_text(encoding="utf-8"))


def _shards(pieces: Iterable[list[Any]], about: object, source: str) -> Iterator[Shard]:
    first = 0
    for piece in pieces:
        yield Shard(content_key(about, first, piece), source, first, len(piece))
        first += len(piece)


@dataclass(frozen=True)
class _Keeping:
    """Work whose outcome is written to a folder."""

    work: Callable[[Any], Any]
    folder: Folder

    def __call__(self, keyed_piece: tuple[str, Any]) -> None:
        key, piece = keyed_piece
        outcome = self.work(piece)
        with finishing(self.folder.shard(key)) as beside:
            beside.write_text(json.dumps(outcome, ensure_ascii=False), encoding="utf-8")
