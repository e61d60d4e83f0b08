"""Word vectors: read, found, compared; counted from a text; damaged files refused."""

import numpy as np
import pytest

from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.systems.substitution.vectors import Vectors, count_vectors, find_vectors, read_vectors, shipped_vectors


def save_array(folder, rows=4, words=("a", "b", "c", "d"), dtype=np.float16):
    np.save(folder / "vectors.npy", np.eye(rows, 3, dtype=dtype))
    (folder / "vocab.txt").write_text("\n".join(words))
    return folder / "vectors.npy"


def test_an_array_and_a_text_give_the_same_vectors(tmp_path):
    array = read_vectors(save_array(tmp_path))
    text = tmp_path / "glove.txt"
    text.write_text(
        "".join(f"{word} {row[0]} {row[1]} {row[2]}\n" for word, row in zip("abcd", np.eye(4, 3), strict=True))
    )
    given = read_vectors(text)
    assert [given.of(word).tolist() for word in "abcd"] == [array.of(word).tolist() for word in "abcd"]
    assert array.signature.startswith("vectors.npy#")


def test_a_phrase_is_the_sum_of_its_words_and_an_unknown_word_is_zero():
    few = Vectors(["hot", "dog"], np.array([[1, 0], [0, 1]], np.float32), "made up")
    assert few.of("hot dog").tolist() == pytest.approx([0.5**0.5, 0.5**0.5])
    assert few.of("hot-dog").tolist() == few.of("hot dog").tolist()
    assert few.of("cold cat").tolist() == [0, 0]
    assert few.stacked(["hot", "xyzzy"]).tolist() == [[1, 0], [0, 0]]


def test_what_all_vectors_share_is_taken_out():
    chance = np.random.default_rng(0)
    own = chance.normal(size=(1000, 6)).astype(np.float32)
    same = Vectors([str(n) for n in range(1000)], own + 100, "shifted")
    means = np.stack([same.of(str(n)) for n in range(1000)]).mean(0)
    assert np.abs(means).max() < 0.3  # shifted by 100, every cosine would be 1


def test_vectors_are_found_by_path_then_by_the_variable(tmp_path, monkeypatch):
    path = save_array(tmp_path)
    monkeypatch.delenv("TOUCHSTONE_VECTORS", raising=False)
    assert find_vectors(None) is None
    monkeypatch.setenv("TOUCHSTONE_VECTORS", str(tmp_path))
    assert find_vectors(None) == path
    assert find_vectors("other.txt").name == "other.txt"
    path.rename(tmp_path / "other.bin")
    with pytest.raises(TouchstoneError) as error:
        find_vectors(None)
    assert error.value.code == Code.AMBIGUOUS


def test_the_packages_own_vectors_find_neighbours_of_the_same_part_of_speech():
    vectors = shipped_vectors()
    near = vectors.neighbours("match", "n", 10)
    assert len(near) == 10
    assert "matches" not in near  # lemmas alone
    assert {"tournament", "game"} & set(vectors.neighbours("match", "n", 20))
    assert vectors.neighbours("xyzzy", "n", 10) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a 1 2\nb 1\n", "1 numbers, where others have 2"),
        ("a 1 2\nb 1 x\n", "not a word and its numbers"),
        ("a 1 2\nb 1 nan\n", "not finite"),
        ("a\nb\n", "no vector in this file"),
    ],
)
def test_a_damaged_text_is_refused_with_its_line(tmp_path, text, said):
    path = tmp_path / "glove.txt"
    path.write_text(text)
    with pytest.raises(TouchstoneError) as error:
        read_vectors(path)
    assert said in str(error.value)


def test_the_head_line_of_word2vec_is_no_vector(tmp_path):
    path = tmp_path / "word2vec.txt"
    path.write_text("2 2\r\na 1 0\r\nb 0 1\r\n")
    assert read_vectors(path).of("b").tolist() == [0, 1]


def test_a_truncated_array_a_missing_file_and_another_number_of_words_are_refused(tmp_path):
    path = save_array(tmp_path)
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(TouchstoneError, match="not a complete array file"):
        read_vectors(path)
    save_array(tmp_path, words=("a", "b"))
    with pytest.raises(TouchstoneError, match="float16 array of 4 x 3 for 2 words"):
        read_vectors(path)
    with pytest.raises(TouchstoneError, match="no such file"):
        read_vectors(tmp_path / "none.npy")
    with pytest.raises(TouchstoneError, match="no such file"):
        read_vectors(tmp_path / "none.txt")


def test_words_that_keep_the_same_company_become_alike(tmp_path):
    path = tmp_path / "corpus.txt"
    fruit = [f"we eat the ripe {fruit} from the garden tree" for fruit in ("apple", "pear") * 6]
    cars = [f"they drive a fast {car} along the wide road" for car in ("car", "truck") * 6]
    path.write_text("\n".join([*fruit, *cars]))
    found = count_vectors(path)
    alike, apart = found.of("apple") @ found.of("pear"), found.of("apple") @ found.of("truck")
    assert alike > apart + 0.3
    assert found.signature.startswith("co-occurrence corpus.txt#")
    assert count_vectors(path).of("apple").tolist() == found.of("apple").tolist()


def test_a_text_too_small_to_count_is_refused(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("one two three\n")
    with pytest.raises(TouchstoneError) as error:
        count_vectors(path)
    assert error.value.code == Code.TOO_FEW
