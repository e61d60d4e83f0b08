"""The same signature means the same numbers: in every command, another input or setting gives another digest."""

import io
import re
import shutil
import sys
from pathlib import Path

import pytest

import touchstone
from touchstone.cli import main

EXAMPLES = Path(touchstone.__file__).parent / "examples"

SCORES = "setid,peerid,kind,other,score\n" + "".join(
    f"{item},{peer},{(item + peer) % 2},{item * peer % 5},{(item * 7 + peer * peer * 3) % 11 / 10}\n"
    for item in range(8)
    for peer in range(4)
)

COMMANDS = {
    "items score": "items score items/scores.csv -m correct",
    "items compare": "items compare items/scores.csv -m correct",
    "items compare several": "items compare items/scores.csv",
    "items estimate": "items estimate items/human.csv items/judge.csv",
    "items judge": "items judge items/human.csv items/judge.csv",
    "items plan": "items plan items/human.csv items/judge.csv --width 0.25",
    "items plan difference": "items plan items/human.csv items/judge.csv --between osprey plover --difference 0.1",
    "nli agreement": "nli agreement nli/gold.jsonl",
    "mt agreement": "mt agreement mt/rankings.csv",
    "mt meta": "mt meta mt/rankings.csv mt/de-en --ref mt/refA.en -m bleu -m chrf",
    "pyramid agreement": "pyramid agreement pyramid again",
    "pyramid analyse": "pyramid analyse table.csv --factors setid,peerid",
    "pyramid power": "pyramid power table.csv --peers 1,2 --draws 50 --subsets 5",
    "pyramid auto": "pyramid auto pyramid/T01.pyr pyramid/eve.T01.M.60.A.heron.pan",
}

SETTINGS = {
    "items score": ["--cluster document", "--intervals percentile", "--missing skip", "--lower-is-better correct"],
    "items compare": [
        *("--seed 5", "--paired-test bootstrap", "--correction bh", "--cluster document", "--intervals percentile"),
        *("--lower-is-better correct", "--missing skip"),
    ],
    "items compare several": ["--seed 5", "--paired-test bootstrap", "--correction bh"],
    "items estimate": ["--population set", "--cluster document", "--lower-is-better rating"],
    "items judge": ["--cluster document", "--lower-is-better rating", "--seed 5"],
    "items plan": ["--width 0.2", "--population set", "--cluster document"],
    "items plan difference": ["--difference 0.2", "--target 0.9", "--between osprey wagtail", "--cluster document"],
    "nli agreement": ["--seed 5", "--draws 500", "--cluster item"],
    "mt agreement": ["--seed 5", "--draws 500"],
    "mt meta": [
        *("--seed 5", "--draws 500", "-m ter", "--segments all", "--ties skip", "--calibrate none"),
        *("--system-value wins_all",),
    ],
    "pyramid agreement": ["--seed 5", "--draws 500"],
    "pyramid analyse": [
        *("--alpha 0.01", "--test lsd", "--type I", "--means least-squares", "--baseline 1", "--random setid"),
        *("--dependent other", "--factors setid,peerid,kind"),
    ],
    "pyramid power": [
        *("--seed 5", "--alpha 0.01", "--draws 60", "--subsets 6", "--peers 1,3", "--target 0.9", "--dependent other"),
    ],
}
"""Settings that change numbers, or may, by the command."""

INPUTS = [
    ("items score", "items/scores.csv", "1,2.01", "0,2.01"),
    ("items compare", "items/scores.csv", "1,2.01", "0,2.01"),
    *((f"items {verb}", "items/human.csv", "ann,3", "ann,4") for verb in ("estimate", "judge", "plan")),
    *((f"items {verb}", "items/judge.csv", ",3.9", ",4.9") for verb in ("estimate", "judge", "plan")),
    ("nli agreement", "nli/gold.jsonl", '"contradiction", "contradiction"', '"contradiction", "neutral"'),
    ("mt agreement", "mt/rankings.csv", "heron,1,3,4,2", "heron,2,3,4,1"),
    ("mt meta", "mt/rankings.csv", "heron,1,3,4,2", "heron,2,3,4,1"),
    ("mt meta", "mt/refA.en", " the ", " a "),
    ("mt meta", "mt/de-en/heron", " the ", " a "),
    (
        "pyramid agreement",
        "again/eve.T01.M.60.A.heron.pan",
        r'<contributor label="volunteers(.|\n)*?</contributor>',
        "",
    ),
    ("pyramid analyse", "table.csv", "0,1,1,0,0.3", "0,1,1,0,0.9"),
    ("pyramid power", "table.csv", "0,1,1,0,0.3", "0,1,1,0,0.9"),
    ("pyramid auto", "pyramid/T01.pyr", "winter", "summer"),
    ("pyramid auto", "pyramid/eve.T01.M.60.A.heron.pan", "winter", "summer"),
]
"""A command, a file that it reads, and a change of that file which changes numbers, or may."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("signed")
    shutil.copytree(EXAMPLES, made, dirs_exist_ok=True)
    shutil.copytree(EXAMPLES / "pyramid", made / "again")
    (made / "table.csv").write_text(SCORES)
    return made


@pytest.fixture
def digest(folder, monkeypatch, capfd):
    """Run a command in the folder of examples; give the digest that ends its signature."""

    def run(command):
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "argv", ["touchstone", *command.split(), "--quiet"])
        monkeypatch.setattr(sys, "stdin", io.StringIO(""))
        with pytest.raises(SystemExit) as left:
            main()
        out, err = capfd.readouterr()
        assert not left.value.code, err
        (found,) = [line for line in out.splitlines() if line.startswith("touchstone ")]
        assert re.fullmatch(r".* \| #[0-9a-f]{12}", found)
        return found

    return run


@pytest.mark.parametrize(("name", "setting"), [(name, one) for name, every in SETTINGS.items() for one in every])
def test_another_setting_has_another_signature(digest, name, setting):
    command = COMMANDS[name]
    flag = setting.split()[0]
    plain = command if flag == "-m" else re.sub(rf" {flag} [^-]*", " ", command + " ")
    assert digest(f"{plain} {setting}") != digest(command)


@pytest.mark.parametrize(("name", "file", "old", "new"), INPUTS)
def test_another_input_has_another_signature(digest, folder, name, file, old, new):
    before = digest(COMMANDS[name])
    path = folder / file
    text = path.read_text()
    changed = re.sub(old, new, text)
    assert changed != text
    path.write_text(changed)
    try:
        assert digest(COMMANDS[name]) != before
    finally:
        path.write_text(text)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_same_command_has_the_same_signature(digest, name):
    assert digest(COMMANDS[name]) == digest(COMMANDS[name])


def test_what_a_test_did_not_use_does_not_count(digest):
    """All assignments were made, so the seed drew nothing."""
    command = "lexsub compare lexsub/demo.gold lexsub/careful.oot lexsub/eager.oot"
    assert digest(f"{command} --seed 5") == digest(command)
