"""Files of inference sets: what is read, what is written back, and what is refused in a sentence."""

import json

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.io.cells import unquoted
from touchstone.io.reading import read_rows
from touchstone.nli import agreement, convert, read_answers, read_gold, read_run, read_runs
from touchstone.tasks.nli.formats import _kind
from touchstone.tasks.nli.formats.pairs import GOLD
from touchstone.tasks.nli.formats.writing import SUFFIXES, format_pairs
from touchstone.tasks.nli.model import Pair

SNLI = {
    "sentence1": "A dog runs.",
    "sentence2": "A cat runs.",
    "gold_label": "contradiction",
    "annotator_labels": ["contradiction", "contradiction", "neutral"],
    "pairID": 7,
    "captionID": "x.jpg",
}


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


def refusal(read, path, **options):
    with pytest.raises(TouchstoneError) as caught:
        read(path, **options)
    return str(caught.value)


def test_snli_and_our_own_names_give_the_same_pair(file):
    ours = {"id": "7", "premise": "A dog runs.", "hypothesis": "A cat runs.", "gold": "contradiction"}
    ours |= {"annotators": ["contradiction", "contradiction", "neutral"], "captionID": "x.jpg"}
    (a,), (b,) = (read_gold(file(f"{n}.jsonl", lines(r))).pairs for n, r in enumerate((SNLI, ours)))
    assert a == b
    assert (a.id, a.rest) == ("7", {"captionID": "x.jpg"})


def test_gold_is_the_majority_where_the_file_gives_none(file):
    record = {key: value for key, value in SNLI.items() if key != "gold_label"}
    (pair,) = read_gold(file("a.jsonl", lines(record))).pairs
    assert pair.gold == "contradiction"


def test_a_dash_is_no_gold_and_empty_answers_are_dropped(file):
    record = SNLI | {"gold_label": "-", "annotator_labels": ["neutral", "", "entailment"]}
    (pair,) = read_gold(file("a.jsonl", lines(record))).pairs
    assert (pair.gold, pair.annotators) == (None, ("neutral", "entailment"))


def test_labels_are_read_without_regard_to_case_and_sick_has_its_own_columns(file):
    header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    (pair,) = read_gold(file("sick.txt", header + "6\tA dog\tA cat\t3.3\tNEUTRAL\n")).pairs
    assert (pair.id, pair.gold, pair.rest) == ("6", "neutral", {"relatedness_score": "3.3"})


def test_a_byte_order_mark_and_carriage_returns_are_accepted(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_bytes(b"\xef\xbb\xbfsentence1\tsentence2\tgold_label\r\nA dog\tA cat\tneutral\r\n")
    (pair,) = read_gold(path).pairs
    assert (pair.id, pair.hypothesis, pair.gold) == ("1", "A cat", "neutral")


def test_parallel_files_are_read_by_any_of_their_names(file):
    file("s1.dev", "A dog . \nA cat .\n")
    file("s2.dev", "A cat .\nA cat .\n")
    labels = file("labels.dev", "neutral\nentailment\n")
    pairs = read_gold(labels).pairs
    assert [(pair.id, pair.premise, pair.gold) for pair in pairs] == [
        ("1", "A dog .", "neutral"),
        ("2", "A cat .", "entailment"),
    ]


def test_parallel_files_of_unequal_length_are_refused(file):
    file("s1.dev", "A dog\nA cat\n")
    file("s2.dev", "A cat\n")
    said = refusal(read_gold, file("labels.dev", "neutral\nneutral\n"))
    assert "different numbers of lines: s1.dev 2, s2.dev 1, labels.dev 2" in said


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (
            SNLI | {"gold_label": "contradicton"},
            'unknown label; the labels are contradiction, entailment, neutral: "con',
        ),
        (SNLI | {"gold_label": "other"}, "unknown label"),
        (SNLI | {"annotator_labels": ["neural"]}, 'nearest valid label "neutral"'),
        (SNLI | {"sentence1": "  "}, "the premise is empty"),
        (SNLI | {"sentence2": 5}, "the hypothesis must be a string"),
        (SNLI | {"sentence2": None}, "a pair needs a hypothesis"),
        (SNLI | {"pairID": True}, "an id must be a string that is not empty, or a whole number"),
        (
            SNLI | {"replaced": [{"text": "cat", "start": 2, "end": 5}]},
            "the sentence does not have this text at [2, 5)",
        ),
        (SNLI | {"replaced": "dog"}, "must be a list of {text, start, end}"),
        (SNLI | {"relation": "antonyms"}, 'nearest valid relation "antonym"'),
        (SNLI | {"category": [3]}, "the category must be a string"),
    ],
)
def test_a_broken_field_is_refused_with_its_line_and_value(file, record, said):
    message = refusal(read_gold, file("a.jsonl", lines(SNLI, record | {"pairID": record.get("pairID", 8)})))
    assert message.startswith(str(file("a.jsonl", "")) + ":2: ")
    assert said in message


