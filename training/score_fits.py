"""Works out how well candidates fit their places with a causal model and an encoder, on any device of PyTorch.

python -m training.score_fits places.jsonl fits.jsonl --causal MODEL.gguf --encoder FOLDER [--device cuda]

A line of places.jsonl is {"left", "word", "right", "forms", "names"}; in fits.jsonl "fits" stands for the last two: for
each name the numbers of touchstone.neural.fitting.FITS. Needs NumPy, regex and PyTorch alone.
"""

import argparse
import json
from pathlib import Path

import torch

from touchstone.neural.causal import Causal
from touchstone.neural.encoder import Encoder
from touchstone.neural.fitting import Cloze, fits

_TOLD = 50


def main() -> None:
    """Read places, write fits."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("places", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--causal", type=Path, required=True)
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--device", default="cpu")
    asked = parser.parse_args()
    places = [_place(json.loads(line)) for line in asked.places.read_text("utf-8").splitlines()]
    causal, encoder = Causal(asked.causal, asked.device), Encoder(asked.encoder, asked.device)
    torch.set_num_threads(1)
    with asked.out.open("w", encoding="utf-8") as out:
        for number, place in enumerate(places, 1):
            rows = fits(place, causal, encoder)
            found = dict(zip(place.names, rows.astype(float).round(4).tolist(), strict=True))
            told = {"left": place.left, "word": place.word, "right": place.right, "fits": found}
            out.write(json.dumps(told, ensure_ascii=False) + "\n")
            if not number % _TOLD:
                print(f"{number} of {len(places)}", flush=True)


def _place(row: dict[str, str | list[str]]) -> Cloze:
    left, word, right = (str(row[name]) for name in ("left", "word", "right"))
    return Cloze(left, word, right, tuple(row["forms"]), tuple(row["names"]))


if __name__ == "__main__":
    main()
