"""The verb ``estimate``: human only, judge only and both, in every task; and what bad input gets, a sentence each."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import touchstone
from touchstone.cli import main

ITEMS, LABELLED = 120, 30


@pytest.fixture
def call(monkeypatch, capsys, tmp_path):
    """Run the program in a folder of its own: exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["touchstone", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        return left.value.code or 0, *capsys.readouterr()

    return run


def table(path, rows):
    """Write rows of a table whose columns are those of the first."""
    path.write_text("\n".join(",".join(map(str, row)) for row in [rows[0].keys(), *(row.values() for row in rows)]))
    return path


@pytest.fixture
def sides(tmp_path):
    """People scored 30 of 120 items of two systems; the judge likes the second system too much."""
    random = np.random.default_rng(5)
    human, judge = [], []
    easy = random.normal(size=ITEMS)
    for place, system in enumerate(("gull", "tern")):
        scores = np.clip(0.5 - 0.1 * place + 0.15 * easy + 0.05 * random.normal(size=ITEMS), 0, 1).round(3)
        seen = np.clip(scores + 0.1 * place + 0.05 * random.normal(size=ITEMS), 0, 1).round(3)
        for item in range(ITEMS):
            judge.append({"system": system, "item": item, "score": seen[item]})
            if item < LABELLED:
                human.append({"system": system, "item": item, "score": scores[item]})
    return human, judge


@pytest.fixture
def files(sides, tmp_path):
    table(tmp_path / "human.csv", sides[0])
    table(tmp_path / "judge.csv", sides[1])
    return "human.csv", "judge.csv"


@pytest.fixture
def both(sides, tmp_path):
    """Write a table with both sides, empty where people scored nothing."""
    known = {(row["system"], row["item"]): row["score"] for row in sides[0]}
    rows = [{**row, "human": known.get((row["system"], row["item"]), "")} for row in sides[1]]
    rows = [{"judge" if name == "score" else name: cell for name, cell in row.items()} for row in rows]
    return table(tmp_path / "both.csv", rows), rows


@pytest.mark.parametrize("verb", [("estimate",), ("judge",), ("plan", "--width", "0.1")])
def test_one_table_with_both_columns_gives_the_numbers_of_two_tables(call, files, both, verb):
    (_, two, _), (code, one, _) = (call("items", *verb, *given) for given in (files, ["both.csv"]))
    assert code == 0
    one = one.replace("human: ", "score: ").replace(" of human (", " of score (")
    assert one.splitlines()[1:-1] == two.splitlines()[1:-1]


def test_the_columns_of_one_table_may_have_other_names_and_there_may_be_one_system(call, both, tmp_path):
    rows = [{"item": row["item"], "rating": row["human"], "gpt": row["judge"]} for row in both[1][:ITEMS]]
    table(tmp_path / "one.csv", rows)
    found, _ = estimates(call, "one.csv", "--measure", "rating=gpt")
    mean = np.mean([float(row["rating"]) for row in rows[:LABELLED]])
    assert [(row["system"], row["human"]["value"]) for row in found["systems"]] == [("one", pytest.approx(mean))]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("human.csv",), "human.csv: there is no judge: no column 'human'"),
        (("both.csv", "-m", "human"), 'both.csv: people and the judge have the same column: "human"'),
        (("empty.csv",), 'empty.csv: people scored nothing: "human"'),
    ],
)
def test_one_table_without_both_sides_is_refused(call, files, both, tmp_path, arguments, message):
    table(tmp_path / "empty.csv", [{**row, "human": ""} for row in both[1]])
    code, _, err = call("items", "estimate", *arguments)
    assert (code, message in err) == (2, True)


def by_kind(out, measure=None):
    """The systems and pairs of an estimate that was printed as JSON, of the first measure or the one named."""
    rows = json.loads(out)["rows"]
    measure = measure or rows[0]["measure"]
    own = [row for row in rows if row["measure"] == measure]
    systems, pairs = ([row for row in own if row["kind"] == kind] for kind in ("estimate", "pair"))
    return {"measure": measure, "systems": systems, "pairs": pairs}


def estimates(call, *arguments):
    code, out, err = call("items", "estimate", *arguments, "--json")
    assert code == 0, err
    return by_kind(out), err