def test_every_fault_of_a_file_is_told(file):
    text = "{\n" + lines(SNLI | {"gold_label": "x"}) + "[]\n"
    said = refusal(read_gold, file("a.jsonl", text)).splitlines()
    assert [part.split(":")[1] for part in said] == ["1", "2", "3"]


def test_a_duplicate_id_is_refused(file):
    said = refusal(read_gold, file("a.jsonl", lines(SNLI, SNLI)))
    assert 'a.jsonl:2: duplicate id (first seen on line 1): "7"' in said


def test_tables_want_their_columns_and_as_many_fields(file):
    said = refusal(read_gold, file("a.tsv", "sentence1\tsentence_2\nA\tB\n"))
    assert "no columns 'hypothesis' and 'label'\n   the columns are sentence1, sentence_2; choose them with " in said
    assert said.endswith('column={"hypothesis": "NAME", "label": "NAME"}')
    assert "a.tsv:2: 3 cells under 2 columns" in refusal(read_gold, file("a.tsv", "premise\thypothesis\nA\tB\tC\n"))


@pytest.mark.parametrize(
    ("raw", "said"), [(b"", "is empty"), (b"\n \n", "is empty"), (b'{"id": "\xff"}', "is not utf-8")]
)
def test_what_is_no_text_is_refused(tmp_path, raw, said):
    path = tmp_path / "a.jsonl"
    path.write_bytes(raw)
    assert said in refusal(read_gold, path)


def test_predictions_come_as_lines_or_as_a_table_and_may_say_other(file):
    first = read_run(file("mine.jsonl", lines({"id": 7, "label": "Other"})))
    second = read_run(file("mine.tsv", "id\tlabel\n7\tother\n"), name="theirs")
    assert (first.name, first.label("7")) == ("mine", "other")
    assert (second.name, second.label("7"), second.label("8")) == ("theirs", "other", None)


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"id": "1"}, "no column 'label'"),
        ({"label": "neutral"}, "no column 'id'"),
        ({"id": "1", "label": "entailmnt"}, 'nearest valid label "entailment"'),
        ({"id": "1", "label": "neutral", "probabilities": {"neutral": 0.9, "entailment": 0.2}}, "sum to 1.1, not to 1"),
        (
            {"id": "1", "label": "neutral", "probabilities": {"neutral": 0.4, "entailment": 0.6}},
            "the label is neutral, but the most probable one is entailment",
        ),
        ({"id": "1", "label": "neutral", "probabilities": {"neutral": "high"}}, "a number from 0 to 1"),
        ({"id": "1", "label": "neutral", "probabilities": [1]}, "a list of probabilities needs an order"),
        ({"id": "1", "label": "neutral", "probabilities": 1}, "an object of labels and numbers"),
    ],
)
def test_a_broken_prediction_is_refused(file, record, said):
    assert said in refusal(read_run, file("mine.jsonl", lines(record)))


def test_probabilities_may_be_rounded_and_tied(file):
    shares = {"contradiction": 0.3333, "entailment": 0.3333, "neutral": 0.3333}
    run = read_run(file("m.jsonl", lines({"id": "1", "label": "neutral", "probabilities": shares})))
    assert run.label("1") == "neutral"


def test_systems_are_called_what_is_given_or_what_their_files_are_called(file):
    a, b = (file(f"{name}.tsv", "id\tlabel\n1\tneutral\n") for name in "ab")
    assert [run.name for run in read_runs([f"x={a}", b])] == ["x", "b"]
    with pytest.raises(TouchstoneError, match="not of the form NAME=FILE"):
        read_runs([f"={a}"])


def test_answers_are_yes_or_no_and_q2_may_be_open_where_q1_is_no(file):
    record = {"pair": 1, "annotator": "ann", "q1": "No", "q2": "", "q3": False}
    (answer,) = read_answers(file("a.jsonl", lines(record))).answers
    assert (answer.pair, answer.label, answer.ungrammatical) == ("1", "contradiction", False)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"q1": "maybe"}, 'q1 must be yes or no: "maybe"'),
        ({"q2": None}, "q2 may be left open only where q1 is no"),
        ({"q3": None}, "q3 has no answer"),
        ({"annotator": None}, 'an answer needs "annotator"'),
    ],
)
def test_a_broken_answer_is_refused(file, change, said):
    record = {"pair": "1", "annotator": "ann", "q1": "yes", "q2": "no", "q3": "no"} | change
    assert said in refusal(read_answers, file("a.jsonl", lines(record)))


