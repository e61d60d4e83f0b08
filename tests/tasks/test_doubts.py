"""A run that is a mistake of its user is warned of, with the cause; the same run without the mistake is not."""

import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

import touchstone
from touchstone import Policy, TouchstoneError, TouchstoneWarning, items, lexsub, mt, nli, pyramid
from touchstone.base.notes import is_warning, warnings_of
from touchstone.cli import app
from touchstone.core.registry import find_task

WORDS = ["glad", "merry", "smart", "vivid", "bright", "clever", "quick", "rapid", "huge", "large"]
GOLD = {str(n): {word: 3, WORDS[n - 9]: 1} for n, word in enumerate(WORDS)}
ANSWERS = {name: [*gold, "odd"] for name, gold in GOLD.items()}


def joined_by(separator: str) -> dict[str, list[str]]:
    """Return the answers to each item in one text."""
    return {name: [separator.join(answers)] for name, answers in ANSWERS.items()}


LEXSUB = {
    "bars": (joined_by("|"), '"|" between them; separate answers with ";"'),
    "commas": (joined_by(", "), "commas between them"),
    "commas without blanks": (joined_by(","), "commas between them"),
    "blanks": (joined_by(" "), "after splitting at blanks"),
    "slashes": (joined_by("/"), "slashes between them"),
    "half in bars": ({**ANSWERS, **dict(list(joined_by("|").items())[:5])}, '"|" between them'),
    "numbers": ({n: [f"{word} 3" for word in own] for n, own in ANSWERS.items()}, "without what stands around"),
    "quotes": ({n: [f'"{word}"' for word in own] for n, own in ANSWERS.items()}, "without what stands around"),
    "parts of speech": (
        {n: [f"{word}.a" for word in own] for n, own in ANSWERS.items()},
        "what stands around the word",
    ),
    "plurals": (
        {str(n): [f"{word}s"] for n, word in enumerate(["dog", "cat", "cow", "hen", "fox"])},
        "as base forms: give base forms",
    ),
    "another language": ({n: ["klug", "froh"] for n in GOLD}, "may be in another language"),
    "other items": (
        {n: [WORDS[(int(n) + 5) % 10]] for n in GOLD},
        "are in the gold of other items: the ids may belong to other items",
    ),
    "a shift": ({n: [WORDS[(int(n) + 1) % 10], WORDS[int(n) - 8]] for n in GOLD}, "shifted by one"),
    "the gold": ({n: list(gold) for n, gold in GOLD.items()}, "may be a copy of the gold"),
}
"""Runs that are mistakes, and what the warning says."""


PRINTED = pytest.mark.filterwarnings("ignore::touchstone.TouchstoneWarning")
"""Commands print warnings instead of issuing them."""


def gold_of(name: str) -> dict[str, dict[str, int]]:
    """Return the gold of a case."""
    nouns = {str(n): {word: 2, "pet": 1} for n, word in enumerate(["dog", "cat", "cow", "hen", "fox"])}
    return nouns if name == "plurals" else GOLD


def warned(task, gold, run, policy=Policy(), *, measures=(), **options) -> str:  # noqa: B008 (immutable)
    """Return the one warning of a run in the notes of a scoring, which Python issues and explanations carry too."""
    with pytest.warns(TouchstoneWarning) as issued:
        results = task.score(gold, {"mine": run}, measures, policy=policy, **options)
    [text] = warnings_of(results.notes)
    assert [str(one.message) for one in issued] == [text]
    item = results.items.to_arrow()["id"][0].as_py()
    with pytest.warns(TouchstoneWarning, match="mine"):
        explanation = task.explain(gold, {"mine": run}, item=item, policy=policy, **options)
    assert warnings_of(explanation.notes) == [text] == explanation.to_dict()["warnings"]
    assert text in str(explanation)
    return text


