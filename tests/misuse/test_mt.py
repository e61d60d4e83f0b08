"""Mistakes with translations and references."""

import random

from tests.misuse.harness import Call, Mistake, by_name, check

NOUNS = ["baker", "teacher", "driver", "farmer", "singer", "doctor"]
PLACES = ["village", "harbour", "station", "market", "garden"]
DAYS = ["Monday", "Tuesday", "Thursday", "Friday"]
N = 30


def reference(k):
    """Give the reference of a segment."""
    return f"The {NOUNS[k % 6]} left the {PLACES[k % 5]} on {DAYS[k % 4]} with {k + 3} old letters in a bag."


def output(k):
    """Give the output of a segment: the reference with some other words."""
    text = reference(k)
    return (
        text.replace("left", "went from") if k % 2 else text.replace("old letters", "letters").replace(" in a bag", "")
    )


def source(k):
    """Give the source of a segment."""
    verlassen = f"Am {DAYS[k % 4][::-1]} verliess {NOUNS[k % 6][::-1]} den {PLACES[k % 5][::-1]}"
    return f"{verlassen} mit {k + 3} alten Briefen in der Tasche."


def text(of, order=range(N)):
    """Give a line for each segment."""
    return "".join(of(k) + "\n" for k in order)


def bleu(outputs=None, references=None):
    """Return what sacrebleu gives, and what its package therefore must."""
    import sacrebleu

    outputs, references = outputs or [output(k) for k in range(N)], references or [reference(k) for k in range(N)]
    return {("run", "bleu"): sacrebleu.corpus_bleu(outputs, [references]).score}


REF, RUN, RIGHT = text(reference), text(output), bleu()
SCORE = "mt score ref.txt run.txt -m bleu"


def lines(run=RUN, ref=REF, right=RIGHT, words=SCORE, **more):
    """Give the call on parallel texts."""
    return Call(words, {"ref.txt": ref, "run.txt": run} | more, right)


def table(names, rows):
    """Give a CSV with all cells in quotes."""
    return "\n".join([",".join(names), *(",".join(f'"{cell}"' for cell in row) for row in rows)]) + "\n"


TABLE = "mt score gold.csv run.csv -m bleu"
GOLD = table(["id", "source", "reference"], [(f"s{k:02}", source(k), reference(k)) for k in range(N)])
NO_IDS = table(["source", "reference"], [(source(k), reference(k)) for k in range(N)])
MIXED = random.Random(6).sample(range(N), N)


def tables(run, gold=GOLD, right=RIGHT, words=TABLE, python=None):
    """Give the call on two tables."""
    return Call(words, {"gold.csv": gold, "run.csv": run}, right, {} if python is None else python)


def by_id(order=range(N), name="s{:02}".format, of=output, head=("id", "output")):
    """Give a run with ids."""
    return table(head, [(name(k), of(k)) for k in order])


def by_source(order=range(N), of=output, offset=0):
    """Give a run with sources and no ids."""
    return table(["source", "output"], [(source(k + offset), of(k)) for k in order])


TWIN, IDS = lines(), tables(by_id())
TWO = "mt compare ref.txt a=a.txt b=b.txt -m bleu"


def two(a, b, right=None):
    """Give a comparison of two runs."""
    return Call(TWO, {"ref.txt": REF, "a.txt": a, "b.txt": b}, right)


SECOND = REF.replace("left", "parted from")


def with_source(run, right):
    """Give the call with the source."""
    return lines(run, right=right, words=f"{SCORE} --source src.txt", **{"src.txt": text(source)}).command_only()


def with_second(ref, right):
    """Give the call with a second reference."""
    return lines(right=right, words=f"{SCORE} --ref ref2.txt", **{"ref2.txt": ref}).command_only()


def bleu_of_two():
    """Return what sacrebleu gives with the second reference."""
    import sacrebleu

    return {("run", "bleu"): sacrebleu.corpus_bleu(RUN.splitlines(), [REF.splitlines(), SECOND.splitlines()]).score}


SHIFTED = "\n" + "".join(RUN.splitlines(keepends=True)[:-1])
FRENCH = text(
    lambda k: f"Le {NOUNS[k % 6][::-1]} quittait la {PLACES[k % 5][::-1]} avec {'x' * (k % 3 + 1)} vieilles lettres."
)


