"""The level of an interval is named wherever the interval is shown: no heading, caption or sentence assumes 95 %."""

import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.recorded.record import commands

import touchstone
from touchstone import items, mt, nli, pyramid
from touchstone.cli import app, main
from touchstone.core import resampling
from touchstone.core.group_comparison import compare_groups
from touchstone.core.resampling import Resampling
from touchstone.pyramid import Decision, Presence, ScoreTable, power_of
from touchstone.show.page import render
from touchstone.systems.inference.experiments import experiment
from touchstone.systems.inference.runs import ModelRun
from touchstone.tasks.mt.judges.metaeval.levels import Settings
from touchstone.tasks.nli.report import breakdown_page
from touchstone.tasks.nli.set_report import verified_statement
from touchstone.tasks.pyramid.tokens import pyramid_agreement, pyramids_table

EXAMPLES = Path(touchstone.__file__).parent / "examples"
NINETY = Resampling(level=0.9)
ASSUMED = re.compile(r"(?<![\d.])95\s*\\?%|\b0?\.95 (?:interval|confidence)|level\W{1,5}0?\.95")


def ratings():
    """Return human scores of some items and a judge's of all, for three systems."""
    random = np.random.default_rng(0)
    judge = [
        {"system": system, "item": item, "score": round(float(random.normal(place)), 3)}
        for place, system in enumerate(("gull", "tern", "wren"))
        for item in range(80)
    ]
    human = [{**row, "score": round(row["score"] + float(random.normal(scale=0.3)), 3)} for row in judge]
    return [row for row in human if row["item"] % 4 == 0], judge


def looks(*tables):
    forms = ("to_text", "to_markdown", "to_latex", "to_html")
    return [getattr(table, form)() for table in tables for form in forms]


def of_comparison(folder):
    results = items.score(EXAMPLES / "items" / "scores.csv", resampling=NINETY)
    comparison = touchstone.compare(results)
    touchstone.write_report(comparison, folder / "compare.html")
    touchstone.write_report(results, folder / "score.html")
    touchstone.write_paper(comparison, folder / "paper")
    names = [row.system for row in comparison.standings]
    outcomes = [touchstone.gate(comparison, name, margin=margin).sentences for name in names for margin in (None, 0.1)]
    files = [*folder.glob("*.html"), *(folder / "paper").iterdir()]
    written = [path.read_text("utf-8") for path in files if path.suffix != ".bib"]
    tables = looks(results.table(), comparison.table(), comparison.pairs_table())
    return [*tables, comparison.to_json(), str(outcomes), *written]


def of_groups(_folder):
    rows = [{**row, "kind": "ab"[row["item"] % 2]} for row in ratings()[1]]
    results = items.score(rows, by="kind", resampling=NINETY)
    found = compare_groups(results)
    return [*looks(results.table(), found.table()), repr(found)]


def of_judge(folder):
    [paired] = touchstone.paired_tables(*ratings(), resampling=NINETY)
    estimates, judging = touchstone.estimate(paired), touchstone.assess(paired)
    plans = [touchstone.plan_width(paired, 1.0), touchstone.plan_difference(paired, 0.5)]
    shown = []
    for name, one in (("estimate", estimates), ("judge", judging)):
        touchstone.write_report(one, folder / f"{name}.html")
        shown.append((folder / f"{name}.html").read_text("utf-8"))
    every = [estimates.table(), estimates.pairs_table(), estimates.sample_table(), *judging.statement().all_tables]
    every += [plan.table() for plan in plans]
    plain = [estimates.to_json(), judging.to_json(), *(str(plan.to_dict()) for plan in plans)]
    texts = [*judging.sentences, *estimates.sentences, *estimates.reading, *estimates.notes]
    return [*shown, *looks(*every), *plain, *texts]


def of_labels(_folder):
    found = touchstone.agreement(EXAMPLES / "items" / "labels.csv", resampling=NINETY)
    return [*looks(found.table(), found.annotators_table()), found.to_json()]


def of_readers(_folder):
    folder = EXAMPLES / "nli"
    verified = nli.verify(nli.read_gold(folder / "pairs.jsonl"), nli.read_answers(folder / "answers.jsonl"))
    readers = nli.agreement(verified.answered, by="category", resampling=NINETY)
    page = render(verified_statement(verified, readers).page())
    return [*looks(*readers.tables()), readers.to_json(), page]


