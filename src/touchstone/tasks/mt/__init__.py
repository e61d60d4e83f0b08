"""Translation: metrics, and how well they agree with human judgements."""
