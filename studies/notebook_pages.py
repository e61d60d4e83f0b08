"""The tutorials are notebooks: this file executes them, and gives the site a page for each.

``python studies/notebook_pages.py`` executes every notebook of ``docs/tutorials`` and writes its outputs into the file;
with ``--check`` it compares them with those in the file instead.
MkDocs calls the functions ``on_…``: they add a Markdown page for each notebook, without executing it.
"""

import json
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

TUTORIALS = Path(__file__).parents[1] / "docs" / "tutorials"

NEEDED = "Install Touchstone in a clone, with what data frames need: `pip install . pandas`."

Cell = dict[str, Any]


def execute(paths: Sequence[Path]) -> list[list[Cell]]:
    """Return the cells of each notebook after a run of all of them: one kernel, an empty folder for each notebook."""
    import nbclient
    import nbformat
    from nbformat.v4 import new_code_cell, new_notebook

    # The command `touchstone` is that of the Python that runs this.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    books = [nbformat.read(path, as_version=4) for path in paths]
    with ExitStack() as stack:
        folders = [stack.enter_context(tempfile.TemporaryDirectory()) for _ in books]
        starts = [[new_code_cell("%reset -f"), new_code_cell(f"%cd -q {folder}")] for folder in folders]
        cells = [cell for start, book in zip(starts, books, strict=True) for cell in (*start, *book.cells)]
        for place, cell in enumerate(cells, 1):
            cell["id"] = f"cell-{place}"  # the ids of a notebook are unique
        resources = {"metadata": {"path": tempfile.gettempdir()}}
        together = new_notebook(cells=cells)
        client = nbclient.NotebookClient(
            together, kernel_name="python3", timeout=600, startup_timeout=600, resources=resources
        )
        client.execute()
    for cell in cells:
        if cell["cell_type"] == "code":
            cell["outputs"] = _joined(cell["outputs"])
    return [list(book.cells) for book in books]


def _joined(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return outputs with pieces of one stream as one output: a cell receives what it prints in pieces."""
    joined: list[dict[str, Any]] = []
    for out in outputs:
        if joined and out["output_type"] == "stream" == joined[-1]["output_type"] and out["name"] == joined[-1]["name"]:
            joined[-1] = {**joined[-1], "text": joined[-1]["text"] + out["text"]}
        else:
            joined.append(dict(out))
    return joined


def texts(cell: Cell) -> list[str]:
    """Return what a cell shows as text: what it prints, and the plain form of its value."""
    shown = ["".join(out.get("text") or out.get("data", {}).get("text/plain", "")) for out in cell.get("outputs", [])]
    return [text.rstrip("\n") for text in shown]


def differences(path: Path, cells: list[Cell]) -> list[str]:
    """Return how the outputs of a run differ from those in the file, except for digests.

    A signature names the version of NumPy, so its digest differs between machines; no number does.
    """
    shown = [_without_digests(texts(cell)) for cell in json.loads(path.read_text("utf-8"))["cells"]]
    given = [_without_digests(texts(cell)) for cell in cells]
    pairs = zip(shown, given, strict=True)
    return [
        f"{path.name}, cell {place}: {old} in the file, {new} now"
        for place, (old, new) in enumerate(pairs, 1)
        if old != new
    ]


def _without_digests(shown: list[str]) -> list[str]:
    return [re.sub(r"#[0-9a-f]{12}", "#", text) for text in shown]


def write(path: Path, cells: list[Cell]) -> None:
    """Write a notebook with the outputs of its cells, and nothing that changes from run to run."""
    import nbformat

    for place, cell in enumerate(cells, 1):
        cell["id"], cell["metadata"] = f"cell-{place}", {}
        if cell["cell_type"] == "code":
            cell["execution_count"] = None
            cell["outputs"] = [
                {**out, "execution_count": None} if "execution_count" in out else out for out in cell["outputs"]
            ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = nbformat.from_dict({"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5})
    path.write_text(nbformat.writes(book) + "\n", "utf-8")


def markdown(book: dict[str, Any], name: str) -> str:
    """Return the page of a notebook: its texts as they are, its code as code, its outputs as tables and figures."""
    parts = [_cell(cell) for cell in book["cells"]]
    parts.insert(1, f"[Download this notebook]({name}) and run it: it needs no other file. {NEEDED}")
    return "\n\n".join(parts) + "\n"


def _cell(cell: Cell) -> str:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return source
    language = "bash" if source.startswith("%%bash") else "python"
    return "\n\n".join([f"```{language}\n{source}\n```", *(_output(out) for out in cell["outputs"])])


def _output(out: dict[str, Any]) -> str:
    data = out.get("data", {})
    for kind in ("image/svg+xml", "text/html"):
        if kind in data:
            # An empty line would end the block of HTML.
            html = re.sub(r"\n\s*\n", "\n", "".join(data[kind]).strip())
            return f'<div class="notebook-output" tabindex="0">{html}</div>'
    text = "".join(out.get("text") or data["text/plain"]).rstrip("\n")
    return f"```text\n{text}\n```"


def on_files(files: Any, config: Any) -> Any:  # noqa: ANN401 (MkDocs' own types, which the package does not need)
    """Add a page for each notebook (called by MkDocs)."""
    from mkdocs.structure.files import File

    for file in [one for one in files if one.src_uri.endswith(".ipynb")]:
        book = json.loads(Path(file.abs_src_path).read_text("utf-8"))
        page = markdown(book, Path(file.src_uri).name)
        files.append(File.generated(config, file.src_uri.removesuffix(".ipynb") + ".md", content=page))
    return files


def on_page_markdown(text: str, **_: object) -> str:
    """Let links to a notebook lead to its page (called by MkDocs); elsewhere they lead to the notebook itself."""
    return re.sub(r"(\]\([./]*tutorials/[-\w]+)\.ipynb", r"\1.md", text)


def on_page_content(html: str, **_: object) -> str:
    """Let the keyboard reach tables and figures (called by MkDocs): wide ones scroll, and need the focus for that."""
    html = re.sub(r'<p>(<img [^>]*\.svg"[^>]*></p>)', r'<p class="figure" tabindex="0">\1', html)
    return html.replace("<table>", '<table tabindex="0">')


def on_post_page(html: str, **_: object) -> str:
    """Give the search of the theme the name that a screen reader says (called by MkDocs)."""
    return html.replace('role="dialog"', 'role="dialog" aria-label="Search"')


on_post_template = on_post_page  # the page for addresses that do not exist


def main() -> int:
    """Execute the tutorials and write their outputs, or compare them with the files."""
    notebooks = sorted(TUTORIALS.glob("*.ipynb"))
    executed = dict(zip(notebooks, execute(notebooks), strict=True))
    if "--check" not in sys.argv:
        for path, cells in executed.items():
            write(path, cells)
        return 0
    different = [line for path, cells in executed.items() for line in differences(path, cells)]
    print("\n".join(different) or f"the same: {len(notebooks)} tutorials")  # noqa: T201
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
