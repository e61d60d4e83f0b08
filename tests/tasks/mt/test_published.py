"""Judgements as WMT publishes them: raw MQM, averages, direct assessment, Appraise, ESA, and scores made elsewhere."""

import gzip
import json

import numpy as np
import pytest

from touchstone import mt
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.tasks.mt.judges.metaeval.human import cell_means
from touchstone.tasks.mt.judges.reading import read_judgements

HEAD = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
ROWS = [
    "x\td1\t1\t1\tr1\tQuelle\tA <v>bad</v> one\tAccuracy/Mistranslation\tMajor",
    "x\td1\t1\t1\tr1\tQuelle\tA bad <v>one\tFluency/Punctuation\tMinor",
    'x\td1\t1\t1\tr2\t<v>Quelle</v>\tA "bad one\tStyle/Awkward\tMinor',
    "x\td1\t2\t2\tr1\tZweite\tSecond\tNo-error\tNo-error",
    "y\td1\t1\t1\tr1\tQuelle\tNothing\tNon-translation!\tMajor",
    "y\td1\t2\t2\tr1\tZweite\tThe second\tStyle/Awkward\tNeutral",
    "ref\td1\t1\t1\tr1\tQuelle\tA good one\tNo-error\tNo-error",
    "ref\td1\t2\t2\tr1\tZweite\tThe second\tNo-error\tno-error",
]


@pytest.fixture
def written(tmp_path):
    def write(lines, name="mqm.tsv"):
        path = tmp_path / name
        text = "\n".join(lines) + "\n"
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return path

    return write


def penalties(judged):
    cells = -cell_means(judged, judged.groups[0], judged.systems, judged.segments)
    return {
        (system, segment): cells[row, column]
        for column, system in enumerate(judged.systems)
        for row, segment in enumerate(judged.segments)
    }


@pytest.mark.parametrize("name", ["mqm.tsv", "mqm.tsv.gz"])
def test_a_penalty_is_the_sum_over_errors_and_the_mean_over_raters(written, name):
    (judged,) = read_judgements(written([HEAD, *ROWS], name))
    assert (judged.criterion, judged.scale, judged.judges) == ("mqm", "penalty", ("r1", "r2"))
    found = penalties(judged)
    assert found["x", "1"] == pytest.approx((5.1 + 1) / 2)
    assert (found["x", "2"], found["y", "1"], found["y", "2"]) == (0, 25, 0)
    assert judged.outputs.texts["x"] == ["A bad one", "Second"]
    assert (judged.outputs.sources, judged.outputs.documents) == (("Quelle", "Zweite"), ("d1", "d1"))
    assert judged.notes == ("rows with another text than the first row of the same translation: 1",)


def test_a_further_column_and_other_names_of_columns_are_read(written):
    head = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata"
    (judged,) = read_judgements(written([head, "x\td1\t1\t17\tr1\ts\tt\tStyle/Awkward\tMajor\t{}"]))
    assert (judged.segments, judged.value.tolist()) == (("17",), [5.0])


def test_segments_that_are_numbered_within_documents_are_told_apart(written):
    rows = [f"x\t{doc}\t1\t{seg}\tr1\ts\tt\tStyle/Awkward\tMinor" for doc in ("d1", "d2") for seg in (1, 2)]
    (judged,) = read_judgements(written([HEAD, *rows]))
    assert judged.segments == ("d1:1", "d1:2", "d2:1", "d2:2")


def test_a_scheme_of_ones_own_says_what_errors_cost(written):
    scheme = written(["severity\tcategory\tweight", "Critical\t*\t10", "*\tStyle/*\t0.5", "*\t*\t3"], "scheme.tsv")
    rows = ["x\td\t1\t1\tr\ts\tt\tAccuracy\tCritical", "x\td\t2\t2\tr\ts\tt\tStyle/Awkward\tMajor"]
    path = written([HEAD, *rows])
    (judged,) = read_judgements(path, scheme=scheme)
    assert judged.value.tolist() == [10, 0.5]
    assert "scheme.tsv#" in judged.how
    with pytest.raises(TouchstoneError) as refused:
        read_judgements(path)
    assert refused.value.code == Code.UNKNOWN_NAME
    assert (refused.value.faults[0].line, refused.value.faults[0].value) == (2, "Critical / Accuracy")