def of_challenge(_folder):
    names = ("contradiction", "entailment", "neutral")
    rows = [
        {"id": f"{n}", "premise": f"p {n // 2} dog", "hypothesis": "a cat", "gold": names[n % 3], "category": "c"}
        for n in range(30)
    ]
    golds = {name: nli.read_gold(rows) for name in ("usual", "challenge")}

    def run(name, wrong):
        return nli.read_run([{"id": f"{n}", "label": names[(n + (n < wrong)) % 3]} for n in range(30)], name=name)

    models = ("decomposable_attention", "esim")
    runs = {
        one: [(run(f"{one}-{n}", n), run(f"{one}-{n}", 9 + n * n * k)) for n in (1, 2)]
        for k, one in enumerate(models, 1)
    }
    dropped = nli.drop(*golds.values(), runs, resampling=NINETY)
    given = [
        ModelRun(one, size, test, run(f"{one}-{size}-{n}", 20 - size + n))
        for one in models
        for size in (5, 10)
        for test in golds
        for n in (1, 2)
    ]
    curve = experiment("Learning curves", "training pairs", golds, given, resampling=NINETY)
    pages = [render(dropped.page()), render(curve.page())]
    return [*looks(*dropped.tables(), curve.table(), curve.changes_table()), *pages]


def of_translations(_folder):
    judged = mt.read_judgements(EXAMPLES / "mt" / "rankings.csv")
    found = mt.agreement(judged, resampling=Resampling(level=0.9, cluster="segment"))
    results = mt.score(EXAMPLES / "mt" / "refA.en", EXAMPLES / "mt" / "de-en", ["maxsim(n)", "sr_overlap"])
    compared = mt.meta(judged, results, Settings(resampling=NINETY))
    shown = [render(compared.page()), *looks(*compared.statement().tables)]
    return [*looks(*found.tables()), found.to_json(), *shown]


def of_readings(_folder):
    folder = EXAMPLES / "pyramid"
    eve = pyramid.read_reading(folder)
    agreed = pyramid.agree(eve, eve, resampling=NINETY)
    votes = [(1, 1, 1), (0, 0, 1), (1, 1, 1), (0, 0, 0)]
    decisions = [Decision("S1", f"{n}", "u", "u", sum(given) > 1, given) for n, given in enumerate(votes)]
    voted = pyramid.vote_agreement(Presence(decisions), resampling=NINETY)
    pages = [render(one.page()) for one in (agreed, voted)]
    return [*looks(*agreed.statement().all_tables, *voted.statement().all_tables), *pages, agreed.to_json()]


def of_two_pyramids(_folder):
    pyramid_of = next(iter(pyramid.read_reading(EXAMPLES / "pyramid").pyramids.values()))
    return looks(pyramids_table([pyramid_agreement(pyramid_of, pyramid_of, NINETY)]))


def of_power(_folder):
    random = np.random.default_rng(1)
    sets, peers = np.repeat(np.arange(12), 2), np.tile(["1", "2"], 12)
    scores = random.normal(size=24) + (peers == "2") * 0.9
    table = ScoreTable.of({"set": list(map(str, sets)), "peer": list(peers), "score": list(scores)})
    power = power_of(table, ("1", "2"), draws=200, subsets=20, alpha=0.1)
    # The spread over subsets is of 95 % of them at any alpha: its heading says so, and it is no interval of a value.
    return [render(power.page()).replace("in 95% of them", ""), *looks(power.curve_table())]


def of_breakdown(_folder):
    folder = EXAMPLES / "nli"
    inputs = nli.TASK.read(folder / "gold.jsonl", [folder / "careful.jsonl", folder / "overlap.jsonl"])
    results = nli.TASK.score(inputs, resampling=NINETY)
    return [render(breakdown_page(results, [])), *looks(results.table())]


ANALYSES = {name.removeprefix("of_"): function for name, function in list(globals().items()) if name.startswith("of_")}


@pytest.mark.filterwarnings("ignore:seconds. higher is better:touchstone.TouchstoneWarning")
@pytest.mark.parametrize("name", ANALYSES)
def test_no_table_caption_or_sentence_assumes_a_level(name, tmp_path):
    shown = ANALYSES[name](tmp_path)
    assert shown
    for text in shown:
        at = ASSUMED.search(text)
        assert not at, text[max(0, at.start() - 150) : at.end() + 50]
    assert any("90%" in text or "90\\%" in text for text in shown), "the level is named"


