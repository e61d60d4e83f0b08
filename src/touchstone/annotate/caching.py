"""A small cache for threads: the values that were used last."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Cache(Generic[Value]):
    """The values of the *most* keys that were used last; safe to use from several threads.

    >>> squares = Cache[int](2)
    >>> [squares.get(n, lambda n=n: n * n) for n in (2, 3, 2)], squares.get(None, lambda: 7)
    ([4, 9, 4], 7)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable | None, make: Callable[[], Value]) -> Value:
        """Return the value of *key*, calling *make* if it is not cached; with the key None nothing is cached."""
        if key is None:
            return make()
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._lock:
            self._values[key] = value
            if len(self._values) > self._most:
                self._values.popitem(last=False)
        return value
