"""Cells of tables: an id, a target, one substitute, or all substitutes of an item.

A cell with several substitutes is a mapping, a list, or a text: JSON, what pandas writes for a mapping or a list in
CSV, or what ELS07 writes after the separator (``glad 3;merry 2;`` in gold, ``glad;merry`` in runs).
"""

import ast
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from touchstone.base.errors import TouchstoneError
from touchstone.io.cells import is_empty, parse_number
from touchstone.io.jsonl import parse_json
from touchstone.io.schema import Problem
from touchstone.tasks.lexsub.model import POS_NAMES, key

MAX_WEIGHT = 1e300
"""Sums of such weights stay finite."""

_NUMBER = re.compile(r"[0-9]{1,15}(\.[0-9]{0,40})?")

S = TypeVar("S")
T = TypeVar("T")


def python_value(cell: Any) -> Any:  # noqa: ANN401 (a cell of any library)
    """Return a cell as Python holds it; a list, and every list in it, as a tuple."""
    if hasattr(cell, "tolist") or hasattr(cell, "to_list"):
        cell = cell.tolist() if hasattr(cell, "tolist") else cell.to_list()
    return tuple(map(python_value, cell)) if isinstance(cell, list | tuple) else cell


def read_id(cell: object) -> str:
    """Return an id, which is text or a whole number."""
    name = read_answer(cell)
    if not name:
        raise Problem("an item needs an id", cell if isinstance(cell, str) else None)
    return name


def read_target(cell: object) -> tuple[str | None, str | None]:
    """Return the target of a cell and the part of speech that it may name.

    >>> read_target("bright.a"), read_target("bright"), read_target(None)
    (('bright', 'a'), ('bright', None), (None, None))
    """
    target = read_answer(cell) or None
    pos = parse_pos(target) if target and "." in target else None
    return (target.split(".", 1)[0] if target and pos else target), pos


def parse_pos(word: str) -> str | None:
    """Return the LAST dot field, if it is a part of speech: trial words such as ``bar.n.v`` have two."""
    pos = word.rpartition(".")[2]
    return pos if pos in POS_NAMES else None


def parse_entry(entry: str) -> tuple[str, float] | None:
    """Return substitute and weight: the weight is the last field, the substitute everything before it."""
    substitute, _, count = entry.replace("\t", " ").rpartition(" ")
    weight = parse_weight(count)
    return None if weight is None or not key(substitute) else (substitute.strip(), weight)


def read_answer(cell: object) -> str:
    """Return a cell as text, empty where it holds nothing; refuse what is no text and no whole number."""
    if is_empty(cell):
        return ""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    if isinstance(cell, bool) or not isinstance(cell, str | int):
        raise Problem("neither text nor a whole number", cell)
    try:
        text = str(cell).strip()
        text.encode()
    except ValueError:  # half a surrogate pair, or a number of thousands of digits
        raise Problem("holds what cannot be written as text") from None
    return text


def read_substitute(cell: object) -> str:
    """Return a substitute of the gold, which cannot be empty."""
    answer = read_answer(cell)
    if not key(answer):
        raise Problem("a substitute is empty", answer or None)
    return answer


def parse_weight(text: str) -> float | None:
    """Return the weight that *text* writes, or None if it is no positive number.

    >>> parse_weight("3"), parse_weight("0.5"), parse_weight("0"), parse_weight("many")
    (3.0, 0.5, None, None)
    """
    return checked_weight(float(text)) if _NUMBER.fullmatch(text) else None


