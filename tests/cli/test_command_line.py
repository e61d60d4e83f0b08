"""The command line: quick to answer, quiet, clear about its outcome, and safe to send a report from."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import touchstone
from touchstone.cli import main
from touchstone.cli.demo import EXAMPLES

GOLD = "bright.a 1 :: clever 3;smart 1;\nbright.a 2 :: shiny 2;\nrun.v 13 :: hurry 2;\n"
ANSWERS = "bright.a 1 ::: clever;smart\nbright.a 2 ::: dull\n"
PROGRAM = [sys.executable, "-c", "from touchstone.cli import main; main()"]


def run(*arguments, stdin: bytes = b"", cwd=None, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run the program in a process of its own."""
    command = [*PROGRAM, *(os.fsencode(argument) for argument in arguments)]
    return subprocess.run(
        command, input=stdin, capture_output=True, check=False, timeout=600, cwd=cwd, env={**os.environ, **environment}
    )


@pytest.fixture
def files(tmp_path):
    (tmp_path / "g.gold").write_text(GOLD)
    (tmp_path / "mine.oot").write_text(ANSWERS)
    return tmp_path / "g.gold", tmp_path / "mine.oot"


@pytest.fixture
def here(monkeypatch, capfd):
    """Run the program in this process: exit code, standard output and standard error, as bytes."""

    def call(*arguments, stdin: bytes = b""):
        monkeypatch.setattr(sys, "argv", ["touchstone", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as left:
            main()
        out, err = capfd.readouterr()
        return subprocess.CompletedProcess(arguments, left.value.code or 0, out.encode(), err.encode())

    return call


# --- help and version ------------------------------------------------------------------------------------------------

HEAVY = ("numpy", "pyarrow", "scipy", "matplotlib", "pandas", "polars", "jinja2")


def test_help_of_every_command_imports_nothing_heavy():
    program = (
        "import sys, click\nfrom touchstone.cli import app, main\n"
        "def show(command, words):\n"
        "    sys.argv = ['touchstone', *words, '--help']\n"
        "    try:\n        main()\n    except SystemExit:\n        pass\n"
        "    if isinstance(command, click.Group):\n"
        "        for name in command.list_commands(None):\n"
        "            show(command.get_command(None, name), [*words, name])\n"
        "show(app, [])\n"
        f"print('HEAVY:', [name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=600)
    assert done.stdout.strip().endswith("HEAVY: []")
    assert done.stdout.count("Usage:") > 90


def test_importing_the_package_imports_nothing_heavy():
    program = f"import sys, touchstone\nprint([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=600)
    assert done.stdout.strip() == "[]"


def test_the_version_is_that_of_the_package():
    done = run("--version")
    assert (done.returncode, done.stdout.decode()) == (0, f"touchstone {touchstone.__version__}\n")


def test_the_package_can_be_run_as_a_module():
    done = subprocess.run([sys.executable, "-m", "touchstone", "--version"], capture_output=True, check=False)
    assert (done.returncode, done.stdout.split()) == (0, [b"touchstone", touchstone.__version__.encode()])


# --- exit codes and streams ------------------------------------------------------------------------------------------


def test_values_go_to_standard_output_and_notes_to_standard_error(files):
    done = run("lexsub", "score", *files, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["rows"]
    assert b"without an answer" in done.stderr
    assert b"note: " not in done.stdout
    assert b"without an answer" not in run("lexsub", "score", *files).stdout


def test_a_fault_gives_exit_code_2_and_a_sentence(files, tmp_path):
    done = run("lexsub", "score", files[0], tmp_path / "missing.oot")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"error: ")
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["lexsub", "scor"],
        ["lexsub", "score"],
        ["lexsub", "score", "--no-such-option"],
        ["lexsub", "score", "g", "s", "--draws", "0"],
        ["lexsub", "score", "g", "s", "--seed", "-1"],
        ["lexsub", "score", "g", "s", "--intervals", "wide"],
        ["lexsub", "explain", "g", "s"],
        ["nonsense"],
    ],
)
def test_a_wrong_call_gives_exit_code_2_and_no_traceback(here, arguments):
    done = here(*arguments)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_a_reader_that_stops_early_gets_no_traceback(files):
    command = f"{' '.join(map(repr, PROGRAM[:1]))} -c 'from touchstone.cli import main; main()'"
    done = subprocess.run(
        f"{command} lexsub score {files[0]} {files[1]} --by target | head -n 1",
        shell=True,
        capture_output=True,
        check=False,
        timeout=600,
    )
    assert b"Traceback" not in done.stderr
    assert b"BrokenPipe" not in done.stderr


@pytest.mark.parametrize("environment", [{"LC_ALL": "C", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "ascii"}])
def test_a_terminal_that_knows_only_ascii_gets_its_figures(files, environment):
    done = run("lexsub", "score", *files, **environment)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    assert b"rank@10" in done.stdout


# --- standard input --------------------------------------------------------------------------------------------------


def test_a_dash_is_the_gold_from_standard_input(files):
    done = run("lexsub", "score", "-", files[1], "--json", stdin=GOLD.encode())
    assert done.returncode == 0, done.stderr
    piped, named = (json.loads(each.stdout) for each in (done, run("lexsub", "score", *files, "--json")))
    assert piped | {"command": None} == named | {"command": None}


def test_a_dash_is_a_system_from_standard_input(here, files):
    done = here("lexsub", "score", files[0], "-", "-m", "R", "--json", stdin=ANSWERS.encode())
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["rows"]
    assert row["value"] == (1 + 0 + 0) / 3


def test_jsonl_may_come_from_standard_input_too(here, files):
    gold = '{"id":"1","target":"bright","pos":"a","gold":{"clever":2}}\n'
    answers = '{"id":"1","answers":["clever"]}\n'
    (files[0].parent / "a.jsonl").write_text(answers)
    assert here("lexsub", "score", files[0], "-", stdin=answers.encode()).returncode == 0
    done = here("lexsub", "score", "-", files[0].parent / "a.jsonl", stdin=gold.encode())
    assert done.returncode == 0, done.stderr


def test_what_comes_from_standard_input_can_be_converted(here, files, tmp_path):
    done = here("lexsub", "convert", "-", tmp_path / "out.jsonl", stdin=GOLD.encode())
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 3


def test_standard_input_cannot_be_two_files(here, files):
    done = here("lexsub", "score", "-", "-", stdin=GOLD.encode())
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_nothing_on_standard_input_is_an_empty_file(here, files):
    done = here("lexsub", "score", "-", files[1])
    assert done.returncode == 2
    assert b"empty" in done.stderr


# --- outputs ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_items_are_written_by_suffix(here, files, tmp_path, suffix):
    done = here("lexsub", "score", *files, "--items", tmp_path / f"items.{suffix}", "--intervals", "none")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / f"items.{suffix}").stat().st_size > 0


