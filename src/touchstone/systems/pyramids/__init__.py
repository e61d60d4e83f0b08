"""Pyramids with the help of a machine: units that a summary probably expresses, and units for a new pyramid."""

from touchstone.systems.pyramids.evaluating import Evaluation, evaluate, train
from touchstone.systems.pyramids.examples import DecidedSet, read_decided
from touchstone.systems.pyramids.matcher import Matcher, open_network, write_model
from touchstone.systems.pyramids.scoring import AutomaticScores, Peer, read_peers, score_peers
from touchstone.systems.pyramids.units import Proposal, draft

__all__ = [
    "AutomaticScores",
    "DecidedSet",
    "Evaluation",
    "Matcher",
    "Peer",
    "Proposal",
    "draft",
    "evaluate",
    "open_network",
    "read_decided",
    "read_peers",
    "score_peers",
    "train",
    "write_model",
]
