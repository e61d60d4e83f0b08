"""Which items belong together: the cluster of a scoring, the number of draws that it allows, and doubts about both."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from touchstone.base.notes import warning
from touchstone.base.spelling import setting
from touchstone.core.names import CLUSTERS
from touchstone.core.resampling import Resampling

if TYPE_CHECKING:
    from touchstone.core.task import Task

ITEM = "item"
"""The name of a cluster that is each item by itself."""


def clustered(task: "Task[Any, Any, Any]", items: pa.Table, settings: Resampling) -> tuple[Resampling, list[str]]:
    """Return how intervals of these items are computed, and notes on their clusters and draws.

    Parameters
    ----------
    task, items
        The task, and the items that are scored.
    settings
        What the user asked for.
    """
    cluster = _chosen_cluster(task, items, settings.cluster)
    resampling = replace(settings, cluster=cluster)
    if cluster is not None and cluster in items.column_names:
        resampling = resampling.affordable(len(items.column(cluster).unique()))
    else:
        resampling = resampling.affordable(items.num_rows)
    notes = [*_cluster_notes(task, items, settings.cluster), *_empty_clusters(items, cluster)]
    return resampling, notes


def _chosen_cluster(task: "Task[Any, Any, Any]", items: pa.Table, cluster: str | None) -> str | None:
    """Return the field that is resampled as a whole: the one asked for, or the task's where a value of it repeats."""
    if cluster is not None:
        return None if cluster == ITEM else cluster
    if task.cluster is None or task.cluster not in items.column_names:
        return None
    # Where no value repeats, clusters are items, and are called so.
    distinct = len(items.column(task.cluster).unique())
    return task.cluster if distinct < items.num_rows else None


def _cluster_notes(task: "Task[Any, Any, Any]", items: pa.Table, cluster: str | None) -> list[str]:
    """Return a note where a task without clusters has items with a field that is the cluster of other tasks."""
    if cluster is not None or task.cluster is not None:
        return []
    fields = [field for field in CLUSTERS if field in items.column_names]
    repeated = next((field for field in fields if len(items.column(field).unique()) < items.num_rows), None)
    if repeated is None:
        return []
    together = f"use {setting('cluster', repeated)}, or {setting('cluster', 'item')} if they are independent"
    return [f"items are treated as independent, although some share a {repeated}: {together}"]


def _empty_clusters(items: pa.Table, cluster: str | None) -> list[str]:
    """Return a warning where some items have no cluster, and a note where each has one of its own."""
    if cluster is None or cluster not in items.column_names:
        return []
    column, n = items.column(cluster), items.num_rows
    empty = column.null_count + (pc.sum(pc.equal(column.cast(pa.string()), "")).as_py() or 0)
    if 0 < empty < n:
        cause = "merged cells of a spreadsheet have a value in their first row only"
        return [warning(f"{empty:,} of {n:,} items have no {cluster}, and count as one: fill it in ({cause})")]
    alone = n > 1 and len(column.unique()) == n
    return [f"every item has a {cluster} of its own, so intervals and tests are as without clusters"] if alone else []
