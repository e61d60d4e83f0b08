"""Touchstone scores text systems against what people said."""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from touchstone import items, lexsub, mt, nli, pyramid
    from touchstone.base.errors import TouchstoneError
    from touchstone.base.ids import Policy
    from touchstone.base.notes import TouchstoneWarning
    from touchstone.core.comparison import compare
    from touchstone.core.gating import gate
    from touchstone.core.gold import Gold
    from touchstone.core.report.paper import write_paper
    from touchstone.core.report.plotting import plot
    from touchstone.core.report.saving import write_report
    from touchstone.core.resampling import Resampling
    from touchstone.judge.asking import ask_next
    from touchstone.judge.assessing import assess
    from touchstone.judge.estimating import estimate
    from touchstone.judge.planning import plan_difference, plan_width
    from touchstone.people.agreement import agreement
    from touchstone.tasks.items.answers import paired_tables

__all__ = [
    *("Gold", "Policy", "Resampling", "TouchstoneError", "TouchstoneWarning", "__version__"),
    *("agreement", "ask_next", "assess", "compare", "estimate", "gate", "paired_tables", "plan_difference"),
    *("plan_width", "plot", "write_paper", "write_report"),
    *("items", "lexsub", "mt", "nli", "pyramid"),
]

_HOMES = {
    "Gold": "touchstone.core.gold",
    "Policy": "touchstone.base.ids",
    "Resampling": "touchstone.core.resampling",
    "TouchstoneError": "touchstone.base.errors",
    "TouchstoneWarning": "touchstone.base.notes",
    "agreement": "touchstone.people.agreement",
    "ask_next": "touchstone.judge.asking",
    "assess": "touchstone.judge.assessing",
    "compare": "touchstone.core.comparison",
    "estimate": "touchstone.judge.estimating",
    "gate": "touchstone.core.gating",
    "items": "touchstone",
    "lexsub": "touchstone",
    "mt": "touchstone",
    "nli": "touchstone",
    "paired_tables": "touchstone.tasks.items.answers",
    "plan_difference": "touchstone.judge.planning",
    "plan_width": "touchstone.judge.planning",
    "plot": "touchstone.core.report.plotting",
    "pyramid": "touchstone",
    "write_paper": "touchstone.core.report.paper",
    "write_report": "touchstone.core.report.saving",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: ``touchstone --help`` needs none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module 'touchstone' has no attribute {name!r}")
    if _HOMES[name] == "touchstone":
        return import_module(f"touchstone.{name}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted(__all__)
