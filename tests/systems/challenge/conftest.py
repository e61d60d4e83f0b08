"""Small sets of pairs, as the tests of inference have them."""

from tests.tasks.nli.conftest import file, gold_of, run_of  # noqa: F401
