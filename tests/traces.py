"""What a call goes through: the source files whose functions it enters, and the deepest stack of them.

``python -m tests.traces`` prints both for one item of each task.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import touchstone

SOURCE = Path(touchstone.__file__).parent
NO_FUNCTION = ("<module>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


@dataclass
class Trace:
    """The files of Touchstone that a call entered, and the functions of its deepest stack."""

    files: dict[str, set[str]] = field(default_factory=dict)
    """The names of the functions that were entered, by file."""
    deepest: list[str] = field(default_factory=list)

    @property
    def depth(self) -> int:
        """How many functions of Touchstone were called within each other."""
        return len(self.deepest)


def trace(call: Callable[[], Any]) -> Trace:
    """Return what *call* goes through in this thread; modules that it imports do not count, nor do comprehensions."""
    trace = Trace()

    def entered(frame: FrameType, event: str, _: object) -> None:
        if event != "call" or not is_function(frame):
            return
        stack = stack_of(frame)
        trace.files.setdefault(name_of(frame), set()).add(frame.f_code.co_qualname)
        if len(stack) > trace.depth:
            trace.deepest = [f"{name_of(one)}: {one.f_code.co_qualname}" for one in stack]

    sys.setprofile(entered)
    try:
        call()
    finally:
        sys.setprofile(None)
    return trace


def is_function(frame: FrameType) -> bool:
    """Return whether a frame is that of a function of Touchstone."""
    return frame.f_code.co_filename.startswith(f"{SOURCE}/") and frame.f_code.co_name not in NO_FUNCTION


def name_of(frame: FrameType) -> str:
    """Return the file of a function, within the package."""
    return str(Path(frame.f_code.co_filename).relative_to(SOURCE))


def stack_of(frame: FrameType | None) -> list[FrameType]:
    """Return the functions of Touchstone that are on the stack, the outermost first."""
    stack = []
    while frame is not None:
        if is_function(frame):
            stack.append(frame)
        frame = frame.f_back
    return stack[::-1]


UNITS = [
    {"set": "D1", "peer": "a", "models": 4, "unit": f"u{n}", "weight": 1 + n % 3, "present": n % 2} for n in range(6)
]

ONE_ITEM: dict[str, tuple[Any, Any, list[str]]] = {
    "lexsub": ({"bright.a 1": {"clever": 3, "smart": 1}}, {"a": {"bright.a 1": ["clever"]}}, []),
    "nli": ({"1": "neutral"}, {"a": {"1": "neutral"}}, []),
    "pyramid": (UNITS, None, []),
    "items": ([{"system": "a", "item": "1", "score": 0.5}], None, []),
    "mt": (["The cat sat on the mat."], {"a": ["A cat sat on the mat."]}, ["maxsim"]),
}
"""Gold, runs and measures of one item of each task; the usual measures where none is named."""


def score_one_item(name: str) -> Callable[[], Any]:
    """Return a call that scores one item of a task."""
    from touchstone.core.registry import find_task

    task, (gold, runs, measures) = find_task(name), ONE_ITEM[name]
    return lambda: task.score(gold, runs, measures)


def main() -> None:
    """Print the traces of the tasks named, or of all."""
    for name in sys.argv[1:] or ONE_ITEM:
        call = score_one_item(name)
        call()  # imports what it needs
        found = trace(call)
        lines = [f"## {name}: {len(found.files)} files, depth {found.depth}"]
        lines += [f"{file}: {', '.join(sorted(functions))}" for file, functions in sorted(found.files.items())]
        sys.stdout.write("\n".join([*lines, *(f"    {one}" for one in found.deepest), "\n"]))


if __name__ == "__main__":
    main()
