"""Compiled functions: where no folder can keep them, and where there is no compiler."""

import sys

from touchstone.core.compiling import compiled, is_compiled


def test_code_is_compiled_where_no_folder_can_keep_it(monkeypatch):
    import numba

    def nowhere(*given, cache=False, nogil=False):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: function

    monkeypatch.setattr(numba, "njit", nowhere)
    assert compiled(abs) is abs


def test_without_numba_a_function_stays_as_it_is(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    assert compiled(abs) is abs
    assert not is_compiled(abs)
