"""The coefficients of agreement: each is a function in a module of this package, which is found by itself."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.core.resampling import Resampling
from touchstone.people.coefficient import CONSTANT_LABELS, Agreement, Coefficient, Terms, estimate
from touchstone.people.ratings import Ratings
from touchstone.stats.checks import check_choice


def _registered() -> Iterator[tuple[str, Coefficient]]:
    for module in iter_modules(__path__):
        for value in vars(import_module(f"{__name__}.{module.name}")).values():
            if isinstance(value, Coefficient):
                yield value.name, value


COEFFICIENTS: Mapping[str, Coefficient] = dict(sorted(_registered()))
"""All coefficients by name."""


def coefficients_of(
    ratings: Ratings,
    names: Mapping[str, str] | Iterable[str],
    resampling: Resampling = Resampling(),  # noqa: B008 (immutable)
) -> dict[str, Agreement]:
    """Return coefficients of ratings with their intervals.

    Parameters
    ----------
    ratings
        The labels of annotators.
    names
        The names of coefficients, perhaps by the names under which they are shown. ``NAME.LABEL`` is the coefficient of
        one label, compared with all others.
    resampling
        How intervals are made.

    Examples
    --------
    >>> ratings = Ratings.of([["y", "y"], ["y", "y"], ["n", "n"], ["n", "n"], ["y", "n"], ["n", "n"]], ["ana", "ben"])
    >>> {name: round(value.value, 4) for name, value in coefficients_of(ratings, ["cohen", "f1.y", "alpha"]).items()}
    {'cohen': 0.6667, 'f1.y': 0.8, 'alpha': 0.6857}
    """
    if not ratings.pairs[:, 1].any():
        hint = f"agreement needs {ratings.unit}s that two annotators labelled"
        what = f"none of {len(ratings.items):,} {ratings.unit}s has two labels"
        raise TouchstoneError(what, code=Code.TOO_FEW, hint=hint)
    titles = names if isinstance(names, Mapping) else {name: name for name in names}
    return {title: estimate(title, ratings, _terms(ratings, name), resampling) for title, name in titles.items()}


def _terms(ratings: Ratings, name: str) -> Terms:
    """Return the terms of a coefficient, or of that of one label."""
    family, _, label = name.partition(".")
    check_choice("coefficient", family, list(COEFFICIENTS))
    coefficient = COEFFICIENTS[family]
    if coefficient.suits == "numbers":
        _ = ratings.values  # refuses other labels
    wrong = next((each for each in ratings.labels if not isinstance(each, frozenset)), None)
    if coefficient.suits == "sets" and wrong is not None:
        hint = f"{family} needs sets as labels"
        raise TouchstoneError("not a set", value=str(wrong), code=Code.BAD_CELL, hint=hint)
    if coefficient.suits == "one label" and not label:
        hint = f"name the label, such as {family}.{ratings.label_name(ratings.labels[0])}"
        what = "this coefficient is that of one label"
        raise TouchstoneError(what, value=name, code=Code.OPTION_NEEDED, hint=hint)
    terms = coefficient(ratings.against_others(label) if label else ratings)
    constant = f"the label {label} was given always or never"
    return replace(terms, undefined=constant) if label and terms.undefined == CONSTANT_LABELS else terms
