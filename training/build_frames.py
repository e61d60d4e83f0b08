"""Makes the list of what English verbs take after them, from the sentence frames of WordNet.

    python -m training.build_frames WORDNET src/touchstone/systems/substitution/shipped/frames.txt

WORDNET is a folder with data.verb of WordNet 3.0. Verbs with the same constructions share a line; see
`touchstone.systems.substitution.frames` for the letters.
"""

import argparse
from collections import defaultdict
from pathlib import Path

_FRAMES = {
    "n": {1, 2, 3, 4, 12, 13, 22, 23, 27},
    "o": {5, 8, 9, 10, 11, *range(14, 22), 24, 25, 30, 31},
    "t": {24},
    "i": {28},
    "c": {26, 34},
}
"""The numbers of WordNet's frames with each construction."""


def main() -> None:
    """Read, group, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wordnet", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    numbers: defaultdict[str, set[int]] = defaultdict(set)
    for line in (options.wordnet / "data.verb").read_text("utf-8").splitlines():
        if not line.startswith("  "):
            _read(line.partition(" | ")[0].split(), numbers)
    verbs: defaultdict[str, list[str]] = defaultdict(list)
    for verb, found in sorted(numbers.items()):
        verbs["".join(letter for letter, frames in _FRAMES.items() if frames & found)].append(verb)
    rows = [f"{letters}: {', '.join(names)}\n" for letters, names in sorted(verbs.items()) if letters]
    options.out.write_text("# What verbs take after them, from the frames of WordNet 3.0.\n" + "".join(rows), "utf-8")


def _read(fields: list[str], numbers: defaultdict[str, set[int]]) -> None:
    """Add the frames of a synset to its verbs; word number 0 means all of them."""
    count = int(fields[3], 16)
    verbs = [name.replace("_", " ").lower() for name in fields[4 : 4 + 2 * count : 2]]
    place = 4 + 2 * count
    place += 1 + 4 * int(fields[place])
    for start in range(place + 1, place + 1 + 3 * int(fields[place]), 3):
        number, word = int(fields[start + 1]), int(fields[start + 2], 16)
        for verb in verbs if word == 0 else [verbs[word - 1]]:
            numbers[verb].add(number)


if __name__ == "__main__":
    main()
