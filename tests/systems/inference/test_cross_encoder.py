"""The cross-encoder: what it starts from, what it computes, and that it is trained like the others."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="the extra neural is not installed")

from tests.systems.inference.made_up import pairs, small, write_encoder  # noqa: E402

from touchstone import TouchstoneError  # noqa: E402
from touchstone.neural.encoder import read_encoder  # noqa: E402
from touchstone.neural.packages import ENCODER, installed  # noqa: E402
from touchstone.neural.pieces import WordPieces  # noqa: E402
from touchstone.systems.inference.batches import Batcher  # noqa: E402
from touchstone.systems.inference.optimising import make_optimiser, negative_log_likelihood, rate_share  # noqa: E402
from touchstone.systems.inference.predicting import Labeller  # noqa: E402
from touchstone.systems.inference.pretrained import read_pretrained  # noqa: E402
from touchstone.systems.inference.registry import build  # noqa: E402
from touchstone.systems.inference.texts import read_pieces  # noqa: E402
from touchstone.systems.inference.tokens import as_written  # noqa: E402
from touchstone.systems.inference.training import make_pieces, train  # noqa: E402
from touchstone.tasks.nli.model import Pair  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_encoder(tmp_path_factory.mktemp("encoders") / "encoder")


@pytest.fixture(scope="module")
def encoder(folder):
    return read_pretrained(folder)


def quick(encoder, **changes):
    usual = {"rate": 3e-3, "epochs": 8, "warmup": 0.1, "patience": 8}
    return small("cross_encoder", **{**usual, **encoder.sizes, **changes})


def started(encoder):
    """The model as training starts: the encoder's weights, and a classifier."""
    model = build(quick(encoder), encoder.vocabulary.trained, encoder.vectors)
    model.load_state_dict(dict(encoder.weights), strict=False)
    return model.eval()


def layer_of_torch(weights, name, heads):
    """PyTorch's own layer with the weights of BERT's layer of this name."""
    width, inner = weights[f"{name}.output.dense.weight"].shape
    layer = torch.nn.TransformerEncoderLayer(width, heads, inner, 0.0, "gelu", 1e-12, batch_first=True).eval()
    parts = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
    state = {
        f"self_attn.in_proj_{end}": torch.cat([weights[f"{part}.{end}"] for part in parts])
        for end in ("weight", "bias")
    }
    same = {"self_attn.out_proj": "attention.output.dense", "norm1": "attention.output.LayerNorm"}
    same |= {"linear1": "intermediate.dense", "linear2": "output.dense", "norm2": "output.LayerNorm"}
    for theirs, ours in same.items():
        state |= {f"{theirs}.{end}": weights[f"{name}.{ours}.{end}"] for end in ("weight", "bias")}
    layer.load_state_dict(state)
    return layer


def test_the_model_computes_what_pytorchs_own_layers_compute_with_the_weights_of_the_encoder(folder, encoder):
    files = read_encoder(folder)
    weights, number = files.weights, files.pieces.index
    text = ["[CLS]", "the", "boy", ".", "[SEP]", "a", "la", "##t", "##e", "girl", "[SEP]"]
    x = weights["embeddings.word_embeddings.weight"][[number(piece) for piece in text]]
    x = x + weights["embeddings.position_embeddings.weight"][: len(text)]
    x = x + weights["embeddings.token_type_embeddings.weight"][[0] * 5 + [1] * 6]
    norm = [weights[f"embeddings.LayerNorm.{end}"] for end in ("weight", "bias")]
    x = torch.nn.functional.layer_norm(x, (24,), *norm, 1e-12)[None]
    for layer in range(2):
        x = layer_of_torch(weights, f"encoder.layer.{layer}", 3)(x)
    pooled = torch.tanh(x[0, 0] @ weights["pooler.dense.weight"].T + weights["pooler.dense.bias"])
    model = started(encoder)
    expected = pooled @ model.classifier.weight.T + model.classifier.bias
    # Beside a longer pair, so that both sentences are padded.
    texts = read_pieces(
        [Pair("1", "The boy.", "a late girl"), Pair("2", "the the the small boy.", "a a small small late tea")],
        encoder.vocabulary.known,
    )
    rows = encoder.vocabulary.rows(texts.forms)
    found = model(Batcher(texts, rows, quick(encoder), torch.device("cpu")).batch(np.arange(2)))
    np.testing.assert_allclose(found[0].detach(), expected.detach(), atol=1e-5)


def test_a_hundred_pairs_are_learned_from_a_pretrained_encoder(encoder, tmp_path):
    made = pairs(100)
    state = train(quick(encoder, epochs=30), make_pieces(made, made, encoder), tmp_path / "run", device="cpu")
    assert state.best == 1.0
    assert state.log[-1]["loss"] < 0.1


def test_rows_of_pieces_that_never_occur_stay_as_they_were(encoder, tmp_path):
    made = pairs(30)
    train(quick(encoder, epochs=2, decay=0.5), make_pieces(made, made, encoder), tmp_path / "run", device="cpu")
    trained = Labeller(tmp_path / "run", device="cpu").model.words.vectors.weight.detach().numpy()
    known = list(encoder.vocabulary.known)
    changed = {piece for piece, same in zip(known, (trained == encoder.vectors).all(1), strict=True) if not same}
    texts = read_pieces(made, known)
    seen = {texts.forms[row] for row in (*texts.premise.values, *texts.hypothesis.values)}
    assert changed == seen
    assert "##z" in set(known) - seen


