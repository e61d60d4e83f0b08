"""Files in and out: nothing is lost between XML, JSON and the model; what cannot be used is refused with its place."""

import json
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.pyramid import Annotation, Contributor, Part, Pyramid, read, read_annotation, read_pyramid, write
from touchstone.tasks.pyramid.formats import format_annotation, format_json, format_pyramid, identity_of, read_meta


def tree(element):
    """Return an element as a comparable value; blanks between elements mean nothing."""
    leaf = not len(element)
    text = (element.text or "") if leaf else (element.text or "").strip()
    return element.tag, element.attrib, text, [tree(child) for child in element]


def written(thing) -> str:
    return format_pyramid(thing) if isinstance(thing, Pyramid) else format_annotation(thing)


def saved(tmp_path, text: str, name: str = "S1.pyr"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


PYR = """<?xml version="1.0"?>
<pyramid numModels="1">
 <startDocumentRegEx><![CDATA[(-+)+\\n D]]></startDocumentRegEx>
 <text><line>--</line><line>S1.M.9.A.A</line><line>--</line><line> Cats &amp; dogs  sleep. \U0001f408</line></text>
 <score by="tool">.5</score>
 <scu uid="1" label=" Cats  sleep " comment="a &#10;b" colour="red">
  <contributor label="Cats...sleep">
   <part label="sleep" start="30" end="35"/><part label="Cats" start="18" end="22"/>
  </contributor>
  <note><deep x="1"/></note>
 </scu>
</pyramid>"""


def test_everything_in_a_file_is_kept_through_xml_and_json(tmp_path):
    pyramid = read_pyramid(saved(tmp_path, PYR))
    again = read_pyramid(saved(tmp_path, format_pyramid(pyramid)))
    through_json = read_pyramid(saved(tmp_path, format_json(pyramid)))
    assert pyramid == again == through_json
    assert tree(ElementTree.fromstring(format_pyramid(pyramid))) == tree(ElementTree.fromstring(PYR))


def test_what_the_format_does_not_know_becomes_extra(tmp_path):
    pyramid = read_pyramid(saved(tmp_path, PYR))
    assert pyramid.extra.attributes == {"numModels": "1"}
    assert [(stray.at, stray.tag, stray.text) for stray in pyramid.extra.elements] == [(2, "score", ".5")]
    unit = pyramid.units[0]
    assert unit.extra.attributes == {"colour": "red"}
    assert unit.extra.elements[0].children[0].attributes == {"x": "1"}


def test_labels_and_comments_are_never_stripped_and_parts_keep_their_order(tmp_path):
    unit = read_pyramid(saved(tmp_path, PYR)).units[0]
    assert (unit.label, unit.comment) == (" Cats  sleep ", "a \nb")
    assert [part.start for part in unit.contributors[0].parts] == [30, 18]


def test_offsets_count_code_points_and_line_ends_count_as_one(tmp_path):
    pyramid = read_pyramid(saved(tmp_path, PYR.replace("\n", "\r\n")))
    assert [pyramid.text[part.start : part.end] for part in pyramid.units[0].contributors[0].in_order] == [
        "Cats",
        " slee",
    ]
    assert pyramid.text[-1] == "\U0001f408"


def test_newlines_tabs_and_carriage_returns_survive_writing(tmp_path, pyramid):
    odd = replace(pyramid.units[0], label="a\nb\tc\rd\"<&>'", comment="\n")
    changed = replace(pyramid, units=(odd,), lines=(*pyramid.lines[:-1], "x\ry & <z>"))
    changed = replace(changed, summaries=read_pyramid(saved(tmp_path, format_pyramid(pyramid))).summaries)
    changed = replace(
        changed, summaries=(*changed.summaries[:-1], replace(changed.summaries[-1], end=len(changed.text)))
    )
    assert read_pyramid(saved(tmp_path, format_pyramid(changed))) == changed
    assert read_pyramid(saved(tmp_path, format_json(changed))) == changed


def test_the_bundled_example_makes_the_round_trip(demo, tmp_path):
    for path in sorted(demo.glob("*.p[ay]*")):
        thing = read(path)
        copy, other = tmp_path / path.name, tmp_path / path.with_suffix(".json").name
        write(copy, thing)
        write(other, thing)
        assert read(copy) == thing == read(other)
        assert tree(ElementTree.parse(copy).getroot()) == tree(ElementTree.parse(path).getroot())


def test_an_annotation_makes_the_round_trip_with_all_that_is_odd_in_it(annotated, tmp_path):
    peer = annotated("bbd00", peer="08", annotator="7", document_set="S1")
    odd = replace(peer.units[0], contributors=(Contributor("x", (Part("x", 9, -3),), "odd"), Contributor("y", ())))
    peer = replace(peer, units=(odd, *peer.units[1:]), pyramid=replace(peer.pyramid, header=None))
    assert read(saved(tmp_path, format_annotation(peer), "7.S1.M.9.A.08.pan")) == peer
    assert read(saved(tmp_path, format_json(peer))) == peer


def test_the_root_decides_what_a_file_is_not_its_suffix(demo, tmp_path):
    path = tmp_path / "x.pyr"
    path.write_bytes(next(iter(demo.glob("*heron.pan"))).read_bytes())
    assert isinstance(read(path), Annotation)


@pytest.mark.parametrize(
    ("name", "identity"),
    [
        ("100.D0601.M.250.A.1.pan", ("D0601", "1", "100")),
        ("119.D0647.M.250.B.08.pan.gz", ("D0647", "08", "119")),
        ("mine.pan", ("", "", "")),
    ],
)
def test_the_name_of_a_file_tells_set_peer_and_annotator(name, identity):
    assert identity_of(name) == identity


def test_a_table_beside_the_files_counts_more_than_their_names(demo, tmp_path):
    meta = saved(tmp_path, "file,set,peer,annotator\neve.T01.M.60.A.heron.pan,T9,07,adam\n", "meta.csv")
    peer = read_annotation(demo / "eve.T01.M.60.A.heron.pan", meta=read_meta(meta).identities)
    assert (peer.set, peer.peer, peer.system, peer.annotator) == ("T9", "07", "7", "adam")


@pytest.mark.parametrize(
    "table",
    ["file,set,peer\na.pan,S,P\n", "file,set,peer,annotator\na.pan,,P,x\n", "file,set,peer,annotator\na.pan,S\n"],
)
def test_a_table_that_does_not_say_enough_is_refused(tmp_path, table):
    with pytest.raises(TouchstoneError):
        read_meta(saved(tmp_path, table, "meta.csv"))


def test_a_pyramid_is_no_annotation_but_an_annotation_has_a_pyramid(demo):
    with pytest.raises(TouchstoneError) as error:
        read_annotation(demo / "T01.pyr")
    assert error.value.code == Code.UNSUPPORTED
    assert len(read_pyramid(demo / "eve.T01.M.60.A.heron.pan").units) == 17


def test_without_headers_the_number_of_models_can_be_said(tmp_path):
    path = saved(tmp_path, PYR.replace("S1.M.9.A.A", "Header 1"))
    with pytest.raises(TouchstoneError, match="models=N"):
        _ = read_pyramid(path).n
    said = read_pyramid(path, models=3)
    assert said.n == 3
    assert read_pyramid(saved(tmp_path, format_json(said))).n == 3
    with pytest.raises(TouchstoneError) as error:
        read_pyramid(path, models=0)
    assert error.value.code == Code.BAD_VALUE


def test_summaries_of_json_count_and_are_not_lost_in_xml(tmp_path, pyramid):
    value = json.loads(format_json(pyramid))
    value["lines"] = [line.replace("S1.M.9", "Model") for line in value["lines"]]
    found = read_pyramid(saved(tmp_path, json.dumps(value)))
    assert found.n == 4
    with pytest.raises(TouchstoneError) as error:
        format_pyramid(found)
    assert error.value.code == Code.CANNOT_WRITE


def test_keys_that_json_adds_are_kept_and_not_lost_in_xml(tmp_path, pyramid):
    value = json.loads(format_json(pyramid))
    value["scus"][0]["automatic"] = {"p": 0.5}
    value["made_by"] = "x"
    found = read_pyramid(saved(tmp_path, json.dumps(value)))
    again = json.loads(format_json(found))
    assert (again["scus"][0]["automatic"], again["made_by"]) == ({"p": 0.5}, "x")
    with pytest.raises(TouchstoneError) as error:
        format_pyramid(found)
    assert error.value.code == Code.CANNOT_WRITE


@pytest.mark.parametrize(("name", "kind"), [("x.pan", "pyramid"), ("x.pyr", "annotation"), ("x.xml", "pyramid")])
def test_a_form_that_does_not_fit_is_refused_before_anything_is_written(demo, tmp_path, name, kind):
    thing = read(demo / ("T01.pyr" if kind == "pyramid" else "eve.T01.M.60.A.heron.pan"))
    with pytest.raises(TouchstoneError):
        write(tmp_path / name, thing)
    assert not (tmp_path / name).exists()


BROKEN_JSON = [
    ("scus.0.uid", 7, '"uid" must be a string'),
    ("scus.0.uid", "0", "cannot name a unit"),
    ("scus.1.uid", "a", "duplicate uid"),
    ("scus.0.contributors", {}, "must be a list of objects"),
    ("scus.0.contributors.0.parts.0.start", "3", "must be a whole number"),
    ("scus.0.contributors.0.parts.0.start", True, "must be a whole number"),
    ("scus.0.contributors.0.parts.0.end", 10**20, "must be a whole number"),
    ("scus.0.label", "bell \x07", "control character"),
    ("lines", "text", "must be a list of strings"),
    ("lines.0", "x" * 100_001, "100,001 characters"),
    ("summaries.0.start", 99, "must follow each other"),
    ("models", 0, "at least 1"),
    ("extra", {"other": 1}, '"extra" must be an object'),
    ("extra", {"attributes": {"a b": "x"}}, "not the name"),
    ("extra", {"elements": [{"at": 0, "tag": "1x"}]}, "not the name"),
    ("format", "touchstone.pyramid/2", "not a pyramid or an annotation"),
]


@pytest.mark.parametrize(("path", "value", "said"), BROKEN_JSON)
def test_a_wrong_value_in_json_is_refused_with_its_place(tmp_path, pyramid, path, value, said):
    whole = inner = json.loads(format_json(pyramid))
    *way, last = [int(key) if key.isdigit() else key for key in path.split(".")]
    for key in way:
        inner = inner[key]
    inner[last] = value
    with pytest.raises(TouchstoneError, match=said):
        read(saved(tmp_path, json.dumps(whole)))


BROKEN_XML = [
    ('uid="1"', 'uid="0"', "cannot name a unit"),
    ('uid="1"', "", "<scu> has no uid"),
    ('start="30"', 'start="x"', "not a whole number"),
    ('start="30"', 'start="9999999999999999999"', "not a whole number"),
    ('start="30" ', "", "<part> has no start"),
    ("<line>--</line>", '<line a="1">--</line>', "may hold text and nothing else"),
    ("<line>--</line>", "<line><b/></line>", "may hold text and nothing else"),
    ("<text>", "<text>loose", "has text between its elements"),
    ("<note>", "loose<note>", "has text between its elements"),
    ("<note>", "<note>loose", "mixes text and elements"),
    ("<score by", "<text/><score by", "2 times <text>"),
    ("<text>", "<scu uid='9' label='x'/><text>", "not in the order"),
    ("<score", "<score xmlns='u:v'", "cannot keep"),
    ("pyramid", "Pyramid", "PyrEval"),
    ("pyramid", "document", "not a pyramid or an annotation"),
]


@pytest.mark.parametrize(("old", "new", "said"), BROKEN_XML)
def test_what_xml_cannot_mean_is_refused_with_its_place(tmp_path, old, new, said):
    text = PYR.replace(old, new) if old == "pyramid" else PYR.replace(old, new, 1)
    with pytest.raises(TouchstoneError, match=said):
        read(saved(tmp_path, text))


def test_a_peer_that_expresses_a_unit_of_another_pyramid_is_refused_with_the_nearest(annotated, tmp_path):
    peer = annotated("b")
    text = format_annotation(peer).replace('<peerscu uid="b"', '<peerscu uid="bb"')
    with pytest.raises(TouchstoneError, match='no unit of this uid: "bb"') as caught:
        read(saved(tmp_path, text, "1.S1.M.9.A.P.pan"))
    assert caught.value.faults[0].near == "b"
