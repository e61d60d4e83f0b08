"""The models are the papers': their sizes, each layer against a slow literal version, and what must not matter."""

from dataclasses import replace
from math import exp, tanh

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra neural is not installed")

from tests.systems.inference.made_up import pairs, small, write_vectors  # noqa: E402

from touchstone.systems.inference import layers  # noqa: E402
from touchstone.systems.inference.batches import Batcher, Side  # noqa: E402
from touchstone.systems.inference.predicting import Labeller  # noqa: E402
from touchstone.systems.inference.registry import MODELS, build  # noqa: E402
from touchstone.systems.inference.relations import RELATIONS, relation_table  # noqa: E402
from touchstone.systems.inference.settings import DEFAULTS  # noqa: E402
from touchstone.systems.inference.texts import read_texts  # noqa: E402
from touchstone.systems.inference.training import (  # noqa: E402
    make_data,
    negative_log_likelihood,
    probabilities,
    right_labels,
    train,
)
from touchstone.tasks.nli.model import Pair  # noqa: E402

CPU = torch.device("cpu")

# A gate of an LSTM has weights for inputs and states, and a bias; an LSTM has four, a bidirectional layer two LSTMs.
BILSTM_300 = 2 * 4 * 300 * (300 + 300 + 1)
PUBLISHED = {
    "decomposable_attention": (300 * 200 + 200)  # projection
    + 2 * (200 * 200 + 200)  # attend
    + (400 * 200 + 200 + 200 * 200 + 200)  # compare
    + (400 * 200 + 200 + 200 * 3 + 3),  # aggregate
    "esim": BILSTM_300 + (2400 * 300 + 300) + BILSTM_300 + (2400 * 300 + 300 + 300 * 3 + 3),
    "residual_encoder": 2 * 4 * 600 * (300 + 600 + 1)
    + 2 * (2 * 4 * 600 * (300 + 1200 + 600 + 1))
    + (4800 * 800 + 800 + 800 * 3 + 3),
    "kim": BILSTM_300 + (2405 * 300 + 300) + 2 * 4 * 300 * (305 + 300 + 1) + (2400 * 300 + 300 + 300 * 3 + 3),
}


def parameters(model):
    return sum(one.numel() for name, one in model.named_parameters() if one.requires_grad and "words." not in name)


@pytest.mark.parametrize(("name", "count"), [*PUBLISHED.items(), ("kim_instances", PUBLISHED["kim"])])
def test_the_published_models_over_300_dimensions_have_their_parameters(name, count):
    assert parameters(build(DEFAULTS[name], 4, np.zeros((1, 300), np.float32))) == count


def test_esim_has_the_4_3_million_parameters_of_its_paper():
    assert round(PUBLISHED["esim"] / 1e6, 1) == 4.3  # Chen et al. 2017, Table 1


def test_the_cross_encoder_has_the_parameters_of_the_small_minilm_with_six_layers():
    layer = 384 * 3 * 384 + 3 * 384 + 384 * 384 + 384 + 384 * 1536 + 1536 + 1536 * 384 + 384 + 2 * 2 * 384
    places = 203 * 384  # of 512: [CLS] and two sentences of 100 pieces, each with [SEP]
    expected = places + 2 * 384 + 2 * 384 + 6 * layer + (384 * 384 + 384) + (384 * 3 + 3)
    assert parameters(build(DEFAULTS["cross_encoder"], 4, np.zeros((1, 384), np.float32))) == expected


@pytest.mark.parametrize("tuned", [True, False])
def test_words_without_vectors_are_trained_whether_or_not_vectors_are(tuned):
    words = layers.Words(5, np.ones((2, 3), np.float32), tuned=tuned)
    found = words(torch.tensor([[4, 6]]))
    assert found[0, 0].tolist() == words.own.weight[4].tolist()
    assert found[0, 1].tolist() == [1, 1, 1]
    found.sum().backward()
    assert words.own.weight.grad[4].tolist() == [1, 1, 1]
    assert (words.vectors.weight.grad is not None) is tuned


