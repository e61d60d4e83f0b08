"""Messages name a setting as whoever reads them writes it: a keyword in Python, never a flag."""

import warnings

import pytest
from tests.misuse.test_nli import GOLD, PREDICTED

import touchstone
from touchstone import items, lexsub, mt, nli, pyramid
from touchstone.cli.demo import EXAMPLES

MT, NLI = EXAMPLES / "mt", EXAMPLES / "nli"
GLAD = {str(n): {"glad": 3, "merry": 1} for n in range(1, 41)}
TURNED = dict(zip(("entailment", "neutral", "contradiction"), ("neutral", "contradiction", "entailment"), strict=True))
PRESENCE = [
    {"set": "S1", "peer": peer, "unit": f"u{n}", "weight": 1 + n % 3, "present": (n + k) % 2}
    for k, peer in enumerate("ab")
    for n in range(6)
]


def labels_exchanged():
    run = [{"id": pair["id"], "label": TURNED[label]} for pair, label in zip(GOLD, PREDICTED, strict=True)]
    return nli.score(GOLD, {"a": run}, ["accuracy"])


def kept_pairs(tmp_path):
    rows = [{"id": str(n), "premise": f"p {n}", "hypothesis": f"h {n}", "kept_of": 9} for n in range(6)]
    labels = [["neutral", "neutral", "entailment"], ["entailment"] * 3]
    return nli.agreement(nli.read_gold([{**row, "annotator_labels": labels[n % 2]} for n, row in enumerate(rows)]))


def judged_without_output(tmp_path):
    (tmp_path / "rankings.csv").write_text((MT / "rankings.csv").read_text().replace("heron", "pelican"))
    judged = mt.read_judgements(tmp_path / "rankings.csv")
    return mt.meta(judged, mt.score(MT / "refA.en", MT / "de-en", ["chrf"]))


def latin_lines(tmp_path):
    (tmp_path / "latin.en").write_bytes("Das caf\u00e9 ist zu.\n".encode("latin-1") * 12)
    return mt.score(MT / "refA.en", {"a": tmp_path / "latin.en"}, ["chrf"])


def scores_of_both():
    rows = [{"item": n, "a": n % 3 / 2, "b": n % 5 / 4} for n in range(40)]
    [paired] = touchstone.paired_tables(rows[:20], rows)
    return paired


CALLS = {
    "difference": (lambda _: touchstone.plan_difference(scores_of_both()), 'give difference="D"'),
    "strategy": (
        lambda _: touchstone.ask_next(scores_of_both(), 2, strata="item"),
        'use strata=\u2026 with strategy="stratified"',
    ),
    "label": (lambda _: labels_exchanged(), 'label={"VALUE": "LABEL"}'),
    "discards": (kept_pairs, "discards=\u2026"),
    "compat": (lambda _: lexsub.score(GLAD, {"a": {n: ["glad", "glad"] for n in GLAD}}), 'compat="both"'),
    "lower_is_better": (
        lambda _: items.score([{"item": n, "system": "a", "error_rate": n / 90} for n in range(40)]),
        'lower_is_better=["error_rate"]',
    ),
    "models": (lambda _: pyramid.score(PRESENCE, measures=["pyramid.modified"]), 'models="N"'),
    "lang": (lambda _: mt.score(["\u732b\u304c\u5ea7\u3063\u305f"], {"a": ["\u732b"]}, ["bleu"]), 'lang="ja"'),
    "ref": (lambda _: mt.score(MT / "refA.en", {"a": MT / "starling"}, ["chrf"], ref=[MT / "refA.en"]), "ref=["),
    "encoding": (latin_lines, "encoding="),
    "item": (lambda _: nli.explain(NLI / "gold.jsonl", {"a": NLI / "careful.jsonl"}), 'item="ID"'),
    "without": (judged_without_output, 'settings=Settings(without=("pelican",))'),
    "reference_system": (
        lambda _: mt.score(MT / "refA.en", {"a": MT / "starling"}, ["chrf"], reference_system="herron"),
        'reference_system=\u2026 names no system of a table: "herron"',
    ),
}


@pytest.mark.parametrize("setting", CALLS)
def test_messages_in_python_name_the_keyword_of_a_setting(setting, tmp_path):
    call, written = CALLS[setting]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            said = "\n".join(call(tmp_path).notes)
        except touchstone.TouchstoneError as error:
            said = str(error)
    assert written in said
    assert "--" not in said
