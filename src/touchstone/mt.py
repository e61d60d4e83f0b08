"""Translation, as users see it: ``from touchstone.mt import score``."""

from touchstone.tasks.mt import *  # noqa: F403
from touchstone.tasks.mt import __all__ as __all__
