"""The blind reading: the answers in the documentation give the figures that its page states."""

import importlib.util
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
STUDIES = ROOT / "studies"

PATTERNS = {
    "contradiction": {"CCC": 5892, "CCN": 1125, "CCE": 147},
    "entailment": {"EEE": 861, "CEE": 65, "EEN": 56},
    "neutral": {"CNN": 45, "ENN": 2},
}
"""How often the paper's three annotators gave which labels, by their majority: counted in the released set."""


@pytest.fixture(scope="module")
def reading():
    """Give the script that draws the pairs and counts the answers."""
    spec = importlib.util.spec_from_file_location("nli_reading", STUDIES / "nli_reading.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_answers_give_the_figures_of_the_page(reading):
    said = reading.tally(STUDIES / "nli_reading")
    page = (ROOT / "docs" / "nli_reading.md").read_text(encoding="utf-8")
    for name, row in (("sample", r"300 random pairs \| (\d+)"), *((one, one) for one in reading.RELATIONS)):
        line = next(line for line in said if line.startswith(f"{name}: "))
        good = line.split()[1]
        shown = row if name == "sample" else rf"{name.replace('_', '-')}, distinct word pairs \| (\d+) of 50"
        assert re.search(shown, page).group(1) == good, line
        low, high = (f"{100 * float(number):.1f}" for number in re.findall(r"\d\.\d{3}", line))
        assert f"{low} to {high.removesuffix('.0')} %" in page, line
    for number in (1, 2, 3):
        line = next(line for line in said if line.startswith(f"reader-{number}"))
        found = [int(one) for one in re.findall(r"\d+", line.partition(":")[2])]
        shown = re.search(rf"reader {number} \| (\d+) of 20 \| (\d+) of 20 \| (\d+) of 20 \| (\d+) of 60", page)
        assert found == [*(int(one) for one in (shown[4],)), 60, *(int(shown[n]) for n in (1, 2, 3))]


def test_the_annotators_of_the_paper_would_not_reach_90_percent_on_controls_of_three_labels():
    shares = []
    for label, patterns in PATTERNS.items():
        same = sum(count * pattern.count(label[0].upper()) for pattern, count in patterns.items())
        shares.append(same / (3 * sum(patterns.values())))
    assert [round(100 * share, 1) for share in shares] == [94.1, 95.9, 66.7]
    assert round(100 * sum(shares) / 3, 1) == 85.5


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("A man 's dog does n't run .", "A man's dog doesn't run."),
        ("He says `` yes '' , -LRB- twice -RRB- .", 'He says "yes", (twice).'),
        ("Nothing to do", "Nothing to do"),
    ],
)
def test_tokens_are_joined_as_people_write(reading, tokens, text):
    assert reading.detokenised(tokens) == text


def test_the_pairs_that_were_read_are_those_that_the_seed_draws_from_the_set_of_the_page(reading, data, tmp_path):
    challenge = data("breaking_nli") / "dataset.jsonl"
    made = reading.write_draw(data("snli") / "s1.dev", challenge, tmp_path)
    assert (tmp_path / "key.csv").read_text() == (STUDIES / "nli_reading" / "key.csv").read_text()
    labels = Counter(candidate.label for candidate in made.chosen)
    premises = {pair.premise for pair in made.pairs}
    assert (len(made.premises.premises), len(made.pairs), len(premises)) == (3_319, 8_171, 3_120)
    assert (labels["contradiction"], labels["entailment"]) == (4_086, 4_085)
    assert len({candidate.words for candidate in made.chosen}) == 1_685
