"""What the command line says about a task: texts and options, which help shows without importing what does the work."""

from dataclasses import dataclass

from touchstone.base.options import NoOptions


@dataclass(frozen=True)
class About:
    """What is known of a task before it is imported.

    A task of another package may give the same as attributes of its class.

    Parameters
    ----------
    name, title, summary
        Its name in commands, the title of its report, and the line that ``--help`` shows.
    gold_help, run_help, example
        What the command line says about the arguments GOLD and RUN, and arguments that ``--help`` shows, such as
        ``test.gold mine=a.oot theirs=b.oot``.
    options, convert_options
        The dataclass of its own options, and of those of ``convert`` where they are others.
    runs_in_gold
        Whether the gold files contain the runs, so that there is no argument RUN.
    judged_in_tables
        Whether the scores of people and of a judge are in one or two tables, instead of a second gold.
    converts
        Whether it has several formats, so that there is a ``convert``.
    """

    name: str
    title: str
    summary: str
    gold_help: str = ""
    run_help: str = ""
    example: str = ""
    options: type = NoOptions
    convert_options: type | None = None
    runs_in_gold: bool = False
    judged_in_tables: bool = False
    converts: bool = True
