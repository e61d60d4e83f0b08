"""Signatures: what a number depends on, by content, so that the same signature means the same number anywhere."""

import hashlib
import json
from collections.abc import Iterable, Mapping

import numpy as np

Signature = Mapping[str, str]

DIGEST_DIGITS = 12
"""Hexadecimal digits of a digest that signatures show: enough to tell 10,000 inputs apart with certainty."""


BLOCK = 10_000
"""Rows that are digested together: bounds the memory."""


def content_digest(**columns: Iterable[object]) -> str:
    """Return a digest of columns of values; the file or object that held them does not matter.

    Parameters
    ----------
    columns
        Values by the name of their column: texts, numbers, arrays, or what JSON can hold. The order of the rows counts,
        that of the columns does not; a column without any value is as good as none.

    Examples
    --------
    >>> content_digest(id=["1", "2"], label=["neutral", None]) == content_digest(label=["neutral", None], id=["1", "2"])
    True
    """
    digest = hashlib.sha256()
    for name, values in sorted(columns.items()):
        if isinstance(values, np.ndarray):
            digest.update(f"{name}:{values.dtype}{values.shape}".encode() + np.ascontiguousarray(values).tobytes())
            continue
        listed = values if isinstance(values, list) else list(values)
        if all(value is None for value in listed):
            continue
        for start in range(0, len(listed), BLOCK):
            part = [name, start, listed[start : start + BLOCK]]
            text = json.dumps(part, ensure_ascii=False, sort_keys=True, default=list)
            digest.update(text.encode("utf-8", "surrogatepass"))
    return f"#{digest.hexdigest()[:DIGEST_DIGITS]}"


def number_or_text(text: str | None) -> str | float | None:
    """Return a text that is a number as that number: formats write 1, 1.0 and 1.00.

    >>> number_or_text("1.0"), number_or_text("a"), number_or_text(None)
    (1.0, 'a', None)
    """
    try:
        number = float(text or "")
    except ValueError:
        return text
    return number if np.isfinite(number) else text


def short_signature(signature: Signature) -> str:
    """Return the parts of a signature that a reader wants to see, and a digest of the whole.

    >>> short_signature({"touchstone": "0.1.0", "task": "ratings", "items": "3 pairs"})
    'touchstone 0.1.0 | ratings | 3 pairs | #0a630c6e3bfa'
    """
    parts = [signature[key] for key in ("task", "items") if key in signature]
    digest = content_digest(signature=[dict(signature)])
    return " | ".join([f"touchstone {signature.get('touchstone', '')}".strip(), *parts, digest])
