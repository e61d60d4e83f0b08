"""Touchstone scores text systems against what people said."""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from touchstone.core.agreement import agreement
    from touchstone.core.asking import ask_next
    from touchstone.core.comparison import compare
    from touchstone.core.errors import TouchstoneError
    from touchstone.core.estimating import estimate
    from touchstone.core.gating import gate
    from touchstone.core.gold import Gold
    from touchstone.core.joining import Policy
    from touchstone.core.judging import assess
    from touchstone.core.notes import TouchstoneWarning
    from touchstone.core.pairing import paired_tables
    from touchstone.core.planning import plan_difference, plan_width
    from touchstone.core.resampling import Resampling
    from touchstone.report.plotting import plot
    from touchstone.report.saving import write_paper, write_report
    from touchstone.tasks import items, lexsub, mt, nli, pyramid

__all__ = [
    *("Gold", "Policy", "Resampling", "TouchstoneError", "TouchstoneWarning", "__version__"),
    *("agreement", "ask_next", "assess", "compare", "estimate", "gate", "paired_tables", "plan_difference"),
    *("plan_width", "plot", "write_paper", "write_report"),
    *("items", "lexsub", "mt", "nli", "pyramid"),
]

_HOMES = {
    "Gold": "touchstone.core.gold",
    "Policy": "touchstone.core.joining",
    "Resampling": "touchstone.core.resampling",
    "TouchstoneError": "touchstone.core.errors",
    "TouchstoneWarning": "touchstone.core.notes",
    "agreement": "touchstone.core.agreement",
    "ask_next": "touchstone.core.asking",
    "assess": "touchstone.core.judging",
    "compare": "touchstone.core.comparison",
    "estimate": "touchstone.core.estimating",
    "gate": "touchstone.core.gating",
    "items": "touchstone.tasks",
    "lexsub": "touchstone.tasks",
    "mt": "touchstone.tasks",
    "nli": "touchstone.tasks",
    "paired_tables": "touchstone.core.pairing",
    "plan_difference": "touchstone.core.planning",
    "plan_width": "touchstone.core.planning",
    "plot": "touchstone.report.plotting",
    "pyramid": "touchstone.tasks",
    "write_paper": "touchstone.report.saving",
    "write_report": "touchstone.report.saving",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: ``touchstone --help`` needs none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module 'touchstone' has no attribute {name!r}")
    home = import_module(_HOMES[name])
    return import_module(f"{home.__name__}.{name}") if home.__name__ == "touchstone.tasks" else getattr(home, name)


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted(__all__)
