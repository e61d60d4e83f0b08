"""The labeller in one file: the labels of the run that it was made of, with NumPy alone; other files are refused."""

import base64
import csv
import hashlib
import json
import shutil
import sys
import zipfile
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest

from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.systems.inference.labelling import VARIABLE, PairLabeller, find_labeller
from touchstone.systems.inference.labelling_file import WORDS, quantised, read_labeller, scaled, write_labeller

torch = pytest.importorskip("torch", reason="the extra neural is not installed")

from benchmarks.nli_labelling import distil, pack_encoder, read_packed_encoder  # noqa: E402
from tests.systems.inference.made_up import pairs, small, write_encoder  # noqa: E402
from training.nli_labeller import complete, pack, write_wheel  # noqa: E402
from training.weight_changes import build_labeller, write_changes  # noqa: E402

from touchstone import nli  # noqa: E402
from touchstone.systems.inference.predicting import Labeller  # noqa: E402
from touchstone.systems.inference.pretrained import read_pretrained  # noqa: E402
from touchstone.systems.inference.texts import read_pieces  # noqa: E402
from touchstone.systems.inference.training import make_pieces, train  # noqa: E402
from touchstone.tasks.nli.formats.writing import format_pairs  # noqa: E402


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with two runs, pairs and the labeller of the first run."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("made")
    encoder = read_pretrained(write_encoder(folder / "encoder"))
    data = make_pieces(pairs(80), pairs(80), encoder)
    settings = small("cross_encoder", **encoder.sizes, rate=3e-3, epochs=12, patience=12)
    for seed in (1, 2):
        train(replace(settings, seed=seed), data, folder / f"run-{seed}", device="cpu")
    (folder / "pairs.jsonl").write_text(format_pairs(pairs(200), "touchstone"))
    pack([folder / "run-1"], folder / "labeller.safetensors", trained_on=["snli"])
    return folder


@pytest.fixture
def gold(made):
    return nli.read_gold(made / "pairs.jsonl")


def test_labels_are_those_of_the_run(made, gold):
    run = Labeller(made / "run-1", device="cpu").predict(gold)
    found = PairLabeller(made / "labeller.safetensors").label(gold)
    assert np.mean([a == b for a, b in zip(run.labels, found.labels, strict=True)]) >= 0.99
    assert len({*found.labels}) == 3
    np.testing.assert_allclose(found.probabilities, run.probabilities, atol=0.05)
    assert (found.ids, found.tokens, found.unknown) == (run.ids, run.tokens, run.unknown)


def test_weights_that_eight_bits_hold_exactly_give_the_probabilities_of_the_run(made, gold, tmp_path):
    """All that differs is NumPy's arithmetic and PyTorch's."""
    labeller = PairLabeller(made / "labeller.safetensors")
    model = Labeller(made / "run-1", device="cpu")
    table = labeller.file.table()
    exact = {**labeller.file.weights, "words.own.weight": table[:4], WORDS: table[4:]}
    model.model.load_state_dict({name: torch.from_numpy(weight.copy()) for name, weight in exact.items()})
    expected, found = model.predict(gold), labeller.label(gold)
    np.testing.assert_allclose(found.probabilities, expected.probabilities, atol=3e-6)


def test_neither_the_order_of_pairs_nor_their_neighbours_change_a_probability(made, gold):
    labeller = PairLabeller(made / "labeller.safetensors")
    together = labeller.label(gold).probabilities
    order = np.random.default_rng(1).permutation(len(gold))
    mixed = replace(gold, pairs=[gold.pairs[row] for row in order], lines=[gold.lines[row] for row in order])
    np.testing.assert_allclose(labeller.label(mixed).probabilities, together[order], atol=2e-6)
    for row in range(5):
        alone = replace(gold, pairs=gold.pairs[row : row + 1], lines=gold.lines[row : row + 1])
        np.testing.assert_allclose(labeller.label(alone).probabilities[0], together[row], atol=2e-6)


def test_a_sentence_is_cut_where_training_cuts_it(made, tmp_path):
    long = {"id": "1", "premise": "the boy " * 300, "hypothesis": "the girl eats " * 100}
    (tmp_path / "long.jsonl").write_text(json.dumps(long) + "\n")
    gold = nli.read_gold(tmp_path / "long.jsonl")
    run = Labeller(made / "run-1", device="cpu").predict(gold)
    np.testing.assert_allclose(
        PairLabeller(made / "labeller.safetensors").label(gold).probabilities, run.probabilities, atol=0.1
    )


