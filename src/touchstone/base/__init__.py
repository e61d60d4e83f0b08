"""What everything builds on: errors, ids, tables, ragged arrays, signatures, options, workers."""
