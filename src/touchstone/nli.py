"""Inference, as users see it: ``from touchstone.nli import score``."""

import sys
from typing import TYPE_CHECKING

from touchstone.tasks import nli

if TYPE_CHECKING:
    from touchstone.tasks.nli import *  # noqa: F403
else:
    sys.modules[__name__] = nli
