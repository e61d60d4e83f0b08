"""A lexicon of the `wn` library (Open English WordNet, OMW, …) as a `Dictionary`.

The library is asked for the lexicon as WN-LMF, the exchange format of the Global WordNet Association, whose
names of relations are mapped to Princeton's; relations that Princeton does not have are left out.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, TypeAlias

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.lexicon.dictionary import Dictionary, Entry, Key, Pointer, normalised_form
from touchstone.lexicon.relation import LEXICOGRAPHER_FILES, PARTS_OF_SPEECH, Pos, Relation

Element: TypeAlias = Mapping[str, Any]
"""An element of WN-LMF as the library reads it."""

RELATION_NAMES = {relation.name.lower(): relation for relation in Relation} | {
    "holo_member": Relation.MEMBER_HOLONYM,
    "holo_substance": Relation.SUBSTANCE_HOLONYM,
    "holo_part": Relation.PART_HOLONYM,
    "mero_member": Relation.MEMBER_MERONYM,
    "mero_substance": Relation.SUBSTANCE_MERONYM,
    "mero_part": Relation.PART_MERONYM,
    "entails": Relation.ENTAILMENT,
    "causes": Relation.CAUSE,
    "also": Relation.ALSO_SEE,
    "domain_topic": Relation.TOPIC,
    "has_domain_topic": Relation.IN_TOPIC,
    "domain_region": Relation.REGION,
    "has_domain_region": Relation.IN_REGION,
    "exemplifies": Relation.USAGE,
    "is_exemplified_by": Relation.IN_USAGE,
}
"""WN-LMF's names of relations; most are Princeton's."""
_PARTS: dict[str, Pos] = {"n": "n", "v": "v", "a": "a", "s": "a", "r": "r"}
_NUMBER = re.compile(r"([0-9]+)-[nvasr]$")


def read_wn(name: str) -> Dictionary:
    """Return the lexicon that the `wn` library knows by *name*, such as ``omw-en31`` or ``oewn:2024``."""
    lexicon = _exported(_library(), name)
    keys = _keys([synset for synset in lexicon["synsets"] if synset["partOfSpeech"] in _PARTS])
    entries = [entry for entry in lexicon["entries"] if entry["lemma"]["partOfSpeech"] in _PARTS]
    senses = {sense["id"]: (entry, sense) for entry in entries for sense in entry["senses"] if sense["synset"] in keys}
    return Dictionary(
        name=lexicon["label"],
        version=lexicon["version"],
        entries=list(_entries(lexicon["synsets"], keys, senses)),
        senses=_senses(entries, keys),
        counts={
            (_lemma(entry), keys[sense["synset"]]): sum(c["value"] for c in sense["counts"])
            for entry, sense in senses.values()
            if sense.get("counts")
        },
        exceptions=_exceptions(entries),
    )


def _library() -> ModuleType:
    try:
        return import_module("wn")
    except ModuleNotFoundError:
        hint = "pip install wn, then download a lexicon: python -m wn download omw-en31"
        raise TouchstoneError('the library "wn" is not installed', code=Code.MISSING_EXTRA, hint=hint) from None


def _exported(wn: ModuleType, name: str) -> Element:
    """Return the lexicon as the library writes it."""
    lexicons = wn.lexicons(lexicon=name)
    if len(lexicons) != 1:
        specifiers = [lexicon.specifier() for lexicon in wn.lexicons()]
        what = f"the library wn has {'several such lexicons' if lexicons else 'no such lexicon'}"
        hint = f"installed: {', '.join(specifiers) or 'none'}; give identifier and version, such as omw-en31:1.4"
        code = Code.AMBIGUOUS if lexicons else Code.UNKNOWN_NAME
        raise TouchstoneError(what, value=name, near=nearest(name, specifiers), code=code, hint=hint)
    lmf = import_module("wn.lmf")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "lexicon.xml"
        wn.export(lexicons, file)
        lexicon: Element = lmf.load(file, progress_handler=None)["lexicons"][0]
    return lexicon


def _keys(synsets: Sequence[Element]) -> dict[str, Key]:
    """Return the key of each synset: the offset in its identifier, its position where offsets are missing or equal."""
    id_matches = [_NUMBER.search(synset["id"]) for synset in synsets]
    keys = [
        (_PARTS[synset["partOfSpeech"]], int(number[1]))
        for synset, number in zip(synsets, id_matches, strict=True)
        if number
    ]
    if len(set(keys)) < len(synsets):
        keys = [(_PARTS[synset["partOfSpeech"]], position) for position, synset in enumerate(synsets, 1)]
    return {synset["id"]: key for synset, key in zip(synsets, keys, strict=True)}


def _entries(
    synsets: Sequence[Element], keys: Mapping[str, Key], senses: Mapping[str, tuple[Element, Element]]
) -> Iterator[Entry]:
    members = {synset["id"]: [member for member in synset.get("members", ()) if member in senses] for synset in synsets}
    ends = {name: (key, 0) for name, key in keys.items()} | {
        member: (keys[senses[member][1]["synset"]], word_number)
        for row in members.values()
        for word_number, member in enumerate(row, 1)
    }
    for synset in synsets:
        if synset["id"] not in keys:
            continue
        words = [senses[member] for member in members[synset["id"]]]
        yield Entry(
            key=keys[synset["id"]],
            satellite=synset["partOfSpeech"] == "s",
            file=_file(synset.get("lexfile")),
            words=[entry["lemma"]["writtenForm"].replace("_", " ") for entry, _ in words],
            markers=[sense.get("adjposition", "") for _, sense in words],
            pointers=[
                pointer
                for word_number, element in enumerate([synset, *(sense for _, sense in words)])
                for pointer in _pointers(element, word_number, ends)
            ],
        )


def _pointers(element: Element, word_number: int, ends: Mapping[str, tuple[Key, int]]) -> Iterator[Pointer]:
    """Yield the pointers of a synset (word number 0) or of a sense; one from a sense to a synset joins the synsets."""
    for link in element.get("relations", ()):
        relation, (key, to) = RELATION_NAMES.get(link["relType"]), ends.get(link["target"], (None, 0))
        if relation and key:
            # WN-LMF calls the groups of verbs similar; Princeton has a pointer of its own for them.
            grouped = relation is Relation.SIMILAR and key[0] == "v"
            yield Pointer(Relation.VERB_GROUP if grouped else relation, key, word_number if to else 0, to)


def _senses(entries: Sequence[Element], keys: Mapping[str, Key]) -> dict[tuple[str, Pos], list[Key]]:
    """Return the synsets of each lemma in order; entries that differ only in case are one lemma."""
    keys_by_lemma: dict[tuple[str, Pos], dict[Key, None]] = defaultdict(dict)
    for entry in entries:
        lemma = _lemma(entry)
        for sense in entry["senses"]:
            if key := keys.get(sense["synset"]):
                keys_by_lemma[lemma, key[0]][key] = None
    return {lemma: list(row) for lemma, row in keys_by_lemma.items()}


def _lemma(entry: Element) -> str:
    return normalised_form(entry["lemma"]["writtenForm"])


def _exceptions(entries: Sequence[Element]) -> dict[Pos, dict[str, list[str]]]:
    """Return the further forms that entries list, each with its lemmas."""
    exceptions: dict[Pos, dict[str, list[str]]] = {pos: {} for pos in PARTS_OF_SPEECH}
    for entry in entries:
        lemma = _lemma(entry)
        for form in entry.get("forms", ()):
            bases_by_form = exceptions[_PARTS[entry["lemma"]["partOfSpeech"]]]
            bases = bases_by_form.setdefault(normalised_form(form["writtenForm"]), [])
            if lemma not in bases:
                bases.append(lemma)
    return exceptions


def _file(name: str | None) -> int:
    return LEXICOGRAPHER_FILES.index(name if name in LEXICOGRAPHER_FILES else "unknown")
