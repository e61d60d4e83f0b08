"""The examples of the tests of pyramids."""

from tests.tasks.pyramid.conftest import *  # noqa: F403
