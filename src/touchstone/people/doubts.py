"""What makes labels look like a mistake: other spellings, labels of other items, copies, codes for no label."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import combinations

import numpy as np
from scipy.special import bdtrc, ndtr

from touchstone.base.ids import plain_form
from touchstone.base.notes import warning
from touchstone.base.ragged import Floats
from touchstone.core.summaries import summary_rows
from touchstone.io.cells import is_decimal, listed

Labels = Sequence[Sequence[str | float | None]]
"""The labels of each item, a column for each annotator and None where there is none."""

FEWEST = 5
"""Labels of an annotator from which a label that nobody else uses is no chance."""

SHARED = 20
"""Items that two annotators share from which equal labels, or labels that agree by chance, are told."""

MODERATE = 0.4
"""The kappa, or correlation of numbers, of the others among themselves from which one who agrees by chance stands out
(Landis and Koch 1977)."""

CHANCE = 0.05
"""The level of the one-sided test that an annotator agrees with the others more often than by chance."""

SUMMARIES = {
    *("adjudicated", "aggregate", "aggregated", "consensus", "final", "final_label", "gold", "gold_label", "label"),
    *("majority", "prediction", "reference", "resolved", "truth"),
}
"""Names of columns that hold the labels of no person, but what was made of them."""

NO_LABEL = {"#n/a", "-", "--", "?", "n/a", "na", "nan", "null"}
"""Texts that often stand for a missing label."""

CODES = (-9.0, -99.0, -999.0, 99.0, 999.0, 9999.0)
"""Numbers that often stand for a missing label."""

MOST = 20
"""Annotators up to which each is compared with each other one; more share too few items."""

RARE = 0.2
"""The largest share of labels that codes for a missing one have."""

CROWD = 10
"""How many times as many annotators as items there are where the two columns seem to be exchanged."""

WORDS = {
    *("agree", "bad", "contradiction", "correct", "disagree", "entailment", "fail", "false", "good", "high"),
    *("incorrect", "left", "low", "medium", "negative", "neutral", "no", "pass", "positive", "right", "tie", "true"),
    "yes",
}
"""Labels that people shorten to their first letter."""

BEYOND, TIMES_BEYOND = 0.25, 1.5
"""The share of an annotator's numbers beyond all others, and how far beyond, from which the scale is another one."""

SLIPS = 0.1
"""The count of a label, as a share of that of another one, up to which it may be a slip of the keyboard."""

SHORT_WORD, LONG_WORD = 3, 6
"""Letters of words in which two that are exchanged, or one that is wrong, are a slip rather than another word."""

MOST_WORDS = 200
"""Labels up to which each is compared with each other one; more are answers in words of one's own."""

VARIED = 30.0
"""The information in the labels of items, in bits, from which it is no chance that they are there twice."""

EXTRA_WORD = 0.75
"""The share of items with a word of one annotator alone, among those on which the others agree, that have one label:
it may be another word for that label."""

CERTAIN = 0.01
"""The probability below which it is no chance that nobody else gave a label."""

_SEVERAL = re.compile(r"\s*[;|,/+]\s*")

_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")

_ZEROS = re.compile(r"(?<!\d)0+(?=\d)|\.0+$")


