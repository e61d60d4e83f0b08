"""Over every lemma and synset, the embedded WordNet says what NLTK reads from the same dictionary files.

NLTK's reader is independent of ours and reads the files at the time of asking. Where the two differ by design,
the test says how and how often; docs/lexicon.md explains why.
"""

import warnings
from collections import Counter

import numpy as np
import pytest

from touchstone.lexicon import Relation, Synset, wordnet

LEXICON = wordnet()
SYMBOLS = {relation.value: relation for relation in Relation}


@pytest.fixture(scope="module")
def nltk_reader(data):
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class Reader(WordNetCorpusReader):
        def map_wn(self, version="wordnet"):
            """Map to no other version: that would need a second WordNet."""

    folder = data("wordnet30")
    if str(folder.parent) not in nltk.data.path:
        nltk.data.path.append(str(folder.parent))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Reader(str(folder), None)


@pytest.fixture(scope="module")
def nltk_synsets(nltk_reader):
    return list(nltk_reader.all_synsets())


def key(synset):
    return synset.pos().replace("s", "a"), synset.offset()


def numbers():
    """Return the number of every synset by part of speech and offset."""
    return {(LEXICON.pos(number), int(offset)): number for number, offset in enumerate(LEXICON.synset_numbers.tolist())}


def test_synsets_have_the_same_words_classes_and_markers(nltk_synsets):
    number_of = numbers()
    assert len(nltk_synsets) == len(number_of) == LEXICON.synset_count
    for theirs in nltk_synsets:
        number = number_of[key(theirs)]
        words = range(int(LEXICON.words.offsets[number]), int(LEXICON.words.offsets[number + 1]))
        assert [LEXICON.spelling(word).replace(" ", "_") for word in words] == theirs.lemma_names()
        markers = [lemma.syntactic_marker() for lemma in theirs.lemmas()]
        assert [LEXICON.marker(word) for word in words] == [(marker or "").strip("()") for marker in markers]
        assert Synset(LEXICON, number).file == theirs.lexname()
        assert bool(LEXICON.satellite[number]) == (theirs.pos() == "s")


def test_pointers_between_synsets_and_between_words_are_the_same(nltk_synsets):
    number_of = numbers()
    synset_pairs, word_pairs = ({relation: set() for relation in Relation} for _ in range(2))
    start = LEXICON.words.offsets.astype(int).tolist()
    for theirs in nltk_synsets:
        number = number_of[key(theirs)]
        for symbol, targets in theirs._pointers.items():
            synset_pairs[SYMBOLS[symbol]] |= {(number, number_of[pos.replace("s", "a"), at]) for pos, at in targets}
        names = theirs.lemma_names()
        for (name, symbol), targets in theirs._lemma_pointers.items():
            for pos, at, place in targets:
                target = number_of[pos.replace("s", "a"), at]
                word_pairs[SYMBOLS[symbol]].add((start[number] + names.index(name), start[target] + place))
                synset_pairs[SYMBOLS[symbol]].add((number, target))
    for relation in Relation:
        ours = LEXICON.links(relation)
        assert set(zip(ours.row.tolist(), ours.values.tolist(), strict=True)) == synset_pairs[relation], relation
        ours = LEXICON.word_links(relation)
        assert set(zip(ours.row.tolist(), ours.values.tolist(), strict=True)) == word_pairs[relation], relation


def test_every_lemma_has_the_same_senses_in_the_same_order(nltk_reader):
    number_of = numbers()
    index = nltk_reader._lemma_pos_offset_map
    lemmas = sorted(lemma.replace("_", " ") for lemma in index)
    assert [LEXICON.lemma(number) for number in range(LEXICON.lemma_count)] == lemmas
    theirs = [
        [number_of[pos, at] for pos in "nvar" for at in index[lemma.replace(" ", "_")].get(pos, ())] for lemma in lemmas
    ]
    assert LEXICON.senses.sizes.tolist() == [len(row) for row in theirs]
    assert LEXICON.senses.values.tolist() == [number for row in theirs for number in row]


def test_every_lemma_has_the_same_synonyms_and_antonyms(nltk_reader, nltk_synsets):
    words_of, antonyms = {}, {}
    for theirs in nltk_synsets:
        words_of[key(theirs)] = [name.lower().replace("_", " ") for name in theirs.lemma_names()]
    for theirs in nltk_synsets:
        for (name, symbol), targets in theirs._lemma_pointers.items():
            if symbol == "!":
                found = antonyms.setdefault(name.lower().replace("_", " "), set())
                found |= {words_of[pos.replace("s", "a"), at][place] for pos, at, place in targets}
    ours = LEXICON.synonyms(np.arange(LEXICON.lemma_count))
    opposed = LEXICON.lemma_links(Relation.ANTONYM)
    for number in range(LEXICON.lemma_count):
        lemma = LEXICON.lemma(number)
        entry = nltk_reader._lemma_pos_offset_map[lemma.replace(" ", "_")]
        expected = {word for pos in "nvar" for at in entry.get(pos, ()) for word in words_of[pos, at]} - {lemma}
        assert {LEXICON.lemma(word) for word in row(ours, number)} == expected
        assert {LEXICON.lemma(word) for word in row(opposed, number)} == antonyms.get(lemma, set())