def commands_with_confidence(command, path=()):
    for name in command.list_commands(None) if hasattr(command, "list_commands") else ():
        yield from commands_with_confidence(command.get_command(None, name), (*path, name))
    if any("--confidence" in parameter.opts for parameter in command.params):
        yield path


SIDES = {
    "items": "human.csv judge.csv",
    "lexsub": "demo.gold careful.oot eager.oot --judge demo.gold",
    "mt": "refA.en de-en --judge refA.en --measure maxsim(n)",
    "nli": "human.jsonl careful.jsonl overlap.jsonl --judge judge.jsonl",
    "pyramid": "peers.csv --judge units.csv",
}


@pytest.fixture
def sides_of(tmp_path):
    """Give the arguments of both sides of a task: its examples, or decisions on the units of eight summaries."""
    for name in ("peers", "units"):
        rows = [
            f"S{item},{system},u{unit},{weight},3,{(item * 7 + unit * 3 + place * (item + unit)) % 5 > 1:d}"
            for item in range(8)
            for place, system in enumerate(("heron", "magpie"))
            for unit, weight in enumerate((3, 2, 1))
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(["set,system,unit,weight,models,present", *rows]))

    def arguments(task):
        folder = tmp_path if task == "pyramid" else EXAMPLES / task
        given = SIDES[task].split()
        return [folder / one if (folder / one).exists() else one for one in given]

    return arguments


@pytest.fixture
def call(monkeypatch, capsys):
    """Run the command line; give exit code, standard output and standard error."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["touchstone", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        return left.value.code or 0, *capsys.readouterr()

    return run


TRAINED = {("lexsub", "bench"), *(("nli", name) for name in ("drop", "curve", "repair"))}
"""Commands that need benchmarks or trained models: `of_challenge` has the tables of the latter."""

WITH_THE_OPTION = sorted(set(commands_with_confidence(app)) - TRAINED)


def recorded_call(path):
    """Return the folder and the words of the first recorded command with a path."""
    for name, words in commands():
        if tuple(words.split()[:2]) == path and not name.startswith("data/"):
            return EXAMPLES / name, shlex.split(words)[2:]
    return None


@pytest.fixture
def arguments_of(sides_of, monkeypatch):
    """Give the arguments of a command, in whose folder it then runs: a recorded call, or both sides of a task."""

    def arguments(path):
        recorded = None if path[1] in ("estimate", "judge", "plan") else recorded_call(path)
        if recorded is not None:
            monkeypatch.chdir(recorded[0])
            return recorded[1]
        return [*sides_of(path[0]), *(("--width", "0.5") if path[1] == "plan" else ())]

    return arguments


def test_every_command_with_intervals_has_the_option():
    assert {("items", "score"), ("mt", "meta"), ("nli", "agreement"), ("pyramid", "agreement")} <= set(WITH_THE_OPTION)
    assert len(WITH_THE_OPTION) >= 35


@pytest.mark.parametrize("path", WITH_THE_OPTION, ids=" ".join)
def test_every_command_with_the_option_names_its_level(path, arguments_of, call):
    code, out, err = call(*path, *arguments_of(path), "--confidence", ".9", "--quiet")
    assert code == 0, err
    assert not ASSUMED.search(out + err)
    assert re.search(r"90\\?%", out)


@pytest.mark.parametrize("form", ["--format=markdown", "--format=latex", "--json", "--report=page.html"])
@pytest.mark.parametrize("task", SIDES)
def test_every_form_of_an_estimate_names_its_level(task, form, sides_of, call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = call(task, "estimate", *sides_of(task), "--confidence", ".9", form)
    assert code == 0, err
    shown = (tmp_path / "page.html").read_text("utf-8") if "report" in form else out
    assert not ASSUMED.search(shown + err)
    assert re.search(r"90\\?%", shown)


def test_a_level_near_1_is_not_rounded_to_certainty():
    assert [resampling.interval_heading(level) for level in (0.9, 0.95, 0.975, 0.995, 0.999)] == [
        *("90% interval", "95% interval", "97.5% interval", "99.5% interval", "99.9% interval")
    ]
    assert str(Resampling(level=0.999)) != str(Resampling(level=0.998))
