"""Human judgements of translations: how far judges agree, how near metrics come to them, and tuning on them."""

from collections.abc import Collection

from touchstone.base.errors import TouchstoneError, nearest


def check_choice(what: str, value: str, choices: Collection[str]) -> None:
    """Refuse a *value* that is not one of the *choices*; *what* says what is wrong with it."""
    if value not in choices:
        raise TouchstoneError(
            what, value=value, near=nearest(value, choices), hint=f"choose one of {', '.join(choices)}"
        )