def test_ancestors_and_depths_are_the_same(nltk_synsets):
    number_of = numbers()
    circle = LEXICON.synset("restrain.v.01")
    refused = set(circle.descendants())  # NLTK refuses these: their hypernyms run in a circle
    assert len(refused) == 60
    for theirs in nltk_synsets[::10]:
        ours = LEXICON.synset(f"{theirs.offset():08}-{theirs.pos()}")
        if ours in refused:
            continue
        expected: dict[int, int] = {}
        for above, edges in theirs.hypernym_distances():
            number = number_of[key(above)]
            expected[number] = min(edges, expected.get(number, edges))
        assert {ours.id: 0} | {above.id: edges for above, edges in ours.ancestors().items()} == expected
        assert ours.depth == theirs.min_depth()


def test_sense_counts_are_those_of_the_sense_index(data):
    number_of = numbers()
    expected = Counter()
    for line in (data("wordnet30") / "index.sense").read_text().splitlines():
        sense, offset, _, count = line.split()
        lemma, rest = sense.split("%")
        expected[LEXICON.lemma_id(lemma), number_of["_nvara"[int(rest[0])], int(offset)]] = int(count)
    ours = zip(LEXICON.senses.row.tolist(), LEXICON.senses.values.tolist(), strict=True)
    assert dict(zip(ours, LEXICON.sense_counts.tolist(), strict=True)) == dict(expected)


def test_counts_that_nltk_does_not_find_stand_under_outdated_keys(data):
    folder = data("wordnet30")
    listed = {line.split()[0]: int(line.split()[2]) for line in (folder / "cntlist.rev").read_text().splitlines()}
    lost = 0
    for line in (folder / "index.sense").read_text().splitlines():
        sense, _, _, count = line.split()
        if int(count) != listed.get(sense, 0):
            lost += 1
            assert sense not in listed
            head = sense.split(":")[-2]
            assert any(sense.replace(f":{head}:", f":{head}({marker}):") in listed for marker in ("a", "p", "ip"))
    assert lost == 83


def forms(reader):
    """Yield every lemma, every irregular form, and regular forms of every seventh lemma, each with its class."""
    endings = {"n": ("s", "es", "ies", "sful"), "v": ("s", "es", "ed", "d", "ing"), "a": ("er", "est", "r", "st")}
    for place, (lemma, entry) in enumerate(reader._lemma_pos_offset_map.items()):
        for pos in "nvar":
            if pos in entry:
                yield lemma, pos
                if place % 7 == 0:
                    yield from ((lemma + ending, pos) for ending in endings.get(pos, ()))
    for pos in "nvar":
        yield from ((form, pos) for form in reader._exception_map[pos])


def difference(form, pos, ours, theirs, irregular):
    """Return why NLTK's morphy and Princeton's morph differ on a form."""
    if ours - theirs:
        return "parts" if {"_", "-"} & set(form) else "-ful" if form.endswith("ful") else "unexplained"
    if form in irregular and irregular[form][0] == form:
        return "its own base"
    if pos == "n" and (form.endswith("ss") or len(form) <= 2):
        return "-ss or short"
    if pos == "v" and {"_", "-"} & set(form):
        return "verb phrase"
    if pos == "n" and form.endswith("ves") and form[:-3] + "f" in theirs:
        return "-ves"
    return "second base" if ours - {form} or form in ours else "unexplained"


def test_morphology_differs_from_nltk_only_where_princeton_does(nltk_reader):
    reasons = Counter()
    for form, pos in set(forms(nltk_reader)):
        ours = set(LEXICON.lemmas(form, pos))
        theirs = {base.replace("_", " ") for base in nltk_reader._morphy(form, pos)}
        if ours != theirs:
            reasons[difference(form, pos, ours, theirs, nltk_reader._exception_map[pos])] += 1
    assert reasons == {
        "-ss or short": 2105,
        "verb phrase": 814,
        "second base": 93,
        "parts": 50,
        "-ful": 11,
        "-ves": 1,
        "its own base": 1,
    }


def row(rows, number):
    return rows.values[rows.offsets[number] : rows.offsets[number + 1]].tolist()