def lstm(x, lstm_layer):
    """An LSTM step by step: i, f, g, o in PyTorch's order."""
    weight, recurrent, bias = (
        getattr(lstm_layer, name).detach().numpy().astype(float)
        for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0")
    )
    width = recurrent.shape[1]
    h, c, states = [0.0] * width, [0.0] * width, []
    for token in x:
        gates = [sum(weight[k, d] * token[d] for d in range(len(token))) for k in range(4 * width)]
        gates = [gates[k] + sum(recurrent[k, d] * h[d] for d in range(width)) + bias[k] for k in range(4 * width)]
        sigmoid = [1 / (1 + exp(-gate)) for gate in gates]
        c = [sigmoid[width + d] * c[d] + sigmoid[d] * tanh(gates[2 * width + d]) for d in range(width)]
        h = [sigmoid[3 * width + d] * tanh(c[d]) for d in range(width)]
        states.append(h)
    return states


def bilstm(x, layer):
    ahead, behind = lstm(x, layer.forwards), lstm(x[::-1], layer.backwards)[::-1]
    return np.array([a + b for a, b in zip(ahead, behind, strict=True)])


def linear(x, layer):
    weight, bias = layer.weight.detach().numpy().astype(float), layer.bias.detach().numpy().astype(float)
    return np.array([[sum(w * v for w, v in zip(row, token, strict=True)) for row in weight] + bias for token in x])


def aligned(e, a, b):
    """Soft alignment of one pair, sum by sum."""
    alpha = [[exp(e[i, j]) / sum(exp(e[i, k]) for k in range(len(b))) for j in range(len(b))] for i in range(len(a))]
    beta = [[exp(e[i, j]) / sum(exp(e[k, j]) for k in range(len(a))) for i in range(len(a))] for j in range(len(b))]
    return (
        np.array([sum(alpha[i][j] * b[j] for j in range(len(b))) for i in range(len(a))]),
        np.array([sum(beta[j][i] * a[i] for i in range(len(a))) for j in range(len(b))]),
        np.array(alpha),
        np.array(beta),
    )


def relu(x):
    return np.where(x > 0, x, 0)


def enhanced(a, other):
    return np.concatenate([a, other, a - other, a * other], 1)


def pooled(v):
    return np.concatenate([v.sum(0) / len(v), [max(column) for column in v.T]])


def literal_decomposable_attention(model, a, b, r):
    def mlp(x, layers_):
        return relu(linear(relu(linear(x, layers_[1])), layers_[4]))

    a, b = linear(a, model.project), linear(b, model.project)
    e = mlp(a, model.attend) @ mlp(b, model.attend).T
    a_aligned, b_aligned, _, _ = aligned(e, a, b)
    v_1, v_2 = (mlp(np.concatenate(both, 1), model.compare).sum(0) for both in ((a, a_aligned), (b, b_aligned)))
    hidden = relu(linear([np.concatenate([v_1, v_2])], model.aggregate[1]))
    return linear(hidden, model.aggregate[4])[0]


def literal_esim(model, a, b, r):
    a, b = bilstm(a, model.encoder), bilstm(b, model.encoder)
    a_aligned, b_aligned, _, _ = aligned(a @ b.T, a, b)
    m_a, m_b = (relu(linear(enhanced(*both), model.projection)) for both in ((a, a_aligned), (b, b_aligned)))
    return esim_classifier(model, m_a, m_b)


def esim_classifier(model, m_a, m_b):
    v = np.concatenate([pooled(bilstm(m, model.composition)) for m in (m_a, m_b)])
    return linear(np.tanh(linear([v], model.classifier[1])), model.classifier[4])[0]


def literal_kim(model, a, b, r):
    a, b = bilstm(a, model.encoder), bilstm(b, model.encoder)
    related = np.array([[any(cell) for cell in row] for row in r])
    a_aligned, b_aligned, alpha, beta = aligned(a @ b.T + 2.0 * related, a, b)
    k_a = [sum(alpha[i, j] * r[i, j] for j in range(len(b))) for i in range(len(a))]
    back = r[:, :, [1, 0, 2, 3, 4]]
    k_b = [sum(beta[j, i] * back[i, j] for i in range(len(a))) for j in range(len(b))]
    m = [
        np.concatenate([relu(linear(np.concatenate([enhanced(x, y), k], 1), model.projection)), k], 1)
        for x, y, k in ((a, a_aligned, k_a), (b, b_aligned, k_b))
    ]
    return esim_classifier(model, *m)


