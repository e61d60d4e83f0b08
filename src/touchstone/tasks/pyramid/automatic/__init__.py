"""Pyramids with the help of a machine: units that a summary probably expresses, and units for a new pyramid."""

from touchstone.tasks.pyramid.automatic.evaluating import Evaluation, evaluate, train
from touchstone.tasks.pyramid.automatic.examples import DecidedSet, read_decided
from touchstone.tasks.pyramid.automatic.matcher import Matcher, open_network, write_model
from touchstone.tasks.pyramid.automatic.proposing import Proposal, Proposer
from touchstone.tasks.pyramid.automatic.scoring import AutomaticScores, Peer, read_peers, score_peers
from touchstone.tasks.pyramid.automatic.units import draft

__all__ = [
    "AutomaticScores",
    "DecidedSet",
    "Evaluation",
    "Matcher",
    "Peer",
    "Proposal",
    "Proposer",
    "draft",
    "evaluate",
    "open_network",
    "read_decided",
    "read_peers",
    "score_peers",
    "train",
    "write_model",
]
