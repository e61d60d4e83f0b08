"""Learn the weights of the measure `blend`, and show how such weights do on languages they were not learned from.

    python -m training.train_mt_blend WMT12 [--out src/touchstone/tasks/mt/blend/weights.toml] [--trials]

Reads rankings.csv, ref.en and the folders cs-en, de-en, es-en in the folder WMT12. Prints, as Markdown, what
docs/mt_quality.md shows: each language pair is left out in turn, the design is chosen and its weights are learned on
the other two (the design by leaving out one of these two), and the left-out pair is scored once. ``--trials`` adds what
else was tried: one layer less or more, another similarity of words; and how the measures do where two translations
hold no unknown word. ``--out`` then learns from all three pairs and writes the file; how that file does on these pairs
is no evidence of anything, and is not printed.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from training.mt_blend_weights import Ranked, choose, each_left_out, learn, ranked
from training.mt_rankings import Difference, Group, Work, compare_segments, pairs_where, read_group

from touchstone.core.ragged import Bools, Floats, Ragged, add_up
from touchstone.tasks.mt.blend import PARTS
from touchstone.tasks.mt.blend import words as blend_words
from touchstone.tasks.mt.blend.ngrams import Grams, characters, code, mean_f
from touchstone.tasks.mt.blend.words import Words, match_words, words_of
from touchstone.tasks.mt.judges.metaeval.segments import Statistic
from touchstone.tasks.mt.model import Texts
from touchstone.text import Sentence

PAIRS = ("cs-en", "de-en", "es-en")
RIVALS = ("chrf", "meteor(classic)", "meteor(tuned)", "maxsim(n)", "bleu")
RULES: tuple[Statistic, ...] = ("discordant", "skip", "acc_eq")


def held_out(layers: Sequence[Ranked]) -> list[Floats]:
    """Return the values of each pair under weights that were learned on the others."""
    return [one.values(learn(others)) for one, others in each_left_out(layers)]


def show_choices(layers: Mapping[str, Ranked]) -> list[Floats]:
    """Print the design and the weights chosen without each pair; return the values that they give it."""
    print("| left out | design | " + " | ".join((*PARTS[:-1], "power of known")) + " |")
    print("|---|---|" + "---|" * len(PARTS))
    found = []
    for pair, (one, others) in zip(layers, each_left_out(list(layers.values())), strict=True):
        design = choose(others)
        weights = learn(others, design.used)
        print(f"| {pair} | {design} | " + " | ".join(f"{weight:.3f}" for weight in weights) + " |", flush=True)
        found.append(one.values(weights))
    return found


def show_rivals(groups: Mapping[str, Group], values: list[Floats], only: Sequence[Bools] | None = None) -> None:
    """Print how the values agree with judges beside every rival, pair by pair and on average; on *only* some pairs."""
    print("\n| pair | measure | " + " | ".join(f"{rule} | blend is ahead by" for rule in RULES) + " |")
    print("|---|---|" + "---|---|" * len(RULES))
    rivals = {name: [group.scored(name) for group in groups.values()] for name in RIVALS}
    said = [group.preferences for group in groups.values()]
    said = [pairs_where(one, kept) for one, kept in zip(said, only, strict=True)] if only else said
    everything = [(pair, slice(n, n + 1)) for n, pair in enumerate(groups)] + [("mean", slice(None))]
    for pair, part in everything:
        found = {name: compare_segments(values[part], rival[part], said[part]) for name, rival in rivals.items()}
        first = next(iter(found.values()))
        print(f"| {pair} | **blend** | " + " | ".join(f"**{first[rule].a:.4f}** | " for rule in RULES) + " |")
        for name, differences in found.items():
            cells = (f"{differences[rule].b:.4f} | {span(differences[rule])}" for rule in RULES)
            print(f"| {pair} | {name} | " + " | ".join(cells) + " |", flush=True)


def both_known(one: Ranked) -> Bools:
    """Return the comparisons of two translations of which every word is known."""
    known = one.layers[..., -1] == 1
    return np.asarray(known[one.said.segment, one.said.first] & known[one.said.segment, one.said.second])


def span(found: Difference) -> str:
    """Return a difference with its interval."""
    return f"{found.difference:+.4f} [{found.low:+.4f}, {found.high:+.4f}]"


def runs(rows: Callable[[Sentence], list[str]], orders: int, *, parsed: bool = False) -> Work:
    """Return the layer of runs of strings that *rows* takes from a sentence."""

    def work(one: Texts, other: Texts) -> Floats:
        return mean_f(*(Grams.of(_codes(side), orders) for side in (one, other)))

    def _codes(side: Texts) -> "Ragged[np.uint64]":
        sentences = side.parsed() if parsed else side.tagged()
        return Ragged.of(([code(item) for item in rows(sentence)] for sentence in sentences), np.uint64)

    return work


def relations(sentence: Sentence) -> list[str]:
    """Return every relation as tags: of the dependent, its name, of the head."""
    above = ("ROOT", *sentence.tags)
    edges = zip(sentence.tags, sentence.relations, sentence.heads, strict=True)
    return [f"{tag[:2]} {name} {above[head][:2]}" for tag, name, head in edges]


def subjects_and_objects(sentence: Sentence) -> list[str]:
    """Return the relations of MAXSIM, as lemmas."""
    edges = sentence.dependents("nsubj", "csubj", "obj", "iobj")
    return [f"{sentence.lemmas[i - 1]} {sentence.relations[i - 1]} {sentence.lemmas[head - 1]}" for i, head in edges]


def common_words(sentence: Sentence) -> list[str]:
    """Return the words that stand more than three hundred times in a million."""
    return [word.form for word in words_of(sentence) if blend_words.information(word.form) <= 2.5 / 8]


def letters(orders: int, *, lower: bool) -> Work:
    """Return the layer of runs of characters."""
    return lambda one, other: mean_f(
        *(Grams.of(characters([t.lower() if lower else t for t in side.present]), orders) for side in (one, other))
    )


def nearness(one: Texts, other: Texts) -> Floats:
    """Return 1 - the mean distance of linked words, each at its place from 0 to 1 in its sentence."""
    found = match_words(*(Words.of([words_of(sentence) for sentence in side.tagged()]) for side in (one, other)))
    linked = found.partners >= 0
    row = found.left.row[linked]
    left = (found.left.place[linked] + 0.5) / found.left.sizes[row]
    right = (found.partners[linked] + 0.5) / found.right.sizes[row]
    links = np.bincount(row, minlength=len(found.left))
    gaps = add_up(row, np.abs(left - right), len(found.left)) / np.maximum(links, 1)
    return np.where(links > 0, 1 - gaps, 0.0)


def evenness(one: Texts, other: Texts) -> Floats:
    """Return the number of words of the shorter side over that of the longer."""
    sizes = np.array([[len(words_of(sentence)) for sentence in side.tagged()] for side in (one, other)])
    return np.asarray(sizes.min(axis=0) / np.maximum(sizes.max(axis=0), 1))


FURTHER: Mapping[str, Work] = {
    "relations between tags": runs(relations, 1, parsed=True),
    "subjects and objects": runs(subjects_and_objects, 1, parsed=True),
    "lemmas in runs of one to three": runs(lambda sentence: [lemma.lower() for lemma in sentence.lemmas], 3),
    "common words": runs(common_words, 1),
    "characters in runs of one to six": letters(6, lower=True),
    "characters with their case": letters(4, lower=False),
    "nearness of linked words": nearness,
    "evenness of length": evenness,
}
OTHER_WORDS: Mapping[str, Mapping[str, object]] = {
    "no synonyms": {"SAME_SYNSET": 0.0},
    "no stems": {"SAME_STEM": 0.0},
    "no likeness of letters": {"ALIKE": 0.0},
    "tags ignored": {"OTHER_TAG": 1.0},
    "tags must be equal": {"OTHER_TAG": 0.0},
    "all words weigh the same": {"information": lambda _: 1.0},
}


@contextmanager
def changed(numbers: Mapping[str, object]) -> Iterator[None]:
    """Let the words of `blend` be matched by other numbers."""
    before = {name: getattr(blend_words, name) for name in numbers}
    for name, value in numbers.items():
        setattr(blend_words, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(blend_words, name, value)


def show_trials(groups: Mapping[str, Group], layers: Sequence[Ranked], plain: list[Floats]) -> None:
    """Print what one more layer, or another similarity of words, does to pairs that were left out."""
    print("\n| instead | " + " | ".join(f"{rule} | changes by" for rule in RULES) + " |")
    print("|---|" + "---|---|" * len(RULES))
    for place, name in enumerate(PARTS):
        without = np.arange(len(PARTS)) != place
        values = [one.values(learn(others, without)) for one, others in each_left_out(layers)]
        show_trial(f"without {name}", values, plain, groups)
    for name, work in FURTHER.items():
        wider = [
            Ranked(one.said, np.insert(one.layers, -1, group.judged(work), axis=2))
            for one, group in zip(layers, groups.values(), strict=True)
        ]
        show_trial(f"and {name}", held_out(wider), plain, groups)
    for name, numbers in OTHER_WORDS.items():
        with changed(numbers):
            other = [ranked(group) for group in groups.values()]
        show_trial(name, held_out(other), plain, groups)


def show_trial(name: str, values: list[Floats], plain: list[Floats], groups: Mapping[str, Group]) -> None:
    """Print one trial: the mean over the left-out pairs, and the difference that it makes."""
    found = compare_segments(values, plain, [group.preferences for group in groups.values()])
    cells = (f"{found[rule].a:.4f} | {span(found[rule])}" for rule in RULES)
    print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def write_weights(path: Path, weights: Floats) -> None:
    """Write the weights with two digits: more would say more than was learned."""
    lines = [f"{name} = {weight:.2f}" for name, weight in zip(PARTS, weights, strict=True)]
    head = [
        "# The measure blend: weights of its layers, and the power to which the share of known words is raised.",
        "# Learned by training/train_mt_blend.py from the rankings of WMT 2012, cs-en, de-en and es-en together.",
    ]
    path.write_text("\n".join([*head, *lines]) + "\n", "utf-8")


def main() -> None:
    """Read, leave out, show; learn from everything where a file is wanted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wmt12", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--trials", action="store_true")
    given = parser.parse_args()
    folder: Path = given.wmt12
    groups = {pair: read_group(folder / "rankings.csv", folder / "ref.en", folder / pair) for pair in PAIRS}
    layers = {pair: ranked(group) for pair, group in groups.items()}
    values = show_choices(layers)
    show_rivals(groups, values)
    if given.trials:
        show_rivals(groups, values, [both_known(one) for one in layers.values()])
        show_trials(groups, list(layers.values()), held_out(list(layers.values())))
    if given.out:
        write_weights(given.out, learn(list(layers.values())))


if __name__ == "__main__":
    main()
