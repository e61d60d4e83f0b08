"""Lexical substitution, as users see it: ``from touchstone.lexsub import score``."""

import sys
from typing import TYPE_CHECKING

from touchstone.tasks import lexsub

if TYPE_CHECKING:
    from touchstone.tasks.lexsub import *  # noqa: F403
else:
    sys.modules[__name__] = lexsub
