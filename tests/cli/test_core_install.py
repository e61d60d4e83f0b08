"""A core install: every command works without the optional packages, or names the extra that it needs."""

import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import click
import numpy as np
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from touchstone.cli import app
from touchstone.systems.inference.labelling_file import write_labeller

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "src" / "touchstone" / "examples"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
USERS = ("annotate", "excel", "mt", "neural", "ray", "systems")
"""The extras that users install; the others are for developers."""

MOST_MEGABYTES = 480

PROGRAM = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
class Refusing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in REFUSED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
REFUSED = set(sys.argv[1].split(","))
sys.meta_path.insert(0, Refusing())
from touchstone.cli import main
for line in json.loads(sys.argv[2]):
    sys.argv = ["touchstone", *line]
    out, err, code = io.StringIO(), io.StringIO(), 0
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as exit:
        code = exit.code
    except BaseException as error:
        code = repr(error)
    print(json.dumps([code or 0, err.getvalue()]))
"""
"""Runs commands in a process that cannot import the modules named first."""


COMMANDS = {
    "lexsub": {
        "score demo.gold careful.oot eager.oot --report r.html": None,
        "compare demo.gold careful.oot eager.oot --report r.html": None,
        "explain demo.gold careful.oot --item 3 --report r.html": None,
        "explain demo.gold careful.oot --item 3 --svg i.svg": None,
        "validate demo.gold careful.oot": None,
        "convert demo.gold demo.jsonl": None,
        "estimate demo.gold careful.oot eager.oot --judge demo.gold": None,
        "judge demo.gold careful.oot eager.oot --judge demo.gold": None,
        "plan demo.gold careful.oot eager.oot --judge demo.gold --width 0.1": None,
        "run --system bow demo.xml -o a.oot": None,
        "suggest 'They lost the match.' --word match": None,
        "rank demo.gold --source demo.xml --system lm": None,
        "bench lm --data .": None,
        "train --system lm demo.gold demo.xml -o a.toml": None,
    },
    "mt": {
        "score refA.en de-en": "mt",
        "score refA.en de-en --measure 'bleu(v11b)'": "mt",
        "score refA.en de-en --measure ter --items i.csv": "mt",
        "score refA.en de-en --measure blend": "mt",
        "score refA.en de-en -m 'maxsim(n)' -m maxsim -m meteor -m 'meteor(classic)' --report r.html": None,
        "compare refA.en de-en": "mt",
        "compare refA.en de-en --measure 'maxsim(n)' --report r.html": None,
        "explain refA.en de-en --item 1": None,
        "explain refA.en de-en --item 1 --measure blend": "mt",
        "explain refA.en de-en --item 1 --svg i.svg --report r.html": None,
        "validate refA.en de-en": None,
        "convert table.tsv table.jsonl": None,
        "estimate refA.en de-en --judge refA.en --measure 'maxsim(n)'": None,
        "judge refA.en de-en --judge refA.en --measure 'maxsim(n)'": None,
        "plan refA.en de-en --judge refA.en --measure 'maxsim(n)' --width 0.1": None,
        "meta rankings.csv de-en --ref refA.en": "mt",
        "meta rankings.csv de-en --ref refA.en --measure 'maxsim(n)' --measure meteor --report r.html": None,
        "agreement rankings.csv": None,
        "tune rankings.csv de-en --ref refA.en": None,
    },
    "pyramid": {
        "score . --report ../r.html": None,
        "compare . --report ../r.html": None,
        "explain eve.T01.M.60.A.heron.pan --svg i.svg --report r.html": None,
        "validate .": None,
        "convert T01.pyr T01.json": None,
        "estimate presence.csv --judge presence.csv": None,
        "judge presence.csv --judge presence.csv": None,
        "plan presence.csv --judge presence.csv --width 0.1": None,
        "auto T01.pyr eve.T01.M.60.A.heron.pan -o ../auto --report ../r.html": None,
        "auto T01.pyr eve.T01.M.60.A.heron.pan --encoder smollm2": "neural",
        "train . -o m.json --encoder smollm2": "neural",
        "propose model1.txt model2.txt -o ../draft.pyr": None,
        "describe .": None,
        "table . -o t.csv": None,
        "analyse sets.csv --report r.html": None,
        "agreement eve.T01.M.60.A.heron.pan eve.T01.M.60.A.heron.pan --report r.html": None,
        "power sets.csv --peers 1,2 --draws 100 --report r.html": None,
    },
    "nli": {
        "score gold.jsonl overlap.jsonl careful.jsonl --report r.html": None,
        "compare gold.jsonl overlap.jsonl careful.jsonl --report r.html": None,
        "explain gold.jsonl overlap.jsonl --item d01 --svg i.svg --report r.html": None,
        "validate gold.jsonl overlap.jsonl": None,
        "convert gold.jsonl gold.csv": None,
        "estimate gold.jsonl overlap.jsonl careful.jsonl --judge gold.jsonl": None,
        "judge gold.jsonl overlap.jsonl careful.jsonl --judge gold.jsonl": None,
        "plan gold.jsonl overlap.jsonl careful.jsonl --judge gold.jsonl --width 0.1": None,
        "breakdown gold.jsonl overlap.jsonl --train pairs.jsonl --report r.html": None,
        "generate pairs.jsonl -o set.jsonl": "systems",
        "propose pairs.jsonl -o proposals.tsv": "systems",
        "agreement gold.jsonl": None,
        "verify pairs.jsonl answers.jsonl": None,
        "baseline gold.jsonl": None,
        "audit gold.jsonl": None,
        "train --model kim --train gold.jsonl --dev gold.jsonl --vectors v.txt -o run": "neural",
        "drop run --original gold.jsonl --challenge gold.jsonl": "neural",
        "curve --model kim --sizes 1 --train gold.jsonl --dev gold.jsonl --vectors v --on a --folder c": "neural",
        "repair run --with gold.jsonl --sizes 0,1 --on gold.jsonl --folder l": "neural",
        "predict run gold.jsonl -o p.jsonl": "neural",
        "label gold.jsonl -o l.jsonl --model labeller.safetensors": None,
    },
    "items": {
        "score scores.csv --report r.html": None,
        "compare scores.csv --report r.html": None,
        "explain scores.csv --item 1": None,
        "validate scores.csv": None,
        "convert scores.csv scores.parquet": None,
        "estimate scores.csv scores.csv": None,
        "judge human.csv judge.csv --report r.html": None,
        "plan human.csv judge.csv --width 0.25": None,
        "agreement labels.csv": None,
    },
    "annotate": {
        "serve": "annotate",
        "export some --out a.csv": "annotate",
        "backup a.sqlite": "annotate",
        "restore a.sqlite": "annotate",
        "project create some --task nli": "annotate",
        "project import some scores.csv": "annotate",
        "project list": "annotate",
        "project assign some a@example.org": "annotate",
        "project unassign some item a@example.org": "annotate",
        "user invite a@example.org": "annotate",
        "user list": "annotate",
        "user disable a@example.org": "annotate",
        "user reset a@example.org": "annotate",
    },
    "lexicon": {"show plot": None, "path dog cat": None},
    "text": {"parse refA.en": None},
    "": {
        "demo": "mt",
        "make": None,
        "lexsub score demo.gold careful.oot --json -o result.json": None,
        "recompute result.json": None,
        "lexsub score demo.gold careful.oot --engine processes --out shards": None,
        "status shards": None,
        "--help": None,
    },
}
"""Commands by group, and the extra that each needs; None for those that need none."""


def packages(requirements: list[str]) -> set[str]:
    """Return the names of required packages, without our own extras."""
    return {re.match(r"[\w.-]+", one)[0] for one in requirements if not one.startswith("touchstone-nlp[")}


def names(command: click.Group, *before: str):
    """Yield the names of all commands."""
    if not hasattr(command, "list_commands"):
        yield " ".join(before)
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        yield from names(command.get_command(context, name), *before, name)


def write_inputs(folder: Path) -> None:
    """Write what the examples do not have: translations, scores and units of sets, a project, a labeller."""
    if (folder / "demo.gold").is_file():  # the benchmark of SemEval-2007 task 10 by its names
        shutil.copy(folder / "demo.gold", folder / "test.gold")
        shutil.copy(folder / "demo.xml", folder / "test.xml")
    (folder / "table.tsv").write_text("segment\tsystem\thypothesis\treference\n1\tmagpie\tthe cat\ta cat\n")
    rows = [f"{name},{peer},{(name * 7 + peer * 5 + name * peer) % 11}" for name in range(6) for peer in range(4)]
    (folder / "sets.csv").write_text("\n".join(["setid,peerid,score", *rows]))
    cells = [
        f"S{s},{peer},{unit},1,3,{(s + peer * unit) % 2}" for s in range(6) for peer in (1, 2) for unit in range(4)
    ]
    for number in (1, 2):
        (folder / f"model{number}.txt").write_text("The bridge was closed in March. Boats take people across.\n")
    (folder / "presence.csv").write_text("\n".join(["set,peer,unit,weight,models,present", *cells]))
    project = ["[scores.main]", 'task = "lexsub"', 'gold = "demo.gold"', 'systems = {careful = "careful.oot"}']
    (folder / "touchstone.toml").write_text("\n".join([*project, 'outputs = ["scores.md", "scores.html"]']))
    write_labeller(folder / "labeller.safetensors", labeller_weights(4), ["a"], heads=2, longest=9)


def labeller_weights(width: int) -> dict[str, np.ndarray]:
    """Return the weights of a small labeller that was not trained."""
    tables = {"words.own": 4, "words.vectors": 1, "places": 21, "kinds": 2}
    maps = {"layers.0.attention": 3 * width, "layers.0.mixed": width, "layers.0.inner": width, "layers.0.outer": width}
    maps |= {"pooler": width, "classifier": 3}
    weights = {f"{name}.weight": np.ones((rows, width), np.float32) for name, rows in {**tables, **maps}.items()}
    weights |= {f"{name}.bias": np.zeros(rows, np.float32) for name, rows in maps.items()}
    for name in ("norm", "layers.0.norm_1", "layers.0.norm_2"):
        weights |= {f"{name}.{end}": np.ones(width, np.float32) for end in ("weight", "bias")}
    return weights


def core_distributions() -> set[str]:
    """Return the packages of a core install: those that the package requires, and what they require in turn."""
    found, left = {"touchstone-nlp"}, packages(PROJECT["dependencies"])
    while left:
        name = canonicalize_name(left.pop())
        if name not in found:
            found.add(name)
            needed = map(Requirement, requires(name) or ())
            left |= {one.name for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})}
    return found


def core_only(lines: list[list[str]], folder: Path) -> list[tuple[int | str, str]]:
    """Return the exit code and the messages of each command in a process without the optional packages."""
    known = core_distributions()
    homes = packages_distributions()
    refused = [module for module, names in homes.items() if not known & {canonicalize_name(name) for name in names}]
    command = [sys.executable, "-c", PROGRAM, ",".join(refused), json.dumps(lines)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("group", COMMANDS)
def test_a_command_without_the_optional_packages_works_or_names_its_extra(group, tmp_path):
    example = {"text": "mt", "": "lexsub", "annotate": "items", "lexicon": "lexsub"}.get(group, group)
    folder = Path(shutil.copytree(EXAMPLES / example, tmp_path / "example"))
    write_inputs(folder)
    lines = [[*group.split(), *shlex.split(line)] for line in COMMANDS[group]]
    for line, extra, (code, err) in zip(lines, COMMANDS[group].values(), core_only(lines, folder), strict=True):
        assert code == (2 if extra else 0), (line, code, err)
        assert extra is None or f"pip install 'touchstone-nlp[{extra}]'" in err, (line, err)


def test_every_command_is_tried_without_the_optional_packages():
    tried = [f"{group} {line}".strip() for group, lines in COMMANDS.items() for line in lines]
    known = names(app)
    assert [name for name in known if not any(line.startswith(name) for line in tried)] == []


def test_a_report_has_its_figures_without_another_package(tmp_path):
    folder = Path(shutil.copytree(EXAMPLES / "lexsub", tmp_path / "example"))
    runs = ["careful.oot", "eager.oot", "frequent.oot"]
    core_only([["lexsub", "score", "demo.gold", *runs, "--report", "r.html"]], folder)
    page = (folder / "r.html").read_text("utf-8")
    assert page.count('aria-label="Differences under') == 2  # the square of all pairs, wide and narrow
    assert page.count('class="dot') > 6 * len(runs)
    assert "rank@10" in page


def documented() -> dict[str, set[str]]:
    """Return the packages that docs/dependencies.md lists, by extra; those of the core under an empty name."""
    found: dict[str, set[str]] = {}
    for section in (ROOT / "docs" / "dependencies.md").read_text("utf-8").split("\n## ")[1:]:
        title, *lines = section.split("\n")
        extra = re.match(r"`\[(\w+)\]`", title)
        cells = [line.split("|")[1] for line in lines if line.startswith("| `")]
        found[extra[1] if extra else ""] = {name for cell in cells for name in re.findall("`([^`]+)`", cell)}
    return found


def test_the_table_of_dependencies_is_that_of_the_package():
    declared = {"": packages(PROJECT["dependencies"])}
    declared |= {extra: packages(needed) for extra, needed in EXTRAS.items() if extra != "all"}
    assert documented() == declared


def test_all_is_every_extra_of_users():
    assert EXTRAS["all"] == [f"touchstone-nlp[{','.join(USERS)}]"]
    assert set(EXTRAS) == {*USERS, "all", "docs", "lint", "test"}


@pytest.mark.soak
def test_a_core_install_is_light(tmp_path):
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    [site] = tmp_path.glob("venv/lib/python*/site-packages")
    before = megabytes(site)
    subprocess.run([tmp_path / "venv/bin/python", "-m", "pip", "install", "--quiet", ROOT], check=True)
    size = megabytes(site) - before
    print(f"a core install has {size} MB")  # noqa: T201 (a figure of the soak run)
    assert size < MOST_MEGABYTES


def megabytes(folder: Path) -> int:
    """Return the megabytes that a folder takes on disk."""
    return int(subprocess.run(["du", "-sm", folder], capture_output=True, text=True, check=True).stdout.split()[0])
