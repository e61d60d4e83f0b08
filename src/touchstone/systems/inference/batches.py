"""Pairs in batches of like lengths: the tokens lie on the device once, and a batch is gathered there."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from touchstone.base.ragged import Ints, Ragged
from touchstone.systems.inference.relations import EDGES, RelationTable
from touchstone.systems.inference.settings import Settings
from touchstone.systems.inference.texts import Numbers, Texts
from touchstone.systems.inference.vocabulary import BEGIN, END

_POOL = 64
"""Batches whose pairs are put in the order of their lengths together: enough for little padding, few for chance."""


@dataclass(frozen=True)
class Side:
    """One sentence of each pair: the rows of its tokens, (B, L), and how many they are; the rest is padding."""

    ids: Tensor
    lengths: Tensor

    @property
    def mask(self) -> Tensor:
        """1 for a token and 0 for padding, (B, L)."""
        return torch.arange(self.ids.shape[1], device=self.ids.device) < self.lengths[:, None]


@dataclass(frozen=True)
class Batch:
    """Pairs side by side: sentences, the labels that are right, and r(x_i, y_j) where the model reads it."""

    premise: Side
    hypothesis: Side
    right: Tensor
    relations: Tensor | None = None


class Batcher:
    """Makes batches of the pairs of a set on a device.

    Parameters
    ----------
    texts, rows
        The pairs, and the row of the model for each of their forms.
    settings
        Which marks sentences have, and how many of their tokens are read.
    device
        Where the batches are.
    relations
        The relations of the forms, for a model that reads them.
    """

    def __init__(
        self,
        texts: Texts,
        rows: Numbers,
        settings: Settings,
        device: torch.device,
        relations: RelationTable | None = None,
    ) -> None:
        self.size, self.right = len(texts), texts.right
        self._settings, self._device = settings, device
        self._rows = torch.from_numpy(rows).to(device)
        self._right = torch.from_numpy(texts.right).to(device)
        self._sides = [_Flat(side, settings.longest, device) for side in (texts.premise, texts.hypothesis)]
        self._relations = _Relations(relations, device) if relations else None

    def shuffled(self, size: int, seed: int, epoch: int) -> Iterator[Batch]:
        """Yield all pairs once, in an order that the seed and the epoch decide."""
        draw = np.random.default_rng([seed, epoch])
        order = draw.permutation(self.size)
        pools = [order[at : at + _POOL * size] for at in range(0, self.size, _POOL * size)]
        groups = [group for pool in pools for group in self._cut(pool, size)]
        for group_index in draw.permutation(len(groups)):
            yield self.batch(groups[group_index])

    def in_order_of_length(self, size: int) -> Iterator[tuple[Ints, Batch]]:
        """Yield all pairs once, with their rows in the set."""
        for group in self._cut(np.arange(self.size), size):
            yield group, self.batch(group)

    def _cut(self, pairs: Ints, size: int) -> list[Ints]:
        """Return *pairs*, rows of the set, in groups of *size*, those of like lengths together."""
        premise, hypothesis = (side.sizes[pairs] for side in self._sides)
        # The last key counts most: by premises, then by hypotheses.
        ordered = pairs[np.lexsort((hypothesis, premise))]
        return [ordered[at : at + size] for at in range(0, len(ordered), size)]

    def batch(self, pairs: Ints) -> Batch:
        """Return the pairs of these rows."""
        on_device = torch.from_numpy(pairs).to(self._device, non_blocking=True)
        (premise, premise_forms), (hypothesis, hypothesis_forms) = (
            self._side(side, pairs, on_device) for side in self._sides
        )
        relations = self._relations(premise_forms, hypothesis_forms) if self._relations else None
        return Batch(premise, hypothesis, self._right[on_device], relations)

    def _side(self, side: "_Flat", pairs: Ints, on_device: Tensor) -> tuple[Side, Tensor]:
        """Return one side of the pairs, and the forms of its tokens, 0 for marks and padding."""
        begin, end = self._settings.begin, self._settings.end
        forms, lengths = side.gather(on_device, int(side.sizes[pairs].max()), before=begin, after=end)
        ids = self._rows[forms.long()].long()
        if begin:
            ids[:, 0] = BEGIN
        lengths = lengths + begin
        if end:
            ids.scatter_(1, lengths[:, None], END)
        return Side(ids, lengths + end), forms


class _Flat:
    """Sentences of different lengths in one array on the device."""

    def __init__(self, rows: Ragged[np.int32], longest: int, device: torch.device) -> None:
        self.sizes = np.minimum(rows.sizes, longest)
        # The 0 at the end is what every place of padding points to.
        self._values = torch.from_numpy(np.append(rows.values, np.int32(0))).to(device)
        self._starts = torch.from_numpy(rows.offsets[:-1]).to(device)
        self._lengths = torch.from_numpy(self.sizes).to(device)

    def gather(self, rows: Tensor, longest: int, *, before: bool, after: bool) -> tuple[Tensor, Tensor]:
        """Return the numbers of sentences, filled up with 0, with room for a mark before and after."""
        lengths = self._lengths[rows]
        column = torch.arange(-int(before), longest + int(after), device=rows.device)
        inside = (column >= 0) & (column < lengths[:, None])
        flat = torch.where(inside, self._starts[rows][:, None] + column, len(self._values) - 1)
        return self._values[flat], lengths


class _Relations:
    """The table of relations on the device: r(x_i, y_j) of a whole batch by one search."""

    def __init__(self, table: RelationTable, device: torch.device) -> None:
        self._size = table.size
        # A last key that no pair has: a search that finds nothing ends there, at a row of zeros.
        self._keys = torch.from_numpy(np.append(table.keys, np.iinfo(np.int64).max)).to(device)
        nothing = np.zeros((1, table.features.shape[1]), np.uint8)
        self._features = torch.from_numpy(np.concatenate([table.features, nothing])).to(device)

    def __call__(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        keys = premise.long()[:, :, None] * self._size + hypothesis.long()[:, None, :]
        rows = torch.searchsorted(self._keys, keys)
        rows = torch.where(self._keys[rows] == keys, rows, len(self._keys) - 1)
        return self._features[rows].float() / EDGES
