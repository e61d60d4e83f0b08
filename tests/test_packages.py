"""What the packages may know: the shared ones nothing of the tasks that build on them."""

import ast
import re
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import touchstone

SOURCE = Path(touchstone.__file__).parent
SHARED = ("base", "core", "stats", "io", "show", "people", "judge")
TASKS = sorted({entry.name for entry in entry_points(group="touchstone.tasks")})
NAME = re.compile(rf"(?<![a-z])({'|'.join(name for name in TASKS if name != 'items')})s?(?![a-z])", re.IGNORECASE)
"""The name of a task as a word of a text or a part of an identifier; "items" is also what every task has."""
IMPORTED = re.compile(rf"touchstone\.(tasks\b|({'|'.join(TASKS)})$)")


def names_in(path: Path) -> list[str]:
    """Return the lines of a module that name a task outside of docstrings, whose examples are those of users."""
    tree = ast.parse(path.read_text("utf-8"))
    texts = [
        node.value for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ]
    skipped = {id(text) for text in texts}
    found = []
    for node in ast.walk(tree):
        words = []
        match node:
            case ast.Constant(value=str(text)) if id(node) not in skipped:
                words = [text] if NAME.search(text) else []
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                words = [name] if NAME.search(name) else []
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                words = [name] if NAME.search(name) else []
            case ast.ImportFrom(module=str(name)):
                words = [name] if IMPORTED.search(name) else []
            case ast.Import(names=names):
                words = [alias.name for alias in names if IMPORTED.search(alias.name)]
        found += [f"{path.relative_to(SOURCE)}:{node.lineno}: {word}" for word in words]
    return found


def test_the_tasks_are_found():
    assert {"items", "lexsub", "mt", "nli", "pyramid"} <= set(TASKS)


@pytest.mark.parametrize("package", SHARED)
def test_a_shared_package_names_no_task(package):
    modules = sorted((SOURCE / package).rglob("*.py"))
    assert modules
    assert [line for module in modules for line in names_in(module)] == []


def test_a_name_is_noticed_in_a_text_an_identifier_and_an_import(tmp_path, monkeypatch):
    module = tmp_path / "module.py"
    module.write_text('"""Of nli."""\nfrom touchstone.tasks.nli import TASK\nread_mt = "not in nli"\n', "utf-8")
    monkeypatch.setattr("tests.test_packages.SOURCE", tmp_path)
    assert len(names_in(module)) == 3
