"""The reader of statements: the network that is shipped, where the package of its language model is installed."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra neural is not installed")

from touchstone.base.codes import Code  # noqa: E402
from touchstone.base.errors import TouchstoneError  # noqa: E402
from touchstone.neural.causal import pack  # noqa: E402
from touchstone.neural.claims import STRIDE, WINDOW, ClaimReader, windows  # noqa: E402
from touchstone.neural.packages import CAUSAL, installed  # noqa: E402
from touchstone.systems.pyramids import open_network  # noqa: E402

TEXT = "A court in Lyon fined the brewery Nordsee two million euros on Monday for selling beer without a licence ."
SAID = ["Nordsee was fined by a court.", "Nordsee had sold beer.", "The fine was two million euros."]
UNSAID = ["Nordsee brews wine.", "The court is in Paris.", "The director of Nordsee was arrested."]


@pytest.fixture(scope="module")
def reader():
    if installed(CAUSAL) is None:
        pytest.skip(f"the package {CAUSAL}, which carries the weights, is not installed")
    return open_network("smollm2")


def test_statements_that_a_text_supports_have_higher_odds_than_others(reader):
    odds = reader.log_odds(TEXT, SAID + UNSAID)
    assert odds[: len(SAID)].min() > odds[len(SAID) :].max()


def test_statements_are_read_one_by_one_whatever_stands_beside_them(reader):
    alone = [reader.log_odds(TEXT, [one])[0] for one in SAID + UNSAID]
    # Weights of eight bits: a rounded sum that falls on the other side moves the odds a little.
    assert reader.log_odds(TEXT, SAID + UNSAID) == pytest.approx(alone, abs=0.4)


def test_blanks_around_punctuation_do_not_matter(reader):
    assert reader.log_odds(TEXT, SAID).tolist() == reader.log_odds(TEXT.replace(" .", "."), SAID).tolist()


def test_what_one_part_of_a_long_text_says_is_found(reader):
    rest = "The weather stayed calm and nothing else was reported from the coast. " * 120
    assert len(list(windows(reader._causal.encode(rest + TEXT)))) > 1
    odds = reader.log_odds(rest + TEXT, [SAID[0], UNSAID[2]])
    assert odds[0] > odds[1]
    assert odds[0] > reader.log_odds(rest, SAID[:1])[0] + 1


def test_statements_of_any_length_and_none_at_all_are_no_trouble(reader):
    odds = reader.log_odds(TEXT, ["", "Nordsee was fined. " * 2000])
    assert np.isfinite(odds).all()
    assert len(reader.log_odds(TEXT, [])) == 0


def test_windows_cover_a_text_and_a_short_one_is_one_window():
    assert [len(one) for one in windows(range(WINDOW))] == [WINDOW]
    assert [list(one) for one in windows([])] == [[]]
    pieces = range(3 * WINDOW + 7)
    parts = [list(one) for one in windows(pieces)]
    assert sorted({piece for part in parts for piece in part}) == list(pieces)
    assert [part[0] for part in parts] == [STRIDE * place for place in range(len(parts))]


def test_packed_texts_see_themselves_and_what_they_share_alone():
    packed = pack([[[5], [6, 7]], [[8, 9, 10]]], torch.device("cpu"), before=4, align=4)
    assert packed.numbers.tolist() == [[5, 6, 7, 0], [8, 9, 10, 0]]
    assert packed.places[:, 0].tolist() == [[4, 4, 5, 0], [4, 5, 6, 0]]
    assert packed.mask[0, 0].int().tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]]
    assert packed.last.int().tolist() == [[1, 0, 1, 0], [0, 0, 1, 0]]


def test_a_damaged_file_of_changes_is_refused(tmp_path):
    path = tmp_path / "claims.safetensors"
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(TouchstoneError) as refused:
        ClaimReader(tmp_path / "model.gguf", path)
    assert refused.value.code == Code.UNREADABLE


def test_joined_texts_support_what_any_part_supports():
    from training import train_claims

    own = train_claims.Document(1, [[1], [2]], [[10], [11]], np.array([[1.0, 0.0], [0.0, 0.5]]))
    other = train_claims.Document(2, [[3]], [[20]], np.array([[1.0]]))
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(200):
        for group in train_claims.drawn([own, other], rng):
            targets = {statement[0]: target for statement, target in zip(group.statements, group.targets, strict=True)}
            seen.add(tuple(sorted(group.text)))
            if 1 in targets:
                assert targets == {1: float(10 in group.text), 2: 0.5 * float(11 in group.text)}
            else:
                assert targets == {3: 1.0}
    assert {(10,), (11,), (20,), (10, 11), (10, 20), (10, 11, 20)} <= seen
