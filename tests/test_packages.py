"""What the packages may know: the shared ones nothing of the tasks that build on them, and only some open systems."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import touchstone

SOURCE = Path(touchstone.__file__).parent
SHARED = ("base", "core", "stats", "io", "show", "people", "judge")
TEXTS = (".py", ".css", ".js", ".html")
TASKS = sorted({entry.name for entry in entry_points(group="touchstone.tasks")})
OTHERS = [name for name in TASKS if name != "items"]
NAME = re.compile(
    "|".join(
        rf"(?<![A-Za-z]){name}s?(?![a-z])|(?<![A-Za-z]){name.upper()}S?(?![A-Za-z])|(?<![A-Z]){name.title()}s?(?![a-z])"
        for name in OTHERS
    )
)
"""The name of a task as a word of a text or a part of an identifier, such as read_mt or NliTask."""
ITEMS = re.compile(
    r"touchstone[. ](?:tasks\.)?items\b"
    r"|from touchstone(?:\.tasks)? import .*\bitems\b"
    r"|task\w*[\"']?\s*(?:\(|==|!=|=|:|in\b)\s*[(\[{]?\s*[\"']items[\"']"
    r"|(?:[=!]=|\bcase|\bname\s+(?:not\s+)?in\s*[(\[{].*)\s*[\"']items[\"']|[\"']items[\"']\s*[=!]="
)
"""The task "items" where it is imported, called, looked up or compared with; every task has items."""
EXAMPLE = re.compile(r"\s*(?:>>>|\.\.\.)(?: |$)")
"""A line of an example in a docstring, which shows what a user types."""


def names_in(text: str) -> list[str]:
    """Return the lines of a source that name a task, with their numbers; examples in docstrings may."""
    lines = enumerate(text.splitlines(), 1)
    named = [(number, line) for number, line in lines if NAME.search(line) or ITEMS.search(line)]
    return [f"{number}: {line.strip()}" for number, line in named if not EXAMPLE.match(line)]


def test_the_tasks_are_found():
    assert {"items", "lexsub", "mt", "nli", "pyramid"} <= set(TASKS)


def names_in_path(path: str) -> list[str]:
    """Return the parts of a path that name a task."""
    return [part for part in path.split("/") if NAME.search(part.partition(".")[0]) or part in ("items", "items.py")]


@pytest.mark.parametrize("package", SHARED)
def test_no_file_of_a_shared_package_is_named_after_a_task(package):
    paths = [str(path.relative_to(SOURCE)) for path in (SOURCE / package).rglob("*")]
    assert [path for path in paths if names_in_path(path)] == []


@pytest.mark.parametrize("path", ["core/nli.py", "people/mt/report.py", "show/pyramid_figures.py", "judge/items.py"])
def test_a_file_named_after_a_task_is_noticed(path):
    assert names_in_path(path)


@pytest.mark.parametrize("package", SHARED)
def test_a_shared_package_names_no_task(package):
    files = sorted(path for path in (SOURCE / package).rglob("*") if path.suffix in TEXTS)
    assert files
    named = {str(path.relative_to(SOURCE)): names_in(path.read_text("utf-8")) for path in files}
    assert {path: lines for path, lines in named.items() if lines} == {}


@pytest.mark.parametrize(
    "line",
    [
        '"""Results of nli."""',
        "# as in MT",
        "from touchstone import mt",
        "from touchstone.tasks.nli import TASK",
        "from touchstone import items",
        "import touchstone.items",
        "read_mt = None",
        "show(pyramid=True)",
        "class NliTask(Task):",
        "class BestPyramids:",
        'find_task("items")',
        'if task == "items":',
        'homes = {"task": "items"}',
        'if task.name == "items":',
        'if name in ("items", other):',
        'case "items":',
        'if "items" != given:',
        ".lexsub-table { color: red }",
        "const mtRows = [];",
        "touchstone items score",
    ],
)
def test_a_name_is_noticed_wherever_it_stands(line):
    assert names_in(line) == [f"1: {line}"]


@pytest.mark.parametrize(
    "line",
    [
        "    >>> from touchstone import nli",
        "    ... gold = nli.read_gold(rows)",
        "found = results.items",
        'heads = ["p", "items"]',
        'what = signature.get("items", "")',
        "empty, attempt, mtime, fmt, html",
        "group = 'touchstone.tasks'",
    ],
)
def test_an_example_and_the_items_that_every_task_has_are_no_names(line):
    assert names_in(line) == []


@pytest.mark.parametrize("name", ["nli.score", "lexsub.score", "mt.score", "pyramid.score", "items.score"])
def test_scoring_opens_no_systems(name):
    module, function = name.split(".")
    code = f"import sys, touchstone.{module} as task; task.{function}; dir(task); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert f"touchstone.tasks.{module}" in loaded
    assert [one for one in loaded if one.startswith(("touchstone.systems", "touchstone.annotate"))] == []


TABLES = {
    "long": "system,item,quality,fluency,seconds\n"
    + "".join(
        f"{system},q{n},{(n * 7 + n // 3) % 5},{n % 4 + (system == 'b')},{n % 6 / 4}\n"
        for system in "ab"
        for n in range(20)
    ),
    "wide": "item,heron,magpie,topic\n" + "".join(f"q{n},{n % 5 / 4},{n % 3 / 2},t{n % 4}\n" for n in range(20)),
}
"""Scores in columns whose names are those of no measure of any task."""


@pytest.mark.parametrize("table", TABLES)
def test_comparing_the_scores_of_a_table_imports_no_other_task(table, tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(TABLES[table])
    code = (
        "import sys\nfrom touchstone.cli import main\n"
        f"sys.argv = ['touchstone', 'items', 'compare', {str(path)!r}]\n"
        "try:\n    main()\nexcept SystemExit as left:\n    assert not left.code\n"
        "print('LOADED', *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    shown, _, loaded = done.stdout.rpartition("LOADED")
    assert "paired permutation test over 20 items" in shown
    assert {name.split(".")[2] for name in loaded.split() if name.startswith("touchstone.tasks.")} == {"items"}


@pytest.mark.parametrize(("module", "name"), [("nli", "drop"), ("nli", "Drop"), ("lexsub", "Substituter")])
def test_a_public_name_of_systems_is_there_when_it_is_asked_for(module, name):
    code = f"from touchstone.{module} import {name}; import touchstone.{module} as task; print({name}.__module__)"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout.startswith("touchstone.systems.")


def test_an_unknown_public_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"module 'touchstone\.nli' has no attribute 'dorp'"):
        touchstone.nli.dorp  # noqa: B018


COMMANDS = ("cli", "annotate")
ABOUT_COMMANDS = ("about", "commands", "experiment_commands", "pyramid_commands")
"""Modules outside `COMMANDS` whose texts are help."""
"""Packages that speak of flags: all others are a library, whose messages spell a setting with `spelling.setting`."""
FLAG = re.compile(r"(?<![\w-])--[a-z{][\w{}-]*+(?!:)")
"""A flag, also one that is filled in; with a colon behind it is a property of CSS."""
OTHER_TOOLS = {
    "--head",  # ray start
    "--log_samples",  # lm_eval
    "--no-deps",  # pip install
    "--no-log-samples",  # inspect eval
    "--predict_only",  # lm_eval
    "--sentence-level",  # sacrebleu
    "--to",  # inspect log convert
    "--to_json",  # comet-score
}
WITHOUT_PYTHON = {"--help"}
"""Flags that no function has, which docstrings may name."""


def flags_in(source: str) -> list[str]:
    """Return the flags of our commands in the strings of a module, with their lines."""
    found = ((line, flag) for line, text in texts_in(ast.parse(source)) for flag in FLAG.findall(text))
    return [f"{line}: {flag}" for line, flag in found if flag not in OTHER_TOOLS | WITHOUT_PYTHON]


def texts_in(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each string, with ``{}`` where an f-string is filled in."""
    match node:
        case ast.JoinedStr(values=parts):
            yield node.lineno, "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in parts)
            inner: list[ast.AST] = [part for part in parts if isinstance(part, ast.FormattedValue)]
        case ast.Constant(value=str(text)):
            yield node.lineno, text
            inner = []
        case _:
            inner = list(ast.iter_child_nodes(node))
    for child in inner:
        yield from texts_in(child)


