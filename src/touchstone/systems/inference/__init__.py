"""Four published neural models of inference and a cross-encoder, trained and run with PyTorch (extra ``neural``).

``settings`` and ``tokens`` need no PyTorch; ``registry`` names the models, ``training`` and ``predicting`` run them.
"""
