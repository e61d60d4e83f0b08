"""Polarity: in which direction inference goes at a position in a sentence, and which label follows.

>>> from touchstone.text import english
>>> [sentence] = english().parse(["Every girl who owns a dog likes music."])
>>> position = Polarities(sentence).at(4, 5)
>>> position.polarity, position.reason, position.label("specific")
('downward', "restrictor of 'every'", 'entailment')
"""

from touchstone.systems.challenge.polarity.pairs import Judge, Judgement, judge_pairs
from touchstone.systems.challenge.polarity.positions import Polarities, Polarity, Position, Relation
from touchstone.systems.challenge.polarity.scopes import Scope

__all__ = ["Judge", "Judgement", "Polarities", "Polarity", "Position", "Relation", "Scope", "judge_pairs"]