def with_documents(of, right=None):
    """Give the call with the document of each segment."""
    documents = "".join(f"d{of(k)}\n" for k in range(N))
    return Call(f"{SCORE} --documents d.txt", {"ref.txt": REF, "run.txt": RUN, "d.txt": documents}, right, None)


MISTAKES = [
    Mistake("a-line-is-lost", lines("".join(RUN.splitlines(keepends=True)[1:]), right=None), TWIN, "29|30"),
    Mistake("a-line-too-many", lines("hello\n" + RUN, right=None), TWIN, "31|30"),
    Mistake("lines-are-doubled", lines(RUN + RUN, right=None), TWIN, "60|30"),
    Mistake(
        "a-blank-line-shifts-all-others", lines(SHIFTED, right=None), TWIN, "empty|blank|shift|order|other segment"
    ),
    Mistake("lines-in-another-order", lines(text(output, MIXED), right=None), TWIN, "order|other segment|shift"),
    Mistake(
        "output-and-reference-are-exchanged", lines(REF, RUN, None, "mt score run.txt ref.txt -m bleu"), TWIN, "ref"
    ),
    Mistake("the-run-is-the-reference", lines(REF, right=None), TWIN, "reference|same|equal"),
    Mistake(
        "the-run-is-the-source",
        tables(table(["id", "output"], [(f"s{k:02}", source(k)) for k in range(N)]), right=None),
        IDS,
        "source",
    ),
    Mistake("outputs-in-another-language", lines(FRENCH, right=None), TWIN, "language|words|reference|none"),
    Mistake(
        "outputs-of-another-test-set",
        lines(text(lambda k: f"Nothing here says what number {k} would ever mean to us"), right=None),
        TWIN,
        "words|reference|none|set",
    ),
    Mistake(
        "one-file-for-two-systems",
        two(RUN, RUN),
        two(RUN, text(lambda k: output(k).replace("The", "A")), {("a", "bleu"): RIGHT["run", "bleu"]}),
        "same|equal|identical",
    ),
    Mistake("all-lines-are-empty", lines("\n" * N, right=None), TWIN, "empty"),
    Mistake(
        "some-lines-are-empty",
        lines(
            text(lambda k: "" if k in (4, 5) else output(k)),
            right=bleu(["" if k in (4, 5) else output(k) for k in range(N)]),
        ),
        TWIN,
        "empty",
    ),
    Mistake(
        "a-reference-is-empty",
        lines(ref=text(lambda k: "" if k == 4 else reference(k)), right=None),
        TWIN,
        "empty|reference",
    ),
    Mistake(
        "html-entities",
        lines(text(lambda k: output(k).replace("old", "&quot;old&quot;")), right=None),
        TWIN,
        "&quot;|entit|html",
        chosen=True,
    ),
    Mistake("carriage-returns", lines(RUN.replace("\n", "\r\n")), TWIN, "\\\\r|line"),
    Mistake("a-byte-order-mark", lines("\ufeff" + RUN).command_only(), TWIN, "byte order"),
    Mistake("blanks-at-the-ends-of-lines", lines(RUN.replace("\n", "   \n")), TWIN, "blank"),
    Mistake("everything-in-lower-case", lines(RUN.lower(), right=None), TWIN, "case|capital"),
    Mistake("tokenised-outputs", lines(RUN.replace(".", " .")), TWIN, "token"),
    Mistake("the-same-line-everywhere", lines(text(lambda k: output(1)), right=None), TWIN, "same"),
    Mistake("rows-in-another-order", tables(by_id(MIXED)), IDS, "order"),
    Mistake(
        "sources-in-another-order-without-ids",
        tables(by_source(MIXED), NO_IDS),
        tables(by_source(), NO_IDS),
        "order|source|id",
    ),
    Mistake(
        "sources-of-another-set",
        tables(by_source(offset=500), NO_IDS, None),
        tables(by_source(), NO_IDS),
        "source|text|order",
    ),
    Mistake(
        "ids-fit-and-sources-contradict-them",
        tables(
            table(["id", "source", "output"], [(f"s{k:02}", source(N - k), output(k)) for k in range(N)]), right=None
        ),
        tables(table(["id", "source", "output"], [(f"s{k:02}", source(k), output(k)) for k in range(N)])),
        "source",
    ),
    Mistake(
        "outputs-without-ids-in-another-order",
        tables(table(["output"], [(output(k),) for k in MIXED]), NO_IDS, None),
        tables(table(["output"], [(output(k),) for k in range(N)]), NO_IDS),
        "order|other segment",
    ),
    Mistake("unknown-ids", tables(by_id(name="t{:02}".format), right=None), IDS, "unknown"),
    Mistake(
        "leading-zeros-lost-in-ids",
        tables(by_id(name=str), table(["id", "reference"], [(f"{k:02}", reference(k)) for k in range(N)])),
        tables(by_id(name="{:02}".format), table(["id", "reference"], [(f"{k:02}", reference(k)) for k in range(N)])),
        "unknown|missing|id",
    ),
    Mistake("rows-are-repeated", tables(by_id() + by_id().partition("\n")[2]), IDS, "duplicate|twice"),
    Mistake(
        "segments-are-skipped",
        tables(by_id(range(20)), right=None, words=TABLE + " --missing skip", python={"policy": "skip"}),
        tables(by_id(), words=TABLE + " --missing skip", python={"policy": "skip"}),
        "10",
        chosen=True,
    ),
    Mistake("half-of-the-run", tables(by_id(range(15)), right=None), IDS, "missing|without|15"),
    Mistake(
        "a-column-that-there-is-not", Call("mt score gold.csv run.csv:bert -m bleu", IDS.files, None, None), IDS, "bert"
    ),
    Mistake("the-output-column-has-another-name", tables(by_id(head=("id", "outptu"))), IDS, "outptu|column"),
    Mistake(
        "the-reference-column-is-missing",
        tables(by_id(), GOLD.replace("reference", "other", 1), None),
        IDS,
        "reference|other",
    ),
    Mistake(
        "outputs-repeat-the-reference-column",
        tables(
            table(["id", "reference", "gpt"], [(f"s{k:02}", reference(k), output(k)) for k in range(N)]), right=None
        ),
        IDS,
        "reference|column|gpt",
    ),
    Mistake("an-unknown-measure", lines(words=SCORE.replace("bleu", "bluerr"), right=None), TWIN, "bluerr"),
    Mistake(
        "a-second-reference-has-other-lines",
        Call(
            "mt score ref.txt run.txt -m bleu --reference ref2.txt",
            {"ref.txt": REF, "run.txt": RUN, "ref2.txt": "".join(REF.splitlines(keepends=True)[:-1])},
            None,
            None,
        ),
        TWIN,
        "29|30|option",
    ),
    Mistake(
        "a-line-is-lost-in-the-middle-and-one-added-at-the-end",
        lines(
            "".join([*RUN.splitlines(keepends=True)[:14], *RUN.splitlines(keepends=True)[15:], "A line.\n"]), right=None
        ),
        TWIN,
        "next segment better than their own, on 1\\d segments in succession from segment 15",
    ),
    Mistake("everything-in-capitals", lines(RUN.upper(), right=None), TWIN, "small letters"),
    Mistake("quotes-around-lines", lines(text(lambda k: f'"{output(k)}"'), right=None), TWIN, "quotes around them"),
    Mistake(
        "lines-with-their-numbers",
        lines(text(lambda k: f"{k + 1}. {output(k)}"), right=None),
        TWIN,
        "begin with the number of their segment",
    ),
    Mistake(
        "a-label-before-each-translation",
        lines(text(lambda k: f"Translation: {output(k)}"), right=None),
        TWIN,
        "begin with 'Translation:'",
    ),
    Mistake(
        "pieces-of-words",
        lines(text(lambda k: output(k).replace("old", "ol@@ d")), right=None),
        TWIN,
        "marks of pieces of words",
    ),
    Mistake(
        "marks-of-sentencepiece",
        lines(text(lambda k: "▁" + output(k).replace(" ", " ▁")), right=None),
        TWIN,
        "marks of pieces of words",
    ),
    Mistake("the-end-mark-of-a-model", lines(text(lambda k: output(k) + " </s>"), right=None), TWIN, "tags of a model"),
    Mistake("escaped-line-breaks", lines(text(lambda k: output(k) + "\\n"), right=None), TWIN, "escaped line break"),
    Mistake(
        "a-wrong-encoding",
        lines(text(lambda k: output(k).replace("old", "Ã¶ld")), right=None),
        TWIN,
        "wrong encoding",
    ),
    Mistake(
        "no-punctuation",
        lines(text(lambda k: output(k).rstrip(".")), right=None),
        TWIN,
        "references end in punctuation",
    ),
    Mistake(
        "nan-for-lines-without-translation",
        lines(text(lambda k: "nan" if k in (3, 4) else output(k)), right=None),
        TWIN,
        "2 of 30 translations are 'nan'",
    ),
    Mistake(
        "messages-of-a-model-among-translations",
        lines(text(lambda k: "I cannot translate this." if k % 5 == 0 else output(k)), right=None),
        TWIN,
        "message of a tool",
    ),
    Mistake(
        "source-and-reference-columns-are-exchanged",
        tables(
            by_id(),
            table(["id", "source", "reference"], [(f"s{k:02}", reference(k), source(k)) for k in range(N)]),
            None,
        ),
        IDS,
        "are in a reference",
    ),
    Mistake(
        "ids-sorted-as-texts",
        tables(
            table(["id", "output"], [(name, output(k)) for k, name in enumerate(sorted(map(str, range(N))))]),
            table(["id", "reference"], [(k, reference(k)) for k in range(N)]),
            None,
        ),
        tables(by_id(name=str), table(["id", "reference"], [(k, reference(k)) for k in range(N)])),
        "references of other segments",
    ),
    *(
        Mistake(name, lines(text(of), right=None), TWIN, cause)
        for name, of, cause in (
            (
                "a-phrase-before-a-third-of-the-translations",
                lambda k: "Sure! Here is the translation: " * (k % 3 == 0) + output(k),
                "10 of 30 translations begin with 'Sure! Here is the translation:'",
            ),
            ("a-quarter-is-doubled", lambda k: " ".join([output(k)] * (1 + (k % 4 == 0))), "8 of 30.*twice"),
            ("a-third-is-cut", lambda k: output(k)[: 30 if k % 3 == 0 else None], "7 of 30.*30 characters.*cut off"),
            ("half-is-numbered", lambda k: f"{k + 1}. " * (k < N / 2) + output(k), "15 of 30.*number of their segment"),
            ("bytes-as-text", lambda k: str(output(k).encode()), "bytes.*decode"),
        )
    ),
    Mistake(
        "a-note-before-a-third-of-the-references",
        lines(ref=text(lambda k: "[Translator's note] " * (k % 3 == 0) + reference(k)), right=None),
        TWIN,
        r"the reference: 10 of 30 references begin with .\[Translator's note\]",
    ),
    Mistake(
        "the-last-lines-in-another-order",
        lines(text(output, [*range(20), *range(N - 1, 19, -1)]), right=None),
        TWIN,
        r"of the last 1\d translations.*other segments.*another order there",
    ),
    Mistake(
        "a-third-is-the-source",
        with_source(text(lambda k: source(k) if k % 3 == 0 else output(k)), None),
        with_source(RUN, RIGHT),
        "equals the source on 10 of 30",
    ),
    Mistake(
        "the-same-reference-twice",
        with_second(REF, None),
        with_second(SECOND, bleu_of_two()),
        "reference 2: equals the first one on 30 of 30",
    ),
    Mistake(
        "the-language-is-another-one",
        Call(f"{SCORE} --lang zh", TWIN.files, None, None),
        Call(f"{SCORE} --lang de", TWIN.files, RIGHT, None),
        "0 of its [0-9,]+ letters are in the script of --lang zh",
    ),
    Mistake(
        "ids-of-segments-as-documents",
        with_documents(lambda k: k),
        with_documents(lambda k: k // 5, RIGHT),
        "each of its 30 segments has a document of its own",
    ),
]


@by_name(MISTAKES)
def test_mistakes_with_translations_are_caught(mistake, route, tmp_path, monkeypatch):
    check(mistake, route, tmp_path, monkeypatch)
