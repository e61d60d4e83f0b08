"""Mistakes with labels of annotators: codes and other scales, labels in two forms, rows and columns that are none."""

from tests.misuse.harness import Mistake, by_name, check
from tests.misuse.test_judging import AGREED, TRUE, WIDE, agreement, labels, rating, raw, wide

RATED = agreement(labels(lambda name, k, label: rating(label, k)), raw())
NAMED = "items agreement labels.csv --cluster"


def rated(of):
    """Give ratings, those of eva changed by *of*."""
    return agreement(labels(lambda name, k, label: of(k, rating(label, k)) if name == "eva" else rating(label, k)))


def some(change, every=9):
    """Give the table with each ninth label of all annotators changed."""
    return agreement(labels(lambda name, k, label: change(label) if k % every == 0 else label))


def clustered(field, right=None):
    """Give agreement with clusters, in a table with the document of each item."""
    rows = [f"{line},{'document' if n == 0 else 'd' + line[1:2]}" for n, line in enumerate(labels().splitlines())]
    return agreement("\n".join(rows) + "\n", right, f"{NAMED} {field}").command_only()


TOTALS = "item,ana,ben\n" + "".join(f"q{k},{1 + k % 5},{1 + (k + k % 2) % 5}\n" for k in range(30))
TOTALS_RIGHT = {("", "raw_agreement"): 15 / 30}

MISTAKES = [
    Mistake(
        "a-row-of-totals", agreement(TOTALS + "total,90,93\n"), agreement(TOTALS, TOTALS_RIGHT), "'total' is counted"
    ),
    Mistake(
        "a-row-of-means",
        agreement(labels(extra=["mean,ana,yes", "mean,ben,no"])),
        AGREED,
        "'mean' is counted as an item",
    ),
    Mistake(
        "annotators-and-items-exchanged",
        agreement(labels().replace("item,annotator", "annotator,item", 1)),
        AGREED,
        "60 annotators labelled 3 items",
    ),
    Mistake("the-header-again", agreement(labels(extra=["item,annotator,label"])), AGREED, "the header again"),
    Mistake("the-header-again-in-a-wide-table", agreement(wide() + "item,ana,ben,eva\n"), WIDE, "the header again"),
    *(
        Mistake(
            f"the-column-{name}-is-no-annotator", agreement(wide({name: lambda k: TRUE[k]})), WIDE, f"'{name}' counts"
        )
        for name in ("label", "prediction", "final_label")
    ),
    Mistake("first-letters-beside-words", some(lambda label: label[0]), AGREED, "'y' and 'yes' count as different"),
    Mistake("full-stops-after-some-labels", some("{}.".format), AGREED, "'yes' and 'yes.'"),
    Mistake("two-labels-in-a-cell", some(lambda label: "yes;no"), AGREED, "'yes;no' counts as a label"),
    Mistake(
        "codes-with-a-decimal-part",
        agreement(
            labels(lambda name, k, label: str(float(label == "yes")) if name == "eva" else int(label == "yes")), raw()
        ),
        agreement(labels(lambda name, k, label: int(label == "yes")), raw()),
        "'1' and '1.0'",
    ),
    Mistake("0-is-no-rating", rated(lambda k, own: 0 if k % 10 == 0 else own), RATED, "eva alone gave 0, 6 times"),
    Mistake("minus-1-is-no-rating", rated(lambda k, own: -1 if k % 10 == 0 else own), RATED, "'-1' counts as a label"),
    Mistake("a-scale-that-begins-at-0", rated(lambda k, own: own - 1), RATED, "labels of eva are from 0 to 4"),
    Mistake("a-scale-that-ends-at-10", rated(lambda k, own: 2 * own), RATED, "labels of eva are from 2 to 10"),
    Mistake(
        "clusters-of-annotators", clustered("annotator"), clustered("document", raw()), "several values of annotator"
    ),
    Mistake(
        "a-few-typing-errors-in-a-label",
        agreement(
            labels(lambda name, k, label: label.replace("yes", "yse") if name == "eva" and k % 9 == 0 else label)
        ),
        AGREED,
        "'yse' counts as a label of its own",
    ),
    Mistake(
        "all-items-twice-under-other-ids",
        agreement(labels(extra=[f"x{line[1:]}" for line in labels().splitlines()[1:]])),
        AGREED,
        "the labels of the first 60 items come 2 times",
    ),
    *(
        Mistake(name, agreement(labels(of)), AGREED, f"only eva uses {words}.*write it in one form")
        for name, of, words in (
            (
                "one-annotator-translates-half-of-the-labels",
                lambda name, k, label: {"yes": "ja", "no": "nein"}[label] if name == "eva" and k % 2 else label,
                "'ja' and 'nein'",
            ),
            (
                "one-annotator-misspells-some-labels",
                lambda name, k, label: label.replace("yes", "yse") if name == "eva" and k % 2 else label,
                "'yse'",
            ),
        )
    ),
]


@by_name(MISTAKES)
def test_mistakes_with_labels_are_caught(mistake, route, tmp_path, monkeypatch):
    check(mistake, route, tmp_path, monkeypatch)
