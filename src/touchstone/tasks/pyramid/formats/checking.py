"""What every reader of pyramids checks and how it collects faults: sizes, names, and uids that tell units apart."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, nearest, refuse
from touchstone.base.files import Source
from touchstone.tasks.pyramid.model import NO_UNIT, Annotation, Pyramid

MAX_BYTES = 20_000_000
MAX_ELEMENTS = 1_000_000
MAX_LINE = 100_000
MAX_DEPTH = 20
"""Far beyond any real file (the largest of DUC 2006 has 82 kB), and small enough to be read in a second."""

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
"""What elements and attributes may be called; namespaces have no place in these files."""

INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,14})")
"""An offset, written as it will be written again."""

FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold."""


@dataclass
class Reading:
    """Collects the faults of one file while its model is built."""

    source: Source
    faults: list[Fault] = field(default_factory=list)

    def fault(self, what: str, where: str, value: str | None = None) -> None:
        """Add a fault at the place *where* in the file."""
        self.faults.append(Fault(what, self.source.name, where, value, code=Code.UNREADABLE))

    def check_names(self, names: Iterable[str], where: str, what: str) -> None:
        """Add the fault *what* for each name that no element or attribute may have."""
        for name in names:
            if not NAME.fullmatch(name):
                self.fault(what, where, name)

    def checked(self, thing: Pyramid | Annotation) -> Pyramid | Annotation:
        """Return *thing* with its source; refuse the file if it has any fault."""
        faults = [*self.faults, *_faults(thing, self.source.name)]
        refuse(faults)
        return replace(thing, source=self.source)


def _faults(thing: Pyramid | Annotation, file: str) -> Iterator[Fault]:
    """Yield what makes a pyramid or an annotation unusable: long lines, uids that name no unit or two."""
    if isinstance(thing, Annotation):
        yield from _line_faults(thing.lines, file, "peer")
        yield from _faults(thing.pyramid, file)
        units_by_uid = thing.pyramid.by_uid
        for uid in (unit.uid for unit in thing.units if unit.uid not in units_by_uid and unit.uid != NO_UNIT):
            near = nearest(uid, units_by_uid) if len(uid) < 40 else None
            yield Fault("the pyramid has no unit of this uid", file, value=uid, near=near, code=Code.UNKNOWN_ID)
        return
    yield from _line_faults(thing.lines, file, "pyramid")
    uids: set[str] = set()
    for unit in thing.units:
        if unit.uid in ("", NO_UNIT):
            yield Fault("this uid cannot name a unit of a pyramid", file, value=unit.uid, code=Code.BAD_CELL)
        elif unit.uid in uids:
            yield Fault("duplicate uid in the pyramid", file, value=unit.uid, code=Code.DUPLICATE_ID)
        uids.add(unit.uid)


def _line_faults(lines: Sequence[str], file: str, what: str) -> Iterator[Fault]:
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_LINE:
            sentence = f"a line of {len(line):,} characters; {MAX_LINE:,} are the most"
            yield Fault(sentence, file, f"{what}, line {number}", code=Code.TOO_LARGE)
