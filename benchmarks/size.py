"""How large each package is: what `make size` prints.

Lines alone reward dense code, so the table also counts nodes of the syntax tree, long functions, ``getattr`` (each one
is a question that a type could answer), names that say nothing, and what users see: commands and their options.
"""

import ast
import io
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "touchstone"
LONG = 60
"""Lines from which a function counts as long: more than a screen."""
VAGUE = {
    *(
        "one",
        "found",
        "said",
        "known",
        "given",
        "own",
        "place",
        "kept",
        "shown",
        "asked",
        "seen",
        "told",
        "sure",
        "usual",
    ),
    *(
        "apart",
        "met",
        "stand",
        "bare",
        "wanted",
        "rest",
        "deep",
        "whole",
        "plain",
        "once",
        "whose",
        "why",
        "which",
        "such",
    ),
}
"""Words that do not say what a value is."""
TASKS = "tasks"
"""The package of which every package below it has a row of its own."""


@dataclass(frozen=True)
class Size:
    """What is counted of a file; sizes of files add up."""

    files: int = 0
    lines: int = 0
    nodes: int = 0
    functions: int = 0
    long: int = 0
    getattr: int = 0
    comments: int = 0
    names: int = 0
    vague: int = 0

    def __add__(self, other: "Size") -> "Size":
        return Size(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(Size)))


def measure(path: Path) -> Size:
    """Return the size of a Python file; lines are those with code that is no docstring.

    Parameters
    ----------
    path
        The file.
    """
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    names = [name for node in nodes for name in bound_names(node)]
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    return Size(
        files=1,
        lines=len(_code_lines(text) - _docstring_lines(nodes)),
        nodes=len(nodes),
        functions=len(functions),
        long=sum((node.end_lineno or node.lineno) - node.lineno + 1 > LONG for node in functions),
        getattr=sum(isinstance(call.func, ast.Name) and call.func.id == "getattr" for call in calls),
        comments=sum(line.lstrip().startswith("#") for line in text.splitlines()),
        names=len(names),
        vague=sum(map(is_vague, names)),
    )


def bound_names(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node of the syntax tree gives to something."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
            yield name
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            yield name
        case ast.alias(asname=str(name)) | ast.ExceptHandler(name=str(name)):
            yield name
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name


def is_vague(name: str) -> bool:
    """Return whether one of the words of a name says nothing.

    >>> is_vague("known_ids"), is_vague("ids_by_line")
    (True, False)
    """
    return not VAGUE.isdisjoint(name.lower().strip("_").split("_"))


def _code_lines(text: str) -> set[int]:
    """Return the numbers of the lines with a token other than a comment or a line's end."""
    empty = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in empty:
            lines.update(range(token.start[0], token.end[0] + 1))
    return lines


def _docstring_lines(nodes: Iterable[ast.AST]) -> set[int]:
    """Return the numbers of the lines of texts that stand alone: docstrings, also those below a name."""
    return {
        line
        for node in nodes
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def package_of(path: Path) -> str:
    """Return the package of a file: the first folder; under ``tasks`` the task; ``-`` for the modules at the top."""
    *folders, _ = path.relative_to(SOURCE).parts
    return "/".join(folders[: 2 if folders[:1] == [TASKS] else 1]) or "-"


def command_counts() -> Counter[str]:
    """Return the number of commands, and of their options, that each group of the command line has."""
    import click

    from touchstone.cli import app

    counts: Counter[str] = Counter()

    def visit(command: object, group: str) -> None:
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                visit(command.get_command(context, name), group or name)
            return
        counts[f"{group} commands"] += 1
        counts[f"{group} options"] += sum(
            parameter.param_type_name == "option"
            for parameter in command.params  # type: ignore[attr-defined]
        )

    visit(app, "")
    return counts


def table(rows: Iterable[tuple[str, ...]]) -> str:
    """Return rows of texts under each other, the first column to the left."""
    rows = list(rows)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for first, *others in rows:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join([first.ljust(widths[0]), *cells]))
    return "\n".join(lines)


def main() -> None:
    """Print a row for each package, and one for each group of commands."""
    sizes: dict[str, Size] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        package = package_of(path)
        sizes[package] = sizes.get(package, Size()) + measure(path)
    rows = [("package", *(field.name for field in fields(Size)))]
    total = sum(sizes.values(), Size())
    for package, size in [*sorted(sizes.items()), ("total", total)]:
        rows.append((package, *(f"{getattr(size, field.name):,}" for field in fields(Size))))
    print(table(rows))
    counts = command_counts()
    groups = sorted({name.rpartition(" ")[0] for name in counts})
    rows = [("group", "commands", "options")]
    rows += [(group, str(counts[f"{group} commands"]), str(counts[f"{group} options"])) for group in groups]
    sums = (sum(n for name, n in counts.items() if name.endswith(kind)) for kind in ("commands", "options"))
    print("\n" + table([*rows, ("total", *map(str, sums))]))


if __name__ == "__main__":
    main()