def doubts_about_labels(items: Sequence[str], annotators: Sequence[str], labels: Labels, *, wide: bool) -> list[str]:
    """Return a warning for each thing that looks like a mistake in labels, with its likely cause.

    Parameters
    ----------
    items
        The ids of the items.
    annotators
        The names of the annotators.
    labels
        The labels of each item, a column for each annotator.
    wide
        Whether each column of a table is taken for an annotator.

    Examples
    --------
    >>> rows = [["yes", "yes", "ja"], ["no", "no", "nein"]] * 3
    >>> doubts = doubts_about_labels(list("abcdef"), ["ana", "ben", "eva"], rows, wide=False)
    >>> [text.partition(";")[0] for text in doubts]
    ["warning: nobody else uses a label of eva ('ja' and 'nein')"]
    """
    columns = _filled_columns(labels)
    remarks = _codes([label for column in columns for label in column]) + _summaries(annotators, wide=wide)
    remarks += _two_names(annotators, labels)
    remarks += summary_rows(items) + _variants(columns) + _typos(labels) + _repeated(labels)
    if len(annotators) >= CROWD * len(items):
        what = f"{len(annotators):,} annotators labelled {len(items):,} item{'s' * (len(items) != 1)}"
        remarks.append(warning(f"{what}: are the columns of annotators and items exchanged?"))
    remarks += _zeros(annotators, columns) + _scales(annotators, labels)
    # One cause each: ids or spellings that differ also make annotators agree by chance.
    differing = _alone(items, annotators, labels) or _spellings(annotators, columns) or _extra_words(annotators, labels)
    return remarks + (differing or _companions(annotators, labels))


def _filled_columns(labels: Labels) -> list[list[str | float]]:
    return [[label for label in column if label is not None] for column in zip(*labels, strict=True)]


def alike(names: Sequence[str], form: Callable[[str], str]) -> list[list[int]]:
    """Return the positions of names that have the same form, for each form of several names.

    >>> alike(["Yes", "no", "yes"], str.lower)
    [[0, 2]]
    """
    groups: dict[str, list[int]] = {}
    for index, name in enumerate(names):
        groups.setdefault(form(name), []).append(index)
    return [group for group in groups.values() if len(group) > 1]


def _codes(labels: Sequence[str | float]) -> list[str]:
    """Return warnings of labels that may stand for a missing one, and of numbers with decimal commas."""
    counts = Counter(labels)
    texts = [label for label in counts if isinstance(label, str)]
    remarks = []
    if any(map(_DECIMAL_COMMA.fullmatch, texts)) and all(
        _DECIMAL_COMMA.fullmatch(text) or is_decimal(text) for text in texts
    ):
        remarks.append(warning("labels are numbers with decimal commas, which are read as names: write decimal points"))
    codes: list[str | float] = [text for text in texts if text.strip().casefold() in NO_LABEL]
    numbers = sorted(float(label) for label in counts if not isinstance(label, str) or is_decimal(label))
    ratings = [number for number in numbers if number not in CODES]
    if len(ratings) > 1 and len(numbers) == len(counts):
        scale = max(map(abs, ratings))
        codes += [label for label in counts if float(label) in CODES and abs(float(label)) >= 9 * scale]
        # More than three numbers, since -1, 0 and 1 are a scale.
        codes += [
            label for label in counts if float(label) == -1 and len(ratings) > 3 and min(ratings) == -1 < ratings[1]
        ]
    rare = [label for label in codes if counts[label] <= RARE * len(labels)]
    remarks += [
        warning(f"{_spelled(label)!r} counts as a label, {counts[label]:,} times; leave cells without a label empty")
        for label in rare
    ]
    return remarks


def doubts_about_ratings(annotators: Sequence[str], labels: Labels) -> list[str]:
    """Return a warning for each annotator whose numbers, which are averaged with others, are on another scale.

    Parameters
    ----------
    annotators
        The names of the annotators.
    labels
        The numbers of each item, a column for each annotator and None where there is none.

    Examples
    --------
    >>> doubts_about_ratings(["ana", "eva"], [[1, 20], [2, 60], [4, 80], [5, 100]] * 5)
    ["warning: nobody else uses a label of ana ('1' and '2' and '4'); write labels alike, on one scale"]
    """
    columns = _filled_columns(labels)
    if all(len(set(column)) < 2 for column in columns):
        return []  # such as the ages of annotators
    differing = _spellings(annotators, columns) or _scales(annotators, labels)
    return differing or _companions(annotators, labels, reversed_only=True)


