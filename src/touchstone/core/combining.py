"""Several results on the same items as one: systems that were scored apart stand side by side."""

from collections.abc import Sequence
from dataclasses import replace

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, refuse_repeated
from touchstone.core.measures import measure_signatures
from touchstone.core.results import Results

FREE = ("by", "systems", "inputs", "measures", "metrics", "policy", "intervals")
"""What may differ in the signatures of results that are compared; all else decides what the numbers mean."""


def combined(results: Results | Sequence[Results]) -> Results:
    """Return several results on the same items as one; refuse what cannot stand side by side."""
    if isinstance(results, Results):
        return results
    if not results:
        raise TouchstoneError("no results to combine", code=Code.EMPTY)
    first, *others = results
    for other in others:
        _check_comparable(first, other)
    systems = list(first.systems)
    for other in others:  # the same gold has the same baselines
        systems += [system for system in other.systems if system.system not in other.baselines]
    names = [system.system for system in systems]
    refuse_repeated(names, hint="give them different names when reading")
    joint = next((measure.name for result in results for measure in result.measures if measure.joint), None)
    if joint is not None and others:
        what = "the values of this measure depend on all systems scored with it"
        raise TouchstoneError(what, value=joint, code=Code.UNSUPPORTED, hint="score all systems in one call")
    shared = [m for m in first.measures if all(m.name in [o.name for o in other.measures] for other in others)]
    sources = "; ".join(result.signature.get("systems", "") for result in results)
    signature = {**first.signature, "systems": sources, "measures": ", ".join(m.name for m in shared)}
    signature |= measure_signatures(shared)
    notes = list(dict.fromkeys(note for result in results for note in result.notes))
    # Without inputs: they belong to one scoring, and so do the runs that could be scored again as failures.
    merged = replace(first, systems=systems, measures=shared, signature=signature, notes=notes, inputs=None)
    if any(result.failed for result in results):
        failure = next(result.failed.notes for result in results if result.failed)
        merged.__dict__["failed"] = replace(combined([result.failed or result for result in results]), notes=failure)
    return merged


def _check_comparable(a: Results, b: Results) -> None:
    ours, theirs = ({**results.signature, **{m.name: m.signature for m in results.measures}} for results in (a, b))
    # A measure that only one of them has is not compared, so it may depend on what it will.
    alone = {m.name for m in a.measures} ^ {m.name for m in b.measures}
    keys = [key for key in {**ours, **theirs} if key not in FREE and key not in alone]
    differing = [key for key in keys if ours.get(key) != theirs.get(key)]
    if differing or not a.items_known.column("id").equals(b.items_known.column("id")):
        what = ", ".join(f"{key} ({ours.get(key)} and {theirs.get(key)})" for key in differing)
        raise TouchstoneError(
            f"these results cannot be compared; they differ in {what or 'their items'}",
            code=Code.MISMATCH,
            hint="score all systems against the same gold with the same settings",
        )
