"""Lexical substitution: which words could replace a word in its sentence, and how well a system finds them."""
