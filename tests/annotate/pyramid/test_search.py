"""Search over text and labels: hits with their places, and no expression that runs for ever."""

import pytest

from touchstone.annotate.pyramid.exchange import pyramid_of_texts


@pytest.fixture
def search(editor):
    """Give the search of the browser: places as (where, start, end, uid, contributor), and whether these are all."""

    def hits(document, sought, expression=False):
        result = editor.call("search", "search", document, sought, expression, material=document)
        names = ("where", "start", "end", "uid", "id")
        return [tuple(hit[name] for name in names) for hit in result["hits"]], result["complete"]

    return hits


def test_words_are_found_in_text_and_labels_whatever_their_case(search, document, at):
    text = ("text", *at("B", "dates"), None, None)
    assert search(document, "DATES") == ([text, ("label", 0, 5, "4", None), ("label", 0, 5, "4", "c9")], True)


def test_words_are_no_expression(search, document):
    assert search(document, ".") == search(document, r"\.", expression=True)
    assert search(document, "(") == ([], True)


def test_an_expression_finds_places_in_code_points(search, document):
    ((_, start, end, *_),), _ = search(document, r"😀\s+\w+$", expression=True)
    assert document.text[start:end] == "😀 figs"
    assert search(document, "x*", expression=True) == ([], True)


def test_comments_and_unassigned_contributors_are_searched(search, editor, document):
    edited = editor.unassign(editor.comment_unit(document, "5", "hens?"), ["c9"])
    assert search(edited, "hens")[0] == [("comment", 0, 4, "5", None)]
    assert search(edited, "dates")[0][-1] == ("label", 0, 5, None, "c9")


def test_in_a_peer_the_words_of_the_pyramid_lead_to_its_units(search, build, peer, word):
    hits, _ = search(build.add_contributor(peer, "2", [word("bread")]), "cider")
    assert [(hit[0], hit[3]) for hit in hits] == [("label", "3"), ("pyramid", "3"), ("pyramid", "3")]


@pytest.mark.parametrize("wrong", ["", "x" * 201])
def test_nothing_and_too_much_are_refused(search, document, wrong):
    with pytest.raises(Exception, match="search for 1 to 200 characters"):
        search(document, wrong)


def test_what_is_no_expression_is_refused_in_a_sentence(search, document):
    with pytest.raises(Exception, match="not a regular expression"):
        search(document, "(a", expression=True)


def test_an_expression_that_would_run_for_ever_is_stopped(search):
    slow = pyramid_of_texts("S1", {"a": "a" * 5_000 + "!"})
    with pytest.raises(Exception, match="the search took longer than 1 s"):
        search(slow, r"(a|a|aa)+(a|aa)+\d", expression=True)


def test_hits_beyond_what_anybody_steps_through_are_cut_and_reported(search):
    hits, complete = search(pyramid_of_texts("S1", {"a": "a " * 10_500}), "a")
    assert (len(hits), complete) == (10_000, False)
