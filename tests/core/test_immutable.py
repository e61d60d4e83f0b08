"""What the package returns cannot be changed by accident: its dataclasses are frozen."""

import dataclasses
import importlib
import pkgutil

import pytest

import touchstone.core

CHANGEABLE = {"Check", "Validation"}

MODULES = [module.name for module in pkgutil.walk_packages(touchstone.core.__path__, "touchstone.core.")]


@pytest.mark.parametrize("name", MODULES)
def test_dataclasses_are_frozen(name):
    classes = [kind for kind in vars(importlib.import_module(name)).values() if dataclasses.is_dataclass(kind)]
    own = [kind for kind in classes if isinstance(kind, type) and kind.__module__ == name]
    assert {kind.__name__ for kind in own if not kind.__dataclass_params__.frozen} <= CHANGEABLE
