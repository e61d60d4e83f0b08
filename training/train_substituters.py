"""Learns the configurations of bow, lm and cmlc that come with the package, from trial data alone.

    python -m training.train_substituters LS07

LS07 is a folder with trial.gold and trial.xml of SemEval-2007 task 10. Settings are compared by
cross-validation over the 30 trial words; no other file is opened.
"""

import argparse
from pathlib import Path

from touchstone import lexsub
from touchstone.io.writing import write_text
from touchstone.systems.substitution import config
from touchstone.systems.substitution.resources import Resources
from touchstone.systems.substitution.training import FEATURES, train


def main() -> None:
    """Learn each system, print its figures on held-out words, write its configuration."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ls07", type=Path)
    options = parser.parse_args()
    gold = lexsub.read_gold(options.ls07 / "trial.gold", source=options.ls07 / "trial.xml")
    resources = Resources()
    for system in FEATURES:
        learned = train(system, gold, resources, tell=print)
        write_text(config.SHIPPED / f"{system}.toml", learned.config.to_toml())
        print(lexsub.score(gold, learned.held_out, ["paper"], by="pos").table())


if __name__ == "__main__":
    main()
