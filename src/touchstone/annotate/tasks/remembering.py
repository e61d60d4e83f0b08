"""Values that were asked for lately, kept while there is room; threads may ask at once."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Remembered(Generic[Value]):
    """The values of the last *most* keys that were asked for.

    >>> squares = Remembered[int](2)
    >>> [squares.get(n, lambda n=n: n * n) for n in (2, 3, 2)], squares.get(None, lambda: 7)
    ([4, 9, 4], 7)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._turn = threading.Lock()

    def get(self, key: Hashable | None, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made where it is not remembered; under no key nothing is remembered."""
        if key is None:
            return make()
        with self._turn:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        made = make()
        self.keep(key, made)
        return made

    def keep(self, key: Hashable | None, value: Value) -> None:
        """Remember a value that was made elsewhere."""
        if key is None:
            return
        with self._turn:
            self._values[key] = value
            while len(self._values) > self._most:
                self._values.popitem(last=False)
