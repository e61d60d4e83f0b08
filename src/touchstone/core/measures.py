"""What a measure is: a name, a record for each item, a fold of records into a value, its range and its direction.

A record holds the sufficient statistics of one item as numbers that may be added. The value of an item is the
fold of its own record, the value of a set of items the fold of their sum. So intervals, groups and tests need no
second pass over the text. The last number of a record is 1 if the item counts and 0 if it does not.
"""

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from hashlib import sha256
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, TypeVar

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, missing, nearest
from touchstone.base.ragged import Floats
from touchstone.base.ranges import Range
from touchstone.core.formulas import Steps
from touchstone.stats.records import Fold, Records, mean, mean_value, own_records, own_value

Joined = TypeVar("Joined")
"""What the measures of a task look at: gold and one run, joined by id."""


@dataclass(frozen=True)
class Measure(Generic[Joined]):
    """A measure under its canonical name, such as ``P(k=1)`` or ``rank@10``."""

    name: str
    record: Callable[[Joined], Floats | Records] = field(repr=False)
    """Returns an array with a row for each item, or `Records` where runs or annotators of an item have rows.

    The last number of a row is 1 if the item counts; the row of an item that does not count is all zeros."""
    fold: Fold = field(repr=False)
    """Maps rows or sums of rows, shape (..., k), to values, shape (...); nan where nothing counts."""
    summary: str = field(default="", repr=False)
    empty: float = field(default=np.nan, repr=False)
    """The value of a set of items of which none counts."""
    parts: Callable[[Floats], Mapping[str, Floats]] | None = field(default=None, repr=False)
    """What records hold beside the value, by name: columns of the table of items."""
    item_values: Fold | None = field(default=None, repr=False)
    """The values of items where they are not the fold of their own records, such as sentence BLEU."""
    range: Range = field(default=Range(), repr=False)
    """What values an item and a set of items can have by its definition, up to rounding; nothing is taken from data."""
    lower_is_better: bool = field(default=False, repr=False)
    """Its direction."""
    signature: str = field(default="", repr=False)
    """What its figures depend on beside its name: resources and their versions."""
    supplied: bool = field(default=False, repr=False)
    """Whether the scores were made elsewhere and read from a file."""
    notes: tuple[str, ...] = field(default=(), repr=False)
    """What was noted when such scores were read."""
    of_items: bool = field(default=True, repr=False)
    """Whether items have values of their own; else only the value of the whole set is known."""
    own_items: bool = field(default=False, repr=False)
    """Whether a system's answers decide which items count, as in precision over attempted items. Where they do not, an
    item that counts for one system alone is missing for the other, and their comparison leaves it out."""

    failure_known: bool = field(default=True, repr=False)
    """Whether the record of a failed item is known, so that the value of a system that skips items has a bound."""
    formula: Callable[[Floats], Steps] | None = field(default=None, repr=False)
    """Shows how the numbers of one record give the value of its item, where they suffice to show it."""
    joint: Callable[[Sequence[Joined]], Floats] | None = field(default=None, repr=False)
    """Returns the records that all systems share, where a value needs all of them; `joint_measure` makes such a one."""

    def values(self, records: Floats) -> Floats:
        """Return the value of each item from its record; nan where the item does not count."""
        return (self.item_values or self.fold)(records)

    @property
    def is_mean(self) -> bool:
        """Whether the value of a set of items is the mean of the values of those that count."""
        return self.fold is mean and self.item_values is None

    @property
    def averages(self) -> bool:
        """Whether the values of items alone give the value of a set: it is their mean, whatever else records hold."""
        return self.is_mean or (self.fold is mean_value and self.item_values is None)

    def item_records(self, joined: Joined) -> Floats:
        """Return a record for each item of *joined*, the mean over its runs and annotators; refuse infinite numbers."""
        observed = self.record(joined)
        records = self._checked(observed.of_items() if isinstance(observed, Records) else observed)
        if not self.averages:
            self._check_fold(records[:1])
        return records

    def _check_fold(self, records: Floats) -> None:
        """Refuse a fold that takes the numbers of one record only."""
        try:
            with np.errstate(divide="ignore", invalid="ignore"):
                folds = np.shape(self.values(records)) == (len(records),)
        except (IndexError, ValueError):
            folds = False
        if not folds:
            hint = "take numbers from the last axis, as in sums[..., 0] / sums[..., 1]"
            raise TouchstoneError("the fold of this measure takes one record only", value=self.name, hint=hint)

    def joint_records(self, joined: Sequence[Joined]) -> list[Floats]:
        """Return the records of each system under a joint measure.

        Parameters
        ----------
        joined
            The joined runs.
        """
        assert self.joint is not None
        return own_records(self._checked(self.joint(joined)), len(joined))

    def _checked(self, records: Floats) -> Floats:
        if records.ndim != 2 or not np.isfinite(records).all():
            what = "this measure gives no finite record for every item"
            raise TouchstoneError(what, value=self.name, code=Code.NOT_FINITE)
        if ((records[:, -1] < 0) | (records[:, -1] > 1)).any():
            hint = "end each record with 1 if its item counts; a record of zeros does not count"
            what = "a record of this measure ends with a number above 1 or below 0"
            raise TouchstoneError(what, value=self.name, code=Code.OUT_OF_RANGE, hint=hint)
        return records


