"""Tables of scores with a text for each item, such as its prompt: it tells which item a row is, and must fit ids."""

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, refuse
from touchstone.base.notes import warning
from touchstone.io.annotations import ANNOTATOR, ITEM
from touchstone.io.schema import Field, Rows
from touchstone.io.texts import exact_form, word_form
from touchstone.tasks.items.model import Named

PROMPT = Field("prompt", ("prompt", "input", "question", "query", "instruction", "problem", "source", "src", "premise"))
"""Columns that say what a system was given. Its output is no such text: outputs of several items may be equal."""


def with_items(named_tables: Named, remarks: list[str]) -> Named:
    """Return tables of several systems without ids with a column of items that are told apart by their prompts.

    Parameters
    ----------
    named_tables
        The tables.
    remarks
        Takes sentences on what was done.
    """
    columns = [rows.columns for _, rows in named_tables]
    several = len(named_tables) > 1 or any("system" in roles for roles in columns)
    if not several or any(roles.keys() & {ITEM.role, ANNOTATOR.role} for roles in columns):
        return named_tables
    prompts = [_prompt(rows) for _, rows in named_tables]
    if None in prompts:
        return named_tables
    ids: dict[tuple[str, int], str] = {}
    repeated = 0
    tables = []
    for (name, rows), prompt in zip(named_tables, prompts, strict=True):
        file = rows.table
        systems = rows.values("system") if "system" in rows.columns else [name] * len(rows)
        counts: Counter[tuple[str | None, str]] = Counter()
        items = []
        for system, text in zip(systems, file.texts(str(prompt)), strict=True):
            key = exact_form(text or "")
            counts[system, key] += 1
            repeated += counts[system, key] == 2
            items.append(ids.setdefault((key, counts[system, key]), str(len(ids) + 1)))
        table = replace(file, columns={ITEM.role: items, **file.columns})
        tables.append((name, replace(rows, table=table, columns={**rows.columns, ITEM.role: ITEM.role})))
    remarks.append(f"no ids, so rows are joined by {prompts[0]}")
    if repeated:
        remarks.append(f"texts of {prompts[0]} that a system has more than once, joined in their order: {repeated:,}")
    return tables


def check_prompts(named_tables: Named) -> None:
    """Refuse tables in which an item of one system has the prompt of another item of another system."""
    first: dict[str, str] = {}
    owners: dict[str, str] = {}
    faults: list[Fault] = []
    column = PROMPT.role
    for _, rows in named_tables:
        file, prompt = rows.table, _prompt(rows)
        if ITEM.role not in rows.columns or prompt is None:
            continue
        items, texts = rows.values(ITEM.role), file.texts(prompt)
        if 2 * len(set(texts)) < len(set(items)):  # such as the name of a data set
            continue
        for item, text, line in zip(items, texts, file.lines, strict=True):
            if item is None or text is None:
                continue
            form = word_form(text)
            if first.setdefault(item, form) != form and owners.get(form, item) != item:
                column = prompt
                what = f"item {item} has another {prompt} in other rows; this one belongs to item {owners[form]}"
                faults.append(Fault(what, file.source.name, line, text, code=Code.MISMATCH))
            owners.setdefault(form, item)
    same = f"give all systems the same ids, or leave out the column {column}"
    refuse(faults, f"ids and texts contradict each other: {same}")


FEWEST_TEXTS = 5
"""Different texts from which the same ones beside other items are no chance, as they are of outputs or labels."""


def moved_texts(named_tables: Named, fields: Collection[str]) -> list[str]:
    """Return a warning for each column whose texts are the same for two systems, but beside other items.

    Parameters
    ----------
    named_tables
        The tables.
    fields
        Columns with one value for each item, whatever the system.
    """
    first_texts: dict[str, tuple[str, dict[str, str]]] = {}
    warnings: dict[str, str] = {}
    for name, rows in named_tables:
        file, roles = rows.table, rows.columns
        if ITEM.role not in roles or ANNOTATOR.role in roles:
            continue
        items = rows.values(ITEM.role)
        systems = rows.values("system") if "system" in roles else [name] * len(rows)
        for column in file.columns.keys() - set(roles.values()) - set(fields):
            if file.is_numeric(column):
                continue
            placed: dict[str, dict[str, str]] = {}
            for system, item, text in zip(systems, items, file.texts(column), strict=True):
                placed.setdefault(system or name, {})[item or ""] = text or ""
            for system, texts in placed.items():
                other, before = first_texts.setdefault(column, (system, texts))
                if column not in warnings and _moved(before, texts):
                    what = f"{column} has the same texts for {other} and {system}, but beside other items"
                    warnings[column] = warning(f"{what}: an id may not mean the same item in both")
    return list(warnings.values())


def _moved(first: dict[str, str], second: dict[str, str]) -> bool:
    """Return whether two systems have the same texts for the same items, in another order."""
    if first is second or first == second or first.keys() != second.keys():
        return False
    counts = Counter(first.values())
    return len(counts) >= FEWEST_TEXTS and counts == Counter(second.values())


def _prompt(rows: Rows) -> str | None:
    """Return the column of prompts, None if there is no such column of texts."""
    file = rows.table
    name = file.name(*PROMPT.names, required=False)
    used = name is None or name in rows.columns.values()
    return None if used or file.is_numeric(str(name)) or not any(file.texts(str(name))) else name
