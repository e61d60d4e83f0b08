"""One grammar: every command of every group takes the same options under the same names, and shows all of its help."""

import re

import click
import pytest

from touchstone.cli import app
from touchstone.core.registry import find_task, task_names

ROOT = app

WITHOUT_TABLES = {
    ("demo",),
    ("make",),
    ("text", "parse"),
    *(("lexicon", name) for name in ("show", "path")),
    *(("lexsub", name) for name in ("run", "suggest", "train")),
    ("mt", "tune"),
    *(("nli", name) for name in ("train", "predict", "label")),
    *(("pyramid", name) for name in ("propose", "train")),
}
"""Commands whose outcome is a file, an analysis, or an entry, not a table."""


def commands(group=ROOT, path=()):
    """All commands with the words that call them."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if hasattr(command, "list_commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


COMMANDS = dict(commands())
EVERY = pytest.mark.parametrize("words", COMMANDS, ids=" ".join)


def flags(words):
    """The options of a command by their longest flag."""
    options = [one for one in COMMANDS[words].params if one.param_type_name == "option"]
    return {max(option.opts, key=len): option for option in options}


def help_of(words):
    command = COMMANDS[words]
    return command.get_help(click.Context(command, info_name=words[-1], help_option_names=["-h", "--help"]))


@pytest.mark.parametrize("task", task_names())
def test_every_task_has_the_same_verbs(task):
    verbs = ["score", "compare", "explain", "validate", "convert", "estimate"]
    own = [words[1] for words in COMMANDS if words[0] == task]
    assert own[: len(verbs)] == verbs


@pytest.mark.parametrize("task", task_names())
def test_the_verbs_of_a_task_take_the_same_arguments_gold_first(task):
    expected = ["gold"] if find_task(task).runs_in_gold else ["gold", "runs"]
    for verb in ("score", "compare", "explain", "validate"):
        arguments = [one.name for one in COMMANDS[task, verb].params if one.param_type_name == "argument"]
        assert arguments == expected


@pytest.mark.parametrize("task", task_names())
def test_estimate_takes_the_judge_after_the_gold_or_as_an_option(task):
    arguments = [one.name for one in COMMANDS[task, "estimate"].params if one.param_type_name == "argument"]
    assert arguments == {"items": ["gold", "judge"], "pyramid": ["gold"]}.get(task, ["gold", "runs"])
    assert ("--judge" in flags((task, "estimate"))) == (task != "items")


@pytest.mark.parametrize("verb", ["score", "compare", "explain", "validate"])
def test_a_verb_has_the_same_options_in_the_same_order_in_every_task(verb):
    """What a task adds comes in one place, the options of every task around it in one order."""
    own = {task: set(find_task(task).options.__dataclass_fields__) for task in task_names()}
    common = {
        task: [option.name for option in flags((task, verb)).values() if option.name not in own[task]]
        for task in task_names()
    }
    assert len({tuple(names) for names in common.values()}) == 1


@EVERY
def test_every_command_shows_an_example_and_its_whole_help(words):
    text = " ".join(help_of(words).split())
    assert f"Example: touchstone {' '.join(words)}" in text
    assert "..." not in re.sub(r"[A-Z\]]\.\.\.", "", text)  # RUN... may be given several times


@pytest.mark.parametrize("group", [(), *sorted({words[:1] for words in COMMANDS if len(words) > 1})], ids=str)
def test_the_list_of_commands_is_not_cut(group):
    command = ROOT
    for name in group:
        command = command.get_command(click.Context(command), name)
    text = command.get_help(click.Context(command, terminal_width=80))
    listed = text.partition("Commands:")[2]
    assert listed
    assert "..." not in listed


@EVERY
def test_h_is_help_everywhere(words):
    from click.testing import CliRunner

    result = CliRunner().invoke(app, [*words, "-h"])
    assert result.exit_code == 0
    assert "Usage:" in result.output


@EVERY
def test_a_command_that_prints_tables_prints_them_as_json_markdown_latex_and_to_a_file(words):
    given = flags(words)
    if words in WITHOUT_TABLES or words[0] == "annotate" or words[-1] in ("validate", "convert"):
        assert "--format" not in given or given["--format"].help == "Format of the tables."
        return
    assert {"--json", "--format", "--out", "--quiet"} <= set(given)
    assert given["--format"].help == "Format of the tables."


TWO_MEANINGS = {"--model"}
"""``--model`` is in pyramid the file of a model, in nli the name of one, as the papers call it."""


def test_an_option_has_one_meaning():
    """The same flag takes the same kind of value, once or repeatedly, wherever it is."""
    kinds: dict[str, dict[tuple[str, bool, bool], list[str]]] = {}
    for words in COMMANDS:
        if words[0] == "annotate":
            continue
        for flag, option in flags(words).items():
            kind = (option.type.name, option.multiple, option.is_flag)
            kinds.setdefault(flag, {}).setdefault(kind, []).append(" ".join(words))
    assert {flag for flag, found in kinds.items() if len(found) > 1} == TWO_MEANINGS


def test_a_meaning_has_one_option():
    """The same help text is not given to two flags."""
    flags_of: dict[str, set[str]] = {}
    for words in COMMANDS:
        for flag, option in flags(words).items():
            if words[0] != "annotate":
                flags_of.setdefault(option.help or "", set()).add(flag)
    assert {text: found for text, found in flags_of.items() if len(found) > 1} == {}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_complete_commands(shell):
    from click.testing import CliRunner

    result = CliRunner().invoke(app, ["--completion", shell])
    assert result.exit_code == 0
    assert "_TOUCHSTONE_COMPLETE" in result.output


def test_completion_knows_the_commands_of_a_task(monkeypatch):
    from click.shell_completion import ShellComplete

    completions = ShellComplete(app, {}, "touchstone", "_TOUCHSTONE_COMPLETE").get_completions(["mt"], "me")
    assert [completion.value for completion in completions] == ["meta"]
