"""Challenge pairs from premises: one word or phrase replaced, with the intended label."""
