"""Compiled functions: the one place that knows numba. Import the modules that use it only where they are called."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., object])

_PATIENCE = 1.0
"""Seconds after which somebody who watches is told: machine code that was kept is there sooner."""


def compiled(function: Function) -> Function:
    """Compile a function of arrays and numbers to machine code, which is kept beside its module for the next time.

    Where that folder cannot be written, the code is kept in the user's cache or in NUMBA_CACHE_DIR; where nothing can
    be written, every process compiles it again.
    """
    from numba import njit

    try:
        return cast("Function", njit(cache=True)(function))
    except RuntimeError:  # no folder for the cache
        return cast("Function", njit(function))


@contextmanager
def compiling_aloud() -> Iterator[None]:
    """Say that something is being compiled, if it takes a while and somebody watches."""
    said = Timer(_PATIENCE, sys.stderr.write, ["compiling, once on this machine …\n"])
    said.daemon = True
    if sys.stderr.isatty():
        said.start()
    try:
        yield
    finally:
        said.cancel()