def test_three_estimates_stand_side_by_side(call, files, sides):
    found, _ = estimates(call, *files)
    gull = next(one for one in found["systems"] if one["system"] == "gull")
    people = [row["score"] for row in sides[0] if row["system"] == "gull"]
    assert gull["human"]["value"] == pytest.approx(np.mean(people))
    assert gull["judge"] == {"value": pytest.approx(np.mean([r["score"] for r in sides[1] if r["system"] == "gull"]))}
    assert gull["labels"] == LABELLED < gull["both"]["effective"] <= ITEMS
    assert gull["both"]["high"] - gull["both"]["low"] < gull["human"]["high"] - gull["human"]["low"]


def test_human_only_is_the_score_of_the_human_items(call, files):
    found, _ = estimates(call, *files)
    _, out, _ = call("items", "score", "human.csv", "--json")
    scored = {row["system"]: row for row in json.loads(out)["rows"]}
    for one in found["systems"]:
        assert one["human"]["low"] == pytest.approx(scored[one["system"]]["low"])


def test_a_judge_that_favours_a_system_does_not_decide_who_leads(call, files):
    found, _ = estimates(call, *files)
    [pair] = found["pairs"]
    assert (pair["a"], pair["b"]) == ("gull", "tern")
    assert pair["judge"]["value"] < pair["both"]["low"] < 0.1 < pair["both"]["high"]
    assert pair["significant"]
    assert pair["ahead"] > 0.99


def test_tables_say_what_their_columns_mean(call, files):
    code, out, _ = call("items", "estimate", *files)
    assert code == 0
    for heading in ("human only", "judge only", "both", "effective", "p (holm)", "first ahead"):
        assert heading in out
    assert "estimates are about other items from the same source" in out


def test_about_this_set_alone_intervals_are_narrower(call, files):
    source, alone = (estimates(call, *files, "--population", kind)[0] for kind in ("source", "set"))
    for first, second in zip(source["systems"], alone["systems"], strict=True):
        for side in ("human", "both"):
            assert second[side]["high"] - second[side]["low"] < first[side]["high"] - first[side]["low"]


def test_columns_with_other_names_are_paired(call, sides, tmp_path):
    table(tmp_path / "h.csv", [{"model": r["system"], "id": r["item"], "rating": r["score"]} for r in sides[0]])
    table(tmp_path / "j.csv", [{**row, "length": 3 * row["item"] + len(row["system"]) % 3} for row in sides[1]])
    assert estimates(call, "h.csv", "j.csv", "--measure", "rating=score")[0]["measure"] == "rating"


def test_judge_scores_on_another_scale_are_rescaled_aloud(call, files, sides, tmp_path):
    plain, _ = estimates(call, *files)
    table(tmp_path / "judge.csv", [{**row, "score": round(np.exp(5 * row["score"]), 3)} for row in sides[1]])
    found, err = estimates(call, *files)
    assert "on another scale than people's" in err
    assert "monotone curve fitted on the human items" in err
    gull, same = found["systems"][0], plain["systems"][0]
    assert gull["both"]["value"] == pytest.approx(same["both"]["value"], abs=0.03)
    assert gull["both"]["effective"] > 1.5 * LABELLED


@pytest.mark.parametrize("size", [1, 100])
def test_a_judge_with_the_sign_turned_is_never_turned_back_in_silence(call, files, sides, tmp_path, size):
    table(tmp_path / "judge.csv", [{**row, "score": round(size * (1 - row["score"]), 3)} for row in sides[1]])
    found, err = estimates(call, *files)
    notes = {"estimate": err}
    for verb, wish in (("judge", ()), ("plan", ("--width", ".1"))):
        notes[verb] = call("items", verb, *files, *wish)[2]
    for said in notes.values():
        assert "the judge's scores fall as human scores rise, so the judge is not used" in said
        assert "change the sign of one side" in said
    for one in found["systems"]:
        assert one["both"]["low"] == one["human"]["low"]


