"""Pyramid scores: content units that model summaries share, and how many of them a peer's summary expresses."""
