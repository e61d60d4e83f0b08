"""Small changes to the code that some test must notice: `make mutants`.

Each mutant changes one operator, constant or condition of the packages in ``BUILT_ON``, in a copy of the sources. A
mutant is killed when a test fails: first those of its own module, then those of everything built on it.
The sample is drawn with a fixed seed, so that nobody chooses the mutants.
"""

import argparse
import ast
import importlib
import os
import random
import resource
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import SimpleQueue, get_context, set_start_method
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "touchstone"
SEED, COUNT, WORKERS = 20261119, 200, 2
LONGEST = 900
"""Seconds of processor time after which a mutant's tests count as failed: it may loop for ever."""

PRELOADED = (
    "numpy",
    "scipy.stats",
    "pyarrow",
    "hypothesis",
    "hypothesis.strategies",
    "rich.console",
    "numba",
    "pandas",
)
"""Packages that are imported once, before the processes of the mutants are forked."""

NEAR = {
    "core": ("tests/core/test_immutable.py",),
    "core/results.py": ("tests/core/test_comparison.py",),
    "core/matching": ("tests/core/matching",),
    "core/report": ("tests/core/report",),
    "core/resampling.py": ("tests/core/test_comparison.py", "tests/core/test_results.py"),
    "core/scoring.py": ("tests/core/test_results.py", "tests/core/test_task.py", "tests/core/test_comparison.py"),
    "core/inputs.py": ("tests/core/test_task.py", "tests/tasks/test_joining_by_text.py"),
    "core/validation.py": ("tests/core/test_task.py", "tests/tasks/test_joining_by_text.py"),
    "core/task.py": ("tests/core/test_sixth_task.py", "tests/core/test_comparison.py"),
    "core/doubts.py": ("tests/tasks/test_doubts.py", "tests/tasks/items/test_doubts.py"),
    "core/scales.py": ("tests/tasks/items/test_doubts.py", "tests/misuse/test_score_tables.py"),
    "core/names.py": ("tests/tasks/items/test_doubts.py", "tests/misuse/test_score_tables.py"),
    "core/sequences.py": ("tests/tasks/items/test_doubts.py", "tests/misuse/test_score_tables.py"),
    "stats": ("tests/stats/test_immutable.py",),
    "stats/factors.py": ("tests/stats/test_anova.py", "tests/stats/test_subsets.py"),
    "stats/reml.py": ("tests/stats/test_mixed.py",),
    "stats/kendall.py": ("tests/stats/test_correlation.py",),
    "stats/selection.py": ("tests/stats/test_prediction_powered.py",),
    "io": ("tests/io",),
    "judge": ("tests/judge",),
    "people": ("tests/people",),
}
"""Tests of modules beside those in the test file of their own name, by the beginning of their path."""

BUILT_ON = {
    "core": (
        *("tests/core", "tests/tasks/nli", "tests/tasks/items", "tests/tasks/lexsub/test_measures.py"),
        *("tests/tasks/pyramid/test_measures.py", "tests/conformance/test_lexsub_measures.py"),
        *("tests/tasks/test_doubts.py", "tests/misuse/test_items.py", "tests/misuse/test_nli.py"),
        *("tests/cli/test_items.py", "tests/cli/test_nli.py", "tests/cli/test_recompute.py"),
    ),
    "stats": (
        *("tests/stats", "tests/core/test_comparison.py", "tests/core/test_results.py", "tests/judge"),
        *("tests/conformance/test_pyramid_statistics.py", "tests/show/test_figures.py"),
    ),
    "io": (
        *(
            "tests/io",
            "tests/tasks/test_joining_by_text.py",
            "tests/tasks/nli",
            "tests/tasks/items",
            "tests/tasks/lexsub/test_faults.py",
        ),
        *("tests/misuse/test_nli.py", "tests/misuse/test_items.py", "tests/cli/test_columns.py"),
    ),
    "judge": (
        *("tests/judge", "tests/misuse/test_judging.py", "tests/cli/test_judging.py", "tests/cli/test_estimating.py"),
        *("tests/cli/test_asking.py", "tests/conformance/test_estimating.py", "tests/conformance/test_judging.py"),
    ),
    "people": (
        *("tests/people", "tests/misuse/test_labels.py", "tests/conformance/test_agreement.py"),
        *("tests/tasks/items", "tests/cli/test_pyramid_analysis.py"),
    ),
}
"""Tests of what is built on a package, run for mutants that the near tests let live. Those of slow metrics and of the
annotation application are left out, which can only leave more survivors."""

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
    """One change: the file, the line, the node's place in the order of ``ast.walk``, and which of its changes."""

    path: Path
    line: int
    place: int
    kind: int

    def apply(self) -> tuple[str, str]:
        """Return the change in words and the source of the changed module."""
        tree = ast.parse(self.path.read_text())
        node = next(node for place, node in enumerate(ast.walk(tree)) if place == self.place)
        change = _change(node, self.kind)
        return change, ast.unparse(tree)

    def __str__(self) -> str:
        return f"{self.path.relative_to(SOURCES)}:{self.line}: {self.apply()[0]}"


def mutants(path: Path) -> Iterator[Mutant]:
    """Yield every mutant of a module."""
    tree = ast.parse(path.read_text())
    skipped = set(_skipped(tree))
    for place, node in enumerate(ast.walk(tree)):
        if id(node) not in skipped:
            yield from (Mutant(path, node.lineno, place, kind) for kind in range(_choices(node)))


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
    paths = sorted(path for package in BUILT_ON for path in (SOURCES / package).rglob("*.py"))
    every = [mutant for path in paths for mutant in mutants(path)]
    return random.Random(seed).sample(every, min(count, len(every)))


