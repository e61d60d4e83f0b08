"""Polarity: in which direction inference goes at a place in a sentence, and which label follows.

>>> from touchstone.text import english
>>> [sentence] = english().parse(["Every girl who owns a dog likes music."])
>>> place = Polarities(sentence).at(4, 5)
>>> place.polarity, place.reason, place.label("specific")
('downward', "restrictor of 'every'", 'entailment')
"""

from touchstone.systems.challenge.polarity.pairs import Judge, Judgement, judge_pairs
from touchstone.systems.challenge.polarity.places import Place, Polarities, Polarity, Relation
from touchstone.systems.challenge.polarity.scopes import Scope

__all__ = ["Judge", "Judgement", "Place", "Polarities", "Polarity", "Relation", "Scope", "judge_pairs"]
