"""Mistakes with human judgements of translations and with metrics beside them."""

from tests.misuse.harness import Call, Mistake, by_name, check
from tests.misuse.test_mt import REF, N, output, reference, text

SYSTEMS = {
    "best": lambda k: reference(k).replace("left", "went from") if k % 3 else reference(k),
    "good": output,
    "poor": lambda k: output(k).replace("old ", "").replace("village", "town").replace("The", "A"),
    "worst": lambda k: " ".join(reversed(output(k).split()[:9])) + ".",
}
RUNS = {f"de-en/{name}": text(of) for name, of in SYSTEMS.items()}
META = "mt meta judged.csv de-en --ref ref.txt -m chrf"


def quality(place, k):
    """Give the rating of a system's translation, from 1 to 5."""
    return max(1, 5 - place - (k % 4 == 1))


def ratings(score=quality, annotators=("ana", "ben"), criterion="adequacy"):
    """Give ratings of all translations by two annotators."""
    rows = [
        f"{k + 1},{name},{who},{score(place, k + number * (place % 2))}"
        for number, who in enumerate(annotators)
        for place, name in enumerate(SYSTEMS)
        for k in range(N)
    ]
    return "\n".join([f"segment,system,judge,{criterion}", *rows]) + "\n"


def scores(value):
    """Give the scores of a metric made elsewhere."""
    rows = [f"{name}\t{k + 1}\t{value(place, k)}" for place, name in enumerate(SYSTEMS) for k in range(N)]
    return "\n".join(["system\tsegment\tscore", *rows]) + "\n"


def meta(judged=None, right=None, words=META, runs=None, **files):
    """Give the comparison of metrics with annotators, which Python does in steps."""
    named = {name.replace("_", "."): content for name, content in files.items()}
    return Call(
        words, {"ref.txt": REF, "judged.csv": judged or ratings(), **RUNS, **(runs or {}), **named}, right, None
    )


MQM_HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"


def errors(times=1):
    """Give raw MQM: translations with as many minor errors as the place of their system, each row *times* over."""
    rows = []
    for place, (name, of) in enumerate({"ref": reference, **SYSTEMS}.items()):
        for k in range(N):
            kinds = ["Fluency/Grammar\tMinor"] * (place + k % 2) or ["No-error\tNo-error"]
            rows += [f"{name}\tnews\t1\t{k + 1}\trater1\tQuelle {k}\t{of(k)}\t{kind}" for kind in kinds]
    return "\n".join([MQM_HEADER, *rows * times]) + "\n"


def mqm(table, right=None):
    """Give the comparison of a metric with raw MQM."""
    return Call("mt meta mqm.tsv --reference-system ref -m chrf", {"mqm.tsv": table}, right, None)


def agreement(table, right=None):
    """Give the agreement of annotators."""
    return Call("mt agreement judged.csv", {"judged.csv": table}, right, None)


PAIRS = [(quality(place, k), quality(place, k + place % 2)) for place in range(len(SYSTEMS)) for k in range(N)]
EQUAL = {("", "raw_agreement"): sum(own == other for own, other in PAIRS) / len(PAIRS)}
ALONE = ratings(annotators=("ana",))
PERFECT = {("chrf", "adequacy: spearman"): 1.0}
TWIN = meta(right=PERFECT)
WITH = META + " --scores comet=comet.tsv"
COMET = {**PERFECT, ("comet", "adequacy: spearman"): 1.0}
SCORED = meta(right=COMET, words=WITH, comet_tsv=scores(lambda place, k: 0.9 - place / 10 - k / 1000))

MISTAKES = [
    Mistake("ratings-of-which-1-is-best", meta(ratings(lambda place, k: 6 - quality(place, k))), TWIN, "the other one"),
    Mistake(
        "errors-counted-as-points",
        meta(ratings(lambda place, k: 5 - quality(place, k), criterion="errors")),
        TWIN,
        "best end of errors may be the other one",
    ),
    Mistake(
        "minus-1-is-no-rating",
        meta(ratings(lambda place, k: -1 if k % 9 == 0 else quality(place, k))),
        TWIN,
        "values of adequacy are -1",
    ),
    Mistake(
        "a-metric-of-errors",
        meta(words=WITH, comet_tsv=scores(lambda place, k: 0.1 + place / 10 + k / 1000)),
        SCORED,
        "if lower is better, say so: comet:lower",
    ),
    Mistake(
        "lines-of-a-system-in-another-order",
        meta(runs={"de-en/good": text(output, [*range(9, N), *range(9)])}),
        TWIN,
        "warning.*good: rare words",
    ),
    Mistake("a-system-is-the-reference", meta(runs={"de-en/best": REF}), TWIN, "warning.*best: equals the reference"),
    Mistake(
        "rows-of-errors-are-doubled", mqm(errors(2)), mqm(errors(), {("chrf", "mqm: spearman"): 1.0}), "is there twice"
    ),
    Mistake(
        "one-person-under-two-names",
        agreement(ratings(annotators=("ana", "Ana"))),
        agreement(ratings(), EQUAL),
        "'ana' and 'Ana' count as different annotators",
    ),
    Mistake(
        "one-file-for-two-annotators",
        agreement(ALONE + ALONE.partition("\n")[2].replace("ana", "eva")),
        agreement(ratings(), EQUAL),
        "equal scores",
    ),
]


@by_name(MISTAKES)
def test_mistakes_with_judgements_and_metrics_are_caught(mistake, route, tmp_path, monkeypatch):
    check(mistake, route, tmp_path, monkeypatch)
