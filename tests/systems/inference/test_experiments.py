"""Learning curves and repair of trained models, on made-up pairs."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra neural is not installed")

from tests.systems.inference.made_up import ACTIONS, pairs, small, write_vectors  # noqa: E402

from touchstone import TouchstoneError  # noqa: E402
from touchstone.base.codes import Code  # noqa: E402
from touchstone.systems.inference import repairing  # noqa: E402
from touchstone.systems.inference.curves import learning_curve  # noqa: E402
from touchstone.systems.inference.predicting import Labeller, run_labels, same_settings  # noqa: E402
from touchstone.systems.inference.repairing import OTHER, SAME, Tuning, halve, new_words, repair  # noqa: E402
from touchstone.systems.inference.runs import Condition  # noqa: E402
from touchstone.systems.inference.training import make_data, train  # noqa: E402
from touchstone.tasks.nli.formats import read_gold, read_run  # noqa: E402
from touchstone.tasks.nli.formats.writing import format_pairs  # noqa: E402

SETTINGS = small("decomposable_attention", optimiser="adam", epochs=3)


def labels_of(runs, condition, test):
    """Return the labels of the pairs of a test set, for each run under a condition."""
    items = runs.single[test].items.table
    columns = [items.column(name).to_pylist() for name in ("system", "id", "prediction")]
    names = [row.run for row in runs.runs(condition, test)]
    return [{item: label for system, item, label in zip(*columns, strict=True) if system == name} for name in names]


def with_category(pair):
    return replace(pair, category=next(action for action in ACTIONS if action in pair.premise))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("experiments")
    made = [with_category(pair) for pair in pairs(160)]
    for name, some in {"train": made[:80], "test": made[80:120], "more": made[40:160]}.items():
        (folder / f"{name}.jsonl").write_text(format_pairs(some, "touchstone"))
    write_vectors(folder / "v.txt")
    return folder


@pytest.fixture(scope="module")
def data(files):
    train_, test = (read_gold(files / f"{name}.jsonl") for name in ("train", "test"))
    return make_data(train_.pairs, test.pairs, files / "v.txt")


@pytest.fixture(scope="module")
def trained(files, data):
    folders = [files / f"da-{seed}" for seed in (1, 2)]
    for seed, folder in enumerate(folders, 1):
        train(replace(SETTINGS, seed=seed), data, folder, device="cpu")
    return folders


def test_a_smaller_draw_is_part_of_a_larger_one_and_another_seed_draws_others(data):
    def drawn(size, seed):
        texts = data.sample(size, seed).training
        sides = [np.split(side.values, side.offsets[1:-1]) for side in (texts.premise, texts.hypothesis)]
        return {(tuple(p), tuple(h)) for p, h in zip(*sides, strict=True)}

    assert drawn(20, 1) < drawn(40, 1)
    assert len(drawn(40, 1)) == 40
    assert drawn(40, 1) != drawn(40, 2)


def test_words_of_its_own_are_those_of_the_pairs_that_were_drawn(data):
    assert set(data.vocabulary.own) == {"late", "at", "night"}
    assert set(data.sample(1, 1).vocabulary.own) == set()


def test_a_curve_has_a_run_for_each_size_and_seed_and_goes_on_where_it_stopped(files, data, tmp_path):
    test = {"test": read_gold(files / "test.jsonl")}
    said = []
    arguments = {"sizes": [20, 40], "seeds": 2, "device": "cpu", "vectors": files / "v.txt", "tell": said.append}
    found = learning_curve([SETTINGS], data, test, tmp_path, **arguments)
    assert sorted(folder.name for folder in tmp_path.iterdir()) == [
        *("decomposable_attention-20-1", "decomposable_attention-20-2"),
        *("decomposable_attention-40-1", "decomposable_attention-40-2"),
    ]
    assert [(point.size, point.runs) for point in found.points if point.measure == "accuracy"] == [(20, 2), (40, 2)]
    point = found.points[0]
    each = [found.runs.single["test"].row(f"decomposable_attention-20-{seed}", "accuracy").value for seed in (1, 2)]
    assert point.value == pytest.approx(sum(each) / 2)
    assert (point.least, point.most) == (min(each), max(each))
    weights = [folder / "weights.safetensors" for folder in tmp_path.iterdir()]
    written = [path.stat().st_mtime_ns for path in weights]
    again = learning_curve([SETTINGS], data, test, tmp_path, **arguments)
    assert again.points == found.points
    assert [path.stat().st_mtime_ns for path in weights] == written


def test_a_size_larger_than_the_training_set_is_refused(files, data, tmp_path):
    with pytest.raises(TouchstoneError) as error:
        learning_curve([SETTINGS], data, {}, tmp_path, sizes=[500], seeds=1)
    assert error.value.code == Code.TOO_FEW


def test_labels_are_kept_and_need_no_weights_the_second_time(files, trained):
    gold = read_gold(files / "test.jsonl")
    first = run_labels(trained[0], gold, "da", device="cpu")
    weights = trained[0] / "weights.safetensors"
    weights.rename(trained[0] / "away")
    try:
        assert run_labels(trained[0], gold, "da", device="cpu").labels == first.labels
    finally:
        (trained[0] / "away").rename(weights)


def test_runs_that_differ_in_more_than_their_seed_are_not_one_model(trained, data, tmp_path):
    same_settings(trained)
    train(replace(SETTINGS, rate=0.02), data, tmp_path / "da-3", device="cpu")
    with pytest.raises(TouchstoneError) as error:
        same_settings([*trained, tmp_path / "da-3"])
    assert error.value.code == Code.MISMATCH


def test_halves_share_neither_lists_nor_premises(files):
    halves = halve(read_gold(files / "more.jsonl"))
    lists = [{pair.category for pair in pool} for pool in halves.pools]
    assert not lists[0] & lists[1]
    tested = {pair.premise for pair in halves.tests.pairs}
    assert not tested & {pair.premise for pool in halves.pools for pair in pool}
    assert {halves.half[pair.id] for pair in halves.tests.pairs if pair.category in lists[1]} == {1}
    assert sum(map(len, halves.pools)) + len(halves.tests) == 120


@pytest.mark.filterwarnings("ignore::touchstone.TouchstoneWarning")  # no error on 40 pairs, as a copy of the gold
def test_tuning_teaches_the_lists_it_sees_and_leaves_the_model_as_it_was(files, trained, tmp_path):
    gold, test = read_gold(files / "more.jsonl"), read_gold(files / "test.jsonl")
    before = Labeller(trained[0], device="cpu").predict(test).labels
    arguments = {"sizes": [0, 30], "tuning": Tuning(epochs=25, rate=0.02), "device": "cpu", "vectors": files / "v.txt"}
    found = repair({"da": trained}, gold, {"usual": test}, tmp_path, **arguments)
    values = {(point.test, point.size): point for point in found.points if point.measure == "accuracy"}
    assert values[SAME, 30].value > values[SAME, 0].value
    assert values[SAME, 0].value == values[OTHER, 0].value
    assert values[SAME, 0].runs == 2
    assert values["usual", 30].runs == 4  # two seeds, two halves
    assert Labeller(trained[0], device="cpu").predict(test).labels == before
    change = next(one for one in found.changes if one.test == SAME)
    assert change.difference == pytest.approx(values[SAME, 30].value - values[SAME, 0].value)
    assert change.low <= change.difference <= change.high


def test_a_pair_is_labelled_by_the_model_tuned_on_its_own_half_and_by_the_one_tuned_on_the_other(
    files, trained, tmp_path
):
    gold = read_gold(files / "more.jsonl")
    experiment = repair({"da": trained[:1]}, gold, {}, tmp_path, sizes=[30], tuning=Tuning(25, 0.02), device="cpu")
    by_half = [read_run(next(tmp_path.glob(f"da-1-30-{half}-*.jsonl"))) for half in (0, 1)]
    halves = halve(gold)
    (same,), (other,) = (labels_of(experiment.runs, Condition("da", 30), name) for name in (SAME, OTHER))
    assert same != other
    for pair in halves.tests.pairs:
        half = halves.half[pair.id]
        assert same[pair.id] == by_half[half].label(pair.id)
        assert other[pair.id] == by_half[1 - half].label(pair.id)


def test_an_interrupted_repair_goes_on_and_gives_the_same(files, trained, tmp_path, monkeypatch):
    gold, test = read_gold(files / "more.jsonl"), read_gold(files / "test.jsonl")
    arguments = {"sizes": [0, 10], "tuning": Tuning(epochs=1), "device": "cpu"}
    whole = repair({"da": trained[:1]}, gold, {"usual": test}, tmp_path, **arguments)
    first, *_ = sorted(Path(tmp_path).iterdir())
    first.unlink()
    assert repair({"da": trained[:1]}, gold, {"usual": test}, tmp_path, **arguments).points == whole.points
    monkeypatch.setattr(repairing, "Labeller", None)  # all labels are there: no model is read
    assert repair({"da": trained[:1]}, gold, {"usual": test}, tmp_path, **arguments).points == whole.points


def test_labels_of_a_run_that_was_trained_further_are_computed_again(files, trained, tmp_path):
    gold = read_gold(files / "more.jsonl")
    run = Path(shutil.copytree(trained[0], tmp_path / "da-1"))
    for epochs in ("", '{"epoch": 99}\n'):
        with (run / "log.jsonl").open("a") as log:
            log.write(epochs)
        repair({"da": [run]}, gold, {}, tmp_path / "labels", sizes=[0], device="cpu")
    assert len(list((tmp_path / "labels").iterdir())) == 4  # for both halves, before and after


def test_a_repair_that_cannot_be_is_refused(files, trained, tmp_path):
    gold = read_gold(files / "more.jsonl")
    with pytest.raises(TouchstoneError) as error:
        repair({"da": trained}, gold, {}, tmp_path, sizes=[0, 5000])
    assert error.value.code == Code.TOO_FEW
    alone = replace(gold, pairs=[replace(pair, category="one") for pair in gold.pairs])
    with pytest.raises(TouchstoneError) as error:
        repair({"da": trained}, alone, {}, tmp_path, sizes=[0, 5])
    assert error.value.code == Code.TOO_FEW


def test_pairs_with_new_words_are_those_whose_two_words_no_generated_pair_has():
    generated = read_gold([{"id": "1", "premise": "a dog runs", "hypothesis": "a cat runs", "gold": "contradiction"}])
    rows = [
        {"id": "a", "premise": "the cat sat", "hypothesis": "the dog sat", "gold": "contradiction"},
        {"id": "b", "premise": "the cat sat", "hypothesis": "the cow sat", "gold": "contradiction"},
    ]
    assert new_words(read_gold(rows), generated).ids == ["b"]