def test_matrices_of_layers_decay_and_words_norms_and_biases_do_not(encoder):
    decayed, others = make_optimiser(started(encoder), quick(encoder, decay=0.5)).param_groups
    assert (decayed["weight_decay"], others["weight_decay"]) == (0.5, 0)
    assert len(decayed["params"]) == 2 * 4  # two layers: attention, mixed, inner, outer
    assert all(weight.ndim == 2 for weight in decayed["params"])


def test_the_rate_rises_and_falls_in_straight_lines():
    shares = [rate_share(done / 10, 0.2) for done in range(11)]
    assert shares == pytest.approx([0, 0.5, 1, 7 / 8, 6 / 8, 5 / 8, 4 / 8, 3 / 8, 2 / 8, 1 / 8, 0])
    assert rate_share(0.0, 0.0) == rate_share(1.0, 0.0) == 1


def test_smoothing_asks_for_a_share_of_equal_probabilities():
    scores = torch.tensor([[math.log(2.0), 0.0, 0.0]])  # probabilities 1/2, 1/4, 1/4
    right = torch.tensor([[True, False, False]])
    even = (math.log(2) + 2 * math.log(4)) / 3
    assert float(negative_log_likelihood(scores, right, 0.1)) == pytest.approx(0.9 * math.log(2) + 0.1 * even)


def test_the_probabilities_of_a_teacher_are_learned_as_shares():
    scores = torch.tensor([[math.log(2.0), 0.0, 0.0]])  # probabilities 1/2, 1/4, 1/4
    taught = torch.tensor([[0.5, 0.25, 0.25]])
    assert float(negative_log_likelihood(scores, taught)) == pytest.approx(1.5 * math.log(2))


def test_every_seed_starts_with_the_same_classifier(encoder):
    first = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        first.append(started(encoder).classifier.weight.tolist())
    assert first[0] == first[1]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda folder: (folder / "vocab.txt").unlink(), "the encoder lacks a file"),
        (
            lambda folder: (folder / "config.json").write_text('{"model_type": "gpt2"}'),
            "not an encoder of the BERT kind",
        ),
        (lambda folder: alter(folder, hidden_act="relu"), "gelu"),
        (lambda folder: alter(folder, num_hidden_layers=3), "not the weights of an encoder of the BERT kind"),
        (lambda folder: (folder / "vocab.txt").write_text("[PAD]\n[UNK]\n"), "not the weights of an encoder"),
        (lambda folder: write_places(folder, 128), "reads 128 pieces, where pairs may have 203"),
    ],
)
def test_an_encoder_that_cannot_be_used_is_refused_with_a_sentence(change, said, tmp_path):
    folder = write_encoder(tmp_path / "encoder")
    change(folder)
    with pytest.raises(TouchstoneError, match=said):
        read_pretrained(folder)


def alter(folder, **changes):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **changes}))


def write_places(folder, count):
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    name = "embeddings.position_embeddings.weight"
    save_file({**weights, name: weights[name][:count].clone()}, folder / "model.safetensors")


@pytest.mark.parametrize(
    ("penn", "raw"),
    [
        ("He ca n't say `` no '' , is n't it ?", "He can't say \"no\", isn't it?"),
        ("A man -LRB- old -RRB- 's dog", "A man (old)'s dog"),
        ("It ’s “ good ”", 'It\'s "good"'),
    ],
)
def test_raw_and_treebank_text_have_the_same_pieces(penn, raw):
    letters = [mark + letter for letter in "abcdefghijklmnopqrstuvwxyz" for mark in ("", "##")]
    pieces = WordPieces(["[UNK]", "[CLS]", "[SEP]", *letters, *"\"'(),?."])
    assert pieces.encode(as_written(penn))[0] == pieces.encode(as_written(raw))[0]


def test_the_real_encoder_has_the_pieces_of_its_own_tokenizer():
    """By the tokenizers library with the tokenizer.json of the package; all 100,138 sentences of the sets are alike."""
    package = installed(ENCODER)
    if package is None:
        pytest.skip(f"the package {ENCODER}, which carries the weights, is not installed")
    pieces = WordPieces((package / "model" / "vocab.txt").read_text("utf-8").splitlines())
    expected = {
        "A man isn't riding two motor-cycles, is he?": (
            [1037, 2158, 3475, 1005, 1056, 5559, 2048, 5013, 1011, 12709, 1010, 2003, 2002, 1029]
        ),
        "Café «naïve» 2012 $5.50 东京": [7668, 1077, 15743, 1090, 2262, 1002, 1019, 1012, 2753, 100, 1755],
    }
    assert {text: pieces.encode(text)[0] for text in expected} == expected
    assert (pieces.first, pieces.last, pieces.unknown) == (101, 102, 100)


@given(st.text(max_size=40))
def test_fewer_pieces_cut_a_text_alike_where_all_that_it_needs_are_there(text):
    every = [
        "[UNK]",
        "[CLS]",
        "[SEP]",
        *{mark + part for part in ("a", "b", "ab", "abc", "c", "ba") for mark in ("", "##")},
    ]
    whole = WordPieces(every)
    text = text + "abcab cab"
    used = {every[number] for number in whole.encode(text)[0]}
    fewer = [piece for piece in every if piece in used or piece.startswith("[")]
    found = [fewer[number] for number in WordPieces(fewer).encode(text)[0]]
    assert found == [every[number] for number in whole.encode(text)[0]]
