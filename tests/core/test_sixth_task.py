"""A sixth task, written from CONTRIBUTING: keyphrases of documents, weighted by the number of people who chose them."""

import json
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import touchstone
from touchstone.base.errors import Fault
from touchstone.base.ids import Ids, join_ids
from touchstone.base.tables import Column, Table
from touchstone.cli.verbs import task_app
from touchstone.core.measures import Measure, Measures
from touchstone.core.task import Explanation, Task
from touchstone.io.reading import read_table
from touchstone.stats.records import mean, mean_records

MEASURES = Measures("keyphrases")
MEASURES.add("share", lambda: Measure("share", lambda joined: mean_records(joined.share), mean, "credit / optimum(2)"))


@dataclass(frozen=True)
class GoldSet:
    signature: dict
    items: pa.Table
    answers: list
    notes: tuple = ()

    def __str__(self):
        return f"{self.signature['gold']}: {self.signature['items']}"


@dataclass(frozen=True)
class Run:
    name: str
    signature: str
    ids: Ids
    phrases: list

    def __str__(self):
        return f"{self.signature}: {len(self.phrases)} lists"


def read_gold(paths, options):
    file = read_table(paths[0])
    ids, cells = file.texts(file.name("id")), file.texts(file.name("phrases"))
    Ids(file.source.name, ids, file.lines).rows()
    pairs = [[part.rpartition(":")[::2] for part in (cell or "").split(";")] for cell in cells]
    weak = [line for row, line in zip(pairs, file.lines, strict=True) if not all(n.isdigit() for _, n in row)]
    if weak:
        raise touchstone.TouchstoneError.of([Fault("phrase without a weight", file.source.name, n) for n in weak])
    answers = [touchstone.Gold({phrase: int(weight) for phrase, weight in row}) for row in pairs]
    items = pa.table({"id": ids, "field": file.texts(file.name("field"))})
    return GoldSet({"gold": str(file.source), "items": f"{len(ids)} documents"}, items, answers)


def read_run(files, gold, options):
    file = read_table(files.path)
    ids = Ids(file.source.name, file.texts(file.name("id")), file.lines)
    return Run(files.name, str(file.source), ids, [(c or "").split(";") for c in file.texts(file.name("phrases"))])


def join(gold, run, policy, options):
    ids = join_ids(gold.items["id"].to_pylist(), run.ids, policy).check()
    given = [run.phrases[row][:2] if row >= 0 else [] for row in ids.rows]
    share = np.array([people.credit(two) / people.optimum(2) for people, two in zip(gold.answers, given, strict=True)])
    facts = pa.table({"given": ["; ".join(two) for two in given]})
    return SimpleNamespace(share=np.where(ids.counted, share, np.nan), facts=facts, notes=tuple(ids.note(run.name)))


def explain_item(inputs, item, measure, policy):
    rows = [[run.name, "; ".join(run.phrases[run.ids.first[item]])] for run in inputs.runs if item in run.ids.first]
    return Explanation(item, f"document {item}", [Table([Column("system"), Column("phrases")], rows)])


WORDS = {"name": "keyphrases", "title": "Keyphrases", "summary": "Phrases that say what a document is about."}
STEPS = {"read_gold": read_gold, "read_run": read_run, "join": join, "explain_item": explain_item}
TASK = Task(**WORDS, **STEPS, measures=MEASURES, default=("share",), cluster="field")


def test_a_sixth_task_scores_compares_explains_and_validates(tmp_path):
    gold, a, b, bad = (tmp_path / name for name in ("gold.csv", "a.csv", "b.csv", "bad.csv"))
    gold.write_text("id,field,phrases\n1,nlp,parsing:3;grammar:2;tree:1\n2,law,tort:2;court:2\n3,art,oil:4;canvas:1\n")
    a.write_text("id,phrases\n1,parsing;tree\n2,tort;judge\n3,oil;canvas\n")
    b.write_text("id,phrases\n3,canvas;wood\n1,grammar;word;parsing\n2,judge\n")
    bad.write_text("id,phrases\n1,tree\n9,tort\n1,parsing\n")
    results = TASK.score(gold, {"a": a, "b": b})
    assert results.row("a", "share").value == pytest.approx((4 / 5 + 2 / 4 + 5 / 5) / 3)
    assert results.row("b", "share").value == pytest.approx((2 / 5 + 0 + 1 / 5) / 3)
    [pair] = touchstone.compare(results, "share").pairs
    assert (pair.difference, pair.wins, pair.p) == (pytest.approx(1.7 / 3), 3, 2 / 2**3)
    assert TASK.explain(gold, {"b": b}, item="3").tables[0].rows == [["b", "canvas; wood"]]
    assert [(fault.line, fault.value) for fault in TASK.validate(gold, {"bad": bad}).faults][:2] == [(3, "9"), (4, "1")]
    printed = CliRunner().invoke(task_app(TASK), ["score", str(gold), str(a), str(b), "--json"]).stdout
    assert [row["value"] for row in json.loads(printed)["rows"]] == [row.value for row in results.rows]
