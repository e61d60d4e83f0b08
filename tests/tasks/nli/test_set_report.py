"""The report of a challenge set: its sections, and text of files as text."""

from touchstone.base.files import Source
from touchstone.base.tables import Table
from touchstone.show.page import render
from touchstone.tasks.nli.model import GoldSet, Pair, Span
from touchstone.tasks.nli.set_report import generated_page, set_sections


def made(*pairs):
    return GoldSet(Source("made.jsonl", ""), pairs, range(1, len(pairs) + 1))


def hostile(number=1):
    text = "A <script>man</script> sits."
    span = Span("man", text.index("man"), text.index("man") + 3)
    return Pair(
        str(number),
        text,
        text.replace("man", "boy"),
        relation="co_hyponym",
        category="<i>",
        replaced=(span,),
        replacement=(Span("boy", span.start, span.end),),
        rest={"intended": "contradiction"},
    )


def test_sentences_are_shown_as_text():
    html = render(generated_page(made(hostile()), Table([], []), ["<u>"], {"lists": "<s>"}))
    assert not any(tag in html for tag in ("<script>", "<i>", "<u>", "<s>"))
    assert ">man</b>&lt;/script&gt; sits." in html


def test_a_set_without_relations_shows_its_labels():
    sections = set_sections(made(Pair("1", "A dog runs.", "A cat runs.", "contradiction")))
    assert [section.anchor for section in sections] == ["pairs", "lists", "words", "premises", "edits", "hypothesis"]
    assert "always contradiction is right" in sections[0].blocks[0].table.notes[0]
