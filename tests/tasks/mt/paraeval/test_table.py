import gzip
import os
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Ragged
from touchstone.tasks.mt.paraeval import building
from touchstone.tasks.mt.paraeval import table as paraeval_table
from touchstone.tasks.mt.paraeval.table import open_table

METEOR = "0.25\nis going to\nwill\n\n0.5\nThe car\nautomobile\n0.125\nwill\nis  going to\n"
PPDB = (
    "[VP] ||| is going to ||| will ||| PPDB2.0Score=3.2 p(e|f)=1.5 ||| 0-0 ||| Equivalence\n"
    "[NP] ||| [NN,1] of it ||| its [NN,1] ||| p(e|f)=1.5 ||| 0-0 ||| Equivalence\n"
    "[VP] ||| do n't ||| [ must not ] ||| p(e|f)=1.5\n"
)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def written(path, text):
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def found(table, *phrases):
    """The paraphrases that a table has for each phrase, None for a phrase that it does not list."""
    numbers = table.find(Ragged.of([table.words.find_all(phrase.split(" ")) for phrase in phrases], np.int64))
    every = np.arange(len(table.container.arrays["hashes"]))
    known = table.paraphrases(np.unique(numbers[numbers >= 0]), among=every)
    return [None if number < 0 else {text(table, other) for other in known.get(number, ())} for number in numbers]


def text(table, phrase):
    arrays = table.container.arrays
    return " ".join(
        table.words[word] for word in arrays["phrase_words"][slice(*arrays["phrase_ends"][phrase : phrase + 2])]
    )


@pytest.mark.parametrize("name", ["table", "table.gz"])
def test_meteors_form_plain_and_packed(name, tmp_path):
    table = open_table(written(tmp_path / name, METEOR))
    asked = ("is going to", "will", "the car", "automobile", "car", "going to")
    assert found(table, *asked) == [{"will"}, {"is going to"}, {"automobile"}, {"the car"}, None, None]


def test_the_greatest_probability_of_a_pair_counts(tmp_path):
    path = written(tmp_path / "table", METEOR)
    assert found(open_table(path, 0.25), "will") == [{"is going to"}]
    assert found(open_table(path, 0.3), "will", "the car") == [set(), {"automobile"}]


def test_ppdbs_form_without_lines_that_have_non_terminals(tmp_path):
    table = open_table(written(tmp_path / "ppdb.gz", PPDB))
    assert found(table, "will", "must not") == [{"is going to"}, {"don 't"}]
    assert table.words.find("its") == -1
    with pytest.raises(TouchstoneError) as refused:
        open_table(tmp_path / "ppdb.gz", 0.5)
    assert refused.value.code == Code.OPTION_UNUSED


def test_equal_phrases_and_phrases_of_more_than_seven_tokens_are_left_out(tmp_path):
    long = " ".join("abcdefgh")
    table = open_table(written(tmp_path / "table", f"1\na, b\nA b\n1\n{long}\nx\n1\n{long[:-2]}\ny\n"))
    assert found(table, "a b", "x", "y") == [None, None, {long[:-2]}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0.5\na\nb\nhigh\nc\nd\n", ':4: no probability: "high"'),
        ("-1\na\nb\n", ':1: no probability: "-1"'),
        ("0.5\na\nb\n\n0.5\nc\n", ":5: the last entry has no two phrases"),
        ("[NP] ||| a ||| b ||| x\n[NP] ||| a\n", r":2: no entry of a table of paraphrases: "),
        ("[NP] ||| a ||| ||| x\n", ":1: no entry of a table of paraphrases: "),
        ("   \n", "is empty"),
    ],
)
def test_malformed_entries_are_refused_with_their_line_and_nothing_is_kept(text, said, tmp_path, cache):
    with pytest.raises(TouchstoneError, match=said):
        open_table(written(tmp_path / "table", text))
    assert not cache.exists() or not any(cache.iterdir())