def test_human_items_that_the_judge_lacks_are_named(call, files, sides, tmp_path):
    table(tmp_path / "judge.csv", [row for row in sides[1] if row["item"] not in (7, 8)])
    code, _, err = call("items", "estimate", *files)
    assert code == 2
    assert "human.csv:9: the judge has no score of 'gull' for this item: \"7\"" in err
    assert "--unknown ignore" in err
    found, err = estimates(call, *files, "--unknown", "ignore")
    assert [one["labels"] for one in found["systems"]] == [LABELLED - 2] * 2
    assert "human items without a score of the judge, which are left out: 2" in err


def test_a_score_that_the_judge_lacks_for_one_system_is_named(call, files, sides, tmp_path):
    table(tmp_path / "judge.csv", [row for row in sides[1] if (row["system"], row["item"]) != ("tern", 7)])
    code, _, err = call("items", "estimate", *files)
    assert code == 2
    assert "human.csv:39: the judge has no score of 'tern' for this item: \"7\"" in err


def test_one_human_label_is_refused(call, files, sides, tmp_path):
    table(tmp_path / "human.csv", [row for row in sides[0] if row["item"] == 0])
    code, _, err = call("items", "estimate", *files)
    assert code == 2
    assert "human.csv:2: one human score cannot show how far the judge is off" in err


def test_three_human_labels_have_values_and_no_interval(call, files, sides, tmp_path):
    table(tmp_path / "human.csv", [row for row in sides[0] if row["item"] < 3])
    found, err = estimates(call, *files)
    assert found["systems"][0]["both"]["low"] is None
    assert "no interval: 3 items cannot show how values vary" in err


def test_a_constant_judge_leaves_human_only_and_is_named(call, files, sides, tmp_path):
    table(tmp_path / "judge.csv", [{**row, "score": 0.5} for row in sides[1]])
    found, err = estimates(call, *files)
    assert "the judge gives all human items the same score, so it cannot help" in err
    for one in found["systems"]:
        assert one["both"]["low"] == one["human"]["low"]


@pytest.mark.parametrize("side", [0, 1])
def test_a_duplicate_is_refused_with_its_line(call, files, sides, tmp_path, side):
    table(tmp_path / files[side], [*sides[side], sides[side][0]])
    code, _, err = call("items", "estimate", *files)
    assert code == 2
    assert f"{files[side]}:{len(sides[side]) + 2}: duplicate id (first seen on line 2)" in err


def test_a_judge_without_a_system_is_refused(call, files, sides, tmp_path):
    table(tmp_path / "judge.csv", [{**row, "system": row["system"].replace("gull", "gul")} for row in sides[1]])
    code, _, err = call("items", "estimate", *files)
    assert code == 2
    assert 'human.csv:2: the judge has no scores of this system: "gull"; nearest valid name "gul"' in err


def test_probabilities_of_the_human_table_weigh_its_items(call, files, sides, tmp_path):
    chance = [0.5 if row["item"] < 10 else 0.25 for row in sides[0]]
    rows = [{**row, "probability": own} for row, own in zip(sides[0], chance, strict=True)]
    table(tmp_path / "human.csv", rows)
    found, _ = estimates(call, *files)
    gull = next(one for one in found["systems"] if one["system"] == "gull")
    own = [row for row in rows if row["system"] == "gull"]
    expected = np.average([row["score"] for row in own], weights=[1 / row["probability"] for row in own])
    assert gull["human"]["value"] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("line", "cell", "said"),
    [
        (2, "1.5", 'human.csv:2: no inclusion probability above 0 and at most 1: "1.5"'),
        (32, "0", 'human.csv:32: no inclusion probability above 0 and at most 1: "0"'),
        (32, "0.25", "human.csv:32: another inclusion probability than on line 2, where it is 0.5"),
        (32, "half", 'human.csv:32: probability is not a finite number: "half"'),
    ],
)
def test_every_row_of_an_inclusion_probability_counts(call, files, sides, tmp_path, line, cell, said):
    rows = [{**row, "probability": 0.5} for row in sides[0]]
    rows[line - 2]["probability"] = cell
    table(tmp_path / "human.csv", rows)
    code, _, err = call("items", "estimate", *files)
    assert code == 2
    assert said in err