def joint_measure(
    name: str,
    record: Callable[[Sequence[Joined]], Floats],
    fold: Fold,
    summary: str = "",
    **settings: Any,  # noqa: ANN401 (further fields of a measure)
) -> Measure[Joined]:
    """Return a measure whose values need all systems at once, such as a rating from votes between them.

    Parameters
    ----------
    name, summary
        As of any `Measure`.
    record
        Returns, from the joined runs of all systems, an array with a row for each item; the last number of a row says
        whether the item counts.
    fold
        Maps a row, or a sum of rows, to an array with a value for each system.
    settings
        Further fields of the measure.

    Examples
    --------
    >>> def votes(joined):  # who is the best of all on each item
    ...     values = np.stack([run.values for run in joined], axis=1)
    ...     return np.hstack([values == values.max(axis=1, keepdims=True), np.ones((len(values), 1))])
    >>> measure = joint_measure("best", votes, lambda sums: sums[..., :-1] / sums[..., -1:], "items won / items")
    >>> from types import SimpleNamespace as Run
    >>> runs = [Run(values=np.array([0.9, 0.2, 0.7])), Run(values=np.array([0.5, 0.6, 0.1]))]
    >>> [measure.fold(rows.sum(axis=0)).round(2).item() for rows in measure.joint_records(runs)]
    [0.67, 0.33]
    """
    return Measure(
        name, _refuse_single_run, partial(own_value, fold=fold), summary, own_items=True, joint=record, **settings
    )


def _refuse_single_run(joined: object) -> Floats:  # noqa: ARG001 (the form of all records)
    raise TouchstoneError("this measure needs the runs of all systems at once", code=Code.UNSUPPORTED)


def harmonic_mean(sums: Floats) -> Floats:
    """Fold (P, R, counts) into 2PR/(P + R) of the two averages; 0 if both are 0.

    >>> harmonic_mean(np.array([0.5, 1.0, 1.0])).item() == 2 / 3
    True
    """
    precision, recall = ratio(sums[..., 0], sums[..., 2]), ratio(sums[..., 1], sums[..., 2])
    both = precision + recall
    return np.where(both == 0, 0.0, ratio(2 * precision * recall, both))


def ratio(above: Floats, below: Floats) -> Floats:
    """Return ``above / below``, nan where *below* is 0."""
    quotient = np.full(np.broadcast(above, below).shape, np.nan)
    np.divide(above, below, out=quotient, where=below != 0)
    return quotient


Make = Callable[..., Measure[Joined]]


