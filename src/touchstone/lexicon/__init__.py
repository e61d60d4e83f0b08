"""WordNet as arrays: synonyms, hypernyms, antonyms, similar words, counts, morphology; one word or a million.

>>> from touchstone.lexicon import wordnet
>>> wordnet().word("happy").antonyms()
('unhappy',)
"""

from touchstone.lexicon.bulk import Relations, SenseRelations
from touchstone.lexicon.lexicon import Lexicon, Signature
from touchstone.lexicon.opening import open_lexicon, wordnet
from touchstone.lexicon.paths import Meeting, Step
from touchstone.lexicon.relation import Pos, Relation
from touchstone.lexicon.synset import Synset
from touchstone.lexicon.word import Word

__all__ = [
    "Lexicon",
    "Meeting",
    "Pos",
    "Relation",
    "Relations",
    "SenseRelations",
    "Signature",
    "Step",
    "Synset",
    "Word",
    "open_lexicon",
    "wordnet",
]
