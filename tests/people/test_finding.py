"""The finding of agreement: what is asked for by what it is about, and the two forms of its tables."""

import pytest

import touchstone
from touchstone import TouchstoneError, mt, nli, pyramid
from touchstone.base.codes import Code
from touchstone.people.finding import AnnotatorAgreement

EXAMPLES = touchstone.__path__[0] + "/examples"


@pytest.fixture(scope="module")
def found():
    """The finding of every command, by its name."""
    judged = [each for name in ("rankings.csv", "ratings.tsv") for each in mt.read_judgements(f"{EXAMPLES}/mt/{name}")]
    eve = pyramid.read_reading(f"{EXAMPLES}/pyramid")
    return {
        "items": touchstone.agreement(f"{EXAMPLES}/items/labels.csv"),
        "nli": nli.agreement(nli.read_gold(f"{EXAMPLES}/nli/gold.jsonl"), by="category"),
        "mt": mt.agreement(judged),
        "pyramid": pyramid.agree(eve, eve),
    }


@pytest.mark.parametrize("task", ["items", "nli", "mt", "pyramid"])
@pytest.mark.filterwarnings("ignore::touchstone.TouchstoneWarning")
def test_every_agreement_is_one_finding_whose_rows_have_the_numbers_of_its_attributes(found, task):
    agreement = found[task]
    assert isinstance(agreement, AnnotatorAgreement)
    rows = [row for row in agreement.statement().rows if row["kind"] == "coefficient"]
    every = [(group.about, one) for group in agreement.groups for one in group.coefficients.values()]
    assert [(row["measure"], row["unit"], row["n"], row["compared"]) for row in rows] == [
        (one.name, one.unit, one.units, one.answers) for _, one in every
    ]
    assert all(row.items() >= about.items() for row, (about, _) in zip(rows, every, strict=True))
    for row, (_, one) in zip(rows, every, strict=True):
        assert (row["value"], row["low"]) == pytest.approx((one.value, one.interval.low), nan_ok=True)


@pytest.mark.parametrize("task", ["items", "nli", "mt", "pyramid"])
@pytest.mark.filterwarnings("ignore::touchstone.TouchstoneWarning")
def test_people_are_called_annotators_in_every_output(found, task):
    text = repr(found[task]) + found[task].to_json()
    for word in ("reader", "rater"):
        assert word not in text
    assert "judges" not in text


@pytest.mark.filterwarnings("ignore::touchstone.TouchstoneWarning")
def test_coefficients_are_found_by_what_they_are_about(found):
    groups = found["mt"]
    assert groups.of(criterion="rank", among="inter")["kappa"].value == pytest.approx(0.734, abs=5e-4)
    masi = found["pyramid"].of(judgement="set of units", distance="masi")
    assert list(masi) == ["alpha"]
    with pytest.raises(TouchstoneError) as error:
        groups.of(criterion="rank")
    assert error.value.code == Code.AMBIGUOUS
    assert error.value.hint.startswith("say which: criterion=rank")
    with pytest.raises(TouchstoneError) as error:
        groups.of(criterion="style")
    assert error.value.code == Code.UNKNOWN_NAME


@pytest.mark.filterwarnings("ignore::touchstone.TouchstoneWarning")
def test_groups_are_rows_with_a_column_for_each_coefficient(found):
    table = found["nli"].groups_table()
    names = [column.header for column in table.columns]
    assert names[:5] == ["group", "pairs", "compared", "kappa", "95% interval"]
    row = dict(zip(names, next(row for row in table.rows if row[0] == "hypernyms"), strict=True))
    coefficients = found["nli"].of(group="hypernyms")
    assert (row["kappa"], row["agreed"]) == (coefficients["kappa"].value, coefficients["raw_agreement"].value)
    assert found["nli"].coefficients["kappa"].units == sum(row[1] for row in table.rows)
