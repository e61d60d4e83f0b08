"""What docs/judging.md says of chrF as a judge of the TED talks of WMT 2021 (MQM, Chinese to English)."""

import gzip
import re

import pytest
from sacrebleu.metrics.chrf import CHRF

from touchstone.judge.assessing import assess
from touchstone.tasks.items.answers import paired_tables


@pytest.mark.soak
def test_chrf_follows_people_loosely_and_swaps_most_systems_that_they_tell_apart(data):
    folder, chrf, texts, human, judge = data("mqm"), CHRF(), {}, [], []
    with gzip.open(folder / "mqm_ted_zhen.tsv.gz", "rt", encoding="utf-8") as lines:
        for line in list(lines)[1:]:
            system, _, _, segment, _, _, target, *_ = line.rstrip("\n").split("\t")
            texts.setdefault((system, segment), re.sub("</?v>", "", target))
    for line in (folder / "mqm_ted_zhen.avg_seg_scores.tsv").read_text("utf-8").splitlines()[1:]:
        system, score, segment = line.split()
        if score != "None" and not system.startswith("ref"):
            text, place = texts[system, segment], {"system": system, "item": segment}
            human.append({**place, "score": float(score)})
            value = chrf.sentence_score(text, [texts["ref", segment]]).score
            judge.append({**place, "words": len(text.split()), "score": value})
    [paired] = paired_tables(human, judge, ["score"])
    found = assess(paired)
    assert found.checks["agreement"].coefficients[0].judge_value == pytest.approx(0.111, abs=5e-4)
    assert found.checks["pairs"].accuracies[0].value == pytest.approx(0.525, abs=5e-4)
    [own] = [one for one in found.checks["bias"].levels if one.level == "Online-W"]
    assert own.against_rest == pytest.approx(1.392, abs=5e-4)
    [long] = [one for one in found.checks["bias"].levels if one.level.endswith("to 85")]
    assert long.against_rest == pytest.approx(2.143, abs=5e-4)
    assert long.significant
    assert (
        found.sentences[-1]
        == "the judge reverses 47 of 78 pairs of systems, 16 of 24 among those that differ significantly for people"
    )
