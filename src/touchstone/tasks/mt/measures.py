"""All measures of translation: importing this module registers every family.

The modules of the families are light to import: what they need, they load when they are asked for values.
"""

from touchstone.tasks.mt import blend, maxsim, meteor, own, paraeval, sacre, sr_overlap
from touchstone.tasks.mt.model import MEASURES

__all__ = ["DEFAULT", "FAMILIES", "MEASURES"]

FAMILIES = (blend, maxsim, meteor, own, paraeval, sacre, sr_overlap)
"""The modules of the families; each adds its measures to `MEASURES` when it is imported."""

DEFAULT = ("maxsim(n)", "bleu", "chrf")
"""What is scored where nothing else is asked for."""
