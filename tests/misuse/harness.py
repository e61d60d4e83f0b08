"""Plausible mistakes of users: each must give the right number, a refusal, or a warning that names the cause.

A `Mistake` has two calls of the same kind: what someone did wrong, and its twin, the same done right. Both run as a
command and from Python. The mistake passes if the number is right all the same, or if a refusal or a note names the
cause. The twin must give the right number without any warning, so a check that always warns fails.
"""

import contextlib
import io
import json
import re
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest

import touchstone
from touchstone.cli import main

Files = Mapping[str, str | bytes]


POLICIES = {
    "first": touchstone.Policy(duplicates="first"),
    "skip": touchstone.Policy(missing="skip"),
    "ignore": touchstone.Policy(unknown="ignore"),
}


@dataclass(frozen=True)
class Call:
    """A command and the files that it reads.

    *words* are the command line without ``touchstone``; a word that names a file of *files* becomes its path, also in
    ``name=file`` and ``file:column``. *python* has the keyword arguments of the same call in Python, where they differ
    from none. *right* are the values that the call should give, by system and measure; None where no number is right.
    """

    words: str
    files: Files
    right: Mapping[tuple[str, str], float] | None = None
    python: Mapping[str, object] | None = field(default_factory=dict)

    def command_only(self) -> "Call":
        """Return the call without its counterpart in Python: an option of the command that Python has elsewhere."""
        return replace(self, python=None)


@dataclass(frozen=True)
class Mistake:
    """What someone did wrong, the same done right, and the *cause* that a message must name (a regular expression)."""

    name: str
    wrong: Call
    twin: Call
    cause: str
    chosen: bool = False
    """Whether the number is what an option of the call asks for, or right although the data are odd: a note may do."""


@dataclass(frozen=True)
class Outcome:
    """What a call gave: values by system and measure, None if it was refused, and all that it said beside them."""

    values: Mapping[tuple[str, str], float] | None
    messages: str


