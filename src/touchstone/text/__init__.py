"""English analysed: tokens with their places, Penn tags, lemmas, Universal Dependencies; on NumPy alone.

>>> from touchstone.text import english
>>> [sentence] = english().tag(["Birds sang."])
>>> sentence.lemmas
('bird', 'sing', '.')
"""

from touchstone.text.adapters import Spacy, Stored, from_spacy, from_stanza
from touchstone.text.analyser import Analyser, English, english
from touchstone.text.conllu import format_conllu, parse_conllu, read_conllu
from touchstone.text.sentence import Sentence
from touchstone.text.splitting import split_sentences
from touchstone.text.tokeniser import Tokeniser

__all__ = [
    "Analyser",
    "English",
    "Sentence",
    "Spacy",
    "Stored",
    "Tokeniser",
    "english",
    "format_conllu",
    "from_spacy",
    "from_stanza",
    "parse_conllu",
    "read_conllu",
    "split_sentences",
]
