"""MQM judgements of the TED talks of WMT 2021: our means of systems and of segments are the published ones.

Source of the means: the README of google/wmt-mqm-human-evaluation, tables "TED talks"; of the segments: its files of
average segment scores, which have penalties with a minus sign.
"""

import numpy as np
import pytest

from touchstone.tasks.mt.judges.metaeval.human import cell_means
from touchstone.tasks.mt.judges.reading import read_judgements

ENDE = {
    "ref": 0.91, "Facebook-AI": 1.06, "Online-W": 1.12, "VolcTrans-AT": 1.24, "metricsystem3": 1.44,
    "VolcTrans-GLAT": 1.49, "HuaweiTSC": 1.50, "metricsystem1": 1.63, "metricsystem2": 1.69, "metricsystem5": 1.72,
    "UEdin": 1.77, "metricsystem4": 1.78, "eTranslation": 1.96, "Nemo": 2.14,
}  # fmt: skip
ZHEN = {
    "refB": 0.42, "DIDI-NLP": 1.65, "metricsystem2": 1.76, "metricsystem1": 1.90, "MiSS": 1.97, "IIE-MT": 1.98,
    "metricsystem4": 2.05, "metricsystem5": 2.15, "SMU": 2.202, "Borderline": 2.40, "NiuTrans": 2.49,
    "Facebook-AI": 2.64, "Online-W": 2.93, "metricsystem3": 2.99, "ref": 5.52,
}  # fmt: skip

CUT = {"ende": {"eTranslation": 1.97}, "zhen": {"Borderline": 2.41}}
"""Where the published table cuts off digits: 1.96 and 2.40, where its own average scores give 1.9688 and 2.4053."""


def means(judged):
    """Return what judges give each system, as a penalty, and the cells behind it: segments x systems."""
    cells = cell_means(judged, None, judged.systems, judged.segments)
    return dict(zip(judged.systems, -np.nanmean(cells, axis=0), strict=True)), -cells


@pytest.mark.parametrize(("pair", "published"), [("ende", ENDE), ("zhen", ZHEN)])
def test_the_means_of_systems_are_the_published_ones(data, pair, published):
    (judged,) = read_judgements(data("mqm") / f"mqm_ted_{pair}.tsv.gz")
    values, _ = means(judged)
    assert values.keys() == published.keys()
    rounded = {name: round(float(value), 2) for name, value in values.items()}
    differing = {name: rounded[name] for name, mean in published.items() if rounded[name] != round(mean, 2)}
    assert differing == CUT[pair]
    order = sorted(published, key=published.__getitem__)
    assert sorted(values, key=values.__getitem__) == order


@pytest.mark.parametrize("pair", ["ende", "zhen"])
def test_the_average_scores_equal_ours_segment_by_segment(data, pair):
    (raw,) = read_judgements(data("mqm") / f"mqm_ted_{pair}.tsv.gz")
    (average,) = read_judgements(data("mqm") / f"mqm_ted_{pair}.avg_seg_scores.tsv")
    assert (raw.scale, average.scale) == ("penalty", "score")
    _, ours = means(raw)
    theirs = cell_means(average, None, raw.systems, raw.segments)
    assert set(average.systems) - set(raw.systems) == {"ende": {"ref-A"}, "zhen": {"ref-A", "ref-B"}}[pair]
    assert np.array_equal(np.isnan(ours), np.isnan(theirs))
    assert np.nanmax(np.abs(ours + theirs)) < 1e-6
    judged = ~np.isnan(cell_means(average, None, average.systems, average.segments))
    assert judged.sum() == (~np.isnan(ours)).sum() == {"ende": 7_406, "zhen": 7_935}[pair]


def test_average_scores_with_blanks_between_the_columns_are_read(data):
    (judged,) = read_judgements(data("mqm") / "mqm_newstest2020_zhen.avg_seg_scores.tsv")
    assert (len(judged.systems), len(judged.segments), len(judged)) == (10, 2000, 20_000)
    values, _ = means(judged)
    assert values["Huoshan_Translate.919"] == pytest.approx(5.03, abs=0.0051)  # "VolcTrans" in the README
