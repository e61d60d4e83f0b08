"""A project as files: what its task makes of the answers, in exactly the forms that Touchstone's commands read."""

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy.orm import Session

from touchstone.annotate.gathering import gather
from touchstone.annotate.tables import Project
from touchstone.annotate.tasks import TASKS
from touchstone.annotate.tasks.protocol import OutFile
from touchstone.core.errors import TouchstoneError
from touchstone.io.writing import make_folder, replacing

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every file in an archive: the same answers make the same bytes."""


def export_files(session: Session, project: Project) -> Iterator[OutFile]:
    """Yield the files of a project: every annotator apart, and what was adjudicated."""
    items, answers = gather(session, project)
    if not items:
        raise TouchstoneError("the project has no items yet", value=project.name, hint="import some")
    yield from TASKS[project.task].export(items, answers, project.settings)


def export_zip(session: Session, project: Project) -> bytes:
    """Return the files of a project as one archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in export_files(session, project):
            archive.writestr(zipfile.ZipInfo(file.path, EPOCH), file.content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def export_folder(session: Session, project: Project, folder: Path) -> list[Path]:
    """Write the files of a project under *folder* and return their paths."""
    written = []
    for file in export_files(session, project):
        path = folder / file.path
        make_folder(path.parent)
        with replacing(path) as beside:
            beside.write_bytes(file.content)
        written.append(path)
    return written