def near(path: Path, sources: Path) -> list[str]:
    """Return a module's doctests and the tests of its own name, or those that stand in for them."""
    inside = path.relative_to(SOURCES)
    own = Path("tests") / inside.with_name(f"test_{inside.name}")
    others = [test for start, tests in NEAR.items() if inside.as_posix().startswith(start) for test in tests]
    return [str(sources / "touchstone" / inside), *([str(own)] if (ROOT / own).exists() else []), *others]


def built_on(path: Path) -> list[str]:
    """Return the tests of what is built on a module's package."""
    return list(BUILT_ON[path.relative_to(SOURCES).parts[0]])


def survives(mutant: Mutant, sources: Path, tests: list[str]) -> bool:
    """Return whether the tests pass with the mutant in place of its module, in a copy of the sources."""
    target = sources / mutant.path.relative_to(ROOT / "src")
    original = target.read_text()
    target.write_text(mutant.apply()[1])
    try:
        return _passes(sources, tests)
    finally:
        target.write_text(original)


def _passes(sources: Path, tests: list[str]) -> bool:
    """Run tests in a forked process, which has the packages that they need imported, but nothing of Touchstone."""
    child = os.fork()
    if not child:
        code = 3
        try:
            code = _tested(sources, tests)
        finally:
            os._exit(code)
    status = os.waitpid(child, 0)[1]
    # 5: no test was collected, which is no failure. A signal: the time is over, or the mutant crashed.
    return os.waitstatus_to_exitcode(status) in (0, 5)


def _tested(sources: Path, tests: list[str]) -> int:
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))
    # A process that multiprocessing started has its start method fixed; tests expect it to be open.
    set_start_method(None, force=True)
    os.environ["PYTHONPATH"] = str(sources)
    sys.path[:] = [str(sources), *(place for place in sys.path if Path(place) not in (ROOT / "src", ROOT / "tests"))]
    # Fixed random draws of Hypothesis, so that a run can be repeated.
    options = ["-x", "-q", "-n0", "-p", "no:cacheprovider", "-m", "not soak", "--hypothesis-seed=0"]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # Hypothesis is imported already
    usual = ["-o", "addopts=--import-mode=importlib --strict-markers --doctest-modules"]
    return int(pytest.main([*options, *usual, *tests]))


Task = tuple[str, int, Mutant]
"""The tests to run ("unchanged", "near" or "built on"), and a mutant with its number."""


def _worker(sources: Path, tasks: "SimpleQueue[Task | None]", outcomes: "SimpleQueue[tuple[Task, bool]]") -> None:
    while (task := tasks.get()) is not None:
        stage, _, mutant = task
        tests = built_on(mutant.path) if stage == "built on" else near(mutant.path, sources)
        lives = _passes(sources, tests) if stage == "unchanged" else survives(mutant, sources, tests)
        outcomes.put((task, lives))


def main() -> None:
    """Draw the sample, run it, and print the survivors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--list", action="store_true", help="print the sample without running it")
    parser.add_argument("--only", type=int, nargs="+", help="numbers of the mutants to run, as printed")
    parser.add_argument("--trust", action="store_true", help="do not first run the tests without a mutant")
    given = parser.parse_args()
    sample = list(enumerate(chosen(given.seed, given.count)))
    if given.only:
        sample = [(number, mutant) for number, mutant in sample if number in given.only]
    if given.list:
        print(*(f"{number} {mutant}" for number, mutant in sample), sep="\n")
        return
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    sys.dont_write_bytecode = True
    for package in PRELOADED:
        importlib.import_module(package)
    os.chdir(ROOT)
    context = get_context("fork")
    tasks: SimpleQueue[Task | None] = context.SimpleQueue()
    outcomes: SimpleQueue[tuple[Task, bool]] = context.SimpleQueue()

    def run(stage: str, numbered: Sequence[tuple[int, Mutant]]) -> list[tuple[int, Mutant]]:
        """Return the mutants under which the tests of a stage pass, in their order."""
        for number, mutant in numbered:
            tasks.put((stage, number, mutant))
        alive = []
        for _ in numbered:
            (_, number, mutant), lives = outcomes.get()
            alive += [number] if lives else []
            print(f"{stage}  {'SURVIVED' if lives else 'killed'}  {number} {mutant}", flush=True)
        return [(number, mutant) for number, mutant in numbered if number in alive]

    with tempfile.TemporaryDirectory() as folder:
        workers = []
        for place in range(WORKERS):
            copied = Path(folder) / str(place)
            shutil.copytree(ROOT / "src", copied, ignore=shutil.ignore_patterns("__pycache__"))
            workers.append(context.Process(target=_worker, args=(copied, tasks, outcomes)))
            workers[-1].start()
        one_each = list({mutant.path: (number, mutant) for number, mutant in sample}.values())
        passing = one_each if given.trust else run("unchanged", one_each)
        if len(passing) < len(one_each):
            broken = [str(mutant.path) for _, mutant in one_each if mutant.path not in {m.path for _, m in passing}]
            print(f"tests fail without a mutant, so they cannot show one: {', '.join(broken)}")
        survivors = run("built on", run("near", sample)) if len(passing) == len(one_each) else []
        for _ in workers:
            tasks.put(None)
        for worker in workers:
            worker.join()
    if len(passing) < len(one_each):
        sys.exit(1)
    print(f"{len(sample)} mutants, {len(sample) - len(survivors)} killed, seed {given.seed}")
    print(*(f"survived {number} {mutant}" for number, mutant in survivors), sep="\n")


if __name__ == "__main__":
    main()
