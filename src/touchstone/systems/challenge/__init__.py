"""Challenge sets from a user's own premises: pairs that differ by one word or phrase, with the intended label."""
