"""A lexicon: the tables, the morphology, and words and synsets as objects for people and notebooks."""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.ragged import Ragged
from touchstone.io.jsonl import Json
from touchstone.lexicon import bulk, morphology, paths
from touchstone.lexicon.container import Container, pack
from touchstone.lexicon.dictionary import normalised_form
from touchstone.lexicon.relation import PARTS_OF_SPEECH, Pos, checked_pos
from touchstone.lexicon.synset import Synset
from touchstone.lexicon.tables import Ids, Tables, beside
from touchstone.lexicon.word import Word

_BITS: dict[str, int] = {pos: 1 << bit for bit, pos in enumerate(PARTS_OF_SPEECH)}

_REMEMBERED = 1 << 13
"""Lemmas whose synsets are kept as objects: texts repeat their words, and these take about 4 MB."""

_BY_SENSE = re.compile(r"(?P<lemma>.+)\.(?P<pos>[nvasr])\.(?P<number>[0-9]{1,9})", re.DOTALL)
_BY_OFFSET = re.compile(r"(?P<number>[0-9]{1,12})-(?P<pos>[nvasr])")


@dataclass(frozen=True)
class Signature:
    """Which lexicon an answer came from.

    >>> print(Signature("WordNet", "3.0", "4be8c1f09d27aa60"))
    WordNet 3.0#4be8c1f09d27
    """

    name: str
    version: str
    digest: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}#{self.digest[:12]}"