def test_averages_may_be_negated_and_none_is_no_judgement(written):
    lines = ["system mqm_avg_score seg_id", "x\t-1.500000 1", "x\tNone 2", "y\t-0.000000 1", "y\t-2 2"]
    (negated,) = read_judgements(written(lines))
    assert (negated.scale, len(negated), negated.goodness.tolist()) == ("score", 3, [-1.5, 0, -2])
    (penalty,) = read_judgements(written([line.replace("-", "") for line in lines]))
    assert (penalty.scale, penalty.goodness.tolist()) == ("penalty", [-1.5, 0, -2])
    with pytest.raises(TouchstoneError) as refused:
        read_judgements(written([*lines, "z\t3 1"]))
    assert refused.value.code == Code.OUT_OF_RANGE


def test_direct_assessment_has_raw_and_standardised_scores(written):
    raw, standardised = read_judgements(
        written(["SYS SID RAW.SCR Z.SCR N ", "x.1 795 28 -2.0157 1 ", "y.2 795 49 -0.72 2 "], "ad-seg-scores-de-en.csv")
    )
    assert (raw.criterion, raw.systems, raw.segments, raw.value.tolist()) == (
        "RAW.SCR",
        ("x.1", "y.2"),
        ("795",),
        [28, 49],
    )
    assert (standardised.criterion, standardised.value.tolist()) == ("Z.SCR", [-2.0157, -0.72])


def test_an_export_of_appraise_is_read_without_its_controls(written):
    rows = [
        "engjpn7c10,x,136,BAD,eng,jpn,31,news.1#bad,False,[],1.0,2.0",
        'engjpn7c10,x,7,TGT,eng,jpn,100,news.1,False,"[{""start_i"":21,""severity"":""major""}]",1.0,2.0',
        "engjpn7c11,x,7,TGT,eng,jpn,90,news.1,False,[],1.0,2.0",
        "engjpn7c11,x,7,TGT,eng,jpn,80,news.1,False,[],1.0,2.0",
        "engjpn7c1c,t1,1000001,TGT,eng,jpn,0,ende-tutorial1,False,[],1.0,2.0",
    ]
    (judged,) = read_judgements(written(rows, "esa.csv"))
    assert (judged.groups, judged.segments, judged.value.tolist()) == (("en-ja",), ("7",), [100, 90, 80])
    assert judged.notes == ("rows of controls, tutorials and whole documents, which are left out: 2",)
    assert cell_means(judged, "en-ja", ["x"], ["7"]).item() == 90


def test_esa_as_json_lines_holds_texts_and_scores(written):
    def line(number, **scores):
        texts = {"x": f"one {number}", "refA": f"two {number}"}
        return json.dumps(
            {"doc_id": f"en-cs_#_news_#_d1_#_{number}", "src_text": "s", "tgt_text": texts, "scores": scores}
        )

    lines = [
        line(1, x=[{"score": 80, "annotator": "a"}, {"score": 60, "annotator": "b"}]),
        line(2, x={"human1": 50.0, "annotator1": "a", "errors1": []}),
    ]
    (judged,) = read_judgements(written(lines, "esa.jsonl"))
    assert (judged.groups, judged.judges, judged.value.tolist()) == (("en-cs",), ("a", "b"), [80, 60, 50])
    assert judged.outputs.texts["refA"] == ["two 1", "two 2"]
    with pytest.raises(TouchstoneError) as refused:
        read_judgements(written([lines[0], '{"a": 1}'], "esa.jsonl"))
    assert refused.value.code == Code.BAD_CELL
    assert refused.value.faults[0].line == 2


def test_scores_without_a_header_are_those_of_the_segments_in_order(written):
    (judged,) = read_judgements(written(["x\t-1", "x\tNone", "y\t0", "y\t-3.5"], "en-de.mqm.seg.score"))
    assert (judged.criterion, judged.segments) == ("mqm", ("1", "2"))
    assert np.array_equal(judged.value, [-1, 0, -3.5])
    with pytest.raises(TouchstoneError) as refused:
        read_judgements(written(["x\t-1", "y\t0", "y\t-3.5"], "en-de.mqm.seg.score"))
    assert refused.value.code == Code.MISMATCH
    assert "x 1, y 2" in str(refused.value)