def test_an_inclusion_probability_may_be_written_in_two_ways_and_none_may_be_missing(call, files, sides, tmp_path):
    rows = [{**row, "probability": "0.5" if row["system"] == "gull" else "0.50"} for row in sides[0]]
    table(tmp_path / "human.csv", rows)
    assert estimates(call, *files)[0]["systems"][0]["labels"] == LABELLED
    table(tmp_path / "human.csv", [{**row, "probability": "" if row["item"] == 4 else 0.5} for row in rows])
    code, _, err = call("items", "estimate", *files)
    assert code == 2
    assert 'human.csv:6: human items have no inclusion probability (1 of them), such as: "4"' in err


def test_empty_scores_are_counted_and_too_large_ones_refused(call, files, sides, tmp_path):
    table(tmp_path / "human.csv", [{**row, "score": "nan" if row["item"] == 3 else row["score"]} for row in sides[0]])
    table(tmp_path / "judge.csv", [{**row, "score": "" if row["item"] == 99 else row["score"]} for row in sides[1]])
    _, err = estimates(call, *files)
    assert "rows of people without a score (score), which are left out: 2" in err
    assert "rows of the judge without a score (score), which are left out: 2" in err
    table(tmp_path / "judge.csv", [{**row, "score": 1e308 if row["item"] == 99 else row["score"]} for row in sides[1]])
    for verb, wish in (("estimate", ()), ("judge", ()), ("plan", ("--width", ".1"))):
        code, _, err = call("items", verb, *files, *wish)
        assert code == 2
        assert "judge.csv:101: score is larger than 1e+12" in err
        assert "RuntimeWarning" not in err


def test_the_two_sides_may_have_different_encodings(call, files, tmp_path):
    plain = estimates(call, *files)[0]["systems"]
    for encoding in ("utf-16", "utf-8-sig"):
        (tmp_path / "wide.csv").write_text((tmp_path / "human.csv").read_text(), encoding)
        assert estimates(call, "wide.csv", "judge.csv")[0]["systems"] == plain
    code, _, err = call("items", "estimate", *files, "--encoding", "utf-16")
    assert code == 2
    assert "human.csv: is not utf-16, but UTF-8" in err


def test_one_side_may_be_latin_1_and_the_other_utf_8(call, sides, tmp_path):
    for name, rows, encoding in (("human.csv", sides[0], "utf-8"), ("judge.csv", sides[1], "latin-1")):
        text = table(tmp_path / name, rows).read_text().replace("gull", "goéland")
        (tmp_path / name).write_text(text, encoding)
    found, _ = estimates(call, "human.csv", "judge.csv", "--encoding", "latin-1")
    assert {one["system"] for one in found["systems"]} == {"goéland", "tern"}


@pytest.mark.parametrize("verb", ["estimate", "judge", "plan"])
def test_a_judge_that_scored_too_little_is_named_and_not_people(call, files, sides, tmp_path, verb):
    wish = ["--width", ".2"] if verb == "plan" else []
    table(tmp_path / "judge.csv", [row for row in sides[1] if row["item"] in (0, 118, 119)])
    code, _, err = call("items", verb, *files, *wish)
    assert code == 2
    assert "the judge has fewer items (3) than people (30), but it should score all items" in err
    assert "nearest" not in err
    code, _, err = call("items", verb, *files, *wish, "--unknown", "ignore")
    assert code == 2
    assert "human.csv:2: " in err
    assert "58 further human scores have no score of the judge: let it score these items too" in err
    assert "people must" not in err
    assert "let people" not in err


def test_where_there_is_no_interval_the_judge_is_not_blamed(call, files, sides, tmp_path):
    table(tmp_path / "human.csv", [row for row in sides[0] if row["item"] < 3])
    assert "does not make the interval narrower" not in estimates(call, *files)[1]
    table(tmp_path / "human.csv", [{**row, "score": 3} for row in sides[0]])
    assert "does not make the interval narrower" not in estimates(call, *files)[1]


def test_a_single_cluster_does_not_make_the_judge_constant(call, files, sides, tmp_path):
    table(tmp_path / "human.csv", [{**row, "topic": "t"} for row in sides[0]])
    assert "the same score" not in estimates(call, *files, "--cluster", "topic")[1]


@pytest.mark.parametrize(
    "option", [["--cluster", "topic"], ["--next", "2", "--strategy", "stratified", "--strata", "topic"]]
)
def test_a_field_that_no_item_has_is_refused(call, files, option):
    code, _, err = call("items", "estimate", *files, *option)
    assert code == 2
    assert 'items have no such field: "topic"\n   known: none; the items have no further columns' in err


