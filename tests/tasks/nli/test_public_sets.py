"""Public inference sets are read as they are published, without options.

Each text below has the exact header or keys of the published files; the sentences are ours.
"""

import json

import pyarrow as pa
import pytest
from pyarrow import parquet

from touchstone import TouchstoneError, nli
from touchstone.base.codes import Code
from touchstone.core.resampling import Resampling
from touchstone.tasks.nli.labels import LABELS, TWO_LABELS

QUICK = Resampling("none")

SNLI_TXT = (
    "gold_label sentence1_binary_parse sentence2_binary_parse sentence1_parse sentence2_parse sentence1 sentence2 "
)
SNLI_TXT += "captionID pairID label1 label2 label3 label4 label5"
MNLI = "index promptID pairID genre sentence1_binary_parse sentence2_binary_parse sentence1_parse sentence2_parse "
MNLI += "sentence1 sentence2 label1 gold_label"
HANS = "gold_label sentence1_binary_parse sentence2_binary_parse sentence1_parse sentence2_parse sentence1 sentence2 "
HANS += "pairID heuristic subcase template"
E_SNLI = "pairID,gold_label,Sentence1,Sentence2,Explanation_1,Sentence1_marked_1,Sentence2_marked_1"


def tsv(header, *rows):
    return "\n".join("\t".join(row) for row in [header.split(), *rows]) + "\n"


