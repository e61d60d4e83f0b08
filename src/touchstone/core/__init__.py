"""The one pipeline of every task: gold and runs, joined by id, a record per item, values, intervals and tests."""
