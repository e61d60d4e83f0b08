"""Reports as they are opened: in a browser, with no network, and whatever the data hold."""

import json
import sys
from pathlib import Path

import pytest

import touchstone
from touchstone.cli import main


def test_the_demo_refuses_a_place_that_is_a_file(tmp_path, called):
    (tmp_path / "file").write_text("x")
    code, err = called("demo", "--out", tmp_path / "file")
    assert code == 2
    assert err.startswith("error: ")


def test_the_demo_is_what_make_demo_runs():
    makefile = Path(touchstone.__file__).parents[2] / "Makefile"
    if not makefile.exists():
        pytest.skip("installed without its sources: there is no Makefile to look at")
    recipe = makefile.read_text().split("\ndemo:")[1].split("\n\n")[0]
    assert "touchstone demo" in recipe


HOSTILE = "<script>document.title='owned'</script><img src=x onerror=document.title='owned'>\"'--><svg onload=alert(1)>"


@pytest.fixture
def called(monkeypatch, capsys):
    """Run the program in this process: exit code and standard error."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["touchstone", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        return left.value.code or 0, capsys.readouterr().err

    return call


def hostile_files(folder: Path, items: int) -> list[Path]:
    """A gold and two systems in which ids, targets, sentences, answers and names all try to run a script."""
    records = [
        {"id": f"{n}{HOSTILE}", "target": f"t{HOSTILE}", "pos": "n", "left": HOSTILE, "head": "x", "right": HOSTILE}
        | {"gold": {f"a{HOSTILE}": 2, "b": 1}}
        for n in range(items)
    ]
    (folder / "g.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    for name, answers in (("one", [f"a{HOSTILE}", HOSTILE]), ("two", ["b", HOSTILE])):
        lines = [{"id": r["id"], "system": f"{name}{HOSTILE}", "answers": answers} for r in records]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return [folder / name for name in ("g.jsonl", "one.jsonl", "two.jsonl")]


@pytest.mark.parametrize(("items", "scripts"), [(6, 0), (30, 1), (320, 1)])
def test_a_hostile_report_runs_no_script_of_the_data_and_asks_for_nothing(browser, tmp_path, called, items, scripts):
    """A report of few items has no script, one of more has that of the package; of many, items are packed."""
    report = tmp_path / "report.html"
    code, err = called("lexsub", "score", *hostile_files(tmp_path, items), "-m", "rank@10", "--report", report)
    assert code == 0, err
    page = browser.new_page()
    asked, said = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(report.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    if scripts:
        page.locator(".filter").wait_for()
    page.locator(".strips a").nth(items // 2).click()
    page.locator("article:target").wait_for()
    page.wait_for_timeout(200)
    assert page.title() == "Lexical substitution"
    assert asked == [report.as_uri()]
    assert said == []
    assert page.evaluate("document.querySelectorAll('script, img, iframe, object, embed, link').length") == scripts
    assert page.evaluate(
        "[...document.querySelectorAll('*')].every(e => !e.getAttributeNames().some(a => a.startsWith('on')))"
    )
    assert page.evaluate("document.body.innerText").count("<script>document.title='owned'</script>") >= 10


def test_a_report_shows_its_sections_in_a_browser_wide_and_narrow(browser, called, tmp_path):
    folder, report = Path(touchstone.__file__).parent / "examples" / "lexsub", tmp_path / "report.html"
    systems = folder / "careful.oot", folder / "eager.oot"
    code, err = called("lexsub", "score", folder / "demo.gold", *systems, "-m", "rank@10", "--report", report)
    assert code == 0, err
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(report.as_uri())
    assert page.locator("section").count() >= 4
    assert page.locator("svg").count() >= 5
    assert page.locator("table").count() >= 3
    assert "rank@10" in page.inner_text("body")
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
