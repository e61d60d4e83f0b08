"""A thesaurus of the user's own: plain lines, Moby's commas, MyThes; what is wrong in it is said."""

import pytest

from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.systems.substitution.thesaurus import read_thesaurus


def write(tmp_path, text, name="words.txt", encoding="utf-8"):
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    return path


def test_plain_lines_give_synonyms_by_word_and_part_of_speech(tmp_path):
    found = read_thesaurus(write(tmp_path, "big: large, Very_Big\r\nrun.v: jog\nrun.n: jog, trot\n"))
    assert found.synonyms("big", "a") == ("large", "very big")
    assert found.synonyms("run", "v") == ("jog",)
    assert found.synonyms("run", "n") == ("jog", "trot")
    assert found.synonyms("tiny", "a") == ()


def test_commas_alone_are_read_as_moby_writes_them(tmp_path):
    assert read_thesaurus(write(tmp_path, "glad,happy,merry\n")).synonyms("glad", "a") == ("happy", "merry")


def test_mythes_is_told_by_its_head_and_its_antonyms_and_notes_are_left_out(tmp_path):
    text = (
        "ISO8859-1\nglad|2\n(adj)|happy (similar term)|sad (antonym)|fianc\xe9\n(noun)|gladiolus|flag (generic term)\n"
    )
    found = read_thesaurus(write(tmp_path, text, "th_en.dat", "latin-1"))
    assert found.synonyms("glad", "a") == ("happy", "fianc\xe9")
    assert found.synonyms("glad", "n") == ("gladiolus", "flag")


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("big:\nsmall: \n", Code.EMPTY, None),
        ("big large\n", Code.BAD_CELL, 1),
        ("UTF-8\nglad|2\n(adj)|happy\n", Code.UNREADABLE, 2),
        ("UTF-8\nglad|1\n(adj)|happy\nmerry\n", Code.BAD_CELL, 4),
    ],
)
def test_what_is_wrong_in_it_is_said(tmp_path, text, code, line):
    with pytest.raises(TouchstoneError) as error:
        read_thesaurus(write(tmp_path, text))
    [fault] = error.value.faults
    assert (fault.code, fault.line) == (code, line)


def test_an_empty_thesaurus_is_refused(tmp_path):
    with pytest.raises(TouchstoneError, match="is empty"):
        read_thesaurus(write(tmp_path, "\n \n"))


def test_another_encoding_is_refused_with_the_byte(tmp_path):
    with pytest.raises(TouchstoneError, match="byte 5 is not utf-8"):
        read_thesaurus(write(tmp_path, "big: \xe9norme\n", encoding="latin-1"))