class Measures(Generic[Joined]):
    """The measures of a task by name.

    A name is looked up as ``family``, ``family@10`` or ``family(k=1)``: the family is a function from its
    parameters, given as strings, to a `Measure`. Other packages add families under the entry point group
    ``touchstone.measures.TASK``; an entry point loads such a function. A name ``module:object`` is a measure of the
    user's own: the object is imported, and is a `Measure` or what the task can make one of.

    Parameters
    ----------
    task
        The name of the task.
    sources
        The papers that families of measures come from, as keys of the references of paper kits with blanks between; a
        family stands for those below it, such as ``els07`` for ``els07.best``.
    paper_names
        What papers call a family, where it is not its name.
    quote
        Returns the signature of a measure as papers quote it, from that signature and the one of its results, where
        the package that computes the measure asks for that; empty for other measures.
    """

    def __init__(
        self,
        task: str,
        sources: Mapping[str, str] | None = None,
        paper_names: Mapping[str, str] | None = None,
        quote: Callable[[str, Mapping[str, str]], str] = lambda signature, results: "",  # noqa: ARG005
    ) -> None:
        self.quote = quote
        self.task, self.sources, self._paper_names = task, sources or {}, paper_names or {}
        self._families: dict[str, Make[Joined]] = {}
        self._examples: dict[str, str] = {}
        self._adapters: dict[type, Make[Joined]] = {}
        self._groups: dict[str, tuple[str, ...]] = {}

    def add(self, family: str, make: Make[Joined], example: str | None = None) -> None:
        """Let *make* answer to the name *family*; *example* is a whole name of it, for help and suggestions.

        A package that *make* needs and that is not installed is one of the extra with the name of the task.
        """
        self._families[family] = make
        self._examples[family] = example or family

    def group(self, name: str, names: Iterable[str]) -> None:
        """Let *name* stand for the measures *names*: several of a kind, or one that has another name elsewhere."""
        self._groups[name] = tuple(names)

    def adapt(self, kind: type, make: Make[Joined]) -> None:
        """Let imported objects of a *kind* be measures: *make* takes its name, the object, its source, parameters."""
        self._adapters[kind] = make

    @property
    def names(self) -> list[str]:
        """A name of each family, as examples."""
        return [*self._examples.values(), *self._plugins]

    def signed(self, name: str) -> str:
        """Return a measure's name as signatures give it: with the package that brought it, if it is not ours."""
        point = self._plugins.get(parse_name(name)[0])
        return f"{name} ({_package(point)})" if point else name

    def paper_name(self, name: str) -> str:
        """Return what a paper calls a measure.

        >>> Measures("mt", paper_names={"maxsim": "MAXSIM"}).paper_name("maxsim(n)")
        'MAXSIM(n)'
        """
        family = parse_name(name)[0]
        return f"{self._paper_names.get(family, family)}{name[len(family) :]}"

    def sources_of(self, name: str) -> tuple[str, ...]:
        """Return the keys of the papers that a measure comes from; none for a common one.

        >>> Measures("lexsub", sources={"els07": "mccarthy-navigli-2007"}).sources_of("els07.best.P")
        ('mccarthy-navigli-2007',)
        """
        family = parse_name(name)[0]
        keys = (
            keys
            for source_family, keys in self.sources.items()
            if family == source_family or family.startswith(f"{source_family}.")
        )
        return tuple(next(keys, "").split())

    def find(self, name: str) -> Measure[Joined]:
        """Return the measure of that *name*; refuse unknown ones with the nearest known.

        Names ignore case, and a hyphen is an underscore.
        """
        name = self._spelled(name)
        family, at, arguments = parse_name(name)
        make = self._families.get(family) or self._plugin(family) or self._imported(family)
        if make is None:
            folded = {candidate.casefold(): candidate for candidate in self.names}
            near = folded.get(name.casefold()) or nearest(name, self.names)
            near = near or next((candidate for candidate in self.names if candidate.startswith(name)), None)
            hint = f"known: {', '.join(self.names)}"
            raise TouchstoneError("unknown measure", value=name, near=near, code=Code.UNKNOWN_NAME, hint=hint)
        try:
            measure = _made(make, name, at, arguments)
        except ModuleNotFoundError as error:
            if family in self._families:
                raise missing(str(error.name), self.task) from None
            raise
        if not measure.name.startswith(family):
            what = f"a measure registered as {family!r} has another name"
            raise TouchstoneError(what, value=measure.name, code=Code.MISMATCH)
        return measure

    def find_all(self, names: Iterable[str]) -> tuple[Measure[Joined], ...]:
        """Return the measures of all *names*, each once; the name of a group stands for its measures."""
        listed = [part for name in names for part in split_names(name)]
        single = [member for name in listed for member in self._groups.get(self._spelled(name.strip()), (name,))]
        return tuple({measure.name: measure for measure in map(self.find, single)}.values())

    def _spelled(self, name: str) -> str:
        """Return a *name* as it is registered: of one family, or one group, whatever its case and hyphens."""
        family = parse_name(name)[0]
        registered = [*self._families, *self._plugins, *self._groups]
        if family in registered or ":" in family:
            return name
        like = [
            candidate
            for candidate in registered
            if _fold_spelling(candidate).rstrip("@") == _fold_spelling(family).rstrip("@")
        ]  # R is not r@
        same = [candidate for candidate in like if _fold_spelling(candidate) == _fold_spelling(family)]
        unambiguous = len(same) == 1 and len({candidate.rstrip("@") for candidate in like}) == 1
        return f"{same[0]}{name.strip()[len(family) :]}" if unambiguous else name

    @cached_property
    def _plugins(self) -> dict[str, EntryPoint]:
        """The families that other packages bring; loaded when they are asked for."""
        points = {point.name: point for point in entry_points(group=f"touchstone.measures.{self.task}")}
        taken = next((name for name in points if name in self._families), None)
        if taken is not None:
            what = f"{_package(points[taken])} registers a measure under a name that is already used"
            raise TouchstoneError(what, value=taken, code=Code.DUPLICATE_NAME)
        return points

    def _plugin(self, family: str) -> Make[Joined] | None:
        point = self._plugins.get(family)
        if point is None:
            return None
        try:
            make: Make[Joined] = point.load()
        except Exception as error:  # whatever a foreign module does when it is imported
            what = f"{_package(point)} registers a measure that fails ({error})"
            raise TouchstoneError(what, value=family, code=Code.FAILED, hint="fix or uninstall it") from error
        return make

    def _imported(self, family: str) -> Make[Joined] | None:
        """Return the measure of an object of the user's own, under the path that imports it."""
        if ":" not in family:
            return None
        imported, source = import_object(family)
        if isinstance(imported, Measure):
            named: Measure[Joined] = replace(imported, name=family, signature=imported.signature or source)
            return lambda: named
        make = next((make for kind, make in self._adapters.items() if isinstance(imported, kind)), None)
        if make is None:
            hint = f"it must be one of: {', '.join(['Measure', *(kind.__name__ for kind in self._adapters)])}"
            what = f"a {type(imported).__name__} is not a measure"
            raise TouchstoneError(what, value=family, code=Code.BAD_VALUE, hint=hint)
        return partial(make, family, imported, source)


