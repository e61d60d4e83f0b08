"""CoInCo (Kremer et al. 2014): whole texts in XML, every content word with the substitutes that people gave."""

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.files import Source
from touchstone.base.ragged import Ragged, StringLists
from touchstone.io.xml import Element, parse_xml
from touchstone.tasks.lexsub.formats.cells import parse_weight
from touchstone.tasks.lexsub.model import Context, GoldSet, key

NO_TARGET = "XXX"
POS = {"N": "n", "V": "v", "J": "a", "R": "r"}


def read_gold(raw: bytes, source: Source, min_responses: float | None = None) -> GoldSet:
    """Read the targets (tokens whose id is not XXX) that were not marked as problematic."""
    root = parse_xml(raw, source.name)
    if root.tag != "document":
        what = "not a CoInCo file: the root is not <document>"
        raise TouchstoneError(what, file=source.name, value=root.tag, code=Code.UNREADABLE)
    faults: list[Fault] = []
    targets = [target for sentence in root.iter("sent") for target in _targets(sentence)]
    golds = [_gold(token, source.name, faults) for token, _ in targets]
    ids = [token.get("id", "") for token, _ in targets]
    gold = GoldSet(
        source,
        ids=ids,
        targets=[token.get("lemma", "") for token, _ in targets],
        pos=[POS.get(token.get("posMASC", "")[:1]) for token, _ in targets],
        answers=StringLists.of(golds),
        weights=Ragged.of([gold.values() for gold in golds], np.float64),
        lines=[f"token {name}" for name in ids],
        form="coinco",
        least=min_responses,
        contexts=[context for _, context in targets],
    )
    return gold.checked(faults)


def _targets(sentence: Element) -> list[tuple[Element, Context]]:
    tokens = list(sentence.iter("token"))
    words = [token.get("wordform", "") for token in tokens]
    return [
        (token, Context(" ".join(words[:position]), words[position], " ".join(words[position + 1 :])))
        for position, token in enumerate(tokens)
        if token.get("id", NO_TARGET) != NO_TARGET and token.get("problematic") != "yes"
    ]


def _gold(token: Element, file: str, faults: list[Fault]) -> dict[str, float]:
    gold: dict[str, float] = {}
    for substitute in token.iter("subst"):
        lemma, weight = substitute.get("lemma", ""), parse_weight(substitute.get("freq", ""))
        if weight is None or not key(lemma):
            what = "a <subst> needs a lemma and a positive freq"
            faults.append(Fault(what, file, f"token {token.get('id')}", lemma, code=Code.BAD_CELL))
        else:
            gold[lemma] = gold.get(lemma, 0) + weight
    return gold
