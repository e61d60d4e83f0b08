"""Inputs of every task for the engine, and a way to score them in shards."""

import importlib.util
import json
import random
import shutil
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import touchstone
from touchstone.base.workers import Engine
from touchstone.cli import main
from touchstone.core.registry import find_task
from touchstone.engine import Request, read_results, score_in_shards
from touchstone.nli import read_gold

HERE = Engine()
EXAMPLES = Path(touchstone.__file__).parent / "examples"
WORDS = ["the", "a", "dog", "cat", "river", "saw", "met", "near", "big", "small", "old", "new", "house", "tree", "bird",
         "ran", "into", "over"]  # fmt: skip


@pytest.fixture
def examples(tmp_path, monkeypatch):
    """Copy the examples of all tasks, and work beside them."""
    copy_examples(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def copy_examples(path: Path) -> None:
    """Copy the examples of all tasks to a folder."""
    for folder in EXAMPLES.iterdir():
        if folder.is_dir():
            shutil.copytree(folder, path / folder.name)


@pytest.fixture
def pairs(tmp_path, monkeypatch):
    """Write pairs, and work beside them."""
    write_pairs(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_pairs(path: Path) -> None:
    """Write references and the translations of two systems: 60 segments of 12 documents, as tables and as text."""
    chance = random.Random(7)
    refs = [" ".join(chance.choices(WORDS, k=chance.randint(3, 8))) for _ in range(60)]
    texts = {
        name: [
            " ".join(chance.choice(WORDS) if chance.random() < share else word for word in ref.split()) for ref in refs
        ]
        for name, share in (("near", 0.2), ("far", 0.5))
    }
    ids = [f"s{row}" for row in range(60)]
    write(path / "refs", {"id": ids, "reference": refs, "document": [f"d{row // 5}" for row in range(60)]})
    for name, column in texts.items():
        write(path / name, {"id": ids, "hypothesis": column})
    (path / "mine.py").write_text(
        "from touchstone.mt import Own\n"
        "overlap = Own(lambda text, refs: len({*text.split()} & {*refs[0].split()}) / len({*refs[0].split()}))\n"
    )


INPUTS = {
    "lexsub": ("lexsub/demo.gold", ["lexsub/careful.oot", "lexsub/eager.oot"], ()),
    "mt": (Path("mt/refA.en"), ["mt/de-en"], ["maxsim(n)", "chrf"]),
    "pyramid": (["pyramid"], [], ()),
    "nli": ("nli/gold.jsonl", ["nli/careful.jsonl", "nli/overlap.jsonl"], ()),
    "items": (["items/scores.csv"], [], ()),
}
"""The gold, the runs and the measures of each task, beside the examples."""

MAPS = {
    "text parse": "text parse news.txt",
    "lexsub run": "lexsub run lexsub/demo.xml --system bow --boundary -o {out}",
    "nli generate": "nli generate premises.txt -o {out}",
    "nli predict": "nli predict model dev.jsonl -o {out} --device cpu",
}
"""Commands that make an output item by item, beside the examples and what `write_map_inputs` writes."""


def write_map_inputs(path: Path) -> None:
    """Write a text and premises."""
    lines = [f"The dog saw {n} cats. It ran." if n % 5 else "" for n in range(30)]
    (path / "news.txt").write_text("\n".join(lines) + "\n")
    kinds = ["A man plays a guitar near the river.", "A woman in a red shirt is walking.", "Two dogs run on grass."]
    (path / "premises.txt").write_text(
        "".join(f"{kinds[n % 3]}\n" if n < 3 else f"{n} boys sleep.\n" for n in range(9))
    )


def write_model(path: Path) -> None:
    """Write pairs, and a model that was trained on them for an instant."""
    import torch
    from tests.systems.inference.made_up import pairs as made_up
    from tests.systems.inference.made_up import write_vectors

    from touchstone.systems.inference import training
    from touchstone.systems.inference.settings import settings_of
    from touchstone.tasks.nli.formats.writing import format_pairs

    torch.set_num_threads(1)
    made = made_up(40)
    for name, part in (("train", made[:20]), ("dev", made[20:])):
        (path / f"{name}.jsonl").write_text(format_pairs(part, "touchstone"))
    write_vectors(path / "v.txt")
    golds = [read_gold(path / f"{name}.jsonl") for name in ("train", "dev")]
    settings = settings_of("decomposable_attention", epochs=1)
    data = training.read_data(golds[:1], golds[1], path / "v.txt")
    training.train(settings, data, path / "model", device="cpu")


def has_torch() -> bool:
    """Return whether PyTorch is installed."""
    return importlib.util.find_spec("torch") is not None


def cut_finely(patch: pytest.MonkeyPatch) -> None:
    """Let maps cut their input into small pieces, so that small inputs have many."""
    from touchstone.cli import text_commands as text
    from touchstone.systems.challenge import generating
    from touchstone.systems.inference import commands as inference
    from touchstone.systems.substitution import commands as substitution

    for module, name, size in ((text, "PIECE", 7), (substitution, "PIECE", 3), (inference, "PIECE", 6)):
        patch.setattr(module, name, size)
    patch.setattr(generating, "BLOCK", 2)


def write(path: Path, columns: dict[str, list[object]]) -> None:
    """Write a table as Parquet, as JSON lines, and its texts as plain lines."""
    table = pa.table(columns)
    parquet.write_table(table, path.with_suffix(".parquet"), row_group_size=13)
    path.with_suffix(".jsonl").write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    path.with_suffix(".txt").write_text("\n".join(columns[list(columns)[1]]) + "\n")


def score(task, gold, runs=(), measures=(), *, out="scores", engine=HERE, by=None, many=10**9, **how):
    """Score in shards; return what was done, and the rows of the results."""
    keys = ("shard_rows", "streamed", "policy")
    given = {key: how.pop(key) for key in keys if key in how}
    done = score_in_shards(Request(find_task(task), gold, runs, measures, options=how, **given), out, engine)
    return done, None if done.failures else read_results(out, by=by, many=many)


def rows(results):
    """Return all numbers of results."""
    return [
        (row.system, row.measure, row.group, repr(row.value), repr(row.low), repr(row.high), row.n)
        for row in results.rows
    ]


@pytest.fixture
def command(monkeypatch, capsys):
    """Run a command; return its exit code and what it printed."""

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["touchstone", *words])
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        return code, *capsys.readouterr()

    return run
