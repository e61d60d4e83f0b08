"""Functions compiled with numba where it is installed, and run as plain Python where it is not.

Importing numba takes a while, so a module with compiled functions is imported only where it is called.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., object])

_PATIENCE = 1.0
"""Seconds after which a waiting user is told why: loading machine code from the cache is faster than that."""


def compiled(function: Function) -> Function:
    """Compile a function of arrays and numbers to machine code, cached on disk beside its module.

    Where that folder is not writable, numba uses the user's cache folder or NUMBA_CACHE_DIR; where nothing is
    writable, every process compiles the function again. Compiled functions release the global interpreter lock, so
    threads score in parallel. Without numba the function is returned as it is.
    """
    try:
        from numba import njit
    except ImportError:
        return function
    try:
        return cast("Function", njit(cache=True, nogil=True)(function))
    except RuntimeError:  # no folder for the cache
        return cast("Function", njit(nogil=True)(function))


def is_compiled(function: Callable[..., object]) -> bool:
    """Return whether `compiled` compiled a function, that is, whether numba is installed."""
    return hasattr(function, "py_func")


@contextmanager
def compilation_notice() -> Iterator[None]:
    """Tell a user at a terminal that functions are being compiled, if it takes longer than a second."""
    notice = Timer(_PATIENCE, sys.stderr.write, ["compiling, once on this machine …\n"])
    notice.daemon = True
    if sys.stderr.isatty():
        notice.start()
    try:
        yield
    finally:
        notice.cancel()
