"""Systems on the benchmarks of the field, each with the figures that its community reports.

SemEval-2007 task 10 (``test.gold`` beside ``test.xml``) and CoInCo are scored by best and out of ten, by p@1, p@3 and
r@10, and by GAP over the pool of all substitutes that people gave for a word (Melamud et al. 2015); SWORDS by F of
the first ten. Lists for GAP are ordered pools and have no figures but GAP.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from touchstone import __version__
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import unpacked_name
from touchstone.base.signature import Signature
from touchstone.base.tables import Column, Table, number
from touchstone.core.resampling import Resampling
from touchstone.io.runs import run_files
from touchstone.show.finding import Finding, Statement, kind_rows
from touchstone.systems.substitution.substituter import Substituter, as_run
from touchstone.tasks.lexsub.formats import TOGETHER, read_files, read_gold, sentences_of
from touchstone.tasks.lexsub.model import GoldSet, Run, key
from touchstone.tasks.lexsub.preparing import Pool
from touchstone.tasks.lexsub.task import TASK

LISTS = ("els07.best.R", "els07.best_mode.R", "els07.oot.R", "els07.oot_mode.R", "p@1", "p@3", "r@10")
POOLS = ("gap", "gap.nomwe")
SWORDS = tuple(f"swords.{mode}_{bar}_f@10" for mode in ("lenient", "strict") for bar in "ac")

DEFAULT = Resampling()
_HOW = (
    "it has test.gold beside test.xml (SemEval-2007 task 10), coinco*.xml or swords*.json, also .gz, or folders of them"
)


@dataclass(frozen=True)
class Benchmark:
    """One set of gold with the figures that are reported on it."""

    name: str
    gold: GoldSet
    lists: tuple[str, ...]
    """Measures of the lists that systems give."""
    pools: tuple[str, ...] = ()
    """Measures of pools that systems order."""


@dataclass(frozen=True)
class Figure:
    """The value of a system under a measure on a benchmark."""

    data: str
    measure: str
    system: str
    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, eq=False, repr=False)
class Bench(Finding):
    """The figures of systems on benchmarks."""

    figures: Sequence[Figure]
    signature: Signature

    def table(self) -> Table:
        """Return one table: a row for each benchmark and measure, a column for each system."""
        systems = list(dict.fromkeys(figure.system for figure in self.figures))
        cells = {(f.data, f.measure, f.system): f for f in self.figures}
        rows, rules, before = [], set[int](), None
        for data, measure in dict.fromkeys((f.data, f.measure) for f in self.figures):
            values = [cells.get((data, measure, system)) for system in systems]
            n = next(f.n for f in values if f)
            if before not in (None, data):
                rules.add(len(rows))
            name = data if data != before else None
            rows.append([name, measure, n, *(number(f.value) if f else None for f in values)])
            before = data
        columns = [Column("data"), Column("measure"), Column("n", "right")]
        return Table([*columns, *(Column(name, "right") for name in systems)], rows, rules=frozenset(rules))

    def statement(self) -> Statement:
        """Return the figures, each with its interval among the rows."""
        rows = kind_rows("value", map(vars, self.figures))
        return Statement("Substitution systems on benchmarks", [self.table()], rows, signature=self.signature)


def find_benchmarks(folder: Path) -> Iterator[Benchmark]:
    """Yield the benchmarks in a folder and in its folders, in the order of their names."""
    if not folder.is_dir():
        raise TouchstoneError("not a folder", file=str(folder), code=Code.NO_FILE, hint=_HOW)
    files = sorted(path for pattern in ("*", "*/*") for path in folder.glob(pattern) if path.is_file())
    count = 0
    for path in files:
        name = unpacked_name(path.name).lower()
        if name == "test.gold" and path.with_name("test.xml").is_file():
            gold = read_gold(path, source=path.with_name("test.xml"))
            yield Benchmark("LS07 test", gold, LISTS, POOLS)
        elif name.startswith("coinco") and name.endswith(".xml"):
            yield Benchmark("CoInCo", read_gold(path), LISTS, POOLS)
        elif name.startswith("swords") and name.endswith(".json"):
            part = next((part for part in ("test", "dev", "train") if part in name), "")
            yield Benchmark(f"SWORDS {part}".strip(), read_gold(path), SWORDS)
        else:
            continue
        count += 1
    if not count:
        raise TouchstoneError("no benchmark in this folder", file=str(folder), code=Code.NO_FILE, hint=_HOW)


def pools_of(gold: GoldSet, pool: Pool | None = None) -> dict[str, list[str]]:
    """Return the words to order for each item: the user's, the labelled ones, or all that people gave for a word.

    The target itself is left out.
    """
    words = [f"{target}.{pos}" for target, pos in zip(gold.targets, gold.pos, strict=True)]
    together: dict[str, dict[str, str]] = {}
    for row, word in enumerate(words):
        answers_by_key = together.setdefault(word, {})
        for answer in gold.answers[row]:
            answers_by_key.setdefault(key(answer), answer)
    pools: dict[str, list[str]] = {}
    for row, (name, word) in enumerate(zip(gold.ids, words, strict=True)):
        if pool:
            answers = sorted(pool.candidates.get(word, ()))
        elif gold.judgements:
            answers = list(dict.fromkeys(gold.judgements.substitutes[row]))
        else:
            answers = list(together[word].values())
        pools[name] = [answer for answer in answers if key(answer) != key(gold.targets[row])]
    return pools


def order_pools(system: Substituter, gold: GoldSet, pool: Pool | None = None) -> Run:
    """Return whole pools in the order of a system, as a run."""
    rankings = system.rankings(sentences_of(gold), pools_of(gold, pool))
    return as_run(system.config.system, f"pools by {system.signature}", rankings, most=None)


def bench(
    systems: Mapping[str, Substituter],
    files: Sequence[str],
    benchmarks: Sequence[Benchmark],
    *,
    resampling: Resampling = DEFAULT,
    tell: Callable[[str], None] = lambda _: None,
) -> Bench:
    """Return the figures of systems and of files of answers on benchmarks; a file counts where its ids are known.

    Parameters
    ----------
    systems
        Systems by name; they answer every benchmark.
    files
        Files of answers, ``NAME=FILE``.
    benchmarks
        What is scored.
    resampling
        How intervals are computed.
    tell
        Called with what is being done.
    """
    runs = [read_files(of) for of in run_files(files, TOGETHER)] if files else []
    used: set[str] = set()
    figures: list[Figure] = []
    signature = {name: system.signature for name, system in systems.items()}
    for data in benchmarks:
        here = [run for run in runs if set(run.lists.ids) & data.gold.rows.keys()]
        used |= {run.name for run in here}
        signature |= {run.name: run.signature for run in here}
        for name, system in systems.items():
            tell(f"{data.name}: {name}")
            here.append(replace(system.run(sentences_of(data.gold)), name=name))
        pools = [replace(order_pools(system, data.gold), name=name) for name, system in systems.items() if data.pools]
        for some, measures in ((here, data.lists), (pools, data.pools)):
            if some and measures:
                results = TASK.score(data.gold, some, measures, resampling=resampling)
                signature[f"gold of {data.name}"] = results.signature["gold"]
                figures += [Figure(data.name, r.measure, r.system, r.value, r.low, r.high, r.n) for r in results.rows]
    strange = [run.name for run in runs if run.name not in used]
    if strange:
        hint = "its ids are those of the gold file: see touchstone lexsub validate"
        raise TouchstoneError("answers to none of the benchmarks", value=strange[0], code=Code.UNKNOWN_ID, hint=hint)
    shared = {"touchstone": __version__, "task": "lexsub bench", "intervals": str(resampling)}
    return Bench(figures, {**shared, **signature})