def test_a_place_that_cannot_be_written_gives_a_sentence(here, files, tmp_path):
    for option, name in (("--items", "nowhere/i.csv"), ("--report", "nowhere/r.html")):
        done = here("lexsub", "score", *files, "-m", "R", option, tmp_path / name)
        assert done.returncode == 2
        assert b"cannot be written" in done.stderr
        assert b"Traceback" not in done.stderr


def test_a_table_can_be_markdown_or_latex_and_nothing_else(here, files):
    for form, start in (("markdown", b"| measure |"), ("latex", b"\\begin{table}")):
        done = here("lexsub", "score", *files, "--format", form, "-m", "R", "--intervals", "none")
        assert done.stdout.startswith(start)


@pytest.mark.parametrize(("form", "mark"), [("markdown", "touchstone"), ("latex", "% touchstone")])
def test_a_table_for_pasting_ends_with_its_signature(here, files, form, mark, tmp_path):
    call = ["lexsub", "score", *files, "--format", form, "-m", "R", "--intervals", "none"]
    last = here(*call).stdout.decode().rstrip().rsplit("\n\n", 1)[-1]
    assert last.replace("\\|", "|").startswith(f"{mark} {touchstone.__version__} | lexsub | 3 kept, 0 excluded | #")
    assert here(*call, "-o", tmp_path / "table").stdout == b""
    assert (tmp_path / "table").read_text().rstrip().rsplit("\n\n", 1)[-1] == last


