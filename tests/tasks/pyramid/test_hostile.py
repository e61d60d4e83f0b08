"""Files that mean harm, or are harmed: refused with a sentence, and soon."""

import gc
import time

import pytest

from touchstone import TouchstoneError
from touchstone.pyramid import GoldSet, problems, read, score, validate

BOMB = """<?xml version="1.0"?>
<!DOCTYPE pyramid [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>
<pyramid><text><line>&c;</line></text></pyramid>"""

OUTSIDE = """<?xml version="1.0"?>
<!DOCTYPE pyramid [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<pyramid><text><line>&x;</line></text></pyramid>"""

REFUSED = {
    "entity bomb": BOMB.encode(),
    "external entity": OUTSIDE.encode(),
    "external DTD entity": b'<!DOCTYPE pyramid SYSTEM "x.dtd" [<!ENTITY % p SYSTEM "x"> %p;]><pyramid/>',
    "wrong root": b"<html><text/></html>",
    "truncated": b"<?xml version='1.0'?><pyramid><text><line>Cats",
    "latin-1 in the middle": "<pyramid><text><line>Café</line><line>".encode() + b"Caf\xe9</line></text></pyramid>",
    "utf-16": "<pyramid><text/></pyramid>".encode("utf-16"),
    "declared as latin-1": "<?xml version='1.0' encoding='latin-1'?><pyramid><text><line>é".encode(),
    "unknown encoding": b'<?xml version="1.0" encoding="klingon"?><pyramid><text/></pyramid>',
    "nothing": b" \n",
    "no markup": b"Cats sleep.",
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    "control character": b"<pyramid><text><line>\x07</line></text></pyramid>",
    "nested too deeply": b"<pyramid><text/>" + b"<a>" * 50_000 + b"</a>" * 50_000 + b"</pyramid>",
    "nested JSON": b'{"format": "touchstone.pyramid/1", "x": ' + b"[" * 900 + b"]" * 900 + b"}",
    "JSON of another kind": b"[1, 2]",
    "too big": b"<pyramid>" + b" " * 20_000_001,
    "too many elements": b"<pyramid>" + b"<a/>" * 1_000_001 + b"</pyramid>",
    "a long line": b"<pyramid><text><line>" + b"-" * 100_001 + b"</line></text></pyramid>",
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_hostile_or_broken_file_is_refused_in_little_cpu_time(tmp_path, kind):
    path = tmp_path / "x.pyr"
    path.write_bytes(REFUSED[kind])
    gc.freeze()  # what other tests left behind is not looked through meanwhile
    begun = time.process_time()
    with pytest.raises(TouchstoneError) as caught:
        read(path)
    assert time.process_time() - begun < 30  # below 1 s on an idle core
    gc.unfreeze()
    assert caught.value.faults[0].file == str(path)


@pytest.mark.parametrize("expression", ["(-+)+\\n D", r"(\s*)(\s*)(\s*)x", "[", "(a|a)*" * 30, "x" * 10_000])
def test_an_expression_from_a_stranger_is_never_run(demo, tmp_path, expression):
    lines = "<line>" + "-" * 5000 + "</line>" + "<line> </line>" * 2000
    text = (demo / "eve.T01.M.60.A.magpie.pan").read_text()
    start, end = text.index("<startDocumentRegEx>"), text.index("</startDocumentRegEx>")
    text = f"{text[:start]}<startDocumentRegEx>{expression}{text[end:]}".replace("</text>", f"{lines}</text>", 1)
    path = tmp_path / "eve.T01.M.60.A.magpie.pan"
    path.write_text(text)
    begun = time.process_time()
    annotation = read(path)
    assert time.process_time() - begun < 30  # below 1 s on an idle core
    assert annotation.pyramid.header == expression
    assert any("not run" in str(problem) for problem in problems(annotation))
    assert score(GoldSet([annotation])).row("magpie", "pyramid.modified").value == 12 / 26


def test_validating_goes_on_after_a_file_that_cannot_be_read(demo, tmp_path):
    bad = tmp_path / "bad.pyr"
    bad.write_bytes(REFUSED["entity bomb"])
    found = validate([bad, demo / "T01.pyr", tmp_path / "absent.pan"])
    assert [fault.file for fault in found.faults] == [str(bad), str(tmp_path / "absent.pan")]
    assert len(found.facts) == 1
