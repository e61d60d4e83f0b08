"""Other analysers behind the same protocol: spaCy pipelines, Stanza documents, analyses read from CoNLL-U files.

None of these libraries is imported: what they give is read by its attributes.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.text.sentence import ROOT, Sentence, check_token, placed

_UNIVERSAL = {
    "ROOT": "root",
    "dobj": "obj",
    "dative": "iobj",
    "nsubjpass": "nsubj:pass",
    "csubjpass": "csubj:pass",
    "auxpass": "aux:pass",
}
"""spaCy's English pipelines use the CLEAR labels; these have a relation of the same meaning in UD."""


class SpacyToken(Protocol):
    """What is read of a spaCy token."""

    i: int
    idx: int
    text: str
    tag_: str
    lemma_: str
    pos_: str
    dep_: str
    is_space: bool

    @property
    def head(self) -> "SpacyToken":
        """The token it hangs on, itself where it is a root."""


class SpacyDoc(Protocol):
    """What is read of a spaCy Doc."""

    text: str

    def __iter__(self) -> Iterator[SpacyToken]:
        """Give the tokens."""

    def has_annotation(self, name: str) -> bool:
        """Return whether something was found, such as where sentences start."""

    @property
    def sents(self) -> "Iterator[SpacySpan]":
        """The sentences."""


class SpacySpan(Protocol):
    """What is read of a sentence of a spaCy Doc."""

    text: str
    start_char: int

    def __iter__(self) -> Iterator[SpacyToken]:
        """Give the tokens."""


class SpacyPipeline(Protocol):
    """What is called of a spaCy pipeline."""

    meta: dict[str, object]

    def pipe(self, texts: Iterable[str]) -> Iterator[SpacyDoc]:
        """Analyse texts."""


class StanzaWord(Protocol):
    """What is read of a Stanza word."""

    text: str
    lemma: str | None
    upos: str | None
    xpos: str | None
    head: int | None
    deprel: str | None


class StanzaSentence(Protocol):
    """What is read of a Stanza sentence."""

    words: Sequence[StanzaWord]
    text: str


class StanzaDocument(Protocol):
    """What is read of a Stanza document."""

    sentences: Sequence[StanzaSentence]


def from_spacy(doc: SpacyDoc, segment: int = 0) -> Sentence:
    """Return a spaCy Doc as one sentence; tokens that are blanks are left out, further roots hang on the first.

    Parameters
    ----------
    doc
        What spaCy found in a text.
    segment
        The number of that text.
    """
    return _spacy_sentence(doc.text, doc, segment, 0)


def _spacy_sentences(doc: SpacyDoc, segment: int) -> Iterator[Sentence]:
    """Yield the sentences of a Doc, or the whole where the pipeline does not find any."""
    if not doc.has_annotation("SENT_START"):
        yield from_spacy(doc, segment)
        return
    for span in doc.sents:
        if span.text.strip():
            yield _spacy_sentence(span.text, span, segment, span.start_char)


def _spacy_sentence(text: str, spacy_tokens: Iterable[SpacyToken], segment: int, offset: int) -> Sentence:
    tokens = [token for token in spacy_tokens if not token.is_space]
    number = {token.i: n for n, token in enumerate(tokens, 1)}
    upos = tuple(token.pos_ for token in tokens)
    sentence = Sentence(
        text,
        forms=tuple(token.text for token in tokens),
        starts=tuple(token.idx - offset for token in tokens),
        ends=tuple(token.idx - offset + len(token.text) for token in tokens),
        tags=tuple(token.tag_ for token in tokens),
        lemmas=tuple(token.lemma_ or token.text for token in tokens),
        upos=upos if all(upos) else (),
        segment=segment,
        offset=offset,
    )
    if not all(token.dep_ for token in tokens):
        return sentence
    heads = [ROOT if token.head.i == token.i else number.get(token.head.i, ROOT) for token in tokens]
    relations = [_UNIVERSAL.get(token.dep_, token.dep_) for token in tokens]
    return _with_single_root(sentence, heads, relations)


def from_stanza(document: StanzaDocument) -> list[Sentence]:
    """Return the sentences of a Stanza document, each with places in its own text."""
    return [_stanza_sentence(sentence) for sentence in document.sentences]


def _stanza_sentence(sentence: StanzaSentence) -> Sentence:
    words = sentence.words
    tokens = placed([word.text for word in words], sentence.text)
    tags = tuple(word.xpos or "_" for word in words)
    lemmas = tuple(word.lemma or word.text for word in words)
    upos = tuple(word.upos or "_" for word in words)
    if any(word.head is None or word.deprel is None for word in words):
        return Sentence(*tokens, tags, lemmas, upos=upos)
    heads = tuple(int(word.head or ROOT) for word in words)
    return Sentence(*tokens, tags, lemmas, heads, tuple(str(word.deprel) for word in words), upos)


