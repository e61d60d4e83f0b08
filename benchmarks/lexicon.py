"""The lexicon against NLTK's WordNet reader and against the `wn` library, on the same dictionary files.

Start-up is what stands between an imported library and its first answer. Look-ups in bulk are cold: each word is asked
for once, right after opening. Look-ups word by word are of the words of a treebank, as they come and each once, by
readers that have answered some thousands before. Answers are compared; a ratio between different answers says nothing.
Times are CPU seconds.
"""

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from operator import eq
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

from touchstone.lexicon import Lexicon, Relation, wordnet
from touchstone.lexicon.container import open_container
from touchstone.lexicon.dictionary import Dictionary, Entry, Key, normalised_form
from touchstone.lexicon.opening import EMBEDDED, EMBEDDED_FILE
from touchstone.lexicon.princeton import read_princeton
from touchstone.lexicon.relation import LEXICOGRAPHER_FILES, UPWARD
from touchstone.lexicon.tables import Ids
from touchstone.lexicon.wn_library import RELATION_NAMES

TASKS = ("synonyms", "hypernyms", "antonyms")
ASKED = ("n", "v")
"""The parts of speech that words are asked for one by one."""
NLTK_EVERY, WN_EVERY = 8, 64
"""Every n-th lemma is asked for; `wn` answers each with several queries to a database."""

Ask = Callable[[Sequence[str]], list[set[str]]]
Single = Callable[[str, str], object]
"""A question about one word as a part of speech."""


@dataclass(frozen=True)
class Peer:
    """A library: how it starts, and how a fresh one answers each task."""

    name: str
    start: Callable[[], object]
    ask: dict[str, Callable[[], Ask]]


def main() -> None:
    """Print start-up, look-ups in bulk and look-ups word by word as ratios."""
    if "TOUCHSTONE_DATA" not in os.environ:
        print("set TOUCHSTONE_DATA to the folder of the real data")
        return
    folder = Path(os.environ["TOUCHSTONE_DATA"]) / "wordnet30"
    compare(nltk_peer(folder), NLTK_EVERY)
    compare_word_by_word(nltk_reader(folder), treebank_words(folder.parent / "ud" / "gum-dev.conllu"))
    if not find_spec("wn"):
        print("wn is not installed: not compared")
        return
    with TemporaryDirectory() as database:
        compare(wn_peer(folder, Path(database)), WN_EVERY)


def compare(peer: Peer, every: int) -> None:
    """Print our time, the peer's and their ratio for start-up and each task."""
    words = [wordnet().lemma(number) for number in range(0, wordnet().lemma_count, every)]
    own, theirs = best_of(3, fresh), best_of(3, peer.start)
    print(f"{'start-up':<10} {own * 1e3:8.1f} ms, {peer.name} {theirs * 1e3:9.1f} ms: {theirs / own:6.1f}x")
    for task in TASKS:
        ours, answers = timed(partial(opened_and_asked, task, words))
        taken, rows = timed(partial(peer.ask[task](), words))
        same = np.mean([left == right for left, right in zip(as_text(answers, task), rows, strict=True)])
        print(
            f"{task:<10} {ours * 1e3:8.1f} ms, {peer.name} {taken * 1e3:9.1f} ms: {taken / ours:6.1f}x "
            f"({len(words):,} words, {same:.2%} the same answers)"
        )


def compare_word_by_word(reader: Any, words: Sequence[str]) -> None:  # noqa: ANN401 (NLTK has no types)
    """Print our time for a word, NLTK's and their ratio for single look-ups: of words as they come and of each once."""
    for name, (own, other, same) in single_questions(wordnet(), reader).items():
        for which, some in (("as they come", words), ("each once", list(dict.fromkeys(words)))):
            runs = [(timed(partial(each, own, some)), timed(partial(each, other, some))) for _ in range(5)]
            ours, theirs = (min(run[side][0] for run in runs) / len(some) / len(ASKED) for side in (0, 1))
            share = np.mean([same(left, right) for left, right in zip(runs[0][0][1], runs[0][1][1], strict=True)])
            print(
                f"{name:<10} {ours * 1e6:8.2f} µs, NLTK {theirs * 1e6:9.2f} µs: {theirs / ours:6.1f}x "
                f"({len(some):,} words {which}, {share:.2%} the same answers)"
            )


