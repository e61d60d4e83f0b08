"""Harmed files give a sentence or warnings, never a traceback, and never take long."""

import random
import resource
import time

import pytest

from touchstone import TouchstoneError
from touchstone.pyramid import Annotation, GoldSet, explain_summary, problems, read, score
from touchstone.tasks.pyramid.formats import format_annotation, format_json, format_pyramid

SECONDS, MEGABYTES = 60, 200

PIECES = [
    b"<", b">", b"&", b'"', b"\x00", b"\xff", b"\xc3", b"\xef\xbb\xbf", "\U0001f408".encode(), b"]]>", b"<!--",
    b"<?x?>", b"<![CDATA[", b"&#0;", b"&#x110000;", b"&lol;", b'<!ENTITY a "b">', b"-1", b"99999999999999999999",
    b"1e9", b"null", b"[", b"{", b"\\ud800", b"true", b"NaN", b'uid="0"', b'start="-7"', b"<scu/>", b"<part/>",
    b"<line/>", b"\r", b"\t",
]  # fmt: skip


def mutate(raw: bytes, draw: random.Random) -> bytes:
    """Return *raw* after one to four small accidents."""
    for _ in range(draw.randint(1, 4)):
        if not raw:
            break
        at = draw.randrange(len(raw))
        to = min(len(raw), at + draw.choice([1, 2, 8, 40, 400]))
        accident = draw.randrange(7)
        if accident == 0:
            raw = raw[:at] + bytes([draw.randrange(256)]) + raw[at + 1 :]
        elif accident == 1:
            raw = raw[:at] + raw[to:]
        elif accident == 2:
            raw = raw[:to] + raw[at:to] + raw[to:]
        elif accident == 3:
            raw = raw[:at] + draw.choice(PIECES) + raw[at:]
        elif accident == 4:
            raw = raw.replace(raw[at:to], draw.choice(PIECES), draw.choice([1, -1]))
        elif accident == 5:
            digits = [place for place in range(at, min(len(raw), at + 200)) if raw[place : place + 1].isdigit()]
            raw = raw[: digits[0]] + str(draw.randrange(10_000)).encode() + raw[digits[0] + 1 :] if digits else raw
        elif draw.random() < 0.2:
            raw = raw[:at]
    return raw


def use(path) -> bool:
    """Do all that is done with a file; return whether it could be read."""
    try:
        thing = read(path)
        problems(thing)
        format_json(thing)
        if isinstance(thing, Annotation):
            format_annotation(thing)
            score(GoldSet([thing]))
            explain_summary(thing).optimum_table()
        else:
            format_pyramid(thing)
    except TouchstoneError:
        return False
    return True


def run(bases, mutants: int, tmp_path) -> int:
    draw = random.Random(mutants)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    usable = 0
    for _ in range(mutants):
        name, raw = draw.choice(bases)
        path = tmp_path / name
        path.write_bytes(mutate(raw, draw))
        begun = time.process_time()
        usable += use(path)
        assert time.process_time() - begun < SECONDS, path.read_bytes()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MEGABYTES * 1024
    return usable


@pytest.fixture
def bases(demo):
    """The bundled files, in XML and in JSON."""
    files = [(path.name, path.read_bytes()) for path in sorted(demo.glob("*.p[ay]*"))]
    return files + [(f"{path.stem}.json", format_json(read(path)).encode()) for path in sorted(demo.glob("*.p[ay]*"))]


def test_2000_harmed_files_give_only_sentences_and_warnings(bases, tmp_path):
    usable = run(bases, 2000, tmp_path)
    assert 0 < usable < 2000


@pytest.mark.soak
def test_10000_harmed_files_give_only_sentences_and_warnings(bases, data, tmp_path, record_property):
    real = [(path.name, path.read_bytes()) for path in sorted((data("duc2006") / "pan").iterdir())[::40]]
    usable = run(bases + real, 10_000, tmp_path)
    record_property("said", f"{usable:,} of 10,000 harmed files could still be scored")
    assert 0 < usable < 10_000