def measure_signatures(measures: Sequence[Measure[Any]]) -> dict[str, str]:
    """Return the part of a signature that says what measures depend on; nothing where none says it."""
    signatures = {measure.name: measure.signature for measure in measures if measure.signature}
    return {"metrics": "; ".join(f"{name}: {what}" for name, what in signatures.items())} if signatures else {}


def split_names(text: str) -> list[str]:
    """Return the names in a list with commas; those inside parentheses part parameters.

    >>> split_names("bleu,chrf"), split_names("F(k=1, mean=macro)")
    (['bleu', 'chrf'], ['F(k=1, mean=macro)'])
    """
    # A comma that a closing parenthesis follows, with no opening one between, is inside parentheses.
    return [part for part in re.split(r",(?![^(]*\))", text) if part.strip()] or [text]


def _fold_spelling(name: str) -> str:
    return name.strip().casefold().replace("-", "_")


def import_object(path: str) -> tuple[object, str]:
    """Return the object that ``module:object`` names, and its file with a digest; the working folder is looked into.

    >>> import_object("math:pi")[0] == np.pi
    True
    """
    module_name, _, name = path.partition(":")
    here = str(Path.cwd())
    # First, as `python -m` has it: the user's own file comes before an installed module of the same name.
    sys.path.insert(0, here)
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        hint = "name a file in this folder or an installed module, and an object in it"
        raise TouchstoneError(f"no module {error.name!r}", value=path, code=Code.UNKNOWN_NAME, hint=hint) from None
    except Exception as error:  # whatever a user's module does when it is imported
        what = f"its module fails when it is imported ({error})"
        raise TouchstoneError(what, value=path, code=Code.FAILED) from error
    finally:
        sys.path.remove(here)
    if not hasattr(module, name):
        near = nearest(name, vars(module))
        raise TouchstoneError(f"no {name!r} in {module_name}", value=path, near=near, code=Code.UNKNOWN_NAME)
    return getattr(module, name), _source(module)


def _source(module: ModuleType) -> str:
    file = getattr(module, "__file__", None)
    return f"{Path(file).name}#{sha256(Path(file).read_bytes()).hexdigest()[:12]}" if file else module.__name__


def _package(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.module


def parse_name(name: str) -> tuple[str, list[str], str]:
    """Return family, depth and parameters of a measure's name.

    >>> parse_name("rank@10"), parse_name("P(k=mean)")
    (('rank@', ['10'], ''), ('P', [], 'k=mean'))
    """
    parts = re.fullmatch(r"\s*([^@()\s]+)(?:(@)(\w+))?(?:\(([^()]*)\))?\s*", name)
    if parts is None:
        return name, [], ""
    return f"{parts[1]}{parts[2] or ''}", [parts[3]] if parts[3] else [], parts[4] or ""


def _made(make: Make[Joined], name: str, positional: list[str], arguments: str) -> Measure[Joined]:
    """Call *make* with the parameters as they stand in a measure's name."""
    keywords: dict[str, str] = {}
    for argument in filter(None, (part.strip() for part in arguments.split(","))):
        key, equals, value = (part.strip() for part in argument.partition("="))
        if key in keywords:
            raise TouchstoneError("a parameter of a measure is given twice", value=name, code=Code.BAD_VALUE)
        if equals:
            keywords[key] = value
        else:
            positional = [*positional, argument]
    try:
        bound = inspect.signature(make).bind(*positional, **keywords)
    except TypeError as error:
        raise TouchstoneError(f"wrong parameters of a measure ({error})", value=name, code=Code.BAD_VALUE) from None
    return make(*bound.args, **bound.kwargs)


def whole_number(text: str, what: str, most: int = 1000) -> int:
    """Return *text* as a whole number from 1 to *most*, or refuse it.

    >>> whole_number("10", "depth")
    10
    """
    if not re.fullmatch(r"[1-9][0-9]{0,8}", text, re.ASCII) or int(text) > most:
        raise TouchstoneError(f"{what} must be a whole number from 1 to {most:,}", value=text, code=Code.BAD_VALUE)
    return int(text)
