"""How well people agree, on labels of any task."""
