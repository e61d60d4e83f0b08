"""``touchstone items agreement``, as a user types it."""

import json
from pathlib import Path

import pandas as pd
from typer.testing import CliRunner

import touchstone
from touchstone.cli.items import app

LABELS = Path(touchstone.__file__).parent / "examples" / "items" / "labels.csv"


def run(*arguments):
    result = CliRunner().invoke(app, ["agreement", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout


def test_agreement_prints_coefficients_annotators_and_disputed_items():
    said = run(LABELS)
    for title in ("Agreement of 3 annotators", "with the majority of the others", "Most disputed items"):
        assert title in said


def test_agreement_is_that_of_python(tmp_path):
    found = touchstone.agreement(LABELS, "ordinal", order=["no", "unsure", "yes"])
    options = ["--distance", "ordinal", "--order", "no", "--order", "unsure", "--order", "yes"]
    printed = json.loads(run(LABELS, *options, "--json", "--items", tmp_path / "items.csv"))
    assert printed["results"] == found.to_dict()["results"]
    assert pd.read_csv(tmp_path / "items.csv")["item"].tolist() == found.items.to_pandas()["item"].tolist()
