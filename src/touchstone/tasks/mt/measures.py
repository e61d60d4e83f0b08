"""All measures of translation: importing this module registers every family.

The modules of the families are light to import: what they need, they load when they are asked for values.
"""

from touchstone.tasks.mt import blend, maxsim, meteor, own, paraeval, sacre, sr_overlap
from touchstone.tasks.mt.model import MEASURES

__all__ = ["DEFAULT", "FAMILIES", "LANGUAGE_FREE", "MEASURES", "family_of"]

FAMILIES = (blend, maxsim, meteor, own, paraeval, sacre, sr_overlap)
"""The modules of the families; each adds its measures to `MEASURES` when it is imported."""

DEFAULT = ("maxsim(n)", "bleu", "chrf")
"""What is scored where nothing else is asked for."""

LANGUAGE_FREE = ("bleu", "chrf", "ter")
"""Families that work on characters and words of any language; all others of ours are for English."""


def family_of(measure: str) -> str:
    """Return the family of a measure by its name.

    >>> family_of("maxsim(n+d,alpha=0.7)")
    'maxsim'
    """
    return measure.partition("(")[0].partition("@")[0]
