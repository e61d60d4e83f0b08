"""Build the labeller of inference: one file with weights in eight bits, and a wheel.

    python -m training.nli_labeller -o dist
    pip install dist/touchstone_nli_labeller-0.2.0-py3-none-any.whl

This is `make labeller`: it adds to an installed encoder what training changed in it (`training.weight_changes`). To
build a labeller of your own, name runs of the cross-encoder; to replace the one of `make labeller`, name the file of
its changes too:

    touchstone nli train --model cross_encoder --train snli.jsonl --train mnli.tsv --dev dev.jsonl -o runs/1
    python -m training.nli_labeller runs/1 --trained-on snli mnli -o dist --changes training/nli_labeller.npz

Weights of several runs are averaged. A run, or a file that was packed before, may have fewer pieces of words than its
encoder, where only those of the training and test sets were carried to the machine that trained it; the others have the
rows of the encoder, which training would not have changed.
"""

import argparse
import base64
import hashlib
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from training.weight_changes import build_labeller, write_changes

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.io.writing import make_folder, replacing
from touchstone.systems.inference.labelling import FILE, PACKAGE
from touchstone.systems.inference.labelling_file import (
    MARKS,
    WORDS,
    LabellerFile,
    Matrix,
    read_labeller,
    write_labeller,
)
from touchstone.systems.inference.pretrained import Pretrained, read_pretrained

CHANGES = Path(__file__).with_suffix(".npz")
"""What training changed in the weights of the encoder, for the labeller whose figures docs/nli_reduced.md shows."""
VERSION = "0.2.0"
"""Of the weights; it rises when they change."""

SETS = {
    "snli": "SNLI (Bowman et al. 2015), CC BY-SA 4.0",
    "cf_snli": "counterfactually augmented SNLI, the original pairs (Kaushik et al. 2020), from SNLI",
    "cf_snli_revised": "counterfactually augmented SNLI, the revised pairs (Kaushik et al. 2020), from SNLI",
    "mnli": "MultiNLI (Williams et al. 2018), mostly OANC; fiction under CC BY-SA and CC BY",
}
"""Sets whose pairs weights in a wheel may be trained on. SICK is not among them: it is for non-commercial use."""

NOTICE = """\
labeller.safetensors: notice

This file is a statistical model of inference between English sentences. It holds no sentence of the texts it was
trained on: numbers, and a list of pieces of words. Trained on
{sets}
from the weights of all-MiniLM-L6-v2, Apache License 2.0
  https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2
The file is given under CC BY-SA 4.0 (https://creativecommons.org/licenses/by-sa/4.0/), as the pairs are.
"""

_SAME_ROWS = 0.5
"""The least mean cosine of rows before and after training: rows of different encoders have one near 0."""


