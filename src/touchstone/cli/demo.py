"""The demonstration: a story for each task, told from the numbers of its bundled example, and a report to look at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from touchstone.base.console import working
from touchstone.base.options import OutFolder

if TYPE_CHECKING:
    from touchstone.core.results import Results
    from touchstone.tasks.mt.judges.metaeval.model import Meta

EXAMPLES = Path(__file__).parents[1] / "examples"

WIDTH = 100
"""Characters of a line of a story."""


@dataclass(frozen=True)
class Story:
    """The example of a task: its files, inside the task's folder, what is asked of them, and what the answer means.

    What came out is told from the numbers.
    """

    question: str
    means: str
    gold: str
    runs: Sequence[str] = ()
    measures: Sequence[str] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    cluster: str | None = None
    """The cluster of an example whose task cannot know it."""


STORIES = {
    "lexsub": Story(
        "Which system finds the words that people would use instead of another word?",
        "eager always gives ten words, and the right ones come late: it finds most of what people said (R), but a "
        "reader who starts at the top of its list meets the wrong words first (rank@10).",
        "demo.gold",
        ("careful.best", "careful.oot", "eager.oot", "frequent.oot"),
        options={"source": "demo.xml"},
    ),
    "mt": Story(
        "Which of five translations is best, and do metrics see what judges see?",
        "starling says the same in other words, and a metric that counts shared words cannot see that. magpie has the "
        "right words in the order of the source: bleu looks at the order and gives a low score, chrf hardly notices.",
        "refA.en",
        ("de-en", "starling"),
        options={"ref": ("refB.en",)},
    ),
    "pyramid": Story(
        "Which summary says what people found worth saying?",
        "sparrow expresses nearly as many content units as magpie (scu.count), but units that only one person wrote "
        "down: they weigh little. One document set is too little for a test.",
        "",
        measures=("pyramid.modified", "pyramid.original", "scu.count"),
    ),
    "nli": Story(
        "Do two systems know what a changed word does to a sentence?",
        "overlap says entailment wherever the words are nearly the same: it finds every entailment and few "
        "contradictions. Ten premises are too few to tell it from careful.",
        "gold.jsonl",
        ("overlap.jsonl", "careful.jsonl"),
    ),
    "items": Story(
        "Three systems answered 72 questions: which is best, and at what price?",
        "Nothing shows that osprey is right more often than plover, and plover takes less than half of its time. "
        "wagtail is fast, and mostly wrong.",
        "scores.csv",
        options={"lower_is_better": ("seconds",)},
        cluster="document",
    ),
}


REPORTS = Path("touchstone-demo")


def demo(*, out: OutFolder = REPORTS) -> None:
    """Score the bundled example of every task, explain the results and write the reports.

    Example: touchstone demo --out reports

    Parameters
    ----------
    out : -o FOLDER
        Folder for the reports.
    """
    from touchstone.io.writing import make_folder

    out = out or REPORTS
    make_folder(out)
    for name, story in STORIES.items():
        _tell(name, story, out)
    click.echo(f"Open a report in a browser. The files of the examples are in {EXAMPLES}")
    click.echo("Score your own: touchstone TASK score --help")


def _tell(name: str, story: Story, out: Path) -> None:
    """Score the example of a task, print its story and write its report."""
    from touchstone.core.registry import find_task
    from touchstone.core.resampling import Resampling
    from touchstone.io.writing import write_text
    from touchstone.show.page import render

    task, folder, path = find_task(name), EXAMPLES / name, out / f"{name}.html"
    files = {key: _inside(folder, value) if key in ("source", "ref") else value for key, value in story.options.items()}
    with working(f"scoring the example of {name}"):
        inputs = task.read(folder / story.gold, [folder / run for run in story.runs], **files)
        results = task.score(inputs, measures=story.measures, resampling=Resampling(cluster=story.cluster))
        page = results.page()
        write_text(path, render(page))
        judged = [_judges(results, out / "mt-meta.html")] if name == "mt" else []
    click.echo(f"{task.title}: {len(inputs.runs)} systems, {len(results):,} item{'s' * (len(results) != 1)}")
    came_out = " ".join([*page.verdict, *judged])
    for word, text in (
        ("asked", story.question),
        ("came out", came_out),
        ("means", story.means),
        ("report", str(path)),
    ):
        lines = fill(text, WIDTH, initial_indent=f"  {word:<9} ", subsequent_indent=" " * 12, break_long_words=False)
        click.echo(lines.replace("\N{NO-BREAK SPACE}", " "))
    click.echo()


def _inside(folder: Path, value: Any) -> Any:  # noqa: ANN401 (a file name, or several)
    return folder / value if isinstance(value, str) else tuple(folder / name for name in value)


def _judges(scored: "Results", path: Path) -> str:
    """Write the report that compares metrics with the judges of the translation example, and return its outcome."""
    from touchstone import mt
    from touchstone.io.writing import write_text
    from touchstone.show.page import render

    compared = mt.meta(mt.read_judgements(EXAMPLES / "mt" / "judges.csv"), scored)
    write_text(path, render(compared.page()))
    return f"{_agreement(compared)} (see {path.name})."


def _agreement(compared: "Meta") -> str:
    """Return the places of the system about which judges and metrics disagree most."""
    standings = compared.criteria[0].standings  # the best for judges first

    def rank_by(metric: str, system: str) -> int:
        best_first = sorted(standings, key=lambda standing: -(standing.scores[metric] or 0.0))
        return 1 + [standing.system for standing in best_first].index(system)

    names = [standing.system for standing in standings]
    ranks = {name: {metric: rank_by(metric, name) for metric in compared.measures} for name in names}
    disputed = max(names, key=lambda name: max(abs(rank - names.index(name) - 1) for rank in ranks[name].values()))
    metrics = ", ".join(f"{metric} at {rank}" for metric, rank in ranks[disputed].items())
    return f"Judges put {disputed} at place {names.index(disputed) + 1} of {len(names)}, {metrics}"
