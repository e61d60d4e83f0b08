"""Pyramids with the help of a machine: proposed content units, and proposed matches of a pyramid in a peer."""

from touchstone.tasks.pyramid.automatic.lexical import Lexical
from touchstone.tasks.pyramid.automatic.proposing import Proposal, Proposer

__all__ = ["Lexical", "Proposal", "Proposer"]
