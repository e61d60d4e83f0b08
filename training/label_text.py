"""Label sentences for the small analyser to learn from: the mean of several teachers.

    python -m training.label_text GLOVE TEXT OUT TEACHER… [--encoder FOLDER] [--device cuda]

TEXT holds a sentence or paragraph per line; sentences of 2 to 60 tokens are labelled, each once. Teachers are
checkpoints of `training.train_analyser`. Log-probabilities of tags, heads and relations are averaged; heads are then
made a tree.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from training.packing import Codes, read_glove
from training.train_analyser import Examples, Learner, Settings, TokenEncoder

from touchstone.text.conllu import format_conllu
from touchstone.text.sentence import Sentence, placed
from touchstone.text.splitting import split_sentences
from touchstone.text.tokeniser import Tokeniser
from touchstone.text.trees import decode

SHORTEST, LONGEST = 2, 60


def main() -> None:
    """Read the teachers, label, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("glove", "text", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("teachers", type=Path, nargs="+")
    parser.add_argument("--encoder", type=Path, default=None)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    teachers = [read_teacher(path, options.glove, options.encoder, options.device) for path in options.teachers]
    rows = read_rows(options.text)
    blank = [Sentence(*placed(row, None), ("",) * len(row), tuple(row), upos=("",) * len(row)) for row in rows]
    with options.out.open("w", encoding="utf-8") as file:
        for sentence in labelled(teachers, blank, options.device):
            file.write(format_conllu(sentence))


def read_rows(path: Path) -> list[list[str]]:
    """Return the tokens of the sentences of a file, each sentence once."""
    tokeniser, rows = Tokeniser(), dict[tuple[str, ...], None]()
    for line in path.read_text(encoding="utf-8").split("\n"):
        for start, end in split_sentences(line):
            row = tuple(tokeniser.forms(line[start:end]))
            if row and SHORTEST <= len(row) <= LONGEST:
                rows[row] = None
    return [list(row) for row in rows]


def read_teacher(path: Path, glove: Path, encoder: Path | None, device: str) -> Learner:
    """Return a teacher from its checkpoint."""
    parts = torch.load(path, map_location=device, weights_only=True)
    settings = Settings(**parts["settings"])
    beside = any(name.startswith("encoder.") for name in parts["state"])
    own = TokenEncoder(encoder, device) if beside and encoder else None
    codes = Codes(**parts["codes"])
    learner = Learner(settings, codes, parts["counts"], read_glove(glove, settings.glove_words), device, own)
    learner.network.load_state_dict(parts["state"])
    learner.network.eval()
    return learner


def encoder_of(teacher: Learner) -> TokenEncoder | None:
    """Return the encoder of a teacher that has one."""
    return teacher.network["encoder"] if "encoder" in teacher.network else None  # noqa: SIM401 (no method get)


def labelled(teachers: Sequence[Learner], sentences: Sequence[Sentence], device: str) -> Iterator[Sentence]:
    """Yield the sentences with the labels that all teachers together find likeliest."""
    torch.set_grad_enabled(False)
    codes = teachers[0].codes
    views = [Examples(sentences, codes, device, encoder_of(t)) for t in teachers]
    for batch in views[0].batches(6_000, None):
        found = [teacher.scores(view, batch) for teacher, view in zip(teachers, views, strict=True)]
        arcs = torch.stack([scores["arcs"].log_softmax(-1) for scores in found]).mean(0)
        tags = torch.stack([scores["tags"].log_softmax(-1) for scores in found]).mean(0).argmax(-1).cpu().numpy()
        sizes = [len(sentences[n]) for n in batch]
        heads = torch.zeros(arcs.shape[:2], dtype=torch.int64)
        for row, size in enumerate(sizes):
            tree = decode(arcs[row, :size, : size + 1].cpu().numpy()[None])[0]
            heads[row, :size] = torch.from_numpy(np.ascontiguousarray(tree))
        heads = heads.to(device)
        votes = [t.labels(scores["states"], heads).log_softmax(-1) for t, scores in zip(teachers, found, strict=True)]
        relations = torch.stack(votes).mean(0).argmax(-1).cpu().numpy()
        for row, n in enumerate(batch):
            size = sizes[row]
            names = [codes.tags[k].split(" ") for k in tags[row, :size]]
            yield Sentence(
                *placed(sentences[n].forms, None),
                tuple(name[0] for name in names),
                sentences[n].forms,
                tuple(heads[row, :size].tolist()),
                tuple(codes.relations[k] for k in relations[row, :size]),
                upos=tuple(name[1] for name in names),
            )


if __name__ == "__main__":
    main()
