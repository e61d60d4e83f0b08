"""The labels of inference, and what files write for them: words, letters, numbers.

Sets with two labels ask for entailment alone: there neutral and contradiction are both ``not_entailment``.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.spelling import setting

Label = Literal["contradiction", "entailment", "neutral", "not_entailment"]

LABELS: tuple[Label, ...] = ("contradiction", "entailment", "neutral")
TWO_LABELS: tuple[Label, ...] = ("entailment", "not_entailment")

OTHER = "other"
"""The prediction of a system that chooses none of the labels. It is never right."""

NO_MAJORITY = "-"
"""SNLI's gold label of a pair for which no label has a majority."""

SPELLINGS: Mapping[str, str] = {
    **{name: name for name in (*LABELS, "not_entailment")},
    "entails": "entailment",
    "e": "entailment",
    "c": "contradiction",
    "n": "neutral",
    "contradicts": "contradiction",
    "non_entailment": "not_entailment",
}
"""What the labels of public sets mean; blanks and hyphens count as underscores."""

TWO_LABEL_SPELLINGS = frozenset({"not_entailment", "non_entailment", "entails"})
"""Labels that only sets with two labels have: HANS, GLUE and SciTail."""

NUMBERED = ("entailment", "neutral", "contradiction")
"""The labels 0, 1 and 2 of SNLI, MultiNLI and ANLI as Hugging Face publishes them."""

UNLABELLED = frozenset({"", NO_MAJORITY, "-1", "hidden"})
"""What stands for no label: in SNLI, on Hugging Face, in GLUE's test sets."""


def spelled(cell: object) -> str:
    """Return the text of a label as it is looked up.

    >>> spelled("Non-Entailment"), spelled(2.0)
    ('non_entailment', '2')
    """
    text = "" if cell is None else str(cell).strip().lower()
    text = text.removesuffix(".0") if text.removesuffix(".0").removeprefix("-").isdecimal() else text
    return text if text in UNLABELLED else text.replace("-", "_").replace(" ", "_")


def parse_labels(chosen: Sequence[str]) -> dict[str, str]:
    """Return what the user says labels mean, from ``VALUE=LABEL`` texts.

    >>> parse_labels(["0=entailment", "1=not_entailment"])
    {'0': 'entailment', '1': 'not_entailment'}
    """
    meanings = {**SPELLINGS, OTHER: OTHER, "none": ""}
    parsed = {}
    for text in chosen:
        value, equals, label = text.rpartition("=")
        if not equals or spelled(label) not in meanings:
            hint = f"give VALUE=LABEL, where LABEL is one of {', '.join((*LABELS, 'not_entailment', OTHER, 'none'))}"
            what = "no such label"
            raise TouchstoneError(what, value=text, near=nearest(label, meanings), code=Code.BAD_VALUE, hint=hint)
        parsed[spelled(value)] = meanings[spelled(label)]
    return parsed


def numbered_labels(
    cells: Iterable[object], chosen: Mapping[str, str], names: Sequence[str] | None, file: str
) -> dict[str, str]:
    """Return what the whole numbers in a column of labels mean; nothing where it has none.

    Parameters
    ----------
    cells
        The column.
    chosen
        What the user says labels mean.
    names
        The names of the numbers, where the file holds them.
    file
        The file, for messages.
    """
    distinct = {cell for cell in cells if isinstance(cell, str | int | float)}
    numbers = {text for text in map(spelled, distinct) if text.isdecimal()} - chosen.keys()
    if not numbers:
        return {}
    if names:
        meanings = {str(number): SPELLINGS.get(spelled(name), "") for number, name in enumerate(names)}
        if all(meanings.get(number) for number in numbers):
            return meanings
    if not chosen and "2" in numbers and numbers <= {"0", "1", "2"}:
        return {str(number): label for number, label in enumerate(NUMBERED)}
    listed = ", ".join(sorted(numbers))
    hint = f"say what each means, for example {setting('label', '0=entailment', '1=not_entailment')}"
    raise TouchstoneError(f"labels are numbers without a meaning ({listed})", file=file, code=Code.AMBIGUOUS, hint=hint)


def as_two(label: str | None) -> str | None:
    """Return a label as sets with two labels have it.

    >>> as_two("neutral"), as_two("entailment"), as_two("other")
    ('not_entailment', 'entailment', 'other')
    """
    return "not_entailment" if label in ("neutral", "contradiction") else label