def test_a_million_rows_are_not_held_as_text(written):
    """What is held of a row is a few numbers, whatever its texts; the soak test measures it."""
    (judged,) = read_judgements(written([HEAD, *ROWS * 50]))
    assert len(judged) == 7
    assert penalties(judged)["x", "1"] == pytest.approx(50 * 6.1 / 2)


def test_the_outputs_in_raw_mqm_are_scored_against_the_system_that_is_the_reference(written):
    path = written([HEAD, *ROWS])
    results = mt.score(path, measures=["chrf"], reference_system=("ref-A",))
    assert [system.system for system in results.systems] == ["x", "y"]
    assert results.items_known.column("document").to_pylist() == ["d1", "d1"]
    assert results.row("y", "chrf").value > results.row("x", "chrf").value
    assert mt.score(path, measures=["chrf"]).signature == results.signature  # ref is the only reference there is
    left = mt.score(path, measures=["chrf"], exclude_system=("y",))
    assert [system.system for system in left.systems] == ["x"]
    with pytest.raises(TouchstoneError, match='no such system in the table: "refB"; nearest valid name "ref"'):
        mt.score(path, reference_system=("refB",))
    two = written([HEAD, *ROWS, *(row.replace("ref", "refB", 1) for row in ROWS if row.startswith("ref"))], "two.tsv")
    with pytest.raises(TouchstoneError) as refused:
        mt.score(two)
    assert refused.value.code == Code.AMBIGUOUS


def test_scores_made_elsewhere_join_by_id_and_are_compared(written):
    path = written([HEAD, *ROWS])
    comet = written(["segment\tsystem\tscore", "2\ty\t0.9", "1\tx\t0.2", "1\ty\t0.4", "2\tx\t0.3"], "comet.tsv")
    results = mt.score(path, measures=["chrf"], scores=(f"comet={comet}",), reference_system=("ref",))
    assert [measure.name for measure in results.measures] == ["chrf", "comet"]
    assert results.row("y", "comet").value == pytest.approx(0.65)
    assert "comet: scores of segments from comet.tsv#" in results.signature["metrics"]
    alone = mt.score(path, scores=(f"hter:lower={comet}",))
    assert [(measure.name, measure.lower_is_better) for measure in alone.measures] == [("hter", True)]


def test_several_metrics_may_stand_in_one_table_and_systems_may_have_one_score(written):
    path = written([HEAD, *ROWS])
    wide = written(["system,segment,a,b", "x,1,1,2", "x,2,1,2", "y,1,3,4", "y,2,3,4", "refA,1,9,9"], "wide.csv")
    results = mt.score(path, scores=(f"m={wide}",))
    assert {row.measure: row.value for row in results.rows if row.system == "y"} == {"m.a": 3, "m.b": 4}
    whole = written(["x\t0.5", "y\t0.25"], "comet.sys.score")
    results = mt.score(path, scores=(f"comet={whole}",))
    row = results.row("x", "comet")
    assert row.value == 0.5
    assert np.isnan(results.items.to_pandas()["comet"]).all()


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (["system,segment,s", "x,1,1", "x,2,1", "y,1,1"], 'm has no score of 1 segments, such as 2: "y"'),
        (["system,segment,s", "z,1,1", "x,1,1", "x,2,1"], 'scores.csv:2: a score of an unknown system: "z"'),
        (["system,segment,s", "x,9,1"], 'scores.csv:2: a score of an unknown segment: "9"'),
        (["system,segment,s", "x,1,high"], 'scores.csv:2: a score must be a number: "high"'),
        (["system,segment,s", "x,1,1", "x,1,2"], 'scores.csv:3: duplicate score of segment 1 (first on line 2): "x"'),
        (["systems,segment,s", "x,1,1"], "has no column 'system'; nearest valid column \"systems\""),
        (["system,segment", "x,1"], "has no column of scores"),
    ],
)
def test_scores_that_do_not_fit_are_refused_with_their_line(written, lines, wanted):
    path, scores = written([HEAD, *ROWS]), written(lines, "scores.csv")
    with pytest.raises(TouchstoneError) as caught:
        mt.score(path, scores=(f"m={scores}",))
    assert wanted in str(caught.value)
