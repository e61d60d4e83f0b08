"""Files in and out of the tool: an export of an import loses nothing, and plain texts become complete pyramids."""

import json
import re
import unicodedata
from dataclasses import replace

import pytest

from touchstone import TouchstoneError
from touchstone.annotate.pyramid.constraints import violations
from touchstone.annotate.pyramid.document import to_annotation, to_pyramid
from touchstone.annotate.pyramid.exchange import document_of, file_text, imported, pyramid_of_texts
from touchstone.annotate.pyramid.json_form import document_json, read_document
from touchstone.base.codes import Code
from touchstone.base.files import Source
from touchstone.pyramid import read
from touchstone.tasks.pyramid.formats import format_pyramid, parse
from touchstone.tasks.pyramid.formats.plain import text_lines


def read_file(raw, name):
    return document_of(parse(raw, Source(name, ""), {}))


def again(document, form):
    return read_file(file_text(document, form).encode(), f"x.{form}")


def test_every_form_gives_the_document_back(build, document, peer, word, broken):
    matched = build.add_contributor(build.add_contributor(peer, "1", [word("apples")]), "0", [word("fog")])
    assert to_pyramid(again(document, "pyr")).units == to_pyramid(document).units
    assert again(document, "json") == document
    assert again(broken, "json") == broken
    assert to_annotation(again(matched, "pan")).units == to_annotation(matched).units
    assert to_annotation(again(matched, "json")) == to_annotation(matched)


def test_what_is_unassigned_goes_with_json_and_not_with_xml(build, document):
    aside = build.delete_unit(document, "1")
    assert again(aside, "pyr").unassigned == ()
    assert [mark.spans for mark in again(aside, "json").unassigned] == [mark.spans for mark in aside.unassigned]
    assert json.loads(file_text(aside, "json"))["unassigned"][0]["id"] == "c1"
    assert violations(again(aside, "json")) == []


def test_a_document_has_only_its_own_forms(document, peer):
    for one, form in ((document, "pan"), (peer, "pyr"), (peer, "exe")):
        with pytest.raises(TouchstoneError) as caught:
            file_text(one, form)
        assert caught.value.code == Code.UNKNOWN_FORMAT


def test_a_file_of_the_same_text_replaces_the_units_under_new_ids(document, broken, peer):
    after = imported(document, to_pyramid(broken))
    assert to_pyramid(after).units == to_pyramid(broken).units
    assert not {mark.id for mark in after.marks} & {mark.id for mark in document.marks}
    other = pyramid_of_texts("S1", {"a": "Cats."})
    with pytest.raises(TouchstoneError) as caught:
        imported(document, to_pyramid(other))
    assert caught.value.code == Code.MISMATCH
    assert imported(peer, to_annotation(peer)).units == peer.units


def test_an_import_of_json_brings_what_is_unassigned_along(build, document):
    aside = build.delete_unit(document, "1")
    file = parse(file_text(aside, "json").encode(), Source("x.json", ""), {})
    after = imported(document, file)
    assert [mark.spans for mark in after.unassigned] == [mark.spans for mark in aside.unassigned]
    assert after.next_mark == document.next_mark + 10
    assert file_text(after, "pyr") == file_text(aside, "pyr")


def test_a_peer_read_against_another_pyramid_is_not_imported(build, peer, document):
    short = replace(peer.material, pyramid=to_pyramid(build.delete_unit(document, "5")))
    with pytest.raises(TouchstoneError, match="there is no unit 5"):
        imported(replace(peer, material=short), to_annotation(peer))


def test_an_import_too_large_to_be_saved_is_refused_at_once():
    raw = f'<pyramid><text><line>a</line></text><scu uid="1" label="{"x" * 100_001}"/></pyramid>'.encode()
    with pytest.raises(TouchstoneError, match="100,000 are the most"):
        read_file(raw, "big.pyr")


def test_plain_texts_become_a_pyramid_that_every_tool_can_read(build):
    texts = {f"{n:02}.txt": f"Summary {n}.\r\nSecond line.\n" for n in range(30)}
    document = pyramid_of_texts("S1", texts)
    assert [one.id for one in document.summaries][25:27] == ["S1.M.4.A.25", "S1.M.4.A.26"]
    first = document.summaries[0]
    made = build.new_unit(document, [(first.start, first.start + 7)])
    back = again(made, "pyr")
    assert back.summaries == document.summaries
    assert back.units[0].label == "Summary"
    assert re.search(back.material.header, "\n".join(back.material.lines))[0].splitlines()[1] == "S1.M.4.A.00"
    assert text_lines("a\rb\n") == ("a", "b")


def test_a_summary_keeps_the_name_of_its_file():
    names = ["m1.txt", "Zoë Lee.txt", "Zoë-Lee.txt", "a.b.txt", "M1.TXT", "...", "B_2"]
    document = pyramid_of_texts("dam", {name: f"Text of {name}" for name in names})
    kept = {one.id: document.material.text[one.start : one.end].strip() for one in document.summaries}
    assert kept == {
        "dam.M.3.A.A": "Text of ...",
        "dam.M.3.A.B_2": "Text of B_2",
        "dam.M.3.A.M1": "Text of M1.TXT",
        "dam.M.4.A.Zoë-Lee": "Text of Zoë Lee.txt",
        "dam.M.3.A.Zoë-Lee-2": "Text of Zoë-Lee.txt",
        "dam.M.3.A.a-b": "Text of a.b.txt",
        "dam.M.3.A.m1-2": "Text of m1.txt",
    }
    assert again(document, "pyr").summaries == document.summaries
    apart = unicodedata.normalize("NFD", "Zoë.txt")  # as some systems write names
    assert pyramid_of_texts("dam", {apart: "Text."}).summaries[0].id == "dam.M.1.A.Zoë"


def test_texts_that_would_be_mistaken_for_headers_are_refused():
    with pytest.raises(TouchstoneError, match="cannot be told apart"):
        pyramid_of_texts("S1", {"a": "--\nS1.M.9.A.Q\n--\nCats."})
    with pytest.raises(TouchstoneError, match="cannot be told apart"):
        pyramid_of_texts("my set", {"a": "Cats."})


@pytest.mark.parametrize(("folder", "files"), [("pyr", 20), ("pan", 462)])
def test_all_files_of_2006_go_through_a_document_and_come_out_the_same(data, folder, files):
    paths = sorted((data("duc2006") / folder).iterdir())
    assert len(paths) == files
    for path in paths:
        thing = read(path)
        document = document_of(thing)
        saved = read_document(json.loads(json.dumps(document_json(document))), document)
        assert (to_pyramid(saved) if folder == "pyr" else to_annotation(saved)) == thing
        assert folder == "pan" or file_text(saved, folder) == format_pyramid(thing)


def test_an_unknown_attribute_of_another_year_survives_an_edit(build):
    raw = b"""<pyramid numModels="1"><text><line>--</line><line>S1.M.9.A.A</line><line>--</line><line>Cats sleep.</line>
    </text><scu uid="1" label="Cats" score="4"><contributor label="Cats"><part label="Cats" start="17" end="21" q="?"/>
    </contributor><note>n</note></scu></pyramid>"""
    thing = parse(raw, Source("x.pyr", ""), {})
    document = read_file(raw, "x.pyr")
    edited = build.new_unit(document, [(22, 27)])
    text = file_text(read_document(json.loads(json.dumps(document_json(edited))), edited), "pyr")
    assert file_text(document, "pyr") == format_pyramid(thing)
    for kept in ('numModels="1"', 'score="4"', 'q="?"', "<note>n</note>", 'label="sleep"'):
        assert kept in text
