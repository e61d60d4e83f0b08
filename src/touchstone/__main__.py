"""``python -m touchstone`` is the command line."""

from touchstone.cli import main

main()
