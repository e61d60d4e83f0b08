"""The words that act as operators, by kind."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEGATORS = _words("not n't never hardly barely scarcely seldom rarely nowhere")
NEGATIVE_NOUNS = _words("nobody nothing none")
UNIVERSAL = _words("every each all everyone everybody everything")
ANY = _words("any anyone anybody anything")
EVER = _words("whenever wherever whoever whomever whichever whatever")
EXISTENTIAL = _words("some several many much somebody someone something various numerous certain most")
FEW_IS_SOME_AFTER = _words("a the these those every last next past first my your his her its our their quite")
EXACT = _words("exactly precisely just about around approximately roughly almost nearly between circa")
ONLY = _words("only solely merely exclusively")
UNIQUE = _words("first second third fourth fifth last final next only sole same main")
SHARES = _words("half third quarter majority minority percent % percentage proportion fraction share")
COUNTS = _words("number amount average total quantity")
PRIVATIVE = _words("fake former alleged supposed potential possible imaginary artificial toy future would-be pretend")
MASS = _words(
    "food money water time hope help sugar salt milk bread rice meat information effort interest doubt evidence chance "
    "attention progress success support research work experience knowledge use sense reason space room air light rain "
    "snow wind traffic noise trouble damage harm pain sleep energy power confidence patience respect sympathy love "
    "faith trust influence effect impact value furniture equipment luggage advice news music wine beer coffee tea oil "
    "gas fuel"
)
"""Mass nouns, before which "little" is a quantity."""
PLACES = _words("under below over around about between")
"""Bounds that are prepositions elsewhere."""
FROZEN = _words("time way circumstance circumstances account means point case")
"""Nouns of "at no time" and its like, which negate the clause."""

NEGATIVE_VERBS = _words(
    "refuse fail decline neglect avoid refrain abstain forget deny doubt disprove refute dispute omit resist prevent "
    "prohibit forbid ban stop cease quit"
) | {"give up", "rule out"}
NEGATIVE_WITH_GERUND = _words("stop quit avoid deny resist")
PREVENTING = _words("keep stop prevent prohibit forbid ban bar block hinder discourage dissuade deter refrain abstain")
"""Verbs whose "from" is negative."""
BANNING = _words("ban forbid prohibit")
"""Verbs whose passive negates what its subject names: dogs are banned."""
LACKING = _words("lack avoid ban forbid prohibit exclude")
UNCLEAR_OBJECT = _words("deny doubt prevent refuse reject oppose dispute miss seek resemble decline forget") | {
    "give up",
    "rule out",
}
NEGATIVE_ADJECTIVES = _words(
    "unable unwilling reluctant impossible unlikely incapable loath hesitant illegal unlawful devoid free forbidden "
    "unthinkable inconceivable doubtful false untrue"
)
UNCLEAR_ADJECTIVES = _words(
    "hard difficult tough dangerous bad wrong rare strange odd surprised surprising amazed amazing sorry afraid scared "
    "unaware easy ashamed shocked disappointed sad"
)
NEGATIVE_NAMES = _words("lack absence refusal failure inability reluctance unwillingness doubt denial ban prohibition")
UNCLEAR_NAMES = _words("wonder surprise pity shame")
FUTILE = _words("use good point matter")
"""Nouns after "no" that judge what follows: no use waiting."""
FACTIVE = _words("know realize realise remember regret forget notice discover learn see hear find understand")
ATTITUDES = FACTIVE | _words(
    "believe think say claim hope want expect suppose guess imagine dream tell ask promise plan try like love need "
    "wish intend suggest assume consider feel fear suspect prefer decide agree seem appear pretend report argue order "
    "advise"
)
UNCLEAR_ATTITUDES = _words("wish hate dislike fear mind wonder regret hesitate")
LIKING = _words("like love hate prefer enjoy fear admire respect adore dislike")
MODALS = _words("can could may might should must would ought ca")
SOMETIMES = _words("sometimes often usually occasionally frequently generally perhaps maybe possibly probably always")
CONDITIONAL = _words("if provided providing assuming supposing")
EXCEPT = _words("except besides excluding save but unlike")
BLOCKING_MARKERS = _words("whether unless until till lest against")
UNCLEAR_PREPOSITIONS = _words("like before until till versus")
COMPARED = _words("longer more less fewer sooner")
"""What "no" modifies without being a quantifier."""
NEGATABLE = UNIVERSAL | ANY | _words("many much a an one")
"""Quantifiers that a negator right before them denies: not every, hardly any, not a single."""

BOUNDS: dict[tuple[str, ...], int] = {
    ("no", "more", "than"): -1,
    ("not", "more", "than"): -1,
    ("no", "less", "than"): 1,
    ("no", "fewer", "than"): 1,
    ("not", "less", "than"): 1,
    ("not", "fewer", "than"): 1,
    ("at", "most"): -1,
    ("at", "the", "most"): -1,
    ("fewer", "than"): -1,
    ("less", "than"): -1,
    ("up", "to"): -1,
    ("maximum",): -1,
    ("under",): -1,
    ("below",): -1,
    ("at", "least"): 1,
    ("more", "than"): 1,
    ("over",): 1,
    **{(word,): 0 for word in sorted(EXACT | ONLY)},
}
"""What may stand before a number, the longest first, and the sign of both arguments of the quantifier."""
