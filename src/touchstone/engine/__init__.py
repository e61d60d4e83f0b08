"""Scoring in shards: on this machine or on a cluster, streamed, resumable, with the same numbers everywhere."""

from touchstone.engine.folder import Folder, Status, is_folder
from touchstone.engine.planning import Request
from touchstone.engine.scoring import Outcome, read_results, score_in_shards

__all__ = ["Folder", "Outcome", "Request", "Status", "is_folder", "read_results", "score_in_shards"]
