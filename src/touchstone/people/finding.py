"""The finding of every analysis of agreement: coefficients of all labels or of groups, annotators, items."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.notes import warnings_of
from touchstone.base.tables import Cell, Column, Table
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
        for of, agreement in self._entries:
            keys = {**of, "unit": agreement.unit, "distance": agreement.distance}
            if any(key not in keys or keys[key] != value for key, value in about.items()):
                continue
            if agreement.name in chosen:
                hint = f"say which: {', '.join(f'{key}={value}' for key, value in keys.items())} …"
                what = f"there are several coefficients {agreement.name}"
                raise TouchstoneError(what, code=Code.AMBIGUOUS, hint=hint)
            chosen[agreement.name] = agreement
        if not chosen:
            description = ", ".join(f"{key} {value or 'all'}" for key, value in about.items())
            raise TouchstoneError(f"there is no agreement on {description}", code=Code.UNKNOWN_NAME)
        return chosen

    def table(self) -> Table:
        """Return every coefficient with its interval, and what it was computed from; groups are in another table."""
        entries = [entry for entry in self._entries if "group" not in entry[0]]
        coefficients = [agreement for _, agreement in entries]
        keys = list(dict.fromkeys(key for about, _ in entries for key in about))
        with_distance = any(agreement.distance != "nominal" for agreement in coefficients)
        rows: list[list[Cell]] = []
        rules: set[int] = set()
        before: list[Cell] | None = None
        for about, agreement in entries:
            subject: list[Cell] = [about.get(key) for key in keys]
            counts: list[Cell] = [agreement.units, agreement.answers]
            if keys:  # several judgements have units of their own
                subject, counts = [*subject, f"{agreement.unit} ({agreement.units:,})"], []
            rules |= {len(rows)} if before not in (None, subject) else set()
            # What several rows are about is written in the first of them.
            cells = subject if subject != before else [""] * len(subject)
            distance = [agreement.distance] if with_distance else []
            rows.append([*cells, agreement.name, *distance, agreement.value, _ends(agreement), *counts])
            before = subject
        texts = [*keys, *(["unit"] if keys else []), "coefficient", *(["distance"] if with_distance else [])]
        heads = ["value", self._interval_heading, *([] if keys else [f"{coefficients[0].unit}s", "labels"])]
        columns = [*map(Column, texts), *(Column(head, "right") for head in heads)]
        notes = [
            f"{agreement.name}{f' of each {agreement.unit}' if keys else ''}: {agreement.note}"
            for agreement in coefficients
            if agreement.reason
        ]
        without_interval = [agreement for agreement in coefficients if agreement.note and not agreement.reason]
        notes += dict.fromkeys(f"{f'each {each.unit}: ' if keys else ''}{each.note}" for each in without_interval)
        return Table(columns, rows, self.title, [*notes, *warnings_of(self.notes)], rules=rules)

    def groups_table(self) -> Table:
        """Return a row for each group, a column for each coefficient, the interval of the first beside it."""
        groups = [group for group in self.groups if "group" in group.about]
        keys = list(dict.fromkeys(key for group in groups for key in group.about))
        first, *others = dict.fromkeys(name for group in groups for name in group.coefficients)
        rows: list[list[Cell]] = []
        rules: set[int] = set()
        notes: list[str] = []
        before: list[str] | None = None
        for group in groups:
            about = [group.about.get(key) or "all" for key in keys]
            rules |= {len(rows)} if before not in (None, about[:-1]) else set()
            before, leading = about[:-1], group.coefficients[first]
            values = [group.coefficients[name].value if name in group.coefficients else None for name in others]
            rows.append([*about, leading.units, leading.answers, leading.value, _ends(leading), *values])
            notes += [f"{', '.join(about)}: {first}: {leading.note}"] if leading.note else []
        names = [HEADINGS.get(name, name.replace("_", " ")) for name in others]
        heads = [f"{groups[0].coefficients[first].unit}s", "compared", first, self._interval_heading, *names]
        columns = [*map(Column, keys), *(Column(head, "right") for head in heads)]
        title = self.title if len(groups) == len(self.groups) else ""
        return Table(columns, rows, title, [*self.legend, *dict.fromkeys(notes)], rules=rules)

    @property
    def _entries(self) -> list[tuple[Mapping[str, str | None], Agreement]]:
        """Every coefficient with what it is about."""
        return [(group.about, agreement) for group in self.groups for agreement in group.coefficients.values()]

    def annotators_table(self) -> Table:
        """Return how well each annotator agrees with the others."""
        what = "difference from the others" if self.distance == "interval" else "with the majority of the others"
        rows: list[list[Cell]] = [
            [name, agreement.value, _ends(agreement), agreement.units] for name, agreement in self.annotators.items()
        ]
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
        return interval_heading(self._entries[0][1].interval.level)

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
            {**about, "measure": agreement.name, **agreement_row(agreement)} for about, agreement in self._entries
        ]
        annotators = [{"annotator": name, **agreement_row(each)} for name, each in self.annotators.items()]
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


def agreement_row(agreement: Agreement) -> dict[str, object]:
    """Return a coefficient as a row for machines.

    Parameters
    ----------
    agreement
        The coefficient.
    """
    interval = agreement.interval
    counts = {"n": agreement.units, "compared": agreement.answers, "left_out": agreement.left_out}
    values = {"value": agreement.value, "low": interval.low, "high": interval.high, **counts}
    return {"unit": agreement.unit, "distance": agreement.distance, **values, "reason": agreement.reason}


def _ends(agreement: Agreement) -> str:
    return interval_text(agreement.interval.low, agreement.interval.high)
