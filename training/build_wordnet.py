"""Write the embedded lexicon and its licence from Princeton's dictionary files; the same files give the same bytes.

Usage: python training/build_wordnet.py FOLDER [OUT]
"""

import re
import sys
from pathlib import Path

from touchstone.io.writing import replacing
from touchstone.lexicon.container import unpack
from touchstone.lexicon.dictionary import compile_dictionary
from touchstone.lexicon.princeton import read_princeton

OUT = Path(__file__).parents[1] / "src" / "touchstone" / "lexicon" / "wordnet30.lexicon"


def build(folder: Path, out: Path) -> str:
    """Write the lexicon of *folder* to *out*, its licence beside it, and return its digest."""
    content = compile_dictionary(read_princeton(folder))
    with replacing(out) as beside:
        beside.write_bytes(content)
    with replacing(out.with_suffix(".licence.txt")) as beside:
        beside.write_text(licence(folder), "utf-8")
    return unpack(content).digest


def licence(folder: Path) -> str:
    """Return the licence that stands, with numbered lines, at the head of each dictionary file."""
    text = (folder / "data.noun").read_text("utf-8")
    numbered = re.findall(r"^ {2}[0-9]+ (.*)$", text, re.MULTILINE)
    return "\n".join(line.rstrip() for line in numbered) + "\n"


def main(arguments: list[str]) -> None:
    """Build the file named on the command line."""
    if not arguments:
        sys.exit(__doc__)
    folder, out = Path(arguments[0]), Path(arguments[1]) if arguments[1:] else OUT
    digest = build(folder, out)
    print(f"{out}: {out.stat().st_size:,} bytes, {digest}")


if __name__ == "__main__":
    main(sys.argv[1:])
