"""Pyramids of content units, as users see it: ``from touchstone.pyramid import score``."""

import sys
from typing import TYPE_CHECKING

from touchstone.tasks import pyramid

if TYPE_CHECKING:
    from touchstone.tasks.pyramid import *  # noqa: F403
else:
    sys.modules[__name__] = pyramid
