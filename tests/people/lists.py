"""Coefficients of lists of answers, as tests of several packages compute them."""

from touchstone.core.resampling import Resampling
from touchstone.people.coefficients import coefficients_of
from touchstone.people.ratings import Ratings


def alpha_of(units, distance="nominal", *, clusters=None, unit="unit", **resampling):
    """Return Krippendorff's alpha of the answers to each unit."""
    ratings = Ratings.of(units, distance=distance, clusters=clusters, unit=unit)
    return coefficients_of(ratings, ["alpha"], Resampling(**resampling))["alpha"]


def coefficients_of_labels(ratings, families, draws=1000):
    """Return the coefficients of all labels, kappa under that name, and the coefficients of each label."""
    names = {"kappa": families[0], "raw_agreement": "raw_agreement", "ac1": "ac1"}
    labels = sorted(map(str, ratings.labels))
    names |= {f"kappa.{label}": f"{families[0]}.{label}" for label in labels}
    names |= {f"{family}.{label}": f"{family}.{label}" for family in families[1:] for label in labels}
    return coefficients_of(ratings, names, Resampling(draws=draws))


def cohen_of(first, second, *, unit="unit", draws=1000):
    """Return Cohen's kappa, raw agreement, AC1 and F1 of the answers of two people."""
    ratings = Ratings.of(zip(list(first), list(second), strict=True), ["first", "second"], unit=unit)
    return coefficients_of_labels(ratings, ["cohen", "f1"], draws)


def fleiss_of(units, *, labels=None, clusters=None, draws=1000):
    """Return Fleiss' kappa, raw agreement and AC1 of the units with the most frequent number of answers."""
    ratings = Ratings.of(units, labels=labels, clusters=clusters).with_modal_size()
    return coefficients_of_labels(ratings, ["fleiss"], draws)