@pytest.mark.parametrize("case", LEXSUB)
def test_substitutes_that_are_a_mistake_are_warned_of_with_the_cause(case):
    run, cause = LEXSUB[case]
    assert cause in warned(lexsub.TASK, gold_of(case), run, Policy("zero"))


@pytest.mark.parametrize("case", [case for case in LEXSUB if case != "the gold"])
def test_validate_takes_substitutes_that_do_not_match_as_an_error(case):
    run, cause = LEXSUB[case]
    problems = lexsub.validate(gold_of(case), {"mine": run}, policy=Policy("zero"))
    [check] = [check for check in problems.checks if check.system == "mine"]
    assert not check.ok
    assert cause in f"{check.faults[-1].what}; {check.hints[-1]}"


@pytest.mark.parametrize("answers", [ANSWERS, {n: ["odd", "set up", WORDS[int(n)], "o'clock"] for n in GOLD}])
def test_substitutes_that_are_no_mistake_are_not_warned_of(answers):
    results = lexsub.score(GOLD, {"mine": answers})
    assert not any(map(is_warning, results.notes))
    assert not any(map(is_warning, lexsub.explain(GOLD, {"mine": answers}, item="1").notes))
    assert lexsub.validate(GOLD, {"mine": answers}).ok


def test_a_weak_system_is_scored_without_a_warning():
    right = {"3": ["vivid"]}
    results = lexsub.score(GOLD, {"mine": {n: right.get(n, ["odd", "wrong", "bad"]) for n in GOLD}}, ["best1"])
    assert results.rows[0].value == 1 / 10
    assert not any(map(is_warning, results.notes))


