"""WordNet as arrays: synonyms, hypernyms, antonyms, similar words, counts, morphology; one word or a million.

>>> from touchstone.lexicon import wordnet
>>> wordnet().word("happy").antonyms()
('unhappy',)
"""

from touchstone.lexicon.bulk import SenseRelations
from touchstone.lexicon.lexicon import Lexicon
from touchstone.lexicon.opening import open_lexicon, wordnet
from touchstone.lexicon.paths import Step
from touchstone.lexicon.relation import Relation
from touchstone.lexicon.synset import Synset
from touchstone.lexicon.word import Word

__all__ = [
    "Lexicon",
    "Relation",
    "SenseRelations",
    "Step",
    "Synset",
    "Word",
    "open_lexicon",
    "wordnet",
]
