"""The same signature means the same numbers: every cell, token and option that changes a number changes the signature.

Each file that a command reads is changed in one place of each of its columns, fields or kinds of token, and so are
Python objects. What is refused, or changes no number, says nothing; what changes a number must change the signature.
"""

import csv
import io
import json
import re
import shutil
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import touchstone
from touchstone import TouchstoneError, items, lexsub, mt, nli
from touchstone.cli import app, main
from touchstone.core.resampling import Resampling
from touchstone.judge.asking import with_probabilities

EXAMPLES = Path(touchstone.__file__).parent / "examples"

SUMMARIES = "pyramid/T01.pyr pyramid/eve.T01.M.60.A.heron.pan pyramid/eve.T01.M.60.A.magpie.pan"

COMMANDS = {
    "items score": "items score made/scores.csv --cluster document",
    "items compare": "items compare made/scores.csv --cluster document --intervals percentile --draws 50",
    "items estimate": "items estimate made/human.csv made/judge.csv --cluster document -m rating",
    "items estimate drawn": "items estimate made/human.csv made/judge.csv --asked made/asked.csv -m rating",
    "items estimate strata": "items estimate made/human.csv made/judge.csv -m rating --population set --strata topic",
    "items next": "items estimate made/human.csv made/judge.csv -m rating --next 5 --strategy uncertain",
    "items judge": "items judge made/human.csv made/judge.csv --cluster document -m rating",
    "items plan": "items plan made/human.csv made/judge.csv --width 0.5 --minutes-per-item 2 -m rating",
    "items agreement": "items agreement made/labels.csv --cluster document --draws 50",
    "lexsub score": "lexsub score lexsub/demo.gold lexsub/careful.best lexsub/careful.oot lexsub/eager.oot",
    "lexsub compare": "lexsub compare made/gold.csv a=made/one.csv b=made/two.csv --measure R",
    "lexsub judge": "lexsub judge lexsub/demo.gold lexsub/careful.oot lexsub/eager.oot --judge made/demo.gold -m R",
    "mt score": "mt score mt/refA.en mt/de-en -m maxsim(n)",
    "mt compare": "mt compare made/mt.csv a=made/mt_a.csv b=made/mt_b.csv -m maxsim(n) --cluster document",
    "mt agreement": "mt agreement mt/rankings.csv mt/ratings.tsv --draws 50",
    "mt meta": "mt meta mt/rankings.csv mt/de-en --ref mt/refA.en -m maxsim(n) -m sr_overlap --draws 50",
    "mt tune": "mt tune mt/rankings.csv mt/de-en --ref mt/refA.en --tuned maxsim(n) --folds 2 --draws 50",
    "nli score": "nli score made/nli.jsonl nli/careful.jsonl nli/overlap.jsonl -m votes -m brier",
    "nli compare": "nli compare made/nli.csv nli/careful.jsonl nli/overlap.jsonl -m votes",
    "nli estimate": "nli estimate nli/human.jsonl nli/careful.jsonl nli/overlap.jsonl --judge nli/judge.jsonl",
    "nli judge": "nli judge nli/human.jsonl nli/careful.jsonl nli/overlap.jsonl --judge nli/judge.jsonl -m accuracy",
    "nli agreement": "nli agreement nli/gold.jsonl --by category --draws 50",
    "nli agreement of all": "nli agreement made/kept.jsonl --discards made/discards.jsonl --draws 50",
    "nli verify": "nli verify nli/pairs.jsonl nli/answers.jsonl --draws 50",
    "nli breakdown": "nli breakdown nli/gold.jsonl nli/careful.jsonl --train nli/pairs.jsonl",
    "nli baseline": "nli baseline nli/gold.jsonl",
    "pyramid score": f"pyramid score {SUMMARIES}",
    "pyramid compare": "pyramid compare made/peers.csv",
    "pyramid estimate": "pyramid estimate made/some.csv --judge made/peers.csv",
    "pyramid judge": "pyramid judge made/some.csv --judge made/peers.csv",
    "pyramid agreement": "pyramid agreement pyramid/eve.T01.M.60.A.heron.pan again/eve.T01.M.60.A.heron.pan --draws 50",
    "pyramid analyse": "pyramid analyse made/table.csv --factors setid,peerid,kind",
    "pyramid power": "pyramid power made/table.csv --peers 1,2 --draws 50 --subsets 5",
    "pyramid auto": "pyramid auto pyramid/T01.pyr pyramid/eve.T01.M.60.A.heron.pan",
}


