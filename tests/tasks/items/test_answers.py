"""Tables with the scores of several people: averaged, kept one by one, and refused where they cannot be."""

import pytest

from touchstone.base.errors import TouchstoneError
from touchstone.items import Options
from touchstone.judge.assessing import assess
from touchstone.judge.estimating import estimate
from touchstone.judge.planning import plan_width
from touchstone.tasks.items.answers import output_facts, paired_tables, read_outputs, without_annotators

HEAD = "system,item,annotator,rating,genre\n"
HUMAN = HEAD + "a,1,ann,4,news\na,1,bob,5,news\na,2,ann,2,talk\nb,1,bob,,news\nb,1,ann,3,news\n"
JUDGE = "system,item,words,genre,rating\na,1,12,news,4.5\na,2,30,talk,2.5\nb,1,7,news,3.5\nb,2,8,talk,1\n"


@pytest.fixture
def write(tmp_path):
    def written(text, name="human.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return written


def test_the_score_of_an_output_is_the_mean_of_its_answers(write):
    human, judge = read_outputs(write(HUMAN), Options()), read_outputs(write(JUDGE, "judge.csv"), Options())
    [paired] = paired_tables(human.scores, judge.scores)
    assert paired.measure.name == "rating"
    assert paired.of("a").human_values.tolist() == [4.5, 2.0]
    assert paired.of("b").human_values[0] == 3.0
    assert human.answers["rating"] == {("a", "1"): [4, 5], ("a", "2"): [2], ("b", "1"): [3]}


def test_without_a_column_of_systems_each_column_is_one(write):
    human = read_outputs(write("item,rater,a,b\n1,x,4,3\n1,y,2,1\n2,x,5,5\n"), Options())
    assert human.answers["value"] == {
        ("a", "1"): [4, 2], ("a", "2"): [5], ("b", "1"): [3, 1], ("b", "2"): [5]
    }  # fmt: skip
    [paired] = paired_tables(human.scores, {"item": ["1", "2"], "a": [1, 2], "b": [3, 4]})
    assert paired.of("b").human_values.tolist() == [2.0, 5.0]


def test_the_column_of_annotators_can_be_chosen(write):
    options = Options(column=("annotator=who",))
    human = read_outputs(write(HUMAN.replace("annotator", "who")), options)
    assert human.answers["rating"]["a", "1"] == [4, 5]
    assert without_annotators(options).column == ()


def test_columns_beside_the_scores_are_facts_of_outputs(write):
    human, judge = read_outputs(write(HUMAN), Options()), read_outputs(write(JUDGE, "judge.csv"), Options())
    fields = output_facts(human, judge)
    assert set(fields) == {"words", "genre"}
    assert fields["words"]["a", "2"] == "30"
    assert fields["genre"]["b", "1"] == "news"


def test_two_answers_of_one_person_are_refused_with_their_line(write):
    with pytest.raises(TouchstoneError) as refused:
        read_outputs(write(HUMAN + "a,2,ann,5,talk\n"), Options())
    assert 'human.csv:7: a second row of annotator ann (first on line 4): "a 2"' in str(refused.value)


def test_an_output_that_the_judge_lacks_is_refused_with_its_line(write):
    human = read_outputs(write(HUMAN + "b,20,ann,2,talk\nb,30,ann,2,talk\n"), Options())
    judge = read_outputs(write(JUDGE, "judge.csv"), Options())
    with pytest.raises(TouchstoneError) as refused:
        paired_tables(human.scores, judge.scores)
    first, second, hint = str(refused.value).splitlines()
    assert first.endswith("human.csv:7: the judge has no score of 'b' for this item: \"20\"")
    assert "human.csv:8:" in second
    assert "2 of 5 have none" in hint


def test_one_human_label_is_refused_with_its_line(write):
    [paired] = paired_tables(write("system,item,rating\na,1,4\n"), write(JUDGE, "judge.csv"))
    for verb in (estimate, assess, lambda paired: plan_width(paired, 0.1)):
        with pytest.raises(TouchstoneError, match=r"human\.csv:2: "):
            verb(paired)


def test_probabilities_that_differ_between_answers_are_refused_with_their_line(write):
    rows = "a,1,ann,4,0.5\na,1,bob,5,0.4\n"
    with pytest.raises(TouchstoneError, match=r"human\.csv:3: another inclusion probability than on line 2.*0\.4"):
        read_outputs(write("system,item,annotator,rating,probability\n" + rows), Options())


def test_empty_answers_of_people_are_counted(write):
    [paired] = paired_tables(write(HUMAN), write(JUDGE, "judge.csv"), ["rating"])
    assert paired.notes[-1] == "answers of people without a score (rating), which are left out: 1"
