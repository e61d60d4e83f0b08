"""All measures of translation under one roof: importing this module makes every family known.

The families are light to import: what they need they load when they are asked for figures.
"""

from touchstone.tasks.mt import blend, maxsim, meteor, own, paraeval, sacre, sr_overlap
from touchstone.tasks.mt.model import EXPLAINERS, MEASURES

__all__ = ["DEFAULT", "EXPLAINERS", "FAMILIES", "LANGUAGE_FREE", "MEASURES", "family_of"]

FAMILIES = (blend, maxsim, meteor, own, paraeval, sacre, sr_overlap)
"""The modules that bring measures: each adds its own to `MEASURES` when it is imported."""

DEFAULT = ("maxsim(n)", "bleu", "chrf")
"""What is scored where nothing else is asked for."""

LANGUAGE_FREE = ("bleu", "chrf", "ter")
"""Families that look at characters and words, not at a language; all others of ours are for English."""


def family_of(measure: str) -> str:
    """Return the family of a measure by its name.

    >>> family_of("maxsim(n+d,alpha=0.7)")
    'maxsim'
    """
    return measure.partition("(")[0].partition("@")[0]