def _with_single_root(sentence: Sentence, heads: list[int], relations: list[str]) -> Sentence:
    """Return the sentence with a forest as a tree: the second root and those after it hang on the first."""
    roots = [word for word, head in enumerate(heads) if head == ROOT]
    for word in roots[1:]:
        heads[word], relations[word] = roots[0] + 1, "parataxis"
    return replace(sentence, heads=tuple(heads), relations=tuple(relations))


class Spacy:
    """A spaCy pipeline as an analyser: ``Spacy(spacy.load("en_core_web_sm"))``."""

    def __init__(self, pipeline: SpacyPipeline) -> None:
        self._pipeline = pipeline

    @property
    def signature(self) -> str:
        """The pipeline's language, name and version."""
        meta = self._pipeline.meta
        return f"spacy {meta.get('lang', '')}_{meta.get('name', '')} {meta.get('version', '')}"

    def tag(self, texts: Iterable[str], *, split: bool = True) -> Iterator[Sentence]:
        """Yield the sentences that the pipeline finds in each text, without dependencies; one a text unless *split*."""
        return (replace(sentence, heads=(), relations=()) for sentence in self._sentences(texts, split))

    def parse(self, texts: Iterable[str], *, split: bool = True) -> Iterator[Sentence]:
        """Yield the sentences that the pipeline finds in each text; raises where it has no parser."""
        return map(_with_heads, self._sentences(texts, split))

    def tag_tokens(self, rows: Iterable[Sequence[str]]) -> Iterator[Sentence]:
        """Yield the analysis of the tokens joined by blanks, which spaCy cuts in its own way."""
        return self.tag(map(" ".join, rows), split=False)

    def parse_tokens(self, rows: Iterable[Sequence[str]]) -> Iterator[Sentence]:
        """Yield the analysis of the tokens joined by blanks, which spaCy cuts in its own way."""
        return self.parse(map(" ".join, rows), split=False)

    def _sentences(self, texts: Iterable[str], split: bool) -> Iterator[Sentence]:
        for segment, doc in enumerate(self._pipeline.pipe(texts)):
            yield from _spacy_sentences(doc, segment) if split else (from_spacy(doc, segment),)


class Stored:
    """Analyses made beforehand, found by their text or their tokens: CoNLL-U files, Stanza documents.

    >>> birds = Sentence("Birds sing", ("Birds", "sing"), (0, 6), (5, 10), ("NNS", "VBP"), ("bird", "sing"))
    >>> [sentence.lemmas for sentence in Stored([birds], "mine").tag(["Birds sing"])]
    [('bird', 'sing')]
    """

    def __init__(self, sentences: Iterable[Sentence], name: str) -> None:
        self._name = name
        self._by_text: dict[str, Sentence] = {}
        self._by_forms: dict[tuple[str, ...], Sentence] = {}
        for sentence in sentences:
            self._by_text.setdefault(sentence.text, sentence)
            self._by_forms.setdefault(sentence.forms, sentence)

    @property
    def signature(self) -> str:
        """The name that was given, and how many sentences there are."""
        return f"{self._name} ({len(self._by_text):,} sentences)"

    def only(self, texts: Iterable[str]) -> "Stored":
        """Return the analyses of these *texts* alone."""
        return Stored((self._by_text[text] for text in texts if text in self._by_text), self._name)

    def tag(self, texts: Iterable[str], *, split: bool = True) -> Iterator[Sentence]:  # noqa: ARG002
        """Yield the stored sentence of each text; what was stored as one stays one, whatever *split* is."""
        return (self._stored_analysis(text) for text in texts)

    def parse(self, texts: Iterable[str], *, split: bool = True) -> Iterator[Sentence]:
        """Yield the stored sentence of each text; raises where it has no heads."""
        return map(_with_heads, self.tag(texts, split=split))

    def tag_tokens(self, rows: Iterable[Sequence[str]]) -> Iterator[Sentence]:
        """Yield the stored sentence of each row of tokens."""
        for number, row in enumerate(rows, 1):
            forms = tuple(check_token(form, number) for form in row)
            yield self._by_forms.get(forms) or self._stored_analysis(" ".join(forms))

    def parse_tokens(self, rows: Iterable[Sequence[str]]) -> Iterator[Sentence]:
        """Yield the stored sentence of each row of tokens; raises where it has no heads."""
        return map(_with_heads, self.tag_tokens(rows))

    def _stored_analysis(self, text: str) -> Sentence:
        if text not in self._by_text:
            what, near = "no analysis of this sentence", nearest(text, self._by_text)
            hint = "the text must be written as in the file that holds the analyses"
            raise TouchstoneError(
                what, file=self._name, value=text, near=near, kind="sentence", code=Code.MISSING_ID, hint=hint
            )
        return self._by_text[text]


def _with_heads(sentence: Sentence) -> Sentence:
    if not sentence.parsed:
        hint = "use an analyser with a dependency parser"
        raise TouchstoneError("the sentence was not parsed", value=sentence.text, code=Code.UNSUPPORTED, hint=hint)
    return sentence