def test_a_text_file_has_all_that_standard_output_would_have(here, files, tmp_path):
    gold, answers = files
    for call in (
        ["lexsub", "score", *files, "--intervals", "none"],
        ["lexsub", "explain", gold, answers, "--item", "2"],
        ["items", "judge", EXAMPLES / "items" / "human.csv", EXAMPLES / "items" / "judge.csv"],
    ):
        shown = here(*call).stdout
        assert here(*call, "-o", tmp_path / "table").stdout == b""
        assert (tmp_path / "table").read_bytes() == shown


def test_every_figure_has_its_signature_below(here, files):
    done = here("lexsub", "score", *files, "--intervals", "none")
    assert f"touchstone {touchstone.__version__} | lexsub | 3 kept, 0 excluded | #".encode() in done.stdout
    full = json.loads(here("lexsub", "score", *files, "--intervals", "none", "--json").stdout)["signature"]
    assert full["touchstone"] == touchstone.__version__
    assert full["gold"].startswith("#")


def test_a_system_whose_name_is_not_text_is_scored_or_refused_with_a_sentence(files, tmp_path):
    """On Linux a file name is bytes; these are no UTF-8."""
    path = os.fsencode(tmp_path) + b"/caf\xe9.oot"
    Path(os.fsdecode(path)).write_text(ANSWERS)
    for options in (["--json"], ["--report", tmp_path / "r.html"]):
        done = run("lexsub", "score", files[0], path, "-m", "R", *options)
        assert b"Traceback" not in done.stderr
        assert done.returncode in (0, 2)
        if done.returncode == 0:
            assert done.stdout.decode()
            assert "--json" not in options or json.loads(done.stdout)["rows"]


