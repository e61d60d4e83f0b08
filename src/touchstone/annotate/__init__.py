"""The annotation application: people make the gold, in a browser, for all tasks."""
