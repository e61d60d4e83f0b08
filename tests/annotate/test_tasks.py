"""What people answer goes out in exactly the forms that Touchstone's other commands read."""

import io
import json
import zipfile
from collections import Counter

import pytest
from tests.commands import run_command

from touchstone import lexsub, nli
from touchstone.annotate.tasks import TASKS
from touchstone.annotate.tasks.base import Subject, Upload
from touchstone.base.errors import TouchstoneError
from touchstone.tasks.mt.judges.reading import read_judgements

YES = {"q1": True, "q2": False, "q3": False}
NEUTRAL = {"q1": True, "q2": True, "q3": False}
NO = {"q1": False, "q2": None, "q3": False}
BAD = {"q1": False, "q2": None, "q3": True}


def exported(site, project, folder):
    """Export a project and give the folder in which its files lie."""
    response = site.admin.get(f"/api/projects/{project}/export?names=true")
    assert (response.status_code, response.headers["content-type"]) == (200, "application/zip")
    zipfile.ZipFile(io.BytesIO(response.content)).extractall(folder)
    return folder


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def answer_all(person, project, bodies, **more):
    for body in bodies:
        response = person.save(person.next(project), body, done=True, **more)
        assert response.status_code == 200, response.text


@pytest.fixture
def verified(site, pairs):
    """Give a project of four pairs that three people answered: kept, ungrammatical, tie, kept."""
    project, name = site.project("nli", {"pairs.jsonl": pairs})
    people = [site.person("annotator", name, called) for called in ("Ann", "Ben", "Cy/../x")]
    site.assigned(project, *people)
    for person, bodies in zip(people, ([NO, BAD, YES, YES], [NO, YES, NEUTRAL, YES], [YES, YES, NO, YES]), strict=True):
        answer_all(person, project, bodies, unsure=person is people[1])
    return site, project


def test_inference_answers_are_verified_by_the_command_as_they_come(verified, tmp_path):
    folder = exported(*verified, tmp_path)
    found = nli.verify(nli.read_gold(folder / "pairs.jsonl"), nli.read_answers(folder / "answers.jsonl"))
    assert [one.outcome for one in found.verified] == ["kept", "ungrammatical", "tie", "kept"]
    assert [pair.gold for pair in found.kept.pairs] == ["contradiction", "entailment"]
    apart = [f"annotators/{name}.jsonl" for name in ("Ann", "Ben", "Cy-..-x")]
    more = ["estimates.csv", "gold.jsonl", "pairs.jsonl"]
    assert files_in(folder) == ["README.txt", *apart, "answers.csv", "answers.jsonl", *more]
    rows = [json.loads(line) for line in (folder / "annotators/Ben.jsonl").read_text().splitlines()]
    assert [(row["annotator"], row["unsure"]) for row in rows] == [("Ben", True)] * 4


def test_the_agreement_figures_are_those_of_the_command(verified, tmp_path):
    site, project = verified
    folder = exported(site, project, tmp_path)
    said = site.admin.get(f"/api/projects/{project}/agreement").json()
    rows = {row["name"]: row for row in said["figures"]}
    labels = [["contradiction", "contradiction", "entailment"], ["contradiction", "entailment", "entailment"]]
    labels += [["entailment", "neutral", "contradiction"], ["entailment"] * 3]
    # Fleiss: P_i = (sum n_ij^2 - n) / (n (n - 1)); P_e from the pooled shares 4, 7 and 1 of 12.
    raw = (2 / 6 + 2 / 6 + 0 + 1) / 4
    chance = (16 + 49 + 1) / 144
    assert [sorted(one) for one in labels] == [sorted(one) for one in _labels(folder)]
    assert rows["raw_agreement"]["value"] == pytest.approx(raw)
    assert rows["kappa"]["value"] == pytest.approx((raw - chance) / (1 - chance))
    assert (rows["kappa"]["units"], rows["kappa"]["unit"]) == (4, "pair")


def _labels(folder):
    found = {}
    for answer in nli.read_answers(folder / "answers.jsonl").answers:
        found.setdefault(answer.pair, []).append(answer.label)
    return list(found.values())


def adjudicate(site, project, *bodies):
    """Adjudicate the first items of a project."""
    items = site.admin.get(f"/api/projects/{project}/items").json()["items"]
    for item, body in zip(items, bodies, strict=False):
        answer = site.admin.post(f"/api/items/{item['id']}/adjudication", json={}).json()
        assert site.admin.save(answer, body, done=True).status_code == 200