def rows_of(folder):
    """Return the tables that the commands read beside the examples, by file."""
    random = np.random.default_rng(3)
    judge = [
        {
            "system": system, "item": f"q{item}", "document": f"d{item // 2}", "topic": "ab"[item % 2],
            "rating": round(float(random.normal(place)), 2), "words": int(random.integers(5, 60)),
        }
        for place, system in enumerate(("gull", "tern"))
        for item in range(40)
    ]  # fmt: skip
    human = [
        {
            "system": row["system"], "item": row["item"], "annotator": who,
            "rating": round(row["rating"] + float(random.normal(scale=0.3)), 2),
        }
        for row in judge
        if int(row["item"][1:]) % 4 < 2
        for who in ("ann", "ben")
    ]  # fmt: skip
    asked = [{"item": f"q{n}", "probability": 0.4 + 0.01 * n} for n in range(40) if n % 4 < 2]
    scores = [{**row, "correct": int(random.random() < 0.6)} for row in judge]
    labels = [
        {
            "item": f"q{n}",
            "document": f"d{n // 3}",
            "annotator": who,
            "label": "xyz"[int(random.integers(0, 3)) * (n % 3 > 0)],
        }
        for n in range(24)
        for who in ("ann", "ben", "cid")
    ]
    gold = [
        {"id": f"{n}", "target": "dry", "pos": "a", "answers": f"arid 2; parched {1 + n % 3}; barren 1"}
        for n in range(12)
    ]
    runs = {
        name: [
            {"id": f"{n}", "answers": ("arid; barren", "parched; wet", "barren; parched")[(n * k) % 3]}
            for n in range(12)
        ]
        for name, k in (("one", 1), ("two", 2))
    }
    words = ["the cat sat on the mat", "a dog ran home", "birds sing at dawn", "we saw the river rise"]
    texts = [
        {"id": f"{n}", "document": f"d{n // 2}", "ref1": words[n % 4], "ref2": words[n % 4] + " today"}
        for n in range(8)
    ]
    outputs = {
        name: [{"id": f"{n}", "hypothesis": words[(n + (n % k == 0)) % 4]} for n in range(8)]
        for name, k in (("mt_a", 3), ("mt_b", 2))
    }
    peers = [
        {
            "set": f"S{item}", "topic": f"t{item // 2}", "peer": peer, "unit": f"u{unit}", "weight": 1 + unit % 3,
            "models": 3, "present": int(random.random() < 0.5),
        }
        for item in range(12)
        for peer in ("heron", "magpie")
        for unit in range(5)
    ]  # fmt: skip
    table = [
        {"setid": item, "peerid": peer, "kind": (item + peer) % 2, "score": (item * 7 + peer * peer * 3) % 11 / 10}
        for item in range(8)
        for peer in range(4)
    ]
    pairs = [json.loads(line) for line in (folder / "nli" / "gold.jsonl").read_text("utf-8").splitlines()]
    cells = [
        {
            "id": pair["id"], "premise": pair["premise"], "hypothesis": pair["hypothesis"], "label": pair["gold"],
            **{f"label{n}": label for n, label in enumerate(pair["annotators"], 1)},
        }
        for pair in pairs
    ]  # fmt: skip
    some = [row for row in peers if int(row["set"][1:]) % 2]
    return {
        "judge": judge, "human": human, "asked": asked, "scores": scores, "labels": labels, "gold": gold, "mt": texts,
        "peers": peers, "some": some, "table": table, "nli": cells, **runs, **outputs,
    }  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("inputs")
    shutil.copytree(EXAMPLES, made, dirs_exist_ok=True)
    shutil.copytree(EXAMPLES / "pyramid", made / "again")
    (made / "made").mkdir()
    for name, rows in rows_of(made).items():
        with (made / "made" / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    shutil.copy(made / "nli" / "gold.jsonl", made / "made" / "nli.jsonl")
    shutil.copy(made / "lexsub" / "demo.gold", made / "made" / "demo.gold")
    return made


@pytest.fixture
def run(folder, monkeypatch, capfd):
    """Run a command in the folder; give its signature and its numbers, or None if it is refused."""

    def called(command):
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "argv", ["touchstone", *command.split(), "--json", "--quiet"])
        monkeypatch.setattr(sys, "stdin", io.StringIO(""))
        with pytest.raises(SystemExit) as left:
            main()
        out, err = capfd.readouterr()
        if left.value.code:
            return None
        found = json.loads(out)
        return json.dumps(found.pop("signature")), numbers(found), err

    return called


NUMBER = re.compile(r"[-−+]?\d[\d,.]*(%|( to |–)[-−]?\d[\d,.]*)?")


