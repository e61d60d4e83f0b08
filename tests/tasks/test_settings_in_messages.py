"""Messages name a setting as whoever reads them writes it: a keyword in Python, a flag on the command line."""

import warnings

import pytest
from tests.misuse.test_nli import GOLD, PREDICTED

import touchstone
from touchstone import items, lexsub, mt, nli, pyramid
from touchstone.base.workers import Engine, run_pieces
from touchstone.cli import main
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


def turned_to_one_system(**more):
    """Analyse scores of which only the sets are factors."""
    scores = [0.2, 0.4, 0.6, 0.3, 0.4, 0.7, 0.2, 0.5, 0.6]
    table = pyramid.ScoreTable.of({"set": [*"AAABBBCCC"], "peer": [*"123123123"], "score": scores})
    return pyramid.analyse(table, baseline="1", **more)


def rarely_answered(**more):
    answers = {"bright.a 1": {"clever": 1}, "bright.a 2": {"vivid": 1}}
    return lexsub.score(answers, {"a": {name: list(own) for name, own in answers.items()}}, **more)


def rated_in_words(**more):
    rows = [
        {"item": n, "annotator": who, "label": ("low", "high")[n % k]}
        for n in range(6)
        for k, who in ((1, "x"), (2, "y"))
    ]
    return touchstone.agreement(rows, distance="ordinal", **more)


def suggested(**more):
    return lexsub.Substituter("bow").suggest("A match is a match.", "match", **more)


def without_memory(_):
    (failure,) = dict(run_pieces(bytearray, [1 << 62], Engine("processes", 1))).values()
    raise failure.error


def decomposed(_):
    texts = [f"cafe\u0301 number {n} is open today" for n in range(30)]
    return mt.score([text.replace("e\u0301", "\u00e9") for text in texts], {"a": texts}, ["chrf"])


CALLS = {
    "address": (
        lambda _: Engine("processes", address="auto"),
        'choose engine=touchstone.base.workers.Engine(name="ray")',
    ),
    "jobs": (without_memory, "use fewer workers (jobs=1), or smaller shards (shard_rows=N)"),
    "order": (lambda _: rated_in_words(), "from lowest to highest with order=[\u2026]"),
    "at": (lambda _: suggested(), "choose one with at=2"),
    "factors": (lambda _: turned_to_one_system(factors=["set"]), "add them to factors=[\u2026]"),
    "min_responses": (lambda _: rarely_answered(min_responses=2), "lower it with min_responses=\u2026"),
    "nfc": (decomposed, 'normalise all texts: texts=["nfc"]'),
    "analyses": (
        lambda _: mt.score(["a"], {"x": ["a"]}, ["meteor"], analyses=["all.conllu", "ref=ref.conllu"]),
        "NAME=FILE for each system and ref=FILE",
    ),
    "difference": (lambda _: touchstone.plan_difference(scores_of_both()), "give difference=D"),
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
    "models": (lambda _: pyramid.score(PRESENCE, measures=["pyramid.modified"]), "models=N"),
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
        except (touchstone.TouchstoneError, MemoryError) as error:
            said = str(error)
    assert written in said
    assert "--" not in said


@pytest.mark.parametrize(
    "remedy",
    [
        lambda: rated_in_words(order=["low", "high"]),
        lambda: suggested(at=2),
        lambda: turned_to_one_system(factors=["set", "peer"]),
        lambda: rarely_answered(min_responses=1),
        lambda: mt.score(["caf\u00e9"], {"a": ["cafe\u0301"]}, ["chrf"], texts="nfc"),
        lambda: pyramid.score(PRESENCE, measures=["pyramid.modified"], models=4),
        lambda: Engine(name="ray", address="auto"),
    ],
)
def test_the_keyword_that_a_message_names_is_one(remedy):
    assert remedy()


@pytest.mark.parametrize(
    ("words", "flag"),
    [
        (["items", "agreement", "words.csv", "--distance", "ordinal"], "with --order,"),
        (["lexsub", "suggest", "A match is a match.", "--word", "match"], "choose one with --at 2"),
        (["pyramid", "analyse", "peers.csv", "--factors", "set", "--baseline", "1"], "add them to --factors"),
        (["lexsub", "score", "rare.csv", "a=given.csv", "--min-responses", "2"], "lower it with --min-responses"),
        (
            ["mt", "score", "t.txt", "t.txt", "-m", "chrf", "--analyses", "all.conllu", "--analyses", "ref=r.conllu"],
            "for each system and ref=FILE",
        ),
        (["mt", "score", "t.txt", "u.txt", "--engine", "far.toml"], "leave out the address, or choose --engine ray"),
    ],
)
def test_messages_of_commands_name_the_flag(words, flag, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    files = {
        "far.toml": 'engine = "processes"\naddress = "auto"\n',
        "words.csv": "item,annotator,label\n1,x,low\n1,y,high\n2,x,low\n2,y,low\n",
        "peers.csv": "set,peer,score\n" + "".join(f"{s},{p},0.{3 * s + p}\n" for s in range(3) for p in range(1, 4)),
        "rare.csv": "id,substitutes\nbright.a 1,clever:1\n",
        "given.csv": "id,substitutes\nbright.a 1,clever\n",
        "t.txt": "A cat.\n",
        "u.txt": "A cat.\n",
        "all.conllu": "",
        "r.conllu": "",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr("sys.argv", ["touchstone", *words])
    with pytest.raises(SystemExit):
        main()
    told = capsys.readouterr().err
    assert flag in told
    assert "=\u2026" not in told
