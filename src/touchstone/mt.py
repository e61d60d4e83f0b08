"""Translation, as users see it: ``from touchstone.mt import score``."""

import sys
from typing import TYPE_CHECKING

from touchstone.tasks import mt

if TYPE_CHECKING:
    from touchstone.tasks.mt import *  # noqa: F403
else:
    sys.modules[__name__] = mt
