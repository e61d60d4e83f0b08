"""The reader of word vectors: both forms give the same, only what is wanted is read, what is wrong is named."""

import numpy as np
import pytest

from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.text.vectors import read_word_vectors

ROWS = np.array([[1, 0], [0.5, 2], [0, 3]], np.float32)


@pytest.fixture
def array(tmp_path):
    np.save(tmp_path / "v.npy", ROWS)
    (tmp_path / "vocab.txt").write_text("red\nblue\ngreen\n")
    return tmp_path / "v.npy"


@pytest.fixture
def text(tmp_path):
    (tmp_path / "glove.txt").write_text("red 1 0\nblue 0.5 2\ngreen 0 3\n")
    return tmp_path / "glove.txt"


@pytest.fixture
def tensor(tmp_path):
    save = pytest.importorskip("safetensors.numpy", reason="the extra neural is not installed").save_file
    save({"vectors": ROWS}, tmp_path / "v.safetensors")
    (tmp_path / "vocab.txt").write_text("red\nblue\ngreen\n")
    return tmp_path / "v.safetensors"


@pytest.mark.parametrize("form", ["array", "text", "tensor"])
@pytest.mark.parametrize(("wanted", "places"), [(None, [0, 1, 2]), ({"green", "red", "pink"}, [0, 2])])
def test_all_words_or_the_wanted_ones_are_read(form, wanted, places, request):
    words, rows, signature = read_word_vectors(request.getfixturevalue(form), wanted)
    assert list(words) == [["red", "blue", "green"][place] for place in places]
    assert np.asarray(rows).tolist() == ROWS[places].tolist()
    assert "#" in signature


@pytest.mark.parametrize(
    ("content", "line", "code"),
    [
        ("a 1 2\nb 1\n", 2, Code.BAD_CELL),
        ("a 1 2\nb 1 x\n", 2, Code.BAD_CELL),
        ("a 1 2\nb 1 nan\n", 2, Code.NOT_FINITE),
        ("a 1 2\nb inf 1\n", 2, Code.NOT_FINITE),
        ("a 1 2\nb 1 1\na 3 4\n", 3, Code.DUPLICATE_NAME),
    ],
)
def test_a_wrong_line_of_text_is_refused_with_its_number_and_a_way_out(tmp_path, content, line, code):
    path = tmp_path / "glove.txt"
    path.write_text(content)
    with pytest.raises(TouchstoneError) as error:
        read_word_vectors(path)
    assert str(error.value).startswith(f"{path}:{line}: ")
    assert error.value.code == code
    assert error.value.hint


def test_another_encoding_is_refused_with_its_line(tmp_path):
    (tmp_path / "glove.txt").write_bytes("a 1 2\ncafé 3 4\n".encode("latin-1"))
    with pytest.raises(TouchstoneError, match=r"glove.txt:2: byte 9 is not utf-8"):
        read_word_vectors(tmp_path / "glove.txt")


def test_an_array_with_a_duplicate_word_or_a_number_that_is_not_finite_is_refused(array):
    array.with_name("vocab.txt").write_text("red\nblue\nred\n")
    with pytest.raises(TouchstoneError) as refused:
        read_word_vectors(array)
    assert refused.value.code == Code.DUPLICATE_NAME
    assert refused.value.faults[0].line == 3
    array.with_name("vocab.txt").write_text("red\nblue\ngreen\n")
    rows = ROWS.copy()
    rows[1, 0] = np.nan
    np.save(array, rows)
    with pytest.raises(TouchstoneError) as refused:
        read_word_vectors(array)
    assert refused.value.code == Code.NOT_FINITE
    assert refused.value.faults[0].value == "blue"
    assert list(read_word_vectors(array, {"green"}).words) == ["green"]


def test_standard_input_and_a_missing_file_are_refused(tmp_path):
    with pytest.raises(TouchstoneError) as refused:
        read_word_vectors("-")
    assert refused.value.code == Code.UNSUPPORTED
    with pytest.raises(TouchstoneError) as error:
        read_word_vectors(tmp_path / "none.npy", hint="fetch it")
    assert error.value.code == Code.NO_FILE
    assert error.value.hint == "fetch it"


def test_a_damaged_file_of_tensors_and_one_with_two_are_refused(tensor):
    from safetensors.numpy import save_file

    tensor.write_bytes(tensor.read_bytes()[:-3])
    with pytest.raises(TouchstoneError) as refused:
        read_word_vectors(tensor)
    assert refused.value.code == Code.UNREADABLE
    save_file({"a": ROWS, "b": ROWS}, tensor)
    with pytest.raises(TouchstoneError, match="2 arrays, where one is expected"):
        read_word_vectors(tensor)
