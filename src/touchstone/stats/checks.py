"""What statistics and coefficients refuse in the same words: shares out of range, names that do not exist."""

from collections.abc import Sequence

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest


def check_share(what: str, value: float, hint: str) -> None:
    """Refuse a *value* that is not between 0 and 1.

    >>> check_share("alpha", 5, "a usual one is 0.05")
    Traceback (most recent call last):
    touchstone.base.errors.TouchstoneError: alpha 5 is not between 0 and 1
       a usual one is 0.05
    """
    if not 0 < value < 1:
        raise TouchstoneError(f"{what} {value} is not between 0 and 1", code=Code.OUT_OF_RANGE, hint=hint)


def check_choice(what: str, name: str, choices: Sequence[str]) -> None:
    """Refuse a *name* that is none of the *choices*.

    >>> check_choice("correlation", "pearsn", ["pearson", "kendall"])
    Traceback (most recent call last):
    touchstone.base.errors.TouchstoneError: unknown correlation: "pearsn"; nearest valid name "pearson"
       choose one of pearson, kendall
    """
    if name not in choices:
        near, hint = nearest(name, choices), f"choose one of {', '.join(choices)}"
        raise TouchstoneError(f"unknown {what}", value=name, near=near, code=Code.UNKNOWN_NAME, hint=hint)


def exact_fit() -> TouchstoneError:
    """Return the error of a model without any error, so that no difference can be tested."""
    hint = "there is no error to compare differences with"
    return TouchstoneError("the model fits every row exactly", code=Code.UNSUPPORTED, hint=hint)
