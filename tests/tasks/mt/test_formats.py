"""Translations and references as files give them: what is read, what is changed and said, what is refused."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone import mt
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.mt import Options
from touchstone.tasks.mt.formats.cleaning import clean, decode_entities
from touchstone.tasks.mt.formats.lines import split_lines


@pytest.fixture
def write(tmp_path):
    def written(name, content):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written


def read(gold, runs=(), **options):
    inputs = mt.read(gold, runs, **options)
    return inputs.gold, inputs.runs


def refusal(gold, runs=(), **options) -> str:
    with pytest.raises(TouchstoneError) as caught:
        mt.read(gold, runs, **options)
    return str(caught.value)


def test_only_line_feeds_end_a_line(write):
    ref = write("ref.en", "one\u2028two\x0cthree\u0085four\r\nnext\x1cstill\n")
    sys = write("a.en", "x\ny")
    references, [system] = read([ref], [sys], texts=("raw",))
    assert references.texts[0].segments == ("one\u2028two\x0cthree\u0085four", "next\x1cstill")
    assert system.texts.segments == ("x", "y")
    assert references.ids == ("1", "2")


@given(st.lists(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]))))
def test_lines_come_back_as_they_were_written(lines):
    assert split_lines("".join(f"{line}\n" for line in lines)) == lines
    assert split_lines("".join(f"{line}\r\n" for line in lines)) == lines


def test_a_byte_order_mark_is_dropped_and_said(write):
    ref, sys = write("ref.en", b"\xef\xbb\xbfa cat\n"), write("a.en", "a cat\n")
    references, _ = read([ref], [sys])
    assert references.texts[0][0] == "a cat"
    assert references.notes == ("ref.en: a byte-order mark was dropped",)


def test_bytes_that_are_no_text_are_refused_with_line_and_offset(write):
    ref, bad = write("ref.en", "a\nb\n"), write("bad.en", b"good\nca\xe9\n")
    assert "bad.en:2: byte 7 of the file, 2 of the line, is not utf-8 (0xe9)" in refusal([ref], [bad])
    _, [system] = read([ref], [bad], encoding="latin-1")
    assert system.texts[1] == "caé"
    nul = write("nul.en", b"\xef\xbb\xbfa\nb\x00c\n")
    assert "nul.en:2: byte 6 of the file, 1 of the line, is NUL" in refusal([ref], [nul])
    assert "damaged" in refusal([ref], [nul])
    wide = write("wide.en", "a\nb\n".encode("utf-16-le"))
    assert 'encoding="utf-16"' in refusal([ref], [wide])
    assert "unknown encoding" in refusal([ref], [bad], encoding="no-such")


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[31m", "a\u2028b"])
def test_names_that_would_break_a_line_are_refused(write, name):
    ref, sys = write("ref.en", "a\n"), write("a.en", "a\n")
    assert "the name of a system has a control character" in refusal([ref], {name: sys})
    assert "the name of a system has a control character" in refusal([ref], [f"{name}={sys}"])
    row = {"segment": "1", "system": "s", "hypothesis": "x", "references": ["x"], "group": "g"}
    for what in ("segment", "system", "group"):
        table = write("t.jsonl", json.dumps({**row, what: name}))
        assert f"t.jsonl:1: the {what} has a name with a control character" in refusal([table])


def test_a_file_name_that_is_no_text_is_refused_as_a_system(write, tmp_path):
    ref, sys = write("ref.en", "a\n"), write("out/a", "a\n")
    sys.rename(sys.with_name("a\udcff"))
    assert "the name of a system has a control character" in refusal([ref], [tmp_path / "out"])


def test_unequal_numbers_of_lines_are_refused_with_the_files(write):
    ref, good, short = write("ref.en", "a\nb\nc\n"), write("good.en", "a\nb\nc\n"), write("short.en", "a\nb\n")
    said = refusal([ref], [good, short])
    assert "short.en: 2 lines where the references have 3" in said
    assert str(ref) in said
    said = refusal([ref, short], [good])
    assert "the references differ in their numbers of lines" in said
    for name, count in (("ref.en", 3), ("short.en", 2)):
        assert any(line.split() == [str(count), str(ref.parent / name)] for line in said.split("\n"))


def test_an_empty_file_is_refused_and_one_of_blank_lines_is_not(write):
    ref = write("ref.en", "a\nb\n")
    assert "none.en: 0 lines where the references have 2" in refusal([ref], [write("none.en", "")])
    _, [system] = read([ref], [write("blank.en", "\n\n")])
    assert system.texts.segments == ("", "")
    assert "is empty" in refusal([write("r.en", "")], [write("e.en", "")])


def test_entities_are_decoded_once_and_counted(write):
    ref = write("ref.en", "a\nb\nc\n")
    sys = write("a.en", "&quot;x&quot;  &#38; &#xE9;\n&amp;quot;\nhttp://a?b=1&para=2 &nosuch;\n")
    _, [system] = read([ref], [sys])
    assert system.texts.segments == ('"x" & é', "&quot;", "http://a?b=1&para=2 &nosuch;")
    assert system.notes == (
        "a.en: lines with entities, which were decoded: 2",
        "a.en: lines escaped twice, which keep a layer: 1",
    )
    _, [kept] = read([ref], [sys], texts=("raw",))
    assert kept.texts[0] == "&quot;x&quot;  &#38; &#xE9;"
    assert kept.notes == ()


@given(st.text())
def test_text_without_ampersands_is_never_changed_by_decoding(text):
    bare = text.replace("&", "")
    assert decode_entities(bare) == bare


def test_white_space_is_collapsed_after_decoding():
    assert clean(["a&nbsp;&#10;b \t c"], Options(), "x")[0] == ["a b c"]


def test_unicode_is_normalised_only_when_asked(write):
    ref, sys = write("ref.en", "e\u0301\n"), write("a.en", "é\n")
    assert read([ref], [sys])[0].texts[0][0] == "e\u0301"
    references, _ = read([ref], [sys], texts=("nfc",))
    assert references.texts[0][0] == "é"
    assert references.notes == ("ref.en: lines that NFC changed: 1",)


def test_wmt12_has_as_many_lines_with_entities_as_is_known(data):
    folder = data("wmt12")  # the counts are those of the specification's section 2
    for pair, counts in {
        "cs-en": {"onlineB": 788, "cu-bojar": 2, "uk-dan-moses": 2},
        "de-en": {"onlineB": 801, "onlineA": 2, "uk-dan-moses": 2},
        "es-en": {"onlineB": 776, "onlineA": 2, "uk-dan-moses": 2},
    }.items():
        references, systems = read([folder / "ref.en"], [folder / pair])
        said = {s.name: int(s.notes[0].rpartition(" ")[2]) for s in systems if s.notes}
        assert said == counts
        assert references.notes == ()
        assert len(references) == 3003


def test_each_file_in_a_folder_is_a_system_with_the_name_of_the_file(write):
    ref = write("ref.en", "a\n")
    write("sys/uedin-wmt12", "a\n")
    write("sys/b.en", "a\n")
    write("sys/.hidden", "a\nb\n")
    _, systems = read([ref], [ref.parent / "sys"])
    assert [system.name for system in systems] == ["b", "uedin-wmt12"]


def test_a_single_file_loses_its_ending_where_names_stay_apart(write):
    ref, en, txt = write("ref.en", "a\n"), write("x.en", "a\n"), write("x.txt", "a\n")
    assert [s.name for s in read([ref], [en])[1]] == ["x"]
    assert [s.name for s in read([ref], [en, txt])[1]] == ["x.en", "x.txt"]
    assert [s.name for s in read([ref], [write("v1.2", "a\n")])[1]] == ["v1.2"]
    assert [s.name for s in read([ref], [f"mine={txt}", en])[1]] == ["mine", "x"]
    assert [s.name for s in read([ref], {"mine": txt, "yours": en})[1]] == ["mine", "yours"]


def test_files_of_one_name_are_told_apart_by_their_folders(write):
    ref, one, two = write("ref.en", "a\n"), write("p/x", "a\n"), write("q/x", "a\n")
    assert [s.name for s in read([ref], [one, two])[1]] == ["p/x", "q/x"]


def test_a_reference_is_no_system(write):
    ref = write("ref.en", "a\n")
    assert "is a reference and a run" in refusal([ref], [ref])


def test_folders_of_folders_and_empty_ones_are_refused(write, tmp_path):
    ref = write("ref.en", "a\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "deep" / "inner").mkdir(parents=True)
    assert "is an empty folder" in refusal([ref], [tmp_path / "empty"])
    assert "contains a folder" in refusal([ref], [tmp_path / "deep"])
    assert "no such file" in refusal([ref], [tmp_path / "absent.en"])
    assert "no run to score" in refusal([ref], [])


def test_gzip_is_unpacked(write):
    ref = write("ref.en", "a\n")
    _, [system] = read([ref], [write("x.en.gz", gzip.compress(b"a b\n"))])
    assert (system.name, system.texts[0]) == ("x", "a b")


def test_an_empty_reference_is_refused_with_its_line(write):
    ref, sys = write("ref.en", "a\n \nc\n"), write("x.en", "a\nb\nc\n")
    assert "ref.en:2: an empty reference" in refusal([ref], [sys])
    references, _ = read([ref], [sys], allow_empty_ref=True)
    assert references.unreferenced == {1}
    assert references.texts[0].segments == ("a", "", "c")


def test_of_several_references_an_empty_one_is_absent(write):
    one, two, sys = write("r1.en", "a\n\nc\n"), write("r2.en", "A\nB\n\n"), write("x.en", "a\nb\nc\n")
    references, _ = read([one, two], [sys])
    assert [texts.segments for texts in references.texts] == [("a", None, "c"), ("A", "B", None)]
    assert references.unreferenced == frozenset()


TSV = "segment\tsystem\thypothesis\treference\treference2\tgroup\n"


def test_a_table_holds_systems_references_and_groups(write):
    path = write(
        "set.tsv", TSV + "1\tx\ta &lt; b\tr1\t\tde\n2\tx\tc\tr2\tr2b\tcs\n1\ty\td\tr1\t\tde\n2\ty\te\tr2\tr2b\tcs\n"
    )
    references, systems = read([path])
    assert references.ids == ("1", "2")
    assert references.groups == ("de", "cs")
    assert [texts.segments for texts in references.texts] == [("r1", "r2"), (None, "r2b")]
    assert [(s.name, s.texts.segments) for s in systems] == [("x", ("a < b", "c")), ("y", ("d", "e"))]
    assert systems[0].notes == ("x: lines with entities, which were decoded: 1",)


def test_jsonl_is_the_same_with_a_list_of_references(write):
    rows = [{"segment": n, "system": "x", "hypothesis": "h", "references": ["r", None]} for n in (1, 2)]
    references, [system] = read([write("set.jsonl", "\n".join(map(json.dumps, rows)))])
    assert references.ids == ("1", "2")
    assert references.groups is None
    assert [texts.segments for texts in references.texts] == [("r", "r")]  # nobody gave a second one
    assert system.texts.segments == ("h", "h")


def test_the_same_segment_in_two_groups_is_two(write):
    path = write("set.tsv", TSV + "1\tx\ta\tr\t\tde\n1\tx\tb\tq\t\tcs\n")
    assert read([path])[0].ids == ("de/1", "cs/1")


def test_a_segment_that_a_table_lacks_is_none(write):
    path = write("set.tsv", TSV + "1\tx\ta\tr\t\tg\n2\tx\tb\tq\t\tg\n1\ty\tc\tr\t\tg\n")
    assert read([path])[1][1].texts.segments == ("c", None)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("1\tx\ta\tr\t\tg\n1\tx\tb\tr\t\tg\n", "set.tsv:3: duplicate translation by 'x' (first at"),
        ("1\tx\ta\tr\t\tg\n1\ty\tb\tq\t\tg\n", "other references than at"),
        ("1\tx\ta\tr\n", "4 cells under 6 columns"),
        ("1\tx\ta\t\t\tg\n", "no reference for this segment"),
        ("\tx\ta\tr\t\tg\n", "the segment has no name"),
    ],
)
def test_faulty_tables_are_refused_with_the_line(write, rows, said):
    assert said in refusal([write("set.tsv", TSV + rows)])


def test_headers_are_checked(write):
    assert "no column 'hypothesis'; nearest valid name \"hypotheses\"" in refusal(
        [write("set.tsv", "segment\tsystem\thypotheses\treference\n1\tx\ta\tr\n")]
    )
    assert "no column 'reference'" in refusal([write("set.tsv", "a\tb\n1\t2\n")])
    assert "two columns with the same name" in refusal(
        [write("set.tsv", "segment\tsegment\tsystem\thypothesis\treference\n")]
    )
    assert "is empty" in refusal([write("set.tsv", "")])


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("[]", "no row in the table"),
        ("{", "not JSON"),
        ('{"segment": 1, "system": "x", "hypothesis": "h"}', "no column 'reference'"),
        ('{"segment": 1, "system": "x", "hypothesis": "h", "references": [1]}', "the reference is not a text"),
        ('{"segment": 1, "system": "x", "references": ["r"]}', "no column 'hypothesis'"),
        (
            '{"segment": true, "system": "x", "hypothesis": "h", "references": ["r"]}',
            "neither a text nor a whole number",
        ),
    ],
)
def test_faulty_objects_are_refused(write, row, said):
    assert said in refusal([write("set.jsonl", row + "\n")])


def test_plain_text_and_tables_mix(write):
    ref, table = write("ref.en", "a\n"), write("set.tsv", TSV + "1\tx\ta\tr\t\tde\n")
    _, [x] = read([ref], [table])
    assert (x.name, x.texts.segments) == ("set", ("a",))
    gold, runs = read([table], {"y": write("y.en", "b\n")}, ref=[ref], documents=write("docs", "d\n"))
    assert [texts.segments for texts in gold.texts] == [("r",), ("a",)]
    assert gold.documents == ("d",)
    assert [(run.name, run.texts.segments) for run in runs] == [("x", ("a",)), ("y", ("b",))]
    with pytest.raises(TouchstoneError) as refused:
        mt.read_gold([])
    assert refused.value.code == Code.OPTION_NEEDED


def test_further_references_may_be_options(write):
    one, two, sys = write("r1.en", "a\n"), write("r2.en", "b\n"), write("x.en", "a\n")
    gold, _ = read(one, [sys], ref=[two])
    assert [texts.segments for texts in gold.texts] == [("a",), ("b",)]
    assert gold.signature["gold"] == read([one, two], [sys])[0].signature["gold"]


@pytest.mark.filterwarnings("ignore::touchstone.TouchstoneWarning")  # a system has the words of the reference
def test_documents_are_a_column_of_tables_or_a_file(write):
    rows = [
        {"segment": n, "system": "x", "hypothesis": "h", "references": ["r"], "doc": f"d{n // 2}"} for n in (1, 2, 3)
    ]
    path = write("set.jsonl", "\n".join(map(json.dumps, rows)))
    assert read([path])[0].items.column("document").to_pylist() == ["d0", "d1", "d1"]
    assert mt.score(path, measures=["chrf"]).resampling.cluster == "document"
    ref, sys, documents = write("ref.en", "a\nb\nc\n"), write("x.en", "a\nb\nc\n"), write("docs", "d\nd\ne\n")
    results = mt.score(ref, sys, ["chrf"], documents=documents)
    assert results.clusters.tolist() == [0, 0, 1]
    assert results.signature["gold"] != mt.score(ref, sys, ["chrf"]).signature["gold"]
    assert "2 lines where the references have 3" in refusal([ref], [sys], documents=write("few", "d\ne\n"))
    assert mt.score(ref, sys, ["chrf"]).resampling.cluster is None


def test_tables_are_converted_both_ways_without_loss(write, tmp_path):
    rows = [
        {"segment": "1", "system": "x", "hypothesis": "a &lt; b", "references": ["r"], "group": "de", "document": "d"},
        {"segment": "2", "system": "x", "hypothesis": "", "references": ["r", "s"], "group": "de", "document": "d"},
    ]
    path = write("set.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert mt.convert(path, tmp_path / "set.tsv") == "2 translations"
    mt.convert(tmp_path / "set.tsv", tmp_path / "back.jsonl")
    back = [json.loads(line) for line in (tmp_path / "back.jsonl").read_text().splitlines()]
    assert back == [{**rows[0], "references": ["r", ""]}, rows[1]]  # TSV cannot tell an absent text from an empty one
    first, second = (read([file])[0].texts for file in (path, tmp_path / "set.tsv"))
    assert [texts.segments for texts in first] == [texts.segments for texts in second]


def test_what_a_table_cannot_hold_is_not_converted(write, tmp_path):
    path = write("set.jsonl", json.dumps({"segment": 1, "system": "x", "hypothesis": "a\tb", "references": ["r"]}))
    with pytest.raises(TouchstoneError) as refused:
        mt.convert(path, tmp_path / "set.tsv")
    assert refused.value.code == Code.CANNOT_WRITE
    with pytest.raises(TouchstoneError) as refused:
        mt.convert(path, tmp_path / "set.csv")
    assert refused.value.code == Code.UNKNOWN_FORMAT
    assert [file.name for file in tmp_path.iterdir()] == ["set.jsonl"]
