"""The finding of every analysis of agreement: coefficients of all labels or of groups, annotators, items."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from touchstone.base.errors import TouchstoneError
from touchstone.base.notes import warnings_of
from touchstone.base.tables import Cell, Column, Table, number
from touchstone.core.resampling import interval_heading, interval_text
from touchstone.core.results import Items
from touchstone.people.coefficient import Agreement, Coefficients
from touchstone.show.finding import Finding, Statement, kind_rows
from touchstone.show.page import Section

ITEM_COLUMNS = ("item", "labels", "disagreement", "majority", "mean")
"""The columns of items beside those of annotators."""

HEADINGS = {"raw_agreement": "agreed", "chance": "by chance"}
"""What coefficients are called where each is a column."""


@dataclass(frozen=True)
class GroupAgreement:
    """The coefficients of some labels.

    Parameters
    ----------
    about
        What the labels are about, such as ``{"criterion": "adequacy"}``. Where it has a ``group``, there are several
        such groups, and None stands for all of them together.
    coefficients
        The coefficients by name.
    """

    about: Mapping[str, str | None]
    coefficients: Coefficients


@dataclass(frozen=True, eq=False, repr=False)
class AnnotatorAgreement(Finding):
    """How well annotators agree.

    Parameters
    ----------
    title
        What was compared.
    groups
        The coefficients of all labels, of groups of them, and of several judgements.
    signature
        All that the numbers depend on.
    notes
        Facts about the labels.
    annotators
        How well each annotator agrees with the others: the share of items on which they gave the label that most of the
        others gave; under the interval distance, their mean difference from the mean of the others.
    items
        A row for each item, the most disputed first; None where nobody asks for them.
    distance
        How far labels are apart.
    parts
        Findings that belong to it, by name, such as scores.
    sentences
        The result in words.
    legend
        Sentences below the table of groups that explain its columns.
    subtitle, sections
        As in `touchstone.show.finding.Statement`.

    Examples
    --------
    >>> import touchstone
    >>> found = touchstone.agreement({"ana": ["yes", "no", "no", "yes"], "ben": ["yes", "no", "yes", "yes"]})
    >>> found.of()["cohen"].value
    0.5
    """

    title: str
    groups: Sequence[GroupAgreement]
    signature: Mapping[str, str]
    notes: Sequence[str] = ()
    annotators: Coefficients = field(default_factory=dict)
    items: Items | None = None
    distance: str = "nominal"
    parts: Mapping[str, Finding] = field(default_factory=dict)
    sentences: Sequence[str] = ()
    legend: Sequence[str] = ()
    subtitle: str = ""
    sections: Callable[[], Sequence[Section]] | None = None

    @property
    def coefficients(self) -> Coefficients:
        """The coefficients of the first group: of all labels, where there is no other judgement."""
        return self.groups[0].coefficients if self.groups else {}

    def of(self, **about: str | None) -> Coefficients:
        """Return the coefficients of what is asked for, by name.

        Parameters
        ----------
        about
            What the labels are about, such as ``criterion="adequacy"`` or ``group=None``; also their unit and distance.
        """
        chosen: dict[str, Agreement] = {}
        for group in self.groups:
            for name, agreement in group.coefficients.items():
                keys = {**group.about, "unit": agreement.unit, "distance": agreement.distance}
                if any(key not in keys or keys[key] != value for key, value in about.items()):
                    continue
                if name in chosen:
                    hint = f"say which: {', '.join(f'{key}={value}' for key, value in keys.items())} …"
                    raise TouchstoneError(f"there are several coefficients {name}", hint=hint)
                chosen[name] = agreement
        if not chosen:
            wanted = ", ".join(f"{key} {value or 'all'}" for key, value in about.items())
            raise TouchstoneError(f"there is no agreement on {wanted}")
        return chosen

    def table(self) -> Table:
        """Return every coefficient with its interval, and what it was computed from; groups are in another table."""
        groups = [group for group in self.groups if "group" not in group.about]
        every = [one for group in groups for one in group.coefficients.values()]
        names = list(dict.fromkeys(key for group in groups for key in group.about))
        several = len({one.unit for one in every}) > 1 or (len({one.units for one in every}) > 1 and bool(names))
        far = any(one.distance != "nominal" for one in every)
        rows: list[list[Cell]] = []
        rules, before = set(), None
        for group in groups:
            for one in group.coefficients.values():
                about: list[Cell] = [group.about.get(name) for name in names]
                about += [f"{one.unit} ({one.units:,})"] if several else []
                if names and before not in (None, about):
                    rules.add(len(rows))
                first, before = about if about != before else [""] * len(about), about
                counts: list[Cell] = [] if several else [one.units, one.answers]
                rows.append([*first, one.name, *([one.distance] if far else []), one.value, _ends(one), *counts])
        texts = [*names, *(["unit"] if several else []), "coefficient", *(["distance"] if far else [])]
        counts_heads = [] if several or not every else [f"{every[0].unit}s", "labels"]
        heads = ["value", self._interval_heading, *counts_heads]
        columns = [*map(Column, texts), *(Column(head, "right") for head in heads)]
        where = (lambda one: f"{one.name} of each {one.unit}") if several else (lambda one: one.name)
        notes = [f"{where(one)}: {one.note}" for one in every if one.reason]
        rough = [(one.unit, one.note) for one in every if one.note and not one.reason]
        notes += dict.fromkeys(f"each {unit}: {note}" if several else str(note) for unit, note in rough)
        return Table(columns, rows, self.title, [*notes, *warnings_of(self.notes)], rules=rules)

    def groups_table(self) -> Table:
        """Return a row for each group, a column for each coefficient, the interval of the first beside it."""
        groups = [group for group in self.groups if "group" in group.about]
        names = list(dict.fromkeys(key for group in groups for key in group.about))
        measures = list(dict.fromkeys(name for group in groups for name in group.coefficients))
        rows: list[list[Cell]] = []
        rules, notes, before = set(), [], None
        for group in groups:
            about = [group.about.get(name) or "all" for name in names]
            if before not in (None, about[:-1]):
                rules.add(len(rows))
            before = about[:-1]
            found = [group.coefficients.get(name) for name in measures]
            values: list[Cell] = [number(one.value) if one else None for one in found]
            first = next(iter(group.coefficients.values()))
            rows.append([*about, first.units, first.answers, values[0], _ends(first), *values[1:]])
            notes += [f"{', '.join(about)}: {first.name}: {first.note}"] if first.note else []
        heads = [HEADINGS.get(name, name.replace("_", " ")) for name in measures]
        leading, *others = heads
        unit = next((one.unit for group in groups for one in group.coefficients.values()), "item")
        columns = [f"{unit}s", "compared", leading, self._interval_heading, *others]
        title = "" if len(groups) < len(self.groups) else self.title
        return Table(
            [*map(Column, names), *(Column(head, "right") for head in columns)],
            rows,
            title,
            [*self.legend, *dict.fromkeys(notes)],
            rules=rules,
        )

    def annotators_table(self) -> Table:
        """Return how well each annotator agrees with the others."""
        what = "difference from the others" if self.distance == "interval" else "with the majority of the others"
        rows: list[list[Cell]] = [[name, one.value, _ends(one), one.units] for name, one in self.annotators.items()]
        heads = (what, self._interval_heading, "items")
        return Table([Column("annotator"), *(Column(head, "right") for head in heads)], rows)

    def items_table(self, most: int = 10) -> Table:
        """Return the most disputed items with their labels; only those that annotators disagree on.

        Parameters
        ----------
        most
            How many items at most.
        """
        rows: list[list[Cell]] = []
        for row, _ in zip(self.items or (), range(most), strict=False):
            labels = [f"{who} {label}" for who, label in row.items() if who not in ITEM_COLUMNS and label is not None]
            if row["disagreement"]:
                rows.append([str(row["item"]), float(str(row["disagreement"])), ", ".join(labels)])
        return Table([Column("item"), Column("disagreement", "right"), Column("labels")], rows, "Most disputed items")

    @property
    def _interval_heading(self) -> str:
        every = [one for group in self.groups for one in group.coefficients.values()]
        return interval_heading(every[0].interval.level) if every else "interval"

    def tables(self) -> list[Table]:
        """Return the tables of its own: coefficients, groups, annotators, disputed items; those that there are."""
        wide = sum("group" in group.about for group in self.groups)
        return [
            *([self.table()] if wide < len(self.groups) else []),
            *([self.groups_table()] if wide else []),
            *([self.annotators_table()] if self.annotators else []),
            *([self.items_table()] if self.items is not None else []),
        ]

    def statement(self) -> Statement:
        """Return coefficients, annotators and the most disputed items."""
        coefficients = [
            {**group.about, "measure": name, **agreement_row(one)}
            for group in self.groups
            for name, one in group.coefficients.items()
        ]
        annotators = [{"annotator": name, **agreement_row(one)} for name, one in self.annotators.items()]
        return Statement(
            self.title,
            self.tables(),
            [*kind_rows("coefficient", coefficients), *kind_rows("annotator", annotators)],
            self.sentences,
            self.notes,
            self.signature,
            parts=[part.statement() for part in self.parts.values()],
            subtitle=self.subtitle,
            sections=self.sections,
        )


def agreement_row(one: Agreement) -> dict[str, object]:
    """Return a coefficient as a row for machines.

    Parameters
    ----------
    one
        The coefficient.
    """
    ends = {"low": one.interval.low, "high": one.interval.high}
    counts = {"n": one.units, "compared": one.answers, "left_out": one.left_out}
    return {"unit": one.unit, "distance": one.distance, "value": one.value, **ends, **counts, "reason": one.reason}


def _ends(one: Agreement) -> str:
    return interval_text(one.interval.low, one.interval.high)
