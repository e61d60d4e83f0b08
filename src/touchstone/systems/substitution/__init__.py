"""Systems of lexical substitution: candidates, rankers (bow, lm, and cmlc which combines them), and a boundary."""