def single_questions(lexicon: Lexicon, reader: Any) -> dict[str, tuple[Single, Single, Callable[[Any, Any], bool]]]:  # noqa: ANN401
    """Return how we and NLTK answer each question about one word, and whether two answers are the same.

    NLTK has no function that tells whether a lemma is listed: those here ask its own index. Its synsets are also those
    of base forms, ours those of the word as it stands.
    """
    index = reader._lemma_pos_offset_map

    def listed(word: str, pos: str) -> bool:
        return word in index and pos in index[word]

    def known(word: str, _: str) -> bool:
        return word in index

    def lemma_id(word: str, _: str) -> int:
        return lexicon.lemma_id(word)

    def same_bases(ours: Any, theirs: Any) -> bool:  # noqa: ANN401
        return set(ours) <= set(theirs)

    def same_synsets(ours: Any, theirs: Any) -> bool:  # noqa: ANN401
        return [synset.number for synset in ours] == [synset.offset() for synset in theirs]

    return {
        "base_form": (lexicon.base_form, lambda word, pos: reader.morphy(word, pos) or word, eq),
        "morph": (lexicon.morph, reader._morphy, same_bases),
        "listed": (lexicon.listed, listed, eq),
        "lemma_id": (lemma_id, known, lambda ours, theirs: (ours >= 0) == theirs),
        "synsets": (lambda word, pos: lexicon.word(word).synsets(pos), reader.synsets, same_synsets),
    }


def each(ask: "Single", words: Sequence[str]) -> list[object]:
    """Return the answers for every word as a noun and as a verb."""
    return [ask(word, pos) for pos in ASKED for word in words]


def treebank_words(path: Path) -> list[str]:
    """Return the words of a treebank in lower case, those with letters alone."""
    fields = (line.split("\t") for line in path.read_text("utf-8").split("\n"))
    return [row[1].lower() for row in fields if len(row) > 1 and row[1].isalpha()]


def fresh() -> Lexicon:
    """Return the embedded lexicon as a new process finds it: nothing computed, nothing cached."""
    lexicon = Lexicon(open_container(EMBEDDED_FILE), EMBEDDED)
    assert lexicon.lemma_id("dog") >= 0
    return lexicon


def opened_and_asked(task: str, words: Sequence[str]) -> Ids:
    """Open the lexicon and return the answers to all words as rows of numbers: lemmas, or synsets for hypernyms."""
    lexicon = fresh()
    ids = lexicon.lemma_ids(words)
    if task == "synonyms":
        return lexicon.synonyms(ids)
    if task == "hypernyms":
        return lexicon.step(lexicon.synsets(ids), *UPWARD)
    return lexicon.lemma_links(Relation.ANTONYM).take(ids)


def as_text(rows: Ids, task: str) -> Iterator[frozenset[str]]:
    """Yield the answers to each word as the peers give them: lemmas, or offset and part of speech of a synset."""
    lexicon = wordnet()
    for start, end in zip(rows.offsets[:-1], rows.offsets[1:], strict=True):
        row = rows.values[start:end].tolist()
        if task == "hypernyms":
            yield frozenset(f"{lexicon.synset_numbers[synset]:08}-{lexicon.pos(synset)}" for synset in row)
        else:
            yield frozenset(map(lexicon.lemma, row))


def nltk_peer(folder: Path) -> Peer:
    """Return NLTK's reader, asked for lemmas as they stand."""

    def senses(reader: Any, word: str) -> Iterator[Any]:  # noqa: ANN401
        form = word.replace(" ", "_")
        for pos, offsets in reader._lemma_pos_offset_map[form].items():
            if pos != "s":
                yield from (reader.synset_from_pos_and_offset(pos, offset) for offset in offsets)

    def synonyms(reader: Any, word: str) -> set[str]:  # noqa: ANN401
        return {normalised_form(name) for synset in senses(reader, word) for name in synset.lemma_names()} - {word}

    def hypernyms(reader: Any, word: str) -> set[str]:  # noqa: ANN401
        found = (up for synset in senses(reader, word) for up in synset.hypernyms() + synset.instance_hypernyms())
        return {f"{up.offset():08}-{up.pos()}" for up in found}

    def antonyms(reader: Any, word: str) -> set[str]:  # noqa: ANN401
        lemmas = (lemma for synset in senses(reader, word) for lemma in synset.lemmas())
        own = (lemma for lemma in lemmas if normalised_form(lemma.name()) == word)
        return {normalised_form(antonym.name()) for lemma in own for antonym in lemma.antonyms()}

    return peer("NLTK", partial(nltk_reader, folder), synonyms, hypernyms, antonyms)


def nltk_reader(folder: Path) -> Any:  # noqa: ANN401 (NLTK has no types)
    """Return a new reader of NLTK; it maps to no other version, which would cost it more."""
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    nltk.data.path.append(str(folder.parent))
    reader_type: Any = type("Reader", (WordNetCorpusReader,), {"map_wn": lambda *_: None})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reader = reader_type(str(folder), None)
    assert reader.synsets("dog")
    return reader


