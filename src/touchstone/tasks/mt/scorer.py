"""The scorer of translations: a record for each segment under each measure."""

from dataclasses import dataclass

import numpy as np

from touchstone import __version__
from touchstone.core.errors import TouchstoneError
from touchstone.core.ragged import Floats
from touchstone.tasks.mt.metrics import MEASURES
from touchstone.tasks.mt.model import Compared


@dataclass(frozen=True)
class Scorer:
    """A picklable description of a scoring: maps translations beside references to records, measure by measure."""

    measures: tuple[str, ...]
    name: str = "mt"
    version: str = __version__

    def __call__(self, compared: Compared) -> dict[str, Floats]:
        """Return the records of every segment, an array (segments, numbers) for each measure."""
        found = {measure.name: measure.record(compared) for measure in MEASURES.find_all(self.measures)}
        for name, records in found.items():
            if len(records) != len(compared) or not np.isfinite(records).all():
                raise TouchstoneError("this measure gives no finite record for every segment", value=name)
        return found
