"""Made-up pairs with a rule behind them, and vectors for their words."""

from dataclasses import replace
from itertools import product

import numpy as np

from touchstone.tasks.nli.model import Pair
from touchstone.tasks.nli.models.settings import DEFAULTS

PEOPLE = ("boy", "girl", "man", "woman", "nurse")
ACTIONS = ("eats", "drinks", "sees", "paints", "holds")
THINGS = ("soup", "tea", "house", "wall", "rope", "cup", "apple", "fish")
WORDS = ("the", "a", "small", "something", ".", *PEOPLE, *ACTIONS, *THINGS)


def pairs(count: int = 100) -> list[Pair]:
    """Another thing is a contradiction, something an entailment, a small thing neutral; sentences of two lengths."""
    made = []
    for number, (person, action, thing) in enumerate(product(PEOPLE, ACTIONS, THINGS)):
        other = THINGS[(THINGS.index(thing) + 1 + number % 5) % len(THINGS)]
        label, second = [
            ("contradiction", f"the {other}"),
            ("entailment", "something"),
            ("neutral", f"a small {thing}"),
        ][number % 3]
        late = " late at night" if number % 2 else ""
        premise, hypothesis = f"The {person} {action} the {thing}{late}.", f"The {person} {action} {second}."
        made.append(Pair(str(number), premise, hypothesis, label))
    order = np.random.default_rng(0).permutation(len(made))[:count]
    return [made[place] for place in order]


def write_vectors(path, width: int = 16):
    """Write the vectors of all words but three: ``late`` and ``night`` are trained, ``at`` too."""
    rows = np.random.default_rng(1).normal(size=(len(WORDS), width))
    path.write_text(
        "".join(f"{word} {' '.join(f'{x:.4f}' for x in row)}\n" for word, row in zip(WORDS, rows, strict=True))
    )
    return path


def small(model: str, **changes):
    """Return the settings of a small model that learns fast."""
    usual = {"width": 16, "classifier": 16, "dropout": 0.0, "batch": 10, "rate": 0.01, "halved": "never", "epochs": 40}
    return replace(DEFAULTS[model], **{**usual, "patience": 4, **changes})
