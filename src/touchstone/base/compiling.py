"""Functions compiled with numba where it is installed, and run as plain Python where it is not.

Loading numba takes half a second, and compiling a function, once on a machine, up to a few. So a function begins as
plain Python, with the same results, and is compiled when it has been given more than a few numbers.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, update_wrapper
from importlib.util import find_spec
from threading import Timer
from typing import Protocol, TypeVar, cast

import numpy as np

Function = TypeVar("Function", bound=Callable[..., object])

FEW = 50_000
"""How many numbers a function is given, in arrays, before it is compiled: plain Python takes a microsecond for each."""

_PATIENCE = 1.0
"""Seconds after which a waiting user is told why: loading machine code from the cache is faster than that."""


def compiled(function: Function) -> Function:
    """Compile a function of arrays and numbers to machine code, cached on disk beside its module.

    Where that folder is not writable, numba uses the user's cache folder or NUMBA_CACHE_DIR; where nothing is
    writable, every process compiles the function again. Compiled functions release the global interpreter lock, so
    threads score in parallel. Without numba the function is returned as it is.
    """
    return compiled_after(FEW)(function)


class _Decorator(Protocol):
    def __call__(self, function: Function, /) -> Function: ...


def compiled_after(few: int) -> _Decorator:
    """Compile a function, as `compiled` does, once it has been given more than *few* numbers in arrays.

    Parameters
    ----------
    few
        Less than `FEW`, where plain Python takes much longer than a microsecond for each number.
    """

    def decorate(function: Function, /) -> Function:
        return cast("Function", Compiled(function, few)) if _numba_is_installed() else function

    return decorate


def compiled_part(function: Function) -> Function:
    """Compile a function that only compiled functions call: it becomes, and is cached as, a part of them.

    It has no wrapper through which Python could call it, which would take as long to compile as a short function.
    """
    return cast("Function", CompiledPart(function)) if _numba_is_installed() else function


def _numba_is_installed() -> bool:
    try:
        return find_spec("numba") is not None
    except ImportError:  # an import hook forbids it
        return False


def is_compiled(function: Callable[..., object]) -> bool:
    """Return whether `compiled` compiles a function, that is, whether numba is installed."""
    return isinstance(function, CompiledPart)


class Dispatcher(Protocol):
    """What numba makes of a function: machine code by the types of the arguments."""

    overloads: Mapping[tuple[object, ...], object]

    def __call__(self, *arguments: object) -> object:
        """Call the code for the types of the arguments, compiled if need be."""

    def compile(self, types: tuple[object, ...]) -> object:
        """Compile the function for some types of arguments, or load it from the cache."""


class CompiledPart:
    """A function as plain Python, and as what numba makes of it for the compiled functions that call it."""

    def __init__(self, function: Callable[..., object]) -> None:
        self.function = function
        update_wrapper(self, function)

    def __call__(self, *arguments: object) -> object:
        """Call the function as plain Python."""
        return self.function(*arguments)

    @cached_property
    def dispatcher(self) -> Dispatcher:
        """The compiled function, by the types of its arguments."""
        return _dispatcher(self.function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


class Compiled(CompiledPart):
    """A function that is compiled once it has been given more than a few numbers."""

    def __init__(self, function: Callable[..., object], few: int) -> None:
        super().__init__(function)
        self.left = few
        self.ready = False

    def __call__(self, *arguments: object) -> object:
        """Call the function, and compile it before if that is worth its while."""
        if not self.ready:
            self.left -= sum(argument.size for argument in arguments if isinstance(argument, np.ndarray))
            if self.left >= 0:
                return self.function(*arguments)
            self.compile(*arguments)
        return self.dispatcher(*arguments)

    def compile(self, *arguments: object) -> None:
        """Compile the function for the types of these arguments, or load it from the cache, if it is not done."""
        from numba import typeof

        types = tuple(map(typeof, arguments))
        if types not in self.dispatcher.overloads:
            with compilation_notice():
                self.dispatcher.compile(types)
        self.ready = True

    @cached_property
    def dispatcher(self) -> Dispatcher:
        """The compiled function, by the types of its arguments."""
        try:
            return _dispatcher(self.function, cache=True)
        except RuntimeError:  # no folder for the cache
            return _dispatcher(self.function)


def _dispatcher(function: Callable[..., object], **options: bool) -> Dispatcher:
    from numba import njit, types
    from numba.extending import typeof_impl

    # Where a compiled function calls one of ours, numba sees what compiles that.
    typeof_impl.register(CompiledPart)(lambda part, _: types.Dispatcher(part.dispatcher))
    # Without a check for division by 0, which would keep loops from being vectorised.
    return cast("Dispatcher", njit(nogil=True, error_model="numpy", **options)(function))  # type: ignore[call-overload]


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
