"""Draw generated pairs for blind readers, and count their answers.

``python studies/nli_reading.py draw PREMISES CHALLENGE -o FOLDER`` writes form.tsv, which readers see, and key.csv,
which they do not. ``python studies/nli_reading.py tally FOLDER`` counts the answers in FOLDER/answers.csv (number,
reader, q1, q2, q3). The key and the answers of the reading in the documentation, without the sentences, are in
studies/nli_reading/.
"""

import argparse
import csv
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from random import Random

from scipy.stats import binomtest

from touchstone import nli
from touchstone.systems.challenge.generating import Generated, Settings, generate, read_premises
from touchstone.tasks.nli.composition import intended_of, words_of
from touchstone.tasks.nli.formats.answers import Answer
from touchstone.tasks.nli.model import LABELS, Pair, majority

SEED = 20_061
"""Of the set and of the draws; written down before anything was drawn."""

SAMPLE, OF_EACH_RELATION, CONTROLS = 300, 50, 60
RELATIONS = ("synonym", "hypernym", "antonym", "co_hyponym")


def detokenised(text: str) -> str:
    r"""Return a tokenised sentence as people write it.

    >>> detokenised("A man 's dog does n't run , (or bark) `` woof '' .")
    'A man\'s dog doesn\'t run, (or bark) "woof".'
    """
    text = re.sub(r"`` ?(.*?) ?''", r'"\1"', text.replace("-LRB-", "(").replace("-RRB-", ")"))
    text = re.sub(r" (n't|'(?:s|m|d|re|ve|ll)\b|[.,;:!?)%])", r"\1", text)
    return re.sub(r"([($]) ", r"\1", text).replace("``", '"').replace("''", '"').strip()


def draw(pairs: Sequence[Pair], challenge: Sequence[Pair]) -> list[tuple[str, str, Pair]]:
    """Return the pairs to read in a random order, each with the part of the reading that it is for and its label.

    Parameters
    ----------
    pairs
        The generated pairs.
    challenge
        The pairs of the paper's challenge set, with gold labels.
    """
    random = Random(SEED)
    chosen = [("sample", pair) for pair in random.sample(list(pairs), SAMPLE)]
    taken = {pair.id for _, pair in chosen}
    for relation in RELATIONS:
        rest = [pair for pair in pairs if pair.relation == relation and pair.id not in taken]
        distinct = {words_of(pair): pair for pair in random.sample(rest, len(rest))}
        chosen += [(relation, pair) for pair in islice(distinct.values(), OF_EACH_RELATION)]
    rows = [(part, str(intended_of(pair)), pair) for part, pair in chosen]
    for label in LABELS:
        controls = random.sample([pair for pair in challenge if pair.gold == label], CONTROLS // len(LABELS))
        rows += [("control", label, pair) for pair in controls]
    random.shuffle(rows)
    return rows


def write_draw(premises: Path, challenge: Path, folder: Path) -> Generated:
    """Write the form for readers and the key, and return the generated set."""
    read = read_premises(premises)
    texts = dict.fromkeys(detokenised(one.text) for one in read.premises)
    plain = folder / "premises.txt"
    folder.mkdir(parents=True, exist_ok=True)
    plain.write_text("\n".join(texts) + "\n", encoding="utf-8")
    generated = generate(read_premises(plain), Settings(seed=SEED))
    rows = draw(generated.pairs, nli.read_gold(challenge).pairs)
    form = [(number, pair.premise, pair.hypothesis) for number, (_, _, pair) in enumerate(rows, 1)]
    key = [(number, pair.id, part, pair.relation or "", label) for number, (part, label, pair) in enumerate(rows, 1)]
    _write(folder / "form.tsv", [("number", "first", "second"), *form], "excel-tab")
    _write(folder / "key.csv", [("number", "pair", "part", "relation", "label"), *key], "excel")
    return generated


def _write(path: Path, rows: Iterable[Sequence[object]], dialect: str) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, dialect, lineterminator="\n").writerows(rows)


def tally(folder: Path) -> list[str]:
    """Return how each reader did on the controls, and how many pairs of each part are good."""
    key = {row["number"]: row for row in _rows(folder / "key.csv")}
    options: dict[str, list[Answer]] = defaultdict(list)
    for row in _rows(folder / "answers.csv"):
        options[row["number"]].append(_answer(row))
    lines = []
    for reader in sorted({one.annotator for answers in options.values() for one in answers}):
        controls = [
            (key[number]["label"], one.label)
            for number, answers in options.items()
            for one in answers
            if one.annotator == reader and key[number]["part"] == "control"
        ]
        by_label = ", ".join(f"{label} {sum(right == found == label for right, found in controls)}" for label in LABELS)
        right = sum(right == found for right, found in controls)
        lines.append(f"{reader}: {right} of {len(controls)} controls ({by_label})")
    outcomes = {number: _outcome(key[number]["label"], answers) for number, answers in options.items()}
    for part in ("sample", *RELATIONS):
        mine = [outcome for number, outcome in outcomes.items() if key[number]["part"] == part]
        lines.append(f"{part}: {_shares(mine)}")
    for name in ("label", *RELATIONS):
        in_sample = [
            outcome
            for number, outcome in outcomes.items()
            if key[number]["part"] == "sample" and name in (key[number]["relation"], key[number]["label"])
        ]
        lines += [f"sample, {name}: {_shares(in_sample)}"] if in_sample else []
    return lines


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _answer(row: Mapping[str, str]) -> Answer:
    adds = row["q2"] == "yes" if row["q2"] else None
    return Answer(row["number"], row["reader"], row["q1"] == "yes", adds, row["q3"] == "yes")


def _outcome(intended: str, answers: Sequence[Answer]) -> str:
    """Return what readers make of a pair, as ``nli verify`` does: one who calls it wrong is enough."""
    if any(one.ungrammatical for one in answers):
        return "called wrong"
    found = majority(tuple(one.label for one in answers))
    return "good" if found == intended else f"{found or 'no majority'} instead of {intended}"


def _shares(outcomes: Sequence[str]) -> str:
    counts = Counter(outcomes)
    good, n = counts.pop("good", 0), len(outcomes)
    others = "; ".join(f"{name} {count}" for name, count in counts.most_common())
    interval = binomtest(good, n).proportion_ci(method="wilson")
    return f"{good} of {n} good, Wilson interval {interval.low:.3f} to {interval.high:.3f}; {others}"


def main() -> None:
    """Run one of the two commands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("premises", type=Path)
    drawing.add_argument("challenge", type=Path)
    drawing.add_argument("-o", "--out", type=Path, required=True)
    commands.add_parser("tally").add_argument("folder", type=Path)
    options = parser.parse_args()
    if options.command == "draw":
        write_draw(options.premises, options.challenge, options.out)
    else:
        sys.stdout.writelines(f"{line}\n" for line in tally(options.folder))


if __name__ == "__main__":
    main()
