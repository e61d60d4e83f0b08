"""Print the table of all claims, or run benchmarks by name: ``python -m benchmarks lexsub``; ``all`` runs them all."""

import sys
from importlib import import_module
from pathlib import Path

PARTS = ("claims", "pages", "pyramid_claims", "sides")
"""Modules that are run for the table, not by themselves."""


def main() -> None:
    """Run the asked benchmarks one after another; the table of all claims where none is named."""
    names = [name for name in sys.argv[1:] if not name.startswith("-")]
    if not names:
        from benchmarks import claims

        claims.main(sys.argv[1:])
        return
    every = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py") if path.stem not in PARTS)
    for name in every if names == ["all"] else names:
        print(f"== {name} ==", flush=True)
        import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
