"""What the README and the guides show is what happens: their Python runs, their commands print what they print."""

import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from touchstone.cli import main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = ROOT / "src" / "touchstone" / "examples"


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def steps(page: Path) -> list[tuple[str, list[str]]]:
    """Return every command of a page, of Touchstone or not, with the lines that are shown under it."""
    parts = [part for block in blocks(page, "console") for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(lines[0], lines[1:]) for lines in (part.rstrip("\n").split("\n") for part in parts)]


# Pages whose commands and Python are run: what the others show is about files of the reader's own.
RUN = {"README", "index", "lexsub", "comparing", "results", "python", "nli", "mt", "mt_meta", "pyramid", "items"}
RUN |= {"projects", "notebooks", "tables", "judging", "estimating", "report", "pyramid_auto"}
OUTPUTS = {"--items", "--report", "--svg", "--html", "--out", "-o", "--discards", "--kept", "--predictions", "--paper"}
ALONE = [page for page in PAGES if page.stem in RUN - {"projects"}]
CASES = [
    (page, command, shown) for page in ALONE for command, shown in steps(page) if command.startswith("touchstone ")
]


def missing_input(command: str, folder: Path) -> str | None:
    """Return the first file that a command reads and the folder does not have."""
    words = shlex.split(command.partition(" |")[0].partition(" >")[0])
    named = [word for before, word in pairwise(words) if word[0] != "-" and before not in OUTPUTS]
    suffixes = r"\.(gold|oot|best|xml|jsonl?|csv|tsv|npy|txt)$|/$"
    files = [word.rpartition("=")[2] for word in named if re.search(suffixes, word)]
    made = {"demo.jsonl", "test.jsonl", "result.json"}
    return next((name for name in files if name not in made and not (folder / name).exists()), None)


def first_missing(shown: list[str], printed: list[str]) -> str | None:
    """Return the first line that is shown and was not printed in that order; a line of … stands for any lines."""
    place, skipping = 0, False
    for line in shown:
        if line.strip() == "…":
            skipping = True
            continue
        while skipping and place < len(printed) and printed[place] != line:
            place += 1
        if place >= len(printed) or printed[place] != line:
            return line
        place, skipping = place + 1, False
    return None


def example_of(page: Path) -> Path:
    task = {"judging": "items", "estimating": "items"}.get(page.stem, page.stem.partition("_")[0])
    return EXAMPLES / (task if (EXAMPLES / task).is_dir() else "lexsub")


def in_shell(command: str, folder: Path) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.stdout


# A command of Touchstone that needs no shell: what it prints may go to a file, and its exit code may be shown.
PLAIN = re.compile(r'(touchstone [^|>;]+?)(?: > (\S+?))?(; echo "exit code \$\?")?')


def in_process(plain: re.Match[str], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a plain command of Touchstone here, which is much faster than a new process, and return what it prints."""
    command, file, code = plain.groups()
    words = [one for word in shlex.split(command) for one in (sorted(glob.glob(word)) or [word])]  # noqa: PTH207
    monkeypatch.setattr(sys, "argv", words)
    capfd.readouterr()
    with pytest.raises(SystemExit) as left:
        main()
    printed = capfd.readouterr()
    if file:
        Path(file).write_text(printed.out, "utf-8")
    return ("" if file else printed.out) + printed.err + (f"exit code {left.value.code or 0}" if code else "")


@pytest.fixture
def printed_by(tmp_path, capfd, monkeypatch):
    """Give a function that runs a command of a page in an empty folder and returns the lines that it prints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))  # a command that loads a measure adds its folder

    def run(command: str) -> list[str]:
        plain = PLAIN.fullmatch(command)
        printed = in_process(plain, capfd, monkeypatch) if plain else in_shell(f"{{ {command}; }} 2>&1", tmp_path)
        return [line.rstrip() for line in printed.split("\n") if line.strip()]

    yield run
    for name in [name for name, module in sys.modules.items() if str(tmp_path) in str(getattr(module, "__file__", ""))]:
        del sys.modules[name]  # a measure of the page, which another test may have under the same name


@pytest.mark.parametrize(
    ("page", "command", "shown"), CASES, ids=[f"{page.stem}: {command[:60]}" for page, command, _ in CASES]
)
def test_a_command_prints_what_the_page_shows(page, command, shown, tmp_path, printed_by):
    shutil.copytree(example_of(page), tmp_path, dirs_exist_ok=True)
    data = os.environ.get("TOUCHSTONE_DATA")
    for path in (Path(data) / "ls07").iterdir() if data else ():
        (tmp_path / path.name).symlink_to(path)
    absent = missing_input(command, tmp_path)
    if absent or "success@" in command:
        pytest.skip(f"needs what only the reader has: {absent or 'an installed plug-in'}")
    assert first_missing([line.rstrip() for line in shown if line.strip()], printed_by(command)) is None


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.stem in RUN and blocks(page, "python")], ids=lambda page: page.stem
)
def test_the_python_of_a_page_runs(page, tmp_path, monkeypatch):
    shutil.copytree(example_of(page), tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    program = "\n".join(blocks(page, "python"))
    if "MEASURES.add" in program:  # in a process of its own, since the measure would stay for other tests
        subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, check=True)
    else:
        exec(compile(program, str(page), "exec"), {"__name__": page.stem})


# Pages whose commands build on each other.
STEPS = [*sorted((ROOT / "docs" / "how-to").glob("*.md")), ROOT / "docs" / "projects.md"]