def main() -> None:
    """Build the file and the wheel."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=Path, help="folders of runs, or one file that was packed before")
    parser.add_argument(
        "--trained-on", nargs="+", default=[], metavar="SET", help=f"what the runs read: {', '.join(SETS)}"
    )
    parser.add_argument("--encoder", type=Path, help="the encoder that they started from; by default the installed one")
    parser.add_argument("--changes", type=Path, help="the file of what training changed, which models replace")
    parser.add_argument("--out", "-o", type=Path, required=True, help="a folder")
    options = parser.parse_args()
    make_folder(options.out)
    file, encoder = options.out / FILE, read_pretrained(options.encoder)
    if options.models:
        packed = options.models[0]
        if packed.is_dir():
            pack(options.models, file, trained_on=options.trained_on)
            packed = file
        complete(read_labeller(packed), encoder, file)
    if options.models and options.changes:
        write_changes(read_labeller(file), encoder, options.changes)
    if options.changes or not options.models:
        build_labeller(options.changes or CHANGES, encoder, file)
    print(write_wheel(file, options.out))


def pack(runs: Sequence[Path], out: Path, **about: object) -> None:
    """Write the weights of runs, averaged, as the file of a labeller; *about* says what there is to say about them."""
    from touchstone.systems.inference.predicting import Labeller

    models = [Labeller(run, device="cpu") for run in runs]
    first = models[0]
    for run, model in zip(runs, models, strict=True):
        if not model.settings.reads_pieces or model.vocabulary.digest != first.vocabulary.digest:
            raise TouchstoneError(
                "not a cross-encoder over the same pieces of words", file=str(run), code=Code.MISMATCH
            )
    states = [model.model.state_dict() for model in models]
    mean = {name: np.mean([state[name].numpy() for state in states], axis=0) for name in states[0]}
    settings = first.settings
    write_labeller(out, mean, first.vocabulary.known, heads=settings.heads, longest=settings.longest, **about)


def complete(labeller: LabellerFile, encoder: Pretrained, out: Path) -> None:
    """Write a labeller with all pieces of its encoder: those that it lacks have the encoder's rows."""
    pieces = encoder.vocabulary.known
    place = {piece: row for row, piece in enumerate(pieces)}
    table = labeller.table()
    marks, own = np.split(table, [len(table) - len(labeller.pieces)])
    rows = [place.get(piece, -1) for piece in labeller.pieces]
    if min(rows) < 0 or own.shape[1] != encoder.vectors.shape[1] or _cosine(own, encoder.vectors[rows]) < _SAME_ROWS:
        hint = "name the encoder that the run started from with --encoder"
        raise TouchstoneError(
            "not the encoder of these weights", file=labeller.source.name, code=Code.MISMATCH, hint=hint
        )
    words = encoder.vectors.copy()
    words[rows] = own
    about = dict(labeller.about)
    about.pop("format")
    write_labeller(out, {**labeller.weights, MARKS: marks, WORDS: words}, pieces, **about)


def _cosine(a: Matrix, b: Matrix) -> float:
    """Return the mean cosine of rows."""
    norms = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    return float(np.mean(np.sum(a * b, axis=1) / np.maximum(norms, 1e-12)))


def write_wheel(file: Path, folder: Path) -> Path:
    """Write the wheel that carries the file of a labeller; the same file gives the same bytes."""
    sets = read_labeller(file).about.get("trained_on") or []
    unknown = [name for name in sets if name not in SETS]
    if unknown or not sets:
        what = f"weights trained on {', '.join(unknown) or 'nobody knows what'} are not put into a package"
        raise TouchstoneError(
            what, file=str(file), code=Code.UNKNOWN_NAME, hint=f"train on {', '.join(SETS)} alone, and name them"
        )
    name = PACKAGE.replace("-", "_")
    about = f"{name}-{VERSION}.dist-info"
    notice = NOTICE.format(sets="\n".join(f"  {SETS[one]}" for one in sets))
    files = {
        f"{name}/__init__.py": b'"""The weights of touchstone nli label."""\n',
        f"{name}/{FILE}": file.read_bytes(),
        f"{name}/NOTICE.txt": notice.encode(),
        f"{about}/METADATA": _metadata(notice).encode(),
        f"{about}/WHEEL": b"Wheel-Version: 1.0\nGenerator: touchstone\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{about}/RECORD"] = _record(files, f"{about}/RECORD").encode()
    wheel = folder / f"{name}-{VERSION}-py3-none-any.whl"
    with replacing(wheel) as beside, zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path), content, zipfile.ZIP_DEFLATED)
    return wheel


def _metadata(notice: str) -> str:
    head = {"Metadata-Version": "2.1", "Name": PACKAGE, "Version": VERSION}
    head |= {"Summary": "The weights of touchstone nli label", "License": "CC BY-SA 4.0"}
    return "".join(f"{key}: {value}\n" for key, value in head.items()) + f"\n{notice}"


def _record(files: Mapping[str, bytes], own: str) -> str:
    """Return the list of files with their digests and sizes, as wheels have it."""
    lines = []
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(content)}\n")
    return "".join([*lines, f"{own},,\n"])


if __name__ == "__main__":
    main()