def test_a_line_of_a_sheet_without_any_answer_is_none(file):
    record = {"pair": "1", "annotator": "ann", "q1": "", "q2": None, "q3": ""}
    sheet = read_answers(file("a.jsonl", lines(record, record | {"q1": "no", "q3": "no"})))
    assert ([answer.label for answer in sheet.answers], sheet.lines) == (["contradiction"], [2])


def test_the_same_person_twice_on_one_pair_is_refused(file):
    record = {"pair": "1", "annotator": "ann", "q1": "no", "q3": "no"}
    said = refusal(read_answers, file("a.jsonl", lines(record, record)))
    assert 'a.jsonl:2: ann has answered this pair already (line 1): "1"' in said


def kind(path):
    return _kind(read_rows(path, GOLD))


def test_files_are_told_apart_by_the_names_in_them(file):
    assert kind(file("a.jsonl", lines(SNLI))) == "pairs"
    assert kind(file("b.jsonl", lines({"id": 1, "label": "neutral"}))) == "predictions"
    assert kind(file("c.jsonl", lines({"pair": 1, "q1": "no"}))) == "answers"
    assert kind(file("d.tsv", "id\tlabel\n1\tneutral\n")) == "predictions"


def test_convert_keeps_what_it_does_not_know_and_changes_names_on_request(file, tmp_path):
    source = file("a.jsonl", lines(SNLI))
    assert convert(source, tmp_path / "same.jsonl") == "1 pair"
    assert json.loads((tmp_path / "same.jsonl").read_text()) == SNLI | {"pairID": "7"}
    convert(source, tmp_path / "ours.jsonl", names="touchstone")
    assert json.loads((tmp_path / "ours.jsonl").read_text())["premise"] == "A dog runs."
    convert(source, tmp_path / "table.tsv")
    assert read_gold(tmp_path / "table.tsv").pairs[0].annotators == ("contradiction", "contradiction", "neutral")


def test_convert_says_where_no_pair_has_a_gold_label_or_readers_have_no_majority(file, tmp_path):
    heading, sentences = "id,premise,hypothesis", "A dog runs.,It moves."
    unknown = file("a.csv", f"{heading},ana,ben\n1,{sentences},entailment,neutral\n")
    written = convert(unknown, tmp_path / "gold.jsonl")
    assert written.startswith("1 pair, none with a gold label; the columns ana, ben were not read as labels; choose a")
    assert written.endswith('column={"label": "NAME"}, or call the columns of annotators label1, label2 and so on')
    assert convert(unknown, tmp_path / "gold.jsonl", column=["label=ana"]) == "1 pair"
    tied = file("b.csv", f"{heading},label1,label2\n1,{sentences},entailment,neutral\n2,{sentences},neutral,neutral\n")
    tie = "2 pairs, of which 1 without a gold label, since no label has a majority"
    assert convert(tied, tmp_path / "gold.jsonl") == tie
    note = "b: pairs without a gold label, since no label has a majority: 1"
    assert note in agreement(read_gold(tied)).notes


def test_a_table_of_one_line_without_a_header_is_told_that_it_was_taken_as_one(file):
    with pytest.raises(TouchstoneError, match="no row in the table\n   the first line was taken as the header"):
        read_gold(file("a.csv", "1,A dog runs.,It moves.,yes\n"))


def test_objects_have_no_digest_and_one_is_singular():
    gold = read_gold([{"id": "1", "premise": "A dog runs.", "hypothesis": "It moves.", "label": "entailment"}])
    assert str(gold) == "the gold: 1 pair on 1 premise, 1 with a gold label"
    assert str(read_run({"1": "neutral"}, name="bert")) == "bert: predictions for 1 pair (bert)"


def test_a_run_called_labels_txt_is_a_run_unless_the_files_of_the_sentences_lie_beside_it(file):
    labels = file("labels.txt", "neutral\nentailment\n")
    gold = read_gold({"1": "neutral", "2": "neutral"})
    assert read_run(labels, gold=gold).labels == ["neutral", "entailment"]


def test_convert_refuses_other_forms(file, tmp_path):
    with pytest.raises(TouchstoneError) as error:
        convert(file("a.jsonl", lines(SNLI)), tmp_path / "a.xml")
    assert error.value.code == Code.UNKNOWN_FORMAT
    with pytest.raises(TouchstoneError) as error:
        convert(file("b.jsonl", lines({"pair": 1, "q1": "no"})), tmp_path / "a.jsonl")
    assert error.value.code == Code.UNKNOWN_FORMAT
    with pytest.raises(TouchstoneError, match="a cell of TSV has neither tabs nor line ends"):
        convert(file("a.jsonl", lines(SNLI | {"sentence1": "A\tdog"})), tmp_path / "a.tsv")


