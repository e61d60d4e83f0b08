"""The pyramid commands on the files of DUC 2006 and REALSumm, as a user types them.

Sources: the official table `2006_modified_scores.txt`; Passonneau et al. (2006), "Applying the Pyramid Method in the
2006 Document Understanding Conference". Other figures were computed on the same files with statsmodels, scipy and nltk.
"""

import csv
import json
from functools import cache

import pytest
from click.testing import CliRunner

from touchstone.cli import app
from touchstone.pyramid import analyse, read_scores
from touchstone.tasks.pyramid.model import unpadded

FACTORS = "setid,peerid,content,overall,l1,l2,l3,l4,l5"


@cache
def _typed(*arguments):
    done = CliRunner().invoke(app, ["pyramid", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    return done.stdout, done.stderr


@pytest.fixture
def run():
    """Run the command line as it is typed; give its output and its remarks. The same command is run once."""
    return _typed


@pytest.fixture
def table(data):
    return data("duc2006") / "anova_table.csv"


@pytest.fixture
def analysis(run, table):
    """Analyse the table of DUC 2006 by the nine factors, with further options."""
    return lambda *options: json.loads(run("analyse", table, "--factors", FACTORS, "--json", *options)[0])


def rows_of(found, kind, **about):
    return [row for row in found["rows"] if row["kind"] == kind and about.items() <= row.items()]


def effect(found, name):
    return next(row for row in rows_of(found, "effect") if row["factor"] == name)


def significant(found):
    return [row["factor"] for row in rows_of(found, "effect") if row["p"] < 0.05]


def pairs(found, factor):
    return {(row["higher"], row["lower"]) for row in rows_of(found, "pair", factor=factor)}


def residual(found):
    (row,) = rows_of(found, "residual")
    return {key: value for key, value in row.items() if key != "kind"}


def test_462_official_scores_with_units_and_repetitions_in_one_command(run, data, tmp_path):
    scores = tmp_path / "scores.csv"
    run("table", data("duc2006") / "pan", "--annotators", "each", "-o", scores)
    with scores.open(newline="") as lines:
        ours = {
            (row["setid"], row["peerid"], row["annotator"]): (
                round(float(row["score"]), 4),
                float(row["nscu"]),
                float(row["nrep"]),
            )
            for row in csv.DictReader(lines)
        }
    official = [line.split("\t") for line in (data("duc2006") / "2006_modified_scores.txt").read_text().splitlines()]
    theirs = {(row[0], unpadded(row[1]), row[5]): (float(row[2]), float(row[3]), float(row[4])) for row in official}
    assert len(theirs) == 462
    assert ours == theirs


def test_analyse_gives_the_reference_model(analysis):
    """440 rows averaged: residual df 371, MSE .0044445; type II F of set 13.643, peer 2.7585, content 3.7027."""
    found = analysis("--baseline", "1")
    assert effect(found, "setid")["type"] == "II"
    assert residual(found) == {"df": 371, "mse": pytest.approx(0.0044445, abs=5e-8)}
    assert [effect(found, name)["f"] for name in ("setid", "peerid", "content")] == pytest.approx(
        [13.643, 2.7585, 3.7027], abs=5e-4
    )
    assert significant(found) == ["setid", "peerid", "content"]
    assert effect(found, "content")["p"] == pytest.approx(0.0057, abs=5e-5)
    assert found["notes"][0].startswith("22 summaries have several annotators")


def test_analyse_keeps_462_rows_where_asked(analysis):
    found = analysis("--annotators", "each")
    assert effect(found, "content")["p"] == pytest.approx(0.0077, abs=5e-5)
    assert len(pairs(found, "content")) == 5


def test_with_type_one_grammaticality_is_significant_too(analysis):
    found = analysis("--type", "I")
    assert significant(found) == ["setid", "peerid", "content", "l1"]
    assert effect(found, "content")["p"] == pytest.approx(0.000033, abs=5e-7)


def test_hsd_separates_81_pairs_of_sets_25_of_peers_and_7_of_content(analysis):
    found = analysis()
    assert [len(pairs(found, name)) for name in ("setid", "peerid", "content")] == [81, 25, 7]


def test_least_squares_means_tell_4_pairs_of_peers_apart_where_raw_means_tell_25(run, table, analysis):
    found = analysis()
    kinds = ("raw", "least-squares")
    assert [len(rows_of(found, "mean_pair", factor="peerid", means=kind)) for kind in kinds] == [25, 4]
    output, _ = run("analyse", table, "--factors", FACTORS)
    assert "Tukey HSD tells 25 of 231 pairs of peerid apart by raw means, 4 by least-squares means." in output
    assert "means of peerid disagree about 21 pairs (21 differ by raw means alone, 0 by least-squares" in output


def test_random_sets_take_44_percent_of_the_variance(analysis):
    """Variances as statsmodels 0.15 finds them: .003493 and .0044444; with set + peer alone .004688 and .0047701."""
    found = analysis("--random", "setid")
    assert [row["variance"] for row in rows_of(found, "component")] == pytest.approx([0.003493, 0.0044444], abs=1e-6)
    assert len(rows_of(found, "mean_pair", factor="peerid", means="mixed-model")) == 4
    assert [row["factor"] for row in rows_of(found, "mixed_effect") if row["p"] < 0.05] == ["peerid", "content"]


def test_peers_and_sets_as_samples_of_their_kind(run, table):
    """statsmodels 0.15: variances .004688 of sets, .000936 of peers, .0047701 of the rest."""
    found = rows_of(json.loads(run("analyse", table, "--random", "setid,peerid", "--json")[0]), "component")
    assert [one["variance"] for one in found] == pytest.approx([0.004688, 0.000936, 0.0047701], abs=1e-6)
    assert [round(one["share"], 2) for one in found] == [0.45, 0.09, 0.46]


def test_the_official_table_is_analysed_as_it_is(run, data):
    """No header; six rows of D0647 have no ratings."""
    official = data("duc2006") / "2006_modified_scores.txt"
    factors = "setid,peerid,content,l1,l2,l3,l4,l5"
    output, _ = run("analyse", official, "--factors", factors)
    assert "434 rows; 6 with an empty cell dropped" in output


def test_scores_and_tables_of_ratings_as_nist_writes_them_give_the_reference_model(run, table, tmp_path):
    """A heading, then set, two letters, peer, the number of the question where there are several, and the rating."""
    with table.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    scores = tmp_path / "scores.tsv"
    own = ("setid", "peerid", "score", "annot")
    scores.write_text("\n".join("\t".join(cells) for cells in [own, *([row[name] for name in own] for row in rows)]))
    for name in ("content", "overall"):
        text = "".join(f"{row['setid']} M A {row['peerid']} {row[name]}\n" for row in rows)
        (tmp_path / f"2006_{name}.table").write_text("heading\n\n" + text)
    questions = [f"{row['setid']} M A {row['peerid']} {q} {row[f'l{q}']}\n" for row in rows for q in range(1, 6)]
    (tmp_path / "linguistic_quality.table").write_text("heading\n\n" + "".join(questions))
    ratings = [part for path in sorted(tmp_path.glob("*.table")) for part in ("--ratings", path)]
    found = json.loads(run("analyse", scores, *ratings, "--factors", FACTORS, "--json")[0])
    assert residual(found) == {"df": 371, "mse": pytest.approx(0.0044445, abs=5e-8)}


def test_lsd_separates_96_pairs_of_peers_and_says_its_name(analysis):
    found = analysis("--test", "lsd")
    assert [row["test"] for row in rows_of(found, "comparison", factor="peerid")] == ["Fisher LSD"]
    assert len(pairs(found, "peerid")) == 96


@pytest.mark.parametrize(("test", "above"), [("hsd", 10), ("lsd", 17)])
def test_peers_above_the_baseline(run, table, test, above):
    """The paper says 16."""
    output, _ = run("analyse", table, "--factors", FACTORS, "--test", test, "--baseline", "1")
    assert f"{above} of 21 peers are significantly above the baseline 1." in output


def test_sets_get_letters_with_the_reason_why_there_are_no_disjoint_groups(run, table):
    output, _ = run("analyse", table, "--factors", FACTORS)
    assert "no disjoint groups: D0624 differs from neither D0631 nor D0640, but these two differ" in output


def test_the_25_differences_have_one_direction_in_hard_middling_and_easy_sets(analysis):
    """Few of them are significant within a third of the sets; nothing says that peers differ otherwise in one."""
    found = analysis()
    groups = rows_of(found, "set_group")
    assert [(group["same"], group["turned"]) for group in groups] == [(25, 0)] * 3
    assert sum(len(group["members"]) for group in groups) == 20
    (interaction,) = rows_of(found, "interaction")
    assert interaction["df"] == 42
    assert interaction["p"] > 0.5


def test_half_of_the_sets_as_an_evaluation_of_its_own_shows_fewer_differences(run, table, tmp_path):
    head, *rows = table.read_text().splitlines()
    half = tmp_path / "half.csv"
    half.write_text("\n".join([head, *(row for row in rows if row < "D0624")]))
    whole, fewer = rows_of(json.loads(run("analyse", table, "--json", "--beside", half)[0]), "evaluation")
    assert (whole["sets"], whole["differing"], fewer["sets"]) == (20, 20, 9)
    assert fewer["critical"] > whole["critical"]
    assert whole["alike"] < whole["differing"]


def test_a_report_of_the_analysis_has_both_plots(run, table, tmp_path):
    report = tmp_path / "analysis.html"
    run("analyse", table, "--dependent", "score", "--factors", FACTORS, "--report", report)
    page = report.read_text()
    assert page.count("<svg") == 2 * 3  # each for a wide and for a narrow window: peers, difficulty, content
    for said in ("type II", "Peers and their groups", "Difficulty of the document sets", "Tukey HSD after score ~"):
        assert said in page


@pytest.fixture
def annotators(data, tmp_path):
    """The two annotations of D0631, a folder each."""
    for who in ("114", "115"):
        (tmp_path / who).mkdir()
        for path in (data("duc2006") / "pan").glob(f"{who}.D0631.*.pan"):
            (tmp_path / who / path.name).symlink_to(path)
    return tmp_path / "114", tmp_path / "115"


def test_agreement_of_the_two_annotations_of_d0631(run, annotators):
    found = json.loads(run("agreement", *annotators, "--json")[0])["rows"]
    rows = [row for row in found if row["kind"] == "coefficient"]
    found = {(row["unit"], row["measure"], row.get("distance")): row for row in rows}
    expected = {
        ("decision", "raw_agreement", "nominal"): 0.953,
        ("decision", "kappa", "nominal"): 0.8445,
        ("decision", "alpha", "nominal"): 0.8446,
        ("decision", "f1.expressed", "nominal"): 0.873,
        ("peer summary", "alpha", "masi"): 0.305,
        ("peer summary", "alpha", "jaccard"): 0.655,
        ("peer summary", "alpha", "dice"): 0.736,
        ("peer summary", "alpha", "nominal"): 0.044,
        ("content unit", "alpha", "masi"): 0.671,
        ("content unit", "alpha", "jaccard"): 0.747,
        ("peer summary", "pearson", None): 0.915,
        ("peer summary", "spearman", None): 0.914,
        ("peer summary", "kendall", None): 0.796,
    }
    assert {key: found[key]["value"] for key in expected} == pytest.approx(expected, abs=5e-4)
    assert {key[0]: found[key]["n"] for key in expected} == {"decision": 1386, "peer summary": 22, "content unit": 63}
    assert all(row["low"] <= row["value"] <= row["high"] for row in rows)


def test_the_two_annotations_of_d0631_give_the_same_mean(run, annotators):
    output, _ = run("agreement", *annotators)
    assert output.count("0.3572") == 2
    assert "largest gap (5)   0.0761" in output


def test_a_pyramid_agrees_with_itself(run, data):
    path = data("duc2006") / "pyr" / "D0631.pyr"
    (row,) = json.loads(run("agreement", path, path, "--json")[0])["rows"]
    assert (row["unit"], row["distance"], row["value"]) == ("token", "masi", 1.0)


@pytest.mark.parametrize(
    ("peers", "enough", "powers"),
    [
        ("10,1", 9, {8: 0.79, 10: 0.90}),
        ("10,15", pytest.approx(51, abs=2), {20: 0.39, 40: 0.70, 80: 0.94}),
        ("10,23", None, {}),
    ],
)
def test_how_many_sets_tell_two_peers_apart(run, table, peers, enough, powers):
    power = json.loads(run("power", table, "--peers", peers, "--json")[0])
    assert [row["enough"] for row in rows_of(power, "curve")] == [enough]
    found = {row["sets"]: row for row in rows_of(power, "power")}
    assert {size: found[size]["power"] for size in powers} == pytest.approx(powers, abs=0.02)
    assert [found[size]["extrapolated"] for size in (20, 21)] == [False, True]


def test_which_few_sets_show_the_differences_of_all(run, table):
    found = json.loads(run("power", table, "--json", "--subsets", "200")[0])
    assert len(rows_of(found, "differing_pair")) == len(rows_of(found, "wanted_pair")) == 20
    (ten,) = rows_of(found, "subset_size", size=10)
    assert ten["found"] == pytest.approx(0.31, abs=0.04)
    assert ten["best_found"] > ten["found"]
    assert any("optimistic" in note for note in found["notes"])


def test_table_joins_what_analyse_needs(run, data, table, tmp_path):
    """The scores of the annotations and the ratings of the table give the same analysis as the table itself."""
    joined = tmp_path / "joined.csv"
    run("table", data("duc2006") / "pan", "--ratings", table, "-o", joined)
    found = json.loads(run("analyse", joined, "--factors", FACTORS, "--json")[0])
    assert residual(found)["df"] == 371
    assert residual(found)["mse"] == pytest.approx(0.0044445, abs=5e-7)
    assert significant(found) == ["setid", "peerid", "content"]


def test_documents_take_30_percent_of_the_variance_in_realsumm(data):
    """A balanced table, so that REML gives the mean squares: what is left, and (of documents - left) / 25 systems."""
    found = analyse(read_scores(data("realsumm") / "clean"), random=["setid"])
    documents = found.model.effect("setid")
    between = (documents.sum_of_squares / documents.df - found.model.mse) / 25
    assert found.mixed.variances == pytest.approx([between, found.model.mse], rel=1e-5)
    assert found.mixed.components[0].share == pytest.approx(0.30, abs=0.005)


def test_abstractive_and_extractive_systems_differ_less_surely_when_systems_are_a_sample(data, tmp_path):
    """The analysis of variance takes 2,500 summaries for independent; 25 systems leave 23 df."""
    clean = data("realsumm") / "clean"
    kinds = tmp_path / "kinds.csv"
    names = [path.stem for path in (clean / "labels").glob("*.label")]
    kinds.write_text("peer,kind\n" + "".join(f"{name},{name[:3]}\n" for name in names))
    found = analyse(read_scores(clean, kinds), "score", ["setid", "kind"], random=["setid", "peerid"])
    (kind,) = found.mixed.effects
    assert kind.error_df == pytest.approx(23, abs=0.01)
    assert found.model.effect("kind").f > 5 * kind.f
    assert kind.p < 0.001


def test_agreement_of_realsumms_votes(run, data):
    files = sorted((data("realsumm") / "annotations").glob("SCU_rating_results_*/*.csv"))
    rows = json.loads(run("agreement", *files, "--json", "--draws", "100")[0])["rows"]
    assert (rows[0]["measure"], rows[0]["unit"], rows[0]["n"]) == ("alpha", "decision", 26_400)
    assert rows[0]["value"] == pytest.approx(0.720, abs=5e-4)