@pytest.mark.parametrize("verb", ["estimate", "judge", "plan"])
def test_swapped_files_are_recognised(call, tmp_path, verb):
    human, judge = _tables(tmp_path)
    wish = ["--width", ".2"] if verb == "plan" else []
    code, _, err = call("items", verb, judge, human, *wish)
    assert code == 2
    assert "are the two swapped?" in err
    assert "--duplicates" not in err


def test_the_report_has_the_estimates_and_the_sample(call, files, tmp_path):
    code, _, err = call("items", "estimate", *files, "--report", "page.html")
    assert code == 0, err
    page = (tmp_path / "page.html").read_text("utf-8")
    for title in ("Systems: score", "Pairs: score", "Sample", "How to read this"):
        assert f"<h2>{title}</h2>" in page
    sample = page[page.index("<h2>Sample") :]
    for cell in ("gull", f"{ITEMS}", f"{LABELLED}", "25%"):
        assert f">{cell}<" in sample


def test_inference_takes_a_file_of_labels_as_judge(call, tmp_path):
    random = np.random.default_rng(2)
    names = ["entailment", "contradiction", "neutral"]
    gold = random.integers(0, 3, ITEMS)

    def noisy(share):
        return np.where(random.random(ITEMS) < share, gold, random.integers(0, 3, ITEMS))

    def write(name, labels, n=ITEMS, **fields):
        rows = [
            {"id": f"p{i}", "label": names[labels[i]], **{k: f"{v} {i}" for k, v in fields.items()}} for i in range(n)
        ]
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)))

    write("gold.jsonl", gold, LABELLED, premise="A dog", hypothesis="A cat")
    write("judge.jsonl", noisy(0.9))
    write("a.jsonl", noisy(0.8))
    write("b.jsonl", noisy(0.3))
    arguments = ("gold.jsonl", "a.jsonl", "b.jsonl", "--judge", "judge.jsonl")
    code, out, err = call("nli", "estimate", *arguments, "-m", "accuracy", "-m", "macro_f1", "--json")
    assert code == 0, err
    assert list(dict.fromkeys(row["measure"] for row in json.loads(out)["rows"])) == ["accuracy", "macro_f1"]
    accuracy, folded = by_kind(out, "accuracy"), by_kind(out, "macro_f1")
    for found in (accuracy, folded):
        assert [one["system"] for one in found["systems"]] == ["a", "b"]
        assert found["systems"][1]["both"]["effective"] > LABELLED


def test_a_note_on_one_of_several_measures_names_it(call, files, sides, tmp_path):
    for name, rows in zip(files, sides, strict=True):
        table(tmp_path / name, [{**row, "words": row["item"] * 7 % 11 if name == "human.csv" else 3} for row in rows])
    _, _, err = call("items", "estimate", *files, "-m", "score", "-m", "words")
    assert "note: words: gull, tern: the judge gives all human items the same score, so it cannot help" in err


def test_pyramids_join_annotations_of_some_summaries_with_automatic_ones_of_all(call, tmp_path):
    random = np.random.default_rng(4)
    human, judge = [], []
    for topic in range(40):
        for peer in ("heron", "magpie"):
            for unit in range(8):
                present = int(random.random() < (0.6 if peer == "heron" else 0.35))
                guess = present if random.random() < 0.85 else 1 - present
                own = {"set": f"S{topic}", "peer": peer, "unit": unit, "weight": 1 + unit % 3, "models": 3}
                judge.append({**own, "present": guess})
                if topic < 15:
                    human.append({**own, "present": present})
    table(tmp_path / "human.csv", human)
    table(tmp_path / "auto.csv", judge)
    code, out, err = call("pyramid", "estimate", "human.csv", "--judge", "auto.csv", "--json")
    assert code == 0, err
    found = by_kind(out)
    assert found["measure"] == "pyramid.modified"
    assert [one["labels"] for one in found["systems"]] == [15, 15]


EXAMPLES = Path(touchstone.__file__).parent / "examples"