def write_files(files: Files, folder: Path) -> None:
    """Write the files of a call; text is UTF-8."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def by_command(call: Call, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Outcome:
    """Run a call as a command, in its folder, and return what it printed."""
    write_files(call.files, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["touchstone", *call.words.split(), "--json"])
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(SystemExit) as left:
            main()
    if left.value.code:
        assert left.value.code in (1, 2), err.getvalue()
        assert "Traceback" not in err.getvalue()
        return Outcome(None, err.getvalue() + out.getvalue())
    return Outcome(values_of(json.loads(out.getvalue())), err.getvalue())


def values_of(printed: Mapping[str, object]) -> dict[tuple[str, str], float]:
    """Return the values of the whole set in what ``--json`` prints, by system (none in agreement) and measure."""
    parts = printed.get("comparisons") or [printed]
    values = {}
    of_rows = [row for row in printed.get("rows", []) if row["kind"] in ("value", "coefficient")]
    for row in (row for part in parts for row in part.get("results", of_rows)):
        if row.get("group") is None and row["value"] is not None:
            values[row.get("system", ""), row["measure"]] = row["value"]
    metrics = [row for row in printed.get("rows", []) if row["kind"] == "agreement" and "statistic" in row]
    for row in metrics:
        if row["group"] is None and row["value"] is not None:
            values[row["measure"], f"{row['criterion']}: {row['statistic']}"] = row["value"]
    estimated = [row for row in printed.get("rows", []) if row["kind"] == "estimate"]
    for row in (row for part in parts for row in part.get("systems", estimated)):
        values[row["system"], "human"] = row["human"]["value"]
    return values


def loaded(path: Path) -> object:
    """Give a file as someone who works in Python has it: a data frame, rows or lines; else its path."""
    match path.suffix:
        case ".csv":
            return pd.read_csv(path)
        case ".tsv":
            return pd.read_csv(path, sep="\t")
        case ".jsonl":
            return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        case ".txt":
            return path.read_text("utf-8").splitlines()
        case _:
            return path


def from_python(call: Call, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Outcome | None:
    """Make the same call in Python; None where it cannot be made there, or its files cannot be loaded."""
    if call.python is None:
        return None
    write_files(call.files, folder)
    monkeypatch.chdir(folder)
    task, verb, *words = call.words.split()
    measures = [word for before, word in pairwise(words) if before == "-m"]
    positional = _positional(words)
    try:
        objects = {word: _object(word) for word in positional}
    except Exception:  # pandas' own refusal: nothing reaches Touchstone
        return None
    options = dict(call.python)
    if "policy" in options:
        options["policy"] = POLICIES[options["policy"]]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            values, notes = _in_python(task, verb, objects, measures, options)
        except touchstone.TouchstoneError as error:
            return Outcome(None, str(error))
    return Outcome(values, "\n".join([*notes, *(f"warning: {one.message}" for one in caught)]))


def _in_python(
    task: str, verb: str, objects: Mapping[str, object], measures: Sequence[str], options: Mapping[str, object]
) -> tuple[Mapping[tuple[str, str], float], list[str]]:
    """Call the function of a verb; return the values and the notes."""
    names = [word.rpartition("=")[0] or Path(word.rpartition("=")[2]).stem for word in objects]
    inputs = list(objects.values())
    match verb:
        case "agreement" if task == "nli":
            agreed = touchstone.nli.agreement(touchstone.nli.read_gold(*inputs), **options)
            return values_of(agreed.to_dict()), list(agreed.notes)
        case "verify":
            pairs, answers = inputs
            verified = touchstone.nli.verify(touchstone.nli.read_gold(pairs), touchstone.nli.read_answers(answers))
            return values_of(verified.to_dict()), list(verified.notes)
        case "agreement":
            agreed = touchstone.agreement(*inputs, **options)
            return values_of(agreed.to_dict()), list(agreed.notes)
        case "estimate":
            [paired] = touchstone.paired_tables(*inputs, measures, **options)
            estimates = touchstone.estimate(paired)
            return values_of(estimates.to_dict()), list(estimates.notes)
    module = getattr(touchstone, task)
    if task in ("items", "pyramid"):
        gold = inputs[0] if len(inputs) == 1 else dict(zip(names, inputs, strict=True))
        results = module.score(gold, measures=measures, **options)
    else:
        results = module.score(inputs[0], dict(zip(names[1:], inputs[1:], strict=True)), measures, **options)
    compared = touchstone.compare(results).notes if verb == "compare" else ()
    return values_of(results.to_dict()), [*results.notes, *compared]


def _positional(words: Sequence[str]) -> list[str]:
    """Return the words that are neither options nor their values: every option of these calls takes a value."""
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("-"):
            skip = True
        else:
            kept.append(word)
    return kept


def _object(word: str) -> object:
    """Return what a word on the command line names, loaded; a column of a file stays a text."""
    name = word.rpartition("=")[2]
    return loaded(Path(name)) if Path(name).exists() else name


def is_right(outcome: Outcome, call: Call) -> bool:
    """Whether the values are those that the call should give."""
    if outcome.values is None or call.right is None:
        return False
    return all(outcome.values.get(key) == pytest.approx(value, abs=1e-9) for key, value in call.right.items())


def assert_trustworthy(outcome: Outcome, mistake: Mistake) -> None:
    """Accept the right number, or a refusal or a warning that names the cause; a note where the user chose a policy."""
    if not is_right(outcome, mistake.wrong):
        assert outcome.values is None or mistake.chosen or "warning: " in outcome.messages, outcome.messages
        verdict = "refused" if outcome.values is None else f"gave {dict(outcome.values)}"
        assert re.search(mistake.cause, outcome.messages, re.IGNORECASE), f"{verdict}; it said: {outcome.messages!r}"


def assert_right_without_warning(outcome: Outcome, call: Call) -> None:
    """Accept the right number without a warning; a note may say what was chosen."""
    assert is_right(outcome, call), f"gave {outcome.values}, not {call.right}; it said: {outcome.messages!r}"
    assert "warning" not in outcome.messages, outcome.messages


def check(mistake: Mistake, route: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make both calls of a mistake, by command or from Python."""
    run = by_command if route == "command" else from_python
    for side, call in (("wrong", mistake.wrong), ("twin", mistake.twin)):
        outcome = run(call, folder / side, monkeypatch)
        if outcome is None:
            continue  # the call does not exist in Python; the command's test has it
        if side == "wrong":
            assert_trustworthy(outcome, mistake)
        else:
            assert_right_without_warning(outcome, call)


def by_name(mistakes: Sequence[Mistake]) -> object:
    """Run a test once for each mistake and each way to make it."""
    cases = [pytest.param(one, route, id=f"{one.name}-{route}") for one in mistakes for route in ("command", "python")]
    names = [one.name for one in mistakes]
    assert len(set(names)) == len(names), "two mistakes have the same name"
    return pytest.mark.parametrize(("mistake", "route"), cases)
