"""The wheel works with every supported Python: a clean environment for each, the demonstration and the tutorials in it.

It takes minutes, since packages are installed: ``.venv/bin/pytest -n0 -s -m soak tests/test_pythons.py``.
"""

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
VERSIONS = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
NEEDED = ("ipykernel", "nbclient", "pandas")
"""What the tutorials need beside the package."""

pytestmark = pytest.mark.soak


def interpreter(version: str) -> str:
    """Return the program of a version of Python: on the path or in pyenv's folder; skip if there is none."""
    installed = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
    program = shutil.which(f"python{version}") if not installed else str(installed[-1])
    return program or pytest.skip(f"Python {version} is not installed")


def run(*command: object, cwd: Path) -> str:
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT, cwd=folder)
    [path] = folder.glob("*.whl")
    return path


def test_the_wheel_names_authors_licences_and_platform_and_has_every_licence_file(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [described] = [name for name in names if name.endswith(".dist-info/METADATA")]
        facts = message_from_bytes(archive.read(described))
    home = described.removesuffix("METADATA")
    assert facts["Author"] == "The Touchstone developers"
    assert facts["License-Expression"] == PROJECT["license"]
    assert {f"{home}licenses/{file}" for file in facts.get_all("License-File")} <= set(names)
    assert len(facts.get_all("License-File")) == len(PROJECT["license-files"])
    assert "Operating System :: POSIX :: Linux" in facts.get_all("Classifier")
    assert facts.get_all("Project-URL", []) == []
    assert not [name for name in names if not name.startswith(("touchstone/", home))]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_demonstration_and_the_tutorials_run_with_python(version, wheel, tmp_path):
    run(interpreter(version), "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", f"{wheel}[mt]", *NEEDED, cwd=tmp_path)
    told = run(tmp_path / "venv" / "bin" / "touchstone", "demo", cwd=tmp_path)
    assert told.count("  report ") == len(list((tmp_path / "touchstone-demo").glob("[!m]*.html"))) + 1
    checked = run(python, ROOT / "studies" / "notebook_pages.py", "--check", cwd=tmp_path)
    assert checked.startswith("the same: ")
