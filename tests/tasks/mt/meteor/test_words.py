import pytest

from touchstone.lexicon import wordnet
from touchstone.tasks.mt.meteor.words import synset_offsets


def offsets(word):
    return set(synset_offsets([word]).values.tolist())


def own(*lemmas):
    lexicon = wordnet()
    senses = lexicon.synsets(lexicon.lemma_ids(lemmas)).values
    return {int(number) for number in lexicon.synset_numbers[senses]}


@pytest.mark.parametrize(
    ("word", "lemmas"),
    [
        ("automobile", ("automobile",)),
        ("cars", ("car",)),
        ("glasses", ("glasses", "glass")),  # -s gives no word, -ses gives glass
        ("axes", ("ax", "axis")),  # irregular: what the lists name, and not what rules would give (axe)
        ("went", ("go",)),
        ("better", ("better", "good", "well")),
        ("firemen", ("fireman",)),
        ("hoped", ("hope",)),
        ("bigger", ("bigger", "big")),
        ("nicest", ("nice",)),
        ("as", ("as",)),
        ("less", ("less",)),  # no base for words in -ss
        ("the", ()),
    ],
)
def test_a_word_has_the_synsets_of_itself_and_its_bases(word, lemmas):
    assert offsets(word) == own(*lemmas)


def test_many_words_at_once_are_as_each_alone():
    words = ["cars", "the", "axes", "went", "automobile", "the"]
    together = synset_offsets(words)
    starts = together.offsets.tolist()
    for word, start, end in zip(words, starts, starts[1:], strict=False):
        assert together.values[start:end].tolist() == sorted(offsets(word))
