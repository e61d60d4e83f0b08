"""The Python reference is whole: public functions have a docstring, explain every parameter and show an example."""

import inspect
import re
from types import ModuleType

import pytest

import touchstone
from touchstone.base.tables import Table
from touchstone.core.comparison import Comparison
from touchstone.core.results import Results


def public_names(module: ModuleType) -> list[str]:
    """Return what a module offers: ``__all__``, or every name of the package without an underscore."""
    ours = [name for name, value in vars(module).items() if _is_ours(name, value)]
    return list(getattr(module, "__all__", ours))


def _is_ours(name: str, value: object) -> bool:
    home = getattr(value, "__module__", None) or ""
    return not name.startswith("_") and not isinstance(value, ModuleType) and home.startswith("touchstone")


def public_objects() -> dict[str, object]:
    found: dict[str, object] = {}
    for name in touchstone.__all__:
        value = getattr(touchstone, name)
        if isinstance(value, ModuleType):
            found |= {f"{name}.{one}": getattr(value, one) for one in public_names(value)}
        else:
            found[name] = value
    return found


OBJECTS = {name: value for name, value in public_objects().items() if callable(value)}
FUNCTIONS = {name: value for name, value in OBJECTS.items() if not inspect.isclass(value)}


def described(doc: str) -> set[str]:
    """Return the names that the section Parameters of a docstring explains."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-{3,}|\Z)", doc, re.DOTALL | re.MULTILINE)
    heads = [line for line in (section[1].split("\n") if section else ()) if line and line[0] != " "]
    return {name.strip(" *") for line in heads for name in line.partition(":")[0].split(",")}


def gaps(function: object) -> list[str]:
    """Return what the docstring of a function lacks."""
    doc = inspect.getdoc(function) or ""
    parameters = [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]
    lacking = [f"the parameter {name}" for name in parameters if name not in described(doc)]
    return [*([] if doc else ["a docstring"]), *lacking, *([] if ">>>" in doc else ["an example"]), *unheaded(doc)]


def unheaded(doc: str) -> list[str]:
    """Return a gap where an example follows the parameters without a heading: the site takes it for one of them."""
    _, _, after = doc.partition("Parameters\n---")
    return ["the heading Examples"] if ">>>" in after.partition("Examples\n--------\n")[0] else []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_is_described_with_every_parameter_and_an_example(name):
    assert gaps(FUNCTIONS[name]) == []


@pytest.mark.parametrize("name", [name for name, value in OBJECTS.items() if inspect.isclass(value)])
def test_a_public_class_and_its_methods_have_docstrings(name):
    members = inspect.getmembers(OBJECTS[name], inspect.isfunction)
    without = [one for one, method in members if not one.startswith("_") and not inspect.getdoc(method)]
    assert inspect.getdoc(OBJECTS[name])
    assert without == []
    assert unheaded(inspect.getdoc(OBJECTS[name])) == []


@pytest.mark.parametrize("kind", [Results, Comparison, Table], ids=lambda kind: kind.__name__)
def test_what_the_verbs_return_is_described(kind):
    for name, method in inspect.getmembers(kind, inspect.isfunction):
        if not name.startswith("_"):
            doc = inspect.getdoc(method) or ""
            named = [one for one in inspect.signature(method).parameters if one != "self"]
            assert doc, name
            assert [one for one in named if one not in described(doc) and f"*{one}*" not in doc] == [], name


@pytest.mark.parametrize("module", ["lexsub", "mt", "nli", "pyramid", "items"])
def test_every_task_has_a_page_of_its_python_names(module, request):
    page = request.config.rootpath / "docs" / "reference" / f"api-{module}.md"
    text = page.read_text("utf-8")
    assert f"::: touchstone.{module}" in text
    if not hasattr(getattr(touchstone, module), "__all__"):
        missing = [name for name in FUNCTIONS if name.startswith(f"{module}.") and name.split(".")[1] not in text]
        assert missing == []