GATED = "item,old,new\n" + "".join(f"{n},1,{int(n % 4 > 0)}\n" for n in range(40))


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--fail-if-worse", "new"], 1, "failed: value: new is significantly worse than old, by 0.250"),
        (["--fail-if-worse", "old"], 0, "note: passed: value: old is not significantly worse than new"),
        (["--fail-if-worse", "new", "--margin", "0.4"], 0, "note: passed: value: new is not worse than old by more"),
        (["--fail-if-worse", "new", "--margin", "0.3"], 1, "failed: value: new is worse than old by 0.250 (95% inter"),
        (["--fail-if-worse", "nwe"], 2, 'no such system to gate: "nwe"; nearest valid name "new"'),
        (["--margin", "0.3"], 2, "--margin belongs to --fail-if-worse"),
    ],
)
def test_compare_gates_a_release_by_its_exit_code(here, options, code, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores.csv").write_text(GATED)
    result = here("items", "compare", "scores.csv", *options)
    assert (result.returncode, said in result.stderr.decode()) == (code, True), result.stderr


TIMED = "item,system,correct,seconds\n" + "".join(f"{n},old,{int(n > 0)},1\n{n},new,1,{1 + n % 3}\n" for n in range(40))


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ([], 2, "--fail-if-worse with several columns of scores: correct, seconds\n   choose those that decide with"),
        (
            ["-m", "correct", "-m", "seconds", "--lower-is-better", "seconds"],
            1,
            "failed: seconds: new is significantly",
        ),
        (["-m", "correct", "-m", "seconds", "--margin", "0.02"], 2, "--margin is in units of one measure, and there a"),
        (["-m", "correct", "--margin", "0.2"], 0, "note: passed: correct: new is not worse than old by more than 0.2"),
        (["--margin", "correct=0.2"], 0, "note: passed: correct: new is not worse than old by more than 0.2"),
        (
            ["--margin", "correct=0.2", "--margin", "seconds=0.5", "--lower-is-better", "seconds"],
            1,
            "failed: seconds: new is worse than old by more than 0.5",
        ),
        (["--margin", "correct=0.2", "--margin", "seconds=2", "--lower-is-better", "seconds"], 0, "passed: seconds: "),
        (["-m", "correct", "-m", "seconds", "--margin", "correct=0.2"], 2, "measures without a margin: seconds"),
        (["--margin", "corect=0.2"], 2, 'not compared: "corect"; nearest valid name "correct"'),
        (["--margin", "correct=0.2", "--margin", "correct=0.3"], 2, "two margins for one measure"),
        (["--margin", "correct=much"], 2, "a margin is a number, or NAME=NUMBER"),
        (["--margin", "correct=-1"], 2, 'a margin is the largest loss that is accepted, 0 or more: "-1"'),
        (["-m", "seconds", "-q"], 0, "warning: seconds: the gate takes higher as better; if lower is better, add --lo"),
        (["-m", "seconds", "--range", "seconds=0:99", "-q"], 0, "warning: seconds: the gate takes higher as better"),
    ],
)
def test_a_gate_needs_chosen_measures_and_a_margin_for_each(here, options, code, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores.csv").write_text(TIMED)
    result = here("items", "compare", "scores.csv", "--fail-if-worse", "new", *options)
    assert (result.returncode, said in result.stderr.decode()) == (code, True), result.stderr


@pytest.mark.parametrize(
    ("options", "code", "verdict", "margin"),
    [
        (["--fail-if-worse", "new"], 1, "FAILED", None),
        (["--fail-if-worse", "new", "--margin", "0.3"], 1, "FAILED", 0.3),
        (["--fail-if-worse", "new", "--margin", "0.4"], 0, "PASSED", 0.4),
        (["--fail-if-worse", "old"], 0, "PASSED", None),
    ],
)
def test_every_output_of_a_gate_carries_the_verdict_of_the_exit_code(here, options, code, verdict, margin, tmp_path,
                                                                     monkeypatch):  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores.csv").write_text(GATED)
    command = ["items", "compare", "scores.csv", *options, "--quiet"]
    other = {"FAILED": "PASSED", "PASSED": "FAILED"}[verdict]
    outputs = {
        "report.html": ["--report", "report.html"],
        "table.txt": ["-o", "table.txt"],
        "table.md": ["--format", "markdown", "-o", "table.md"],
        "table.tex": ["--format", "latex", "-o", "table.tex"],
        "gate.json": ["--json", "-o", "gate.json"],
        "paper/results.tex": ["--paper", "paper"],
        "paper/results.md": ["--paper", "paper"],
    }
    for name, written in outputs.items():
        assert here(*command, *written).returncode == code
        text = (tmp_path / name).read_text("utf-8")
        assert verdict in text, name
        assert other not in text, name
        assert margin is None or str(margin) in text, name
    data = json.loads((tmp_path / "gate.json").read_text("utf-8"))
    [row] = [row for row in data["rows"] if row["kind"] == "gate"]
    assert (data["verdict"]["passed"], row["verdict"], row["margin"]) == (code == 0, verdict, margin)
    assert f"Gate {verdict}: value: " in (tmp_path / "report.html").read_text("utf-8")
    plain = here("items", "compare", "scores.csv", "--json", "--report", "plain.html")
    assert "verdict" not in json.loads(plain.stdout)
    assert not {"FAILED", "PASSED"} & set(re.findall(r"\w+", (tmp_path / "plain.html").read_text("utf-8")))


def test_a_failed_gate_still_writes_its_results_which_recompute_makes_again(here, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores.csv").write_text(GATED)
    outputs = ["--fail-if-worse", "new", "--json", "-o", "gate.json", "--report", "gate.html", "--quiet"]
    result = here("items", "compare", "scores.csv", *outputs)
    assert result.returncode == 1
    assert result.stderr.startswith(b"failed: ")
    assert (tmp_path / "gate.html").exists()
    assert here("recompute", "gate.json").returncode == 0
