"""A metric of one's own: words are matched one to one, equal ones first, the rest by the letters they share."""

from touchstone.core.matching import Matcher, pairwise


def shared(a: str, b: str) -> float:
    """Return the share of letters that two words have in common."""
    return len(set(a) & set(b)) / len(set(a) | set(b))


letters = Matcher(items=str.split, stages={"same": str.lower}, similarity=pairwise(shared))
