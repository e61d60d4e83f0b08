"""Pretrained networks read from local files and run with PyTorch: a causal language model and a sentence encoder."""
