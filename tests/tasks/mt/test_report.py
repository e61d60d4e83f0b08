"""The report of translations."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import touchstone
from touchstone import mt
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import Source
from touchstone.base.ids import Policy
from touchstone.base.tables import number
from touchstone.core.comparison import compare
from touchstone.core.matching import Link, Matching
from touchstone.core.report.results import draw, scores_page
from touchstone.core.resampling import Resampling
from touchstone.core.task import Inputs
from touchstone.mt import Explanation, GoldSet, Layer, Run, Texts
from touchstone.show.page import render
from touchstone.tasks.mt.alignment import LONGEST_DRAWN, UNMATCHED, draw_alignments
from touchstone.tasks.mt.explaining import explain_run

DEMO = Path(touchstone.__file__).parent / "examples" / "mt"
FEW = Resampling(draws=20)
TEXT = "{http://www.w3.org/2000/svg}text"


@pytest.fixture(scope="module")
def page():
    inputs = mt.read(DEMO / "refA.en", DEMO / "de-en")
    return scores_page(mt.score(inputs, measures=["maxsim(n)", "ter"], resampling=FEW))


def page_of(gold, runs, measure, **settings):
    inputs = Inputs(gold, runs, mt.Options())
    return scores_page(mt.score(inputs, measures=[measure], resampling=FEW, **settings))


def test_the_report_has_scores_comparison_agreement_segments_and_notes(page):
    titles = [*("Ranking", "Differences", "By item", "Measures against measures", "Segments", "Details", "Notes")]
    assert [section.title for section in page.sections] == titles
    html = render(page)
    assert "lower is better" in html
    assert "sparrow: empty translations, which score 0 (of 12): 1" in html
    assert html.count("alignment of segment") >= 4


def test_two_segments_have_a_report_in_which_measures_are_not_correlated():
    gold = GoldSet((Texts(["a cat sat", "a dog"]),), ("1", "2"), (Source("r", "0"),))
    inputs = Inputs(gold, [Run("x", Texts(["a cat", "the dog"]), Source("x", "1"))], mt.Options())
    found = scores_page(mt.score(inputs, measures=["maxsim(n)", "ter"], resampling=FEW))
    (section,) = [section for section in found.sections if section.title == "Measures against measures"]
    assert [cell for row in section.blocks[1].table.rows for cell in row[1:]] == [None] * 4


def test_scores_and_drawings_of_several_references_agree():
    inputs = mt.read(DEMO / "refA.en", DEMO / "de-en", ref=[DEMO / "refB.en"])
    results = mt.score(inputs, measures=["maxsim(n)"], resampling=FEW)
    html = render(scores_page(results))
    values = {(row["system"], row["id"]): row["maxsim(n)"] for row in results.items}
    drawn = re.findall(r">segment (\d+), (\w+): maxsim\(n\) ([\d.]+) over 2 references; with reference ([12])", html)
    assert {place for *_, place in drawn} == {"1", "2"}
    assert all(f"{values[system, segment]:.3f}" == shown for segment, system, shown, _ in drawn)


def test_systems_and_measures_have_one_order_on_the_whole_page():
    inputs = mt.read(DEMO / "refA.en", DEMO / "de-en", ref=[DEMO / "refB.en"])
    names = ["bleu", "chrf", "maxsim(n)"]
    results = mt.score(inputs, measures=names, resampling=FEW)
    found = scores_page(results, [compare(results, "maxsim(n)")])
    systems = ["kestrel", "heron", "magpie", "sparrow"]
    assert [run.name for run in inputs.runs] == sorted(systems)
    sections = {section.title: section for section in found.sections}
    assert found.subtitle.startswith(", ".join(systems))
    agreement = sections["Measures against measures"].blocks[1].table
    assert [column.header for column in agreement.columns] == ["", "maxsim(n)", "bleu", "chrf"]
    values = sections["Details"].blocks[0].blocks[0].table
    assert list(dict.fromkeys(row[0] for row in values.rows if row[0])) == ["maxsim(n)", "bleu", "chrf"]
    for segment in sections["Segments"].blocks[1:]:
        assert [row[0] for row in segment.blocks[0].table.rows] == ["reference", "reference", *systems]


def test_the_table_of_a_segment_has_the_score_that_its_drawing_names():
    inputs = mt.read(DEMO / "refA.en", DEMO / "de-en", ref=[DEMO / "refB.en"])
    found = scores_page(mt.score(inputs, measures=["maxsim(n)"], resampling=FEW))
    (section,) = [section for section in found.sections if section.title == "Segments"]
    for segment in section.blocks[1:]:
        table, *drawings = segment.blocks
        scores = {str(row[0]): number(row[2]) for row in table.table.rows}
        for drawing in drawings:
            system = drawing.caption.split()[0]
            assert f"{system}: maxsim(n) {scores[system]} over 2 references" in drawing.svg


def test_a_long_sentence_stands_in_two_columns_and_fits_the_page():
    words = [
        "the",
        "harbour",
        "wall",
        "was",
        "built",
        "by",
        "people",
        "who",
        "lived",
        "near",
        "the",
        "old",
        "bridge",
    ] * 3
    gold = GoldSet((Texts([" ".join(words)]),), ("1",), (Source("r", "0"),))
    mine = Run("x", Texts([" ".join(words[::-1])]), Source("x", "1"))
    (alignment,) = explain_run(gold, mine, 0, mt.MEASURES.find("maxsim(n)")).alignments
    drawn = draw_alignments([alignment])
    for svg, most in ((drawn, 900), (drawn.narrow(), 360)):
        assert int(re.search(r'width="(\d+)"', svg)[1]) <= most
        assert "text-anchor='end'" in svg


def test_a_single_system_and_measure_have_no_comparison_and_no_agreement():
    gold = GoldSet((Texts(["a cat sat"]),), ("1",), (Source("r", "0"),))
    mine = Run("x", Texts(["a <b> & cat"]), Source("x", "1"))
    found = page_of(gold, [mine], "maxsim(n)")
    assert [section.title for section in found.sections if section.title != "Notes"] == [
        "Scores",
        "By item",
        "Segments",
        "Details",
    ]
    assert "a &lt;b&gt; &amp; cat" in render(found)


def test_a_measure_without_a_matching_shows_texts_alone():
    gold = GoldSet((Texts(["a cat"]),), ("1",), (Source("r", "0"),))
    systems = [Run(name, Texts([text]), Source(name, name)) for name, text in (("x", "a cat"), ("y", "dogs"))]
    html = render(page_of(gold, systems, "chrf"))
    assert "alignment of segment" not in html
    assert "dogs" in html


def test_missing_translations_do_not_break_the_report():
    gold = GoldSet((Texts(["a cat", "a dog"]),), ("1", "2"), (Source("r", "0"),))
    systems = [Run("x", Texts(["a cat", None]), Source("x", "1")), Run("y", Texts(["a", "b"]), Source("y", "2"))]
    assert "(nothing)" in render(page_of(gold, systems, "maxsim(n)", policy=Policy("skip")))


def explanation(left: list[str], right: list[str], links: list[Link], **places) -> Explanation:
    matching = Matching(tuple(links), len(left), len(right))
    layer = Layer("words", tuple(left), tuple(right), matching, 0.5, 0.25, 1 / 3, **places)
    return Explanation(tuple(left), tuple(right), (layer,), 0.3, (), "mine", "x", "7")


def drawn_texts(svg: str) -> dict[str, str | None]:
    return {text.text or "": text.get("fill") for text in ElementTree.fromstring(svg).iter(TEXT)}


def test_links_have_the_style_of_their_stage_and_weights_are_written_where_they_are_not_1():
    links = [Link(0, 0, 1.0, "exact"), Link(1, 1, 0.5, "similar")]
    svg = draw_alignments([explanation(["a", "b", "c"], ["a", "d"], links)])
    lines = re.findall(r"<path d='M[\d. ]+L[^>]+>", svg)
    assert len(lines) == 2
    assert ["stroke-dasharray" in line for line in lines] == [False, True]
    texts = drawn_texts(svg)
    assert "0.50" in texts
    assert "1.00" not in texts
    assert texts["c"] == UNMATCHED
    assert texts["b"] != UNMATCHED
    assert {"exact", "similar", "words: P 0.500 · R 0.250 · F 0.333"} <= set(texts)


def test_items_of_several_words_are_brackets_over_them():
    one = explanation(["a", "b", "c"], ["a", "b", "d"], [])
    layer = Layer(
        *("bigrams", ("a b", "b c"), ("a b", "b d"), Matching((Link(0, 0, 1.0, "exact"),), 2, 2), 0.5, 0.5, 0.5),
        *(((0, 1), (1, 2)), ((0, 1), (1, 2))),
    )
    svg = draw_alignments([Explanation(one.hypothesis, one.reference, (layer,), 0.5, (), "m", "s", "1")])
    assert len(re.findall(r"<path d='M[\d. ]+V[\d.]+H", svg)) == 4
    assert drawn_texts(svg)["c"] == UNMATCHED


def test_stages_of_ones_own_get_a_style_each():
    links = [Link(n, n, 1.0, stage) for n, stage in enumerate(("upper", "lower", "third"))]
    svg = draw_alignments([explanation(list("abc"), list("abc"), links)])
    styles = set(
        re.findall(r"L[\d. ]+' fill='none' stroke='([^']+)' stroke-width='2.00'( stroke-dasharray='[^']+')?", svg)
    )
    assert len(styles) == 3


def test_hostile_and_endless_words_are_drawn_safely():
    words = ["<script>", "\u202eabc", "\x1b[31m", *["w"] * 10_000]
    svg = draw_alignments([explanation(words, [], [])])
    ElementTree.fromstring(svg)
    assert "<script>" not in svg
    assert svg.count(">w<") == LONGEST_DRAWN - 3
    assert len(svg) < 100_000


def test_a_picture_says_how_much_of_a_long_segment_it_shows_and_greys_no_word_that_is_linked():
    words = [f"w{n}" for n in range(LONGEST_DRAWN + 50)]
    links = [Link(0, LONGEST_DRAWN + 1, 1.0, "exact")]
    svg = draw_alignments([explanation(words, words, links)])
    assert "(the first 150 of 200 words are drawn)" in svg
    linked, alone = (svg[: svg.index(f">{word}<")].rpartition("<text")[2] for word in ("w0", "w1"))
    assert (UNMATCHED in linked, UNMATCHED in alone) == (False, True)


def test_an_empty_side_is_drawn_as_nothing():
    assert "reference" in drawn_texts(draw_alignments([explanation([], [], [])]))


def test_the_picture_brings_its_own_white_ground():
    assert "background:#ffffff" in draw_alignments([explanation(["a"], ["a"], [])])


def test_a_measure_that_cannot_be_drawn_is_refused_by_explain():
    gold = GoldSet((Texts(["a"]),), ("1",), (Source("r", "0"),))
    explained = mt.explain(gold, Run("x", Texts(["a"]), Source("x", "1")), item="1", measure="bleu")
    with pytest.raises(TouchstoneError, match="mt has no drawing of this item"):
        draw(explained)
