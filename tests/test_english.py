"""Plain technical English: no archaic or private wording in docs, help, docstrings and messages.

The list grows when a reader has to read a sentence twice. Each entry has the wording to use instead.
"""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from benchmarks.size import is_vague, measure

from touchstone.cli import app

ROOT = Path(__file__).parents[1]

ODD = {
    r"\bafresh\b": "again, from scratch",
    r"\bmend(s|ed|ing)?\b": "fix, repair",
    r"\b(said |skips? )?aloud\b": "with a message",
    r"\b(was|were|is|are|been) come by\b|\bcame by\b": "computed, obtained",
    r"\bstands? at\b": "is, is on line",
    r"\bis called as\b": "the file name is the system's name",
    r"\blook(s|ed|ing)? (a|the|it|them|this|all)( \w+)? over\b|\blooks? over\b": "check, review, search",
    r"\b(a|one) \w+ to a line\b|\bto a line\b": "one per line",
    r"\bparts (two|the|them)\b": "separates, distinguishes",
    r"\bthe word of it\b": "the word that",
    r"\b(?<!you )(?<!who )(?<!somebody )wants (a|an|it|its|no|another|more|substitutes)\b": "needs",
    r"\b(hold|held|holds) \w+ against\b": "compare with",
    r"\bcommonest\b": "most frequent",
    r"\bslight(s|ed)\b": "underrate",
    r"\bborne out\b|\bbears? (it|them|this) out\b": "confirmed",
    r"\bWere (it|they|there|one|we)\b|\bthat were (one|a)\b": "if …",
    r"\bof (your|our|their|its) own making\b": "that you make yourself",
    r"\b(is|are|was|were) said( in| as|[.;:]|$)": "a note says, is reported",
    r"\btold as such\b": "reported",
    r"\bas ever\b": "as usual",
    r"\bin the place of\b": "instead of",
    r"\bequivalent but for\b|\b, but for\b": "except for",
    r"\b(said|says?) of (all|some|it|the|a|their|its|young)\b": "say about",
    r"\bwhat is its own\b": "what is specific to it",
    r"\bwhat it is worth\b|\bfor what it is\b": "as it is",
    r"\b(thereof|whereof|wherein|therein|herein|hither|thither|thence|whence)\b": "plain words",
    r"\b(whilst|amongst|nought|betwixt|upon)\b": "while, among, nothing, on",
    r"\b(hath|thou|thee|fain|forthwith|heretofore|notwithstanding|albeit|ere)\b": "plain words",
    r"\b(it|they|one|we|you|he|she) shall\b": "must, will",
    r"\bfresh eyes\b|\bsecond pair of eyes\b": "a review",
    r"\bwhosoever\b|\bwhoso\b|\bwhatsoever\b": "whoever, at all",
    r"\ba word that the server prints\b|\bsecret word\b": "the setup token",
    r"\bbe it that\b|\bso be it\b|\bwere it not\b": "if",
    r"\bnot a few\b|\bno few\b|\bmany a\b": "several, many",
    r"\bat will\b|\bof late\b|\bof old\b|\bof yore\b": "plain words",
    r"\btells? (nothing|much|little|more) of\b|\bsays? nothing of\b": "say about",
    r"\bstands? behind\b": "considers good",
    r"\bstands? twice\b": "duplicate",
    r"\b(is|are) held by\b|\bheld by (a |the )?tests?\b": "a test checks",
    r"\b(is|are) called what\b|\beach called what\b": "is named after",
    r"\bfor certain\b": "significantly, certainly",
    r"\b(kept|put|set) aside\b": "held out",
    r"\bat hand\b": "these, available",
    r"\bin silence\b": "without a message",
    r"\bpass(es)? 1\b": "exceed 1",
    r"\bthan (one )?asked for\b": "than requested",
    r"\bwithout being asked\b": "by default, automatically",
    r"\b(made|makes?) (it |them )?again\b": "compute again, create again",
    r"\bwhatever the judge is worth\b": "however good or bad it is",
    r"\ba second (call|start) (goes|does)\b|\bgoes on where\b": "the same command continues",
    r"\bis no (measure|mean|average|help)\b": "is not a",
    r"\bwhat `+[\w.]+`+ (gave|gives|takes)\b": "the result of, the arguments of",
    r"\bpiped on\b": "piped",
}
"""What reads oddly, as regular expressions, and what to write instead."""

PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "studies").rglob("*.md")),
    *sorted((ROOT / "docs" / "tutorials").glob("*.ipynb")),
]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
SAYING = {"TouchstoneError", "Fault", "Problem", "missing", "Option", "Argument", "option", "echo", "remark", "Measure"}
"""Calls whose texts a user reads."""

NAMED = {"hint", "what", "note", "notes", "message", "remark", "said", "summary", "sentence", "because", "reason"}
"""Variables that hold texts for users."""


ANY = re.compile("|".join(f"(?:{odd})" for odd in ODD), re.IGNORECASE | re.MULTILINE)


def findings(text: str) -> list[str]:
    """Return each odd wording of a text with its line and what to write instead."""
    if not ANY.search(text):
        return []
    found = []
    for odd, plain in ODD.items():
        for match in re.finditer(odd, text, re.IGNORECASE | re.MULTILINE):
            line = text.count("\n", 0, match.start()) + 1
            found.append(f"line {line}: {match[0]!r}: {plain}")
    return found


def prose(path: Path) -> str:
    """Return the text of a page: of a notebook, its cells of Markdown."""
    text = path.read_text("utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = json.loads(text)["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def user_texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield what a module says to users, with its line: docstrings, help, messages and hints."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield getattr(node, "lineno", 1), ast.get_docstring(node) or ""
        elif isinstance(node, ast.Call) and _name(node.func) in SAYING:
            yield node.lineno, _strings(node)
        elif isinstance(node, ast.Assign) and any(_name(target) in NAMED for target in node.targets):
            yield node.lineno, _strings(node.value)


def _name(node: ast.AST) -> str:
    return getattr(node, "id", getattr(node, "attr", ""))


def _strings(node: ast.AST) -> str:
    parts = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return "\n".join(parts)


def commands(group, path=()):
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if hasattr(command, "list_commands"):
            yield from commands(command, (*path, name))
        yield (*path, name), command


def test_the_check_finds_the_examples_that_readers_stumbled_over():
    stumbled = [
        "In a folder a file is called as its system is",
        "how each view was come by",
        "Look a set over",
        "Items on which only the order of the answers parts two systems",
        "a segment to a line",
        "The word of it that wants substitutes",
        "this id stands at 1 already",
        "Hold metrics against human judgements",
        "Mend what fresh eyes found",
        "These figures are held by a test",
        "the answers that a system stands behind",
        "Its interval is valid whatever the judge is worth",
        "a key stands twice in a JSON object",
        "Where the runs are written; a second call goes on.",
    ]
    assert [text for text in stumbled if not findings(text)] == []
    assert findings("Each file in a folder is one system; you want one segment per line.") == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_is_in_plain_english(path):
    assert findings(prose(path)) == []


def test_help_is_in_plain_english():
    root = app
    texts = {" ".join(words): " ".join(one.get_help(click.Context(one)).split()) for words, one in commands(root)}
    assert {words: found for words, text in texts.items() if (found := findings(text))} == {}


def source_findings(path: Path) -> list[str]:
    where = path.relative_to(ROOT)
    return [f"{where}:{line}: {found}" for line, text in user_texts(path) for found in findings(text)]


def test_docstrings_and_messages_are_in_plain_english():
    assert [found for path in SOURCES for found in source_findings(path)] == []


def test_names_that_say_nothing_are_found_in_every_binding(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(
        "import numpy as one\n"
        "class Found:\n    place: int = 1\n"
        "def known(given, *, own=1, **rest):\n"
        "    for seen in given:\n        self.whole = seen\n"
        "    with open(own) as told:\n        return [such for such in rest]\n"
        "ids_by_line = row = {}\n"
    )
    size = measure(path)
    assert (size.names, size.vague) == (13, 11)
    assert [is_vague(name) for name in ("unknown", "placement", "_known_ids", "ONE_LABEL")] == [
        False,
        False,
        True,
        True,
    ]


def test_few_names_say_nothing():
    sizes = {path.relative_to(ROOT): measure(path) for path in SOURCES}
    vague, names = (sum(getattr(size, field) for size in sizes.values()) for field in ("vague", "names"))
    worst = sorted(sizes, key=lambda path: -sizes[path].vague)[:5]
    assert vague < 0.02 * names, f"most are in {', '.join(map(str, worst))}"