def numbers(found, key=""):
    """Return all numbers of a result, those in cells of tables too; ids and names are none."""
    if isinstance(found, dict):
        skip = ("signature", "command", "notes", "warnings", "system", "item", "a", "b", "name", "id", "group", "level")
        return [number for name, value in found.items() if name not in skip for number in numbers(value, name)]
    if isinstance(found, list):
        return [number for value in found for number in numbers(value, key)]
    if isinstance(found, str):
        return [found] if NUMBER.fullmatch(found) and key == "rows" else []
    return [] if found is None else [found]


def other_cell(cell, column):
    """Return another value for a cell: another number, or a value that the column has elsewhere."""
    try:
        value = float(cell)
    except ValueError:
        others = [one for one in column if one not in ("", cell)]
        return others[len(others) // 2] if others else f"{cell}x"
    if value in (0, 1):
        return f"{1 - value:g}"
    return f"{value / 2:g}" if 0 < value < 1 else f"{value + 1:g}"


def changed_tables(text, rows):
    """Yield what was changed and the table with one cell changed, for each column."""
    table = list(csv.reader(io.StringIO(text)))
    for column, name in enumerate(table[0]):
        for row in rows:
            at = 1 + row * (len(table) - 2) // 7
            cells = [list(line) for line in table]
            cells[at][column] = other_cell(cells[at][column], [line[column] for line in table[1:]])
            out = io.StringIO()
            csv.writer(out, lineterminator="\n").writerows(cells)
            yield f"{name}, line {at + 1}", out.getvalue()


def leaves(value, path=()):
    """Yield the paths of the single values of a JSON object; of lists the first and the last."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from leaves(one, (*path, name))
    elif isinstance(value, list):
        for place in sorted({0, len(value) - 1} if value else ()):
            yield from leaves(value[place], (*path, place))
    else:
        yield path


def changed_objects(text, rows):
    """Yield the same for a file of JSON objects and each of their fields."""
    lines = text.splitlines()
    objects = [json.loads(line) for line in lines]
    for row in rows:
        at = row * (len(lines) - 1) // 7
        for path in leaves(objects[at]):
            one = json.loads(lines[at])
            part = one
            for step in path[:-1]:
                part = part[step]
            old = part[path[-1]]
            column = []
            for other in objects:
                try:
                    for step in path:
                        other = other[step]
                    column.append(other)
                except (LookupError, TypeError):
                    continue
            texts = [value for value in column if isinstance(value, str) and value != old]
            if isinstance(old, bool) or old is None:
                continue
            part[path[-1]] = (
                float(other_cell(str(old), []))
                if isinstance(old, (int, float))
                else (texts or [f"{old}x"])[len(texts) // 2]
            )
            yield f"{path}, line {at + 1}", "\n".join([*lines[:at], json.dumps(one), *lines[at + 1 :]]) + "\n"


def changed_elements(text, rows):
    """Yield the same for a file of XML: without an element of each name, and with another value of each attribute."""
    whole = ElementTree.fromstring(text)
    kinds = sorted({(one.tag, name) for one in whole.iter() for name in ("", *one.attrib)})
    for tag, attribute in kinds:
        for row in rows:
            root = ElementTree.fromstring(text)
            elements = [one for one in root.iter(tag) if not attribute or attribute in one.attrib]
            one = elements[row * (len(elements) - 1) // 7]
            parent = next((parent for parent in root.iter() if one in list(parent)), None)
            if attribute:
                one.set(attribute, other_cell(one.get(attribute), [other.get(attribute, "") for other in elements]))
            elif parent is not None:
                parent.remove(one)
            yield f"{tag} {attribute}", ElementTree.tostring(root, "unicode")


def changed_tokens(text, rows):
    """Yield the same for any other file and some of its words and numbers."""
    tokens = list(re.finditer(r"\d+(?:\.\d+)?|[^\W\d]+", text))
    for row in range(4 * len(rows)):
        token = tokens[min(int((row + 0.5) * len(tokens) / (4 * len(rows))), len(tokens) - 1)]
        new = other_cell(token[0], []) if token[0][0].isdigit() else f"{token[0]}x"
        yield f"{token[0]} at {token.start()}", text[: token.start()] + new + text[token.end() :]


def changes(path, rows):
    text = path.read_text("utf-8")
    kinds = {".csv": changed_tables, ".jsonl": changed_objects, ".pyr": changed_elements, ".pan": changed_elements}
    return kinds.get(path.suffix, changed_tokens)(text, rows)


def files_of(folder, command):
    words = [word.split("=")[-1] for word in command.split()[2:]]
    paths = [folder / word for word in words if (folder / word).exists()]
    return [one for path in paths for one in (sorted(path.iterdir())[:2] if path.is_dir() else [path])]


def check(run, folder, name, rows):
    command = COMMANDS[name]
    if name == "nli agreement of all":
        run("nli verify nli/pairs.jsonl nli/answers.jsonl --kept made/kept.jsonl --discards made/discards.jsonl")
    before = run(command)
    assert before, "the command works"
    assert run(command)[:2] == before[:2], "the same inputs give the same numbers"
    silent = []
    told = 0
    for path in files_of(folder, command):
        text = path.read_text("utf-8")
        for what, changed in changes(path, rows):
            path.write_text(changed, "utf-8")
            try:
                after = run(command)
            finally:
                path.write_text(text, "utf-8")
            if after and after[1] != before[1]:
                told += 1
                if after[0] == before[0]:
                    silent.append(f"{path.name}: {what}")
    assert not silent
    assert told, "some change changes a number"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_changed_input_that_changes_a_number_changes_the_signature(name, run, folder):
    check(run, folder, name, rows=(3,))


@pytest.mark.soak
@pytest.mark.parametrize("name", COMMANDS)
def test_many_changed_inputs_that_change_a_number_change_the_signature(name, run, folder):
    check(run, folder, name, rows=range(8))


OUTPUTS = {
    *(
        "--json",
        "--format",
        "--out",
        "--quiet",
        "--report",
        "--items",
        "--paper",
        "--kept",
        "--predictions",
    ),
    *(
        "--fail-if-worse",
        "--margin",
        "--encoding",
        "--jobs",
        "--engine",
        "--item",
        "--svg",
    ),
}
"""Options of how and where results are written and computed."""

READ = {
    *("--judge", "--ref", "--asked", "--train", "--discards", "--judgements", "--scores", "--ratings", "--other"),
    *("--analyses", "--roles", "--source", "--documents", "--synonyms"),
    *("--vectors", "--model", "--original", "--challenge", "--beside"),
}
"""Options that name what is read: a file, whose changes the tests above make."""

VALUES = {
    "--seed": ["5"],
    "--draws": ["60"],
    "--confidence": [".9", ".951"],
    "--intervals": ["percentile", "bca", "none"],
    "--cluster": ["item", "document", "set", "target"],
    "--by": ["topic", "category", "document"],
    "--missing": ["skip", "zero"],
    "--unknown": ["ignore"],
    "--duplicates": ["first"],
    "--measure": ["correct", "words", "recall", "rank@10", "f1", "chrf", "votes"],
    "--column": ["value=words", "label=label2"],
    "--range": ["rating=0:9"],
    "--system-column": ["rating"],
    "--lower-is-better": ["rating", "correct"],
    "--population": ["set"],
    "--strata": ["topic"],
    "--next": ["6", "5 --seed 5", "5 --strategy uniform"],
    "--strategy": ["uniform", "stratified"],
    "--width": ["0.4"],
    "--difference": ["0.3"],
    "--between": ["gull tern"],
    "--target": ["0.9"],
    "--minutes-per-item": ["3"],
    "--paired-test": ["bootstrap"],
    "--correction": ["bh"],
    "--distance": ["nominal", "ordinal", "interval"],
    "--coefficient": ["raw_agreement"],
    "--order": ["x,y,z"],
    "--annotator-column": ["ann"],
    "--compat": ["official"],
    "--lemmatize": ["wordnet"],
    "--min-responses": ["3"],
    "--min-weight": ["2"],
    "--pool": ["all"],
    "--style": ["ranked"],
    "--lang": ["de"],
    "--models": ["4"],
    "--meta": ["mean"],
    "--annotator": ["eve"],
    "--label": ["entailment=neutral"],
    "--labels": ["two"],
    "--exclude-system": ["heron"],
    "--reference-system": ["heron"],
    "--allow-empty-ref": [""],
    "--texts": ["nfc", "raw", "analysed"],
    "--by-judge": [""],
    "--calibrate": ["none"],
    "--segments": ["all"],
    "--ties": ["skip"],
    "--system-value": ["wins_all", "wins_or_ties"],
    "--value": ["wins_all"],
    "--scheme": ["mqm"],
    "--folds": ["3"],
    "--leave-out": ["groups"],
    "--tuned": ["maxsim"],
    "--reading": ["literal", "stripped"],
    "--rules": [""],
    "--ancestors": [""],
    "--back-off": [""],
    "--single-edits": [""],
    "--alpha": ["0.01"],
    "--annotators": ["mean"],
    "--baseline": ["1"],
    "--dependent": ["kind"],
    "--factors": ["setid,peerid"],
    "--means": ["least-squares"],
    "--random": ["setid"],
    "--test": ["lsd"],
    "--type": ["I"],
    "--peers": ["1,3"],
    "--subsets": ["6"],
    "--encoder": ["."],
    "--form": ["hard"],
    "--evaluate": [""],
    "--frozen": [""],
}
"""Other values of the options that may change a number; those that a command does not take are refused."""


def options_of(name):
    command = app
    for word in COMMANDS[name].split()[:2]:
        command = command.get_command(None, word)
    return {option for parameter in command.params for option in parameter.opts if option.startswith("--")}


@pytest.mark.parametrize("name", COMMANDS)
def test_an_option_that_changes_a_number_changes_the_signature(name, run):
    if name == "nli agreement of all":
        run("nli verify nli/pairs.jsonl nli/answers.jsonl --kept made/kept.jsonl --discards made/discards.jsonl")
    before = run(COMMANDS[name])
    asked = sorted(options_of(name) & VALUES.keys())
    after = {(one, value): run(f"{COMMANDS[name]} {one} {value}") for one in asked for value in VALUES[one]}
    changed = {setting: found for setting, found in after.items() if found and found[1] != before[1]}
    assert not [setting for setting, found in changed.items() if found[0] == before[0]]


def test_every_option_of_these_commands_is_tested_read_or_only_about_outputs():
    every = {option for name in COMMANDS for option in options_of(name)}
    assert every <= VALUES.keys() | READ | OUTPUTS


FEW = Resampling(draws=50)


def of_pair(analysis):
    def analysed(tables):
        [paired] = touchstone.paired_tables(
            tables["human"], tables["judge"], ["rating"], resampling=Resampling(cluster="document")
        )
        return analysis(with_probabilities(paired, tables["asked"]))

    return analysed, ("human", "judge", "asked")


def as_labels(rows):
    names = ("label1", "label2", "label3")
    return [
        {**{k: v for k, v in row.items() if k not in names}, "annotators": [row[name] for name in names]}
        for row in rows
    ]


OBJECTS = {
    "score": (lambda tables: items.score(tables["scores"], resampling=Resampling(cluster="document")), ("scores",)),
    "estimate": of_pair(touchstone.estimate),
    "assess": of_pair(touchstone.assess),
    "plan": of_pair(lambda paired: touchstone.plan_width(paired, 0.5)),
    "agreement": (
        lambda tables: touchstone.agreement(tables["labels"], resampling=replace(FEW, cluster="document")),
        ("labels",),
    ),
    "nli agreement": (lambda tables: nli.agreement(nli.read_gold(as_labels(tables["nli"])), resampling=FEW), ("nli",)),
    "nli score": (
        lambda tables: nli.score(as_labels(tables["nli"]), {"careful": tables["answers"]}, ["votes", "accuracy"]),
        ("nli", "answers"),
    ),
    "lexsub score": (lambda tables: lexsub.score(tables["gold"], {"one": tables["one"]}), ("gold", "one")),
    "mt score": (lambda tables: mt.score(tables["mt"], {"a": tables["mt_a"]}, ["maxsim(n)"]), ("mt", "mt_a")),
    "mt agreement": (lambda tables: mt.agreement(mt.read_judgements(tables["ranks"]), resampling=FEW), ("ranks",)),
}


def result_of(analysis, tables):
    """Return the signature and the numbers of a result, or None if it is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = analysis(tables)
            shown = found.to_dict()
        except TouchstoneError:
            return None
    return json.dumps(dict(found.signature)), numbers(shown)


@pytest.mark.parametrize("name", OBJECTS)
def test_a_changed_cell_of_an_object_that_changes_a_number_changes_the_signature(name, folder):
    analysis, read = OBJECTS[name]
    tables = rows_of(folder)
    tables["answers"] = [{"id": row["id"], "label": row["label2"]} for row in tables["nli"]]
    tables["ranks"] = list(csv.DictReader(io.StringIO((folder / "mt" / "rankings.csv").read_text("utf-8"))))
    before, told, silent = result_of(analysis, tables), 0, []
    for table in read:
        for column in tables[table][0]:
            cells = [str(row[column]) for row in tables[table]]
            for at in (0, len(cells) // 2, len(cells) - 1):
                rows = [dict(row) for row in tables[table]]
                new = other_cell(cells[at], cells)
                rows[at][column] = type(rows[at][column])(float(new)) if is_number(rows[at][column]) else new
                after = result_of(analysis, {**tables, table: rows})
                if after and after[1] != before[1]:
                    told += 1
                    silent += [f"{table}: {column}"] if after[0] == before[0] else []
    assert not silent
    assert told >= len(read)


def is_number(value):
    return isinstance(value, int | float)