def test_the_example_of_inference_can_be_estimated(call):
    folder = EXAMPLES / "nli"
    names = ("human.jsonl", "careful.jsonl", "overlap.jsonl")
    code, out, err = call(
        "nli", "estimate", *(folder / name for name in names), "--judge", folder / "judge.jsonl", "--json"
    )
    assert code == 0, err
    found = by_kind(out)
    assert [(one["system"], one["labels"]) for one in found["systems"]] == [("careful", 24), ("overlap", 24)]
    assert "with the judge as gold: overlap: accuracy 0.474 is below that of the majority class" in err


@pytest.mark.parametrize(
    ("value", "said"),
    [(1.5, 'above 0 and at most 1: "1.5"'), ("x", 'is not a finite number: "x"'), (None, "human items")],
)
def test_probabilities_of_a_gold_count_too(call, tmp_path, value, said):
    folder = EXAMPLES / "nli"
    rows = [json.loads(line) for line in (folder / "human.jsonl").read_text().splitlines()]
    rows = [{**row, "probability": 0.5 if place % 2 else 0.25} for place, row in enumerate(rows)]
    arguments = ("human.jsonl", folder / "careful.jsonl", "--judge", folder / "judge.jsonl")
    (tmp_path / "human.jsonl").write_text("\n".join(map(json.dumps, rows)))
    code, out, err = call("nli", "estimate", *arguments, "--json")
    assert code == 0, err
    careful = {
        json.loads(line)["id"]: json.loads(line)["label"]
        for line in (folder / "careful.jsonl").read_text().splitlines()
    }
    right = [careful[row["id"]] == row["gold"] for row in rows]
    weighted = np.average(right, weights=[1 / row["probability"] for row in rows])
    assert by_kind(out)["systems"][0]["human"]["value"] == pytest.approx(weighted)
    rows[4]["probability"] = value
    (tmp_path / "human.jsonl").write_text("\n".join(map(json.dumps, rows)))
    code, _, err = call("nli", "estimate", *arguments)
    assert code == 2
    assert "human.jsonl:5: " in err
    assert said in err


@pytest.mark.parametrize("lines", [10, 30])
def test_a_judge_that_lacks_items_is_named_and_not_the_runs(call, tmp_path, lines):
    """With ten lines it lacks human pairs, with thirty only such that runs have."""
    folder = EXAMPLES / "nli"
    (tmp_path / "few.jsonl").write_text("\n".join((folder / "judge.jsonl").read_text().splitlines()[:lines]))
    (tmp_path / "gold.jsonl").write_text("\n".join((folder / "gold.jsonl").read_text().splitlines()[:20]))
    code, _, err = call("nli", "estimate", "gold.jsonl", folder / "careful.jsonl", "--judge", "few.jsonl")
    assert code == 2
    if lines == 10:
        assert 'gold.jsonl:11: the judge does not score this item: "d11"\n' in err
        assert "are the two swapped?" in err
    else:
        assert "careful.jsonl:31: unknown item" in err
        assert "here the gold is what the judge says, few.jsonl" in err


def test_a_judge_without_summaries_is_named(call):
    folder = EXAMPLES / "pyramid"
    peers = sorted(folder.glob("*.pan"))
    code, _, err = call("pyramid", "estimate", *peers, "--judge", folder / "T01.pyr")
    assert code == 2
    assert "T01.pyr: no run to score" in err
    assert "this is the judge's side" in err
    code, _, err = call("pyramid", "estimate", *peers, "--judge", peers[0])
    assert code == 2
    assert "give each file of the judge with its own --judge" in err


def test_translations_are_joined_with_the_references_of_both_sides_by_id(call, tmp_path):
    """People translated six of twelve segments, listed backwards; without a judge the score of these is the same."""
    folder = EXAMPLES / "mt"
    read = {name: (folder / name).read_text().splitlines() for name in ("refA.en", "de-en/heron", "de-en/kestrel")}

    def write(name, column, source, rows):
        lines = [f"id\t{column}", *(f"s{row}\t{read[source][row]}" for row in rows)]
        (tmp_path / name).write_text("\n".join(lines))

    write("human.tsv", "reference", "refA.en", range(5, -1, -1))
    write("judge.tsv", "reference", "de-en/heron", range(12))
    write("kestrel.tsv", "hypothesis", "de-en/kestrel", range(12))
    measure = ("--measure", "chrf")
    code, out, err = call("mt", "estimate", "human.tsv", "kestrel.tsv", "--judge", "judge.tsv", *measure, "--json")
    assert code == 0, err
    [one] = by_kind(out)["systems"]
    _, out, _ = call("mt", "score", "human.tsv", "kestrel.tsv", *measure, "--unknown", "ignore", "--json")
    assert one["human"]["value"] == pytest.approx(json.loads(out)["rows"][0]["value"])
    assert one["labels"] == 6