class Lexicon(Tables):
    """WordNet, by number in bulk (`Tables`) and by word for people.

    It never changes once it is open, so threads may share it; a pickle holds where it came from and its
    digest, not its content. ``synsets_of(lemma_id, pos)`` is the synsets of one lemma; the last thousands are kept.

    >>> from touchstone.lexicon import wordnet
    >>> wordnet().lemmas("mice", "n"), wordnet().base_form("went", "v")
    (('mouse',), 'go')
    >>> [synset.words for synset in wordnet().word("Hot_Dog").synsets("n")][:2]
    [('hotdog', 'hot dog'), ('hotdog', 'hot dog', 'red hot')]
    """

    def __init__(self, container: Container, source: str) -> None:
        super().__init__(container)
        self.source = source
        self.synsets_of = lru_cache(_REMEMBERED)(self._synsets_of)
        self.signature = Signature(str(container.about["name"]), str(container.about["version"]), container.digest)

    def __repr__(self) -> str:
        return f"<Lexicon {self.signature}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lexicon) and self.signature == other.signature

    def __hash__(self) -> int:
        return hash(self.signature.digest)

    def __reduce__(self) -> tuple[object, ...]:
        from touchstone.lexicon.opening import reopen

        return reopen, (self.source, self.signature.digest)

    def __contains__(self, form: object) -> bool:
        return isinstance(form, str) and self.lemma_id(form) >= 0

    def save(self, path: str | Path) -> None:
        """Write an array file that opens at once, for a lexicon that was read from slower files."""
        from touchstone.io.writing import replacing

        about: dict[str, Json] = {"name": self.signature.name, "version": self.signature.version}
        with replacing(path) as beside:
            beside.write_bytes(pack(self._arrays, about))

    def word(self, form: str) -> Word:
        """Return the word with exactly this form (see `lemmas` for base forms); it may have no senses."""
        return Word(self, normalised_form(form), self.lemma_id(form))

    def synset(self, name: str) -> Synset:
        """Return a synset by first word, part of speech and sense number, or by byte offset and part of speech.

        >>> from touchstone.lexicon import wordnet
        >>> wordnet().synset("dog.n.01") == wordnet().synset("02084071-n")
        True
        """
        synset = self.find_named(name)
        if synset is None:
            what = "no such synset"
            raise TouchstoneError(what, value=name, code=Code.UNKNOWN_NAME, hint="write dog.n.01, or 02084071-n")
        return synset

    def find_named(self, name: str) -> Synset | None:
        """Return the `synset` of that name, None if there is none."""
        by_sense, by_offset = _BY_SENSE.fullmatch(name), _BY_OFFSET.fullmatch(name)
        if by_sense:
            senses = self.word(by_sense["lemma"]).synsets(by_sense["pos"])
            rank = int(by_sense["number"])
            return senses[rank - 1] if 1 <= rank <= len(senses) else None
        number = self.find_synset(by_offset["pos"], int(by_offset["number"])) if by_offset else -1
        return Synset(self, number) if number >= 0 else None

    def lemmas(self, form: str, pos: str | None = None) -> tuple[str, ...]:
        """Return the lemmas that *form* can be a form of: its base forms first, itself last if it is listed.

        Base forms are those of `morph` that WordNet lists. Without *pos*, nouns come first, then verbs,
        adjectives, adverbs.

        >>> from touchstone.lexicon import wordnet
        >>> wordnet().lemmas("leaves"), wordnet().lemmas("found", "v"), wordnet().lemmas("xyzzy")
        (('leaf', 'leave'), ('find', 'found'), ())
        """
        text, part_of_speech = normalised_form(form), checked_pos(pos)
        lemmas = (
            lemma
            for part in ((part_of_speech,) if part_of_speech else PARTS_OF_SPEECH)
            for lemma in (*morphology.base_forms(text, part, self._exceptions, self._lists), text)
            if self._lists(lemma, part)
        )
        return tuple(dict.fromkeys(lemmas))

    def base_form(self, form: str, pos: str | None = None) -> str:
        """Return the first of `lemmas`, or *form* itself, in lower case, where there is none.

        >>> from touchstone.lexicon import wordnet
        >>> [wordnet().base_form(form, "v") for form in ("Running", "gave up", "xyzzies")]
        ['run', 'give up', 'xyzzies']
        """
        text, part_of_speech = normalised_form(form), checked_pos(pos)
        for part in (part_of_speech,) if part_of_speech else PARTS_OF_SPEECH:
            for lemma in (*morphology.base_forms(text, part, self._exceptions, self._lists), text):
                if self._lists(lemma, part):
                    return lemma
        return text

    def morph(self, form: str, pos: str) -> tuple[str, ...]:
        """Return what Princeton's morph gives: irregular bases, listed or not, or one base by rule; never *form*.

        >>> from touchstone.lexicon import wordnet
        >>> wordnet().morph("axes", "n"), wordnet().morph("attorneys general", "n"), wordnet().morph("dog", "n")
        (('ax', 'axis'), ('attorney general',), ())
        """
        return morphology.base_forms(normalised_form(form), checked_pos(pos), self._exceptions, self._lists)

    def exceptions(self, pos: str) -> Mapping[str, Sequence[str]]:
        """Return the irregular forms of a part of speech, each with the lemmas it can be a form of.

        >>> from touchstone.lexicon import wordnet
        >>> wordnet().exceptions("n")["mice"]
        ('mouse',)
        """
        return self._exceptions[checked_pos(pos)]

    def shortest_base(self, form: str, pos: str) -> str:
        """Return the shortest lemma of a word by NLTK's rules, as SWORDS lemmatises; the form where nothing is listed.

        As there, a phrase is listed with underscores, and a form with capitals is not listed.

        >>> from touchstone.lexicon import wordnet
        >>> wordnet().shortest_base("leaves", "n"), wordnet().shortest_base("glasses", "n")
        ('leaf', 'glass')
        """

        def listed(text: str, part: Pos) -> bool:
            return " " not in text and self._lists(text.replace("_", " "), part)

        return morphology.shortest_base(form, checked_pos(pos), self._exceptions, listed)

    def irregular(self, form: str) -> tuple[str, ...]:
        """Return the bases that the exception lists give to *form*, whatever the part of speech.

        >>> from touchstone.lexicon import wordnet
        >>> wordnet().irregular("mice"), wordnet().irregular("dogs")
        (('mouse',), ())
        """
        return tuple(base for bases in self._exceptions.values() for base in bases.get(form, ()))

    def possible_lemmas(self, form: str, pos: str) -> tuple[str, ...]:
        """Return every lemma that *form* could be: itself and its irregular bases or, without these, all by rule.

        More than `lemmas`, which takes the first base by rule and looks at the parts of collocations.

        >>> from touchstone.lexicon import wordnet
        >>> wordnet().possible_lemmas("hated", "v"), wordnet().possible_lemmas("best", "a")
        (('hate', 'hat'), ('best', 'good'))
        """
        text, part_of_speech = normalised_form(form), checked_pos(pos) or "n"
        bases = morphology.possible_bases(text, part_of_speech, self._exceptions)
        return tuple(dict.fromkeys(lemma for lemma in (text, *bases) if self.listed(lemma, part_of_speech)))

    def listed(self, form: str, pos: str) -> bool:
        """Return whether *form*, as it stands, is a lemma of that part of speech."""
        lemma_id, bit = self._numbers[form], _BITS.get(pos) or _BITS[checked_pos(pos)]
        return lemma_id >= 0 and self._parts_of_speech[lemma_id] & bit > 0

    def synset_ids(self, forms: Sequence[str], pos: str | None = None) -> Ids:
        """Return the synsets of each form and of all its base forms, for texts that are not lemmatised."""
        return beside(*(self._senses_of(forms, part) for part in ([pos] if pos else PARTS_OF_SPEECH)))

    def _senses_of(self, forms: Sequence[str], pos: str) -> Ids:
        """Return the synsets of *pos* that each form has under any of its lemmas of *pos*, each once."""
        lemmas = {form: self.lemmas(form, pos) for form in dict.fromkeys(forms)}
        ids = self.lemma_ids([lemma for form in forms for lemma in lemmas[form]])
        rows = Ragged.from_sizes(np.array([len(lemmas[form]) for form in forms], np.int64), ids)
        senses = self.synsets(rows.values, pos)
        sizes = np.bincount(rows.row[senses.row], minlength=len(forms))
        return Ragged.from_sizes(sizes, senses.values).distinct()

    def nearest_lemma(self, form: str) -> str | None:
        """Return the lemma at most two edits from *form* among those with its first letter, None if none is.

        >>> from touchstone.lexicon import wordnet
        >>> wordnet().nearest_lemma("guarantea")
        'guarantee'
        """
        text = normalised_form(form)
        first, last = (bisect_left(self._strings, text[:1] + end) for end in ("", "\U0010ffff"))
        return nearest(text, map(self.lemma, range(first, last)))

    share_synonym = bulk.share_synonym
    relations = bulk.relations
    sense_relations = bulk.sense_relations

    def common_hypernyms(self, first: str, second: str, edges: int | None = None) -> tuple[paths.Meeting, ...]:
        """Return the synsets above both words, at most *edges* above each; the nearest first."""
        return paths.common_hypernyms(self.word(first), self.word(second), edges)

    def path(self, first: str, second: str) -> tuple[paths.Step, ...]:
        """Return the shortest way from one word to the other; see `touchstone.lexicon.paths.path_between`."""
        return paths.path_between([self.word(first)], [self.word(second)])

    def _synsets_of(self, lemma_id: int, pos: str | None) -> tuple[Synset, ...]:
        return tuple(
            [Synset(self, self._sense_synsets[sense_index]) for sense_index in self.sense_places(lemma_id, pos)]
        )

    def _lists(self, text: str, pos: Pos) -> bool:
        """Return whether a form that is normalised is a lemma of that part of speech."""
        lemma_id = self._numbers[text]
        return lemma_id >= 0 and self._parts_of_speech[lemma_id] & _BITS[pos] > 0

    @cached_property
    def _exceptions(self) -> morphology.Exceptions:
        return morphology.parse_exceptions(self._arrays["exceptions"].tobytes().decode())

    @cached_property
    def _parts_of_speech(self) -> bytes:
        """The parts of speech of each lemma, a bit for each."""
        # Every lemma has at least one sense, which `reduceat` needs.
        bits = np.left_shift(1, self.synset_pos[self.senses.values]).astype(np.uint8)
        return bytes(np.bitwise_or.reduceat(bits, self.senses.offsets[:-1].astype(np.int64)))
