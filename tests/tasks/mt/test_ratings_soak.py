"""Reading 1.6 million ratings with their texts takes less than a gigabyte."""

import random
import subprocess
import sys

import pytest

MOST = 1 << 30
"""Bytes: the peak that is allowed."""

SYSTEMS, SEGMENTS, ERRORS = 16, 10_000, 10

READ = """
import resource, sys
from touchstone.tasks.mt.judges.reading import read_judgements
(judged,) = read_judgements(sys.argv[1])
assert len(judged.systems) == {systems} and len(judged.segments) == {segments}, len(judged)
assert len(judged) == {systems} * {segments} * 3
assert judged.outputs.texts["s3"][17] is not None
usage = resource.getrusage(resource.RUSAGE_SELF)
print(usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime)
"""


def write_ratings(path):
    """Write raw MQM: 16 systems, 10,000 segments, three raters, ten errors of each translation."""
    words = [f"{chr(97 + n % 26)}word{n}" for n in range(5_000)]
    draw = random.Random(0)
    texts = [" ".join(draw.choices(words, k=16)) for _ in range(4_000)]
    kinds = [("Accuracy/Mistranslation", "Major"), ("Fluency/Punctuation", "Minor"), ("No-error", "No-error")]
    with path.open("w", encoding="utf-8") as file:
        file.write("system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n")
        for segment in range(SEGMENTS):
            source = texts[segment % 1000]
            for system in range(SYSTEMS):
                target = f"{system} {segment} {texts[(segment * 7 + system) % 4000]}"
                for error in range(ERRORS):
                    category, severity = kinds[error % 3]
                    marked = f"<v>{target[:9]}</v>{target[9:]}"
                    place = f"d{segment // 20}\t{segment % 20}\t{segment}\tr{error % 3}"
                    file.write(f"s{system}\t{place}\t{source}\t{marked}\t{category}\t{severity}\n")


@pytest.mark.soak
def test_more_than_a_million_ratings_are_read_under_a_gigabyte(tmp_path):
    path = tmp_path / "mqm.tsv"
    write_ratings(path)
    code = READ.format(systems=SYSTEMS, segments=SEGMENTS)
    found = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    peak, seconds = found.stdout.split()
    sys.stdout.write(
        f"{path.stat().st_size / 1e6:.0f} MB read in {float(seconds):.1f} s, peak {int(peak) / 1e6:.0f} MB\n"
    )
    assert int(peak) < MOST