def written(folder: Path, name: str, text: str) -> Path:
    """Return a new file with *text*."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def files_of(folder: Path, run: dict[str, list[str]]) -> tuple[Path, Path]:
    """Return files of the gold and of a run."""
    gold = "".join(f"w.a {n} :: {';'.join(f'{word} {w}' for word, w in own.items())};\n" for n, own in GOLD.items())
    lines = "".join(f"w.a {n} ::: {';'.join(answers)}\n" for n, answers in run.items())
    return written(folder, "test.gold", gold), written(folder, "mine.oot", lines)


@PRINTED
@pytest.mark.parametrize("command", ["score", "compare", "explain"])
def test_commands_print_the_warning_even_if_quiet_and_have_it_in_json(command, tmp_path):
    gold, run = files_of(tmp_path, LEXSUB["commas"][0])
    other = written(tmp_path, "good.oot", run.read_text().replace(",", ";"))
    arguments = ["lexsub", command, gold, run, other, *(("--item", "3") if command == "explain" else ()), "--quiet"]
    printed = CliRunner().invoke(app, list(map(str, arguments)))
    assert printed.exit_code == 0
    assert printed.stderr.startswith("warning: mine: 10 of 10 answers are several, with commas between them")
    found = json.loads(CliRunner().invoke(app, [*map(str, arguments), "--json"]).stdout)
    assert len(found["warnings"]) == 1


def test_validate_exits_with_2_for_a_wrong_separator_and_with_0_for_a_right_one(tmp_path):
    gold, run = files_of(tmp_path, LEXSUB["bars"][0])
    printed = CliRunner().invoke(app, ["lexsub", "validate", str(gold), str(run)])
    assert printed.exit_code == 2
    assert 'separate answers with ";"' in printed.output
    gold, run = files_of(tmp_path, ANSWERS)
    assert CliRunner().invoke(app, ["lexsub", "validate", str(gold), str(run)]).exit_code == 0


@PRINTED
def test_shards_warn_too(tmp_path):
    gold, run = files_of(tmp_path, LEXSUB["bars"][0])
    printed = CliRunner().invoke(
        app, ["lexsub", "score", str(gold), str(run), "--engine", "in-process", "--out", str(tmp_path / "shards")]
    )
    assert "warning: mine: 10 of 10 answers are several" in printed.stderr


NAMES = ("entailment", "neutral", "contradiction")


def labels(n: int, right: float, seed: int = 1) -> tuple[dict[str, str], dict[str, str]]:
    """Return gold labels and those of a system that gives a share of them."""
    rng = random.Random(seed)
    gold = {str(i): rng.choice(NAMES) for i in range(n)}
    return gold, {i: label if rng.random() < right else rng.choice(NAMES) for i, label in gold.items()}


def exchanged(run: dict[str, str], *order: str) -> dict[str, str]:
    """Return a run whose labels are exchanged."""
    meaning = dict(zip(NAMES, order, strict=True))
    return {name: meaning[label] for name, label in run.items()}


INFERENCE, SYSTEM = labels(60, 0.75)
TOLD = "say what each label of the run means with label="
NLI = {
    "two labels exchanged": (exchanged(SYSTEM, "contradiction", "neutral", "entailment"), TOLD),
    "three labels exchanged": (exchanged(SYSTEM, "neutral", "contradiction", "entailment"), TOLD),
    "probabilities in another order": (
        {i: [0.8 if label == name else 0.1 for name in reversed(NAMES)] for i, label in SYSTEM.items()},
        TOLD,
    ),
    "numbers of another order": ({i: ("2", "1", "0")[NAMES.index(label)] for i, label in SYSTEM.items()}, TOLD),
    "no label": (dict.fromkeys(SYSTEM, "other"), "labels are any that the gold uses; they may have other names"),
    "a shift": (dict(zip(SYSTEM, [*list(SYSTEM.values())[1:], "neutral"], strict=True)), "shifted by one"),
    "labels of another set": (labels(60, 0.0)[1], "may belong to another test set with the same ids"),
    "the gold": (INFERENCE, "may be a copy of the gold"),
}


@pytest.mark.parametrize("case", NLI)
def test_labels_that_are_a_mistake_are_warned_of_with_the_cause(case):
    run, cause = NLI[case]
    with pytest.warns(TouchstoneWarning) as issued:
        notes = nli.score(INFERENCE, {"mine": run}, ["accuracy"]).notes
    assert [cause in str(one.message) for one in issued] == [True] == [cause in text for text in warnings_of(notes)]
    assert nli.validate(INFERENCE, {"mine": run}).ok == (case in ("the gold", "labels of another set"))


@pytest.mark.parametrize(
    "run",
    [
        SYSTEM,
        dict.fromkeys(SYSTEM, "neutral"),
        {i: [0.8 if label == name else 0.1 for name in NAMES] for i, label in SYSTEM.items()},
        {i: ("0", "1", "2")[NAMES.index(label)] for i, label in SYSTEM.items()},
    ],
)
def test_labels_that_are_no_mistake_are_not_warned_of(run):
    results = nli.score(INFERENCE, {"mine": run}, ["accuracy"])
    assert not any(map(is_warning, results.notes))
    assert nli.validate(INFERENCE, {"mine": run}).ok


REFERENCES = [
    "The old harbour was closed in the spring, because the walls were weak.",
    "She found the letter behind a picture of her grandfather.",
    "Nobody knows how many ships were lost that night.",
    "The council will meet again on Thursday, after the vote.",
    "His second book sold far better than the first one.",
    "A narrow road leads from the village to the lake.",
]
SOURCES = [
    "Der alte Hafen wurde im Frühling geschlossen, weil die Mauern schwach waren.",
    "Sie fand den Brief hinter einem Bild ihres Großvaters.",
    "Niemand weiß, wie viele Schiffe in jener Nacht verloren gingen.",
    "Der Rat tritt am Donnerstag nach der Abstimmung wieder zusammen.",
    "Sein zweites Buch verkaufte sich weit besser als das erste.",
    "Eine schmale Straße führt vom Dorf zum See.",
]
TRANSLATIONS = [
    "The old port was closed in spring, because the walls were weak.",
    "She found a letter behind the picture of her grandfather.",
    "Nobody knows how many ships got lost in that night.",
    "The council meets again on Thursday, after the vote.",
    "His second book sold much better than the first.",
    "A small road leads from the village to the lake.",
]
MT = {
    "the source": (SOURCES, "may be in another language"),
    "the reference": (REFERENCES, "may be a copy of the gold"),
    "a shift": (["x", *TRANSLATIONS[:-1]], "shifted by one"),
    "tokens": ([text.replace(",", " ,").replace(".", " .") for text in TRANSLATIONS], "tokenised"),
}


@pytest.mark.parametrize("case", MT)
def test_translations_that_are_a_mistake_are_warned_of_with_the_cause(case):
    run, cause = MT[case]
    assert cause in warned(mt.TASK, REFERENCES, run, measures=["bleu"])
    assert mt.validate(REFERENCES, {"mine": run}).ok == (case in ("the reference", "tokens"))


def test_a_run_that_is_the_source_is_warned_of_where_the_source_is_known(tmp_path):
    source = written(tmp_path, "source.de", "".join(f"{text}\n" for text in SOURCES))
    assert "equals the source on 6 of 6" in warned(mt.TASK, REFERENCES, SOURCES, measures=["bleu"], source=source)
    results = mt.score(REFERENCES, {"mine": TRANSLATIONS}, ["bleu"], source=source)
    assert not any(map(is_warning, results.notes))


def test_translations_that_are_no_mistake_are_not_warned_of():
    tokenised = [[text.replace(",", " ,").replace(".", " .") for text in texts] for texts in (REFERENCES, TRANSLATIONS)]
    for references, run in ((REFERENCES, TRANSLATIONS), tokenised):
        assert not any(map(is_warning, mt.score(references, {"mine": run}, ["bleu"]).notes))
        assert mt.validate(references, {"mine": run}).ok


SHARES = {"q1": 0.8, "q2": 0.25, "q3": 1.0, "q4": 0.5, "q5": 0.9, "q6": 0.4}
ITEMS = {
    "a system in percent": (
        {"old": SHARES, "new": {name: 100 * value - 3 for name, value in SHARES.items()}},
        "give all systems the same scale",
    ),
    "some items in percent": (
        {"old": SHARES, "new": {n: 100 * v if n in ("q1", "q3") else v for n, v in SHARES.items()}},
        "percentages and fractions may be mixed",
    ),
    "one value": ({"old": dict.fromkeys(SHARES, 0.5), "new": dict.fromkeys(SHARES, 0.5)}, "filled with a default"),
}


@pytest.mark.parametrize("case", ITEMS)
def test_scores_that_are_a_mistake_are_warned_of_with_the_cause(case):
    scores, cause = ITEMS[case]
    with pytest.warns(TouchstoneWarning, match=cause):
        results = items.score(scores)
    assert [cause in text for text in warnings_of(results.notes)] == [True]
    assert items.validate(scores).ok == (case == "one value")


@pytest.mark.parametrize(
    "scores",
    [
        {"old": SHARES, "new": {name: value / 2 for name, value in SHARES.items()}},
        {"old": SHARES, "new": dict.fromkeys(SHARES, 1.0)},
        {"old": dict.fromkeys(SHARES, 1.0), "new": dict.fromkeys(SHARES, 1.0)},
        {name: {n: factor * v for n, v in SHARES.items()} for name, factor in {"old": 100, "new": 90}.items()},
        {"old": {n: place for place, n in enumerate(SHARES)}, "new": {n: place // 2 for place, n in enumerate(SHARES)}},
    ],
)
def test_scores_that_are_no_mistake_are_not_warned_of(scores):
    assert not any(map(is_warning, items.score(scores).notes))
    assert items.validate(scores).ok


def test_ids_of_another_test_set_are_refused_even_where_unknown_ones_are_ignored():
    run = {f"dev-{name}": answers for name, answers in ANSWERS.items()}
    with pytest.raises(TouchstoneError, match="none of its ids is in the gold"):
        lexsub.score(GOLD, {"mine": run}, policy=Policy("zero", "ignore"))


@pytest.mark.filterwarnings("ignore:.*may have been cut off:touchstone.TouchstoneWarning")
def test_a_run_with_answers_to_next_to_no_item_is_warned_of():
    gold = {str(n): {"glad": 2, "merry": 1} for n in range(200)}
    run = {str(n): ["glad", "odd"] for n in range(3)}
    with pytest.warns(TouchstoneWarning, match="3 of 200 items have an answer; the run may belong to another test set"):
        lexsub.score(gold, {"mine": run})
    lexsub.score(gold, {"mine": {str(n): ["glad", "odd"] for n in range(30)}})


EXAMPLE = Path(touchstone.__file__).parent / "examples" / "pyramid"


def test_a_peer_without_content_units_is_warned_of(tmp_path):
    rows = [
        f"S{s},u{unit},{peer},{int(peer == 'a' and unit % 2)}" for s in "123" for unit in range(12) for peer in "ab"
    ]
    table = written(tmp_path, "presence.csv", "\n".join(["set,unit,peer,present", *rows]) + "\n")
    with pytest.warns(TouchstoneWarning, match="b: expresses none of 36 content units"):
        results = pyramid.score([table], models=2)
    assert len(warnings_of(results.notes)) == 1
    assert not pyramid.validate([table], models=2).of("b").ok
    assert pyramid.validate([table], models=2).of("a").ok


def test_an_annotation_with_the_pyramid_of_another_set_is_warned_of(tmp_path):
    text = (EXAMPLE / "T01.pyr").read_text("utf-8")
    other = written(tmp_path, "T01.pyr", text.replace('label="', 'label="other '))
    peer = EXAMPLE / "eve.T01.M.60.A.magpie.pan"
    with pytest.warns(TouchstoneWarning, match="annotated with the pyramid of another document set"):
        pyramid.score([other, peer])
    results = pyramid.score([EXAMPLE / "T01.pyr", peer])
    assert not any(map(is_warning, results.notes))


@pytest.mark.parametrize("task", ["lexsub", "mt", "nli", "items", "pyramid"])
def test_every_task_has_its_doubts(task):
    assert find_task(task).doubts is not type(find_task(task)).doubts


@pytest.mark.parametrize("name", ["WordTune_raw_test", "WordTune_lemmatized_test"])
def test_real_substitutes_are_not_warned_of(data, name):
    folder = data("ls07")
    runs = {kind: folder / "runs" / f"{name}.{kind}" for kind in ("best", "oot")}
    assert not any(map(is_warning, lexsub.score(folder / "test.gold", runs, ["best"]).notes))


@pytest.mark.parametrize("pair", ["cs", "de", "fr", "hi", "ru"])
def test_real_translations_are_in_the_language_and_the_order_of_the_reference(data, pair):
    """Outputs of two systems of WMT 2014 are tokenised; all others give no cause for doubt."""
    folder = data("wmt14")
    inputs = mt.read(folder / f"{pair}.ref.en", sorted((folder / f"{pair}-en").iterdir()))
    joined = [(run, mt.join(inputs.gold, run, Policy("zero"))) for run in inputs.runs]
    doubts = mt.TASK.doubts(inputs, joined)
    assert [doubt.system for doubt in doubts if "tokenised" in doubt.what] == (["sys4", "sys5"] if pair == "hi" else [])
    assert len(doubts) == (2 if pair == "hi" else 0)


def test_real_peers_are_of_their_pyramids(data):
    folder = data("duc2006")
    pans = sorted((folder / "pan").glob("100.*"))
    problems = pyramid.validate([*pans, *sorted((folder / "pyr").glob("D0601*"))])
    assert problems.ok
