"""A task of another package: keyphrases of documents, weighted by the number of people who chose them."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from touchstone import Gold, TouchstoneError
from touchstone.base.errors import Fault
from touchstone.base.ids import Ids, join_ids
from touchstone.base.ranges import SHARE
from touchstone.base.tables import Column, Table
from touchstone.core import inputs
from touchstone.core.explanation import Explanation
from touchstone.core.measures import Measure, Measures
from touchstone.core.task import ShardRows, Task
from touchstone.io.reading import read_table
from touchstone.io.schema import Field
from touchstone.stats.records import mean, mean_records

MEASURES = Measures("keyphrases")
MEASURES.add(
    "share",
    lambda: Measure("share", lambda joined: mean_records(joined.share), mean, "credit / optimum(2)", range=SHARE),
)


@dataclass(frozen=True)
class GoldSet(inputs.GoldSet):
    signature: dict
    items: pa.Table
    answers: list


@dataclass(frozen=True)
class Run(inputs.Run):
    name: str
    signature: str
    ids: Ids
    phrases: list


@dataclass(frozen=True)
class Joined(inputs.Joined):
    share: np.ndarray
    facts: pa.Table
    notes: list


class Keyphrases(Task):
    name = "keyphrases"
    title = "Keyphrases"
    summary = "Phrases that say what a document is about."
    measures = MEASURES
    default = ("share",)
    cluster = "field"
    shard_rows = ShardRows(Field("id"))
    example = "gold.csv mine=a.csv theirs=b.csv"

    def read_gold(self, sources, options):
        table = read_table(sources[0])
        ids = table.ids("id")
        ids.rows()  # refuses duplicate ids
        pairs = [[part.rpartition(":")[::2] for part in (cell or "").split(";")] for cell in table.texts("phrases")]
        weak = [line for row, line in zip(pairs, table.lines, strict=True) if not all(n.isdigit() for _, n in row)]
        if weak:
            raise TouchstoneError.of([Fault("phrase without a weight", table.source.name, line) for line in weak])
        answers = [Gold({phrase: int(weight) for phrase, weight in row}) for row in pairs]
        items = pa.table({"id": ids.ids, "field": table.texts("field")})
        return GoldSet({"gold": str(table.source), "items": f"{len(items)} documents"}, items, answers)

    def read_run(self, files, gold, options):
        table = read_table(files.path)
        phrases = [(cell or "").split(";") for cell in table.texts("phrases")]
        return Run(files.name, str(table.source), table.ids("id"), phrases)

    def join(self, gold, run, policy, options):
        ids = join_ids(gold.items["id"].to_pylist(), run.ids, policy).check()
        given = [run.phrases[row][:2] if row >= 0 else [] for row in ids.rows]
        share = [people.credit(two) / people.optimum(2) for people, two in zip(gold.answers, given, strict=True)]
        facts = pa.table({"given": ["; ".join(two) for two in given]})
        return Joined(np.where(ids.counted, share, np.nan), facts, ids.note(run.name))

    def explain_item(self, inputs, item, measure, policy):
        rows = [[run.name, "; ".join(run.phrases[run.ids.first[item]])] for run in inputs.runs if item in run.ids.first]
        return Explanation(item, f"document {item}", [Table([Column("system"), Column("phrases")], rows)])


TASK = Keyphrases()
