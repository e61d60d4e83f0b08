"""A segment's record depends on that segment alone: not on its batch, its thread, its process or the compiler."""

import multiprocessing
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

from touchstone.core.scoring import Scoring
from touchstone.tasks.mt.languages import family_of
from touchstone.tasks.mt.measures import MEASURES
from touchstone.tasks.mt.model import Joined
from touchstone.tasks.mt.texts import Texts

TABLE = "0.5\nis going to\nwill\n0.2\nthe car\nautomobile\n0.1\naccording to\nas stated by\n"
NAMES = (
    "maxsim(n)",
    "maxsim(n,syn=identity,order=4,distance=0.5)",
    "maxsim(n+d)",
    "maxsim(n+d+r,syn=identity,distance=0.3)",
    "blend",
    "paraeval.R",
    "paraeval.P",
    "paraeval.R(table={table},wordnet=on)",
    "meteor(classic)",
    "meteor(tuned)",
    "meteor(search=staged)",
    "bleu",
    "chrf",
    "ter",
    "sr_overlap",
)


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """The measures of every family."""
    folder = tmp_path_factory.mktemp("paraphrases")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CACHE_HOME", str(folder))
        (folder / "toy").write_text(TABLE, "utf-8")
        yield tuple(MEASURES.find(name.format(table=folder / "toy")).name for name in NAMES)


@pytest.fixture(scope="module")
def lines(data):
    """Some lines of a system of WMT12 and of two references, of which the second lacks some."""
    folder = data("wmt12")
    system, first, second = (
        (folder / name).read_text("utf-8").split("\n")[:80] for name in ("cs-en/uedin-wmt12", "ref.en", "es-en/onlineA")
    )
    system[3], system[7], first[11] = "", "...", first[10]
    system[20:24] = ["the " * 60, "car auto machine " * 5, "It rains.", "he will buy the car today"]
    first[20:24] = ["the " * 50, "auto car railcar " * 4, "It rains.", "he is going to purchase the automobile"]
    return system, first, [None if place % 5 == 0 else line for place, line in enumerate(second)]


def compared(lines, start=0, stop=None):
    system, *references = (side[start:stop] for side in lines)
    return Joined(Texts(system), tuple(map(Texts, references)))


def concatenated(parts):
    """The records of all segments from those of blocks."""
    return {name: np.concatenate([records[name] for records in parts]) for name in parts[0]}


def in_blocks(names, lines, size):
    """The records of all segments, scored in blocks of some size."""
    blocks = [compared(lines, start, start + size) for start in range(0, len(lines[0]), size)]
    return concatenated(Scoring("mt", names)(blocks))


@pytest.fixture(scope="module")
def whole(names, lines):
    return concatenated(Scoring("mt", names)([compared(lines)]))


def differing(found, expected):
    """The measures of which not all records are equal, bit by bit."""
    return [name for name in expected if not np.array_equal(found[name], expected[name])]


def test_every_family_is_here():
    assert {*map(family_of, NAMES)} == {*map(family_of, MEASURES.names)}


@pytest.mark.parametrize("size", [1, 7, 64])
def test_records_are_the_same_whole_and_in_blocks(size, names, lines, whole):
    assert differing(in_blocks(names, lines, size), whole) == []


def test_records_are_the_same_in_threads_that_score_different_texts(names, lines, whole):
    with ThreadPoolExecutor(4) as pool:
        blocks = [compared(lines, start, start + 10) for start in range(0, len(lines[0]), 10)]
        found = list(pool.map(Scoring("mt", names), [[block] for block in blocks]))
    assert differing(concatenated([one for (one,) in found]), whole) == []


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_records_are_the_same_in_other_processes(method, names, lines, whole):
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        found = list(pool.map(Scoring("mt", names), [[compared(lines, 0, 40)], [compared(lines, 40)]]))
    assert differing(concatenated([one for (one,) in found]), whole) == []


WITHOUT_NUMBA = """
import pickle, sys
sys.modules["numba"] = None
score, compared = pickle.load(sys.stdin.buffer)
sys.stdout.buffer.write(pickle.dumps(score([compared])[0]))
"""


def test_records_are_the_same_without_numba(names, lines, whole):
    given = pickle.dumps((Scoring("mt", names), compared(lines, 0, 30)))
    done = subprocess.run([sys.executable, "-c", WITHOUT_NUMBA], input=given, stdout=subprocess.PIPE, check=True)
    found = pickle.loads(done.stdout)
    # Only sums of real numbers may differ in the last digit, as another matching may have the same weight.
    for name in differing(found, {name: records[:30] for name, records in whole.items()}):
        assert "distance" in name or name == "blend"
        assert found[name] == pytest.approx(whole[name][:30], abs=1e-12)