def literal_residual_encoder(model, a, b, r):
    def sentence(x):
        first = bilstm(x, model.layers[0])
        second = bilstm(np.concatenate([x, first], 1), model.layers[1])
        third = bilstm(np.concatenate([x, first + second], 1), model.layers[2])
        return np.array([max(column) for column in third.T])

    u, v = sentence(a), sentence(b)
    hidden = relu(linear([np.concatenate([u, v, abs(u - v), u * v])], model.classifier[0]))
    return linear(hidden, model.classifier[3])[0]


LITERAL = {
    "decomposable_attention": literal_decomposable_attention,
    "esim": literal_esim,
    "residual_encoder": literal_residual_encoder,
    "kim": literal_kim,
}


@pytest.mark.parametrize("name", LITERAL)
def test_a_model_computes_what_its_paper_says(name):
    torch.manual_seed(3)
    settings = small(name, width=3, classifier=4, dropout=0.5, relation_weight=2.0)
    sentences = [
        Pair("1", "A wet dog sees an animal", "A dry cat sees the dogs"),
        Pair("2", "Animals", "The cat sees a happy dog now"),
    ]
    texts = read_texts(sentences, ())
    vectors = np.random.default_rng(2).normal(size=(len(texts.forms), 5)).astype(np.float32)
    model = build(settings, 4, vectors).eval()
    rows = np.arange(len(texts.forms), dtype=np.int32) + 4
    rows[0] = 0
    batch = Batcher(texts, rows, settings, CPU, relation_table(texts.forms)).batch(np.arange(2))
    scores = model(batch).detach().numpy()
    for row in range(2):
        a, b = (
            model.words(side.ids[row, : side.lengths[row]]).detach().numpy()
            for side in (batch.premise, batch.hypothesis)
        )
        r = batch.relations[row, : len(a), : len(b)].numpy()
        np.testing.assert_allclose(scores[row], LITERAL[name](model, a, b, r), rtol=1e-4, atol=1e-6)


def test_marks_stand_where_each_paper_has_them():
    texts = read_texts([Pair("1", "a b", "a")], ())
    rows = np.array([0, 10, 11], np.int32)
    found = {
        name: Batcher(texts, rows, DEFAULTS[name], CPU).batch(np.arange(1)).premise.ids.tolist()[0]
        for name in ("decomposable_attention", "esim", "residual_encoder")
    }
    assert found == {"decomposable_attention": [10, 11, 3], "esim": [2, 10, 11, 3], "residual_encoder": [10, 11]}


def test_a_dropped_number_is_dropped_at_every_token_of_a_sentence():
    torch.manual_seed(0)
    kept = layers.sequence_dropout(torch.ones(4, 6, 50), 0.5, training=True)
    assert (kept == kept[:, :1]).all()
    assert set(kept.unique().tolist()) == {0.0, 2.0}
    assert not (kept[0, 0] == kept[1, 0]).all()


def test_first_weights_are_orthogonal_and_forget_gates_open():
    torch.manual_seed(0)
    layer = layers.BiLstm(3, 4)
    layers.initialise(layer)
    for gate in layer.forwards.weight_hh_l0.chunk(4):
        np.testing.assert_allclose((gate @ gate.T).detach(), np.eye(4), atol=1e-6)
    assert layer.backwards.bias_ih_l0.tolist() == [0.0] * 4 + [1.0] * 4 + [0.0] * 8
    assert layer.forwards.bias_hh_l0.abs().sum() == 0


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    made = pairs(100)
    return make_data(made, made, write_vectors(tmp_path_factory.mktemp("vectors") / "v.txt"))


@pytest.mark.parametrize("name", MODELS)
def test_a_hundred_pairs_are_learned_by_heart(name, data, tmp_path):
    state = train(small(name, width=32), data, tmp_path / "run", device="cpu")
    assert state.best == 1.0


@pytest.mark.parametrize("name", MODELS)
def test_neither_padding_nor_the_order_of_pairs_nor_their_number_changes_a_probability(name, data):
    torch.manual_seed(1)
    settings = small(name)
    model = build(settings, data.vocabulary.trained, data.vectors)
    rows = data.vocabulary.rows(data.training.forms)
    table = relation_table(data.training.forms)
    texts = data.training
    together = probabilities(model, Batcher(texts, rows, settings, CPU, table))
    mixed = np.random.default_rng(0).permutation(len(texts))
    again = probabilities(model, Batcher(texts.take(mixed), rows, settings, CPU, table))
    np.testing.assert_allclose(again, together[mixed], atol=1e-6)
    for place in range(6):
        alone = probabilities(model, Batcher(texts.take(np.array([place])), rows, settings, CPU, table))
        np.testing.assert_allclose(alone[0], together[place], atol=1e-6)


