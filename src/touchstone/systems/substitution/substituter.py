"""Substitutes for a word in a sentence, for people (suggestions as a table) and for files (runs)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import numpy as np

from touchstone import __version__
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.files import Source
from touchstone.base.ragged import StringLists
from touchstone.base.signature import content_digest
from touchstone.base.spelling import setting
from touchstone.base.tables import Cell, Column, Table
from touchstone.io.writing import write_text
from touchstone.lexicon import Synset, wordnet
from touchstone.lexicon.relation import POS_NAMES
from touchstone.show.finding import Finding, Statement
from touchstone.systems.substitution.candidates import NO_SENSE, Candidate
from touchstone.systems.substitution.config import Config, read_config, shipped_config
from touchstone.systems.substitution.neural import Fitter
from touchstone.systems.substitution.ranking import LIST, Ranker, Ranking, System
from touchstone.systems.substitution.resources import Resources
from touchstone.systems.substitution.targets import MarkedText, Span, Target, check_language, find_span, find_targets
from touchstone.tasks.lexsub.formats.writing import run_as_els07, run_as_jsonl, run_as_swords
from touchstone.tasks.lexsub.model import Answers, Run, Sentence
from touchstone.text.inflection import inflected

SUFFIXES = (".oot", ".best", ".jsonl", ".json")
"""The forms in which `write_run` writes answers."""
_LISTED_TARGETS = 5

_FAMILIES = {
    "sense": "senses",
    "way": "relation",
    "ring": "rings",
    "frame": "frame",
    "word": "word",
    "bow": "bow",
    "lm": "lm",
    "first": "cmlc",
    "sentence": "in place",
    "named": "named",
    "meaning": "meaning",
}
"""The first parts of the names of features, and the headings of their columns."""


@dataclass(frozen=True)
class Suggestion:
    """A substitute: its lemma, its form in the sentence, its score, and the reasons for its rank."""

    word: str
    form: str
    score: float
    candidate: Candidate
    reasons: Mapping[str, float]
    """What each feature adds to the score."""

    def reason(self, family: str) -> float | None:
        """Return what the features of a family, such as ``bow``, add to the score; None if there are none."""
        values = [value for name, value in self.reasons.items() if name.split(".")[0] == family]
        return sum(values) if values else None

    @property
    def origin(self) -> str:
        """How it was found: the relation, and the synset that contains it.

        >>> from touchstone.systems.substitution.candidates import find_candidates
        >>> Suggestion("smart", "smart", 0, find_candidates(wordnet(), "bright", "a", 1)[0], {}).origin
        'synonym of sense 2: bright.a.02'
        """
        path = self.candidate.paths[0]
        sense = "" if path.sense == NO_SENSE else f" of sense {path.sense + 1}"
        return f"{path.way.label}{sense}" + (f": {Synset(wordnet(), path.synset).name}" if path.synset >= 0 else "")


@dataclass(frozen=True, repr=False)
class Suggestions(Finding):
    """The substitutes for a target, best first; the *system* considers the first *cut* of them good."""

    target: Target
    ranked: tuple[Suggestion, ...]
    cut: int
    system: str

    def __iter__(self) -> Iterator[Suggestion]:
        return iter(self.ranked)

    def __len__(self) -> int:
        return len(self.ranked)

    @property
    def words(self) -> tuple[str, ...]:
        """The substitutes alone."""
        return tuple(suggestion.word for suggestion in self.ranked)

    @cached_property
    def _families(self) -> list[str]:
        """The kinds of evidence that add to the scores."""
        return [family for family in _FAMILIES if any(suggestion.reason(family) is not None for suggestion in self)]

    def _reasons(self, suggestion: Suggestion) -> dict[str, float]:
        """Return what each kind of evidence adds to a score, by its heading."""
        return {_FAMILIES[family]: suggestion.reason(family) or 0 for family in self._families}

    def table(self) -> Table:
        """Return the suggestions with what each kind of evidence adds to their scores; a rule marks the boundary."""
        rows: list[list[Cell]] = []
        for rank, suggestion in enumerate(self, 1):
            words = suggestion.word, suggestion.form, suggestion.origin
            rows.append([rank, *words, suggestion.score, *self._reasons(suggestion).values()])
        heads = [_FAMILIES[family] for family in self._families]
        numbers = [Column(name, "right") for name in ("score", *heads)]
        columns = (Column("", "right"), Column("substitute"), Column("in the sentence"), Column("found as"), *numbers)
        sums = f"; score = {' + '.join(heads)}" if heads else ""
        notes = [f"{self.target.lemma}.{self.target.pos} as {self.target.tag}{sums}"]
        return Table(columns, rows, rules={self.cut} if 0 < self.cut < len(rows) else frozenset(), notes=notes)

    def statement(self) -> Statement:
        """Return the suggestions, the reasons for their rank, and how many of them the system considers good."""
        rows = [
            {
                "kind": "suggestion",
                "rank": rank,
                "substitute": suggestion.word,
                "form": suggestion.form,
                "origin": suggestion.origin,
                "good": rank <= self.cut,
                "score": suggestion.score,
                **self._reasons(suggestion),
            }
            for rank, suggestion in enumerate(self, 1)
        ]
        title = f"Substitutes for {self.target.lemma}.{self.target.pos}"
        sentences = [f"The system considers the first {self.cut} good."]
        sentence = content_digest(form=self.target.sentence.forms, span=list(self.target.span), pos=[self.target.pos])
        signature = {"touchstone": __version__, "task": "lexsub suggest", "sentence": sentence, "system": self.system}
        return Statement(title, [self.table()], rows, sentences, signature=signature)


class Substituter(System):
    """Finds substitutes for words in sentences.

    Parameters
    ----------
    system
        ``bow``, ``lm``, ``cmlc`` or ``neural``, as they come with the package.
    config
        A configuration, or the file of one, in place of *system*.
    vectors, corpus, model, thesaurus
        Files that the system reads: see `Resources`.
    networks
        What reads the sentence for ``neural``; by default `Networks`.
    ranker
        Orders the candidates in place of the configuration's weights.
    """

    def __init__(
        self,
        system: str = "cmlc",
        *,
        config: Config | str | Path | None = None,
        vectors: str | Path | None = None,
        corpus: str | Path | None = None,
        model: str | Path | None = None,
        thesaurus: str | Path | None = None,
        networks: Fitter | None = None,
        ranker: Ranker | None = None,
    ) -> None:
        if not isinstance(config, Config):
            config = shipped_config(system) if config is None else read_config(config)
        super().__init__(config, Resources(vectors, corpus, model, thesaurus, networks), ranker)

    def suggest(self, text: str, target: str | Span, *, at: int | None = None, pos: str | None = None) -> Suggestions:
        """Return substitutes for a word of a text.

        Parameters
        ----------
        text
            A sentence.
        target
            The word itself, or the characters where it begins and ends.
        at
            The character where the word begins, if it occurs more than once.
        pos
            Its part of speech, n, v, a or r; as tagged by default.
        """
        span = find_span(text, target, at) if isinstance(target, str) else target
        check_language(text)
        [analysed_target] = find_targets([MarkedText(text, span, pos)])
        ranking = self.ranking(analysed_target)
        if not ranking.order:
            what = f"no substitute is known for this {POS_NAMES[analysed_target.pos]}"
            thesaurus = setting("thesaurus", "FILE")
            hint = f"name another part of speech with {setting('pos')}, or give a thesaurus with the word: {thesaurus}"
            near = wordnet().nearest_lemma(analysed_target.lemma)
            raise TouchstoneError(
                what, value=analysed_target.lemma, near=near, kind="word", code=Code.UNSUPPORTED, hint=hint
            )
        best = ranking.cut(self.config.threshold)
        # At least a list of the usual length, and all that the boundary keeps.
        suggestions = (_suggestion(ranking, index) for index in ranking.order[: max(LIST, best)])
        return Suggestions(analysed_target, tuple(suggestions), best, self.signature)

    def run(self, sentences: Iterable[Sentence], *, boundary: bool = False) -> Run:
        """Return the answers to *sentences* as a run: ten to each; with *boundary*, also how many are good."""
        return as_run(self.config.system, self.signature, self.rankings(sentences), self.threshold(boundary))

    def rankings(
        self, sentences: Iterable[Sentence], pools: Mapping[str, Sequence[str]] | None = None
    ) -> Iterator[tuple[Sentence, Ranking]]:
        """Yield sentences with the ranking of their candidates; many sentences are analysed together.

        Parameters
        ----------
        sentences
            Sentences with a target.
        pools
            For each id, the words to order in place of the system's own candidates.
        """
        sentence_list = list(sentences)
        for sentence, target in zip(sentence_list, find_targets(map(marked_text, sentence_list)), strict=True):
            yield sentence, self.ranking(target, None if pools is None else pools[sentence.id])

    def threshold(self, boundary: bool) -> float | None:
        """Return the threshold of the boundary where one is wanted."""
        return self.config.threshold if boundary else None


def as_run(
    system: str,
    signature: str,
    rankings: Iterable[tuple[Sentence, Ranking]],
    threshold: float | None = None,
    most: int | None = LIST,
) -> Run:
    """Return rankings as a run.

    Parameters
    ----------
    system
        The name of the run.
    signature
        What the answers depend on.
    rankings
        Sentences, each with its ranking.
    threshold
        The threshold of the boundary; without one the run has no boundary.
    most
        How many answers a list has at most, where the boundary does not come later.
    """
    rows = list(rankings)
    return run_of(
        system,
        signature,
        [sentence for sentence, _ in rows],
        [answers_of(ranking, threshold, most) for _, ranking in rows],
    )


def answers_of(ranking: Ranking, threshold: float | None, most: int | None = LIST) -> tuple[list[str], int]:
    """Return the words that a run keeps of a ranking, and how many of them the system considers good, or -1."""
    # A slice up to None is the list to its end.
    end = -1 if threshold is None else ranking.cut(threshold)
    return ranking.words[: most and max(most, end)], end


def run_of(
    system: str, signature: str, sentences: Sequence[Sentence], answers: Sequence[tuple[Sequence[str], int]]
) -> Run:
    """Return the answers to sentences as a run.

    Parameters
    ----------
    system, signature
        As in `as_run`.
    sentences
        The sentences.
    answers
        The result of `answers_of` for each of them.
    """
    if not sentences:
        hint = "give a file with at least one sentence"
        raise TouchstoneError("no sentence to find substitutes in", code=Code.EMPTY, hint=hint)
    lists = StringLists.of(words for words, _ in answers)
    source = Source(system, sha256(signature.encode()).hexdigest())
    ids, targets, pos = ([getattr(sentence, name) for sentence in sentences] for name in ("id", "target", "pos"))
    columns = (ids, range(1, len(ids) + 1), targets, pos, lists, np.array([end for _, end in answers], np.int64))
    return Run(system, (source,), ranked=Answers(source, *columns))


def check_suffix(path: str | Path) -> str:
    """Return the suffix of *path*; raise, before work, where answers cannot be written in that form."""
    suffix = Path(path).suffix
    if suffix not in SUFFIXES:
        near, hint = nearest(suffix, SUFFIXES), f"use one of {', '.join(SUFFIXES)}"
        what = "answers cannot be written in this form"
        raise TouchstoneError(what, value=str(path), near=near, code=Code.UNKNOWN_FORMAT, hint=hint)
    return suffix


def write_run(path: str | Path, run: Run) -> None:
    """Write the ranked lists of a run in the form that the suffix of *path* names.

    In ``.jsonl`` lists carry their boundaries; in ``.oot`` and ``.best`` they end there. ``.json`` is a results file of
    SWORDS with whole lists.
    """
    suffix = check_suffix(path)
    if suffix in (".jsonl", ".json"):
        write_text(path, run_as_jsonl(run) if suffix == ".jsonl" else run_as_swords(run))
        return
    assert run.ranked is not None
    lists, cuts = run.ranked.lists, run.ranked.cuts
    # A list without a boundary is written to its end.
    ends = np.where(cuts >= 0, cuts, lists.codes.sizes)
    ended = replace(run.ranked, lists=lists.keep(lists.codes.position < ends[lists.codes.row]))
    write_text(path, run_as_els07(replace(run, ranked=ended), "best" if suffix == ".best" else "ranked"))


def marked_text(sentence: Sentence) -> MarkedText:
    """Return a sentence of a file as a text with its target marked."""
    context = sentence.context
    left = f"{context.left} " if context.left else ""
    text = f"{left}{context.head} {context.right}".rstrip()
    return MarkedText(text, (len(left), len(left) + len(context.head)), sentence.pos, sentence.target)


def without_answer(run: Run) -> list[str]:
    """Return a note with the targets that a run has no answer to: their number and the first of them."""
    lists = run.lists
    empty = [lists.ids[row] for row in np.flatnonzero(lists.lists.codes.sizes == 0).tolist()]
    examples = ", ".join(empty[:_LISTED_TARGETS]) + (", …" if len(empty) > _LISTED_TARGETS else "")
    what = f"targets without any answer, for which WordNet and the vectors give no candidate: {len(empty):,}"
    return [f"{run.name}: {what} of {len(lists.ids):,} ({examples})"] if empty else []


def _suggestion(ranking: Ranking, index: int) -> Suggestion:
    candidate = ranking.candidates[index]
    return Suggestion(
        candidate.word,
        inflected(candidate.word, ranking.target.tag),
        float(ranking.scores.values[index]),
        candidate,
        {name: float(part[index]) for name, part in ranking.scores.reasons.items()},
    )