def test_a_blank_line_of_human_references_is_not_a_score_of_zero(call, tmp_path):
    folder = EXAMPLES / "mt"
    lines = (folder / "refA.en").read_text().splitlines()
    (tmp_path / "human.en").write_text("\n".join(lines[:6] + [""] * 5 + lines[11:]) + "\n")
    (tmp_path / "part.en").write_text("\n".join(lines[:6] + lines[11:]) + "\n")
    (tmp_path / "kestrel").write_text((folder / "de-en" / "kestrel").read_text())
    translated = (folder / "de-en" / "kestrel").read_text().splitlines()
    (tmp_path / "some").write_text("\n".join(translated[:6] + translated[11:]) + "\n")
    asked = ("--judge", folder / "de-en" / "heron", "-m", "chrf", "--allow-empty-ref", "--json")
    code, out, err = call("mt", "estimate", "human.en", "kestrel", *asked)
    assert code == 0, err
    assert "human items without a reference, which count as not scored: 5" in err
    [one] = by_kind(out)["systems"]
    _, out, _ = call("mt", "score", "part.en", "some", "-m", "chrf", "--json")
    assert one["labels"] == 7
    assert one["human"]["value"] == pytest.approx(json.loads(out)["rows"][0]["value"])


def _tables(folder, change_human=None, change_judge=None):
    """Write scores of two systems by two people and by a judge, with the length of each output; some cells changed."""
    human = ["system,item,annotator,rating,words"]
    judge = ["system,item,rating,words"]
    for place in range(40):
        for system in ("a", "b"):
            words = 10 + 3 * place + (system == "b")
            better = place + (system == "b")
            judge.append(f"{system},{place},{1 + better % 5},{words}")
            if place < 20:
                human += [
                    f"{system},{place},{who},{1 + (better + number) % 5},{words}" for number, who in enumerate("xy")
                ]
    for lines, change in ((human, change_human), (judge, change_judge)):
        for line, cell in (change or {}).items():
            cells = lines[line - 1].split(",")
            cells[-2] = cell
            lines[line - 1] = ",".join(cells)
    (folder / "human.csv").write_text("\n".join(human))
    (folder / "judge.csv").write_text("\n".join(judge))
    return folder / "human.csv", folder / "judge.csv"


@pytest.mark.parametrize("verb", ["estimate", "judge", "plan"])
@pytest.mark.parametrize("side", ["human", "judge"])
@pytest.mark.parametrize("cell", ["good", "inf", "6O"])
def test_a_score_that_is_no_number_is_refused_and_no_other_column_takes_its_place(call, tmp_path, verb, side, cell):
    files = _tables(tmp_path, **{f"change_{side}": {4: cell}})
    more = ["--width", ".2"] if verb == "plan" else []
    code, _, error = call("items", verb, *files, *more)
    assert code == 2
    assert f"{side}.csv:4: rating is not a finite number" in error


@pytest.mark.parametrize(("verb", "note"), [("estimate", "same score"), ("judge", "so it does not distinguish them")])
def test_a_constant_judge_stays_the_judge(call, tmp_path, verb, note):
    files = _tables(tmp_path, change_judge=dict.fromkeys(range(2, 82), "3"))
    code, _, error = call("items", verb, *files)
    assert code == 0, error
    assert note in error
    assert "people scored all" not in error


def test_names_cannot_steer_the_terminal(call, tmp_path):
    files = _tables(tmp_path)
    for file in files:
        file.write_text(file.read_text().replace("\nb,", "\n\x1b]0;b\x07,"))
    _, shown, error = call("items", "judge", *files)
    assert "\x1b" not in shown + error
    assert "\x07" not in shown + error
