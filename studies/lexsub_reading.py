"""Write the form on which blind readers judge suggested substitutes, and count their answers.

``python studies/lexsub_reading.py form studies/lexsub_reading`` reads sentences.csv there (id, word, sentence) and
writes form.md: each sentence with its word marked, and below it the sentence with each of the first three answers of
the default system in place. Readers see nothing else. It also writes given.csv, the answers.

``python studies/lexsub_reading.py tally studies/lexsub_reading`` counts answers.csv: number, reader, a, b, c, where 1
says that the sentence with that answer is good English and means about the same, 0 that it is not. An answer is
acceptable where most readers say 1.
"""

import argparse
import csv
import re
import sys
from collections import defaultdict
from pathlib import Path

from scipy.stats import binomtest

from touchstone.lexicon import wordnet
from touchstone.lexsub import Substituter

SHOWN = 3
LETTERS = "abc"
ASKED = """# Which of these words fit?

Each numbered sentence has a word in **bold**. Below it are three versions with another word in its place. For each
version ask: is it good English, and does it mean about the same as the sentence above? Answer 1 for yes, 0 for no,
one line per number: `number,reader,a,b,c`. Judge each version by itself.

"""


def span_of(word: str, sentence: str) -> tuple[int, int]:
    """Return the place of the first form of *word* in a sentence."""
    for found in re.finditer(r"[A-Za-z]+", sentence):
        if word in (found[0].lower(), *wordnet().lemmas(found[0])):
            return found.span()
    raise ValueError(f"no form of {word!r} in {sentence!r}")


def write_form(folder: Path) -> None:
    """Write form.md and given.csv from sentences.csv."""
    system, blocks, given = Substituter(), [ASKED], []
    for row in read_rows(folder / "sentences.csv"):
        text = row["sentence"]
        start, end = span_of(row["word"], text)
        forms = [one.form for one in list(system.suggest(text, (start, end)))[:SHOWN]]
        lines = [f"{row['id']}. {text[:start]}**{text[start:end]}**{text[end:]}"]
        for letter, form in zip(LETTERS, forms, strict=False):
            lines.append(f"    - {letter}: {put(text, start, end, form)}")
            given.append([row["id"], letter, form])
        blocks.append("\n".join(lines) + "\n\n")
    (folder / "form.md").write_text("".join(blocks).rstrip() + "\n", encoding="utf-8")
    with (folder / "given.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([["number", "answer", "form"], *given])
    sys.stdout.write(f"{folder}: by {system.signature}\n")


def put(text: str, start: int, end: int, form: str) -> str:
    """Return a sentence with another word in place, *a* or *an* as it wants.

    >>> put("It was a big one.", 9, 12, "enormous")
    'It was an enormous one.'
    """
    left = re.sub(r"\b([Aa])n?( )$", lambda found: f"{found[1]}{'n' if form[:1] in 'aeiou' else ''} ", text[:start])
    shown = form.capitalize() if text[start : start + 1].isupper() else form
    return f"{left}{shown}{text[end:]}"


def tally(folder: Path) -> None:
    """Print how many first answers are acceptable, how many sentences have two of three, and how readers agree."""
    given = {(row["number"], row["answer"]) for row in read_rows(folder / "given.csv")}
    votes: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row in read_rows(folder / "answers.csv"):
        for letter in LETTERS:
            if row[letter].strip() and (row["number"], letter) in given:
                votes[row["number"], letter].append(int(row[letter]))
    numbers = sorted({number for number, _ in votes}, key=int)
    good = {place: 2 * sum(said) > len(said) for place, said in votes.items()}
    first = [good.get((number, "a"), False) for number in numbers]
    two = [sum(good.get((number, letter), False) for letter in LETTERS) >= 2 for number in numbers]
    for title, values in (("first answer acceptable", first), ("at least two of the first three", two)):
        low, high = binomtest(sum(values), len(values)).proportion_ci(method="wilson")
        share = sum(values) / len(values)
        sys.stdout.write(
            f"{title}: {sum(values)} of {len(values)} = {share:.1%} (95 % interval {low:.0%} to {high:.0%})\n"
        )
    same = sum(len(set(said)) == 1 for said in votes.values())
    sys.stdout.write(f"all readers agree: {same} of {len(votes)} answers\n")


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("form", "tally"))
    parser.add_argument("folder", type=Path)
    asked = parser.parse_args()
    sys.exit({"form": write_form, "tally": tally}[asked.step](asked.folder))