def test_flags_are_spelt_where_commands_are():
    files = [path.relative_to(SOURCE) for path in sorted(SOURCE.rglob("*.py"))]
    library = [
        path
        for path in files
        if path.parts[0] not in COMMANDS and path != Path("base/spelling.py") and path.stem not in ABOUT_COMMANDS
    ]
    found = {str(path): flags_in((SOURCE / path).read_text("utf-8")) for path in library}
    assert {path: flags for path, flags in found.items() if flags} == {}


@pytest.mark.parametrize(
    ("line", "flag"),
    [
        ('hint = "leave out --svg"', "--svg"),
        ('hint = f"give {count} files with --models N"', "--models"),
        ('hint = f"name it with --{what}, or wait"', "--{}"),
        ("hint = f\"{counted(f'--{what}')} files\"", "--{}"),
        ('"""Write a report, as ``--report`` does."""', "--report"),
    ],
)
def test_a_flag_is_noticed_in_any_string(line, flag):
    assert flags_in(line) == [f"1: {flag}"]


@pytest.mark.parametrize(
    "line",
    [
        'hint = f"pip install --no-deps {PACKAGE}"',
        'hint = "run inspect eval without --no-log-samples"',
        "page = f'<p style=\"--w{n}:{w};--h:2\">'",
        'rule = ":root { --paper: #fbfbfa }"',
        'dash = "a -- b, a--b"',
        "# set by --seed",
    ],
)
def test_other_tools_and_styles_have_flags_of_their_own(line):
    assert flags_in(line) == []