@pytest.mark.parametrize("page", STEPS, ids=lambda page: page.stem)
def test_the_steps_of_a_page_work_one_after_another(page, tmp_path, printed_by):
    example = re.search(r"src/touchstone/examples/(\w+)", page.read_text("utf-8"))
    shutil.copytree(EXAMPLES / example[1] if example else example_of(page), tmp_path, dirs_exist_ok=True)
    for text in blocks(page, "toml")[:1]:
        (tmp_path / "touchstone.toml").write_text(text, "utf-8")
    for command, shown in steps(page):
        assert first_missing([line.rstrip() for line in shown if line.strip()], printed_by(command)) is None, command


def test_the_task_of_the_guide_works_as_it_stands(tmp_path):
    task, use, *_ = [block for block in blocks(ROOT / "docs" / "extending.md", "python") if "TASK" in block]
    (tmp_path / "gold.csv").write_text("id,topic,word\n1,x,cat\n2,x,dog\n3,y,owl\n")
    (tmp_path / "a.csv").write_text("id,word\n1,cat\n2,dog\n3,cow\n")
    (tmp_path / "b.csv").write_text("id,word\n1,cow\n2,dog\n3,\n")
    program = f"import touchstone\n{task}\n{use}\nassert results.row('mine', 'right').value == 2 / 3"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "ok: mine: 3 words (a.csv#" in done.stdout


def test_the_map_of_the_architecture_has_every_package():
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8").partition("## The packages")[2].partition("\n## ")[0]
    packages = {path.parent.name for path in (ROOT / "src" / "touchstone").glob("*/__init__.py")}
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == packages | {"examples"}


def test_the_places_that_contributing_names_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Where does it belong?")[2].partition("\n## ")[0]
    text = text.replace("NAME", "nli")
    source = ROOT / "src" / "touchstone"
    folders = [path for name in re.findall(r"`([\w/]+)/`", text) if not (path := source / name).is_dir()]
    files = [path for name in re.findall(r"`([a-z]+/[\w/]+\.py)`", text) if not (path := source / name).is_file()]
    assert (folders, files) == ([], [])


WRITTEN = sorted(
    [*ROOT.glob("*.md"), *(page for name in ("docs", "src", "studies") for page in (ROOT / name).rglob("*.md"))]
)
COMMANDS = (
    "touchstone",
    "python",
    ".venv/bin/",
    "pip",
    "make",
    "ray",
    "cd",
    "git",
    "sbatch",
    "export",
    "docker",
    "curl",
)
TOUCHSTONE = r"touchstone (?:lexsub|mt|pyramid|nli|items|annotate|lexicon|text|status|recompute|make|demo)\b"


def malformed(text: str) -> list[str]:
    """Return what is wrong with the blocks of a page: fences within fences, and commands wrapped like prose."""
    wrong: list[str] = []
    block: list[str] | None = None
    language = ""
    for number, line in enumerate(text.split("\n"), 1):
        fence = re.match(r"\s*(```+)(.*)$", line)
        if not fence:
            wrong += [f"{number}: a fence inside a line"] if "```" in line else []
            if block is not None:
                block.append(line)
        elif block is None:
            block, language = [], fence[2].strip()
        elif fence[2].strip():
            wrong.append(f"{number}: a fence within a fence")
        else:
            wrong += [f"{number}: {what}" for what in wrapped(block, language)]
            block = None
    return [*wrong, *(["a fence is not closed"] if block is not None else [])]


def wrapped(block: list[str], language: str) -> list[str]:
    """Return the lines of a block of commands that are no commands, and those that hold two."""
    whole = [line for before, line in pairwise(["", *block]) if line.strip() and not before.endswith("\\")]
    if language == "console":
        wrong = [line for line in whole[:1] if not line.startswith("$ ")]
        commands = [line for line in whole if line.startswith("$ ")]
    elif not language and whole and whole[0].startswith(COMMANDS):
        wrong = [line for line in whole if not line.startswith((*COMMANDS, "#")) and not re.match(r"\w+=", line)]
        commands = whole
    else:
        return []
    # A second command after ; | & or ( is meant, and so is one in a comment.
    two = [
        line
        for line in commands
        if re.search(rf"[^;|&(#\s]\s+{TOUCHSTONE}", line.removeprefix("$ ").partition(" #")[0])
    ]
    two += [line for line in commands if re.search(rf" #.*\s{TOUCHSTONE} .*(--|\.\w+\b)", line)]
    return wrong + two


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_blocks_of_a_page_are_well_formed(page):
    assert malformed(page.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [
        "```\ntouchstone mt score a --out s/ touchstone status\ns/ touchstone mt score s/\n```",
        "```\ntouchstone text parse a.txt   # CoNLL-U touchstone text parse\na.txt --lines\n```",
        "```\npip install x ray start --head\nmachine; it prints its address\n```",
        "```console\n$ touchstone items score a.csv $ touchstone items compare a.csv\n```",
        "```console\n$ touchstone items score a.csv\n```python\n```",
        "```console\ntouchstone items score a.csv\n```",
        "text ```console",
        "```\nopen",
    ],
)
def test_wrapped_and_nested_blocks_are_noticed(text):
    assert malformed(text) != []


INSTALLED = [*WRITTEN, *sorted((ROOT / "docs").rglob("*.ipynb")), ROOT / "studies" / "notebook_pages.py"]


@pytest.mark.parametrize("page", INSTALLED, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_installs_the_package_from_an_index_that_does_not_have_it(page):
    """It is installed from a clone or a wheel: pip install '.[mt]'."""
    assert re.findall(r"pip install [^`\n]*touchstone-nlp\b.*", page.read_text("utf-8")) == []
