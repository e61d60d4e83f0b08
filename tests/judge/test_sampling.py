"""A sample that people did not draw at random is warned of, and a random one is not."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import touchstone
from touchstone.base.notes import TouchstoneWarning
from touchstone.cli import main
from touchstone.core.resampling import Resampling
from touchstone.judge.sampling import sample_warnings
from touchstone.stats.records import mean_records

ITEMS, SCORED, RUNS = 200, 40, 200
MOST_ALARMS = 6
"""With one alarm in 200 random samples, seven or more in 200 happen once in 10,000 runs of a test."""

SHAPES = {
    "normal": lambda random, size: random.normal(size=size),
    "skewed": lambda random, size: np.exp(1.5 * random.normal(size=size)),
    "heavy": lambda random, size: random.standard_t(1.5, size),
    "levels": lambda random, size: random.integers(1, 6, size).astype(float),
    "rare": lambda random, size: (random.random(size) < 0.03).astype(float),
}


def table(scores, scored, **fields):
    """Return tables of people, who scored some items, and of a judge: *scores* has a row for each item."""
    judge = [
        {"system": f"s{place}", "item": f"q{item}", "score": score, **{name: of[item] for name, of in fields.items()}}
        for item, row in enumerate(scores.tolist())
        for place, score in enumerate(row)
    ]
    human = [{**row, "score": row["score"] + n % 7 / 50} for n, row in enumerate(judge) if scored[int(row["item"][1:])]]
    return human, judge


@pytest.fixture(scope="module")
def paired_of():
    """Pair scores without reading tables: for simulations."""
    made = {}

    def paired(scores, scored, clusters=None):
        count = scores.shape[1]
        if count not in made:
            [made[count]] = touchstone.paired_tables(
                *table(np.random.default_rng(0).normal(size=(20, count)), [True] * 20)
            )
        judge, item = mean_records(scores.T.ravel()), np.tile(np.arange(len(scores)), count)
        return replace(
            made[count],
            items=tuple(map(str, range(len(scores)))),
            system=np.repeat(np.arange(count), len(scores)),
            item=item,
            human=np.where(scored[item][:, None], judge, np.nan),
            judge=judge,
            clusters=None if clusters is None else clusters[item],
            resampling=Resampling(cluster=None if clusters is None else "document"),
        )

    return paired


def at_random(random, n=ITEMS, k=SCORED):
    return np.isin(np.arange(n), random.choice(n, k, replace=False))


def alarms(simulated, runs=RUNS):
    random = np.random.default_rng(11)
    return sum(bool(sample_warnings(*simulated(random))) for _ in range(runs))


@pytest.mark.parametrize("systems", [1, 12])
@pytest.mark.parametrize("shape", SHAPES)
def test_random_samples_rarely_warn(shape, systems, paired_of):
    def simulated(random):
        scores = np.repeat(SHAPES[shape](random, (ITEMS, 1)), systems, axis=1)  # systems find the same items hard
        scores += 0.5 * SHAPES[shape](random, scores.shape) * (systems > 1)
        return (paired_of(scores, at_random(random)),)

    assert alarms(simulated) <= MOST_ALARMS


@pytest.mark.parametrize("drawn", ["whole clusters", "items of all", "items of some clusters"])
def test_random_samples_of_clusters_rarely_warn(drawn, paired_of):
    def simulated(random):
        sizes = random.integers(2, 9, 40)
        clusters = np.repeat(np.arange(40), sizes)
        scores = 2 * random.normal(size=(40, 3))[clusters] + random.normal(size=(len(clusters), 3))
        some = np.isin(clusters, random.choice(40, 10, replace=False))
        single = at_random(random, len(clusters), len(clusters) // 4)
        half = some & (random.random(len(clusters)) < 0.5)
        scored = {"whole clusters": some, "items of all": single, "items of some clusters": half}[drawn]
        return (paired_of(scores, scored, clusters),)

    assert alarms(simulated) <= MOST_ALARMS


def test_random_samples_of_strata_rarely_warn(paired_of):
    def simulated(random):
        strata = np.repeat(np.arange(4), 50)
        scores = strata[:, None] + random.normal(size=(ITEMS, 2))
        scored = np.concatenate([at_random(random, 50, k) for k in (25, 15, 5, 3)])
        return paired_of(scores, scored), strata

    assert alarms(simulated) <= MOST_ALARMS


def test_the_first_rows_of_a_shuffled_file_rarely_warn(paired_of):
    def simulated(random):
        return (paired_of(random.normal(size=(ITEMS, 4)), np.arange(ITEMS) < SCORED),)

    assert alarms(simulated) <= MOST_ALARMS


def lowest(scores):
    return np.argsort(np.argsort(scores[:, 0])) < SCORED


SAMPLES = {
    "the lowest": lowest,
    "the highest": lambda scores: lowest(-scores),
    "the middle": lambda scores: lowest(np.abs(scores - np.median(scores))),
    "both ends": lambda scores: lowest(-np.abs(scores - np.median(scores))),
    "more of the low": lambda scores: lowest(scores + 0.8 * np.random.default_rng(0).normal(size=scores.shape)),
}


@pytest.mark.parametrize("kind", SAMPLES)
def test_samples_by_the_judges_score_nearly_always_warn(kind, paired_of):
    def simulated(random):
        scores = random.normal(size=(ITEMS, 1)) + 0.5 * random.normal(size=(ITEMS, 3))
        return (paired_of(scores, SAMPLES[kind](scores)),)

    assert alarms(simulated, runs=20) >= 19


@pytest.mark.parametrize("order", ["harder and harder", "one topic first", "sorted"])
@pytest.mark.parametrize("clustered", [False, True])
def test_the_first_rows_of_a_file_in_order_nearly_always_warn(order, clustered, paired_of):
    def simulated(random):
        noise = random.normal(size=(ITEMS, 2))
        scores = {
            "harder and harder": noise - 2 * np.arange(ITEMS)[:, None] / ITEMS,
            "one topic first": noise + 1.2 * (np.arange(ITEMS) < 60)[:, None],
            "sorted": np.sort(noise, axis=0),
        }[order]
        clusters = np.arange(ITEMS) // 4 if clustered else None
        return (paired_of(scores, np.arange(ITEMS) < SCORED + 2 * clustered, clusters),)

    assert alarms(simulated, runs=20) >= 19


def test_known_unequal_probabilities_and_complete_scores_are_not_suspected(paired_of):
    scores = np.random.default_rng(1).normal(size=(ITEMS, 2))
    low = paired_of(scores, lowest(scores))
    assert sample_warnings(low)
    different, same = (np.where(lowest(scores), own, np.nan)[low.item] for own in (np.linspace(0.1, 0.9, ITEMS), 0.2))
    assert not sample_warnings(replace(low, probability=different))
    assert sample_warnings(replace(low, probability=same))
    assert not sample_warnings(paired_of(scores, np.ones(ITEMS, bool)))


def test_the_warning_names_the_system_both_means_and_the_remedy(paired_of):
    scores = np.random.default_rng(1).normal(size=(ITEMS, 2))
    scored = lowest(scores[:, 1:])
    [told] = sample_warnings(paired_of(scores, scored))
    assert told.startswith("warning: people hardly scored a random sample of the items: the judge gives -1.")
    assert "to the items of s1 that they scored and" in told
    assert "to the others (p = 0.0005)" in told
    assert "draw items at random, as estimates draw the next" in told


def test_the_first_rows_are_named_where_only_the_order_of_the_file_shows_that_they_differ(paired_of):
    random = np.random.default_rng(3)
    scores = random.normal(size=(ITEMS, 1)) + 1.2 * np.arange(ITEMS)[:, None] / ITEMS
    scores[:20] += 0.5 - scores[:20].mean()
    [told] = sample_warnings(paired_of(scores, np.arange(ITEMS) < 20))
    assert told.startswith("warning: people scored the first 20 items, and the judge's scores change from the first to")
    assert not sample_warnings(paired_of(scores, np.arange(ITEMS) % 10 == 0))


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)

    def called(*arguments):
        monkeypatch.setattr(sys, "argv", ["touchstone", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        out, err = capsys.readouterr()
        assert not left.value.code, err
        return out, err

    return called


def of_items(random, scored):
    scores = random.normal(size=(ITEMS, 2)) - np.sort(random.normal(size=(ITEMS, 1)), axis=0)
    human, judge = table(scores, scored)
    for name, rows in (("human", human), ("judge", judge)):
        Path(f"{name}.csv").write_text(
            "\n".join(["system,item,score", *(f"{r['system']},{r['item']},{r['score']}" for r in rows)])
        )
    return ["human.csv", "judge.csv"]


def of_pairs(random, scored):
    labels = ("contradiction", "entailment", "neutral")
    truth = random.integers(0, 3, ITEMS)
    hard = np.arange(ITEMS) > ITEMS / 2  # the systems are often wrong in the second half
    pairs = [
        {"id": str(n), "premise": f"p {n}", "hypothesis": f"h {n}", "label": labels[y]} for n, y in enumerate(truth)
    ]
    runs = {
        name: (truth + (random.random(ITEMS) < np.where(hard, 0.7, 0.1)) * random.integers(1, 3, ITEMS)) % 3
        for name in "ab"
    }
    rows = {name: [{"id": str(n), "label": labels[y]} for n, y in enumerate(own)] for name, own in runs.items()}
    files = {"judge": pairs, "human": [pair for pair, one in zip(pairs, scored, strict=True) if one], **rows}
    for name, content in files.items():
        Path(f"{name}.jsonl").write_text("\n".join(map(json.dumps, content)))
    return ["human.jsonl", "a.jsonl", "b.jsonl", "--judge", "judge.jsonl"]


def of_summaries(random, scored):
    rows = [
        (f"S{item}", system, f"u{unit}", 1 + unit % 3, 3, int(random.random() < (0.8 if item < ITEMS / 2 else 0.3)))
        for item in range(ITEMS)
        for system in ("heron", "magpie")
        for unit in range(6)
    ]
    for name in ("human", "judge"):
        some = [row for row in rows if name == "judge" or scored[int(row[0][1:])]]
        Path(f"{name}.csv").write_text(
            "\n".join(["set,peer,unit,weight,models,present", *(",".join(map(str, row)) for row in some)])
        )
    return ["human.csv", "--judge", "judge.csv"]


TASKS = {"items": of_items, "nli": of_pairs, "pyramid": of_summaries}


@pytest.mark.parametrize("verb", [("estimate",), ("plan", "--width", "0.1"), ("judge",)])
@pytest.mark.parametrize("task", TASKS)
def test_every_verb_warns_of_the_first_rows_and_not_of_random_ones(task, verb, run):
    random = np.random.default_rng(2)
    for scored, warned in ((np.arange(ITEMS) < SCORED, True), (at_random(random), False)):
        out, err = run(task, *verb, *TASKS[task](random, scored), "--json")
        found = json.loads(out)
        assert any("random sample" in text for text in found["warnings"]) == warned
        assert not any("random sample" in text for text in found["notes"])
        out, err = run(task, *verb, *TASKS[task](random, scored), "--quiet")
        assert ("warning: people" in err) == warned


def test_python_warns_too():
    random = np.random.default_rng(4)
    scores = random.normal(size=(ITEMS, 2))
    [low] = touchstone.paired_tables(*table(scores, lowest(scores)))
    [fair] = touchstone.paired_tables(*table(scores, at_random(random)))
    for analysis in (touchstone.estimate, touchstone.assess, lambda paired: touchstone.plan_width(paired, 0.1)):
        with pytest.warns(TouchstoneWarning, match="hardly scored a random sample"):
            analysis(low)
        analysis(fair)  # warnings are errors here


def test_strata_that_were_drawn_at_different_rates_are_no_fault_where_they_are_named():
    random = np.random.default_rng(5)
    strata = np.repeat(["easy", "hard"], ITEMS // 2)
    scores = random.normal(size=(ITEMS, 2)) - 2 * (strata == "hard")[:, None]
    scored = np.concatenate([at_random(random, ITEMS // 2, 50), at_random(random, ITEMS // 2, 10)])
    [paired] = touchstone.paired_tables(*table(scores, scored, kind=strata))
    touchstone.estimate(paired, population="set", strata="kind")
    with pytest.warns(TouchstoneWarning, match="name the strata"):
        touchstone.estimate(paired, population="set")
