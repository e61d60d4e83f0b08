"""Inference: pairs of sentences, the labels of annotators, and how systems score on them."""
