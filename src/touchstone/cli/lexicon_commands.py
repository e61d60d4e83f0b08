"""``touchstone lexicon``: look up a word, and the path between two words."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from touchstone.base.options import Figure

if TYPE_CHECKING:
    from touchstone.io.jsonl import Json
    from touchstone.lexicon import Lexicon, Relation, Synset, Word

MAX_TARGETS = 8
"""How many targets of a relation are printed; the rest are counted, and --json has them all."""

EMBEDDED = "embedded"


def show(word: str, *, json: bool = False, lexicon: str = EMBEDDED) -> None:
    """Show the senses of a word, or one sense by its name, with their relations.

    Example: touchstone lexicon show leaves, or touchstone lexicon show dog.n.01

    Parameters
    ----------
    word
        A word, or the name of a sense.
    json
        Print one JSON object.
    lexicon : PATH
        An array file, a folder of Princeton's dictionary files, or wn:NAME.
    """
    from touchstone.lexicon import open_lexicon

    opened = open_lexicon(lexicon)
    named = None if opened.lemmas(word) else opened.find_named(word)
    words = [opened.word(named.lemmas[0])] if named else _words(opened, word)
    entries: list[Json] = [_describe(lexicon_word, named) for lexicon_word in words]
    if json:
        _print_json({"signature": str(opened.signature), "word": word, "entries": entries})
    else:
        print("\n".join(line for entry in entries for line in _entry_lines(entry)))


def path(first: str, second: str, *, svg: Figure = None, json: bool = False, lexicon: str = EMBEDDED) -> None:
    """Show the shortest path between two words.

    Example: touchstone lexicon path dog cat --svg path.svg

    Parameters
    ----------
    first, second
        A word.
    svg : FILE.svg
        Draw the path.
    json
        Print one JSON object.
    lexicon : PATH
        An array file, a folder of Princeton's dictionary files, or wn:NAME.
    """
    from touchstone.io.writing import write_text
    from touchstone.lexicon import open_lexicon
    from touchstone.lexicon.paths import path_between
    from touchstone.show.lexicon_paths import draw_path

    opened = open_lexicon(lexicon)
    steps = path_between(_words(opened, first), _words(opened, second))
    if svg:
        write_text(svg, draw_path(steps))
    if json:
        described: list[Json] = [
            {
                "relation": step.relation.label if step.relation else None,
                "synset": step.synset.name,
                "key": step.synset.key,
                "words": list(step.synset.words),
            }
            for step in steps
        ]
        _print_json({"signature": str(opened.signature), "path": described})
    else:
        lines = [
            (f"  {step.relation.label} → " if step.relation else "")
            + f"{step.synset.name}  {', '.join(step.synset.words)}"
            for step in steps
        ]
        print("\n".join(lines) or f"no path from {first} to {second}")


def _words(lexicon: "Lexicon", form: str) -> "list[Word]":
    """Return the words that *form* can be a form of, or say that there is none."""
    from touchstone.base.errors import TouchstoneError

    lemmas = lexicon.lemmas(form)
    if not lemmas:
        name = f"{lexicon.signature.name} {lexicon.signature.version}"
        raise TouchstoneError(f"not in {name}", value=form, near=lexicon.nearest_lemma(form))
    return [lexicon.word(lemma) for lemma in lemmas]


def _describe(word: "Word", only: "Synset | None" = None) -> "dict[str, Json]":
    """Return the senses of a word, or one of them, each with its count, its words and what its relations lead to.

    >>> from touchstone.lexicon import wordnet
    >>> sense = _describe(wordnet().word("dampish"))["senses"][0]
    >>> sense["synset"], sense["words"], sense["relations"]["similar"]
    ('damp.a.01', ['damp', 'dampish', 'moist'], ['wet.a.01'])
    """
    senses: list[Json] = [
        {
            "synset": synset.name,
            "key": synset.key,
            "pos": synset.pos,
            "file": synset.file,
            "count": count,
            "words": list(synset.words),
            "relations": _relations(word, synset),
        }
        for synset, count in zip(word.synsets(), word.counts(), strict=True)
        if only in (None, synset)
    ]
    return {"lemma": word.text, "senses": senses}


def _relations(word: "Word", synset: "Synset") -> "dict[str, Json]":
    """Return the targets of each relation; those of a word, not of its synonyms, for the word asked about alone."""
    from touchstone.lexicon import Relation

    between_words = (Relation.ANTONYM, Relation.DERIVATION, Relation.PERTAINYM, Relation.PARTICIPLE)
    targets_by_relation: dict[Relation, list[Json]] = {
        relation: _related_words(word, synset, relation)
        if relation in between_words
        else [target.name for target in synset.related(relation)]
        for relation in Relation
    }
    return {relation.label: targets for relation, targets in targets_by_relation.items() if targets}


def _related_words(word: "Word", synset: "Synset", relation: "Relation") -> "list[Json]":
    """Return the words that *relation* leads to from this word in this sense, each with its synset."""
    from touchstone.lexicon import Synset
    from touchstone.lexicon.tables import row

    lexicon = word.lexicon
    senses = [sense for sense in synset.word_ids if lexicon.words.values[sense] == word.id]
    targets = dict.fromkeys(target for sense in senses for target in row(lexicon.word_links(relation), sense))
    return [f"{lexicon.spelling(word)} ({Synset(lexicon, lexicon.synset_of(word)).name})" for word in targets]


def _entry_lines(entry: "Json") -> Iterator[str]:
    for sense in cast("dict[str, list[dict[str, Json]]]", entry)["senses"]:
        words = ", ".join(cast("list[str]", sense["words"]))
        yield f"{sense['synset']}  {words}  [{sense['file']}, count {sense['count']}]"
        for relation, targets in cast("dict[str, list[str]]", sense["relations"]).items():
            more = f", … and {len(targets) - MAX_TARGETS:,} more" if len(targets) > MAX_TARGETS else ""
            yield f"    {relation}: {', '.join(targets[:MAX_TARGETS])}{more}"


def _print_json(value: "dict[str, Json]") -> None:
    import json

    print(json.dumps(value, ensure_ascii=False, indent=2))
