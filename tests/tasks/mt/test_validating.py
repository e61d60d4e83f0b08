"""Every problem of some files at once."""

from touchstone.tasks import mt
from touchstone.tasks.mt import Policy


def written(folder, **files: bytes | str):
    for name, content in files.items():
        path = folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        yield path


def test_faults_of_several_files_are_all_found(tmp_path):
    ref, one, two = written(tmp_path, ref="a\nb\n", one=b"\xff\n\n", two=b"a\n\x00\n")
    found = mt.validate([one, two], [ref])
    assert [(fault.file, fault.line) for fault in found.faults] == [(str(one), 1), (str(two), 2)]


def test_files_of_which_none_can_be_read_are_all_named(tmp_path):
    ref, one = written(tmp_path, ref=b"\xff\n", one=b"\xff\n")
    assert [fault.file for fault in mt.validate([one], [ref]).faults] == [str(ref), str(one)]


def test_unequal_lines_are_a_fault_with_the_counts_of_all_files(tmp_path):
    ref, one, two = written(tmp_path, ref="a\nb\n", one="a\n", two="a\nb\n")
    found = mt.validate([one, two], [ref])
    assert [fault.what for fault in found.faults] == ["1 lines where others have 2"]
    assert str(two) in found.hints[0]


def test_a_file_that_cannot_be_read_does_not_hide_that_another_is_too_short(tmp_path):
    ref, one, two, bad = written(tmp_path, ref="a\nb\n", one="a\n", two="a\nb\n", bad=b"\xff\nb\n")
    found = mt.validate([one, two, bad], [ref])
    assert [(fault.file, fault.line) for fault in found.faults] == [(str(bad), 1), (str(one), None)]


def test_what_does_not_stop_a_scoring_is_a_warning(tmp_path):
    ref, one = written(tmp_path, ref="a\nb\n", one="&amp;\n\n")
    found = mt.validate([one], [ref])
    assert found.faults == []
    assert found.warnings == [
        "one: lines with entities, which were decoded: 1",
        "one: empty translations, which score 0 (of 2): 1",
    ]
    assert any("2 segments, 2 references" in fact for fact in found.facts)


def test_a_missing_translation_is_a_fault_unless_the_policy_settles_it(tmp_path):
    path = tmp_path / "set.tsv"
    path.write_text("segment\tsystem\thypothesis\treference\n1\tx\ta\tr\n2\tx\ta\tr\n1\ty\ta\tr\n")
    assert [fault.value for fault in mt.validate([path]).faults] == ["2"]
    assert mt.validate([path], policy=Policy("skip")).faults == []
