"""Estimates from few human scores and many of a judge: human only, judge only, and both joined."""

from touchstone.core.pairing import Paired, paired_tables

__all__ = ["Paired", "paired_tables"]
