"""The report of a generated set: text of files stays text, and rows count what tables count."""

from collections import Counter

from touchstone.base.files import Source
from touchstone.show.page import render
from touchstone.systems.challenge.generating import Generated, Premises
from touchstone.tasks.nli.model import Pair, Span


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


def generated(*pairs):
    reasons = Counter({"<u>": 2})
    return Generated(Premises(Source("made.txt", ""), []), pairs, [], reasons, [], {"lists": "<s>"})


def test_sentences_are_shown_as_text():
    html = render(generated(hostile()).page())
    assert not any(tag in html for tag in ("<script>", "<i>", "<u>", "<s>"))
    assert ">man</b>&lt;/script&gt; sits." in html


def test_pairs_by_relation_and_what_was_not_used_are_rows():
    rows = generated(hostile(1), hostile(2)).to_dict()["rows"]
    relations = {row["relation"]: row["pairs"] for row in rows if row["kind"] == "relation"}
    assert relations == {"co_hyponym": 2, "all": 2}
    assert [row for row in rows if row["kind"] == "not used"] == [{"kind": "not used", "not used": "<u>", "number": 2}]
