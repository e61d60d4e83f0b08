"""Every policy that drops or merges rows says how many, in every task."""

import pytest

from touchstone import Policy, items, lexsub, mt, nli
from touchstone.core.resampling import Resampling
from touchstone.tasks.items.answers import paired_tables

PLAIN = Resampling("none")
LOOSE = Policy(missing="skip", unknown="ignore", duplicates="first")

GOLD = {
    nli: ("id,label\n1,neutral\n2,neutral\n3,entailment\n", "id,label\n", "{},neutral"),
    lexsub: ("w.n 1 :: glad 3;\nw.n 2 :: smart 2;\nw.n 3 :: quick 2;\n", "", "w.n {} ::: glad"),
    mt: ("id,reference\n1,the cat sat\n2,it rains\n3,it snows\n", "id,hypothesis\n", "{},it rains"),
}
MEASURES = {nli: "accuracy", lexsub: "best1", mt: "chrf"}


@pytest.fixture(params=GOLD, ids=lambda task: task.TASK.name)
def scored(request, tmp_path):
    """Give a function from the ids of a run's rows to the results."""
    task = request.param
    text, head, row = GOLD[task]
    gold, path = (tmp_path / name for name in (("g.gold", "run.oot") if task is lexsub else ("g.csv", "run.csv")))
    gold.write_text(text)

    def score(ids, policy=LOOSE, *, explained=None):
        path.write_text(head + "".join(row.format(name) + "\n" for name in ids))
        if explained is not None:
            return task.explain(gold, {"run": path}, item=explained, policy=policy)
        return task.score(gold, {"run": path}, [MEASURES[task]], policy=policy, resampling=PLAIN)

    return score


def about(results, word):
    return [note for note in results.notes if word in note]


def test_dropped_rows_and_ignored_ids_are_counted(scored):
    results = scored(["1", "2", "1", "3", "1", "9", "9"])
    assert about(results, "dropped") == ["run: rows whose id occurs before, which are dropped (of 5): 2 (40.0%)"]
    assert about(results, "ignored") == ["run: ids that the gold does not have, which are ignored: 1"]


def test_nothing_is_noted_where_nothing_is_dropped(scored):
    results, strict = scored(["1", "2", "3"]), scored(["1", "2", "3"], Policy())
    assert not [note for word in ("dropped", "ignored", "left out") for note in about(results, word)]
    assert results.notes == strict.notes


def test_an_explanation_counts_dropped_rows_too(scored):
    told = "run: rows whose id occurs before, which are dropped (of 5): 2 (40.0%)"
    explanation = scored(["1", "2", "1", "3", "1"], explained="1")
    assert about(explanation, "dropped") == [told]
    assert told in str(explanation)
    assert not scored(["1", "2", "3"], explained="1").notes


def test_repeated_rows_of_a_table_of_scores_are_counted(tmp_path):
    epochs = [{"system": s, "item": n, "score": epoch / 5} for s in "ab" for epoch in range(5) for n in range(4)]
    results = items.score(epochs, policy=LOOSE, resampling=PLAIN)
    told = "rows whose id occurs before, which are dropped (of 20): 16 (80.0%)"
    assert about(results, "dropped") == [f"a: {told}", f"b: {told}"]
    assert not about(items.score(epochs[:4], policy=LOOSE, resampling=PLAIN), "dropped")
    assert f"a: {told}" in items.validate(epochs, policy=LOOSE).warnings


def test_repeated_rows_of_people_are_counted_beside_a_judge():
    judge = [{"system": "a", "item": n, "score": n / 9} for n in range(9)]
    human = [{"system": "a", "item": n, "score": 1.0} for n in (1, 2, 3, 1)]
    [paired] = paired_tables(human, judge, policy=LOOSE)
    assert about(paired, "dropped") == ["people: a: rows whose id occurs before, which are dropped (of 4): 1 (25.0%)"]
    [paired] = paired_tables(human[:3], judge, policy=LOOSE)
    assert not about(paired, "dropped")


def test_answers_outside_a_pool_are_counted(tmp_path):
    (tmp_path / "gold").write_text("bright.a 1 :: glad 3;smart 1;\n")
    (tmp_path / "a.oot").write_text("bright.a 1 ::: glad;smart;sunny\n")
    (tmp_path / "pool").write_text("bright.a::glad;smart\n")
    results = lexsub.score(tmp_path / "gold", [tmp_path / "a.oot"], pool=tmp_path / "pool", resampling=PLAIN)
    assert about(results, "pool") == ["a: answers outside the pool, which are dropped: 1"]
    (tmp_path / "a.oot").write_text("bright.a 1 ::: glad;smart\n")
    results = lexsub.score(tmp_path / "gold", [tmp_path / "a.oot"], pool=tmp_path / "pool", resampling=PLAIN)
    assert not about(results, "pool")


def test_scores_made_elsewhere_that_are_ignored_or_missing_are_counted(tmp_path):
    gold, runs = ["the cat sat", "it rains"], {"a": ["the cat sat", "it snows"]}
    path = tmp_path / "comet.tsv"
    path.write_text("system\tsegment\tscore\na\t1\t0.5\na\t2\t0.25\n")
    assert not about(mt.score(gold, runs, ["chrf"], scores=(f"comet={path}",), policy=LOOSE), "comet")
    path.write_text("system\tsegment\tscore\na\t1\t0.5\nb\t1\t0.25\na\t9\t0.25\n")
    assert about(mt.score(gold, runs, ["chrf"], scores=(f"comet={path}",), policy=LOOSE), "comet") == [
        "comet: scores of unknown systems and segments, which are ignored: 2",
        "a: segments without a score of comet, which are left out: 1",
    ]
