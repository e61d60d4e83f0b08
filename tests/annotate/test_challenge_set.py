"""A challenge set from premises to scores, with the commands that a user types: by a sheet, and by the application."""

import csv
import json
from collections import Counter

import pytest
from tests.commands import run_command

from touchstone.annotate.settings import database_url

PREMISES = [
    "A man plays the guitar in the kitchen.",
    "Two dogs run through the forest.",
    "A woman in a red dress drinks coffee.",
    "The old man sits on a bench near the river.",
    "A boy eats an apple.",
    "Three children play soccer in the park.",
    "A poodle sleeps on the couch.",
    "Four women are wearing black hats.",
    "A big truck stands outside the house.",
]
BODIES = {
    "contradiction": {"q1": False, "q2": None, "q3": False},
    "entailment": {"q1": True, "q2": False, "q3": False},
    "neutral": {"q1": True, "q2": True, "q3": False},
}
WRONG = {"q1": True, "q2": False, "q3": True}
CELLS = {True: "yes", False: "no", None: ""}


@pytest.fixture
def touchstone(tmp_path):
    """Give a function that runs a command in a folder and returns what it prints."""

    def run(*words):
        done = run_command(*words, folder=tmp_path, XDG_DATA_HOME=str(tmp_path))
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def rows_of(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def answers_of(pairs):
    """Return the answers of three readers: as intended, but the first three pairs are wrong, split, and neutral."""
    given = {pair["id"]: [BODIES[pair["intended"]]] * 3 for pair in pairs}
    wrong, split, neutral = list(given)[:3]
    given[wrong] = [WRONG, *given[wrong][1:]]
    given[split] = list(BODIES.values())
    given[neutral] = [given[neutral][0], BODIES["neutral"], BODIES["neutral"]]
    return given


@pytest.fixture
def generated(touchstone, tmp_path):
    """Give the pairs of a set, which are in set.jsonl, and the answers of three readers to each."""
    (tmp_path / "premises.txt").write_text("\n".join(PREMISES), "utf-8")
    touchstone("nli", "generate", "premises.txt", "--seed", 7, "-o", "set.jsonl", "--sheet", "sheet.csv")
    pairs = rows_of(tmp_path / "set.jsonl")
    return pairs, answers_of(pairs)


def expected_gold(pairs):
    gold = {pair["id"]: pair["intended"] for pair in pairs}
    wrong, split, neutral = list(gold)[:3]
    del gold[wrong], gold[split]
    return gold | {neutral: "neutral"}


def test_a_set_goes_from_premises_through_a_sheet_to_scores(touchstone, generated, tmp_path):
    pairs, answers = generated
    filled = list(csv.DictReader((tmp_path / "sheet.csv").read_text("utf-8").splitlines()))
    for row in filled:
        body = answers[row["pair"]][int(row["annotator"].removeprefix("annotator ")) - 1]
        row |= {question: CELLS[answer] for question, answer in body.items()}
    with (tmp_path / "filled.csv").open("w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, filled[0].keys())
        out.writeheader()
        out.writerows(filled)
    verify = ("nli", "verify", "set.jsonl", "filled.csv", "--kept", "gold.jsonl", "--discards", "discards.jsonl")
    touchstone(*verify, "--report", "verified.html")
    gold = {row["id"]: row["gold"] for row in rows_of(tmp_path / "gold.jsonl")}
    assert gold == expected_gold(pairs)
    assert [row["discarded"] for row in rows_of(tmp_path / "discards.jsonl")] == ["ungrammatical", "tie"]
    right = sum(label == pair["intended"] for pair in pairs for name, label in gold.items() if name == pair["id"])
    assert f"in {right:,} of {len(gold):,} pairs" in (tmp_path / "verified.html").read_text("utf-8")

    touchstone("nli", "baseline", "gold.jsonl", "--predictions", "wordnet.jsonl")
    touchstone("nli", "baseline", "gold.jsonl", "--rules", "--predictions", "lexical_rules.jsonl")
    scored = json.loads(touchstone("nli", "score", "gold.jsonl", "wordnet.jsonl", "lexical_rules.jsonl", "--json"))
    accuracy = {row["system"]: row["value"] for row in scored["rows"] if row["measure"] == "accuracy"}
    assert accuracy["majority_class"] == pytest.approx(max(Counter(gold.values()).values()) / len(gold))
    for name in ("wordnet", "lexical_rules"):
        labels = {row["id"]: row["label"] for row in rows_of(tmp_path / f"{name}.jsonl")}
        assert accuracy[name] == pytest.approx(sum(labels[one] == gold[one] for one in gold) / len(gold))
    touchstone("nli", "agreement", "gold.jsonl", "--by", "relation")


def test_a_set_goes_from_premises_through_the_application_to_gold(touchstone, generated, tmp_path, start_server):
    pairs, answers = generated
    database = str(tmp_path / "site.sqlite")
    create = ("annotate", "project", "create", "my set", "--task", "nli", "--import", "set.jsonl")
    touchstone(*create, "--database", database)
    site = start_server(database_url(database))
    (project,) = (one["id"] for one in site.admin.get("/api/projects").json()["projects"])
    people = [site.person("annotator", "my set") for _ in range(3)]
    ids = {(pair["premise"], pair["hypothesis"]): pair["id"] for pair in pairs}
    site.assigned(project, *people)
    for place, person in enumerate(people):
        while (answer := person.next(project)) is not None:
            assert "intended" not in json.dumps(answer)
            view = answer["item"]["view"]
            body = answers[ids[view["premise"], view["hypothesis"]]][place]
            saved = person.save(answer, body, done=True)
            assert saved.status_code == 200, saved.text
    touchstone("annotate", "export", "my set", "-o", "out", "--database", database)
    touchstone("nli", "verify", "out/pairs.jsonl", "out/answers.jsonl", "--kept", "gold.jsonl")
    expected = expected_gold(pairs)
    assert {row["id"]: row["gold"] for row in rows_of(tmp_path / "gold.jsonl")} == expected
    assert {row["id"]: row["gold"] for row in rows_of(tmp_path / "out" / "gold.jsonl")} == expected
    kept = next(row for row in rows_of(tmp_path / "gold.jsonl"))
    assert {"provenance", "relation", "replaced", "intended"} <= kept.keys()