def test_weights_of_several_runs_are_averaged(made, tmp_path):
    pack([made / "run-1", made / "run-2"], tmp_path / "both.safetensors", trained_on=["snli"])
    found = read_labeller(tmp_path / "both.safetensors").weights["layers.1.norm_2.bias"]
    one, two = (
        Labeller(made / name, device="cpu").model.state_dict()["layers.1.norm_2.bias"].numpy()
        for name in ("run-1", "run-2")
    )
    np.testing.assert_allclose(found, (one + two) / 2, atol=1e-7)
    assert (one != two).any()


@pytest.mark.parametrize(("width", "parts"), [(40, 1), (128, 2)])
def test_a_number_in_eight_bits_is_at_most_half_a_step_of_its_part_off(width, parts):
    table = np.random.default_rng(0).normal(size=(5, width)).astype(np.float32)
    table[1, 0], table[2] = 100, 0
    integers, factors = quantised(table)
    assert (integers.dtype, factors.shape) == (np.int8, (5, parts))
    steps = np.repeat(factors, width // parts, axis=1)
    assert (abs(scaled(integers, factors) - table) <= steps / 2 * 1.0001).all()
    again, same = quantised(scaled(integers, factors))
    assert (again == integers).all()
    np.testing.assert_allclose(same, factors, rtol=1e-6)


def test_the_library_reads_the_file_too(made):
    from safetensors.numpy import load_file

    theirs, ours = load_file(made / "labeller.safetensors"), read_labeller(made / "labeller.safetensors")
    np.testing.assert_array_equal(theirs["layers.0.inner.bias"], ours.weights["layers.0.inner.bias"])
    found = scaled(theirs["layers.0.inner.weight"], theirs["layers.0.inner.weight.factor"])
    np.testing.assert_array_equal(found, ours.weights["layers.0.inner.weight"])
    assert bytes(theirs["pieces"]).decode().split("\n") == ours.pieces


def shortened(labeller, path, keep):
    """Write a labeller with some of its pieces."""
    rows = [row for row, piece in enumerate(labeller.pieces) if piece in keep]
    table = labeller.table()
    weights = {**labeller.weights, "words.own.weight": table[:4], WORDS: table[4:][rows]}
    about = {key: value for key, value in labeller.about.items() if key != "format"}
    write_labeller(path, weights, [labeller.pieces[row] for row in rows], **about)


def test_pieces_that_were_left_out_come_back_from_the_encoder(made, gold, tmp_path):
    whole = read_labeller(made / "labeller.safetensors")
    used = {piece for piece in whole.pieces if not piece.startswith("##")} | {"##t", "##e"}
    shortened(whole, tmp_path / "cut.safetensors", used)
    cut = PairLabeller(tmp_path / "cut.safetensors")
    expected = PairLabeller(made / "labeller.safetensors").label(gold).probabilities
    np.testing.assert_allclose(cut.label(gold).probabilities, expected, atol=2e-6)
    encoder = read_pretrained(made / "encoder")
    complete(cut.file, encoder, tmp_path / "whole.safetensors")
    found = read_labeller(tmp_path / "whole.safetensors")
    assert list(found.pieces) == list(encoder.vocabulary.known)
    place = found.pieces.index("##z")
    np.testing.assert_allclose(found.table()[4 + place], encoder.vectors[place], atol=0.02)
    np.testing.assert_allclose(
        PairLabeller(tmp_path / "whole.safetensors").label(gold).probabilities, expected, atol=2e-6
    )


def test_another_encoder_is_not_mixed_in(made, tmp_path):
    other = read_pretrained(write_encoder(tmp_path / "other", seed=5))
    with pytest.raises(TouchstoneError) as error:
        complete(read_labeller(made / "labeller.safetensors"), other, tmp_path / "whole.safetensors")
    assert error.value.code == Code.MISMATCH


@pytest.fixture
def changes(made, tmp_path):
    """The labeller with all pieces of its encoder, and the file of what training changed in these."""
    encoder = read_pretrained(made / "encoder")
    complete(read_labeller(made / "labeller.safetensors"), encoder, tmp_path / "whole.safetensors")
    write_changes(read_labeller(tmp_path / "whole.safetensors"), encoder, tmp_path / "changes.npz")
    return tmp_path / "changes.npz"


def test_an_encoder_and_what_training_changed_in_it_give_the_labeller(made, gold, changes, tmp_path):
    encoder, files = read_pretrained(made / "encoder"), [tmp_path / "a.safetensors", tmp_path / "b.safetensors"]
    built = [build_labeller(changes, encoder, file) for file in files]
    assert files[0].read_bytes() == files[1].read_bytes()
    whole = read_labeller(tmp_path / "whole.safetensors")
    assert built[0].about == whole.about
    assert [*built[0].pieces] == [*whole.pieces]
    expected = PairLabeller(tmp_path / "whole.safetensors").label(gold)
    found = PairLabeller(files[0]).label(gold)
    assert np.mean([a == b for a, b in zip(found.labels, expected.labels, strict=True)]) >= 0.95


def test_what_training_did_not_change_is_as_in_the_encoder(made, changes, tmp_path):
    encoder = read_pretrained(made / "encoder")
    whole, built = read_labeller(tmp_path / "whole.safetensors"), build_labeller(changes, encoder, tmp_path / "a")
    words = scaled(*quantised(encoder.vectors))
    same = (whole.table()[-len(words) :] == words).all(1)
    assert 0 < same.sum() < len(same)
    np.testing.assert_array_equal(built.table()[-len(words) :][same], words[same])
    for name, weight in whole.weights.items():
        error, change = built.weights[name] - weight, weight - encoder.weights.get(name, torch.zeros(1)).numpy()
        assert (error**2).sum() < 0.2 * (change**2).sum(), name


def test_changes_are_not_added_to_another_encoder(made, changes, tmp_path):
    other = read_pretrained(write_encoder(tmp_path / "other", seed=5))
    with pytest.raises(TouchstoneError) as error:
        build_labeller(changes, other, tmp_path / "labeller.safetensors")
    assert error.value.code == Code.MISMATCH


def test_the_package_is_found_where_it_is_installed(made, tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    with monkeypatch.context() as absent:
        absent.setitem(sys.modules, "touchstone_nli_labeller", None)
        with pytest.raises(TouchstoneError, match=r"(?s)no labeller is installed.*make labeller.*a file of a model"):
            find_labeller()
    wheel = write_wheel(made / "labeller.safetensors", tmp_path)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
        record = next(name for name in archive.namelist() if name.endswith("RECORD"))
        for name, digest, size in csv.reader(StringIO(archive.read(record).decode())):
            if name != record:
                content = archive.read(name)
                expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                assert (digest, int(size)) == (f"sha256={expected}", len(content))
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert find_labeller().read_bytes() == (made / "labeller.safetensors").read_bytes()
    assert "SNLI" in (find_labeller().parent / "NOTICE.txt").read_text()
    monkeypatch.setenv(VARIABLE, "elsewhere.safetensors")
    assert str(find_labeller()) == "elsewhere.safetensors"
    assert str(find_labeller("given.safetensors")) == "given.safetensors"


def test_the_same_labeller_gives_the_same_wheel(made, tmp_path):
    wheels = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        wheels.append(write_wheel(made / "labeller.safetensors", tmp_path / name).read_bytes())
    assert wheels[0] == wheels[1]


def test_an_encoder_travels_in_eight_bits_with_the_pieces_of_the_pairs(made, tmp_path):
    pack_encoder(made / "encoder", pairs(30), tmp_path / "encoder.safetensors")
    found, whole = read_packed_encoder(tmp_path / "encoder.safetensors"), read_pretrained(made / "encoder")
    texts = read_pieces(pairs(30), whole.vocabulary.known)
    used = {texts.forms[row] for row in (*texts.premise.values, *texts.hypothesis.values)}
    assert set(found.vocabulary.known) == used
    assert found.sizes == whole.sizes
    assert {*found.weights} == {*whole.weights}
    for name, weight in whole.weights.items():
        step = weight.abs().amax(-1, keepdim=True) / 127
        assert ((found.weights[name] - weight).abs() <= step).all(), name
    rows = [whole.vocabulary.known.index(piece) for piece in found.vocabulary.known]
    np.testing.assert_allclose(found.vectors, whole.vectors[rows], atol=0.02)


def test_students_learn_what_teachers_say_and_the_best_on_the_hold_out_comes_in_parts(made, tmp_path, monkeypatch):
    for name, value in {"PART": 10_000, "EPOCHS": 1, "STUDENTS": 2}.items():
        monkeypatch.setattr(f"benchmarks.nli_labelling.{name}", value)
    for seed in (1, 2):
        run = shutil.copytree(made / f"run-{seed}", tmp_path / "teachers" / f"cross_encoder-{seed}")
        (run / "figures.json").write_text(json.dumps({"training_sets": ["snli"]}))
    shutil.copy(made / "pairs.jsonl", tmp_path / "dev.jsonl")
    rows = [json.loads(line) for line in (made / "pairs.jsonl").read_text().splitlines()]
    sets = ["snli" if place % 3 else "sick" for place in range(len(rows))]
    (tmp_path / "train.jsonl").write_text(
        "".join(json.dumps({**row, "category": one}) + "\n" for row, one in zip(rows, sets, strict=True))
    )
    pack_encoder(made / "encoder", pairs(30), tmp_path / "encoder.safetensors")
    out = tmp_path / "out"
    out.mkdir()
    distil(tmp_path, tmp_path / "teachers", out)
    chosen = json.loads((out / "labeller.json").read_text())
    assert {*chosen["hold_out"]} == {"distilled-1", "distilled-2"}
    assert chosen["hold_out"][chosen["chosen"]] == max(chosen["hold_out"].values())
    parts = sorted(out.glob("labeller.part*"), key=lambda path: int(path.suffix[5:]))
    assert len(parts) > 1
    assert b"".join(path.read_bytes() for path in parts) == (out / f"{chosen['chosen']}.safetensors").read_bytes()


@pytest.mark.parametrize(
    ("sets", "said"), [(["snli", "sick"], "trained on sick"), ([], "trained on nobody knows what")]
)
def test_weights_trained_on_sick_or_on_unknown_pairs_are_not_put_into_a_package(made, sets, said, tmp_path):
    pack([made / "run-1"], tmp_path / "labeller.safetensors", trained_on=sets)
    with pytest.raises(TouchstoneError, match=said):
        write_wheel(tmp_path / "labeller.safetensors", tmp_path)


def cut_short(path):
    path.write_bytes(path.read_bytes()[:-100])


def other_format(path):
    path.write_bytes(path.read_bytes().replace(b'\\"format\\": 1', b'\\"format\\": 7'))


def other_weights(path):
    from safetensors.numpy import save_file

    save_file({"a": np.ones(3, np.float16)}, path)


def rewritten(path, **changes):
    """Write a labeller again with other weights; None leaves one out."""
    file = read_labeller(path)
    table = file.table()
    weights = {**file.weights, "words.own.weight": table[:4], WORDS: table[4:], **changes}
    about = {key: value for key, value in file.about.items() if key != "format"}
    write_labeller(path, {name: one for name, one in weights.items() if one is not None}, file.pieces, **about)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (cut_short, Code.UNREADABLE),
        (lambda path: rewritten(path, **{"pooler.bias": None}), Code.UNREADABLE),
        (lambda path: rewritten(path, **{"places.weight": np.ones((7, 24))}), Code.UNREADABLE),
        (lambda path: rewritten(path, **{WORDS: np.ones((7, 24))}), Code.UNREADABLE),
        (other_format, Code.UNREADABLE),
        (other_weights, Code.UNREADABLE),
        (lambda path: rewritten(path, **{"classifier.weight": None}), Code.UNREADABLE),
        (lambda path: path.write_bytes(b""), Code.UNREADABLE),
        (lambda path: path.write_bytes(b"\x80\x04pickle"), Code.UNREADABLE),
        (lambda path: path.write_text('{"id": 1}\n'), Code.UNREADABLE),
    ],
)
def test_a_file_that_is_no_labeller_is_refused(made, change, code, tmp_path):
    path = tmp_path / "labeller.safetensors"
    shutil.copy(made / "labeller.safetensors", path)
    change(path)
    with pytest.raises(TouchstoneError) as error:
        PairLabeller(path)
    assert (error.value.code, error.value.faults[0].file) == (code, str(path))


def test_a_folder_is_refused_with_the_command_that_reads_it(tmp_path):
    with pytest.raises(TouchstoneError, match="nli predict") as error:
        PairLabeller(tmp_path)
    assert error.value.code == Code.NO_FILE


def test_a_labeller_that_is_not_there_is_named(tmp_path):
    with pytest.raises(TouchstoneError, match=r"labeller\.safetensors: no such file"):
        PairLabeller(tmp_path / "labeller.safetensors")


def test_a_set_without_sentences_is_refused(made, tmp_path):
    (tmp_path / "labels.jsonl").write_text('{"id": 1, "gold": "neutral"}\n')
    with pytest.raises(TouchstoneError) as error:
        PairLabeller(made / "labeller.safetensors").label(nli.read_gold(tmp_path / "labels.jsonl"))
    assert error.value.code == Code.BAD_CELL