def jsonl(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


ANLI = {"uid": "u1", "context": "A dog runs.", "hypothesis": "It moves.", "label": "e", "model_label": "c"}
ANLI |= {"emturk": False, "genre": "wikipedia", "reason": "running is moving", "tag": "reason"}
SCITAIL_SNLI = {
    "gold_label": "entailment",
    "sentence1": "Water boils.",
    "sentence2": "Water gets hot.",
    "captionID": "c1",
}
SCITAIL_SNLI |= {"pairID": "p1", "annotator_labels": ["entailment"], "sentence1_parse": "", "sentence2_parse": ""}
SCITAIL_PREDICTOR = {"sentence1": "Water boils.", "sentence2": "Water gets hot.", "answer": "entails"}
SCITAIL_PREDICTOR |= {"sentence2_structure": "Water<>gets<>hot"}
FEW = ("( x )",) * 4

THREE = {
    "snli_1.0_dev.txt": tsv(
        SNLI_TXT,
        ("neutral", *FEW, "A dog.", "A big dog.", "1.jpg#0", "1.jpg#0r1n", "neutral", "neutral", "entailment", "", ""),
        ("-", *FEW, "A dog.", "A cat.", "1.jpg#0", "1.jpg#0r1c", "neutral", "contradiction", "", "", ""),
    ),
    "dev_matched.tsv": tsv(MNLI, ("0", "63", "63735n", "slate", *FEW, "A dog.", "A pet.", "neutral", "neutral")),
    "anli_test.jsonl": jsonl(ANLI),
    "esnli_test.csv": f'{E_SNLI}\n1.jpg#0r1e,entailment,"A dog, here.",A dog.,"It is, so.",*A*,*dog*\n',
    "SICK.txt": tsv(
        "pair_ID sentence_A sentence_B entailment_label relatedness_score", ("6", "A dog", "A cat", "NEUTRAL", "3.3")
    ),
    "diagnostic-full.tsv": "Lexical Semantics\tPredicate-Argument Structure\tLogic\tKnowledge\tDomain\tPremise\t"
    "Hypothesis\tLabel\nLexical entailment\t\t\t\tNews\tA dog runs.\tA dog moves.\tentailment\n",
}

TWO = {
    "heuristics_evaluation_set.txt": tsv(
        HANS,
        ("non-entailment", *FEW, "A dog saw a cat.", "A cat saw a dog.", "ex0", "lexical_overlap", "ln_s", "temp1"),
        ("entailment", *FEW, "A dog and a cat ran.", "A dog ran.", "ex1", "lexical_overlap", "le_c", "temp2"),
    ),
    "RTE.tsv": tsv(
        "index sentence1 sentence2 label",
        ("0", "A dog ran.", "A dog moved.", "entailment"),
        ("1", "A", "B", "not_entailment"),
    ),
    "QNLI.tsv": tsv(
        "index question sentence label",
        ("0", "Who ran?", "A dog ran.", "entailment"),
        ("1", "Who?", "B", "not_entailment"),
    ),
    "scitail_1.0_test.tsv": "Water boils.\tWater gets hot.\tentails\nWater boils.\tIce melts.\tneutral\n",
    "scitail_predictor.jsonl": jsonl(SCITAIL_PREDICTOR, SCITAIL_PREDICTOR | {"answer": "neutral"}),
}


@pytest.mark.parametrize("name", THREE)
def test_sets_with_three_labels_are_read_without_options(name, file):
    gold = nli.read_gold(file(name, THREE[name]))
    assert gold.labels == LABELS
    assert gold.pairs[0].gold in LABELS
    assert gold.pairs[0].premise.startswith("A dog")


@pytest.mark.parametrize("name", TWO)
def test_sets_with_two_labels_are_read_without_options(name, file):
    gold = nli.read_gold(file(name, TWO[name]))
    assert gold.labels == TWO_LABELS
    assert sorted(pair.gold for pair in gold.pairs) == ["entailment", "not_entailment"]


def test_ids_readers_and_fields_of_public_sets_are_found(file):
    first, second = nli.read_gold(file("snli.txt", THREE["snli_1.0_dev.txt"])).pairs
    assert (first.id, first.annotators) == ("1.jpg#0r1n", ("neutral", "neutral", "entailment"))
    assert (second.gold, second.annotators) == (None, ("neutral", "contradiction"))
    (anli,) = nli.read_gold(file("anli.jsonl", THREE["anli_test.jsonl"])).pairs
    assert (anli.id, anli.gold, anli.rest["genre"]) == ("u1", "entailment", "wikipedia")
    hans = nli.read_gold(file("hans.txt", TWO["heuristics_evaluation_set.txt"]))
    assert hans.pairs[0].rest["heuristic"] == "lexical_overlap"


def test_scitail_in_the_form_of_snli_has_three_labels_by_its_names(file):
    assert nli.read_gold(file("s.jsonl", jsonl(SCITAIL_SNLI))).pairs[0].gold == "entailment"


def test_hans_scores_three_labels_as_entailment_against_the_rest(file):
    gold = file("hans.txt", TWO["heuristics_evaluation_set.txt"])
    run = file("bert.txt", "pairID,gold_label\nex0,contradiction\nex1,neutral\n")
    results = nli.score(gold, {"bert": run}, resampling=QUICK)
    assert results.row("bert", "accuracy").value == 1 / 2
    assert results.row("bert", "recall.not_entailment").value == 1
    assert results.signature["labels"] == "two, entailment against the rest"
    by_line = nli.score(gold, {"bert": file("lines.txt", "contradiction\nneutral\n")}, resampling=QUICK)
    assert by_line.signature == results.signature


def test_two_labels_can_be_asked_for_and_three_cannot_be_made_of_two(file):
    gold = file("g.csv", "id,label\n1,neutral\n2,entailment\n")
    run = {"a": {"1": "contradiction", "2": "entailment"}}
    assert nli.score(gold, run, resampling=QUICK).row("a", "accuracy").value == 1 / 2
    assert nli.score(gold, run, resampling=QUICK, labels="two").row("a", "accuracy").value == 1
    with pytest.raises(TouchstoneError) as error:
        nli.score(gold, {"a": {"1": "not_entailment", "2": "entailment"}}, resampling=QUICK)
    assert error.value.code == Code.MISMATCH
    with pytest.raises(TouchstoneError) as error:
        nli.score({"1": "not_entailment"}, {"a": {"1": "neutral"}}, labels="three")
    assert error.value.code == Code.UNSUPPORTED


def hugging_face(names):
    features = {"label": {"names": names, "_type": "ClassLabel"}, "premise": {"dtype": "string", "_type": "Value"}}
    return {b"huggingface": json.dumps({"info": {"features": features}}).encode()}


def test_hugging_face_exports_are_read_by_the_names_of_their_classes(tmp_path):
    columns = {"premise": ["A", "B"], "hypothesis": ["C", "D"], "label": [0, 1]}
    for names, expected in (
        (["entailment", "not_entailment"], ["entailment", "not_entailment"]),
        (["contradiction", "entailment", "neutral"], ["contradiction", "entailment"]),
    ):
        path = tmp_path / "x.parquet"
        parquet.write_table(pa.table(columns).replace_schema_metadata(hugging_face(names)), path)
        assert [pair.gold for pair in nli.read_gold(path).pairs] == expected


def test_a_hugging_face_dataset_is_read_as_an_object_and_as_its_files(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    datasets = pytest.importorskip("datasets")
    datasets.disable_progress_bars()
    label = datasets.ClassLabel(names=["not_entailment", "entailment"])
    features = datasets.Features(
        {"premise": datasets.Value("string"), "hypothesis": datasets.Value("string"), "label": label}
    )
    columns = {"premise": ["A", "B"], "hypothesis": ["C", "D"], "label": [1, 0]}
    dataset = datasets.Dataset.from_dict(columns, features=features)
    dataset.to_parquet(tmp_path / "x.parquet")
    dataset.save_to_disk(tmp_path / "saved")
    (arrow,) = (tmp_path / "saved").glob("*.arrow")
    run = {"a": ["entailment", "entailment"]}
    golds = (dataset, tmp_path / "x.parquet", arrow)
    results = [nli.score(gold, run, resampling=QUICK).to_dict() for gold in golds]
    assert len({str((result["signature"], result["rows"])) for result in results}) == 1  # notes name the files
    assert nli.score(dataset, run, resampling=QUICK).row("a", "recall.entailment").value == 1
    with pytest.raises(TouchstoneError, match=r"several tables \(train, test\)"):
        nli.score(datasets.DatasetDict({"train": dataset, "test": dataset}), run)


def test_numbers_without_names_have_the_usual_order_of_three_which_is_said(file):
    gold = nli.read_gold(file("g.csv", "premise,hypothesis,label\nA,B,0\nA,C,1\nA,D,2\nA,E,-1\n"))
    assert [pair.gold for pair in gold.pairs] == ["entailment", "neutral", "contradiction", None]
    assert gold.remarks == [
        "g: labels are numbers; 0 is entailment, 1 is neutral, 2 is contradiction (choose with label={…})"
    ]


def test_two_numbers_need_to_be_explained(file):
    path = file("WNLI.tsv", "index\tsentence1\tsentence2\tlabel\n0\tA\tB\t0\n1\tA\tC\t1\n")
    with pytest.raises(TouchstoneError, match=r"labels are numbers without a meaning \(0, 1\)"):
        nli.read_gold(path)
    gold = nli.read_gold(path, labels=["0=not_entailment", "1=entailment"])
    assert [pair.gold for pair in gold.pairs] == ["not_entailment", "entailment"]


def test_a_run_of_numbers_means_what_the_gold_says(file):
    gold = file("g.csv", "id,premise,hypothesis,label\n1,A,B,0\n2,A,C,1\n")
    labels = ["0=contradiction", "1=entailment"]
    results = nli.score(gold, {"a": {"1": 0, "2": 0}}, label=labels, resampling=QUICK)
    assert results.row("a", "accuracy").value == 1 / 2


EVERY_FILE = {
    "breaking_nli/dataset.jsonl": 8193,
    "snli/dev_annotators.jsonl": None,
    "snli/s1.dev": 9842,
    "snli/labels.test": 9824,
    "cf_snli/original_train.tsv": None,
    "cf_snli/revised_combined_train.tsv": None,
    "mnli_subset/mnli_train.tsv": None,
    "mnli_subset/mnli_val.tsv": None,
    "sick/SICK_train.txt": None,
    "sick/SICK_trial.txt": None,
    "sick/SICK_test_annotated.txt": None,
    "med/MED.tsv": 5382,
}
"""Files, and how many pairs they hold as far as their documentation says it file by file."""


def test_the_genres_of_the_monotonicity_set_group_its_pairs(data):
    gold = nli.read_gold(data("med") / "MED.tsv")
    assert gold.pairs[0].rest["genre"] == "paper:FraCaS_GQ:upward_monotone"
    assert "genre" in gold.items.column_names


@pytest.mark.parametrize("name", EVERY_FILE)
def test_every_file_of_the_data_with_labels_is_read_without_options(name, data):
    folder, _, file_name = name.partition("/")
    gold = nli.read_gold(data(folder) / file_name)
    assert len(gold) == (EVERY_FILE[name] or len(gold))
    assert len(gold.scored) > 0.9 * len(gold)