def checked_weight(value: object) -> float | None:
    """Return *value* as a weight, or None if it is no positive, finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 < value <= MAX_WEIGHT and math.isfinite(value) else None


def read_weight(cell: object) -> float:
    """Return a weight, a positive number."""
    number = cell if isinstance(cell, int | float) else _number(cell)
    weight = parse_weight(cell.strip()) if isinstance(cell, str) else checked_weight(number)
    if weight is None:
        raise Problem("a weight must be a positive number", cell)
    return weight


def read_number(cell: object, what: str) -> float:
    """Return a number, such as the rank of an answer."""
    number = _number(cell)
    if number is None or math.isnan(number):
        raise Problem(f"{what} must be a number", cell)
    return number


def _number(cell: object) -> float | None:
    return None if isinstance(cell, bool) else parse_number(cell)


def is_packed(cell: object) -> bool:
    """Return whether a cell holds several substitutes: a mapping, a list, or a text with separators."""
    if isinstance(cell, str):
        return ";" in cell or cell.lstrip()[:1] in ("{", "[")
    return isinstance(cell, Mapping | tuple)


def is_gold(cell: object) -> bool:
    """Return whether a text holds substitutes with weights, as ELS07 writes gold."""
    pieces = [piece for piece in map(str.strip, cell.split(";")) if piece] if isinstance(cell, str) else []
    return bool(pieces) and all(parse_entry(piece) is not None for piece in pieces)


def gold_cell(cell: Any, weights: object = None) -> dict[str, float]:  # noqa: ANN401
    """Return the substitutes and weights that a cell holds; *weights* may be a list beside a list of substitutes.

    >>> gold_cell("glad 3;merry 2;"), gold_cell({"glad": 3, "merry": None}), gold_cell(("glad", "merry", "glad"))
    ({'glad': 3.0, 'merry': 2.0}, {'glad': 3.0}, {'glad': 2.0, 'merry': 1.0})
    """
    cell, weights = unpacked(cell), unpacked(weights)
    if is_empty(cell):
        return {}
    if isinstance(cell, str):
        return _els07_gold(cell)
    if isinstance(cell, Mapping):  # Arrow gives every mapping of a column all keys, most of them with None
        pairs = [(answer, weight) for answer, weight in cell.items() if weight is not None]
    elif not isinstance(cell, tuple):
        raise Problem("not a mapping, a list or a text of substitutes", cell)
    elif isinstance(weights, tuple):
        if len(weights) != len(cell):
            raise Problem(f"{len(weights)} weights for {len(cell)} substitutes")
        pairs = list(zip(cell, weights, strict=True))
    elif _has_pairs(cell):
        pairs = list(cell)
    else:
        return {answer: float(count) for answer, count in Counter(map(read_substitute, cell)).items()}
    gold = _read_all(lambda pair: (read_substitute(pair[0]), read_weight(pair[1])), pairs)
    twice = next((answer for answer, count in Counter(answer for answer, _ in gold).items() if count > 1), None)
    if twice is not None:
        raise Problem("the same substitute twice", twice)
    return dict(gold)


def _has_pairs(cell: tuple[Any, ...]) -> bool:
    return len(cell) > 0 and all(isinstance(element, tuple) and len(element) == 2 for element in cell)


def _els07_gold(text: str) -> dict[str, float]:
    """Return what a text such as ``glad 3;merry 2;`` holds; as in ELS07 files, equal ones add up."""
    gold: dict[str, float] = {}
    for answer, weight in _read_all(_read_entry, filter(None, map(str.strip, text.split(";")))):
        gold[answer] = gold.get(answer, 0) + weight
    return gold


def _read_entry(piece: str) -> tuple[str, float]:
    entry = parse_entry(piece)
    if entry is None:
        raise Problem("a gold entry must be a substitute and a positive weight", piece)
    return entry


def _read_all(read: Callable[[S], T], parts: Iterable[S]) -> list[T]:
    """Return what *read* makes of each part of a cell; raise the problems of all parts together."""
    done, problems = [], []
    for part in parts:
        try:
            done.append(read(part))
        except Problem as problem:
            problems.append(problem)
    if problems:
        raise Problem(problems[0].what, problems[0].value, further=problems[1:])
    return done


def run_cell(cell: Any) -> list[str]:  # noqa: ANN401
    """Return the answers that a cell holds, best first; answers with scores by falling score.

    >>> run_cell("glad; merry;"), run_cell(("glad", "merry")), run_cell({"merry": 0.2, "glad": 0.8})
    (['glad', 'merry'], ['glad', 'merry'], ['glad', 'merry'])
    """
    cell = unpacked(cell)
    if isinstance(cell, str):
        return trimmed([read_answer(piece) for piece in cell.split(";")])
    if isinstance(cell, Mapping):
        cell = tuple((answer, score) for answer, score in cell.items() if score is not None)
    if not isinstance(cell, tuple):
        cell = () if is_empty(cell) else (cell,)
    if _has_pairs(cell):
        cell = tuple(answer for answer, _ in sorted(cell, key=lambda pair: -read_number(pair[1], "a score")))
    return [read_answer(element) for element in cell]


def trimmed(answers: list[str]) -> list[str]:
    """Return the answers up to the last one: nothing follows it in ``glad;merry;``."""
    size = max((position for position, answer in enumerate(answers, 1) if key(answer)), default=0)
    return answers[:size]


def unpacked(cell: Any) -> Any:  # noqa: ANN401
    """Return the mapping or list that a text writes, as JSON or as Python does; other cells as they are."""
    return python_value(_parsed(cell.strip()) if isinstance(cell, str) and cell.lstrip()[:1] in ("{", "[") else cell)


def _parsed(text: str) -> Any:  # noqa: ANN401
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return _parsed_python(text)
    try:
        return parse_json(text, file="")
    except TouchstoneError as error:
        raise Problem(error.faults[0].what, error.faults[0].value) from None


def _parsed_python(text: str) -> Any:  # noqa: ANN401
    try:
        tree = ast.parse(text, mode="eval").body
        value = ast.literal_eval(tree)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise Problem("not a mapping or a list that can be read", text) from None
    if isinstance(tree, ast.Dict) and len(value) < len(tree.keys):
        raise Problem("duplicate key in a mapping", text)
    return value
