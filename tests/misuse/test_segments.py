"""Mistakes with files of segments: columns in lines, markup, further references, what models write around a text."""

from tests.misuse.harness import Call, Mistake, by_name, check
from tests.misuse.test_mt import (
    FRENCH,
    MIXED,
    REF,
    RIGHT,
    RUN,
    SCORE,
    TWIN,
    N,
    bleu,
    lines,
    output,
    reference,
    source,
    text,
)

SECOND = SCORE + " --ref second.txt"


def run(of):
    """Give a run in which each line is made by *of*."""
    return lines(text(of), right=None)


def both(of):
    """Give references and a run whose lines are made by *of* from the number and the text of a segment."""
    return lines(text(lambda k: of(k, output(k))), text(lambda k: of(k, reference(k))), None)


def second(other, right=None):
    """Give a call with a further reference, which Python takes in another form."""
    return Call(SECOND, {"ref.txt": REF, "run.txt": RUN, "second.txt": other}, right, None)


def sourced(other, right=None):
    """Give a call with the source."""
    words = SCORE + " --source source.txt"
    return Call(words, {"ref.txt": REF, "run.txt": RUN, "source.txt": other}, right, None)


def two_references(others):
    """Return the BLEU of the run with a further reference."""
    import sacrebleu

    references = [[reference(k) for k in range(N)], others]
    return {("run", "bleu"): sacrebleu.corpus_bleu([output(k) for k in range(N)], references).score}


def words_changed(change=None):
    """Give a run and references with other words, which *change* writes in another way on the side of the run."""
    outputs, references = [
        [of(k).replace("letters", "baker's" if k % 2 else "café") for k in range(N)] for of in (output, reference)
    ]
    right = None if change else bleu(outputs, references)
    return lines(text(lambda k: (change or str)(outputs[k])), text(references.__getitem__), right)


PARAPHRASES = [reference(k).replace("left", "went away from") for k in range(N)]
PARAPHRASED = second(text(PARAPHRASES.__getitem__), two_references(PARAPHRASES))
SOURCED = sourced(text(source), RIGHT)

MISTAKES = [
    Mistake("ids-before-tabs", run(lambda k: f"s{k}\t{output(k)}"), TWIN, "30 of 30 lines have tabs"),
    Mistake(
        "ids-before-tabs-on-both-sides", both(lambda k, one: f"s{k}\t{one}"), TWIN, "ref.*30 of 30 lines have tabs"
    ),
    Mistake("sources-before-tabs", run(lambda k: f"{source(k)}\t{output(k)}"), TWIN, "30 of 30 lines have tabs"),
    Mistake(
        "two-references-in-a-line",
        lines(RUN, text(lambda k: f"{reference(k)} ||| {reference(k)}"), None),
        TWIN,
        "ref.*30 of 30 lines have '\\|\\|\\|'",
    ),
    Mistake(
        "a-header-on-both-sides",
        lines("hypothesis\n" + RUN, "reference\n" + REF, None),
        TWIN,
        "first line, 'reference', counts as a segment",
    ),
    Mistake(
        "carriage-returns-alone",
        lines(RUN.replace("\n", "\r"), REF.replace("\n", "\r"), None).command_only(),
        TWIN,
        "carriage returns inside",
    ),
    Mistake("tags-of-segments", both(lambda k, one: f'<seg id="{k}">{one}</seg>'), TWIN, "markup such as <seg>"),
    Mistake(
        "sgml-files",
        lines(f"<tstset>\n{RUN}</tstset>\n", f"<refset>\n{REF}</refset>\n", None),
        TWIN,
        "markup such as <seg>",
    ),
    Mistake("lists-in-lines", run(lambda k: f"['{output(k)}']"), TWIN, "brackets and quotes around them"),
    Mistake("bold-text", run(lambda k: f"**{output(k)}**"), TWIN, "asterisks or backquotes"),
    Mistake("invisible-blanks", run(lambda k: output(k).replace(" ", " \u200b")), TWIN, "invisible characters"),
    Mistake("accents-apart", words_changed(lambda one: one.replace("é", "e\u0301")), words_changed(), "normalise all"),
    Mistake("typographic-apostrophes", words_changed(lambda one: one.replace("'", "’")), words_changed(), "quotes"),
    Mistake("no-blanks", run(lambda k: output(k).replace(" ", "_")), TWIN, "0 blanks"),
    Mistake(
        "sources-before-translations", run(lambda k: f"{source(k)} => {output(k)}"), TWIN, "2.1 times as many letters"
    ),
    Mistake("texts-twice", run(lambda k: f"{output(k)} {output(k)}"), TWIN, "times as many letters"),
    Mistake("texts-cut-off", run(lambda k: output(k)[:25]), TWIN, "end after 25 characters.*cut off"),
    Mistake(
        "a-phrase-before-each-translation",
        run(lambda k: f"Here is the translation: {output(k)}"),
        TWIN,
        "begin with 'Here is'",
    ),
    Mistake(
        "a-remark-after-each-translation",
        run(lambda k: f"{output(k)} (Note: this is a literal translation.)"),
        TWIN,
        "end with 'literal translation.\\)'",
    ),
    Mistake("the-source-as-a-further-reference", second(text(source)), PARAPHRASED, "reference 2.*may be the source"),
    Mistake("a-further-reference-in-another-language", second(FRENCH), PARAPHRASED, "reference 2.*another language"),
    Mistake("a-further-reference-in-another-order", second(text(reference, MIXED)), PARAPHRASED, "reference 2.*order"),
    Mistake("a-reference-as-the-source", sourced(REF), SOURCED, "the source: equals the reference"),
]


@by_name(MISTAKES)
def test_mistakes_with_files_of_segments_are_caught(mistake, route, tmp_path, monkeypatch):
    check(mistake, route, tmp_path, monkeypatch)
