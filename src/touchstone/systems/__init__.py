"""What makes runs: substitution systems, the challenge-set generator, inference models, automatic pyramids."""
