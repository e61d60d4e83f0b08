"""Tables of translation: what each metric says of each system, side by side."""

from touchstone.core.results import Results
from touchstone.core.tables import Cell, Column, Table


def score_table(results: Results) -> Table:
    """Return a row for each system and a column for each measure, in the order of the first measure, best in bold."""
    first = results.measures[0]
    rows = {(row.system, row.measure): row for row in results.rows if row.group is None}
    sign = {measure.name: 1 if measure.lower_is_better else -1 for measure in results.measures}
    systems = sorted(
        (system.system for system in results.systems), key=lambda name: sign[first.name] * rows[name, first.name].value
    )
    cells: list[list[Cell]] = [
        [name, *(rows[name, measure.name].value for measure in results.measures)] for name in systems
    ]
    best = {m.name: min(systems, key=lambda name: sign[m.name] * rows[name, m.name].value) for m in results.measures}
    bold = {(systems.index(best[m.name]), n) for n, m in enumerate(results.measures, 1)} if len(systems) > 1 else set()
    heads = [f"{m.name}{' (lower is better)' if m.lower_is_better else ''}" for m in results.measures]
    return Table([Column("system"), *(Column(head, "right") for head in heads)], cells, bold=bold)