def test_a_stray_quote_is_text():
    assert unquoted('the "b"') == 'the "b"'
    assert unquoted('"') == '"'


text = st.text(st.characters(codec="utf-8", exclude_characters="\t\n\r"), min_size=1).filter(str.strip)
pairs_of = st.builds(
    Pair,
    id=text.map(str.strip).filter(lambda name: not (name[0] == name[-1] == '"')),
    premise=text,
    hypothesis=text,
    gold=st.sampled_from([None, "neutral", "entailment"]),
    annotators=st.lists(st.sampled_from(["neutral", "contradiction"]), max_size=3).map(tuple),
)


@settings(max_examples=50)
@given(pairs_of, st.sampled_from(["snli", "touchstone"]))
def test_what_is_written_is_read_back(tmp_path_factory, pair, spelling):
    folder = tmp_path_factory.mktemp("there")
    for suffix in SUFFIXES:
        path = folder / f"a{suffix}"
        path.write_text(format_pairs([pair], spelling, suffix), encoding="utf-8", newline="\n")
        assert read_gold(path).pairs == [pair]


def test_a_csv_with_sentences_is_gold_and_one_with_ids_and_labels_is_a_run(file):
    gold = read_gold(file("gold.csv", 'id,premise,hypothesis,label\n1,"A dog, a ""big"" one","A\ncat",Neutral\n'))
    run = read_run(file("mine.csv", "id,label\n1,neutral\n"))
    (pair,) = gold.pairs
    assert (pair.id, pair.premise, pair.hypothesis, pair.gold) == ("1", 'A dog, a "big" one', "A\ncat", "neutral")
    assert (run.name, run.ids, run.labels) == ("mine", ["1"], ["neutral"])
    assert (kind(gold.source.path), kind(run.source.path)) == ("pairs", "predictions")


def test_empty_cells_of_optional_columns_say_nothing(file):
    header = "id,premise,hypothesis,label,category,relation,replaced,provenance,annotators\n"
    (pair,) = read_gold(file("a.csv", f"{header}1,A dog,A cat,,,,,,\n")).pairs
    assert (pair.gold, pair.category, pair.relation, pair.replaced, pair.provenance) == (None, None, None, (), None)
    assert pair.annotators == ()


def test_short_fields_that_are_no_role_are_kept_and_long_ones_only_where_files_are_converted(file, tmp_path):
    source = file("a.jsonl", lines(SNLI | {"parse": "x" * 101}))
    (pair,) = read_gold(source).pairs
    assert pair.rest == {"captionID": "x.jpg"}
    convert(source, tmp_path / "b.jsonl")
    assert json.loads((tmp_path / "b.jsonl").read_text())["parse"] == "x" * 101


def test_headers_of_tables_are_read_in_any_case(file):
    for name, header in (("a.csv", "PairID,Premise,HYPOTHESIS,Label"), ("a.tsv", "PairID\tPremise\tHYPOTHESIS\tLabel")):
        row = header.replace("PairID", "7").replace("Label", "neutral")
        (pair,) = read_gold(file(name, f"{header}\n{row}\n")).pairs
        assert (pair.id, pair.premise, pair.gold, pair.rest) == ("7", "Premise", "neutral", {})


def test_pairs_and_runs_are_read_from_parquet(tmp_path):
    columns = {"id": [1], "premise": ["A dog"], "hypothesis": ["A cat"], "annotators": [["neutral", "neutral"]]}
    parquet.write_table(pa.table(columns), tmp_path / "gold.parquet")
    parquet.write_table(pa.table({"id": [1], "label": ["other"]}), tmp_path / "mine.parquet")
    (pair,) = read_gold(tmp_path / "gold.parquet").pairs
    assert (pair.id, pair.gold, pair.annotators) == ("1", "neutral", ("neutral", "neutral"))
    assert read_run(tmp_path / "mine.parquet").label("1") == "other"


def test_the_tables_of_snli_and_multinli_give_each_reader_a_column(file):
    header = "gold_label\tsentence1\tsentence2\tpairID\tlabel1\tlabel2\tlabel3\n"
    pairs = read_gold(file("a.tsv", f"{header}neutral\tA dog runs.\tA cat runs.\t7\tneutral\tentailment\t\n"))
    assert pairs.pairs[0].annotators == ("neutral", "entailment")