def test_both_ways_of_reading_two_sentences_give_the_same_states(monkeypatch):
    torch.manual_seed(0)
    layer = layers.BiLstm(3, 4)
    a, b = torch.randn(2, 5, 3), torch.randn(2, 3, 3)
    sides = Side(torch.zeros(2, 5), torch.tensor([5, 2])), Side(torch.zeros(2, 3), torch.tensor([1, 3]))
    apart = layer.both(a, b, *sides)
    monkeypatch.setattr(layers, "_on_gpu", lambda _: True)
    together = layer.both(a, b, *sides)
    for one, two, side in zip(apart, together, sides, strict=True):
        np.testing.assert_allclose(one[side.mask].detach(), two[side.mask].detach(), atol=1e-6)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
@pytest.mark.parametrize("name", MODELS)
def test_a_processor_and_a_gpu_give_the_same_labels(name, data, tmp_path):
    settings = small(name)
    train(settings, data, tmp_path / "run", device="cuda")
    texts, rows, table = data.training, data.vocabulary.rows(data.training.forms), relation_table(data.training.forms)
    found = []
    for device in ("cpu", "cuda"):
        model = Labeller(tmp_path / "run", device=device).model
        found.append(probabilities(model, Batcher(texts, rows, settings, torch.device(device), table)))
    np.testing.assert_allclose(found[0], found[1], atol=1e-4)


@pytest.mark.parametrize("name", MODELS)
def test_mixed_precision_changes_scores_by_its_rounding_alone(name, data):
    torch.manual_seed(1)
    settings = small(name)
    model = build(settings, data.vocabulary.trained, data.vectors)
    rows = data.vocabulary.rows(data.training.forms)
    batch = Batcher(data.training, rows, settings, CPU, relation_table(data.training.forms)).batch(np.arange(20))
    with torch.autocast("cpu", torch.bfloat16):
        scores = model(batch)
    negative_log_likelihood(scores.float(), batch.right).backward()
    assert all(torch.isfinite(one.grad).all() for one in model.parameters() if one.grad is not None)
    exact = model(batch)
    assert (scores - exact).abs().max() < 0.05 * exact.abs().max()  # bfloat16 has 8 bits


def test_two_labels_are_right_where_a_set_has_but_two(data):
    texts = read_texts([Pair("1", "a", "b", "not_entailment"), Pair("2", "a", "b", "entailment")], ())
    assert texts.right.tolist() == [[True, False, True], [False, True, False]]
    scores = torch.log(torch.tensor([[0.2, 0.5, 0.3], [0.2, 0.5, 0.3]]))
    loss = negative_log_likelihood(scores, torch.from_numpy(texts.right))
    assert loss.item() == pytest.approx(-(np.log(0.2 + 0.3) + np.log(0.5)) / 2)


def test_the_relations_of_a_batch_are_those_of_the_table(data):
    texts = read_texts([Pair("1", "A wet dog", "Dogs dry")], ())
    table = relation_table(texts.forms)
    found = Batcher(texts, np.arange(9, dtype=np.int32), small("kim"), CPU, table).batch(np.arange(1)).relations
    assert found.shape == (1, 1 + 3 + 1, 1 + 2 + 1, len(RELATIONS))
    wet, dry = texts.forms.index("wet"), texts.forms.index("dry")
    assert found[0, 2, 2].tolist() == table.relation(wet, dry)
    assert found[0, 2, 2, RELATIONS.index("antonym")] == 1
    assert not found[0, 0].any()
    assert not found[0, :, -1].any()


def test_right_labels_counts_either_of_two_labels(data):
    texts = replace(data.development, right=np.ones_like(data.development.right))
    model = build(small("esim"), data.vocabulary.trained, data.vectors)
    assert right_labels(model, Batcher(texts, data.vocabulary.rows(texts.forms), small("esim"), CPU)).all()