def _variants(columns: Sequence[Sequence[str | float]]) -> list[str]:
    """Return warnings of labels that are short forms of others, or that join several others.

    >>> _variants([["yes", "no", "y"], ["yes", "no", "yes;no"]])[0]
    "warning: 'y' and 'yes' count as different labels; write each label in one form"
    """
    texts = sorted({label for column in columns for label in column if isinstance(label, str)})
    forms = {text.casefold(): text for text in texts}
    short = [(forms[word[0]], forms[word]) for word in sorted(WORDS & forms.keys()) if word[0] in forms]
    joined = [text for text in texts if len(parts := _SEVERAL.split(text)) > 1 and {*parts} <= {*texts}]
    remarks = [
        f"{first!r} and {word!r} count as different labels; write each label in one form" for first, word in short
    ]
    remarks += [f"{text!r} counts as a label of its own, but joins several others" for text in joined]
    return list(map(warning, remarks))


def _typos(labels: Labels) -> list[str]:
    """Return a warning of rare labels that are a slip of the keyboard away from a frequent one of the same items.

    >>> _typos([["yes", "yes"], ["no", "no"], ["yes", "yse"]] + [["yes", "no"]] * 20)[0]
    "warning: 'yse' counts as a label of its own, 1 time; is it 'yes'?"
    """
    counts = Counter(label for row in labels for label in row if isinstance(label, str))
    remarks = []
    for label, count in counts.items() if len(counts) <= MOST_WORDS else ():
        frequent_words = [word for word, times in counts.items() if count <= SLIPS * times and _is_slip(label, word)]
        beside = [row for row in labels if label in row]
        # A slip stands beside the word that was meant; another label would as often stand beside others.
        if frequent_words and sum(frequent_words[0] in row for row in beside) >= len(beside) / 2:
            times = f"{count:,} time{'s' * (count != 1)}"
            remarks.append(warning(f"{label!r} counts as a label of its own, {times}; is it {frequent_words[0]!r}?"))
    return remarks


def _is_slip(label: str, word: str) -> bool:
    """Return whether a label is a word with two letters exchanged, or a long word with one letter more, less or wrong.

    >>> [_is_slip(*pair) for pair in (("yse", "yes"), ("netural", "neutral"), ("neutrl", "neutral"), ("no", "on"))]
    [True, True, True, False]
    >>> [_is_slip(*pair) for pair in (("supports", "support"), ("bat", "cat"), ("entailed", "entailment"))]
    [False, False, False]
    """
    if not (label.isalpha() and word.isalpha()) or abs(len(label) - len(word)) > 1 or len(word) < SHORT_WORD:
        return False
    start = next((n for n, (a, b) in enumerate(zip(label, word, strict=False)) if a != b), min(len(label), len(word)))
    label_tail, word_tail = label[start:], word[start:]
    if len(word_tail) > 1 and label_tail == word_tail[1::-1] + word_tail[2:]:  # two letters exchanged
        return True
    changed = (label_tail[1:], word_tail), (label_tail, word_tail[1:]), (label_tail[1:], word_tail[1:])
    ending = start >= min(len(label), len(word)) - (len(label) == len(word))  # another form of the word
    return len(word) >= LONG_WORD and not ending and any(a == b for a, b in changed)