def test_probabilities_above_one_are_taken_as_one_with_a_note(tmp_path):
    table = open_table(written(tmp_path / "table", "1.5\na\nb\n0.5\na\nc\n"), 1.0)
    assert found(table, "a") == [{"b"}]
    assert table.notes[0].endswith("probabilities above 1, which are taken as 1: 1")


def test_different_phrases_with_one_hash_are_told_apart_by_another_seed(tmp_path, monkeypatch):
    real = paraeval_table._hashes
    crude = lambda phrases, seed: real(phrases, seed) & np.uint64(1) if seed == 0 else real(phrases, seed)  # noqa: E731
    monkeypatch.setattr(paraeval_table, "_hashes", crude)
    table = open_table(written(tmp_path / "table", METEOR))
    assert int(table.container.arrays["seed"][0]) == 1
    assert found(table, "will", "the car") == [{"is going to"}, {"automobile"}]


def test_a_torn_archive_and_a_missing_file_are_refused(tmp_path):
    (tmp_path / "torn.gz").write_bytes(gzip.compress(METEOR.encode())[:-9])
    with pytest.raises(TouchstoneError, match="is not a complete gzip file"):
        open_table(tmp_path / "torn.gz")
    with pytest.raises(TouchstoneError, match=r'no such file; nearest valid file "torn.gz"'):
        open_table(tmp_path / "torm.gz")


def test_the_index_is_made_once_and_anew_when_the_table_changes(tmp_path, cache, monkeypatch):
    path = written(tmp_path / "table", METEOR)
    first = open_table(path)
    (kept,) = cache.iterdir()
    open_table.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr(paraeval_table, "LineStream", None)  # a table that is indexed is not read again
        again = open_table(path)
    assert found(again, "will") == found(first, "will")
    assert str(again) == str(first)
    written(path, "1\na\nb\n")
    os.utime(path, ns=(1, 1))
    open_table.cache_clear()
    assert found(open_table(path), "a") == [{"b"}]
    assert list(cache.iterdir()) == [kept]
    kept.write_bytes(b"damaged")
    open_table.cache_clear()
    assert found(open_table(path), "a") == [{"b"}]


def test_a_table_is_read_where_no_index_can_be_kept(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path / "file"))
    assert found(open_table(written(tmp_path / "table", METEOR)), "will") == [{"is going to"}]


def large(entries):
    """A table of so many entries, of words that are always the same."""
    return "".join(f"0.5\n{' '.join(f'w{n // 9**k % 9}' for k in range(7))}\nw{n % 9} v\n" for n in range(entries))


def test_the_index_does_not_depend_on_the_blocks_it_was_built_from(tmp_path, monkeypatch):
    path = written(tmp_path / "table", METEOR + large(200))
    whole = open_table(path).container
    for kept in (tmp_path / "cache").iterdir():
        kept.unlink()
    open_table.cache_clear()
    monkeypatch.setattr(building, "BLOCK", 3)
    assert open_table(path).container.digest == whole.digest


def test_an_index_is_built_in_parts_so_that_an_entry_more_needs_few_bytes_more(tmp_path, monkeypatch):
    monkeypatch.setattr(building, "BLOCK", 512)
    peaks = []
    for entries in (1_000, 3_000):
        path = written(tmp_path / str(entries), large(entries))
        tracemalloc.start()
        open_table(path)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] - peaks[0] < 32 * 2_000  # an entry has 9 words of 4 bytes, 2 hashes of 8, and a probability of 8


phrases = st.lists(st.sampled_from("abcd"), min_size=1, max_size=4).map(" ".join)


@settings(max_examples=40)
@given(st.lists(st.tuples(phrases, phrases), min_size=1, max_size=12), phrases)
def test_every_pair_of_the_table_is_found_and_no_other(tmp_path_factory, pairs, asked):
    path = written(tmp_path_factory.mktemp("tables") / "table", "".join(f"1\n{one}\n{other}\n" for one, other in pairs))
    both = {(one, other) for pair in pairs for one, other in (pair, pair[::-1]) if one != other}
    expected = {other for one, other in both if one == asked}
    assert (found(open_table(path), asked)[0] or set()) == expected
