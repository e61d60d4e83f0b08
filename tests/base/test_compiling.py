"""Compiled functions: when they are compiled, where no folder can keep them, and where there is no compiler."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import touchstone
from touchstone.base.compiling import compiled, compiled_after, compiled_part, is_compiled

SOURCE = Path(touchstone.__file__).parent.parent

LOOPS = """
import numpy as np
from touchstone.base.compiling import compiled_after, compiled_part

@compiled_part
def twice(number):
    return 2 * number

@compiled_after(0)
def total(numbers):
    found = 0
    for number in numbers:
        found += twice(number)
    return found

def from_cache():
    assert total(np.arange(4)) == 12
    return sum(total.dispatcher.stats.cache_hits.values())
"""
POOL = """
import multiprocessing, sys
from loops import from_cache
if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        print(pool.apply(from_cache))
"""


@compiled_part
def doubled(number):
    return 2 * number


@compiled_after(3)
def doubled_sum(numbers):
    total = 0
    for number in numbers:
        total += doubled(number)
    return total


def test_a_function_is_plain_python_until_it_has_been_given_more_than_a_few_numbers():
    begun = type(doubled_sum)(doubled_sum.function, 3)
    assert begun(np.array([1, 2])) == begun(np.array([3])) == 6
    assert "dispatcher" not in vars(begun)
    assert begun(np.array([4])) == 8
    assert len(begun.dispatcher.overloads) == 1


def test_a_compiled_function_calls_its_parts_and_python_may_call_them_too():
    assert doubled_sum.dispatcher(np.arange(4)) == doubled_sum.function(np.arange(4)) == 12
    assert doubled(4) == 8


def run(program, *words, **environment):
    given = {**os.environ, "PYTHONPATH": str(SOURCE), **environment}
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=given)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_few_numbers_do_not_load_numba():
    few = "import sys; from touchstone import mt; "
    few += "mt.score(['a b c'], {'one': ['a c b']}, ['maxsim(n)', 'meteor', 'ter']); print('numba' in sys.modules)"
    assert run(few) == "False"


@pytest.mark.parametrize("read_only", [False, True])
def test_other_processes_load_the_code_from_the_cache_also_where_the_package_is_read_only(tmp_path, read_only):
    (tmp_path / "loops.py").write_text(LOOPS)
    (tmp_path / "pool.py").write_text(POOL)
    if read_only:  # a folder that cannot be made, whoever runs the test
        (tmp_path / "__pycache__").write_text("")
    user = tmp_path / "user"
    given = {"PYTHONPATH": f"{SOURCE}{os.pathsep}{tmp_path}", "NUMBA_CACHE_DIR": "", "XDG_CACHE_HOME": str(user)}
    program = "from loops import from_cache; print(from_cache())"
    assert [run(program, **given) for _ in range(2)] == ["0", "1"]
    for method in ("fork", "spawn"):
        start = f"import runpy, sys; runpy.run_path({str(tmp_path / 'pool.py')!r}, run_name='__main__')"
        assert run(start, method, **given) == "1"
    assert user.exists() == read_only


def test_code_is_compiled_where_no_folder_can_keep_it(monkeypatch):
    import numba

    njit = numba.njit

    def nowhere(*, cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return njit(**options)

    monkeypatch.setattr(numba, "njit", nowhere)
    assert type(doubled_sum)(doubled_sum.function, -1)(np.arange(4)) == 12


@pytest.mark.parametrize("decorator", [compiled, compiled_part])
def test_without_numba_a_function_stays_as_it_is(monkeypatch, decorator):
    monkeypatch.setitem(sys.modules, "numba", None)
    assert decorator(abs) is abs
    assert not is_compiled(abs)
