"""What every reader of pyramids checks: sizes, characters, and uids that tell units apart."""

import re
from collections.abc import Iterable, Sequence

from touchstone.core.errors import Fault, nearest
from touchstone.tasks.pyramid.model import NO_UNIT, Annotation, Pyramid, Unit

MAX_BYTES = 20_000_000
MAX_ELEMENTS = 1_000_000
MAX_LINE = 100_000
MAX_DEPTH = 20
"""Far beyond any real file (the largest of DUC 2006 has 82 kB), and small enough to be read in a second."""

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
"""What elements and attributes may be called; namespaces have no place in these files."""

WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,14})")
"""An offset, written as it will be written again."""

FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold."""


def line_faults(lines: Sequence[str], file: str, what: str) -> Iterable[Fault]:
    """Yield a fault for each line that is too long."""
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_LINE:
            yield Fault(
                f"a line of {len(line):,} characters; {MAX_LINE:,} are the most", file, f"{what}, line {number}"
            )


def pyramid_faults(pyramid: Pyramid, file: str) -> list[Fault]:
    """Return what makes a pyramid unusable: duplicate, empty and reserved uids."""
    faults = list(line_faults(pyramid.lines, file, "pyramid"))
    seen: set[str] = set()
    for unit in pyramid.units:
        if unit.uid in ("", NO_UNIT):
            faults.append(Fault("this uid cannot name a unit of a pyramid", file, value=unit.uid))
        elif unit.uid in seen:
            faults.append(Fault("duplicate uid in the pyramid", file, value=unit.uid))
        seen.add(unit.uid)
    return faults


def annotation_faults(annotation: Annotation, file: str) -> list[Fault]:
    """Return what makes an annotation unusable: entries for units that its pyramid does not have."""
    known = annotation.pyramid.by_uid
    strangers: list[Unit] = [unit for unit in annotation.units if unit.uid not in known and unit.uid != NO_UNIT]
    return [
        *line_faults(annotation.lines, file, "peer"),
        *pyramid_faults(annotation.pyramid, file),
        *(Fault("the pyramid has no unit of this uid", file, value=u.uid, near=_near(u.uid, known)) for u in strangers),
    ]


def _near(uid: str, known: Iterable[str]) -> str | None:
    return nearest(uid, known) if len(uid) < 40 else None
