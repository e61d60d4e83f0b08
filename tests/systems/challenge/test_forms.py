"""Forms of replacements: articles by sound, inflection, determiners, number, capitals."""

import pytest

from touchstone.systems.challenge.articles import article
from touchstone.systems.challenge.forms import NoForm, edit, inflect
from touchstone.systems.challenge.lexicon import Entry, Match, Origin, Substitution
from touchstone.text import english

AN = (
    *(
        "hour",
        "honest man",
        "heir",
        "herb",
        "SUV",
        "X-ray",
        "FBI agent",
        "NFL player",
        "F-16",
        "8-year-old",
        "8",
        "18th",
    ),
    *("11-year-old", "80", "8,000", "18,000", "1850s house", "apple", "umbrella", "usher", "unusual dog", "ORANGE"),
    *("unidentified man", "uninhabited island", "unanswered call", "eight-year-old", "élite", "onion"),
)
A = (
    *("university", "European", "one-way street", "once-famous man", "NASA engineer", "NATO base", "UFO", "U-turn"),
    *("unicorn", "uniform", "used car", "utensil", "ukulele", "union", "yellow dog", "1", "10", "110", "180", "1,800"),
    *("house", "herd", "hospital", "woman", "Ukrainian", "ewe", "PIN", "BMW", "TV", "SWAT team", "dog"),
)


@pytest.mark.parametrize("text", AN)
def test_an_stands_before_a_vowel_sound(text):
    assert article(text) == "an"


@pytest.mark.parametrize("text", A)
def test_a_stands_before_a_consonant_sound(text):
    assert article(text) == "a"


@pytest.mark.parametrize(
    ("entry", "pos", "countable", "tag", "form"),
    [
        ("dog", "noun", "count", "NN", "dog"),
        ("dog", "noun", "count", "NNS", "dogs"),
        ("child", "noun", "count", "NNS", "children"),
        ("person", "noun", "count", "NNS", "people"),
        ("congressman", "noun", "count", "NNS", "congressmen"),
        ("goldfish", "noun", "count", "NNS", "goldfish"),
        ("fire engine", "noun", "count", "NNS", "fire engines"),
        ("piece* of furniture", "noun", "count", "NNS", "pieces of furniture"),
        ("furniture", "noun", "mass", "NNS", "furniture"),
        ("jeans", "noun", "plural", "NNS", "jeans"),
        ("walk", "verb", "", "VBG", "walking"),
        ("sit", "verb", "", "VBG", "sitting"),
        ("lie", "verb", "", "VBG", "lying"),
        ("lie", "verb", "", "VBD", "lay"),
        ("put on", "verb", "", "VBD", "put on"),
        ("pick up", "verb", "", "VBZ", "picks up"),
        ("big", "adj", "", "JJR", "bigger"),
        ("beautiful", "adj", "", "JJS", "most beautiful"),
        ("broken", "adj", "", "VBN", "broken"),
        ("polka-dot", "adj", "", "JJ", "polka-dot"),
        ("two", "num", "", "CD", "two"),
    ],
)
def test_the_head_of_an_entry_takes_the_form_of_the_replaced_word(entry, pos, countable, tag, form):
    assert inflect(Entry.parse(entry, pos, countable), tag) == form


def edited(text: str, word: str, source: tuple[str, ...], target: tuple[str, ...], determiners=()) -> str:
    """Replace the first token that is *word*; source and target are what `Entry.parse` takes."""
    [sentence] = english().parse([text], split=False)
    entry = Entry.parse(*source)
    start = sentence.forms.index(word) - entry.head
    substitution = Substitution(
        entry, Entry.parse(*target), "hypernym", (), Origin("x", "x", 1), determiners=determiners
    )
    found = edit(sentence, Match(start, start + len(entry.words), entry, (substitution,)), substitution)
    assert text[found.replaced.start : found.replaced.end] == found.replaced.text
    assert found.text[found.replacement.start : found.replacement.end] == found.replacement.text
    return found.text


DOG, ANIMAL = ("dog", "noun", "count"), ("animal", "noun", "count")
GUITAR, INSTRUMENT = ("guitar", "noun", "count"), ("instrument", "noun", "count")
APPLE, FRUIT = ("apple", "noun", "count"), ("fruit", "noun", "mass")
SOCCER, SPORT = ("soccer", "noun", "mass"), ("sport", "noun", "count")
KARATE, ARTS = ("karate", "noun", "mass"), ("martial arts", "noun", "plural")
TO_A = (("the", "a"), ("", "a"))


@pytest.mark.parametrize(
    ("text", "word", "source", "target", "determiners", "result"),
    [
        ("A dog runs.", "dog", DOG, ANIMAL, (), "An animal runs."),
        ("Dogs run.", "Dogs", DOG, ANIMAL, (), "Animals run."),
        ("He saw a big dog.", "dog", DOG, ANIMAL, (), "He saw a big animal."),
        ("He plays the guitar.", "guitar", GUITAR, INSTRUMENT, TO_A, "He plays an instrument."),
        ("He plays guitar.", "guitar", GUITAR, INSTRUMENT, TO_A, "He plays an instrument."),
        ("He plays the red guitar.", "guitar", GUITAR, INSTRUMENT, TO_A, "He plays the red instrument."),
        ("He plays his guitar.", "guitar", GUITAR, INSTRUMENT, TO_A, "He plays his instrument."),
        ("They tune the guitars.", "guitars", GUITAR, INSTRUMENT, TO_A, "They tune the instruments."),
        ("She eats an apple.", "apple", APPLE, FRUIT, (("a", ""),), "She eats fruit."),
        ("She eats apples.", "apples", APPLE, FRUIT, (("a", ""),), "She eats fruit."),
        ("The boys play soccer.", "soccer", SOCCER, SPORT, (("", "a"),), "The boys play a sport."),
        ("He teaches karate.", "karate", KARATE, ARTS, (), "He teaches martial arts."),
        ("An old man sleeps.", "old", ("old", "adj"), ("young", "adj"), (), "A young man sleeps."),
    ],
)
def test_only_the_words_and_the_determiner_before_them_change(text, word, source, target, determiners, result):
    assert edited(text, word, source, target, determiners) == result


@pytest.mark.parametrize(
    ("text", "word", "source", "target", "determiners"),
    [
        ("She eats a red apple.", "apple", APPLE, FRUIT, (("a", ""),)),
        ("She eats three apples.", "apples", APPLE, FRUIT, (("a", ""),)),
        ("She eats many apples.", "apples", APPLE, FRUIT, (("a", ""),)),
        ("The apples are red.", "apples", APPLE, FRUIT, (("a", ""),)),
        ("They play soccer.", "soccer", SOCCER, SPORT, ()),
        ("A dog plays with a volleyball.", "volleyball", ("volleyball", "noun", "mass"), SPORT, ()),
        ("A man came in costume.", "costume", ("costume", "noun", "count"), ("outfit", "noun", "count"), ()),
        ("Karate is hard.", "Karate", KARATE, ARTS, ()),
        ("The sign says DOG on it.", "DOG", DOG, ANIMAL, ()),
        ("One dogs is here.", "dogs", DOG, ANIMAL, ()),
        ("An older man sleeps.", "older", ("old", "adj"), ("elderly", "adj"), ()),
        ("It is more terrible.", "terrible", ("terrible", "adj"), ("bad", "adj"), ()),
    ],
)
def test_a_form_that_does_not_agree_is_refused(text, word, source, target, determiners):
    with pytest.raises(NoForm):
        edited(text, word, source, target, determiners)