def wn_peer(folder: Path, database: Path) -> Peer:
    """Return the `wn` library with the same WordNet in a database of its own."""
    wn: Any = import_module("wn")
    wn.config.data_directory = database
    wn.add_lexical_resource(lexical_resource(read_princeton(folder)), progress_handler=None)

    def start() -> Any:  # noqa: ANN401 (looked up at run time)
        lexicon = wn.Wordnet("peer:3.0")
        assert lexicon.synsets("dog")
        return lexicon

    def synonyms(lexicon: Any, word: str) -> set[str]:  # noqa: ANN401
        return {normalised_form(lemma) for synset in lexicon.synsets(word) for lemma in synset.lemmas()} - {word}

    def hypernyms(lexicon: Any, word: str) -> set[str]:  # noqa: ANN401
        return {up.id.removeprefix("peer-") for synset in lexicon.synsets(word) for up in synset.hypernyms()}

    def antonyms(lexicon: Any, word: str) -> set[str]:  # noqa: ANN401
        found = (other for sense in lexicon.senses(word) for other in sense.get_related("antonym"))
        return {normalised_form(other.word().lemma()) for other in found}

    return peer("wn", start, synonyms, hypernyms, antonyms)


def peer(name: str, start: Callable[[], Any], *tasks: Callable[[Any, str], set[str]]) -> Peer:
    """Return a peer that answers each task word by word, with a fresh reader."""

    def asking(task: Callable[[Any, str], set[str]]) -> Callable[[], Ask]:
        def ready() -> Ask:
            reader = start()
            return lambda words: [task(reader, word) for word in words]

        return ready

    return Peer(name, start, dict(zip(TASKS, map(asking, tasks), strict=True)))


def lexical_resource(dictionary: Dictionary) -> dict[str, object]:
    """Return a dictionary in the form in which `wn` takes lexicons."""
    places: dict[tuple[str, str], dict[Key, int]] = {}
    for entry in dictionary.entries:
        for place, word in enumerate(entry.words, 1):
            places.setdefault((word, entry.key[0]), {})[entry.key] = place
    by_key = {entry.key: entry for entry in dictionary.entries}
    entries = [
        {
            "id": f"peer-{number}",
            "lemma": {"writtenForm": word, "partOfSpeech": pos},
            "senses": [sense_element(by_key[key], place) for key, place in senses.items()],
            "meta": None,
        }
        for number, ((word, pos), senses) in enumerate(places.items())
    ]
    synsets = [synset_element(entry) for entry in dictionary.entries]
    about = {"id": "peer", "label": "peer", "language": "en", "email": "-", "license": "-", "version": "3.0"}
    return {"lmf_version": "1.1", "lexicons": [{**about, "meta": None, "entries": entries, "synsets": synsets}]}


def sense_element(entry: Entry, place: int) -> dict[str, object]:
    """Return a word of a synset as an element of WN-LMF."""
    return {
        "id": f"{synset_id(entry.key)}-{place}",
        "synset": synset_id(entry.key),
        "relations": links(entry, place),
        "meta": None,
    }


def synset_element(entry: Entry) -> dict[str, object]:
    """Return a synset as an element of WN-LMF."""
    return {
        "id": synset_id(entry.key),
        "ili": "",
        "partOfSpeech": entry.key[0],
        "lexfile": LEXICOGRAPHER_FILES[entry.file],
        "members": [f"{synset_id(entry.key)}-{place}" for place in range(1, len(entry.words) + 1)],
        "relations": links(entry, 0),
        "meta": None,
    }


def links(entry: Entry, place: int) -> list[dict[str, object]]:
    """Return the relations of a word of a synset, or (place 0) of the synset."""
    names = {relation: name for name, relation in RELATION_NAMES.items()} | {Relation.VERB_GROUP: "similar"}
    return [
        {
            "target": synset_id(link.target) + (f"-{link.to_word}" if place else ""),
            "relType": names[link.relation],
            "meta": None,
        }
        for link in entry.pointers
        if link.from_word == place
    ]


def synset_id(key: Key) -> str:
    """Return the identifier of a synset: offset and part of speech."""
    return f"peer-{key[1]:08}-{key[0]}"


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds that *work* took, and its result."""
    start = process_time()
    result = work()
    return process_time() - start, result


def best_of(times: int, work: Callable[[], object]) -> float:
    """Return the fewest seconds that *work* took in some runs."""
    return min(timed(work)[0] for _ in range(times))
