"""The component that all systems share: candidates for a word, from WordNet and from the user's thesaurus."""

from dataclasses import dataclass, field

from touchstone.tasks.lexsub.systems.candidates import Candidate, find_candidates
from touchstone.tasks.lexsub.systems.config import Config
from touchstone.tasks.lexsub.systems.resources import Resources
from touchstone.tasks.lexsub.systems.targets import Target

_MOST_REMEMBERED = 4096


@dataclass(frozen=True)
class Generator:
    """Finds the candidates for targets; those of a word are found once."""

    config: Config
    resources: Resources
    _known: dict[tuple[str, str], tuple[Candidate, ...]] = field(default_factory=dict, compare=False)

    def candidates(self, target: Target) -> tuple[Candidate, ...]:
        """Return the candidates for a target; the same object for the same word."""
        key = (target.lemma, target.pos)
        if key not in self._known:
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            self._known[key] = self._found(target)
        return self._known[key]

    def _found(self, target: Target) -> tuple[Candidate, ...]:
        thesaurus = self.resources.thesaurus
        return find_candidates(
            self.resources.lexicon,
            target.lemma,
            target.pos,
            self.config.level,
            twice=self.config.twice,
            more=thesaurus.synonyms(target.lemma, target.pos) if thesaurus else (),
        )
