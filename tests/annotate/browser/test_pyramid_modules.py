"""The pyramid's modules give the recorded result of every step, and the same figures as the server."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

EXAMPLES = files("touchstone.examples") / "pyramid"
VECTORS = Path(__file__).parents[1] / "pyramid"

STEPS = """
async ({lines, summaries, sequences}) => {
  const operations = await import("/static/pyramid/operations.js");
  const {materialOf, Refusal} = await import("/static/pyramid/document.js");
  const material = materialOf({lines, summaries: summaries.map(([id, start, end]) => ({id, start, end}))});
  const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
  const spans = (parts) => parts.map(({start, end}) => [start, end]);
  const marks = (group) => group.map(({id, label, comment, parts}) => [id, label, comment, spans(parts)]);
  const brief = (doc) => ({
    units: doc.units.map(({uid, label, comment, contributors}) => [uid, label, comment, marks(contributors)]),
    unassigned: marks(doc.unassigned),
    next: [doc.next.unit, doc.next.contributor],
  });
  return sequences.map(({name, steps}) => {
    let doc = {units: [], unassigned: [], next: {unit: 1, contributor: 1}};
    return {name, steps: steps.map(({do: [operation, ...given]}) => {
      try {
        doc = operations[camel(operation)](material, doc, ...given);
        return {do: [operation, ...given], after: brief(doc)};
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return {do: [operation, ...given], refusal: error.toJSON()};
      }
    })};
  });
}
"""


@pytest.fixture
def page(page_of):
    return page_of(None, "/login")


def test_every_operation_has_the_recorded_result_or_refusal(page):
    vectors = json.loads((VECTORS / "operation_vectors.json").read_text(encoding="utf-8"))
    assert page.evaluate(STEPS, vectors) == vectors["sequences"]


FIGURES = """
async ({view, body}) => {
  const {materialOf} = await import("/static/pyramid/document.js");
  const {peerFigures, pyramidFigures} = await import("/static/pyramid/figures.js");
  const {violations} = await import("/static/pyramid/constraints.js");
  const material = materialOf(view);
  const figures = (material.peer ? peerFigures : pyramidFigures)(material, body);
  return {figures, broken: violations(material, body).map(({rule, reason}) => [rule, reason])};
}
"""


@pytest.mark.parametrize("name", ["T01.pyr", "eve.T01.M.60.A.heron.pan", "eve.T01.M.60.A.sparrow.pan"])
def test_live_figures_are_those_of_the_server(page, site, name):
    project, _ = site.project("pyramid", {name: (EXAMPLES / name).read_bytes()})
    (item,) = site.admin.get(f"/api/projects/{project}/items").json()["items"]
    (answer,) = site.admin.get(f"/api/items/{item['id']}").json()["answers"]
    here = page.evaluate(FIGURES, {"view": answer["item"]["view"], "body": answer["body"]})
    there = answer["derived"]["figures"]
    same = set(here["figures"]) & set(there)
    assert len(same) >= 8
    assert {key: here["figures"][key] for key in same} == {key: there[key] for key in same}
    assert here["broken"] == [[one["rule"], one["reason"]] for one in answer["derived"]["violations"]]
