"""How well people agree: one form of labels, one registry of coefficients, one finding."""
