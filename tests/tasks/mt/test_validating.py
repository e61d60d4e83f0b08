"""Every problem of some files at once."""

from touchstone import mt
from touchstone.base.ids import Policy


def written(folder, **files: bytes | str):
    for name, content in files.items():
        path = folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        yield path


def test_faults_of_several_files_are_all_found(tmp_path):
    ref, one, two = written(tmp_path, ref="a\nb\n", one=b"\xff\n\n", two=b"a\n\x00\n")
    found = mt.validate(ref, [one, two])
    assert [(fault.file, fault.line) for fault in found.faults] == [(str(one), 1), (str(two), 2)]


def test_runs_are_not_read_where_the_references_cannot_be(tmp_path):
    ref, one = written(tmp_path, ref=b"\xff\n", one=b"\xff\n")
    assert [fault.file for fault in mt.validate(ref, [one]).faults] == [str(ref)]


def test_unequal_lines_are_a_fault(tmp_path):
    ref, one, two = written(tmp_path, ref="a\nb\n", one="a\n", two="a\nb\n")
    found = mt.validate(ref, [one, two])
    assert [fault.what for fault in found.faults] == ["1 lines where the references have 2"]
    assert str(ref) in found.hints[0]


def test_a_file_that_cannot_be_read_does_not_hide_that_another_is_too_short(tmp_path):
    ref, one, two, bad = written(tmp_path, ref="a\nb\n", one="a\n", two="a\nb\n", bad=b"\xff\nb\n")
    found = mt.validate(ref, [one, two, bad])
    assert [(fault.file, fault.line) for fault in found.faults] == [(str(one), None), (str(bad), 1)]


def test_what_does_not_stop_a_scoring_is_a_warning(tmp_path):
    ref, one = written(tmp_path, ref="a\nb\n", one="&amp;\n\n")
    found = mt.validate(ref, [one])
    assert found.faults == []
    assert found.warnings == [
        "one: lines with entities, which were decoded: 1",
        "one: empty translations, which score 0 (of 2): 1",
    ]
    assert any("2 segments, 2 references" in fact for fact in found.facts)


def test_a_missing_translation_is_a_fault_unless_the_policy_settles_it(tmp_path):
    path = tmp_path / "set.tsv"
    path.write_text("segment\tsystem\thypothesis\treference\n1\tx\ta\tr\n2\tx\ta\tr\n1\ty\ta\tr\n")
    assert [fault.value for fault in mt.validate(path).faults] == ["2"]
    assert mt.validate(path, policy=Policy("skip")).faults == []
