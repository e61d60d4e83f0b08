"""Tables of per-item scores, as users see them: ``from touchstone.items import score``."""

import sys
from typing import TYPE_CHECKING

from touchstone.tasks import items

if TYPE_CHECKING:
    from touchstone.tasks.items import *  # noqa: F403
else:
    sys.modules[__name__] = items