def _repeated(labels: Labels) -> list[str]:
    """Return a warning where the labels of all items are there twice or three times over, too varied for chance.

    >>> rows = [[n * n % 11 % 3, n * n % 7 % 2] for n in range(30)]
    >>> len(_repeated(rows * 2)), len(_repeated(rows)), len(_repeated([[1, 1]] * 60))
    (1, 0, 0)
    """
    rows = [tuple(row) for row in labels]
    for times in (2, 3):
        block_size = len(rows) // times
        block = rows[:block_size]
        if block_size < SHARED or rows != block * times:
            continue
        if any(block[n:] == block[:-n] for n in range(1, block_size // 2 + 1)):
            continue  # labels in a pattern, as a script makes them
        counts = np.array(list(Counter(block).values()))
        if float(counts @ np.log2(block_size / counts)) >= VARIED:
            what = f"the labels of the first {block_size:,} items come {times} times"
            return [warning(f"{what}; items may be there again under other ids: keep each once")]
    return []


def _zeros(annotators: Sequence[str], columns: Sequence[Sequence[str | float]]) -> list[str]:
    """Return a warning where one annotator alone has zeros among whole numbers from 1, too often for chance."""
    labels = {label for column in columns for label in column}
    numbers = sorted(label for label in labels if not isinstance(label, str))
    if len(numbers) < max(4, len(labels)) or numbers[0] != 0 or numbers[1] < 1:
        return []
    zeros = [column.count(0.0) for column in columns]
    who = int(np.argmax(zeros))
    count, label_count = zeros[who], len(columns[who])
    elsewhere = sum(map(len, columns)) - label_count
    # The power is the chance that nobody else gives a 0 if all give it as often.
    if count < sum(zeros) or count > RARE * label_count or (1 - count / label_count) ** elsewhere > CERTAIN:
        return []
    what = f"{annotators[who]} alone gave 0, {count:,} times, and all other labels are from {numbers[1]:g}"
    return [warning(f"{what}; leave cells without a label empty")]


def _scales(annotators: Sequence[str], labels: Labels) -> list[str]:
    """Return a warning of an annotator whose numbers are on a scale that begins elsewhere, or that goes further."""
    if not 1 < len(annotators) <= MOST or any(isinstance(label, str) for row in labels for label in row):
        return []
    table = np.array([[np.nan if label is None else label for label in row] for row in labels], np.float64)
    remarks = []
    for index, name in enumerate(annotators):
        annotator_labels, other_labels = table[:, index], np.delete(table, index, axis=1)
        both = ~np.isnan(annotator_labels) & ~np.isnan(other_labels).all(axis=1)
        mine, theirs = annotator_labels[both], other_labels[both]
        others = theirs[~np.isnan(theirs)]
        if len(mine) < SHARED or len(np.unique(mine)) < 3:
            continue
        beside = f"those of the others from {others.min():g} to {others.max():g}"
        ends = f"from {mine.min():g} to {mine.max():g}"
        moved = mine.min() - others.min()
        equal = [
            float(np.nanmean(np.where(np.isnan(theirs), np.nan, theirs == (mine - by)[:, None]))) for by in (0, moved)
        ]
        # A scale from 0 beside one from 1 has both ends one lower, and agrees better after a shift by one.
        lower = moved == -1 and mine.max() - others.max() == -1
        shifted = lower and equal[1] > max(0.5, 2 * equal[0])
        further = (mine > others.max()).mean() >= BEYOND and mine.max() >= TIMES_BEYOND * others.max()
        if shifted or (further and others.min() >= 0 < others.max()):
            remarks.append(
                warning(f"the labels of {name} are {ends}, and {beside}; all annotators need the same scale")
            )
    return remarks


def _spelled(label: str | float) -> str:
    return label if isinstance(label, str) else f"{label:g}"


def _examples(labels: Collection[str | float]) -> str:
    return " and ".join(repr(_spelled(label)) for label in sorted(labels, key=str)[:3])


def _summaries(annotators: Sequence[str], *, wide: bool) -> list[str]:
    """Return a warning of annotators that are named like what is made of labels, such as the majority."""
    named = [name for name in annotators if name.strip().casefold() in SUMMARIES]
    if not named or len(annotators) - len(named) < 2:
        return []
    what = f"{listed(map(repr, named))} counts as an annotator, but looks like what was made of the labels"
    return [warning(f"{what}; {'choose the columns of annotators' if wide else 'leave it out'}")]


def _two_names(annotators: Sequence[str], labels: Labels) -> list[str]:
    """Return a warning of annotators whose names differ in their form alone, and who never label the same item."""
    remarks = []
    for columns in alike(annotators, plain_form):
        if all(sum(row[column] is not None for column in columns) <= 1 for row in labels):
            names = " and ".join(repr(annotators[column]) for column in columns)
            remarks.append(warning(f"{names} never label the same item: write the name of a person in one form"))
    return remarks


def _alone(items: Sequence[str], annotators: Sequence[str], labels: Labels) -> list[str]:
    """Return a warning of an annotator who shares no item with another one, or items that differ in zeros alone."""
    groups = alike(items, lambda name: _ZEROS.sub("", " ".join(name.casefold().split())))
    twofold = [rows for rows in groups if _different_people([labels[row] for row in rows])]
    if twofold:
        pairs = [" and ".join(repr(items[row]) for row in rows) for rows in twofold[:3]]
        what = f"{len(twofold):,} items have ids in two forms, each with labels of other annotators"
        return [warning(f"{what} ({', '.join(pairs)}); write the ids of an item in one form")]
    shared = [sum(label is not None for label in row) > 1 for row in labels]
    remarks = []
    for column, name in enumerate(annotators):
        labelled_rows = [row for row in range(len(labels)) if labels[row][column] is not None]
        if len(labelled_rows) >= FEWEST and any(shared) and not any(shared[row] for row in labelled_rows):
            what = f"nobody else labelled any of the {len(labelled_rows):,} items of {name}"
            remarks.append(warning(f"{what}; their ids may have another form, or belong to another set"))
    return remarks


def _different_people(rows: Labels) -> bool:
    """Return whether no annotator has labelled more than one of some items."""
    return all(len(column) - column.count(None) <= 1 for column in zip(*rows, strict=True))


def _spellings(annotators: Sequence[str], columns: Sequence[Sequence[str | float]]) -> list[str]:
    """Return a warning of an annotator whose labels nobody else uses."""
    used = [set(column) for column in columns]
    numeric = all(not isinstance(label, str) for column_labels in used for label in column_labels)
    remarks = []
    for index, name in enumerate(annotators):
        others = set().union(*used[:index], *used[index + 1 :])
        if len(columns[index]) < FEWEST or not others or used[index] & others:
            continue
        if numeric and not _far(used[index], others):
            continue
        what = f"nobody else uses a label of {name} ({_examples(used[index])})"
        remarks.append(warning(f"{what}; write labels alike, on one scale"))
        if len(annotators) == 2:
            break
    return remarks


def _extra_words(annotators: Sequence[str], labels: Labels) -> list[str]:
    """Return a warning of one annotator who also uses words that nobody else does, where the others give one label.

    All other labels must be shared, so an annotator with finer labels among many is left alone.
    """
    users: dict[str | float, set[int]] = {}
    for row in labels:
        for column, label in enumerate(row):
            if label is not None:
                users.setdefault(label, set()).add(column)
    alone = {label: next(iter(columns)) for label, columns in users.items() if len(columns) == 1}
    columns = set(alone.values())
    if len(columns) != 1 or len(alone) == len(users) or not all(isinstance(label, str) for label in users):
        return []
    [column] = columns
    others = [[label for at, label in enumerate(row) if at != column and label is not None] for row in labels]
    beside: dict[str | float, Counter[str | float]] = {label: Counter() for label in alone}
    for row, other_labels in zip(labels, others, strict=True):
        label = row[column]
        if label is not None and label in beside and len(set(other_labels)) == 1:
            beside[label][other_labels[0]] += 1
    count = sum(counter.total() for counter in beside.values())
    most_frequent = sum(max(counter.values(), default=0) for counter in beside.values())
    other_counts = Counter(label for row in others for label in row)
    share = max(other_counts.values(), default=0) / max(1, other_counts.total())
    if count < FEWEST or most_frequent < EXTRA_WORD * count or bdtrc(most_frequent - 1, count, share) > CHANCE:
        return []
    agreed = f"the others agree on one label ({most_frequent:,} of {count:,})"
    what = f"only {annotators[column]} uses {_examples(alone)}, mostly where {agreed}"
    return [warning(f"{what}; if it is the same label, write it in one form")]


def _far(labels: set[str | float], others: set[str | float]) -> bool:
    """Return whether numbers are on another scale: all beyond the others, by a factor of three."""
    first, second = [abs(float(label)) for label in labels], [abs(float(label)) for label in others]
    return min(first) > 3 * max(second) or min(second) > 3 * max(first)


def _companions(annotators: Sequence[str], labels: Labels, *, reversed_only: bool = False) -> list[str]:
    """Return a warning of two annotators who are always equal, or of one who agrees with the others by chance, or less.

    Agreement by chance is common among people who are averaged: of these, only a reversed scale is told.
    """
    if len(annotators) > MOST:
        return []
    values = list(dict.fromkeys(label for row in labels for label in row if label is not None))
    numeric = len(values) > 2 and not any(isinstance(label, str) for label in values)
    codes = {label: float(label) if numeric else index for index, label in enumerate(values)}
    columns = np.array([[np.nan if label is None else codes[label] for label in row] for row in labels])
    links: dict[tuple[int, int], tuple[float, float]] = {}
    remarks = []
    for first, second in combinations(range(len(annotators)), 2):
        both = ~np.isnan(columns[:, first]) & ~np.isnan(columns[:, second])
        first_labels, second_labels = columns[both, first], columns[both, second]
        if len(first_labels) < SHARED or np.ptp(first_labels) == 0 or np.ptp(second_labels) == 0:
            continue
        links[first, second] = (
            _correlation(first_labels, second_labels) if numeric else _kappa(first_labels, second_labels)
        )
        if np.array_equal(first_labels, second_labels) and len(annotators) > 2:
            who = f"{annotators[first]} and {annotators[second]}"
            remarks.append(
                warning(f"{who} gave equal labels to all {len(first_labels):,} items; is one person given twice?")
            )
    measure = "correlation" if numeric else "kappa"
    return remarks or [
        text
        for index in range(len(annotators))
        if (text := _outsider(index, annotators, links, measure, reversed_only))
    ]


def _kappa(first: Floats, second: Floats) -> tuple[float, float]:
    """Return Cohen's kappa, and the probability of as many equal labels by chance."""
    chance = sum(float((first == code).mean() * (second == code).mean()) for code in np.unique(first))
    equal = int((first == second).sum())
    return (equal / len(first) - chance) / (1 - chance), float(bdtrc(equal - 1, len(first), chance)) if equal else 1.0


def _correlation(first: Floats, second: Floats) -> tuple[float, float]:
    """Return Pearson's correlation, and the probability of one as high by chance (Fisher's transformation)."""
    value = float(np.corrcoef(first, second)[0, 1])
    return value, float(ndtr(-np.arctanh(min(value, 1 - 1e-12)) * np.sqrt(len(first) - 3)))


def _outsider(
    index: int,
    annotators: Sequence[str],
    links: Mapping[tuple[int, int], tuple[float, float]],
    measure: str,
    reversed_only: bool,
) -> str | None:
    """Return a warning of an annotator whose labels fit those of the others by chance, or less, while these agree."""
    annotator_links = [link for pair, link in links.items() if index in pair]
    others = [link[0] for pair, link in links.items() if index not in pair]
    if not annotator_links or (len(annotators) > 2 and (not others or np.mean(others) < MODERATE)):
        return None
    mean = float(np.mean([strength for strength, _ in annotator_links]))
    beside = f", and they with each other by {np.mean(others):.2f}" if others else ""
    what = f"{annotators[index]} agrees with the others by a {measure} of {mean:.2f}{beside}"
    # Of two annotators each is against the other: one warning is enough.
    if mean <= -MODERATE:
        return warning(f"{what}; labels or the ends of a scale may be exchanged") if others or index == 0 else None
    if others and not reversed_only and min(chance for _, chance in annotator_links) > CHANCE:
        return warning(f"{what}; the rows may be in another order")
    return None
