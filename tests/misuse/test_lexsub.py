"""Mistakes with substitutes for words."""

import html.entities
import json
import random
import unicodedata
from dataclasses import replace

from tests.misuse.harness import Call, Mistake, by_name, check

TARGETS = ("bright", "plot", "match")
SENSES = {
    "bright": [("clever", "smart", "gifted"), ("vivid", "brilliant", "shining")],
    "plot": [("scheme", "conspiracy", "plan"), ("story", "storyline", "narrative")],
    "match": [("game", "contest", "fixture"), ("equal", "rival", "counterpart")],
}
N = 24


def item(k):
    """Give the target, sense and gold of an item: three words, of 3, 2 and 1 people."""
    target = TARGETS[k // 8]
    return target, SENSES[target][k % 2]


def answered(k):
    """Give a run's answers: right in the first place where k is no multiple of 4, else the last word of the gold."""
    words = item(k)[1]
    return words[:2] if k % 4 else (words[2], "thing")


BEST1 = {("run", "best1"): (18 * 1 + 6 * (1 / 3)) / 24}
"""credit of the first answer / optimum(1), a mean over items."""


def gold_table(
    name=lambda k: f"s{k:02}", weight=lambda k, n: 3 - n, head="item,target,substitute,weight", sentence=None
):
    """Give the gold with a row for each substitute."""
    rows = []
    for k in range(N):
        target, words = item(k)
        more = f",{sentence(k)}" if sentence else ""
        rows += [f"{name(k)},{target},{word},{weight(k, n)}{more}" for n, word in enumerate(words)]
    return "\n".join([head + (",sentence" if sentence else ""), *rows]) + "\n"


def run_cells(cell, name=lambda k: f"s{k:02}", order=range(N), head="item,answers"):
    """Give a run with a row for each item and all answers in one cell."""
    return "\n".join([head, *(f"{name(k)},{cell(answered(k))}" for k in order)]) + "\n"


def run_rows(name=lambda k: f"s{k:02}", word=lambda text: text, order=range(N), extra=()):
    """Give a run with a row for each answer."""
    rows = [f"{name(k)},{word(text)}" for k in order for text in answered(k)]
    return "\n".join(["item,substitute", *rows, *extra]) + "\n"


def semeval_gold():
    """Give the gold in the format of SemEval-2007."""
    lines = []
    for k in range(N):
        target, words = item(k)
        lines.append(f"{target}.n {k + 1} :: " + "".join(f"{word} {3 - n};" for n, word in enumerate(words)))
    return "\n".join(lines) + "\n"


def semeval_run(separator=";", mark=":::", number=lambda k: k + 1, word=lambda text: text, lemma=lambda k: item(k)[0]):
    """Give a run in the format of SemEval-2007."""
    rows = [f"{lemma(k)}.n {number(k)} {mark} {separator.join(map(word, answered(k)))}" for k in range(N)]
    return "\n".join(rows) + "\n"


GOLD, RUN = gold_table(), run_rows()
SCORE = "lexsub score gold.csv run.csv -m best1"


def score(run=RUN, gold=GOLD, right=BEST1, words=SCORE, python=None):
    """Give the call on two tables."""
    return Call(words, {"gold.csv": gold, "run.csv": run}, right, {} if python is None else python)


def official(run, gold=None, right=BEST1, name="run.oot"):
    """Give the call on files of the task."""
    return Call(f"lexsub score test.gold {name} -m best1", {"test.gold": gold or semeval_gold(), name: run}, right)


def lines(of, right=BEST1):
    """Give the call with a run of JSON lines."""
    run = "".join(json.dumps(of(k)) + "\n" for k in range(N))
    return Call("lexsub score gold.csv run.jsonl -m best1", {"gold.csv": GOLD, "run.jsonl": run}, right)


TWIN, OFFICIAL = score(), official(semeval_run())
LISTS = lines(lambda k: {"id": f"s{k:02}", "answers": list(answered(k))})
CELLS = score(run_cells(lambda words: '"' + ";".join(words) + '"'))
FRENCH = {
    word: f"mot{n}" for n, word in enumerate(sorted({w for s in SENSES.values() for ws in s for w in ws} | {"thing"}))
}
MIXED = random.Random(2).sample(range(N), N)


def sentence(k):
    """Give the sentence of an item."""
    return f"Sentence {k} has a {item(k)[0]} in it."


def beside_sentences(order):
    """Give a run with sentences and no ids."""
    return "\n".join(["sentence,answers", *(f"{sentence(k)},{';'.join(answered(k))}" for k in order)]) + "\n"


SENTENCES = "".join(line.partition(",")[2] + "\n" for line in gold_table(sentence=sentence).splitlines())
"""The gold without ids."""
TWO = "lexsub compare gold.csv a=a.csv b=b.csv -m best1"


def two(a, b, right=None):
    """Give a comparison of two runs."""
    return Call(TWO, {"gold.csv": GOLD, "a.csv": a, "b.csv": b}, right)


def ranked(descending, shuffle):
    """Give a run whose answers have scores, in the order of the scores or not."""
    rows = []
    for k in range(N):
        scored = [(word, 0.9 - 0.5 * n) for n, word in enumerate(answered(k))]
        rows += [f"s{k:02},{word},{value:.1f}" for word, value in (reversed(scored) if shuffle else scored)]
    return "\n".join(["item,substitute,score", *rows]) + "\n"


def separated(sign):
    """Give a run with all answers of an item in one cell, in quotes."""
    return run_cells(lambda words: f'"{sign.join(words)}"')


def rows_of(rows):
    """Give a run of the given rows."""
    return "\n".join(["item,substitute", *rows]) + "\n"


def numbered_rows(name, number, reverse=True):
    """Give a run with a number beside each answer, from its place; the worst answer first, or last."""
    rows = []
    for k in range(N):
        beside = [f"s{k:02},{word},{number(n)}" for n, word in enumerate(answered(k))]
        rows += reversed(beside) if reverse else beside
    return "\n".join([f"item,substitute,{name}", *rows]) + "\n"


ACCENTS = {"clever": "cléver", "scheme": "schéme", "game": "gâme", "equal": "équal", "vivid": "vìvid", "story": "stóry"}


def accented(code, by_list=False):
    """Give gold and a run with accents; *code* is what happened to those of the run."""
    words = {word: ACCENTS.get(word, word) for senses in SENSES.values() for sense in senses for word in sense}
    gold = "\n".join(",".join(words.get(cell, cell) for cell in line.split(",")) for line in gold_table().splitlines())
    if by_list:
        answers = lines(lambda k: {"id": f"s{k:02}", "answers": [code(words.get(text, text)) for text in answered(k)]})
        return replace(answers, files=answers.files | {"gold.csv": gold + "\n"}, right=None)
    return score(run_rows(word=lambda text: code(words.get(text, text))), gold + "\n", None)


def misread(text):
    """Give what Windows makes of UTF-8."""
    return text.encode().decode("cp1252", "replace")


def as_html(text):
    """Give a text with accents as HTML may have them."""
    return "".join(f"&{html.entities.codepoint2name[ord(sign)]};" if not sign.isascii() else sign for sign in text)


ACCENTED = replace(accented(str), right=BEST1)


def edited(k):
    """Give the gold of an item, changed in a sixth of them."""
    words = item(k)[1]
    return words if k % 6 else ("other", *words[:2])


MISTAKES = [
    Mistake("answers-separated-by-bars", score(run_cells("|".join)), CELLS, "separat|\\|"),
    Mistake(
        "answers-separated-by-commas",
        score(run_cells(lambda words: '"' + ", ".join(words) + '"')),
        CELLS,
        "separat|comma|,",
    ),
    Mistake("answers-separated-by-blanks", score(run_cells(" ".join)), CELLS, "separat|blank|space"),
    Mistake("answers-separated-by-slashes", score(run_cells("/".join)), CELLS, "separat|/"),
    Mistake(
        "a-list-in-python-notation",
        score(run_cells(lambda words: '"' + str(list(words)) + '"')),
        CELLS,
        "separat|list|\\[",
    ),
    Mistake("commas-in-a-file-of-the-task", official(semeval_run(separator=",")), OFFICIAL, "separat|comma|,"),
    Mistake("capitals-in-answers", score(run_rows(word=str.upper)), TWIN, "capital|case"),
    Mistake(
        "plurals-in-answers", score(run_rows(word=lambda text: text + "s"), right=None), TWIN, "lemma|inflect|form"
    ),
    Mistake("answers-in-another-language", score(run_rows(word=FRENCH.get), right=None), TWIN, "none|language|gold"),
    Mistake(
        "answers-of-other-items",
        score(run_rows(name=lambda k: f"s{(k + 8) % N:02}"), right=None),
        TWIN,
        "other items|order|shift",
    ),
    Mistake("a-run-for-another-test-set", score(run_rows(name=lambda k: f"t{k + 100}"), right=None), TWIN, "unknown"),
    Mistake("some-items-of-another-test-set", score(run_rows(extra=["zz,word"]), right=None), TWIN, "zz"),
    Mistake("rows-are-repeated", score(RUN + RUN.partition("\n")[2]), TWIN, "twice|duplicate|repeat"),
    Mistake("lines-are-repeated", official(semeval_run() * 2), OFFICIAL, "duplicate|twice"),
    Mistake("blanks-around-answers", score(run_rows(word=lambda text: f" {text} ")), TWIN, "blank|space"),
    Mistake("blanks-after-ids", score(run_rows(name=lambda k: f"s{k:02} ")), TWIN, "blank|unknown"),
    Mistake("capitals-in-ids", score(run_rows(name=lambda k: f"S{k:02}")), TWIN, "unknown|nearest"),
    Mistake(
        "leading-zeros-lost-in-ids",
        score(run_rows(name=lambda k: str(k)), gold_table(name="{:02}".format)),
        score(run_rows(name="{:02}".format), gold_table(name="{:02}".format)),
        "unknown",
    ),
    Mistake(
        "ids-count-from-zero",
        official(semeval_run(number=lambda k: k), right=None),
        OFFICIAL,
        "unknown|0|missing|without",
    ),
    Mistake("another-lemma-in-the-key", official(semeval_run(lemma=lambda k: "word")), OFFICIAL, "word"),
    Mistake("the-run-is-the-gold", score(GOLD, right=None), TWIN, "gold"),
    Mistake("the-gold-as-a-run-of-the-task", official(semeval_gold(), right=None, name="run.oot"), OFFICIAL, "gold|::"),
    Mistake(
        "gold-and-run-are-swapped",
        Call("lexsub score run.csv gold.csv -m best1", TWIN.files),
        TWIN,
        "weight|gold|target|swap",
    ),
    Mistake(
        "one-file-for-two-systems",
        two(RUN, RUN),
        two(RUN, run_rows(word=lambda text: text if text != "smart" else "x"), {("a", "best1"): BEST1["run", "best1"]}),
        "same|equal|identical",
    ),
    Mistake("weights-in-answers", score(run_rows(word=lambda text: f"{text} 3")), TWIN, "count"),
    Mistake(
        "a-weight-is-nan",
        score(gold=gold_table(weight=lambda k, n: "nan" if (k, n) == (2, 0) else 3 - n), right=None),
        TWIN,
        "nan|finite|number|weight|empty",
    ),
    Mistake(
        "a-weight-is-negative",
        score(gold=gold_table(weight=lambda k, n: -1 if (k, n) == (2, 0) else 3 - n), right=None),
        TWIN,
        "negative|positive|-1",
    ),
    Mistake(
        "a-weight-is-a-word",
        score(gold=gold_table(weight=lambda k, n: "three" if (k, n) == (2, 0) else 3 - n), right=None),
        TWIN,
        "three",
    ),
    Mistake(
        "a-weight-is-infinite",
        score(gold=gold_table(weight=lambda k, n: "inf" if (k, n) == (2, 0) else 3 - n), right=None),
        TWIN,
        "inf|finite",
    ),
    Mistake("half-of-the-run", score(run_rows(order=range(12)), right=None), TWIN, "without an answer|missing"),
    Mistake(
        "a-column-that-there-is-not",
        Call("lexsub score gold.csv run.csv:bert -m best1", TWIN.files, None, None),
        TWIN,
        "bert",
    ),
    Mistake(
        "the-answers-column-has-another-name",
        score(run_rows().replace("item,substitute", "item,mysubs")),
        TWIN,
        "column|mysubs",
    ),
    Mistake(
        "the-gold-has-no-ids", score(gold=GOLD.replace("item,", "key,", 1), right=None), TWIN, "key|column|item|target"
    ),
    Mistake(
        "sentences-in-another-order-without-ids",
        score(beside_sentences(MIXED), SENTENCES),
        score(beside_sentences(range(N)), SENTENCES),
        "order|sentence|item|id",
    ),
    Mistake(
        "answers-are-not-in-the-order-of-their-scores",
        score(ranked(True, shuffle=True)),
        score(ranked(True, shuffle=False)),
        "score|order",
    ),
    Mistake(
        "the-first-answer-twice",
        lines(lambda k: {"id": f"s{k:02}", "answers": [answered(k)[0], *answered(k)]}),
        LISTS,
        "twice|duplicate|repeat",
    ),
    Mistake(
        "answers-are-null",
        lines(lambda k: {"id": f"s{k:02}", "answers": None if k == 3 else list(answered(k))}, None),
        LISTS,
        "null|empty|without|missing|answers",
        chosen=True,
    ),
    Mistake(
        "answers-are-numbers", lines(lambda k: {"id": f"s{k:02}", "answers": [1, 2]}, None), LISTS, "number|string|gold"
    ),
    Mistake("a-byte-order-mark", score("\ufeff" + RUN), TWIN, "column|item"),
    Mistake(
        "best-and-oot-files-are-exchanged", official(semeval_run(mark="::"), name="run.oot"), OFFICIAL, "::|best|oot"
    ),
    *(
        Mistake(
            f"answers-separated-by-{name}",
            score(run_cells(lambda words, sign=sign: f'"{sign.join(words)}"')),
            CELLS,
            cause,
        )
        for name, sign, cause in (
            ("plus-signs", "+", "between them; separate answers"),
            ("bullets", "•", "between them; separate answers"),
            ("line-breaks", "\n", "line breaks between them; separate answers"),
            ("wide-semicolons", "；", "wide semicolons between them; separate answers"),
            ("greater-than", " > ", "between them; separate answers"),
        )
    ),
    Mistake(
        "scores-beside-answers",
        score(run_cells(lambda words: '"' + "; ".join(f"{word}:0.9" for word in words) + '"')),
        CELLS,
        "without what stands around the word",
    ),
    Mistake(
        "answers-in-alphabetical-order",
        score(rows_of(f"s{k:02},{word}" for k in range(N) for word in sorted([*answered(k), "other"])), right=None),
        TWIN,
        "answers are in alphabetical order in 24 of 24 items",
    ),
    Mistake(
        "rows-are-shuffled",
        score(rows_of(random.Random(3).sample(run_rows().splitlines()[1:], 2 * N)), right=None),
        score(rows_of([row for n in range(2) for row in run_rows().splitlines()[1 + n :: 2]])),
        "so their order may be lost",
    ),
    Mistake(
        "a-second-run-below-the-first",
        score(RUN + rows_of(f"s{k:02},other\ns{k:02},another" for k in range(N)).partition("\n")[2], right=None),
        TWIN,
        "so their order may be lost",
    ),
    Mistake(
        "ids-of-other-items",
        score(run_rows(name=lambda k: f"s{MIXED[k]:02}"), right=None),
        TWIN,
        "in that of any item; the ids may belong to other items",
    ),
    Mistake(
        "log-probabilities-in-no-order",
        score(numbered_rows("logprob", lambda n: -0.1 - n)),
        score(numbered_rows("score", lambda n: 0.9 - n / 2, reverse=False)),
        "score is the column logprob",
    ),
    Mistake(
        "the-farthest-answer-first",
        score(numbered_rows("distance", lambda n: 0.1 + n)),
        score(numbered_rows("distance", lambda n: 0.1 + n, reverse=False)),
        "order of rows, in which distance falls",
    ),
    Mistake(
        "the-word-itself-comes-first",
        score(rows_of(f"s{k:02},{word}" for k in range(N) for word in (item(k)[0], *answered(k))), right=None),
        TWIN,
        "answers that are the target itself: 24",
    ),
    Mistake("utf-8-read-as-windows", accented(misread), ACCENTED, "but for their accents.*encoding"),
    Mistake(
        "accents-are-lost",
        accented(lambda text: unicodedata.normalize("NFD", text).encode("ascii", "ignore").decode()),
        ACCENTED,
        "but for their accents.*encoding",
    ),
    Mistake(
        "question-marks-for-accents",
        accented(lambda text: text.encode("ascii", "replace").decode()),
        ACCENTED,
        "but for their accents.*encoding",
    ),
    Mistake(
        "the-greatest-rank-is-the-best",
        score(numbered_rows("rank", lambda n: 10 - n, reverse=False)),
        score(numbered_rows("rank", lambda n: n + 1, reverse=True)),
        "the least rank is 9, not 1",
    ),
    Mistake(
        "scores-are-costs",
        score(numbered_rows("score", lambda n: n + 0.5, reverse=False)),
        score(numbered_rows("score", lambda n: 2.5 - n, reverse=False)),
        "falling score, which reverses the rows of 24 of 24 items",
    ),
    Mistake(
        "weights-of-the-gold-are-ranks",
        score(gold=gold_table(weight=lambda k, n: n + 1)),
        TWIN,
        "weights are 1, 2, 3 in the order of rows in 24 of 24 items",
    ),
    *(
        Mistake(
            f"weights-are-called-{name}",
            score(gold=gold_table(head=f"item,target,substitute,{name}")),
            score(
                gold=gold_table(head=f"item,target,substitute,{name}"),
                words=f"{SCORE} --column weight={name}",
                python={"column": {"weight": name}},
            ),
            f"no column of weights.*{name} has numbers",
        )
        for name in ("wieght", "n", "people")
    ),
    Mistake(
        "a-part-of-speech-after-half-of-the-answers",
        score(rows_of(f"s{k:02},{word}{'.n' * (k % 2)}" for k in range(N) for word in answered(k)), right=None),
        TWIN,
        r"words alone, such as '\w+\.n' as",
    ),
    Mistake(
        "full-stops-after-a-third-of-the-answers",
        lines(lambda k: {"id": f"s{k:02}", "answers": [word + "." * (k % 3 == 0) for word in answered(k)]}, None),
        LISTS,
        "give words alone",
    ),
    Mistake(
        "numbers-before-a-third-of-the-answers",
        lines(
            lambda k: {
                "id": f"s{k:02}",
                "answers": [f"{n}. {word}" if k % 3 == 0 else word for n, word in enumerate(answered(k), 1)],
            },
            None,
        ),
        LISTS,
        "give words alone",
    ),
    Mistake("accents-as-names-of-html", accented(as_html, by_list=True), ACCENTED, r"&\w+;.*give words alone"),
    Mistake(
        "accents-as-names-of-html-beside-plain-letters",
        lines(lambda k: {"id": f"s{k:02}", "answers": [word.replace("e", "&eacute;") for word in answered(k)]}, None),
        LISTS,
        r"answers have names of HTML, such as .*&eacute;",
    ),
    Mistake(
        "the-target-is-a-substitute-in-a-few-items",
        score(gold=GOLD.replace(",clever,", ",bright,"), right=None),
        TWIN,
        "the target itself is a substitute in 4 of 24 items",
    ),
    Mistake(
        "the-last-answers-are-cut-off",
        score("\n".join(RUN.splitlines()[:-8]) + "\n", right=None),
        TWIN,
        "the last 4 items have no answer; the run may have been cut off",
    ),
    Mistake(
        "no-answer-as-a-substitute",
        score(gold=GOLD.replace("s00,bright,clever", "s00,bright,N/A"), right=None).command_only(),
        TWIN,
        "'n/a' is counted as a substitute",
    ),
    Mistake(
        "the-target-is-a-substitute",
        score(gold=GOLD.replace(",clever,", ",bright,").replace(",story,", ",plot,"), right=None),
        TWIN,
        "the target itself is a substitute in 8 of 24 items",
    ),
    Mistake(
        "weights-are-numbers-of-rows",
        score(gold=gold_table(weight=lambda k, n: 100 + 3 * k + n), right=None),
        TWIN,
        "weights rise from row to row through all 72 rows",
    ),
    Mistake(
        "the-gold-with-some-edits",
        score(rows_of(f"s{k:02},{word}" for k in range(N) for word in edited(k)), right=None),
        TWIN,
        "the whole gold of 3 answers or more on 20 of 24 items; .*edited",
    ),
]


@by_name(MISTAKES)
def test_mistakes_with_substitutes_are_caught(mistake, route, tmp_path, monkeypatch):
    check(mistake, route, tmp_path, monkeypatch)
