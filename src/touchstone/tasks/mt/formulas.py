"""The score of one segment under each measure of translation, as arithmetic with the counts of its record."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.core.formulas import Steps, added, quotient, summed, written
from touchstone.tasks.mt.model import Explanation, Joined, MtMeasure
from touchstone.tasks.mt.texts import Texts


def segment_steps(measure: MtMeasure, joined: Joined, alignments: Sequence[Explanation] = ()) -> Steps:
    """Return how the score of one segment comes about.

    Parameters
    ----------
    measure
        The measure.
    joined
        The translation and its references, one segment.
    alignments
        The explanations with each reference, where the measure has some.
    """
    if measure.of_layers and alignments:
        return measure.of_layers(max(alignments, key=lambda alignment: alignment.value))
    [record] = measure.item_records(joined)
    if measure.formula is None:
        return Steps(measure.summary or measure.name, written(float(measure.values(record))))
    if not measure.averages_references or len(joined.references) == 1:
        return measure.formula(record)
    single = [measure.formula(_record(measure, joined, reference)) for reference in joined.references]
    names = [f"r{number}" for number in range(1, len(single) + 1)]
    words = f"mean over {len(single)} references of {single[0].words}"
    arithmetic = {name: steps.arithmetic for name, steps in zip(names, single, strict=True)}
    return Steps(words, f"({' + '.join(names)})/{len(names)}", arithmetic)


def _record(measure: MtMeasure, joined: Joined, reference: Texts) -> Floats:
    records: Floats = measure.item_records(replace(joined, references=(reference,)))
    return np.asarray(records[0])


def bleu_steps(
    record: Floats,
    *,
    orders: int = 4,
    method: str = "exp",
    smoothing: float | None = None,
    effective: bool,
    scale: float = 1.0,
) -> Steps:
    """Return the brevity penalty times the geometric mean of the precisions; the parameters are those of `bleu_score`.

    The precision of an order without a match is smoothed, and orders for which a segment is too short are left out.
    """
    system, reference = record[:2].tolist()
    matches, totals = record[2 : 2 + orders].tolist(), record[2 + orders : -1].tolist()
    words = "brevity penalty × geometric mean of the precisions"
    if not any(matches):
        return Steps(f"{words}; no word matches", "0")
    value = {"floor": 0.1, "add-k": 1.0}.get(method, 0.0) if smoothing is None else smoothing
    shares, missed = [], 0
    for n, (match, total) in enumerate(zip(matches, totals, strict=True), 1):
        more = value if method == "add-k" and n > 1 else 0.0
        if total + more <= 0:
            break
        missed += match + more == 0
        if match + more or method not in ("exp", "floor"):
            shares.append(f"{written(match + more)}/{written(total + more)}")
        else:
            shares.append(
                f"1/({2**missed} × {written(total)})" if method == "exp" else f"{written(value)}/{written(total)}"
            )
    short = orders - len(shares)
    counted = orders - short if effective else orders
    if short and not effective:
        shares += ["0"] * short
    brevity = "1" if system >= reference else f"exp(1 − {written(reference)}/{written(system)})"
    product = f"BP × ({' × '.join(shares)})^(1/{counted})"
    return Steps(words, product if scale == 100 else f"100 × {product}", {"BP": brevity})


def chrf_steps(record: Floats, *, orders: int, beta: float, epsilon: bool) -> Steps:
    """Return F of the mean precision and recall of the orders; the parameters are those of `chrf_score`."""
    statistics = record[:-1].reshape(orders, 3).tolist()
    factor = written(beta**2)
    weigh = f"F, in which recall weighs {written(beta)} times as much"
    if epsilon:
        each = [_order_f(system, reference, matches, beta**2) for system, reference, matches in statistics]
        return Steps(f"100 × mean over the orders of {weigh}", f"100 × {added(each)}/{orders}")
    present = [counts for counts in statistics if counts[0] > 0 and counts[1] > 0]
    words = f"100 × {weigh}, of the mean precision and recall of the orders"
    if not any(matches for _, _, matches in present):
        return Steps(words, "0")
    precision, recall = (
        f"{added(f'{written(counts[2])}/{written(counts[side])}' for counts in present)}/{len(present)}"
        for side in (0, 1)
    )
    return Steps(words, f"100 × (1 + {factor}) × P × R/({factor} × P + R)", {"P": precision, "R": recall})


def _order_f(system: float, reference: float, matches: float, factor: float) -> str:
    if not matches:
        return "0"
    precision, recall = (f"{written(matches)}/{written(side)}" for side in (system, reference))
    return f"(1 + {written(factor)}) × {precision} × {recall}/({written(factor)} × {precision} + {recall})"


def ter_steps(record: Floats) -> Steps:
    """Return 100 edits / length of the references; 100 for a translation of nothing."""
    edits, length = record[:2].tolist()
    above = f"100 × {written(edits)}/{written(length)}" if length else written(100.0 * (edits > 0))
    return Steps("100 × edits / mean length of the references", above)


def meteor_steps(record: Floats, *, alpha: float, beta: float, gamma: float) -> Steps:
    """Return F of the linked words, less the penalty for chunks."""
    system, reference, chunks = map(written, record[:3].tolist())
    links = written(record[3:6].sum())
    words = "F × (1 − penalty for broken order)"
    if links == "0":
        return Steps(f"{words}; no word is linked", "0")
    a, b, c = map(written, (alpha, beta, gamma))
    terms = {"F": f"1/((1 − {a})/P + {a}/R)", "P": f"{links}/{system}", "R": f"{links}/{reference}"}
    return Steps(words, f"F × (1 − {c} × ({chunks}/{links})^{b})", terms)


def f_text(matched: float, system: float, reference: float, alpha: float) -> str:
    """Return F = m / (alpha r + (1 - alpha) s) as arithmetic; 0 where a side is empty or nothing matches."""
    if not (matched and system and reference):
        return "0"
    return f"{written(matched)}/({written(alpha)} × {written(reference)} + {written(1 - alpha)} × {written(system)})"


def paraeval_steps(record: Floats, *, side: int) -> Steps:
    """Return covered words / words of the system (side 0) or the reference (side 1)."""
    words, covered = record[1 + side], record[3 + side]
    of = ("system", "reference")[side]
    return Steps(f"covered words of the {of} / its words", quotient(written(covered), written(words)))


def blend_steps(record: Floats) -> Steps:
    """Return the mean F of the layers times the squared share of known words."""
    *layers, share = record[1:5].tolist()
    return Steps(
        "mean F of words, characters and tags × (share of known words)^2",
        f"({' + '.join(map(written, layers))})/3 × {written(share)}^2" if record[0] else "0",
    )


def matcher_steps(record: Floats, *, alpha: float) -> Steps:
    """Return F of the matching of own items, from its precision and recall."""
    _, precision, recall = map(float, record[:3])
    recalled, precise = written(alpha), written(1 - alpha)
    words = f"F = 1 / ({recalled}/R + {precise}/P)"
    if not (record[0] and precision and recall):
        return Steps(words, "0")
    return Steps(words, f"1/({recalled}/{written(recall)} + {precise}/{written(precision)})")


def overlap_steps(alignment: Explanation) -> Steps:
    """Return the mean over types of roles of common words / words of either side."""
    terms = []
    for layer in alignment.layers:
        common, either = layer.matching.weight, len(layer.left) + len(layer.right) - layer.matching.weight
        terms.append(quotient(written(common), written(either)))
    words = "mean over the types of roles of common words / words of either side"
    return Steps(words, f"{added(terms)}/{len(terms)}")


def maxsim_steps(terms: Sequence[tuple[float, float, float]], *, alpha: float, count: int) -> Steps:
    """Return the mean of F over orders of n-grams and kinds of triples.

    Parameters
    ----------
    terms
        Weight of the matching, items of the system and of the reference, for each order and each kind that counts.
    alpha
        The weight of recall.
    count
        How many terms the mean is over.
    """
    words = "mean over n-grams and relations of F = m / (alpha × r + (1 − alpha) × s)"
    each = [f_text(*term, alpha) for term in terms]
    return Steps(words, f"({' + '.join(each)})/{count}" if each else summed([]))
