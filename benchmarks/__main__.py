"""Run all benchmarks, or those named: ``python -m benchmarks lexsub``."""

import sys
from importlib import import_module
from pathlib import Path


def main() -> None:
    """Run the asked benchmarks one after another."""
    known = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))
    for name in sys.argv[1:] or known:
        print(f"== {name} ==", flush=True)
        import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