def scored(*arguments):
    """Run ``touchstone TASK score`` and return the number of scored items."""
    return max(row["n"] for row in json.loads(command(*arguments, "--json"))["rows"])


def command(*arguments):
    """Run a command of Touchstone and return what it prints."""
    done = run_command(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_gold_of_pairs_has_what_most_people_agree_on_and_what_was_adjudicated(verified, tmp_path):
    site, project = verified
    adjudicate(site, project, YES, NEUTRAL)
    folder = exported(site, project, tmp_path)
    gold = [json.loads(line) for line in (folder / "gold.jsonl").read_text().splitlines()]
    assert [(row["id"], row["gold"], row["decided"], row["people"]) for row in gold] == [
        ("cat", "entailment", "adjudicated", 3),
        ("tea", "neutral", "adjudicated", 3),
        ("sun", "entailment", "agreed", 3),
    ]
    assert "1: the answers differ" in (folder / "README.txt").read_text()
    run_file = folder / "system.jsonl"
    run_file.write_text("".join(json.dumps({"id": row["id"], "label": row["gold"]}) + "\n" for row in gold))
    assert scored("nli", "score", folder / "gold.jsonl", run_file) == 3


def test_pairs_on_which_two_people_agree_are_gold_and_others_are_counted_with_the_reason(site, pairs, tmp_path):
    project, name = site.project("nli", {"pairs.jsonl": pairs})
    ann, ben = site.person("annotator", name, "Ann"), site.person("annotator", name, "Ben")
    site.assigned(project, ann, ben)
    answer_all(ann, project, [NO, YES, YES, YES])
    answer_all(ben, project, [NO, BAD, NEUTRAL])
    folder = exported(site, project, tmp_path)
    (gold,) = (json.loads(line) for line in (folder / "gold.jsonl").read_text().splitlines())
    assert (gold["id"], gold["decided"], gold["annotators"]) == ("cat", "agreed", ["contradiction"] * 2)
    said = (folder / "README.txt").read_text()
    for line in ("In the gold: 1", "Not in the gold: 3", "1: called wrong", "1: the answers differ", "1: some of the"):
        assert line in said


def test_unfinished_answers_do_not_go_out(site, pairs, tmp_path):
    project, name = site.project("nli", {"pairs.jsonl": pairs})
    ann = site.person("annotator", name)
    site.assigned(project, ann)
    ann.save(ann.next(project), NO)
    folder = exported(site, project, tmp_path)
    assert (folder / "answers.jsonl").read_text() == ""
    assert len(nli.read_gold(folder / "pairs.jsonl")) == 4


SENTENCES = "".join(
    json.dumps({"id": n, "target": t, "pos": "a", "left": "a", "head": t, "right": "day"}) + "\n"
    for n, t in (("1", "bright"), ("2", "happy"), ("3", "odd"))
)


@pytest.fixture
def substituted(site):
    project, name = site.project("lexsub", {"sentences.jsonl": SENTENCES})
    ann, ben = site.person("annotator", name, "Ann"), site.person("annotator", name, "Ben")
    site.assigned(project, ann, ben)
    answer_all(ann, project, [words("sunny", "Clear"), words("glad", "merry", "cheerful"), words()])
    answer_all(ben, project, [words("clear"), words("glad"), words()])
    return site, project


def words(*given):
    return {"substitutes": list(given), "none": not given}


def test_substitutes_become_gold_that_the_command_scores(substituted, tmp_path):
    folder = exported(*substituted, tmp_path)
    for name in ("gold.jsonl", "gold.gold"):
        gold = lexsub.read_gold(folder / name, min_responses=1)
        assert [dict(gold[item].gold.weights) for item in gold.ids] == [
            {"Clear": 2, "sunny": 1},
            {"glad": 2, "merry": 1, "cheerful": 1},
        ], name
    run = lexsub.read_run(folder / "annotators/Ben.jsonl")
    results = lexsub.score(lexsub.read_gold(folder / "gold.jsonl"), run, ["best1"])
    assert (results.row("Ben", "best1").value, results.row("Ben", "best1").n) == (1, 2)


def test_adjudicated_substitutes_weigh_what_people_gave_and_the_gold_is_scored(substituted, tmp_path):
    site, project = substituted
    adjudicate(site, project, words("clear", "radiant"))
    folder = exported(site, project, tmp_path)
    rows = [json.loads(line) for line in (folder / "gold.jsonl").read_text().splitlines()]
    assert [(row["gold"], row["decided"], row["people"]) for row in rows] == [
        ({"clear": 2, "radiant": 1}, "adjudicated", 2),
        ({"glad": 2, "merry": 1, "cheerful": 1}, "counted", 2),
    ]
    assert "1: nobody gave a substitute" in (folder / "README.txt").read_text()
    (folder / "mine.jsonl").write_text('{"id": "1", "answers": ["clear"]}\n{"id": "2", "answers": ["merry"]}\n')
    assert scored("lexsub", "score", folder / "gold.jsonl", folder / "mine.jsonl") == 2


def test_agreement_on_substitutes_is_the_overlap_of_sets(substituted):
    site, project = substituted
    rows = {row["name"]: row for row in site.admin.get(f"/api/projects/{project}/agreement").json()["figures"]}
    # {sunny, clear} and {clear}; {glad, merry, cheerful} and {glad}; nothing and nothing
    assert rows["pairwise overlap"]["value"] == pytest.approx((1 / 2 + 1 / 3 + 1) / 3)


@pytest.mark.parametrize(
    "words",
    [["\u200b"], ["\u3164"], [" \u2060\ufeff"], ["sunny", "sun\u200bny"], ["bri\u00adght"], ["\x80"], ["\ufff9"]],
)
def test_characters_that_nobody_sees_make_no_substitute(words):
    task, item = TASKS["lexsub"], Subject("1", "sentence", {"target": "bright"}, None)
    assert len(task.problems(item, {"substitutes": words, "none": False}, True, [])) == 1


def test_joiners_that_a_script_is_written_with_stay_in_a_substitute():
    task, item = TASKS["lexsub"], Subject("1", "sentence", {"target": "bright"}, None)
    one, other = ({"substitutes": [word], "none": False} for word in ("می\u200cخواهم", "می\u200cخواهم\u200b"))
    assert task.problems(item, one, True, []) == []
    assert task.same(item, one, other)
    assert not task.same(item, one, {"substitutes": ["میخواهم"], "none": False})


@pytest.mark.parametrize(
    "body",
    [
        words("bright"),
        words("Bright"),
        words("a", "b", "c", "d"),
        words("sunny", "SUNNY"),
        words("sun;moon"),
        words(" "),
        words("x" * 101),
        {"substitutes": ["sunny"], "none": True},
        {"substitutes": [], "none": False},
        {"substitutes": [3], "none": False},
        {"substitutes": "sunny", "none": False},
        {"substitutes": []},
        None,
        [],
    ],
)
def test_substitutes_that_cannot_stand_are_refused(body):
    task = TASKS["lexsub"]
    item = task.read([Upload("s.jsonl", SENTENCES.encode())], {}, with_correct=False, present={}).items[0]
    assert task.problems(item, body, True, [])


def test_a_test_of_substitutes_counts_credit_over_the_best_possible():
    task = TASKS["lexsub"]
    record = {"id": "1", "target": "happy", "pos": "a", "left": "", "head": "happy", "right": ""}
    text = json.dumps({**record, "gold": {"glad": 3, "merry": 2, "jovial": 1}})
    item = task.read([Upload("s.jsonl", text.encode())], {}, with_correct=True, present={}).items[0]
    assert task.compare(item, item.correct, words("merry", "Glad")) == 1
    assert task.compare(item, item.correct, words("merry")) == 2 / 3
    assert task.compare(item, item.correct, words("jovial", "grim")) == 1 / 5
    assert task.compare(item, item.correct, words()) == 0


def test_sentences_of_els07_are_read_with_their_gold(data):
    folder = data("ls07")
    files = [Upload(name, (folder / name).read_bytes()) for name in ("trial.xml", "trial.gold")]
    items = TASKS["lexsub"].read(files, {}, with_correct=False, present={}).items
    assert len(items) == 300
    assert all(item.payload["head"] for item in items)


TRANSLATIONS = "segment\tsystem\thypothesis\treference\tsource\tadequacy\tfluency\trank\n" + "".join(
    f"{segment}\t{system}\t{system} says {segment}\tthe reference\tdie Quelle\t{n + 1}\t{5 - n}\t{n + 1}\n"
    for segment in (1, 2)
    for n, system in enumerate(("alpha", "beta", "gamma"))
)


def test_ratings_go_out_as_the_table_of_judgements(site, tmp_path):
    project, name = site.project("mt", {"t.tsv": TRANSLATIONS}, judgement="ratings")
    ann = site.person("annotator", name, "Ann")
    site.assigned(project, ann)
    answer_all(ann, project, [{"adequacy": 4, "fluency": 5}] * 6)
    rows = [line.split("\t") for line in (exported(site, project, tmp_path) / "ratings.tsv").read_text().splitlines()]
    assert rows[0] == ["segment", "system", "judge", "adequacy", "fluency"]
    assert sorted((row[0], row[1]) for row in rows[1:]) == [(s, y) for s in "12" for y in ("alpha", "beta", "gamma")]
    assert {tuple(row[2:]) for row in rows[1:]} == {("Ann", "4", "5")}
    read_judgements(tmp_path / "ratings.tsv")


def test_the_gold_of_translations_is_their_references_and_the_judgements_that_stand(sqlite_site, tmp_path):
    site = sqlite_site
    project, name = site.project("mt", {"t.tsv": TRANSLATIONS}, judgement="ratings")
    ann, ben = site.person("annotator", name, "Ann"), site.person("annotator", name, "Ben")
    site.assigned(project, ann, ben)
    answer_all(ann, project, [{"adequacy": 4, "fluency": 5}] * 6)
    answer_all(ben, project, [{"adequacy": 2, "fluency": 1}] * 5)
    adjudicate(site, project, {"adequacy": 3, "fluency": 3})
    folder = exported(site, project, tmp_path)
    (folder / "mine.txt").write_text("alpha says 1\nthe reference\n")
    assert scored("mt", "score", folder / "gold.jsonl", folder / "mine.txt") == 2
    judged = [row.split("\t")[2] for row in (folder / "gold-ratings.tsv").read_text().splitlines()[1:]]
    assert Counter(judged) == {"adjudicated": 1, "Ann": 4, "Ben": 4}
    assert "adequacy" in command("mt", "agreement", folder / "gold-ratings.tsv")
    assert "1: some of the people" in (folder / "README.txt").read_text()


def test_rankings_go_out_in_the_long_form_under_the_systems_names(site, tmp_path):
    project, name = site.project("mt", {"t.tsv": TRANSLATIONS}, judgement="ranking")
    ann, ben = site.person("annotator", name, "Ann"), site.person("annotator", name, "Ben")
    site.assigned(project, ann, ben)
    order = {"alpha": 1, "beta": 2, "gamma": 2}
    for person in (ann, ben):
        for _ in range(2):
            answer = person.next(project)
            texts = {one["label"]: one["text"].split()[0] for one in answer["item"]["view"]["hypotheses"]}
            ranks = {label: order[system] for label, system in texts.items()}
            assert person.save(answer, {"ranks": ranks}, done=True).status_code == 200
    folder = exported(site, project, tmp_path)
    rows = [line.split(",") for line in (folder / "rankings.csv").read_text().splitlines()]
    assert rows[0] == ["segment", "judge", "system", "rank", "ballot"]
    assert {(row[2], int(row[3])) for row in rows[1:]} == set(order.items())
    assert len(rows) == 1 + 2 * 2 * 3
    for name in ("rankings.csv", "judges/Ann.csv"):
        read_judgements(folder / name)
    figure = site.admin.get(f"/api/projects/{project}/agreement").json()["figures"][0]
    assert (figure["about"], figure["value"], figure["units"]) == ("better of two", 1, 6)


@pytest.mark.parametrize(
    ("judgement", "body"),
    [
        ("ratings", {"adequacy": 0, "fluency": 1}),
        ("ratings", {"adequacy": 6, "fluency": 1}),
        ("ratings", {"adequacy": 1.5, "fluency": 1}),
        ("ratings", {"adequacy": True, "fluency": 1}),
        ("ratings", {"adequacy": None, "fluency": 1}),
        ("ratings", {"ranks": {}}),
        ("ranking", {"ranks": {"A": 1, "B": 2}}),
        ("ranking", {"ranks": {"A": 1, "B": 2, "C": 4}}),
        ("ranking", {"ranks": {"A": 1, "B": 2, "D": 3}}),
        ("ranking", {"ranks": [1, 2, 3]}),
        ("ranking", {"adequacy": 1, "fluency": 1}),
    ],
)
def test_judgements_that_are_none_are_refused(judgement, body):
    task = TASKS["mt"]
    settings = task.settings({"judgement": judgement})
    item = task.read([Upload("t.tsv", TRANSLATIONS.encode())], settings, with_correct=False, present={}).items[0]
    assert task.problems(item, body, True, [])


def test_a_test_of_judgements_counts_how_near_they_come():
    task = TASKS["mt"]
    ratings = task.read(
        [Upload("t.tsv", TRANSLATIONS.encode())], task.settings({}), with_correct=True, present={}
    ).items
    first = next(item for item in ratings if item.correct == {"adequacy": 1, "fluency": 5})
    assert task.compare(first, first.correct, {"adequacy": 1, "fluency": 5}) == 1
    assert task.compare(first, first.correct, {"adequacy": 5, "fluency": 1}) == 0
    assert task.compare(first, first.correct, {"adequacy": 3, "fluency": 5}) == 3 / 4
    settings = task.settings({"judgement": "ranking"})
    ranking = task.read([Upload("t.tsv", TRANSLATIONS.encode())], settings, with_correct=True, present={}).items[0]
    backwards = {"ranks": {label: 4 - rank for label, rank in ranking.correct["ranks"].items()}}
    tied = {"ranks": dict.fromkeys("ABC", 1)}
    assert [task.compare(ranking, ranking.correct, one) for one in (ranking.correct, backwards, tied)] == [1, 0, 0]


def test_segments_of_two_language_pairs_and_several_ballots_stay_apart(sqlite_site, tmp_path):
    rows = "".join(f"1\t{group}\ts{n}\th{n}\tr\n" for group in ("cs-en", "de-en") for n in range(4))
    text = f"segment\tgroup\tsystem\thypothesis\treference\n{rows}"
    project, name = sqlite_site.project("mt", {"t.tsv": text}, judgement="ranking", at_once=2)
    ann = sqlite_site.person("annotator", name, "Ann")
    sqlite_site.assigned(project, ann)
    answer_all(ann, project, [{"ranks": {"A": 1, "B": 2}}] * 4)
    (found,) = read_judgements(exported(sqlite_site, project, tmp_path) / "rankings.csv")
    lines = (tmp_path / "rankings.csv").read_text().splitlines()
    assert lines[0] == "segment,judge,system,rank,ballot,group"
    assert {tuple(line.split(",")[4:]) for line in lines[1:]} == {(b, g) for b in "12" for g in ("cs-en", "de-en")}
    assert found is not None


def test_a_ranking_of_many_systems_comes_in_handfuls_that_hold_each_system():
    task = TASKS["mt"]
    text = "segment\tsystem\thypothesis\treference\n" + "".join(f"1\ts{n}\th{n}\tr\n" for n in range(11))
    settings = task.settings({"judgement": "ranking"})
    items = task.read([Upload("t.tsv", text.encode())], settings, with_correct=False, present={}).items
    assert sorted(len(item.payload["hypotheses"]) for item in items) == [3, 4, 4]
    assert len({system for item in items for system in item.hidden["systems"].values()}) == 11


@pytest.mark.parametrize(
    ("task", "name", "text"),
    [
        ("nli", "x.jsonl", "{"),
        ("nli", "x.jsonl", '{"id": "1", "premise": "p"}'),
        ("nli", "x.tsv", "one\ttwo\n1\t2"),
        ("lexsub", "x.jsonl", '{"id": "1"}'),
        ("lexsub", "x.jsonl", '{"id": "1", "target": "t", "head": "t", "gold": {"a": -1}}'),
        ("lexsub", "x.gold", "bright.a 1 :: sunny 2;"),
        ("mt", "x.tsv", "segment\tsystem\n1\ta"),
        ("mt", "x.tsv", "segment\tsystem\thypothesis\treference\n1\ta\tx\tr\n1\ta\tx\tr"),
        ("mt", "x.tsv", "segment\tsystem\thypothesis\treference\n1\ta\tx"),
        ("pyramid", "x.pyr", "<a/>"),
        ("pyramid", "x.json", "{}"),
        ("pyramid", "x.txt", "no folder"),
        ("pyramid", "S1/peers/x.txt", "a peer without a pyramid"),
        ("pyramid", "S1/A.txt", "a control \x01 character"),
    ],
)
def test_a_file_that_cannot_be_read_gets_a_sentence(task, name, text):
    room = TASKS[task]
    with pytest.raises(TouchstoneError):
        room.read([Upload(name, text.encode())], room.settings({}), with_correct=False, present={})
