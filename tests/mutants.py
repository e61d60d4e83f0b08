"""Small changes to the code that some test must notice: `make mutants`.

Each mutant changes one operator, constant or condition of the core, the statistics or a task's measures, in a copy of
the sources. A mutant is killed when a test fails: first those of its own module, then those of everything built on it.
The sample is drawn with a fixed seed, so that nobody chooses the mutants.
"""

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "touchstone"
SEED, COUNT, WORKERS = 20260715, 200, 2
LONGEST = 600
"""Seconds of processor time after which a mutant's tests count as failed: it may loop for ever."""

EVERYTHING = (
    *("tests/core", "tests/stats", "tests/tasks/items", "tests/tasks/nli", "tests/tasks/lexsub/test_measures.py"),
    *("tests/tasks/pyramid/test_measures.py", "tests/conformance/test_lexsub_measures.py"),
    *("tests/conformance/test_pyramid_statistics.py", "tests/report/test_figures.py"),
)
"""Tests of what is built on the core; those of slow metrics and of the annotation application are left out."""

COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}


@dataclass(frozen=True)
class Mutant:
    """One change: the file, the line, what was changed, and the source of the changed module."""

    path: Path
    line: int
    change: str
    source: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(SOURCES)}:{self.line}: {self.change}"


def mutants(path: Path) -> Iterator[Mutant]:
    """Yield every mutant of a module."""
    tree = ast.parse(path.read_text())
    skipped = set(_skipped(tree))
    for place, node in enumerate(ast.walk(tree)):
        if id(node) in skipped:
            continue
        for kind in range(_choices(node)):
            changed = copy.deepcopy(tree)
            twin = next(n for at, n in enumerate(ast.walk(changed)) if at == place)
            change = _change(twin, kind)
            yield Mutant(path, node.lineno, change, ast.unparse(changed))


def _skipped(tree: ast.AST) -> Iterator[int]:
    """Yield the nodes whose change no run of the program can show: types, decorators, docstrings."""
    for node in ast.walk(tree):
        for hidden in _hidden(node):
            if hidden is not None:
                yield from (id(inner) for inner in ast.walk(hidden))


def _hidden(node: ast.AST) -> list[ast.AST | None]:
    if isinstance(node, ast.FunctionDef):
        given = node.args
        arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
        return [node.returns, *(one.annotation for one in arguments if one), *node.decorator_list]
    if isinstance(node, ast.AnnAssign):
        return [node.annotation]
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return [node]
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return [node]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("TypeVar", "cast"):
        return [node]
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript | ast.BinOp):
        # A type alias such as ``PathLike = str | Path``.
        names = [one.id for one in ast.walk(node.value) if isinstance(one, ast.Name)]
        types = all(name[:1].isupper() or name in ("str", "int", "float", "dict", "tuple") for name in names)
        return [node] if names and types else []
    return []


def _choices(node: ast.AST) -> int:
    if isinstance(node, ast.Compare):
        return len(node.ops)
    if isinstance(node, ast.BinOp):
        return int(type(node.op) in OPERATORS and not isinstance(node.left, ast.JoinedStr | ast.List))
    if isinstance(node, ast.Constant):
        return int(isinstance(node.value, int | float))
    return int(isinstance(node, ast.BoolOp | ast.If | ast.IfExp) or (isinstance(node, ast.UnaryOp) and _negates(node)))


def _negates(node: ast.UnaryOp) -> bool:
    return isinstance(node.op, ast.Not | ast.USub)


def _change(node: ast.AST, kind: int) -> str:
    """Change a node in place and say how."""
    before = ast.unparse(node) if isinstance(node, ast.expr) else ast.unparse(node.test)  # type: ignore[attr-defined]
    if isinstance(node, ast.Compare):
        node.ops[kind] = COMPARISONS[type(node.ops[kind])]()
    elif isinstance(node, ast.BinOp):
        node.op = OPERATORS[type(node.op)]()
    elif isinstance(node, ast.Constant):
        node.value = not node.value if isinstance(node.value, bool) else node.value + 1  # type: ignore[operator]
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.If | ast.IfExp):
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.UnaryOp):
        node.op = ast.UAdd() if isinstance(node.op, ast.USub) else ast.Not()
        if isinstance(node.op, ast.Not):
            node.operand = ast.UnaryOp(ast.Not(), node.operand)
    after = ast.unparse(node) if isinstance(node, ast.expr) else ast.unparse(node.test)  # type: ignore[attr-defined]
    return f"{before}  ->  {after}"


def chosen(seed: int, count: int) -> list[Mutant]:
    """Return the sample of mutants, the same for the same sources and seed."""
    paths = [
        *sorted((SOURCES / "core").rglob("*.py")),
        *sorted((SOURCES / "stats").rglob("*.py")),
        *sorted(SOURCES.glob("tasks/*/measures.py")),
    ]
    every = [mutant for path in paths for mutant in mutants(path)]
    return random.Random(seed).sample(every, min(count, len(every)))


def survives(mutant: Mutant, sources: Path) -> bool:
    """Return whether all tests pass with the mutant in place of its module, in a copy of the sources."""
    inside = mutant.path.relative_to(ROOT / "src")
    target = sources / inside
    original = target.read_text()
    target.write_text(mutant.source)
    try:
        own = ROOT / "tests" / inside.relative_to("touchstone").with_name(f"test_{inside.name}")
        task = inside.parts[2] if inside.parts[1] == "tasks" else None
        near = [str(target), *([str(own)] if own.exists() else []), *([f"tests/tasks/{task}"] if task else [])]
        return _passes(sources, near) and _passes(sources, EVERYTHING)
    finally:
        target.write_text(original)


def _passes(sources: Path, tests: list[str] | tuple[str, ...]) -> bool:
    environment = {
        **os.environ,
        "PYTHONPATH": str(sources),
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    pytest = ["-m", "pytest", "-x", "-q", "-n0", "-p", "no:cacheprovider", "-p", "no:doctest", "-m", "not soak"]
    options = ["-o", "addopts=--import-mode=importlib --strict-markers"]
    command = [sys.executable, *pytest, *options, *tests]
    limited = ["bash", "-c", f'ulimit -t {LONGEST}; exec "$@"', "-", *command]
    return subprocess.run(limited, cwd=ROOT, env=environment, capture_output=True, check=False).returncode == 0


def main() -> None:
    """Draw the sample, run it, and print the survivors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--list", action="store_true", help="print the sample without running it")
    given = parser.parse_args()
    sample = chosen(given.seed, given.count)
    if given.list:
        print(*sample, sep="\n")
        return
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(WORKERS) as pool:
        copies = [Path(folder) / str(worker) for worker in range(WORKERS)]
        for one in copies:
            shutil.copytree(ROOT / "src", one, ignore=shutil.ignore_patterns("__pycache__"))
        shares = [sample[worker::WORKERS] for worker in range(WORKERS)]
        jobs = [pool.submit(_run, share, sources) for share, sources in zip(shares, copies, strict=True)]
        survivors = [mutant for job in jobs for mutant in job.result()]
    print(f"{len(sample)} mutants, {len(sample) - len(survivors)} killed, seed {given.seed}")
    print(*(f"survived {mutant}" for mutant in survivors), sep="\n")


def _run(share: list[Mutant], sources: Path) -> list[Mutant]:
    survivors = []
    for mutant in share:
        alive = survives(mutant, sources)
        survivors += [mutant] if alive else []
        print(f"{'SURVIVED' if alive else 'killed'}  {mutant}", flush=True)
    return survivors


if __name__ == "__main__":
    main()
